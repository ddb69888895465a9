(* The bound for Adam without momentum (thm-adam-bound, eq-adam-defossez): steps (1) and (6) to (10), the run.

   d weights, any finite law W of what a step draws, T steps with all their randomness. A state holds the number of
   steps taken, the weights and the memory v. The page's R is R_ here, since R is the type of the real numbers. *)
Require Export adam_exchange adam_defossez smooth.
Require toolbox_log_sum.
Open Scope R_scope.

Section Bound.
  Variable W : space.
  Variable d : nat.
  Variables (f : vec -> R) (grad : vec -> vec).
  Variable sample : vec -> nat -> vec.   (* sample x w: the gradient of sample w at x *)
  Variables L R_ eps beta2 lr fstar : R.
  (* asm-adam-bound *)
  Hypothesis eps_positive : 0 < eps.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : smooth d f grad L.
  Hypothesis A3' : forall x w j, (w < size W)%nat -> (j < d)%nat -> Rabs (sample x w j) <= R_ - sqrt eps.
  Hypothesis unbiased : forall x j, (j < d)%nat -> E W (fun w => sample x w j) = grad x j.
  Hypothesis rates : 0 < beta2 < 1 /\ 0 < lr.
  Hypothesis some : (1 <= d)%nat.

  (* eq-adam-defossez *)
  Notation collected := (collected beta2).
  Notation rate := (rate beta2 lr).
  Definition g s w : vec := sample (weights s) w.
  Definition new_v s w : vec := fun j => beta2 * memory s j + g s w j ^ 2.
  Definition u s w : vec := fun j => g s w j / sqrt (eps + new_v s w j).
  Definition next s w := {| taken := S (taken s);
    weights := fun j => weights s j - rate (S (taken s)) * u s w j; memory := new_v s w |}.
  (* The squared length of the gradient, which is bounded, and the mean of |u|^2, which is paid. *)
  Definition slope2 s := norm2 d (grad (weights s)).
  Definition squares s := E W (fun w => norm2 d (u s w)).
  (* What holds in every state of a run: v is a sum of decaying squares. *)
  Definition possible s := forall j, (j < d)%nat -> 0 <= memory s j <= (R_ - sqrt eps) ^ 2 * collected (taken s).

  Lemma signs : 0 < sqrt eps /\ 0 <= R_ - sqrt eps /\ 0 < R_ /\ 0 <= L.
  Proof.
    assert (H : 0 < sqrt eps) by now apply sqrt_lt_R0.
    assert (H0 : 0 <= R_ - sqrt eps).
    { eapply Rle_trans; [apply Rabs_pos|]. apply (A3' (fun _ => 0) 0 0); [apply size_pos|exact some]. }
    repeat split; try lra. exact (smooth_nonneg d f grad L some A1).
  Qed.
  Lemma square_bound x w j : (w < size W)%nat -> (j < d)%nat -> 0 <= sample x w j ^ 2 <= (R_ - sqrt eps) ^ 2.
  Proof.
    intros Hw Hj. split; [apply pow2_nonneg|]. rewrite <- pow2_Rabs. apply pow_incr.
    split; [apply Rabs_pos|now apply A3'].
  Qed.
  Lemma possible_start x1 : possible (start x1).
  Proof. intros j _. cbn [memory taken start]. unfold collected. rewrite pow_O. unfold Rdiv. lra. Qed.
  Lemma possible_next s w : (w < size W)%nat -> possible s -> possible (next s w).
  Proof.
    intros Hw Hs j Hj. cbn [memory taken next]. unfold new_v, g. rewrite (collected_S beta2 lr rates).
    assert (H := square_bound (weights s) w j Hw Hj). destruct (Hs j Hj) as [H0 H1].
    assert (H2 : 0 <= beta2 * memory s j) by (apply Rmult_le_pos; lra).
    assert (H3 : beta2 * memory s j <= beta2 * ((R_ - sqrt eps) ^ 2 * collected (taken s)))
      by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  (* (1) Descent. *)
  Lemma step_1 s w : f (weights (next s w)) <= f (weights s)
    - rate (S (taken s)) * inner d (grad (weights s)) (u s w) + L / 2 * rate (S (taken s)) ^ 2 * norm2 d (u s w).
  Proof.
    eapply Rle_trans; [exact (descent d f grad L A1 (weights s) _)|]. apply Req_le. set (r := rate (S (taken s))).
    assert (H : forall j, sub (weights (next s w)) (weights s) j = - r * u s w j)
      by (intros; unfold sub, r; cbn [weights next]; ring).
    rewrite (inner_ext d _ _ (grad (weights s)) (fun j => - r * u s w j)) by auto.
    rewrite (norm2_ext d _ (fun j => - r * u s w j)) by auto. rewrite inner_scal, norm2_scal. ring.
  Qed.

  (* (5) and (5') for coordinate j of a step; `tilde_of` is the root of eps + v~ there. *)
  Definition tilde_of s j := tilde W (fun w => g s w j) eps beta2 (memory s j).
  Lemma step_5_of s j : (j < d)%nat -> possible s ->
    grad (weights s) j ^ 2 / (2 * tilde_of s j) - 2 * R_ * E W (fun w => u s w j ^ 2)
    <= E W (fun w => grad (weights s) j * u s w j) /\
    grad (weights s) j ^ 2 / (2 * tilde_of s j) - 1 * R_ * E W (fun w => u s w j ^ 2)
    <= E W (fun w => grad (weights s) j * u s w j).
  Proof.
    intros Hj Hs. destruct signs as (He & _). destruct (Hs j Hj) as [H0 _].
    assert (H1 : 0 <= beta2 * memory s j) by (apply Rmult_le_pos; lra).
    assert (HR : forall w, (w < size W)%nat -> Rabs (g s w j) <= R_).
    { intros w Hw. assert (H := A3' (weights s) w j Hw Hj). unfold g. lra. }
    rewrite <- (unbiased (weights s) j Hj). split.
    - exact (step_5 W (fun w => g s w j) eps beta2 (memory s j) R_ eps_positive H1 HR).
    - exact (step_5_once W (fun w => g s w j) eps beta2 (memory s j) R_ eps_positive H1 HR).
  Qed.
  (* (6) The denominator. This is what the correction in the learning rate is for. *)
  Lemma step_6 s j : (j < d)%nat -> possible s ->
    0 < tilde_of s j /\ lr / R_ <= rate (S (taken s)) / tilde_of s j.
  Proof.
    intros Hj Hs. destruct signs as (He & HG & HR & _). destruct (Hs j Hj) as [H0 H1].
    assert (Hm : 0 <= beta2 * memory s j) by (apply Rmult_le_pos; lra).
    assert (Hq : 0 <= q W (fun w => g s w j) <= (R_ - sqrt eps) ^ 2).
    { split; [apply q_nonneg|]. rewrite <- (E_const W ((R_ - sqrt eps) ^ 2)). apply E_le. intros w Hw.
      now apply square_bound. }
    assert (Ht : 0 < tilde_of s j) by (apply sqrt_lt_R0; lra). split; [exact Ht|].
    destruct (collected_bounds beta2 lr rates (taken s)) as [Hc _]. set (c := collected (S (taken s))).
    assert (Hc1 : 1 <= c) by exact (collected_from_1 beta2 lr rates (taken s)).
    assert (Hle : tilde_of s j <= R_ * sqrt c).
    { apply sqrt_le; [apply Rmult_le_pos; [lra|apply sqrt_pos]|]. rewrite Rpow_mult_distr, sqrt_squared by lra.
      apply Rle_trans with (eps * c + (R_ - sqrt eps) ^ 2 * c).
      - assert (eps * 1 <= eps * c) by (apply Rmult_le_compat_l; lra).
        assert (beta2 * memory s j <= beta2 * ((R_ - sqrt eps) ^ 2 * collected (taken s)))
          by (apply Rmult_le_compat_l; lra).
        unfold c in *. rewrite (collected_S beta2 lr rates) in *. lra.
      - rewrite <- (sqrt_squared eps) at 1 by lra.
        assert (0 <= sqrt eps * (R_ - sqrt eps)) by (apply Rmult_le_pos; lra).
        rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; lra. }
    apply le_div; [exact Ht|]. unfold rate. fold c.
    replace (lr * sqrt c) with (lr / R_ * (R_ * sqrt c)) by (field; lra).
    apply Rmult_le_compat_l; [apply Rlt_le; now apply Rdiv_lt_0_compat|exact Hle].
  Qed.

  (* (9) Count the squares: on every run and in every coordinate a step's u^2 is at most what a logarithm gains, and
     - ln beta2 (`log_gain`). *)
  Lemma largest_memory s j : (j < d)%nat -> possible s -> memory s j / eps <= R_ ^ 2 / ((1 - beta2) * eps).
  Proof.
    intros Hj Hs. destruct (Hs j Hj) as [_ H]. destruct signs as (He & HG & HR & _).
    destruct (collected_bounds beta2 lr rates (taken s)) as [Hc Hc1].
    assert (H1 : (R_ - sqrt eps) ^ 2 * collected (taken s) <= R_ ^ 2 * / (1 - beta2)).
    { apply Rmult_le_compat; [apply pow2_nonneg|lra| |lra]. apply pow_incr. lra. }
    replace (R_ ^ 2 / ((1 - beta2) * eps)) with (R_ ^ 2 * / (1 - beta2) / eps) by (field; lra).
    apply Rmult_le_compat_r; [apply Rlt_le; now apply Rinv_0_lt_compat|lra].
  Qed.
  Lemma step_9 T x1 : sum T (fun t => after W state next t (start x1) squares)
    <= INR d * (ln (1 + R_ ^ 2 / ((1 - beta2) * eps)) - INR T * ln beta2).
  Proof.
    set (top := ln (1 + R_ ^ 2 / ((1 - beta2) * eps))).
    assert (H := telescope_where W state next (fun s => - sum d (fun j => ln (1 + memory s j / eps))) squares possible
      1 (- (INR d * ln beta2)) (- (INR d * top))).
    assert (H0 : sum d (fun j => ln (1 + memory (start x1) j / eps)) = 0).
    { apply sum_zeros. intros j _. cbn [memory start]. unfold Rdiv. rewrite Rmult_0_l, Rplus_0_r. apply ln_1. }
    specialize (fun kept below one_step => H kept below one_step T (start x1) (possible_start x1)). cbv beta in H.
    rewrite H0, Rmult_1_l in H. eapply Rle_trans; [apply H|apply Req_le; ring].
    - intros s w Hw. now apply possible_next.
    - intros s Hs. unfold top. rewrite <- sum_const. apply Ropp_le_contravar, sum_le. intros j Hj.
      assert (H1 := largest_memory s j Hj Hs). destruct (Hs j Hj) as [H2 _].
      assert (H3 : 0 <= memory s j / eps) by (apply Rle_mult_inv_pos; lra). apply toolbox_log_sum.ln_le; lra.
    - intros s Hs. unfold squares, norm2. rewrite E_opp, Rmult_1_l, !E_sum.
      rewrite <- sum_const, <- !sum_opp, <- sum_minus, <- sum_plus. apply sum_le. intros j Hj.
      destruct (Hs j Hj) as [H2 _]. assert (Hm : 0 <= beta2 * memory s j) by (apply Rmult_le_pos; lra).
      assert (H3 : E W (fun w => u s w j ^ 2 + (ln (1 + memory s j / eps) + ln beta2))
        <= E W (fun w => ln (1 + new_v s w j / eps))).
      { apply E_le. intros w _. assert (H4 := log_gain (fun w => g s w j) eps beta2 (memory s j) eps_positive
          Hm w ltac:(lra) H2). unfold u, new_v in *. unfold adam_exchange.u, root in H4. lra. }
      rewrite E_plus, E_const in H3. cbn [memory next]. lra.
  Qed.

  Section Price.
    (* u^2 counts c times in step (5): c = 2 in the printed proof, c = 1 if it is looked at more closely. *)
    Variable c : R.
    Hypothesis counts : 0 <= c.
    Hypothesis left_over : forall s j, (j < d)%nat -> possible s ->
      grad (weights s) j ^ 2 / (2 * tilde_of s j) - c * R_ * E W (fun w => u s w j ^ 2)
      <= E W (fun w => grad (weights s) j * u s w j).

    (* (7) One step in expectation. *)
    Lemma step_7 s : possible s -> E W (fun w => f (weights (next s w))) <= f (weights s)
      - lr / (2 * R_) * slope2 s + (c * R_ * rate (S (taken s)) + L / 2 * rate (S (taken s)) ^ 2) * squares s.
    Proof.
      intros Hs. destruct (rate_bounds beta2 lr rates (taken s)) as [Hr _]. destruct signs as (_ & _ & HR & _).
      set (r := rate (S (taken s))) in *.
      assert (H1 : E W (fun w => f (weights (next s w))) <= E W (fun w => f (weights s)
        - r * inner d (grad (weights s)) (u s w) + L / 2 * r ^ 2 * norm2 d (u s w)))
        by (apply E_le; intros; apply step_1).
      rewrite E_plus, E_minus, E_const, !E_scal in H1. fold (squares s) in H1.
      assert (H5 : lr / (2 * R_) * slope2 s - r * (c * R_ * squares s)
        <= r * E W (fun w => inner d (grad (weights s)) (u s w))).
      { unfold slope2, squares, norm2, inner. rewrite !E_sum, <- !sum_scal, <- sum_minus. apply sum_le. intros j Hj.
        destruct (step_6 s j Hj Hs) as [Ht H6].
        assert (H := Rmult_le_compat_l r _ _ (Rlt_le _ _ Hr) (left_over s j Hj Hs)).
        assert (H7 : lr / R_ * (grad (weights s) j ^ 2 / 2) <= r / tilde_of s j * (grad (weights s) j ^ 2 / 2))
          by (apply Rmult_le_compat_r; [|exact H6]; assert (H0 := pow2_nonneg (grad (weights s) j)); lra).
        replace (lr / (2 * R_) * grad (weights s) j ^ 2) with (lr / R_ * (grad (weights s) j ^ 2 / 2)) by (field; lra).
        replace (r * (grad (weights s) j ^ 2 / (2 * tilde_of s j) - c * R_ * E W (fun w => u s w j ^ 2)))
          with (r / tilde_of s j * (grad (weights s) j ^ 2 / 2) - r * (c * R_ * E W (fun w => u s w j ^ 2))) in H
          by (field; lra). lra. }
      lra.
    Qed.
    (* (8) Telescope. *)
    Lemma step_8 T x1 : lr / (2 * R_) * sum T (fun t => after W state next t (start x1) slope2)
      <= f x1 - fstar + (c * R_ * lr / sqrt (1 - beta2) + L * lr ^ 2 / (2 * (1 - beta2)))
         * sum T (fun t => after W state next t (start x1) squares).
    Proof.
      set (C := c * R_ * lr / sqrt (1 - beta2) + L * lr ^ 2 / (2 * (1 - beta2))).
      set (both := fun s => lr / (2 * R_) * slope2 s - C * squares s).
      assert (H : 1 * sum T (fun t => after W state next t (start x1) both)
        <= f (weights (start x1)) - fstar + INR T * 0).
      { apply (telescope_where W state next (fun s => f (weights s)) both possible).
        - intros s w Hw. now apply possible_next.
        - intros s _. apply A0.
        - intros s Hs. destruct (rate_bounds beta2 lr rates (taken s)) as [Hr Hr1].
          destruct signs as (_ & _ & HR & HL). assert (H7 := step_7 s Hs). set (r := rate (S (taken s))) in *.
          assert (Hsq : 0 <= squares s) by (apply E_nonneg; intros; apply norm2_pos).
          assert (Hr2 : r ^ 2 <= lr ^ 2 / (1 - beta2)).
          { apply Rle_trans with ((lr / sqrt (1 - beta2)) ^ 2); [apply pow_incr; lra|]. unfold Rdiv.
            rewrite Rpow_mult_distr, pow_inv, sqrt_squared by lra. apply Rle_refl. }
          assert (HC : c * R_ * r + L / 2 * r ^ 2 <= C).
          { unfold C. apply Rplus_le_compat.
            - replace (c * R_ * lr / sqrt (1 - beta2)) with (c * R_ * (lr / sqrt (1 - beta2))) by (unfold Rdiv; ring).
              apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact Hr1].
            - replace (L * lr ^ 2 / (2 * (1 - beta2))) with (L / 2 * (lr ^ 2 / (1 - beta2))) by (field; lra).
              apply Rmult_le_compat_l; lra. }
          assert (Hle := Rmult_le_compat_r (squares s) _ _ Hsq HC). unfold both. lra.
        - apply possible_start. }
      unfold both in H. rewrite (sum_ext T _ (fun t => lr / (2 * R_) * after W state next t (start x1) slope2
        - C * after W state next t (start x1) squares)) in H by (intros; apply after_combination).
      rewrite sum_minus, !sum_scal in H. cbn [weights start] in H. lra.
    Qed.
    (* (10) Together. *)
    Lemma step_10 T x1 : (1 <= T)%nat -> run_mean W state next T (start x1) slope2
      <= 2 * R_ * (f x1 - fstar) / (lr * INR T)
         + (2 * c * INR d * R_ ^ 2 / sqrt (1 - beta2) + lr * INR d * R_ * L / (1 - beta2))
           * (1 / INR T * ln (1 + R_ ^ 2 / ((1 - beta2) * eps)) - ln beta2).
    Proof.
      intros HT. assert (HT0 := INR_pos T HT). destruct signs as (_ & _ & HR & HL). assert (H8 := step_8 T x1).
      assert (H9 := step_9 T x1). unfold run_mean. assert (Hs : 0 < sqrt (1 - beta2)) by (apply sqrt_lt_R0; lra).
      set (C := c * R_ * lr / sqrt (1 - beta2) + L * lr ^ 2 / (2 * (1 - beta2))) in *.
      assert (HC : 0 <= C) by (unfold C; apply Rplus_le_le_0_compat; apply Rle_mult_inv_pos; pos).
      assert (H := Rmult_le_compat_l C _ _ HC H9).
      set (S2 := sum T (fun t => after W state next t (start x1) slope2)) in *.
      set (top := ln (1 + R_ ^ 2 / ((1 - beta2) * eps))) in *. set (bottom := ln beta2) in *.
      apply Rmult_le_reg_l with (lr / (2 * R_) * INR T); [pos|].
      replace (lr / (2 * R_) * INR T * (S2 / INR T)) with (lr / (2 * R_) * S2) by (field; lra).
      eapply Rle_trans; [exact H8|]. eapply Rle_trans; [apply Rplus_le_compat_l, H|].
      apply Req_le. unfold C. field. repeat split; lra.
    Qed.
  End Price.

  (* thm-adam-bound: E |grad f(x_a)|^2 <= 2 R Delta / (lr T) + E (ln (1 + R^2 / ((1 - beta2) eps)) / T - ln beta2), with
     E = 4 d R^2 / sqrt (1 - beta2) + lr d R L / (1 - beta2); x_a is uniform over the T steps (`run_mean`). *)
  Theorem thm_adam_bound T x1 : (1 <= T)%nat -> run_mean W state next T (start x1) slope2
    <= 2 * R_ * (f x1 - fstar) / (lr * INR T)
       + (4 * INR d * R_ ^ 2 / sqrt (1 - beta2) + lr * INR d * R_ * L / (1 - beta2))
         * (1 / INR T * ln (1 + R_ ^ 2 / ((1 - beta2) * eps)) - ln beta2).
  Proof.
    intros HT. replace 4 with (2 * 2) by ring. apply step_10; [lra| |exact HT].
    intros s j Hj Hs. assert (H := step_5_of s j Hj Hs). lra.
  Qed.
  (* With (5') half of the term 4 d R^2 / sqrt (1 - beta2) is enough. *)
  Theorem thm_adam_bound_once T x1 : (1 <= T)%nat -> run_mean W state next T (start x1) slope2
    <= 2 * R_ * (f x1 - fstar) / (lr * INR T)
       + (2 * INR d * R_ ^ 2 / sqrt (1 - beta2) + lr * INR d * R_ * L / (1 - beta2))
         * (1 / INR T * ln (1 + R_ ^ 2 / ((1 - beta2) * eps)) - ln beta2).
  Proof.
    intros HT. replace 2 with (2 * 1) at 2 by ring. apply step_10; [lra| |exact HT].
    intros s j Hj Hs. assert (H := step_5_of s j Hj Hs). lra.
  Qed.
End Bound.
