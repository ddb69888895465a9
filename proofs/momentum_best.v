(* thm-momentum-best, the bound and the pair that attains it: steps (1) to (6).

   r(lr, beta) of the page is `worst mu L lr beta`, the larger of the two `radius`, where the radius is the largest
   modulus of a root of rho^2 - tau rho + beta (`radius_is_largest`). Step (7), the transient, is in
   momentum_best_run.v. *)
Require Export momentum_spring.
Open Scope R_scope.

(* ---- 1. The largest modulus of a root. ---- *)

Definition radius (tau beta : R) :=
  if Rle_dec 0 (tau ^ 2 - 4 * beta) then (Rabs tau + sqrt (tau ^ 2 - 4 * beta)) / 2 else sqrt beta.
Lemma radius_is_largest tau beta :
  (exists a b, root tau beta a b /\ modulus a b = radius tau beta) /\
  forall a b, root tau beta a b -> modulus a b <= radius tau beta.
Proof.
  unfold radius. destruct (Rle_dec 0 (tau ^ 2 - 4 * beta)) as [Hd|Hd].
  - set (q := sqrt (tau ^ 2 - 4 * beta)). assert (Hq : q ^ 2 = tau ^ 2 - 4 * beta) by now apply sqrt_squared.
    assert (Hq0 : 0 <= q) by apply sqrt_pos. split.
    + destruct (Rle_or_lt 0 tau) as [Ht|Ht].
      * exists ((tau + q) / 2), 0. split; [split; lra|]. rewrite modulus_real, !Rabs_pos_eq by lra. reflexivity.
      * exists ((tau - q) / 2), 0. split; [split; lra|]. rewrite modulus_real, !Rabs_left by lra. field.
    + intros a b Hr. destruct (Req_dec b 0) as [->|Hb].
      * destruct Hr as [Hr _]. assert (E : (2 * a - tau) ^ 2 = q ^ 2) by lra.
        assert (B : Rabs (2 * a - tau) <= q) by (apply le_of_squares; [assumption|]; rewrite pow2_Rabs; lra).
        rewrite modulus_real. revert B. unfold Rabs.
        destruct (Rcase_abs (2 * a - tau)), (Rcase_abs a), (Rcase_abs tau); lra.
      * apply (complex_iff _ _ _ _ Hr) in Hb. lra.
  - split.
    + destruct (some_root tau beta) as (a & b & Hr). exists a, b. split; [assumption|].
      apply (thm_momentum_spectrum_step_4 tau beta a b Hr), (complex_iff _ _ _ _ Hr). lra.
    + intros a b Hr. apply Req_le, (thm_momentum_spectrum_step_4 tau beta a b Hr), (complex_iff _ _ _ _ Hr). lra.
Qed.
Lemma radius_pos tau beta : 0 <= radius tau beta.
Proof. destruct (proj1 (radius_is_largest tau beta)) as (a & b & _ & <-). apply sqrt_pos. Qed.

(* Complex or double roots: the radius is the root of beta. *)
Lemma radius_complex tau beta : tau ^ 2 <= 4 * beta -> radius tau beta = sqrt beta.
Proof.
  intros Hd. unfold radius. destruct (Rle_dec 0 (tau ^ 2 - 4 * beta)) as [H0|]; [|reflexivity].
  replace (tau ^ 2 - 4 * beta) with 0 by lra. replace beta with ((Rabs tau / 2) ^ 2).
  - rewrite sqrt_0, sqrt_of_square, (Rabs_pos_eq (Rabs tau / 2)); [lra|]. assert (P := Rabs_pos tau). lra.
  - assert (E := pow2_Rabs tau). lra.
Qed.

(* Every root of rho^2 - tau rho + beta has modulus at most r. *)
Definition within (tau beta r : R) := forall a b, root tau beta a b -> modulus a b <= r.
Lemma within_radius tau beta r : within tau beta r <-> radius tau beta <= r.
Proof.
  destruct (radius_is_largest tau beta) as [(a & b & Hr & <-) Hall]. split.
  - intros H. now apply H.
  - intros H a' b' Hr'. specialize (Hall a' b' Hr'). lra.
