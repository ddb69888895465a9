(* The run of a spring with complex or double roots, from rest: what the transients of thm-momentum-best and
   thm-momentum-nesterov rest on.

   The page writes cos(n theta) and sin(n theta) / sin(theta). Both are polynomials in x = cos(theta) (Chebyshev's), and
   as polynomials they need no angle, and no limit where sin(theta) = 0. *)
Require Export momentum_spring.
Open Scope R_scope.

(* cosine x n is cos(n theta), sine x n is sin(n theta) / sin(theta): the two addition theorems, one step at a time. *)
Fixpoint cosine (x : R) (n : nat) : R := match n with O => 1 | S m => x * cosine x m - (1 - x ^ 2) * sine x m end
with sine (x : R) (n : nat) : R := match n with O => 0 | S m => x * sine x m + cosine x m end.

Lemma cosine_next x n : cosine x (S (S n)) = 2 * x * cosine x (S n) - cosine x n.
Proof. cbn [cosine sine]. ring. Qed.
Lemma sine_next x n : sine x (S (S n)) = 2 * x * sine x (S n) - sine x n.
Proof. cbn [cosine sine]. ring. Qed.
Lemma circle x n : cosine x n ^ 2 + (1 - x ^ 2) * sine x n ^ 2 = 1.
Proof.
  induction n as [|n IH]; cbn [cosine sine]; [ring|].
  transitivity (cosine x n ^ 2 + (1 - x ^ 2) * sine x n ^ 2); [ring|exact IH].
Qed.
Lemma below_circle x : -1 <= x <= 1 -> 0 <= 1 - x ^ 2.
Proof. intros Hx. assert (0 <= (1 - x) * (1 + x)) by (apply Rmult_le_pos; lra). lra. Qed.
Lemma cosine_bound x n : -1 <= x <= 1 -> Rabs (cosine x n) <= 1.
Proof.
  intros Hx. assert (H := circle x n). assert (Hp := below_circle x Hx). apply le_of_squares; [lra|].
  rewrite pow2_Rabs. assert (0 <= (1 - x ^ 2) * sine x n ^ 2) by pos. lra.
Qed.
(* |sin(n theta)| <= n |sin(theta)| *)
Lemma sine_bound x n : -1 <= x <= 1 -> Rabs (sine x n) <= INR n.
Proof.
  intros Hx. induction n as [|n IH]; cbn [sine]; [rewrite Rabs_R0, INR_zero; lra|]. rewrite S_INR.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. assert (H := cosine_bound x n Hx).
  assert (Hx1 : Rabs x <= 1) by (apply Rabs_le; lra).
  assert (Rabs x * Rabs (sine x n) <= 1 * INR n) by (apply Rmult_le_compat; try apply Rabs_pos; assumption). lra.
Qed.

(* A run is known by its first two numbers and the rule. *)
Lemma spring_unique tau beta c before u : (forall t, u (S (S t)) = tau * u (S t) - beta * u t) ->
  u O = c -> u 1%nat = tau * c - beta * before -> forall t, spring tau beta c before t = u t.
Proof.
  intros Hu H0 H1 t. assert (H : spring tau beta c before t = u t /\ spring tau beta c before (S t) = u (S t)).
  { induction t as [|t [I1 I2]]; [split; [now rewrite H0|now rewrite H1]|].
    split; [assumption|]. now rewrite spring_next, Hu, I1, I2. }
  apply H.
Qed.
(* tau = 2 q cos(theta), beta = q^2, from rest at c: c_t = q^t u_t c, u_t = cos(t theta) + (cos(theta) - q) sin(t theta)
   / sin(theta). *)
Lemma spring_from_rest q x c t :
  spring (2 * q * x) (q ^ 2) c c t = q ^ t * (cosine x t + (x - q) * sine x t) * c.
Proof.
  apply (spring_unique _ _ _ _ (fun t => q ^ t * (cosine x t + (x - q) * sine x t) * c)).
  - intros n. rewrite cosine_next, sine_next. replace (q ^ S (S n)) with (q * (q * q ^ n)) by reflexivity.
    replace (q ^ S n) with (q * q ^ n) by reflexivity. ring.
  - cbn [cosine sine]. rewrite pow_O. ring.
  - cbn [cosine sine]. rewrite pow_1. ring.
Qed.

(* Both bounds are attained: at x = 1 and x = - 1, where the page takes a limit. *)
Lemma at_one n : cosine 1 n = 1 /\ sine 1 n = INR n.
Proof.
  induction n as [|n [IC IS]]; cbn [cosine sine]; [split; [reflexivity|now rewrite INR_zero]|].
  rewrite IC, IS, S_INR. split; ring.
Qed.
Lemma at_minus_one n : cosine (-1) n = (-1) ^ n /\ sine (-1) n = - (-1) ^ n * INR n.
Proof.
  induction n as [|n [IC IS]]; cbn [cosine sine]; [rewrite INR_zero, pow_O; split; ring|].
  rewrite IC, IS, S_INR. replace ((-1) ^ S n) with (-1 * (-1) ^ n) by reflexivity. split; ring.
Qed.
