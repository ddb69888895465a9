(* Heavy ball on a quadratic, in d dimensions: along each eigenvector of H it is a spring.

   This is step (1) of thm-momentum-spectrum, and the theorems on the best pair and on Nesterov use it as well. *)
Require Export momentum momentum_spring spectral_theorem smooth.
Open Scope R_scope.

(* The quadratic f(x) = (x - xs)^T H (x - xs) / 2, and H (x - xs), which is its gradient (`bowl_is_grad`). *)
Definition bowl d (H : mat) (xs : vec) : vec -> R := fun x => quad d H (sub x xs) / 2.
Definition bowl_grad d (H : mat) (xs : vec) : vec -> vec := fun x => times d H (sub x xs).
Lemma bowl_is_grad d H xs x : symmetric d H -> is_grad d (bowl d H xs) x (bowl_grad d H xs x).
Proof.
  intros HH eps Heps. set (F := frobenius d H). assert (HF : 0 <= F) by apply sqrt_pos.
  exists (eps / (F + 1)). split; [apply Rdiv_lt_0_compat; lra|]. intros y Hy. set (v := sub y x) in *.
  replace (bowl d H xs y - bowl d H xs x - inner d (bowl_grad d H xs x) v) with (quad d H v / 2).
  - unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ 2)) by lra. assert (Q := quad_bound d H v). fold F in Q.
    assert (HN := norm_pos d v). set (N := norm d v) in *. replace (norm2 d v) with (N * N) in Q.
    + assert (A1 : F * (N * N) <= (F + 1) * (N * N)) by (apply Rmult_le_compat_r; [now apply Rmult_le_pos|lra]).
      assert (A2 : (F + 1) * N * N <= eps * N); [|assert (0 <= eps * N) by pos; lra].
      apply Rmult_le_compat_r; [assumption|].
      apply Rlt_le in Hy. apply (Rmult_le_compat_l (F + 1)) in Hy; [|lra].
      replace ((F + 1) * (eps / (F + 1))) with eps in Hy by (field; lra). assumption.
    + rewrite <- norm_squared. fold N. ring.
  - unfold bowl. replace (sub y xs) with (fun j => sub x xs j + 1 * v j).
    + rewrite quad_along, (inner_sym d v) by assumption. unfold bowl_grad. field.
    + apply functional_extensionality. intros j. unfold v, sub. ring.
Qed.

Section Direction.
  Variable d : nat.
  Variable H : mat.
  Variable v : vec.                  (* an eigenvector of H, and its eigenvalue *)
  Variable lam : R.
  Hypothesis HH : symmetric d H.
  Hypothesis Hv : forall a, (a < d)%nat -> times d H v a = lam * v a.

  (* (1) Each direction evolves alone: the coordinate c_t = <v, x_t - xs> follows from the two before it. *)
  Lemma thm_momentum_spectrum_step_1 xs lr beta x before :
    inner d v (sub (heavy_ball (bowl_grad d H xs) lr beta x before 1) xs)
      = (1 + beta - lr * lam) * inner d v (sub x xs) - beta * inner d v (sub before xs).
  Proof.
    cbn [heavy_ball]. rewrite (inner_ext_r d _ _ (fun k => 1 * ((1 + beta) * sub x xs k + - lr * times d H (sub x xs) k)
      + - beta * sub before xs k)).
    - rewrite inner_lin, inner_lin, (eigen_inner d H v lam (sub x xs) HH Hv). ring.
    - intros k _. unfold bowl_grad. set (g := times d H (sub x xs) k). unfold sub. fold (sub x xs). fold g. ring.
  Qed.
  (* So it is the run of a spring. *)
  Lemma ball_is_spring xs lr beta x before t :
    inner d v (sub (heavy_ball (bowl_grad d H xs) lr beta x before t) xs)
      = spring (1 + beta - lr * lam) beta (inner d v (sub x xs)) (inner d v (sub before xs)) t.
  Proof.
    revert x before. induction t as [|t IH]; intros x before; [reflexivity|].
    cbn [heavy_ball spring]. rewrite IH. f_equal. apply thm_momentum_spectrum_step_1.
  Qed.
End Direction.

(* And the distance to the minimum is put together from the springs. *)
Lemma distance d H q lam lr beta xs x before t : symmetric d H -> eigenbasis d H q lam ->
  norm d (sub (heavy_ball (bowl_grad d H xs) lr beta x before t) xs)
    = sqrt (sum d (fun j => spring (1 + beta - lr * lam j) beta
        (inner d (q j) (sub x xs)) (inner d (q j) (sub before xs)) t ^ 2)).
Proof.
  intros HH [Hb He]. unfold norm. rewrite (parseval d q _ Hb). f_equal. apply sum_ext. intros j Hj.
  rewrite (ball_is_spring d H (q j) (lam j) HH); [reflexivity|]. intros. now apply He.
Qed.
