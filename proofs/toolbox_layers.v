(* Appendix A: smoothness layer by layer (lem-layerwise).

   The weights stand in h layers, layer i has d i of them. The lemma ends in `layerwise_smooth` of layers.v, which is
   what the theorems for LARS and LAMB assume. *)
Require Export layers smooth.
Open Scope R_scope.

(* The inner product, the length and the gradient over all layers together. *)
Definition apart (y x : layered) : layered := fun i => sub (y i) (x i).
Definition inner_all h (d : nat -> nat) (u v : layered) := sum h (fun i => inner (d i) (u i) (v i)).
Definition norm_all h (d : nat -> nat) (u : layered) := sqrt (sum h (fun i => norm2 (d i) (u i))).
Definition is_grad_all h d (f : layered -> R) (x G : layered) := forall eps, 0 < eps -> exists delta, 0 < delta /\
  forall y, norm_all h d (apart y x) < delta ->
    Rabs (f y - f x - inner_all h d G (apart y x)) <= eps * norm_all h d (apart y x).

Definition same h (d : nat -> nat) (u v : layered) := forall i j, (i < h)%nat -> (j < d i)%nat -> u i j = v i j.
Lemma inner_all_same h d G u v : same h d u v -> inner_all h d G u = inner_all h d G v.
Proof. intros H. apply sum_ext. intros i Hi. apply inner_ext; [reflexivity|]. intros. now apply H. Qed.
Lemma norm_all_same h d u v : same h d u v -> norm_all h d u = norm_all h d v.
Proof. intros H. unfold norm_all. f_equal. apply sum_ext. intros i Hi. apply norm2_ext. intros. now apply H. Qed.
Lemma inner_all_scal h d c G v : inner_all h d G (fun i j => c * v i j) = c * inner_all h d G v.
Proof. unfold inner_all. rewrite <- sum_scal. apply sum_ext. intros. apply inner_scal. Qed.
Lemma norm_all_scal h d c v : norm_all h d (fun i j => c * v i j) = Rabs c * norm_all h d v.
Proof.
  unfold norm_all. rewrite <- sqrt_of_square, <- sqrt_mult_alt by apply pow2_nonneg. f_equal. rewrite <- sum_scal.
  apply sum_ext. intros. apply norm2_scal.
Qed.

(* What has a gradient looks at the weights only, and along a straight line it has the slope <G, v>. *)
Lemma same_value_all h d f x y G : is_grad_all h d f x G -> same h d y x -> f y = f x.
Proof.
  intros H Hyx. destruct (H 1) as (delta & Hd & H1); [lra|]. specialize (H1 y).
  assert (H0 : same h d (apart y x) (fun i j => 0 * x i j))
    by (intros i j Hi Hj; unfold apart, sub; rewrite (Hyx i j Hi Hj); ring).
  rewrite (norm_all_same _ _ _ _ H0), (inner_all_same _ _ _ _ _ H0), norm_all_scal, inner_all_scal, Rabs_R0 in H1.
  specialize (H1 ltac:(lra)). unfold Rabs in H1. destruct (Rcase_abs _); lra.
Qed.
Definition along_all (x v : layered) (s : R) : layered := fun i j => x i j + s * v i j.
Lemma slope_along_all h d f x v s G : is_grad_all h d f (along_all x v s) G ->
  derivable_pt_lim (fun r => f (along_all x v r)) s (inner_all h d G v).
