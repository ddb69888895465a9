(* The landscape: Shampoo's product is an upper bound of full Adagrad (thm-landscape-shampoo).

   T gradients G 0, ..., G (T - 1) of n x m and of rank at most r. Z stands for the vector z, read row by row. *)
Require Import landscape_shampoo_coords.
Open Scope R_scope.

(* z' (A x B) z for the Kronecker product A x B. *)
Definition kronecker n m (A B Z : mat) :=
  total n m (fun a b => total n m (fun c e => Z a b * (A a c * B b e) * Z c e)).
(* z' (eps I + 1/r sum of g g') z *)
Definition full_adagrad n m r T eps (G : nat -> mat) (Z : mat) := eps * total n m (fun a b => Z a b ^ 2)
  + / INR r * sum T (fun t => total n m (fun a b => G t a b * Z a b) ^ 2).

(* In the eigenbases the product of the roots is diagonal. *)
Lemma kronecker_roots n m p s lam mu Z : kronecker n m (matrix_root n p lam) (matrix_root m s mu) Z
  = total n m (fun i j => sqrt (lam i) * sqrt (mu j) * coords n m p s Z i j ^ 2).
Proof.
  transitivity (total n m (fun a b => total n m (fun c e => total n m (fun i j =>
    sqrt (lam i) * sqrt (mu j) * (p i a * s j b * Z a b) * (p i c * s j e * Z c e))))).
  - apply total_ext. intros a b _ _. apply total_ext. intros c e _ _. unfold matrix_root. rewrite sum_times.
    transitivity (Z a b * Z c e * total n m (fun i j =>
      sqrt (lam i) * (p i a * p i c) * (sqrt (mu j) * (s j b * s j e)))); [ring|].
    rewrite <- total_scal. apply total_ext. intros. ring.
  - rewrite (total_ext n m _ (fun a b => total n m (fun i j => total n m (fun c e =>
      sqrt (lam i) * sqrt (mu j) * (p i a * s j b * Z a b) * (p i c * s j e * Z c e)))))
      by (intros; apply total_swap).
    rewrite total_swap. apply total_ext. intros i j _ _. rewrite coords_is.
    transitivity (total n m (fun a b => (sqrt (lam i) * sqrt (mu j) * total n m (fun c e => p i c * s j e * Z c e))
      * (p i a * s j b * Z a b))).
    + apply total_ext. intros a b _ _. rewrite total_scal. ring.
    + rewrite total_scal. ring.
Qed.

