(* CAME: a cautious step never points uphill on the gradient that it sees (prp-came-cautious). What that leaves open:
   the clipped updates of prp-came-uphill are cautious already. *)
Require Import vectors came_uphill.
Open Scope R_scope.

Section Cautious.
  Variable n : nat.
  Variables u g : vec.                            (* a step (weights move by -u), and the gradient *)
  (* 1 where the step agrees with the gradient, else 0; how many agree; the cautious step. *)
  Definition agrees (j : nat) : R := if Rlt_dec 0 (u j * g j) then 1 else 0.
  Definition c := sum n agrees.
  Definition cautious (j : nat) : R := u j * agrees j * (INR n / (c + 1)).

  Lemma agrees_is j : agrees j = 1 /\ 0 < u j * g j \/ agrees j = 0 /\ u j * g j <= 0.
  Proof. unfold agrees. destruct (Rlt_dec 0 (u j * g j)); [left|right]; split; lra. Qed.
  Lemma c_bounds : 0 <= c <= INR n.
  Proof.
    unfold c. split.
    - apply sum_nonneg. intros j _. destruct (agrees_is j) as [[-> _]|[-> _]]; lra.
    - rewrite <- (Rmult_1_r (INR n)), <- sum_const. apply sum_le.
      intros j _. destruct (agrees_is j) as [[-> _]|[-> _]]; lra.
  Qed.
  Lemma factor : 0 <= INR n / (c + 1) /\ INR n / (INR n + 1) <= INR n / (c + 1).
  Proof.
    assert (H := c_bounds). assert (Hn := pos_INR n). split; [apply Rle_mult_inv_pos; lra|].
    apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
  Qed.
  (* (1) One entry. *)
  Lemma step_1 j : g j * cautious j = INR n / (c + 1) * Rmax 0 (u j * g j).
  Proof.
    unfold cautious. destruct (agrees_is j) as [[-> H]|[-> H]];
      [rewrite Rmax_right by lra|rewrite Rmax_left by lra]; ring.
  Qed.
  (* (2) Sum. *)
  Lemma step_2 : inner n g cautious = INR n / (c + 1) * sum n (fun j => Rmax 0 (u j * g j)).
  Proof. unfold inner. rewrite <- sum_scal. apply sum_ext. intros j _. apply step_1. Qed.
  (* (3) Downhill. *)
  Lemma step_3 : 0 <= inner n g cautious /\ INR n / (c + 1) * inner n g u <= inner n g cautious.
  Proof.
    rewrite step_2. destruct factor as [Hf _]. split.
    - apply Rmult_le_pos; [assumption|]. apply sum_nonneg. intros. apply Rmax_l.
    - apply Rmult_le_compat_l; [assumption|]. unfold inner. apply sum_le. intros j _.
      rewrite (Rmult_comm (g j)). apply Rmax_r.
  Qed.
  (* (4) Size: an entry that moves is one that agrees. *)
  Lemma step_4 j : (j < n)%nat -> Rabs (cautious j) <= INR n / 2 * Rabs (u j).
  Proof.
    intros Hj. assert (Hn := pos_INR n). assert (Hu := Rabs_pos (u j)). unfold cautious.
    destruct (agrees_is j) as [[H _]|[H _]]; rewrite H.
    - assert (Hc : 1 <= c).
      { rewrite <- H. apply (sum_one n agrees j Hj). intros i _. destruct (agrees_is i) as [[-> _]|[-> _]]; lra. }
      destruct factor as [Hf _]. rewrite Rmult_1_r, Rabs_mult, (Rabs_pos_eq (INR n / (c + 1))) by assumption.
      rewrite Rmult_comm. apply Rmult_le_compat_r; [assumption|].
      apply Rmult_le_compat_l; [assumption|]. apply Rinv_le_contravar; lra.
    - replace (u j * 0 * (INR n / (c + 1))) with 0 by ring. rewrite Rabs_R0. apply Rmult_le_pos; lra.
  Qed.
  (* (5) Where no entry agrees. *)
  Lemma step_5 j : (forall i, (i < n)%nat -> u i * g i <= 0) -> (j < n)%nat -> cautious j = 0.
  Proof.
    intros H Hj. unfold cautious. destruct (agrees_is j) as [[_ H1]|[-> _]]; [|ring].
    assert (H0 := H j Hj). lra.
  Qed.
  (* prp-came-cautious: the step never points uphill, is at most n / 2 times as long in an entry, and may be 0. *)
  Theorem prp_came_cautious :
    inner n g cautious = INR n / (c + 1) * sum n (fun j => Rmax 0 (u j * g j)) /\
    0 <= inner n g cautious /\ INR n / (c + 1) * inner n g u <= inner n g cautious /\
    (forall j, (j < n)%nat -> Rabs (cautious j) <= INR n / 2 * Rabs (u j)) /\
    ((forall i, (i < n)%nat -> u i * g i <= 0) -> forall j, (j < n)%nat -> cautious j = 0).
  Proof.
    destruct step_3 as [H1 H2]. split; [exact step_2|]. split; [exact H1|]. split; [exact H2|].
    split; [exact step_4|]. intros H j Hj. now apply step_5.
  Qed.
