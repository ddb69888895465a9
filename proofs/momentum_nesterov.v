(* thm-momentum-nesterov: Nesterov on a quadratic is heavy ball with the momentum beta (1 - lr lambda); with lr = 1 / L
   its best factor is 1 - 1 / sqrt kappa, and it has no hump. *)
Require Export momentum_best momentum_chebyshev momentum_quadratic.
Open Scope R_scope.

(* ---- 1. A braked ball. ---- *)

(* (1) The recursion, along an eigenvector v of H, with beta' = beta (1 - lr lam). *)
Lemma step_1 d H xs v lam lr beta x before t : symmetric d H ->
  (forall a, (a < d)%nat -> times d H v a = lam * v a) ->
  inner d v (sub (lookahead (bowl_grad d H xs) lr beta x before t) xs)
    = spring (1 + beta * (1 - lr * lam) - lr * lam) (beta * (1 - lr * lam))
        (inner d v (sub x xs)) (inner d v (sub before xs)) t.
Proof.
  intros HH Hv. revert x before. induction t as [|t IH]; intros x before; [reflexivity|].
  cbn [lookahead spring]. rewrite IH. f_equal. set (y := ahead beta x before).
  rewrite (inner_ext_r d _ _ (fun k => 1 * sub y xs k + - lr * times d H (sub y xs) k)).
  - rewrite inner_lin, (eigen_inner d H v lam (sub y xs) HH Hv).
    rewrite (inner_ext_r d v (sub y xs) (fun k => (1 + beta) * sub x xs k + - beta * sub before xs k)).
    + rewrite inner_lin. ring.
    + intros k _. unfold y, ahead, sub. ring.
  - intros k _. unfold downhill, bowl_grad. set (g := times d H (sub y xs) k). unfold sub.
    fold (sub y xs). fold g. ring.
Qed.

(* The largest modulus of its roots in the direction of lam. *)
Definition braked_radius (lr beta lam : R) :=
  radius (1 + beta * (1 - lr * lam) - lr * lam) (beta * (1 - lr * lam)).

(* ---- 2. lr = 1 / L: the best beta, and its factor. ---- *)

Section Best.
  Variables mu L : R.
  Hypothesis ends : 0 < mu < L.
  Let k := sqrt (L / mu).
  Definition best := (sqrt (L / mu) - 1) / (sqrt (L / mu) + 1).
  Definition factor := 1 - 1 / sqrt (L / mu).

  Lemma mu_over_L : mu / L = (1 / k) ^ 2 /\ 1 < k.
  Proof.
    assert (Hk := kappa_above_1 mu L ends). fold k in Hk. split; [|assumption].
    assert (E : k ^ 2 = L / mu) by (apply sqrt_squared, Rlt_le, Rdiv_lt_0_compat; lra).
    replace ((1 / k) ^ 2) with (1 / k ^ 2) by (field; lra). rewrite E. field. lra.
  Qed.
  Lemma best_range : 0 < best < 1.
  Proof. exact (rstar_range mu L ends). Qed.
  Lemma factor_range : 0 < factor < 1.
  Proof.
    destruct mu_over_L as [_ Hk]. unfold factor. fold k. assert (0 < 1 / k) by (apply Rdiv_lt_0_compat; lra).
    assert (1 / k < 1); [|lra]. apply Rmult_lt_reg_r with k; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.
  (* a = 1 - lam / L *)
  Lemma brake_range lam : mu <= lam <= L -> 0 <= 1 - 1 / L * lam <= 1 - mu / L.
  Proof.
    intros Hl. assert (H1 : lam / L <= 1) by (apply div_le; lra).
    assert (H2 : mu / L <= lam / L) by (apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat|]; lra).
    unfold Rdiv in *. lra.
  Qed.

  (* (2) A double root at mu: with a = 1 - 1 / kappa, (1 + beta)^2 a = 4 beta, and the root is (1 + beta) a / 2. *)
  Lemma step_2 : (1 + best) ^ 2 * (1 - mu / L) = 4 * best /\ (1 + best) * (1 - mu / L) / 2 = factor.
  Proof. destruct mu_over_L as [-> Hk]. unfold best, factor. fold k. split; field; lra. Qed.
  (* (3) The others are smaller. *)
  Lemma step_3 lam : mu <= lam <= L -> braked_radius (1 / L) best lam = sqrt (best * (1 - 1 / L * lam)) /\
    sqrt (best * (1 - 1 / L * lam)) <= factor.
  Proof.
    intros Hl. assert (Ha := brake_range lam Hl). set (a := 1 - 1 / L * lam) in *. destruct step_2 as [E1 E2].
    assert (Hb := best_range). assert (Hf := factor_range). set (a0 := 1 - mu / L) in *. split.
    - unfold braked_radius. fold a. apply radius_complex.
      replace (1 + best * a - 1 / L * lam) with ((1 + best) * a) by (unfold a; ring).
      assert ((1 + best) ^ 2 * a <= 4 * best) by (rewrite <- E1; apply Rmult_le_compat_l; [apply pow2_nonneg|lra]).
      replace (((1 + best) * a) ^ 2) with ((1 + best) ^ 2 * a * a) by ring.
      replace (4 * (best * a)) with (4 * best * a) by ring. apply Rmult_le_compat_r; lra.
    - apply sqrt_le; [lra|]. replace (factor ^ 2) with (best * a0); [apply Rmult_le_compat_l; lra|].
      rewrite <- E2. replace (((1 + best) * a0 / 2) ^ 2) with ((1 + best) ^ 2 * a0 * a0 / 4) by field. rewrite E1.
      field.
  Qed.
  Lemma step_3b : braked_radius (1 / L) best mu = factor.
  Proof.
    destruct (step_3 mu) as [-> _]; [lra|]. destruct step_2 as [E1 E2]. assert (Hf := factor_range).
    replace (1 - 1 / L * mu) with (1 - mu / L) by (unfold Rdiv; ring). set (a0 := 1 - mu / L) in *.
    rewrite <- (Rabs_pos_eq factor), <- sqrt_of_square, <- E2 by lra. f_equal.
    replace (((1 + best) * a0 / 2) ^ 2) with ((1 + best) ^ 2 * a0 * a0 / 4) by field. rewrite E1.
      field.
  Qed.

  Section AnyBeta.
    Variable beta : R.
    Let a := 1 - mu / L.
    Let r := braked_radius (1 / L) beta mu.
    Lemma within_r : within ((1 + beta) * a) (beta * a) r.
    Proof.
      apply within_radius. apply Req_le. unfold r, braked_radius, a. f_equal; unfold Rdiv; ring.
    Qed.
    (* (4) No beta does better: the polynomial is not negative at r. *)
    Lemma step_4 : r * (a - r) <= beta * a * (1 - r).
    Proof. assert (H := proj1 (not_negative _ _ _ within_r)). lra. Qed.
    (* (5) Product of the roots. *)
    Lemma step_5 : beta * a <= r ^ 2.
    Proof. exact (product _ _ _ within_r). Qed.
    Lemma step_5b : 0 < r < 1 -> (1 - r) ^ 2 <= mu / L.
    Proof.
      intros Hr. assert (H4 := step_4). assert (H5 := step_5).
      assert (H : beta * a * (1 - r) <= r ^ 2 * (1 - r)) by (apply Rmult_le_compat_r; lra).
      apply Rmult_le_reg_l with r; [lra|]. unfold a in *. lra.
    Qed.
    (* r = 0 would need a zero product and a zero sum of the roots. *)
    Lemma not_zero_here : r <> 0.
    Proof.
      intros H0. assert (W := within_r). rewrite H0 in W.
      assert (H5 := step_5). assert (N := not_negative _ _ _ W). rewrite H0 in H5.
      assert (Ha : 0 < a) by (destruct mu_over_L as [E Hk]; unfold a; assert (mu / L < 1); [|lra];
        apply Rmult_lt_reg_r with L; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
      assert (Hb : beta * a = 0) by lra. apply Rmult_integral in Hb. destruct Hb as [Hb|Hb]; [|lra].
      assert (Hr : root ((1 + beta) * a) (beta * a) a 0) by (split; rewrite Hb; ring). apply W in Hr.
      rewrite modulus_real, Rabs_pos_eq in Hr; lra.
    Qed.
    Lemma no_beta_is_better : factor <= r.
    Proof.
      destruct (Rle_or_lt 1 r) as [Hbig|Hsmall]; [assert (Hf := factor_range); lra|].
      assert (P : 0 <= r) by apply radius_pos. assert (H0 := not_zero_here).
      assert (H := step_5b ltac:(lra)). destruct mu_over_L as [E Hk]. rewrite E in H.
      assert (Hp : 0 < 1 / k) by (apply Rdiv_lt_0_compat; lra). apply le_of_squares in H; [|lra].
      unfold factor. fold k. lra.
    Qed.
    (* The best beta is the only one. *)
    Lemma best_only : r = factor -> beta = best.
    Proof.
      intros Hr. assert (H4 := step_4). assert (H5 := step_5). rewrite Hr in H4, H5.
      destruct mu_over_L as [E Hk]. assert (Ea : a = 1 - (1 / k) ^ 2) by (unfold a; now rewrite E).
      assert (Ef : factor = 1 - 1 / k) by reflexivity. assert (Hf := factor_range). set (z := 1 / k) in *.
      assert (Hz : 0 < z < 1) by lra. rewrite Ef in H4, H5.
      assert (Hge : (1 - z) ^ 2 <= beta * a).
      { apply Rmult_le_reg_r with z; [lra|]. rewrite Ea in *. lra. }
      assert (Hb : beta * a = (1 - z) ^ 2) by lra. unfold best. fold k.
      apply (Rmult_eq_reg_r a); [|rewrite Ea; assert (0 < (1 - z) * (1 + z)) by (apply Rmult_lt_0_compat; lra); lra].
      rewrite Hb, Ea. unfold z. field. lra.
    Qed.
  End AnyBeta.

  (* ---- 3. No hump. ---- *)

  (* (6) One direction: q = sqrt (beta a), q = r cos(theta), and u_t = (1 - r) cos(theta) sin(t theta) / sin(theta)
     + cos(t theta). Where a = 0 this reads 0 from the first step on. *)
  Lemma step_6 lam c t : mu <= lam <= L ->
    Rabs (spring (1 + best * (1 - 1 / L * lam) - 1 / L * lam) (best * (1 - 1 / L * lam)) c c t)
      <= (1 + (1 - factor) * INR t) * factor ^ t * Rabs c.
  Proof.
    intros Hl. assert (Ha := brake_range lam Hl). destruct (step_3 lam Hl) as [_ Hq].
    set (a := 1 - 1 / L * lam) in *. set (q := sqrt (best * a)) in *. destruct step_2 as [E1 E2].
    assert (Hb := best_range). assert (Hf := factor_range). set (r := factor) in *.
    assert (Hq2 : q ^ 2 = best * a) by (apply sqrt_squared; pos). assert (Hq0 : 0 <= q) by apply sqrt_pos.
    set (x := q / r). assert (Hxr : r * x = q) by (unfold x; field; lra).
    assert (Hx : 0 <= x <= 1) by (unfold x; split; [apply Rle_mult_inv_pos; lra|apply div_le; lra]).
    assert (Hr : r * (1 + best) = 2 * best) by (rewrite <- E2; lra).
    replace (1 + best * a - 1 / L * lam) with (2 * q * x).
    - rewrite <- Hq2, spring_from_rest, !Rabs_mult, (Rabs_pos_eq (q ^ t)) by now apply pow_le.
      apply Rmult_le_compat_r; [apply Rabs_pos|]. rewrite Rmult_comm.
      apply Rmult_le_compat; [apply Rabs_pos|now apply pow_le| |apply pow_incr; lra].
      replace (x - q) with ((1 - r) * x) by (rewrite <- Hxr; ring).
      assert (T := cosine_bound x t ltac:(lra)). assert (U := sine_bound x t ltac:(lra)).
      eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq (1 - r)), (Rabs_pos_eq x) by lra.
      assert (X : x * Rabs (sine x t) <= 1 * INR t) by (apply Rmult_le_compat; try apply Rabs_pos; lra).
      apply (Rmult_le_compat_l (1 - r)) in X; lra.
    - apply (Rmult_eq_reg_l best); [|lra].
      replace (1 + best * a - 1 / L * lam) with ((1 + best) * a) by (unfold a; ring).
      replace (best * (2 * q * x)) with (2 * best * (q * x)) by ring. rewrite <- Hr.
      replace (r * (1 + best) * (q * x)) with ((1 + best) * (q * (r * x))) by ring. rewrite Hxr.
      replace (q * q) with (q ^ 2) by ring. rewrite Hq2. ring.
  Qed.
  (* In the flattest direction the bound is exact. *)
  Lemma flattest_is_exact c t :
    Rabs (spring (1 + best * (1 - 1 / L * mu) - 1 / L * mu) (best * (1 - 1 / L * mu)) c c t)
      = (1 + (1 - factor) * INR t) * factor ^ t * Rabs c.
  Proof.
    destruct step_2 as [E1 E2]. assert (Hf := factor_range). set (r := factor) in *.
    replace (1 - 1 / L * mu) with (1 - mu / L) by (unfold Rdiv; ring). set (a0 := 1 - mu / L) in *.
    replace (best * a0) with (r ^ 2).
    - replace (1 + r ^ 2 - 1 / L * mu) with (2 * r * 1).
      + rewrite spring_from_rest, (proj1 (at_one t)), (proj2 (at_one t)).
        replace (r ^ t * (1 + (1 - r) * INR t) * c) with ((1 + (1 - r) * INR t) * r ^ t * c) by ring.
        rewrite Rabs_mult. f_equal. apply Rabs_pos_eq. assert (P := pos_INR t). pos.
      + assert (E : (1 - r) ^ 2 = mu / L) by (rewrite (proj1 mu_over_L); unfold r, factor; fold k; ring).
        replace (1 / L * mu) with (mu / L) by (unfold Rdiv; ring). rewrite <- E. ring.
    - rewrite <- E2. replace (((1 + best) * a0 / 2) ^ 2) with ((1 + best) ^ 2 * a0 * a0 / 4) by field.
      rewrite E1. field.
  Qed.
  (* Sum the squares over the directions. *)
  Lemma step_6b d H xs x0 t : symmetric d H -> (forall lam, eigenvalue d H lam -> mu <= lam <= L) ->
    norm d (sub (lookahead (bowl_grad d H xs) (1 / L) best x0 x0 t) xs)
      <= (1 + (1 - factor) * INR t) * factor ^ t * norm d (sub x0 xs).
  Proof.
    intros HH Hall. destruct (spectral_theorem d H HH) as (q & lam & Hq). assert (Hf := factor_range).
    apply (norm_by_coordinates d q); [apply Hq|assert (P := pos_INR t); pos|]. intros j Hj.
    rewrite (step_1 d H xs (q j) (lam j) _ _ _ _ _ HH (fun a => proj2 Hq j a Hj)). apply step_6.
    apply Hall, (eigenvalue_iff d H q lam _ HH Hq). now exists j.
  Qed.
