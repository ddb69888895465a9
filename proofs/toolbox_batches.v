(* Appendix A: the variance of a mini-batch mean (lem-batch-variance), with and without replacement.

   g k j is entry j of the k-th of n vectors, k = 0, ..., n - 1. With replacement a batch is b independent draws, each
   with the chance 1/n (batches.v). Without replacement all ways to take b of the n, one after the other, are equally
   likely: `ways b (seq 0 n)` lists them, and `average` is the mean over that list. *)
Require Export batches.
Open Scope R_scope.

(* mu is the mean of the n vectors, sigma^2 their mean squared distance from it. *)
Definition center n (g : nat -> vec) : vec := fun j => sum n (fun k => g k j) / INR n.
Definition sigma2 n d (g : nat -> vec) := sum n (fun k => norm2 d (sub (g k) (center n g))) / INR n.

(* ---- 1. With replacement: two draws are independent, and nothing is left of the mixed products. ---- *)

(* (2) Two independent draws of mean zero have c = 0. *)
Lemma step_2 W d (a : nat -> vec) : (forall j, (j < d)%nat -> E W (fun w => a w j) = 0) ->
  E W (fun v => E W (fun w => inner d (a v) (a w))) = 0.
Proof.
  intros H. rewrite (E_ext W _ (fun _ => 0)); [apply E_const|]. intros v _. unfold inner. rewrite E_sum.
  apply sum_zeros. intros j Hj. rewrite E_scal, H by assumption. ring.
Qed.
(* lem-batch-variance, with replacement: E|g_b - grad f|^2 = sigma^2 / b. In batches.v all b (b - 1) mixed products
   vanish at once (`Eb_square`). *)
Theorem lem_batch_variance n (Hn : (1 <= n)%nat) d b g : (1 <= b)%nat ->
  E (batches (uniform n Hn) b) (fun k => norm2 d (sub (mean g (drawn (uniform n Hn) b k)) (center n g)))
  = sigma2 n d g / INR b.
Proof.
  intros Hb. rewrite (batch_variance (uniform n Hn) d b g (center n g)); [|intros; apply E_uniform|assumption].
  now rewrite E_uniform.
Qed.

(* ---- 2. All ways to take b entries out of a list, one after the other. ---- *)

(* One entry and the rest, in every way. *)
Fixpoint picks (l : list nat) : list (nat * list nat) :=
  match l with nil => nil | cons a r => cons (a, r) (map (fun p => (fst p, cons a (snd p))) (picks r)) end.
Fixpoint ways (b : nat) (left : list nat) : list (list nat) :=
  match b with
  | O => cons nil nil
  | S c => flat_map (fun p => map (cons (fst p)) (ways c (snd p))) (picks left)
  end.
Fixpoint add {A} (f : A -> R) (l : list A) : R := match l with nil => 0 | cons a r => f a + add f r end.
Definition average {A} (f : A -> R) (l : list A) : R := add f l / INR (length l).

Lemma add_ext A (f h : A -> R) l : (forall p, In p l -> f p = h p) -> add f l = add h l.
Proof.
  induction l as [|a l IH]; cbn [add In]; intros H; [reflexivity|]. rewrite H by auto. f_equal. auto.
Qed.
Lemma add_map A B (f : B -> R) (h : A -> B) l : add f (map h l) = add (fun a => f (h a)) l.
Proof. induction l as [|a l IH]; cbn [add map]; [reflexivity|]. now rewrite IH. Qed.
Lemma add_app A (f : A -> R) l m : add f (l ++ m) = add f l + add f m.
Proof. induction l as [|a l IH]; cbn [add app]; [ring|]. rewrite IH. ring. Qed.
Lemma add_flat_map A B (f : B -> R) (h : A -> list B) l : add f (flat_map h l) = add (fun a => add f (h a)) l.
Proof. induction l as [|a l IH]; cbn [add flat_map]; [reflexivity|]. now rewrite add_app, IH. Qed.
Lemma add_plus A (f h : A -> R) l : add (fun a => f a + h a) l = add f l + add h l.
Proof. induction l as [|a l IH]; cbn [add]; [ring|]. rewrite IH. ring. Qed.
Lemma add_scal A (f : A -> R) c l : add (fun a => c * f a) l = c * add f l.
Proof. induction l as [|a l IH]; cbn [add]; [ring|]. rewrite IH. ring. Qed.
Lemma add_const A c (l : list A) : add (fun _ => c) l = INR (length l) * c.
Proof. induction l as [|a l IH]; cbn [add length]; [rewrite INR_zero; ring|]. rewrite IH, S_INR. ring. Qed.

