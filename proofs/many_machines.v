(* Many machines: no all-reduce sends less (prp-machines-least), one coordinate. All coordinates are in
   many_machines_all.v.

   A number that is sent is a sum of entries of some processes; it is written as the vector of 0 and 1 that says of
   which. A process can form sums and differences of its own entry and of what it has received. *)
Require Export spaces.
Require Export List Classical.
Export ListNotations.
Open Scope R_scope.

Definition entry (p : nat) : nat -> R := fun q => if Nat.eqb p q then 1 else 0.
Record delivery := { sender : nat; receiver : nat; number : nat -> R }.
Definition got (p : nat) (ds : list delivery) := map number (filter (fun d => Nat.eqb (receiver d) p) ds).
(* What p can form when it has received the numbers l. *)
Inductive formable (p : nat) (l : list (nat -> R)) : (nat -> R) -> Prop :=
  | own : formable p l (entry p)
  | received v : In v l -> formable p l v
  | combined a b u v : formable p l u -> formable p l v -> formable p l (fun q => a * u q + b * v q).
Definition partial_sum (v : nat -> R) := forall q, v q = 0 \/ v q = 1.

(* asm-machines-sums: every number is a partial sum that its sender can form when it sends it. *)
Definition valid (ds : list delivery) := forall before d after, ds = before ++ d :: after ->
  partial_sum (number d) /\ formable (sender d) (got (sender d) before) (number d).

Lemma valid_prefix before after : valid (before ++ after) -> valid before.
Proof. intros H b d a E. apply (H b d (a ++ after)). now rewrite E, <- app_assoc. Qed.
Lemma got_app p l r : got p (l ++ r) = got p l ++ got p r.
Proof. unfold got. now rewrite filter_app, map_app. Qed.
Lemma in_got p ds v : In v (got p ds) -> exists before d after, ds = before ++ d :: after /\ number d = v.
Proof.
  unfold got. intros H. apply in_map_iff in H. destruct H as (d & <- & H). apply filter_In in H. destruct H as [H _].
  apply in_split in H. destruct H as (before & after & E). now exists before, d, after.
Qed.
(* An entry that p can use, other than its own, has been sent by its owner. *)
Lemma must_have_sent n : forall ds, (length ds <= n)%nat -> valid ds ->
  forall p v, formable p (got p ds) v -> forall q, v q <> 0 -> q = p \/ In q (map sender ds).
Proof.
  induction n as [|n IH]; intros ds Hl Hv p v Hf q Hq.
  - destruct ds as [|d ds]; [|cbn in Hl; lia]. cbn in Hf. left. revert q Hq.
    induction Hf as [|v []|a b u v _ IHu _ IHv]; intros q Hq.
    + unfold entry in Hq. destruct (Nat.eqb_spec p q); [now symmetry|contradiction].
    + destruct (Req_dec (u q) 0) as [Eu|Nu]; [|now apply IHu]. destruct (Req_dec (v q) 0) as [Ev|Nv]; [|now apply IHv].
      exfalso. apply Hq. rewrite Eu, Ev. ring.
  - revert q Hq. induction Hf as [|v Hin|a b u v _ IHu _ IHv]; intros q Hq.
    + unfold entry in Hq. left. destruct (Nat.eqb_spec p q); [now symmetry|contradiction].
    + right. apply in_got in Hin. destruct Hin as (before & d & after & E & Hd).
      destruct (Hv before d after E) as [_ Hf].
      assert (Hb : valid before) by (apply (valid_prefix before (d :: after)); now rewrite <- E).
      assert (Hlb : (length before <= n)%nat) by (rewrite E, app_length in Hl; cbn in Hl; lia).
      rewrite Hd in Hf. rewrite E, map_app. cbn [map]. apply in_or_app.
      destruct (IH before Hlb Hb (sender d) v Hf q Hq) as [->|H]; [right; now left|now left].
    + destruct (Req_dec (u q) 0) as [Eu|Nu]; [|now apply IHu]. destruct (Req_dec (v q) 0) as [Ev|Nv]; [|now apply IHv].
      exfalso. apply Hq. rewrite Eu, Ev. ring.
Qed.

