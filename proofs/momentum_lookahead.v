(* lem-momentum-lookahead: torch's iterates are the points where Nesterov looks.

   `looked_at` gives the points y_t of Nesterov's own form, `lookahead` its iterates x_t, `torch_nesterov` the iterates
   of torch's (momentum.v). The function, its gradient and the dimension are free. *)
Require Export momentum.
Open Scope R_scope.

Section Lookahead.
  Variable grad : vec -> vec.
  Variables lr beta : R.

  (* (1) The buffer. With m_t = - v_t / lr, v_t = x_t - x_(t-1), the lookahead form feeds torch's buffer with the
     gradients at y_t. *)
  Lemma step_1 x before y : lr <> 0 -> y = ahead beta x before ->
    buffer beta (fun j => - (x j - before j) / lr) (grad y) = fun j => - (downhill grad lr y j - x j) / lr.
  Proof.
    intros Hlr ->. apply functional_extensionality. intros j. unfold buffer, downhill, ahead. field. assumption.
  Qed.
  (* (2) The step from y_t to y_(t+1) is torch's. *)
  Lemma step_2 x before y : lr <> 0 -> y = ahead beta x before ->
    ahead beta (downhill grad lr y) x = fun j => y j - lr * (grad y j + beta * (- (downhill grad lr y j - x j) / lr)).
  Proof.
    intros Hlr ->. apply functional_extensionality. intros j. unfold ahead at 1, downhill. field. assumption.
  Qed.
  Lemma same_points x before t : lr <> 0 ->
    torch_nesterov grad lr beta (ahead beta x before) (fun j => - (x j - before j) / lr) t
      = looked_at grad lr beta x before t.
  Proof.
    intros Hlr. revert x before. induction t as [|t IH]; intros x before; [reflexivity|].
    cbn [torch_nesterov looked_at]. now rewrite (step_1 x before), <- (step_2 x before), IH.
  Qed.

  (* lem-momentum-lookahead: for constant lr and beta and the same start, the iterates of alg-momentum-torch (Nesterov)
     are the lookahead points y_t, not the iterates x_t: unless the gradient vanishes they part at the first step. *)
  Theorem lem_momentum_lookahead x0 : lr <> 0 ->
    (forall t j, torch_nesterov grad lr beta x0 origin t j = looked_at grad lr beta x0 x0 t j) /\
    (beta <> 0 -> forall j, grad x0 j <> 0 ->
      torch_nesterov grad lr beta x0 origin 1 j <> lookahead grad lr beta x0 x0 1 j).
  Proof.
    intros Hlr. assert (same : forall t, torch_nesterov grad lr beta x0 origin t = looked_at grad lr beta x0 x0 t).
    { intros t. rewrite <- same_points by assumption. now rewrite start, <- (start_buffer lr x0). }
    split; [intros t j; now rewrite same|]. intros Hb j Hg. cbn [torch_nesterov lookahead].
    rewrite start. unfold downhill, buffer, origin. intros E.
    apply (Rmult_integral_contrapositive_currified lr beta Hlr) in Hb.
    apply (Rmult_integral_contrapositive_currified _ _ Hb) in Hg. lra.
  Qed.
End Lookahead.

(* An instance: one direction, gradient x, lr = beta = 1/2, from 1. Nesterov's x_1 is 1/2; torch stands on y_1 = 1/4. *)
Lemma lem_momentum_lookahead_instance :
  let grad := fun x : vec => x in
  let x0 := fun _ : nat => 1 in
  (forall t j, torch_nesterov grad (1 / 2) (1 / 2) x0 origin t j = looked_at grad (1 / 2) (1 / 2) x0 x0 t j) /\
  torch_nesterov grad (1 / 2) (1 / 2) x0 origin 1 0%nat = 1 / 4 /\
  lookahead grad (1 / 2) (1 / 2) x0 x0 1 0%nat = 1 / 2.
Proof.
  intros grad x0. split; [apply (lem_momentum_lookahead grad (1 / 2) (1 / 2) x0); lra|].
  cbn [torch_nesterov looked_at lookahead]. unfold downhill, ahead, buffer, origin, grad, x0. split; lra.
Qed.
