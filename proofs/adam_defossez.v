(* Adam in the form of Défossez, Bottou, Bach and Usunier (eq-adam-defossez): what a run remembers and its learning
   rate; and two lemmas of general use. *)
Require Export runs smooth.
Open Scope R_scope.

(* The number of steps taken, on which the learning rate depends; the weights; v. *)
Record state := { taken : nat; weights : vec; memory : vec }.
Definition start (x1 : vec) := {| taken := 0; weights := x1; memory := fun _ => 0 |}.

(* The mean of a combination over a run. *)
Lemma after_combination W X next t (x : X) h k a b :
  after W X next t x (fun y => a * h y - b * k y) = a * after W X next t x h - b * after W X next t x k.
Proof.
  revert x. induction t as [|t IH]; intros x; [reflexivity|]. rewrite !after_first.
  rewrite (E_ext W _ (fun w => a * after W X next t (next x w) h - b * after W X next t (next x w) k)) by auto.
  now rewrite E_minus, !E_scal.
Qed.

(* A Lipschitz constant is not negative, once there is a coordinate. *)
Lemma smooth_nonneg d f grad L : (1 <= d)%nat -> smooth d f grad L -> 0 <= L.
Proof.
  intros Hd [_ H]. set (one := fun _ : nat => 1). set (none := fun _ : nat => 0). specialize (H one none).
  assert (H1 : 0 < norm d (sub one none)).
  { apply sqrt_lt_R0, sum_pos; [exact Hd|]. intros. unfold sub, one, none. rewrite Rminus_0_r, pow1. lra. }
  assert (H2 := norm_pos d (sub (grad one) (grad none))). apply Rnot_lt_le. intros HL.
  assert (L * norm d (sub one none) < 0 * norm d (sub one none)) by now apply Rmult_lt_compat_r. lra.
Qed.

Section Rate.
  Variables beta2 lr : R.
  Hypothesis rates : 0 < beta2 < 1 /\ 0 < lr.

  (* The weights of the squares of t steps add up to `collected t`; the correction is its root. *)
  Definition collected t := (1 - beta2 ^ t) / (1 - beta2).
  Definition rate t := lr * sqrt (collected t).

  Lemma collected_S t : collected (S t) = beta2 * collected t + 1.
  Proof. unfold collected. rewrite <- tech_pow_Rmult. field. lra. Qed.
  Lemma collected_bounds t : 0 <= collected t <= / (1 - beta2).
  Proof.
    unfold collected. assert (H : 0 < beta2 ^ t <= 1).
    { split; [apply pow_lt; lra|]. rewrite <- (pow1 t). apply pow_incr. lra. }
    split; [apply Rle_mult_inv_pos; lra|]. apply div_le; [lra|]. rewrite Rinv_l; lra.
  Qed.
  Lemma collected_from_1 t : 1 <= collected (S t).
  Proof.
    rewrite collected_S. assert (H := collected_bounds t).
    assert (0 <= beta2 * collected t) by (apply Rmult_le_pos; lra). lra.
  Qed.
  Lemma rate_bounds t : 0 < rate (S t) <= lr / sqrt (1 - beta2).
  Proof.
    assert (H := collected_from_1 t). destruct (collected_bounds (S t)) as [_ H1]. unfold rate. split.
    - apply Rmult_lt_0_compat; [lra|]. apply sqrt_lt_R0. lra.
    - unfold Rdiv. apply Rmult_le_compat_l; [lra|]. rewrite <- sqrt_inv. now apply sqrt_le_1_alt.
  Qed.
End Rate.
