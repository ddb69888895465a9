(* The average of Schedule-Free (prp-schedules-average): z is any series, w_t = lr_t^2 the weights,
   c_t = w_t / (w_1 + ... + w_t). *)
Require Import sums.
Open Scope R_scope.

Section Average.
  Variable z : nat -> R.                          (* one entry of z_1, z_2, ... *)
  Variable lr : nat -> R.
  Hypothesis first : 0 < lr 1%nat.
  Definition w t := lr t ^ 2.
  Definition W t := sum t (fun s => w (S s)).
  Definition c t := w t / W t.
  (* x_1 is anything; x (S t) is the x_{t+1} of the page. *)
  Variable x1 : R.
  Fixpoint x (t : nat) : R :=
    match t with O => x1 | S s => match s with O => x1 | S _ => (1 - c s) * x s + c s * z (S s) end end.

  Lemma W_pos t : (1 <= t)%nat -> 0 < W t.
  Proof.
    intros Ht. destruct t as [|t]; [lia|]. unfold W. rewrite sum_first.
    assert (H : 0 < w 1) by (unfold w; now apply pow_lt).
    assert (H0 : 0 <= sum t (fun i => w (S (S i)))) by (apply sum_nonneg; intros; apply pow2_nonneg). lra.
  Qed.
  Lemma x_next t : (1 <= t)%nat -> x (S t) = (1 - c t) * x t + c t * z (S t).
  Proof. intros Ht. destruct t as [|t]; [lia|reflexivity]. Qed.
  (* (1) Start: c_1 = 1. *)
  Lemma prp_schedules_average_step_1 : W 1 * x 2 = w 1 * z 2%nat.
  Proof.
    assert (H := W_pos 1 (le_n 1)). rewrite x_next by lia. unfold c.
    assert (E : W 1 = w 1) by (unfold W; rewrite sum_S, sum_O; ring). rewrite E in *. field. lra.
  Qed.
  (* (2) Step. *)
  Lemma prp_schedules_average_step_2 t : (1 <= t)%nat -> W t * x (S t) = sum t (fun s => w (S s) * z (S (S s))).
  Proof.
    intros Ht. destruct t as [|t]; [lia|]. clear Ht. induction t as [|t IH].
    - rewrite prp_schedules_average_step_1, sum_S, sum_O. ring.
    - assert (H := W_pos (S (S t)) ltac:(lia)). rewrite sum_S, <- IH, x_next by lia. unfold c.
      assert (E : W (S (S t)) = W (S t) + w (S (S t))) by (unfold W; now rewrite sum_S).
      replace (W (S t)) with (W (S (S t)) - w (S (S t))) by lra. field. lra.
  Qed.
  (* prp-schedules-average: x_{t+1} is the mean of z_2, ..., z_{t+1} with the weights w_1, ..., w_t. *)
  Theorem prp_schedules_average t : (1 <= t)%nat ->
    x (S t) = sum t (fun s => w (S s) * z (S (S s))) / sum t (fun s => w (S s)).
  Proof.
    intros Ht. assert (H := W_pos t Ht). rewrite <- prp_schedules_average_step_2 by assumption. fold (W t). field. lra.
  Qed.
End Average.
(* An instance: with a constant rate x_3 is the mean of z_2 and z_3, here 7 and 1. *)
Lemma prp_schedules_average_instance : x (fun t => match t with 2%nat => 7 | _ => 1 end) (fun _ => / 10) 5 3 = 4.
Proof. rewrite prp_schedules_average by (lra || lia). unfold w. rewrite !sum_S, !sum_O. field. Qed.
