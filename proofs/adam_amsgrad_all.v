(* The regret of AMSGrad in any number of coordinates: a box with the sides [lo j, hi j], losses of all coordinates at
   once. Coordinate j of the run is AMSGrad in one dimension on straight lines, whose slopes are the entries j of the
   gradients along the run. *)
Require Import adam_amsgrad.
Open Scope R_scope.

Section Box.
  Variable n : nat.
  Variables lo hi x1 : vec.
  Variables lr beta2 : R.
  Definition in_box (y : vec) := forall j, (j < n)%nat -> lo j <= y j <= hi j.
  Variable f : nat -> vec -> R.        (* the loss of round t *)
  Variable grad : nat -> vec -> vec.
  (* Convex: the tangent lies below, on the box. *)
  Hypothesis convex : forall t y z, in_box y -> in_box z -> f t y + inner n (grad t y) (sub z y) <= f t z.
  Hypothesis start : in_box x1.
  Hypothesis rates : 0 < lr /\ 0 <= beta2 < 1.

  (* All coordinates step at once, each as in one dimension, from the gradient at the common point. *)
  Definition point (s : nat -> state) : vec := fun j => x (s j).
  Definition step_all t (s : nat -> state) : nat -> state :=
    fun j => next (lo j) (hi j) lr beta2 (fun r _ => grad r (point s) j) t (s j).
  Fixpoint run_all t : nat -> state :=
    match t with O => fun j => {| x := x1 j; v := 0; top := 0 |} | S s => step_all (S s) (run_all s) end.
  (* Entry j of the gradient of round t + 1; slope j r is that of round r. *)
  Definition g_all j t := grad (S t) (point (run_all t)) j.
  Definition slope j (r : nat) (z : R) := match r with O => 0 | S t => g_all j t end.

  Lemma one_of_all j t : run (lo j) (hi j) lr beta2 (x1 j) (slope j) t = run_all t j.
  Proof. induction t as [|t IH]; [reflexivity|]. cbn [run run_all]. rewrite IH. reflexivity. Qed.
  Lemma run_in_box t : in_box (point (run_all t)).
  Proof.
    intros j Hj. unfold point. rewrite <- one_of_all. apply run_inside. exact (start j Hj).
  Qed.

  (* thm-adam-amsgrad in n coordinates: the bounds of the coordinates add up. *)
  Theorem thm_adam_amsgrad_all T u : (1 <= T)%nat -> in_box u ->
    sum T (fun t => f (S t) (point (run_all t))) - sum T (fun t => f (S t) u)
    <= sum n (fun j => (hi j - lo j) ^ 2 * sqrt (INR T) / (2 * lr) * sqrt (top (run_all T j))
       + lr * sqrt (1 + ln (INR T)) / (2 * sqrt (1 - beta2)) * norm T (g_all j)).
  Proof.
    intros HT Hu. rewrite <- sum_minus.
    apply Rle_trans with (sum T (fun t => sum n (fun j => g_all j t * (point (run_all t) j - u j)))).
    - apply sum_le. intros t _. assert (H := convex (S t) _ u (run_in_box t) Hu).
      replace (sum n (fun j => g_all j t * (point (run_all t) j - u j)))
        with (- inner n (grad (S t) (point (run_all t))) (sub u (point (run_all t)))); [lra|].
      unfold inner. rewrite <- sum_opp. apply sum_ext. intros. unfold g_all, sub. ring.
    - rewrite sum_swap. apply sum_le. intros j Hj.
      assert (H := thm_adam_amsgrad (lo j) (hi j) lr beta2 (x1 j) (fun r z => slope j r 0 * z) (slope j)).
      unfold inside in H. specialize (fun A B => H A B (start j Hj) rates T (u j) HT (Hu j Hj)).
      rewrite one_of_all in H. eapply Rle_trans; [|apply H].
      + rewrite <- sum_minus. apply Req_le, sum_ext. intros t _. rewrite one_of_all. cbn [slope]. unfold point. ring.
      + intros t y z p _ _ _. apply Req_le. ring.
      + intros t z _ e He. exists 1. split; [lra|]. intros y _ _.
        replace (slope j t 0 * y - slope j t 0 * z - slope j t z * (y - z)) with 0 by (destruct t; cbn [slope]; ring).
        rewrite Rabs_R0. apply Rmult_le_pos; [lra|apply Rabs_pos].
  Qed.
End Box.
