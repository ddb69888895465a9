(* The reality check: subsets of a list, sums over them, and sorting.

   `splits k l` lists all ways to choose k members of l: pairs of the chosen and the rest, both in the order of l. *)
Require Export spaces.
Require Export List Permutation Sorted.
Export ListNotations.
Open Scope R_scope.

(* ---- 1. Sums over lists. ---- *)

Fixpoint add_up {A : Type} (f : A -> R) (l : list A) : R := match l with [] => 0 | a :: r => f a + add_up f r end.
Lemma add_up_app {A : Type} (f : A -> R) l r : add_up f (l ++ r) = add_up f l + add_up f r.
Proof. induction l as [|a l IH]; cbn [app add_up]; [ring|]. rewrite IH. ring. Qed.
Lemma add_up_map {A B : Type} (f : B -> R) (g : A -> B) l : add_up f (map g l) = add_up (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; cbn [map add_up]; [reflexivity|]. now rewrite IH. Qed.
Lemma add_up_ext {A : Type} (f g : A -> R) l : (forall a, In a l -> f a = g a) -> add_up f l = add_up g l.
Proof.
  induction l as [|a l IH]; intros H; cbn [add_up]; [reflexivity|].
  rewrite (H a (or_introl eq_refl)), IH; [reflexivity|]. intros. apply H. now right.
Qed.
Lemma add_up_const {A : Type} c (l : list A) : add_up (fun _ => c) l = INR (length l) * c.
Proof. induction l as [|a l IH]; cbn [add_up length]; [rewrite INR_zero; ring|]. rewrite IH, S_INR. ring. Qed.
Lemma E_add_up {A : Type} W (f : A -> nat -> R) l :
  E W (fun w => add_up (fun a => f a w) l) = add_up (fun a => E W (f a)) l.
Proof. induction l as [|a l IH]; cbn [add_up]; [apply E_const|]. rewrite E_plus, IH. reflexivity. Qed.

(* ---- 2. The ways to choose k members. ---- *)

Fixpoint splits {A : Type} (k : nat) (l : list A) : list (list A * list A) :=
  match l with
  | [] => match k with O => [([], [])] | S _ => [] end
  | a :: r => match k with O => [] | S j => map (fun s => (a :: fst s, snd s)) (splits j r) end
              ++ map (fun s => (fst s, a :: snd s)) (splits k r)
  end.
(* Pascal's triangle. *)
Fixpoint binomial (n k : nat) : nat :=
  match n, k with _, O => 1 | O, S _ => 0 | S m, S j => binomial m j + binomial m (S j) end.

Lemma splits_count {A : Type} k (l : list A) : length (splits k l) = binomial (length l) k.
Proof.
  revert k. induction l as [|a l IH]; intros [|j]; cbn [splits length binomial]; try reflexivity.
  - cbn [app]. rewrite map_length, IH. destruct (length l); reflexivity.
  - now rewrite app_length, !map_length, !IH.
Qed.
Lemma binomial_zero n k : (n < k)%nat -> binomial n k = O.
Proof. revert k. induction n as [|n IH]; intros [|k] H; cbn [binomial]; try lia. rewrite !IH; lia. Qed.
Lemma binomial_pos n k : (k <= n)%nat -> (1 <= binomial n k)%nat.
Proof.
  revert k. induction n as [|n IH]; intros [|k] H; cbn [binomial]; try lia. assert (H1 := IH k ltac:(lia)). lia.
Qed.
Lemma splits_are {A : Type} k (l : list A) K Q : In (K, Q) (splits k l) -> Permutation (K ++ Q) l /\ length K = k.
Proof.
  revert k K Q. induction l as [|a l IH]; intros k K Q.
  - destruct k; cbn; [intros [H|[]]; injection H as <- <-; now split|intros []].
  - cbn [splits]. rewrite in_app_iff. intros [H|H].
    + destruct k as [|j]; [destruct H|]. apply in_map_iff in H. destruct H as ([K' Q'] & H & Hin).
      injection H as <- <-. destruct (IH j K' Q' Hin) as [H1 H2]. split; [now constructor|]. cbn. now rewrite H2.
    + apply in_map_iff in H. destruct H as ([K' Q'] & H & Hin). injection H as <- <-.
      destruct (IH k K' Q' Hin) as [H1 H2]. split; [|assumption]. rewrite <- H1. symmetry. apply Permutation_middle.
Qed.
Lemma splits_map {A B : Type} (f : A -> B) k l :
  splits k (map f l) = map (fun s => (map f (fst s), map f (snd s))) (splits k l).
Proof.
  revert k. induction l as [|a l IH]; intros [|j]; cbn [splits map]; try reflexivity.
  - cbn [app]. rewrite IH, !map_map. reflexivity.
  - rewrite map_app, !IH, !map_map. reflexivity.
Qed.

(* A sum over all ways to choose does not depend on the order of the list, if its terms do not. *)
Definition no_order {A : Type} (g : list A -> list A -> R) :=
  forall K K' Q Q', Permutation K K' -> Permutation Q Q' -> g K Q = g K' Q'.
Definition over_splits {A : Type} (g : list A -> list A -> R) k l := add_up (fun s => g (fst s) (snd s)) (splits k l).
Lemma over_splits_cons {A : Type} (g : list A -> list A -> R) k a l : over_splits g k (a :: l)
  = match k with O => 0 | S j => over_splits (fun K Q => g (a :: K) Q) j l end
    + over_splits (fun K Q => g K (a :: Q)) k l.
Proof. unfold over_splits. cbn [splits]. rewrite add_up_app. destruct k; rewrite !add_up_map; reflexivity. Qed.
Lemma over_splits_ext {A : Type} (g g' : list A -> list A -> R) k l : (forall K Q, g K Q = g' K Q) ->
  over_splits g k l = over_splits g' k l.
Proof. intros H. apply add_up_ext. intros. apply H. Qed.
Lemma over_splits_order {A : Type} l l' : Permutation l l' -> forall (g : list A -> list A -> R) k, no_order g ->
  over_splits g k l = over_splits g k l'.
Proof.
  induction 1 as [|a l l' _ IH|a b l|l l' l'' _ IH1 _ IH2]; intros g k Hg; [reflexivity| | |].
  - rewrite !over_splits_cons. f_equal; [destruct k; [reflexivity|]|]; apply IH; intros K K' Q Q' H1 H2; apply Hg;
      try assumption; now constructor.
  - destruct k as [|[|j]]; rewrite !over_splits_cons; cbv iota; rewrite ?over_splits_cons.
    + rewrite !Rplus_0_l. apply over_splits_ext. intros. apply Hg; [reflexivity|constructor].
    + rewrite (over_splits_ext (fun K Q => g K (b :: a :: Q)) (fun K Q => g K (a :: b :: Q))).
      * ring.
      * intros. apply Hg; [reflexivity|constructor].
    + rewrite (over_splits_ext (fun K Q => g K (b :: a :: Q)) (fun K Q => g K (a :: b :: Q)))
        by (intros; apply Hg; [reflexivity|constructor]).
      rewrite (over_splits_ext (fun K Q => g (b :: a :: K) Q) (fun K Q => g (a :: b :: K) Q))
        by (intros; apply Hg; [constructor|reflexivity]). ring.
  - rewrite IH1, IH2 by assumption. reflexivity.
Qed.

(* ---- 3. Sorting, by insertion. ---- *)

Fixpoint insert (a : R) (l : list R) : list R :=
  match l with [] => [a] | b :: r => if Rle_dec a b then a :: l else b :: insert a r end.
Fixpoint sort (l : list R) : list R := match l with [] => [] | a :: r => insert a (sort r) end.
Lemma insert_order a l : Permutation (insert a l) (a :: l).
Proof.
  induction l as [|b l IH]; cbn [insert]; [reflexivity|]. destruct (Rle_dec a b); [reflexivity|].
  rewrite IH. apply perm_swap.
Qed.
Lemma insert_sorted a l : StronglySorted Rle l -> StronglySorted Rle (insert a l).
Proof.
  induction 1 as [|b l Hl IH Hb]; cbn [insert]; [repeat constructor|]. destruct (Rle_dec a b) as [Hab|Hab].
  - constructor; [now constructor|]. constructor; [assumption|].
    eapply Forall_impl; [|exact Hb]. cbn. intros. lra.
  - constructor; [assumption|]. eapply Permutation_Forall; [symmetry; apply insert_order|].
    constructor; [lra|assumption].
Qed.
Lemma sort_order l : Permutation (sort l) l.
Proof.
  induction l as [|a l IH]; cbn [sort]; [reflexivity|]. rewrite insert_order. now constructor.
Qed.
Lemma sort_sorted l : StronglySorted Rle (sort l).
Proof. induction l as [|a l IH]; cbn [sort]; [constructor|]. now apply insert_sorted. Qed.

(* ---- 4. The smallest member of a list that is not empty. ---- *)

Fixpoint least (l : list R) : R := match l with [] => 0 | [a] => a | a :: r => Rmin a (least r) end.
Lemma least_cons a l : l <> [] -> least (a :: l) = Rmin a (least l).
Proof. destruct l; [congruence|reflexivity]. Qed.
Lemma least_is l : l <> [] -> In (least l) l /\ forall b, In b l -> least l <= b.
Proof.
  induction l as [|a l IH]; [congruence|]. intros _.
  destruct l as [|b r]; [cbn; split; [now left|intros b [<-|[]]; lra]|].
  destruct (IH ltac:(congruence)) as [H1 H2]. rewrite least_cons by congruence. split.
  - unfold Rmin. destruct (Rle_dec _ _); [now left|now right].
  - intros x [<-|Hx]; [apply Rmin_l|]. eapply Rle_trans; [apply Rmin_r|now apply H2].
Qed.
Lemma least_order l l' : Permutation l l' -> least l = least l'.
Proof.
  intros H. destruct l as [|a l]; [apply Permutation_nil in H; now rewrite H|].
  assert (Hne : l' <> []) by (intros E; rewrite E in H; symmetry in H; now apply Permutation_nil in H).
  destruct (least_is (a :: l) ltac:(congruence)) as [H1 H2]. destruct (least_is l' Hne) as [H3 H4].
  apply Rle_antisym; [apply H2|apply H4]; [symmetry in H|]; now apply (Permutation_in _ H).
Qed.
Lemma least_first a l : Forall (Rle a) l -> least (a :: l) = a.
Proof.
  intros H. destruct l as [|b r]; [reflexivity|]. rewrite least_cons by congruence.
  apply Rmin_left. rewrite Forall_forall in H. apply H. now apply least_is.
Qed.
