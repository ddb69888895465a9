(* The bound for Adam without momentum (thm-adam-bound), steps (2) to (5): one coordinate of one step.

   g stands in the numerator and in the denominator of u = g / sqrt(eps + v). The newest square in v is exchanged for
   its mean q, and the exchange has a price. W is the law of what the step draws; the page's E_t is the mean E over W.
   The page's R is R_ here, since R is the type of the real numbers. *)
Require Export runs.
Require Import toolbox_log_sum.
Open Scope R_scope.

Section Coordinate.
  Variable W : space.
  Variable g : nat -> R.          (* g w: this entry of the gradient of sample w *)
  Variables eps beta2 v R_ : R.   (* v: the memory before the step *)
  Hypothesis eps_positive : 0 < eps.
  Hypothesis memory_nonneg : 0 <= beta2 * v.
  Hypothesis bounded : forall w, (w < size W)%nat -> Rabs (g w) <= R_.

  Definition p := E W g.
  Definition q := E W (fun w => g w ^ 2).
  (* The page's roots of eps + v_t and of eps + v~_t. *)
  Definition root w := sqrt (eps + (beta2 * v + g w ^ 2)).
  Definition tilde := sqrt (eps + (beta2 * v + q)).
  Definition u w := g w / root w.
  Definition kappa w := Rabs (p * g w) * q / (root w * tilde ^ 2).
  Definition rho w := Rabs (p * g w) * g w ^ 2 / (root w ^ 2 * tilde).

  Lemma q_nonneg : 0 <= q.
  Proof. apply E_nonneg. intros. apply pow2_nonneg. Qed.
  Lemma root_facts w : 0 < root w /\ root w ^ 2 = eps + (beta2 * v + g w ^ 2).
  Proof.
    assert (H := pow2_nonneg (g w)). unfold root. split; [apply sqrt_lt_R0; lra|apply sqrt_squared; lra].
  Qed.
  Lemma tilde_facts : 0 < tilde /\ tilde ^ 2 = eps + (beta2 * v + q).
  Proof. assert (H := q_nonneg). unfold tilde. split; [apply sqrt_lt_R0; lra|apply sqrt_squared; lra]. Qed.
  Lemma R_nonneg : 0 <= R_.
  Proof. eapply Rle_trans; [apply Rabs_pos|]. apply (bounded 0), size_pos. Qed.
  Lemma root_q_le_R : sqrt q <= R_.
  Proof.
    apply sqrt_le; [apply R_nonneg|]. rewrite <- (E_const W (R_ ^ 2)). apply E_le. intros w Hw.
    rewrite <- pow2_Rabs. apply pow_incr. split; [apply Rabs_pos|now apply bounded].
  Qed.
  Lemma root_q_le_tilde : sqrt q <= tilde.
  Proof. assert (H := q_nonneg). apply sqrt_le_1_alt. lra. Qed.

  (* (2) Exchange. What the exchange costs, for one sample; *)
  Definition price w := p * g w / tilde - p * u w.
  Lemma step_2_price w : price w <= Rabs (p * g w) * Rabs (tilde - root w) / (root w * tilde).
  Proof.
    destruct (root_facts w) as [Hr _]. destruct tilde_facts as [Ht _]. unfold price, u.
    replace (p * g w / tilde - p * (g w / root w)) with (p * g w * (root w - tilde) / (root w * tilde))
      by (field; split; lra).
    rewrite (Rabs_minus_sym tilde), <- Rabs_mult. apply Rmult_le_compat_r; [|apply Rle_abs].
    apply Rlt_le, Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
  Qed.
  (* at most kappa where g^2 <= q, and at most rho elsewhere: only one of the two is paid. *)
  Lemma step_2_small w : g w ^ 2 <= q -> price w <= kappa w.
  Proof.
    intros H. destruct (root_facts w) as [Hr Hr2]. destruct tilde_facts as [Ht Ht2].
    eapply Rle_trans; [apply step_2_price|]. unfold kappa.
    assert (Hle : root w <= tilde) by (apply sqrt_le_1_alt; lra). rewrite (Rabs_pos_eq (tilde - root w)) by lra.
    set (r := root w) in *. set (s := tilde) in *. assert (Hg := pow2_nonneg (g w)).
    assert (H0 : 0 <= (s - r) * r) by (apply Rmult_le_pos; lra).
    replace (Rabs (p * g w) * (s - r) / (r * s)) with (Rabs (p * g w) * ((s - r) * s) / (r * s ^ 2)) by (field; lra).
    apply Rmult_le_compat_r; [apply Rlt_le; pos|]. apply Rmult_le_compat_l; [apply Rabs_pos|lra].
  Qed.
  Lemma step_2_large w : q <= g w ^ 2 -> price w <= rho w.
  Proof.
    intros H. destruct (root_facts w) as [Hr Hr2]. destruct tilde_facts as [Ht Ht2].
    eapply Rle_trans; [apply step_2_price|]. unfold rho.
    assert (Hle : tilde <= root w) by (apply sqrt_le_1_alt; lra). rewrite (Rabs_left1 (tilde - root w)) by lra.
    set (r := root w) in *. set (s := tilde) in *. assert (Hq := q_nonneg).
    assert (H0 : 0 <= (r - s) * s) by (apply Rmult_le_pos; lra).
    replace (Rabs (p * g w) * - (s - r) / (r * s)) with (Rabs (p * g w) * ((r - s) * r) / (r ^ 2 * s)) by (field; lra).
    apply Rmult_le_compat_r; [apply Rlt_le; pos|]. apply Rmult_le_compat_l; [apply Rabs_pos|lra].
  Qed.
  Lemma prices_nonneg w : 0 <= kappa w /\ 0 <= rho w.
  Proof.
    destruct (root_facts w) as [Hr _]. destruct tilde_facts as [Ht _]. assert (Hq := q_nonneg).
    unfold kappa, rho. split; apply Rle_mult_inv_pos; pos.
  Qed.
  Lemma step_2 : p ^ 2 / tilde - E W kappa - E W rho <= E W (fun w => p * u w).
  Proof.
    assert (H : E W price <= E W (fun w => kappa w + rho w)).
    { apply E_le. intros w _. destruct (prices_nonneg w) as [Hk Hr].
      destruct (Rle_or_lt (g w ^ 2) q) as [Hg|Hg];
        [assert (H := step_2_small w Hg)|assert (H := step_2_large w (Rlt_le _ _ Hg))]; lra. }
    rewrite E_plus in H. unfold price in H. rewrite E_minus, E_div, E_scal in H. fold p in H.
    unfold Rdiv in *. lra.
  Qed.

  (* (3) The first price: (|p| / 2 - |u| q / tilde)^2 is not negative, and q^2 / tilde^3 <= sqrt q <= R. *)
  Lemma step_3 w : kappa w <= p ^ 2 / (4 * tilde) + R_ * u w ^ 2.
  Proof.
    destruct (root_facts w) as [Hr _]. destruct tilde_facts as [Ht _]. assert (Hq := sqrt_squared q q_nonneg).
    assert (Hs := sqrt_pos q). assert (H1 := root_q_le_R). assert (H2 := root_q_le_tilde).
    set (s := sqrt q) in *. set (x := s / tilde).
    assert (Hx : 0 <= x <= 1) by (unfold x; split; [apply Rle_mult_inv_pos; lra|apply div_le; lra]).
    assert (Hsq := pow2_nonneg (Rabs p / 2 - Rabs (u w) * (s * x))).
    assert (Hu : Rabs (u w) = Rabs (g w) / root w).
    { unfold u, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ root w)); [reflexivity|].
      now apply Rlt_le, Rinv_0_lt_compat. }
    replace (kappa w) with (Rabs p * Rabs (u w) * (s * x) / tilde)
      by (unfold kappa, x; rewrite Rabs_mult, Hu, <- Hq; field; split; lra).
    apply Rle_trans with (p ^ 2 / (4 * tilde) + s * x ^ 3 * u w ^ 2).
    - rewrite <- (pow2_Rabs p), <- (pow2_Rabs (u w)). apply Rmult_le_reg_r with tilde; [assumption|].
      replace (Rabs p * Rabs (u w) * (s * x) / tilde * tilde) with (Rabs p * Rabs (u w) * (s * x)) by (field; lra).
      replace ((Rabs p ^ 2 / (4 * tilde) + s * x ^ 3 * Rabs (u w) ^ 2) * tilde)
        with (Rabs p ^ 2 / 4 + Rabs (u w) ^ 2 * (s * x) ^ 2) by (unfold x; field; lra). lra.
    - apply Rplus_le_compat_l, Rmult_le_compat_r; [apply pow2_nonneg|].
      assert (H3 : x ^ 3 <= 1) by (rewrite <- (pow1 3); now apply pow_incr).
      apply Rle_trans with (s * 1); [apply Rmult_le_compat_l; lra|lra].
  Qed.
  (* (4) The second price, and g^2 <= eps + v. *)
  Lemma step_4_pointwise w : 0 < q -> rho w <= p ^ 2 / (4 * tilde * q) * g w ^ 2 + R_ * u w ^ 2.
  Proof.
    intros Hq0. destruct (root_facts w) as [Hr Hr2]. destruct tilde_facts as [Ht _].
    assert (Hq := sqrt_squared q q_nonneg). assert (Hs := sqrt_lt_R0 q Hq0). assert (H1 := root_q_le_R).
    assert (H2 := root_q_le_tilde). set (s := sqrt q) in *. set (x := s / tilde). set (y := g w ^ 2 / root w ^ 2).
    assert (Hx : 0 <= x <= 1) by (unfold x; split; [apply Rle_mult_inv_pos; lra|apply div_le; lra]).
    assert (Hg := pow2_nonneg (g w)). assert (Hr3 : 0 < root w ^ 2) by now apply pow_lt.
    assert (Hy : 0 <= y <= 1) by (unfold y; split; [apply Rle_mult_inv_pos; lra|apply div_le; lra]).
    assert (Hsq := pow2_nonneg (Rabs (p * g w) / (2 * s) - s * y)).
    apply Rle_trans with (p ^ 2 / (4 * tilde * q) * g w ^ 2 + s * x * y * u w ^ 2).
    - apply Rmult_le_reg_r with tilde; [assumption|].
      replace (rho w * tilde) with (2 * (Rabs (p * g w) / (2 * s)) * (s * y))
        by (unfold rho, y; field; repeat split; lra).
      replace ((p ^ 2 / (4 * tilde * q) * g w ^ 2 + s * x * y * u w ^ 2) * tilde)
        with ((Rabs (p * g w) / (2 * s)) ^ 2 + (s * y) ^ 2); [lra|].
      unfold Rdiv at 1. rewrite !Rpow_mult_distr, pow2_Rabs, <- Hq. unfold x, y, u. field. repeat split; lra.
    - apply Rplus_le_compat_l, Rmult_le_compat_r; [apply pow2_nonneg|].
      assert (H3 : x * y <= 1 * 1) by (apply Rmult_le_compat; lra). rewrite Rmult_assoc.
      apply Rle_trans with (s * (1 * 1)); [apply Rmult_le_compat_l; lra|lra].
  Qed.
  Lemma step_4 : E W rho <= p ^ 2 / (4 * tilde) + R_ * E W (fun w => u w ^ 2).
  Proof.
    destruct tilde_facts as [Ht _]. assert (Hp := pow2_nonneg p). destruct q_nonneg as [Hq|Hq].
    - apply Rle_trans with (E W (fun w => p ^ 2 / (4 * tilde * q) * g w ^ 2 + R_ * u w ^ 2)).
      + apply E_le. intros. now apply step_4_pointwise.
      + rewrite E_plus, !E_scal. fold q. apply Req_le. field. lra.
    - assert (Hz : E W rho = 0).
      { apply E_zero.
        - intros w _. destruct (root_facts w) as [Hr _]. unfold rho. apply Rle_mult_inv_pos; pos.
        - intros w Hw Hweight. unfold rho.
          rewrite (proj1 (E_zero W (fun w => g w ^ 2) (fun w _ => pow2_nonneg (g w))) (eq_sym Hq) w Hw Hweight).
          unfold Rdiv. ring. }
      rewrite Hz. apply Rplus_le_le_0_compat; [apply Rle_mult_inv_pos; lra|].
      apply Rmult_le_pos; [apply R_nonneg|]. apply E_nonneg. intros. apply pow2_nonneg.
  Qed.
  (* (5) What is left. *)
  Lemma step_5 : p ^ 2 / (2 * tilde) - 2 * R_ * E W (fun w => u w ^ 2) <= E W (fun w => p * u w).
  Proof.
    destruct tilde_facts as [Ht _]. assert (H4 := step_4). assert (H2 := step_2).
    assert (H3 : E W kappa <= E W (fun w => p ^ 2 / (4 * tilde) + R_ * u w ^ 2)) by (apply E_le; intros; apply step_3).
    rewrite E_plus, E_const, E_scal in H3.
    replace (p ^ 2 / (2 * tilde)) with (p ^ 2 / tilde - 2 * (p ^ 2 / (4 * tilde))) by (field; lra). lra.
  Qed.
  (* (5') Since only one of the two prices is paid, u^2 counts once. (If q = 0 there is nothing to pay.) *)
  Lemma step_5_once : p ^ 2 / (2 * tilde) - 1 * R_ * E W (fun w => u w ^ 2) <= E W (fun w => p * u w).
  Proof.
    destruct tilde_facts as [Ht _]. assert (Hp := pow2_nonneg p). destruct q_nonneg as [Hq|Hq].
    - assert (H : E W price <= E W (fun w => p ^ 2 / (4 * tilde) + p ^ 2 / (4 * tilde * q) * g w ^ 2 + R_ * u w ^ 2)).
      { apply E_le. intros w _. assert (Hg := pow2_nonneg (g w)).
        assert (H0 : 0 <= p ^ 2 / (4 * tilde)) by (apply Rle_mult_inv_pos; lra).
        assert (H1 : 0 <= p ^ 2 / (4 * tilde * q) * g w ^ 2) by pos.
        destruct (Rle_or_lt (g w ^ 2) q) as [Hle|Hlt].
        - assert (H2 := step_2_small w Hle). assert (H3 := step_3 w). lra.
        - assert (H2 := step_2_large w (Rlt_le _ _ Hlt)). assert (H3 := step_4_pointwise w Hq). lra. }
      rewrite !E_plus, E_const, !E_scal in H. fold q in H. unfold price in H. rewrite E_minus, E_div, E_scal in H.
      fold p in H. replace (p ^ 2 / (4 * tilde * q) * q) with (p ^ 2 / (4 * tilde)) in H by (field; lra).
      replace (p ^ 2 / (2 * tilde)) with (p * p / tilde - 2 * (p ^ 2 / (4 * tilde))) by (field; lra). lra.
    - assert (Hg := proj1 (E_zero W (fun w => g w ^ 2) (fun w _ => pow2_nonneg (g w))) (eq_sym Hq)).
      assert (Hp0 : p = 0).
      { apply sum_zeros. intros w Hw. destruct (weight_pos W w Hw) as [Hweight|Hweight].
        - rewrite (pow2_zero (g w)) by now apply Hg. ring.
        - rewrite <- Hweight. ring. }
      rewrite E_scal, Hp0. assert (H : 0 <= R_ * E W (fun w => u w ^ 2)).
      { apply Rmult_le_pos; [apply R_nonneg|]. apply E_nonneg. intros. apply pow2_nonneg. }
      unfold Rdiv. lra.
  Qed.

  (* (9) of the run: lem-log-sum, (b), for one step. Its two steps, for the memory and the newest square. *)
  Lemma log_gain w : 0 < beta2 <= 1 -> 0 <= v ->
    u w ^ 2 <= ln (1 + (beta2 * v + g w ^ 2) / eps) - ln (1 + v / eps) - ln beta2.
  Proof.
    intros Hb Hv. set (a := fun i => match i with O => v | _ => g w ^ 2 end). assert (Hg := pow2_nonneg (g w)).
    assert (Ha : forall i, (i < 2)%nat -> 0 <= a i) by (intros i _; destruct i; assumption).
    assert (H1 := toolbox_log_sum.step_1 beta2 eps a 2 Hb eps_positive Ha 1%nat (le_n 2)).
    assert (H2 := toolbox_log_sum.step_2 beta2 eps a 2 Hb eps_positive Ha 1%nat (le_n 2)).
    assert (D1 : decayed beta2 a 1 = v) by (rewrite decayed_S, decayed_O; unfold a; ring).
    assert (D2 : decayed beta2 a 2 = beta2 * v + g w ^ 2) by (rewrite decayed_S, D1; reflexivity).
    rewrite D1, D2 in H1, H2. rewrite (ln_div _ (eps + v)) in H2 by lra.
    assert (Hu : u w ^ 2 = a 1%nat / (eps + (beta2 * v + g w ^ 2))).
    { destruct (root_facts w) as [Hr Hr2]. rewrite <- Hr2. unfold u, a. field. lra. }
    replace (1 + (beta2 * v + g w ^ 2) / eps) with ((eps + (beta2 * v + g w ^ 2)) / eps) by (field; lra).
    replace (1 + v / eps) with ((eps + v) / eps) by (field; lra). rewrite !ln_div by lra. lra.
  Qed.
End Coordinate.
