(* LAMB, first part, with the best learning rate and a batch of T samples (the second display of thm-lamb-sign, step 6);
   and a problem with zeros in its gradients that meets every assumption. *)
Require Import lamb_sign.
Open Scope R_scope.

Section Best.
  Variables (W : space) (h m k T : nat) (f : layered -> R) (grad : layered -> layered).
  Variables (sample : layered -> nat -> layered) (phi : R -> R) (L : nat -> R) (sigma : layered).
  Variables alpha_l alpha_u fstar : R.
  Variable x1 : layered.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : layerwise_smooth h (fun _ => m) f grad L.
  Hypothesis A2_mean : forall x i j, (i < h)%nat -> (j < m)%nat -> E W (fun w => sample x w i j) = grad x i j.
  Hypothesis A2_noise : forall x i j, (i < h)%nat -> (j < m)%nat ->
    E W (fun w => (sample x w i j - grad x i j) ^ 2) <= sigma i j ^ 2.
  Hypothesis A2_sigma : forall i j, (i < h)%nat -> (j < m)%nat -> 0 <= sigma i j.
  Hypothesis some : (1 <= T)%nat.
  Hypothesis A5 : 0 < alpha_l /\ forall z, alpha_l <= phi z <= alpha_u.
  Hypothesis few_zeros : forall x w i, (w < size (batches W T))%nat -> (i < h)%nat ->
    alive W m T sample x w i = 0 \/ INR k <= alive W m T sample x w i.
  Hypothesis k_some : (1 <= k <= m)%nat.
  Definition Delta := f x1 - fstar.
  Hypothesis not_optimal : 0 < Delta.
  Hypothesis not_flat : 0 < sum h L.
  Definition best_lr := sqrt (2 * Delta / (alpha_u ^ 2 * sum h L * INR T)).

  (* (6) The way to go and the steps that are too long cost the same, each sqrt (Delta |L|_1 / 2 T) times alpha_u. *)
  Lemma alpha_u_pos : 0 < alpha_l /\ 0 < alpha_u.
  Proof. destruct A5 as [H1 H2]. specialize (H2 0). lra. Qed.
  Lemma best_lr_pos : 0 < best_lr.
  Proof. destruct alpha_u_pos as [Hl Hu]. assert (HT := INR_pos T some). unfold best_lr. pos. Qed.
  Lemma step_6 : Delta / (best_lr * INR T) = alpha_u * sqrt (Delta * sum h L / (2 * INR T)) /\
    best_lr * alpha_u ^ 2 * sum h L / 2 = alpha_u * sqrt (Delta * sum h L / (2 * INR T)).
  Proof.
    destruct alpha_u_pos as [Hl Hu]. assert (HT := INR_pos T some). assert (Hlr := best_lr_pos).
    assert (Hsq : Delta = best_lr ^ 2 * (alpha_u ^ 2 * sum h L * INR T) / 2).
    { unfold best_lr. rewrite sqrt_squared by (apply Rlt_le; pos). field. repeat split; lra. }
    assert (Hroot : sqrt (Delta * sum h L / (2 * INR T)) = best_lr * alpha_u * sum h L / 2).
    { apply sqrt_lem_1; [apply Rlt_le; pos|apply Rlt_le; pos|]. rewrite Hsq. field. lra. }
    rewrite Hroot. split; [|field]. rewrite Hsq at 1. field. split; lra.
  Qed.

  (* (eq-lamb-best-sign): the same at the best lr, with b = T. *)
  Theorem thm_lamb_sign_best :
    run_mean (batches W T) layered (next W m T sample phi best_lr) T x1 (norm_1 h m grad)
    <= alpha_u / alpha_l * (sqrt (INR m) * sqrt (2 * Delta * sum h L / INR T)
        + q m k * (sigma_1 h m sigma / sqrt (INR T))).
  Proof.
    destruct alpha_u_pos as [Hl Hu]. assert (HT := INR_pos T some). destruct step_6 as [H1 H2].
    assert (Hr : 0 < sqrt (INR T)) by now apply sqrt_lt_R0.
    assert (Htwo : sqrt (2 * Delta * sum h L / INR T) = 2 * sqrt (Delta * sum h L / (2 * INR T))).
    { apply sqrt_lem_1; [apply Rlt_le; pos|apply Rmult_le_pos; [lra|apply sqrt_pos]|].
      replace (2 * _ * (2 * _)) with (4 * sqrt (Delta * sum h L / (2 * INR T)) ^ 2) by ring.
      rewrite sqrt_squared by (apply Rlt_le; pos). field. lra. }
    eapply Rle_trans.
    - apply (thm_lamb_sign W h m T k f grad sample phi L sigma alpha_l alpha_u fstar A0 A1 A2_mean A2_noise A2_sigma
        some A5 few_zeros k_some best_lr T x1 best_lr_pos some).
    - fold Delta. rewrite H1, H2, Htwo. apply Req_le. field. split; lra.
  Qed.
