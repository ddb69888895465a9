(* Inside PyTorch: rounding at random has no bias (prp-torch-rounding). *)
Require Import spaces.
Open Scope R_scope.

Section Rounding.
  Variables a b z : R.
  Hypothesis neighbours : a < b.
  Hypothesis between : a <= z <= b.
  (* Two outcomes: b with probability (z - a) / (b - a), else a. *)
  Definition up := (z - a) / (b - a).
  Lemma up_bounds : 0 <= up <= 1.
  Proof. unfold up. split; [apply Rle_mult_inv_pos; lra|]. apply div_le; lra. Qed.
  Definition chance (w : nat) : R := match w with O => up | _ => 1 - up end.
  Lemma chance_pos w : (w < 2)%nat -> 0 <= chance w.
  Proof. intros _. assert (H := up_bounds). destruct w; cbn [chance]; lra. Qed.
  Lemma chance_one : sum 2 chance = 1.
  Proof. rewrite !sum_S, sum_O. cbn [chance]. ring. Qed.
  Definition draw := {| size := 2; weight := chance; weight_pos := chance_pos; weight_one := chance_one |}.
  Definition rounded (w : nat) : R := match w with O => b | _ => a end.

  Lemma E_draw X : E draw X = up * X O + (1 - up) * X 1%nat.
  Proof. unfold E. cbn [size draw]. rewrite !sum_S, sum_O. cbn [weight draw chance]. ring. Qed.
  (* (1) Mean. *)
  Lemma step_1 : E draw rounded = z.
  Proof. rewrite E_draw. cbn [rounded]. unfold up. field. lra. Qed.
  (* (2) Variance. *)
  Lemma step_2 : E draw (fun w => (rounded w - z) ^ 2) = (z - a) * (b - z).
  Proof. rewrite E_draw. cbn [rounded]. unfold up. field. lra. Qed.
  (* (3) The bound: a product of two numbers with sum b - a. *)
  Lemma step_3 : (z - a) * (b - z) <= / 4 * (b - a) ^ 2.
  Proof. assert (H := pow2_nonneg ((z - a) - (b - z))). lra. Qed.
  (* prp-torch-rounding: the mean is z, the variance (z - a) (b - z), and that is at most (b - a)^2 / 4. *)
  Theorem prp_torch_rounding : E draw rounded = z /\
    E draw (fun w => (rounded w - z) ^ 2) = (z - a) * (b - z) /\ (z - a) * (b - z) <= / 4 * (b - a) ^ 2.
  Proof. split; [exact step_1|]. split; [exact step_2|exact step_3]. Qed.
End Rounding.
(* An instance: 3/4 between 0 and 1. *)
Lemma prp_torch_rounding_instance (H : 0 < 1) (between : 0 <= 3 / 4 <= 1) :
  E (draw 0 1 (3 / 4) H between) (rounded 0 1) = 3 / 4 /\
  E (draw 0 1 (3 / 4) H between) (fun w => (rounded 0 1 w - 3 / 4) ^ 2) = 3 / 16.
Proof. destruct (prp_torch_rounding 0 1 (3 / 4) H between) as (-> & -> & _). split; lra. Qed.
