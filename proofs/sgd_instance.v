(* The assumptions of thm-sgd can hold all at once, with noise: the bowl |x|^2 / 2 in d dimensions, whose samples have
   the gradients x + 1 and x - 1 (in every entry) with equal chance. So L = 1, sigma^2 = d and f^* = 0. *)
Require Import toolbox_descent sgd.
Open Scope R_scope.

Definition shaken (x : vec) (w : nat) : vec := fun j => x j + match w with O => 1 | _ => -1 end.

Lemma shaken_mean d x j : (j < d)%nat -> E coin (fun w => shaken x w j) = x j.
Proof. intros _. rewrite E_coin. unfold shaken. field. Qed.
Lemma shaken_noise d x : E coin (fun w => norm2 d (sub (shaken x w) x)) = sqrt (INR d) ^ 2.
Proof.
  rewrite sqrt_squared by apply pos_INR. rewrite E_coin. unfold norm2, sub, shaken.
  rewrite (sum_ext d _ (fun _ => 1)), (sum_ext d (fun j => (x j + -1 - x j) ^ 2) (fun _ => 1)) by (intros; ring).
  rewrite sum_const. field.
Qed.
Lemma bowl_above d x : 0 <= bowl d x.
Proof. apply Rmult_le_pos; [lra|apply norm2_pos]. Qed.

Lemma thm_sgd_instance d b lr T x1 : (1 <= b)%nat -> (1 <= T)%nat -> 0 < lr <= 1 / 1 ->
  run_mean (batches coin b) vec (next coin b shaken lr) T x1 (norm2 d)
  <= 2 * (bowl d x1 - 0) / (lr * INR T) + lr * 1 * sqrt (INR d) ^ 2 / INR b.
Proof.
  intros Hb HT Hlr. apply (thm_sgd coin d b (bowl d) (fun x => x) shaken 1 (sqrt (INR d)) 0); try assumption.
  - apply bowl_above.
  - apply bowl_smooth.
  - lra.
  - intros. now apply (shaken_mean d).
  - intros. apply Req_le, shaken_noise.
Qed.
(* With the best rate, for a start other than the minimum. *)
Lemma thm_sgd_best_instance d b T x1 : (1 <= d)%nat -> (1 <= b)%nat -> (1 <= T)%nat -> 0 < norm2 d x1 ->
  let lr := best_lr b (bowl d) 1 (sqrt (INR d)) 0 T x1 in
  run_mean (batches coin b) vec (next coin b shaken lr) T x1 (norm2 d)
  <= 2 * (bowl d x1 - 0) * 1 / INR T + 2 * sqrt (INR d) * sqrt (2 * (bowl d x1 - 0) * 1 / (INR b * INR T)).
Proof.
  intros Hd Hb HT Hx lr.
  apply (thm_sgd_best_run coin d b (bowl d) (fun x => x) shaken 1 (sqrt (INR d)) 0); try assumption.
  - apply bowl_above.
  - apply bowl_smooth.
  - lra.
  - intros. now apply (shaken_mean d).
  - intros. apply Req_le, shaken_noise.
  - unfold Delta, bowl. lra.
  - apply sqrt_lt_R0, INR_pos, Hd.
Qed.
