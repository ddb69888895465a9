(* The landscape: what methods of low rank see (prp-landscape-span). Gradients are n x m matrices; the m numbers of P k
   are the column k of P, which has r columns. *)
Require Import landscape_shampoo_side.
Open Scope R_scope.

(* The inner product of two matrices of n rows and d columns, and the square of a matrix's length. *)
Definition pairing (n d : nat) (A B : mat) := sum n (fun i => inner d (A i) (B i)).
Definition size2 (n d : nat) (A : mat) := sum n (fun i => norm2 d (A i)).

Section Span.
  Variables n m r : nat.
  Variable P : nat -> vec.
  Definition seen (G : mat) : mat := fun i k => inner m (G i) (P k).                    (* G P *)
  Definition carried (A : mat) : mat := fun i j => sum r (fun k => A i k * P k j).      (* A P^T *)

  Lemma row_pairs y (A : vec) :
    inner m y (fun j => sum r (fun k => A k * P k j)) = inner r (fun k => inner m y (P k)) A.
  Proof. rewrite inner_combination. apply sum_ext. intros k _. ring. Qed.
  (* (1) Change sides. *)
  Lemma step_1 H A : pairing n m H (carried A) = pairing n r (seen H) A.
  Proof. apply sum_ext. intros i _. apply row_pairs. Qed.
  (* (2) What P does not see. *)
  Lemma step_2 H A : (forall i k, (i < n)%nat -> (k < r)%nat -> seen H i k = 0) -> pairing n m H (carried A) = 0.
  Proof.
    intros H0. rewrite step_1. apply sum_zeros. intros i Hi. apply sum_zeros. intros k Hk.
    rewrite H0 by assumption. ring.
  Qed.
  (* (3) Pythagoras, row by row. *)
  Lemma row_splits y (A : vec) : orthonormal r m P ->
    norm2 m (sub y (fun j => sum r (fun k => A k * P k j)))
    = norm2 m y - norm2 r (fun k => inner m y (P k)) + norm2 r (sub (fun k => inner m y (P k)) A).
  Proof. intros HP. rewrite !norm2_sub, row_pairs, (pythagoras r m P A HP). ring. Qed.
  Lemma step_3 G A : orthonormal r m P ->
    size2 n m (fun i => sub (G i) (carried A i))
    = size2 n m G - size2 n r (seen G) + size2 n r (fun i => sub (seen G i) (A i)).
  Proof.
    intros HP. unfold size2. rewrite <- sum_minus, <- sum_plus. apply sum_ext. intros i _. now apply row_splits.
  Qed.
  Lemma size2_nonneg k d A : 0 <= size2 k d A.
  Proof. apply sum_nonneg. intros. apply norm2_pos. Qed.
  (* The nearest: A = G P leaves least. *)
  Lemma nearest_carried G A : orthonormal r m P ->
    size2 n m (fun i => sub (G i) (carried (seen G) i)) <= size2 n m (fun i => sub (G i) (carried A i)).
  Proof.
    intros HP. rewrite !step_3 by assumption. assert (H := size2_nonneg n r (fun i => sub (seen G i) (A i))).
    replace (size2 n r (fun i => sub (seen G i) (seen G i))) with 0; [lra|]. symmetry. apply sum_zeros. intros i _.
    apply sum_zeros. intros k _. unfold sub. ring.
  Qed.
  (* (4) APOLLO-Mini: the gradient, times a quotient of lengths; rate and limit of the step are in rho. *)
  Variables rho eps : R.
  Hypothesis positive : 0 < rho /\ 0 < eps.
  Definition factor (N : mat -> mat) (G : mat) :=
    rho * (sqrt (size2 n r (N (seen G))) / (sqrt (size2 n r (seen G)) + eps)).
  Definition mini (N : mat -> mat) (G : mat) : mat := fun i j => factor N G * G i j.
  Lemma step_4 N G : pairing n m G (mini N G) = factor N G * size2 n m G /\ 0 <= factor N G /\
    (0 < size2 n r (N (seen G)) -> 0 < factor N G).
  Proof.
    assert (H := sqrt_pos (size2 n r (seen G))). split; [|split].
    - unfold pairing, size2. rewrite <- sum_scal. apply sum_ext. intros i _. unfold mini.
      now rewrite inner_scal, inner_self.
    - unfold factor. apply Rmult_le_pos; [lra|]. apply Rle_mult_inv_pos; [apply sqrt_pos|lra].
    - intros HN. unfold factor. apply Rmult_lt_0_compat; [lra|]. apply Rdiv_lt_0_compat; [now apply sqrt_lt_R0|lra].
  Qed.
  (* prp-landscape-span: what P does not see, the projection, and APOLLO-Mini's multiple of the gradient. *)
  Theorem prp_landscape_span :
    (forall H A, pairing n m H (carried A) = pairing n r (seen H) A) /\
    (forall H A, (forall i k, (i < n)%nat -> (k < r)%nat -> seen H i k = 0) -> pairing n m H (carried A) = 0) /\
    (forall G A, orthonormal r m P -> size2 n m (fun i => sub (G i) (carried A i))
      = size2 n m G - size2 n r (seen G) + size2 n r (fun i => sub (seen G i) (A i))) /\
    (forall G A, orthonormal r m P ->
      size2 n m (fun i => sub (G i) (carried (seen G) i)) <= size2 n m (fun i => sub (G i) (carried A i))) /\
    (forall N G, pairing n m G (mini N G) = factor N G * size2 n m G /\ 0 <= factor N G /\
      (0 < size2 n r (N (seen G)) -> 0 < factor N G)).
  Proof.
    split; [exact step_1|]. split; [exact step_2|]. split; [exact step_3|]. split; [exact nearest_carried|exact step_4].
  Qed.
End Span.
(* An instance: the first of two unit vectors. *)
Lemma prp_landscape_span_instance (G : mat) (A : mat) :
  size2 3 2 (fun i => sub (G i) (carried 1 delta (seen 2 delta G) i)) <=
  size2 3 2 (fun i => sub (G i) (carried 1 delta A i)).
Proof.
  apply (prp_landscape_span 3 2 1 delta 1 (/ 100000000)); [lra|].
  intros i j Hi Hj. rewrite inner_sym, inner_delta by lia. apply delta_sym.
Qed.
(* Without columns of length 1 it is false: one number, and a P of 2, with which A = G P lands at four times G. *)
Lemma prp_landscape_span_needs_orthonormal : let P (k : nat) : vec := fun _ => 2 in let G : mat := fun _ _ => 1 in
  size2 1 1 (fun i => sub (G i) (carried 1 P (fun _ _ => / 2) i)) <
  size2 1 1 (fun i => sub (G i) (carried 1 P (seen 1 P G) i)).
Proof.
  intros P G. unfold size2, norm2, sub, carried, seen, inner, P, G. rewrite !sum_S, !sum_O. lra.
Qed.
