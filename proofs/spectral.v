(* Matrices and vectors: symmetric matrices, orthonormal families, coordinates along eigenvectors, eigenvalues.

   A matrix is a function of row and column, of which only the first d of each count; `times d A x` is A x. That every
   symmetric matrix has an eigenbasis is the spectral theorem: spectral_top.v finds one eigenvector, the one of the
   largest eigenvalue, and spectral_theorem.v all of them. *)
Require Export vectors.
Open Scope R_scope.

Definition mat := nat -> nat -> R.
Definition times (d : nat) (A : mat) (x : vec) : vec := fun i => inner d (A i) x.
Definition symmetric (d : nat) (A : mat) := forall i j, (i < d)%nat -> (j < d)%nat -> A i j = A j i.
Definition quad (d : nat) (A : mat) (x : vec) := inner d x (times d A x).      (* the form x^T A x *)
(* 1 if i = j, else 0; `delta b` is the unit vector number b, and `delta` is the identity matrix. *)
Definition delta (i j : nat) : R := if Nat.eqb i j then 1 else 0.

(* ---- 1. Linearity. ---- *)

Lemma inner_lin d u a v b w : inner d u (fun j => a * v j + b * w j) = a * inner d u v + b * inner d u w.
Proof. unfold inner. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros. ring. Qed.
Lemma inner_ext_r d u v w : (forall j, (j < d)%nat -> v j = w j) -> inner d u v = inner d u w.
Proof. intros H. now apply inner_ext. Qed.
Lemma inner_combination d k y c (q : nat -> vec) :
  inner d y (fun a => sum k (fun l => c l * q l a)) = sum k (fun l => c l * inner d y (q l)).
Proof.
  unfold inner. rewrite (sum_ext d _ (fun a => sum k (fun l => c l * (y a * q l a)))).
  - rewrite sum_swap. apply sum_ext. intros. now rewrite sum_scal.
  - intros. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.
Lemma times_lin d A a v b w i : times d A (fun j => a * v j + b * w j) i = a * times d A v i + b * times d A w i.
Proof. apply inner_lin. Qed.
Lemma times_scal d A a v i : times d A (fun j => a * v j) i = a * times d A v i.
Proof. apply inner_scal. Qed.
Lemma times_ext d A v w i : (forall j, (j < d)%nat -> v j = w j) -> times d A v i = times d A w i.
Proof. apply inner_ext_r. Qed.
Lemma times_of_zero d A v i : (forall j, (j < d)%nat -> v j = 0) -> times d A v i = 0.
Proof. intros H. apply sum_zeros. intros. rewrite H by assumption. ring. Qed.

Lemma delta_self i : delta i i = 1.
Proof. unfold delta. now rewrite Nat.eqb_refl. Qed.
Lemma delta_other i j : i <> j -> delta i j = 0.
Proof. intros H. unfold delta. now rewrite (proj2 (Nat.eqb_neq i j) H). Qed.
Lemma delta_sym i j : delta i j = delta j i.
Proof. unfold delta. now rewrite Nat.eqb_sym. Qed.
Lemma sum_delta n x b : (b < n)%nat -> sum n (fun i => x i * delta b i) = x b.
Proof.
  intros Hb. rewrite <- (sum_pick n b (x b) Hb). apply sum_ext. intros i _.
  unfold delta. destruct (Nat.eqb_spec b i) as [->|]; ring.
Qed.
Lemma inner_delta d x b : (b < d)%nat -> inner d x (delta b) = x b.
Proof. apply sum_delta. Qed.
Lemma norm2_delta d b : (b < d)%nat -> norm2 d (delta b) = 1.
Proof. intros Hb. now rewrite <- inner_self, inner_delta, delta_self. Qed.
Lemma times_delta d x i : (i < d)%nat -> times d delta x i = x i.
Proof. intros Hi. unfold times. now rewrite inner_sym, inner_delta. Qed.

(* A symmetric matrix may change sides. *)
Lemma move d A x y : symmetric d A -> inner d x (times d A y) = inner d (times d A x) y.
Proof.
  intros HA. unfold inner, times, inner. rewrite (sum_ext d _ (fun i => sum d (fun j => x i * (A i j * y j)))).
  - rewrite sum_swap. apply sum_ext. intros j Hj. rewrite <- sum_scal_r. apply sum_ext. intros i Hi.
    rewrite (HA i j) by assumption. ring.
  - intros. now rewrite sum_scal.
Qed.
Lemma quad_along d A x z s : symmetric d A ->
  quad d A (fun j => x j + s * z j) = quad d A x + 2 * s * inner d z (times d A x) + s ^ 2 * quad d A z.