Section Shampoo.
  Variables n m r T : nat.
  Variable eps : R.
  Variable G : nat -> mat.
  Hypothesis ranks : forall t, (t < T)%nat -> rank_at_most n m r (G t).
  Hypothesis some : (1 <= r)%nat.
  Hypothesis eps_pos : 0 < eps.
  Definition L := factor m T eps G.
  Definition R_ := factor n T eps (fun t b a => G t a b).
  Variables p s : nat -> vec.
  Variables lam mu : nat -> R.
  Hypothesis Hp : eigenbasis n L p lam.
  Hypothesis Hs : eigenbasis m R_ s mu.
  Definition g t := coords n m p s (G t).
  (* The form of full Adagrad in these coordinates. *)
  Definition Q (x w : mat) := eps * total n m (fun i j => x i j * w i j)
    + / INR r * sum T (fun t => total n m (fun i j => g t i j * x i j) * total n m (fun i j => g t i j * w i j)).

  Lemma r_inverse : 0 < / INR r.
  Proof. apply Rinv_0_lt_compat, INR_pos, some. Qed.
  Lemma Q_square x : Q x x = eps * total n m (fun i j => x i j ^ 2)
    + / INR r * sum T (fun t => total n m (fun i j => g t i j * x i j) ^ 2).
  Proof. unfold Q. f_equal; f_equal; [apply total_ext; intros; ring|apply sum_ext; intros; ring]. Qed.
  Lemma Q_positive x : 0 <= Q x x.
  Proof.
    assert (H := r_inverse). rewrite Q_square. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra;
      [apply total_nonneg|apply sum_nonneg]; intros; apply pow2_nonneg.
  Qed.
  Lemma Q_sym x w : Q x w = Q w x.
  Proof. unfold Q. f_equal; f_equal; [apply total_ext; intros; ring|apply sum_ext; intros; ring]. Qed.
  Lemma total_lin q a b x w : total n m (fun i j => q i j * (a * x i j + b * w i j))
    = a * total n m (fun i j => q i j * x i j) + b * total n m (fun i j => q i j * w i j).
  Proof. rewrite <- !total_scal, <- total_plus. apply total_ext. intros. ring. Qed.
  Lemma Q_lin a b x w u : Q (fun i j => a * x i j + b * w i j) u = a * Q x u + b * Q w u.
  Proof.
    rewrite (Q_sym _ u), (Q_sym x), (Q_sym w). unfold Q. rewrite total_lin.
    rewrite (sum_ext T _ (fun t => a * (total n m (fun i j => g t i j * u i j) * total n m (fun i j => g t i j * x i j))
      + b * (total n m (fun i j => g t i j * u i j) * total n m (fun i j => g t i j * w i j))))
      by (intros; rewrite total_lin; ring).
    rewrite sum_plus, !sum_scal. ring.
  Qed.
  (* (2), (3): it lies below both factors. *)
  Lemma below_L x : Q x x <= form n m (fun i _ => lam i) x.
  Proof.
    rewrite Q_square. apply (step_3 n m r T eps g lam); [intros; now apply coords_rank, ranks|exact some|].
    intros. now apply (diagonal_in_coords n m T eps G p s lam Hp (proj1 Hs)).
  Qed.
  Lemma below_R x : Q x x <= form n m (fun _ j => mu j) x.
  Proof.
    rewrite Q_square. unfold form. rewrite total_flip, (total_flip n m (fun i j => mu j * x i j ^ 2)).
    rewrite (sum_ext T _ (fun t => total m n (fun j i => g t i j * x i j) ^ 2)) by (intros; now rewrite total_flip).
    apply (step_3 m n r T eps (fun t j i => g t i j) mu) with (x := fun j i => x i j).
    - intros t Ht. apply rank_flip. now apply coords_rank, ranks.
    - exact some.
    - intros i k Hi Hk.
      rewrite <- (diagonal_in_coords m n T eps (fun t b a => G t a b) s p mu Hs (proj1 Hp) i k Hi Hk). f_equal.
      apply sum_ext. intros t _. apply sum_ext. intros l _. unfold g. now rewrite !(coords_flip n m p s (G t)).
  Qed.
  (* (4) Between the two. *)
  Lemma step_4 Z : full_adagrad n m r T eps G Z <= kronecker n m (matrix_root n p lam) (matrix_root m s mu) Z.
  Proof.
    set (z := coords n m p s Z). assert (E : full_adagrad n m r T eps G Z = Q z z).
    { unfold full_adagrad, Q. f_equal; f_equal.
      - unfold z. rewrite <- (coords_inner n m p s Z Z (proj1 Hp) (proj1 Hs)). apply total_ext. intros. ring.
      - apply sum_ext. intros t _. unfold g, z.
        rewrite <- (coords_inner n m p s (G t) Z (proj1 Hp) (proj1 Hs)). ring. }
    assert (Hlam : forall i, (i < n)%nat -> 0 < lam i)
      by (intros; now apply (eigenvalue_pos n m T eps G eps_pos p s lam Hp (proj1 Hs))).
    assert (Hmu : forall j, (j < m)%nat -> 0 < mu j)
      by (intros; now apply (eigenvalue_pos m n T eps (fun t b a => G t a b) eps_pos s p mu Hs (proj1 Hp))).
    rewrite E, kronecker_roots.
    eapply Rle_trans; [apply (landscape_between.between n m (fun i _ => lam i) (fun _ j => mu j) Q)|].
    - intros; auto.
    - intros; auto.
    - exact Q_sym.
    - exact Q_lin.
    - exact Q_positive.
    - exact below_L.
    - exact below_R.
    - apply Req_le. unfold form, root. apply total_ext. intros i j Hi Hj. fold z.
      rewrite sqrt_mult_alt by now apply Rlt_le, Hlam. reflexivity.
  Qed.
End Shampoo.

