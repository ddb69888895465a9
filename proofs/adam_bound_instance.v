(* The bound for Adam without momentum: its assumptions can be met, with noise.

   f(x) = x^2 / 2 up to |x| = 1 and |x| - 1/2 beyond: with y = clip x, the slope, it is y x - y^2 / 2. A coin adds 1 to
   the slope or takes 1 away. So f >= 0, L = 1, and no sample's gradient is larger than 2 = R - sqrt eps for R = 3 and
   eps = 1. *)
Require Import adam_bound.
Open Scope R_scope.

Definition clip (z : R) := Rmax (-1) (Rmin 1 z).
Definition f (x : vec) := clip (x O) * x O - clip (x O) ^ 2 / 2.
Definition grad (x : vec) : vec := fun _ => clip (x O).
Definition flip (w : nat) : R := match w with O => 1 | _ => -1 end.
Definition sample (x : vec) w : vec := fun _ => clip (x O) + flip w.

Lemma clip_cases z : z <= -1 /\ clip z = -1 \/ -1 <= z <= 1 /\ clip z = z \/ 1 <= z /\ clip z = 1.
Proof. unfold clip, Rmin. destruct (Rle_dec 1 z); unfold Rmax; destruct (Rle_dec _ _); lra. Qed.
Lemma clip_bounds z : -1 <= clip z <= 1.
Proof. destruct (clip_cases z) as [[? ->]|[[? ->]|[? ->]]]; lra. Qed.
Lemma norm_1 x : norm 1 x = Rabs (x O).
Proof. unfold norm, norm2. rewrite sum_S, sum_O, Rplus_0_l. apply sqrt_of_square. Qed.
Lemma clip_lipschitz y z : Rabs (clip y - clip z) <= 1 * Rabs (y - z).
Proof.
  rewrite Rmult_1_l. destruct (clip_cases y) as [[? ->]|[[? ->]|[? ->]]], (clip_cases z) as [[? ->]|[[? ->]|[? ->]]];
    unfold Rabs; repeat destruct (Rcase_abs _); lra.
Qed.
(* The tangent at z is below, by at most the square of the step. *)
Lemma remainder y z : let h t := clip t * t - clip t ^ 2 / 2 in 0 <= h y - h z - clip z * (y - z) <= (y - z) * (y - z).
Proof.
  intros h. unfold h. assert (Hsq := Rle_0_sqr (y - z)). unfold Rsqr in Hsq.
  destruct (clip_cases y) as [[? ->]|[[? ->]|[? ->]]], (clip_cases z) as [[? ->]|[[? ->]|[? ->]]];
    split; nra.
Qed.
Lemma f_smooth : smooth 1 f grad 1.
Proof.
  split.
  - intros x eps Heps. exists eps. split; [exact Heps|]. intros y. rewrite norm_1. unfold inner. rewrite sum_S, sum_O.
    intros Hy. unfold sub in *. assert (H := remainder (y O) (x O)). cbv zeta in H. unfold f, grad.
    replace (_ - _ - (0 + _)) with (clip (y O) * y O - clip (y O) ^ 2 / 2 - (clip (x O) * x O - clip (x O) ^ 2 / 2)
      - clip (x O) * (y O - x O)) by ring.
    rewrite Rabs_pos_eq by lra. assert (H1 : (y O - x O) * (y O - x O) = Rabs (y O - x O) * Rabs (y O - x O)).
    { rewrite <- Rabs_mult, Rabs_pos_eq; [reflexivity|]. apply Rle_0_sqr. }
    apply Rle_trans with (Rabs (y O - x O) * Rabs (y O - x O)); [lra|].
    apply Rmult_le_compat_r; [apply Rabs_pos|lra].
  - intros x y. rewrite !norm_1. apply clip_lipschitz.
Qed.
Lemma clipped_fits :
  (forall x, 0 <= f x) /\ smooth 1 f grad 1 /\
  (forall x w j, (w < size coin)%nat -> (j < 1)%nat -> Rabs (sample x w j) <= 3 - sqrt 1) /\
  (forall x j, (j < 1)%nat -> E coin (fun w => sample x w j) = grad x j) /\
  (forall x, E coin (fun w => norm2 1 (sub (sample x w) (grad x))) = 1).
Proof.
  repeat split.
  - intros x. unfold f. destruct (clip_cases (x O)) as [[? ->]|[[? ->]|[? ->]]]; nra.
  - apply f_smooth.
  - apply f_smooth.
  - intros x w j _ _. rewrite sqrt_1. assert (H := clip_bounds (x O)). unfold sample.
    assert (H1 : -1 <= flip w <= 1) by (destruct w; cbn; lra). apply Rabs_le. lra.
  - intros x j _. rewrite E_coin. unfold sample, grad. cbn [flip]. field.
  - intros x. rewrite E_coin. unfold norm2, sub, sample, grad. rewrite !sum_S, !sum_O. cbn [flip]. field.
Qed.
(* An instance: lr = 1/10, beta2 = 9/10, one coordinate, from x = 2. *)
Lemma thm_adam_bound_instance T : (1 <= T)%nat ->
  run_mean coin state (next sample 1 (9 / 10) (1 / 10)) T (start (fun _ => 2)) (slope2 1 grad)
  <= 2 * 3 * (f (fun _ => 2) - 0) / (1 / 10 * INR T)
     + (4 * INR 1 * 3 ^ 2 / sqrt (1 - 9 / 10) + 1 / 10 * INR 1 * 3 * 1 / (1 - 9 / 10))
       * (1 / INR T * ln (1 + 3 ^ 2 / ((1 - 9 / 10) * 1)) - ln (9 / 10)).
Proof.
  destruct clipped_fits as (A0 & A1 & A3 & mean & _).
  apply (thm_adam_bound coin 1 f grad sample); try assumption; try lra; lia.
Qed.
