(* The reality check: the expected best of k trials (thm-reality-best). *)
Require Import reality_check.
Open Scope R_scope.

(* The mean over all subsets of k trials of the best score in the subset (eq-reality-subsets). *)
Definition best_of (k : nat) (l : list R) := over_splits (fun K _ => least K) k l / INR (binomial (length l) k).

(* (1) Count: in a sorted list the first is the best of every subset that it belongs to; the other k - 1 members come
   from those behind it. *)
Lemma step_1 j a l : StronglySorted Rle (a :: l) ->
  over_splits (fun K _ => least (a :: K)) j l = INR (binomial (length l) j) * a.
Proof.
  intros H. apply StronglySorted_inv in H. destruct H as [_ H]. unfold over_splits.
  rewrite (add_up_ext _ (fun _ => a)); [now rewrite add_up_const, splits_count|].
  intros [K Q] Hin. cbn [fst]. apply least_first. now apply (members j l K Q).
Qed.
(* (2) Average: each rank contributes its score as often as (1) says. *)
Lemma step_2 j l : StronglySorted Rle l ->
  over_splits (fun K _ => least K) (S j) l = sum (length l) (fun i => INR (binomial (length l - S i) j) * nth i l 0).
Proof.
  induction l as [|a l IH]; intros H; [reflexivity|]. rewrite over_splits_cons, step_1, IH by
    (assumption || (apply StronglySorted_inv in H; tauto)).
  cbn [length]. rewrite sum_first. cbn [nth]. rewrite Nat.sub_succ, Nat.sub_0_r. reflexivity.
Qed.
Lemma least_any_order : no_order (fun K (_ : list R) => least K).
Proof. intros K K' Q Q' HK _. now apply least_order. Qed.

(* The mean over all subsets of k trials of the best score among them is (eq-reality-best). Rank i + 1 of the page is
   place i of the sorted list. *)
Theorem thm_reality_best k l : (1 <= k <= length l)%nat -> best_of k l = sum (length l - k + 1)
  (fun i => INR (binomial (length l - S i) (k - 1)) / INR (binomial (length l) k) * nth i (sort l) 0).
Proof.
  intros Hk. destruct k as [|j]; [lia|]. set (N := length l). assert (HN : length (sort l) = N)
    by apply (Permutation_length (sort_order l)).
  assert (Hb : 0 < INR (binomial N (S j))) by (apply INR_pos, binomial_pos; unfold N; lia).
  unfold best_of. rewrite <- (over_splits_order (sort l) l (sort_order l) _ _ least_any_order).
  rewrite step_2 by apply sort_sorted. rewrite HN. fold N. replace (S j - 1)%nat with j by lia.
  assert (Hcut : sum N (fun i => INR (binomial (N - S i) j) * nth i (sort l) 0)
    = sum (N - S j + 1) (fun i => INR (binomial (N - S i) j) * nth i (sort l) 0)).
  { replace N with ((N - S j + 1) + j)%nat at 1 by (unfold N; lia). rewrite sum_app, (sum_zeros j); [ring|].
    intros i Hi. rewrite binomial_zero by (unfold N; lia). rewrite INR_zero. ring. }
  rewrite Hcut, <- sum_div. apply sum_ext. intros. field. lra.
Qed.

(* (3) Unbiased: by exchangeability each subset has the expectation of the first. *)
Theorem thm_reality_best_unbiased W N X k : exchangeable W N X -> (1 <= k <= N)%nat ->
  E W (fun w => best_of k (scores X w (seq 0 N))) = E W (fun w => least (scores X w (seq 0 k))).
Proof.
  intros H Hk. assert (Hb : 0 < INR (binomial N k)) by (apply INR_pos, binomial_pos; lia). unfold best_of.
  rewrite (E_ext W _ (fun w => add_up (fun c => least (scores X w (fst c))) (splits k (seq 0 N)) / INR (binomial N k))).
  - rewrite E_div, E_add_up, (add_up_ext _ (fun _ => E W (fun w => least (scores X w (seq 0 k))))).
    + rewrite add_up_const, splits_count, seq_length. field. lra.
    + intros [K Q] Hin. cbn [fst]. destruct (splits_are k _ K Q Hin) as [H1 H2].
      apply (all_choices_alike W N X k (fun K _ => least K) K Q (seq 0 k) (seq k (N - k))); try assumption;
        [apply seq_length|]. rewrite <- seq_app. now replace (k + (N - k))%nat with N by lia.
  - intros w _. unfold scores, over_splits. now rewrite splits_map, add_up_map, map_length, seq_length.
Qed.
