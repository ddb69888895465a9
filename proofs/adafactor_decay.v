(* Adafactor: averages with a moving factor (prp-adafactor-decay).

   v_t = beta t v_{t-1} + (1 - beta t) y_t for t = 1, 2, ..., with beta 1 = 0; v_0 may be anything. *)
Require Export limits.
Require Import ZArith.
Open Scope R_scope.

Section Weights.
  Variable beta : nat -> R.
  Hypothesis first : beta 1%nat = 0.
  Hypothesis factors : forall t, (1 <= t)%nat -> 0 <= beta t < 1.

  Fixpoint v (v0 : R) (y : nat -> R) (t : nat) : R :=
    match t with O => v0 | S s => beta t * v v0 y s + (1 - beta t) * y t end.
  (* P i k is the product of the k factors behind i: beta (i + 1), ..., beta (i + k). *)
  Fixpoint P (i k : nat) : R := match k with O => 1 | S l => P i l * beta (i + k) end.
  Definition weight i T := (1 - beta i) * P i (T - i).

  Lemma P_bounds i k : 0 <= P i k <= 1.
  Proof.
    induction k as [|k IH]; cbn [P]; [lra|]. destruct (factors (i + S k) ltac:(lia)). split.
    - apply Rmult_le_pos; lra.
    - apply Rle_trans with (1 * 1); [apply Rmult_le_compat|]; lra.
  Qed.
  (* (1) Unroll. *)
  Lemma weight_next s T : (s < T)%nat -> weight (S s) (S T) = beta (S T) * weight (S s) T.
  Proof.
    intros H. unfold weight. replace (S T - S s)%nat with (S (T - S s)) by lia. cbn [P].
    replace (S s + S (T - S s))%nat with (S T) by lia. ring.
  Qed.
  Lemma weight_last T : weight (S T) (S T) = 1 - beta (S T).
  Proof. unfold weight. rewrite Nat.sub_diag. cbn [P]. ring. Qed.
  Lemma step_1 v0 y T : (1 <= T)%nat -> v v0 y T = sum T (fun s => weight (S s) T * y (S s)).
  Proof.
    intros HT. destruct T as [|T]; [lia|]. clear HT. induction T as [|T IH].
    - rewrite sum_S, sum_O, weight_last. cbn [v]. rewrite first. ring.
    - rewrite sum_S, weight_last. cbn [v] in *. rewrite IH, <- sum_scal. f_equal. apply sum_ext. intros s Hs.
      rewrite (weight_next s (S T)) by lia. ring.
  Qed.
  Lemma weight_nonneg i T : (1 <= i)%nat -> 0 <= weight i T.
  Proof. intros Hi. destruct (factors i Hi). destruct (P_bounds i (T - i)). apply Rmult_le_pos; lra. Qed.
  (* (2) Telescope: an average of ones from beta 1 = 0 on is one. *)
  Lemma step_2 T : (1 <= T)%nat -> sum T (fun s => weight (S s) T) = 1.
  Proof.
    intros HT. assert (H := step_1 1 (fun _ => 1) T HT). assert (Hv : forall t, v 1 (fun _ => 1) t = 1).
    { induction t as [|t IH]; [reflexivity|]. cbn [v] in *. rewrite IH. ring. }
    rewrite Hv in H. rewrite H. apply sum_ext. intros. ring.
  Qed.
End Weights.

(* beta t = 1 - t^(-tau) *)
Definition power_beta (tau : R) (t : nat) := 1 - Rpower (INR t) (- tau).
Lemma power_beta_bounds tau t : 0 < tau -> (1 <= t)%nat -> 0 <= power_beta tau t < 1.
Proof.
  intros Htau Ht. unfold power_beta. assert (H := exp_pos (- tau * ln (INR t))). fold (Rpower (INR t) (- tau)) in H.
  split; [|lra]. rewrite Rpower_Ropp. assert (H1 : 1 <= Rpower (INR t) tau).
  { rewrite <- (Rpower_O (INR t)) by now apply INR_pos.
    destruct (Req_dec (INR t) 1) as [->|Hne]; [unfold Rpower; rewrite ln_1, !Rmult_0_r; lra|].
    assert (1 <= INR t) by now apply INR_ge_1. apply Rlt_le, Rpower_lt; lra. }
  assert (H2 : / Rpower (INR t) tau <= / 1) by (apply Rinv_le_contravar; lra). rewrite Rinv_1 in H2. lra.