(* Lengths of lists. The library has these, too, but not under the same names in all its versions. *)
Lemma length_after_map A B (h : A -> B) l : length (map h l) = length l.
Proof. induction l as [|a l IH]; cbn [map length]; [reflexivity|now rewrite IH]. Qed.
Lemma length_of_both A (l m : list A) : length (l ++ m) = (length l + length m)%nat.
Proof. induction l as [|a l IH]; cbn [app length]; [reflexivity|]. now rewrite IH. Qed.
Lemma length_of_seq k n : length (seq k n) = n.
Proof. revert k. induction n as [|n IH]; intros k; cbn [seq length]; [reflexivity|now rewrite IH]. Qed.

Lemma picks_length l : length (picks l) = length l.
Proof. induction l as [|a l IH]; cbn [picks length]; [reflexivity|]. now rewrite length_after_map, IH. Qed.
Lemma picks_first f l : add (fun p => f (fst p)) (picks l) = total f l.
Proof.
  induction l as [|a l IH]; cbn [picks add total fst]; [reflexivity|]. now rewrite add_map, <- IH.
Qed.
(* What is left has one entry less, and its sum is smaller by what was taken. *)
Lemma picks_rest p l : In p (picks l) ->
  length l = S (length (snd p)) /\ forall f, total f l = f (fst p) + total f (snd p).
Proof.
  revert p. induction l as [|a l IH]; cbn [picks In]; [easy|]. intros p [<-|Hp]; [easy|].
  apply in_map_iff in Hp. destruct Hp as (q & <- & Hq). destruct (IH q Hq) as (H1 & H2). cbn [fst snd length total].
  split; [now rewrite H1|]. intros f. rewrite (H2 f). ring.
Qed.
(* n (n - 1) ... (n - b + 1) ways. *)
Fixpoint count (b n : nat) : nat := match b with O => 1 | S c => n * count c (n - 1) end.
Lemma ways_count b left : length (ways b left) = count b (length left).
Proof.
  revert left. induction b as [|b IH]; intros left; [reflexivity|]. cbn [ways count].
  rewrite <- (picks_length left) at 1.
  assert (H : forall p, In p (picks left) -> length (ways b (snd p)) = count b (length left - 1)).
  { intros p Hp. rewrite IH. f_equal. destruct (picks_rest p left Hp). lia. }
  induction (picks left) as [|p l IHl]; [reflexivity|]. cbn [flat_map length].
  rewrite length_of_both, length_after_map, H, IHl by (intros; try apply H; cbn [In]; auto). lia.
Qed.
Lemma count_pos b n : (b <= n)%nat -> (1 <= count b n)%nat.
Proof.
  revert n. induction b as [|b IH]; intros n Hb; cbn [count]; [lia|]. specialize (IH (n - 1)%nat ltac:(lia)).
  destruct n; [lia|]. cbn [Nat.mul]. lia.
Qed.
(* The mean over all ways is a mean over the first draw of the mean over what follows. *)
Lemma average_first b left X : (S b <= length left)%nat ->
  average X (ways (S b) left)
  = add (fun p => average (fun l => X (cons (fst p) l)) (ways b (snd p))) (picks left) / INR (length left).
Proof.
  intros Hb. unfold average at 1. rewrite ways_count. cbn [ways count]. rewrite add_flat_map, mult_INR.
  assert (HN := INR_pos _ (count_pos b (length left - 1) ltac:(lia))). assert (Hl := INR_pos (length left) ltac:(lia)).
  set (N := INR (count b (length left - 1))) in *.
  rewrite (add_ext _ _ (fun p => N * average (fun l => X (cons (fst p) l)) (ways b (snd p)))).
  - rewrite add_scal. field. lra.
  - intros p Hp. rewrite add_map. unfold average. rewrite ways_count.
    replace (length (snd p)) with (length left - 1)%nat by (destruct (picks_rest p left Hp); lia). fold N. field. lra.
Qed.
Lemma ways_length b left l : In l (ways b left) -> length l = b.
Proof.
  revert left l. induction b as [|b IH]; intros left l; cbn [ways In]; [now intros [<-|[]]|]. intros H.
  apply in_flat_map in H. destruct H as (p & _ & H). apply in_map_iff in H. destruct H as (r & <- & H).
  cbn [length]. now rewrite (IH (snd p) r H).
