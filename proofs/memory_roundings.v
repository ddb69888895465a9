(* Memory: what the four roundings keep (prp-memory-roundings). One weight and what it is owed, from x0 and 0 on; the
   steps u, the rounding of the weight (rho) and those of what is owed (q and q') are any functions, of each step. *)
Require Import sums.
Open Scope R_scope.

(* The nearest of some numbers: if all but a are at least 2 delta away from a, what lies nearer to a than delta is
   rounded to a. *)
Lemma nearest_stays (number : R -> Prop) (rho : R -> R) a delta v :
  (forall z, number (rho z) /\ forall y, number y -> Rabs (rho z - z) <= Rabs (y - z)) ->
  number a -> (forall y, number y -> y <> a -> 2 * delta <= Rabs (y - a)) -> Rabs v < delta -> rho (a + v) = a.
Proof.
  intros Hn Ha Halone Hd. destruct (Hn (a + v)) as [Hy Hnear]. set (y := rho (a + v)) in *.
  destruct (Req_EM_T y a) as [|Hne]; [assumption|exfalso]. assert (H := Halone y Hy Hne). assert (H1 := Hnear a Ha).
  replace (a - (a + v)) with (- v) in H1 by ring. rewrite Rabs_Ropp in H1.
  assert (H2 := Rabs_triang (y - (a + v)) v). replace (y - (a + v) + v) with (y - a) in H2 by ring. lra.
Qed.

Section Roundings.
  Variables rho q q' : nat -> R -> R.             (* of each step *)
  Variable u : nat -> R.                          (* the steps *)
  Variable x0 : R.                                (* the first weight *)
  (* The weight and what it is owed after n steps. *)
  Fixpoint run (n : nat) : R * R :=
    match n with
    | O => (x0, 0)
    | S t => let (x, o) := run t in
             let p := q t (o + u t) in let y := rho t (x + p) in (y, q' t (p + (x - y)))
    end.
  Definition x n := fst (run n).
  Definition o n := snd (run n).
  Definition p t := q t (o t + u t).              (* what is owed when a step has come *)
  (* What the two roundings of what is owed add in a step. *)
  Definition e t := (p t - (o t + u t)) + (o (S t) - (p t + (x t - x (S t)))).

  Lemma next t : x (S t) = rho t (x t + p t) /\ o (S t) = q' t (p t + (x t - x (S t))).
  Proof. unfold p, x, o. cbn [run]. destruct (run t) as [a b]. cbn [fst snd]. split; reflexivity. Qed.
  (* (1) One step. *)
  Lemma step_1 t : x (S t) + o (S t) = x t + o t + u t + e t.
  Proof. unfold e. ring. Qed.
  (* (2) Sum. *)
  Lemma step_2 n : x n + o n = x0 + sum n u + sum n e.
  Proof.
    induction n as [|n IH]; [unfold x, o; cbn [run fst snd]; rewrite !sum_O; ring|].
    rewrite step_1, IH, !sum_S. ring.
  Qed.
  (* (3) The last rounding. *)
  Lemma step_3 delta delta' n : 0 <= delta -> (forall t, Rabs (x (S t) - (x t + p t)) <= delta) ->
    (forall t, Rabs (p t - (o t + u t)) <= delta') ->
    (forall t, Rabs (o (S t) - (p t + (x t - x (S t)))) <= delta') ->
    Rabs (x n - (x0 + sum n u)) <= delta + 2 * INR n * delta'.
  Proof.
    intros Hh Hround Hq Hq'. assert (Heps : 0 <= delta') by (eapply Rle_trans; [apply Rabs_pos|apply (Hq O)]).
    destruct n as [|t].
    - unfold x. cbn [run fst]. rewrite sum_O, INR_zero. replace (x0 - (x0 + 0)) with 0 by ring. rewrite Rabs_R0. lra.
    - assert (Hsum : Rabs (sum t e) <= INR t * (2 * delta')).
      { eapply Rle_trans; [apply sum_abs|]. rewrite <- (sum_const t). apply sum_le. intros i _. unfold e.
        eapply Rle_trans; [apply Rabs_triang|]. assert (H1 := Hq i). assert (H2 := Hq' i). lra. }
      assert (H0 := step_2 t). assert (H1 := Hround t). assert (H2 := Hq t).
      rewrite sum_S, S_INR.
      replace (x (S t) - (x0 + (sum t u + u t)))
        with ((x (S t) - (x t + p t)) + ((p t - (o t + u t)) + sum t e)) by lra.
      assert (T1 := Rabs_triang (x (S t) - (x t + p t)) ((p t - (o t + u t)) + sum t e)).
      assert (T2 := Rabs_triang (p t - (o t + u t)) (sum t e)). lra.
  Qed.
  (* (4) To the nearest alone: nothing is owed, and every step is shorter than half of the gap. *)
  Lemma step_4 (number : R -> Prop) delta n :
    (forall t z, number (rho t z) /\ forall y, number y -> Rabs (rho t z - z) <= Rabs (y - z)) ->
    number x0 -> (forall y, number y -> y <> x0 -> 2 * delta <= Rabs (y - x0)) -> (forall t, Rabs (u t) < delta) ->
    (forall t a, q t a = a) -> (forall t a, q' t a = 0) -> x n = x0 /\ o n = 0.
  Proof.
    intros Hn H0 Halone Hs Hq Hq'. induction n as [|n [IHx IHo]]; [split; reflexivity|].
    destruct (next n) as [Hx Ho]. split; [|now rewrite Ho].
    rewrite Hx. unfold p. rewrite IHx, IHo, Hq, Rplus_0_l. now apply (nearest_stays number (rho n) x0 delta).
  Qed.
  (* prp-memory-roundings: what is kept with any rounding, how far the weight is off, and when it never moves. *)
  Theorem prp_memory_roundings :
    (forall n, x n + o n = x0 + sum n u + sum n e) /\
    (forall delta delta' n, 0 <= delta -> (forall t, Rabs (x (S t) - (x t + p t)) <= delta) ->
      (forall t, Rabs (p t - (o t + u t)) <= delta') ->
      (forall t, Rabs (o (S t) - (p t + (x t - x (S t)))) <= delta') ->
      Rabs (x n - (x0 + sum n u)) <= delta + 2 * INR n * delta') /\
    (forall (number : R -> Prop) delta n,
      (forall t z, number (rho t z) /\ forall y, number y -> Rabs (rho t z - z) <= Rabs (y - z)) ->
      number x0 -> (forall y, number y -> y <> x0 -> 2 * delta <= Rabs (y - x0)) -> (forall t, Rabs (u t) < delta) ->
      (forall t a, q t a = a) -> (forall t a, q' t a = 0) -> x n = x0).
  Proof.
    split; [exact step_2|]. split; [exact step_3|]. intros number delta n H1 H2 H3 H4 H5 H6.
    now apply (step_4 number delta n).
  Qed.
End Roundings.

(* An instance: numbers 0 and 1, rounded to the nearest; steps of a quarter, nothing owed: the weight stays at 0. *)
Definition to_bit (z : R) : R := if Rle_dec z (1 / 2) then 0 else 1.
Lemma prp_memory_roundings_instance n : x (fun _ => to_bit) (fun _ a => a) (fun _ _ => 0) (fun _ => 1 / 4) 0 n = 0.
Proof.
  apply (prp_memory_roundings _ _ _ _ 0) with (number := fun y => y = 0 \/ y = 1) (delta := 1 / 2); try reflexivity.
  - intros _ z. unfold to_bit. destruct (Rle_dec z (1 / 2)) as [H|H]; (split; [lra|]); intros y [-> | ->];
      unfold Rabs; repeat destruct Rcase_abs; lra.
  - now left.
  - intros y [-> | ->] H; [lra|]. rewrite Rabs_pos_eq; lra.
  - intros _. rewrite Rabs_pos_eq; lra.
Qed.
(* Without steps below half of the gap it is false: steps of 3/4 between the numbers 0 and 1. *)
Lemma prp_memory_roundings_needs_short : x (fun _ => to_bit) (fun _ a => a) (fun _ _ => 0) (fun _ => 3 / 4) 0 1 = 1.
Proof. unfold x. cbn. unfold to_bit. destruct (Rle_dec _ _); lra. Qed.
