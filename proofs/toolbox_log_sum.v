(* Appendix A: a sum of ratios is a logarithm (lem-log-sum).

   The page counts from 1: its a_1, ..., a_T are a 0, ..., a (T - 1) here. Its S_t is `decayed beta a t`: the sum of the
   first t terms, in which step s has the weight beta^(t-s). *)
Require Export sums.
Open Scope R_scope.

Definition decayed (beta : R) (a : nat -> R) (t : nat) : R := sum t (fun s => beta ^ (t - 1 - s) * a s).

(* S_0 = 0 and S_t = beta S_{t-1} + a_t. *)
Lemma decayed_O beta a : decayed beta a 0 = 0.
Proof. reflexivity. Qed.
Lemma decayed_S beta a t : decayed beta a (S t) = beta * decayed beta a t + a t.
Proof.
  unfold decayed. rewrite sum_S, <- sum_scal. replace (S t - 1 - t)%nat with O by lia. rewrite pow_O, Rmult_1_l.
  f_equal. apply sum_ext. intros s Hs. replace (S t - 1 - s)%nat with (S (t - 1 - s)) by lia.
  rewrite <- tech_pow_Rmult. ring.
Qed.
(* For beta = 1 it is the sum. *)
Lemma decayed_1 a t : decayed 1 a t = sum t a.
Proof. apply sum_ext. intros. rewrite pow1. ring. Qed.
Lemma decayed_pos beta a t : 0 < beta -> (forall s, (s < t)%nat -> 0 <= a s) -> 0 <= decayed beta a t.
Proof.
  intros Hb Ha. apply sum_nonneg. intros s Hs. apply Rmult_le_pos; [apply pow_le; lra|now apply Ha].
Qed.

(* 1 - z <= - ln z *)
Lemma below_log z : 0 < z -> 1 - z <= - ln z.
Proof. intros Hz. assert (H := exp_ineq1_le (ln z)). rewrite exp_ln in H by assumption. lra. Qed.
Lemma ln_div x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof.
  intros Hx Hy. unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; assumption). ring.
Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H|H]; [now apply Rlt_le, ln_increasing|rewrite H; apply Rle_refl]. Qed.

Section Log_sum.
  Variables beta eps : R.
  Variable a : nat -> R.
  Variable T : nat.
  Hypothesis fading : 0 < beta <= 1.
  Hypothesis eps_positive : 0 < eps.
  Hypothesis nonneg : forall t, (t < T)%nat -> 0 <= a t.
  Notation D := (decayed beta a).

  Lemma D_pos t : (t <= T)%nat -> 0 <= D t.
  Proof. intros Ht. apply decayed_pos; [lra|]. intros. apply nonneg. lia. Qed.
  Lemma D_faded t : (t <= T)%nat -> 0 <= beta * D t.
  Proof. intros Ht. apply Rmult_le_pos; [lra|now apply D_pos]. Qed.

  (* (1) 1 - z <= - ln z for the share z of the sum that is older than step t. *)
  Lemma step_1 t : (t < T)%nat -> a t / (eps + D (S t)) <= ln ((eps + D (S t)) / (eps + beta * D t)).
  Proof.
    intros Ht. assert (H0 : 0 <= beta * D t) by (apply D_faded; lia). assert (H1 : 0 <= D (S t)) by now apply D_pos.
    assert (Hz := below_log ((eps + beta * D t) / (eps + D (S t)))). rewrite ln_div in Hz by lra. rewrite ln_div by lra.
    replace (a t / (eps + D (S t))) with (1 - (eps + beta * D t) / (eps + D (S t)))
      by (rewrite decayed_S in *; field; lra).
    assert (0 < (eps + beta * D t) / (eps + D (S t))) by pos. specialize (Hz H). lra.
  Qed.
  (* (2) The price of beta. *)
  Lemma step_2 t : (t < T)%nat ->
    ln ((eps + D (S t)) / (eps + beta * D t)) <= ln ((eps + D (S t)) / (eps + D t)) - ln beta.
  Proof.
    intros Ht. assert (H0 : 0 <= beta * D t) by (apply D_faded; lia). assert (H1 : 0 <= D (S t)) by now apply D_pos.
    assert (H2 : 0 <= D t) by (apply D_pos; lia). rewrite !ln_div by lra.
    assert (H3 : ln (beta * (eps + D t)) <= ln (eps + beta * D t)).
    { apply ln_le; [apply Rmult_lt_0_compat; lra|].
      assert (beta * eps <= 1 * eps) by (apply Rmult_le_compat_r; lra). lra. }
    rewrite ln_mult in H3 by lra. lra.
  Qed.
  (* (3) Sum over t; the logarithms telescope. *)
  Lemma step_3 : sum T (fun t => a t / (eps + D (S t))) <= ln (1 + D T / eps) - INR T * ln beta.
  Proof.
    assert (H := sum_telescope T (fun t => ln (eps + D t))). cbv beta in H. rewrite decayed_O, Rplus_0_r in H.
    replace (1 + D T / eps) with ((eps + D T) / eps) by (field; lra).
    assert (H1 := D_pos T (Nat.le_refl T)). rewrite ln_div, <- H, <- sum_const, <- sum_minus by lra.
    apply sum_le. intros t Ht. eapply Rle_trans; [now apply step_1|].
    eapply Rle_trans; [now apply step_2|]. assert (H2 : 0 <= D t) by (apply D_pos; lia).
    assert (H3 : 0 <= D (S t)) by now apply D_pos. rewrite ln_div by lra. lra.
  Qed.
