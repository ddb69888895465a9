(* A symmetric matrix has an eigenvector: the largest value of x^T A x on the unit sphere is an eigenvalue.

   The usual proof says that a continuous function attains its maximum on a compact set. This one needs neither word.
   Completing the square shows that a form that is nowhere negative is either zero at some vector or bounded below
   (`null_or_bounded`, by induction over the size). With the supremum lam of x^T A x, the form of lam I - A is nowhere
   negative and, lam being the least such number, not bounded below. Where it is zero, A x = lam x. *)
Require Export spectral.
Open Scope R_scope.

(* ---- 1. One more row and column: complete the square. ---- *)

(* The vector y with t as entry n. *)
Definition extend (n : nat) (y : vec) (t : R) : vec := fun i => if Nat.eqb i n then t else y i.
Lemma extend_last n y t : extend n y t n = t.
Proof. unfold extend. now rewrite Nat.eqb_refl. Qed.
Lemma extend_first n y t i : (i < n)%nat -> extend n y t i = y i.
Proof. intros Hi. unfold extend. now rewrite (proj2 (Nat.eqb_neq i n)) by lia. Qed.
Lemma norm2_extend n y t : norm2 (S n) (extend n y t) = norm2 n y + t ^ 2.
Proof. unfold norm2 at 1. rewrite sum_S, extend_last. f_equal. apply norm2_ext. apply extend_first. Qed.

Definition column (B : mat) (n : nat) : vec := fun i => B i n.
(* What is left of B when the last row and column are eliminated. *)
Definition schur (B : mat) (n : nat) : mat := fun i j => B i j - B i n * B j n / B n n.

Lemma quad_ext n A x y : (forall i, (i < n)%nat -> x i = y i) -> quad n A x = quad n A y.
Proof. intros H. unfold quad. apply inner_ext; [assumption|]. intros. now apply times_ext. Qed.
Lemma quad_next n B x : symmetric (S n) B ->
  quad (S n) B x = quad n B x + 2 * x n * inner n (column B n) x + B n n * x n ^ 2.
Proof.
  intros HB. unfold quad, times, inner. rewrite sum_S, sum_S.
  rewrite (sum_ext n (fun i => x i * sum (S n) _) (fun i => x i * sum n (fun j => B i j * x j) + x n * (B i n * x i))).
  - rewrite sum_plus, sum_scal, (sum_ext n (fun j => B n j * x j) (fun j => B j n * x j)).
    + unfold column. ring.
    + intros j Hj. now rewrite (HB n j) by lia.
  - intros i _. rewrite sum_S. ring.
Qed.
Lemma quad_schur n B y : B n n <> 0 -> quad n (schur B n) y = quad n B y - inner n (column B n) y ^ 2 / B n n.
Proof.
  intros Hb. unfold quad, inner at 1. rewrite (sum_ext n _ (fun i => y i * times n B y i
    - inner n (column B n) y / B n n * (column B n i * y i))).
  - rewrite (sum_minus n (fun i => y i * times n B y i)), sum_scal. unfold inner. field. assumption.
  - intros i _. unfold times at 1, schur, inner at 1.
    rewrite (sum_ext n _ (fun j => B i j * y j - B i n / B n n * (B j n * y j))) by (intros; field; assumption).
    rewrite (sum_minus n (fun j => B i j * y j)), sum_scal. unfold times, inner, column. field. assumption.
Qed.
Lemma complete_square n B x : symmetric (S n) B -> B n n <> 0 ->
  quad (S n) B x = quad n (schur B n) x + B n n * (x n + inner n (column B n) x / B n n) ^ 2.
Proof. intros HB Hb. rewrite quad_next, quad_schur by assumption. field. assumption. Qed.
Lemma schur_symmetric n B : symmetric (S n) B -> symmetric n (schur B n).
Proof. intros HB i j Hi Hj. unfold schur. rewrite (HB i j) by lia. unfold Rdiv. ring. Qed.

(* ---- 2. A form that is nowhere negative is zero somewhere or bounded below. ---- *)

(* If the smaller form is bounded below by kappa, the whole is by 1 / M. *)
Lemma bounded_next n B kappa : symmetric (S n) B -> 0 < B n n -> 0 < kappa ->
  (forall x, kappa * norm2 n x <= quad n (schur B n) x) ->
  exists m, 0 < m /\ forall x, m * norm2 (S n) x <= quad (S n) B x.
