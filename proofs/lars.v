(* LARS on a smooth function (thm-lars), and the noise counts once (prp-lars-once).

   h layers of any size, any finite law W of the samples, batches of b independent samples, T steps with all their
   randomness. Without momentum and without decay a step of LARS is x - lr phi(|x|) / |g| g in every layer. *)
Require Export layers.
Open Scope R_scope.

Section Lars.
  Variable W : space.                          (* the law of one sample *)
  Variables h b : nat.                         (* layers; samples in a batch *)
  Variable d : nat -> nat.                     (* layer i has d i weights *)
  Variable f : layered -> R.
  Variable grad : layered -> layered.
  Variable sample : layered -> nat -> layered. (* sample x w: the gradient of sample w at x *)
  Variable phi : R -> R.
  Variables L sigma : nat -> R.
  Variables alpha_l alpha_u fstar : R.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : layerwise_smooth h d f grad L.
  Hypothesis A2 : layerwise_noise W h d grad sample sigma.
  Hypothesis some : (1 <= b)%nat.
  Hypothesis bounded_sizes : 0 < alpha_l /\ forall z, alpha_l <= phi z <= alpha_u.

  (* The gradient of batch k; the trust ratio (a layer whose g is zero stays); one step. *)
  Definition g x k : layered := batch_gradient W b sample x k.
  Definition size_of x i := phi (norm (d i) (x i)).
  Definition trust_ratio x k i := if Req_EM_T (norm (d i) (g x k i)) 0 then 0 else size_of x i / norm (d i) (g x k i).
  Definition next lr x k : layered := fun i j => x i j - lr * trust_ratio x k i * g x k i j.
  (* What is bounded: the sum of the layers' gradient norms. *)
  Definition slopes x := sum h (fun i => norm (d i) (grad x i)).
  (* By how much a batch misses the gradient of layer i, and what its direction loses of the slope. *)
  Definition miss x k i := norm (d i) (sub (g x k i) (grad x i)).
  Definition lost x k i := norm (d i) (grad x i) - inner (d i) (grad x i) (g x k i) / norm (d i) (g x k i).
  Definition moved lr x k i := sub (next lr x k i) (x i).

  Lemma size_bounds x i : 0 < alpha_l <= size_of x i /\ size_of x i <= alpha_u.
  Proof. destruct bounded_sizes as [H1 H2]. unfold size_of. specialize (H2 (norm (d i) (x i))). lra. Qed.
  Lemma L_sum_pos : 0 <= sum h L.
  Proof. apply sum_nonneg. apply A1. Qed.

  (* (1) Layerwise smoothness (a); the length of a step (b); phi <= alpha_u (c). *)
  Lemma step_1a lr x k : f (next lr x k) <= f x + sum h (fun i => inner (d i) (grad x i) (moved lr x k i))
    + sum h (fun i => L i / 2 * norm2 (d i) (moved lr x k i)).
  Proof. apply A1. Qed.
  Lemma step_1b lr x k i : 0 < lr -> norm (d i) (moved lr x k i) <= lr * size_of x i.
  Proof.
    intros Hlr. destruct (size_bounds x i) as [[Hl Hs] _]. assert (Hn := norm_pos (d i) (g x k i)).
    rewrite (norm_ext _ _ (fun j => - (lr * trust_ratio x k i) * g x k i j))
      by (intros; unfold moved, sub, next; ring).
    rewrite norm_scal, Rabs_Ropp. unfold trust_ratio. destruct (Req_EM_T _ 0) as [Hz|Hz].
    - rewrite Rmult_0_r, Rabs_R0, Rmult_0_l. apply Rmult_le_pos; lra.
    - rewrite Rabs_pos_eq by (pos). apply Req_le. field. assumption.
  Qed.
  Lemma step_1c lr x k i : 0 < lr -> (i < h)%nat ->
    L i / 2 * norm2 (d i) (moved lr x k i) <= lr ^ 2 / 2 * alpha_u ^ 2 * L i.
  Proof.
    intros Hlr Hi. destruct (size_bounds x i) as [[Hl Hs] Hu]. destruct A1 as [HL _]. specialize (HL i Hi).
    assert (H : norm2 (d i) (moved lr x k i) <= (lr * alpha_u) ^ 2).
    { rewrite <- norm_squared. apply pow_incr. split; [apply norm_pos|].
      eapply Rle_trans; [now apply step_1b|]. apply Rmult_le_compat_l; lra. }
    replace (lr ^ 2 / 2 * alpha_u ^ 2 * L i) with (L i / 2 * (lr * alpha_u) ^ 2) by field.
    apply Rmult_le_compat_l; lra.
  Qed.

  (* (2) The slope of a layer, less what a wrong direction costs. *)
  Lemma step_2 lr x k i :
    inner (d i) (grad x i) (moved lr x k i)
    = - (lr * size_of x i) * norm (d i) (grad x i) + lr * size_of x i * lost x k i.
  Proof.
    unfold lost. transitivity (- (lr * trust_ratio x k i) * inner (d i) (grad x i) (g x k i)).
    - rewrite <- inner_scal. apply inner_ext; [reflexivity|]. intros. unfold moved, sub, next. ring.
    - unfold trust_ratio. destruct (Req_EM_T _ 0) as [Hz|Hz]; [|field; assumption].
      replace (inner (d i) (grad x i) (g x k i)) with 0; [unfold Rdiv; ring|].
      symmetry. apply sum_zeros. intros j Hj. rewrite (norm_zero _ _ Hz j Hj). ring.
  Qed.

  (* (3) What a wrong direction costs: twice the miss. *)
  Lemma step_3 x k i : lost x k i <= 2 * miss x k i.
  Proof. apply direction_cost. Qed.
  (* (3') Before its last step that bound averages out: the noise counts once. *)
  Lemma step_3_prime x k i : lost x k i <= miss x k i - (norm (d i) (g x k i) - norm (d i) (grad x i)).
  Proof. assert (H := direction (d i) (grad x i) (g x k i)). unfold lost, miss. lra. Qed.
  Lemma longer_on_average x i : (i < h)%nat ->
    norm (d i) (grad x i) <= E (batches W b) (fun k => norm (d i) (g x k i)).
  Proof.
    intros Hi. assert (Hu := norm_pos (d i) (grad x i)). destruct Hu as [Hu|Hu].
    - apply Rmult_le_reg_l with (norm (d i) (grad x i)); [assumption|]. rewrite <- E_scal.
      apply Rle_trans with (E (batches W b) (fun k => inner (d i) (grad x i) (g x k i))).
      + unfold inner. rewrite E_sum. replace (norm (d i) (grad x i) * norm (d i) (grad x i))
          with (norm2 (d i) (grad x i)) by (rewrite <- norm_squared; ring).
        apply Req_le, sum_ext. intros j Hj. rewrite E_scal.
        unfold g. rewrite (batch_gradient_unbiased W h b d grad sample sigma A2 some x i j Hi Hj). ring.
      + apply E_le. intros. apply inner_le.
    - rewrite <- Hu. apply E_nonneg. intros. apply norm_pos.
  Qed.

  (* (4) Average over the batch: what is lost is at most c sigma_i / sqrt b, with c = 2 by (3) and c = 1 by (3'). *)
  Lemma step_4_lost x i : (i < h)%nat -> E (batches W b) (fun k => lost x k i) <= 2 * sigma i / sqrt (INR b).
  Proof.
    intros Hi. assert (H := batch_gradient_misses W h b d grad sample sigma A2 some x i Hi).
    apply Rle_trans with (E (batches W b) (fun k => 2 * miss x k i)); [apply E_le; intros; apply step_3|].
    rewrite E_scal. unfold Rdiv in *. unfold miss, g. lra.
  Qed.
  Lemma step_4_lost_once x i : (i < h)%nat -> E (batches W b) (fun k => lost x k i) <= 1 * sigma i / sqrt (INR b).
  Proof.
    intros Hi. assert (H := batch_gradient_misses W h b d grad sample sigma A2 some x i Hi).
    assert (H1 := longer_on_average x i Hi).
    apply Rle_trans with (E (batches W b) (fun k => miss x k i - (norm (d i) (g x k i) - norm (d i) (grad x i)))).
    - apply E_le. intros. apply step_3_prime.
    - rewrite !E_minus, E_const. unfold miss at 1, g at 1. unfold Rdiv in *. lra.
  Qed.

  Section Noise_counts_c_times.
    Variable c : R.
    Hypothesis counted : forall x i, (i < h)%nat -> E (batches W b) (fun k => lost x k i) <= c * sigma i / sqrt (INR b).

    Lemma step_4 lr x : 0 < lr -> 0 <= c ->
      E (batches W b) (fun k => f (next lr x k)) <= f x - lr * alpha_l * slopes x
        + (c * lr * alpha_u * sum h sigma / sqrt (INR b) + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L).
    Proof.
      intros Hlr Hc. assert (Hb := INR_pos b some). assert (Hr : 0 < sqrt (INR b)) by now apply sqrt_lt_R0.
      apply Rle_trans with (E (batches W b) (fun k => f x
        + sum h (fun i => - (lr * size_of x i) * norm (d i) (grad x i) + lr * size_of x i * lost x k i)
        + sum h (fun i => lr ^ 2 / 2 * alpha_u ^ 2 * L i))).
      - apply E_le. intros k _. eapply Rle_trans; [apply step_1a|].
        apply Rplus_le_compat; [apply Rplus_le_compat_l, Req_le, sum_ext; intros; apply step_2|].
        apply sum_le. intros. now apply step_1c.
      - rewrite !E_plus, !E_const, E_sum, sum_scal.
        assert (H : sum h (fun i => E (batches W b)
            (fun k => - (lr * size_of x i) * norm (d i) (grad x i) + lr * size_of x i * lost x k i))
          <= sum h (fun i => - (lr * alpha_l) * norm (d i) (grad x i) + lr * alpha_u * c / sqrt (INR b) * sigma i)).
        { apply sum_le. intros i Hi. rewrite E_plus, E_const, E_scal. destruct (size_bounds x i) as [[Hl Hs] Hu].
          assert (Hg := norm_pos (d i) (grad x i)). destruct A2 as [Hsig _]. specialize (Hsig i Hi).
          apply Rplus_le_compat.
          - rewrite <- !Ropp_mult_distr_l. apply Ropp_le_contravar, Rmult_le_compat_r; [assumption|].
            apply Rmult_le_compat_l; lra.
          - apply Rle_trans with (lr * size_of x i * (c * sigma i / sqrt (INR b))).
            + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|now apply counted].
            + replace (lr * alpha_u * c / sqrt (INR b) * sigma i) with (lr * alpha_u * (c * sigma i / sqrt (INR b)))
                by (field; lra).
              apply Rmult_le_compat_r; [|apply Rmult_le_compat_l; lra].
              apply Rle_mult_inv_pos; [apply Rmult_le_pos; lra|assumption]. }
        rewrite sum_plus, !sum_scal in H. unfold slopes. unfold Rdiv in *. lra.
    Qed.

    (* (5) Sum over the run. *)
    Lemma step_5 lr T x1 : 0 < lr -> 0 <= c -> (1 <= T)%nat ->
      run_mean (batches W b) layered (next lr) T x1 slopes
      <= (f x1 - fstar) / (INR T * lr * alpha_l) + c * alpha_u * sum h sigma / (alpha_l * sqrt (INR b))
         + lr * alpha_u ^ 2 * sum h L / (2 * alpha_l).
    Proof.
      intros Hlr Hc HT. destruct (size_bounds x1 O) as [[Hl _] _]. assert (HR := INR_pos T HT).
      assert (Hr : 0 < sqrt (INR b)) by (apply sqrt_lt_R0; now apply INR_pos).
      eapply Rle_trans.
      - apply (run_mean_le (batches W b) layered (next lr) f slopes (lr * alpha_l)
          (c * lr * alpha_u * sum h sigma / sqrt (INR b) + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L) fstar);
          [pos|exact A0| |exact HT]. intros x. now apply step_4.
      - apply Req_le. field. repeat split; lra.
    Qed.

    (* (6) Insert the best rate and b = T. *)
    Lemma step_6a T x1 : (1 <= T)%nat -> 0 < f x1 - fstar -> 0 < sum h L ->
      let Delta := f x1 - fstar in let lr := sqrt (2 * Delta / (alpha_u ^ 2 * sum h L * INR T)) in
      0 < lr /\ Delta / (INR T * lr * alpha_l) + c * alpha_u * sum h sigma / (alpha_l * sqrt (INR T))
         + lr * alpha_u ^ 2 * sum h L / (2 * alpha_l)
      = alpha_u / alpha_l * (sqrt (2 * Delta * sum h L / INR T) + c * sum h sigma / sqrt (INR T)).
    Proof.
      intros HT HD HL Delta lr. fold Delta in HD. destruct (size_bounds x1 O) as [[Hl Hs] Hu].
      assert (HR := INR_pos T HT).
      assert (HsT : 0 < sqrt (INR T)) by now apply sqrt_lt_R0.
      assert (Hin : 0 < 2 * Delta / (alpha_u ^ 2 * sum h L * INR T)) by pos.
      assert (Hlr : 0 < lr) by now apply sqrt_lt_R0.
      assert (Hsq : Delta = lr ^ 2 * (alpha_u ^ 2 * sum h L * INR T) / 2)
        by (unfold lr; rewrite sqrt_squared by lra; field; repeat split; lra).
      split; [assumption|]. replace (sqrt (2 * Delta * sum h L / INR T)) with (alpha_u * sum h L * lr).
      - rewrite Hsq at 1. field. repeat split; lra.
      - symmetry. apply sqrt_lem_1; [apply Rlt_le; pos|apply Rlt_le; pos|].
        rewrite Hsq. field. lra.
    Qed.
  End Noise_counts_c_times.

  (* (6) No other rate has a smaller first and third term. *)
  Lemma step_6b Delta lr T : (1 <= T)%nat -> 0 < Delta -> 0 < sum h L -> 0 < lr ->
    alpha_u / alpha_l * sqrt (2 * Delta * sum h L / INR T)
    <= Delta / (INR T * lr * alpha_l) + lr * alpha_u ^ 2 * sum h L / (2 * alpha_l).
  Proof.
    intros HT HD HL Hlr. assert (H0 : forall z, 0 < alpha_l <= phi z /\ phi z <= alpha_u)
      by (intros z; destruct bounded_sizes as [H1 H2]; specialize (H2 z); lra).
    specialize (H0 0). assert (HR := INR_pos T HT). set (r := sqrt (2 * Delta * sum h L / INR T)).
    assert (Hin : 0 < 2 * Delta * sum h L / INR T) by pos.
    assert (Hr : r ^ 2 = 2 * Delta * sum h L / INR T) by (apply sqrt_squared; lra).
    assert (HD' : Delta = r ^ 2 * INR T / (2 * sum h L)) by (rewrite Hr; field; split; lra).
    apply Rmult_le_reg_l with alpha_l; [lra|]. rewrite HD'.
    assert (Hsq := pow2_nonneg (r - lr * alpha_u * sum h L)).
    apply Rmult_le_reg_l with (2 * (sum h L * lr)); [pos|].
    apply Rle_trans with (r ^ 2 + (lr * alpha_u * sum h L) ^ 2); [|apply Req_le; field; repeat split; lra].
    replace (2 * (sum h L * lr) * (alpha_l * (alpha_u / alpha_l * r))) with (2 * (r * (lr * alpha_u * sum h L)))
      by (field; lra). lra.
  Qed.

  (* thm-lars (eq-lars-promise): what the layers' gradient norms add up to at most, on average over a run of LARS with
     the rate lr and batches of b. *)
  Theorem thm_lars lr T x1 : 0 < lr -> (1 <= T)%nat ->
    run_mean (batches W b) layered (next lr) T x1 slopes
    <= (f x1 - fstar) / (INR T * lr * alpha_l) + 2 * alpha_u * sum h sigma / (alpha_l * sqrt (INR b))
       + lr * alpha_u ^ 2 * sum h L / (2 * alpha_l).
  Proof. intros Hlr HT. apply step_5; [exact step_4_lost|assumption|lra|assumption]. Qed.
  (* prp-lars-once. thm-lars holds with the noise counted once in place of twice. *)
  Theorem prp_lars_once lr T x1 : 0 < lr -> (1 <= T)%nat ->
    run_mean (batches W b) layered (next lr) T x1 slopes
    <= (f x1 - fstar) / (INR T * lr * alpha_l) + 1 * alpha_u * sum h sigma / (alpha_l * sqrt (INR b))
       + lr * alpha_u ^ 2 * sum h L / (2 * alpha_l).
  Proof. intros Hlr HT. apply step_5; [exact step_4_lost_once|assumption|lra|assumption]. Qed.
End Lars.
