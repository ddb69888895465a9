(* Memory: factored state (prp-memory-factored), segments (prp-memory-segments), the bytes of ZeRO (prp-memory-zero). *)
Require Import sums.
Open Scope R_scope.

(* ---- 1. prp-memory-factored: an n x m matrix. ---- *)

(* (1) Complete the product. *)
Lemma prp_memory_factored_step_1 (n m : R) : n * m - (n + m) = (n - 1) * (m - 1) - 1.
Proof. ring. Qed.
(* (2) Its sign, for natural numbers. *)
Lemma prp_memory_factored_step_2 n m : (2 <= n)%nat -> (2 <= m)%nat ->
  (n + m <= n * m)%nat /\ ((n + m = n * m)%nat <-> n = 2%nat /\ m = 2%nat).
Proof.
  intros Hn Hm. destruct n as [|[|a]]; [lia|lia|]. destruct m as [|[|b]]; [lia|lia|]. cbn [Nat.mul].
  assert (H : (0 <= a * b)%nat) by lia. split; [lia|]. split; [|intros [E1 E2]; lia]. intros E. lia.
Qed.
(* (3) The share. *)
Lemma prp_memory_factored_step_3 n m : (1 <= n)%nat -> (1 <= m)%nat ->
  (INR n + INR m) / (INR n * INR m) = / INR n + / INR m /\ / INR n + / INR m <= 2 / INR (Nat.min n m).
Proof.
  intros Hn Hm. assert (Hn' := INR_pos n Hn). assert (Hm' := INR_pos m Hm). split; [field; lra|].
  assert (H : forall a b, (1 <= a)%nat -> (a <= b)%nat -> / INR b <= / INR a).
  { intros a b Ha Hab. apply Rinv_le_contravar; [now apply INR_pos|now apply le_INR]. }
  destruct (Nat.min_spec n m) as [[Hlt ->]|[Hle ->]].
  - assert (H0 := H n m Hn ltac:(lia)). unfold Rdiv. lra.
  - assert (H0 := H m n Hm Hle). unfold Rdiv. lra.
Qed.
(* (4) CAME: momentum and two factored pairs, against two full copies. *)
Lemma prp_memory_factored_step_4 (n m : R) : n * m + 2 * (n + m) <= 2 * (n * m) <-> (n - 2) * (m - 2) >= 4.
Proof. split; intros H; lra. Qed.
(* prp-memory-factored: numbers of factored and whole state, their share, and when CAME needs no more than Adam. *)
Theorem prp_memory_factored n m : (1 <= n)%nat -> (1 <= m)%nat ->
  ((2 <= n)%nat -> (2 <= m)%nat -> (n + m <= n * m)%nat /\ ((n + m = n * m)%nat <-> n = 2%nat /\ m = 2%nat)) /\
  (1 + m = 1 * m + 1)%nat /\ (n + 1 = n * 1 + 1)%nat /\
  (INR n + INR m) / (INR n * INR m) = / INR n + / INR m /\ / INR n + / INR m <= 2 / INR (Nat.min n m) /\
  (INR n * INR m + 2 * (INR n + INR m) <= 2 * (INR n * INR m) <-> (INR n - 2) * (INR m - 2) >= 4).
Proof.
  intros Hn Hm. split; [apply prp_memory_factored_step_2|]. split; [lia|]. split; [lia|].
  destruct (prp_memory_factored_step_3 n m Hn Hm) as [H1 H2]. split; [exact H1|]. split; [exact H2|].
  apply prp_memory_factored_step_4.
Qed.

(* An instance: a 6 x 3 matrix, the smallest for which CAME needs no more than Adam with three columns. *)
Lemma prp_memory_factored_instance : INR 6 * INR 3 + 2 * (INR 6 + INR 3) <= 2 * (INR 6 * INR 3).
Proof. apply prp_memory_factored; try lia. rewrite !S_INR, INR_zero. lra. Qed.

(* ---- 2. prp-memory-segments: k segments of l blocks each, L = k l. ---- *)

