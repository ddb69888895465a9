(* The reality check: the winner's curse (thm-reality-curse).

   The finite space W holds the tuning seeds and the fresh ones. On outcome w trial i of N has the tuning score
   S i w = mu i + eps i w, J w is the trial with the lowest, and F w is its score on a fresh seed. What the tuning seeds
   showed has a number, tuned w, below K; (F2) is the conditional expectation of F given that number. *)
Require Import spaces.
Open Scope R_scope.

(* The largest of x 0, ..., x (n - 1), for n >= 1. *)
Fixpoint largest (n : nat) (x : nat -> R) : R :=
  match n with O => x O | 1%nat => x O | S m => Rmax (largest m x) (x m) end.
Lemma largest_S n x : (1 <= n)%nat -> largest (S n) x = Rmax (largest n x) (x n).
Proof. destruct n; [lia|reflexivity]. Qed.
Lemma largest_ge n x i : (i < n)%nat -> x i <= largest n x.
Proof.
  induction n as [|n IH]; intros Hi; [lia|]. destruct n as [|n]; [assert (i = O) as -> by lia; cbn; lra|].
  rewrite largest_S by lia. destruct (Nat.eq_dec i (S n)) as [->|]; [apply Rmax_r|].
  eapply Rle_trans; [apply IH; lia|apply Rmax_l].
Qed.
Lemma largest_is n x : (1 <= n)%nat -> exists i, (i < n)%nat /\ largest n x = x i.
Proof.
  induction n as [|n IH]; intros Hn; [lia|]. destruct n as [|n]; [exists O; split; [lia|reflexivity]|].
  rewrite largest_S by lia. destruct (IH ltac:(lia)) as (i & Hi & ->). unfold Rmax. destruct (Rle_dec _ _).
  - exists (S n). split; [lia|reflexivity].
  - exists i. split; [lia|reflexivity].
Qed.
Definition smallest n (x : nat -> R) := - largest n (fun i => - x i).
Lemma smallest_le n x i : (i < n)%nat -> smallest n x <= x i.
Proof. intros Hi. assert (H := largest_ge n (fun i => - x i) i Hi). cbv beta in H. unfold smallest. lra. Qed.

