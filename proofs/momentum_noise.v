(* thm-momentum-noise: the cloud of stochastic heavy ball in one direction.

   Step (1) is in momentum_noise_moments.v, (2) to (4) find the only fixed point of its recursion, (5) compares it with
   SGD's. That the variance converges to it is proved by a shorter way than the page's, which asks for the eigenvalues
   of a recursion of three numbers: the variance is lr^2 s^2 times a sum of squares of a kick h, and that sum telescopes
   (`kicks`): it is a quadratic form of (1, 0) less the same form of (h_t, h_(t-1)), which goes to zero. *)
Require Export momentum_noise_moments.
Open Scope R_scope.

(* (2) to (4): the only fixed point of the recursion. *)
Section FixedPoint.
  Variables lr beta lam s c V C : R.
  Hypothesis Hc : c = 1 + beta - lr * lam.
  Hypothesis Hbeta : 0 <= beta < 1.
  Hypothesis fixed_V : V = c ^ 2 * V - 2 * c * beta * C + beta ^ 2 * V + lr ^ 2 * s ^ 2.
  Hypothesis fixed_C : C = c * V - beta * C.
  (* (2) The fixed point's covariance. *)
  Lemma thm_momentum_noise_step_2 : (1 + beta) * C = c * V.
  Proof. lra. Qed.
  (* (3) The fixed point's variance: insert (2). *)
  Lemma thm_momentum_noise_step_3 : V * (1 - beta ^ 2 - c ^ 2 * ((1 - beta) / (1 + beta))) = lr ^ 2 * s ^ 2.
  Proof.
    assert (HC : C = c * V / (1 + beta)).
    { apply (Rmult_eq_reg_l (1 + beta)); [rewrite thm_momentum_noise_step_2; field; lra|lra]. }
    rewrite HC in fixed_V. apply (Rplus_eq_reg_l (- V)). transitivity (- (c ^ 2 * V
      - 2 * c * beta * (c * V / (1 + beta)) + beta ^ 2 * V)); [field; lra|]. lra.
  Qed.
  (* (4) Factorise. *)
  Lemma thm_momentum_noise_step_4 : 1 - beta ^ 2 - c ^ 2 * ((1 - beta) / (1 + beta))
    = (1 - beta) / (1 + beta) * (lr * lam) * (2 * (1 + beta) - lr * lam).
  Proof. rewrite Hc. field. lra. Qed.
  Lemma thm_momentum_noise_step_4b : 0 < lr -> 0 < lam -> lr * lam < 2 * (1 + beta) ->
    V = lr * s ^ 2 / lam * ((1 + beta) / ((1 - beta) * (2 * (1 + beta) - lr * lam))).
  Proof.
    intros H1 H2 H3. assert (H := thm_momentum_noise_step_3). rewrite thm_momentum_noise_step_4 in H.
    assert (0 < lr * lam) by pos.
    assert (D : 0 < (1 - beta) / (1 + beta) * (lr * lam) * (2 * (1 + beta) - lr * lam)).
    { apply Rmult_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat|]; lra. }
    apply (Rmult_eq_reg_r ((1 - beta) / (1 + beta) * (lr * lam) * (2 * (1 + beta) - lr * lam))); [|lra].
    rewrite H. field. repeat split; lra.
  Qed.
End FixedPoint.

(* ---- The sum of the squares of a kick. ---- *)

Section Kick.
  Variables beta u : R.                (* u = lr lam *)
  Hypothesis Hbeta : 0 <= beta < 1.
  Hypothesis Hu : 0 < u < 2 * (1 + beta).
  Let c := 1 + beta - u.
  Definition limit := (1 + beta) / ((1 - beta) * (u * (2 * (1 + beta) - u))).
  (* The form that falls by x^2 when the spring moves from (x, p) to (c x - beta p, x). *)
  Definition form (x p : R) := limit * (x ^ 2 - 2 * (c * beta / (1 + beta)) * (x * p) + beta ^ 2 * p ^ 2).
  Lemma form_falls x p : form x p = x ^ 2 + form (c * x - beta * p) x.
  Proof. unfold form, limit, c. field. repeat split; lra. Qed.
  Lemma kicks t : forall x p, sum (S t) (fun k => spring c beta x p k ^ 2)
    = form x p - form (spring c beta x p (S t)) (spring c beta x p t).
  Proof.
    induction t as [|t IH]; intros x p; rewrite sum_first; cbn [spring].
    - rewrite sum_O, (form_falls x p). ring.
    - rewrite IH, (form_falls x p). cbn [spring]. ring.
  Qed.

  Lemma cv_ext (v w : nat -> R) l : (forall t, v t = w t) -> Un_cv v l -> Un_cv w l.
  Proof. intros E H eps Heps. destruct (H eps Heps) as [N HN]. exists N. intros. rewrite <- E. now apply HN. Qed.
  Lemma cv_const a : Un_cv (fun _ => a) a.
  Proof.
    intros eps Heps. exists O. intros. change (Rabs (a - a) < eps).
    now rewrite Rminus_diag_eq, Rabs_R0.
  Qed.
  Lemma cv_shift (v : nat -> R) l : Un_cv v l <-> Un_cv (fun t => v (S t)) l.
  Proof.
    split; intros H eps Heps; destruct (H eps Heps) as [N HN].
    - exists N. intros t Ht. apply HN. lia.
    - exists (S N). intros [|t] Ht; [lia|]. apply HN. lia.
  Qed.
  Lemma kicks_limit : Un_cv (fun t => sum t (fun k => spring c beta 1 0 k ^ 2)) limit.
  Proof.
    assert (H : Un_cv (spring c beta 1 0) 0) by (apply goes_to_zero; lra). set (h := spring c beta 1 0) in *.
    assert (H' : Un_cv (fun t => h (S t)) 0) by (apply (cv_shift h 0); assumption).
    assert (G : Un_cv (fun t => form 1 0 - limit * (h (S t) * h (S t)
      - 2 * (c * beta / (1 + beta)) * (h (S t) * h t) + beta ^ 2 * (h t * h t)))
      (form 1 0 - limit * (0 * 0 - 2 * (c * beta / (1 + beta)) * (0 * 0) + beta ^ 2 * (0 * 0)))).
    - apply (CV_minus (fun _ => form 1 0)); [apply cv_const|]. apply (CV_mult (fun _ => limit)); [apply cv_const|].
      apply (CV_plus (fun t => h (S t) * h (S t) - 2 * (c * beta / (1 + beta)) * (h (S t) * h t))).
      + apply (CV_minus (fun t => h (S t) * h (S t))); [now apply CV_mult|].
        apply (CV_mult (fun _ => 2 * (c * beta / (1 + beta)))); [apply cv_const|now apply CV_mult].
      + apply (CV_mult (fun _ => beta ^ 2)); [apply cv_const|now apply CV_mult].
    - replace (form 1 0 - limit * _) with limit in G by (unfold form; ring).
      apply cv_shift. refine (cv_ext _ _ _ _ G). intros t. assert (K := kicks t 1 0). fold h in K.
      rewrite K. unfold form. ring.
  Qed.
End Kick.

(* ---- The theorem. ---- *)

(* (5) Against SGD, with z = lr_bar lam: (1 - beta) / (1 + beta) <= 1, so the denominator is at least SGD's. *)
Lemma thm_momentum_noise_step_5 beta z : 0 <= beta < 1 -> 0 <= z -> 2 - z <= 2 - (1 - beta) / (1 + beta) * z.
Proof.
  intros Hb Hz. assert (H : (1 - beta) / (1 + beta) <= 1) by (apply div_le; lra).
  apply (Rmult_le_compat_r z) in H; lra.
Qed.
(* The difference of the two clouds is of second order in lr_bar. *)
Lemma thm_momentum_noise_step_5b beta z : 0 <= beta < 1 -> 0 <= z <= 1 ->
  / (2 - z) - / (2 - (1 - beta) / (1 + beta) * z) <= z.
Proof.
  intros Hb Hz. assert (H5 := thm_momentum_noise_step_5 beta z Hb (proj1 Hz)). set (k := (1 - beta) / (1 + beta)) in *.
  assert (Hk : 0 <= k * z) by (unfold k; pos; apply Rle_mult_inv_pos; lra).
  replace (/ (2 - z) - / (2 - k * z)) with ((z - k * z) / ((2 - z) * (2 - k * z))) by (field; split; lra).
  assert (D : 1 * 1 <= (2 - z) * (2 - k * z)) by (apply Rmult_le_compat; lra). apply div_le; [lra|].
  assert (z * 1 <= z * ((2 - z) * (2 - k * z))) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* thm-momentum-noise. Let 0 <= beta < 1 and 0 < lr lam < 2 (1 + beta). The variance of x_t converges to V, in both
   forms of eq-momentum-cloud (lr_bar = lr / (1 - beta)), from every start. V is at most the variance V_SGD of SGD with
   learning rate lr_bar, where SGD converges, and equal to it to first order in lr_bar: they differ by at most
   s^2 lr_bar^2. *)
Theorem thm_momentum_noise W xi lr beta lam s lr_bar V V_SGD : E W xi = 0 -> E W (fun w => xi w ^ 2) = s ^ 2 ->
  0 < lr -> 0 < lam -> 0 <= beta < 1 -> lr * lam < 2 * (1 + beta) -> lr_bar = lr / (1 - beta) ->
  V = lr * s ^ 2 / lam * ((1 + beta) / ((1 - beta) * (2 * (1 + beta) - lr * lam))) ->
  V_SGD = lr_bar * s ^ 2 / (lam * (2 - lr_bar * lam)) ->
  (forall x0 before, Un_cv (variance W xi lr beta lam x0 before) V) /\
  V = lr_bar * s ^ 2 / (lam * (2 - (1 - beta) / (1 + beta) * lr_bar * lam)) /\
  (lr_bar * lam < 2 -> (forall x0, Un_cv (variance W xi lr_bar 0 lam x0 x0) V_SGD) /\ V <= V_SGD) /\
  (lr_bar * lam <= 1 -> V_SGD - V <= s ^ 2 * lr_bar ^ 2).
Proof.
  intros H0 H2 Hlr Hlam Hb Hst Hbar -> ->.
  assert (Hu : 0 < lr * lam) by pos. assert (Hz : 0 < lr_bar) by (rewrite Hbar; apply Rdiv_lt_0_compat; lra).
  assert (Hzl : 0 < lr_bar * lam) by pos. assert (Ebar : lr = lr_bar * (1 - beta)) by (rewrite Hbar; field; lra).
  assert (conv : forall eta b, 0 < eta -> 0 <= b < 1 -> eta * lam < 2 * (1 + b) -> forall x0 before,
    Un_cv (variance W xi eta b lam x0 before) (eta * s ^ 2 / lam * ((1 + b) / ((1 - b) * (2 * (1 + b) - eta * lam))))).
  { intros eta b He Hb' Hs x0 before. assert (Hel : 0 < eta * lam) by pos.
    apply (cv_ext (fun t => eta ^ 2 * s ^ 2 * sum t (fun k => spring (1 + b - eta * lam) b 1 0 k ^ 2))).
    - intros t. symmetry. now apply variance_is_sum.
    - replace (eta * s ^ 2 / lam * _) with (eta ^ 2 * s ^ 2 * limit b (eta * lam))
        by (unfold limit; field; repeat split; lra).
      apply (CV_mult (fun _ => eta ^ 2 * s ^ 2)); [apply cv_const|]. apply kicks_limit; [assumption|lra]. }
  assert (EV : lr * s ^ 2 / lam * ((1 + beta) / ((1 - beta) * (2 * (1 + beta) - lr * lam)))
    = lr_bar * s ^ 2 / (lam * (2 - (1 - beta) / (1 + beta) * lr_bar * lam))).
  { rewrite Ebar in *. field. repeat split; lra. }
  split; [now apply conv|]. split; [exact EV|]. rewrite EV.
  assert (H5 := thm_momentum_noise_step_5 beta (lr_bar * lam) Hb ltac:(lra)). rewrite <- Rmult_assoc in H5.
  set (D := 2 - (1 - beta) / (1 + beta) * lr_bar * lam) in *.
  split.
  - intros Hsgd. split.
    + intros x0. replace (lr_bar * s ^ 2 / (lam * (2 - lr_bar * lam)))
        with (lr_bar * s ^ 2 / lam * ((1 + 0) / ((1 - 0) * (2 * (1 + 0) - lr_bar * lam)))) by (field; lra).
      apply conv; lra.
    + unfold Rdiv. apply Rmult_le_compat_l; [pos|]. apply Rinv_le_contravar; [pos|].
      apply Rmult_le_compat_l; lra.
  - intros Hsmall. assert (H := thm_momentum_noise_step_5b beta (lr_bar * lam) Hb ltac:(lra)).
    rewrite <- Rmult_assoc in H. fold D in H.
    replace (lr_bar * s ^ 2 / (lam * (2 - lr_bar * lam)) - lr_bar * s ^ 2 / (lam * D))
      with (lr_bar * s ^ 2 / lam * (/ (2 - lr_bar * lam) - / D)) by (field; repeat split; lra).
    replace (s ^ 2 * lr_bar ^ 2) with (lr_bar * s ^ 2 / lam * (lr_bar * lam)) by (field; lra).
    apply Rmult_le_compat_l; [|assumption]. apply Rle_mult_inv_pos; [pos|lra].
Qed.

(* An instance: a coin that adds 1 or - 1, so s = 1; lr = 1/2, beta = 1/2, lam = 1, so lr_bar = 1. Then V = 3/5. *)
Lemma thm_momentum_noise_instance x0 before :
  Un_cv (variance coin (fun w => if Nat.eqb w 0 then 1 else -1) (1 / 2) (1 / 2) 1 x0 before) (3 / 5).
Proof.
  apply (thm_momentum_noise coin _ (1 / 2) (1 / 2) 1 1 1 (3 / 5) 1); try lra; rewrite E_coin; cbn [Nat.eqb]; lra.
Qed.
