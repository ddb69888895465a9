(* The loss and its gradient: the sum over all paths, and the backward walk (thm-loss-paths, steps (2) to (5)).

   A path from value i to the result N is the list of its edges. `paths fuel i` lists those of at most `fuel` edges; all
   paths are in it once (`every_path_once`), since an edge leads to a later value. *)
Require Import loss_and_gradient.
Require Import List FinFun.
Import ListNotations.
Open Scope R_scope.

(* Sums over lists, and a list of pieces. *)
Fixpoint add_up {A : Type} (f : A -> R) (l : list A) : R := match l with [] => 0 | a :: r => f a + add_up f r end.
Lemma add_up_app {A : Type} (f : A -> R) l r : add_up f (l ++ r) = add_up f l + add_up f r.
Proof. induction l as [|a l IH]; cbn [app add_up]; [ring|]. rewrite IH. ring. Qed.
Lemma add_up_pieces {A : Type} (f : A -> R) (piece : nat -> list A) n :
  add_up f (flat_map piece (seq 0 n)) = sum n (fun e => add_up f (piece e)).
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite seq_S, flat_map_app, add_up_app, IH, sum_S. cbn [flat_map].
  now rewrite app_nil_r.
Qed.

Lemma nodup_both {A : Type} (l r : list A) : NoDup l -> NoDup r -> (forall a, In a l -> ~ In a r) -> NoDup (l ++ r).
Proof.
  intros Hl Hr H. induction l as [|a l IH]; [exact Hr|]. inversion_clear Hl as [|? ? Ha Hl']. cbn [app]. constructor.
  - rewrite in_app_iff. intros [H1|H1]; [contradiction|]. now apply (H a (or_introl eq_refl)).
  - apply IH; [assumption|]. intros b Hb. apply H. now right.
Qed.

Lemma filter_either {A : Type} (p q r : A -> bool) l :
  (forall a, r a = (p a || q a)%bool /\ ~ (p a = true /\ q a = true)) ->
  length (filter r l) = (length (filter p l) + length (filter q l))%nat.
Proof.
  intros H. induction l as [|a l IH]; [reflexivity|]. cbn [filter]. destruct (H a) as [-> H1].
  destruct (p a), (q a); cbn [orb length]; (lia || now destruct H1).
Qed.

Section Paths.
  Variables N M : nat.
  Variables from to : nat -> nat.
  Variable weight : nat -> R.
  Hypothesis earlier : forall e, (e < M)%nat -> (from e < to e <= N)%nat.
  Let s := s N M from to weight.

  Fixpoint is_path (i : nat) (p : list nat) : Prop :=
    match p with [] => i = N | e :: q => (e < M)%nat /\ from e = i /\ is_path (to e) q end.
  (* The product of the local derivatives on a path. *)
  Fixpoint product (p : list nat) : R := match p with [] => 1 | e :: q => weight e * product q end.
  Fixpoint paths (fuel i : nat) : list (list nat) :=
    (if Nat.eqb i N then [[]] else []) ++
    match fuel with O => [] | S k =>
      flat_map (fun e => if Nat.eqb (from e) i then map (cons e) (paths k (to e)) else []) (seq 0 M) end.
  (* The sum over all paths from i to N of their products. *)
  Definition P i := add_up product (paths N i).

  (* Every path is in the list, nothing else is, and nothing is there twice. *)
  Lemma path_length i p : is_path i p -> (i + length p <= N)%nat.
  Proof.
    revert i. induction p as [|e q IH]; intros i; cbn [is_path length]; [lia|].
    intros (He & <- & Hq). specialize (IH _ Hq). destruct (earlier e He). lia.
  Qed.
  Lemma in_paths fuel i p : In p (paths fuel i) <-> is_path i p /\ (length p <= fuel)%nat.
  Proof.
    revert i p. induction fuel as [|k IH]; intros i p; cbn [paths]; rewrite in_app_iff.
    - destruct (Nat.eqb_spec i N) as [Hi|Hi]; destruct p as [|e q]; cbn; intuition (try lia; try congruence).
    - rewrite in_flat_map. destruct p as [|e q]; cbn [is_path length].
      + split.
        * intros [H|(e & _ & H)]; [|destruct (Nat.eqb (from e) i); [|destruct H]; apply in_map_iff in H;
            destruct H as (q & H & _); discriminate].
          destruct (Nat.eqb_spec i N); [|destruct H]. split; [assumption|lia].
        * intros [Hi _]. left. rewrite (proj2 (Nat.eqb_eq i N) Hi). now left.
      + split.
        * intros [H|(a & Ha & H)]; [destruct (Nat.eqb i N); [destruct H as [H|[]]; discriminate|destruct H]|].
          apply in_seq in Ha. destruct (Nat.eqb_spec (from a) i) as [Hf|_]; [|destruct H].
          apply in_map_iff in H. destruct H as (r & Hr & H). injection Hr as -> ->. apply IH in H.
          destruct H as [H1 H2]. repeat split; [lia|assumption|assumption|lia].
        * intros ((He & Hf & Hq) & Hl). right. exists e. split; [apply in_seq; lia|].
          rewrite (proj2 (Nat.eqb_eq _ _) Hf). apply in_map, IH. split; [assumption|lia].
  Qed.
  Lemma paths_once fuel i : NoDup (paths fuel i).
  Proof.
    revert i. induction fuel as [|k IH]; intros i; cbn [paths].
    - rewrite app_nil_r. destruct (Nat.eqb i N); repeat constructor; intros [].
    - assert (H : forall l, NoDup l -> NoDup (flat_map
        (fun e => if Nat.eqb (from e) i then map (cons e) (paths k (to e)) else []) l) /\
        forall p, In p (flat_map (fun e => if Nat.eqb (from e) i then map (cons e) (paths k (to e)) else []) l) ->
          exists e q, p = e :: q /\ In e l).
      { induction l as [|a l IHl]; intros Hl; cbn [flat_map]; [split; [constructor|intros p []]|].
        inversion_clear Hl as [|? ? Ha Hl']. destruct (IHl Hl') as [H1 H2].
        assert (H3 : forall p, In p (if Nat.eqb (from a) i then map (cons a) (paths k (to a)) else []) ->
          exists q, p = a :: q).
        { intros p Hp. destruct (Nat.eqb (from a) i); [|destruct Hp]. apply in_map_iff in Hp.
          destruct Hp as (q & <- & _). now exists q. }
        split.
        - apply nodup_both; [|exact H1|].
          + destruct (Nat.eqb (from a) i); [|constructor].
            apply Injective_map_NoDup; [intros x y E; now injection E|apply IH].
          + intros p Hp Hp'. destruct (H3 p Hp) as (q & ->). destruct (H2 _ Hp') as (e & r & E & He).
            injection E as -> _. contradiction.
        - intros p Hp. apply in_app_iff in Hp. destruct Hp as [Hp|Hp].
          + destruct (H3 p Hp) as (q & ->). exists a, q. split; [reflexivity|now left].
          + destruct (H2 p Hp) as (e & r & -> & He). exists e, r. split; [reflexivity|now right]. }
      destruct (H (seq 0 M) (seq_NoDup M 0)) as [H1 H2].
      apply nodup_both; [destruct (Nat.eqb i N); repeat constructor; intros []|exact H1|].
      intros p Hp Hp'. destruct (H2 p Hp') as (e & q & -> & _).
      destruct (Nat.eqb i N); [destruct Hp as [Hp|[]]; discriminate|destruct Hp].
  Qed.
  Lemma every_path_once i : NoDup (paths N i) /\ forall p, In p (paths N i) <-> is_path i p.
  Proof.
    split; [apply paths_once|]. intros p. rewrite in_paths. split; [now intros [H _]|].
    intros H. split; [assumption|]. assert (H1 := path_length i p H). lia.
  Qed.

  (* (2) Cut each path at its first edge. *)
  Lemma cut_first fuel i : add_up product (paths (S fuel) i) = (if Nat.eqb i N then 1 else 0)
    + sum M (fun e => if Nat.eqb (from e) i then weight e * add_up product (paths fuel (to e)) else 0).
  Proof.
    cbn [paths]. rewrite add_up_app, add_up_pieces. f_equal.
    - destruct (Nat.eqb i N); cbn [add_up product]; ring.
    - apply sum_ext. intros e _. destruct (Nat.eqb (from e) i); [|reflexivity].
      induction (paths fuel (to e)) as [|p l IH]; cbn [map add_up product]; [ring|]. rewrite IH. ring.
  Qed.
  (* (3) Same rule, same start: by (1) the adjoints obey it as well. Every edge leaves less to go. *)
  Lemma same_rule fuel i : (i <= N)%nat -> (N - i <= fuel)%nat -> add_up product (paths fuel i) = s i.
  Proof.
    revert i. induction fuel as [|k IH]; intros i Hi Hk; unfold s in *; rewrite step_1_edges by assumption.
    - cbn [paths]. rewrite app_nil_r, (sum_zeros M).
      + destruct (Nat.eqb i N); cbn [add_up product]; ring.
      + intros e He. destruct (earlier e He). now rewrite (proj2 (Nat.eqb_neq (from e) i)) by lia.
    - rewrite cut_first. f_equal. apply sum_ext. intros e He.
      destruct (Nat.eqb_spec (from e) i) as [Hf|_]; [|reflexivity].
      destruct (earlier e He). rewrite IH by lia. reflexivity.
  Qed.
  Lemma step_3 i : (i <= N)%nat -> s i = P i.
  Proof. intros Hi. symmetry. apply same_rule; [assumption|lia]. Qed.
  Lemma step_2 i : (i <= N)%nat ->
    P i = (if Nat.eqb i N then 1 else 0) + sum M (fun e => if Nat.eqb (from e) i then weight e * P (to e) else 0).
  Proof.
    intros Hi. rewrite <- step_3 by assumption. unfold s. rewrite step_1_edges by assumption. f_equal.
    apply sum_ext. intros e He. destruct (Nat.eqb (from e) i); [|reflexivity]. destruct (earlier e He).
    now rewrite <- step_3 by lia.
  Qed.

  (* The backward walk: in its turn a value sends, along each edge into it, what has arrived at it times the weight. *)
  Definition turn (arrived : nat -> R) (j : nat) : nat -> R :=
    fun i => arrived i
      + sum M (fun e => if (Nat.eqb (from e) i && Nat.eqb (to e) j)%bool then weight e * arrived j else 0).
  Definition walk (order : list nat) : nat -> R := fold_left turn order (fun i => if Nat.eqb i N then 1 else 0).
  Fixpoint calls (order : list nat) : nat :=
    match order with [] => O | j :: r => (length (filter (fun e => Nat.eqb (to e) j) (seq 0 M)) + calls r)%nat end.
  (* Each value comes once, and before its ingredients. *)
  Definition users_first (order : list nat) := NoDup order /\
    forall before j after, order = before ++ j :: after -> forall e, (e < M)%nat -> from e = j -> In (to e) before.

  Lemma walked before after : users_first (before ++ after) -> (forall j, In j before -> (j <= N)%nat) -> forall i,
    walk before i = (if Nat.eqb i N then 1 else 0)
      + sum M (fun e => if Nat.eqb (from e) i
          then if in_dec Nat.eq_dec (to e) before then weight e * s (to e) else 0 else 0).
  Proof.
    revert after. induction before as [|j before IH] using rev_ind; intros after Hord Hin i.
    - cbn. rewrite sum_zeros; [ring|]. intros e _. destruct (Nat.eqb (from e) i); reflexivity.
    - rewrite <- app_assoc in Hord. cbn [app] in Hord.
      assert (IH' := IH (j :: after) Hord ltac:(intros; apply Hin, in_or_app; now left)).
      unfold walk. rewrite fold_left_app. cbn [fold_left]. fold (walk before). unfold turn. rewrite IH'.
      assert (Hs : walk before j = s j).
      { rewrite IH'. unfold s. rewrite step_1_edges by (assumption || (apply Hin, in_or_app; right; now left)). f_equal.
        apply sum_ext. intros e He. destruct (Nat.eqb_spec (from e) j) as [Hf|_]; [|reflexivity].
        destruct Hord as [_ Hord]. specialize (Hord before j after eq_refl e He Hf).
        destruct (in_dec _ _ _); [reflexivity|contradiction]. }
      rewrite Hs, Rplus_assoc, <- sum_plus. f_equal. apply sum_ext. intros e He.
      destruct (Nat.eqb (from e) i); cbn [andb]; [|ring].
      assert (Hnew : ~ In j before).
      { destruct Hord as [Hnd _]. apply NoDup_remove_2 in Hnd. intros H. apply Hnd, in_or_app. now left. }
      destruct (Nat.eqb_spec (to e) j) as [->|Hne].
      + destruct (in_dec _ j before); [contradiction|]. destruct (in_dec _ j (before ++ [j])) as [_|H]; [ring|].
        exfalso. apply H, in_or_app. right. now left.
      + destruct (in_dec _ (to e) before) as [H1|H1], (in_dec _ (to e) (before ++ [j])) as [H2|H2]; try ring; exfalso.
        * apply H2, in_or_app. now left.
        * apply in_app_iff in H2. destruct H2 as [H2|[H2|[]]]; [contradiction|now symmetry in H2].
  Qed.
  (* (4) What the walk knows: at the turn of j all of its adjoint has arrived. *)
  Lemma step_4 before j after : users_first (before ++ j :: after) -> (forall k, In k before -> (k <= N)%nat) ->
    (j <= N)%nat -> walk before j = s j.
  Proof.
    intros Hord Hin Hj. rewrite (walked before (j :: after)) by assumption.
    unfold s. rewrite step_1_edges by assumption. f_equal. apply sum_ext. intros e He.
    destruct (Nat.eqb_spec (from e) j) as [Hf|_]; [|reflexivity].
    destruct Hord as [_ Hord]. specialize (Hord before j after eq_refl e He Hf).
    destruct (in_dec _ _ _); [reflexivity|contradiction].
  Qed.

  (* (5) What it costs: one call of a pullback for every edge, if each value has one turn. *)
  Lemma one_turn_each (order : list nat) : NoDup order ->
    calls order = length (filter (fun e => existsb (Nat.eqb (to e)) order) (seq 0 M)).
  Proof.
    intros H. induction order as [|j r IH]; cbn [calls].
    - induction (seq 0 M) as [|e l IHl]; [reflexivity|exact IHl].
    - inversion_clear H as [|? ? Hj Hr]. rewrite IH by assumption. symmetry. apply filter_either. intros e.
      split; [reflexivity|]. intros [H1 H2]. apply Nat.eqb_eq in H1. apply existsb_exists in H2.
      destruct H2 as (k & Hk & H2). apply Nat.eqb_eq in H2. apply Hj. now rewrite <- H1, H2.
  Qed.
  Lemma step_5 order : NoDup order -> (forall j, (j <= N)%nat -> In j order) -> calls order = M.
  Proof.
    intros H Hall. rewrite one_turn_each by assumption.
    assert (Hf : forall l, (forall e, In e l -> (e < M)%nat) ->
      length (filter (fun e => existsb (Nat.eqb (to e)) order) l) = length l).
    { induction l as [|e l IH]; intros Hl; [reflexivity|]. cbn [filter].
      assert (E : existsb (Nat.eqb (to e)) order = true).
      { apply existsb_exists. exists (to e). split; [|apply Nat.eqb_refl].
        apply Hall. destruct (earlier e (Hl e (or_introl eq_refl))). lia. }
      rewrite E. cbn [length]. rewrite IH; [reflexivity|]. intros. apply Hl. now right. }
    rewrite Hf; [apply seq_length|]. intros e He. apply in_seq in He. lia.
  Qed.

  (* thm-loss-paths. The derivative of the result with respect to value i is the sum over all paths from i to the result
     of the products of the local derivatives; one walk backwards finds all these sums, and takes each edge once.
     `formula`, `v` and `weight` are a program, its values and its local derivatives. *)
  Theorem thm_loss_paths formula v :
    (forall j, (j <= N)%nat -> v j = formula j v) ->
    (forall j, (j <= N)%nat -> is_grad j (formula j) v (fun i => w M from to weight i j)) ->
    (forall i, (i <= N)%nat -> adjoint N formula v i (P i)) /\
    forall order, users_first order -> (forall j, (j <= N)%nat <-> In j order) ->
      (forall i, (i <= N)%nat -> walk order i = P i) /\ calls order = M.
  Proof.
    intros Hv Hd. split.
    - intros i Hi. rewrite <- step_3 by assumption. now apply s_is_adjoint.
    - intros order Hord Hall. split.
      + intros i Hi. rewrite <- step_3 by assumption. rewrite <- (app_nil_r order) in Hord.
        rewrite (walked order []) by (assumption || (intros; now apply Hall)). unfold s.
        rewrite step_1_edges by assumption. f_equal. apply sum_ext. intros e He.
        destruct (Nat.eqb (from e) i); [|reflexivity]. destruct (in_dec _ _ _) as [|Hn]; [reflexivity|].
        exfalso. apply Hn, Hall. destruct (earlier e He). lia.
      + apply step_5; [apply Hord|]. intros. now apply Hall.
  Qed.
End Paths.
