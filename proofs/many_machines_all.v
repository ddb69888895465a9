(* Many machines: the least traffic of an all-reduce of d numbers over N processes (prp-machines-least).

   A message is a delivery together with the coordinate that it is about. *)
Require Import many_machines.
Open Scope R_scope.

Definition message := (nat * delivery)%type.
Definition about (j : nat) (ms : list message) : list delivery := map snd (filter (fun m => Nat.eqb (fst m) j) ms).
Definition sent p (ms : list message) := length (filter (fun m => Nat.eqb (sender (snd m)) p) ms).
Definition received_by p (ms : list message) := length (filter (fun m => Nat.eqb (receiver (snd m)) p) ms).
(* An all-reduce: in every coordinate the numbers can be formed, and in the end every process holds the sum. *)
Definition all_reduce N d (ms : list message) :=
  (forall m, In m ms -> (fst m < d)%nat /\ (sender (snd m) < N)%nat /\ (receiver (snd m) < N)%nat) /\
  forall j, (j < d)%nat -> valid (about j ms) /\ forall p, (p < N)%nat -> holds N p (about j ms).

Fixpoint nat_sum (n : nat) (x : nat -> nat) : nat := match n with O => O | S m => (nat_sum m x + x m)%nat end.
Lemma nat_sum_INR n x : INR (nat_sum n x) = sum n (fun i => INR (x i)).
Proof. induction n as [|n IH]; [reflexivity|]. cbn [nat_sum]. rewrite plus_INR, IH, sum_S. reflexivity. Qed.
Lemma nat_sum_le n x c : (forall i, (i < n)%nat -> (c <= x i)%nat) -> (c * n <= nat_sum n x)%nat.
Proof.
  induction n as [|n IH]; intros H; cbn [nat_sum]; [lia|].
  specialize (IH ltac:(intros; apply H; lia)). specialize (H n ltac:(lia)). lia.
Qed.
Lemma nat_sum_ext n x y : (forall i, (i < n)%nat -> x i = y i) -> nat_sum n x = nat_sum n y.
Proof.
  induction n as [|n IH]; intros H; cbn [nat_sum]; [reflexivity|].
  rewrite IH, H by (intros; try apply H; lia). reflexivity.
Qed.
Lemma nat_sum_plus n x y : nat_sum n (fun i => (x i + y i)%nat) = (nat_sum n x + nat_sum n y)%nat.
Proof. induction n as [|n IH]; cbn [nat_sum]; [reflexivity|]. rewrite IH. lia. Qed.
Lemma nat_sum_pick n k : (k < n)%nat -> nat_sum n (fun i => if Nat.eqb k i then 1 else 0)%nat = 1%nat.
Proof.
  intros H. assert (Hz : forall m, (m <= k)%nat -> nat_sum m (fun i => if Nat.eqb k i then 1 else 0)%nat = O).
  { induction m as [|m IH]; intros Hm; cbn [nat_sum]; [reflexivity|].
    rewrite IH, (proj2 (Nat.eqb_neq k m)) by lia. lia. }
  induction n as [|n IH]; [lia|]. cbn [nat_sum]. destruct (Nat.eq_dec k n) as [->|Hne].
  - rewrite Hz, Nat.eqb_refl by lia. reflexivity.
  - rewrite IH, (proj2 (Nat.eqb_neq k n)) by lia. reflexivity.
Qed.
(* Messages counted by a key below n: every message has one. *)
Lemma counted_by_key {A : Type} n (key : A -> nat) l : (forall a, In a l -> (key a < n)%nat) ->
  nat_sum n (fun k => length (filter (fun a => Nat.eqb (key a) k) l)) = length l.
Proof.
  induction l as [|a l IH]; intros H.
  - cbn. induction n as [|n IHn]; cbn [nat_sum]; [reflexivity|]. rewrite IHn; [reflexivity|intros b []].
  - assert (E1 := nat_sum_pick n (key a) (H a (or_introl eq_refl))).
    rewrite (nat_sum_ext n _ (fun k => ((if Nat.eqb (key a) k then 1 else 0)
      + length (filter (fun b => Nat.eqb (key b) k) l))%nat)).
    + rewrite nat_sum_plus, E1, IH by (intros; apply H; now right). reflexivity.
    + intros k _. cbn [filter]. destruct (Nat.eqb (key a) k); reflexivity.
Qed.

Section Least.
  Variables N d : nat.
  Variable ms : list message.
  Hypothesis several : (2 <= N)%nat.
  Hypothesis complete : all_reduce N d ms.

  Lemma about_length j : length (about j ms) = length (filter (fun m => Nat.eqb (fst m) j) ms).
  Proof. unfold about. now rewrite map_length. Qed.
  (* (3) Together: a number is about one coordinate only. *)
  Theorem step_3 : (2 * (N - 1) * d <= length ms)%nat.
  Proof.
    destruct complete as [Hm Hj].
    rewrite <- (counted_by_key d (fun m : message => fst m) ms) by (intros m H; now apply Hm).
    apply nat_sum_le. intros j Hjd. destruct (Hj j Hjd) as [Hv Hh]. rewrite <- about_length.
    now apply (least_deliveries N several).
  Qed.
  (* (4) The busiest: the most is at least the mean. *)
  Lemma above_mean n (x : nat -> nat) total : (1 <= n)%nat -> nat_sum n x = total ->
    exists k, (k < n)%nat /\ INR total / INR n <= INR (x k).
  Proof.
    intros Hn E. destruct (below_mean n (fun i => - INR (x i)) Hn) as (k & Hk & H). exists k. split; [assumption|].
    cbv beta in H. rewrite sum_opp, <- nat_sum_INR, E in H. unfold Rdiv in *. lra.
  Qed.
  (* prp-machines-least: at least 2 (N - 1) d numbers are delivered, and some process sends, and some receives, at
     least 2 (N - 1) / N d of them. *)
  Theorem prp_machines_least : (2 * (N - 1) * d <= length ms)%nat /\
    (exists p, (p < N)%nat /\ 2 * ((INR N - 1) / INR N) * INR d <= INR (sent p ms)) /\
    (exists p, (p < N)%nat /\ 2 * ((INR N - 1) / INR N) * INR d <= INR (received_by p ms)).
  Proof.
    destruct complete as [Hm _]. assert (H3 := step_3). assert (HN := INR_pos N ltac:(lia)).
    assert (Hmean : 2 * ((INR N - 1) / INR N) * INR d <= INR (length ms) / INR N).
    { apply le_INR in H3. rewrite !mult_INR, minus_INR, INR_one, INR_two in H3 by lia.
      replace (2 * ((INR N - 1) / INR N) * INR d) with (2 * (INR N - 1) * INR d / INR N) by (field; lra).
      apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat|exact H3]. }
    split; [exact H3|]. split.
    - destruct (above_mean N (fun p => sent p ms) (length ms) ltac:(lia)) as (p & Hp & H).
      + apply (counted_by_key N (fun m => sender (snd m)) ms). intros m Hin. now apply Hm.
      + exists p. split; [assumption|lra].
    - destruct (above_mean N (fun p => received_by p ms) (length ms) ltac:(lia)) as (p & Hp & H).
      + apply (counted_by_key N (fun m => receiver (snd m)) ms). intros m Hin. now apply Hm.
      + exists p. split; [assumption|lra].
  Qed.
End Least.
