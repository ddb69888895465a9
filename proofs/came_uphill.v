(* CAME: clipping can turn the step uphill (prp-came-uphill). All entries have the same gradient, h once in k steps and
   -1 otherwise; v is its mean square, the threshold is 1. *)
Require Import averages limits.
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

  (* The moving average of the squares. Step s has place s of its period. *)
  Fixpoint place s := match s with O => O | S r => if Nat.eqb (S (place r)) k then O else S (place r) end.
  Definition average beta2 t := ema beta2 (fun s => gradient (place s) ^ 2) t.
  (* How much the squares of the first t steps have more than t v. *)
  Definition excess s := gradient s ^ 2 - v.
  Definition ahead t := sum t (fun s => excess (place (S s))).
  Lemma place_small s : (place s < k)%nat.
  Proof. induction s as [|s IH]; cbn [place]; [lia|]. destruct (Nat.eqb_spec (S (place s)) k); lia. Qed.
  (* Over a whole period that is nothing; so it is what the last, unfinished one has. *)
  Lemma excess_period : sum k excess = 0.
  Proof.
    assert (Hk := k_large). assert (E : k = S (k - 1)) by lia.
    assert (HR : INR (k - 1) = INR k - 1) by (rewrite E at 2; rewrite S_INR; ring).
    rewrite E at 1. rewrite sum_first. rewrite (sum_ext (k - 1) _ (fun _ => 1 - v))
      by (intros; unfold excess; cbn [gradient]; ring).
    rewrite sum_const, HR. unfold excess, gradient, v. field. lra.
  Qed.
  Lemma last_period t : sum t (fun s => excess (place s)) = sum (place t) excess.
  Proof.
    induction t as [|t IH]; [reflexivity|]. rewrite sum_S, IH, <- sum_S. cbn [place].
    destruct (Nat.eqb_spec (S (place t)) k) as [->|]; [|reflexivity]. rewrite sum_O. apply excess_period.
  Qed.
  Lemma excess_bound s : Rabs (excess s) <= h ^ 2.
  Proof.
    destruct v_bounds as [H1 H2]. unfold excess, gradient. apply Rabs_le. destruct s; lra.
  Qed.
  Lemma ahead_bound t : Rabs (ahead t) <= INR k * h ^ 2.
  Proof.
    assert (Hk := place_small (S t)). apply le_INR in Hk. rewrite S_INR in Hk.
    assert (E : ahead t = sum (place (S t)) excess + - excess 0).
    { rewrite <- last_period, sum_first. unfold ahead. cbn [place]. ring. }
    assert (H0 := excess_bound 0). assert (Hh := pow2_nonneg h).
    assert (H : Rabs (sum (place (S t)) excess) <= INR (place (S t)) * h ^ 2).
    { eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_const. apply sum_le. intros. apply excess_bound. }
    rewrite E. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    assert (INR (place (S t)) * h ^ 2 <= (INR k - 1) * h ^ 2) by (apply Rmult_le_compat_r; lra). lra.
  Qed.
  (* (4a) The moving average comes near v. *)
  Lemma step_4a beta2 t : 0 < beta2 < 1 ->
    Rabs (average beta2 t - v) <= 2 * (1 - beta2) * (INR k * h ^ 2) + beta2 ^ t * v.
  Proof.
    intros Hb. assert (E : average beta2 t - v = ema beta2 (fun s => excess (place s)) t - beta2 ^ t * v).
    { unfold average. rewrite (ema_ext beta2 _ (fun s => excess (place s) + v)) by (intros; unfold excess; ring).
      rewrite ema_plus, ema_const. ring. }
    set (B := INR k * h ^ 2) in *. set (late t := ema beta2 (fun s => excess (place s)) t - (1 - beta2) * ahead t).
    assert (HL : forall t, Rabs (late t) <= (1 - beta2) * B).
    { clear t E. induction t as [|t IH].
      - unfold late, ahead. cbn [ema]. rewrite sum_O. replace (0 - (1 - beta2) * 0) with 0 by ring. rewrite Rabs_R0.
        assert (H := ahead_bound 0). assert (H0 := Rabs_pos (ahead 0)). fold B in H. apply Rmult_le_pos; lra.
      - assert (R : late (S t) = beta2 * late t + - ((1 - beta2) * ((1 - beta2) * ahead t)))
          by (unfold late, ahead; rewrite ema_S, sum_S; ring).
        rewrite R. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, !Rabs_mult, !(Rabs_pos_eq (1 - beta2)),
          (Rabs_pos_eq beta2) by lra.
        assert (H1 : beta2 * Rabs (late t) <= beta2 * ((1 - beta2) * B)) by (apply Rmult_le_compat_l; lra).
        assert (H2 : (1 - beta2) * ((1 - beta2) * Rabs (ahead t)) <= (1 - beta2) * ((1 - beta2) * B))
          by (do 2 (apply Rmult_le_compat_l; [lra|]); apply ahead_bound). lra. }
    assert (Hv := v_bounds). assert (Hp : 0 < beta2 ^ t) by (apply pow_lt; lra).
    assert (Hpv : 0 <= beta2 ^ t * v) by (apply Rmult_le_pos; lra).
    rewrite E. replace (ema beta2 _ t) with (late t + (1 - beta2) * ahead t) by (unfold late; ring).
    unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_Ropp, (Rabs_pos_eq (beta2 ^ t * v)) by assumption.
    apply Rplus_le_compat_r. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_mult, (Rabs_pos_eq (1 - beta2)) by lra.
    assert (H2 : (1 - beta2) * Rabs (ahead t) <= (1 - beta2) * B) by (apply Rmult_le_compat_l; [lra|apply ahead_bound]).
    specialize (HL t). lra.
  Qed.
  (* (4b) In words: for every beta2 near enough to 1 the average stays as near to v as one likes, from some step on. *)
  Lemma step_4b near : 0 < near -> exists b, 0 <= b < 1 /\
    forall beta2, b < beta2 < 1 -> exists N, forall t, (N <= t)%nat -> Rabs (average beta2 t - v) < near.
  Proof.
    intros Hn. assert (Hk := k_large). assert (Hv := v_bounds). set (B := INR k * h ^ 2).
    assert (HB : 0 < B) by (apply Rmult_lt_0_compat; lra). exists (Rmax 0 (1 - near / (4 * B))).
    assert (H4 : 0 < near / (4 * B)) by (apply Rdiv_lt_0_compat; lra).
    split; [split; [apply Rmax_l|apply Rmax_lub_lt; lra]|]. intros beta2 [Hb Hb1].
    assert (Hb0 := Rmax_l 0 (1 - near / (4 * B))). assert (Hb2 := Rmax_r 0 (1 - near / (4 * B))).
    destruct (limit_elim _ _ (power_to_zero beta2 ltac:(lra)) (near / (2 * v)) ltac:(apply Rdiv_lt_0_compat; lra))
      as [N HN].
    exists N. intros t Ht. specialize (HN t Ht). cbv beta in HN. rewrite Rminus_0_r in HN.
    rewrite Rabs_pos_eq in HN by (apply pow_le; lra). eapply Rle_lt_trans; [apply step_4a; lra|]. fold B.
    assert (H1 : beta2 ^ t * v < near / (2 * v) * v) by (apply Rmult_lt_compat_r; lra).
    replace (near / (2 * v) * v) with (near / 2) in H1 by (field; lra).
    assert (H2 : (1 - beta2) * (2 * B) < near / (4 * B) * (2 * B)) by (apply Rmult_lt_compat_r; lra).
    replace (near / (4 * B) * (2 * B)) with (near / 2) in H2 by (field; lra). lra.
  Qed.
  (* v is what the moving average of the squares tends to for beta2 -> 1: how far it is from v after t steps, and what
     that means. *)
  Theorem prp_came_uphill_average : (forall beta2 t, 0 < beta2 < 1 ->
      Rabs (average beta2 t - v) <= 2 * (1 - beta2) * (INR k * h ^ 2) + beta2 ^ t * v) /\
    forall near, 0 < near -> exists b, 0 <= b < 1 /\
      forall beta2, b < beta2 < 1 -> exists N, forall t, (N <= t)%nat -> Rabs (average beta2 t - v) < near.
  Proof. split; [exact step_4a|exact step_4b]. Qed.