Proof.
  intros HA. unfold quad. assert (M := move d A x z HA). rewrite (inner_sym d _ z) in M.
  rewrite (inner_ext_r d _ (times d A _) (fun i => 1 * times d A x i + s * times d A z i)).
  - rewrite inner_lin, !(inner_sym d (fun j => x j + s * z j)).
    rewrite !(inner_ext_r d _ (fun j => x j + s * z j) (fun j => 1 * x j + s * z j)) by (intros; ring).
    rewrite !inner_lin, !(inner_sym d (times d A _)), M. ring.
  - intros i _. rewrite <- times_lin. apply times_ext. intros. ring.
Qed.
Lemma quad_scal d A c x : quad d A (fun j => c * x j) = c ^ 2 * quad d A x.
Proof.
  unfold quad. rewrite (inner_ext_r d _ _ (fun i => c * times d A x i)) by (intros; apply times_scal).
  rewrite inner_scal, (inner_sym d _ (times d A x)), inner_scal, inner_sym. ring.
Qed.

(* ---- 2. The root of the sum of all squared entries bounds what A does to a length. ---- *)

Definition frobenius d (A : mat) := sqrt (sum d (fun i => norm2 d (A i))).
Lemma norm_times d A x : norm d (times d A x) <= frobenius d A * norm d x.
Proof.
  unfold frobenius, norm at 2. rewrite <- sqrt_mult_alt by (apply sum_nonneg; intros; apply norm2_pos).
  apply sqrt_le_1_alt. unfold norm2 at 1. rewrite <- sum_scal_r. apply sum_le. intros. apply inner_squared.
Qed.
Lemma quad_bound d A x : Rabs (quad d A x) <= frobenius d A * norm2 d x.
Proof.
  eapply Rle_trans; [apply cauchy_schwarz|]. rewrite <- norm_squared.
  replace (frobenius d A * norm d x ^ 2) with (norm d x * (frobenius d A * norm d x)) by ring.
  apply Rmult_le_compat_l; [apply norm_pos|apply norm_times].
Qed.

(* ---- 3. Orthonormal families: k vectors of length 1, each at a right angle to the others. ---- *)

Definition orthonormal k d (q : nat -> vec) :=
  forall i j, (i < k)%nat -> (j < k)%nat -> inner d (q i) (q j) = delta i j.
(* d of them are a basis when every vector is the sum of its coordinates <q_j, x> along them. *)
Definition basis d (q : nat -> vec) :=
  orthonormal d d q /\ forall x a, (a < d)%nat -> x a = sum d (fun j => inner d (q j) x * q j a).
(* A basis of eigenvectors of A: A q_j = lam_j q_j. *)
Definition eigenbasis d (A : mat) (q : nat -> vec) (lam : nat -> R) :=
  basis d q /\ forall j a, (j < d)%nat -> (a < d)%nat -> times d A (q j) a = lam j * q j a.

Lemma parseval_inner d q x y : basis d q -> inner d x y = sum d (fun j => inner d (q j) x * inner d (q j) y).
Proof.
  intros [_ Hc]. rewrite (inner_sym d x), (inner_ext_r d y x _ (Hc x)), inner_combination.
  apply sum_ext. intros. now rewrite (inner_sym d y).
Qed.
(* Pythagoras: the squared length is the sum of the squared coordinates. *)
Lemma parseval d q x : basis d q -> norm2 d x = sum d (fun j => inner d (q j) x ^ 2).
Proof.
  intros Hq. rewrite <- inner_self, (parseval_inner d q x x Hq). apply sum_ext. intros. ring.
Qed.
Lemma zero_coordinates d q x : basis d q ->
  (forall j, (j < d)%nat -> inner d (q j) x = 0) -> forall a, (a < d)%nat -> x a = 0.
Proof.
  intros [_ Hc] Hz a Ha. rewrite (Hc x a Ha). apply sum_zeros. intros j Hj. rewrite Hz by assumption. ring.
Qed.
Lemma norm2_orthonormal k d q j : orthonormal k d q -> (j < k)%nat -> norm2 d (q j) = 1.
Proof. intros Hq Hj. now rewrite <- inner_self, (Hq j j Hj Hj), delta_self. Qed.
(* Along an eigenvector v of a symmetric matrix, A multiplies by its eigenvalue. *)
Lemma eigen_inner d A v l x : symmetric d A -> (forall a, (a < d)%nat -> times d A v a = l * v a) ->
  inner d v (times d A x) = l * inner d v x.
Proof.
  intros HA He. rewrite move, inner_sym, (inner_ext_r d x _ (fun a => l * v a)) by assumption.
  now rewrite inner_scal, inner_sym.
