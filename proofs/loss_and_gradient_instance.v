(* The loss and its gradient: a program that meets every assumption of thm-loss-paths.

   v0 = 3, v1 = v0 v0, v2 = v0 + v1: four edges, of which two lead from v0 to v1. There are three paths from v0 to the
   result, and the derivative of v + v v at 3 is 3 + 3 + 1. *)
Require Import loss_and_gradient loss_and_gradient_paths.
Require Import List.
Import ListNotations.
Open Scope R_scope.

Definition formula (j : nat) (u : vec) : R :=
  match j with O => 3 | 1%nat => u 0%nat * u 0%nat | _ => u 0%nat + u 1%nat end.
Definition v : vec := fun j => match j with O => 3 | 1%nat => 9 | _ => 12 end.
Definition from (e : nat) : nat := match e with 3%nat => 1%nat | _ => O end.
Definition to (e : nat) : nat := match e with O => 1%nat | 1%nat => 1%nat | _ => 2%nat end.
Definition weight (e : nat) : R := match e with O => 3 | 1%nat => 3 | _ => 1 end.

Lemma constant_grad (f : vec -> R) c : (forall u, f u = c) -> is_grad 0 f v (fun i => w 4 from to weight i 0).
Proof.
  intros H eps Heps. exists 1. split; [lra|]. intros y _. rewrite !H.
  assert (Hn := norm_pos 0 (sub y v)). unfold inner. rewrite sum_O.
  replace (c - c - 0) with 0 by ring. rewrite Rabs_R0. apply Rmult_le_pos; lra.
Qed.
Lemma square_grad : is_grad 1 (fun u => u 0%nat * u 0%nat) v (fun i => w 4 from to weight i 1).
Proof.
  intros eps Heps. exists eps. split; [assumption|]. intros y Hy.
  assert (H : Rabs (sub y v O) <= norm 1 (sub y v)) by (apply entry_le_norm; lia).
  unfold inner, w. rewrite sum_S, sum_O, !sum_S, sum_O. cbn [from to weight Nat.eqb andb v].
  replace (y 0%nat * y 0%nat - 3 * 3 - _) with (sub y v O * sub y v O) by (unfold sub, v; ring).
  rewrite Rabs_mult. assert (H0 := Rabs_pos (sub y v O)). apply Rmult_le_compat; lra.
Qed.
Lemma sum_grad : is_grad 2 (fun u => u 0%nat + u 1%nat) v (fun i => w 4 from to weight i 2).
Proof.
  intros eps Heps. exists 1. split; [lra|]. intros y _. assert (Hn := norm_pos 2 (sub y v)).
  unfold inner, w. rewrite !sum_S, !sum_O. cbn [from to weight Nat.eqb andb v].
  replace (y 0%nat + y 1%nat - (3 + 9) - _) with 0 by (unfold sub, v; ring). rewrite Rabs_R0. apply Rmult_le_pos; lra.
Qed.
Lemma program_fits :
  (forall e, (e < 4)%nat -> (from e < to e <= 2)%nat) /\
  (forall j, (j <= 2)%nat -> v j = formula j v) /\
  (forall j, (j <= 2)%nat -> is_grad j (formula j) v (fun i => w 4 from to weight i j)) /\
  users_first 4 from to [2; 1; 0]%nat /\ P 2 4 from to weight 0 = 7.
Proof.
  repeat split.
  - destruct e as [|[|[|[|e]]]]; cbn; lia.
  - destruct e as [|[|[|[|e]]]]; cbn; lia.
  - intros j Hj. destruct j as [|[|[|j]]]; [reflexivity|cbn; ring|cbn; ring|lia].
  - intros j Hj. destruct j as [|[|[|j]]]; [now apply (constant_grad _ 3)|exact square_grad|exact sum_grad|lia].
  - repeat constructor; cbn; intuition lia.
  - intros before j after E e He Hf. destruct before as [|a [|b [|c [|x before]]]];
      injection E; intros; subst; cbn in *;
      try discriminate; destruct e as [|[|[|[|e]]]]; cbn in *; intuition lia.
  - unfold P. cbn. ring.
Qed.
Lemma thm_loss_paths_instance : adjoint 2 formula v 0 7 /\
  walk 2 4 from to weight [2; 1; 0]%nat 0 = 7 /\ calls 4 to [2; 1; 0]%nat = 4%nat.
Proof.
  destruct program_fits as (H1 & H2 & H3 & H4 & H5).
  destruct (thm_loss_paths 2 4 from to weight H1 formula v H2 H3) as [A B].
  destruct (B [2; 1; 0]%nat H4) as [C D]; [intros j; cbn; lia|].
  rewrite <- H5. split; [apply A; lia|]. split; [apply C; lia|exact D].
Qed.
(* Without users first it is false: in the order 0, 1, 2 the walk finds one path of three, and 1 in the place of 7. *)
Lemma thm_loss_paths_needs_order : walk 2 4 from to weight [0; 1; 2]%nat 0 = 1 /\ P 2 4 from to weight 0 = 7.
Proof.
  split; [|apply program_fits]. unfold walk. cbn [fold_left]. unfold turn. rewrite !sum_S, !sum_O.
  cbn [from to weight Nat.eqb andb]. ring.
Qed.