Section Curse.
  Variable W : space.
  Variables N K : nat.
  Variable mu : nat -> R.
  Variable eps : nat -> nat -> R.
  Variables J tuned : nat -> nat.
  Variable F : nat -> R.
  Hypothesis trials : (2 <= N)%nat.
  Definition S i w := mu i + eps i w.
  (* The protocol selects a trial with the lowest tuning score. *)
  Hypothesis selected : forall w, (w < size W)%nat -> (J w < N)%nat /\ forall i, (i < N)%nat -> S (J w) w <= S i w.
  (* (F1) *)
  Hypothesis F1 : forall i, (i < N)%nat -> E W (eps i) = 0.
  (* (F2): given what the tuning seeds showed, F is mu_J on average. *)
  Hypothesis tuned_small : forall w, (w < size W)%nat -> (tuned w < K)%nat.
  Definition given z w (x : R) := if Nat.eqb (tuned w) z then x else 0.
  Hypothesis F2 : forall z, (z < K)%nat -> E W (fun w => given z w (F w)) = E W (fun w => given z w (mu (J w))).

  (* (1) The winner's score is low. *)
  Lemma step_1 i : (i < N)%nat -> E W (fun w => S (J w) w) <= mu i.
  Proof.
    intros Hi. apply Rle_trans with (E W (S i)); [apply E_le; intros w Hw; now apply selected|].
    unfold S. rewrite E_plus, E_const. change (E W (fun w => eps i w)) with (E W (eps i)).
    rewrite F1 by assumption. lra.
  Qed.
  (* (2) The winner is not always the best. *)
  Lemma step_2 w : (w < size W)%nat -> smallest N mu <= mu (J w).
  Proof. intros Hw. apply smallest_le. now apply selected. Qed.
  (* (3) A fresh seed tells the truth. *)
  Lemma split_by_tuning (Y : nat -> R) : E W Y = sum K (fun z => E W (fun w => given z w (Y w))).
  Proof.
    rewrite <- E_sum. apply E_ext. intros w Hw. unfold given. rewrite sum_pick; [reflexivity|now apply tuned_small].
  Qed.
  Lemma step_3 : E W F = E W (fun w => mu (J w)).
  Proof. rewrite (split_by_tuning F), (split_by_tuning (fun w => mu (J w))). apply sum_ext. exact F2. Qed.

  (* thm-reality-curse: the winner's tuning score is at most the best true score, and that at most its fresh score. *)
  Theorem thm_reality_curse : E W (fun w => S (J w) w) <= smallest N mu /\ smallest N mu <= E W F.
  Proof.
    split.
    - destruct (largest_is N (fun i => - mu i) ltac:(lia)) as (i & Hi & E0). unfold smallest.
      rewrite E0, Ropp_involutive. now apply step_1.
    - rewrite step_3. rewrite <- (E_const W (smallest N mu)). apply E_le. intros. now apply step_2.
  Qed.

  (* (4) The gap is the winner's own noise, and no noise is above the largest. *)
  Definition largest_noise w := largest N (fun i => - eps i w).
  Lemma step_4 : E W F - E W (fun w => S (J w) w) <= E W largest_noise.
  Proof.
    rewrite step_3, <- E_minus. apply E_le. intros w Hw. destruct (selected w Hw) as [HJ _].
    assert (H := largest_ge N (fun i => - eps i w) (J w) HJ). cbv beta in H. unfold S, largest_noise. lra.
  Qed.

  (* (5) The largest of N. *)
  Variable sigma : R.
  Hypothesis sigma_pos : 0 < sigma.
  (* (F3) *)
  Hypothesis F3 : forall theta i, 0 < theta -> (i < N)%nat ->
    E W (fun w => exp (- theta * eps i w)) <= exp (theta ^ 2 * sigma ^ 2 / 2).

  (* Jensen's inequality for the exponential: it lies above its tangent at the mean. *)
  Lemma exp_of_mean Y : exp (E W Y) <= E W (fun w => exp (Y w)).
  Proof.
    set (m := E W Y). replace (exp m) with (E W (fun w => exp m * (1 - m) + exp m * Y w))
      by (rewrite E_plus, E_const, E_scal; fold m; ring).
    apply E_le. intros w _. assert (H := exp_ineq1_le (Y w - m)). assert (H0 := exp_pos m).
    replace (exp (Y w)) with (exp m * exp (Y w - m)) by (rewrite <- exp_plus; f_equal; ring).
    replace (exp m * (1 - m) + exp m * Y w) with (exp m * (1 + (Y w - m))) by ring.
    apply Rmult_le_compat_l; lra.
  Qed.
  Lemma step_5a theta : 0 < theta -> exp (theta * E W largest_noise) <= INR N * exp (theta ^ 2 * sigma ^ 2 / 2).
  Proof.
    intros Ht. rewrite <- E_scal. eapply Rle_trans; [apply exp_of_mean|].
    apply Rle_trans with (E W (fun w => sum N (fun i => exp (- theta * eps i w)))).
    - apply E_le. intros w _. destruct (largest_is N (fun i => - eps i w) ltac:(lia)) as (i & Hi & E0).
      unfold largest_noise. rewrite E0. replace (theta * - eps i w) with (- theta * eps i w) by ring.
      apply (sum_one N (fun i => exp (- theta * eps i w)) i Hi). intros. apply Rlt_le, exp_pos.
    - rewrite E_sum, <- sum_const. apply sum_le. intros i Hi. now apply F3.
  Qed.
  Lemma ln_N_pos : 0 < ln (INR N).
  Proof. rewrite <- ln_1. apply ln_increasing; [lra|]. apply (lt_INR 1). lia. Qed.
  Lemma step_5b : E W largest_noise <= sigma * sqrt (2 * ln (INR N)).
  Proof.
    assert (Hl := ln_N_pos). set (r := sqrt (2 * ln (INR N))). assert (Hr : 0 < r) by (unfold r; pos).
    assert (Hr2 : r ^ 2 = 2 * ln (INR N)) by (apply sqrt_squared; lra).
    assert (Ht : 0 < r / sigma) by pos. assert (H := step_5a (r / sigma) Ht). set (m := E W largest_noise) in *.
    assert (HN : INR N = exp (ln (INR N))) by (rewrite exp_ln; [reflexivity|apply INR_pos; lia]).
    rewrite HN, <- exp_plus in H. apply Rmult_le_reg_l with (r / sigma); [assumption|].
    replace (r / sigma * (sigma * r)) with (r ^ 2) by (field; lra).
    replace ((r / sigma) ^ 2 * sigma ^ 2 / 2) with (r ^ 2 / 2) in H by (field; lra).
    destruct (Rle_or_lt (r / sigma * m) (r ^ 2)) as [|Hgt]; [assumption|].
    assert (H1 : exp (ln (INR N) + r ^ 2 / 2) < exp (r / sigma * m)) by (apply exp_increasing; lra). lra.
  Qed.
  (* (eq-reality-curse) *)
  Theorem thm_reality_curse_gap : E W F - E W (fun w => S (J w) w) <= sigma * sqrt (2 * ln (INR N)).
  Proof. eapply Rle_trans; [exact step_4|exact step_5b]. Qed.
End Curse.
