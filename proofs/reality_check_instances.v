(* The reality check: the assumptions of the three statements can be met. *)
Require Import reality_check reality_check_best.
Require Import reality_check_curse.
Open Scope R_scope.

(* lem-reality-tie and thm-reality-best: a coin says which of two trials scores 0 and which scores 1. *)
Definition either (w i : nat) : R := match w, i with O, O => 0 | O, _ => 1 | _, O => 1 | _, _ => 0 end.
Lemma either_exchangeable : exchangeable coin 2 either.
Proof.
  intros phi order H. symmetry in H. apply Permutation_length_2_inv in H. destruct H as [-> | ->]; [reflexivity|].
  rewrite !E_coin. unfold scores. cbn [map seq either]. now rewrite Rplus_comm.
Qed.
(* The best of one trial: the mean over the two, and the mean of the first. *)
Lemma thm_reality_best_instance : E coin (fun w => best_of 1 (scores either w (seq 0 2))) = 1 / 2.
Proof.
  rewrite thm_reality_best_unbiased by (exact either_exchangeable || lia). rewrite E_coin. cbn. lra.
Qed.
Lemma lem_reality_tie_instance : E coin (separated either 1) = 2 / INR (binomial 2 1).
Proof.
  apply (lem_reality_tie coin either 1); [exact either_exchangeable| |lia].
  intros w _ _. destruct w; cbn; repeat constructor; cbn; intuition lra.
Qed.

(* thm-reality-curse: two trials with the true scores 0 and 1, whose tuning noise is a coin, 1 or -1, with opposite
   signs. (F3) holds with sigma = 2. *)
Definition flip (w : nat) : R := match w with O => 1 | _ => -1 end.
Definition truth (i : nat) : R := match i with O => 0 | _ => 1 end.
Definition tuning_noise (i w : nat) : R := match i with O => flip w | _ => - flip w end.
Definition winner (w : nat) : nat := match w with O => 1%nat | _ => O end.

(* (e^theta + e^-theta) / 2 <= e^(2 theta^2), from e^z >= 1 + z alone. *)
Lemma coin_is_subgaussian theta : 0 < theta -> (exp theta + exp (- theta)) / 2 <= exp (2 * theta ^ 2).
Proof.
  intros Ht. set (u := theta ^ 2). assert (Hu : 0 < u) by (unfold u; pos).
  assert (Hup := exp_increasing (- theta) theta ltac:(lra)).
  destruct (Rle_or_lt u (/ 2)) as [Hs|Hl].
  - assert (Hone : theta < 1).
    { destruct (Rlt_or_le theta 1) as [|H1]; [assumption|].
      assert (1 * 1 <= theta * theta) by (apply Rmult_le_compat; lra).
      unfold u in Hs. replace (theta ^ 2) with (theta * theta) in Hs by ring. lra. }
    assert (H1 : exp theta <= / (1 - theta)).
    { rewrite <- (Rinv_inv (exp theta)), <- exp_Ropp.
      apply Rinv_le_contravar; [lra|]. assert (H := exp_ineq1_le (- theta)). lra. }
    assert (H2 : exp (- theta) <= / (1 + theta)).
    { rewrite exp_Ropp. apply Rinv_le_contravar; [lra|]. assert (H := exp_ineq1_le theta). lra. }
    assert (H3 : (/ (1 - theta) + / (1 + theta)) / 2 = / (1 - u)).
    { replace (1 - u) with ((1 - theta) * (1 + theta)) by (unfold u; ring). field. split; lra. }
    assert (H4 : / (1 - u) <= 1 + 2 * u).
    { apply Rmult_le_reg_l with (1 - u); [lra|]. rewrite Rinv_r by lra.
      assert (0 <= u * (1 - 2 * u)) by (apply Rmult_le_pos; lra). lra. }
    assert (H5 := exp_ineq1_le (2 * u)). lra.
  - assert (Hhalf : / 2 < theta).
    { destruct (Rlt_or_le (/ 2) theta) as [|H1]; [assumption|].
      assert (theta * theta <= / 2 * / 2) by (apply Rmult_le_compat; lra).
      unfold u in Hl. replace (theta ^ 2) with (theta * theta) in Hl by ring. lra. }
    assert (H1 : 0 <= theta * (2 * theta - 1)) by (apply Rmult_le_pos; lra).
    assert (H2 : exp theta <= exp (2 * u)).
    { destruct (Req_dec theta (2 * u)) as [<-|]; [lra|]. apply Rlt_le, exp_increasing. unfold u in *. lra. }
    lra.
