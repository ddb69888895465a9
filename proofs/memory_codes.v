(* Memory: what a code keeps (prp-memory-codes): L levels, of which a number gets the nearest, and the scale s of its
   block. *)
Require Import sums memory_roundings.
Open Scope R_scope.

Section Codes.
  Variable levels : nat -> R.
  Variable L : nat.
  Variable code : R -> nat.
  Variable s : R.
  Hypothesis scale : 0 < s.
  (* The code of z is a level, and no level is nearer. *)
  Hypothesis nearest : forall z, (code z < L)%nat /\
    forall k, (k < L)%nat -> Rabs (levels (code z) - z) <= Rabs (levels k - z).
  (* What is read back. *)
  Definition read (a : R) := s * levels (code (a / s)).

  Lemma scaled y a : Rabs (s * y - a) = s * Rabs (y - a / s).
  Proof. rewrite <- (Rabs_pos_eq s) at 2 by lra. rewrite <- Rabs_mult. f_equal. field. lra. Qed.
  (* (1) The nearest of the scaled levels. *)
  Lemma step_1 a k : (k < L)%nat -> Rabs (read a - a) <= Rabs (s * levels k - a).
  Proof.
    intros Hk. unfold read. rewrite !scaled. apply Rmult_le_compat_l; [lra|]. now apply nearest.
  Qed.
  (* (2) The largest. *)
  Lemma step_2 k : (k < L)%nat -> levels k = 1 -> read s = s.
  Proof.
    intros Hk H1. assert (H := step_1 s k Hk). rewrite H1 in H. replace (s * 1 - s) with 0 in H by ring.
    rewrite Rabs_R0 in H. assert (H0 := Rabs_pos (read s - s)).
    destruct (Req_EM_T (read s - s) 0) as [E|E]; [lra|]. apply Rabs_pos_lt in E. lra.
  Qed.
  (* (3) Between two levels. *)
  Lemma step_3 a k l : (k < L)%nat -> (l < L)%nat -> s * levels k <= a <= s * levels l ->
    Rabs (read a - a) <= (levels l - levels k) / 2 * s.
  Proof.
    intros Hk Hl [H1 H2]. assert (Hd := step_1 a k Hk). assert (Hu := step_1 a l Hl).
    rewrite (Rabs_left1 (s * levels k - a)) in Hd by lra.
    rewrite (Rabs_pos_eq (s * levels l - a)) in Hu by lra. lra.
  Qed.
  (* (4) Near zero. *)
  Lemma step_4 a zero least : (zero < L)%nat -> levels zero = 0 ->
    (forall k, (k < L)%nat -> levels k <> 0 -> least <= Rabs (levels k)) -> Rabs a < least / 2 * s -> read a = 0.
  Proof.
    intros Hz Hz0 Hleast Ha. assert (Hq : Rabs (a / s) < least / 2).
    { unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ s)) by (apply Rlt_le, Rinv_0_lt_compat; lra).
      apply Rmult_lt_reg_r with s; [assumption|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (H : levels (code (0 + a / s)) = 0).
    { apply (nearest_stays (fun y => exists k, (k < L)%nat /\ y = levels k) (fun z => levels (code z)) 0 (least / 2)).
      - intros z. destruct (nearest z) as [Hc Hn]. split; [now exists (code z)|]. intros y [k [Hk ->]]. now apply Hn.
      - now exists zero.
      - intros y [k [Hk ->]] Hne. rewrite Rminus_0_r. assert (H := Hleast k Hk Hne). lra.
      - assumption. }
    rewrite Rplus_0_l in H. unfold read. rewrite H. ring.
  Qed.
  (* (5) Without a level zero. *)
  Lemma step_5 a least : (forall k, (k < L)%nat -> least <= levels k) -> least * s <= read a.
  Proof.
    intros H. unfold read. rewrite Rmult_comm. apply Rmult_le_compat_l; [lra|]. now apply H, nearest.
  Qed.
  (* prp-memory-codes: the largest is kept, others up to half a gap, small ones become 0, or the least level. *)
  Theorem prp_memory_codes :
    (forall k, (k < L)%nat -> levels k = 1 -> read s = s) /\
    (forall a k l, (k < L)%nat -> (l < L)%nat -> s * levels k <= a <= s * levels l ->
      Rabs (read a - a) <= (levels l - levels k) / 2 * s) /\
    (forall a zero least, (zero < L)%nat -> levels zero = 0 ->
      (forall k, (k < L)%nat -> levels k <> 0 -> least <= Rabs (levels k)) ->
      Rabs a < least / 2 * s -> read a = 0) /\
    (forall a least, (forall k, (k < L)%nat -> least <= levels k) -> least * s <= read a).
  Proof. split; [exact step_2|]. split; [exact step_3|]. split; [exact step_4|exact step_5]. Qed.
End Codes.

(* An instance: the two levels 0 and 1. *)
Definition bit (k : nat) : R := if Nat.eqb k 0 then 0 else 1.
Definition bit_of (z : R) : nat := if Rle_dec z (1 / 2) then O else 1%nat.
Lemma bit_nearest : forall z, (bit_of z < 2)%nat /\
  forall k, (k < 2)%nat -> Rabs (bit (bit_of z) - z) <= Rabs (bit k - z).
Proof.
  intros z. unfold bit_of. destruct (Rle_dec z (1 / 2)) as [H|H]; (split; [lia|]); intros k Hk; unfold bit;
    destruct k as [|k]; cbn [Nat.eqb]; unfold Rabs; repeat destruct Rcase_abs; lra.
Qed.
Lemma prp_memory_codes_instance a : 0 <= a <= 3 -> Rabs (read bit bit_of 3 a - a) <= 3 / 2.
Proof.
  intros Ha. destruct (prp_memory_codes bit 2 bit_of 3 ltac:(lra) bit_nearest) as (_ & H & _).
  specialize (H a 0%nat 1%nat ltac:(lia) ltac:(lia)). unfold bit in H at 1 2 4 5. cbn [Nat.eqb] in H. lra.
Qed.
(* Without the nearest level it is false: a code that is always 0 reads 3 as 0, which is all of it and not half. *)
Lemma prp_memory_codes_needs_nearest : let code (z : R) := O in
  3 * bit 0 <= 3 <= 3 * bit 1 /\ (bit 1 - bit 0) / 2 * 3 < Rabs (read bit code 3 3 - 3).
Proof. intros code. unfold read, bit, code. cbn [Nat.eqb]. rewrite Rabs_left; lra. Qed.
