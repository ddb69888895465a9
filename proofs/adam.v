(* Adam's averages and their bias correction (prp-adam-bias).

   One coordinate; its gradients are g 1, g 2, ... The averages of eq-adam-adam are `ema beta1 g` and `ema beta2 g^2`
   (averages.v), both from 0. *)
Require Export spaces averages limits.
Open Scope R_scope.

(* eq-adam-adam *)
Definition m beta1 (g : nat -> R) t := ema beta1 g t.
Definition v beta2 (g : nat -> R) t := ema beta2 (fun s => g s ^ 2) t.
Definition m_hat beta1 g t := m beta1 g t / (1 - beta1 ^ t).
Definition v_hat beta2 g t := v beta2 g t / (1 - beta2 ^ t).

Lemma corrects beta t : 0 <= beta < 1 -> (1 <= t)%nat -> 0 < 1 - beta ^ t <= 1.
Proof. intros Hb Ht. assert (H := power_bounds beta t Hb Ht). lra. Qed.

(* g s w is the gradient of step s, on any space: the steps may depend on each other in any way. *)
Lemma mean_of_average W beta (y : nat -> nat -> R) c t : (forall s, (1 <= s <= t)%nat -> E W (y s) = c) ->
  E W (fun w => ema beta (fun s => y s w) t) = (1 - beta ^ t) * c.
Proof.
  intros H. rewrite (E_ext W _ (fun w => sum t (fun s => (1 - beta) * beta ^ (t - S s) * y (S s) w)))
    by (intros; apply ema_unrolled).
  rewrite E_sum, <- ema_const, ema_unrolled. apply sum_ext. intros s Hs. rewrite E_scal, (H (S s)) by lia. reflexivity.
Qed.
(* prp-adam-bias. If all gradients have the same mean and mean square, m and v have (1 - beta1^t) and (1 - beta2^t) of
   them on average, and the corrected averages have exactly these means. *)
Theorem prp_adam_bias W beta1 beta2 (g : nat -> nat -> R) mean square t :
  0 <= beta1 < 1 -> 0 <= beta2 < 1 -> (1 <= t)%nat ->
  (forall s, (1 <= s <= t)%nat -> E W (g s) = mean /\ E W (fun w => g s w ^ 2) = square) ->
  E W (fun w => m beta1 (fun s => g s w) t) = (1 - beta1 ^ t) * mean /\
  E W (fun w => v beta2 (fun s => g s w) t) = (1 - beta2 ^ t) * square /\
  E W (fun w => m_hat beta1 (fun s => g s w) t) = mean /\
  E W (fun w => v_hat beta2 (fun s => g s w) t) = square.
Proof.
  intros H1 H2 Ht H. assert (C1 := corrects beta1 t H1 Ht). assert (C2 := corrects beta2 t H2 Ht).
  assert (Hm : E W (fun w => m beta1 (fun s => g s w) t) = (1 - beta1 ^ t) * mean).
  { apply (mean_of_average W beta1 g). intros s Hs. now destruct (H s Hs). }
  assert (Hv : E W (fun w => v beta2 (fun s => g s w) t) = (1 - beta2 ^ t) * square).
  { apply (mean_of_average W beta2 (fun s w => g s w ^ 2)). intros s Hs. now destruct (H s Hs). }
  unfold m_hat, v_hat. rewrite !E_div, Hm, Hv. repeat split; field; lra.
Qed.
(* If the gradient is constant, m_hat is g and v_hat is g^2 exactly. *)
Theorem prp_adam_bias_constant beta1 beta2 g t : 0 <= beta1 < 1 -> 0 <= beta2 < 1 -> (1 <= t)%nat ->
  m_hat beta1 (fun _ => g) t = g /\ v_hat beta2 (fun _ => g) t = g ^ 2.
Proof.
  intros H1 H2 Ht. assert (C1 := corrects beta1 t H1 Ht). assert (C2 := corrects beta2 t H2 Ht).
  unfold m_hat, v_hat, m, v. rewrite !ema_const. split; field; lra.
Qed.
(* An instance that is not constant: two coins of which the second copies the first, 3 or 1. *)
Lemma prp_adam_bias_instance : let g (s w : nat) := match w with O => 3 | _ => 1 end in
  E coin (fun w => m_hat (9 / 10) (fun s => g s w) 2) = 2 /\ E coin (fun w => v_hat (99 / 100) (fun s => g s w) 2) = 5.
Proof.
  intros g. apply (prp_adam_bias coin (9 / 10) (99 / 100) g 2 5 2); try lra; [lia|].
  intros s _. rewrite !E_coin. unfold g. lra.
Qed.
(* Without gradients whose mean stays the same it is false: 0 at the first step, 1 at the second. *)
Lemma prp_adam_bias_needs_same : let g (s w : nat) := match s with 2%nat => 1 | _ => 0 end in
  E coin (g 2%nat) = 1 /\ E coin (fun w => m_hat (1 / 2) (fun s => g s w) 2) = 2 / 3.
Proof. intros g. rewrite !E_coin. unfold m_hat, m, g. cbn [ema]. split; field. Qed.
