(* BERT in 76 minutes: accumulation is a big batch (prp-minutes-accumulation).

   A batch is k parts of l rows each. The loss of a row depends on the weights and on this row alone; its gradient at x
   is row_grad x s. An optimizer is a function of weights, state (of any type) and gradient. *)
Require Import vectors smooth.
Open Scope R_scope.

Section Accumulation.
  Variables d k l : nat.
  Hypothesis parts : (1 <= k)%nat /\ (1 <= l)%nat.
  Variable loss : vec -> nat -> R.
  Variable row_grad : vec -> nat -> vec.
  Hypothesis differentiable : forall x s, is_grad d (fun y => loss y s) x (row_grad x s).
  (* Row s of part j of batch t; the parts have the same number of rows. *)
  Variable row : nat -> nat -> nat -> nat.
  Definition part_loss t j x := sum l (fun s => loss x (row t j s)) / INR l.
  Definition batch_loss t x := sum k (fun j => sum l (fun s => loss x (row t j s))) / INR (k * l).
  (* The gradients that backward finds: of one part, and of the whole batch. *)
  Definition part_grad t j x : vec := fun i => sum l (fun s => row_grad x (row t j s) i) / INR l.
  Definition batch_grad t x : vec := fun i => sum k (fun j => sum l (fun s => row_grad x (row t j s) i)) / INR (k * l).
  Definition accumulated t x : vec := fun i => sum k (fun j => part_grad t j x i) / INR k.

  Lemma kl : 0 < INR k /\ 0 < INR l /\ INR (k * l) = INR k * INR l.
  Proof. destruct parts. split; [now apply INR_pos|]. split; [now apply INR_pos|apply mult_INR]. Qed.
  (* (1) The mean of the means is the mean. *)
  Lemma step_1 t x : sum k (fun j => part_loss t j x) / INR k = batch_loss t x.
  Proof.
    destruct kl as (Hk & Hl & Hkl). unfold part_loss, batch_loss. rewrite sum_div, Hkl. field. split; lra.
  Qed.
  (* (2) The gradient is linear: sums and multiples of gradients are gradients of sums and multiples. *)
  Lemma grad_zero x : is_grad d (fun _ => 0) x (fun _ => 0).
  Proof.
    intros eps Heps. exists 1. split; [lra|]. intros y _. assert (H := norm_pos d (sub y x)).
    assert (E : inner d (fun _ => 0) (sub y x) = 0) by (apply sum_zeros; intros; ring).
    rewrite E, Rminus_0_r, Rminus_0_r, Rabs_R0. apply Rmult_le_pos; lra.
  Qed.
  Lemma grad_plus f h x F H : is_grad d f x F -> is_grad d h x H ->
    is_grad d (fun y => f y + h y) x (fun i => F i + H i).
  Proof.
    intros Hf Hh eps Heps. destruct (Hf (eps / 2) ltac:(lra)) as (d1 & Hd1 & H1).
    destruct (Hh (eps / 2) ltac:(lra)) as (d2 & Hd2 & H2). exists (Rmin d1 d2). split; [now apply Rmin_glb_lt|].
    intros y Hy. specialize (H1 y (Rlt_le_trans _ _ _ Hy (Rmin_l _ _))).
    specialize (H2 y (Rlt_le_trans _ _ _ Hy (Rmin_r _ _))).
    assert (E : inner d (fun i => F i + H i) (sub y x) = inner d F (sub y x) + inner d H (sub y x)).
    { unfold inner. rewrite <- sum_plus. apply sum_ext. intros. ring. }
    replace (f y + h y - (f x + h x) - inner d (fun i => F i + H i) (sub y x))
      with ((f y - f x - inner d F (sub y x)) + (h y - h x - inner d H (sub y x))) by (rewrite E; ring).
    eapply Rle_trans; [apply Rabs_triang|]. lra.
  Qed.
  Lemma grad_sum n f x F : (forall s, is_grad d (f s) x (F s)) ->
    is_grad d (fun y => sum n (fun s => f s y)) x (fun i => sum n (fun s => F s i)).
  Proof. intros H. induction n as [|n IH]; [exact (grad_zero x)|]. exact (grad_plus _ _ _ _ _ IH (H n)). Qed.
  Lemma grad_div c f x F : 0 < c -> is_grad d f x F -> is_grad d (fun y => f y / c) x (fun i => F i / c).
  Proof.
    intros Hc H eps Heps. destruct (H (eps * c) ltac:(pos)) as (d1 & Hd1 & H1). exists d1. split; [assumption|].
    intros y Hy. specialize (H1 y Hy).
    assert (E : inner d (fun i => F i / c) (sub y x) = inner d F (sub y x) / c).
    { unfold inner. rewrite <- sum_div. apply sum_ext. intros. unfold Rdiv. ring. }
    replace (f y / c - f x / c - inner d (fun i => F i / c) (sub y x))
      with ((f y - f x - inner d F (sub y x)) * / c) by (rewrite E; unfold Rdiv; ring).
    rewrite Rabs_mult, (Rabs_pos_eq (/ c)) by now apply Rlt_le, Rinv_0_lt_compat.
    apply div_le; [assumption|]. lra.
  Qed.
  Lemma step_2_batch t x : is_grad d (batch_loss t) x (batch_grad t x).
  Proof.
    destruct kl as (Hk & Hl & Hkl). apply grad_div; [rewrite Hkl; pos|].
    apply (grad_sum k (fun j y => sum l (fun s => loss y (row t j s))) x
      (fun j i => sum l (fun s => row_grad x (row t j s) i))).
    intros j. apply (grad_sum l (fun s y => loss y (row t j s)) x (fun s => row_grad x (row t j s))).
    intros. apply differentiable.
  Qed.
  Lemma step_2 t x i : accumulated t x i = batch_grad t x i.
  Proof.
    destruct kl as (Hk & Hl & Hkl). unfold accumulated, part_grad, batch_grad. rewrite sum_div, Hkl. field. split; lra.
  Qed.

  (* (3) One step and (4) all steps: equal weights, state and gradients go in. *)
  Variable State : Type.
  Variable optimizer : vec -> State -> vec -> vec * State.
  (* It is a function of the gradient's entries. *)
  Hypothesis by_entries : forall x s g h, (forall i, g i = h i) -> optimizer x s g = optimizer x s h.
  Fixpoint run (grad : nat -> vec -> vec) (x1 : vec) (s1 : State) (t : nat) : vec * State :=
    match t with O => (x1, s1) | S r => let (x, s) := run grad x1 s1 r in optimizer x s (grad r x) end.
  (* prp-minutes-accumulation: the mean of the parts' gradients is the gradient of the batch, and an optimizer makes
     the same steps from either. *)
  Theorem prp_minutes_accumulation x1 s1 :
    (forall t x, is_grad d (batch_loss t) x (batch_grad t x)) /\ (forall t x i, accumulated t x i = batch_grad t x i) /\
    forall t, run accumulated x1 s1 t = run batch_grad x1 s1 t.
  Proof.
    split; [exact step_2_batch|]. split; [exact step_2|]. induction t as [|t IH]; [reflexivity|]. cbn [run].
    rewrite IH. destruct (run batch_grad x1 s1 t) as [x s]. apply by_entries. apply step_2.
  Qed.
End Accumulation.
(* An instance: rows of one number, the loss x - s, whose slope is 1, and plain gradient descent. *)
Lemma prp_minutes_accumulation_instance (row : nat -> nat -> nat -> nat) x1 t :
  let row_grad (x : vec) (s : nat) : vec := fun _ => 1 in
  let descent (x : vec) (s : unit) (g : vec) := ((fun i => x i - / 10 * g i) : vec, s) in
  run unit descent (accumulated 4 8 row_grad row) x1 tt t = run unit descent (batch_grad 4 8 row_grad row) x1 tt t.
Proof.
  intros row_grad descent.
  apply (prp_minutes_accumulation 1 4 8 ltac:(lia) (fun y s => y O - INR s) row_grad).
  - intros x s eps Heps. exists 1. split; [lra|]. intros y _. unfold inner, row_grad. rewrite sum_S, sum_O.
    replace (y O - INR s - (x O - INR s) - (0 + 1 * sub y x O)) with 0 by (unfold sub; ring).
    rewrite Rabs_R0. apply Rmult_le_pos; [lra|apply norm_pos].
  - intros x s g h H. unfold descent. f_equal. apply FunctionalExtensionality.functional_extensionality.
    intros i. now rewrite H.
Qed.
