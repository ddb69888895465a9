(* LAMB, first part: no memory (thm-lamb-sign).

   h layers of m weights each (m = d / h), any finite law W of the samples, batches of b independent samples, T steps
   with all their randomness. Without memory LAMB's direction is the sign of the batch's gradient. *)
Require Export layers toolbox_sign.
Open Scope R_scope.

Section Lamb.
  Variable W : space.                          (* the law of one sample *)
  Variables h m b : nat.                       (* layers; weights of a layer; samples in a batch *)
  Variable k : nat.                            (* of a layer that moves, at least k entries are alive *)
  Variable f : layered -> R.
  Variable grad : layered -> layered.
  Variable sample : layered -> nat -> layered. (* sample x w: the gradient of sample w at x *)
  Variable phi : R -> R.
  Variable L : nat -> R.
  Variable sigma : layered.                    (* sigma i j belongs to weight j of layer i *)
  Variables alpha_l alpha_u fstar : R.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : layerwise_smooth h (fun _ => m) f grad L.
  (* (A2) by coordinates *)
  Hypothesis A2_mean : forall x i j, (i < h)%nat -> (j < m)%nat -> E W (fun w => sample x w i j) = grad x i j.
  Hypothesis A2_noise : forall x i j, (i < h)%nat -> (j < m)%nat ->
    E W (fun w => (sample x w i j - grad x i j) ^ 2) <= sigma i j ^ 2.
  Hypothesis A2_sigma : forall i j, (i < h)%nat -> (j < m)%nat -> 0 <= sigma i j.
  Hypothesis some : (1 <= b)%nat.
  Hypothesis A5 : 0 < alpha_l /\ forall z, alpha_l <= phi z <= alpha_u.

  Definition g x w : layered := batch_gradient W b sample x w.
  Definition signs x w i : vec := fun j => sign (g x w i j).
  (* How many entries of layer i are not zero; the sum of |sign| counts them. *)
  Definition alive x w i := sum m (fun j => Rabs (signs x w i j)).
  Hypothesis few_zeros : forall x w i, (w < size (batches W b))%nat -> (i < h)%nat ->
    alive x w i = 0 \/ INR k <= alive x w i.
  Hypothesis k_some : (1 <= k <= m)%nat.

  Definition size_of (x : layered) i := phi (norm m (x i)).
  (* One over the length of the direction; a layer whose gradient vanishes stays. *)
  Definition scale x w i := if Req_EM_T (alive x w i) 0 then 0 else / sqrt (alive x w i).
  Definition direction x w i : vec := fun j => scale x w i * signs x w i j.
  Definition next lr x w : layered := fun i j => x i j - lr * size_of x i * direction x w i j.
  Definition norm_1 x := sum h (fun i => norm1 m (grad x i)).
  (* What wrong signs (and zeros) take away from the slope of layer i. *)
  Definition lost x w i := sum m (fun j => Rabs (grad x i j) * wrong (g x w i j) (grad x i j)).
  Definition root_m := sqrt (INR m).
  (* The price of zeros. *)
  Definition q := / 2 * (1 + sqrt (INR m / INR k)).

  Lemma m_some : (1 <= m)%nat.
  Proof. lia. Qed.
  Lemma root_m_pos : 0 < root_m.
  Proof. apply sqrt_lt_R0, INR_pos, m_some. Qed.
  Lemma root_k_pos : 0 < sqrt (INR k).
  Proof. apply sqrt_lt_R0, INR_pos. lia. Qed.
  Lemma q_is : / root_m + / sqrt (INR k) = 2 * q / root_m.
  Proof.
    assert (H1 := root_m_pos). assert (H2 := root_k_pos). unfold q, root_m in *.
    rewrite sqrt_div_alt by (apply INR_pos; lia). field. split; lra.
  Qed.
  Lemma q_pos : 0 < q.
  Proof. unfold q. assert (H := sqrt_pos (INR m / INR k)). lra. Qed.
  Lemma size_bounds x i : 0 < alpha_l <= size_of x i /\ size_of x i <= alpha_u.
  Proof. destruct A5 as [H1 H2]. unfold size_of. specialize (H2 (norm m (x i))). lra. Qed.
  Lemma signs_square x w i j : signs x w i j ^ 2 = Rabs (signs x w i j).
  Proof.
    unfold signs. destruct (sign_cases (g x w i j)) as [[_ ->]|[[_ ->]|[_ ->]]].
    - rewrite Rabs_R1. ring.
    - rewrite Rabs_left by lra. ring.
    - rewrite Rabs_R0. ring.
  Qed.
  Lemma alive_bounds x w i : 0 <= alive x w i <= INR m.
  Proof.
    unfold alive. split; [apply sum_nonneg; intros; apply Rabs_pos|].
    apply Rle_trans with (sum m (fun _ => 1)); [|rewrite sum_const; lra].
    apply sum_le. intros j _. unfold signs.
    destruct (sign_cases (g x w i j)) as [[_ ->]|[[_ ->]|[_ ->]]];
      [rewrite Rabs_R1|rewrite Rabs_left|rewrite Rabs_R0]; lra.
  Qed.
  (* The scale of a layer that moves lies between 1 / sqrt m and 1 / sqrt k. *)
  Lemma scale_bounds x w i : (w < size (batches W b))%nat -> (i < h)%nat -> alive x w i <> 0 -> 
    / root_m <= scale x w i <= / sqrt (INR k).
  Proof.
    intros Hw Hi Hne. unfold scale. destruct (Req_EM_T _ 0); [contradiction|].
    assert (Hk := INR_pos k ltac:(lia)). destruct (few_zeros x w i Hw Hi) as [?|Hfew]; [contradiction|].
    split; apply Rinv_le_contravar; try apply sqrt_lt_R0; try apply sqrt_le_1_alt; try lra.
    apply alive_bounds.
  Qed.
  Lemma dead x w i : alive x w i = 0 -> forall j, (j < m)%nat -> signs x w i j = 0.
  Proof.
    intros H j Hj. assert (H0 := sum_zero m _ (fun j _ => Rabs_pos (signs x w i j)) H j Hj). cbv beta in H0.
    destruct (Req_dec (signs x w i j) 0) as [|Hne]; [assumption|]. now apply Rabs_no_R0 in Hne.
  Qed.
  Lemma direction_length x w i : norm2 m (direction x w i) <= 1.
  Proof.
    unfold direction. rewrite norm2_scal. unfold norm2. rewrite (sum_ext m _ (fun j => Rabs (signs x w i j)))
      by (intros; apply signs_square). fold (alive x w i). unfold scale.
    destruct (Req_EM_T (alive x w i) 0) as [->|Hne]; [lra|]. assert (H := alive_bounds x w i).
    apply Req_le. rewrite pow_inv, sqrt_squared by lra. field. assumption.
  Qed.

  (* (1) Descent. *)
  Lemma step_1 lr x w : 0 < lr -> f (next lr x w) <= f x
    - lr * sum h (fun i => size_of x i * inner m (grad x i) (direction x w i)) + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L.
  Proof.
    intros Hlr. destruct A1 as [HL H]. eapply Rle_trans; [apply (H x)|]. apply Rplus_le_compat.
    - apply Req_le. unfold Rminus. f_equal. rewrite Ropp_mult_distr_l, <- sum_scal. apply sum_ext. intros i _.
      replace (- lr * (size_of x i * inner m (grad x i) (direction x w i)))
        with (- (lr * size_of x i) * inner m (grad x i) (direction x w i)) by ring.
      rewrite <- inner_scal. apply inner_ext; [reflexivity|]. intros. unfold sub, next. ring.
    - rewrite <- sum_scal. apply sum_le. intros i Hi. specialize (HL i Hi). destruct (size_bounds x i) as [[Hl Hs] Hu].
      rewrite (norm2_ext m _ (fun j => - (lr * size_of x i) * direction x w i j)) by (intros; unfold sub, next; ring).
      rewrite norm2_scal. assert (Hd := direction_length x w i). assert (H0 := norm2_pos m (direction x w i)).
      assert (H1 : (- (lr * size_of x i)) ^ 2 * norm2 m (direction x w i) <= (lr * alpha_u) ^ 2 * 1).
      { apply Rmult_le_compat; [apply pow2_nonneg|assumption| |assumption].
        replace ((- (lr * size_of x i)) ^ 2) with ((lr * size_of x i) ^ 2) by ring.
        apply pow_incr. split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]. }
      replace (lr ^ 2 * alpha_u ^ 2 / 2 * L i) with (L i / 2 * ((lr * alpha_u) ^ 2 * 1)) by field.
      apply Rmult_le_compat_l; lra.
  Qed.

  (* (2a) Right, wrong and zero: a right sign contributes |p|, a wrong one -|p|, and g = 0 nothing. *)
  Definition right_sign (g p : R) := if Req_EM_T (sign g) (sign p) then Rabs p else 0.
  Definition wrong_sign (g p : R) := if Req_EM_T (sign g) (- sign p) then Rabs p else 0.
  Lemma one_coordinate z p : p * sign z = right_sign z p - wrong_sign z p.
  Proof.
    unfold right_sign, wrong_sign. destruct (sign_cases p) as [[Hp ->]|[[Hp ->]|[-> ->]]];
      [rewrite Rabs_pos_eq by lra|rewrite Rabs_left by lra|rewrite Rabs_R0];
      destruct (sign_cases z) as [[_ ->]|[[_ ->]|[_ ->]]]; destruct (Req_EM_T _ _), (Req_EM_T _ _); lra.
  Qed.
  Lemma step_2a x w i : inner m (grad x i) (direction x w i) = scale x w i *
    (sum m (fun j => right_sign (g x w i j) (grad x i j)) - sum m (fun j => wrong_sign (g x w i j) (grad x i j))).
  Proof.
    unfold direction. rewrite inner_scal, <- sum_minus. f_equal. apply sum_ext. intros. apply one_coordinate.
  Qed.
  (* (2b) At least k entries alive. *)
  Lemma step_2b x w i : (w < size (batches W b))%nat -> (i < h)%nat ->
    - inner m (grad x i) (direction x w i) <= - (norm1 m (grad x i) / root_m) + 2 * q / root_m * lost x w i.
  Proof.
    intros Hw Hi. rewrite <- q_is. assert (Hm := root_m_pos). assert (Hk := root_k_pos).
    assert (Him := Rinv_0_lt_compat _ Hm). assert (Hik := Rinv_0_lt_compat _ Hk).
    unfold inner, norm1, lost, Rdiv. rewrite <- sum_scal_r, <- sum_scal, <- !sum_opp, <- sum_plus.
    apply sum_le. intros j Hj. unfold direction. assert (Hp := Rabs_pos (grad x i j)).
    destruct (Req_EM_T (alive x w i) 0) as [Hz|Hne].
    - rewrite (dead x w i Hz j Hj), !Rmult_0_r, Ropp_0. unfold wrong.
      assert (Hs := dead x w i Hz j Hj). unfold signs in Hs. rewrite Hs.
      destruct (Req_EM_T 0 (sign (grad x i j))) as [H0|_].
      + destruct (sign_cases (grad x i j)) as [[_ H]|[[_ H]|[H _]]]; try lra. rewrite H, Rabs_R0. lra.
      + assert (0 <= / sqrt (INR k) * Rabs (grad x i j)) by (apply Rmult_le_pos; lra). lra.
    - destruct (scale_bounds x w i Hw Hi Hne) as [Hs1 Hs2]. unfold signs, wrong. set (s := scale x w i) in *.
      set (p := grad x i j) in *. set (z := g x w i j).
      assert (H1 : / root_m * Rabs p <= s * Rabs p) by (apply Rmult_le_compat_r; lra).
      assert (H2 : s * Rabs p <= / sqrt (INR k) * Rabs p) by (apply Rmult_le_compat_r; lra).
      assert (H3 : 0 <= / root_m * Rabs p) by (apply Rmult_le_pos; lra).
      replace (- (p * (s * sign z))) with (- s * (p * sign z)) by ring. rewrite one_coordinate.
      unfold right_sign, wrong_sign. destruct (sign_cases p) as [[_ Ep]|[[_ Ep]|[Ep0 Ep]]]; rewrite ?Ep;
        try (rewrite Ep0, Rabs_R0 in * );
        destruct (sign_cases z) as [[_ ->]|[[_ ->]|[_ ->]]]; destruct (Req_EM_T _ _), (Req_EM_T _ _); lra.
  Qed.

  (* (3) A sign that is not right is rare. *)
  Lemma step_3 x i j : (i < h)%nat -> (j < m)%nat ->
    Rabs (grad x i j) * E (batches W b) (fun w => wrong (g x w i j) (grad x i j)) <= sigma i j / (2 * sqrt (INR b)).
  Proof.
    intros Hi Hj. assert (Hb := INR_pos b some). assert (Hr : 0 < sqrt (INR b)) by now apply sqrt_lt_R0.
    assert (Hs := A2_sigma i j Hi Hj).
    assert (Hmean : mu (batches W b) (fun w => g x w i j) = grad x i j).
    { unfold mu, g, batch_gradient. rewrite (E_batches W b (fun l => mean (fun w => sample x w i) l j)).
      apply (Eb_mean W m b (fun w => sample x w i) (grad x i)); [|assumption|assumption].
      intros j' Hj'. now apply A2_mean. }
    assert (Hvar : E (batches W b) (fun w => (g x w i j - mu (batches W b) (fun w => g x w i j)) ^ 2)
        <= (sigma i j / sqrt (INR b)) ^ 2).
    { rewrite Hmean. unfold g, batch_gradient.
      rewrite (E_batches W b (fun l => (mean (fun w => sample x w i) l j - grad x i j) ^ 2)).
      rewrite (Eb_variance_entry W m b (fun w => sample x w i) (grad x i))
        by (assumption || (intros; now apply A2_mean)).
      replace ((sigma i j / sqrt (INR b)) ^ 2) with (sigma i j ^ 2 / INR b).
      - apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, Hb|now apply A2_noise].
      - rewrite <- (sqrt_squared (INR b)) at 1 by lra. field. lra. }
    destruct (lem_sign (batches W b) (fun w => g x w i j) (sigma i j / sqrt (INR b))) as [H1 H2];
      [apply Rle_mult_inv_pos; assumption|exact Hvar|].
    rewrite Hmean in H1. unfold chance_wrong in H1. rewrite Hmean in H1. eapply Rle_trans; [exact H1|].
    eapply Rle_trans; [exact H2|]. apply Req_le. field. lra.
  Qed.
  Definition sigma_1 := sum h (fun i => sum m (fun j => sigma i j)).
  Lemma lost_on_average x i : (i < h)%nat ->
    E (batches W b) (fun w => lost x w i) <= sum m (fun j => sigma i j) / (2 * sqrt (INR b)).
  Proof.
    intros Hi. unfold lost. rewrite E_sum, <- sum_div. apply sum_le. intros j Hj. rewrite E_scal. now apply step_3.
  Qed.

  (* (4) One step: alpha_l in what a step gains, alpha_u in what it loses. *)
  Lemma step_4 lr x : 0 < lr -> E (batches W b) (fun w => f (next lr x w)) <= f x
    - lr * alpha_l / root_m * norm_1 x
    + (q * (lr * alpha_u) / root_m * (sigma_1 / sqrt (INR b)) + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L).
  Proof.
    intros Hlr. assert (Hb : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, some). assert (Hm := root_m_pos).
    assert (Hq := q_pos). apply Rle_trans with (E (batches W b) (fun w => f x
      + lr * sum h (fun i => size_of x i * (- (norm1 m (grad x i) / root_m) + 2 * q / root_m * lost x w i))
      + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L)).
    - apply E_le. intros w Hw. eapply Rle_trans; [now apply step_1|]. apply Rplus_le_compat_r.
      unfold Rminus. apply Rplus_le_compat_l. rewrite Ropp_mult_distr_r. apply Rmult_le_compat_l; [lra|].
      rewrite <- sum_opp. apply sum_le. intros i Hi. rewrite Ropp_mult_distr_r.
      destruct (size_bounds x i). apply Rmult_le_compat_l; [lra|now apply step_2b].
    - rewrite !E_plus, !E_const, E_scal, E_sum.
      assert (H : sum h (fun i => E (batches W b) (fun w => size_of x i * (- (norm1 m (grad x i) / root_m)
          + 2 * q / root_m * lost x w i)))
        <= sum h (fun i => - (alpha_l / root_m) * norm1 m (grad x i)
          + q * alpha_u / root_m / sqrt (INR b) * sum m (fun j => sigma i j))).
      { apply sum_le. intros i Hi. rewrite E_scal, E_plus, E_const, E_scal, Rmult_plus_distr_l.
        destruct (size_bounds x i) as [[Hl Hs] Hu]. assert (Hg := norm1_pos m (grad x i)).
        assert (Hlost := lost_on_average x i Hi).
        assert (Hsum : 0 <= sum m (fun j => sigma i j)) by (apply sum_nonneg; intros; now apply A2_sigma).
        apply Rplus_le_compat.
        - assert (H1 : 0 <= norm1 m (grad x i) / root_m) by now apply Rle_mult_inv_pos.
          replace (- (alpha_l / root_m) * norm1 m (grad x i)) with (- (alpha_l * (norm1 m (grad x i) / root_m)))
            by (field; lra).
          rewrite <- Ropp_mult_distr_r. apply Ropp_le_contravar. apply Rmult_le_compat_r; lra.
        - assert (H2 : 0 < 2 * q / root_m) by pos.
          apply Rle_trans with (alpha_u * (2 * q / root_m * (sum m (fun j => sigma i j) / (2 * sqrt (INR b))))).
          + apply Rmult_le_compat; [lra| |lra|now apply Rmult_le_compat_l; [lra|]].
            apply Rmult_le_pos; [lra|]. apply E_nonneg. intros. apply sum_nonneg. intros.
            apply Rmult_le_pos; [apply Rabs_pos|apply wrong_bounds].
          + apply Req_le. field. split; lra. }
      rewrite sum_plus, !sum_scal in H. fold (norm_1 x) in H. fold sigma_1 in H.
      apply (Rmult_le_compat_l lr) in H; [|lra]. eapply Rle_trans.
      + apply Rplus_le_compat_r, Rplus_le_compat_l, H.
      + apply Req_le. field. split; lra.
  Qed.

  (* (5) Telescope: thm-lamb-sign (eq-lamb-promise-sign): what the average 1-norm of the gradient is at most, in a run
     of LAMB whose direction is the sign of the batch's gradient. *)
  Theorem thm_lamb_sign lr T x1 : 0 < lr -> (1 <= T)%nat ->
    run_mean (batches W b) layered (next lr) T x1 norm_1
    <= / alpha_l * (sqrt (INR m) * ((f x1 - fstar) / (lr * INR T))
        + sqrt (INR m) * (lr * alpha_u ^ 2 * sum h L / 2) + q * (alpha_u * sigma_1 / sqrt (INR b))).
  Proof.
    intros Hlr HT. destruct (size_bounds x1 O) as [[Hl _] _]. assert (HR := INR_pos T HT).
    assert (Hb : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, some). assert (Hm := root_m_pos). fold root_m.
    eapply Rle_trans.
    - apply (run_mean_le (batches W b) layered (next lr) f norm_1 (lr * alpha_l / root_m)
        (q * (lr * alpha_u) / root_m * (sigma_1 / sqrt (INR b)) + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L) fstar);
        [pos|exact A0| |exact HT]. intros x. now apply step_4.
    - apply Req_le. field. repeat split; lra.
  Qed.
End Lamb.
