(* thm-momentum-spectrum: heavy ball on a quadratic, in d dimensions.

   H is any symmetric matrix whose eigenvalues are positive; its eigenvectors come from the spectral theorem. Step (1)
   stands in momentum_quadratic.v; step (2), on the matrix of 2d rows, in momentum_matrix.v; steps (3) to (5), which
   need one direction only, in momentum_spring.v. Here are the end of (5), "the largest lambda decides", and the whole.
   `converges` says that the distance to the minimum goes to zero. *)
Require Export momentum_matrix.
Open Scope R_scope.

(* Finitely many sequences that go to zero are small together. *)
Lemma small_together n (u : nat -> nat -> R) : (forall j, (j < n)%nat -> Un_cv (u j) 0) ->
  forall eps, 0 < eps -> exists N, forall t, (N <= t)%nat -> forall j, (j < n)%nat -> Rabs (u j t) < eps.
Proof.
  intros H eps Heps. induction n as [|n IH]; [exists O; intros; lia|].
  destruct IH as [N HN]; [intros; apply H; lia|].
  destruct (proj1 (to_zero (u n)) (H n (le_n _)) eps Heps) as [M HM].
  exists (N + M)%nat. intros t Ht j Hj. destruct (Nat.eq_dec j n) as [->|]; [|apply HN; lia].
  apply HM. lia.
Qed.
Lemma root_of_squares d (u : nat -> nat -> R) : (forall j, (j < d)%nat -> Un_cv (u j) 0) ->
  Un_cv (fun t => sqrt (sum d (fun j => u j t ^ 2))) 0.
Proof.
  intros H. apply to_zero. intros eps Heps. assert (Hd := pos_INR d). set (e := eps / (INR d + 1)).
  assert (He : 0 < e) by (apply Rdiv_lt_0_compat; lra).
  destruct (small_together d u H e He) as [N HN]. exists N. intros t Ht.
  rewrite Rabs_pos_eq by apply sqrt_pos. apply Rle_lt_trans with (sqrt (INR d * e ^ 2)).
  - apply sqrt_le_1_alt. rewrite <- sum_const. apply sum_le. intros j Hj. rewrite <- pow2_Rabs.
    apply pow_incr. split; [apply Rabs_pos|apply Rlt_le, HN; [exact Ht|assumption]].
  - assert (Hsq : INR d * e ^ 2 < eps ^ 2).
    { replace eps with ((INR d + 1) * e) by (unfold e; field; lra).
      assert (He2 : 0 < e ^ 2) by (apply pow_lt; assumption). assert (0 <= INR d * (INR d * e ^ 2)) by pos.
      assert (0 <= INR d * e ^ 2) by pos. lra. }
    rewrite <- (Rabs_pos_eq eps), <- sqrt_of_square by lra. apply sqrt_lt_1_alt. split; [pos|assumption].
Qed.

(* "Converges": the distance to the minimum goes to zero. *)
Definition converges d H xs lr beta x before :=
  Un_cv (fun t => norm d (sub (heavy_ball (bowl_grad d H xs) lr beta x before t) xs)) 0.

Section Stability.
  Variable d : nat.
  Variable H : mat.
  Variable xs : vec.
  Variables lr beta L : R.
  Hypothesis HH : symmetric d H.
  Hypothesis largest : eigenvalue d H L.
  Hypothesis spectrum : forall l, eigenvalue d H l -> 0 < l <= L.
  Hypothesis Hlr : 0 < lr.
  Hypothesis Hbeta : 0 <= beta < 1.

  (* (5), the end: the largest lambda decides. *)
  Lemma inside x before : lr * L < 2 * (1 + beta) -> converges d H xs lr beta x before.
  Proof.
    intros Hlt. destruct (spectral_theorem d H HH) as (q & lam & Hq).
    assert (E : forall j, (j < d)%nat -> 0 < lam j <= L).
    { intros j Hj. apply spectrum, (eigenvalue_iff d H q lam _ HH Hq). now exists j. }
    assert (Z := root_of_squares d (fun j => spring (1 + beta - lr * lam j) beta
      (inner d (q j) (sub x xs)) (inner d (q j) (sub before xs)))).
    intros eps Heps. destruct Z with (eps := eps) as [N HN]; [|assumption|].
    - intros j Hj. destruct (E j Hj) as [E1 E2]. assert (lr * lam j <= lr * L) by (apply Rmult_le_compat_l; lra).
      apply goes_to_zero; [apply Rmult_lt_0_compat; lra|assumption|lra].
    - exists N. intros t Ht. rewrite (distance d H q lam) by assumption. now apply HN.
  Qed.
  Lemma outside : 2 * (1 + beta) <= lr * L -> exists x, ~ converges d H xs lr beta x x.
  Proof.
    intros Hge. destruct (spectral_theorem d H HH) as (q & lam & Hq).
    destruct (proj1 (eigenvalue_iff d H q lam L HH Hq) largest) as (k & Hk & HL).
    exists (fun i => xs i + q k i). intros Hc. destruct (proj1 (to_zero _) Hc 1 Rlt_0_1) as [N HN].
    specialize (HN N (le_n N)). rewrite Rabs_pos_eq in HN by apply norm_pos.
    set (x := fun i => xs i + q k i) in *. set (e := sub (heavy_ball _ _ _ x x N) xs) in HN.
    assert (Hone : inner d (q k) (sub x xs) = 1).
    { rewrite (inner_ext_r d _ _ (q k)) by (intros; unfold x, sub; ring).
      now rewrite inner_self, (norm2_orthonormal d d q k (proj1 (proj1 Hq)) Hk). }
    assert (Hs := stays (lr * lam k) beta Hbeta ltac:(rewrite HL; assumption) N).
    assert (Hin := ball_is_spring d H (q k) (lam k) HH (fun a => proj2 Hq k a Hk) xs lr beta x x N).
    fold e in Hin. rewrite Hone in Hin.
    rewrite <- Hin in Hs. assert (C := cauchy_schwarz d (q k) e).
    assert (Hu : norm d (q k) = 1).
    { unfold norm. now rewrite (norm2_orthonormal d d q k (proj1 (proj1 Hq)) Hk), sqrt_1. }
    rewrite Hu in C. lra.
  Qed.
