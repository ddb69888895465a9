(* Big batches: the assumptions of the three statements can be met, each time with noise. *)
Require Import big_batches certain.
Require big_batches_hyperbola.
Open Scope R_scope.

(* A coin decides whether a sample pulls by 1 too much or too little. *)
Definition flip (w : nat) : R := match w with O => 1 | _ => -1 end.
Lemma flip_mean : E coin flip = 0.
Proof. rewrite E_coin. unfold flip. lra. Qed.
Lemma flip_square : E coin (fun w => flip w ^ 2) = 1.
Proof. rewrite E_coin. unfold flip. lra. Qed.

(* thm-batches-step on f(y) = y^2 / 2 at the point 1, where a sample's gradient is 1 + flip, in one dimension:
   q = 1 + 1 / b, so that the best rate is b / (b + 1) and the noise scale is 1. *)
Definition pull (w : nat) : vec := fun _ => 1 + flip w.
Lemma pull_G : forall j, G coin pull j = 1.
Proof. intros j. unfold G, pull. rewrite E_plus, E_const, flip_mean. ring. Qed.
Lemma pull_Sigma : forall i j, Sigma coin pull i j = 1.
Proof.
  intros i j. unfold Sigma. rewrite !pull_G, (E_ext _ _ (fun w => flip w ^ 2)) by (intros; unfold pull; ring).
  apply flip_square.
Qed.
Lemma thm_batches_step_instance b : (1 <= b)%nat ->
  let H : matrix := fun _ _ => 1 in let p : vec := fun _ => 0 in let x : vec := fun _ => 1 in
  let best := INR b / (INR b + 1) in
  (forall lr, lr <> best -> expected coin 1 pull H 0 p x b best < expected coin 1 pull H 0 p x b lr) /\
  f 1 H 0 p x - expected coin 1 pull H 0 p x b best = INR b / (2 * (INR b + 1)).
Proof.
  intros Hb H p x best. assert (HR := INR_pos b Hb).
  assert (Q : q coin 1 pull H b = 1 + 1 / INR b).
  { unfold q, quad, H. rewrite !sum_S, !sum_O, pull_G, pull_Sigma. field. lra. }
  assert (N : norm2 1 (G coin pull) = 1) by (unfold norm2; rewrite sum_S, sum_O, pull_G; ring).
  assert (B : best = norm2 1 (G coin pull) / q coin 1 pull H b) by (unfold best; rewrite N, Q; field; lra).
  assert (Hq : 0 < q coin 1 pull H b) by (rewrite Q; pos).
  destruct (thm_batches_step coin 1 pull H 0 p x) with (b := b) as [H1 H2]; try assumption; [reflexivity| |].
  - intros i _. unfold times_vec, p, H, x. rewrite sum_S, sum_O, pull_G. ring.
  - rewrite <- B in H1, H2. split; [exact H1|]. rewrite H2, N, Q. field. lra.
Qed.

(* prop-batches-two: two batches that are drawn independently, from any law and in any dimension. *)
Section Two_independent_batches.
  Variables (W : space) (d s b : nat) (g : nat -> vec).
  Hypothesis sizes : (1 <= s)%nat /\ (s < b)%nat.
  Definition both := pair_space (batches W s) (batches W b).
  Definition first_batch k : vec := mean g (drawn W s (k / size (batches W b))).
  Definition second_batch k : vec := mean g (drawn W b (k mod size (batches W b))).
  Lemma two_batches :
    E both (fun k => norm2 d (first_batch k)) = norm2 d (G W g) + trace_Sigma W d g / INR s /\
    E both (fun k => norm2 d (second_batch k)) = norm2 d (G W g) + trace_Sigma W d g / INR b.
  Proof.
    destruct sizes as [Hs Hb]. unfold both. rewrite !E_pair. split.
    - rewrite <- prop_batches_two_step_1 by assumption. apply E_ext. intros w _.
      rewrite (E_ext _ _ (fun _ => norm2 d (batch W g s w))); [apply E_const|].
      intros v Hv. unfold first_batch. rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r by lia. reflexivity.
    - rewrite (E_ext (batches W s) _ (fun _ => norm2 d (G W g) + trace_Sigma W d g / INR b)); [apply E_const|].
      intros w _. rewrite <- prop_batches_two_step_1 by lia. apply E_ext. intros v Hv. unfold second_batch.
      rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity.
  Qed.
  Lemma prop_batches_two_instance : E both (signal d first_batch second_batch s b) = norm2 d (G W g) /\
    E both (noise d first_batch second_batch s b) = trace_Sigma W d g.
  Proof. exact (prop_batches_two W d g both _ _ s b sizes (proj1 two_batches) (proj2 two_batches)). Qed.
