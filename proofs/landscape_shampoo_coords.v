(* The landscape: Shampoo's factors, their roots, and matrices in the eigenbases of both (for thm-landscape-shampoo). *)
Require Export landscape_shampoo_side spectral_theorem.
Open Scope R_scope.

(* Entry (i, j) of X in the bases p of the rows and s of the columns. *)
Definition coords n m (p s : nat -> vec) (X : mat) : mat := fun i j => inner n (p i) (fun a => inner m (s j) (X a)).
Lemma coords_is n m p s X i j : coords n m p s X i j = total n m (fun a b => p i a * s j b * X a b).
Proof. unfold coords, inner. apply sum_ext. intros a _. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.
Lemma coords_flip n m p s X i j : coords n m p s X i j = coords m n s p (fun b a => X a b) j i.
Proof. rewrite !coords_is, total_flip. apply total_ext. intros. ring. Qed.
Lemma coords_inner n m p s X Y : basis n p -> basis m s ->
  total n m (fun a b => X a b * Y a b) = total n m (fun i j => coords n m p s X i j * coords n m p s Y i j).
Proof.
  intros Hp Hs. transitivity (sum n (fun a => sum m (fun j => inner m (s j) (X a) * inner m (s j) (Y a)))).
  - apply sum_ext. intros a _. exact (parseval_inner m s (X a) (Y a) Hs).
  - rewrite sum_swap, total_flip. apply sum_ext. intros j _.
    exact (parseval_inner n p (fun a => inner m (s j) (X a)) (fun a => inner m (s j) (Y a)) Hp).
Qed.
Lemma coords_rank n m p s r G : rank_at_most n m r G -> rank_at_most n m r (coords n m p s G).
Proof.
  intros (x & y & H). exists (fun i a => inner n (p a) (x i)), (fun i b => inner m (s b) (y i)).
  intros a b Ha Hb. rewrite coords_is.
  transitivity (total n m (fun a' b' => sum r (fun i => p a a' * x i a' * (s b b' * y i b')))).
  - apply total_ext. intros a' b' Ha' Hb'. rewrite H, <- sum_scal by assumption. apply sum_ext. intros. ring.
  - unfold total.
    rewrite (sum_ext n _ (fun a' => sum r (fun i => sum m (fun b' => p a a' * x i a' * (s b b' * y i b')))))
      by (intros; apply sum_swap).
    rewrite sum_swap. apply sum_ext. intros i _. unfold inner. rewrite sum_times. reflexivity.
Qed.