End Uphill.
(* An instance: k = 3 and h = 3, between 2 and the root of 10. *)
Lemma three : INR 3 - 1 < 3 < sqrt ((INR 3 - 1) * (INR 3 ^ 2 - INR 3 - 1)).
Proof.
  replace (INR 3) with 3 by (rewrite !S_INR, INR_zero; ring). split; [lra|].
  rewrite <- (sqrt_pow2 3) at 1 by lra. apply sqrt_lt_1; lra.
Qed.
Lemma prp_came_uphill_instance : 0 < sum 3 (gradient 3) /\ sum 3 (clipped_update 3 3) < 0.
Proof. assert (H := prp_came_uphill 3 3 (le_n 3) three). tauto. Qed.
(* Without an outlier that is small enough it is false: k = 3 and h = 4, beyond the root of 10, and the sum of the
   clipped updates is positive, too. *)
Lemma prp_came_uphill_needs_range : INR 3 - 1 < 4 /\ 0 < sum 3 (clipped_update 3 4).
Proof.
  assert (E3 : INR 3 = 3) by (rewrite !S_INR, INR_zero; ring). split; [lra|].
  assert (Hv : v 3 4 = 6) by (unfold v; rewrite E3; lra). assert (H6 : sqrt 6 ^ 2 = 6) by (apply sqrt_squared; lra).
  assert (H2 : 2 < sqrt 6) by (apply Rle_lt_trans with (sqrt (2 ^ 2)); [rewrite sqrt_of_square, Rabs_pos_eq; lra|];
    apply sqrt_lt_1; lra).
  assert (H4 : sqrt 6 <= 4) by (apply sqrt_le; lra). assert (Hi : 0 < / sqrt 6 < / 2).
  { split; [apply Rinv_0_lt_compat; lra|apply Rinv_lt_contravar; lra]. }
  assert (H1 : 1 <= 4 / sqrt 6) by (apply le_div; lra).
  rewrite !sum_S, sum_O. unfold clipped_update, clip. cbn [gradient]. rewrite Hv.
  rewrite (Rabs_pos_eq (4 / sqrt 6)), (Rmax_right 1 (4 / sqrt 6)) by lra.
  replace (-1 / sqrt 6) with (- / sqrt 6) by (field; lra). rewrite Rabs_Ropp, Rabs_pos_eq, Rmax_left by lra.
  replace (4 / sqrt 6 / (4 / sqrt 6)) with 1 by (field; lra). lra.
Qed.
