(* CAME: certainty without end (prp-came-constant). All entries are equal, so one entry says it all
   (`constant_matrix`). *)
Require Import came_matrix limits.
Open Scope R_scope.

Section Constant.
  Variables beta1 beta3 eps2 : R.
  Hypothesis rates : 0 < beta1 < 1 /\ 0 < beta3 < 1.
  Hypothesis apart : beta3 <> beta1 ^ 2.
  Definition ones (_ : nat) : R := 1.
  Notation M t := (m beta1 ones t).
  Notation St t := (Ebar beta1 beta3 eps2 ones t).

  (* (1) *)
  Lemma step_1 t : M t = 1 - beta1 ^ t.
  Proof. unfold m, ones. rewrite ema_const. ring. Qed.
  (* (2) *)
  Lemma step_2 t : U beta1 ones t = beta1 ^ (2 * t).
  Proof. unfold U. rewrite step_1. unfold ones. rewrite Nat.mul_comm, pow_mult. ring. Qed.
  (* (3) Two more geometric sums. *)
  Definition closed t := (1 - beta3) * beta1 ^ 2 * (beta3 ^ t - beta1 ^ (2 * t)) / (beta3 - beta1 ^ 2)
    + eps2 * (1 - beta3 ^ t).
  Lemma step_3 t : St t = closed t.
  Proof.
    assert (Hne : beta3 - beta1 ^ 2 <> 0) by lra. unfold closed. induction t as [|t IH].
    - unfold Ebar. cbn [ema Nat.mul]. rewrite !pow_O. field. exact Hne.
    - unfold Ebar in *. rewrite ema_S, IH, step_2. replace (2 * S t)%nat with (2 + 2 * t)%nat by lia.
      rewrite pow_add, <- (tech_pow_Rmult beta3 t). field. exact Hne.
  Qed.
  (* A matrix whose entries are all equal is its own reconstruction. *)
  Lemma constant_matrix n k : (1 <= n)%nat -> (1 <= k)%nat -> forall t, 0 <= St t ->
    forall i j, (i < n)%nat -> (j < k)%nat -> S_ n k (fun _ _ => St t) i j = St t.
  Proof.
    intros Hn Hk t H i j Hi Hj. apply (rank_one_S n k (conj Hn Hk) (fun _ _ => St t) (fun _ _ _ _ => H) (fun _ => St t)
      (fun _ => 1)); [intros; ring|assumption|assumption].
  Qed.

  (* prp-came-constant. For updates of 1: the average is 1 - beta1^t, the instability beta1^(2t), and its average their
     sum of powers. *)
  Theorem prp_came_constant t : M t = 1 - beta1 ^ t /\ U beta1 ones t = beta1 ^ (2 * t) /\
    St t = (1 - beta3) * beta1 ^ 2 * (beta3 ^ t - beta1 ^ (2 * t)) / (beta3 - beta1 ^ 2) + eps2 * (1 - beta3 ^ t).
  Proof. split; [apply step_1|]. split; [apply step_2|apply step_3]. Qed.
End Constant.

(* (4) For eps2 = 0 the square of the step, (m_t)^2 / S_t, grows like beta3^-t if beta3 > beta1^2, and like beta1^-2t if
   beta3 < beta1^2: divided by that it tends to a positive number. *)
