(* Big batches: the assumptions of the three statements can be met, each time with noise. *)
Require Import big_batches.
Require big_batches_hyperbola.
Open Scope R_scope.

(* A coin decides whether a sample pulls by 1 too much or too little. *)
Definition flip (w : nat) : R := match w with O => 1 | _ => -1 end.
Lemma flip_mean : E coin flip = 0.
Proof. rewrite E_coin. unfold flip. lra. Qed.
Lemma flip_square : E coin (fun w => flip w ^ 2) = 1.
Proof. rewrite E_coin. unfold flip. lra. Qed.

(* thm-batches-step on f(y) = y^2 / 2 at the point 1, where a sample's gradient is 1 + flip, in one dimension:
   q = 1 + 1 / b, so that the best rate is b / (b + 1) and the noise scale is 1. *)
Definition pull (w : nat) : vec := fun _ => 1 + flip w.
Lemma pull_G : forall j, G coin pull j = 1.
Proof. intros j. unfold G, pull. rewrite E_plus, E_const, flip_mean. ring. Qed.
Lemma pull_Sigma : forall i j, Sigma coin pull i j = 1.
Proof.
  intros i j. unfold Sigma. rewrite !pull_G, (E_ext _ _ (fun w => flip w ^ 2)) by (intros; unfold pull; ring).
  apply flip_square.
Qed.
Lemma thm_batches_step_instance b : (1 <= b)%nat ->
  (forall i, (i < 1)%nat -> 0 + times_vec 1 (fun _ _ => 1) (fun _ => 1) i = G coin pull i) /\
  q coin 1 pull (fun _ _ => 1) b = 1 + 1 / INR b /\ 0 < quad 1 (fun _ _ => 1) (G coin pull).
Proof.
  intros Hb. repeat split.
  - intros i _. unfold times_vec. rewrite sum_S, sum_O, pull_G. ring.
  - unfold q, quad. rewrite !sum_S, !sum_O, pull_G, pull_Sigma. field. apply Rgt_not_eq, INR_pos, Hb.
  - unfold quad. rewrite !sum_S, !sum_O, pull_G. lra.
Qed.

(* prop-batches-two: two batches that are drawn independently, from any law and in any dimension. *)
Section Two_independent_batches.
  Variables (W : space) (d s b : nat) (g : nat -> vec).
  Hypothesis sizes : (1 <= s)%nat /\ (s < b)%nat.
  Definition both := pair_space (batches W s) (batches W b).
  Definition first_batch k : vec := mean g (drawn W s (k / size (batches W b))).
  Definition second_batch k : vec := mean g (drawn W b (k mod size (batches W b))).
  Lemma prop_batches_two_instance :
    E both (fun k => norm2 d (first_batch k)) = norm2 d (G W g) + trace_Sigma W d g / INR s /\
    E both (fun k => norm2 d (second_batch k)) = norm2 d (G W g) + trace_Sigma W d g / INR b.
  Proof.
    destruct sizes as [Hs Hb]. unfold both. rewrite !E_pair. split.
    - rewrite <- prop_batches_two_step_1 by assumption. apply E_ext. intros w _.
      rewrite (E_ext _ _ (fun _ => norm2 d (batch W g s w))); [apply E_const|].
      intros v Hv. unfold first_batch. rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r by lia. reflexivity.
    - rewrite (E_ext (batches W s) _ (fun _ => norm2 d (G W g) + trace_Sigma W d g / INR b)); [apply E_const|].
      intros w _. rewrite <- prop_batches_two_step_1 by lia. apply E_ext. intros v Hv. unfold second_batch.
      rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity.
  Qed.
End Two_independent_batches.
(* ... of one and two samples whose gradients are 1 or 3: G is 2, and the signal is never 0. *)
Definition steady (w : nat) : vec := fun _ => 2 + flip w.
Lemma steady_length l : norm2 1 (mean steady l) = (total (fun w => 2 + flip w) l / INR (length l)) ^ 2.
Proof. unfold norm2. rewrite sum_S, sum_O. unfold mean, steady. ring. Qed.
Lemma prop_batches_two_bias_instance : 0 < norm2 1 (G coin steady) /\
  forall k, (k < size (both coin 1 2))%nat ->
    signal 1 (first_batch coin 1 2 steady) (second_batch coin 2 steady) 1 2 k <> 0.
Proof.
  split.
  - unfold norm2, G, steady. rewrite sum_S, sum_O, E_plus, E_const, flip_mean. pos.
  - intros k Hk. change (k < 8)%nat in Hk. unfold signal, first_batch, second_batch. rewrite !steady_length.
    change (size (batches coin 2)) with 4%nat.
    do 8 (destruct k as [|k]; [cbn -[INR]; rewrite ?INR_two, ?INR_one; lra|]). lia.
Qed.

(* thm-batches-hyperbola on f(x) = x^2 / 2, one sample a step and half of the best rate: unbiased, with noise 1. *)
Definition bowl_gradient (x : vec) (w : nat) : vec := fun j => x j + flip w.
Lemma thm_batches_hyperbola_instance : let zero : vec := fun _ => 0 in
  (forall x j, (j < 1)%nat -> E coin (fun w => bowl_gradient x w j) = big_batches_hyperbola.grad 1 zero x j) /\
  (forall x, E coin (fun w => norm2 1 (sub (bowl_gradient x w) (big_batches_hyperbola.grad 1 zero x))) = 1 ^ 2) /\
  0 < big_batches_hyperbola.f 1 1 zero (fun _ => 1).
Proof.
  intros zero. unfold bowl_gradient, big_batches_hyperbola.grad, big_batches_hyperbola.f, zero. repeat split.
  - intros x j _. rewrite E_plus, E_const, flip_mean. ring.
  - intros x. rewrite (E_ext _ _ (fun w => flip w ^ 2)); [rewrite flip_square; ring|].
    intros w _. unfold norm2, sub. rewrite sum_S, sum_O. ring.
  - unfold norm2, sub. rewrite sum_S, sum_O. lra.
Qed.
