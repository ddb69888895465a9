(* Appendix A: Jensen's inequality (lem-jensen).

   phi is convex on an interval I that contains every value of the random number X; kinks are allowed, and so are jumps
   at the ends of I. X lives on any finite space W. *)
Require Export spaces.
Open Scope R_scope.

(* With two points an interval contains all that lies between. *)
Definition interval (I : R -> Prop) := forall x y z, I x -> I y -> x <= z <= y -> I z.
(* The chord from x to y is nowhere below the function. *)
Definition convex_on (I : R -> Prop) (phi : R -> R) :=
  forall x y t, I x -> I y -> 0 <= t <= 1 -> phi (t * x + (1 - t) * y) <= t * phi x + (1 - t) * phi y.

Section Supporting_line.
  Variable I : R -> Prop.
  Variable phi : R -> R.
  Hypothesis convex : convex_on I phi.

  (* The slope from x to m is at most the slope from m to y, written without fractions. *)
  Lemma slopes_grow x m y : I x -> I y -> x < m -> m < y ->
    (phi m - phi x) * (y - m) <= (phi y - phi m) * (m - x).
  Proof.
    intros Hx Hy Hxm Hmy. set (t := (y - m) / (y - x)).
    assert (Ht : 0 <= t <= 1) by (unfold t; split; [apply Rlt_le; pos|apply div_le; lra]).
    assert (H := convex x y t Hx Hy Ht). replace (t * x + (1 - t) * y) with m in H by (unfold t; field; lra).
    apply (Rmult_le_compat_r (y - x)) in H; [|lra].
    replace ((t * phi x + (1 - t) * phi y) * (y - x)) with ((y - m) * phi x + (m - x) * phi y) in H
      by (unfold t; field; lra). lra.
  Qed.

  (* The slopes of the chords from the left to the point m. *)
  Definition left_slope m s := exists x, I x /\ x < m /\ s = (phi m - phi x) / (m - x).
  Lemma left_slope_le m y s : I y -> m < y -> left_slope m s -> s <= (phi y - phi m) / (y - m).
  Proof.
    intros Hy Hmy (x & Hx & Hxm & ->). apply le_div; [lra|].
    assert (H := slopes_grow x m y Hx Hy Hxm Hmy). apply Rmult_le_reg_r with (m - x); [lra|].
    replace ((phi m - phi x) / (m - x) * (y - m) * (m - x)) with ((phi m - phi x) * (y - m)) by (field; lra).
    assumption.
  Qed.

  (* (1) At a point m inside I there is a line through (m, phi m), of some slope k, above which phi lies: k is the least
     number that no slope from the left exceeds. *)
  Lemma step_1 a m b : I a -> I b -> a < m -> m < b -> exists k, forall x, I x -> phi m + k * (x - m) <= phi x.
  Proof.
    intros Ha Hb Ham Hmb. destruct (completeness (left_slope m)) as (k & Hup & Hleast).
    - exists ((phi b - phi m) / (b - m)). intros s. now apply left_slope_le.
    - exists ((phi m - phi a) / (m - a)), a. auto.
    - exists k. intros x Hx. destruct (Rtotal_order x m) as [H|[->|H]].
      + assert (Hs : (phi m - phi x) / (m - x) <= k) by (apply Hup; exists x; auto).
        apply (Rmult_le_compat_r (m - x)) in Hs; [|lra].
        replace ((phi m - phi x) / (m - x) * (m - x)) with (phi m - phi x) in Hs by (field; lra). lra.
      + lra.
      + assert (Hs : k <= (phi x - phi m) / (x - m)) by (apply Hleast; intros s; now apply left_slope_le).
        apply (Rmult_le_compat_r (x - m)) in Hs; [|lra].
        replace ((phi x - phi m) / (x - m) * (x - m)) with (phi x - phi m) in Hs by (field; lra). lra.
  Qed.
End Supporting_line.

(* (2) Put x = X and average: the last term vanishes. *)
Lemma step_2 W phi X k : (forall w, (w < size W)%nat -> phi (E W X) + k * (X w - E W X) <= phi (X w)) ->
  phi (E W X) <= E W (fun w => phi (X w)).
Proof.
  intros H. apply E_le in H. rewrite E_plus, E_scal, E_minus, !E_const in H. lra.
Qed.

(* What the page passes over: the mean may lie at an end of I, where there need not be such a line. But then X is
   constant. *)