Lemma kronecker_ext n m A A' B B' Z : (forall a c, (a < n)%nat -> (c < n)%nat -> A a c = A' a c) ->
  (forall b e, (b < m)%nat -> (e < m)%nat -> B b e = B' b e) -> kronecker n m A B Z = kronecker n m A' B' Z.
Proof. intros HA HB. apply total_ext. intros a b Ha Hb. apply total_ext. intros c e Hc He. now rewrite HA, HB. Qed.
Lemma root_exists n m T eps G : 0 < eps -> exists Q, is_root n (factor m T eps G) Q.
Proof.
  intros He. assert (HA := factor_symmetric n m T eps G).
  destruct (spectral_theorem n (factor m T eps G) HA) as (p & lam & Hp). exists (matrix_root n p lam).
  apply root_is_root; [exact HA|exact Hp|]. intros.
  now apply (eigenvalue_pos n m T eps G He p delta lam Hp (proj1 (diagonal_eigenbasis m (fun _ => 0)))).
Qed.

(* thm-landscape-shampoo: L and R have roots, and the Kronecker product of any two lies above full Adagrad. A root is
   symmetric and positive semidefinite. *)
Theorem thm_landscape_shampoo n m r T eps G : (1 <= r)%nat -> 0 < eps ->
  (forall t, (t < T)%nat -> rank_at_most n m r (G t)) ->
  (exists L_half R_half, is_root n (L m T eps G) L_half /\ is_root m (R_ n T eps G) R_half) /\
  forall L_half R_half, is_root n (L m T eps G) L_half -> is_root m (R_ n T eps G) R_half ->
    forall Z, eps * total n m (fun a b => Z a b ^ 2)
      + / INR r * sum T (fun t => total n m (fun a b => G t a b * Z a b) ^ 2) <= kronecker n m L_half R_half Z.
Proof.
  intros Hr He Hranks. split.
  - destruct (root_exists n m T eps G He) as [L_half HL].
    destruct (root_exists m n T eps (fun t b a => G t a b) He) as [R_half HR]. now exists L_half, R_half.
  - intros L_half R_half HL HR Z. destruct (root_is_matrix_root n _ _ HL) as (p & lam & Hp & EL).
    destruct (root_is_matrix_root m _ _ HR) as (s & mu & Hs & ER). rewrite (kronecker_ext n m _ _ _ _ Z EL ER).
    exact (step_4 n m r T eps G Hranks Hr He p s lam mu Hp Hs Z).
Qed.
(* An instance: one gradient of rank one, a column of ones times a row of ones. *)
Lemma thm_landscape_shampoo_instance n m T : let G (t : nat) : mat := fun _ _ => 1 in
  exists L_half R_half, is_root n (L m T (/ 10) G) L_half /\ is_root m (R_ n T (/ 10) G) R_half /\
    forall Z, / 10 * total n m (fun a b => Z a b ^ 2)
      + / INR 1 * sum T (fun t => total n m (fun a b => G t a b * Z a b) ^ 2) <= kronecker n m L_half R_half Z.
Proof.
  intros G. destruct (thm_landscape_shampoo n m 1 T (/ 10) G (le_n 1)) as [(A & B & HA & HB) H]; [lra| |].
  - intros t _. exists (fun _ _ => 1), (fun _ _ => 1). intros. rewrite sum_S, sum_O. unfold G. ring.
  - exists A, B. split; [exact HA|]. split; [exact HB|now apply H].
Qed.
(* Without rank at most r it is false: the 2 x 2 identity, of rank 2, with r = 1. *)
Lemma thm_landscape_shampoo_needs_rank : let G (t : nat) : mat := delta in let root : mat := fun a c => 2 * delta a c in
  is_root 2 (L 2 1 3 G) root /\ is_root 2 (R_ 2 1 3 G) root /\
  kronecker 2 2 root root delta < 3 * total 2 2 (fun a b => delta a b ^ 2)
    + / INR 1 * sum 1 (fun t => total 2 2 (fun a b => G t a b * delta a b) ^ 2).
Proof.
  intros G root. assert (H : forall A : mat, (forall a c, (a < 2)%nat -> (c < 2)%nat -> A a c = 4 * delta a c) ->
    is_root 2 A root).
  { intros A HA. split; [|split].
    - intros a c _ _. unfold root. now rewrite delta_sym.
    - intros x. unfold quad, times, inner. rewrite !sum_S, !sum_O. unfold root, delta. cbn [Nat.eqb].
      assert (H1 := pow2_nonneg (x O)). assert (H2 := pow2_nonneg (x 1%nat)). lra.
    - intros a c Ha Hc. rewrite HA by assumption. rewrite !sum_S, sum_O. unfold root, delta.
      destruct a as [|[|a]]; [| |lia]; (destruct c as [|[|c]]; [| |lia]); cbn [Nat.eqb]; ring. }
  split; [|split].
  - apply H. intros a c Ha Hc. unfold L, factor, G. rewrite !sum_S, !sum_O. unfold delta.
    destruct a as [|[|a]]; [| |lia]; (destruct c as [|[|c]]; [| |lia]); cbn [Nat.eqb]; ring.
  - apply H. intros a c Ha Hc. unfold R_, factor, G. rewrite !sum_S, !sum_O. unfold delta.
    destruct a as [|[|a]]; [| |lia]; (destruct c as [|[|c]]; [| |lia]); cbn [Nat.eqb]; ring.
  - unfold kronecker, total, root, G, delta. rewrite !sum_S, !sum_O, INR_one. cbn [Nat.eqb]. lra.
Qed.