Section One_coordinate.
  Variable N : nat.
  Hypothesis several : (2 <= N)%nat.
  (* p can form the sum of all entries. *)
  Definition holds p ds := exists v, formable p (got p ds) v /\ forall q, (q < N)%nat -> v q = 1.
  Definition others P := filter (fun q => negb (Nat.eqb q P)) (seq 0 N).

  Lemma in_others P q : In q (others P) <-> (q < N)%nat /\ q <> P.
  Proof.
    unfold others. rewrite filter_In, in_seq. destruct (Nat.eqb_spec q P); cbn; intuition (try lia; try discriminate).
  Qed.
  Lemma others_count P : (P < N)%nat -> (N - 1 <= length (others P))%nat.
  Proof.
    intros HP. assert (H : incl (seq 0 N) (P :: others P)).
    { intros q Hq. apply in_seq in Hq. destruct (Nat.eq_dec q P) as [->|Hne]; [now left|right]. apply in_others. lia. }
    apply (NoDup_incl_length (seq_NoDup N 0)) in H. rewrite seq_length in H. cbn [length] in H. lia.
  Qed.
  Lemma covered P (l : list delivery) (f : delivery -> nat) : (P < N)%nat ->
    (forall q, (q < N)%nat -> q <> P -> In q (map f l)) -> (N - 1 <= length l)%nat.
  Proof.
    intros HP H. assert (Hi : incl (others P) (map f l)) by (intros q Hq; apply in_others in Hq; now apply H).
    apply NoDup_incl_length in Hi; [|apply NoDup_filter, seq_NoDup]. rewrite map_length in Hi.
    assert (H0 := others_count P HP). lia.
  Qed.
  Lemma nobody_at_first p : (p < N)%nat -> ~ holds p [].
  Proof.
    intros Hp (v & Hf & H1). assert (Hv : valid []) by (intros b d a E; destruct b; discriminate).
    set (q := if Nat.eqb p 0 then 1%nat else O).
    assert (Hq : (q < N)%nat /\ q <> p) by (unfold q; destruct (Nat.eqb_spec p 0); lia).
    destruct (must_have_sent 0 [] (le_n 0) Hv p v Hf q) as [E|[]]; [|lia]. rewrite H1 by lia. lra.
  Qed.
  (* The delivery at which a process, call it P, is the first to hold the sum. *)
  Lemma first_holder ds : (forall p, (p < N)%nat -> holds p ds) -> exists before d after, ds = before ++ d :: after /\
    (forall p, (p < N)%nat -> ~ holds p before) /\ (receiver d < N)%nat /\ holds (receiver d) (before ++ [d]).
  Proof.
    intros Hall. assert (H : forall r before, ds = before ++ r -> (forall p, (p < N)%nat -> ~ holds p before) ->
      exists b d a, ds = b ++ d :: a /\ (forall p, (p < N)%nat -> ~ holds p b) /\ (receiver d < N)%nat
        /\ holds (receiver d) (b ++ [d])).
    { induction r as [|d r IH]; intros before E Hnot.
      - rewrite app_nil_r in E. exfalso. apply (Hnot O); [lia|]. rewrite <- E. apply Hall. lia.
      - destruct (classic (exists p, (p < N)%nat /\ holds p (before ++ [d]))) as [(p & Hp & Hh)|Hno].
        + assert (Er : receiver d = p).
          { destruct (Nat.eq_dec (receiver d) p) as [|Hne]; [assumption|exfalso]. apply (Hnot p Hp).
            destruct Hh as (v & Hf & H1). exists v. split; [|assumption]. rewrite got_app in Hf. unfold got at 2 in Hf.
            cbn [filter] in Hf. rewrite (proj2 (Nat.eqb_neq _ _) Hne) in Hf. now rewrite app_nil_r in Hf. }
          exists before, d, r. rewrite Er. now repeat split.
        + apply (IH (before ++ [d])); [now rewrite <- app_assoc|]. intros p Hp Hh. apply Hno. now exists p. }
    apply (H ds []); [reflexivity|]. apply nobody_at_first.
  Qed.
  (* (1) Up to that moment at least N - 1 numbers were delivered, and (2) after it at least N - 1 more. *)
  Lemma step_1 before d : valid (before ++ [d]) -> (receiver d < N)%nat -> holds (receiver d) (before ++ [d]) ->
    (N - 1 <= length (before ++ [d]))%nat.
  Proof.
    intros Hv HP (v & Hf & H1). apply (covered (receiver d) _ sender HP). intros q Hq Hne.
    destruct (must_have_sent _ _ (le_n _) Hv _ v Hf q) as [E|H]; [rewrite H1 by assumption; lra|contradiction|exact H].
  Qed.
  Lemma step_2 before d after : (receiver d < N)%nat -> (forall p, (p < N)%nat -> ~ holds p before) ->
    (forall p, (p < N)%nat -> holds p (before ++ d :: after)) -> (N - 1 <= length after)%nat.
  Proof.
    intros HP Hnot Hall. apply (covered (receiver d) _ receiver HP). intros q Hq Hne.
    destruct (in_dec Nat.eq_dec q (map receiver after)) as [|Hno]; [assumption|exfalso]. apply (Hnot q Hq).
    destruct (Hall q Hq) as (v & Hf & H1). exists v. split; [|assumption].
    assert (E : got q (d :: after) = []).
    { unfold got. cbn [filter]. rewrite (proj2 (Nat.eqb_neq (receiver d) q)) by (intros E0; now symmetry in E0).
      clear - Hno. induction after as [|e r IH]; [reflexivity|]. cbn [filter map] in *.
      destruct (Nat.eqb_spec (receiver e) q) as [E0|_]; [exfalso; apply Hno; now left|].
      apply IH. intros H. apply Hno. now right. }
    rewrite got_app, E, app_nil_r in Hf. exact Hf.
  Qed.
  (* (3) for one coordinate. *)
  Theorem least_deliveries ds : valid ds -> (forall p, (p < N)%nat -> holds p ds) -> (2 * (N - 1) <= length ds)%nat.
  Proof.
    intros Hv Hall. destruct (first_holder ds Hall) as (before & d & after & E & Hnot & HP & Hh).
    assert (Hv' : valid (before ++ [d])).
    { apply (valid_prefix _ after). rewrite <- app_assoc. cbn [app]. now rewrite <- E. }
    assert (H1 := step_1 before d Hv' HP Hh). rewrite E in Hall. assert (H2 := step_2 before d after HP Hnot Hall).
    rewrite E. rewrite app_length in *. cbn [length] in *. lia.
  Qed.
End One_coordinate.
