(* One theorem for every norm (thm-norms).

   h layers of any size, any finite law W of the samples, batches of b independent samples, T steps with all their
   randomness. A step is x - lr dir(g): the direction of length 1, in whatever norm, that has the largest inner product
   with the batch's gradient g. *)
Require Export layers.
Open Scope R_scope.

(* The inner product of all weights; a difference; a multiple. *)
Definition product h (d : nat -> nat) (u v : layered) := sum h (fun i => inner (d i) (u i) (v i)).
Definition minus (u v : layered) : layered := fun i j => u i j - v i j.
Definition times (c : R) (v : layered) : layered := fun i j => c * v i j.

(* A length, its dual, and a steepest direction. Of a norm no more than this is used. *)
Record steepest h (d : nat -> nat) (len dual : layered -> R) (dir : layered -> layered) := {
  len_pos : forall v, 0 <= len v;
  len_times : forall c v, len (times c v) = Rabs c * len v;
  len_same : forall u v, (forall i j, u i j = v i j) -> len u = len v;
  dual_pos : forall u, 0 <= dual u;
  dual_bounds : forall u v, product h d u v <= dual u * len v;
  dir_short : forall g, len (dir g) <= 1;
  dir_steep : forall g, product h d g (dir g) = dual g }.

(* (A1) in the norm `len`: one constant. *)
Definition smooth_in h d (len : layered -> R) (f : layered -> R) (grad : layered -> layered) (L : R) :=
  0 <= L /\ forall x y, f y <= f x + product h d (grad x) (minus y x) + L / 2 * len (minus y x) ^ 2.
(* What dimension costs: the dual is at most so many times the lengths of the layers. *)
Definition costs h d (dual : layered -> R) (K : nat -> R) :=
  (forall i, (i < h)%nat -> 0 <= K i) /\ forall u, dual u <= sum h (fun i => K i * norm (d i) (u i)).

Section Norms.
  Variable W : space.                          (* the law of one sample *)
  Variables h b : nat.                         (* layers; samples in a batch *)
  Variable d : nat -> nat.                     (* layer i has d i weights *)
  Variable f : layered -> R.
  Variable grad : layered -> layered.
  Variable sample : layered -> nat -> layered. (* sample x w: the gradient of sample w at x *)
  Variables len dual : layered -> R.
  Variable dir : layered -> layered.
  Variables K sigma : nat -> R.
  Variables L fstar : R.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : smooth_in h d len f grad L.
  Hypothesis A2 : layerwise_noise W h d grad sample sigma.
  Hypothesis some : (1 <= b)%nat.
  Hypothesis norms : steepest h d len dual dir.
  Hypothesis cost : costs h d dual K.

  (* The gradient of batch k; one step; by how much the batch misses the gradient, in the dual norm. *)
  Definition g x k : layered := batch_gradient W b sample x k.
  Definition next lr x k : layered := fun i j => x i j - lr * dir (g x k) i j.
  Definition miss x k := dual (minus (g x k) (grad x)).
  Definition slope x := dual (grad x).

  Lemma product_times u v c : product h d u (times c v) = c * product h d u v.
  Proof. unfold product. rewrite <- sum_scal. apply sum_ext. intros. apply inner_scal. Qed.
  Lemma product_minus u v w : product h d (minus u v) w = product h d u w - product h d v w.
  Proof. unfold product. rewrite <- sum_minus. apply sum_ext. intros. apply inner_sub_l. Qed.
  Lemma product_same u v w : (forall i j, v i j = w i j) -> product h d u v = product h d u w.
  Proof. intros H. apply sum_ext. intros. apply inner_ext; auto. Qed.

  (* (1) Smooth in the norm, and the step is at most lr long. *)
  Lemma step_1 lr x k : 0 < lr -> f (next lr x k) <= f x - lr * product h d (grad x) (dir (g x k)) + L / 2 * lr ^ 2.
  Proof.
    intros Hlr. destruct A1 as [HL H]. specialize (H x (next lr x k)).
    assert (Hsame : forall i j, minus (next lr x k) x i j = times (- lr) (dir (g x k)) i j)
      by (intros; unfold minus, next, times; ring).
    rewrite (product_same _ _ _ Hsame), product_times in H.
    assert (Hlen : len (minus (next lr x k) x) <= lr).
    { rewrite (len_same _ _ _ _ _ norms _ _ Hsame), (len_times _ _ _ _ _ norms), Rabs_Ropp, Rabs_pos_eq by lra.
      rewrite <- (Rmult_1_r lr) at 2. apply Rmult_le_compat_l; [lra|]. apply (dir_short _ _ _ _ _ norms). }
    assert (Hsq : len (minus (next lr x k) x) ^ 2 <= lr ^ 2)
      by (apply pow_incr; split; [apply (len_pos _ _ _ _ _ norms)|assumption]).
    assert (H2 : L / 2 * len (minus (next lr x k) x) ^ 2 <= L / 2 * lr ^ 2) by (apply Rmult_le_compat_l; lra).
    lra.
  Qed.

  (* (2) Along the batch's steepest direction the true slope is the batch's, less what the batch misses. *)
  Lemma step_2 x k : dual (g x k) - miss x k <= product h d (grad x) (dir (g x k)).
  Proof.
    assert (H := dual_bounds _ _ _ _ _ norms (minus (g x k) (grad x)) (dir (g x k))).
    rewrite product_minus, (dir_steep _ _ _ _ _ norms) in H. fold (miss x k) in H.
    assert (Hm : miss x k * len (dir (g x k)) <= miss x k).
    { rewrite <- (Rmult_1_r (miss x k)) at 2. apply Rmult_le_compat_l;
        [apply (dual_pos _ _ _ _ _ norms)|apply (dir_short _ _ _ _ _ norms)]. }
    lra.
  Qed.

  (* (3) On average a batch's gradient is not shorter, in the dual norm, than the true one. *)
  Lemma step_3 x : slope x <= E (batches W b) (fun k => dual (g x k)).
  Proof.
    unfold slope. rewrite <- (dir_steep _ _ _ _ _ norms (grad x)).
    apply Rle_trans with (E (batches W b) (fun k => product h d (g x k) (dir (grad x)))).
    - unfold product, inner. rewrite E_sum. apply Req_le, sum_ext. intros i Hi. rewrite E_sum.
      apply sum_ext. intros j Hj. rewrite (E_ext _ _ (fun k => dir (grad x) i j * g x k i j)) by (intros; ring).
      rewrite E_scal. unfold g. rewrite (batch_gradient_unbiased W h b d grad sample sigma A2 some x i j Hi Hj). ring.
    - apply E_le. intros k _. eapply Rle_trans; [apply (dual_bounds _ _ _ _ _ norms)|].
      rewrite <- (Rmult_1_r (dual (g x k))) at 2. apply Rmult_le_compat_l;
        [apply (dual_pos _ _ _ _ _ norms)|apply (dir_short _ _ _ _ _ norms)].
  Qed.

  (* (4) What the batch misses, on average: every layer's noise, times what dimension costs there. *)
  Definition noise := sum h (fun i => K i * sigma i) / sqrt (INR b).
  Lemma step_4 x : E (batches W b) (fun k => miss x k) <= noise.
  Proof.
    destruct cost as [HK Hc]. unfold noise, miss. rewrite <- sum_div.
    apply Rle_trans with (E (batches W b) (fun k => sum h (fun i => K i * norm (d i) (sub (g x k i) (grad x i))))).
    - apply E_le. intros k _. apply (Hc (minus (g x k) (grad x))).
    - rewrite E_sum. apply sum_le. intros i Hi. rewrite E_scal. unfold Rdiv. rewrite Rmult_assoc.
      apply Rmult_le_compat_l; [now apply HK|]. exact (batch_gradient_misses W h b d grad sample sigma A2 some x i Hi).
  Qed.

  (* (5) One step, on average. *)
  Lemma step_5 lr x : 0 < lr ->
    E (batches W b) (fun k => f (next lr x k)) <= f x - lr * slope x + (lr * noise + L / 2 * lr ^ 2).
  Proof.
    intros Hlr. assert (H3 := step_3 x). assert (H4 := step_4 x).
    apply Rle_trans with (E (batches W b) (fun k => (f x + L / 2 * lr ^ 2) + - lr * (dual (g x k) - miss x k))).
    - apply E_le. intros k _. assert (H1 := step_1 lr x k Hlr). assert (H2 := step_2 x k).
      assert (H : lr * (dual (g x k) - miss x k) <= lr * product h d (grad x) (dir (g x k)))
        by (apply Rmult_le_compat_l; [lra|assumption]). lra.
    - rewrite E_plus, E_const, E_scal, E_minus.
      set (Eg := E _ (fun k => dual (g x k))) in *. set (Em := E _ (fun k => miss x k)) in *.
      assert (H : lr * (slope x - noise) <= lr * (Eg - Em)) by (apply Rmult_le_compat_l; lra). lra.
  Qed.

  (* thm-norms (eq-norms-promise): the mean of the gradient's dual norm over a run with the rate lr and batches of b. *)
  Theorem thm_norms lr T x1 : 0 < lr -> (1 <= T)%nat ->
    run_mean (batches W b) layered (next lr) T x1 slope
    <= (f x1 - fstar) / (INR T * lr) + sum h (fun i => K i * sigma i) / sqrt (INR b) + lr * L / 2.
  Proof.
    intros Hlr HT. assert (HR := INR_pos T HT). eapply Rle_trans.
    - apply (run_mean_le (batches W b) layered (next lr) f slope lr (lr * noise + L / 2 * lr ^ 2) fstar);
        [assumption|exact A0|intros; now apply step_5|exact HT].
    - apply Req_le. fold noise. field. lra.
  Qed.
End Norms.

Section Best.
  Variables (W : space) (h T : nat) (d : nat -> nat) (f : layered -> R) (grad : layered -> layered).
  Variables (sample : layered -> nat -> layered) (len dual : layered -> R) (dir : layered -> layered).
  Variables (K sigma : nat -> R) (L fstar : R).
  Variable x1 : layered.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : smooth_in h d len f grad L.
  Hypothesis A2 : layerwise_noise W h d grad sample sigma.
  Hypothesis some : (1 <= T)%nat.
  Hypothesis norms : steepest h d len dual dir.
  Hypothesis cost : costs h d dual K.
  Definition Delta := f x1 - fstar.
  Hypothesis not_optimal : 0 < Delta.
  Hypothesis not_flat : 0 < L.
  Definition best_lr := sqrt (2 * Delta / (L * INR T)).

  (* (6) Insert: at this rate the first and the last term are equal. *)
  Lemma step_6 : 0 < best_lr /\ Delta / (INR T * best_lr) + best_lr * L / 2 = sqrt (2 * Delta * L / INR T).
  Proof.
    assert (HR := INR_pos T some). assert (Hin : 0 < 2 * Delta / (L * INR T)) by pos.
    assert (Hlr : 0 < best_lr) by now apply sqrt_lt_R0. split; [assumption|].
    assert (Hsq : Delta = best_lr ^ 2 * (L * INR T) / 2)
      by (unfold best_lr; rewrite sqrt_squared by lra; field; split; lra).
    assert (Hroot : sqrt (2 * Delta * L / INR T) = L * best_lr).
    { apply sqrt_lem_1; [apply Rlt_le; pos|apply Rlt_le; pos|]. rewrite Hsq. field. lra. }
    rewrite Hroot, Hsq at 1. field. lra.
  Qed.
  (* (eq-norms-best): the same with the best rate and b = T. *)
  Theorem thm_norms_best :
    run_mean (batches W T) layered (next W T sample dir best_lr) T x1 (slope grad dual)
    <= sqrt (2 * Delta * L / INR T) + sum h (fun i => K i * sigma i) / sqrt (INR T).
  Proof.
    destruct step_6 as [Hlr H]. rewrite <- H.
    eapply Rle_trans; [exact (thm_norms W h T d f grad sample len dual dir K sigma L fstar A0 A1 A2 some norms cost
      best_lr T x1 Hlr some)|]. fold Delta. lra.
  Qed.
End Best.
