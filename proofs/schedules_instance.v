(* The assumptions of thm-schedules-linear and its kin can hold all at once, with noise: the sum of |x_j| in d
   dimensions, whose samples have the subgradients sign(x_j) + 1 and sign(x_j) - 1 in every entry with equal chance. So
   G^2 = 2 d; f has an edge. *)
Require Import schedules schedules_free schedules_last schedules_linear.
Open Scope R_scope.

Definition sign (r : R) := if Rle_dec 0 r then 1 else -1.
Definition signs (x : vec) : vec := fun j => sign (x j).
Definition shaken (x : vec) (w : nat) : vec := fun j => sign (x j) + match w with O => 1 | _ => -1 end.
Definition zero : vec := fun _ => 0.

Lemma edge_B1 d x y : norm1 d x + inner d (signs x) (sub y x) <= norm1 d y.
Proof.
  unfold norm1, inner. rewrite <- sum_plus. apply sum_le. intros j _. unfold signs, sub, sign.
  destruct (Rle_dec 0 (x j)); [rewrite (Rabs_pos_eq (x j)) by lra|rewrite (Rabs_left (x j)) by lra];
    unfold Rabs; destruct (Rcase_abs (y j)); lra.
Qed.
Lemma edge_mean d x j : (j < d)%nat -> E coin (fun w => shaken x w j) = signs x j.
Proof. intros _. rewrite E_coin. unfold shaken, signs. field. Qed.
Lemma edge_size d x : E coin (fun w => norm2 d (shaken x w)) <= sqrt (2 * INR d) ^ 2.
Proof.
  assert (Hd := pos_INR d). rewrite sqrt_squared by lra. rewrite E_coin. unfold norm2, shaken.
  enough (H : sum d (fun j => (sign (x j) + 1) ^ 2) + sum d (fun j => (sign (x j) + -1) ^ 2) = INR d * 4) by lra.
  rewrite <- sum_plus, (sum_ext d _ (fun _ => 4)), sum_const; [reflexivity|].
  intros j _. unfold sign. destruct (Rle_dec 0 (x j)); ring.
Qed.

Section Instances.
  Variable d : nat.
  Variable lr : R.
  Hypothesis lr_pos : 0 < lr.
  Variable T : nat.
  Hypothesis some : (1 <= T)%nat.
  Variable x1 : vec.
  Let G := sqrt (2 * INR d).
  Lemma thm_schedules_mean_instance beta : 0 <= beta <= 1 ->
    mean_loss coin (norm1 d) shaken lr beta T x1 - norm1 d zero
    <= apart d x1 zero / (2 * lr * INR T) + lr * G ^ 2 / 2.
  Proof.
    intros. now apply (thm_schedules_mean coin d (norm1 d) signs shaken G (edge_B1 d) (edge_mean d) (edge_size d)).
  Qed.
  Lemma thm_schedules_constant_instance : loss_at coin (norm1 d) shaken lr x1 (T - 1) - norm1 d zero
    <= apart d x1 zero / (2 * lr * INR T) + lr * G ^ 2 / 2 * (1 + harmonic (T - 1)).
  Proof.
    now apply (thm_schedules_constant coin d (norm1 d) signs shaken G (edge_B1 d) (edge_mean d) (edge_size d)).
  Qed.
  Lemma thm_schedules_linear_instance : linear_loss coin (norm1 d) shaken lr T x1 - norm1 d zero
    <= apart d x1 zero / (2 * lr * INR T) + lr * G ^ 2 / 2.
  Proof. now apply (thm_schedules_linear coin d (norm1 d) signs shaken G (edge_B1 d) (edge_mean d) (edge_size d)). Qed.
  Lemma thm_schedules_cooldown_instance m : cooled coin (norm1 d) shaken lr m T x1 - norm1 d zero
    <= INR (m + T) / INR T * (apart d x1 zero / (2 * lr * INR (m + T)) + lr * G ^ 2 / 2).
  Proof.
    apply (thm_schedules_cooldown coin d (norm1 d) signs shaken G (edge_B1 d) (edge_mean d) (edge_size d));
      try assumption.
    intros y. unfold norm1 at 1. rewrite sum_zeros; [apply norm1_pos|]. intros. apply Rabs_R0.
  Qed.
End Instances.
