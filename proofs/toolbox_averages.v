(* Appendix A: Lyapunov's inequality (lem-lyapunov), Markov's (lem-markov), bias and variance (lem-bias-variance).

   X is a random number, or a random vector, on any finite space W; E W X is its mean. Where the page says that a
   random number is constant, or takes only certain values, it means the outcomes that have weight: nothing else can be
   drawn. *)
Require Export spaces vectors.
Open Scope R_scope.

(* ---- 1. Lyapunov. ---- *)

(* One line for inequality and equality: the mean square is the square of the mean size, and the spread of the size. *)
Lemma spread_of_size W X : let m := E W (fun w => Rabs (X w)) in
  E W (fun w => X w ^ 2) = m ^ 2 + E W (fun w => (Rabs (X w) - m) ^ 2).
Proof.
  intros m. rewrite (E_ext W (fun w => (Rabs (X w) - m) ^ 2) (fun w => X w ^ 2 - (2 * m * Rabs (X w) - m ^ 2))).
  - rewrite !E_minus, E_scal, E_const. fold m. ring.
  - intros w _. rewrite <- (pow2_Rabs (X w)). ring.
Qed.
Lemma mean_size_pos W X : 0 <= E W (fun w => Rabs (X w)).
Proof. apply E_nonneg. intros. apply Rabs_pos. Qed.
Lemma mean_square_pos W X : 0 <= E W (fun w => X w ^ 2).
Proof. apply E_nonneg. intros. apply pow2_nonneg. Qed.

(* lem-lyapunov: E|X| <= sqrt(E[X^2]), *)
Theorem lem_lyapunov W X : E W (fun w => Rabs (X w)) <= sqrt (E W (fun w => X w ^ 2)).
Proof.
  assert (H := spread_of_size W X). cbv zeta in H. assert (H0 := mean_square_pos W X).
  assert (H1 := mean_square_pos W (fun w => Rabs (X w) - E W (fun v => Rabs (X v)))). cbv beta in H1.
  apply le_of_squares; [apply sqrt_pos|]. rewrite sqrt_squared by assumption. lra.
Qed.
(* with equality exactly when |X| is constant. *)
Theorem lem_lyapunov_equal W X :
  E W (fun w => Rabs (X w)) = sqrt (E W (fun w => X w ^ 2)) <->
  exists c, forall w, (w < size W)%nat -> 0 < weight W w -> Rabs (X w) = c.
Proof.
  assert (H := spread_of_size W X). cbv zeta in H. set (m := E W (fun w => Rabs (X w))) in *.
  assert (Hz := E_zero W (fun w => (Rabs (X w) - m) ^ 2) (fun w _ => pow2_nonneg _)). cbv beta in Hz.
  split.
  - intros Heq. exists m. intros w Hw Hpos. enough (Rabs (X w) - m = 0) by lra. apply pow2_zero.
    apply Hz; [|assumption|assumption]. assert (H2 := sqrt_squared _ (mean_square_pos W X)). rewrite <- Heq in H2. lra.
  - intros [c Hc]. assert (Hm : m = c) by (unfold m; rewrite (E_same W _ (fun _ => c) Hc); apply E_const).
    rewrite (proj2 Hz) in H.
    + rewrite H, Rplus_0_r, sqrt_of_square. symmetry. apply Rabs_pos_eq, mean_size_pos.
    + intros w Hw Hp. rewrite Hc, Hm by assumption. ring.
Qed.
(* In particular E|g - grad f| <= sigma when E|g - grad f|^2 <= sigma^2; here the bars are lengths of vectors. *)
Theorem lem_lyapunov_noise W d (g : nat -> vec) (grad : vec) sigma : 0 <= sigma ->
  E W (fun w => norm2 d (sub (g w) grad)) <= sigma ^ 2 -> E W (fun w => norm d (sub (g w) grad)) <= sigma.
Proof.
  intros Hs H. assert (H1 := lem_lyapunov W (fun w => norm d (sub (g w) grad))). cbv beta in H1.
  rewrite (E_ext W (fun w => norm d _ ^ 2) (fun w => norm2 d (sub (g w) grad))) in H1
    by (intros; apply norm_squared).
  rewrite (E_ext W (fun w => Rabs _) (fun w => norm d (sub (g w) grad))) in H1
    by (intros; apply Rabs_pos_eq, norm_pos).
  eapply Rle_trans; [exact H1|]. now apply sqrt_le.
