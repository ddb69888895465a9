(* Telescoping (lem-telescoping): a promise for every step becomes one for the average over a run.

   The page counts from 1: its f_1, ..., f_{T+1} are f 0, ..., f T here, and p_1, ..., p_T are p 0, ..., p (T - 1). *)
Require Import sums.
Open Scope R_scope.

Section Telescoping.
  Variable c : R.            (* what a step gains at least, in units of p *)
  Variable T : nat.          (* steps *)
  Variables f p e : nat -> R.
  Variable fstar : R.
  Hypothesis c_positive : 0 < c.
  Hypothesis some_step : (1 <= T)%nat.
  Hypothesis each_step : forall t, (t < T)%nat -> f (S t) <= f t - c * p t + e t.
  Hypothesis above : fstar <= f T.   (* (A0) *)

  (* (1) Sum the hypothesis. *)
  Lemma step_1 : c * sum T p <= sum T (fun t => f t - f (S t)) + sum T e.
  Proof.
    rewrite <- sum_scal, <- sum_plus. apply sum_le. intros t Ht. specialize (each_step t Ht). lra.
  Qed.

  (* (2) All inner terms of the first sum cancel. *)
  Lemma step_2 : sum T (fun t => f t - f (S t)) = f O - f T.
  Proof.
    rewrite (sum_ext T _ (fun t => - (f (S t) - f t))) by (intros; ring).
    rewrite sum_opp, sum_telescope. ring.
  Qed.

  (* (3) (A0), and divide by c T. *)
  Lemma step_3 : sum T p / INR T <= (f O - fstar) / (c * INR T) + 1 / (c * INR T) * sum T e.
  Proof.
    assert (HT := INR_pos T some_step). assert (H := step_1). rewrite step_2 in H.
    apply div_le; [assumption|]. apply Rmult_le_reg_l with c; [assumption|].
    replace (c * (((f O - fstar) / (c * INR T) + 1 / (c * INR T) * sum T e) * INR T))
      with (f O - fstar + sum T e) by (field; lra).
    lra.
  Qed.

  (* (3) The smallest of T numbers is at most their average: some p_t is. *)
  Lemma step_3b : exists t, (t < T)%nat /\ p t <= sum T p / INR T.
  Proof. now apply below_mean. Qed.

  (* The smallest of p_1, ..., p_T is at most their average, and that is at most
     (f_1 - f^* ) / (c T) + (1 / (c T)) sum of e_t. *)
  Theorem lem_telescoping :
    (exists t, (t < T)%nat /\ p t <= sum T p / INR T) /\
    sum T p / INR T <= (f O - fstar) / (c * INR T) + 1 / (c * INR T) * sum T e.
  Proof. exact (conj step_3b step_3). Qed.
End Telescoping.

(* Two steps from 3 down to 2: each gains 1 and loses 1/2 of it. Here the two sides are equal. *)
Lemma lem_telescoping_instance :
  sum 2 (fun _ => 1) / INR 2 <= (3 - INR 0 / 2 - 2) / (1 * INR 2) + 1 / (1 * INR 2) * sum 2 (fun _ => / 2).
Proof.
  apply (lem_telescoping 1 2 (fun t => 3 - INR t / 2) (fun _ => 1) (fun _ => / 2) 2); [lra|lia| |].
  - intros t _. rewrite S_INR. lra.
  - rewrite INR_two. lra.
Qed.
(* Without a bound below the last value it is false: a walk that goes down by 1, and a bound that it passes at once. *)
Lemma lem_telescoping_needs_bottom : let f t := - INR t in let p (t : nat) := 1 in let e (t : nat) := 0 in
  (forall t, (t < 1)%nat -> f (S t) <= f t - 1 * p t + e t) /\
  (f O - 0) / (1 * INR 1) + 1 / (1 * INR 1) * sum 1 e < sum 1 p / INR 1.
Proof.
  intros f p e. unfold f, p, e. split; [intros; rewrite S_INR; lra|].
  rewrite !sum_S, !sum_O, INR_zero, INR_one. lra.
Qed.
