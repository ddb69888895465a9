(* Train large, then compress: what k bits cost (prp-large-bits).

   A row has n + 1 weights w 0, ..., w n; its grid starts at the smallest, has 2^k - 1 steps and ends at the largest. *)
Require Import vectors.
Open Scope R_scope.

Fixpoint largest (n : nat) (x : nat -> R) : R := match n with O => x O | S m => Rmax (largest m x) (x (S m)) end.
Fixpoint smallest (n : nat) (x : nat -> R) : R := match n with O => x O | S m => Rmin (smallest m x) (x (S m)) end.
Lemma between n x j : (j <= n)%nat -> smallest n x <= x j <= largest n x.
Proof.
  induction n as [|n IH]; intros Hj; cbn [largest smallest]; [assert (j = O) as -> by lia; lra|].
  assert (H1 := Rmin_l (smallest n x) (x (S n))). assert (H2 := Rmin_r (smallest n x) (x (S n))).
  assert (H3 := Rmax_l (largest n x) (x (S n))). assert (H4 := Rmax_r (largest n x) (x (S n))).
  destruct (Nat.eq_dec j (S n)) as [->|]; [lra|]. assert (H := IH ltac:(lia)). lra.
Qed.
Lemma within n x lo hi : (forall j, (j <= n)%nat -> lo <= x j <= hi) -> lo <= smallest n x /\ largest n x <= hi.
Proof.
  induction n as [|n IH]; intros H; cbn [largest smallest]; [apply H; lia|].
  destruct IH as [H1 H2]; [intros; apply H; lia|]. destruct (H (S n) ltac:(lia)).
  split; [now apply Rmin_glb|now apply Rmax_lub].
Qed.

(* The nearest integer (halves go up). *)
Definition round (x : R) : R := IZR (up (x - / 2)).
Lemma round_near x : Rabs (round x - x) <= / 2.
Proof. unfold round. destruct (archimed (x - / 2)). apply Rabs_le. lra. Qed.

(* The steps of a grid of k bits, and the step of a grid from lo to hi. *)
Definition steps (k : nat) : R := 2 ^ k - 1.
Definition step_size k lo hi := (hi - lo) / steps k.
Definition quantised lo s w := lo + s * round ((w - lo) / s).
Lemma steps_pos k : (1 <= k)%nat -> 0 < steps k.
Proof.
  intros Hk. unfold steps. destruct k as [|k]; [lia|]. rewrite <- tech_pow_Rmult.
  assert (H : 1 <= 2 ^ k) by (apply pow_R1_Rle; lra). lra.
Qed.
(* (1) Rounding: a weight between lo and hi moves by at most half a step. (A grid without steps has one weight, lo.) *)
Lemma step_1 k lo hi w : (1 <= k)%nat -> lo <= w <= hi ->
  Rabs (quantised lo (step_size k lo hi) w - w) <= step_size k lo hi / 2.
Proof.
  intros Hk Hw. assert (Hs := steps_pos k Hk). set (s := step_size k lo hi).
  assert (H0 : 0 <= s) by (unfold s, step_size; apply Rle_mult_inv_pos; lra). unfold quantised. destruct H0 as [H0|H0].
  - replace (lo + s * round ((w - lo) / s) - w) with (s * (round ((w - lo) / s) - (w - lo) / s)) by (field; lra).
    rewrite Rabs_mult, (Rabs_pos_eq s) by lra. assert (H := round_near ((w - lo) / s)).
    apply (Rmult_le_compat_l s) in H; lra.
  - rewrite <- H0. assert (E : hi - lo = 0).
    { apply Rmult_eq_reg_r with (/ steps k); [|apply Rinv_neq_0_compat; lra]. unfold s, step_size, Rdiv in H0. lra. }
    replace (lo + 0 * round ((w - lo) / 0) - w) with (lo - w) by ring. replace (lo - w) with 0 by lra.
    rewrite Rabs_R0. lra.
