(* thm-momentum-best whole: the bound for every pair, the pair that attains it, and the transient at that pair. *)
Require Export momentum_best momentum_chebyshev momentum_quadratic.
Open Scope R_scope.

(* (7) The transient, in one direction: with tau = 2 rstar cos(theta), c_t = rstar^t u_t c_0 and
   u_t = sin((t + 1) theta) / sin(theta) - rstar sin(t theta) / sin(theta), so |u_t| <= (t + 1) + rstar t. *)
Lemma thm_momentum_best_step_7 mu L lam c t : 0 < mu < L -> mu <= lam <= L ->
  Rabs (spring (1 + rstar mu L ^ 2 - lrstar mu L * lam) (rstar mu L ^ 2) c c t)
    <= (1 + (1 + rstar mu L) * INR t) * rstar mu L ^ t * Rabs c.
Proof.
  intros Hm Hl. destruct (thm_momentum_best_step_6b mu L Hm lam Hl) as [B1 B2]. assert (Hs := rstar_range mu L Hm).
  set (q := rstar mu L) in *. set (s := lrstar mu L * lam) in *. set (x := (1 + q ^ 2 - s) / (2 * q)).
  assert (Hx : 1 + q ^ 2 - s = 2 * q * x) by (unfold x; field; lra).
  assert (Hx1 : -1 <= x <= 1) by (split; apply Rmult_le_reg_l with (2 * q); lra).
  rewrite Hx, spring_from_rest, !Rabs_mult, (Rabs_pos_eq (q ^ t)) by (apply pow_le; lra).
  apply Rmult_le_compat_r; [apply Rabs_pos|]. rewrite Rmult_comm. apply Rmult_le_compat_r; [apply pow_le; lra|].
  replace (cosine x t + (x - q) * sine x t) with (sine x (S t) + - (q * sine x t)) by (cbn [sine]; ring).
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq q) by lra.
  assert (U := sine_bound x t Hx1). assert (U' := sine_bound x (S t) Hx1). rewrite S_INR in U'.
  assert (q * Rabs (sine x t) <= q * INR t) by (apply Rmult_le_compat_l; lra). lra.
Qed.
(* In the steepest direction the bound is exact. *)
Lemma steepest_is_exact mu L c t : 0 < mu < L ->
  Rabs (spring (1 + rstar mu L ^ 2 - lrstar mu L * L) (rstar mu L ^ 2) c c t)
    = (1 + (1 + rstar mu L) * INR t) * rstar mu L ^ t * Rabs c.
Proof.
  intros Hm. assert (Hs := rstar_range mu L Hm). rewrite (proj2 (thm_momentum_best_step_6 mu L Hm)).
  set (q := rstar mu L) in *. replace (1 + q ^ 2 - (1 + q) ^ 2) with (2 * q * -1) by ring.
  rewrite spring_from_rest, (proj1 (at_minus_one t)), (proj2 (at_minus_one t)).
  replace (q ^ t * ((-1) ^ t + (-1 - q) * (- (-1) ^ t * INR t)) * c)
    with ((-1) ^ t * ((1 + (1 + q) * INR t) * q ^ t * c)) by ring.
  rewrite Rabs_mult, pow_1_abs, Rabs_mult, Rmult_1_l. f_equal. apply Rabs_pos_eq. assert (P := pos_INR t). pos.
Qed.
(* In d dimensions: sum the squares over the directions. *)
Lemma thm_momentum_best_step_7b mu L d H xs x0 t : 0 < mu < L -> symmetric d H ->
  (forall lam, eigenvalue d H lam -> mu <= lam <= L) ->
  norm d (sub (heavy_ball (bowl_grad d H xs) (lrstar mu L) (rstar mu L ^ 2) x0 x0 t) xs)
    <= (1 + (1 + rstar mu L) * INR t) * rstar mu L ^ t * norm d (sub x0 xs).
Proof.
  intros Hm HH Hall. destruct (spectral_theorem d H HH) as (q & lam & Hq). assert (Hs := rstar_range mu L Hm).
  apply (norm_by_coordinates d q); [apply Hq|assert (P := pos_INR t); pos|]. intros j Hj.
  rewrite (ball_is_spring d H (q j) (lam j) HH (fun a => proj2 Hq j a Hj)).
  apply thm_momentum_best_step_7; [assumption|]. apply Hall, (eigenvalue_iff d H q lam _ HH Hq). now exists j.
Qed.

(* thm-momentum-best. Let kappa = L / mu > 1, and let r(lr, beta) be the largest modulus among the roots of
   eq-momentum-characteristic for lambda = mu and lambda = L. For all real lr and beta, r(lr, beta) >= rstar, with
   equality at lrstar and betastar = rstar^2. At this pair, started with x_(-1) = x_0 on any quadratic whose eigenvalues
   lie between mu and L, |x_t - xs| <= (1 + (1 + rstar) t) rstar^t |x_0 - xs|. *)
Theorem thm_momentum_best mu L kappa r_star lr_star : 0 < mu < L -> kappa = L / mu ->
  r_star = (sqrt kappa - 1) / (sqrt kappa + 1) -> lr_star = (2 / (sqrt L + sqrt mu)) ^ 2 ->
  (forall lr beta, r_star <= worst mu L lr beta) /\ worst mu L lr_star (r_star ^ 2) = r_star /\
  (forall d H xs x0 t, symmetric d H -> (forall lam, eigenvalue d H lam -> mu <= lam <= L) ->
    norm d (sub (heavy_ball (bowl_grad d H xs) lr_star (r_star ^ 2) x0 x0 t) xs)
      <= (1 + (1 + r_star) * INR t) * r_star ^ t * norm d (sub x0 xs)).
Proof.
  intros Hm -> -> ->. split; [|split].
  - intros lr beta. now apply no_pair_is_better.
  - now apply (attained mu L).
  - intros d H xs x0 t HH Hall. now apply (thm_momentum_best_step_7b mu L).
Qed.

(* An instance: curvatures 1 and 9, kappa = 9, so rstar = 1/2, betastar = 1/4, lrstar = 1/4. *)
Lemma thm_momentum_best_instance xs x0 t : forall grad,
  grad = bowl_grad 2 (diagonal (fun j => if Nat.eqb j 0 then 1 else 9)) xs ->
  norm 2 (sub (heavy_ball grad (1 / 4) ((1 / 2) ^ 2) x0 x0 t) xs)
    <= (1 + (1 + 1 / 2) * INR t) * (1 / 2) ^ t * norm 2 (sub x0 xs).
Proof.
  intros grad ->. assert (S9 : sqrt 9 = 3).
  { replace 9 with (3 ^ 2) by ring. rewrite sqrt_of_square. apply Rabs_pos_eq. lra. }
  apply (thm_momentum_best 1 9 9 (1 / 2) (1 / 4)).
  - lra.
  - field.
  - rewrite S9. field.
  - rewrite S9, sqrt_1. field.
  - apply diagonal_symmetric.
  - intros l Hl. apply diagonal_eigenvalue in Hl. destruct Hl as (j & _ & <-). destruct (Nat.eqb j 0); lra.
Qed.
