(* Which iterate of SGD may you keep? (thm-schedules-linear, thm-schedules-constant, thm-schedules-mean,
   thm-schedules-cooldown; this file has what all four stand on.) Convex f, gradients of bounded mean square, no bounded
   set: D is the distance of the start from any point z that is compared with, such as a minimum.

   Assumptions. (B1) grad x is a subgradient: f(y) >= f(x) + <grad x, y - x> for all x, y; f need not be smooth.
   (B2) E_t g_t = grad x_t and E_t |g_t|^2 <= G^2. One step is x_{t+1} = x_t - eta_t g_t, t = 1, 2, ...; x_T is reached
   by T - 1 steps. D = |x_1 - z|, H_n = 1 + 1/2 + ... + 1/n. Let base = D^2 / (2 eta T) + eta G^2 / 2, which is least at
   eta = D / (G sqrt T), and is D G / sqrt T there.

   Statements, for every z, eta > 0 and T >= 1:
   * eta_t = eta, mean of the iterates (thm_schedules_mean at beta = 0):   E f(mean of x_1, ..., x_T) - f(z) <= base
   * schedule-free, 0 <= beta <= 1 (thm_schedules_mean): the same for the mean m_T of z_1, ..., z_T, where z_1 = x_1 and
     z_{t+1} = z_t - eta g_t with the gradient taken at (1 - beta) z_t + beta m_t
   * eta_t = eta, last iterate (thm_schedules_constant): E f(x_T) - f(z) <= base + eta G^2 / 2 * H_{T-1}
   * eta_t = eta (1 - t/T), last iterate (thm_schedules_linear): E f(x_T) - f(z) <= base
   * eta for m steps, then eta (1 - t/n), t = 1, ..., n - 1; last iterate, T = m + n, z a minimum
     (thm_schedules_cooldown): E f(x_T) - f(z) <= T/n * base
   So linear decay gives the last iterate what a constant rate gives the mean, constants included; a cooldown over the
   last share n/T of the run costs at most the factor T/n, and no logarithm.

   Proofs, on the page in numbered steps.
   One step, seen from any z: E_t |x_{t+1} - z|^2 <= |x_t - z|^2 - 2 eta_t (f(x_t) - f(z)) + eta_t^2 G^2.
       Open the square; E_t <g_t, x_t - z> = <grad x_t, x_t - z> >= f(x_t) - f(z) by (B1).
   Means. Let y_t = (1 - beta) z_t + beta m_t and v = z_t - m_t. As (t-1) (m_{t-1} - m_t) = - v, (B1) at m_t gives
       t f(m_t) - (t-1) f(m_{t-1}) <= f(m_t) + <grad m_t, v> <= f(y_t) + beta <grad m_t, v>, the latter by (B1) from m_t
       to y_t = m_t + (1 - beta) v. Subgradients are monotone, so <grad m_t, v> <= <grad y_t, v> (at beta = 1 y_t is
       m_t), and beta v = z_t - y_t: by (B1) at y_t all is at most f(u) + <grad y_t, z_t - u>, for any u. Hence the
       potential 2 eta (t-1) (f(m_{t-1}) - f(u)) + |z_t - u|^2 grows by at most eta^2 G^2 a step, in the mean. Add over
       the run. One step alone bounds the mean of E f(x_t) - f(z) by base (average_constant).
   Last iterate, constant rate. From x_m on, seen from z = x_m itself, there is no distance at the start: n iterates
       have the mean loss E f(x_m) + eta G^2 / 2 at most. Let S_k be the mean of the last k of q_t = E f(x_t), t = 1,
       ..., T. As k S_k = (k+1) S_{k+1} - q_{T-k} and S_{k+1} <= q_{T-k} + eta G^2 / 2 by that, S_k <= S_{k+1} + eta G^2
       / (2 k). Add over k = 1, ..., T - 1: q_T = S_1 <= S_T + eta G^2 / 2 H_{T-1}, and S_T - f(z) <= base.
   Linear decay. Let c = eta / T, so that the rate with k steps left is k c. Claim, for every x, z and k >= 0: k steps
       that start at x end at a point x' with
           2 c (E f(x') - f(z)) <= |x - z|^2 / (k+1)^2 + (k+1) c^2 G^2.
       k = 0: f(x) - f(z) <= <grad x, x - z>, and 2 c <grad x, x - z> <= c^2 |grad x|^2 + |x - z|^2.
       k > 0: take the claim for k - 1 from the next point, seen from y = (k z + x) / (k+1). By one step with
       eta_t = k c,
       and x - y = k (x - z) / (k+1), the first term becomes |x - z|^2 / (k+1)^2 - 2 c / k (f(x) - f(y)) + c^2 G^2.
       By convexity (k+1) f(y) <= k f(z) + f(x): what is left of f(y) and f(x) is at most 2 c f(z).
       With k = T - 1 divide by 2 c = 2 eta / T.
   Cooldown. By one step, with f(x_t) >= f(z), E |x_{m+1} - z|^2 <= D^2 + m eta^2 G^2. Linear decay from
       x_{m+1} on, over n:
       (D^2 + m eta^2 G^2) / (2 eta n) + eta G^2 / 2 = T/n * base.

   What is known. The mean: Robbins and Monro's method with averaging, in every textbook. The last iterate at a constant
   or a falling rate: Shamir and Zhang 2013, on a bounded set; Orabona 2020 without one. Without T in advance, no rates
   avoid a power of the logarithm (Kornowski and Shamir 2026, arXiv 2604.13870). Without noise Zamani and Glineur 2023
   (arXiv 2307.11134) have the exact constants: D G sqrt((1 + ln(N)/4) / (N+1)) at the best constant rate and N steps,
   where ours has 1 + H_N under the root; and D G / sqrt(N+1) for their optimal steps, which no method betters, and
   which linear decay has here, with noise. Defazio, Cutkosky, Mehta and Mishchenko 2023 (arXiv 2310.07831) have linear
   decay for SGD, Schaipp and others 2025 (arXiv 2501.18965) a cooldown without logarithm. "The road less scheduled"
   (Defazio and others 2024) keeps a mean beside the run and needs no T in advance: not begun here.

   Not said: that a logarithm is needed for thm_schedules_constant; anything about networks, whose losses are not
   convex. *)
Require Export runs.
Open Scope R_scope.

(* ---- What holds for every run. ---- *)
Section After.
  Variable W : space.
  Variable X : Type.
  Variable next : X -> nat -> X.
  Notation aft := (after W X next).
  Lemma after_le t x h k : (forall y, h y <= k y) -> aft t x h <= aft t x k.
  Proof. intros H. revert x. induction t as [|t IH]; intros x; [apply H|]. apply E_le. intros. apply IH. Qed.
  Lemma after_ext t x h k : (forall y, h y = k y) -> aft t x h = aft t x k.
  Proof. intros H. apply Rle_antisym; apply after_le; intros; rewrite H; lra. Qed.
  Lemma after_affine t x a b h : aft t x (fun y => a * h y + b) = a * aft t x h + b.
  Proof.
    revert x. induction t as [|t IH]; intros x; [reflexivity|]. rewrite !after_first, <- E_scal.
    rewrite (E_ext _ _ _ (fun w _ => IH (next x w))), E_plus, E_const. reflexivity.
  Qed.
  Lemma after_again m t x h : aft (m + t) x h = aft m x (fun y => aft t y h).
  Proof. revert x. induction m as [|m IH]; intros x; [reflexivity|]. apply E_ext. intros. apply IH. Qed.
  Lemma after_sum t x n h : aft t x (fun y => sum n (fun i => h i y)) = sum n (fun i => aft t x (h i)).
  Proof.
    revert x. induction t as [|t IH]; intros x; [reflexivity|]. rewrite after_first, (E_ext _ _ _ (fun w _ => IH _)).
    apply E_sum.
  Qed.
End After.

Section Schedules.
  Variable W : space.                  (* the law of one stochastic gradient: a sample, or a batch *)
  Variable d : nat.
  Variable f : vec -> R.
  Variable grad : vec -> vec.          (* a subgradient of f at each point *)
  Variable sample : vec -> nat -> vec.
  Variable G : R.
  Hypothesis B1 : forall x y, f x + inner d (grad x) (sub y x) <= f y.
  Hypothesis B2_mean : forall x j, (j < d)%nat -> E W (fun w => sample x w j) = grad x j.
  Hypothesis B2_size : forall x, E W (fun w => norm2 d (sample x w)) <= G ^ 2.

  Definition stepped lr x w : vec := fun j => x j - lr * sample x w j.
  Definition apart x z := norm2 d (sub x z).
  (* The point that divides the way from z to x as 1 to k. *)
  Definition between (k : nat) (z x : vec) : vec := fun j => (INR k * z j + x j) / INR (S k).

  Lemma mean_along x v : E W (fun w => inner d (sample x w) v) = inner d (grad x) v.
  Proof.
    unfold inner. rewrite E_sum. apply sum_ext. intros j Hj.
    rewrite (E_ext _ _ (fun w => v j * sample x w j)) by (intros; ring).
    rewrite E_scal, B2_mean by assumption. ring.
  Qed.
  Lemma slope_size x : norm2 d (grad x) <= G ^ 2.
  Proof.
    eapply Rle_trans; [|apply (B2_size x)].
    assert (H : 0 <= E W (fun w => norm2 d (sub (sample x w) (grad x)))) by (apply E_nonneg; intros; apply norm2_pos).
    rewrite (E_ext _ _ (fun w => norm2 d (sample x w) - 2 * inner d (sample x w) (grad x) + norm2 d (grad x))) in H
      by (intros; apply norm2_sub).
    rewrite E_plus, E_minus, E_scal, E_const in H.
    replace (E W (fun w => inner d (sample x w) (grad x))) with (norm2 d (grad x)) in H; [lra|].
    unfold inner. rewrite E_sum, <- inner_self. apply sum_ext. intros j Hj.
    rewrite (E_ext _ _ (fun w => grad x j * sample x w j)) by (intros; ring).
    rewrite E_scal, B2_mean by assumption. ring.
  Qed.
  (* (1) One step, seen from any point z. *)
  Lemma thm_schedules_linear_step_1 lr x z : 0 <= lr ->
    E W (fun w => apart (stepped lr x w) z) <= apart x z - 2 * lr * (f x - f z) + lr ^ 2 * G ^ 2.
  Proof.
    intros Hlr. unfold apart.
    rewrite (E_ext _ _ (fun w => norm2 d (sub x z) - 2 * lr * inner d (sample x w) (sub x z)
      + lr ^ 2 * norm2 d (sample x w))).
    - rewrite E_plus, E_minus, E_const, !E_scal, mean_along. specialize (B1 x z). specialize (B2_size x).
      rewrite inner_sub in *. apply (Rmult_le_compat_l lr) in B1; [|assumption].
      apply (Rmult_le_compat_l (lr ^ 2)) in B2_size; [|apply pow2_nonneg]. lra.
    - intros w _. rewrite (inner_sym d (sample x w)), <- shadow. apply norm2_ext. intros. unfold sub, stepped. ring.
  Qed.
  (* (2) f at the point between. *)
  Lemma thm_schedules_linear_step_2 k z x : INR (S k) * f (between k z x) <= INR k * f z + f x.
  Proof.
    assert (Hk := INR_pos (S k) (le_n_S _ _ (Nat.le_0_l k))). set (y := between k z x).
    assert (Hz := B1 y z). assert (Hx := B1 y x).
    assert (H0 : INR k * inner d (grad y) (sub z y) + inner d (grad y) (sub x y) = 0).
    { unfold inner. rewrite <- sum_scal, <- sum_plus. apply sum_zeros. intros j _. unfold sub, y, between.
      rewrite S_INR in *. field. lra. }
    apply (Rmult_le_compat_l (INR k)) in Hz; [|apply pos_INR]. rewrite S_INR in *. lra.
  Qed.

  (* ---- The averaged iterate at a constant rate. ---- *)
  Theorem average_constant lr T x1 z : 0 < lr -> (1 <= T)%nat ->
    run_mean W vec (stepped lr) T x1 (fun x => f x - f z) <= apart x1 z / (2 * lr * INR T) + lr * G ^ 2 / 2.
  Proof.
    intros Hlr HT.
    replace (lr * G ^ 2 / 2) with (lr ^ 2 * G ^ 2 / (2 * lr)) by (field; lra).
    replace (apart x1 z) with (apart x1 z - 0) by ring.
    apply (run_mean_le W vec (stepped lr) (fun x => apart x z)); [lra|intros; apply norm2_pos| |assumption].
    intros x. apply thm_schedules_linear_step_1. lra.
  Qed.
End Schedules.