Section Segments.
  Variables k l : nat.
  Variables A C : R.                              (* what a block saves, and its input, in bytes *)
  Hypothesis blocks : (1 <= k)%nat /\ (1 <= l)%nat.
  Hypothesis input : 0 < C <= A.
  Definition L := (k * l)%nat.
  (* The forward pass keeps the input of every segment. In the backward pass, when b blocks of segment i (from 0 on)
     have been run again, the inputs of the i segments before it are held, and what these b blocks save, their input
     included. *)
  Definition forward (i : nat) := INR (i + 1) * C.
  Definition backward (i b : nat) := INR i * C + INR b * A.
  Definition M := (INR k - 1) * C + INR L / INR k * A.

  Lemma sizes : 1 <= INR k /\ 1 <= INR l /\ INR L / INR k = INR l.
  Proof.
    destruct blocks as [Hk Hl]. assert (H1 := INR_ge_1 k Hk). assert (H2 := INR_ge_1 l Hl).
    repeat split; try assumption. unfold L. rewrite mult_INR. field. lra.
  Qed.
  (* (1) The peak: at no moment more is held, and when the last segment has been run again just this. *)
  Lemma prp_memory_segments_step_1 : (forall i, (i < k)%nat -> forward i <= M) /\
    (forall i b, (i < k)%nat -> (b <= l)%nat -> backward i b <= M) /\ backward (k - 1) l = M.
  Proof.
    destruct blocks as [Hk Hl]. destruct sizes as (Hk' & Hl' & HL). unfold M, forward, backward. rewrite HL.
    assert (HC : 1 * C <= INR l * A) by (apply Rmult_le_compat; lra). repeat split.
    - intros i Hi. assert (H : INR (i + 1) <= INR k) by (apply le_INR; lia).
      assert (INR (i + 1) * C <= INR k * C) by (apply Rmult_le_compat_r; lra). lra.
    - intros i b Hi Hb. assert (H : INR i <= INR k - 1) by (apply (le_INR (S i)) in Hi; rewrite S_INR in Hi; lra).
      assert (INR i * C <= (INR k - 1) * C) by (apply Rmult_le_compat_r; lra).
      assert (INR b * A <= INR l * A) by (apply Rmult_le_compat_r; [lra|now apply le_INR]). lra.
    - rewrite minus_INR by lia. rewrite INR_one. ring.
  Qed.
  (* (2) Arithmetic and geometric mean. *)
  Lemma prp_memory_segments_step_2 : 2 * sqrt (INR L * A * C) - C <= M /\
    (M = 2 * sqrt (INR L * A * C) - C <-> INR k = sqrt (INR L * A / C)).
  Proof.
    destruct sizes as (Hk & Hl & HL). assert (HLp : 0 < INR L).
    { unfold L. rewrite mult_INR. apply Rmult_lt_0_compat; lra. }
    set (r := sqrt (INR L * A / C)). assert (Hr : 0 < r) by (apply sqrt_lt_R0; pos).
    assert (Hr2 : r ^ 2 = INR L * A / C) by (apply sqrt_squared, Rlt_le; pos).
    assert (Hroot : sqrt (INR L * A * C) = C * r).
    { apply sqrt_lem_1; [apply Rlt_le; pos|apply Rlt_le; pos|].
      replace (C * r * (C * r)) with (C ^ 2 * r ^ 2) by ring. rewrite Hr2. field. lra. }
    assert (HM : M - (2 * (C * r) - C) = C / INR k * (INR k - r) ^ 2).
    { unfold M. replace (INR L / INR k * A) with (C / INR k * r ^ 2) by (rewrite Hr2; field; lra). field. lra. }
    rewrite Hroot. assert (Hc : 0 < C / INR k) by pos. assert (Hs := pow2_nonneg (INR k - r)). split.
    - assert (0 <= C / INR k * (INR k - r) ^ 2) by (apply Rmult_le_pos; lra). lra.
    - split; intros H.
      + assert (H0 : C / INR k * (INR k - r) ^ 2 = 0) by lra. apply Rmult_integral in H0.
        destruct H0 as [H0|H0]; [lra|]. apply pow2_zero in H0. lra.
      + rewrite H in HM. replace (r - r) with 0 in HM by ring. replace (0 ^ 2) with 0 in HM by ring. lra.
  Qed.
  (* (3) The price: every segment runs forward twice. *)
  Definition evaluations := (L + k * l)%nat.
  (* prp-memory-segments (eq-memory-segments): the peak, its least value, and two evaluations of every block. *)
  Theorem prp_memory_segments :
    (forall i, (i < k)%nat -> forward i <= M) /\
    (forall i b, (i < k)%nat -> (b <= l)%nat -> backward i b <= M) /\ backward (k - 1) l = M /\
    2 * sqrt (INR L * A * C) - C <= M /\
    (M = 2 * sqrt (INR L * A * C) - C <-> INR k = sqrt (INR L * A / C)) /\ (evaluations = 2 * L)%nat.
  Proof.
    destruct prp_memory_segments_step_1 as (H1 & H2 & H3). destruct prp_memory_segments_step_2 as [H4 H5].
    repeat (split; [assumption|]). unfold evaluations, L. lia.
  Qed.
End Segments.
(* An instance: two segments of three blocks; a block saves twice what its input has. *)
Lemma prp_memory_segments_instance : backward 2 1 1 3 = 7 /\ 2 * sqrt (INR 6 * 2 * 1) - 1 <= 7.
Proof.
  assert (H := prp_memory_segments 2 3 2 1 ltac:(lia) ltac:(lra)).
  assert (HM : M 2 3 2 1 = 7) by (unfold M, L; rewrite mult_INR, !S_INR, INR_zero; field).
  rewrite HM in H. tauto.
Qed.