Qed.
Lemma thm_reality_curse_instance : let after_tuning w := truth (winner w) in
  E coin (fun w => S truth tuning_noise (winner w) w) <= smallest 2 truth <= E coin after_tuning /\
  E coin after_tuning - E coin (fun w => S truth tuning_noise (winner w) w) <= 2 * sqrt (2 * ln (INR 2)).
Proof.
  intros after_tuning.
  assert (chosen : forall w, (w < size coin)%nat -> (winner w < 2)%nat /\
    forall i, (i < 2)%nat -> S truth tuning_noise (winner w) w <= S truth tuning_noise i w).
  { intros w _. split; [destruct w; cbn; lia|]. intros i Hi. unfold S. destruct w, i; cbn; lra. }
  split; [apply (thm_reality_curse coin 2 1 truth tuning_noise winner (fun _ => O))|
          apply (thm_reality_curse_gap coin 2 1 truth tuning_noise winner (fun _ => O))];
    try assumption; try lia; try lra; try reflexivity.
  - intros i Hi. rewrite E_coin. destruct i; cbn; lra.
  - intros theta i Ht Hi. rewrite E_coin. assert (H := coin_is_subgaussian theta Ht).
    replace (theta ^ 2 * 2 ^ 2 / 2) with (2 * theta ^ 2) by field. destruct i; cbn [tuning_noise flip].
    + replace (- theta * 1) with (- theta) by ring. replace (- theta * -1) with theta by ring. lra.
    + replace (- theta * - (1)) with theta by ring. replace (- theta * - -1) with (- theta) by ring. lra.
Qed.

(* Without noise that is zero on average (F1) it is false: two trials that both score 1 more than they are worth. *)
Lemma thm_reality_curse_needs_F1 : let mu (i : nat) := 0 in let eps (i w : nat) := 1 in let J (w : nat) := O in
  (forall w, (J w < 2)%nat /\ forall i, (i < 2)%nat -> S mu eps (J w) w <= S mu eps i w) /\
  smallest 2 mu < E coin (fun w => S mu eps (J w) w).
Proof.
  intros mu eps J. split; [intros w; unfold J; split; [lia|intros; unfold S, mu, eps; lra]|].
  rewrite E_coin. unfold smallest, S, mu, eps. cbn [largest]. rewrite Ropp_0, Rmax_left; lra.
Qed.
(* Without scores that are measured afresh (F2) it is false: the score of the tuning itself, in the instance above. *)
Lemma thm_reality_curse_needs_F2 : let tuning w := S truth tuning_noise (winner w) w in
  (forall w, (winner w < 2)%nat /\ forall i, (i < 2)%nat -> tuning w <= S truth tuning_noise i w) /\
  (forall i, (i < 2)%nat -> E coin (tuning_noise i) = 0) /\ E coin tuning < smallest 2 truth.
Proof.
  intros tuning. split; [|split].
  - intros w. split; [destruct w; cbn; lia|]. intros i Hi. unfold tuning, S. destruct w, i; cbn; lra.
  - intros i Hi. rewrite E_coin. destruct i; cbn; lra.
  - rewrite E_coin. unfold tuning, S, smallest. cbn [winner truth tuning_noise flip largest].
    rewrite Ropp_0, Rmax_left; lra.
Qed.
(* Without scores that differ it is false: all are equal, and no method is ever above the other. *)
Lemma lem_reality_tie_needs_distinct : let X (w i : nat) := 0 in
  exchangeable coin 2 X /\ E coin (separated X 1) < 2 / INR (binomial 2 1).
Proof.
  intros X. assert (Hmap : forall w l, scores X w l = repeat 0 (length l)).
  { intros w l. unfold scores. induction l as [|a l IH]; [reflexivity|]. cbn [map length repeat]. now rewrite IH. }
  split.
  - intros phi order H. apply E_ext. intros w _. rewrite !Hmap. now rewrite (Permutation_length H).
  - rewrite E_coin. unfold separated, first_method, second_method. rewrite !Hmap. cbn [length seq repeat binomial].
    destruct (all_below_dec (0 :: nil) (0 :: nil)) as [H|_];
      [inversion H as [|? ? H1]; inversion H1; lra|].
    cbn -[INR]. rewrite INR_two. lra.
Qed.
(* Without trials that are alike it is false: the first always scores 0, the second always 1. *)
Lemma thm_reality_best_needs_alike : let X (w i : nat) := INR i in
  E coin (fun w => least (scores X w (seq 0 1))) < E coin (fun w => best_of 1 (scores X w (seq 0 2))).
Proof. intros X. rewrite !E_coin. unfold best_of, X. cbn -[INR]. rewrite ?INR_zero, ?INR_one, ?INR_two. lra. Qed.
