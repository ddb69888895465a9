(* Appendix A: the layers of a quadratic (the last sentence of lem-layerwise).

   f(x) = <x, H x> / 2 with H symmetric, given block by block: H i k j l is the entry in row j and column l of the block
   that belongs to the layers i and k. For the numbers L_ik the spectral norms of the blocks will do. *)
Require Export toolbox_layers.
Open Scope R_scope.

(* The length of a sum is at most the sum of the lengths. *)
Lemma norm_sum d n (v : nat -> vec) : norm d (fun j => sum n (fun k => v k j)) <= sum n (fun k => norm d (v k)).
Proof.
  induction n as [|n IH].
  - rewrite sum_O. apply Req_le, norm_of_zero. intros. apply sum_O.
  - rewrite sum_S. eapply Rle_trans; [|apply Rplus_le_compat_r, IH].
    rewrite (norm_ext d _ (fun j => sum n (fun k => v k j) + v n j))
      by (intros j _; exact (sum_S n (fun k => v k j))). apply triangle.
Qed.

Section Quadratic.
  Variable h : nat.
  Variable d : nat -> nat.
  Variable H : nat -> nat -> nat -> nat -> R.
  Hypothesis H_symmetric : forall i k j l, H i k j l = H k i l j.

  Definition block i k (v : vec) : vec := fun j => sum (d k) (fun l => H i k j l * v l).
  Definition mul (x : layered) : layered := fun i j => sum h (fun k => block i k (x k) j).
  Definition quadratic (x : layered) := / 2 * inner_all h d x (mul x).

  Lemma block_scal i k c v j : block i k (fun l => c * v l) j = c * block i k v j.
  Proof. unfold block. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.
  Lemma block_sub i k u v j : block i k (sub u v) j = block i k u j - block i k v j.
  Proof. unfold block, sub. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.
  (* Symmetry: <u, H_ik v> = <H_ki u, v>. *)
  Lemma block_across i k u v : inner (d i) u (block i k v) = inner (d k) (block k i u) v.
  Proof.
    unfold inner, block. rewrite (sum_ext (d i) _ (fun j => sum (d k) (fun l => u j * (H i k j l * v l))))
      by (intros; now rewrite sum_scal).
    rewrite sum_swap. apply sum_ext. intros l _. rewrite <- sum_scal_r. apply sum_ext. intros j _.
    rewrite (H_symmetric i k j l). ring.
  Qed.

  (* ---- 1. The spectral norm of a block: the largest length of H_ik v for a v of length at most 1. ---- *)

  Definition lengths i k (s : R) := exists v, norm (d k) v <= 1 /\ s = norm (d i) (block i k v).
  Definition frobenius i k := sqrt (sum (d i) (fun j => norm2 (d k) (H i k j))).
  Lemma below_frobenius i k v : norm (d i) (block i k v) <= frobenius i k * norm (d k) v.
  Proof.
    assert (H0 : 0 <= sum (d i) (fun j => norm2 (d k) (H i k j))) by (apply sum_nonneg; intros; apply norm2_pos).
    unfold norm, frobenius. rewrite <- sqrt_mult_alt by assumption. apply sqrt_le_1_alt.
    unfold norm2 at 1. rewrite <- sum_scal_r. apply sum_le. intros. apply inner_squared.
  Qed.
  Lemma lengths_bounded i k : bound (lengths i k).
  Proof.
    exists (frobenius i k). intros s (v & Hv & ->). eapply Rle_trans; [apply below_frobenius|].
    rewrite <- (Rmult_1_r (frobenius i k)) at 2. apply Rmult_le_compat_l; [apply sqrt_pos|assumption].
  Qed.
  Lemma zero_vector i k : lengths i k (norm (d i) (block i k (fun _ => 0))).
  Proof. exists (fun _ => 0). split; [|reflexivity]. rewrite norm_of_zero by reflexivity. lra. Qed.
  Definition block_norm i k :=
    proj1_sig (completeness (lengths i k) (lengths_bounded i k) (ex_intro _ _ (zero_vector i k))).
  Lemma block_norm_lub i k : is_lub (lengths i k) (block_norm i k).
  Proof. unfold block_norm. destruct (completeness _ _ _) as (m & Hm). exact Hm. Qed.
  Lemma block_norm_pos i k : 0 <= block_norm i k.
  Proof. eapply Rle_trans; [|apply (proj1 (block_norm_lub i k)), zero_vector]. apply norm_pos. Qed.
  Lemma block_norm_bounds i k v : norm (d i) (block i k v) <= block_norm i k * norm (d k) v.
  Proof.
    destruct (norm_pos (d k) v) as [Hv|Hv].
    - assert (Hl : norm (d i) (block i k (fun l => / norm (d k) v * v l)) <= block_norm i k).
      { apply (proj1 (block_norm_lub i k)). eexists. split; [|reflexivity].
        rewrite norm_scal, Rabs_pos_eq by pos. apply Req_le. field. lra. }
      rewrite (norm_ext _ _ _ (fun j _ => block_scal i k (/ norm (d k) v) v j)), norm_scal, Rabs_pos_eq in Hl by pos.
      apply (Rmult_le_compat_r (norm (d k) v)) in Hl; [|lra]. eapply Rle_trans; [|exact Hl]. apply Req_le. field. lra.
    - eapply Rle_trans; [apply below_frobenius|]. rewrite <- Hv. lra.
  Qed.
  (* Blocks across the diagonal have the same norm. *)
  Lemma block_norm_le i k : block_norm i k <= block_norm k i.
  Proof.
    apply (proj2 (block_norm_lub i k)). intros s (v & Hv & ->). set (w := block i k v). assert (Hw := norm_pos (d i) w).
    destruct Hw as [Hw|Hw]; [|rewrite <- Hw; apply block_norm_pos].
    apply Rmult_le_reg_r with (norm (d i) w); [assumption|].
    replace (norm (d i) w * norm (d i) w) with (inner (d i) w w) by (rewrite inner_self, <- norm_squared; ring).
    unfold w at 2. rewrite block_across. eapply Rle_trans; [apply inner_le|].
    eapply Rle_trans; [|apply block_norm_bounds]. rewrite <- (Rmult_1_r (norm (d k) (block k i w))) at 2.
    apply Rmult_le_compat_l; [apply norm_pos|assumption].
  Qed.
  Lemma block_norm_symmetric i k : block_norm i k = block_norm k i.
  Proof. apply Rle_antisym; apply block_norm_le. Qed.

  (* ---- 2. The gradient is H x, and layer i of it changes by at most sum over k of |H_ik| |y^(k) - x^(k)|. ---- *)

  Lemma mul_apart y x i j : mul (apart y x) i j = mul y i j - mul x i j.
  Proof. unfold mul, apart. rewrite <- sum_minus. apply sum_ext. intros. apply block_sub. Qed.
  Lemma mul_bounds v i : norm (d i) (mul v i) <= sum h (fun k => block_norm i k * norm (d k) (v k)).
  Proof. eapply Rle_trans; [apply norm_sum|]. apply sum_le. intros. apply block_norm_bounds. Qed.
  Lemma mul_across u v : inner_all h d u (mul v) = inner_all h d (mul u) v.
  Proof.
    unfold inner_all, mul.
    assert (Hsum : forall i a (b : nat -> vec),
      inner (d i) a (fun j => sum h (fun k => b k j)) = sum h (fun k => inner (d i) a (b k))).
    { intros i a b. unfold inner. rewrite sum_swap. apply sum_ext. intros. now rewrite sum_scal. }
    rewrite (sum_ext h _ (fun i => sum h (fun k => inner (d i) (u i) (block i k (v k))))) by (intros; apply Hsum).
    rewrite sum_swap. apply sum_ext. intros k _. rewrite inner_sym, Hsum. apply sum_ext. intros i _.
    now rewrite block_across, inner_sym.
  Qed.
  Lemma inner_all_sym u v : inner_all h d u v = inner_all h d v u.
  Proof. apply sum_ext. intros. apply inner_sym. Qed.
  Lemma inner_all_apart u y x : inner_all h d u (apart y x) = inner_all h d u y - inner_all h d u x.
  Proof. unfold inner_all. rewrite <- sum_minus. apply sum_ext. intros. apply inner_sub. Qed.
  Lemma remainder x y : quadratic y - quadratic x - inner_all h d (mul x) (apart y x)
    = / 2 * inner_all h d (apart y x) (mul (apart y x)).
  Proof.
    rewrite (inner_all_same h d _ (mul (apart y x)) (apart (mul y) (mul x))) by (intros i j _ _; apply mul_apart).
    rewrite !inner_all_apart, !(inner_all_sym (apart y x)), !inner_all_apart. unfold quadratic.
    rewrite (inner_all_sym (mul y) y), (inner_all_sym (mul x) x), <- (mul_across y x), (inner_all_sym y (mul x)). lra.
  Qed.
  Lemma layer_le_all v i : (i < h)%nat -> norm (d i) (v i) <= norm_all h d v.
  Proof.
    intros Hi. apply sqrt_le_1_alt. exact (sum_one h (fun k => norm2 (d k) (v k)) i Hi (fun k _ => norm2_pos _ _)).
  Qed.
  Definition whole := sum h (fun i => sum h (fun k => block_norm i k)).
  Lemma whole_pos : 0 <= whole.
  Proof. apply sum_nonneg. intros. apply sum_nonneg. intros. apply block_norm_pos. Qed.
  Lemma bent v : Rabs (inner_all h d v (mul v)) <= whole * norm_all h d v * norm_all h d v.
  Proof.
    assert (Hn : 0 <= norm_all h d v) by apply sqrt_pos. eapply Rle_trans; [apply sum_abs|]. unfold whole.
    rewrite <- !sum_scal_r. apply sum_le. intros i Hi. eapply Rle_trans; [apply cauchy_schwarz|].
    rewrite (Rmult_comm (norm (d i) (v i))). apply Rmult_le_compat; try apply norm_pos; [|now apply layer_le_all].
    eapply Rle_trans; [apply mul_bounds|]. rewrite <- sum_scal_r. apply sum_le. intros k Hk.
    apply Rmult_le_compat_l; [apply block_norm_pos|now apply layer_le_all].
  Qed.
  Lemma quadratic_gradient x : is_grad_all h d quadratic x (mul x).
  Proof.
    assert (Hw := whole_pos). intros eps He. exists (eps / (whole + 1)). split; [pos|]. intros y Hy.
    rewrite remainder, Rabs_mult, (Rabs_pos_eq (/ 2)) by lra. assert (Hb := bent (apart y x)).
    set (n := norm_all h d (apart y x)) in *. assert (Hn : 0 <= n) by apply sqrt_pos.
    assert (Hwn : whole * n <= eps).
    { apply (Rmult_lt_compat_r (whole + 1)) in Hy; [|lra].
      replace (eps / (whole + 1) * (whole + 1)) with eps in Hy by (field; lra). lra. }
    assert (whole * n * n <= eps * n) by now apply Rmult_le_compat_r.
    assert (0 <= eps * n) by (apply Rmult_le_pos; lra). lra.
  Qed.

  (* lem-layerwise, last sentence: L_ik = |H_ik| will do. *)
  Theorem lem_layerwise_quadratic : layerwise_smooth h d quadratic mul (fun i => sum h (fun k => block_norm i k)).
  Proof.
    apply (lem_layerwise_smooth h d quadratic mul block_norm); [exact quadratic_gradient| |].
    - intros. split; [apply block_norm_symmetric|apply block_norm_pos].
    - intros x y i Hi. rewrite (norm_ext (d i) _ (mul (apart y x) i)) by (intros; symmetry; apply mul_apart).
      apply mul_bounds.
  Qed.
End Quadratic.

(* An instance: two layers of one weight each, and H full of ones. *)
Definition ones (i k j l : nat) : R := 1.
Definition one_weight (i : nat) : nat := 1.
Lemma lem_layerwise_instance : layerwise_smooth 2 one_weight (quadratic 2 one_weight ones) (mul 2 one_weight ones)
  (fun i => sum 2 (fun k => block_norm one_weight ones i k)).
Proof. apply lem_layerwise_quadratic. reflexivity. Qed.
(* The diagonal blocks alone are not enough: they are 1, the step (1, 1) from 0 costs 2, and the diagonal promises 1. *)
Lemma lem_layerwise_diagonal : let step : layered := fun _ _ => 1 in
  quadratic 2 one_weight ones step = 2 /\ sum 2 (fun i => 1 / 2 * norm2 (one_weight i) (step i)) = 1.
Proof.
  unfold quadratic, inner_all, inner, mul, block, norm2, ones, one_weight. rewrite !sum_S, !sum_O. split; field.
Qed.