End Stability.

(* thm-momentum-spectrum. Let H have eigenvalues between 0 and L, L the largest, lr > 0, 0 <= beta < 1. The eigenvalues
   of heavy ball's matrix are the roots of rho^2 - (1 + beta - lr lam) rho + beta, lam an eigenvalue of H. They are
   complex, with modulus exactly sqrt beta, if (1 - sqrt beta)^2 < lr lam < (1 + sqrt beta)^2, and real otherwise. Heavy
   ball converges from every start (x_(-1) = x_0, and then from any pair, too) if and only if lr L < 2 (1 + beta). *)
Theorem thm_momentum_spectrum d H xs lr beta L : symmetric d H -> eigenvalue d H L ->
  (forall lam, eigenvalue d H lam -> 0 < lam <= L) -> 0 < lr -> 0 <= beta < 1 ->
  (forall a b, complex_eigenvalue (d + d) (ball_matrix d H lr beta) a b
    <-> exists lam, eigenvalue d H lam /\ root (1 + beta - lr * lam) beta a b) /\
  (forall lam a b, eigenvalue d H lam -> root (1 + beta - lr * lam) beta a b ->
    ((1 - sqrt beta) ^ 2 < lr * lam < (1 + sqrt beta) ^ 2 -> b <> 0 /\ modulus a b = sqrt beta) /\
    (~ (1 - sqrt beta) ^ 2 < lr * lam < (1 + sqrt beta) ^ 2 -> b = 0)) /\
  ((forall x0, converges d H xs lr beta x0 x0) <-> lr * L < 2 * (1 + beta)) /\
  (lr * L < 2 * (1 + beta) -> forall x0 before, converges d H xs lr beta x0 before).
Proof.
  intros HH HL Hall Hlr Hb. split; [|split; [|split]].
  - destruct (spectral_theorem d H HH) as (q & lam & Hq). intros a b. split.
    + intros Hc. destruct (thm_momentum_spectrum_step_2b d H q lam lr beta HH Hq a b Hc) as (j & Hj & Hr).
      exists (lam j). split; [|assumption]. apply (eigenvalue_iff d H q lam _ HH Hq). now exists j.
    + intros (l & Hl & Hr). apply (eigenvalue_iff d H q lam _ HH Hq) in Hl. destruct Hl as (j & Hj & <-).
      now apply (thm_momentum_spectrum_step_2c d H q lam lr beta Hq a b j).
  - intros lam a b _ Hr. rewrite <- thm_momentum_spectrum_step_3b, <- (complex_iff _ _ a b Hr) by lra. split.
    + intros Hne. split; [assumption|]. now apply (thm_momentum_spectrum_step_4 _ _ _ _ Hr).
    + intros Hn. destruct (Req_dec b 0); tauto.
  - split; [|intros; now apply (inside d H xs lr beta L)]. intros Hc.
    destruct (Rlt_or_le (lr * L) (2 * (1 + beta))) as [|Hge]; [assumption|exfalso].
    destruct (outside d H xs lr beta L HH HL Hb Hge) as [x Hx]. apply Hx, Hc.
  - intros. now apply (inside d H xs lr beta L).
Qed.

(* An instance: curvatures 1 and 4 with lr = beta = 1/2, where lr L = 2 is below 2 (1 + beta) = 3. *)
Lemma thm_momentum_spectrum_instance xs x0 before :
  converges 2 (diagonal (fun j => if Nat.eqb j 0 then 1 else 4)) xs (1 / 2) (1 / 2) x0 before.
Proof.
  apply (thm_momentum_spectrum 2 _ xs (1 / 2) (1 / 2) 4); [apply diagonal_symmetric| | |lra|lra|lra].
  - apply diagonal_eigenvalue. exists 1%nat. split; [lia|reflexivity].
  - intros l Hl. apply diagonal_eigenvalue in Hl. destruct Hl as (j & _ & <-). destruct (Nat.eqb j 0); lra.
Qed.
