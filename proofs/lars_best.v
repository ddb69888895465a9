(* LARS with the best learning rate and a batch of T samples (the second display of thm-lars, and of prp-lars-once);
   and a problem that meets every assumption. *)
Require Import lars.
Open Scope R_scope.

Section Best.
  Variables (W : space) (h T : nat) (d : nat -> nat) (f : layered -> R) (grad : layered -> layered).
  Variables (sample : layered -> nat -> layered) (phi : R -> R) (L sigma : nat -> R) (alpha_l alpha_u fstar : R).
  Variable x1 : layered.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : layerwise_smooth h d f grad L.
  Hypothesis A2 : layerwise_noise W h d grad sample sigma.
  Hypothesis some : (1 <= T)%nat.
  Hypothesis bounded_sizes : 0 < alpha_l /\ forall z, alpha_l <= phi z <= alpha_u.
  Definition Delta := f x1 - fstar.
  Hypothesis not_optimal : 0 < Delta.
  Hypothesis not_flat : 0 < sum h L.
  Definition best_lr := sqrt (2 * Delta / (alpha_u ^ 2 * sum h L * INR T)).
  (* The mean of the gradient norms over T steps with batches of T samples and the best rate. *)
  Definition measured :=
    run_mean (batches W T) layered (next W T d sample phi best_lr) T x1 (slopes h d grad).

  (* (eq-lars-best): the same at the best lr, with b = T. *)
  Theorem thm_lars_best :
    measured <= alpha_u / alpha_l * (sqrt (2 * Delta * sum h L / INR T) + 2 * sum h sigma / sqrt (INR T)).
  Proof.
    destruct (step_6a h d f phi L sigma alpha_l alpha_u fstar bounded_sizes 2 T x1 some not_optimal not_flat)
      as [Hlr H].
    fold Delta in Hlr, H. fold best_lr in Hlr, H. rewrite <- H.
    exact (thm_lars W h T d f grad sample phi L sigma alpha_l alpha_u fstar A0 A1 A2 some bounded_sizes
      best_lr T x1 Hlr some).
  Qed.
  (* The same at the best lr, with b = T. *)
  Theorem prp_lars_once_best :
    measured <= alpha_u / alpha_l * (sqrt (2 * Delta * sum h L / INR T) + 1 * sum h sigma / sqrt (INR T)).
  Proof.
    destruct (step_6a h d f phi L sigma alpha_l alpha_u fstar bounded_sizes 1 T x1 some not_optimal not_flat)
      as [Hlr H].
    fold Delta in Hlr, H. fold best_lr in Hlr, H. rewrite <- H.
    exact (prp_lars_once W h T d f grad sample phi L sigma alpha_l alpha_u fstar A0 A1 A2 some bounded_sizes
      best_lr T x1 Hlr some).
  Qed.
End Best.

(* An instance: two layers of one weight each, f(x) = (x_1^2 + x_2^2) / 2; a coin pulls both gradients by 1 too far or
   too little. L_i = 1 and sigma_i = 1 fit exactly. *)
Definition flip (w : nat) : R := match w with O => 1 | _ => -1 end.
Definition bowl (x : layered) := sum 2 (fun i => x i O ^ 2 / 2).
Definition bowl_grad (x : layered) : layered := fun i j => x i j.
Definition bowl_sample (x : layered) (w : nat) : layered := fun i j => x i j + flip w.
Lemma bowl_fits : let one (_ : nat) := 1%nat in
  (forall x, 0 <= bowl x) /\ layerwise_smooth 2 one bowl bowl_grad (fun _ => 1) /\
  layerwise_noise coin 2 one bowl_grad bowl_sample (fun _ => 1) /\ bowl (fun _ _ => 1) = 1.
Proof.
  intros one. repeat split.
  - intros x. apply sum_nonneg. intros. assert (Hx := pow2_nonneg (x i O)). lra.
  - intros. lra.
  - intros x y. unfold bowl, inner, norm2, sub, one, bowl_grad. rewrite !sum_S, !sum_O. apply Req_le. field.
  - intros. lra.
  - intros x i j _ _. rewrite E_coin. unfold bowl_sample, bowl_grad, flip. field.
  - intros x i _. rewrite E_coin. unfold norm2, sub, bowl_sample, bowl_grad, flip, one. rewrite !sum_S, !sum_O. lra.
  - unfold bowl. rewrite !sum_S, sum_O. lra.