End Best.

(* An instance: one layer of two weights, f(x) = (x_1^2 + x_2^2) / 2, and a coin that adds 1 to both slopes or takes 1
   away. At x = (1, 0) a batch of one sample may have one entry alive, and at x = (1, 1) none: k = 1. *)
Definition hill (x : layered) := (x O O ^ 2 + x O 1%nat ^ 2) / 2.
Definition hill_grad (x : layered) : layered := fun _ j => match j with O => x O O | 1%nat => x O 1%nat | _ => 0 end.
Lemma hill_smooth : layerwise_smooth 1 (fun _ => 2%nat) hill hill_grad (fun _ => 1) /\ forall x, 0 <= hill x.
Proof.
  split; [split|]; [intros; lra| |].
  - intros x y. unfold hill, hill_grad, inner, norm2, sub. rewrite !sum_S, !sum_O. apply Req_le. field.
  - intros x. unfold hill. assert (H1 := pow2_nonneg (x O O)). assert (H2 := pow2_nonneg (x O 1%nat)). lra.
Qed.
Definition hill_sample (x : layered) (w : nat) : layered :=
  fun i j => hill_grad x i j + match w with O => 1 | _ => -1 end.
Lemma hill_fits :
  (forall x i j, (i < 1)%nat -> (j < 2)%nat -> E coin (fun w => hill_sample x w i j) = hill_grad x i j) /\
  (forall x i j, (i < 1)%nat -> (j < 2)%nat ->
    E coin (fun w => (hill_sample x w i j - hill_grad x i j) ^ 2) <= 1 ^ 2) /\
  forall x w i, (w < size (batches coin 1))%nat -> (i < 1)%nat ->
    alive coin 2 1 hill_sample x w i = 0 \/ INR 1 <= alive coin 2 1 hill_sample x w i.
Proof.
  repeat split.
  - intros x i j _ _. rewrite E_coin. unfold hill_sample. field.
  - intros x i j _ _. rewrite E_coin. unfold hill_sample. lra.
  - intros x w i _ _. unfold alive, signs. rewrite !sum_S, sum_O, INR_one.
    destruct (sign_cases (g coin 1 hill_sample x w i O)) as [[_ ->]|[[_ ->]|[_ ->]]];
      destruct (sign_cases (g coin 1 hill_sample x w i 1%nat)) as [[_ ->]|[[_ ->]|[_ ->]]];
      rewrite ?Rabs_R1, ?Rabs_R0, ?(Rabs_left (-1)) by lra; lra.
Qed.
(* With phi = 1, batches of one sample and the rate 1/10 from (1, 1): T steps. *)
Lemma thm_lamb_sign_instance T : (1 <= T)%nat ->
  run_mean (batches coin 1) layered (next coin 2 1 hill_sample (fun _ => 1) (1 / 10)) T (fun _ _ => 1)
    (norm_1 1 2 hill_grad)
  <= sqrt (INR 2) * (10 / INR T) + sqrt (INR 2) / 20 + q 2 1 * 2.
Proof.
  intros HT. destruct hill_smooth as [A1 A0]. destruct hill_fits as (H1 & H2 & H3). assert (HR := INR_pos T HT).
  assert (H := thm_lamb_sign coin 1 2 1 1 hill hill_grad hill_sample (fun _ => 1) _ (fun _ _ => 1) 1 1 0 A0 A1 H1 H2).
  specialize (H ltac:(intros; lra) (le_n 1) ltac:(split; intros; lra) H3 ltac:(lia) (1 / 10) T (fun _ _ => 1)
    ltac:(lra) HT).
  eapply Rle_trans; [exact H|]. unfold hill, sigma_1. rewrite !sum_S, !sum_O, INR_one, sqrt_1. apply Req_le. field. lra.
Qed.
