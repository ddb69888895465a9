(* The landscape: SM3 never falls below Adagrad (thm-landscape-sm3). d entries, any c slices that cover them (of a
   matrix: its rows and columns), any gradients. *)
Require Import sums.
Open Scope R_scope.

(* The largest of x over the i < n with P i, and at least 0; the smallest of them, and at most a. *)
Fixpoint largest n (P : nat -> bool) (x : nat -> R) : R :=
  match n with O => 0 | S m => if P m then Rmax (largest m P x) (x m) else largest m P x end.
Fixpoint smallest n (P : nat -> bool) (x : nat -> R) (a : R) : R :=
  match n with O => a | S m => if P m then Rmin (smallest m P x a) (x m) else smallest m P x a end.

Lemma largest_ge n P x i : (i < n)%nat -> P i = true -> x i <= largest n P x.
Proof.
  induction n as [|n IH]; intros Hi HP; [lia|]. cbn [largest]. destruct (Nat.eq_dec i n) as [->|Hne].
  - rewrite HP. apply Rmax_r.
  - assert (H := IH ltac:(lia) HP). destruct (P n); [|assumption]. eapply Rle_trans; [exact H|apply Rmax_l].
Qed.
Lemma largest_le n P x B : 0 <= B -> (forall i, (i < n)%nat -> P i = true -> x i <= B) -> largest n P x <= B.
Proof.
  intros HB. induction n as [|n IH]; intros Hx; cbn [largest]; [assumption|].
  assert (H := IH (fun i Hi => Hx i ltac:(lia))). destruct (P n) eqn:E; [|assumption].
  apply Rmax_lub; [assumption|]. apply Hx; [lia|assumption].
Qed.
Lemma largest_nonneg n P x : 0 <= largest n P x.
Proof.
  induction n as [|n IH]; cbn [largest]; [lra|]. destruct (P n); [|assumption].
  eapply Rle_trans; [exact IH|apply Rmax_l].
Qed.
Lemma smallest_le n P x a i : (i < n)%nat -> P i = true -> smallest n P x a <= x i.
Proof.
  induction n as [|n IH]; intros Hi HP; [lia|]. cbn [smallest]. destruct (Nat.eq_dec i n) as [->|Hne].
  - rewrite HP. apply Rmin_r.
  - assert (H := IH ltac:(lia) HP). destruct (P n); [|assumption]. eapply Rle_trans; [apply Rmin_l|exact H].
Qed.
Lemma smallest_ge n P x a B : B <= a -> (forall i, (i < n)%nat -> P i = true -> B <= x i) -> B <= smallest n P x a.
Proof.
  intros HB. induction n as [|n IH]; intros Hx; cbn [smallest]; [assumption|].
  assert (H := IH (fun i Hi => Hx i ltac:(lia))). destruct (P n) eqn:E; [|assumption].
  apply Rmin_glb; [assumption|]. apply Hx; [lia|assumption].
Qed.

