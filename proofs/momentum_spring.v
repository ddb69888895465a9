(* Heavy ball in one direction is a spring: c_(t+1) = tau c_t - beta c_(t-1), tau = 1 + beta - lr lambda.

   Its roots, where they are complex, when they lie inside the unit circle, and what then happens to every run. A
   complex number is a pair (a, b), which stands for a + ib; real arithmetic suffices. *)
Require Export sums.
Open Scope R_scope.

(* a + ib is a root of rho^2 - tau rho + beta: real part and imaginary part vanish. *)
Definition root (tau beta a b : R) := a ^ 2 - b ^ 2 - tau * a + beta = 0 /\ 2 * a * b - tau * b = 0.
Definition modulus (a b : R) := sqrt (a ^ 2 + b ^ 2).
(* The run after t steps from c_0 = c and c_(-1) = before. *)
Fixpoint spring (tau beta c before : R) (t : nat) : R :=
  match t with O => c | S s => spring tau beta (tau * c - beta * before) c s end.

(* ---- 1. The roots. ---- *)

Lemma pow2_pos b : b <> 0 -> 0 < b ^ 2.
Proof. intros Hb. destruct (pow2_nonneg b) as [|E]; [assumption|]. symmetry in E. now apply pow2_zero in E. Qed.
Lemma modulus_real a : modulus a 0 = Rabs a.
Proof. unfold modulus. rewrite <- sqrt_of_square. f_equal. ring. Qed.
Lemma modulus_lt a b r : 0 <= r -> a ^ 2 + b ^ 2 < r ^ 2 <-> modulus a b < r.
Proof.
  intros Hr. assert (H : modulus a b ^ 2 = a ^ 2 + b ^ 2).
  { apply sqrt_squared. assert (Ha := pow2_nonneg a). assert (Hb := pow2_nonneg b). lra. }
  assert (Hp : 0 <= modulus a b) by apply sqrt_pos. rewrite <- H. split; intros Hlt.
  - apply Rnot_le_lt. intros Hle. assert (r ^ 2 <= modulus a b ^ 2) by (apply pow_incr; lra). lra.
  - apply Rnot_le_lt. intros Hle. apply le_of_squares in Hle; lra.
Qed.
(* A root that is not real: its conjugate is the other one, so tau = 2a and beta = a^2 + b^2. *)
Lemma conjugate tau beta a b : root tau beta a b -> b <> 0 -> tau = 2 * a /\ beta = a ^ 2 + b ^ 2.
Proof.
  intros [H1 H2] Hb. assert (Ht : tau = 2 * a) by (apply (Rmult_eq_reg_r b); [lra|assumption]).
  split; [assumption|]. rewrite Ht in H1. lra.
Qed.
(* Two real roots, where the discriminant is not negative. *)
Lemma real_roots tau beta : 0 <= tau ^ 2 - 4 * beta ->
  exists r1 r2, tau = r1 + r2 /\ beta = r1 * r2 /\ root tau beta r1 0 /\ root tau beta r2 0.
Proof.
  intros Hd. set (q := sqrt (tau ^ 2 - 4 * beta)). assert (Hq : q ^ 2 = tau ^ 2 - 4 * beta) by now apply sqrt_squared.
  exists ((tau - q) / 2), ((tau + q) / 2). unfold root. repeat split; lra.
Qed.
(* The discriminant decides whether a root is real. *)
Lemma complex_iff tau beta a b : root tau beta a b -> (b <> 0 <-> tau ^ 2 - 4 * beta < 0).
Proof.
  intros Hr. split.
  - intros Hb. destruct (conjugate tau beta a b Hr Hb) as [-> ->]. assert (P := pow2_pos b Hb). lra.
  - intros Hd ->. destruct Hr as [H1 _]. assert (P := pow2_nonneg (2 * a - tau)). lra.
Qed.
Lemma some_root tau beta : exists a b, root tau beta a b.
Proof.
  destruct (Rle_or_lt 0 (tau ^ 2 - 4 * beta)) as [Hd|Hd].
  - destruct (real_roots tau beta Hd) as (r1 & _ & _ & _ & H & _). now exists r1, 0.
  - exists (tau / 2), (sqrt (beta - tau ^ 2 / 4)). split; [rewrite sqrt_squared by lra|]; field.
Qed.

(* (3) Where the roots turn complex: the discriminant factorises. *)
Lemma thm_momentum_spectrum_step_3 s beta : 0 <= beta ->
  (1 + beta - s) ^ 2 - 4 * beta = (s - (1 - sqrt beta) ^ 2) * (s - (1 + sqrt beta) ^ 2).