End Log_sum.

(* lem-log-sum, (a): with S_t = a_1 + ... + a_t, the sum of a_t / (eps + S_t) is at most ln (1 + S_T / eps). *)
Theorem lem_log_sum eps a T : 0 < eps -> (forall t, (t < T)%nat -> 0 <= a t) ->
  sum T (fun t => a t / (eps + sum (S t) a)) <= ln (1 + sum T a / eps).
Proof.
  intros He Ha. assert (H := step_3 1 eps a T (conj Rlt_0_1 (Rle_refl 1)) He Ha).
  rewrite ln_1, Rmult_0_r, Rminus_0_r, decayed_1 in H.
  rewrite (sum_ext T _ (fun t => a t / (eps + sum (S t) a))) in H by (intros; now rewrite decayed_1). exact H.
Qed.
(* lem-log-sum, (b): with S_t = beta^(t-1) a_1 + ... + beta a_{t-1} + a_t, it is at most ln (1 + S_T / eps) - T ln
   beta. *)
Theorem lem_log_sum_decayed beta eps a T : 0 < beta < 1 -> 0 < eps -> (forall t, (t < T)%nat -> 0 <= a t) ->
  sum T (fun t => a t / (eps + decayed beta a (S t))) <= ln (1 + decayed beta a T / eps) - INR T * ln beta.
Proof. intros Hb. apply step_3. lra. Qed.

(* An instance: T ones and eps = 1 give the harmonic sum 1/2 + ... + 1/(T+1) and the logarithm of T + 1. *)
Lemma lem_log_sum_instance T : sum T (fun t => / (1 + INR (S t))) <= ln (1 + INR T).
Proof.
  assert (H := lem_log_sum 1 (fun _ => 1) T Rlt_0_1 (fun _ _ => Rle_0_1)).
  rewrite sum_const, Rmult_1_r in H. unfold Rdiv in H. rewrite Rinv_1, Rmult_1_r in H.
  rewrite (sum_ext T _ (fun t => / (1 + INR (S t)))) in H; [exact H|].
  intros t _. rewrite sum_const, Rmult_1_r. apply Rmult_1_l.
Qed.
(* The new term belongs into its own denominator: over the old sum, a_1 = 100 with eps = 1 breaks it. *)
Lemma lem_log_sum_old_sum : ln (1 + 100 / 1) < 100 / (1 + 0).
Proof.
  assert (H := exp_ineq1 100). replace (1 + 100 / 1) with (1 + 100) by field. replace (100 / (1 + 0)) with 100 by field.
  rewrite <- (ln_exp 100) at 2. apply ln_increasing; [lra|]. apply H. lra.
Qed.
(* Without beta at most 1 it is false: a factor of 2, and one term. *)
Lemma lem_log_sum_needs_fading : let one (t : nat) := 1 in
  ln (1 + decayed 2 one 1 / 1) - INR 1 * ln 2 < sum 1 (fun t => one t / (1 + decayed 2 one (S t))).
Proof.
  intros one. rewrite sum_S, sum_O, decayed_S, decayed_O, INR_one. unfold one.
  replace (1 + (2 * 0 + 1) / 1) with 2 by field. lra.
Qed.
