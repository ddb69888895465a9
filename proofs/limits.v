(* Limits of sequences: the library's `Un_cv`, in words that do not change with its versions, and powers. *)
Require Export sums.
Open Scope R_scope.

Lemma limit_intro (x : nat -> R) l :
  (forall eps, 0 < eps -> exists N, forall t, (N <= t)%nat -> Rabs (x t - l) < eps) -> Un_cv x l.
Proof. exact (fun H => H). Qed.
Lemma limit_elim (x : nat -> R) l : Un_cv x l ->
  forall eps, 0 < eps -> exists N, forall t, (N <= t)%nat -> Rabs (x t - l) < eps.
Proof. exact (fun H => H). Qed.

Lemma constant_limit c : Un_cv (fun _ => c) c.
Proof.
  apply limit_intro. intros eps Heps. exists O. intros. now rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
Qed.
(* Two sequences that agree from 1 on have the same limit. *)
Lemma same_limit x y l : (forall t : nat, (1 <= t)%nat -> x t = y t) -> Un_cv y l -> Un_cv x l.
Proof.
  intros H Hy. apply limit_intro. intros eps Heps. destruct (limit_elim y l Hy eps Heps) as [N HN].
  exists (S N). intros t Ht. rewrite H by lia. apply HN. lia.
Qed.
Lemma power_to_zero x : 0 <= x < 1 -> Un_cv (fun t => x ^ t) 0.
Proof.
  intros Hx. apply limit_intro. intros eps Heps.
  destruct (pow_lt_1_zero x ltac:(rewrite Rabs_pos_eq; lra) eps Heps) as [N HN].
  exists N. intros t Ht. rewrite Rminus_0_r. now apply HN.
Qed.
Lemma power_bounds x t : 0 <= x < 1 -> (1 <= t)%nat -> 0 <= x ^ t <= x.
Proof.
  intros Hx Ht. split; [apply pow_le; lra|]. destruct t as [|t]; [lia|]. rewrite <- tech_pow_Rmult.
  apply Rle_trans with (x * 1); [|lra]. apply Rmult_le_compat_l; [lra|]. rewrite <- (pow1 t). apply pow_incr. lra.
Qed.
(* 1 / (1 - x^t) tends to 1. *)
Lemma inverse_limit x : 0 <= x < 1 -> Un_cv (fun t => / (1 - x ^ t)) 1.
Proof.
  intros Hx. apply limit_intro. intros eps Heps.
  destruct (limit_elim _ _ (power_to_zero x Hx) (eps * (1 - x)) ltac:(apply Rmult_lt_0_compat; lra)) as [N HN].
  exists (S N). intros t Ht. specialize (HN t ltac:(lia)). cbv beta in HN. rewrite Rminus_0_r in HN.
  assert (Hp := power_bounds x t Hx ltac:(lia)). rewrite Rabs_pos_eq in HN by lra.
  replace (/ (1 - x ^ t) - 1) with (x ^ t / (1 - x ^ t)) by (field; lra).
  rewrite Rabs_pos_eq by (apply Rle_mult_inv_pos; lra). apply Rmult_lt_reg_r with (1 - x ^ t); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r. eapply Rlt_le_trans; [exact HN|].
  apply Rmult_le_compat_l; lra.
Qed.
