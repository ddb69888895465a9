(* Carrying a rate: what thm-carry-ramp needs, on the parabola h x^2 / 2 in one coordinate. *)
Require Import carrying_a_rate certain.
Open Scope R_scope.

Definition one : vec := fun _ => 1.
Definition zero : vec := fun _ => 0.
(* Without lr L below 1 it is false: beyond the edge the right side is negative, even before the first step. *)
Lemma thm_carry_ramp_needs_edge lr : 1 < lr * 1 ->
  (forall j, (j < 1)%nat -> 0 <= one j <= 1) /\ (forall j, E coin (fun w => zero j) = 0) /\
  falling coin 1 one zero (fun _ => zero) lr nil one (f 1 one zero) / (1 - lr * 1)
    < growing coin 1 one zero (fun _ => zero) lr nil one (f 1 one zero).
Proof.
  intros Hlr. unfold one, zero. split; [intros; lra|]. split; [intros; apply E_const|]. cbn [falling growing].
  unfold f. rewrite sum_S, sum_O. assert (/ (1 - lr * 1) < 0) by (apply Rinv_lt_0_compat; lra). unfold Rdiv at 1. lra.
Qed.
(* Without noise that is zero on average it is false: all samples pull by 1 to one side; two short steps end at the
   minimum, and the long one passes it. *)
Lemma thm_carry_ramp_needs_mean : let pull (w : nat) := one in let x : vec := fun _ => 7 / 9 in
  let ms := cons 2%nat nil in
  falling point 1 one zero pull (1 / 2) ms x (f 1 one zero) = 0 /\
  growing point 1 one zero pull (1 / 2) ms x (f 1 one zero) = / 162.
Proof.
  intros pull x ms. unfold ms. cbn [falling growing after Nat.mul Nat.add]. rewrite INR_two. split.
  - rewrite E_certain, E_certain. unfold f, step, mean, grad. rewrite sum_S, sum_O. cbn [drawn length total].
    rewrite INR_one. unfold pull, one, zero, x. field.
  - rewrite E_certain. unfold f, step, mean, grad. rewrite sum_S, sum_O. cbn [drawn length total].
    rewrite INR_two. unfold pull, one, zero, x. field.
Qed.
