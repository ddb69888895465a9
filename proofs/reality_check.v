(* The reality check: false alarms of separation (lem-reality-tie) and the expected best of k trials (thm-reality-best).

   X w i is the score of trial i when the outcome w of a finite space W was drawn. *)
Require Export reality_check_subsets.
Open Scope R_scope.

Definition scores (X : nat -> nat -> R) w (trials : list nat) := map (X w) trials.
(* The joint distribution of the scores 0, ..., N - 1 does not change when they are reordered
   (asm-reality-exchangeable): no function of the list of scores has another mean then. *)
Definition exchangeable W N (X : nat -> nat -> R) := forall (phi : list R -> R) order, Permutation order (seq 0 N) ->
  E W (fun w => phi (scores X w order)) = E W (fun w => phi (scores X w (seq 0 N))).

(* The mean of a function of the chosen and the others is the same for all ways to choose. *)
Lemma cut_after {A : Type} k (K Q : list A) : length K = k -> firstn k (K ++ Q) = K /\ skipn k (K ++ Q) = Q.
Proof.
  intros <-. rewrite firstn_app, skipn_app, Nat.sub_diag, firstn_O, app_nil_r, skipn_O, firstn_all, skipn_all.
  now split.
Qed.
Lemma all_choices_alike W N X k (g : list R -> list R -> R) K Q K' Q' : exchangeable W N X ->
  length K = k -> length K' = k -> Permutation (K ++ Q) (seq 0 N) -> Permutation (K' ++ Q') (seq 0 N) ->
  E W (fun w => g (scores X w K) (scores X w Q)) = E W (fun w => g (scores X w K') (scores X w Q')).