Qed.
(* Nothing is put back: no batch has an entry twice, and no batch is listed twice. *)
Lemma picks_are l p : In p (picks l) ->
  In (fst p) l /\ (NoDup l -> ~ In (fst p) (snd p) /\ NoDup (snd p)) /\ incl (snd p) l.
Proof.
  revert p. induction l as [|a l IH]; cbn [picks In]; [easy|]. intros p [<-|Hp]; cbn [fst snd].
  - split; [now left|]. split; [|now apply incl_tl, incl_refl]. intros H. now apply NoDup_cons_iff in H.
  - apply in_map_iff in Hp. destruct Hp as (q & <- & Hq). cbn [fst snd]. destruct (IH q Hq) as (H1 & H2 & H3).
    split; [now right|]. split.
    + intros H. apply NoDup_cons_iff in H. destruct H as (Ha & Hl). destruct (H2 Hl) as (H4 & H5). split.
      * intros [->|H6]; [now apply Ha|now apply H4].
      * constructor; [intros H6; now apply Ha, H3|assumption].
    + intros b [->|Hb]; [now left|right; now apply H3].
Qed.
Lemma picks_firsts l : map fst (picks l) = l.
Proof. induction l as [|a l IH]; cbn [picks map fst]; [reflexivity|]. f_equal. now rewrite map_map. Qed.
Theorem ways_differ b left l : NoDup left -> In l (ways b left) -> NoDup l /\ incl l left.
Proof.
  revert left l. induction b as [|b IH]; intros left l Hleft; cbn [ways In].
  - intros [<-|[]]. split; [constructor|easy].
  - intros H. apply in_flat_map in H. destruct H as (p & Hp & H). apply in_map_iff in H. destruct H as (r & <- & H).
    destruct (picks_are left p Hp) as (H1 & H2 & H3). destruct (H2 Hleft) as (H4 & H5).
    destruct (IH (snd p) r H5 H) as (H6 & H7). split.
    + constructor; [intros H8; now apply H4, H7|assumption].
    + intros a [<-|Ha]; [assumption|now apply H3, H7].
Qed.
Lemma no_repeats A (l m : list A) : NoDup l -> NoDup m -> (forall a, In a l -> ~ In a m) -> NoDup (l ++ m).
Proof.
  intros Hl Hm H. induction l as [|a l IH]; cbn [app]; [assumption|]. apply NoDup_cons_iff in Hl.
  destruct Hl as (Ha & Hl). constructor.
  - rewrite in_app_iff. intros [H1|H1]; [now apply Ha|]. apply (H a); [now left|assumption].
  - apply IH; [assumption|]. intros b Hb. apply H. now right.
Qed.
(* Different entries have different images. *)
Lemma distinct_images {A B} (f : A -> B) l : (forall u v, f u = f v -> u = v) -> NoDup l -> NoDup (map f l).
Proof.
  intros one_to_one. induction 1 as [|x l Hx _ IH]; cbn [map]; constructor; [|easy].
  intros H. apply in_map_iff in H. destruct H as (y & H & Hy). apply one_to_one in H. now subst.
Qed.
Theorem ways_once b left : NoDup left -> NoDup (ways b left).
Proof.
  revert left. induction b as [|b IH]; intros left Hleft; cbn [ways]; [constructor; [easy|constructor]|].
  assert (Hf : NoDup (map fst (picks left))) by now rewrite picks_firsts.
  assert (Hp : forall p, In p (picks left) -> NoDup (snd p)) by (intros p Hp; now apply (picks_are left)).
  induction (picks left) as [|p l IHl]; cbn [flat_map map In] in *; [constructor|].
  apply NoDup_cons_iff in Hf. destruct Hf as (Hx & Hf). apply no_repeats.
  - apply distinct_images; [intros u v H; now injection H|]. apply IH, Hp. now left.
  - apply IHl; [assumption|]. intros q Hq. apply Hp. now right.
  - intros r H1 H2. apply in_map_iff in H1. destruct H1 as (u & <- & _). apply Hx.
    apply in_flat_map in H2. destruct H2 as (q & Hq & H2). apply in_map_iff in H2. destruct H2 as (v & H2 & _).
    injection H2 as H2 _. rewrite <- H2. now apply in_map.
Qed.