Qed.

(* What that says about the coefficients: the product of the roots is at most r^2, the polynomial is not negative at
   r, nor at - r. *)
Lemma product tau beta r : within tau beta r -> beta <= r ^ 2.
Proof.
  intros H. destruct (Rle_or_lt 0 (tau ^ 2 - 4 * beta)) as [Hd|Hd].
  - destruct (real_roots tau beta Hd) as (r1 & r2 & _ & -> & H1 & H2). apply H in H1, H2.
    rewrite modulus_real in H1, H2. eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult.
    replace (r ^ 2) with (r * r) by ring. apply Rmult_le_compat; try apply Rabs_pos; assumption.
  - destruct (some_root tau beta) as (a & b & Hr). assert (Hb := proj2 (complex_iff _ _ _ _ Hr) Hd).
    assert (Hm := H a b Hr). destruct (conjugate _ _ _ _ Hr Hb) as [_ ->]. unfold modulus in Hm.
    assert (0 <= a ^ 2 + b ^ 2) by (assert (P := pow2_nonneg a); assert (Q := pow2_nonneg b); lra).
    rewrite <- (sqrt_squared (a ^ 2 + b ^ 2)) by assumption. apply pow_incr. split; [apply sqrt_pos|assumption].
Qed.
Lemma not_negative tau beta r : within tau beta r -> 0 <= r ^ 2 - tau * r + beta /\ 0 <= r ^ 2 + tau * r + beta.
Proof.
  intros H. destruct (Rle_or_lt 0 (tau ^ 2 - 4 * beta)) as [Hd|Hd].
  - destruct (real_roots tau beta Hd) as (r1 & r2 & -> & -> & H1 & H2). apply H in H1, H2.
    rewrite modulus_real in H1, H2. assert (P1 := Rle_abs r1). assert (P2 := Rle_abs r2).
    assert (M1 := Rle_abs (- r1)). assert (M2 := Rle_abs (- r2)). rewrite Rabs_Ropp in M1, M2.
    assert (0 <= (r - r1) * (r - r2)) by (apply Rmult_le_pos; lra).
    assert (0 <= (r + r1) * (r + r2)) by (apply Rmult_le_pos; lra). lra.
  - assert (P := pow2_nonneg (r - tau / 2)). assert (M := pow2_nonneg (r + tau / 2)). lra.
Qed.

(* ---- 2. No pair is better: steps (1) to (5). ---- *)

Definition worst (mu L lr beta : R) := Rmax (radius (1 + beta - lr * mu) beta) (radius (1 + beta - lr * L) beta).
Lemma worst_within mu L lr beta :
  within (1 + beta - lr * mu) beta (worst mu L lr beta) /\ within (1 + beta - lr * L) beta (worst mu L lr beta).
Proof. split; apply within_radius; [apply Rmax_l|apply Rmax_r]. Qed.