Proof.
  intros H HK HK' H1 H2. set (phi l := g (firstn k l) (skipn k l)).
  assert (Hcut : forall L M, length L = k ->
    E W (fun w => g (scores X w L) (scores X w M)) = E W (fun w => phi (scores X w (L ++ M)))).
  { intros L M Hl. apply E_ext. intros w _. unfold phi, scores. rewrite map_app.
    destruct (cut_after k (map (X w) L) (map (X w) M)) as [-> ->]; [now rewrite map_length|reflexivity]. }
  rewrite (Hcut K Q HK), (Hcut K' Q' HK'), (H phi (K ++ Q) H1), (H phi (K' ++ Q') H2). reflexivity.
Qed.

(* ---- 1. lem-reality-tie. ---- *)

Definition all_below (K Q : list R) := Forall (fun a => Forall (fun b => a < b) Q) K.
Definition all_below_dec K Q : {all_below K Q} + {~ all_below K Q} :=
  Forall_dec _ (fun a => Forall_dec _ (fun b => Rlt_dec a b) Q) K.
Definition below K Q := indicator (all_below_dec K Q).
Lemma below_iff K Q K' Q' : (all_below K Q <-> all_below K' Q') -> below K Q = below K' Q'.
Proof. intros H. unfold below, indicator. destruct (all_below_dec K Q), (all_below_dec K' Q'); tauto. Qed.
Lemma below_no_order : no_order below.
Proof.
  intros K K' Q Q' HK HQ. apply below_iff. unfold all_below. split; intros H.
  - apply (Permutation_Forall HK). eapply Forall_impl; [|exact H]. intros a. apply (Permutation_Forall HQ).
  - apply (Permutation_Forall (Permutation_sym HK)). eapply Forall_impl; [|exact H]. intros a.
    apply (Permutation_Forall (Permutation_sym HQ)).
Qed.
Lemma over_splits_zero {A : Type} (g : list A -> list A -> R) l : over_splits g 0 l = g [] l.
Proof.
  revert g. induction l as [|a l IH]; intros g; [unfold over_splits; cbn; ring|].
  rewrite over_splits_cons, IH. ring.
Qed.
Lemma members {A : Type} k (l K Q : list A) P : In (K, Q) (splits k l) -> Forall P l -> Forall P K /\ Forall P Q.
Proof.
  intros Hin H. destruct (splits_are k l K Q Hin) as [H1 _]. apply (Permutation_Forall (Permutation_sym H1)) in H.
  now apply Forall_app in H.
Qed.
(* (1) Of all ways to choose s of distinct scores, one puts the chosen below all others. *)
Lemma one_way_sorted s l : StronglySorted Rlt l -> (s <= length l)%nat -> over_splits below s l = 1.
Proof.
  intros Hl. revert s. induction Hl as [|a l Hl IH Ha]; intros s Hs.
  - assert (s = O) as -> by (cbn in Hs; lia). rewrite over_splits_zero. unfold below, indicator.
    destruct (all_below_dec [] []) as [|H]; [reflexivity|]. exfalso. apply H. constructor.
  - destruct s as [|j].
    + rewrite over_splits_zero. unfold below, indicator.
      destruct (all_below_dec [] (a :: l)) as [|H]; [reflexivity|]. exfalso. apply H. constructor.
    + rewrite over_splits_cons. cbn in Hs. rewrite <- (IH j) by lia.
      rewrite <- (Rplus_0_r (over_splits below j l)). f_equal.
      * apply add_up_ext. intros [K Q] Hin. cbn [fst snd]. apply below_iff. unfold all_below.
        destruct (members j l K Q _ Hin Ha) as [_ HQ]. split; intros H; [now inversion H|now constructor].
      * unfold over_splits. rewrite (add_up_ext _ (fun _ => 0)); [rewrite add_up_const; ring|].
        intros [K Q] Hin. cbn [fst snd]. unfold below, indicator.
        destruct (all_below_dec K (a :: Q)) as [H|]; [exfalso|reflexivity].
        destruct (members (S j) l K Q _ Hin Ha) as [HK _]. destruct (splits_are (S j) l K Q Hin) as [_ HL].
        destruct K as [|b K]; [discriminate|].
        apply Forall_inv in HK. apply Forall_inv, Forall_inv in H. lra.
Qed.
Lemma strictly_sorted l : StronglySorted Rle l -> NoDup l -> StronglySorted Rlt l.
Proof.
  induction 1 as [|a l Hl IH Ha]; intros Hd; [constructor|].
  inversion_clear Hd as [|? ? Hnot Hd']. constructor; [now apply IH|].
  rewrite Forall_forall in *. intros b Hb. destruct (Ha b Hb) as [|E]; [assumption|]. rewrite <- E in Hb. contradiction.
Qed.
Lemma step_1 s l : NoDup l -> (s <= length l)%nat -> over_splits below s l = 1.
Proof.
  intros Hd Hs. rewrite <- (over_splits_order (sort l) l (sort_order l) below s below_no_order). apply one_way_sorted.
  - apply strictly_sorted; [apply sort_sorted|]. apply (Permutation_NoDup (l := l)); [|assumption].
    symmetry. apply sort_order.
  - now rewrite (Permutation_length (sort_order l)).
Qed.
Lemma E_ext_almost W X Y : (forall w, (w < size W)%nat -> 0 < weight W w -> X w = Y w) -> E W X = E W Y.
Proof.
  intros H. apply sum_ext. intros w Hw. destruct (weight_pos W w Hw) as [Hp|<-]; [now rewrite H|ring].
Qed.

Section Tie.
  Variables (W : space) (X : nat -> nat -> R) (s : nat).
  Hypothesis alike : exchangeable W (2 * s) X.
  Hypothesis distinct : forall w, (w < size W)%nat -> 0 < weight W w -> NoDup (scores X w (seq 0 (2 * s))).
  Hypothesis some : (1 <= s)%nat.
  Definition first_method w := scores X w (seq 0 s).
  Definition second_method w := scores X w (seq s s).
  Definition separated w : R := if all_below_dec (first_method w) (second_method w) then 1 else
    if all_below_dec (second_method w) (first_method w) then 1 else 0.

  (* (2) By exchangeability each of the ways is equally likely. *)
  Lemma step_2 : INR (binomial (2 * s) s) * E W (fun w => below (first_method w) (second_method w)) = 1.
  Proof.
    assert (H : E W (fun w => over_splits below s (scores X w (seq 0 (2 * s)))) = 1).
    { rewrite (E_ext_almost W _ (fun _ => 1)); [apply E_const|]. intros w Hw Hp. apply step_1; [now apply distinct|].
      unfold scores. rewrite map_length, seq_length. lia. }
    rewrite <- H. unfold over_splits, scores.
    rewrite (E_ext W (fun w => add_up _ (splits s (map (X w) (seq 0 (2 * s)))))
      (fun w => add_up (fun c => below (scores X w (fst c)) (scores X w (snd c))) (splits s (seq 0 (2 * s)))))
      by (intros; now rewrite splits_map, add_up_map).
    rewrite E_add_up, (add_up_ext _ (fun _ => E W (fun w => below (first_method w) (second_method w)))).
    - now rewrite add_up_const, splits_count, seq_length.
    - intros [K Q] Hin. cbn [fst snd]. destruct (splits_are s _ K Q Hin) as [H1 H2].
      apply (all_choices_alike W (2 * s) X s below); [exact alike|exact H2|apply seq_length|exact H1|].
      rewrite <- seq_app. now replace (s + s)%nat with (2 * s)%nat by lia.
  Qed.
  (* lem-reality-tie: all scores of one method lie below all of the other, one way or the other, with probability 2 /
     C(2s, s). *)
  Theorem lem_reality_tie : E W separated = 2 / INR (binomial (2 * s) s).
  Proof.
    assert (Hb : 0 < INR (binomial (2 * s) s)) by (apply INR_pos, binomial_pos; lia).
    assert (Hsame : E W (fun w => below (second_method w) (first_method w))
                  = E W (fun w => below (first_method w) (second_method w))).
    { apply (all_choices_alike W (2 * s) X s below); [exact alike|apply seq_length|apply seq_length| |].
      - rewrite Permutation_app_comm, <- seq_app. now replace (s + s)%nat with (2 * s)%nat by lia.
      - rewrite <- seq_app. now replace (s + s)%nat with (2 * s)%nat by lia. }
    rewrite (E_ext W _ (fun w => below (first_method w) (second_method w) + below (second_method w) (first_method w))).
    - rewrite E_plus, Hsame. assert (H := step_2). apply Rmult_eq_reg_l with (INR (binomial (2 * s) s)); [|lra].
      replace (INR (binomial (2 * s) s) * (2 / INR (binomial (2 * s) s))) with 2 by (field; lra). lra.
    - intros w _. unfold separated, below, indicator.
      destruct (all_below_dec (first_method w) (second_method w)) as [H1|_],
        (all_below_dec (second_method w) (first_method w)) as [H2|_]; try ring. exfalso.
      unfold first_method, second_method, scores, all_below in *. destruct s as [|j]; [lia|]. cbn [seq map] in *.
      apply Forall_inv, Forall_inv in H1. apply Forall_inv, Forall_inv in H2. lra.
  Qed.
End Tie.
