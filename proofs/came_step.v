(* CAME: the length of the step of a matrix (thm-came-step, steps (5) to (7)). *)
Require Export came_matrix.
Open Scope R_scope.

Section Step.
  Variables n k : nat.
  Hypothesis shape : (1 <= n)%nat /\ (1 <= k)%nat.
  Variables beta1 beta3 eps2 : R.
  Hypothesis rates : 0 < beta1 < 1 /\ 0 < beta3 < 1 /\ 0 <= eps2.
  Variable u : nat -> nat -> nat -> R.           (* u s i j: the clipped update of entry (i, j) at step s *)
  Variable t : nat.
  (* For entry (i, j): the average of updates, and the average of U + eps2. *)
  Definition m_ i j := m beta1 (fun s => u s i j) t.
  Definition E_ i j := Ebar beta1 beta3 eps2 (fun s => u s i j) t.
  Let R_t := R_ k E_.
  Let C_t := C_ n E_.
  Let S_t := S_ n k E_.
  (* The step in learning rates. *)
  Definition Delta i j := if Req_EM_T (S_t i j) 0 then 0 else m_ i j / sqrt (S_t i j).
  Definition q_ j := C_t j / sum k C_t.
  Definition p_ i := R_t i / sum n R_t.

  Lemma E_nonneg i j : (i < n)%nat -> (j < k)%nat -> 0 <= E_ i j.
  Proof. intros _ _. now apply Ebar_nonneg. Qed.
  Lemma entry i j : m_ i j ^ 2 <= K beta1 beta3 t * E_ i j.
  Proof. now apply step_4. Qed.
  (* By the first statement m is zero wherever S is. *)
  Lemma m_zero i j : (i < n)%nat -> (j < k)%nat -> S_t i j = 0 -> m_ i j = 0.
  Proof.
    intros Hi Hj H. assert (H0 := S_zero n k shape E_ E_nonneg i j Hi Hj H). assert (H1 := entry i j).
    rewrite H0, Rmult_0_r in H1. apply pow2_zero. assert (H2 := pow2_nonneg (m_ i j)). lra.
  Qed.
  Lemma Delta_squared i j : (i < n)%nat -> (j < k)%nat -> S_t i j <> 0 -> Delta i j ^ 2 = m_ i j ^ 2 / S_t i j.
  Proof.
    intros Hi Hj H. unfold Delta. destruct (Req_EM_T (S_t i j) 0) as [|_]; [contradiction|].
    assert (H0 := S_nonneg n k shape E_ E_nonneg i j Hi Hj). fold S_t in H0.
    unfold Rdiv. rewrite Rpow_mult_distr, pow_inv, sqrt_squared by assumption. reflexivity.
  Qed.

  (* (5) Means keep it. *)
  Lemma step_5_rows i : sum k (fun j => m_ i j ^ 2) / INR k <= K beta1 beta3 t * R_t i.
  Proof.
    destruct (nk n k shape) as [_ Hk]. unfold R_t, R_. unfold Rdiv. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat|]. rewrite <- sum_scal.
    apply sum_le. intros. apply entry.
  Qed.
  Lemma step_5_columns j : sum n (fun i => m_ i j ^ 2) / INR n <= K beta1 beta3 t * C_t j.
  Proof.
    destruct (nk n k shape) as [Hn _]. unfold C_t, C_. unfold Rdiv. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat|]. rewrite <- sum_scal.
    apply sum_le. intros. apply entry.
  Qed.

  (* (6) Factoring: the weights cancel the factor of the column, or of the row. *)
  Lemma one_in_row i j : (i < n)%nat -> (j < k)%nat -> R_t i <> 0 -> q_ j * Delta i j ^ 2 = m_ i j ^ 2 / INR k / R_t i.
  Proof.
    intros Hi Hj HR. destruct (nk n k shape) as [Hn Hk]. destruct (Req_dec (S_t i j) 0) as [E|E].
    - rewrite (m_zero i j Hi Hj E). unfold Delta. destruct (Req_EM_T (S_t i j) 0); [|contradiction].
      unfold Rdiv. ring.
    - rewrite Delta_squared by assumption. destruct (S_parts n k shape E_ E_nonneg i j Hi Hj E) as (H1 & H2 & H3).
      fold R_t in H1. fold C_t in H2. unfold q_, S_t, S_. fold R_t C_t. rewrite (same_mean n k shape E_) in *.
      fold C_t in H3 |- *.
      assert (H4 := sum_one k C_t j Hj (C_nonneg n k shape E_ E_nonneg)). field. repeat split; lra.
  Qed.
  Lemma one_in_column i j : (i < n)%nat -> (j < k)%nat -> C_t j <> 0 ->
    p_ i * Delta i j ^ 2 = m_ i j ^ 2 / INR n / C_t j.
  Proof.
    intros Hi Hj HC. destruct (nk n k shape) as [Hn Hk]. destruct (Req_dec (S_t i j) 0) as [E|E].
    - rewrite (m_zero i j Hi Hj E). unfold Delta. destruct (Req_EM_T (S_t i j) 0); [|contradiction].
      unfold Rdiv. ring.
    - rewrite Delta_squared by assumption. destruct (S_parts n k shape E_ E_nonneg i j Hi Hj E) as (H1 & H2 & H3).
      fold R_t in H1. fold C_t in H2. unfold p_, S_t, S_. fold R_t C_t. unfold mean_R in *. fold R_t in H3 |- *.
      assert (H4 := sum_one n R_t i Hi (R_nonneg n k shape E_ E_nonneg)). field. repeat split; lra.
  Qed.
  Lemma step_6_rows i : (i < n)%nat -> sum k (fun j => q_ j * Delta i j ^ 2) <= K beta1 beta3 t.
  Proof.
    intros Hi. assert (HK := K_nonneg beta1 beta3 eps2 rates t). destruct (Req_dec (R_t i) 0) as [E|E].
    - rewrite sum_zeros; [assumption|]. intros j Hj. unfold Delta. destruct (Req_EM_T (S_t i j) 0) as [|H]; [ring|].
      exfalso. apply H. unfold S_t, S_. fold R_t. rewrite E. unfold Rdiv. ring.
    - rewrite (sum_ext k _ (fun j => m_ i j ^ 2 / INR k / R_t i)) by (intros; now apply one_in_row).
      rewrite !sum_div. assert (HR := R_nonneg n k shape E_ E_nonneg i Hi). fold R_t in HR.
      apply div_le; [lra|]. apply step_5_rows.
  Qed.
  Lemma step_6_columns j : (j < k)%nat -> sum n (fun i => p_ i * Delta i j ^ 2) <= K beta1 beta3 t.
  Proof.
    intros Hj. assert (HK := K_nonneg beta1 beta3 eps2 rates t). destruct (Req_dec (C_t j) 0) as [E|E].
    - rewrite sum_zeros; [assumption|]. intros i Hi. unfold Delta. destruct (Req_EM_T (S_t i j) 0) as [|H]; [ring|].
      exfalso. apply H. unfold S_t, S_. fold C_t. rewrite E. unfold Rdiv. ring.
    - rewrite (sum_ext n _ (fun i => m_ i j ^ 2 / INR n / C_t j)) by (intros; now apply one_in_column).
      rewrite !sum_div. assert (HC := C_nonneg n k shape E_ E_nonneg j Hj). fold C_t in HC.
      apply div_le; [lra|]. apply step_5_columns.
  Qed.
  (* The weights sum to 1, if there is any instability at all. *)
  Lemma weights_sum : 0 < sum k C_t -> sum k q_ = 1 /\ sum n p_ = 1.
  Proof.
    intros H. destruct (nk n k shape) as [Hn Hk]. assert (H0 : 0 < sum n R_t).
    { assert (E := same_mean n k shape E_). unfold mean_R in E. fold R_t C_t in E.
      assert (0 < sum k C_t / INR k) by pos. rewrite <- E in H0. apply Rmult_lt_reg_r with (/ INR n);
        [now apply Rinv_0_lt_compat|]. unfold Rdiv in H0. lra. }
    unfold q_, p_. rewrite !sum_div. split; field; lra.
  Qed.

  (* (7) Rank one. *)
  Lemma step_7 a b : (forall i j, (i < n)%nat -> (j < k)%nat -> E_ i j = a i * b j) ->
    forall i j, (i < n)%nat -> (j < k)%nat -> Rabs (Delta i j) <= sqrt (K beta1 beta3 t).
  Proof.
    intros H i j Hi Hj. rewrite <- sqrt_of_square. apply sqrt_le_1_alt. destruct (Req_dec (S_t i j) 0) as [E|E].
    - unfold Delta. destruct (Req_EM_T (S_t i j) 0); [|contradiction]. replace (0 ^ 2) with 0 by ring.
      now apply (K_nonneg beta1 beta3 eps2).
    - rewrite Delta_squared by assumption. assert (HS := S_nonneg n k shape E_ E_nonneg i j Hi Hj). fold S_t in HS.
      apply div_le; [lra|]. unfold S_t at 1. rewrite (rank_one_S n k shape E_ E_nonneg a b H i j Hi Hj). apply entry.
  Qed.

  (* thm-came-step. In each row and in each column the weighted mean of the squared step is at most K_t, and so is the
     square of every entry where the averages have rank one. *)
  Theorem thm_came_step :
    (forall i j, m_ i j ^ 2 <= K beta1 beta3 t * E_ i j) /\
    (forall i, (i < n)%nat -> sum k (fun j => q_ j * Delta i j ^ 2) <= K beta1 beta3 t) /\
    (forall j, (j < k)%nat -> sum n (fun i => p_ i * Delta i j ^ 2) <= K beta1 beta3 t) /\
    forall a b, (forall i j, (i < n)%nat -> (j < k)%nat -> E_ i j = a i * b j) ->
      forall i j, (i < n)%nat -> (j < k)%nat -> Rabs (Delta i j) <= sqrt (K beta1 beta3 t).
  Proof.
    split; [exact entry|]. split; [exact step_6_rows|]. split; [exact step_6_columns|exact step_7].
  Qed.
End Step.

(* An instance of a step with movement in it: updates of 1 in one entry and 0 in the other at the first step. The first
   entry has all of the bound. *)
Lemma thm_came_step_instance : let u (s i j : nat) := match i with O => 1 | _ => 0 end in
  m_ (/ 2) u 1 0 0 ^ 2 = / 4 /\ K (/ 2) (/ 2) 1 * E_ (/ 2) (/ 2) 0 u 1 0 0 = / 4 /\
  forall j, (j < 1)%nat -> sum 2 (fun i => p_ 2 1 (/ 2) (/ 2) 0 u 1 i * Delta 2 1 (/ 2) (/ 2) 0 u 1 i j ^ 2) <= 2.
Proof.
  intros u. assert (HK : K (/ 2) (/ 2) 1 = 2) by (unfold K, inverses; field). repeat split.
  - unfold m_, m. cbn [ema]. unfold u. field.
  - rewrite HK. unfold E_, Ebar, U, m. cbn [ema]. unfold u. field.
  - intros j Hj. eapply Rle_trans; [|exact (Req_le _ _ HK)].
    now apply (thm_came_step 2 1 ltac:(lia) (/ 2) (/ 2) 0 ltac:(lra) u 1).
Qed.
