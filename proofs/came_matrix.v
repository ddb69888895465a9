(* CAME on an n x k matrix: the factors R and C of the averaged instability, and what they reconstruct.

   Rows and columns are means; S = R C' / mean(R). A step of 0 / 0 counts as 0. *)
Require Export came.
Open Scope R_scope.

Section Matrix.
  Variables n k : nat.
  Hypothesis shape : (1 <= n)%nat /\ (1 <= k)%nat.
  Variable X : nat -> nat -> R.                  (* the matrix of averages E_t *)
  Hypothesis X_nonneg : forall i j, (i < n)%nat -> (j < k)%nat -> 0 <= X i j.
  Definition R_ i := sum k (fun j => X i j) / INR k.
  Definition C_ j := sum n (fun i => X i j) / INR n.
  Definition mean_R := sum n R_ / INR n.
  Definition S_ i j := R_ i * C_ j / mean_R.

  Lemma nk : 0 < INR n /\ 0 < INR k.
  Proof. destruct shape. split; now apply INR_pos. Qed.
  Lemma R_nonneg i : (i < n)%nat -> 0 <= R_ i.
  Proof.
    intros Hi. destruct nk. apply Rle_mult_inv_pos; [|assumption]. apply sum_nonneg. intros. now apply X_nonneg.
  Qed.
  Lemma C_nonneg j : (j < k)%nat -> 0 <= C_ j.
  Proof.
    intros Hj. destruct nk. apply Rle_mult_inv_pos; [|assumption]. apply sum_nonneg. intros. now apply X_nonneg.
  Qed.
  (* mean(R) = mean(C) *)
  Lemma same_mean : mean_R = sum k C_ / INR k.
  Proof.
    destruct nk. unfold mean_R, R_, C_. rewrite !sum_div, sum_swap. field. split; lra.
  Qed.
  (* A row or a column whose mean is zero is zero. *)
  Lemma R_zero i : (i < n)%nat -> R_ i = 0 -> forall j, (j < k)%nat -> X i j = 0.
  Proof.
    intros Hi H. destruct nk as [Hn Hk]. apply (sum_zero k (fun j => X i j)); [intros; now apply X_nonneg|].
    unfold R_ in H. apply Rmult_integral in H. destruct H as [|H]; [assumption|].
    apply Rinv_neq_0_compat in H; [contradiction|lra].
  Qed.
  Lemma C_zero j : (j < k)%nat -> C_ j = 0 -> forall i, (i < n)%nat -> X i j = 0.
  Proof.
    intros Hj H. destruct nk as [Hn Hk]. apply (sum_zero n (fun i => X i j)); [intros; now apply X_nonneg|].
    unfold C_ in H. apply Rmult_integral in H. destruct H as [|H]; [assumption|].
    apply Rinv_neq_0_compat in H; [contradiction|lra].
  Qed.
  (* Where S is not zero, no part of it is, and all are positive. *)
  Lemma S_parts i j : (i < n)%nat -> (j < k)%nat -> S_ i j <> 0 -> 0 < R_ i /\ 0 < C_ j /\ 0 < mean_R.
  Proof.
    intros Hi Hj H. assert (HR := R_nonneg i Hi). assert (HC := C_nonneg j Hj).
    assert (HR0 : R_ i <> 0) by (intros E; apply H; unfold S_; rewrite E; unfold Rdiv; ring).
    assert (HC0 : C_ j <> 0) by (intros E; apply H; unfold S_; rewrite E; unfold Rdiv; ring).
    assert (HRp : 0 < R_ i) by lra. repeat split; [assumption|lra|]. destruct nk as [Hn _].
    assert (H1 := sum_one n R_ i Hi R_nonneg). unfold mean_R. pos.
  Qed.
  Lemma S_zero i j : (i < n)%nat -> (j < k)%nat -> S_ i j = 0 -> X i j = 0.
  Proof.
    intros Hi Hj H. destruct (Req_dec (R_ i) 0) as [E|E]; [now apply (R_zero i)|].
    destruct (Req_dec (C_ j) 0) as [E'|E']; [now apply (C_zero j)|exfalso].
    assert (HR := R_nonneg i Hi). assert (HC := C_nonneg j Hj). destruct nk as [Hn _].
    assert (H1 := sum_one n R_ i Hi R_nonneg). assert (Hm : 0 < mean_R) by (unfold mean_R; pos).
    assert (0 < S_ i j) by (unfold S_; pos). lra.
  Qed.
  Lemma S_nonneg i j : (i < n)%nat -> (j < k)%nat -> 0 <= S_ i j.
  Proof.
    intros Hi Hj. destruct (Req_dec (S_ i j) 0) as [->|H]; [lra|]. destruct (S_parts i j Hi Hj H) as (H1 & H2 & H3).
    unfold S_. apply Rlt_le. pos.
  Qed.

  (* (7) Where X has rank one, nothing is lost. *)
  Lemma rank_one_S a b : (forall i j, (i < n)%nat -> (j < k)%nat -> X i j = a i * b j) ->
    forall i j, (i < n)%nat -> (j < k)%nat -> S_ i j = X i j.
  Proof.
    intros H i j Hi Hj. destruct nk as [Hn Hk].
    destruct (Req_dec (S_ i j) 0) as [E|E]; [rewrite E; symmetry; now apply S_zero|].
    destruct (S_parts i j Hi Hj E) as (H1 & H2 & H3).
    assert (HR : forall i, (i < n)%nat -> R_ i = a i * (sum k b / INR k)).
    { intros i' Hi'. unfold R_. rewrite (sum_ext k _ (fun j' => a i' * b j')) by (intros; now apply H).
      rewrite sum_scal. unfold Rdiv. ring. }
    assert (HC : C_ j = sum n a / INR n * b j).
    { unfold C_. rewrite (sum_ext n _ (fun i' => a i' * b j)) by (intros; now apply H).
      rewrite sum_scal_r. unfold Rdiv. ring. }
    assert (HM : mean_R = sum n a / INR n * (sum k b / INR k)).
    { unfold mean_R. rewrite (sum_ext n R_ (fun i' => a i' * (sum k b / INR k))) by exact HR.
      rewrite sum_scal_r. unfold Rdiv. ring. }
    unfold S_. rewrite HC, HM, (HR i Hi), (H i j Hi Hj). rewrite HM in H3.
    set (p := sum n a / INR n) in *. set (q := sum k b / INR k) in *.
    assert (p <> 0 /\ q <> 0) as [Hp Hq] by (split; intros E0; rewrite E0 in H3; lra). field. split; assumption.
  Qed.
End Matrix.
