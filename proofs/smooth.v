(* Gradients, and (A1): what a gradient that does not change faster than L allows. *)
Require Export vectors.
Open Scope R_scope.

(* G is the gradient of f at x: the usual definition, a remainder that is small against the step. *)
Definition is_grad d (f : vec -> R) (x G : vec) := forall eps, 0 < eps -> exists delta, 0 < delta /\
  forall y, norm d (sub y x) < delta -> Rabs (f y - f x - inner d G (sub y x)) <= eps * norm d (sub y x).
(* (A1): f has the gradient grad everywhere, and that is Lipschitz with constant L. *)
Definition smooth d (f : vec -> R) (grad : vec -> vec) (L : R) :=
  (forall x, is_grad d f x (grad x)) /\ forall x y, norm d (sub (grad x) (grad y)) <= L * norm d (sub x y).

(* What has a gradient looks at the first d entries only. *)
Lemma same_value d f x y G : is_grad d f x G -> (forall j, (j < d)%nat -> y j = x j) -> f y = f x.
Proof.
  intros H Hyx. destruct (H 1) as (delta & Hd & H1); [lra|].
  assert (H0 : norm d (sub y x) = 0) by (apply norm_of_zero; intros; unfold sub; rewrite Hyx by assumption; ring).
  specialize (H1 y). rewrite H0 in H1. specialize (H1 Hd).
  replace (inner d G (sub y x)) with 0 in H1; [unfold Rabs in H1; destruct (Rcase_abs _); lra|].
  symmetry. apply sum_zeros. intros. unfold sub. rewrite Hyx by assumption. ring.
Qed.

(* The point x + s v of a straight line; along it f has the derivative <G, v>. *)
Definition along (x v : vec) (s : R) : vec := fun j => x j + s * v j.
Lemma derivative_along d f x v s G : is_grad d f (along x v s) G ->
  derivable_pt_lim (fun r => f (along x v r)) s (inner d G v).
Proof.
  intros H eps Heps. assert (HN := norm_pos d v). set (N := norm d v) in *.
  destruct (H (eps / (N + 1))) as (delta & Hd & H1); [apply Rdiv_lt_0_compat; lra|].
  assert (Hpos : 0 < delta / (N + 1)) by (apply Rdiv_lt_0_compat; lra).
  exists (mkposreal _ Hpos). intros h Hh Hsmall. cbn [pos] in Hsmall. specialize (H1 (along x v (s + h))).
  assert (step : forall j, sub (along x v (s + h)) (along x v s) j = h * v j) by (intros; unfold sub, along; ring).
  rewrite (norm_ext d _ (fun j => h * v j)), (inner_ext d G _ G (fun j => h * v j)), norm_scal, inner_scal in H1
    by (intros; auto). fold N in H1.
  assert (Hh' : 0 < Rabs h) by now apply Rabs_pos_lt.
  assert (close : Rabs h * N < delta).
  { apply Rle_lt_trans with (Rabs h * (N + 1)); [apply Rmult_le_compat_l; lra|].
    apply Rmult_lt_reg_r with (/ (N + 1)); [apply Rinv_0_lt_compat; lra|].
    rewrite Rmult_assoc, Rinv_r by lra. unfold Rdiv in Hsmall. lra. }
  specialize (H1 close).
  replace ((f (along x v (s + h)) - f (along x v s)) / h - inner d G v)
    with ((f (along x v (s + h)) - f (along x v s) - h * inner d G v) * / h) by (field; assumption).
  rewrite Rabs_mult, Rabs_inv. apply Rmult_lt_reg_r with (Rabs h); [assumption|].
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. eapply Rle_lt_trans; [exact H1|].
  replace (eps / (N + 1) * (Rabs h * N)) with (eps * Rabs h * (N / (N + 1))) by (field; lra).
  assert (N / (N + 1) < 1).
  { apply Rmult_lt_reg_r with (N + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (0 < eps * Rabs h) by (apply Rmult_lt_0_compat; lra).
  rewrite <- (Rmult_1_r (eps * Rabs h)) at 2. now apply Rmult_lt_compat_l.
Qed.

(* If the slope grows by at most C s on the way from 0 to 1, the function rises by at most its first slope and C / 2.
   No integral: it is the mean value theorem for h(s) - g0 s - C s^2 / 2. *)
Lemma segment h h' g0 C : (forall s, 0 <= s <= 1 -> derivable_pt_lim h s (h' s)) ->
  (forall s, 0 <= s <= 1 -> h' s - g0 <= C * s) -> h 1 <= h 0 + g0 + C / 2.
Proof.
  intros Hh Hg.
  assert (D : forall s, 0 <= s <= 1 -> derivable_pt_lim (fun r => h r - (g0 * r + C / 2 * r ^ 2)) s
    (h' s - (g0 * 1 + C / 2 * (INR 2 * s ^ 1)))).
  { intros s Hs. apply (derivable_pt_lim_minus h (fun r => g0 * r + C / 2 * r ^ 2)); [now apply Hh|].
    apply (derivable_pt_lim_plus (fun r => g0 * r) (fun r => C / 2 * r ^ 2)).
    - apply (derivable_pt_lim_scal id g0 s 1), derivable_pt_lim_id.
    - apply (derivable_pt_lim_scal (fun r => r ^ 2) (C / 2) s (INR 2 * s ^ 1)), (derivable_pt_lim_pow s 2). }
  destruct (MVT_cor2 _ _ 0 1 Rlt_0_1 D) as (c & Hc & H01). specialize (Hg c). rewrite INR_two in Hc. lra.
Qed.

(* The descent lemma (lem-descent), in the form that the chapters use. *)
Lemma descent d f grad L : smooth d f grad L ->
  forall x y, f y <= f x + inner d (grad x) (sub y x) + L / 2 * norm2 d (sub y x).
Proof.
  intros [Hf HL] x y. set (v := sub y x).
  rewrite (same_value d f (along x v 1) y _ (Hf _)) by (intros; unfold along, v, sub; ring).
  rewrite (same_value d f (along x v 0) x _ (Hf _)) by (intros; unfold along; ring).
  replace (L / 2 * norm2 d v) with (L * norm2 d v / 2) by field.
  apply (segment (fun s => f (along x v s)) (fun s => inner d (grad (along x v s)) v)).
  - intros s _. apply derivative_along, Hf.
  - intros s Hs. rewrite <- inner_sub_l. eapply Rle_trans; [apply inner_le|].
    specialize (HL (along x v s) x). rewrite (norm_ext d (sub (along x v s) x) (fun j => s * v j)) in HL
      by (intros; unfold sub, along; ring).
    rewrite norm_scal, Rabs_pos_eq in HL by lra. rewrite <- norm_squared.
    assert (H := norm_pos d v). replace (L * norm d v ^ 2 * s) with (L * (s * norm d v) * norm d v) by ring.
    now apply Rmult_le_compat_r.
Qed.