Qed.
Lemma power_beta_first tau : power_beta tau 1 = 0.
Proof. unfold power_beta, Rpower. rewrite INR_one, ln_1, Rmult_0_r, exp_0. ring. Qed.

(* (5) tau = 1: the plain average, since the product telescopes. *)
Lemma tau_one t : (1 <= t)%nat -> power_beta 1 t = (INR t - 1) / INR t.
Proof.
  intros Ht. assert (H := INR_pos t Ht). unfold power_beta. rewrite Rpower_Ropp, Rpower_1 by assumption. field. lra.
Qed.
Lemma P_one i k : (1 <= i)%nat -> P (power_beta 1) i k = INR i / INR (i + k).
Proof.
  intros Hi. assert (H := INR_pos i Hi). induction k as [|k IH]; cbn [P]; [rewrite Nat.add_0_r; field; lra|].
  rewrite IH, tau_one by lia. replace (i + S k)%nat with (S (i + k)) by lia. rewrite S_INR.
  assert (H1 := INR_pos (i + k) ltac:(lia)). field. split; lra.
Qed.
Lemma step_5 i T : (1 <= i <= T)%nat -> weight (power_beta 1) i T = 1 / INR T.
Proof.
  intros Hi. unfold weight. rewrite tau_one, P_one by lia. replace (i + (T - i))%nat with T by lia.
  assert (H1 := INR_pos i ltac:(lia)). assert (H2 := INR_pos T ltac:(lia)). field. split; lra.
Qed.

(* (3) If tau <= 1 all is forgotten: every factor is at most that of tau = 1, so that P_i <= i / T. *)
Lemma smaller_factor tau t : tau <= 1 -> (1 <= t)%nat -> power_beta tau t <= power_beta 1 t.
Proof.
  intros Htau Ht. unfold power_beta. assert (H : Rpower (INR t) (- (1)) <= Rpower (INR t) (- tau)); [|lra].
  destruct (Req_dec (INR t) 1) as [->|Hne]; [unfold Rpower; rewrite ln_1, !Rmult_0_r; lra|].
  assert (H1 : 1 <= INR t) by now apply INR_ge_1. destruct (Req_dec tau 1) as [->|]; [lra|].
  apply Rlt_le, Rpower_lt; lra.
Qed.
Lemma step_3 tau i k : 0 < tau <= 1 -> (1 <= i)%nat -> P (power_beta tau) i k <= INR i / INR (i + k).
Proof.
  intros Htau Hi. rewrite <- P_one by assumption. induction k as [|k IH]; cbn [P]; [lra|].
  apply Rmult_le_compat; [|apply power_beta_bounds; [lra|lia]|exact IH|apply smaller_factor; [lra|lia]].
  apply P_bounds. intros. apply power_beta_bounds; [lra|assumption].
Qed.
Lemma some_larger x : exists n, x < INR n.
Proof.
  exists (Z.to_nat (up x)). destruct (archimed x) as [H _]. destruct (Z_le_dec 0 (up x)) as [Hz|Hz].
  - rewrite INR_IZR_INZ, Z2Nat.id by assumption. lra.
  - assert (H0 := pos_INR (Z.to_nat (up x))). assert (IZR (up x) < 0) by (apply IZR_lt; lia). lra.