End Best.

(* thm-momentum-nesterov. In the direction of eigenvalue lam, Nesterov's method with (lr, beta) is heavy ball with the
   same lr and the momentum beta (1 - lr lam). *)
Theorem thm_momentum_nesterov_ball d H xs v lam lr beta x before t : symmetric d H ->
  (forall a, (a < d)%nat -> times d H v a = lam * v a) ->
  inner d v (sub (lookahead (bowl_grad d H xs) lr beta x before t) xs)
    = inner d v (sub (heavy_ball (bowl_grad d H xs) lr (beta * (1 - lr * lam)) x before t) xs).
Proof. intros HH Hv. now rewrite (step_1 d H xs v lam), (ball_is_spring d H v lam). Qed.
(* With lr = 1 / L and kappa > 1 the best beta is (sqrt kappa - 1) / (sqrt kappa + 1), the largest modulus is then
   r = 1 - 1 / sqrt kappa, and with this pair and x_(-1) = x_0 the iterates of eq-momentum-lookahead satisfy
   |x_t - xs| <= (1 + (1 - r) t) r^t |x_0 - xs|. (For any other beta, already the root at mu is larger.) *)
Theorem thm_momentum_nesterov mu L kappa beta_star r : 0 < mu < L -> kappa = L / mu ->
  beta_star = (sqrt kappa - 1) / (sqrt kappa + 1) -> r = 1 - 1 / sqrt kappa ->
  (forall beta, r <= braked_radius (1 / L) beta mu) /\
  (forall beta, beta <> beta_star -> r < braked_radius (1 / L) beta mu) /\
  braked_radius (1 / L) beta_star mu = r /\
  (forall lam, mu <= lam <= L -> braked_radius (1 / L) beta_star lam <= r) /\
  (forall d H xs x0 t, symmetric d H -> (forall lam, eigenvalue d H lam -> mu <= lam <= L) ->
    norm d (sub (lookahead (bowl_grad d H xs) (1 / L) beta_star x0 x0 t) xs)
      <= (1 + (1 - r) * INR t) * r ^ t * norm d (sub x0 xs)).