Proof. intros H. rewrite <- (sqrt_squared beta H) at 1 2. ring. Qed.
(* It is negative exactly between the two numbers. *)
Lemma thm_momentum_spectrum_step_3b s beta : 0 <= beta ->
  (1 + beta - s) ^ 2 - 4 * beta < 0 <-> (1 - sqrt beta) ^ 2 < s < (1 + sqrt beta) ^ 2.
Proof.
  intros H. rewrite thm_momentum_spectrum_step_3 by assumption. assert (Hs := sqrt_pos beta). set (r := sqrt beta) in *.
  set (u := s - (1 - r) ^ 2). set (v := s - (1 + r) ^ 2). assert (Huv : v <= u) by (unfold u, v; lra).
  assert (E : u * v < 0 <-> 0 < u /\ v < 0); [|unfold u, v in *; lra]. split.
  - intros Hneg. split; apply Rnot_le_lt; intros Hle.
    + assert (0 <= - u * - v) by (apply Rmult_le_pos; lra). lra.
    + assert (0 <= u * v) by (apply Rmult_le_pos; lra). lra.
  - intros [Hu Hv]. assert (0 < u * - v) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
(* (4) Complex roots all have the same modulus. *)
Lemma thm_momentum_spectrum_step_4 tau beta a b : root tau beta a b -> b <> 0 -> modulus a b = sqrt beta.
Proof. intros Hr Hb. destruct (conjugate tau beta a b Hr Hb) as [_ ->]. reflexivity. Qed.

(* (5) Stability: with p(rho) = rho^2 - tau rho + beta, all roots lie inside the unit circle if and only if p(1) > 0
   and p(-1) > 0. *)
Lemma thm_momentum_spectrum_step_5 tau beta : 0 <= beta < 1 ->
  (forall a b, root tau beta a b -> modulus a b < 1) <-> 0 < 1 - tau + beta /\ 0 < 1 + tau + beta.
Proof.
  intros Hb. split.
  - intros Hin. destruct (Rle_or_lt 0 (tau ^ 2 - 4 * beta)) as [Hd|Hd].
    + destruct (real_roots tau beta Hd) as (r1 & r2 & Ht & Hp & H1 & H2). apply Hin in H1, H2.
      rewrite modulus_real in H1, H2. apply Rabs_def2 in H1, H2. rewrite Ht, Hp.
      assert (0 < (1 - r1) * (1 - r2)) by (apply Rmult_lt_0_compat; lra).
      assert (0 < (1 + r1) * (1 + r2)) by (apply Rmult_lt_0_compat; lra). lra.
    + assert (P1 := pow2_nonneg (1 - tau / 2)). assert (P2 := pow2_nonneg (1 + tau / 2)). lra.
  - intros [H1 H2] a b Hr. apply modulus_lt; [lra|]. destruct (Req_dec b 0) as [->|Hne].
    + destruct Hr as [Hr _]. set (o := tau - a).          (* the other root *)
      assert (Ho : a * o = beta) by (unfold o; lra). assert (P1 : 0 < (1 - a) * (1 - o)) by (unfold o in *; lra).
      assert (P2 : 0 < (1 + a) * (1 + o)) by (unfold o in *; lra).
      assert (below : a < 1).
      { apply Rnot_le_lt. intros Ha. destruct (Rle_or_lt 1 o) as [Hlo|Hlo].
        - assert (1 * 1 <= a * o) by (apply Rmult_le_compat; lra). lra.
        - assert (0 <= (a - 1) * (1 - o)) by (apply Rmult_le_pos; lra). lra. }
      assert (over : -1 < a).
      { apply Rnot_le_lt. intros Ha. destruct (Rle_or_lt o (-1)) as [Hlo|Hlo].
        - assert (1 * 1 <= - a * - o) by (apply Rmult_le_compat; lra). lra.
        - assert (0 <= (-1 - a) * (1 + o)) by (apply Rmult_le_pos; lra). lra. }
      assert (0 < (1 - a) * (1 + a)) by (apply Rmult_lt_0_compat; lra). lra.
    + destruct (conjugate tau beta a b Hr Hne) as [_ E]. lra.
Qed.
(* p(1) = s > 0 and p(-1) = 2 (1 + beta) - s. *)
Lemma thm_momentum_spectrum_step_5b s beta : 0 < s -> 0 <= beta < 1 ->
  (forall a b, root (1 + beta - s) beta a b -> modulus a b < 1) <-> s < 2 * (1 + beta).
Proof. intros Hs Hb. rewrite thm_momentum_spectrum_step_5 by assumption. split; lra. Qed.

(* ---- 2. The runs. ---- *)

Lemma spring_next tau beta c before t : spring tau beta c before (S (S t))
  = tau * spring tau beta c before (S t) - beta * spring tau beta c before t.
Proof.
  revert c before. induction t as [|t IH]; intros c before; [reflexivity|].
  cbn [spring] in *. apply IH.