Lemma someone_below X c n : (exists w, (w < n)%nat /\ X w < c) \/ (forall w, (w < n)%nat -> c <= X w).
Proof.
  induction n as [|n [(w & Hw & H)|H]]; [right; intros; lia|left; exists w; split; [lia|assumption]|].
  destruct (Rlt_dec (X n) c); [left; exists n; split; [lia|assumption]|right].
  intros w Hw. destruct (Nat.eq_dec w n) as [->|]; [lra|apply H; lia].
Qed.
Lemma nobody_below W X : (forall w, (w < size W)%nat -> E W X <= X w) ->
  forall w, (w < size W)%nat -> 0 < weight W w -> X w = E W X.
Proof.
  intros H w Hw Hp. assert (Hz := E_zero W (fun v => X v - E W X)). cbv beta in Hz.
  rewrite E_minus, E_const in Hz. enough (X w - E W X = 0) by lra.
  apply Hz; [intros v Hv; specialize (H v Hv); lra|lra|assumption|assumption].
Qed.
(* Either X is constant, or it has values on both sides of its mean. *)
Lemma step_1_end W X : (forall w, (w < size W)%nat -> 0 < weight W w -> X w = E W X) \/
  (exists v w, (v < size W)%nat /\ (w < size W)%nat /\ X v < E W X < X w).
Proof.
  destruct (someone_below X (E W X) (size W)) as [(v & Hv & H1)|H]; [|left; now apply nobody_below].
  destruct (someone_below (fun w => - X w) (E W (fun w => - X w)) (size W)) as [(w & Hw & H2)|H].
  - rewrite E_opp in H2. right. exists v, w. repeat split; [assumption|assumption|assumption|lra].
  - left. intros w Hw Hp. assert (H0 := nobody_below W (fun w => - X w) H w Hw Hp). cbv beta in H0.
    rewrite E_opp in H0. lra.
Qed.

Section Jensen.
  Variable W : space.
  Variable I : R -> Prop.
  Variable phi : R -> R.
  Variable X : nat -> R.
  Hypothesis convex : convex_on I phi.
  Hypothesis inside : forall w, (w < size W)%nat -> I (X w).

  (* A line through (E X, phi (E X)) above which phi lies at every value of X, or X is constant. *)
  Lemma line_below : (forall w, (w < size W)%nat -> 0 < weight W w -> X w = E W X) \/
    (exists k, forall w, (w < size W)%nat -> phi (E W X) + k * (X w - E W X) <= phi (X w)).
  Proof.
    destruct (step_1_end W X) as [H|(v & w & Hv & Hw & H1 & H2)]; [now left|right].
    destruct (step_1 I phi convex (X v) (E W X) (X w) (inside v Hv) (inside w Hw) H1 H2) as (k & Hk).
    exists k. intros u Hu. now apply Hk, inside.
  Qed.

  (* lem-jensen: phi (E X) <= E phi(X), *)
  Theorem lem_jensen : phi (E W X) <= E W (fun w => phi (X w)).
  Proof.
    destruct line_below as [H|(k & Hk)]; [|now apply (step_2 W phi X k)].
    rewrite (E_same W (fun w => phi (X w)) (fun _ => phi (E W X))), E_const; [apply Rle_refl|].
    intros w Hw Hp. now rewrite (H w Hw Hp).
  Qed.
  (* with equality exactly when phi meets one straight line at all values of X and at their mean. *)
  Theorem lem_jensen_equal : phi (E W X) = E W (fun w => phi (X w)) <->
    exists s k, phi (E W X) = s + k * E W X /\ forall w, (w < size W)%nat -> 0 < weight W w -> phi (X w) = s + k * X w.
  Proof.
    split.
    - intros Heq. destruct line_below as [H|(k & Hk)].
      + exists (phi (E W X)), 0. split; [ring|]. intros w Hw Hp. rewrite (H w Hw Hp). ring.
      + exists (phi (E W X) - k * E W X), k. split; [ring|].
        assert (Hz := E_zero W (fun w => phi (X w) - (phi (E W X) + k * (X w - E W X)))). cbv beta in Hz.
        rewrite E_minus, E_plus, E_scal, E_minus, !E_const, <- Heq in Hz.
        intros w Hw Hp. enough (phi (X w) - (phi (E W X) + k * (X w - E W X)) = 0) by lra.
        apply Hz; [intros v Hv; specialize (Hk v Hv); lra|ring|assumption|assumption].
    - intros (s & k & Hm & H). rewrite (E_same W _ (fun w => s + k * X w) H), E_plus, E_const, E_scal. exact Hm.
  Qed.
  (* In particular when X is constant, *)
  Theorem lem_jensen_constant c : (forall w, (w < size W)%nat -> 0 < weight W w -> X w = c) ->
    phi (E W X) = E W (fun w => phi (X w)).
  Proof.
    intros H. apply lem_jensen_equal. exists (phi c), 0.
    assert (Hc : E W X = c) by (rewrite (E_same W X (fun _ => c) H); apply E_const). split; [rewrite Hc; ring|].
    intros w Hw Hp. rewrite (H w Hw Hp). ring.
  Qed.
  (* and when phi is a straight line on an interval J that contains every value of X. *)
  Theorem lem_jensen_straight (J : R -> Prop) s k : interval J -> (forall w, (w < size W)%nat -> J (X w)) ->
    (forall x, J x -> phi x = s + k * x) -> phi (E W X) = E W (fun w => phi (X w)).
  Proof.
    intros HJ HX Hphi. apply lem_jensen_equal. destruct (step_1_end W X) as [H|(v & w & Hv & Hw & H1 & H2)].
    - exists (phi (E W X)), 0. split; [ring|]. intros w Hw Hp. rewrite (H w Hw Hp). ring.
    - exists s, k. split; [|auto]. apply Hphi, (HJ (X v) (X w)); [auto|auto|lra].
  Qed.
