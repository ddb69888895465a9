(* Adam: problems that meet the assumptions of the trap and of AMSGrad's regret. *)
Require Import adam_trap adam_amsgrad.
Open Scope R_scope.

(* thm-adam-trap: C = 3, beta2 = 1 / (1 + C^2) = 1/10 and lr = 8/10. *)
Lemma thm_adam_trap_instance K : 2 / 3 * INR (3 * K) <= regret 3 (1 / 10) (8 / 10) (3 * K) (-1).
Proof.
  assert (Hr : 8 / 10 < sqrt (1 - 1 / 10)).
  { apply Rle_lt_trans with (sqrt ((8 / 10) ^ 2)).
    - rewrite sqrt_of_square, Rabs_pos_eq; lra.
    - apply sqrt_lt_1_alt. lra. }
  destruct (thm_adam_trap 3 (1 / 10) (8 / 10) ltac:(lra) ltac:(lra) ltac:(lra)) as (_ & _ & H).
  destruct (H (3 * K)%nat) as [H0 _]; [exists K; lia|]. replace (2 / 3) with ((2 * 3 - 4) / 3) by field. exact H0.
Qed.

(* thm-adam-amsgrad: parabolas around any points c 1, c 2, ..., on [-1, 1] from the upper end. *)
Section Parabolas.
  Variable c : nat -> R.
  Definition f t z := (z - c t) ^ 2 / 2.
  Definition df (t : nat) z := z - c t.
  Lemma f_convex t y z p : 0 <= p <= 1 -> f t (p * y + (1 - p) * z) <= p * f t y + (1 - p) * f t z.
  Proof.
    intros Hp. assert (H : 0 <= p * (1 - p) * (y - z) ^ 2).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply pow2_nonneg]. }
    unfold f. lra.
  Qed.
  Lemma f_differentiable t z e : 0 < e -> exists delta, 0 < delta /\ forall y, Rabs (y - z) < delta ->
    Rabs (f t y - f t z - df t z * (y - z)) <= e * Rabs (y - z).
  Proof.
    intros He. exists e. split; [exact He|]. intros y Hy. assert (H := Rabs_pos (y - z)).
    replace (f t y - f t z - df t z * (y - z)) with ((y - z) * (y - z) / 2) by (unfold f, df; field).
    unfold Rdiv. rewrite !Rabs_mult, (Rabs_pos_eq (/ 2)) by lra.
    assert (H0 : Rabs (y - z) * Rabs (y - z) <= e * Rabs (y - z)) by (apply Rmult_le_compat_r; lra).
    assert (H1 : 0 <= Rabs (y - z) * Rabs (y - z)) by now apply Rmult_le_pos. lra.
  Qed.
  Lemma thm_adam_amsgrad_instance T u : (1 <= T)%nat -> -1 <= u <= 1 ->
    let r := run (-1) 1 (1 / 2) (99 / 100) 1 df in
    sum T (fun t => f (S t) (x (r t))) - sum T (fun t => f (S t) u)
    <= (1 - -1) ^ 2 * sqrt (INR T) / (2 * (1 / 2)) * sqrt (top (r T))
       + 1 / 2 * sqrt (1 + ln (INR T)) / (2 * sqrt (1 - 99 / 100)) * norm T (fun t => df (S t) (x (r t))).
  Proof.
    intros HT Hu. apply (thm_adam_amsgrad (-1) 1 (1 / 2) (99 / 100) 1 f df); unfold inside; try lra; try assumption.
    - intros. now apply f_convex.
    - intros t z _ e He. destruct (f_differentiable t z e He) as (delta & Hd & H). exists delta. split; [exact Hd|].
      intros y _. apply H.
  Qed.
End Parabolas.

(* Without convexity it is false: a parabola that opens downwards, at whose top the gradient is zero, so that AMSGrad
   never moves and its bound is zero. *)
Lemma thm_adam_amsgrad_needs_convexity : let f (t : nat) z := - z ^ 2 in let df (t : nat) z := - 2 * z in
  let r := run (-1) 1 1 0 0 df in
  (forall t z e, 0 < e -> exists delta, 0 < delta /\ forall y, Rabs (y - z) < delta ->
    Rabs (f t y - f t z - df t z * (y - z)) <= e * Rabs (y - z)) /\
  (1 - -1) ^ 2 * sqrt (INR 1) / (2 * 1) * sqrt (top (r 1%nat))
    + 1 * sqrt (1 + ln (INR 1)) / (2 * sqrt (1 - 0)) * norm 1 (fun t => df (S t) (x (r t)))
  < sum 1 (fun t => f (S t) (x (r t))) - sum 1 (fun t => f (S t) 1).
Proof.
  intros f df r. split.
  - intros t z e He. exists e. split; [exact He|]. intros y Hy.
    replace (f t y - f t z - df t z * (y - z)) with (- ((y - z) * (y - z))) by (unfold f, df; ring).
    rewrite Rabs_Ropp, Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|lra].
  - rewrite !sum_S, !sum_O, norm_of_zero.
    + unfold r. cbn [run top x next]. unfold new_top, new_v, f, df. cbn [x v top].
      replace (0 * 0 + (1 - 0) * (- 2 * 0) ^ 2) with 0 by ring. rewrite Rmax_left, sqrt_0 by lra. lra.
    + intros [|j] Hj; [|lia]. unfold df, r. cbn [run x]. ring.
Qed.
