(* Many machines: the ring attains the least traffic, for every process (the last sentence of prp-machines-least).

   The numbers are cut into N chunks. For chunk c the sum grows along c, c + 1, ..., c + N - 1 (mod N), and from there
   the whole sum goes round once more. *)
Require Import many_machines many_machines_all.
Open Scope R_scope.

(* What stands in a list that ends with d. *)
Lemma valid_snoc ds d : valid ds -> partial_sum (number d) -> formable (sender d) (got (sender d) ds) (number d) ->
  valid (ds ++ [d]).
Proof.
  intros Hv Hp Hf before e after E. destruct after as [|x after] using rev_ind.
  - apply app_inj_tail in E. destruct E as [-> ->]. now split.
  - clear IHafter. rewrite app_comm_cons, app_assoc in E. apply app_inj_tail in E. destruct E as [E _].
    now apply (Hv before e after).
Qed.

Section Ring.
  Variable N : nat.
  Hypothesis several : (2 <= N)%nat.
  Definition pos (c k : nat) := ((c + k) mod N)%nat.
  Lemma pos_small c k : (pos c k < N)%nat.
  Proof. apply Nat.mod_upper_bound. lia. Qed.
  Lemma mod_cases x : (x < 2 * N)%nat -> (x mod N = if Nat.ltb x N then x else x - N)%nat.
  Proof.
    intros H. destruct (Nat.ltb_spec x N); [now apply Nat.mod_small|].
    replace x with ((x - N) + 1 * N)%nat at 1 by lia. rewrite Nat.mod_add by lia. apply Nat.mod_small. lia.
  Qed.
  (* Of all c exactly one has c + a = p (mod N). *)
  Lemma mod_shift c a p : (c < N)%nat -> (p < N)%nat ->
    ((c + a) mod N = p <-> ((p + (N - a mod N)) mod N) = c)%nat.
  Proof.
    intros Hc Hp. assert (Hb : (a mod N < N)%nat) by (apply Nat.mod_upper_bound; lia).
    rewrite <- (Nat.add_mod_idemp_r c a N) by lia. set (b := (a mod N)%nat) in *.
    rewrite (mod_cases (c + b)), (mod_cases (p + (N - b))) by lia.
    destruct (Nat.ltb_spec (c + b) N), (Nat.ltb_spec (p + (N - b)) N); lia.
  Qed.
  Lemma one_start a p : (p < N)%nat -> nat_sum N (fun c => if Nat.eqb (pos c a) p then 1 else 0)%nat = 1%nat.
  Proof.
    intros Hp. set (c0 := ((p + (N - a mod N)) mod N)%nat).
    transitivity (nat_sum N (fun c => if Nat.eqb c0 c then 1 else 0)%nat);
      [|apply nat_sum_pick, Nat.mod_upper_bound; lia].
    apply nat_sum_ext. intros c Hc.
    destruct (Nat.eqb_spec (pos c a) p) as [E|E], (Nat.eqb_spec c0 c) as [E'|E']; try reflexivity; exfalso;
      [exact (E' (proj1 (mod_shift c a p Hc Hp) E))|exact (E (proj2 (mod_shift c a p Hc Hp) E'))].
  Qed.
  (* The sum of the k + 1 entries from c on. *)
  Fixpoint partial (c k : nat) : nat -> R :=
    match k with O => entry (pos c 0) | S l => fun q => 1 * partial c l q + 1 * entry (pos c k) q end.
  Lemma partial_counts c k q : partial c k q = INR (nat_sum (S k) (fun i => if Nat.eqb (pos c i) q then 1 else 0)%nat).
  Proof.
    induction k as [|k IH].
    - cbn [partial nat_sum Nat.add]. unfold entry. destruct (Nat.eqb (pos c 0) q); [now rewrite INR_one|reflexivity].
    - cbn [partial]. rewrite IH. change (nat_sum (S (S k)) (fun i => if Nat.eqb (pos c i) q then 1 else 0)%nat)
        with (nat_sum (S k) (fun i => if Nat.eqb (pos c i) q then 1 else 0)
          + (if Nat.eqb (pos c (S k)) q then 1 else 0))%nat.
      rewrite plus_INR. unfold entry. destruct (Nat.eqb (pos c (S k)) q); [rewrite INR_one|rewrite INR_zero]; ring.
  Qed.
  Lemma nat_sum_mono n m x : (n <= m)%nat -> (nat_sum n x <= nat_sum m x)%nat.
  Proof. induction 1; [lia|]. cbn [nat_sum]. lia. Qed.
  Lemma all_once c q : (q < N)%nat -> nat_sum N (fun i => if Nat.eqb (pos c i) q then 1 else 0)%nat = 1%nat.
  Proof.
    intros Hq. transitivity (nat_sum N (fun i => if Nat.eqb (pos i c) q then 1 else 0)%nat); [|now apply one_start].
    apply nat_sum_ext. intros i _. unfold pos. now rewrite (Nat.add_comm c i).
  Qed.
  Lemma partial_is_sum c k : (k < N)%nat -> partial_sum (partial c k).
  Proof.
    intros Hk q. rewrite partial_counts.
    assert (H : (nat_sum (S k) (fun i => if Nat.eqb (pos c i) q then 1 else 0) <= 1)%nat).
    { eapply Nat.le_trans; [apply (nat_sum_mono (S k) N); lia|].
      destruct (Nat.lt_ge_cases q N) as [Hq|Hq]; [rewrite all_once; lia|].
      rewrite (nat_sum_ext N _ (fun _ => O)).
      - clear. induction N as [|n IH]; cbn [nat_sum]; lia.
      - intros i _. destruct (Nat.eqb_spec (pos c i) q) as [E|_]; [|reflexivity]. assert (H := pos_small c i). lia. }
    destruct (nat_sum (S k) _) as [|[|z]]; [left; apply INR_zero|right; apply INR_one|lia].
  Qed.
  Lemma partial_all c q : (q < N)%nat -> partial c (N - 1) q = 1.
  Proof. intros Hq. rewrite partial_counts. replace (S (N - 1)) with N by lia. now rewrite all_once, INR_one. Qed.

  (* The two phases for chunk c, up to m deliveries. *)
  Definition first_send c k := {| sender := pos c k; receiver := pos c (S k); number := partial c k |}.
  Definition second_send c k :=
    {| sender := pos c (N - 1 + k); receiver := pos c (N + k); number := partial c (N - 1) |}.
  Fixpoint phase_1 c m := match m with O => [] | S k => phase_1 c k ++ [first_send c k] end.
  Fixpoint phase_2 c m := match m with O => [] | S k => phase_2 c k ++ [second_send c k] end.
  Definition ring c := phase_1 c (N - 1) ++ phase_2 c (N - 1).

  Lemma got_last p ds d : receiver d = p -> In (number d) (got p (ds ++ [d])).
  Proof.
    intros E. rewrite got_app. apply in_or_app. right. unfold got. cbn [filter].
    rewrite (proj2 (Nat.eqb_eq _ _) E). now left.
  Qed.
  Lemma forms_partial c k more : formable (pos c k) (got (pos c k) (phase_1 c k) ++ more) (partial c k).
  Proof.
    destruct k as [|k]; cbn [partial]; [apply own|]. apply combined; [|apply own]. apply received, in_or_app. left.
    cbn [phase_1]. exact (got_last (pos c (S k)) (phase_1 c k) (first_send c k) eq_refl).
  Qed.
  Lemma phase_1_valid c m : (m <= N - 1)%nat -> valid (phase_1 c m).
  Proof.
    induction m as [|m IH]; intros Hm; cbn [phase_1]; [intros b d a E; destruct b; discriminate|].
    apply valid_snoc; [apply IH; lia|cbn [number first_send]; apply partial_is_sum; lia|].
    cbn [sender number first_send]. rewrite <- (app_nil_r (got _ _)). apply forms_partial.
  Qed.
  Lemma next_pos c k : pos c (N - 1 + S k) = pos c (N + k).
  Proof. f_equal. lia. Qed.
  Lemma forms_all c k : formable (pos c (N - 1 + k))
    (got (pos c (N - 1 + k)) (phase_1 c (N - 1) ++ phase_2 c k)) (partial c (N - 1)).
  Proof.
    rewrite got_app. destruct k as [|k]; [rewrite Nat.add_0_r; apply forms_partial|].
    apply received, in_or_app. right. cbn [phase_2]. rewrite next_pos.
    exact (got_last (pos c (N + k)) (phase_2 c k) (second_send c k) eq_refl).
  Qed.
  Lemma ring_valid c : valid (ring c).
  Proof.
    unfold ring. assert (H : forall m, valid (phase_1 c (N - 1) ++ phase_2 c m)).
    { induction m as [|m IH]; cbn [phase_2]; [rewrite app_nil_r; now apply phase_1_valid|]. rewrite app_assoc.
      apply valid_snoc; [exact IH|cbn [number second_send]; apply partial_is_sum; lia|].
      cbn [sender number second_send]. apply forms_all. }
    apply H.
  Qed.
  Lemma more_received p l more v : formable p l v -> formable p (l ++ more) v.
  Proof.
    induction 1 as [|v H|a b u v _ IHu _ IHv]; [apply own|apply received, in_or_app; now left|now apply combined].
  Qed.
  Lemma phase_2_app c m k : (k <= m)%nat -> exists r, phase_2 c m = phase_2 c k ++ r.
  Proof.
    induction 1 as [|m _ [r E]]; [exists []; now rewrite app_nil_r|]. exists (r ++ [second_send c m]). cbn [phase_2].
    now rewrite E, app_assoc.
  Qed.
  Lemma ring_complete c p : (p < N)%nat -> holds N p (ring c).
  Proof.
    intros Hp. exists (partial c (N - 1)). split; [|intros; now apply partial_all].
    set (k := ((p + (N - (c + (N - 1)) mod N)) mod N)%nat).
    assert (Hk : (k < N)%nat) by (apply Nat.mod_upper_bound; lia).
    assert (E : pos c (N - 1 + k) = p).
    { unfold pos. rewrite Nat.add_assoc, Nat.add_comm. apply mod_shift; [assumption|assumption|reflexivity]. }
    destruct (phase_2_app c (N - 1) k ltac:(lia)) as [r Er]. unfold ring. rewrite Er, app_assoc, got_app, <- E.
    apply more_received, forms_all.
  Qed.
  Lemma ring_members c d : In d (ring c) -> (sender d < N)%nat /\ (receiver d < N)%nat.
  Proof.
    intros H. apply in_app_or in H.
    assert (H1 : forall m, In d (phase_1 c m) -> (sender d < N)%nat /\ (receiver d < N)%nat).
    { induction m as [|m IH]; cbn [phase_1]; [intros []|]. intros Hin. apply in_app_or in Hin.
      destruct Hin as [Hin|[<-|[]]]; [now apply IH|split; apply pos_small]. }
    assert (H2 : forall m, In d (phase_2 c m) -> (sender d < N)%nat /\ (receiver d < N)%nat).
    { induction m as [|m IH]; cbn [phase_2]; [intros []|]. intros Hin. apply in_app_or in Hin.
      destruct Hin as [Hin|[<-|[]]]; [now apply IH|split; apply pos_small]. }
    destruct H; [now apply (H1 (N - 1)%nat)|now apply (H2 (N - 1)%nat)].
  Qed.
End Ring.
