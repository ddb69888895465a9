(* The assumptions of thm-sgd-falling can hold all at once, with noise: the bowl |x|^2 / 2 of sgd_instance.v, which is
   strongly convex with mu = 1 = L. And what a constant rate leaves there. *)
Require Import toolbox_descent sgd_falling sgd_instance.
Open Scope R_scope.

Definition zero : vec := fun _ => 0.
Lemma bowl_zero d : bowl d zero = 0.
Proof. unfold bowl, norm2, zero. rewrite sum_zeros by (intros; ring). ring. Qed.
Lemma bowl_convex d : strongly_convex d (bowl d) (fun x => x) 1.
Proof.
  intros x y. unfold bowl. rewrite (norm2_ext d y (fun j => x j + sub y x j)) by (intros; unfold sub; ring).
  rewrite norm2_plus. lra.
Qed.

Lemma thm_sgd_falling_instance d b T x1 : (1 <= b)%nat ->
  falling_loss coin b (bowl d) shaken 1 1 T x1 - bowl d zero
  <= (4 * 1 ^ 2 * (bowl d x1 - bowl d zero) + 2 * 1 * sqrt (INR d) ^ 2 * INR T / INR b) / (2 * 1 + 1 * INR T) ^ 2.
Proof.
  intros Hb. apply (thm_sgd_falling coin d b (bowl d) (fun x => x) shaken 1 1 (sqrt (INR d))); try assumption; try lra.
  - apply bowl_smooth.
  - intros. now apply (shaken_mean d).
  - intros. apply Req_le, shaken_noise.
  - apply bowl_convex.
Qed.

(* One step on the bowl, exactly. *)
Lemma bowl_step d b lr x : (1 <= b)%nat -> E (batches coin b) (fun k => bowl d (next coin b shaken lr x k))
  = (1 - lr) ^ 2 * bowl d x + lr ^ 2 * INR d / (2 * INR b).
Proof.
  intros Hb. assert (HR := INR_pos b Hb). assert (H2 := sgd.step_2 coin d b (fun y => y) shaken (shaken_mean d) Hb x).
  assert (H3 := step_3a coin d b (fun y => y) shaken (shaken_mean d) Hb x).
  assert (Hv : E (batches coin b) (fun k => norm2 d (sub (g coin b shaken x k) x)) = INR d / INR b).
  { unfold g. rewrite (batch_variance coin d b (shaken x) x (shaken_mean d x) Hb), shaken_noise.
    now rewrite sqrt_squared by apply pos_INR. }
  rewrite (E_ext _ _ (fun k => bowl d x - lr * inner d x (g coin b shaken x k)
    + lr ^ 2 / 2 * norm2 d (g coin b shaken x k))).
  - rewrite E_plus, E_minus, E_const, !E_scal, H2, H3, Hv. unfold bowl, slope2. field. lra.
  - intros k _. unfold bowl.
    rewrite (norm2_ext d (next coin b shaken lr x k) (fun j => x j - lr * g coin b shaken x k j)) by reflexivity.
    rewrite shadow. field.
Qed.
(* At a constant rate lr the mean loss of the bowl |x|^2 / 2 with this noise stays at or above lr^2 d / (2 b), however
   many steps are taken. *)
Theorem thm_sgd_falling_floor d b lr T x1 : (1 <= b)%nat -> (1 <= T)%nat ->
  lr ^ 2 * INR d / (2 * INR b) <= after (batches coin b) vec (next coin b shaken lr) T x1 (bowl d).
Proof.
  intros Hb HT. destruct T as [|T]; [lia|]. clear HT. revert x1. induction T as [|T IH]; intros x.
  - rewrite after_first. cbn [after]. rewrite bowl_step by assumption.
    assert (H := Rmult_le_pos _ _ (pow2_nonneg (1 - lr)) (bowl_above d x)). lra.
  - rewrite after_first, <- (E_const (batches coin b) (lr ^ 2 * INR d / (2 * INR b))). apply E_le. intros. apply IH.
Qed.
