(* Big batches: steps against examples (thm-batches-hyperbola).

   The bowl f(x) = c |x - star|^2 / 2 is equally steep in all directions. The samples have any finite law W; at every x
   their gradients have the mean c (x - star), and their squared deviations add up to sigma^2. The learning rate of step
   t is tau times the best one for the loss level F t, which is the expected loss: `step_1` proves that it is. *)
Require Export runs.
Open Scope R_scope.

Section Hyperbola.
  Variable W : space.                  (* the law of one sample *)
  Variables d b : nat.                 (* entries of x; samples in a batch *)
  Variables c sigma tau : R.
  Variable star : vec.
  Variable g : vec -> nat -> vec.      (* g x w: the gradient of sample w at x *)
  Hypothesis steepness : 0 < c.
  Hypothesis some_noise : 0 < sigma.
  Hypothesis short : 0 < tau <= 1.
  Hypothesis some : (1 <= b)%nat.
  Definition f (x : vec) := c / 2 * norm2 d (sub x star).
  Definition grad (x : vec) : vec := fun j => c * (x j - star j).
  Hypothesis unbiased : forall x j, (j < d)%nat -> E W (fun w => g x w j) = grad x j.
  Hypothesis noise : forall x, E W (fun w => norm2 d (sub (g x w) (grad x))) = sigma ^ 2.

  (* The best learning rate at the loss level F: there |G|^2 = 2 c F, G' H G = 2 c^2 F and tr(H Sigma) = c sigma^2. *)
  Definition best_lr F := 2 * c * F / (2 * c ^ 2 * F + c * sigma ^ 2 / INR b).
  Definition theta := tau * (2 - tau).
  Definition noise_scale F := sigma ^ 2 / (2 * c * F).
  Definition q F := theta / (1 + noise_scale F / INR b).

  (* The loss levels from F0 on, and the run: a state is the number of steps taken, and x. *)
  Fixpoint level (F0 : R) (t : nat) : R := match t with O => F0 | S s => level F0 s - q (level F0 s) * level F0 s end.
  Definition next F0 (state : nat * vec) k : nat * vec :=
    let (t, x) := state in (S t, fun j => x j - tau * best_lr (level F0 t) * mean (g x) (drawn W b k) j).
  Definition expected_loss F0 x t := after (batches W b) (nat * vec) (next F0) t (O, x) (fun state => f (snd state)).

  Lemma b_pos : 0 < INR b.
  Proof. now apply INR_pos. Qed.
  Lemma sigma2_pos : 0 < sigma ^ 2.
  Proof. apply pow_lt, some_noise. Qed.
  Lemma theta_bounds : 0 < theta <= 1.
  Proof.
    destruct short. unfold theta. split; [apply Rmult_lt_0_compat; lra|].
    assert (H1 := pow2_nonneg (1 - tau)). replace (tau * (2 - tau)) with (1 - (1 - tau) ^ 2) by ring. lra.
  Qed.
  Lemma scale_pos F : 0 < F -> 0 < noise_scale F / INR b.
  Proof. intros HF. assert (H1 := b_pos). assert (H2 := sigma2_pos). unfold noise_scale. pos. Qed.
  Lemma q_bounds F : 0 < F -> 0 < q F < theta.
  Proof.
    intros HF. assert (H := scale_pos F HF). destruct theta_bounds as [H0 _]. unfold q. split; [pos|].
    apply Rmult_lt_reg_r with (1 + noise_scale F / INR b); [lra|]. unfold Rdiv at 1.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- (Rmult_1_r theta) at 1.
    apply Rmult_lt_compat_l; lra.
  Qed.
  Lemma level_pos F0 t : 0 < F0 -> 0 < level F0 t.
  Proof.
    intros H0. induction t as [|t IH]; [exact H0|]. cbn [level]. destruct (q_bounds _ IH) as [H1 H2].
    destruct theta_bounds as [_ H3].
    replace (level F0 t - q (level F0 t) * level F0 t) with ((1 - q (level F0 t)) * level F0 t) by ring.
    apply Rmult_lt_0_compat; lra.
  Qed.

  (* (1) One step from x, with any rate: the expected loss is linear in f(x). *)
  Lemma one_step lr x : E (batches W b) (fun k => f (fun j => x j - lr * mean (g x) (drawn W b k) j))
    = (1 - c * lr) ^ 2 * f x + lr ^ 2 * (c * sigma ^ 2 / INR b) / 2.
  Proof.
    assert (Hb := b_pos). assert (Hv := batch_variance W d b (g x) (grad x) (unbiased x) some).
    rewrite noise in Hv. unfold f.
    rewrite (E_ext _ _ (fun k => c / 2 * ((1 - c * lr) ^ 2 * norm2 d (sub x star)
      + (lr ^ 2 * norm2 d (sub (mean (g x) (drawn W b k)) (grad x))
      + (-2 * (1 - c * lr) * lr) * inner d (sub x star) (sub (mean (g x) (drawn W b k)) (grad x)))))).
    - rewrite E_scal, !E_plus, E_const, !E_scal, Hv.
      replace (E _ (fun k => inner d _ _)) with 0; [field; lra|].
      unfold inner. rewrite E_sum. symmetry. apply sum_zeros. intros j Hj. rewrite E_scal. unfold sub.
      rewrite E_minus, E_const, (batch_unbiased W d b (g x) (grad x) (unbiased x) some j Hj). ring.
    - intros k _. f_equal. unfold norm2, inner, sub, grad. rewrite <- !sum_scal, <- !sum_plus. apply sum_ext.
      intros j _. ring.
  Qed.
  (* ... and with tau times the best rate for its level the level F goes to F - q(F) F. *)
  Lemma best_step F : 0 < F -> let lr := tau * best_lr F in
    (1 - c * lr) ^ 2 * F + lr ^ 2 * (c * sigma ^ 2 / INR b) / 2 = F - q F * F.
  Proof.
    intros HF lr. assert (Hb := b_pos). assert (Hs := sigma2_pos). unfold lr, best_lr, q, theta, noise_scale.
    assert (0 < 2 * c * F * INR b + sigma ^ 2) by (apply Rplus_lt_0_compat; pos).
    field. repeat split; try lra. replace (2 * c ^ 2 * F * INR b + c * sigma ^ 2)
      with (c * (2 * c * F * INR b + sigma ^ 2)) by ring. apply Rgt_not_eq. pos.
  Qed.
  (* The level of the mean stays the mean of the levels, since a step is linear in f(x). *)
  Lemma after_is_linear F0 s t : 0 < F0 -> exists a, forall x,
    after (batches W b) (nat * vec) (next F0) s (t, x) (fun state => f (snd state))
    = level F0 (t + s) + a * (f x - level F0 t).
  Proof.
    intros H0. revert t. induction s as [|s IH]; intros t.
    - exists 1. intros x. rewrite Nat.add_0_r. cbn [after snd]. ring.
    - destruct (IH (S t)) as [a Ha]. set (lr := tau * best_lr (level F0 t)). exists (a * (1 - c * lr) ^ 2). intros x.
      rewrite after_first, (E_ext _ _ (fun k => level F0 (S t + s)
        + a * (f (fun j => x j - lr * mean (g x) (drawn W b k) j) - level F0 (S t)))) by (intros; cbn [next]; apply Ha).
      rewrite E_plus, E_const, E_scal, E_minus, E_const, one_step.
      assert (Hl := best_step (level F0 t) (level_pos F0 t H0)). cbv zeta in Hl. fold lr in Hl.
      replace (S t + s)%nat with (t + S s)%nat by lia. cbn [level]. rewrite <- Hl. ring.
  Qed.
  (* (1) So F_t - F_{t+1} = q(F_t) F_t, where F_t is the expected loss of the run. *)
  Theorem step_1 x t : 0 < f x ->
    expected_loss (f x) x t = level (f x) t /\
    level (f x) t - level (f x) (S t) = q (level (f x) t) * level (f x) t.
  Proof.
    intros H0. split; [|cbn [level]; ring]. unfold expected_loss.
    destruct (after_is_linear (f x) t 0 H0) as [a Ha]. rewrite Ha. cbn [level Nat.add]. ring.
  Qed.

  (* (2) A step as an integral. `cost F` has the derivative 1 / (F q(F)), so the integral from F' to F is
     cost F - cost F'; the page's two inequalities need no more than ln z >= 1 - 1/z and ln z <= z - 1. *)
  Definition cost F := (ln F - sigma ^ 2 / (2 * c * INR b) / F) / theta.
  Lemma cost_derivative F : 0 < F -> derivable_pt_lim cost F (/ (F * q F)).
  Proof.
    intros HF. assert (Hb := b_pos). assert (Hs := sigma2_pos). destruct theta_bounds as [Ht _].
    set (m := sigma ^ 2 / (2 * c * INR b)).
    assert (D : derivable_pt_lim (fun z => (ln z - m * / z) * / theta) F ((/ F - m * (- / (F ^ 2))) * / theta)).
    { assert (Hinv : derivable_pt_lim (fun z => / z) F (- / (F ^ 2))).
      { replace (- / (F ^ 2)) with ((0 * F - 1 * 1) / Rsqr F) by (unfold Rsqr; field; lra).
        apply (derivable_pt_lim_ext (fun z => 1 / z)); [intros; unfold Rdiv; ring|].
        apply (derivable_pt_lim_div (fun _ => 1) id F 0 1); [apply derivable_pt_lim_const|apply derivable_pt_lim_id|].
        unfold id. lra. }
      replace ((/ F - m * (- / (F ^ 2))) * / theta) with (/ theta * (/ F - m * (- / (F ^ 2)))) by ring.
      apply (derivable_pt_lim_ext (fun z => / theta * (ln z - m * / z))); [intros; ring|].
      apply (derivable_pt_lim_scal (fun z => ln z - m * / z) (/ theta)).
      apply (derivable_pt_lim_minus ln (fun z => m * / z)); [now apply derivable_pt_lim_ln|].
      now apply (derivable_pt_lim_scal (fun z => / z) m). }
    replace (/ (F * q F)) with ((/ F - m * (- / (F ^ 2))) * / theta).
    - apply (derivable_pt_lim_ext (fun z => (ln z - m * / z) * / theta)); [|exact D].
      intros z. unfold cost, m, Rdiv. reflexivity.
    - unfold q, noise_scale, m. field. assert (0 < 2 * c * F * INR b + sigma ^ 2) by (apply Rplus_lt_0_compat; pos).
      repeat split; lra.
  Qed.
  Lemma ln_le z : 0 < z -> ln z <= z - 1.
  Proof. intros Hz. assert (H := exp_ineq1_le (ln z)). rewrite exp_ln in H by assumption. lra. Qed.
  Lemma step_2 F : 0 < F -> let F' := F - q F * F in
    1 <= cost F - cost F' /\ (theta < 1 -> cost F - cost F' <= / (1 - theta)).
  Proof.
    intros HF F'. assert (Hb := b_pos). assert (Hs := sigma2_pos). destruct theta_bounds as [Ht _].
    destruct (q_bounds F HF) as [Hq Hqt]. set (m := sigma ^ 2 / (2 * c * INR b)).
    assert (Hm : 0 < m) by (unfold m; pos).
    assert (Hth : theta = q F * (1 + m / F)).
    { unfold q, noise_scale, m. field. assert (0 < 2 * c * F * INR b + sigma ^ 2) by (apply Rplus_lt_0_compat; pos).
      repeat split; lra. }
    assert (HF' : F' = (1 - q F) * F) by (unfold F'; ring).
    destruct theta_bounds as [_ Ht1]. assert (H1 : 0 < 1 - q F) by lra.
    assert (Hpos' : 0 < F') by (rewrite HF'; pos).
    assert (Hcost : cost F - cost F' = (ln F - ln F' + m * (/ F' - / F)) / theta).
    { unfold cost. fold m. field. repeat split; lra. }
    assert (Hln : ln F - ln F' = - ln (1 - q F)) by (rewrite HF', ln_mult by lra; ring).
    assert (Hinv : / F' - / F = q F / (1 - q F) / F) by (rewrite HF'; field; split; lra).
    rewrite Hcost, Hln, Hinv. split.
    - apply le_div; [assumption|]. rewrite Rmult_1_l, Hth.
      assert (A := ln_le (1 - q F) H1).
      assert (B : q F <= q F / (1 - q F)).
      { apply le_div; [assumption|]. assert (0 <= q F * q F) by (apply Rmult_le_pos; lra). lra. }
      assert (C : m * (q F / F) <= m * (q F / (1 - q F) / F)).
      { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [apply Rlt_le; pos|exact B]. }
      replace (q F * (1 + m / F)) with (q F + m * (q F / F)) by (field; lra). lra.
    - intros Hlt. apply Rle_trans with (/ (1 - q F)); [|apply Rinv_le_contravar; lra].
      apply div_le; [assumption|].
      assert (A : - ln (1 - q F) <= q F / (1 - q F)).
      { rewrite <- ln_Rinv by assumption. replace (q F / (1 - q F)) with (/ (1 - q F) - 1) by (field; lra).
        apply ln_le. now apply Rinv_0_lt_compat. }
      rewrite Hth. replace (/ (1 - q F) * (q F * (1 + m / F)))
        with (q F / (1 - q F) + m * (q F / (1 - q F) / F)) by (field; split; lra). lra.
  Qed.

  (* (3) Sum over t. *)
  Lemma step_3 F0 S : 0 < F0 -> INR S <= cost F0 - cost (level F0 S) /\
    (theta < 1 -> cost F0 - cost (level F0 S) <= INR S / (1 - theta)).
  Proof.
    intros H0. induction S as [|S [IH1 IH2]].
    - rewrite INR_zero. cbn [level]. split; [lra|]. intros _. unfold Rdiv. lra.
    - destruct (step_2 (level F0 S) (level_pos F0 S H0)) as [H1 H2]. rewrite S_INR. cbn [level]. split; [lra|].
      intros Ht. specialize (IH2 Ht). specialize (H2 Ht). unfold Rdiv. rewrite Rmult_plus_distr_r.
      unfold Rdiv in IH2. lra.
  Qed.

  (* (4) Integrate. *)
  Definition S_min F0 FS := / theta * ln (F0 / FS).
  Definition E_min F0 FS := sigma ^ 2 / (2 * c * theta) * (/ FS - / F0).
  Lemma step_4 F0 FS : 0 < F0 -> 0 < FS -> cost F0 - cost FS = S_min F0 FS + E_min F0 FS / INR b.
  Proof.
    intros H0 HS. assert (Hb := b_pos). destruct theta_bounds as [Ht _]. unfold cost, S_min, E_min.
    assert (Hln : ln (F0 / FS) = ln F0 - ln FS).
    { unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; assumption). ring. }
    rewrite Hln. field. repeat split; lra.
  Qed.

  (* thm-batches-hyperbola (eq-batches-steps): S steps of SGD from x take the expected loss from F_0 to F_S. *)
  Theorem thm_batches_hyperbola x S : 0 < f x ->
    let F_0 := f x in let F_S := expected_loss (f x) x S in
    (1 - theta) * (S_min F_0 F_S + E_min F_0 F_S / INR b) <= INR S <= S_min F_0 F_S + E_min F_0 F_S / INR b.
  Proof.
    intros H0 F_0 F_S. unfold F_S, F_0. destruct (step_1 x S H0) as [-> _].
    destruct theta_bounds as [Ht Ht1]. destruct (step_3 (f x) S H0) as [H1 H2].
    rewrite <- step_4 by (try apply level_pos; assumption). split; [|assumption].
    destruct (Rle_lt_or_eq_dec theta 1 Ht1) as [Hlt|Heq].
    - specialize (H2 Hlt). apply Rmult_le_reg_l with (/ (1 - theta)); [apply Rinv_0_lt_compat; lra|].
      rewrite <- Rmult_assoc, Rinv_l by lra. unfold Rdiv in H2. lra.
    - rewrite Heq. assert (H3 := pos_INR S). lra.
  Qed.
  (* Both sides meet as tau goes to 0: their quotient is (1 - tau)^2. *)
  Theorem thm_batches_hyperbola_meet : 1 - theta = (1 - tau) ^ 2.
  Proof. unfold theta. ring. Qed.
End Hyperbola.

(* ... and then, with E = b S (eq-batches-hyperbola). *)
Theorem thm_batches_hyperbola_product S_min E_min b S : 0 < S_min -> 0 < E_min -> 0 < b ->
  S = S_min + E_min / b -> (S / S_min - 1) * (b * S / E_min - 1) = 1.
Proof. intros H1 H2 H3 ->. field. lra. Qed.