Qed.
Lemma spring_scal tau beta k c before t : spring tau beta (k * c) (k * before) t = k * spring tau beta c before t.
Proof.
  revert c before. induction t as [|t IH]; intros c before; [reflexivity|].
  cbn [spring]. rewrite <- IH. f_equal. ring.
Qed.

(* The library's "u converges to 0", written out. *)
Lemma to_zero u : Un_cv u 0 <-> forall eps, 0 < eps -> exists N, forall t, (N <= t)%nat -> Rabs (u t) < eps.
Proof.
  split; intros H eps Heps; destruct (H eps Heps) as [N HN]; exists N; intros t Ht.
  - assert (E : Rabs (u t - 0) < eps) by exact (HN t Ht). now rewrite Rminus_0_r in E.
  - change (Rabs (u t - 0) < eps). rewrite Rminus_0_r. now apply HN.
Qed.
Lemma geometric_to_zero u K r : 0 <= r < 1 -> (forall t, Rabs (u t) <= K * r ^ t) -> Un_cv u 0.
Proof.
  intros Hr H. apply to_zero. intros eps Heps. assert (HK : 0 <= K).
  { specialize (H O). rewrite pow_O in H. assert (P := Rabs_pos (u O)). lra. }
  assert (Hr1 : Rabs r < 1) by (rewrite Rabs_pos_eq; lra).
  assert (He : 0 < eps / (K + 1)) by (apply Rdiv_lt_0_compat; lra).
  destruct (pow_lt_1_zero r Hr1 (eps / (K + 1)) He) as [N HN].
  exists N. intros n Hn. specialize (HN n Hn). specialize (H n).
  assert (Hp : 0 <= r ^ n) by (apply pow_le; lra). rewrite Rabs_pos_eq in HN by assumption.
  assert (M : (K + 1) * r ^ n < (K + 1) * (eps / (K + 1))) by (apply Rmult_lt_compat_l; lra).
  replace ((K + 1) * (eps / (K + 1))) with eps in M by (field; lra). lra.
Qed.

(* Real roots r1, r2 of size at most r: c_(t+1) - r1 c_t = r2 (c_t - r1 c_(t-1)), so the run shrinks by any r' > r. *)
Lemma shrinks_real r1 r2 r r' : Rabs r1 <= r -> Rabs r2 <= r -> r < r' -> forall t c before,
  Rabs (spring (r1 + r2) (r1 * r2) c before t) <= (Rabs c + Rabs (c - r1 * before) * (r / (r' - r))) * r' ^ t.
Proof.
  intros H1 H2 Hr t. assert (Hr0 : 0 <= r) by (assert (P := Rabs_pos r1); lra).
  induction t as [|t IH]; intros c before; cbn [spring].
  - rewrite pow_O. assert (0 <= Rabs (c - r1 * before) * (r / (r' - r))) by (pos; apply Rle_mult_inv_pos; lra). lra.
  - eapply Rle_trans; [apply IH|]. set (u := c - r1 * before).
    replace ((r1 + r2) * c - r1 * r2 * before - r1 * c) with (r2 * u) by (unfold u; ring).
    replace ((r1 + r2) * c - r1 * r2 * before) with (r1 * c + r2 * u) by (unfold u; ring).
    rewrite <- tech_pow_Rmult, <- Rmult_assoc. apply Rmult_le_compat_r; [apply pow_le; lra|].
    assert (T := Rabs_triang (r1 * c) (r2 * u)). rewrite !Rabs_mult in *.
    assert (A1 : Rabs r1 * Rabs c <= r * Rabs c) by (apply Rmult_le_compat_r; [apply Rabs_pos|assumption]).
    assert (A2 : Rabs r2 * Rabs u <= r * Rabs u) by (apply Rmult_le_compat_r; [apply Rabs_pos|assumption]).
    assert (Hk : 0 <= r / (r' - r)) by (apply Rle_mult_inv_pos; lra).
    assert (A3 : Rabs r2 * Rabs u * (r / (r' - r)) <= r * Rabs u * (r / (r' - r))) by now apply Rmult_le_compat_r.
    assert (A4 : 0 <= (r' - r) * Rabs c) by (apply Rmult_le_pos; [lra|apply Rabs_pos]).
    replace ((Rabs c + Rabs u * (r / (r' - r))) * r')
      with (r * Rabs c + (r' - r) * Rabs c + r * Rabs u + r * Rabs u * (r / (r' - r))) by (field; lra). lra.
Qed.
(* Complex roots: c_t^2 - tau c_t c_(t-1) + beta c_(t-1)^2 shrinks by beta exactly. *)
Lemma shrinks_complex tau beta : 0 < beta -> forall t c before,
  (1 - tau ^ 2 / (4 * beta)) * spring tau beta c before t ^ 2
    <= (c ^ 2 - tau * c * before + beta * before ^ 2) * beta ^ t.
Proof.
  intros Hb t. induction t as [|t IH]; intros c before; cbn [spring].
  - rewrite pow_O. assert (P : 0 <= beta * (before - tau * c / (2 * beta)) ^ 2) by pos.
    replace (c ^ 2 - tau * c * before + beta * before ^ 2)
      with ((1 - tau ^ 2 / (4 * beta)) * c ^ 2 + beta * (before - tau * c / (2 * beta)) ^ 2) by (field; lra). lra.
  - eapply Rle_trans; [apply IH|]. replace (beta ^ S t) with (beta * beta ^ t) by reflexivity.
    apply Req_le. ring.
Qed.

(* With all roots inside the unit circle every run goes to zero, from every start. *)
Lemma goes_to_zero s beta c before : 0 < s -> 0 <= beta < 1 -> s < 2 * (1 + beta) ->
  Un_cv (spring (1 + beta - s) beta c before) 0.
Proof.
  intros Hs Hb Hlt. assert (Hin := proj2 (thm_momentum_spectrum_step_5b s beta Hs Hb) Hlt).
  set (tau := 1 + beta - s) in *.
  destruct (Rle_or_lt 0 (tau ^ 2 - 4 * beta)) as [Hd|Hd].
  - destruct (real_roots tau beta Hd) as (r1 & r2 & Ht & Hp & H1 & H2). apply Hin in H1, H2.
    rewrite modulus_real in H1, H2. set (r := Rmax (Rabs r1) (Rabs r2)).
    assert (Hr1 : Rabs r1 <= r) by apply Rmax_l. assert (Hr2 : Rabs r2 <= r) by apply Rmax_r.
    assert (Hr : r < 1) by now apply Rmax_lub_lt. assert (P := Rabs_pos r1).
    rewrite Ht, Hp. eapply (geometric_to_zero _ _ ((1 + r) / 2)); [lra|]. intros t.
    apply (shrinks_real r1 r2 r ((1 + r) / 2)); lra.
  - assert (Hb0 : 0 < beta) by (assert (P := pow2_nonneg tau); lra). set (m := 1 - tau ^ 2 / (4 * beta)).
    assert (Hm : 0 < m).
    { unfold m. assert (tau ^ 2 / (4 * beta) < 1); [|lra]. apply Rmult_lt_reg_r with (4 * beta); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    set (V := c ^ 2 - tau * c * before + beta * before ^ 2).
    assert (HV := shrinks_complex tau beta Hb0 0 c before). rewrite pow_O in HV. fold m V in HV.
    cbn [spring] in HV. assert (Hc : 0 <= m * c ^ 2) by pos.
    apply (geometric_to_zero _ (sqrt (V / m)) (sqrt beta)).
    + split; [apply sqrt_pos|]. rewrite <- sqrt_1. apply sqrt_lt_1; lra.
    + intros t. assert (H := shrinks_complex tau beta Hb0 t c before). fold m V in H.
      apply le_of_squares; [pos|]. rewrite pow2_Rabs, Rpow_mult_distr, sqrt_squared by (apply Rle_mult_inv_pos; lra).
      rewrite <- pow_mult, Nat.mul_comm, pow_mult, sqrt_squared by lra.
      replace (V / m * beta ^ t) with (V * beta ^ t / m) by (field; lra). apply le_div; lra.
Qed.
(* Otherwise the run from c_0 = c_(-1) = 1 never comes nearer than 1: its sign alternates and its size does not fall. *)
Lemma stays s beta : 0 <= beta < 1 -> 2 * (1 + beta) <= s -> forall t, 1 <= Rabs (spring (1 + beta - s) beta 1 1 t).
Proof.
  intros Hb Hs t. set (tau := 1 + beta - s). assert (Ht : 1 + beta <= - tau) by (unfold tau; lra).
  assert (H : forall c before, (1 <= c /\ - c <= before) \/ (c <= -1 /\ before <= - c) ->
    1 <= Rabs (spring tau beta c before t)); [|apply H; lra].
  induction t as [|t IH]; intros c before [[H1 H2]|[H1 H2]]; cbn [spring].
  - rewrite Rabs_pos_eq; lra.
  - rewrite Rabs_left; lra.
  - apply IH. right. assert ((1 + beta) * c <= - tau * c) by (apply Rmult_le_compat_r; lra).
    assert (beta * - c <= beta * before) by (apply Rmult_le_compat_l; lra). lra.
  - apply IH. left. assert ((1 + beta) * - c <= - tau * - c) by (apply Rmult_le_compat_r; lra).
    assert (beta * before <= beta * - c) by (apply Rmult_le_compat_l; lra). lra.
Qed.