End Jensen.

(* An instance: |x| is convex on the whole line, and has a kink. *)
Lemma abs_convex : convex_on (fun _ => True) Rabs.
Proof.
  intros x y t _ _ Ht. eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq t) by lra.
  rewrite (Rabs_pos_eq (1 - t)) by lra. lra.
Qed.
Lemma lem_jensen_instance W X : Rabs (E W X) <= E W (fun w => Rabs (X w)).
Proof. exact (lem_jensen W (fun _ => True) Rabs X abs_convex (fun _ _ => I)). Qed.
(* A straight line on the values of X alone is not enough: for X = 1 or -1 both values of |X| lie on the line 1 + 0 x,
   and |E X| = 0 is less than E|X| = 1. *)
Lemma lem_jensen_values_alone : let X := fun w : nat => match w with O => 1 | _ => -1 end in
  (forall w, Rabs (X w) = 1 + 0 * X w) /\ Rabs (E coin X) = 0 /\ E coin (fun w => Rabs (X w)) = 1.
Proof.
  intros X. assert (H : forall w, Rabs (X w) = 1)
    by (intros [|w]; unfold X; [apply Rabs_pos_eq|rewrite Rabs_left]; lra).
  repeat split.
  - intros w. rewrite H. ring.
  - rewrite E_coin. unfold X. replace ((1 + -1) / 2) with 0 by field. apply Rabs_R0.
  - rewrite E_coin, !H. field.
Qed.
(* At an end of the interval there may be no line as in (1): - sqrt x is convex on x >= 0, and falls from 0 faster than
   any straight line. *)
Lemma lem_jensen_no_line : ~ exists k, forall x, 0 <= x -> - sqrt 0 + k * (x - 0) <= - sqrt x.
Proof.
  intros (k & H). rewrite sqrt_0 in H. assert (H1 := H 1 Rle_0_1). rewrite sqrt_1 in H1.
  assert (Hk2 : 0 < k ^ 2) by (replace (k ^ 2) with (- k * - k) by ring; apply Rmult_lt_0_compat; lra).
  assert (Hk : 0 < / k ^ 2 / 4) by pos.
  assert (H2 := H (/ k ^ 2 / 4) ltac:(lra)).
  replace (/ k ^ 2 / 4) with ((- / (2 * k)) ^ 2) in H2 at 2 by (field; lra).
  rewrite sqrt_of_square, Rabs_pos_eq in H2.
  - replace (-0 + k * (/ k ^ 2 / 4 - 0)) with (/ k / 4) in H2 by (field; lra).
    assert (/ k < 0) by (apply Rinv_lt_0_compat; lra).
    replace (- / (2 * k)) with (- / k / 2) in H2 by (field; lra). lra.
  - assert (/ k < 0) by (apply Rinv_lt_0_compat; lra). replace (- / (2 * k)) with (- / k / 2) by (field; lra). lra.
Qed.
(* Without convexity it is false: the parabola that opens downwards, and a coin. *)
Lemma lem_jensen_needs_convexity : let phi x := - x ^ 2 in let X (w : nat) := match w with O => 1 | _ => -1 end in
  E coin (fun w => phi (X w)) < phi (E coin X).
Proof. intros phi X. rewrite !E_coin. unfold phi, X. lra. Qed.
