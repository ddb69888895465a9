(* CAME at work: CAME's hidden schedule (prp-work-schedule).

   Everything before the confidence (clipping, factored second moments) is one function `half` of a memory y of any type
   and of the gradient: nothing in it contains R or C. The gradient of step t may depend on the weights x in any way. *)
Require Import sums.
Require Import FunctionalExtensionality.
Open Scope R_scope.

Definition matrix := nat -> nat -> R.

Section Schedule.
  Variables n k : nat.
  Variables beta1 beta3 eps2 eta : R.
  Hypothesis rates : 0 < beta3 < 1.
  Variable Y : Type.
  Variable y0 : Y.
  Variable x0 : matrix.
  Variable gradient : nat -> matrix -> matrix.
  Variable half : Y -> matrix -> Y * matrix.      (* the new memory, and the clipped update u *)

  (* What CAME holds for a matrix: weights, memory, average, R and C. *)
  Record state := { x : matrix; y : Y; m : matrix; R_ : nat -> R; C_ : nat -> R }.
  Definition start := {| x := x0; y := y0; m := fun _ _ => 0; R_ := fun _ => 0; C_ := fun _ => 0 |}.
  Definition reconstructed (R_t C_t : nat -> R) : matrix := fun i j => R_t i * C_t j / (sum n R_t / INR n).
  (* Step t + 1 from state s: `rate` may depend on t, and with `correct` the averages R and C are divided by
     1 - beta3^(t + 1) before they are used. *)
  Definition next (correct : bool) (rate : nat -> R) (t : nat) (s : state) : state :=
    let g := gradient (S t) (x s) in
    let u := snd (half (y s) g) in
    let m' : matrix := fun i j => beta1 * m s i j + (1 - beta1) * u i j in
    let U : matrix := fun i j => (u i j - m' i j) ^ 2 + eps2 in
    let R' := fun i => beta3 * R_ s i + (1 - beta3) * (sum k (fun j => U i j) / INR k) in
    let C' := fun j => beta3 * C_ s j + (1 - beta3) * (sum n (fun i => U i j) / INR n) in
    let c := if correct then 1 - beta3 ^ S t else 1 in
    let S_ := reconstructed (fun i => R' i / c) (fun j => C' j / c) in
    {| x := fun i j => x s i j - rate (S t) * (m' i j / sqrt (S_ i j));
       y := fst (half (y s) g); m := m'; R_ := R'; C_ := C' |}.
  Fixpoint run correct rate t := match t with O => start | S r => next correct rate r (run correct rate r) end.
  (* (eq-work-schedule) *)
  Definition schedule (t : nat) := eta / sqrt (1 - beta3 ^ t).

  Lemma rest_pos t : (1 <= t)%nat -> 0 < 1 - beta3 ^ t.
  Proof. intros Ht. destruct (pow_lt_1_compat beta3 t) as [_ H]; [lra|lia|]. lra. Qed.
  (* (2) The instability is homogeneous. *)
  Lemma step_2 R_t C_t c i j : 0 < c ->
    reconstructed (fun i' => R_t i' / c) (fun j' => C_t j' / c) i j = reconstructed R_t C_t i j / c.
  Proof.
    intros Hc. unfold reconstructed. rewrite sum_div. unfold Rdiv. rewrite !Rinv_mult, !Rinv_inv.
    assert (H : c * / c = 1) by (apply Rinv_r; lra).
    transitivity (R_t i * C_t j * (/ sum n R_t * INR n) * / c * (c * / c)); [ring|]. rewrite H. ring.
  Qed.
  (* (3) The steps: what the correction takes from the root is the schedule. *)
  Lemma step_3 z t mt : (1 <= t)%nat -> schedule t * (mt / sqrt (z / (1 - beta3 ^ t))) = eta * (mt / sqrt z).
  Proof.
    intros Ht. assert (Hr := rest_pos t Ht). assert (Hs : 0 < sqrt (1 - beta3 ^ t)) by now apply sqrt_lt_R0.
    unfold schedule. rewrite sqrt_div_alt by assumption. unfold Rdiv. rewrite Rinv_mult, Rinv_inv.
    transitivity (eta * (mt * / sqrt z) * (/ sqrt (1 - beta3 ^ t) * sqrt (1 - beta3 ^ t))); [ring|].
    rewrite Rinv_l by lra. ring.
  Qed.
  (* prp-work-schedule. On every matrix CAME without correction at the rate lr takes the steps of CAME with correction
     at the rate lr / sqrt (1 - beta3^t): by induction over t (1) the two hold the same weights, memory, average, R
     and C. *)
  Theorem prp_work_schedule t : run false (fun _ => eta) t = run true schedule t.
  Proof.
    induction t as [|t IH]; [reflexivity|]. cbn [run]. rewrite IH. set (s := run true schedule t). unfold next.
    f_equal. apply functional_extensionality. intros i. apply functional_extensionality. intros j.
    rewrite !step_2 by (lra || (apply rest_pos; lia)). rewrite step_3 by lia. f_equal. f_equal. f_equal. f_equal.
    unfold Rdiv. rewrite Rinv_1. ring.
  Qed.

  (* (4) Vectors skip the confidence in both, so the correction has nothing to correct. *)
  Definition vector_next (correct : bool) (x_t mean_t : nat -> R) : nat -> R := fun i => x_t i - eta * mean_t i.
  (* On vectors both are the same method. *)
  Theorem prp_work_schedule_vectors x_t mean_t : vector_next false x_t mean_t = vector_next true x_t mean_t.
  Proof. reflexivity. Qed.
End Schedule.
(* An instance: a first half without clipping and memory, on any weights and gradients. *)
Lemma prp_work_schedule_instance x0 gradient t : let half (y : unit) (g : matrix) := (y, g) in
  let came := run 2 3 (9 / 10) (9999 / 10000) (/ 100) unit tt x0 gradient half in
  came false (fun _ => / 10) t = came true (schedule (9999 / 10000) (/ 10)) t.
Proof. intros half came. apply prp_work_schedule. lra. Qed.