Proof.
  intros H eps Heps. set (N := norm_all h d v). assert (HN : 0 <= N) by apply sqrt_pos.
  destruct (H (eps / (N + 1))) as (delta & Hd & H1); [pos|].
  assert (Hpos : 0 < delta / (N + 1)) by pos.
  exists (mkposreal _ Hpos). intros t Ht Hsmall. cbn [pos] in Hsmall. specialize (H1 (along_all x v (s + t))).
  assert (H0 : same h d (apart (along_all x v (s + t)) (along_all x v s)) (fun i j => t * v i j))
    by (intros i j _ _; unfold apart, sub, along_all; ring).
  rewrite (norm_all_same _ _ _ _ H0), (inner_all_same _ _ _ _ _ H0), norm_all_scal, inner_all_scal in H1. fold N in H1.
  assert (Ht' : 0 < Rabs t) by now apply Rabs_pos_lt.
  assert (Hclose : Rabs t * (N + 1) < delta).
  { apply (Rmult_lt_compat_r (N + 1)) in Hsmall; [|lra].
    replace (delta / (N + 1) * (N + 1)) with delta in Hsmall by (field; lra). assumption. }
  specialize (H1 ltac:(lra)).
  replace ((f (along_all x v (s + t)) - f (along_all x v s)) / t - inner_all h d G v)
    with ((f (along_all x v (s + t)) - f (along_all x v s) - t * inner_all h d G v) * / t) by (field; assumption).
  rewrite Rabs_mult, Rabs_inv. apply Rle_lt_trans with (eps / (N + 1) * (Rabs t * N) * / Rabs t).
  - apply Rmult_le_compat_r; [apply Rlt_le; now apply Rinv_0_lt_compat|assumption].
  - replace (eps / (N + 1) * (Rabs t * N) * / Rabs t) with (eps - eps / (N + 1)) by (field; lra).
    assert (0 < eps / (N + 1)) by pos. lra.
Qed.

Section Layerwise.
  Variable h : nat.
  Variable d : nat -> nat.
  Variable f : layered -> R.
  Variable grad : layered -> layered.
  Variable Lij : nat -> nat -> R.
  Hypothesis differentiable : forall x, is_grad_all h d f x (grad x).
  Hypothesis symmetric : forall i k, (i < h)%nat -> (k < h)%nat -> Lij i k = Lij k i /\ 0 <= Lij i k.
  Hypothesis smooth : forall x y i, (i < h)%nat -> norm (d i) (sub (grad y i) (grad x i))
    <= sum h (fun k => Lij i k * norm (d k) (sub (y k) (x k))).
  Definition L i := sum h (fun k => Lij i k).

  Section One_step.
    Variables x y : layered.
    Definition delta := apart y x.
    Definition length_of i := norm (d i) (delta i).   (* the length of layer i's part of the step *)

    Definition coupled := sum h (fun i => sum h (fun k => Lij i k * (length_of i * length_of k))).

    (* How far the slope has grown at x + s delta. *)
    Lemma step_1_slope s : 0 <= s ->
      inner_all h d (grad (along_all x delta s)) delta - inner_all h d (grad x) delta
      <= coupled * s.
    Proof.
      intros Hs. unfold inner_all, coupled. rewrite <- sum_minus, <- sum_scal_r. apply sum_le. intros i Hi.
      rewrite <- inner_sub_l. eapply Rle_trans; [apply inner_le|]. fold (length_of i).
      rewrite <- sum_scal_r. rewrite (sum_ext h _ (fun k => Lij i k * (s * length_of k) * length_of i))
        by (intros; ring).
      rewrite sum_scal_r. apply Rmult_le_compat_r; [apply norm_pos|].
      eapply Rle_trans; [now apply smooth|]. apply Req_le, sum_ext. intros k _. f_equal.
      rewrite (norm_ext (d k) _ (fun j => s * delta k j)) by (intros; unfold along_all, sub; ring).
      rewrite norm_scal, Rabs_pos_eq; [reflexivity|assumption].
    Qed.
    (* (1) As in lem-descent, layer by layer. *)
    Lemma step_1 : f y - f x - inner_all h d (grad x) delta <= coupled / 2.
    Proof.
      rewrite (same_value_all h d f (along_all x delta 1) y _ (differentiable _))
        by (intros i j _ _; unfold along_all, delta, apart, sub; ring).
      rewrite (same_value_all h d f (along_all x delta 0) x _ (differentiable _))
        by (intros i j _ _; unfold along_all; ring).
      assert (H := segment (fun s => f (along_all x delta s))
        (fun s => inner_all h d (grad (along_all x delta s)) delta) (inner_all h d (grad x) delta) coupled).
      enough (f (along_all x delta 1) <= f (along_all x delta 0) + inner_all h d (grad x) delta + coupled / 2) by lra.
      apply H; [intros s _; apply slope_along_all, differentiable|]. intros s Hs. now apply step_1_slope.
    Qed.
    (* (2) Young with a = 1 for each pair of layers; because of the symmetry both halves are the same sum. *)
    Lemma step_2 : coupled <= sum h (fun i => L i * length_of i ^ 2).
    Proof.
      apply Rle_trans
        with (sum h (fun i => sum h (fun k => Lij i k * length_of i ^ 2 / 2 + Lij i k * length_of k ^ 2 / 2))).
      - apply sum_le. intros i Hi. apply sum_le. intros k Hk. destruct (symmetric i k Hi Hk) as [_ Hp].
        assert (H := Rmult_le_pos _ _ Hp (pow2_nonneg (length_of i - length_of k))). lra.
      - assert (Hhalf : forall i, sum h (fun k => Lij i k * length_of i ^ 2 / 2) = L i * length_of i ^ 2 / 2)
          by (intros; now rewrite sum_div, sum_scal_r).
        assert (Hother : sum h (fun i => sum h (fun k => Lij i k * length_of k ^ 2 / 2))
          = sum h (fun i => L i * length_of i ^ 2 / 2)).
        { rewrite sum_swap. apply sum_ext. intros k Hk. rewrite <- Hhalf. apply sum_ext. intros i Hi.
          now rewrite (proj1 (symmetric i k Hi Hk)). }
        rewrite (sum_ext h _ (fun i => L i * length_of i ^ 2 / 2 + sum h (fun k => Lij i k * length_of k ^ 2 / 2)))
          by (intros; now rewrite sum_plus, Hhalf).
        rewrite sum_plus, Hother, <- sum_plus. apply Req_le, sum_ext. intros. field.
    Qed.
  End One_step.

  (* lem-layerwise: with L_i = sum over j of L_ij,
     f(y) <= f(x) + <grad f(x), y - x> + sum over i of L_i/2 |y^(i) - x^(i)|^2. *)
  Theorem lem_layerwise x y : f y <= f x + sum h (fun i => inner (d i) (grad x i) (sub (y i) (x i)))
    + sum h (fun i => L i / 2 * norm2 (d i) (sub (y i) (x i))).
  Proof.
    assert (H1 := step_1 x y). assert (H2 := step_2 x y).
    rewrite (sum_ext h (fun i => L i / 2 * _) (fun i => L i * length_of x y i ^ 2 / 2))
      by (intros; unfold length_of; rewrite norm_squared; unfold delta, apart; field).
    rewrite sum_div. unfold inner_all, delta, apart in H1. lra.
  Qed.
  (* In the words of (A1) for LARS and LAMB: the numbers L_i will do. *)
  Theorem lem_layerwise_smooth : layerwise_smooth h d f grad L.
  Proof. split; [|exact lem_layerwise]. intros i Hi. apply sum_nonneg. intros k Hk. now apply symmetric. Qed.
End Layerwise.
