(* Norms of layers, maximised (prp-norms-layers): the dual adds them, and every layer takes its own steepest step. *)
Require Export norms toolbox_norms.
Open Scope R_scope.

(* The same of one layer of n weights: a length, its dual, a steepest direction. *)
Record steepest_layer n (len dual : vec -> R) (dir : vec -> vec) := {
  one_len_pos : forall v, 0 <= len v;
  one_len_times : forall c v, len (fun j => c * v j) = Rabs c * len v;
  one_len_same : forall u v, (forall j, u j = v j) -> len u = len v;
  one_dual_pos : forall u, 0 <= dual u;
  one_dual_bounds : forall u v, inner n u v <= dual u * len v;
  one_dir_short : forall g, len (dir g) <= 1;
  one_dir_steep : forall g, inner n g (dir g) = dual g }.

Section Layers.
  Variables (h : nat) (d : nat -> nat) (lens duals : nat -> vec -> R) (dirs : nat -> vec -> vec).
  Variable c : nat -> R.                       (* how far layer i may move, in its own length *)
  Hypothesis each : forall i, (i < h)%nat -> steepest_layer (d i) (lens i) (duals i) (dirs i).
  Hypothesis sizes : forall i, (i < h)%nat -> 0 < c i.

  (* The largest of the layers' lengths, each in units of c i; the sum of the duals; all layers at once. *)
  Definition len_max (v : layered) := norm_max h (fun i => lens i (v i) / c i).
  Definition dual_sum (u : layered) := sum h (fun i => c i * duals i (u i)).
  Definition dir_all (u : layered) : layered := fun i j => c i * dirs i (u i) j.

  (* (1) No layer is longer than c i times the largest. *)
  Lemma step_1 v i : (i < h)%nat -> lens i (v i) <= c i * len_max v.
  Proof.
    intros Hi. assert (Hc := sizes i Hi). assert (H := norm_max_above h (fun i => lens i (v i) / c i) i Hi).
    apply Rle_trans with (c i * (lens i (v i) / c i)); [apply Req_le; field; lra|].
    apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [apply Rle_abs|exact H].
  Qed.
  (* (2) So no vector of length 1 has a larger inner product than the sum of the duals, *)
  Lemma step_2 u v : product h d u v <= dual_sum u * len_max v.
  Proof.
    unfold product, dual_sum. rewrite <- sum_scal_r. apply sum_le. intros i Hi. assert (He := each i Hi).
    eapply Rle_trans; [apply (one_dual_bounds _ _ _ _ He)|].
    replace (c i * duals i (u i) * len_max v) with (duals i (u i) * (c i * len_max v)) by ring.
    apply Rmult_le_compat_l; [apply (one_dual_pos _ _ _ _ He)|now apply step_1].
  Qed.
  (* (3) and all layers at once reach it. *)
  Lemma step_3 u : product h d u (dir_all u) = dual_sum u.
  Proof.
    apply sum_ext. intros i Hi. unfold dir_all. rewrite inner_scal. f_equal.
    apply (one_dir_steep _ _ _ _ (each i Hi)).
  Qed.
  Lemma len_max_ext u v : (forall i, (i < h)%nat -> lens i (u i) = lens i (v i)) -> len_max u = len_max v.
  Proof.
    unfold len_max. clear each sizes. induction h as [|n IH]; intros H; cbn [norm_max]; [reflexivity|].
    rewrite IH, (H n) by (intros; try apply H; lia). reflexivity.
  Qed.
  Lemma norm_max_scal n a (x : vec) : norm_max n (fun i => a * x i) = Rabs a * norm_max n x.
  Proof.
    induction n as [|n IH]; cbn [norm_max]; [ring|]. rewrite IH, Rabs_mult.
    apply RmaxRmult, Rabs_pos.
  Qed.
  Lemma norm_max_same n (x y : vec) : (forall i, (i < n)%nat -> Rabs (x i) = Rabs (y i)) -> norm_max n x = norm_max n y.
  Proof.
    induction n as [|n IH]; intros H; cbn [norm_max]; [reflexivity|].
    rewrite IH, (H n) by (intros; try apply H; lia). reflexivity.
  Qed.

  (* prp-norms-layers. The largest of the layers' lengths is dual to the sum of their duals, and the steepest step moves
     every layer by c i along its own. *)
  Theorem prp_norms_layers : steepest h d len_max dual_sum dir_all.
  Proof.
    constructor.
    - intros. apply norm_max_pos.
    - intros a v. unfold len_max, times. rewrite <- norm_max_scal. apply norm_max_same. intros i Hi.
      rewrite (one_len_times _ _ _ _ (each i Hi)), !Rabs_mult. unfold Rdiv. rewrite !Rabs_mult, Rabs_Rabsolu. ring.
    - intros u v H. apply len_max_ext. intros i Hi. apply (one_len_same _ _ _ _ (each i Hi)). intros. apply H.
    - intros u. apply sum_nonneg. intros i Hi. apply Rmult_le_pos;
        [apply Rlt_le, sizes, Hi|apply (one_dual_pos _ _ _ _ (each i Hi))].
    - apply step_2.
    - intros g. apply norm_max_least; [lra|]. intros i Hi. assert (Hc := sizes i Hi). assert (He := each i Hi).
      unfold dir_all. rewrite (one_len_times _ _ _ _ He), (Rabs_pos_eq (c i)) by lra.
      assert (H := one_dir_short _ _ _ _ He (g i)). assert (H0 := one_len_pos _ _ _ _ He (dirs i (g i))).
      replace (c i * lens i (dirs i (g i)) / c i) with (lens i (dirs i (g i))) by (field; lra).
      rewrite Rabs_pos_eq; assumption.
    - apply step_3.
  Qed.
End Layers.
