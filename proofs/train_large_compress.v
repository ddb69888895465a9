(* Train large, then compress: the U and its minimum (prp-large-u). *)
Require Import sums.
Open Scope R_scope.

(* c operations a token, D = C / c tokens, loss E + A c^-alpha + B D^-beta. *)

(* The exponential lies above its tangents, and touches them only at their points. *)
Lemma exp_above m x : exp m * (1 + (x - m)) <= exp x.
Proof.
  replace (exp x) with (exp m * exp (x - m)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|apply exp_ineq1_le].
Qed.
Lemma exp_strictly_above m x : x <> m -> exp m * (1 + (x - m)) < exp x.
Proof.
  intros H. replace (exp x) with (exp m * exp (x - m)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_lt_compat_l; [apply exp_pos|apply exp_ineq1; lra].
Qed.
Lemma exp_strictly_convex x y t : x <> y -> 0 < t < 1 -> exp (t * x + (1 - t) * y) < t * exp x + (1 - t) * exp y.
Proof.
  intros Hxy Ht. set (m := t * x + (1 - t) * y).
  assert (Hx : x <> m).
  { intros E. assert (E0 : (1 - t) * (x - y) = 0) by (unfold m in E; lra). apply Rmult_integral in E0. lra. }
  assert (H1 := exp_strictly_above m x Hx). assert (H2 := exp_above m y).
  assert (H3 := Rmult_lt_compat_l t _ _ (proj1 Ht) H1). assert (H4 := Rmult_le_compat_l (1 - t) _ _ ltac:(lra) H2).
  replace (exp m) with (t * (exp m * (1 + (x - m))) + (1 - t) * (exp m * (1 + (y - m)))) by (unfold m; ring). lra.
Qed.

Section U.
  Variables E A B alpha beta C : R.
  Hypothesis positive : 0 < A /\ 0 < B /\ 0 < alpha /\ 0 < beta /\ 0 < C.
  Definition loss (c D : R) := E + A * Rpower c (- alpha) + B * Rpower D (- beta).
  (* (1) One variable: u = ln c. *)
  Definition h (u : R) := E + A * exp (- alpha * u) + B * Rpower C (- beta) * exp (beta * u).
  Lemma step_1 u : loss (exp u) (C / exp u) = h u.
  Proof.
    unfold loss, h, Rpower. rewrite ln_exp. assert (Hu := exp_pos u).
    replace (ln (C / exp u)) with (ln C - u)
      by (unfold Rdiv; rewrite ln_mult, ln_Rinv, ln_exp by (try apply Rinv_0_lt_compat; lra); ring).
    replace (- beta * (ln C - u)) with (- beta * ln C + beta * u) by ring. rewrite exp_plus. ring.
  Qed.
  (* (2) Convex. *)
  Lemma step_2 u v t : u <> v -> 0 < t < 1 -> h (t * u + (1 - t) * v) < t * h u + (1 - t) * h v.
  Proof.
    destruct positive as (HA & HB & Ha & Hb & HC). intros Huv Ht. unfold h.
    assert (H1 : - alpha * u <> - alpha * v) by (intros E0; apply Huv; apply Rmult_eq_reg_l with (- alpha); lra).
    assert (H2 : beta * u <> beta * v) by (intros E0; apply Huv; apply Rmult_eq_reg_l with beta; lra).
    assert (H3 := exp_strictly_convex _ _ t H1 Ht). assert (H4 := exp_strictly_convex _ _ t H2 Ht).
    replace (- alpha * (t * u + (1 - t) * v)) with (t * (- alpha * u) + (1 - t) * (- alpha * v)) by ring.
    replace (beta * (t * u + (1 - t) * v)) with (t * (beta * u) + (1 - t) * (beta * v)) by ring.
    assert (HBC : 0 < B * Rpower C (- beta)) by (apply Rmult_lt_0_compat; [assumption|apply exp_pos]).
    apply (Rmult_lt_compat_l A) in H3; [|assumption]. apply (Rmult_lt_compat_l _ _ _ HBC) in H4. lra.
  Qed.
  (* (3) The minimum (eq-large-best). *)
  Definition c_star := Rpower (alpha * A / (beta * B)) (/ (alpha + beta)) * Rpower C (beta / (alpha + beta)).
  Definition u_star := / (alpha + beta) * ln (alpha * A / (beta * B)) + beta / (alpha + beta) * ln C.
  Lemma c_star_is : c_star = exp u_star.
  Proof. unfold c_star, u_star, Rpower. symmetry. apply exp_plus. Qed.
  (* At the best size one more per cent of model lowers the loss as much as one more per cent of text. *)
  Lemma balance : alpha * A * exp (- alpha * u_star) = beta * B * Rpower C (- beta) * exp (beta * u_star).
  Proof.
    destruct positive as (HA & HB & Ha & Hb & HC). set (q := alpha * A / (beta * B)).
    assert (Hq : 0 < q) by (unfold q; pos). assert (E1 : alpha * A = beta * B * q) by (unfold q; field; lra).
    rewrite E1. rewrite <- (exp_ln q Hq) at 1. unfold Rpower. rewrite !Rmult_assoc. do 2 f_equal.
    rewrite <- !exp_plus. f_equal. unfold u_star. fold q. field. lra.
  Qed.
  Lemma step_3 u : u <> u_star -> h u_star < h u.
  Proof.
    destruct positive as (HA & HB & Ha & Hb & HC). intros Hu. assert (Hbal := balance).
    set (M := alpha * A * exp (- alpha * u_star)) in *.
    assert (H1 := exp_strictly_above (- alpha * u_star) (- alpha * u)
      ltac:(intros E0; apply Hu; apply Rmult_eq_reg_l with (- alpha); lra)).
    assert (H2 := exp_above (beta * u_star) (beta * u)).
    assert (HBC : 0 < B * Rpower C (- beta)) by (apply Rmult_lt_0_compat; [assumption|apply exp_pos]).
    apply (Rmult_lt_compat_l A) in H1; [|assumption]. apply (Rmult_le_compat_l (B * Rpower C (- beta))) in H2; [|lra].
    assert (E1 : A * (exp (- alpha * u_star) * (1 + (- alpha * u - - alpha * u_star)))
      = A * exp (- alpha * u_star) - M * (u - u_star)) by (unfold M; ring).
    assert (E2 : B * Rpower C (- beta) * (exp (beta * u_star) * (1 + (beta * u - beta * u_star)))
      = B * Rpower C (- beta) * exp (beta * u_star) + M * (u - u_star)) by (rewrite Hbal; ring).
    unfold h. lra.
  Qed.
End U.
(* prp-large-u: the loss is strictly convex in u = ln c and has its only minimum at c_star (eq-large-best); k times
   the budget wants k^(beta / (alpha + beta)) times the model and k^(alpha / (alpha + beta)) times the tokens. *)
Theorem prp_large_u E A B alpha beta C : 0 < A /\ 0 < B /\ 0 < alpha /\ 0 < beta /\ 0 < C ->
  (forall u v t, u <> v -> 0 < t < 1 -> let L u := loss E A B alpha beta (exp u) (C / exp u) in
    L (t * u + (1 - t) * v) < t * L u + (1 - t) * L v) /\
  (forall c, 0 < c -> c <> c_star A B alpha beta C ->
    loss E A B alpha beta (c_star A B alpha beta C) (C / c_star A B alpha beta C) < loss E A B alpha beta c (C / c)) /\
  forall k, 0 < k -> c_star A B alpha beta (k * C) = Rpower k (beta / (alpha + beta)) * c_star A B alpha beta C /\
    k * C / c_star A B alpha beta (k * C) = Rpower k (alpha / (alpha + beta)) * (C / c_star A B alpha beta C).
Proof.
  intros H. destruct H as (HA & HB & Ha & Hb & HC).
  assert (H : 0 < A /\ 0 < B /\ 0 < alpha /\ 0 < beta /\ 0 < C) by tauto. split; [|split].
  - intros u v t Huv Ht L. unfold L. rewrite !step_1 by assumption. now apply step_2.
  - intros c Hc Hne. rewrite c_star_is in *. rewrite <- (exp_ln c Hc). rewrite !step_1 by assumption.
    apply step_3; [assumption|]. intros E0. apply Hne. now rewrite <- E0, exp_ln.
  - (* (4) Growth. *)
    intros k Hk.
    assert (E1 : c_star A B alpha beta (k * C) = Rpower k (beta / (alpha + beta)) * c_star A B alpha beta C).
    { unfold c_star. rewrite <- (Rpower_mult_distr k C) by assumption. ring. }
    split; [exact E1|]. rewrite E1. assert (Hcs : 0 < c_star A B alpha beta C) by (rewrite c_star_is; apply exp_pos).
    assert (Hp : 0 < Rpower k (beta / (alpha + beta))) by apply exp_pos.
    assert (E2 : k = Rpower k (beta / (alpha + beta)) * Rpower k (alpha / (alpha + beta))).
    { rewrite <- Rpower_plus. replace (beta / (alpha + beta) + alpha / (alpha + beta)) with 1 by (field; lra).
      now rewrite Rpower_1. }
    rewrite E2 at 1. field. lra.
Qed.
Lemma prp_large_u_instance c : let least := c_star 1 2 (/ 2) (/ 3) 10 in 0 < c -> c <> least ->
  loss 3 1 2 (/ 2) (/ 3) least (10 / least) < loss 3 1 2 (/ 2) (/ 3) c (10 / c).
Proof. intros least. apply (prp_large_u 3 1 2 (/ 2) (/ 3) 10). lra. Qed.