Qed.
(* Coordinate j of A x is lam_j times coordinate j of x. *)
Lemma coordinate d A q lam j x : symmetric d A -> eigenbasis d A q lam -> (j < d)%nat ->
  inner d (q j) (times d A x) = lam j * inner d (q j) x.
Proof. intros HA [_ He] Hj. apply eigen_inner; auto. Qed.
(* Where no coordinate is more than K times that of y, neither is the length. *)
Lemma norm_by_coordinates d q x y K : basis d q -> 0 <= K ->
  (forall j, (j < d)%nat -> Rabs (inner d (q j) x) <= K * Rabs (inner d (q j) y)) -> norm d x <= K * norm d y.
Proof.
  intros Hq HK H. apply le_of_squares; [apply Rmult_le_pos; [assumption|apply norm_pos]|].
  rewrite Rpow_mult_distr, !norm_squared, !(parseval d q _ Hq), <- sum_scal. apply sum_le. intros j Hj.
  rewrite <- pow2_Rabs, <- (pow2_Rabs (inner d (q j) y)), <- Rpow_mult_distr.
  apply pow_incr. split; [apply Rabs_pos|now apply H].
Qed.

(* ---- 4. Eigenvalues. ---- *)

(* lam is an eigenvalue of A: A x = lam x for some x that is not zero. *)
Definition eigenvalue d (A : mat) (lam : R) :=
  exists x : vec, 0 < norm2 d x /\ forall a, (a < d)%nat -> times d A x a = lam * x a.

(* Along an eigenbasis stand the eigenvalues and no other numbers. *)
Lemma eigenvalue_iff d A q lam l : symmetric d A -> eigenbasis d A q lam ->
  eigenvalue d A l <-> exists j, (j < d)%nat /\ lam j = l.
Proof.
  intros HA Hq. split.
  - intros (x & Hx & He).
    assert (D : forall n, (n <= d)%nat -> (exists j, (j < n)%nat /\ lam j = l) \/
      forall j, (j < n)%nat -> inner d (q j) x = 0).
    { induction n as [|n IH]; intros Hn; [right; intros; lia|].
      destruct IH as [(j & Hj & E)|Hz]; [lia|left; exists j; split; [lia|assumption]|].
      destruct (Req_EM_T (lam n) l) as [E|E]; [left; exists n; split; [lia|assumption]|right]. intros j Hj.
      destruct (Nat.eq_dec j n) as [->|]; [|apply Hz; lia].
      assert (C := coordinate d A q lam n x HA Hq ltac:(lia)). rewrite (inner_ext_r d _ _ _ He), inner_scal in C.
      apply (Rmult_eq_reg_l (lam n - l)); lra. }
    destruct (D d (le_n d)) as [?|Hz]; [assumption|exfalso].
    rewrite (parseval d q x (proj1 Hq)), sum_zeros in Hx; [lra|]. intros j Hj. rewrite Hz by assumption. ring.
  - intros (j & Hj & <-). exists (q j). split; [|intros; now apply Hq].
    rewrite (norm2_orthonormal d d q j (proj1 (proj1 Hq)) Hj). lra.
Qed.

(* ---- 5. A diagonal matrix: its eigenvectors are the unit vectors. ---- *)

Definition diagonal (lam : nat -> R) : mat := fun i j => lam i * delta i j.
Lemma diagonal_symmetric d lam : symmetric d (diagonal lam).
Proof.
  intros i j _ _. unfold diagonal. destruct (Nat.eq_dec i j) as [->|H]; [reflexivity|].
  rewrite !delta_other by congruence. ring.
Qed.
Lemma diagonal_eigenbasis d lam : eigenbasis d (diagonal lam) delta lam.
Proof.
  split; [split|].
  - intros i j Hi Hj. rewrite inner_delta by assumption. reflexivity.
  - intros x a Ha. rewrite (sum_ext d _ (fun j => x j * delta a j)).
    + now rewrite sum_delta.
    + intros j Hj. now rewrite inner_sym, inner_delta, (delta_sym j a).
  - intros j a Hj Ha. unfold times. rewrite inner_delta by assumption. unfold diagonal.
    destruct (Nat.eq_dec a j) as [->|H]; [reflexivity|]. rewrite !delta_other by congruence. ring.
Qed.
Lemma diagonal_eigenvalue d lam l : eigenvalue d (diagonal lam) l <-> exists j, (j < d)%nat /\ lam j = l.
Proof. exact (eigenvalue_iff d _ delta lam l (diagonal_symmetric d lam) (diagonal_eigenbasis d lam)). Qed.
