(* The landscape: Lion's steps (prp-landscape-lion). *)
Require Import vectors toolbox_sign.
Open Scope R_scope.

(* ---- 1. prp-landscape-lion: a layer of d entries; the gradient may depend on step and weights in any way. ---- *)

Section Lion.
  Variable d : nat.
  Variables lr lambda beta1 beta2 : R.
  Variable gradient : nat -> vec -> vec.
  Hypothesis lr_pos : 0 < lr.
  (* The interpolation, and a step from weights x and memory m. *)
  Definition interpolation (t : nat) (x m : vec) : vec := fun j => beta1 * m j + (1 - beta1) * gradient t x j.
  Definition new_x t (x m : vec) : vec := fun j => (1 - lr * lambda) * x j - lr * sign (interpolation t x m j).
  Definition new_m (t : nat) (x m : vec) : vec := fun j => beta2 * m j + (1 - beta2) * gradient t x j.
  Fixpoint run (x1 : vec) (t : nat) : vec * vec :=
    match t with O => (x1, fun _ => 0) | S s => let (x, m) := run x1 s in (new_x s x m, new_m s x m) end.

  Lemma sign_size z : Rabs (sign z) <= 1 /\ (z <> 0 -> sign z ^ 2 = 1).
  Proof.
    destruct (sign_cases z) as [[H ->]|[[H ->]|[H ->]]].
    - rewrite Rabs_R1. split; [lra|intros; ring].
    - rewrite Rabs_left by lra. split; [lra|intros; ring].
    - rewrite Rabs_R0. split; [lra|contradiction].
  Qed.
  (* (1) Length: without decay every entry moves by lr. *)
  Lemma prp_landscape_lion_length t x m : lambda = 0 -> (forall j, (j < d)%nat -> interpolation t x m j <> 0) ->
    norm d (sub (new_x t x m) x) = lr * sqrt (INR d).
  Proof.
    intros Hl Hne. rewrite (norm_ext d _ (fun j => - lr * sign (interpolation t x m j)))
      by (intros; unfold sub, new_x; rewrite Hl; ring).
    rewrite norm_scal, Rabs_Ropp, Rabs_pos_eq by lra. f_equal. unfold norm. f_equal. unfold norm2.
    rewrite (sum_ext d _ (fun _ => 1)) by (intros j Hj; now apply sign_size, Hne). rewrite sum_const. ring.
  Qed.
  (* (2) Size: an average of |x_j| and 1 / lambda. *)
  Lemma prp_landscape_lion_step_2 B t x m j : 0 < lambda -> lr * lambda <= 1 -> / lambda <= B -> Rabs (x j) <= B ->
    Rabs (new_x t x m j) <= B.
  Proof.
    intros Hl Hll HB Hx. destruct (sign_size (interpolation t x m j)) as [Hs _]. unfold new_x.
    assert (Hp : 0 < lr * lambda) by pos. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_Ropp, !Rabs_mult, (Rabs_pos_eq lr), (Rabs_pos_eq (1 - lr * lambda)) by lra.
    assert (H1 : (1 - lr * lambda) * Rabs (x j) <= (1 - lr * lambda) * B) by (apply Rmult_le_compat_l; lra).
    assert (H2 : lr * Rabs (sign (interpolation t x m j)) <= lr * 1) by (apply Rmult_le_compat_l; lra).
    assert (H3 : lr * lambda * / lambda <= lr * lambda * B) by (apply Rmult_le_compat_l; lra).
    replace (lr * lambda * / lambda) with (lr * 1) in H3 by (field; lra). lra.
  Qed.
  (* Size: no entry ever exceeds the larger of its first size and 1 / lambda. *)
  Lemma prp_landscape_lion_size x1 B t j : 0 < lambda -> lr * lambda <= 1 -> Rabs (x1 j) <= B ->
    Rabs (fst (run x1 t) j) <= Rmax B (/ lambda).
  Proof.
    intros Hl Hll HB. induction t as [|t IH]; cbn [run].
    - eapply Rle_trans; [exact HB|apply Rmax_l].
    - destruct (run x1 t) as [x m]. cbn [fst] in *.
      apply prp_landscape_lion_step_2; [assumption|assumption|apply Rmax_r|exact IH].
  Qed.
  (* prp-landscape-lion: the length of a step, and the size of an entry. *)
  Theorem prp_landscape_lion :
    (forall t x m, lambda = 0 -> (forall j, (j < d)%nat -> interpolation t x m j <> 0) ->
      norm d (sub (new_x t x m) x) = lr * sqrt (INR d)) /\
    (forall x1 B t j, 0 < lambda -> lr * lambda <= 1 -> Rabs (x1 j) <= B ->
      Rabs (fst (run x1 t) j) <= Rmax B (/ lambda)).
  Proof. split; [exact prp_landscape_lion_length|exact prp_landscape_lion_size]. Qed.
End Lion.
Lemma prp_landscape_lion_instance gradient t j :
  Rabs (fst (run (/ 100) 2 (9 / 10) (99 / 100) gradient (fun _ => / 3) t) j) <= / 2.
Proof.
  rewrite <- (Rmax_right (/ 3) (/ 2)) by lra. apply prp_landscape_lion_size; try lra. rewrite Rabs_pos_eq; lra.
Qed.
(* Without an interpolation that is nowhere zero it is false: a gradient of zero makes no step. *)
Lemma prp_landscape_lion_needs_slope : let x : vec := fun _ => 1 in let rest : vec := fun _ => 0 in
  norm 1 (sub (new_x 1 0 (/ 2) (fun _ _ => rest) 0 x rest) x) = 0 /\ 1 * sqrt (INR 1) = 1.
Proof.
  intros x rest. split; [|rewrite INR_one, sqrt_1; ring]. apply norm_of_zero. intros j _.
  unfold sub, new_x, interpolation, x, rest. replace (/ 2 * 0 + (1 - / 2) * 0) with 0 by ring.
  destruct (sign_cases 0) as [[H _]|[[H _]|[_ ->]]]; lra.
Qed.
(* Without lr lambda at most 1 it is false: one step from 1 with the rate 3 and the decay 1 ends at - 5. *)
Lemma prp_landscape_lion_needs_rate : let one : vec := fun _ => 1 in
  Rmax 1 (/ 1) < Rabs (fst (run 3 1 0 0 (fun _ _ => one) one 1) O).
Proof.
  intros one. cbn [run fst]. unfold new_x, interpolation, one.
  destruct (sign_cases (0 * 0 + (1 - 0) * 1)) as [[_ ->]|[[H _]|[H _]]]; [|lra|lra].
  rewrite Rmax_left, Rabs_left by lra. lra.
Qed.