Section SM3.
  Variables d c : nat.
  Variable holds : nat -> nat -> bool.     (* holds S j: slice S holds entry j *)
  Variable home : nat -> nat.              (* a slice of entry j *)
  Variable g : nat -> nat -> R.            (* g s j: entry j of gradient s, s = 1, 2, ... *)
  Hypothesis cover : forall j, (j < d)%nat -> (home j < c)%nat /\ holds (home j) j = true.

  (* The minimum over the slices that hold j, and the maximum over the entries of slice S. *)
  Definition least (x : nat -> R) j := smallest c (fun S => holds S j) x (x (home j)).
  Definition most (x : nat -> R) S := largest d (holds S) x.
  (* (eq-landscape-sm3), from mu_0 = 0 *)
  Fixpoint mu (t : nat) : nat -> R :=
    match t with O => fun _ => 0 | S s => most (fun j => least (mu s) j + g (S s) j ^ 2) end.
  Definition nu (t j : nat) : R := match t with O => 0 | S s => least (mu s) j + g t j ^ 2 end.
  (* Adagrad's accumulator, and what a slice S adds up. *)
  Definition gamma t j := sum t (fun s => g (S s) j ^ 2).
  Definition by_slice t S := sum t (fun s => largest d (holds S) (fun i => g (Datatypes.S s) i ^ 2)).

  (* (1) A slice knows its largest entry. *)
  Lemma step_1_slice t S j : (j < d)%nat -> holds S j = true -> nu t j <= mu t S.
  Proof.
    intros Hj HS. destruct t as [|t]; [cbn [nu mu]; lra|]. cbn [nu mu].
    exact (largest_ge d (holds S) (fun j => least (mu t) j + g (Datatypes.S t) j ^ 2) j Hj HS).
  Qed.
  Lemma step_1 t j : (j < d)%nat -> nu t j <= least (mu t) j.
  Proof.
    intros Hj. destruct (cover j Hj) as [_ Hh]. apply smallest_ge; [now apply step_1_slice|].
    intros S _ HS. now apply step_1_slice.
  Qed.
  (* (2) One step, so nu never decreases. *)
  Lemma step_2 t j : (j < d)%nat -> nu t j + g (S t) j ^ 2 <= nu (S t) j.
  Proof. intros Hj. cbn [nu]. assert (H := step_1 t j Hj). lra. Qed.
  (* (3) Sum. *)
  Lemma step_3 t j : (j < d)%nat -> gamma t j <= nu t j.
  Proof.
    intros Hj. unfold gamma. induction t as [|t IH]; [rewrite sum_O; cbn [nu]; lra|].
    rewrite sum_S. assert (H := step_2 t j Hj). lra.
  Qed.
  (* (4) Above: what a slice knows grows by at most its largest square. *)
  Lemma least_le t S j : (j < d)%nat -> (S < c)%nat -> holds S j = true -> least (mu t) j <= mu t S.
  Proof. intros Hj HS Hh. exact (smallest_le c (fun S => holds S j) (mu t) (mu t (home j)) S HS Hh). Qed.
  Lemma step_4_slice t S : (S < c)%nat -> mu t S <= by_slice t S.
  Proof.
    intros HS. unfold by_slice. induction t as [|t IH]; [rewrite sum_O; cbn [mu]; lra|]. rewrite sum_S. cbn [mu].
    set (m := largest d (holds S) (fun i => g (Datatypes.S t) i ^ 2)). assert (Hm : 0 <= m) by apply largest_nonneg.
    assert (H0 : 0 <= sum t (fun s => largest d (holds S) (fun i => g (Datatypes.S s) i ^ 2)))
      by (apply sum_nonneg; intros; apply largest_nonneg).
    apply largest_le; [lra|]. intros j Hj Hh. assert (H1 := least_le t S j Hj HS Hh).
    assert (H2 := largest_ge d (holds S) (fun i => g (Datatypes.S t) i ^ 2) j Hj Hh). cbv beta in H2. fold m in H2. lra.
  Qed.
  Lemma step_4 t j S : (j < d)%nat -> (S < c)%nat -> holds S j = true -> nu t j <= by_slice t S.
  Proof.
    intros Hj HS Hh. apply Rle_trans with (mu t S); [now apply step_1_slice|now apply step_4_slice].
  Qed.

  (* thm-landscape-sm3. SM3's sum of each entry lies between Adagrad's and the least sum of the slices that hold the
     entry, and never falls. `least (by_slice t) j` is that minimum. *)
  Theorem thm_landscape_sm3 t j : (j < d)%nat ->
    gamma t j <= nu t j /\ nu t j <= least (by_slice t) j /\ nu t j <= nu (S t) j /\
    (nu (S t) j = 0 -> g (S t) j = 0).
  Proof.
    intros Hj. destruct (cover j Hj) as [Hc Hh]. split; [now apply step_3|]. split; [|split].
    - apply smallest_ge; [now apply step_4|]. intros S HS HhS. now apply step_4.
    - assert (H := step_2 t j Hj). assert (H0 := pow2_nonneg (g (S t) j)). lra.
    - intros E. assert (H := step_3 (S t) j Hj). unfold gamma in H. rewrite sum_S in H.
      assert (H0 : 0 <= sum t (fun s => g (S s) j ^ 2)) by (apply sum_nonneg; intros; apply pow2_nonneg).
      apply pow2_zero. assert (H1 := pow2_nonneg (g (S t) j)). lra.
  Qed.
End SM3.
(* An instance: a 2 x 2 matrix, read row by row; slices 0 and 1 are its rows, 2 and 3 its columns. *)
Lemma thm_landscape_sm3_instance g t j : let holds S j := match S with
    | O => Nat.ltb j 2 | 1%nat => negb (Nat.ltb j 2) | 2%nat => Nat.even j | _ => Nat.odd j end in
  (j < 4)%nat -> gamma g t j <= nu 4 4 holds (fun j => Nat.div j 2) g t j.
Proof.
  intros holds H. apply thm_landscape_sm3; [|exact H]. clear j H. intros j Hj.
  do 4 (destruct j as [|j]; [cbn; split; [lia|reflexivity]|]). lia.
Qed.
(* Without a slice for every entry it is false: with none, only the newest square is held. *)
Lemma thm_landscape_sm3_needs_cover : let g (s j : nat) := 1 in
  nu 1 1 (fun _ _ => false) (fun _ => O) g 2 0 < gamma g 2 0.
Proof. intros g. unfold gamma, nu, least, most, g. cbn. rewrite !sum_S, !sum_O. lra. Qed.