End Cautious.

(* (6) Over a period: every clipped update of prp-came-uphill has the sign of its gradient, so all entries agree. *)
Section Period.
  Variables n k : nat.
  Variable h : R.
  Hypothesis period : (3 <= k)%nat.
  Hypothesis range : INR k - 1 < h < sqrt ((INR k - 1) * (INR k ^ 2 - INR k - 1)).
  Definition of_all (x : R) : vec := fun _ => x.
  Lemma step_6 t j : cautious n (of_all (clipped_update k h t)) (of_all (gradient h t)) j
    = INR n / (INR n + 1) * clipped_update k h t.
  Proof.
    assert (Hp : 0 < clipped_update k h t * gradient h t).
    { destruct (came_uphill.step_1 k h period range) as [H0 H1]. destruct (root_v k h period range) as [Hv Hh].
      destruct t as [|t]; [rewrite H0|rewrite H1]; cbn [gradient]; [lra|].
      assert (0 < / sqrt (v k h)) by (apply Rinv_0_lt_compat; lra). lra. }
    assert (Ha : forall i, agrees (of_all (clipped_update k h t)) (of_all (gradient h t)) i = 1).
    { intros i. destruct (agrees_is (of_all (clipped_update k h t)) (of_all (gradient h t)) i) as [[E _]|[_ E]];
        [exact E|unfold of_all in E; lra]. }
    unfold cautious, c. rewrite Ha, (sum_ext n _ (fun _ => 1)) by (intros; apply Ha). rewrite sum_const.
    unfold of_all. rewrite !Rmult_1_r. ring.
  Qed.
  (* The sum over a period is uphill all the same. *)
  Theorem prp_came_cautious_period j : (1 <= n)%nat -> 0 < sum k (gradient h) /\
    sum k (fun t => cautious n (of_all (clipped_update k h t)) (of_all (gradient h t)) j) < 0.
  Proof.
    intros Hn. destruct (prp_came_uphill k h period range) as (H1 & H2 & _). split; [exact H1|].
    rewrite (sum_ext k _ (fun t => INR n / (INR n + 1) * clipped_update k h t)) by (intros; apply step_6).
    rewrite sum_scal. assert (Hr := INR_pos n Hn). assert (Hf : 0 < INR n / (INR n + 1)) by pos.
    assert (H := Rmult_lt_compat_l _ _ _ Hf H2). lra.
  Qed.
End Period.
(* An instance: two entries, k = 3 and h = 3, between 2 and the root of 10. *)
Lemma prp_came_cautious_instance : 0 < sum 3 (gradient 3) /\
  sum 3 (fun t => cautious 2 (of_all (clipped_update 3 3 t)) (of_all (gradient 3 t)) 0) < 0.
Proof. apply (prp_came_cautious_period 2 3 3 (le_n 3) three 0). lia. Qed.