Qed.
Lemma forgotten tau i : 0 < tau <= 1 -> (1 <= i)%nat -> Un_cv (fun T => weight (power_beta tau) i T) 0.
Proof.
  intros Htau Hi. apply limit_intro. intros eps Heps. destruct (some_larger (INR i / eps)) as [T0 HT0].
  exists (Nat.max i T0). intros T HT.
  assert (Hb := fun t Ht => power_beta_bounds tau t (proj1 Htau) Ht).
  assert (Hw := weight_nonneg (power_beta tau) Hb i T Hi). rewrite Rminus_0_r, Rabs_pos_eq by assumption.
  assert (Hi' := INR_pos i Hi). assert (HT' := INR_pos T ltac:(lia)).
  apply Rle_lt_trans with (INR i / INR T).
  - unfold weight. destruct (Hb i Hi) as [H1 H2]. assert (H3 := step_3 tau i (T - i) Htau Hi).
    replace (i + (T - i))%nat with T in H3 by lia. assert (H4 := P_bounds (power_beta tau) Hb i (T - i)).
    assert ((1 - power_beta tau i) * P (power_beta tau) i (T - i) <= 1 * P (power_beta tau) i (T - i))
      by (apply Rmult_le_compat_r; lra). lra.
  - assert (H : INR T0 <= INR T) by (apply le_INR; lia). apply Rmult_lt_reg_r with (INR T); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. apply Rmult_lt_reg_r with (/ eps); [now apply Rinv_0_lt_compat|].
    unfold Rdiv in HT0. replace (eps * INR T * / eps) with (INR T) by (field; lra). lra.
Qed.

Lemma exp_le_compat a b : a <= b -> exp a <= exp b.
Proof. intros [H | ->]; [now apply Rlt_le, exp_increasing|lra]. Qed.
(* (4) If tau > 1 nothing is. A term is at most the integral of x^(-tau) over the unit interval before it, here by the
   mean value theorem. *)
Lemma term_below_integral tau j : 1 < tau -> (2 <= j)%nat ->
  Rpower (INR j) (- tau) <= (Rpower (INR (j - 1)) (1 - tau) - Rpower (INR j) (1 - tau)) / (tau - 1).
Proof.
  intros Htau Hj. set (a := INR (j - 1)). set (b := INR j).
  assert (Hab : b = a + 1) by (unfold a, b; replace j with (S (j - 1)) at 1 by lia; apply S_INR).
  assert (Ha : 1 <= a) by (apply INR_ge_1; lia).
  destruct (MVT_cor2 (fun x => Rpower x (1 - tau)) (fun x => (1 - tau) * Rpower x (1 - tau - 1)) a b) as (z & Hz & Hin);
    [lra|intros z Hz; apply derivable_pt_lim_power; lra|].
  replace (1 - tau - 1) with (- tau) in Hz by ring. rewrite Hab in Hz at 2. replace (a + 1 - a) with 1 in Hz by ring.
  assert (H : Rpower b (- tau) <= Rpower z (- tau)).
  { rewrite !Rpower_Ropp. apply Rinv_le_contravar; [apply exp_pos|]. apply Rle_Rpower_l; lra. }
  replace ((Rpower a (1 - tau) - Rpower b (1 - tau)) / (tau - 1)) with (Rpower z (- tau)); [exact H|].
  apply Rmult_eq_reg_r with (tau - 1); [|lra]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Definition kept tau i := exp (- (Rpower (INR i) (1 - tau) / ((tau - 1) * (1 - Rpower 2 (- tau))))).
Lemma half_power tau : 1 < tau -> 0 < Rpower 2 (- tau) < 1.
Proof.
  intros H. split; [apply exp_pos|]. rewrite Rpower_Ropp. rewrite <- Rinv_1. apply Rinv_lt_contravar.
  - rewrite Rmult_1_l. apply exp_pos.
  - rewrite <- (Rpower_O 2) by lra. apply Rpower_lt; lra.
Qed.
Lemma one_factor tau j : 1 < tau -> (2 <= j)%nat ->
  exp (- (Rpower (INR j) (- tau) / (1 - Rpower 2 (- tau)))) <= power_beta tau j.