Section Ends.
  Variables mu L lr beta : R.
  Hypothesis ends : 0 < mu < L.
  Definition r := worst mu L lr beta.
  Hypothesis range : 0 < r < 1.

  (* (1) Product of the roots: it is beta, and neither factor exceeds r in modulus. *)
  Lemma thm_momentum_best_step_1 : beta <= r ^ 2.
  Proof. apply (product (1 + beta - lr * mu)), worst_within. Qed.
  (* (2) The flat end: the polynomial for mu is not negative at r. *)
  Lemma thm_momentum_best_step_2 : (1 - r) * (r - beta) <= lr * mu * r.
  Proof. assert (H := proj1 (not_negative _ _ _ (proj1 (worst_within mu L lr beta)))). fold r in H. lra. Qed.
  (* (3) The steep end: nor is the one for L at - r. *)
  Lemma thm_momentum_best_step_3 : lr * L * r <= (1 + r) * (r + beta).
  Proof. assert (H := proj2 (not_negative _ _ _ (proj2 (worst_within mu L lr beta)))). fold r in H. lra. Qed.
  Lemma below_r : 0 < r - beta.
  Proof.
    assert (H1 := thm_momentum_best_step_1). assert (0 < r * (1 - r)) by (apply Rmult_lt_0_compat; lra). lra.
  Qed.
  (* (4) Divide. *)
  Lemma thm_momentum_best_step_4 : L / mu <= (1 + r) * (r + beta) / ((1 - r) * (r - beta)).
  Proof.
    assert (H2 := thm_momentum_best_step_2). assert (H3 := thm_momentum_best_step_3). assert (Hb := below_r).
    assert (Hd : 0 < (1 - r) * (r - beta)) by (apply Rmult_lt_0_compat; lra).
    assert (Hlr : 0 < lr).
    { apply Rnot_le_lt. intros Hle. assert (Hmr : 0 < mu * r) by pos.
      assert (0 <= - lr * (mu * r)) by (apply Rmult_le_pos; lra). lra. }
    apply le_div; [assumption|]. apply Rmult_le_reg_r with (lr * mu * r); [pos|].
    replace (L / mu * ((1 - r) * (r - beta)) * (lr * mu * r))
      with ((1 - r) * (r - beta) * (lr * L * r)) by (field; lra).
    assert (HL : 0 <= lr * L * r) by (apply Rlt_le; pos).
    apply Rle_trans with (lr * mu * r * (lr * L * r)); [now apply Rmult_le_compat_r|].
    rewrite Rmult_comm. apply Rmult_le_compat_r; [apply Rlt_le; pos|assumption].
  Qed.
  (* (5) Use (1) again: the right side grows with beta, and beta <= r^2. *)
  Lemma thm_momentum_best_step_5 : (1 + r) * (r + beta) / ((1 - r) * (r - beta)) <= ((1 + r) / (1 - r)) ^ 2.
  Proof.
    assert (H1 := thm_momentum_best_step_1). assert (Hb := below_r).
    assert (Hd : 0 < (1 - r) * (r - beta)) by (apply Rmult_lt_0_compat; lra). apply div_le; [assumption|].
    apply Rmult_le_reg_r with (1 - r); [lra|].
    replace (((1 + r) / (1 - r)) ^ 2 * ((1 - r) * (r - beta)) * (1 - r))
      with ((1 + r) * ((1 + r) * (r - beta))) by (field; lra).
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. lra.
  Qed.
  Lemma thm_momentum_best_step_5b : (sqrt (L / mu) - 1) / (sqrt (L / mu) + 1) <= r.
  Proof.
    assert (H4 := thm_momentum_best_step_4). assert (H5 := thm_momentum_best_step_5). assert (Hk := sqrt_pos (L / mu)).
    assert (Hs : sqrt (L / mu) <= (1 + r) / (1 - r)) by (apply sqrt_le; [apply Rlt_le, Rdiv_lt_0_compat|]; lra).
    apply div_le; [lra|]. apply (Rmult_le_compat_r (1 - r)) in Hs; [|lra].
    unfold Rdiv in Hs at 2. rewrite Rmult_assoc, Rinv_l in Hs by lra. lra.
  Qed.
End Ends.

(* r = 0: all roots vanish, so beta = 0 and lr lambda = 1 for both lambda, against mu < L. *)
Lemma not_zero mu L lr beta : 0 < mu < L -> worst mu L lr beta <> 0.
Proof.
  intros Hm H0. destruct (worst_within mu L lr beta) as [Wmu WL]. rewrite H0 in Wmu, WL.
  assert (P1 := product _ _ _ Wmu). assert (P2 := not_negative _ _ _ Wmu). assert (Hb : beta = 0) by lra.
  assert (zero : forall tau, within tau beta 0 -> tau = 0).
  { intros tau W. rewrite Hb in W. assert (Hr : root tau 0 tau 0) by (split; ring). apply W in Hr.
    rewrite modulus_real in Hr. assert (P := Rabs_pos tau). destruct (Req_dec tau 0) as [|N]; [assumption|].
    apply Rabs_pos_lt in N. lra. }
  apply zero in Wmu, WL. assert (E : lr * (L - mu) = 0) by lra. apply Rmult_integral in E.
  destruct E as [E|E]; [rewrite E in Wmu; lra|lra].
