(* Stochastic heavy ball in one direction: the mean and the variance after t steps. This is step (1) of
   thm-momentum-noise, and what takes the place of its last sentences.

   Each step draws a fresh outcome of a finite law W; `xi w` is the noise of its gradient, of mean 0 and variance s^2.
   The state is the pair (x_t, x_(t-1)), and `after W _ next t` averages over all histories of t steps (runs.v). SGD is
   the case beta = 0.

   Let h be the run of the noise-free ball from (1, 0), a single kick. The variance after t steps is exactly
   lr^2 s^2 (h_0^2 + ... + h_(t-1)^2) (`variance_is_sum`): the noise of each step fades like a kick. *)
Require Export runs momentum_spring.
Open Scope R_scope.

Section Noise.
  Variable W : space.
  Variable xi : nat -> R.
  Variables lr beta lam s : R.
  Hypothesis no_bias : E W xi = 0.
  Hypothesis noise : E W (fun w => xi w ^ 2) = s ^ 2.

  (* x_(t+1) = x_t - lr (lam x_t + xi) + beta (x_t - x_(t-1)), from x_0 and x_(-1) = before. *)
  Definition next (z : R * R) (w : nat) : R * R :=
    (fst z - lr * (lam * fst z + xi w) + beta * (fst z - snd z), fst z).
  Definition average x0 before t (h : R * R -> R) := after W (R * R) next t (x0, before) h.
  Definition mean_at x0 before t := average x0 before t (fun z => fst z).
  Definition second_moment x0 before t := average x0 before t (fun z => fst z ^ 2).
  Definition covariance x0 before t := average x0 before t (fun z => fst z * snd z).
  Definition variance x0 before t := second_moment x0 before t - mean_at x0 before t ^ 2.

  (* What the last step does to h, averaged, is what h is replaced by. *)
  Lemma average_last h k : (forall z, E W (fun w => h (next z w)) = k z) ->
    forall t x0 before, average x0 before (S t) h = average x0 before t k.
  Proof.
    intros H t x0 before. unfold average. generalize (x0, before). induction t as [|t IH]; intros z; [exact (H z)|].
    rewrite after_first. apply E_ext. intros w _. apply IH.
  Qed.
  Lemma average_lin t x0 before h k a b : average x0 before t (fun z => a * h z + b * k z)
    = a * average x0 before t h + b * average x0 before t k.
  Proof.
    unfold average. generalize (x0, before). induction t as [|t IH]; intros z; [reflexivity|].
    rewrite !after_first, <- !E_scal, <- E_plus. apply E_ext. intros w _. apply IH.
  Qed.
  Lemma average_ext t x0 before h k : (forall z, h z = k z) -> average x0 before t h = average x0 before t k.
  Proof.
    intros H. unfold average. generalize (x0, before). induction t as [|t IH]; intros z; [apply H|].
    apply E_ext. intros. apply IH.
  Qed.
  Lemma average_const t x0 before a : average x0 before t (fun _ => a) = a.
  Proof.
    unfold average. generalize (x0, before). induction t as [|t IH]; intros z; [reflexivity|].
    rewrite after_first, (E_ext W _ (fun _ => a)) by (intros; apply IH). apply E_const.
  Qed.
  (* One step adds the noise's variance to a square; its cross terms vanish. *)
  Lemma E_square a b : E W (fun w => (a - b * xi w) ^ 2) = a ^ 2 + b ^ 2 * s ^ 2.
  Proof.
    rewrite (E_ext W _ (fun w => a ^ 2 + (- (2 * a * b) * xi w + b ^ 2 * xi w ^ 2))) by (intros; ring).
    rewrite E_plus, E_const, E_plus, !E_scal, no_bias, noise. ring.
  Qed.
  Lemma E_line a b : E W (fun w => a - b * xi w) = a.
  Proof. rewrite E_minus, E_const, E_scal, no_bias. ring. Qed.

  (* (1) Second moments, with c = 1 + beta - lr lam. *)
  Lemma thm_momentum_noise_step_1 c x0 before t : c = 1 + beta - lr * lam -> second_moment x0 before (S (S t))
    = c ^ 2 * second_moment x0 before (S t) - 2 * c * beta * covariance x0 before (S t)
      + beta ^ 2 * second_moment x0 before t + lr ^ 2 * s ^ 2.
  Proof.
    intros Hc. unfold second_moment at 3.
    rewrite <- (average_last (fun z => snd z ^ 2) (fun z => fst z ^ 2)) by (intros z; apply (E_const W (fst z ^ 2))).
    unfold second_moment, covariance. rewrite (average_last _ (fun z => 1 * (c ^ 2 * fst z ^ 2
      + - (2 * c * beta) * (fst z * snd z)) + 1 * (beta ^ 2 * snd z ^ 2 + lr ^ 2 * s ^ 2 * 1))).
    - rewrite average_lin, average_lin, average_lin, average_const. ring.
    - intros z. unfold next. cbn [fst snd].
      rewrite (E_ext W _ (fun w => (c * fst z - beta * snd z - lr * xi w) ^ 2)) by (intros; rewrite Hc; ring).
      rewrite E_square. ring.
  Qed.
  Lemma thm_momentum_noise_step_1b c x0 before t : c = 1 + beta - lr * lam -> covariance x0 before (S t)
    = c * second_moment x0 before t - beta * covariance x0 before t.
  Proof.
    intros Hc. unfold second_moment, covariance.
    rewrite (average_last _ (fun z => c * fst z ^ 2 + - beta * (fst z * snd z))); [rewrite average_lin; ring|].
    intros z. unfold next. cbn [fst snd].
    rewrite (E_ext W _ (fun w => (c * fst z - beta * snd z) * fst z - lr * fst z * xi w)) by (intros; rewrite Hc; ring).
    rewrite E_line. ring.
  Qed.

  (* The mean is the run without noise. *)
  Lemma spring_lin tau x p y t : spring tau beta (x - y) p t = spring tau beta x p t - y * spring tau beta 1 0 t.
  Proof.
    assert (H : forall n x p x' p' y, spring tau beta (x - y * x') (p - y * p') n
      = spring tau beta x p n - y * spring tau beta x' p' n).
    { induction n as [|n IH]; intros; cbn [spring]; [reflexivity|]. rewrite <- IH. f_equal. ring. }
    rewrite <- H. f_equal; ring.
  Qed.
  Lemma mean_is_spring x0 before t : mean_at x0 before t = spring (1 + beta - lr * lam) beta x0 before t.
  Proof.
    unfold mean_at, average. revert x0 before. induction t as [|t IH]; intros x p; [reflexivity|].
    rewrite after_first. cbn [spring]. set (tau := 1 + beta - lr * lam) in *.
    rewrite (E_ext W _ (fun w => spring tau beta (tau * x - beta * p) x t - lr * spring tau beta 1 0 t * xi w)).
    - apply E_line.
    - intros w _. unfold next. cbn [fst snd]. rewrite IH.
      replace (x - lr * (lam * x + xi w) + beta * (x - p)) with (tau * x - beta * p - lr * xi w) by (unfold tau; ring).
      rewrite spring_lin. ring.
  Qed.
  (* The variance is the sum of the squares of a kick, over the steps that it has had to fade. *)
  Lemma variance_is_sum x0 before t : variance x0 before t
    = lr ^ 2 * s ^ 2 * sum t (fun k => spring (1 + beta - lr * lam) beta 1 0 k ^ 2).
  Proof.
    unfold variance. rewrite mean_is_spring. set (tau := 1 + beta - lr * lam).
    enough (H : second_moment x0 before t = spring tau beta x0 before t ^ 2
      + lr ^ 2 * s ^ 2 * sum t (fun k => spring tau beta 1 0 k ^ 2)) by (rewrite H; ring).
    unfold second_moment, average. revert x0 before. induction t as [|t IH]; intros x p.
    - rewrite sum_O. cbn [after fst spring]. ring.
    - rewrite after_first, sum_S. cbn [spring].
      rewrite (E_ext W _ (fun w => (spring tau beta (tau * x - beta * p) x t - lr * spring tau beta 1 0 t * xi w) ^ 2
        + lr ^ 2 * s ^ 2 * sum t (fun k => spring tau beta 1 0 k ^ 2))).
      + rewrite E_plus, E_square, E_const. ring.
      + intros w _. unfold next. cbn [fst snd]. rewrite IH.
        replace (x - lr * (lam * x + xi w) + beta * (x - p))
          with (tau * x - beta * p - lr * xi w) by (unfold tau; ring).
        rewrite spring_lin. ring.
  Qed.
End Noise.
