(* CAME: the clip bounds the step (prp-came-clip). The setting is that of came_step.v; in addition the root mean square
   of every update is at most the threshold, and equal to it at the first step, where the clip acts. *)
Require Export came_step.
Open Scope R_scope.

(* The mean over all entries of an n x k matrix. *)
Definition mean2 n k (X : nat -> nat -> R) := sum n (fun i => sum k (fun j => X i j)) / (INR n * INR k).
Lemma mean2_le n k X Y : (1 <= n)%nat -> (1 <= k)%nat ->
  (forall i j, (i < n)%nat -> (j < k)%nat -> X i j <= Y i j) -> mean2 n k X <= mean2 n k Y.
Proof.
  intros Hn Hk H. assert (Hn' := INR_pos n Hn). assert (Hk' := INR_pos k Hk). apply Rmult_le_compat_r.
  - apply Rlt_le. pos.
  - apply sum_le. intros i Hi. apply sum_le. intros j Hj. now apply H.
Qed.
Lemma mean2_ext n k X Y : (forall i j, (i < n)%nat -> (j < k)%nat -> X i j = Y i j) -> mean2 n k X = mean2 n k Y.
Proof. intros H. unfold mean2. f_equal. apply sum_ext. intros i Hi. apply sum_ext. intros j Hj. now apply H. Qed.
Lemma mean2_scal n k c X : mean2 n k (fun i j => c * X i j) = c * mean2 n k X.
Proof.
  unfold mean2. rewrite (sum_ext n _ (fun i => c * sum k (fun j => X i j))) by (intros; apply sum_scal).
  rewrite sum_scal. unfold Rdiv. ring.
Qed.
(* The average of means is the mean of averages. *)
Lemma mean2_ema n k beta (y : nat -> nat -> nat -> R) t :
  mean2 n k (fun i j => ema beta (fun s => y s i j) t) = ema beta (fun s => mean2 n k (y s)) t.
Proof.
  unfold mean2. rewrite (sum_ext n _ (fun i => ema beta (fun s => sum k (fun j => y s i j)) t))
    by (intros; symmetry; apply (ema_sum beta k (fun j s => y s i j))).
  rewrite <- (ema_sum beta n (fun i s => sum k (fun j => y s i j))). unfold Rdiv.
  rewrite (ema_ext beta (fun s => sum n (fun i => sum k (fun j => y s i j)) * / (INR n * INR k))
    (fun s => / (INR n * INR k) * sum n (fun i => sum k (fun j => y s i j)))) by (intros; ring).
  rewrite ema_scal. ring.
Qed.
(* The square of an average is at most the average of the squares, times the sum of the weights. *)
Lemma ema_squared beta y t : 0 < beta < 1 -> ema beta y t ^ 2 <= (1 - beta ^ t) * ema beta (fun s => y s ^ 2) t.
Proof.
  intros Hb. set (w s := (1 - beta) * beta ^ (t - S s)).
  assert (Hw : forall s, 0 < w s) by (intros s; apply Rmult_lt_0_compat; [lra|apply pow_lt; lra]).
  assert (Hr : forall s, sqrt (w s) ^ 2 = w s) by (intros s; apply sqrt_squared, Rlt_le, Hw).
  assert (H := inner_squared t (fun s => sqrt (w s)) (fun s => sqrt (w s) * y (S s))).
  assert (E1 : inner t (fun s => sqrt (w s)) (fun s => sqrt (w s) * y (S s)) = ema beta y t).
  { rewrite ema_unrolled. apply sum_ext. intros s _. fold (w s). rewrite <- Hr at 3. ring. }
  assert (E2 : norm2 t (fun s => sqrt (w s)) = 1 - beta ^ t).
  { rewrite <- (Rmult_1_r (1 - beta ^ t)), <- (ema_const beta 1 t), ema_unrolled. apply sum_ext. intros s _.
    rewrite Hr. unfold w. ring. }
  assert (E3 : norm2 t (fun s => sqrt (w s) * y (S s)) = ema beta (fun s => y s ^ 2) t).
  { rewrite ema_unrolled. apply sum_ext. intros s _. fold (w s). rewrite <- Hr at 2. ring. }
  rewrite E1, E2, E3 in H. exact H.