Qed.
(* eq-momentum-best, for all real lr and beta. *)
Lemma no_pair_is_better mu L lr beta : 0 < mu < L ->
  (sqrt (L / mu) - 1) / (sqrt (L / mu) + 1) <= worst mu L lr beta.
Proof.
  intros Hm. assert (Hk := sqrt_pos (L / mu)). destruct (Rle_or_lt 1 (worst mu L lr beta)) as [Hbig|Hsmall].
  - apply Rle_trans with 1; [|assumption]. apply div_le; lra.
  - apply thm_momentum_best_step_5b; [assumption|]. assert (Hn := not_zero mu L lr beta Hm).
    assert (P := radius_pos (1 + beta - lr * mu) beta).
    assert (P' : radius (1 + beta - lr * mu) beta <= worst mu L lr beta) by apply Rmax_l. unfold r. lra.
Qed.

(* ---- 3. The pair that attains it: step (6). ---- *)

Section Pair.
  Variables mu L : R.
  Hypothesis ends : 0 < mu < L.
  Definition rstar := (sqrt (L / mu) - 1) / (sqrt (L / mu) + 1).
  Definition lrstar := (2 / (sqrt L + sqrt mu)) ^ 2.

  Lemma kappa_above_1 : 1 < sqrt (L / mu).
  Proof.
    rewrite <- sqrt_1. apply sqrt_lt_1_alt. split; [lra|]. apply Rmult_lt_reg_r with mu; [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.
  Lemma rstar_range : 0 < rstar < 1.
  Proof.
    assert (Hk := kappa_above_1). unfold rstar. split; [apply Rdiv_lt_0_compat; lra|].
    apply Rmult_lt_reg_r with (sqrt (L / mu) + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  Qed.
  (* (6) At both ends the discriminant vanishes. *)
  Lemma thm_momentum_best_step_6 : lrstar * mu = (1 - rstar) ^ 2 /\ lrstar * L = (1 + rstar) ^ 2.
  Proof.
    assert (Hm : 0 < sqrt mu) by (apply sqrt_lt_R0; lra). assert (HL : 0 < sqrt L) by (apply sqrt_lt_R0; lra).
    assert (Em : mu = sqrt mu ^ 2) by (symmetry; apply sqrt_squared; lra).
    assert (EL : L = sqrt L ^ 2) by (symmetry; apply sqrt_squared; lra).
    unfold lrstar, rstar. rewrite sqrt_div_alt by lra. set (m := sqrt mu) in *. set (l := sqrt L) in *.
    rewrite Em at 1. rewrite EL at 1. split; field; repeat split; lra.
  Qed.
  (* Between them it is not positive: every root, for every eigenvalue, has modulus rstar. *)
  Lemma thm_momentum_best_step_6b lam : mu <= lam <= L -> (1 - rstar) ^ 2 <= lrstar * lam <= (1 + rstar) ^ 2.
  Proof.
    intros [H1 H2]. destruct thm_momentum_best_step_6 as [<- <-]. assert (0 <= lrstar) by apply pow2_nonneg.
    split; apply Rmult_le_compat_l; assumption.
  Qed.
  Lemma thm_momentum_best_step_6c lam : mu <= lam <= L -> radius (1 + rstar ^ 2 - lrstar * lam) (rstar ^ 2) = rstar.
  Proof.
    intros Hl. destruct (thm_momentum_best_step_6b lam Hl) as [B1 B2]. assert (Hs := rstar_range).
    set (s := lrstar * lam) in *. set (q := rstar) in *. rewrite radius_complex.
    - rewrite sqrt_of_square. apply Rabs_pos_eq. lra.
    - assert (Hd : 0 <= (s - (1 - q) ^ 2) * ((1 + q) ^ 2 - s)) by (apply Rmult_le_pos; lra). lra.
  Qed.
  Lemma attained : worst mu L lrstar (rstar ^ 2) = rstar.
  Proof. unfold worst. rewrite !thm_momentum_best_step_6c by lra. apply Rmax_left. lra. Qed.
End Pair.