End Two_independent_batches.
(* ... of one and two samples whose gradients are 1 or 3: G is 2, and the signal is never 0. *)
Definition steady (w : nat) : vec := fun _ => 2 + flip w.
Lemma steady_length l : norm2 1 (mean steady l) = (total (fun w => 2 + flip w) l / INR (length l)) ^ 2.
Proof. unfold norm2. rewrite sum_S, sum_O. unfold mean, steady. ring. Qed.
Lemma prop_batches_two_bias_instance :
  let g_1 := first_batch coin 1 2 steady in let g_2 := second_batch coin 2 steady in
  let ratio k := noise 1 g_1 g_2 1 2 k / signal 1 g_1 g_2 1 2 k in
  E (both coin 1 2) ratio - trace_Sigma coin 1 steady / norm2 1 (G coin steady)
  = - covariance (both coin 1 2) ratio (signal 1 g_1 g_2 1 2) / norm2 1 (G coin steady).
Proof.
  intros g_1 g_2 ratio. assert (sizes : (1 <= 1)%nat /\ (1 < 2)%nat) by lia.
  destruct (two_batches coin 1 1 2 steady sizes) as [H1 H2].
  apply (prop_batches_two_bias coin 1 steady (both coin 1 2) g_1 g_2 1 2 sizes H1 H2).
  - unfold norm2, G, steady. rewrite sum_S, sum_O, E_plus, E_const, flip_mean. pos.
  - intros k Hk. change (k < 8)%nat in Hk. unfold signal, g_1, g_2, first_batch, second_batch. rewrite !steady_length.
    change (size (batches coin 2)) with 4%nat.
    do 8 (destruct k as [|k]; [cbn -[INR]; rewrite ?INR_two, ?INR_one; lra|]). lia.
Qed.

(* thm-batches-hyperbola on f(x) = x^2 / 2, one sample a step and half of the best rate: unbiased, with noise 1. *)
Definition bowl_gradient (x : vec) (w : nat) : vec := fun j => x j + flip w.
Lemma thm_batches_hyperbola_instance S : let zero : vec := fun _ => 0 in let x : vec := fun _ => 1 in
  let F_S := big_batches_hyperbola.expected_loss coin 1 1 1 1 (1 / 2) zero bowl_gradient (1 / 2) x S in
  let line := big_batches_hyperbola.S_min (1 / 2) (1 / 2) F_S
    + big_batches_hyperbola.E_min 1 1 (1 / 2) (1 / 2) F_S / INR 1 in
  1 / 4 * line <= INR S <= line.
Proof.
  intros zero x F_S line. assert (F : big_batches_hyperbola.f 1 1 zero x = 1 / 2).
  { unfold big_batches_hyperbola.f, zero, x, norm2, sub. rewrite sum_S, sum_O. field. }
  assert (H := big_batches_hyperbola.thm_batches_hyperbola coin 1 1 1 1 (1 / 2) zero bowl_gradient).
  specialize (fun A B => H ltac:(lra) ltac:(lra) ltac:(lra) (le_n 1) A B x S). rewrite F in H.
  replace (1 / 4) with (1 - big_batches_hyperbola.theta (1 / 2)) by (unfold big_batches_hyperbola.theta; field).
  apply H; [| |lra]; unfold bowl_gradient, big_batches_hyperbola.grad, zero.
  - intros y j _. rewrite E_plus, E_const, flip_mean. ring.
  - intros y. rewrite (E_ext _ _ (fun w => flip w ^ 2)); [rewrite flip_square; ring|].
    intros w _. unfold norm2, sub. rewrite sum_S, sum_O. ring.
Qed.

(* Without a symmetric H it is false: then H x is not the gradient, and the step gains half of what is promised. *)
Lemma thm_batches_step_needs_symmetry : let H : matrix := fun i j => match j with O => 1 | _ => 0 end in
  let p : vec := fun _ => 0 in let x : vec := fun j => match j with O => 1 | _ => 0 end in
  let g (w : nat) : vec := fun _ => 1 in
  (forall i, p i + times_vec 2 H x i = G point g i) /\ norm2 2 (G point g) = 2 /\ q point 2 g H 1 = 2 /\
  f 2 H 0 p x - expected point 2 g H 0 p x 1 (2 / 2) = / 2 /\ 2 ^ 2 / (2 * 2) = 1.
Proof.
  intros H p x g. assert (HG : forall i, G point g i = 1) by (intros; unfold G; apply E_point).
  assert (HS : forall i j, Sigma point g i j = 0).
  { intros. unfold Sigma. rewrite E_point, !HG. unfold g. ring. }
  split; [|split; [|split; [|split]]].
  - intros i. rewrite HG. unfold times_vec, p, H, x. rewrite !sum_S, sum_O. ring.
  - unfold norm2. rewrite !sum_S, sum_O, !HG. ring.
  - unfold q, quad. rewrite !sum_S, !sum_O, !HG, !HS. unfold H. field. rewrite INR_one. lra.
  - unfold expected. rewrite E_certain. unfold f, quad, inner, batch, mean. cbn [drawn length total].
    rewrite !sum_S, !sum_O, INR_one. unfold H, p, x, g. field.
  - field.
Qed.