(* One factor, L = eps I + sum of G G'; the other is that of the flipped gradients. *)
Section Factor.
  Variables n m T : nat.
  Variable eps : R.
  Variable G : nat -> mat.
  Hypothesis eps_pos : 0 < eps.
  Definition factor : mat := fun a c => eps * delta a c + sum T (fun t => sum m (fun b => G t a b * G t c b)).
  Lemma factor_symmetric : symmetric n factor.
  Proof.
    intros a c _ _. unfold factor. rewrite delta_sym. f_equal. apply sum_ext. intros t _. apply sum_ext. intros. ring.
  Qed.
  Variables p s : nat -> vec.
  Variable lam : nat -> R.
  Hypothesis Hp : eigenbasis n factor p lam.
  Hypothesis Hs : basis m s.

  Lemma quad_factor i k : inner n (p k) (times n factor (p i))
    = eps * inner n (p k) (p i) + sum T (fun t => sum m (fun b =>
        inner n (p k) (fun a => G t a b) * inner n (p i) (fun a => G t a b))).
  Proof.
    transitivity (total n n (fun a c => eps * (p k a * p i c * delta a c)
      + sum T (fun t => sum m (fun b => p k a * G t a b * (p i c * G t c b))))).
    - apply sum_ext. intros a _. unfold times, inner, factor. rewrite <- sum_scal. apply sum_ext. intros c _.
      rewrite (sum_ext T (fun t => sum m (fun b => p k a * G t a b * (p i c * G t c b)))
        (fun t => p k a * p i c * sum m (fun b => G t a b * G t c b)))
        by (intros; rewrite <- sum_scal; apply sum_ext; intros; ring).
      rewrite sum_scal. ring.
    - rewrite total_plus, total_scal. f_equal.
      + f_equal. apply sum_ext. intros a Ha. now rewrite (sum_delta n (fun c => p k a * p i c) a Ha).
      + transitivity (total T m (fun t b => total n n (fun a c => p k a * G t a b * (p i c * G t c b)))).
        * symmetry. rewrite total_swap. reflexivity.
        * apply sum_ext. intros t _. apply sum_ext. intros b _. unfold inner. now rewrite sum_times.
  Qed.
  Lemma diagonal_in_coords i k : (i < n)%nat -> (k < n)%nat ->
    eps * delta i k + sum T (fun t => sum m (fun l => coords n m p s (G t) i l * coords n m p s (G t) k l))
    = lam i * delta i k.
  Proof.
    intros Hi Hk. destruct Hp as [[Ho _] _].
    transitivity (inner n (p k) (times n factor (p i))).
    - rewrite quad_factor, (Ho k i Hk Hi), (delta_sym k i). f_equal. apply sum_ext. intros t _.
      set (A := fun i' b => inner n (p i') (fun a => G t a b)). change (sum m (fun l =>
        coords n m p s (G t) i l * coords n m p s (G t) k l) = inner m (A k) (A i)).
      rewrite inner_sym, (parseval_inner m s _ _ Hs). apply sum_ext. intros l _.
      now rewrite !(coords_flip n m p s (G t)).
    - rewrite (coordinate n factor p lam k (p i) factor_symmetric Hp Hk), (Ho k i Hk Hi), (delta_sym k i).
      destruct (Nat.eq_dec i k) as [->|Hne]; [reflexivity|]. rewrite delta_other by assumption. ring.
  Qed.
  Lemma eigenvalue_pos i : (i < n)%nat -> 0 < lam i.
  Proof.
    intros Hi. assert (H := diagonal_in_coords i i Hi Hi). rewrite delta_self in H.
    assert (0 <= sum T (fun t => sum m (fun l => coords n m p s (G t) i l * coords n m p s (G t) i l))).
    { apply sum_nonneg. intros. apply sum_nonneg. intros. apply Rle_0_sqr. }
    lra.
  Qed.
End Factor.

(* The root of a symmetric matrix with positive eigenvalues: the same eigenvectors, the roots of the eigenvalues. *)
Definition matrix_root n (p : nat -> vec) (lam : nat -> R) : mat :=
  fun a c => sum n (fun i => sqrt (lam i) * (p i a * p i c)).
Definition is_root n (A Q : mat) := symmetric n Q /\ (forall x, 0 <= quad n Q x) /\
  forall a c, (a < n)%nat -> (c < n)%nat -> sum n (fun e => Q a e * Q e c) = A a c.
Lemma root_is_root n A p lam : symmetric n A -> eigenbasis n A p lam -> (forall i, (i < n)%nat -> 0 < lam i) ->
  is_root n A (matrix_root n p lam).
