(* Big batches: one step at batch size b (thm-batches-step) and the estimate from two batches (prop-batches-two).

   The samples have any finite law W; the gradient of sample w at the point x is g w, and a batch of b samples is b
   independent draws. H is a symmetric d x d matrix, f the quadratic function c + <p, y> + y' H y / 2. *)
Require Export batches.
Open Scope R_scope.

Definition matrix := nat -> nat -> R.
(* v' H v *)
Definition quad d (H : matrix) (v : vec) := sum d (fun i => sum d (fun j => H i j * (v i * v j))).
(* H v *)
Definition times_vec d (H : matrix) (v : vec) : vec := fun i => sum d (fun j => H i j * v j).

(* ---- Products of two entries of a batch's mean. ---- *)

Lemma Eb_product W b a e c c' : E W a = 0 -> E W e = 0 ->
  Eb W b (fun l => (c + total a l) * (c' + total e l)) = c * c' + INR b * E W (fun w => a w * e w).
Proof.
  intros Ha He. revert c c'. induction b as [|b IH]; intros c c'; cbn [Eb].
  - cbn [total]. rewrite INR_zero. ring.
  - rewrite S_INR, (E_ext _ _ (fun w => c * c' + INR b * E W (fun v => a v * e v)
      + (c * e w + (c' * a w + a w * e w)))).
    + rewrite E_plus, E_const, !E_plus, !E_scal, Ha, He. ring.
    + intros w _. rewrite (Eb_ext _ _ _ (fun l => (c + a w + total a l) * (c' + e w + total e l)))
        by (intros; cbn [total]; ring). rewrite IH. ring.
Qed.

Section Batch.
  Variable W : space.            (* the law of one sample *)
  Variables d : nat.
  Variable g : nat -> vec.       (* g w: the gradient of sample w *)
  Definition G : vec := fun j => E W (fun w => g w j).
  (* The covariance of one sample, and the noise tr(Sigma). *)
  Definition Sigma : matrix := fun i j => E W (fun w => (g w i - G i) * (g w j - G j)).
  Definition trace_Sigma := sum d (fun i => Sigma i i).
  Definition batch b k : vec := mean g (drawn W b k).

  Lemma batch_mean b j : (1 <= b)%nat -> E (batches W b) (fun k => batch b k j) = G j.
  Proof. intros Hb. apply (batch_unbiased W (S j) b g G); [reflexivity|assumption|lia]. Qed.
  Lemma batch_covariance b i j : (1 <= b)%nat ->
    E (batches W b) (fun k => (batch b k i - G i) * (batch b k j - G j)) = Sigma i j / INR b.
  Proof.
    intros Hb. assert (HR := INR_pos b Hb). unfold batch.
    rewrite (E_batches W b (fun l => (mean g l i - G i) * (mean g l j - G j))).
    rewrite (Eb_ext _ _ _ (fun l => / INR b ^ 2 *
      ((0 + total (fun w => g w i - G i) l) * (0 + total (fun w => g w j - G j) l)))).
    - rewrite Eb_scal, Eb_product; [unfold Sigma; field; lra| |];
        rewrite E_minus, E_const; unfold G; ring.
    - intros l Hl. rewrite !total_shift. unfold mean. rewrite Hl. field. lra.
  Qed.
  Lemma batch_second_moment b i j : (1 <= b)%nat ->
    E (batches W b) (fun k => batch b k i * batch b k j) = G i * G j + Sigma i j / INR b.
  Proof.
    intros Hb. rewrite <- batch_covariance by assumption.
    rewrite (E_ext _ (fun k => batch b k i * batch b k j) (fun k => (batch b k i - G i) * (batch b k j - G j)
      + (G i * batch b k j + (G j * batch b k i + - (G i * G j))))) by (intros; ring).
    rewrite !E_plus, E_const, !E_scal, !batch_mean by assumption. ring.
  Qed.

  Section One_step.
    Variables (H : matrix) (c : R) (p x : vec).
    Hypothesis symmetric : forall i j, H i j = H j i.
    Definition f (y : vec) := c + inner d p y + quad d H y / 2.
    (* The gradient of f at x is the mean of the samples' gradients. *)
    Hypothesis unbiased : forall i, (i < d)%nat -> p i + times_vec d H x i = G i.
    Definition q b := quad d H G + sum d (fun i => sum d (fun j => H i j * Sigma j i)) / INR b.
    Definition trace_H_Sigma := sum d (fun i => sum d (fun j => H i j * Sigma j i)).
    (* The expected loss after a step with the learning rate lr and a batch of b samples. *)
    Definition expected b lr := E (batches W b) (fun k => f (fun j => x j - lr * batch b k j)).

    (* On a quadratic Taylor's formula ends after two terms. *)
    Lemma taylor lr v : f (fun j => x j - lr * v j) = f x - lr * inner d G v + lr ^ 2 / 2 * quad d H v.
    Proof.
      assert (Hp : inner d p v = inner d G v - sum d (fun i => sum d (fun j => H i j * (x j * v i)))).
      { unfold inner. rewrite <- sum_minus. apply sum_ext. intros i Hi. rewrite <- (unbiased i Hi).
        unfold times_vec. rewrite Rmult_plus_distr_r, <- sum_scal_r.
        rewrite (sum_ext d (fun j => H i j * (x j * v i)) (fun j => H i j * x j * v i)) by (intros; ring). ring. }
      assert (Hlin : inner d p (fun j => x j - lr * v j) = inner d p x - lr * inner d p v).
      { unfold inner. rewrite <- sum_scal, <- sum_minus. apply sum_ext. intros. ring. }
      assert (Hswap : sum d (fun i => sum d (fun j => H i j * (x i * v j)))
                    = sum d (fun i => sum d (fun j => H i j * (x j * v i)))).
      { rewrite sum_swap. apply sum_ext. intros i _. apply sum_ext. intros j _. rewrite (symmetric j i). ring. }
      assert (Hq : quad d H (fun j => x j - lr * v j)
        = quad d H x - 2 * lr * sum d (fun i => sum d (fun j => H i j * (x j * v i))) + lr ^ 2 * quad d H v).
      { transitivity (quad d H x - lr * sum d (fun i => sum d (fun j => H i j * (x i * v j)))
          - lr * sum d (fun i => sum d (fun j => H i j * (x j * v i))) + lr ^ 2 * quad d H v).
        - unfold quad. rewrite <- !sum_scal, <- !sum_minus, <- sum_plus. apply sum_ext. intros i _.
          rewrite <- !sum_scal, <- !sum_minus, <- sum_plus. apply sum_ext. intros. ring.
        - rewrite Hswap. ring. }
      unfold f. rewrite Hlin, Hq, Hp. field.
    Qed.

    (* E g' H g = G' H G + tr(H Sigma) / b *)
    Lemma expected_quad b : (1 <= b)%nat -> E (batches W b) (fun k => quad d H (batch b k)) = q b.
    Proof.
      intros Hb. unfold quad, q. rewrite E_sum, <- sum_div. unfold quad. rewrite <- sum_plus. apply sum_ext. intros i _.
      rewrite E_sum, <- sum_div, <- sum_plus. apply sum_ext. intros j _.
      rewrite E_scal, batch_second_moment by assumption.
      assert (Hs : Sigma j i = Sigma i j) by (apply E_ext; intros; ring). rewrite Hs. unfold Rdiv. ring.
    Qed.

    (* (1) Expand. *)
    Lemma step_1 b lr : (1 <= b)%nat -> expected b lr = f x - lr * norm2 d G + lr ^ 2 / 2 * q b.
    Proof.
      intros Hb. unfold expected.
      rewrite (E_ext _ _ (fun k => f x - lr * inner d G (batch b k) + lr ^ 2 / 2 * quad d H (batch b k)))
        by (intros; apply taylor).
      rewrite E_plus, E_minus, E_const, !E_scal, expected_quad by assumption. f_equal. f_equal. f_equal.
      unfold inner. rewrite E_sum. apply sum_ext. intros j _. rewrite E_scal, batch_mean by assumption. ring.
    Qed.

    (* (2) A parabola that opens upwards: its minimum is at |G|^2 / q, and no other rate is as good. *)
    Lemma step_2 b lr : (1 <= b)%nat -> 0 < q b ->
      expected b lr = expected b (norm2 d G / q b) + q b / 2 * (lr - norm2 d G / q b) ^ 2.
    Proof. intros Hb Hq. rewrite !step_1 by assumption. field. lra. Qed.

    (* (3) What it gains. *)
    Lemma step_3 b : (1 <= b)%nat -> 0 < q b -> f x - expected b (norm2 d G / q b) = norm2 d G ^ 2 / (2 * q b).
    Proof. intros Hb Hq. rewrite step_1 by assumption. field. lra. Qed.

    (* thm-batches-step: exactly one learning rate has the lowest expected loss, and it gains |G|^4 / (2 q). *)
    Theorem thm_batches_step b : (1 <= b)%nat -> 0 < q b ->
      (forall lr, lr <> norm2 d G / q b -> expected b (norm2 d G / q b) < expected b lr) /\
      f x - expected b (norm2 d G / q b) = norm2 d G ^ 2 / (2 * q b).
    Proof.
      intros Hb Hq. split; [|now apply step_3]. intros lr Hlr. rewrite (step_2 b lr Hb Hq).
      assert (0 < (lr - norm2 d G / q b) ^ 2).
      { destruct (pow2_nonneg (lr - norm2 d G / q b)) as [?|H0]; [assumption|].
        symmetry in H0. apply pow2_zero in H0. lra. }
      assert (0 < q b / 2 * (lr - norm2 d G / q b) ^ 2) by pos. lra.
    Qed.

    (* tr(H Sigma) / G' H G *)
    Definition noise_scale := trace_H_Sigma / quad d H G.
    (* If also G' H G > 0: the best rate and the gain with the noise scale (eq-batches-step). *)
    Theorem thm_batches_step_scale b : (1 <= b)%nat -> 0 < q b -> 0 < quad d H G ->
      norm2 d G / q b = norm2 d G / quad d H G / (1 + noise_scale / INR b) /\
      f x - expected b (norm2 d G / q b) = norm2 d G ^ 2 / (2 * quad d H G) / (1 + noise_scale / INR b).
    Proof.
      intros Hb Hq HG. assert (HR := INR_pos b Hb). rewrite step_3 by assumption.
      assert (Heq : q b = quad d H G * (1 + noise_scale / INR b)).
      { unfold q, noise_scale. fold trace_H_Sigma. field. split; lra. }
      rewrite Heq in Hq |- *. assert (1 + noise_scale / INR b <> 0) by (intros H0; rewrite H0, Rmult_0_r in Hq; lra).
      set (u := 1 + noise_scale / INR b) in *. split; field; split; lra.
    Qed.
  End One_step.

  (* ---- prop-batches-two: the signal and the noise from two batch sizes s < b. ---- *)

  (* (1) The length of a batch's gradient. *)
  Lemma prop_batches_two_step_1 b : (1 <= b)%nat ->
    E (batches W b) (fun k => norm2 d (batch b k)) = norm2 d G + trace_Sigma / INR b.
  Proof.
    intros Hb. unfold norm2, trace_Sigma. rewrite E_sum, <- sum_div, <- sum_plus. apply sum_ext. intros j _.
    rewrite (E_ext _ _ (fun k => batch b k j * batch b k j)) by (intros; ring).
    rewrite batch_second_moment by assumption. ring.
  Qed.

  (* The two batches may depend on each other: they are two random vectors on any space Q that have the lengths of (1)
     in the mean. *)
  Section Two.
    Variable Q : space.
    Variables g_s g_b : nat -> vec.
    Variables s b : nat.
    Hypothesis sizes : (1 <= s)%nat /\ (s < b)%nat.
    Hypothesis length_s : E Q (fun k => norm2 d (g_s k)) = norm2 d G + trace_Sigma / INR s.
    Hypothesis length_b : E Q (fun k => norm2 d (g_b k)) = norm2 d G + trace_Sigma / INR b.
    Definition signal k := (INR b * norm2 d (g_b k) - INR s * norm2 d (g_s k)) / (INR b - INR s).
    Definition noise k := (norm2 d (g_s k) - norm2 d (g_b k)) / (/ INR s - / INR b).

    Lemma two_sizes : 0 < INR s /\ INR s < INR b.
    Proof. destruct sizes. split; [now apply INR_pos|now apply lt_INR]. Qed.
    (* (2) *)
    Lemma prop_batches_two_step_2 : E Q signal = norm2 d G.
    Proof.
      destruct two_sizes as [Hs Hb]. unfold signal.
      rewrite E_div, E_minus, !E_scal, length_s, length_b. field. repeat split; lra.
    Qed.
    (* (3) *)
    Lemma prop_batches_two_step_3 : E Q noise = trace_Sigma.
    Proof.
      destruct two_sizes as [Hs Hb]. unfold noise. rewrite E_div, E_minus, length_s, length_b. field.
      repeat split; lra.
    Qed.
    Definition covariance X Y := E Q (fun k => (X k - E Q X) * (Y k - E Q Y)).
    Lemma covariance_is X Y : covariance X Y = E Q (fun k => X k * Y k) - E Q X * E Q Y.
    Proof.
      unfold covariance. rewrite (E_ext _ _ (fun k => X k * Y k - (E Q Y * X k + (E Q X * Y k + - (E Q X * E Q Y)))))
        by (intros; ring).
      rewrite E_minus, !E_plus, !E_scal, E_const. ring.
    Qed.
    (* prop-batches-two: both estimates are unbiased (eq-batches-two). *)
    Theorem prop_batches_two : E Q signal = norm2 d G /\ E Q noise = trace_Sigma.
    Proof. split; [exact prop_batches_two_step_2|exact prop_batches_two_step_3]. Qed.
    (* (4) Their ratio is biased by - Cov(S / G, G) / |G|^2. *)
    Theorem prop_batches_two_bias : 0 < norm2 d G -> (forall k, (k < size Q)%nat -> signal k <> 0) ->
      E Q (fun k => noise k / signal k) - trace_Sigma / norm2 d G
      = - covariance (fun k => noise k / signal k) signal / norm2 d G.
    Proof.
      intros HG Hne. rewrite covariance_is, prop_batches_two_step_2.
      rewrite (E_ext Q (fun k => noise k / signal k * signal k) noise) by (intros k Hk; field; now apply Hne).
      rewrite prop_batches_two_step_3. field. lra.
    Qed.
  End Two.
End Batch.