Qed.
(* (2) Output. *)
Lemma step_2 n (e x : vec) s : (forall j, (j < n)%nat -> Rabs (e j) <= s / 2) ->
  Rabs (inner n e x) <= s / 2 * norm1 n x.
Proof.
  intros H. eapply Rle_trans; [apply sum_abs|]. unfold norm1. rewrite <- sum_scal. apply sum_le. intros j Hj.
  rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|now apply H].
Qed.
(* (3) Channels: the range of a row lies within the range of the matrix. *)
Lemma step_3 k lo hi Lo Hi : (1 <= k)%nat -> Lo <= lo -> hi <= Hi -> step_size k lo hi <= step_size k Lo Hi.
Proof.
  intros Hk H1 H2. assert (Hs := steps_pos k Hk). apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat|lra].
Qed.
(* (4) Bits. *)
Lemma step_4 k lo hi : (1 <= k)%nat -> lo < hi -> step_size (S k) lo hi < step_size k lo hi / 2.
Proof.
  intros Hk H. assert (Hs := steps_pos k Hk). unfold step_size, Rdiv. rewrite Rmult_assoc, <- Rinv_mult.
  apply Rmult_lt_compat_l; [lra|]. apply Rinv_lt_contravar.
  - apply Rmult_lt_0_compat; [lra|]. apply steps_pos. lia.
  - unfold steps. rewrite <- tech_pow_Rmult. lra.
Qed.

(* prp-large-bits: a matrix of m + 1 rows of n + 1 weights; row i has its own grid. *)
Section Matrix.
  Variables m n k : nat.
  Variable w : nat -> vec.
  Hypothesis bits : (1 <= k)%nat.
  Definition lo i := smallest n (w i).
  Definition hi i := largest n (w i).
  Definition s i := step_size k (lo i) (hi i).
  Definition w_hat i : vec := fun j => quantised (lo i) (s i) (w i j).
  Definition s_matrix := step_size k (smallest m lo) (largest m hi).
  (* prp-large-bits: the error of a weight, of the output, of a grid for each row beside one for the matrix, and what
     one more bit gains. *)
  Theorem prp_large_bits i x : (i <= m)%nat ->
    (forall j, (j <= n)%nat -> Rabs (w_hat i j - w i j) <= s i / 2) /\
    Rabs (inner (S n) (sub (w_hat i) (w i)) x) <= s i / 2 * norm1 (S n) x /\
    s i <= s_matrix /\
    (lo i < hi i -> step_size (S k) (lo i) (hi i) < s i / 2).
  Proof.
    intros Hi. assert (H1 : forall j, (j <= n)%nat -> Rabs (w_hat i j - w i j) <= s i / 2).
    { intros j Hj. apply step_1; [assumption|now apply between]. }
    split; [exact H1|]. split; [apply step_2; intros j Hj; apply H1; lia|]. split; [|now apply step_4].
    apply step_3; [assumption| |]; now apply between.
  Qed.
End Matrix.
(* An instance: the row 0, 1, 2 and two bits; its step is 2/3. *)
Lemma prp_large_bits_instance j : let w (i : nat) : vec := fun j => INR j in (j <= 2)%nat ->
  s 2 2 w 0 = 2 / 3 /\ Rabs (w_hat 2 2 w 0 j - w 0%nat j) <= 1 / 3.
Proof.
  intros w Hj. assert (H : s 2 2 w 0 = 2 / 3).
  { unfold s, step_size, steps, lo, hi, w. cbn [smallest largest]. rewrite INR_zero, INR_one, INR_two.
    rewrite (Rmin_left 0 1), Rmin_left, (Rmax_right 0 1), Rmax_right by lra. field. }
  split; [exact H|]. replace (1 / 3) with (s 2 2 w 0 / 2) by (rewrite H; field).
  apply (prp_large_bits 0 2 2 w ltac:(lia) 0 (fun _ => 0)); [lia|exact Hj].
Qed.