Qed.
(* An instance with noise: a coin, d entries, each of them off by 1. Then the mean length is sqrt d, which is sigma. *)
Lemma lem_lyapunov_instance d :
  E coin (fun w => norm d (sub (fun _ => match w with O => 1 | _ => -1 end) (fun _ => 0))) <= sqrt (INR d).
Proof.
  apply lem_lyapunov_noise; [apply sqrt_pos|]. rewrite sqrt_squared by apply pos_INR. rewrite E_coin. apply Req_le.
  unfold norm2, sub. rewrite (sum_ext d _ (fun _ => 1)), (sum_ext d (fun _ => (-1 - 0) ^ 2) (fun _ => 1))
    by (intros; ring). rewrite sum_const. field.
Qed.

(* ---- 2. Markov. ---- *)

(* 1 where x >= a, else 0; its mean is the chance of X >= a. *)
Definition at_least (a x : R) : R := indicator (Rle_dec a x).

(* (1) a 1{X >= a} <= X: if X >= a the left side is a, else it is 0 and X >= 0. *)
Lemma lem_markov_step_1 a x : 0 <= x -> a * at_least a x <= x.
Proof. intros Hx. unfold at_least, indicator. destruct (Rle_dec a x); lra. Qed.
(* The two sides of (1) are equal for x = 0 and for x = a, and for no other x. *)
Lemma lem_markov_step_1_equal a x : 0 < a -> (x - a * at_least a x = 0 <-> x = 0 \/ x = a).
Proof. intros Ha. unfold at_least, indicator. destruct (Rle_dec a x); split; intros; lra. Qed.
(* (2) Average both sides. *)
Lemma lem_markov_step_2 W X a : (forall w, (w < size W)%nat -> 0 <= X w) ->
  a * E W (fun w => at_least a (X w)) <= E W X.
Proof. intros HX. rewrite <- E_scal. apply E_le. intros w Hw. now apply lem_markov_step_1, HX. Qed.

(* lem-markov: if X >= 0 and a > 0, then P(X >= a) <= E[X] / a, *)
Theorem lem_markov W X a : (forall w, (w < size W)%nat -> 0 <= X w) -> 0 < a ->
  E W (fun w => at_least a (X w)) <= E W X / a.
Proof. intros HX Ha. apply le_div; [assumption|]. assert (H := lem_markov_step_2 W X a HX). lra. Qed.
(* with equality exactly when X takes only the values 0 and a. *)
Theorem lem_markov_equal W X a : (forall w, (w < size W)%nat -> 0 <= X w) -> 0 < a ->
  (E W (fun w => at_least a (X w)) = E W X / a <->
   forall w, (w < size W)%nat -> 0 < weight W w -> X w = 0 \/ X w = a).
Proof.
  intros HX Ha. assert (Hz := E_zero W (fun w => X w - a * at_least a (X w))). rewrite E_minus, E_scal in Hz.
  assert (Heq : E W (fun w => at_least a (X w)) = E W X / a <-> E W X - a * E W (fun w => at_least a (X w)) = 0).
  { split; intros H; [rewrite H; field; lra|]. apply Rmult_eq_reg_l with a; [|lra].
    replace (a * (E W X / a)) with (E W X) by (field; lra). lra. }
  rewrite Heq, Hz by (intros w Hw; assert (H := lem_markov_step_1 a (X w) (HX w Hw)); lra).
  split; intros H w Hw Hpos; apply (lem_markov_step_1_equal a (X w) Ha); auto.
Qed.
(* An instance: 0 or a with equal chance. *)
Lemma lem_markov_instance a : 0 < a -> let X := fun w : nat => match w with O => 0 | _ => a end in
  E coin (fun w => at_least a (X w)) = E coin X / a /\ E coin X / a = / 2.
Proof.
  intros Ha X. assert (HX : forall w, X w = 0 \/ X w = a) by (intros [|w]; [now left|now right]). split.
  - apply lem_markov_equal; [|assumption|auto]. intros w _. destruct (HX w); lra.
  - rewrite E_coin. unfold X. field. lra.
Qed.
(* Without values that are at least zero it is false: 1 or - 1 with equal chance. *)
Lemma lem_markov_needs_sign : let X := fun w : nat => match w with O => 1 | _ => -1 end in
  E coin X / 1 < E coin (fun w => at_least 1 (X w)).