Qed.
(* With phi = 1 and the rate 1/10 from (1, 1): T steps with batches of b samples. *)
Definition bowl_run b T := let one (_ : nat) := 1%nat in
  run_mean (batches coin b) layered (next coin b one bowl_sample (fun _ => 1) (1 / 10)) T (fun _ _ => 1)
    (slopes 2 one bowl_grad).
Lemma thm_lars_instance b T : (1 <= b)%nat -> (1 <= T)%nat ->
  bowl_run b T <= 10 / INR T + 4 / sqrt (INR b) + 1 / 10.
Proof.
  intros Hb HT. destruct bowl_fits as (A0 & A1 & A2 & H1). assert (HR := INR_pos T HT).
  assert (Hr : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, Hb).
  assert (H := thm_lars coin 2 b _ bowl bowl_grad bowl_sample (fun _ => 1) _ _ 1 1 0 A0 A1 A2 Hb).
  specialize (H ltac:(split; intros; lra) (1 / 10) T (fun _ _ => 1) ltac:(lra) HT).
  eapply Rle_trans; [exact H|]. rewrite H1, !sum_S, !sum_O. apply Req_le. field. split; lra.
Qed.
(* The same problem and run: half of the noise. *)
Lemma prp_lars_once_instance b T : (1 <= b)%nat -> (1 <= T)%nat ->
  bowl_run b T <= 10 / INR T + 2 / sqrt (INR b) + 1 / 10.
Proof.
  intros Hb HT. destruct bowl_fits as (A0 & A1 & A2 & H1). assert (HR := INR_pos T HT).
  assert (Hr : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, Hb).
  assert (H := prp_lars_once coin 2 b _ bowl bowl_grad bowl_sample (fun _ => 1) _ _ 1 1 0 A0 A1 A2 Hb).
  specialize (H ltac:(split; intros; lra) (1 / 10) T (fun _ _ => 1) ltac:(lra) HT).
  eapply Rle_trans; [exact H|]. rewrite H1, !sum_S, !sum_O. apply Req_le. field. split; lra.
Qed.
(* Without a phi that is at least alpha_l it is false: phi = 0, one layer of one weight, which never moves from 1. *)
Lemma thm_lars_needs_phi : let f (x : layered) := x O O ^ 2 / 2 in let grad (x : layered) := x in
  let one (_ : nat) := 1%nat in
  (forall x, 0 <= f x) /\ layerwise_smooth 1 one f grad (fun _ => 1) /\
  layerwise_noise point 1 one grad (fun x _ => x) (fun _ => 0) /\
  (f (fun _ _ => 1) - 0) / (INR 100 * (1 / 10) * 1) + 2 * 1 * sum 1 (fun _ => 0) / (1 * sqrt (INR 1))
      + 1 / 10 * 1 ^ 2 * sum 1 (fun _ => 1) / (2 * 1)
    < run_mean (batches point 1) layered (next point 1 one (fun x _ => x) (fun _ => 0) (1 / 10)) 100 (fun _ _ => 1)
        (slopes 1 one grad).
Proof.
  intros f grad one. split; [|split; [split|split; [split; [|split]|]]].
  - intros x. assert (H := pow2_nonneg (x O O)). unfold f. lra.
  - intros. lra.
  - intros x y. unfold f, grad, inner, norm2, sub, one. rewrite !sum_S, !sum_O. apply Req_le. field.
  - intros. lra.
  - intros. apply E_point.
  - intros x i _. rewrite E_point. unfold norm2, sub, grad, one. rewrite !sum_S, !sum_O. lra.
  - assert (stuck : forall t x, x O O = 1 -> after (batches point 1) layered
      (next point 1 one (fun x _ => x) (fun _ => 0) (1 / 10)) t x (slopes 1 one grad) = 1).
    { induction t as [|t IH]; intros x Hx; cbn [after].
      - unfold slopes, norm, norm2, grad, one. rewrite !sum_S, !sum_O, Hx. replace (0 + 1 ^ 2) with 1 by ring.
        rewrite sqrt_1. ring.
      - rewrite (E_ext _ _ (fun _ => 1)); [apply E_const|]. intros w _. apply IH. unfold next, trust_ratio, size_of.
        destruct (Req_EM_T _ 0); unfold Rdiv; rewrite Hx; ring. }
    unfold run_mean. rewrite (sum_ext 100 _ (fun _ => 1)) by (intros; now apply stuck).
    rewrite sum_const, !sum_S, !sum_O, INR_one, sqrt_1. unfold f.
    replace (INR 100) with 100 by (rewrite INR_IZR_INZ; reflexivity). lra.
Qed.
