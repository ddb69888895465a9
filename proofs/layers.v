(* A network's weights, layer by layer: layer i has d i weights, and there are h layers.

   (A1) and (A2) of the theorems for LARS and LAMB. The constants L i and sigma i are not negative: (A1) could hold with
   a negative L i, and the proofs would fail. *)
Require Export runs.
Open Scope R_scope.

Definition layered := nat -> vec.    (* x i j: weight j of layer i *)

(* (A1), layerwise. `grad` is any function for which it holds. *)
Definition layerwise_smooth h (d : nat -> nat) (f : layered -> R) (grad : layered -> layered) (L : nat -> R) :=
  (forall i, (i < h)%nat -> 0 <= L i) /\
  forall x y, f y <= f x + sum h (fun i => inner (d i) (grad x i) (sub (y i) (x i)))
                         + sum h (fun i => L i / 2 * norm2 (d i) (sub (y i) (x i))).
(* (A2), layerwise: `sample x w` is the gradient of sample w at x. *)
Definition layerwise_noise W h (d : nat -> nat) (grad : layered -> layered) (sample : layered -> nat -> layered)
  (sigma : nat -> R) :=
  (forall i, (i < h)%nat -> 0 <= sigma i) /\
  (forall x i j, (i < h)%nat -> (j < d i)%nat -> E W (fun w => sample x w i j) = grad x i j) /\
  forall x i, (i < h)%nat -> E W (fun w => norm2 (d i) (sub (sample x w i) (grad x i))) <= sigma i ^ 2.

(* The gradient of batch k of b samples. *)
Definition batch_gradient W b (sample : layered -> nat -> layered) (x : layered) (k : nat) : layered :=
  fun i => mean (fun w => sample x w i) (drawn W b k).

(* A root of a mean is at least the mean (lem-lyapunov), for a number that is not negative. *)
Lemma mean_le_root W X : (forall w, (w < size W)%nat -> 0 <= X w) -> E W X <= sqrt (E W (fun w => X w ^ 2)).
Proof.
  intros HX. set (m := E W X). assert (Hm : 0 <= m) by now apply E_nonneg.
  assert (H : E W (fun w => 2 * m * X w + - m ^ 2) <= E W (fun w => X w ^ 2)).
  { apply E_le. intros w _. assert (H0 := pow2_nonneg (X w - m)). lra. }
  rewrite E_plus, E_scal, E_const in H. fold m in H. assert (H2 := pow2_nonneg m).
  apply le_of_squares; [apply sqrt_pos|]. rewrite sqrt_squared; lra.
Qed.

Section Noise.
  Variables (W : space) (h b : nat) (d : nat -> nat) (grad : layered -> layered).
  Variables (sample : layered -> nat -> layered) (sigma : nat -> R).
  Hypothesis noise : layerwise_noise W h d grad sample sigma.
  Hypothesis some : (1 <= b)%nat.

  Lemma batch_gradient_unbiased x i j : (i < h)%nat -> (j < d i)%nat ->
    E (batches W b) (fun k => batch_gradient W b sample x k i j) = grad x i j.
  Proof.
    intros Hi Hj. destruct noise as (_ & H & _).
    exact (batch_unbiased W (d i) b (fun w => sample x w i) (grad x i) (fun j => H x i j Hi) some j Hj).
  Qed.
  (* A batch misses the gradient of layer i by at most sigma_i / sqrt b in the mean. *)
  Lemma batch_gradient_misses x i : (i < h)%nat ->
    E (batches W b) (fun k => norm (d i) (sub (batch_gradient W b sample x k i) (grad x i))) <= sigma i / sqrt (INR b).
  Proof.
    intros Hi. destruct noise as (Hs & H & H2). assert (Hb := INR_pos b some).
    eapply Rle_trans; [apply mean_le_root; intros; apply norm_pos|].
    rewrite (E_ext _ _ (fun k => norm2 (d i) (sub (batch_gradient W b sample x k i) (grad x i))))
      by (intros; apply norm_squared).
    unfold batch_gradient.
    rewrite (batch_variance W (d i) b (fun w => sample x w i) (grad x i) (fun j => H x i j Hi) some).
    rewrite <- (Rabs_pos_eq (sigma i)), <- sqrt_of_square, <- sqrt_div_alt by auto.
    apply sqrt_le_1_alt. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, Hb|now apply H2].
  Qed.
End Noise.