(* ---- 3. prp-memory-zero: d numbers on N devices; a parameter has p bytes, its gradient g, master and state w. ---- *)

Section Zero.
  Variables d N : nat.
  Variables p g w : R.
  Hypothesis devices : (1 <= N)%nat.
  Hypothesis bytes : 0 < p /\ 0 <= g /\ 0 <= w.
  (* The share of one device: d / N, rounded up. *)
  Definition share := ((d + (N - 1)) / N)%nat.
  Definition B_0 := (p + g + w) * INR d.
  Definition B_1 := (p + g) * INR d + w * INR share.
  Definition B_2 := p * INR d + (g + w) * INR share.
  Definition B_3 := (p + g + w) * INR share.

  (* (1) Nothing is lost, (2) little is added, (3) sharing more never takes more. *)
  Lemma prp_memory_zero_step_1 : (d <= N * share)%nat.
  Proof.
    unfold share. assert (H := Nat.mul_succ_div_gt (d + (N - 1)) N ltac:(lia)). lia.
  Qed.
  Lemma prp_memory_zero_step_2 : INR share < INR d / INR N + 1.
  Proof.
    assert (HN := INR_pos N devices). assert (H : (N * share <= d + (N - 1))%nat) by (apply Nat.mul_div_le; lia).
    apply le_INR in H. rewrite mult_INR, plus_INR, minus_INR, INR_one in H by lia.
    apply Rmult_lt_reg_l with (INR N); [assumption|].
    replace (INR N * (INR d / INR N + 1)) with (INR d + INR N) by (field; lra). lra.
  Qed.
  Lemma prp_memory_zero_step_3 : (share <= d)%nat.
  Proof.
    unfold share. destruct d as [|e]; [rewrite Nat.div_small; lia|].
    apply Nat.lt_succ_r, Nat.div_lt_upper_bound; [lia|].
    assert (H : (1 * (S (S e)) <= N * (S (S e)))%nat) by (apply Nat.mul_le_mono_r; lia).
    destruct N as [|M]; [lia|]. cbn [Nat.mul] in *. lia.
  Qed.
  (* prp-memory-zero: the bytes of the stages, and what stage 1 can save at most. *)
  Theorem prp_memory_zero :
    B_1 <= (p + g) * INR d + w * (INR d / INR N) + w /\
    B_2 <= p * INR d + (g + w) * (INR d / INR N) + (g + w) /\
    B_3 <= (p + g + w) * (INR d / INR N + 1) /\
    B_3 <= B_2 /\ B_2 <= B_1 /\ B_1 <= B_0 /\ B_0 <= (p + g + w) / (p + g) * B_1.
  Proof.
    destruct bytes as (Hp & Hg & Hw). assert (H2 := prp_memory_zero_step_2).
    assert (H3 := prp_memory_zero_step_3). apply le_INR in H3.
    assert (Hs := pos_INR share). assert (Hd := pos_INR d). unfold B_0, B_1, B_2, B_3. set (s := INR share) in *.
    set (q := INR d / INR N) in *. assert (Hmul : forall z, 0 <= z -> z * s <= z * q + z /\ z * s <= z * INR d).
    { intros z Hz. split; [replace (z * q + z) with (z * (q + 1)) by ring|]; apply Rmult_le_compat_l; lra. }
    destruct (Hmul w Hw). destruct (Hmul (g + w) ltac:(lra)). destruct (Hmul (p + g + w) ltac:(lra)).
    destruct (Hmul p ltac:(lra)). destruct (Hmul g Hg). repeat split; try lra.
    replace ((p + g + w) * INR d) with ((p + g + w) / (p + g) * ((p + g) * INR d)) by (field; lra).
    apply Rmult_le_compat_l; [apply Rle_mult_inv_pos; lra|]. assert (0 <= w * s) by (apply Rmult_le_pos; lra). lra.
  Qed.
End Zero.
(* An instance: seven numbers on three devices, of 2 bytes, 2 for the gradient and 12 for the rest. *)
Lemma prp_memory_zero_instance : B_3 7 3 2 2 12 = 48 /\ B_3 7 3 2 2 12 <= B_2 7 3 2 2 12 <= B_1 7 3 2 2 12.
Proof.
  split; [unfold B_3; change (share 7 3) with 3%nat; rewrite !S_INR, INR_zero; ring|].
  split; apply prp_memory_zero; lia || lra.
Qed.
(* Without two rows it is false: the factors of a single row are one number more than the row. *)
Lemma prp_memory_factored_needs_rows m : (1 * m < 1 + m)%nat.
Proof. lia. Qed.
(* Without an input that is at most what a block saves it is false: one block, whose input is twice as large. *)
Lemma prp_memory_segments_needs_input : M 1 1 1 2 < forward 2 0.
Proof. unfold M, forward, L. cbn [Nat.add Nat.mul]. rewrite INR_one. lra. Qed.