Proof.
  intros Htau Hj. destruct (half_power tau Htau) as [H0 H1]. unfold power_beta. set (x := Rpower (INR j) (- tau)).
  assert (Hx : 0 < x <= Rpower 2 (- tau)).
  { split; [apply exp_pos|]. unfold x. rewrite !Rpower_Ropp. apply Rinv_le_contravar; [apply exp_pos|].
    apply Rle_Rpower_l; [lra|]. split; [lra|]. rewrite <- INR_two. now apply le_INR. }
  assert (H2 : x / (1 - x) <= x / (1 - Rpower 2 (- tau))).
  { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  apply Rle_trans with (exp (- (x / (1 - x)))).
  - destruct H2 as [H2|<-]; [|lra]. apply Rlt_le, exp_increasing. lra.
  - rewrite exp_Ropp. assert (H3 := exp_ineq1_le (x / (1 - x))).
    assert (H4 : 0 < x / (1 - x)) by (apply Rdiv_lt_0_compat; lra).
    apply Rle_trans with (/ (1 + x / (1 - x))); [apply Rinv_le_contravar; lra|apply Req_le; field; lra].
Qed.
Lemma step_4 tau i k : 1 < tau -> (1 <= i)%nat -> kept tau i <= P (power_beta tau) i k.
Proof.
  intros Htau Hi. destruct (half_power tau Htau) as [H0 H1]. set (q := (tau - 1) * (1 - Rpower 2 (- tau))).
  assert (Hq : 0 < q) by (unfold q; apply Rmult_lt_0_compat; lra).
  assert (H : exp (- ((Rpower (INR i) (1 - tau) - Rpower (INR (i + k)) (1 - tau)) / q)) <= P (power_beta tau) i k).
  { induction k as [|k IH]; cbn [P].
    - rewrite Nat.add_0_r. replace (- _) with 0 by (field; lra). rewrite exp_0. lra.
    - set (j := (i + S k)%nat). assert (Hj := one_factor tau j Htau ltac:(lia)).
      assert (Ht := term_below_integral tau j Htau ltac:(lia)). replace (j - 1)%nat with (i + k)%nat in Ht by lia.
      apply Rle_trans with (exp (- ((Rpower (INR i) (1 - tau) - Rpower (INR (i + k)) (1 - tau)) / q))
        * exp (- (Rpower (INR j) (- tau) / (1 - Rpower 2 (- tau))))).
      + rewrite <- exp_plus. apply exp_le_compat.
        assert (H2 : Rpower (INR j) (- tau) / (1 - Rpower 2 (- tau))
          <= (Rpower (INR (i + k)) (1 - tau) - Rpower (INR j) (1 - tau)) / q).
        { replace ((Rpower (INR (i + k)) (1 - tau) - Rpower (INR j) (1 - tau)) / q)
            with ((Rpower (INR (i + k)) (1 - tau) - Rpower (INR j) (1 - tau)) / (tau - 1) / (1 - Rpower 2 (- tau)))
            by (unfold q; field; lra).
          apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|exact Ht]. }
        unfold Rdiv in *. lra.
      + apply Rmult_le_compat; [apply Rlt_le, exp_pos|apply Rlt_le, exp_pos|exact IH|exact Hj]. }
  eapply Rle_trans; [|exact H]. unfold kept. fold q. apply exp_le_compat.
  assert (H2 : 0 < Rpower (INR (i + k)) (1 - tau)) by apply exp_pos.
  assert (H3 : 0 < Rpower (INR (i + k)) (1 - tau) / q) by pos. unfold Rdiv in *. lra.
Qed.

(* (6) Adam: these factors give its bias-corrected average. *)
Definition adam_beta (b : R) (t : nat) := b * (1 - b ^ (t - 1)) / (1 - b ^ t).
Lemma pow_below_one b t : 0 < b < 1 -> (1 <= t)%nat -> 0 < b ^ t < 1.
Proof. intros Hb Ht. split; [now apply pow_lt|]. apply pow_lt_1_compat; [lra|lia]. Qed.
Lemma adam_rest b t : 0 < b < 1 -> (1 <= t)%nat -> 1 - adam_beta b t = (1 - b) / (1 - b ^ t).
Proof.
  intros Hb Ht. destruct (pow_below_one b t Hb Ht). unfold adam_beta. destruct t as [|t]; [lia|].
  replace (S t - 1)%nat with t by lia. rewrite <- tech_pow_Rmult in *. field. lra.
Qed.
Lemma P_adam b i k : 0 < b < 1 -> (1 <= i)%nat -> P (adam_beta b) i k = b ^ k * (1 - b ^ i) / (1 - b ^ (i + k)).
Proof.
  intros Hb Hi. destruct (pow_below_one b i Hb Hi). induction k as [|k IH]; cbn [P].
  - rewrite Nat.add_0_r, pow_O. field. lra.
  - destruct (pow_below_one b (i + k) Hb ltac:(lia)). destruct (pow_below_one b (i + S k) Hb ltac:(lia)).
    rewrite IH. unfold adam_beta. replace (i + S k - 1)%nat with (i + k)%nat by lia.
    rewrite <- (tech_pow_Rmult b k). field. lra.
