(* The assumptions of thm-sgd can hold all at once, with noise: the bowl |x|^2 / 2 in d dimensions, whose samples have
   the gradients x + 1 and x - 1 (in every entry) with equal chance. So L = 1, sigma^2 = d and f^* = 0. *)
Require Import toolbox_descent sgd.
Open Scope R_scope.

Definition shaken (x : vec) (w : nat) : vec := fun j => x j + match w with O => 1 | _ => -1 end.

Lemma shaken_mean d x j : (j < d)%nat -> E coin (fun w => shaken x w j) = x j.
Proof. intros _. rewrite E_coin. unfold shaken. field. Qed.
Lemma shaken_noise d x : E coin (fun w => norm2 d (sub (shaken x w) x)) = sqrt (INR d) ^ 2.
Proof.
  rewrite sqrt_squared by apply pos_INR. rewrite E_coin. unfold norm2, sub, shaken.
  rewrite (sum_ext d _ (fun _ => 1)), (sum_ext d (fun j => (x j + -1 - x j) ^ 2) (fun _ => 1)) by (intros; ring).
  rewrite sum_const. field.
Qed.
Lemma bowl_above d x : 0 <= bowl d x.
Proof. apply Rmult_le_pos; [lra|apply norm2_pos]. Qed.

Lemma thm_sgd_instance d b lr T x1 : (1 <= b)%nat -> (1 <= T)%nat -> 0 < lr <= 1 / 1 ->
  run_mean (batches coin b) vec (next coin b shaken lr) T x1 (norm2 d)
  <= 2 * (bowl d x1 - 0) / (lr * INR T) + lr * 1 * sqrt (INR d) ^ 2 / INR b.
Proof.
  intros Hb HT Hlr. apply (thm_sgd coin d b (bowl d) (fun x => x) shaken 1 (sqrt (INR d)) 0); try assumption.
  - apply bowl_above.
  - apply bowl_smooth.
  - lra.
  - intros. now apply (shaken_mean d).
  - intros. apply Req_le, shaken_noise.
Qed.
(* With the best rate, for a start other than the minimum. *)
Lemma thm_sgd_best_instance d b T x1 : (1 <= d)%nat -> (1 <= b)%nat -> (1 <= T)%nat -> 0 < norm2 d x1 ->
  let lr := best_lr b (bowl d) 1 (sqrt (INR d)) 0 T x1 in
  run_mean (batches coin b) vec (next coin b shaken lr) T x1 (norm2 d)
  <= 2 * (bowl d x1 - 0) * 1 / INR T + 2 * sqrt (INR d) * sqrt (2 * (bowl d x1 - 0) * 1 / (INR b * INR T)).
Proof.
  intros Hd Hb HT Hx lr.
  apply (thm_sgd_best_run coin d b (bowl d) (fun x => x) shaken 1 (sqrt (INR d)) 0); try assumption.
  - apply bowl_above.
  - apply bowl_smooth.
  - lra.
  - intros. now apply (shaken_mean d).
  - intros. apply Req_le, shaken_noise.
  - unfold Delta, bowl. lra.
  - apply sqrt_lt_R0, INR_pos, Hd.
Qed.

Definition exact (x : vec) (w : nat) : vec := x.
(* Without lr at most 1 / L it is false, whatever else the rate is: one step on the bowl, from 1, without noise. *)
Lemma thm_sgd_needs_rate lr : 1 / 1 < lr -> let one : vec := fun _ => 1 in
  (forall x, 0 <= bowl 1 x) /\ smooth 1 (bowl 1) (fun x => x) 1 /\ (forall x j, E point (fun w => exact x w j) = x j) /\
  (forall x, E point (fun w => norm2 1 (sub (exact x w) x)) <= 0 ^ 2) /\
  2 * (bowl 1 one - 0) / (lr * INR 1) + lr * 1 * 0 ^ 2 / INR 1
    < run_mean (batches point 1) vec (next point 1 exact lr) 1 one (slope2 1 (fun x => x)).
Proof.
  intros Hlr one. split; [apply bowl_above|]. split; [apply bowl_smooth|]. split; [intros; apply E_point|]. split.
  - intros x. rewrite E_point. unfold norm2, sub, exact. rewrite sum_S, sum_O. lra.
  - unfold run_mean, bowl, slope2, norm2, one. rewrite !sum_S, !sum_O, INR_one. cbn [after]. rewrite !sum_S, !sum_O.
    replace (2 * _ / _ + _) with (/ lr) by (field; lra).
    assert (/ lr < / 1) by (apply Rinv_lt_contravar; lra). lra.
Qed.
(* Without a lower bound of the loss it is false: a straight line, from 0, with any number in the place of the bound. *)
Lemma thm_sgd_needs_bottom fstar : exists T, (1 <= T)%nat /\
  let f (x : vec) := x O in let one (x : vec) : vec := fun _ => 1 in
  smooth 1 f one 1 /\ (forall x j, E point (fun w => one x j) = one x j) /\
  (forall x, E point (fun w => norm2 1 (sub (one x) (one x))) <= 0 ^ 2) /\
  2 * (f (fun _ => 0) - fstar) / (1 * INR T) + 1 * 1 * 0 ^ 2 / INR 1
    < run_mean (batches point 1) vec (next point 1 (fun x _ => one x) 1) T (fun _ => 0) (slope2 1 one).
Proof.
  assert (H1 := Rmax_l 1 (-2 * fstar)). assert (H2 := Rmax_r 1 (-2 * fstar)). set (B := Rmax 1 (-2 * fstar)) in *.
  destruct (archimed B) as [HB _]. set (T := Z.to_nat (up B)).
  assert (HT : INR T = IZR (up B)) by (unfold T; rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity|apply le_IZR; lra]).
  exists T. split; [apply INR_le; rewrite HT, INR_one; lra|]. intros f one. split; [split|split; [|split]].
  - intros x eps Heps. exists 1. split; [lra|]. intros y _. unfold inner, f, one. rewrite sum_S, sum_O.
    replace (y O - x O - (0 + 1 * sub y x O)) with 0 by (unfold sub; ring).
    rewrite Rabs_R0. apply Rmult_le_pos; [lra|apply norm_pos].
  - intros x y. rewrite norm_of_zero by (intros; unfold sub, one; ring). rewrite Rmult_1_l. apply norm_pos.
  - intros. apply E_point.
  - intros x. rewrite E_point. unfold norm2, sub, one. rewrite sum_S, sum_O. lra.
  - assert (after_one : forall t x,
      after (batches point 1) vec (next point 1 (fun x _ => one x) 1) t x (slope2 1 one) = 1).
    { induction t as [|t IH]; intros x; cbn [after].
      - unfold slope2, norm2, one. rewrite sum_S, sum_O. ring.
      - rewrite (E_ext _ _ (fun _ => 1)) by (intros; apply IH). apply E_const. }
    unfold run_mean, f. rewrite (sum_ext T _ (fun _ => 1)) by (intros; apply after_one). rewrite sum_const, INR_one.
    apply Rmult_lt_reg_r with (INR T); [lra|].
    replace ((2 * (0 - fstar) / (1 * INR T) + 1 * 1 * 0 ^ 2 / 1) * INR T) with (-2 * fstar) by (field; lra).
    replace (INR T * 1 / INR T * INR T) with (INR T) by (field; lra). lra.
Qed.
