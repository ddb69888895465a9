(* The loss and its gradient: the price of a matrix product (thm-loss-price), with every multiplication counted. *)
Require Import vectors.
Require Import List.
Import ListNotations.
Open Scope R_scope.

Definition matrix := nat -> nat -> R.
Definition transposed (A : matrix) : matrix := fun i j => A j i.

(* A loop over k products adds them up and counts them. *)
Fixpoint dot_loop (k : nat) (a b : vec) : R * nat :=
  match k with O => (0, O) | S l => let (total, count) := dot_loop l a b in (total + a l * b l, S count) end.
(* Loops over the columns and the rows of A B, for A with k columns: the entries, and the multiplications of all. *)
Definition entry k (A B : matrix) i j := dot_loop k (A i) (transposed B j).
Fixpoint count_row k (A B : matrix) i m : nat :=
  match m with O => O | S j => (count_row k A B i j + snd (entry k A B i j))%nat end.
Fixpoint count_product n k m (A B : matrix) : nat :=
  match n with O => O | S i => (count_product i k m A B + count_row k A B i m)%nat end.
Definition times k (A B : matrix) : matrix := fun i j => fst (entry k A B i j).

Lemma dot_loop_is k a b : dot_loop k a b = (inner k a b, k).
Proof. induction k as [|k IH]; [reflexivity|]. cbn [dot_loop]. rewrite IH. reflexivity. Qed.
Lemma count_row_is k A B i m : count_row k A B i m = (m * k)%nat.
Proof.
  induction m as [|m IH]; [reflexivity|]. cbn [count_row]. unfold entry. rewrite IH, dot_loop_is. cbn [snd]. lia.
Qed.

(* (1) Forward: n k m multiplications, and entry (i, j) is the sum of k products. *)
Lemma step_1 n k m A B : count_product n k m A B = (n * k * m)%nat /\
  forall i j, times k A B i j = sum k (fun l => A i l * B l j).
Proof.
  split; [|intros; unfold times, entry; now rewrite dot_loop_is].
  induction n as [|n IH]; [reflexivity|]. cbn [count_product]. rewrite IH, count_row_is. lia.
Qed.

(* The vector-Jacobian products are those for A and for B: when A moves by D, what C weighs up changes by (C B') D,
   and when B moves by D by (A' C) D. *)
Definition weigh n m (C X : matrix) := sum n (fun i => sum m (fun j => C i j * X i j)).
Lemma pullback_A n k m A B C D : weigh n m C (times k (fun i l => A i l + D i l) B)
  = weigh n m C (times k A B) + weigh n k (times m C (transposed B)) D.
Proof.
  unfold weigh. rewrite <- sum_plus. apply sum_ext. intros i _. unfold times, entry.
  rewrite (sum_ext k _ (fun l => sum m (fun j => C i j * (D i l * B l j)))).
  - rewrite sum_swap, <- sum_plus. apply sum_ext. intros j _. rewrite !dot_loop_is. cbn [fst]. unfold inner, transposed.
    rewrite sum_scal, <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext. intros. ring.
  - intros l _. rewrite dot_loop_is. cbn [fst]. unfold inner, transposed. rewrite <- sum_scal_r.
    apply sum_ext. intros. ring.
Qed.
Lemma pullback_B n k m A B C D : weigh n m C (times k A (fun l j => B l j + D l j))
  = weigh n m C (times k A B) + weigh k m (times n (transposed A) C) D.
Proof.
  unfold weigh. assert (H : sum k (fun l => sum m (fun j => times n (transposed A) C l j * D l j))
    = sum n (fun i => sum m (fun j => sum k (fun l => C i j * (A i l * D l j))))).
  - rewrite (sum_ext k _ (fun l => sum n (fun i => sum m (fun j => C i j * (A i l * D l j))))).
    + rewrite sum_swap. apply sum_ext. intros i _. apply sum_swap.
    + intros l _. rewrite sum_swap. apply sum_ext. intros j _. unfold times, entry. rewrite dot_loop_is. cbn [fst].
      unfold inner, transposed. rewrite <- sum_scal_r. apply sum_ext. intros. ring.
  - rewrite H, <- sum_plus. apply sum_ext. intros i _. rewrite <- sum_plus. apply sum_ext. intros j _.
    unfold times, entry. rewrite !dot_loop_is. cbn [fst]. unfold inner, transposed.
    rewrite sum_scal, <- Rmult_plus_distr_l, <- sum_plus. f_equal. apply sum_ext. intros. ring.
Qed.

(* (2) Backward: together twice as many. C has the shape of A B. *)
Lemma step_2 n k m A B C :
  (count_product n m k C (transposed B) + count_product k n m (transposed A) C = 2 * (n * k * m))%nat.
Proof. destruct (step_1 n m k C (transposed B)) as [-> _]. destruct (step_1 k n m (transposed A) C) as [-> _]. lia. Qed.

(* (3) A network is a list of products n x k by k x m; where a factor is data, its adjoint is left out. *)
Definition product := (nat * nat * nat * bool * bool)%type.
Definition forward (p : product) := let '(n, k, m, _, _) := p in (n * k * m)%nat.
Definition backward (p : product) := let '(n, k, m, for_A, for_B) := p in
  ((if for_A : bool then n * m * k else 0) + (if for_B : bool then k * n * m else 0))%nat.
Definition total_of (cost : product -> nat) (network : list product) :=
  fold_right (fun p t => (cost p + t)%nat) O network.
Lemma step_3 network : (total_of forward network + total_of backward network <= 3 * total_of forward network)%nat.
Proof.
  induction network as [|[[[[n k] m] a] b] r IH]; cbn; [lia|]. fold (total_of forward r) (total_of backward r) in *.
  unfold total_of in *. destruct a, b; lia.
Qed.

(* thm-loss-price: A B takes n k m multiplications, the two vector-Jacobian products together twice as many, and in a
   network of products the value and the whole gradient together at most three times as many as the value. *)
Theorem thm_loss_price n k m A B C network :
  count_product n k m A B = (n * k * m)%nat /\
  (count_product n m k C (transposed B) + count_product k n m (transposed A) C = 2 * (n * k * m))%nat /\
  (total_of forward network + total_of backward network <= 3 * total_of forward network)%nat.
Proof. split; [apply step_1|]. split; [apply step_2|apply step_3]. Qed.
(* An instance: 2 x 3 times 3 x 4 takes 24 multiplications, and its two products backward 48. *)
Lemma thm_loss_price_instance A B C : count_product 2 3 4 A B = 24%nat /\
  (count_product 2 4 3 C (transposed B) + count_product 3 2 4 (transposed A) C = 48)%nat.
Proof. destruct (thm_loss_price 2 3 4 A B C []) as (H1 & H2 & _). rewrite H1, H2. split; reflexivity. Qed.
