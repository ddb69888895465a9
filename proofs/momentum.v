(* The methods of the chapter. (torch's heavy ball takes the same steps as Polyak's: `torch_is_polyak`.)

   A method is a function: start and number of steps in, point out. Each step calls the rest of the run with new
   arguments, so "x_0 and x_(-1)" are simply the two vectors that go in. The gradient is any function from vectors to
   vectors. Two vectors with the same entries are the same (functional extensionality). *)
Require Export vectors.
Require Export FunctionalExtensionality.
Open Scope R_scope.

Definition downhill (grad : vec -> vec) (lr : R) (x : vec) : vec := fun j => x j - lr * grad x j.
(* The point x + beta (x - before). *)
Definition ahead (beta : R) (x before : vec) : vec := fun j => x j + beta * (x j - before j).
Definition origin : vec := fun _ => 0.

Section Methods.
  Variable grad : vec -> vec.
  Variables lr beta : R.

  (* Heavy ball in Polyak's form (eq-momentum-polyak): x_(t+1) = x_t - lr grad(x_t) + beta (x_t - x_(t-1)). *)
  Fixpoint heavy_ball (x before : vec) (t : nat) : vec :=
    match t with O => x | S s => heavy_ball (fun j => x j - lr * grad x j + beta * (x j - before j)) x s end.

  (* Nesterov's own form (eq-momentum-lookahead): the iterates x_t, and the points y_t at which he looks. *)
  Fixpoint lookahead (x before : vec) (t : nat) : vec :=
    match t with O => x | S s => lookahead (downhill grad lr (ahead beta x before)) x s end.
  Fixpoint looked_at (x before : vec) (t : nat) : vec :=
    match t with O => ahead beta x before | S s => looked_at (downhill grad lr (ahead beta x before)) x s end.

  (* torch's buffer, and its two methods (alg-momentum-torch). *)
  Definition buffer (m g : vec) : vec := fun j => beta * m j + g j.
  Fixpoint torch_ball (x m : vec) (t : nat) : vec :=
    match t with
    | O => x
    | S s => torch_ball (fun j => x j - lr * buffer m (grad x) j) (buffer m (grad x)) s
    end.
  Fixpoint torch_nesterov (x m : vec) (t : nat) : vec :=
    match t with
    | O => x
    | S s => torch_nesterov (fun j => x j - lr * (grad x j + beta * buffer m (grad x) j)) (buffer m (grad x)) s
    end.

  (* The start of the algorithm, m = 0, stands for x_(-1) = x_0. *)
  Lemma start x : ahead beta x x = x.
  Proof. apply functional_extensionality. intros j. unfold ahead. ring. Qed.
  Lemma start_buffer x : origin = fun j => - (x j - x j) / lr.
  Proof. apply functional_extensionality. intros j. unfold origin, Rdiv. ring. Qed.

  (* torch's heavy ball takes the same steps as Polyak's. *)
  Lemma same_ball x before t : lr <> 0 ->
    torch_ball x (fun j => - (x j - before j) / lr) t = heavy_ball x before t.
  Proof.
    intros Hlr. revert x before. induction t as [|t IH]; intros x before; [reflexivity|].
    cbn [torch_ball heavy_ball]. rewrite <- IH. f_equal; apply functional_extensionality; intros j; unfold buffer.
    - field. assumption.
    - field. assumption.
  Qed.
  Theorem torch_is_polyak x0 t : lr <> 0 -> torch_ball x0 origin t = heavy_ball x0 x0 t.
  Proof. intros Hlr. now rewrite (start_buffer x0), same_ball. Qed.
End Methods.
