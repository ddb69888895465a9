(* LAMB, second part: the run (thm-lamb, steps (6) and (7)), and a problem that meets every assumption. *)
Require Import lamb.
Open Scope R_scope.

Section Run.
  Variables (W : space) (h m : nat) (f : layered -> R) (grad : layered -> layered).
  Variables (sample : layered -> nat -> layered) (phi : R -> R) (L : nat -> R) (sigma : layered).
  Variables alpha_l alpha_u fstar G beta2 : R.
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A1 : layerwise_smooth h (fun _ => m) f grad L.
  Hypothesis A2_mean : forall x i j, (i < h)%nat -> (j < m)%nat -> E W (fun w => sample x w i j) = grad x i j.
  Hypothesis A2_noise : forall x i j, (i < h)%nat -> (j < m)%nat ->
    E W (fun w => (sample x w i j - grad x i j) ^ 2) <= sigma i j ^ 2.
  Hypothesis A2_sigma : forall i j, (i < h)%nat -> (j < m)%nat -> 0 <= sigma i j.
  Hypothesis A3 : forall x w i j, (w < size W)%nat -> (i < h)%nat -> (j < m)%nat -> Rabs (sample x w i j) <= G.
  Hypothesis A5 : 0 < alpha_l /\ forall z, alpha_l <= phi z <= alpha_u.
  Hypothesis layers_and_weights : (1 <= h)%nat /\ (1 <= m)%nat.
  Hypothesis G_nonneg : 0 <= G.
  Hypothesis memory : 0 < beta2 < 1.

  (* All h m weights, and a memory that starts at zero. *)
  Definition d := INR (h * m).
  Definition start (x1 : layered) : state := (x1, fun _ _ => 0).
  Definition mean_square b lr T x1 :=
    run_mean (batches W b) state (next W m b sample phi beta2 lr) T (start x1) (square_norm h m grad).

  Lemma factor : 0 < G -> sqrt (G ^ 2 * d / (INR h * (1 - beta2))) = / floor m G beta2.
  Proof.
    intros HG. destruct layers_and_weights as [Hh Hm]. destruct (roots m G beta2 Hm HG memory) as (R1 & R2 & Hf).
    assert (Hh' := INR_pos h Hh). assert (Hm' := INR_pos m Hm).
    apply sqrt_lem_1.
    - unfold d. rewrite mult_INR. apply Rlt_le. assert (0 < 1 - beta2) by lra. pos.
    - now apply Rlt_le, Rinv_0_lt_compat.
    - unfold floor, d. rewrite mult_INR.
      replace (/ (sqrt (1 - beta2) / (G * sqrt (INR m))) * / (sqrt (1 - beta2) / (G * sqrt (INR m))))
        with (G ^ 2 * sqrt (INR m) ^ 2 / sqrt (1 - beta2) ^ 2) by (field; repeat split; lra).
      rewrite !sqrt_squared by lra. field. split; lra.
  Qed.
  Lemma constants : 0 < alpha_l /\ 0 < alpha_u /\ 0 <= sum h L /\ 0 <= sigma_1 h m sigma.
  Proof.
    destruct A5 as [H1 H2]. specialize (H2 0). split; [lra|]. split; [lra|]. split.
    - apply sum_nonneg, A1.
    - apply sum_nonneg. intros i Hi. apply sum_nonneg. intros. now apply A2_sigma.
  Qed.
  (* If G is zero all gradients are, and there is nothing to show. *)
  Lemma no_slope b lr T s : G = 0 -> run_mean (batches W b) state (next W m b sample phi beta2 lr) T s
    (square_norm h m grad) = 0.
  Proof.
    intros HG. assert (Hz : forall s', square_norm h m grad s' = 0).
    { intros s'. apply sum_zeros. intros i Hi. apply sum_zeros. intros j Hj.
      rewrite <- (A2_mean (fst s') i j Hi Hj). rewrite (E_ext W _ (fun _ => 0)); [rewrite E_const; ring|].
      intros w Hw. assert (H := A3 (fst s') w i j Hw Hi Hj). destruct (Req_dec (sample (fst s') w i j) 0) as [|Hne];
        [assumption|]. apply Rabs_pos_lt in Hne. lra. }
    assert (Ha : forall t s',
      after (batches W b) state (next W m b sample phi beta2 lr) t s' (square_norm h m grad) = 0).
    { induction t as [|t IH]; intros s'; [apply Hz|]. rewrite after_first, (E_ext _ _ (fun _ => 0)); [apply E_const|].
      intros. apply IH. }
    unfold run_mean. rewrite sum_zeros by (intros; apply Ha). unfold Rdiv. ring.
  Qed.

  (* (6) Telescope: thm-lamb (eq-lamb-promise): the same for LAMB with a memory of squares, beta2 < 1. *)
  Theorem thm_lamb b lr T x1 : 0 < lr -> (1 <= b)%nat -> (1 <= T)%nat ->
    mean_square b lr T x1 <= / alpha_l * sqrt (G ^ 2 * d / (INR h * (1 - beta2)))
      * ((f x1 - fstar) / (lr * INR T) + alpha_u * sigma_1 h m sigma / (2 * sqrt (INR b))
         + lr * alpha_u ^ 2 * sum h L / 2).
  Proof.
    intros Hlr Hb HT. destruct constants as (Hl & Hu & HL & Hn). destruct layers_and_weights as [Hh Hm].
    assert (HR := INR_pos T HT). assert (Hr : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, Hb).
    unfold mean_square. destruct G_nonneg as [HG|HG].
    - destruct (roots m G beta2 Hm HG memory) as (R1 & R2 & Hf). rewrite factor by assumption.
      assert (H := telescope_where (batches W b) state (next W m b sample phi beta2 lr) (fun s => f (fst s))
        (square_norm h m grad) (averages h m G) (lr * alpha_l * floor m G beta2)
        (lr * alpha_u * sigma_1 h m sigma / (2 * sqrt (INR b)) + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L) fstar).
      specialize (H (fun s w Hw Hs => kept W h m b sample phi G beta2 Hb A3 memory lr s w Hw Hs)
        (fun s _ => A0 (fst s))
        (fun s Hs => step_5 W h m b f grad sample phi L sigma alpha_l alpha_u G beta2 A1 A2_mean A2_noise A2_sigma Hb
          A3 A5 Hm HG memory lr s Hlr Hs) T (start x1)).
      assert (Hs : averages h m G (start x1)).
      { intros i j _ _. cbn [start snd]. assert (H0 := pow2_nonneg G). lra. }
      specialize (H Hs). cbn [start fst] in H. unfold run_mean. fold (start x1) in H. set (s := sum T _) in *.
      apply div_le; [assumption|]. apply Rmult_le_reg_l with (lr * alpha_l * floor m G beta2); [pos|].
      eapply Rle_trans; [exact H|]. apply Req_le. field. repeat split; lra.
    - rewrite no_slope by now symmetry. apply Rmult_le_pos; [apply Rmult_le_pos;
        [now apply Rlt_le, Rinv_0_lt_compat|apply sqrt_pos]|]. specialize (A0 x1).
      apply Rplus_le_le_0_compat; [apply Rplus_le_le_0_compat|]; apply Rle_mult_inv_pos; try lra; pos.
  Qed.

  (* (7) Insert the learning rate of the first part and b = T. *)
  Theorem thm_lamb_best T x1 : (1 <= T)%nat -> 0 < f x1 - fstar -> 0 < sum h L ->
    let Delta := f x1 - fstar in let lr := sqrt (2 * Delta / (alpha_u ^ 2 * sum h L * INR T)) in
    Delta / (lr * INR T) + alpha_u * sigma_1 h m sigma / (2 * sqrt (INR T)) + lr * alpha_u ^ 2 * sum h L / 2
    = alpha_u * (sqrt (2 * Delta * sum h L / INR T) + sigma_1 h m sigma / (2 * sqrt (INR T))).
  Proof.
    intros HT HD HL Delta lr. fold Delta in HD. destruct constants as (_ & Hu & _). assert (HR := INR_pos T HT).
    assert (Hr : 0 < sqrt (INR T)) by now apply sqrt_lt_R0.
    assert (Hlr : 0 < lr) by (unfold lr; pos).
    assert (Hsq : Delta = lr ^ 2 * (alpha_u ^ 2 * sum h L * INR T) / 2).
    { unfold lr. rewrite sqrt_squared by (apply Rlt_le; pos). field. repeat split; lra. }
    replace (sqrt (2 * Delta * sum h L / INR T)) with (alpha_u * sum h L * lr).
    - rewrite Hsq at 1. field. split; lra.
    - symmetry. apply sqrt_lem_1; [apply Rlt_le; pos|apply Rlt_le; pos|]. rewrite Hsq. field. lra.
  Qed.
End Run.

(* An instance: one layer of one weight, f(x) = sqrt(1 + x^2), whose slope is at most 1 and changes no faster than 1; a
   coin adds 1 to the slope or takes 1 away, so that G = 2. *)
Definition bent (x : layered) := sqrt (1 + x O O ^ 2).
Definition bent_grad (x : layered) : layered := fun _ _ => x O O / sqrt (1 + x O O ^ 2).
Definition bent_sample (x : layered) (w : nat) : layered :=
  fun i j => bent_grad x i j + match w with O => 1 | _ => -1 end.
Lemma bent_root z : 1 <= sqrt (1 + z ^ 2) /\
  sqrt (1 + z ^ 2) ^ 2 = 1 + z ^ 2 /\ - sqrt (1 + z ^ 2) <= z <= sqrt (1 + z ^ 2).
Proof.
  assert (H := pow2_nonneg z). assert (H1 : sqrt (1 + z ^ 2) ^ 2 = 1 + z ^ 2) by (apply sqrt_squared; lra).
  assert (H2 : 1 <= sqrt (1 + z ^ 2)) by (apply le_of_squares; [apply sqrt_pos|lra]).
  repeat split; try assumption.
  - enough (- z <= sqrt (1 + z ^ 2)) by lra. apply le_of_squares; [lra|]. replace ((- z) ^ 2) with (z ^ 2) by ring. lra.
  - apply le_of_squares; lra.
Qed.
Lemma bent_fits : (forall x, 1 <= bent x) /\ layerwise_smooth 1 (fun _ => 1%nat) bent bent_grad (fun _ => 1) /\
  (forall x i j, E coin (fun w => bent_sample x w i j) = bent_grad x i j) /\
  (forall x i j, E coin (fun w => (bent_sample x w i j - bent_grad x i j) ^ 2) = 1 ^ 2) /\
  forall x w i j, (w < size coin)%nat -> Rabs (bent_sample x w i j) <= 2.
Proof.
  repeat split.
  - intros x. apply bent_root.
  - intros. lra.
  - intros x y. unfold bent, bent_grad, inner, norm2, sub. rewrite !sum_S, !sum_O.
    set (a := x O O). set (z := y O O). destruct (bent_root a) as (A1 & A2 & _).
    destruct (bent_root z) as (Z1 & Z2 & _).
    set (s := sqrt (1 + a ^ 2)) in *. set (t := sqrt (1 + z ^ 2)) in *.
    apply Rmult_le_reg_l with s; [lra|].
    replace (s * (s + (0 + (0 + a / s * (z - a))) + (0 + 1 / 2 * (0 + (z - a) ^ 2))))
      with (s ^ 2 + a * (z - a) + s / 2 * (z - a) ^ 2) by (field; lra).
    assert (H1 : 0 <= (s - 1) * (z - a) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_nonneg]).
    assert (H2 := pow2_nonneg (s - t)). lra.
  - intros x i j. rewrite E_coin. unfold bent_sample. field.
  - intros x i j. rewrite E_coin. unfold bent_sample. field.
  - intros x w i j _. unfold bent_sample, bent_grad. destruct (bent_root (x O O)) as (A1 & _ & A3 & A4).
    set (s := sqrt (1 + x O O ^ 2)) in *.
    assert (-1 <= x O O / s <= 1) by (split; [apply le_div|apply div_le]; lra).
    destruct w; apply Rabs_le; lra.
Qed.
(* With phi = 1, beta2 = 9/10, the rate 1/10 and batches of b samples: T steps. *)
Lemma thm_lamb_instance b T x1 : (1 <= b)%nat -> (1 <= T)%nat ->
  mean_square coin 1 1 bent_grad bent_sample (fun _ => 1) (9 / 10) b (1 / 10) T x1
  <= sqrt 40 * (10 * (bent x1 - 1) / INR T + 1 / (2 * sqrt (INR b)) + 1 / 20).
Proof.
  intros Hb HT. destruct bent_fits as (A0 & A1 & H1 & H2 & A3). assert (HR := INR_pos T HT).
  assert (Hr : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, Hb).
  assert (H := thm_lamb coin 1 1 bent bent_grad bent_sample (fun _ => 1) _ (fun _ _ => 1) 1 1 1 2 (9 / 10) A0 A1
    (fun x i j _ _ => H1 x i j) (fun x i j _ _ => Req_le _ _ (H2 x i j)) ltac:(intros; lra)
    (fun x w i j Hw _ _ => A3 x w i j Hw) ltac:(split; intros; lra) ltac:(lia) ltac:(lra) ltac:(lra)).
  specialize (H b (1 / 10) T x1 ltac:(lra) Hb HT). eapply Rle_trans; [exact H|].
  unfold d, sigma_1. rewrite !sum_S, !sum_O, mult_INR, INR_one.
  replace (2 ^ 2 * (1 * 1) / (1 * (1 - 9 / 10))) with 40 by field. apply Req_le. field. split; lra.
Qed.
(* Without gradients that are bounded by G it is false, whatever G is: one step on a parabola, far enough away. *)
Lemma thm_lamb_needs_A3 G : 0 <= G -> let f (x : layered) := x O O ^ 2 / 2 in let grad (x : layered) := x in
  let far : layered := fun _ _ => 2 * G + 1 in
  (forall x, 0 <= f x) /\ layerwise_smooth 1 (fun _ => 1%nat) f grad (fun _ => 1) /\
  (forall x i j, E point (fun w => x i j) = grad x i j) /\
  (forall x i j, E point (fun w => (x i j - grad x i j) ^ 2) <= 0 ^ 2) /\
  / 1 * sqrt (G ^ 2 * d 1 1 / (INR 1 * (1 - / 2))) * ((f far - 0) / ((2 * G + 1) * INR 1)
    + 1 * sigma_1 1 1 (fun _ _ => 0) / (2 * sqrt (INR 1)) + (2 * G + 1) * 1 ^ 2 * sum 1 (fun _ => 1) / 2)
  < mean_square point 1 1 grad (fun x _ => x) (fun _ => 1) (/ 2) 1 (2 * G + 1) 1 far.
Proof.
  intros HG f grad far. split; [|split; [split|split; [|split]]].
  - intros x. assert (H := pow2_nonneg (x O O)). unfold f. lra.
  - intros. lra.
  - intros x y. unfold f, grad, inner, norm2, sub. rewrite !sum_S, !sum_O. apply Req_le. field.
  - intros. apply E_point.
  - intros. rewrite E_point. unfold grad. lra.
  - unfold mean_square, run_mean, square_norm, start, sigma_1, d, grad, f, far, norm2.
    rewrite !sum_S, !sum_O, mult_INR, INR_one, sqrt_1. cbn [after fst]. rewrite !sum_S, !sum_O.
    assert (Hs : sqrt (G ^ 2 * (1 * 1) / (1 * (1 - / 2))) <= 2 * G).
    { apply sqrt_le; [lra|]. assert (H := pow2_nonneg G). lra. }
    replace (((2 * G + 1) ^ 2 / 2 - 0) / ((2 * G + 1) * 1) + 1 * (0 + (0 + 0)) / (2 * 1)
      + (2 * G + 1) * 1 ^ 2 * (0 + 1) / 2) with (2 * G + 1) by (field; lra).
    replace ((0 + (0 + (0 + (2 * G + 1) ^ 2))) / 1) with ((2 * G + 1) * (2 * G + 1)) by field.
    rewrite Rinv_1, Rmult_1_l. apply Rmult_lt_compat_r; lra.
Qed.