Qed.
Lemma step_6 b i T : 0 < b < 1 -> (1 <= i <= T)%nat ->
  weight (adam_beta b) i T = (1 - b) * b ^ (T - i) / (1 - b ^ T).
Proof.
  intros Hb Hi. destruct (pow_below_one b i Hb ltac:(lia)). destruct (pow_below_one b T Hb ltac:(lia)).
  unfold weight. rewrite adam_rest, P_adam by (assumption || lia). replace (i + (T - i))%nat with T by lia. field. lra.
Qed.

(* prp-adafactor-decay *)
Theorem prp_adafactor_decay beta v0 y T :
  beta 1%nat = 0 -> (forall t, (1 <= t)%nat -> 0 <= beta t < 1) -> (1 <= T)%nat ->
  v beta v0 y T = sum T (fun s => weight beta (S s) T * y (S s)) /\
  (forall i, (1 <= i)%nat -> 0 <= weight beta i T) /\ sum T (fun s => weight beta (S s) T) = 1.
Proof.
  intros H1 Hb HT. split; [now apply step_1|]. split; [|now apply step_2]. intros. now apply weight_nonneg.
Qed.
(* For 1 - t^(-tau) every weight tends to 0 if and only if tau <= 1, and for tau = 1 all weights are equal. *)
Theorem prp_adafactor_decay_power tau : 0 < tau ->
  ((forall i, (1 <= i)%nat -> Un_cv (fun T => weight (power_beta tau) i T) 0) <-> tau <= 1) /\
  (forall i T, (1 <= i <= T)%nat -> weight (power_beta 1) i T = 1 / INR T).
Proof.
  intros Htau. split; [|exact step_5]. split; intros H.
  - destruct (Rle_or_lt tau 1) as [|Hgt]; [assumption|exfalso]. assert (Hk : 0 < kept tau 1) by apply exp_pos.
    destruct (limit_elim _ _ (H 1%nat (le_n 1)) (kept tau 1) Hk) as (T0 & HT). specialize (HT (S T0) ltac:(lia)).
    unfold weight in HT. rewrite power_beta_first, !Rminus_0_r, Rmult_1_l in HT.
    assert (H1 := step_4 tau 1 (S T0 - 1) Hgt (le_n 1)). assert (H2 := Rle_abs (P (power_beta tau) 1 (S T0 - 1))). lra.
  - intros i Hi. apply forgotten; [lra|assumption].
Qed.
(* For beta (1 - beta^(t-1)) / (1 - beta^t) the weights are those of Adam's bias-corrected average. *)
Theorem prp_adafactor_decay_adam b i T : 0 < b < 1 -> (1 <= i <= T)%nat ->
  weight (adam_beta b) i T = (1 - b) * b ^ (T - i) / (1 - b ^ T).
Proof. exact (step_6 b i T). Qed.
(* An instance: tau = 1 is the plain mean, from any start. *)
Lemma prp_adafactor_decay_instance v0 y : v (power_beta 1) v0 y 3 = (y 1%nat + y 2%nat + y 3%nat) / 3.
Proof.
  destruct (prp_adafactor_decay (power_beta 1) v0 y 3) as [-> _]; [apply power_beta_first| |lia|].
  - intros. apply power_beta_bounds; [lra|assumption].
  - rewrite !sum_S, sum_O. rewrite !(proj2 (prp_adafactor_decay_power 1 ltac:(lra))) by lia.
    rewrite !S_INR, INR_zero. field.
Qed.
(* Without a first factor of zero it is false: half of v_0 stays. *)
Lemma prp_adafactor_decay_needs_first : let half (t : nat) := / 2 in
  v half 1 (fun _ => 0) 1 = / 2 /\ sum 1 (fun s => weight half (S s) 1 * 0) = 0.
Proof. intros half. unfold half. cbn [v]. rewrite sum_S, sum_O. split; ring. Qed.