Proof.
  intros HA [[Ho Hc] He] Hl. split; [|split].
  - intros a c _ _. apply sum_ext. intros. ring.
  - intros x. replace (quad n (matrix_root n p lam) x) with (sum n (fun i => sqrt (lam i) * inner n (p i) x ^ 2)).
    + apply sum_nonneg. intros. apply Rmult_le_pos; [apply sqrt_pos|apply pow2_nonneg].
    + transitivity (total n n (fun a c => sum n (fun i => sqrt (lam i) * (p i a * x a * (p i c * x c))))).
      * unfold total. rewrite (sum_ext n (fun a => sum n (fun c => sum n _))
          (fun a => sum n (fun i => sum n (fun c => sqrt (lam i) * (p i a * x a * (p i c * x c))))))
          by (intros; apply sum_swap).
        rewrite sum_swap. apply sum_ext. intros i _.
        rewrite (sum_ext n (fun a => sum n _) (fun a => sqrt (lam i) * sum n (fun c => p i a * x a * (p i c * x c))))
          by (intros; now rewrite sum_scal).
        rewrite sum_scal. f_equal. unfold inner. apply sum_squared.
      * apply sum_ext. intros a _. unfold times, inner. rewrite <- sum_scal. apply sum_ext. intros c _.
        unfold matrix_root. rewrite <- sum_scal_r, <- sum_scal. apply sum_ext. intros. ring.
  - intros a c Ha Hc'. transitivity (sum n (fun i => lam i * (p i a * p i c))).
    + transitivity (total n n (fun i k => sqrt (lam i) * sqrt (lam k) * p i a * p k c * inner n (p i) (p k))).
      * rewrite (sum_ext n _ (fun e => total n n (fun i k =>
          sqrt (lam i) * sqrt (lam k) * p i a * p k c * (p i e * p k e)))).
        -- unfold total. rewrite sum_swap. apply sum_ext. intros i _. rewrite sum_swap. apply sum_ext. intros k _.
           unfold inner. now rewrite sum_scal.
        -- intros e _. unfold matrix_root. rewrite sum_times. apply total_ext. intros. ring.
      * apply sum_ext. intros i Hi.
        rewrite (sum_ext n _ (fun k => sqrt (lam i) * sqrt (lam k) * p i a * p k c * delta i k))
          by (intros k Hk; now rewrite (Ho i k Hi Hk)).
        rewrite sum_delta by assumption. assert (P := Hl i Hi).
        transitivity (sqrt (lam i) * sqrt (lam i) * (p i a * p i c)); [ring|]. rewrite sqrt_sqrt by lra. ring.
    + transitivity (inner n (A a) (delta c)); [|now apply inner_delta].
      rewrite (inner_ext_r n (A a) (delta c) _ (Hc (delta c))), inner_combination.
      apply sum_ext. intros i Hi. rewrite inner_delta by assumption.
      change (inner n (A a) (p i)) with (times n A (p i) a). rewrite He by assumption. ring.
Qed.

(* There is no other root: an eigenbasis of a root Q is one of A, with the squares of Q's eigenvalues, so Q is the one
   above. *)
Lemma quad_eigen n Q p nu i : eigenbasis n Q p nu -> (i < n)%nat -> quad n Q (p i) = nu i.
Proof.
  intros [[Ho _] He] Hi. unfold quad. rewrite (inner_ext_r n _ _ (fun a => nu i * p i a)) by (intros; now apply He).
  rewrite inner_scal, (Ho i i Hi Hi), delta_self. ring.
Qed.
Lemma root_is_matrix_root n A Q : is_root n A Q -> exists p lam, eigenbasis n A p lam /\
  forall a c, (a < n)%nat -> (c < n)%nat -> Q a c = matrix_root n p lam a c.
Proof.
  intros (HQ & Hpos & Hsq). destruct (spectral_theorem n Q HQ) as (p & nu & Hp). assert (Hp' := Hp).
  destruct Hp' as [[Ho Hc] He].
  assert (Hnu : forall i, (i < n)%nat -> 0 <= nu i)
    by (intros i Hi; rewrite <- (quad_eigen n Q p nu i Hp Hi); apply Hpos).
  exists p, (fun i => nu i ^ 2). split; [split; [now split|]|].
  - intros i a Hi Ha. transitivity (times n Q (times n Q (p i)) a).
    + unfold times, inner. rewrite (sum_ext n _ (fun c => sum n (fun e => Q a e * (Q e c * p i c)))).
      * rewrite sum_swap. apply sum_ext. intros e _. now rewrite sum_scal.
      * intros c Hc'. rewrite <- (Hsq a c Ha Hc'), <- sum_scal_r. apply sum_ext. intros. ring.
    + rewrite (times_ext n Q _ (fun e => nu i * p i e)) by (intros; now apply He).
      rewrite times_scal, He by assumption. ring.
  - intros a c Ha Hc'. transitivity (inner n (Q a) (delta c)); [symmetry; now apply inner_delta|].
    rewrite (inner_ext_r n (Q a) (delta c) _ (Hc (delta c))), inner_combination. apply sum_ext. intros i Hi.
    rewrite inner_delta, sqrt_pow2 by auto. change (inner n (Q a) (p i)) with (times n Q (p i) a).
    rewrite He by assumption. ring.
Qed.
