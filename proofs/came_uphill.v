(* CAME: clipping can turn the step uphill (prp-came-uphill). All entries have the same gradient, h once in k steps and
   -1 otherwise; v is its mean square, the threshold is 1. *)
Require Import sums.
Open Scope R_scope.

(* All entries are equal, so the root mean square of an update is its size. *)
Definition clip (u : R) := u / Rmax 1 (Rabs u).
Section Uphill.
  Variable k : nat.
  Variable h : R.
  Hypothesis period : (3 <= k)%nat.
  (* (eq-came-uphill) *)
  Hypothesis range : INR k - 1 < h < sqrt ((INR k - 1) * (INR k ^ 2 - INR k - 1)).
  Definition v := (h ^ 2 + INR k - 1) / INR k.
  (* Step 0 of the period has the rare gradient. *)
  Definition gradient (s : nat) := match s with O => h | _ => -1 end.
  Definition clipped_update s := clip (gradient s / sqrt v).

  Lemma k_large : 3 <= INR k.
  Proof. replace 3 with (INR 3) by (rewrite !S_INR, INR_zero; ring). now apply le_INR. Qed.
  (* (1) The rare gradient is clipped, the others are not: 1 < v < h^2. *)
  Lemma v_bounds : 1 < v < h ^ 2.
  Proof.
    assert (Hk := k_large). assert (Hh : 2 * 2 < h * h) by (apply Rmult_gt_0_lt_compat; lra). unfold v. split.
    - apply Rmult_lt_reg_r with (INR k); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    - apply Rmult_lt_reg_r with (INR k); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      assert (0 < (h ^ 2 - 1) * (INR k - 1)) by (apply Rmult_lt_0_compat; lra). lra.
  Qed.
  Lemma root_v : 1 < sqrt v < h.
  Proof.
    destruct v_bounds as [H1 H2]. assert (Hk := k_large). split.
    - rewrite <- sqrt_1. apply sqrt_lt_1; lra.
    - rewrite <- (sqrt_pow2 h) by lra. apply sqrt_lt_1; [lra|apply pow2_nonneg|exact H2].
  Qed.
  Lemma step_1 : clipped_update 0 = 1 /\ forall s, clipped_update (S s) = - / sqrt v.
  Proof.
    destruct root_v as [H1 H2]. unfold clipped_update, clip, gradient. split.
    - assert (H : 1 < h / sqrt v).
      { apply Rmult_lt_reg_r with (sqrt v); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
      rewrite Rabs_pos_eq, Rmax_right by lra. field. lra.
    - intros s. assert (H : 0 < / sqrt v < / 1) by (split; [apply Rinv_0_lt_compat|apply Rinv_lt_contravar]; lra).
      replace (-1 / sqrt v) with (- / sqrt v) by (field; lra). rewrite Rabs_Ropp, Rabs_pos_eq, Rmax_left by lra.
      field. lra.
  Qed.
  (* (2) The sums over a period. *)
  Lemma step_2 : sum k gradient = h - (INR k - 1) /\ sum k clipped_update = 1 - (INR k - 1) / sqrt v.
  Proof.
    destruct step_1 as [H0 H1]. assert (Hv := root_v). assert (Hk : k = S (k - 1)) by lia.
    assert (HR : INR (k - 1) = INR k - 1) by (rewrite Hk at 2; rewrite S_INR; ring).
    rewrite Hk at 1 3. rewrite !sum_first. split.
    - rewrite (sum_ext (k - 1) _ (fun _ => -1)) by reflexivity. rewrite sum_const, HR. cbn [gradient]. ring.
    - rewrite H0, (sum_ext (k - 1) _ (fun _ => - / sqrt v)) by (intros; apply H1). rewrite sum_const, HR. field. lra.
  Qed.
  (* (3) Signs. *)
  Lemma step_3 : sqrt v < INR k - 1.
  Proof.
    assert (Hk := k_large). destruct v_bounds as [Hv _]. rewrite <- (sqrt_pow2 (INR k - 1)) by lra.
    apply sqrt_lt_1; [lra|apply pow2_nonneg|]. set (a := (INR k - 1) * (INR k ^ 2 - INR k - 1)) in *.
    assert (Hkk : 3 * INR k <= INR k * INR k) by (apply Rmult_le_compat_r; lra).
    assert (Ha : 0 <= a) by (unfold a; apply Rmult_le_pos; lra).
    assert (Hh2 : h ^ 2 < a).
    { rewrite <- (sqrt_squared a) by assumption. replace (h ^ 2) with (h * h) by ring.
      replace (sqrt a ^ 2) with (sqrt a * sqrt a) by ring. apply Rmult_gt_0_lt_compat; lra. }
    unfold v. apply Rmult_lt_reg_r with (INR k); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    unfold a in Hh2. lra.
  Qed.
  (* The gradients have a positive sum, and the clipped updates a negative one; so have their means. *)
  Theorem prp_came_uphill : 0 < sum k gradient /\ sum k clipped_update < 0 /\
    0 < sum k gradient / INR k /\ sum k clipped_update / INR k < 0.
  Proof.
    destruct step_2 as [-> ->]. assert (H3 := step_3). destruct root_v as [H1 _]. assert (Hk := k_large).
    assert (Hq : 1 < (INR k - 1) / sqrt v).
    { apply Rmult_lt_reg_r with (sqrt v); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (Hi : 0 < / INR k) by (apply Rinv_0_lt_compat; lra). split; [lra|]. split; [lra|]. split.
    - apply Rmult_lt_0_compat; lra.
    - assert (0 < ((INR k - 1) / sqrt v - 1) * / INR k) by (apply Rmult_lt_0_compat; lra).
      unfold Rdiv at 1. lra.
  Qed.
End Uphill.
(* An instance: k = 3 and h = 3, between 2 and the root of 10. *)
Lemma prp_came_uphill_instance : INR 3 - 1 < 3 < sqrt ((INR 3 - 1) * (INR 3 ^ 2 - INR 3 - 1)).
Proof.
  replace (INR 3) with 3 by (rewrite !S_INR, INR_zero; ring). split; [lra|].
  rewrite <- (sqrt_pow2 3) at 1 by lra. apply sqrt_lt_1; lra.
Qed.
