(* Appendix A: three norms (lem-norms): the largest size of an entry, the length, the sum of the sizes. Any d. *)
Require Export toolbox_lengths.
Open Scope R_scope.

(* The largest size of an entry (0 if there is none). *)
Fixpoint norm_max (d : nat) (u : vec) : R := match d with O => 0 | S n => Rmax (norm_max n u) (Rabs (u n)) end.

Lemma norm_max_pos d u : 0 <= norm_max d u.
Proof. induction d as [|d IH]; cbn [norm_max]; [lra|]. eapply Rle_trans; [exact IH|apply Rmax_l]. Qed.
Lemma norm_max_above d u j : (j < d)%nat -> Rabs (u j) <= norm_max d u.
Proof.
  induction d as [|d IH]; intros Hj; [lia|]. cbn [norm_max]. destruct (Nat.eq_dec j d) as [->|Hne]; [apply Rmax_r|].
  eapply Rle_trans; [apply IH; lia|apply Rmax_l].
Qed.
Lemma norm_max_least d u c : 0 <= c -> (forall j, (j < d)%nat -> Rabs (u j) <= c) -> norm_max d u <= c.
Proof.
  intros Hc. induction d as [|d IH]; intros H; cbn [norm_max]; [assumption|].
  apply Rmax_lub; [apply IH; intros; apply H; lia|apply H; lia].
Qed.

(* (1) The largest square of an entry is at most the sum of all squares. *)
Lemma step_1 d u : norm_max d u <= norm d u.
Proof. apply norm_max_least; [apply norm_pos|]. intros. now apply entry_le_norm. Qed.
(* (2) |u|^2 is at most the square of the sum of the sizes: each size is at most their sum. *)
Lemma step_2 d u : norm2 d u <= norm1 d u ^ 2.
Proof.
  replace (norm1 d u ^ 2) with (norm1 d u * norm1 d u) by ring. unfold norm2. unfold norm1 at 1.
  rewrite <- sum_scal_r. apply sum_le. intros j Hj. replace (u j ^ 2) with (Rabs (u j) * Rabs (u j)).
  - apply Rmult_le_compat_l; [apply Rabs_pos|].
    exact (sum_one d (fun i => Rabs (u i)) j Hj (fun i _ => Rabs_pos (u i))).
  - rewrite <- pow2_Rabs. ring.
Qed.
(* (3) Cauchy-Schwarz with the vector of ones, for the vector of the sizes. *)
Lemma step_3 d u : norm1 d u <= sqrt (INR d) * norm d u.
Proof.
  assert (H := lem_cauchy_schwarz_instance d (fun j => Rabs (u j))). fold (norm1 d u) in H.
  replace (norm d (fun j => Rabs (u j))) with (norm d u) in H.
  - rewrite Rabs_pos_eq in H by apply norm1_pos. lra.
  - unfold norm, norm2. f_equal. apply sum_ext. intros. now rewrite pow2_Rabs.
Qed.
(* (4) |u|^2 is at most d times the largest square. *)
Lemma step_4 d u : norm2 d u <= INR d * norm_max d u ^ 2.
Proof.
  rewrite <- sum_const. apply sum_le. intros j Hj. rewrite <- pow2_Rabs. apply pow_incr.
  split; [apply Rabs_pos|now apply norm_max_above].
Qed.

(* lem-norms: |u|_max <= |u| <= |u|_1 <= sqrt d |u| <= d |u|_max. *)
Theorem lem_norms d u :
  norm_max d u <= norm d u /\ norm d u <= norm1 d u /\ norm1 d u <= sqrt (INR d) * norm d u /\
  sqrt (INR d) * norm d u <= INR d * norm_max d u.
Proof.
  repeat split; [apply step_1| |apply step_3|].
  - apply sqrt_le; [apply norm1_pos|apply step_2].
  - rewrite <- (sqrt_sqrt (INR d)) at 2 by apply pos_INR. rewrite Rmult_assoc.
    apply Rmult_le_compat_l; [apply sqrt_pos|].
    apply sqrt_le; [apply Rmult_le_pos; [apply sqrt_pos|apply norm_max_pos]|].
    rewrite Rpow_mult_distr, sqrt_squared by apply pos_INR. apply step_4.
Qed.
(* The first two are equalities when at most one entry, that of index k, is not zero, *)
Theorem lem_norms_one_entry d u k : (forall j, (j < d)%nat -> j <> k -> u j = 0) ->
  norm_max d u = norm d u /\ norm d u = norm1 d u.
Proof.
  intros H. destruct (lem_norms d u) as (H1 & H2 & _). assert (H3 : norm1 d u <= norm_max d u); [|lra].
  destruct (Nat.lt_ge_cases k d) as [Hk|Hk].
  - eapply Rle_trans; [|now apply (norm_max_above d u k)]. rewrite <- (sum_pick d k (Rabs (u k)) Hk).
    apply Req_le, sum_ext. intros j Hj. destruct (Nat.eqb_spec k j) as [->|Hne]; [reflexivity|].
    rewrite H, Rabs_R0; auto.
  - eapply Rle_trans; [|apply norm_max_pos]. apply Req_le, sum_zeros. intros j Hj.
    rewrite H, Rabs_R0; [reflexivity|assumption|lia].
Qed.
(* the last two when all entries have the same size s. *)
Theorem lem_norms_one_size d u s : (forall j, (j < d)%nat -> Rabs (u j) = s) ->
  norm1 d u = sqrt (INR d) * norm d u /\ sqrt (INR d) * norm d u = INR d * norm_max d u.
Proof.
  intros H. destruct (lem_norms d u) as (_ & _ & H1 & H2). assert (H3 : INR d * norm_max d u <= norm1 d u); [|lra].
  unfold norm1. rewrite <- sum_const. apply sum_le. intros j Hj. apply norm_max_least; [apply Rabs_pos|].
  intros i Hi. rewrite !H by assumption. lra.
Qed.
(* An instance: the four ends of the chain for u = (3, 4), which are 4, 5, 7 and 8; between the last two is 5 sqrt 2. *)
Definition u34 : vec := fun j => match j with O => 3 | _ => 4 end.
Lemma lem_norms_instance : norm_max 2 u34 = 4 /\ norm 2 u34 = 5 /\ norm1 2 u34 = 7 /\ 7 <= sqrt (INR 2) * 5 <= 8.
Proof.
  assert (Hm : norm_max 2 u34 = 4).
  { cbn [norm_max]. unfold u34. rewrite !Rabs_pos_eq by lra. now rewrite !Rmax_right by (rewrite ?Rmax_right; lra). }
  assert (H2 : norm 2 u34 = 5).
  { unfold norm, norm2, u34. rewrite !sum_S, sum_O. replace (0 + 3 ^ 2 + 4 ^ 2) with (5 ^ 2) by ring.
    rewrite sqrt_of_square. apply Rabs_pos_eq. lra. }
  assert (H1 : norm1 2 u34 = 7) by (unfold norm1, u34; rewrite !sum_S, sum_O, !Rabs_pos_eq by lra; ring).
  assert (H := lem_norms 2 u34). rewrite Hm, H1, H2, INR_two in *. lra.
Qed.