Section Growth.
  Variables beta1 beta3 : R.
  Hypothesis rates : 0 < beta1 < 1 /\ 0 < beta3 < 1.
  Definition squared_step t := m beta1 ones t ^ 2 / Ebar beta1 beta3 0 ones t.

  Lemma m_limit : Un_cv (fun t => m beta1 ones t ^ 2) 1.
  Proof.
    apply (same_limit _ (fun t => (1 - beta1 ^ t) * (1 - beta1 ^ t))); [intros; rewrite step_1; ring|].
    assert (H := CV_minus _ _ _ _ (constant_limit 1) (power_to_zero beta1 ltac:(lra))). rewrite Rminus_0_r in H.
    assert (H2 := CV_mult _ _ _ _ H H). rewrite Rmult_1_r in H2. exact H2.
  Qed.
  (* The faster of the two powers decides. *)
  Lemma slower_wins big small c : 0 < small < big -> 0 < c ->
    (forall t, (1 <= t)%nat -> Ebar beta1 beta3 0 ones t = c * (big ^ t - small ^ t)) ->
    Un_cv (fun t => squared_step t * big ^ t) (/ c).
  Proof.
    intros Hp Hc HE. set (x := small / big). assert (Hx : 0 <= x < 1).
    { unfold x. split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_lt_reg_r with big; [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    apply (same_limit _ (fun t => m beta1 ones t ^ 2 * (/ c * / (1 - x ^ t)))).
    - intros t Ht. unfold squared_step. rewrite HE by assumption.
      assert (Hb : 0 < big ^ t) by (apply pow_lt; lra). assert (Hsb : small ^ t = x ^ t * big ^ t).
      { unfold x, Rdiv. rewrite Rpow_mult_distr, pow_inv. field. lra. }
      assert (Hxt := power_bounds x t Hx Ht).
      rewrite Hsb. replace (big ^ t - x ^ t * big ^ t) with (big ^ t * (1 - x ^ t)) by ring.
      field. repeat split; lra.
    - assert (H := CV_mult _ _ _ _ m_limit (CV_mult _ _ _ _ (constant_limit (/ c)) (inverse_limit x Hx))).
      rewrite Rmult_1_r, Rmult_1_l in H. exact H.
  Qed.
  (* The square of the step times beta3^t tends to a positive number, if beta3 > beta1^2. *)
  Theorem prp_came_constant_slow : beta1 ^ 2 < beta3 ->
    Un_cv (fun t => squared_step t * beta3 ^ t) (/ ((1 - beta3) * beta1 ^ 2 / (beta3 - beta1 ^ 2))).
  Proof.
    intros H. assert (H0 : 0 < beta1 ^ 2) by (apply pow_lt; lra). assert (H1 : 0 < 1 - beta3) by lra.
    assert (H2 : 0 < beta3 - beta1 ^ 2) by lra.
    apply (slower_wins beta3 (beta1 ^ 2)); [lra|pos|]. intros t _. rewrite step_3 by lra. unfold closed.
    rewrite pow_mult. field. lra.
  Qed.
  (* The square of the step times beta1^(2t) tends to a positive number, if beta3 < beta1^2. *)
  Theorem prp_came_constant_fast : beta3 < beta1 ^ 2 ->
    Un_cv (fun t => squared_step t * (beta1 ^ 2) ^ t) (/ ((1 - beta3) * beta1 ^ 2 / (beta1 ^ 2 - beta3))).
  Proof.
    intros H. assert (H0 : 0 < beta1 ^ 2) by (apply pow_lt; lra). assert (H1 : 0 < 1 - beta3) by lra.
    assert (H2 : 0 < beta1 ^ 2 - beta3) by lra.
    apply (slower_wins (beta1 ^ 2) beta3); [lra|pos|]. intros t _. rewrite step_3 by lra. unfold closed.
    rewrite pow_mult. field. lra.
  Qed.
End Growth.
(* An instance: beta1 = 9/10 with beta3 = 9999/10000, and with 1/2; K is what the squared step grows to beside the
   power. *)
Lemma prp_came_constant_instance : Ebar (9 / 10) (1 / 2) 0 ones 2 = / 2 * (81 / 100) * (81 / 100 + / 2) /\
  (exists K, 0 < K /\ Un_cv (fun t => squared_step (9 / 10) (9999 / 10000) t * (9999 / 10000) ^ t) K) /\
  exists K, 0 < K /\ Un_cv (fun t => squared_step (9 / 10) (1 / 2) t * ((9 / 10) ^ 2) ^ t) K.
Proof.
  split; [|split].
  - destruct (prp_came_constant (9 / 10) (1 / 2) 0 ltac:(lra) 2) as (_ & _ & ->). cbn [Nat.mul Nat.add]. field.
  - eexists. split; [|apply prp_came_constant_slow; lra]. apply Rinv_0_lt_compat, Rdiv_lt_0_compat; lra.
  - eexists. split; [|apply prp_came_constant_fast; lra]. apply Rinv_0_lt_compat, Rdiv_lt_0_compat; lra.
Qed.
(* Without a beta3 other than the square of beta1 it is false: one step with 1/2 and 1/4, where the form divides by
   zero. *)
Lemma prp_came_constant_needs_apart : let form := (1 - / 4) * (/ 2) ^ 2 * ((/ 4) ^ 1 - (/ 2) ^ (2 * 1))
    / (/ 4 - (/ 2) ^ 2) + 0 * (1 - (/ 4) ^ 1) in form = 0 /\ Ebar (/ 2) (/ 4) 0 ones 1 = 3 / 16.
Proof.
  intros form. split; [unfold form; cbn [Nat.mul Nat.add]; lra|]. unfold Ebar, U, m, ones. cbn [ema]. field.
Qed.
