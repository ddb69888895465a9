(* SGD on a smooth function (thm-sgd).

   Weights of any dimension d, any finite law W of one sample, batches of b independent samples, T steps with all their
   randomness: `run_mean (batches W b) vec (next lr) T x1 h` is (1/T) times the sum over t = 1, ..., T of E h(x_t). *)
Require Export runs smooth toolbox_averages.
Open Scope R_scope.

Section SGD.
  Variable W : space.                  (* the law of one sample *)
  Variables d b : nat.                 (* weights; samples in a batch *)
  Variable f : vec -> R.
  Variable grad : vec -> vec.
  Variable sample : vec -> nat -> vec. (* sample x w: the gradient of the loss of sample w at x *)
  Variables L sigma fstar : R.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : smooth d f grad L.
  Hypothesis A1_L : 0 < L.
  Hypothesis A2_mean : forall x j, (j < d)%nat -> E W (fun w => sample x w j) = grad x j.
  Hypothesis A2_noise : forall x, E W (fun w => norm2 d (sub (sample x w) (grad x))) <= sigma ^ 2.
  Hypothesis some : (1 <= b)%nat.

  (* The gradient of batch k; one step; what is bounded. E_t of the page is E (batches W b). *)
  Definition g x k : vec := mean (sample x) (drawn W b k).
  Definition next lr x k : vec := fun j => x j - lr * g x k j.
  Definition slope2 x := norm2 d (grad x).

  Lemma unbiased x j : (j < d)%nat -> E (batches W b) (fun k => g x k j) = grad x j.
  Proof. apply (batch_unbiased W d b (sample x) (grad x) (A2_mean x) some). Qed.

  (* (1) One step, whatever batch was drawn: the descent lemma. *)
  Lemma step_1 lr x k : f (next lr x k) <= f x - lr * inner d (grad x) (g x k) + L * lr ^ 2 / 2 * norm2 d (g x k).
  Proof.
    assert (H := descent d f grad L A1 x (next lr x k)).
    rewrite (inner_ext d _ _ (grad x) (fun j => - lr * g x k j)) in H by (intros; unfold sub, next; ring).
    rewrite (norm2_ext d _ (fun j => - lr * g x k j)) in H by (intros; unfold sub, next; ring).
    rewrite inner_scal, norm2_scal in H. lra.
  Qed.
  (* (2) Average over the batch: the noise does not change the progress. *)
  Lemma step_2 x : E (batches W b) (fun k => inner d (grad x) (g x k)) = slope2 x.
  Proof.
    unfold inner, slope2. rewrite E_sum. apply sum_ext. intros j Hj. rewrite E_scal, unbiased by assumption. ring.
  Qed.
  (* (3) The mean square is the square of the mean plus the variance, and a batch has that of a sample over b. *)
  Lemma step_3a x : E (batches W b) (fun k => norm2 d (g x k))
    = slope2 x + E (batches W b) (fun k => norm2 d (sub (g x k) (grad x))).
  Proof. apply lem_bias_variance_gradient, unbiased. Qed.
  Lemma step_3b x : E (batches W b) (fun k => norm2 d (sub (g x k) (grad x))) <= sigma ^ 2 / INR b.
  Proof.
    unfold g. rewrite (batch_variance W d b (sample x) (grad x) (A2_mean x) some).
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, INR_pos, some|apply A2_noise].
  Qed.
  (* (4) Put (1) to (3) together. *)
  Lemma step_4a lr x : E (batches W b) (fun k => f (next lr x k))
    <= f x - lr * (1 - lr * L / 2) * slope2 x + L * lr ^ 2 * sigma ^ 2 / (2 * INR b).
  Proof.
    assert (Hb := INR_pos b some). assert (H3a := step_3a x). assert (H3b := step_3b x).
    apply Rle_trans with (E (batches W b)
      (fun k => f x - lr * inner d (grad x) (g x k) + L * lr ^ 2 / 2 * norm2 d (g x k)));
      [apply E_le; intros; apply step_1|].
    rewrite E_plus, E_minus, E_const, !E_scal, step_2, H3a.
    assert (Hc : 0 <= L * lr ^ 2 / 2) by pos. apply (Rmult_le_compat_l _ _ _ Hc) in H3b.
    replace (L * lr ^ 2 * sigma ^ 2 / (2 * INR b)) with (L * lr ^ 2 / 2 * (sigma ^ 2 / INR b)) by (field; lra). lra.
  Qed.
  (* A short step: since lr <= 1/L the bracket is at least 1/2. *)
  Lemma step_4b lr x : 0 < lr <= 1 / L -> E (batches W b) (fun k => f (next lr x k))
    <= f x - lr / 2 * slope2 x + L * lr ^ 2 * sigma ^ 2 / (2 * INR b).
  Proof.
    intros [Hlr HL]. assert (H := step_4a lr x). assert (Hs : 0 <= slope2 x) by apply norm2_pos.
    assert (Hshort : lr * L <= 1).
    { apply (Rmult_le_compat_r L) in HL; [|lra]. replace (1 / L * L) with 1 in HL by (field; lra). assumption. }
    assert (0 <= lr * (1 - lr * L) * slope2 x) by pos. lra.
  Qed.

  (* The sum of E|grad f(x_t)|^2 over t = 1, ..., T, and E f(x_{T+1}). *)
  Definition slopes_after lr T x1 := sum T (fun t => after (batches W b) vec (next lr) t x1 slope2).
  Definition loss_after lr T x1 := after (batches W b) vec (next lr) T x1 f.
  (* (5) Sum over the run: all but two of the function values cancel. *)
  Lemma step_5 lr T x1 : 0 < lr <= 1 / L ->
    lr / 2 * slopes_after lr T x1 <= f x1 - loss_after lr T x1 + INR T * (L * lr ^ 2 * sigma ^ 2 / (2 * INR b)).
  Proof.
    intros Hlr. unfold slopes_after, loss_after. set (B := L * lr ^ 2 * sigma ^ 2 / (2 * INR b)). revert x1.
    induction T as [|T IH]; intros x.
    - rewrite sum_O, INR_zero. cbn [after]. lra.
    - rewrite sum_after_first, after_first, S_INR. assert (H := step_4b lr x Hlr). fold B in H.
      assert (H1 : E (batches W b) (fun k => lr / 2 * slopes_after lr T (next lr x k))
        <= E (batches W b) (fun k => f (next lr x k) - loss_after lr T (next lr x k) + INR T * B))
        by (apply E_le; intros; apply IH).
      rewrite E_scal, E_plus, E_minus, E_const in H1. unfold slopes_after, loss_after in H1. lra.
  Qed.
  (* (6) There is a bottom: f(x_1) - E f(x_{T+1}) <= Delta. *)
  Lemma step_6 lr T x1 : f x1 - loss_after lr T x1 <= f x1 - fstar.
  Proof.
    enough (fstar <= loss_after lr T x1) by lra. unfold loss_after. revert x1.
    induction T as [|T IH]; intros x; [apply A0|].
    rewrite after_first, <- (E_const (batches W b) fstar). apply E_le. intros. apply IH.
  Qed.

  (* thm-sgd (eq-sgd-promise): for 0 < lr <= 1/L and every T >= 1. *)
  Theorem thm_sgd lr T x1 : 0 < lr <= 1 / L -> (1 <= T)%nat ->
    run_mean (batches W b) vec (next lr) T x1 slope2
    <= 2 * (f x1 - fstar) / (lr * INR T) + lr * L * sigma ^ 2 / INR b.
  Proof.
    intros Hlr HT. assert (Hb := INR_pos b some). assert (HR := INR_pos T HT). assert (H5 := step_5 lr T x1 Hlr).
    assert (H6 := step_6 lr T x1). unfold run_mean. fold (slopes_after lr T x1). apply div_le; [assumption|].
    apply Rmult_le_reg_l with (lr / 2); [lra|].
    apply Rle_trans with (f x1 - fstar + INR T * (L * lr ^ 2 * sigma ^ 2 / (2 * INR b))); [lra|].
    apply Req_le. field. repeat split; lra.
  Qed.

  (* (7) The best rate, for Delta > 0 and sigma > 0. *)
  Section Best.
    Variable T : nat.
    Variable x1 : vec.
    Hypothesis steps : (1 <= T)%nat.
    Definition Delta := f x1 - fstar.
    Hypothesis Delta_pos : 0 < Delta.
    Hypothesis sigma_pos : 0 < sigma.
    Definition q := sqrt (2 * Delta * INR b / (L * sigma ^ 2 * INR T)).
    Definition best_lr := Rmin (1 / L) q.
    Definition both := sigma * sqrt (2 * Delta * L / (INR b * INR T)).   (* each of the two terms, if lr = q *)

    Lemma q_pos : 0 < q.
    Proof. assert (Hb := INR_pos b some). assert (HR := INR_pos T steps). unfold q. pos. Qed.
    Lemma best_lr_bounds : 0 < best_lr <= 1 / L.
    Proof.
      assert (Hq := q_pos). split; [|apply Rmin_l]. unfold best_lr. apply Rmin_glb_lt; [pos|assumption].
    Qed.
    Lemma both_is : both = q * (L * sigma ^ 2 / INR b).
    Proof.
      assert (Hb := INR_pos b some). assert (HR := INR_pos T steps). assert (Hq := q_pos).
      unfold both. replace (2 * Delta * L / (INR b * INR T)) with ((q * (L * sigma / INR b)) ^ 2).
      - rewrite sqrt_of_square, Rabs_pos_eq by (apply Rlt_le; pos). field. lra.
      - rewrite Rpow_mult_distr. unfold q. rewrite sqrt_squared by (apply Rlt_le; pos). field. repeat split; lra.
    Qed.
    Lemma Delta_is : 2 * Delta = q ^ 2 * (L * sigma ^ 2 * INR T) / INR b.
    Proof.
      assert (Hb := INR_pos b some). assert (HR := INR_pos T steps).
      unfold q. rewrite sqrt_squared by (apply Rlt_le; pos). field. repeat split; lra.
    Qed.
    (* If lr = q, both terms are equal. *)
    Lemma step_7a : 2 * Delta / (q * INR T) = both /\ q * L * sigma ^ 2 / INR b = both.
    Proof.
      assert (Hb := INR_pos b some). assert (HR := INR_pos T steps). assert (Hq := q_pos).
      rewrite both_is, Delta_is. split; field; lra.
    Qed.
    (* If lr = 1/L < q, the second term is below `both`. *)
    Lemma step_7b : 1 / L <= q -> 1 / L * L * sigma ^ 2 / INR b <= both.
    Proof.
      intros H. assert (Hb := INR_pos b some). rewrite both_is.
      replace (1 / L * L * sigma ^ 2 / INR b) with (1 / L * (L * sigma ^ 2 / INR b)) by (field; lra).
      apply Rmult_le_compat_r; [apply Rlt_le; pos|assumption].
    Qed.
    Lemma step_7 : 2 * Delta / (best_lr * INR T) + best_lr * L * sigma ^ 2 / INR b
      <= 2 * Delta * L / INR T + 2 * sigma * sqrt (2 * Delta * L / (INR b * INR T)).
    Proof.
      assert (Hb := INR_pos b some). assert (HR := INR_pos T steps).
      assert (Hsqrt : sigma * sqrt (2 * Delta * L / (INR b * INR T)) = both) by reflexivity.
      assert (Hfirst : 0 < 2 * Delta * L / INR T) by pos.
      assert (Hboth : 0 < both) by (rewrite both_is; assert (Hq := q_pos); pos).
      unfold best_lr, Rmin. destruct (Rle_dec (1 / L) q) as [H|H].
      - assert (H7 := step_7b H).
        replace (2 * Delta / (1 / L * INR T)) with (2 * Delta * L / INR T) by (field; lra). lra.
      - destruct step_7a as (H1 & H2). lra.
    Qed.
    (* thm-sgd (eq-sgd-best): with lr = min(1/L, q) the right side of eq-sgd-promise is at most this, *)
    Theorem thm_sgd_best : 2 * (f x1 - fstar) / (best_lr * INR T) + best_lr * L * sigma ^ 2 / INR b
      <= 2 * Delta * L / INR T + 2 * sigma * sqrt (2 * Delta * L / (INR b * INR T)).
    Proof. exact step_7. Qed.
    (* and so is the average squared gradient of the run. *)
    Theorem thm_sgd_best_run : run_mean (batches W b) vec (next best_lr) T x1 slope2
      <= 2 * Delta * L / INR T + 2 * sigma * sqrt (2 * Delta * L / (INR b * INR T)).
    Proof. eapply Rle_trans; [apply thm_sgd; [exact best_lr_bounds|exact steps]|exact step_7]. Qed.
  End Best.

  (* Without noise lr = 1/L gives the same bound; its second term is 0. *)
  Theorem thm_sgd_quiet T x1 : sigma = 0 -> (1 <= T)%nat ->
    run_mean (batches W b) vec (next (1 / L)) T x1 slope2
    <= 2 * (f x1 - fstar) * L / INR T + 2 * sigma * sqrt (2 * (f x1 - fstar) * L / (INR b * INR T)).
  Proof.
    intros Hs HT. assert (Hb := INR_pos b some). assert (HR := INR_pos T HT).
    eapply Rle_trans; [apply (thm_sgd (1 / L) T x1); [|assumption]|].
    - split; [pos|lra].
    - rewrite Hs. apply Req_le. field. repeat split; lra.
  Qed.
  (* If Delta = 0, the start is a minimum: no value of f lies below f(x_1). *)
  Theorem thm_sgd_start x1 : f x1 - fstar = 0 -> forall x, f x1 <= f x.
  Proof. intros H x. specialize (A0 x). lra. Qed.
End SGD.