Proof.
  intros Hm -> -> ->. split; [|split; [|split; [|split]]].
  - intros beta. now apply no_beta_is_better.
  - intros beta Hne. destruct (no_beta_is_better mu L Hm beta) as [|E]; [assumption|exfalso].
    apply Hne. now apply (best_only mu L Hm).
  - now apply (step_3b mu L).
  - intros lam Hl. destruct (step_3 mu L Hm lam Hl) as [E Hle]. fold (best mu L). now rewrite E.
  - intros d H xs x0 t HH Hall. now apply (step_6b mu L).
Qed.

(* An instance: curvatures 1 and 4, kappa = 4, so beta = 1/3 and r = 1/2. *)
Lemma thm_momentum_nesterov_instance xs x0 t : forall grad,
  grad = bowl_grad 2 (diagonal (fun j => if Nat.eqb j 0 then 1 else 4)) xs ->
  norm 2 (sub (lookahead grad (1 / 4) (1 / 3) x0 x0 t) xs)
    <= (1 + (1 - 1 / 2) * INR t) * (1 / 2) ^ t * norm 2 (sub x0 xs).
Proof.
  intros grad ->. assert (S4 : sqrt 4 = 2).
  { replace 4 with (2 ^ 2) by ring. rewrite sqrt_of_square. apply Rabs_pos_eq. lra. }
  apply (thm_momentum_nesterov 1 4 4 (1 / 3) (1 / 2)).
  - lra.
  - field.
  - rewrite S4. field.
  - rewrite S4. field.
  - apply diagonal_symmetric.
  - intros l Hl. apply diagonal_eigenvalue in Hl. destruct Hl as (j & _ & <-). destruct (Nat.eqb j 0); lra.
Qed.