Qed.

Section Clip.
  Variables n k : nat.
  Hypothesis shape : (1 <= n)%nat /\ (1 <= k)%nat.
  Variables beta1 beta3 eps2 d : R.
  Hypothesis rates : 0 < beta1 < 1 /\ 0 < beta3 < 1 /\ 0 <= eps2.
  Hypothesis threshold : 0 < d.
  Variable u : nat -> nat -> nat -> R.
  Hypothesis clipped : forall s, (1 <= s)%nat -> mean2 n k (fun i j => u s i j ^ 2) <= d ^ 2.
  Hypothesis acts_first : mean2 n k (fun i j => u 1%nat i j ^ 2) = d ^ 2.
  Variable t : nat.
  Hypothesis some_steps : (1 <= t)%nat.
  Notation M := (m_ beta1 u t).
  Notation E_t := (E_ beta1 beta3 eps2 u t).
  Notation p := (p_ n k beta1 beta3 eps2 u t).
  Notation q := (q_ n k beta1 beta3 eps2 u t).
  Notation D := (Delta n k beta1 beta3 eps2 u t).

  (* (9) The clip keeps the average. *)
  Lemma step_9 : mean2 n k (fun i j => M i j ^ 2) <= (1 - beta1 ^ t) ^ 2 * d ^ 2.
  Proof.
    destruct rates as (Hb & _). destruct shape as [Hn Hk].
    assert (Hw : 0 <= 1 - beta1 ^ t).
    { destruct (pow_lt_1_compat beta1 t) as [_ H]; [lra|lia|]. lra. }
    apply Rle_trans with (mean2 n k (fun i j => (1 - beta1 ^ t) * ema beta1 (fun s => u s i j ^ 2) t)).
    - apply mean2_le; [assumption|assumption|]. intros. unfold m_, m. now apply ema_squared.
    - rewrite mean2_scal, (mean2_ema n k beta1 (fun s i j => u s i j ^ 2)).
      replace ((1 - beta1 ^ t) ^ 2 * d ^ 2) with ((1 - beta1 ^ t) * ((1 - beta1 ^ t) * d ^ 2)) by ring.
      apply Rmult_le_compat_l; [assumption|]. rewrite <- (ema_const beta1 (d ^ 2)).
      apply ema_le; [lra|]. intros s Hs. apply clipped. lia.
  Qed.
  (* (10) The first instability stays. *)
  Lemma first_instability i j : U beta1 (fun s => u s i j) 1 = beta1 ^ 2 * u 1%nat i j ^ 2.
  Proof. unfold U, m. cbn [ema]. ring. Qed.
  Lemma E_keeps_first i j : (1 - beta3) * beta3 ^ (t - 1) * (beta1 ^ 2 * u 1%nat i j ^ 2) <= E_t i j.
  Proof.
    destruct rates as (_ & Hb & He). unfold E_, Ebar. rewrite ema_unrolled.
    set (x s := (1 - beta3) * beta3 ^ (t - S s) * (U beta1 (fun s0 => u s0 i j) (S s) + eps2)).
    assert (Hx : forall s, (s < t)%nat -> 0 <= x s).
    { intros s _. unfold x. assert (H := pow2_nonneg (u (S s) i j - m beta1 (fun s0 => u s0 i j) (S s))).
      apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow_le; lra]|]. unfold U. lra. }
    eapply Rle_trans; [|exact (sum_one t x O ltac:(lia) Hx)]. unfold x. rewrite first_instability.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra|apply pow_le; lra]|lra].
  Qed.
  Lemma mean_R_is : mean_R n k E_t = mean2 n k E_t.
  Proof.
    destruct shape as [Hn Hk]. assert (Hn' := INR_pos n Hn). assert (Hk' := INR_pos k Hk).
    unfold mean_R, R_, mean2. rewrite sum_div. field. split; lra.
  Qed.
  Lemma step_10 : beta1 ^ 2 * ((1 - beta3) * beta3 ^ (t - 1)) * d ^ 2 <= mean_R n k E_t.
  Proof.
    destruct shape as [Hn Hk]. rewrite mean_R_is, <- acts_first, <- mean2_scal.
    apply mean2_le; [assumption|assumption|]. intros i j _ _. eapply Rle_trans; [|apply E_keeps_first].
    apply Req_le. ring.
  Qed.
  Lemma mean_R_pos : 0 < mean_R n k E_t.
  Proof.
    destruct rates as (H1 & H3 & _). eapply Rlt_le_trans; [|exact step_10].
    assert (0 < beta3 ^ (t - 1)) by (apply pow_lt; lra). assert (0 < 1 - beta3) by lra. pos.
  Qed.
  (* (8) Weights of both sides. *)
  Lemma one_entry i j : (i < n)%nat -> (j < k)%nat ->
    p i * q j * D i j ^ 2 = M i j ^ 2 / (INR n * INR k) / mean_R n k E_t.
  Proof.
    intros Hi Hj. destruct (nk n k shape) as [Hn Hk]. assert (HM := mean_R_pos).
    destruct (Req_dec (S_ n k E_t i j) 0) as [E0|E0].
    - rewrite (m_zero n k shape beta1 beta3 eps2 rates u t i j Hi Hj E0). unfold Delta.
      destruct (Req_EM_T _ 0); [unfold Rdiv; ring|contradiction].
    - rewrite (Delta_squared n k shape beta1 beta3 eps2 rates u t i j Hi Hj E0).
      assert (HE := E_nonneg n k beta1 beta3 eps2 rates u t).
      destruct (S_parts n k shape E_t HE i j Hi Hj E0) as (H1 & H2 & _).
      assert (HC : sum k (C_ n E_t) = INR k * mean_R n k E_t) by (rewrite (same_mean n k shape E_t); field; lra).
      assert (HR : sum n (R_ k E_t) = INR n * mean_R n k E_t) by (unfold mean_R; field; lra).
      unfold p_, q_. rewrite HC, HR. unfold S_. field. repeat split; lra.
  Qed.
  Lemma step_8 :
    sum n (fun i => sum k (fun j => p i * q j * D i j ^ 2)) = mean2 n k (fun i j => M i j ^ 2) / mean_R n k E_t.
  Proof.
    unfold mean2. rewrite <- sum_div, <- sum_div. apply sum_ext. intros i Hi. rewrite <- sum_div, <- sum_div.
    apply sum_ext. intros j Hj. now apply one_entry.
  Qed.
  (* (11) The step: (eq-came-clip). If the clip acts at the first step, the weighted mean square of the step t is at
     most (1 - beta1^t)^2 / (beta1^2 (1 - beta3) beta3^(t-1)). The threshold cancels. *)
  Theorem prp_came_clip : sum n (fun i => sum k (fun j => p i * q j * D i j ^ 2))
    <= (1 - beta1 ^ t) ^ 2 / (beta1 ^ 2 * (1 - beta3) * beta3 ^ (t - 1)).
  Proof.
    destruct rates as (H1 & H3 & _). assert (Hb : 0 < beta3 ^ (t - 1)) by (apply pow_lt; lra).
    assert (H3' : 0 < 1 - beta3) by lra. assert (HM := mean_R_pos). rewrite step_8.
    apply div_le; [assumption|]. eapply Rle_trans; [exact step_9|].
    apply Rle_trans with ((1 - beta1 ^ t) ^ 2 / (beta1 ^ 2 * (1 - beta3) * beta3 ^ (t - 1))
      * (beta1 ^ 2 * ((1 - beta3) * beta3 ^ (t - 1)) * d ^ 2)).
    - apply Req_le. field. repeat split; lra.
    - apply Rmult_le_compat_l; [|exact step_10]. apply Rle_mult_inv_pos; [apply pow2_nonneg|pos].
  Qed.
End Clip.