Proof.
  intros HB Hb Hk Hlow. set (b := B n n) in *. set (c := norm2 n (column B n)).
  assert (Hc : 0 <= c) by apply norm2_pos. set (w := 1 + 2 * c / b ^ 2).
  assert (Hw : 0 < w) by (assert (0 <= 2 * c / b ^ 2) by (apply Rle_mult_inv_pos; pos); unfold w; lra).
  set (M := w / kappa + 2 / b). assert (H1 : 0 < w / kappa) by pos. assert (H2 : 0 < 2 / b) by pos.
  exists (/ M). split; [apply Rinv_0_lt_compat; unfold M; lra|]. intros x.
  rewrite complete_square by (try assumption; fold b; lra). fold b.
  set (k := inner n (column B n) x). set (t := x n + k / b). set (N := norm2 n x).
  assert (K : k ^ 2 <= c * N) by apply inner_squared.
  assert (X : norm2 (S n) x <= w * N + 2 * t ^ 2).
  { replace (norm2 (S n) x) with (N + x n ^ 2) by reflexivity.
    assert (S1 : x n ^ 2 <= 2 * t ^ 2 + 2 * (k / b) ^ 2).
    { replace (x n) with (t - k / b) by (unfold t; ring). assert (P := pow2_nonneg (t + k / b)). lra. }
    assert (S2 : 2 / b ^ 2 * k ^ 2 <= 2 / b ^ 2 * (c * N)) by (apply Rmult_le_compat_l; [apply Rlt_le; pos|assumption]).
    replace (2 * (k / b) ^ 2) with (2 / b ^ 2 * k ^ 2) in S1 by (field; lra).
    replace (w * N) with (N + 2 / b ^ 2 * (c * N)) by (unfold w; field; lra). lra. }
  assert (Q := Hlow x). fold N in Q. set (q := quad n (schur B n) x) in *.
  assert (HN : 0 <= N) by apply norm2_pos. assert (HkN : 0 <= kappa * N) by pos. assert (Ht := pow2_nonneg t).
  assert (P1 : w / kappa * (kappa * N) <= w / kappa * q) by (apply Rmult_le_compat_l; lra).
  replace (w / kappa * (kappa * N)) with (w * N) in P1 by (field; lra).
  assert (P2 : 0 <= w / kappa * (b * t ^ 2)) by pos. assert (P3 : 0 <= 2 / b * q) by (apply Rmult_le_pos; lra).
  apply Rmult_le_reg_l with M; [unfold M; lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by (unfold M; lra).
  replace (M * (q + b * t ^ 2)) with (w / kappa * q + w / kappa * (b * t ^ 2) + 2 / b * q + 2 * t ^ 2)
    by (unfold M; field; lra). lra.
Qed.

Lemma null_or_bounded n B : symmetric n B -> (forall x, 0 <= quad n B x) ->
  (exists x, 0 < norm2 n x /\ quad n B x = 0) \/ (exists m, 0 < m /\ forall x, m * norm2 n x <= quad n B x).
Proof.
  revert B. induction n as [|n IH]; intros B HB Hp.
  - right. exists 1. split; [lra|]. intros x. unfold quad, inner, norm2. rewrite !sum_O. lra.
  - assert (Hb : 0 <= B n n).
    { specialize (Hp (delta n)). unfold quad in Hp. rewrite inner_sym, inner_delta in Hp by lia.
      unfold times in Hp. rewrite inner_delta in Hp by lia. assumption. }
    destruct Hb as [Hb|Hb].
    + assert (Hne : B n n <> 0) by lra.
      (* the last entry that makes the square vanish *)
      set (best := fun y => extend n y (- inner n (column B n) y / B n n)).
      assert (Q : forall y, quad (S n) B (best y) = quad n (schur B n) y).
      { intros y. rewrite complete_square by assumption. unfold best.
        rewrite extend_last, (quad_ext n _ _ y), (inner_ext_r n _ (extend n y _) y) by apply extend_first.
        field. assumption. }
      destruct (IH (schur B n) (schur_symmetric n B HB)) as [(y & Hy & H0)|(m & Hm & Hlow)].
      * intros y. rewrite <- Q. apply Hp.
      * left. exists (best y). rewrite Q. split; [|assumption]. unfold best. rewrite norm2_extend.
        assert (P := pow2_nonneg (- inner n (column B n) y / B n n)). lra.
      * right. exact (bounded_next n B m HB Hb Hm Hlow).
    + left. exists (delta n). rewrite norm2_delta by lia. split; [lra|].
      unfold quad. rewrite inner_sym, inner_delta by lia. unfold times. now rewrite inner_delta by lia.
Qed.

(* Where such a form is zero, B x is zero: otherwise a step from x along - B x would make the form negative. *)
Lemma null_vector n B x : symmetric n B -> (forall z, 0 <= quad n B z) -> quad n B x = 0 ->
  forall a, (a < n)%nat -> times n B x a = 0.
Proof.
  intros HB Hp H0. apply norm2_zero. set (g := times n B x). set (N := norm2 n g). set (K := quad n B g).
  assert (HN : 0 <= N) by apply norm2_pos. assert (HK : 0 <= K) by apply Hp.
  assert (H := Hp (fun j => x j + - (N / (K + 1)) * g j)). rewrite quad_along, H0 in H by assumption.
  fold g in H. rewrite inner_self in H. fold N K in H. set (s := N / (K + 1)) in *.
  assert (Hs : s * (K + 1) = N) by (unfold s; field; lra). assert (P := pow2_nonneg s).
  assert (E : 2 * - s * N + (- s) ^ 2 * K = - (s ^ 2 * (K + 2))) by (rewrite <- Hs; ring).
  assert (s ^ 2 * 2 <= s ^ 2 * (K + 2)) by (apply Rmult_le_compat_l; lra).
  assert (Hz : s = 0) by (apply pow2_zero; lra). rewrite <- Hs, Hz. ring.
Qed.

(* ---- 3. The largest eigenvalue. ---- *)

(* lam I - A *)
Definition above (lam : R) (A : mat) : mat := fun i j => lam * delta i j - A i j.
Lemma times_above n lam A x i : (i < n)%nat -> times n (above lam A) x i = lam * x i - times n A x i.
Proof.
  intros Hi. unfold times, above. rewrite <- (times_delta n x i Hi). unfold times, inner.
  rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros. ring.
Qed.
Lemma quad_above n lam A x : quad n (above lam A) x = lam * norm2 n x - quad n A x.
Proof.
  unfold quad. rewrite (inner_ext_r n x _ (fun i => lam * x i + -1 * times n A x i)).
  - rewrite inner_lin, inner_self. ring.
  - intros i Hi. rewrite times_above by assumption. ring.
Qed.
Lemma above_symmetric n lam A : symmetric n A -> symmetric n (above lam A).
Proof. intros HA i j Hi Hj. unfold above. now rewrite delta_sym, (HA i j). Qed.

(* The supremum over the unit sphere bounds the form everywhere. *)
Lemma form_le n A lam : (forall x, norm2 n x = 1 -> quad n A x <= lam) -> forall x, quad n A x <= lam * norm2 n x.
Proof.
  intros H x. destruct (norm2_pos n x) as [Hx|Hx].
  - set (N := norm n x). assert (HN : 0 < N) by (apply sqrt_lt_R0; assumption).
    assert (HN2 : N ^ 2 = norm2 n x) by apply norm_squared. specialize (H (fun i => / N * x i)).
    rewrite norm2_scal, quad_scal, <- HN2 in H. assert (H1 : (/ N) ^ 2 * quad n A x <= lam) by (apply H; field; lra).
    rewrite <- HN2. apply Rmult_le_reg_l with ((/ N) ^ 2); [apply pow_lt, Rinv_0_lt_compat; assumption|].
    replace ((/ N) ^ 2 * (lam * N ^ 2)) with lam by (field; lra). assumption.
  - assert (Z := norm2_zero n x (eq_sym Hx)). rewrite <- Hx. unfold quad, inner. rewrite sum_zeros; [lra|].
    intros i Hi. rewrite Z by assumption. ring.
Qed.

Theorem top_eigenvalue n A : (1 <= n)%nat -> symmetric n A ->
  exists lam, eigenvalue n A lam /\ forall z, quad n A z <= lam * norm2 n z.
Proof.
  intros Hn HA.
  destruct (completeness (fun v => exists x, norm2 n x = 1 /\ v = quad n A x)) as [lam [Hup Hleast]].
  - exists (frobenius n A). intros v (x & Hx & ->). assert (H := quad_bound n A x). rewrite Hx in H.
    assert (H1 := Rle_abs (quad n A x)). lra.
  - exists (quad n A (delta 0)), (delta 0). split; [apply norm2_delta; lia|reflexivity].
  - assert (Hb : forall z, quad n A z <= lam * norm2 n z).
    { apply form_le. intros x Hx. apply Hup. exists x. split; [assumption|reflexivity]. }
    exists lam. split; [|assumption].
    destruct (null_or_bounded n (above lam A) (above_symmetric n lam A HA)) as [(x & Hx & H0)|(m & Hm & Hlow)].
    + intros z. rewrite quad_above. specialize (Hb z). lra.
    + exists x. split; [assumption|]. intros a Ha.
      assert (E : times n (above lam A) x a = 0).
      { apply (null_vector n (above lam A) x (above_symmetric n lam A HA)); [|assumption|assumption].
        intros z. rewrite quad_above. specialize (Hb z). lra. }
      rewrite times_above in E by assumption. lra.
    + exfalso. assert (H : lam <= lam - m); [|lra]. apply Hleast. intros v (x & Hx & ->).
      specialize (Hlow x). rewrite quad_above, Hx in Hlow. lra.
Qed.
