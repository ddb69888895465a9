(* Many machines: what every process sends and receives in the ring, and the theorem that it attains the least. *)
Require Import many_machines many_machines_all many_machines_ring.
Open Scope R_scope.

(* How many deliveries of a list have `key` p. *)
Definition count (key : delivery -> nat) p ds := length (filter (fun d => Nat.eqb (key d) p) ds).
Lemma count_app key p l r : count key p (l ++ r) = (count key p l + count key p r)%nat.
Proof. unfold count. now rewrite filter_app, app_length. Qed.

Section Count.
  Variable N : nat.
  Hypothesis several : (2 <= N)%nat.

  (* Over all chunks c, each place of a phase is taken by every process once. *)
  Lemma phase_count (send : nat -> nat -> delivery) (phase : nat -> nat -> list delivery) key place m p :
    (p < N)%nat -> (forall c, phase c 0%nat = []) -> (forall c k, phase c (S k) = phase c k ++ [send c k]) ->
    (forall c k, key (send c k) = pos N c (place k)) -> nat_sum N (fun c => count key p (phase c m)) = m.
  Proof.
    intros Hp H0 HS Hk. induction m as [|m IH].
    - rewrite (nat_sum_ext N _ (fun _ => O)) by (intros c _; now rewrite H0).
      clear. induction N as [|n IH]; cbn [nat_sum]; lia.
    - rewrite (nat_sum_ext N _
        (fun c => (count key p (phase c m) + (if Nat.eqb (pos N c (place m)) p then 1 else 0))%nat)).
      + rewrite nat_sum_plus, IH, (one_start N several (place m) p Hp). lia.
      + intros c _. rewrite HS, count_app. unfold count at 2. cbn [filter]. rewrite Hk.
        destruct (Nat.eqb (pos N c (place m)) p); reflexivity.
  Qed.
  Lemma ring_sends p : (p < N)%nat -> nat_sum N (fun c => count sender p (ring N c)) = (2 * (N - 1))%nat.
  Proof.
    intros Hp. rewrite (nat_sum_ext N _
      (fun c => (count sender p (phase_1 N c (N - 1)) + count sender p (phase_2 N c (N - 1)))%nat))
      by (intros; apply count_app).
    rewrite nat_sum_plus.
    rewrite (phase_count (first_send N) (phase_1 N) sender (fun k => k) (N - 1) p Hp) by reflexivity.
    rewrite (phase_count (second_send N) (phase_2 N) sender (fun k => (N - 1 + k)%nat) (N - 1) p Hp) by reflexivity.
    lia.
  Qed.
  Lemma ring_receives p : (p < N)%nat -> nat_sum N (fun c => count receiver p (ring N c)) = (2 * (N - 1))%nat.
  Proof.
    intros Hp. rewrite (nat_sum_ext N _
      (fun c => (count receiver p (phase_1 N c (N - 1)) + count receiver p (phase_2 N c (N - 1)))%nat))
      by (intros; apply count_app).
    rewrite nat_sum_plus.
    rewrite (phase_count (first_send N) (phase_1 N) receiver S (N - 1) p Hp) by reflexivity.
    rewrite (phase_count (second_send N) (phase_2 N) receiver (fun k => (N + k)%nat) (N - 1) p Hp) by reflexivity. lia.
  Qed.

  (* All d = N e coordinates; coordinate j is in chunk j mod N. *)
  Fixpoint all_rings d : list message :=
    match d with O => [] | S j => all_rings j ++ map (fun x => (j, x) : message) (ring N (j mod N)) end.
  Lemma count_messages (key : delivery -> nat) p d :
    length (filter (fun m : message => Nat.eqb (key (snd m)) p) (all_rings d))
    = nat_sum d (fun j => count key p (ring N (j mod N))).
  Proof.
    induction d as [|d IH]; [reflexivity|]. cbn [all_rings nat_sum]. rewrite filter_app, app_length, IH. f_equal.
    unfold count. induction (ring N (d mod N)) as [|x l IHl]; [reflexivity|]. cbn [map filter snd].
    destruct (Nat.eqb (key x) p); cbn [length]; [now rewrite IHl|exact IHl].
  Qed.
  Lemma nat_sum_shift n m x : nat_sum (n + m) x = (nat_sum n x + nat_sum m (fun i => x (n + i)%nat))%nat.
  Proof.
    induction m as [|m IH]; [rewrite Nat.add_0_r; cbn; lia|]. rewrite Nat.add_succ_r. cbn [nat_sum]. rewrite IH. lia.
  Qed.
  Lemma rounds_count e x : nat_sum (N * e) (fun j => x (j mod N)%nat) = (e * nat_sum N x)%nat.
  Proof.
    induction e as [|e IH]; [now rewrite Nat.mul_0_r|]. rewrite Nat.mul_succ_r, nat_sum_shift, IH.
    rewrite (nat_sum_ext N (fun i => x ((N * e + i) mod N)%nat) x); [lia|]. intros i Hi. f_equal.
    rewrite Nat.add_comm, Nat.mul_comm, Nat.mod_add by lia. now apply Nat.mod_small.
  Qed.
  Lemma about_app j l r : about j (l ++ r) = about j l ++ about j r.
  Proof. unfold about. now rewrite filter_app, map_app. Qed.
  Lemma about_one j d : about j (all_rings d) = if Nat.ltb j d then ring N (j mod N) else [].
  Proof.
    assert (Hsame : forall i l, about j (map (fun x => (i, x) : message) l) = if Nat.eqb i j then l else []).
    { intros i l. unfold about. induction l as [|x l IH]; [now destruct (Nat.eqb i j)|]. cbn [map filter fst].
      destruct (Nat.eqb i j); cbn [map snd]; [now rewrite IH|exact IH]. }
    induction d as [|d IH]; [reflexivity|]. cbn [all_rings]. rewrite about_app, IH, Hsame.
    destruct (Nat.ltb_spec j d), (Nat.ltb_spec j (S d)), (Nat.eqb_spec d j); try lia; rewrite ?app_nil_r;
      try reflexivity.
    now subst.
  Qed.
  Lemma message_members d m : In m (all_rings d) ->
    (fst m < d)%nat /\ (sender (snd m) < N)%nat /\ (receiver (snd m) < N)%nat.
  Proof.
    induction d as [|d IH]; cbn [all_rings]; [intros []|]. intros H. apply in_app_or in H. destruct H as [H|H].
    - destruct (IH H) as (H1 & H2). split; [lia|exact H2].
    - apply in_map_iff in H. destruct H as (x & <- & H). cbn [fst snd]. split; [lia|].
      now apply (ring_members N several (d mod N)).
  Qed.
  (* When N divides d, the ring attains the least for every process. *)
  Theorem prp_machines_least_ring e : all_reduce N (N * e) (all_rings (N * e)) /\
    forall p, (p < N)%nat -> sent p (all_rings (N * e)) = (2 * (N - 1) * e)%nat /\
      received_by p (all_rings (N * e)) = (2 * (N - 1) * e)%nat.
  Proof.
    split; [split|].
    - apply message_members.
    - intros j Hj. rewrite about_one, (proj2 (Nat.ltb_lt _ _) Hj). split; [now apply ring_valid|].
      intros p Hp. now apply ring_complete.
    - intros p Hp. unfold sent, received_by. rewrite (count_messages sender), (count_messages receiver).
      rewrite (rounds_count e (fun c => count sender p (ring N c))).
      rewrite (rounds_count e (fun c => count receiver p (ring N c))).
      rewrite ring_sends, ring_receives by assumption. lia.
  Qed.
End Count.
(* An instance: two processes and two numbers. *)
Lemma prp_machines_least_instance : all_reduce 2 (2 * 1) (all_rings 2 (2 * 1)).
Proof. apply (prp_machines_least_ring 2 (le_n 2)). Qed.
