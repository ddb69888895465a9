(* CAME: when the clip acts at the first step (the second sentence of prp-came-clip), and an instance. *)
Require Import came_clip.
Open Scope R_scope.

Section First.
  Variables n k : nat.
  Hypothesis shape : (1 <= n)%nat /\ (1 <= k)%nat.
  Variable g : nat -> nat -> R.                  (* the gradient of the first step *)
  Variables beta2 d : R.
  Hypothesis rates : 0 <= beta2 < 1 /\ 0 < d.
  Definition A i j := g i j ^ 2.
  (* No row and no column of zeros. *)
  Hypothesis rows_alive : forall i, (i < n)%nat -> 0 < R_ k A i.
  Hypothesis columns_alive : forall j, (j < k)%nat -> 0 < C_ n A j.
  (* r_1 c_1' / mean(r_1), with r_1 and c_1 after one step of their averages (eps1 = 0); the update and its clip. *)
  Definition v i j := ((1 - beta2) * R_ k A i) * ((1 - beta2) * C_ n A j) / ((1 - beta2) * mean_R n k A).
  Definition u1 i j := g i j / sqrt (v i j).
  Definition rms := sqrt (mean2 n k (fun i j => u1 i j ^ 2)).
  Definition u1_clipped i j := u1 i j / Rmax 1 (rms / d).

  Lemma A_nonneg i j : (i < n)%nat -> (j < k)%nat -> 0 <= A i j.
  Proof. intros _ _. apply pow2_nonneg. Qed.
  Lemma mean_alive : 0 < mean_R n k A.
  Proof. destruct shape as [Hn _]. assert (Hn' := INR_pos n Hn). unfold mean_R. apply Rdiv_lt_0_compat;
    [now apply sum_pos|assumption]. Qed.
  Lemma u1_squared i j : (i < n)%nat -> (j < k)%nat ->
    u1 i j ^ 2 = / (1 - beta2) * (A i j * mean_R n k A / (R_ k A i * C_ n A j)).
  Proof.
    intros Hi Hj. assert (HR := rows_alive i Hi). assert (HC := columns_alive j Hj). assert (HM := mean_alive).
    assert (Hb : 0 < 1 - beta2) by lra. unfold u1, Rdiv. rewrite Rpow_mult_distr, pow_inv, sqrt_squared.
    - change (g i j ^ 2) with (A i j). unfold v. field. repeat split; lra.
    - unfold v. apply Rlt_le. pos.
  Qed.
  (* (12) A column's mean is at most k times the mean of all, which leaves 1 / k; rows and columns exchanged, 1 / n. *)
  Lemma by_columns : / INR k <= mean2 n k (fun i j => A i j * mean_R n k A / (R_ k A i * C_ n A j)).
  Proof.
    destruct (nk n k shape) as [Hn Hk]. assert (HM := mean_alive). destruct shape as [Hn1 Hk1].
    apply Rle_trans with (mean2 n k (fun i j => A i j / (INR k * R_ k A i))).
    - unfold mean2. rewrite (sum_ext n _ (fun _ => 1)).
      + rewrite sum_const. apply Req_le. field. split; lra.
      + intros i Hi. assert (HR := rows_alive i Hi). rewrite sum_div.
        assert (E0 : sum k (A i) = INR k * R_ k A i)
          by (change (R_ k A i) with (sum k (A i) / INR k); field; lra).
        rewrite E0. field. lra.
    - apply mean2_le; [assumption|assumption|]. intros i j Hi Hj. assert (HR := rows_alive i Hi).
      assert (HC := columns_alive j Hj). assert (HA := A_nonneg i j Hi Hj).
      assert (Hmost : C_ n A j <= INR k * mean_R n k A).
      { rewrite (same_mean n k shape A).
        replace (INR k * (sum k (C_ n A) / INR k)) with (sum k (C_ n A)) by (field; lra).
        apply (sum_one k (C_ n A) j Hj). intros. now apply Rlt_le, columns_alive. }
      replace (A i j * mean_R n k A / (R_ k A i * C_ n A j))
        with (A i j / (INR k * R_ k A i) * (INR k * mean_R n k A / C_ n A j)) by (field; repeat split; lra).
      rewrite <- (Rmult_1_r (A i j / (INR k * R_ k A i))) at 1. apply Rmult_le_compat_l.
      + apply Rle_mult_inv_pos; [assumption|pos].
      + apply le_div; lra.
  Qed.
  Lemma by_rows : / INR n <= mean2 n k (fun i j => A i j * mean_R n k A / (R_ k A i * C_ n A j)).
  Proof.
    destruct (nk n k shape) as [Hn Hk]. assert (HM := mean_alive). destruct shape as [Hn1 Hk1].
    apply Rle_trans with (mean2 n k (fun i j => A i j / (INR n * C_ n A j))).
    - unfold mean2. rewrite sum_swap, (sum_ext k _ (fun _ => 1)).
      + rewrite sum_const. apply Req_le. field. split; lra.
      + intros j Hj. assert (HC := columns_alive j Hj). rewrite (sum_div n _ (fun i => A i j)).
        assert (E0 : sum n (fun i => A i j) = INR n * C_ n A j) by (unfold C_; field; lra). rewrite E0. field. lra.
    - apply mean2_le; [assumption|assumption|]. intros i j Hi Hj. assert (HR := rows_alive i Hi).
      assert (HC := columns_alive j Hj). assert (HA := A_nonneg i j Hi Hj).
      assert (Hmost : R_ k A i <= INR n * mean_R n k A).
      { unfold mean_R. replace (INR n * (sum n (R_ k A) / INR n)) with (sum n (R_ k A)) by (field; lra).
        apply (sum_one n (R_ k A) i Hi). intros. now apply Rlt_le, rows_alive. }
      replace (A i j * mean_R n k A / (R_ k A i * C_ n A j))
        with (A i j / (INR n * C_ n A j) * (INR n * mean_R n k A / R_ k A i)) by (field; repeat split; lra).
      rewrite <- (Rmult_1_r (A i j / (INR n * C_ n A j))) at 1. apply Rmult_le_compat_l.
      + apply Rle_mult_inv_pos; [assumption|pos].
      + apply le_div; lra.
  Qed.
  Lemma step_12 : d ^ 2 * (1 - beta2) * INR (Nat.min n k) <= 1 -> d <= rms.
  Proof.
    intros H. assert (Hb : 0 < 1 - beta2) by lra. destruct (nk n k shape) as [Hn Hk].
    assert (Hmin : / INR (Nat.min n k) <= mean2 n k (fun i j => A i j * mean_R n k A / (R_ k A i * C_ n A j))).
    { destruct (Nat.min_spec n k) as [[_ ->]|[_ ->]]; [exact by_rows|exact by_columns]. }
    assert (Hm : 0 < INR (Nat.min n k)) by (destruct (Nat.min_spec n k) as [[_ ->]|[_ ->]]; assumption).
    unfold rms. rewrite <- (Rabs_pos_eq d), <- sqrt_of_square by lra. apply sqrt_le_1_alt.
    rewrite (mean2_ext n k _ _ u1_squared), mean2_scal. apply Rle_trans with (/ (1 - beta2) * / INR (Nat.min n k)).
    - rewrite <- Rinv_mult. apply Rmult_le_reg_r with ((1 - beta2) * INR (Nat.min n k)); [pos|].
      rewrite Rinv_l by (apply Rgt_not_eq; pos). lra.
    - apply Rmult_le_compat_l; [now apply Rlt_le, Rinv_0_lt_compat|exact Hmin].
  Qed.
  (* The clip acts: the root mean square of the clipped update is the threshold. *)
  Theorem prp_came_clip_acts : d ^ 2 * (1 - beta2) * INR (Nat.min n k) <= 1 ->
    mean2 n k (fun i j => u1_clipped i j ^ 2) = d ^ 2.
  Proof.
    intros H. assert (H0 := step_12 H). assert (Hr : 0 < rms) by lra.
    assert (E0 : Rmax 1 (rms / d) = rms / d) by (apply Rmax_right; apply le_div; lra).
    rewrite (mean2_ext n k _ (fun i j => (d / rms) ^ 2 * u1 i j ^ 2)).
    - rewrite mean2_scal. assert (E1 : mean2 n k (fun i j => u1 i j ^ 2) = rms ^ 2).
      { unfold rms. rewrite sqrt_squared; [reflexivity|]. destruct (Rle_or_lt 0 (mean2 n k (fun i j => u1 i j ^ 2)))
          as [|Hneg]; [assumption|]. unfold rms in Hr. rewrite sqrt_neg_0 in Hr by lra. lra. }
      rewrite E1. field. lra.
    - intros i j _ _. unfold u1_clipped. rewrite E0. field. split; lra.
  Qed.
End First.

(* An instance: the 2 x 2 identity as gradient, threshold 1, beta2 = 1/2; zero from then on. *)
Lemma prp_came_clip_instance : let g i j := if Nat.eqb i j then 1 else 0 in
  let u s i j := if Nat.eqb s 1 then u1_clipped 2 2 g (/ 2) 1 i j else 0 in
  mean2 2 2 (fun i j => u 1%nat i j ^ 2) = 1 ^ 2 /\ forall t, (1 <= t)%nat ->
  sum 2 (fun i => sum 2 (fun j => p_ 2 2 (/ 2) (/ 2) 0 u t i * q_ 2 2 (/ 2) (/ 2) 0 u t j
    * Delta 2 2 (/ 2) (/ 2) 0 u t i j ^ 2)) <= (1 - (/ 2) ^ t) ^ 2 / ((/ 2) ^ 2 * (1 - / 2) * (/ 2) ^ (t - 1)).
Proof.
  intros g u. assert (H : forall i, (i < 2)%nat -> R_ 2 (A g) i = / 2 /\ C_ 2 (A g) i = / 2).
  { intros i Hi. unfold R_, C_, A, g. rewrite !sum_S, !sum_O, INR_two.
    destruct i as [|[|i]]; [| |lia]; cbn [Nat.eqb]; split; field. }
  assert (H1 : mean2 2 2 (fun i j => u 1%nat i j ^ 2) = 1 ^ 2).
  { apply (prp_came_clip_acts 2 2 ltac:(lia) g (/ 2) 1 ltac:(lra)).
    - intros i Hi. rewrite (proj1 (H i Hi)). lra.
    - intros i Hi. rewrite (proj2 (H i Hi)). lra.
    - cbn [Nat.min]. rewrite INR_two. lra. }
  split; [exact H1|]. apply (prp_came_clip 2 2 ltac:(lia) (/ 2) (/ 2) 0 1); try lra.
  intros s Hs. destruct (Nat.eq_dec s 1) as [->|Hne]; [now apply Req_le|].
  unfold u. rewrite (proj2 (Nat.eqb_neq s 1) Hne). unfold mean2. rewrite !sum_S, !sum_O, INR_two. lra.
Qed.
(* Without a clip that acts at the first step it is false: it acts at the second alone, in a matrix of one entry. *)
Lemma prp_came_clip_needs_first : let u (s i j : nat) := match s with 1%nat => 10 / 19 | 2%nat => 1 | _ => 0 end in
  (forall s, mean2 1 1 (fun i j => u s i j ^ 2) <= 1 ^ 2) /\ mean2 1 1 (fun i j => u 2%nat i j ^ 2) = 1 ^ 2 /\
  (1 - (/ 10) ^ 2) ^ 2 / ((/ 10) ^ 2 * (1 - 9 / 10) * (9 / 10) ^ (2 - 1)) <
  sum 1 (fun i => sum 1 (fun j => p_ 1 1 (/ 10) (9 / 10) 0 u 2 i * q_ 1 1 (/ 10) (9 / 10) 0 u 2 j
    * Delta 1 1 (/ 10) (9 / 10) 0 u 2 i j ^ 2)).
Proof.
  intros u. assert (mean_one : forall X, mean2 1 1 X = X 0%nat 0%nat).
  { intros X. unfold mean2. rewrite !sum_S, !sum_O, INR_one. field. }
  assert (HM : m_ (/ 10) u 2 0 0 = 18 / 19) by (unfold m_, m, u; cbn [ema]; field).
  assert (HE : E_ (/ 10) (9 / 10) 0 u 2 0 0 = 19 / 36100) by (unfold E_, Ebar, U, m, u; cbn [ema]; field).
  split; [|split].
  - intros s. rewrite mean_one. destruct s as [|[|[|s]]]; unfold u; lra.
  - rewrite mean_one. unfold u. ring.
  - assert (HS : S_ 1 1 (E_ (/ 10) (9 / 10) 0 u 2) 0 0 = 19 / 36100).
    { unfold S_, mean_R, R_, C_. rewrite !sum_S, !sum_O, HE, INR_one. field. }
    rewrite !sum_S, !sum_O. unfold p_, q_, Delta. rewrite HS, HM.
    destruct (Req_EM_T (19 / 36100) 0) as [H|_]; [lra|].
    replace ((18 / 19 / sqrt (19 / 36100)) ^ 2) with ((18 / 19) ^ 2 / (19 / 36100)).
    + unfold R_, C_. rewrite !sum_S, !sum_O, HE, INR_one. cbn [Nat.sub]. lra.
    + assert (Hr : 0 < sqrt (19 / 36100)) by (apply sqrt_lt_R0; lra).
      rewrite <- (sqrt_squared (19 / 36100)) at 1 by lra. field. lra.
Qed.