Proof.
  intros X. rewrite !E_coin. unfold X, at_least, indicator. destruct (Rle_dec 1 1), (Rle_dec 1 (-1)); lra.
Qed.

(* ---- 3. Bias and variance. ---- *)

Section Bias_variance.
  Variable W : space.
  Variable d : nat.
  Variable X : nat -> vec.       (* X w j: entry j of the random vector *)
  Variable EX : vec.             (* its mean *)
  Variable c : vec.              (* fixed: it does not depend on the outcome w *)
  Hypothesis mean : forall j, (j < d)%nat -> E W (fun w => X w j) = EX j.

  (* (1) Write X - c = (X - EX) + (EX - c) and expand the square. *)
  Lemma lem_bias_variance_step_1 w : norm2 d (sub (X w) c)
    = norm2 d (sub (X w) EX) + 2 * inner d (sub (X w) EX) (sub EX c) + norm2 d (sub EX c).
  Proof. rewrite <- norm2_plus. apply norm2_ext. intros. unfold sub. ring. Qed.
  (* (2) The cross term is 0 on average. *)
  Lemma lem_bias_variance_step_2 : E W (fun w => inner d (sub (X w) EX) (sub EX c)) = 0.
  Proof.
    unfold inner. rewrite E_sum. apply sum_zeros. intros j Hj.
    rewrite (E_ext W _ (fun w => (EX j - c j) * (X w j - EX j))) by (intros; unfold sub; ring).
    rewrite E_scal, E_minus, E_const, mean by assumption. ring.
  Qed.

  (* lem-bias-variance: E|X - c|^2 = E|X - EX|^2 + |EX - c|^2. *)
  Theorem lem_bias_variance :
    E W (fun w => norm2 d (sub (X w) c)) = E W (fun w => norm2 d (sub (X w) EX)) + norm2 d (sub EX c).
  Proof.
    rewrite (E_ext _ _ _ (fun w _ => lem_bias_variance_step_1 w)), !E_plus, E_scal, E_const.
    rewrite lem_bias_variance_step_2. ring.
  Qed.
End Bias_variance.

(* With c = 0: E|g|^2 = |grad f|^2 + E|g - grad f|^2 for an unbiased gradient g. *)
Theorem lem_bias_variance_gradient W d (g : nat -> vec) (grad : vec) :
  (forall j, (j < d)%nat -> E W (fun w => g w j) = grad j) ->
  E W (fun w => norm2 d (g w)) = norm2 d grad + E W (fun w => norm2 d (sub (g w) grad)).
Proof.
  intros H. assert (H0 : forall u, norm2 d (sub u (fun _ => 0)) = norm2 d u)
    by (intros; apply norm2_ext; intros; unfold sub; ring).
  rewrite (E_ext W _ (fun w => norm2 d (sub (g w) (fun _ => 0)))) by (intros; now rewrite H0).
  rewrite (lem_bias_variance W d g grad (fun _ => 0) H), H0. ring.
Qed.
(* An instance, and why c must be fixed: X = 1 or -1. For c = 2 the sides are 5 and 1 + 4; for c = -X, 4 and 1 + 1. *)
Definition flip (w : nat) : vec := fun _ => match w with O => 1 | _ => -1 end.
Lemma lem_bias_variance_instance :
  E coin (fun w => norm2 1 (sub (flip w) (fun _ => 2))) = 5 /\
  E coin (fun w => norm2 1 (sub (flip w) (fun _ => 0))) + norm2 1 (sub (fun _ => 0) (fun _ => 2)) = 5.
Proof.
  assert (H := lem_bias_variance coin 1 flip (fun _ => 0) (fun _ => 2)). rewrite <- H.
  - rewrite E_coin. unfold norm2, sub, flip. rewrite !sum_S, !sum_O. split; field.
  - intros. rewrite E_coin. unfold flip. field.
Qed.
(* Why c has to be fixed: with a c that depends on the draw the identity is false. *)
Lemma lem_bias_variance_random_c : let c := fun w (j : nat) => - flip w j in
  E coin (fun w => norm2 1 (sub (flip w) (c w))) = 4 /\
  E coin (fun w => norm2 1 (sub (flip w) (fun _ => 0))) + E coin (fun w => norm2 1 (sub (fun _ => 0) (c w))) = 2.
Proof. intros c. rewrite !E_coin. unfold c, norm2, sub, flip. rewrite !sum_S, !sum_O. split; field. Qed.
