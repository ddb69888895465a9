(* Appendix A: Cauchy-Schwarz (lem-cauchy-schwarz) and Young's inequality (lem-young).

   Vectors have d entries, for any d. Random variables live on any finite space. *)
Require Export spaces vectors.
Open Scope R_scope.

(* One vector is a multiple of the other: u = c v or v = c u. *)
Definition multiple d (u v : vec) := exists c, forall j, (j < d)%nat -> u j = c * v j.

(* ---- 1. Cauchy-Schwarz. ---- *)

Section Cauchy_Schwarz.
  Variable d : nat.
  Variables u v : vec.
  (* For v other than 0: the shadow of u on v is c v. *)
  Definition c := inner d u v / norm2 d v.
  Definition left_over : vec := fun j => u j - c * v j.

  (* (1) A square is not negative: 0 <= |u - c v|^2, with equality exactly when u = c v. *)
  Lemma lem_cauchy_schwarz_step_1 :
    0 <= norm2 d left_over /\ (norm2 d left_over = 0 <-> forall j, (j < d)%nat -> u j = c * v j).
  Proof.
    split; [apply norm2_pos|split; intros H].
    - intros j Hj. assert (H0 := norm2_zero d left_over H j Hj). unfold left_over in H0. lra.
    - apply sum_zeros. intros j Hj. unfold left_over. rewrite (H j Hj). ring.
  Qed.
  (* (2) Expanded: |u - c v|^2 = |u|^2 - <u, v>^2 / |v|^2. *)
  Lemma lem_cauchy_schwarz_step_2 : 0 < norm2 d v -> norm2 d left_over = norm2 d u - inner d u v ^ 2 / norm2 d v.
  Proof. intros Hv. unfold left_over. rewrite shadow. unfold c. field. lra. Qed.
  (* (3) Multiply by |v|^2; *)
  Lemma lem_cauchy_schwarz_step_3 : 0 < norm2 d v ->
    norm2 d left_over * norm2 d v = norm2 d u * norm2 d v - inner d u v ^ 2.
  Proof. intros Hv. rewrite lem_cauchy_schwarz_step_2 by assumption. field. lra. Qed.
  (* and take the root. *)
  Lemma lem_cauchy_schwarz_step_3_root :
    Rabs (inner d u v) = norm d u * norm d v <-> norm2 d u * norm2 d v - inner d u v ^ 2 = 0.
  Proof.
    assert (Hu := norm_pos d u). assert (Hv := norm_pos d v). assert (Hr := Rabs_pos (inner d u v)).
    rewrite <- (norm_squared d u), <- (norm_squared d v), <- (pow2_Rabs (inner d u v)).
    rewrite <- Rpow_mult_distr. split; intros H; [rewrite H; ring|].
    assert (0 <= norm d u * norm d v) by now apply Rmult_le_pos. apply Rle_antisym; apply le_of_squares; lra.
  Qed.
End Cauchy_Schwarz.

(* If v = 0, both sides are 0, and v is the multiple 0 u. *)
Lemma no_length d u v : norm2 d v = 0 -> multiple d v u.
Proof. intros H. exists 0. intros j Hj. rewrite (norm2_zero d v H j Hj). ring. Qed.
Lemma multiple_equal d u v : multiple d u v -> norm2 d u * norm2 d v - inner d u v ^ 2 = 0.
Proof.
  intros [k Hk]. replace (inner d u v) with (k * norm2 d v).
  - replace (norm2 d u) with (k ^ 2 * norm2 d v); [ring|].
    rewrite <- norm2_scal. apply norm2_ext. intros. symmetry. now apply Hk.
  - rewrite <- inner_self, <- inner_scal, (inner_sym d u).
    apply inner_ext; [reflexivity|]. intros. symmetry. now apply Hk.
Qed.

(* lem-cauchy-schwarz: |<u, v>| <= |u| |v|, *)
Theorem lem_cauchy_schwarz d u v : Rabs (inner d u v) <= norm d u * norm d v.
Proof. apply cauchy_schwarz. Qed.
(* with equality exactly when one is a multiple of the other. *)
Theorem lem_cauchy_schwarz_equal d u v :
  Rabs (inner d u v) = norm d u * norm d v <-> multiple d u v \/ multiple d v u.
Proof.
  rewrite lem_cauchy_schwarz_step_3_root. split.
  - intros H. destruct (norm2_pos d v) as [Hv|Hv]; [|right; now apply no_length].
    left. exists (c d u v). apply lem_cauchy_schwarz_step_1. apply Rmult_eq_reg_r with (norm2 d v); [|lra].
    rewrite lem_cauchy_schwarz_step_3 by assumption. lra.
  - intros [H|H]; [now apply multiple_equal|].
    rewrite inner_sym, (Rmult_comm (norm2 d u)). now apply multiple_equal.
Qed.
(* For random variables: |E[XY]| <= sqrt(E[X^2] E[Y^2]). The roots of the weights go into the two vectors. *)
Theorem lem_cauchy_schwarz_mean W X Y :
  Rabs (E W (fun w => X w * Y w)) <= sqrt (E W (fun w => X w ^ 2) * E W (fun w => Y w ^ 2)).
Proof.
  set (weighted := fun (Z : nat -> R) w => sqrt (weight W w) * Z w).
  assert (root : forall Z V, E W (fun w => Z w * V w) = inner (size W) (weighted Z) (weighted V)).
  { intros Z V. apply sum_ext. intros w Hw. unfold weighted.
    rewrite <- (sqrt_sqrt (weight W w)) at 1 by now apply weight_pos. ring. }
  assert (square : forall Z, E W (fun w => Z w ^ 2) = norm2 (size W) (weighted Z)).
  { intros Z. rewrite <- inner_self, <- root. apply E_ext. intros. ring. }
  rewrite root, !square, sqrt_mult by apply norm2_pos. apply cauchy_schwarz.
Qed.
(* An instance: the all-ones vector, and any other. *)
Lemma lem_cauchy_schwarz_instance d (u : vec) : Rabs (sum d u) <= norm d u * sqrt (INR d).
Proof.
  assert (H := lem_cauchy_schwarz d u (fun _ => 1)). unfold norm at 2 in H. unfold norm2, inner in H.
  rewrite (sum_ext d (fun _ => 1 ^ 2) (fun _ => 1)), sum_const in H by (intros; ring).
  rewrite (sum_ext d _ u), Rmult_1_r in H by (intros; ring). exact H.
Qed.

(* ---- 2. Young. ---- *)

Section Young.
  Variable d : nat.
  Variables u v : vec.
  Variable a : R.
  Hypothesis positive : 0 < a.

  (* (1) A square again, with a sign s = 1 or s = -1: |sqrt a u - s v / sqrt a|^2 = a |u|^2 - 2 s <u, v> + |v|^2 / a. *)
  Lemma lem_young_step_1 s : s ^ 2 = 1 ->
    norm2 d (fun j => sqrt a * u j - s * (v j / sqrt a)) = a * norm2 d u - 2 * s * inner d u v + norm2 d v / a.
  Proof.
    intros Hs. assert (Ha := sqrt_lt_R0 a positive). assert (H2 := sqrt_squared a (Rlt_le _ _ positive)).
    rewrite (norm2_ext d _ (fun j => sqrt a * (u j - s / a * v j))).
    - rewrite norm2_scal, H2, shadow. replace ((s / a) ^ 2) with (s ^ 2 / a ^ 2) by (field; lra).
      rewrite Hs. field. lra.
    - intros j _. replace (s / a) with (s / sqrt a ^ 2) by now rewrite H2. field. lra.
  Qed.
  (* (2) Choose the sign of <u, v>, move the middle term over and halve. *)
  Lemma lem_young_step_2 : exists s, s ^ 2 = 1 /\
    a / 2 * norm2 d u + 1 / (2 * a) * norm2 d v - Rabs (inner d u v)
    = norm2 d (fun j => sqrt a * u j - s * (v j / sqrt a)) / 2.
  Proof.
    destruct (Rle_dec 0 (inner d u v)) as [H|H]; [exists 1|exists (-1)];
      (split; [ring|]); rewrite lem_young_step_1 by ring.
    - rewrite Rabs_pos_eq by assumption. field. lra.
    - rewrite Rabs_left by lra. field. lra.
  Qed.

  (* lem-young: |<u, v>| <= a/2 |u|^2 + 1/(2a) |v|^2, *)
  Theorem lem_young : Rabs (inner d u v) <= a / 2 * norm2 d u + 1 / (2 * a) * norm2 d v.
  Proof.
    destruct lem_young_step_2 as (s & _ & H).
    assert (H0 := norm2_pos d (fun j => sqrt a * u j - s * (v j / sqrt a))). lra.
  Qed.
  (* with equality when v = a u or v = - a u. (Only then, too.) *)
  Theorem lem_young_equal : Rabs (inner d u v) = a / 2 * norm2 d u + 1 / (2 * a) * norm2 d v <->
    (forall j, (j < d)%nat -> v j = a * u j) \/ (forall j, (j < d)%nat -> v j = - a * u j).
  Proof.
    assert (Ha := sqrt_lt_R0 a positive). assert (H2 := sqrt_squared a (Rlt_le _ _ positive)). split.
    - intros Heq. destruct lem_young_step_2 as (s & Hs & H). rewrite Heq in H.
      assert (Hz := norm2_zero d (fun j => sqrt a * u j - s * (v j / sqrt a)) ltac:(lra)). cbv beta in Hz.
      assert (Hv : forall j, (j < d)%nat -> v j = s * (a * u j)).
      { intros j Hj. specialize (Hz j Hj). rewrite <- H2. replace (v j) with (s ^ 2 * v j) by (rewrite Hs; ring).
        replace (s ^ 2 * v j) with (s * sqrt a * (s * (v j / sqrt a))) by (field; lra).
        replace (s * (v j / sqrt a)) with (sqrt a * u j) by lra. ring. }
      assert (Hcases : s = 1 \/ s = -1).
      { assert (H1 : (s - 1) * (s + 1) = 0) by (replace ((s - 1) * (s + 1)) with (s ^ 2 - 1) by ring; lra).
        apply Rmult_integral in H1. lra. }
      destruct Hcases as [Hc|Hc]; rewrite Hc in Hv; [left|right]; intros j Hj; rewrite (Hv j Hj); ring.
    - assert (Hu := norm2_pos d u). assert (Hau : 0 <= a * norm2 d u) by (apply Rmult_le_pos; lra).
      assert (Heq : forall k, k ^ 2 = a ^ 2 -> (forall j, (j < d)%nat -> v j = k * u j) ->
        norm2 d v = a ^ 2 * norm2 d u /\ inner d u v = k * norm2 d u).
      { intros k Hk H. rewrite <- Hk, <- norm2_scal, <- (inner_self d u), <- inner_scal.
        split; [now apply norm2_ext|now apply inner_ext]. }
      intros [H|H]; [destruct (Heq a) as [-> ->]|destruct (Heq (- a)) as [-> ->]]; try assumption; try ring.
      + rewrite Rabs_pos_eq by assumption. field. lra.
      + rewrite Rabs_left1 by lra. field. lra.
  Qed.
  (* (3) Hence |u + v|^2 <= (1 + a) |u|^2 + (1 + 1/a) |v|^2. *)
  Theorem lem_young_sum : norm2 d (fun j => u j + v j) <= (1 + a) * norm2 d u + (1 + 1 / a) * norm2 d v.
  Proof.
    rewrite norm2_plus. assert (H := lem_young). assert (H0 := Rle_abs (inner d u v)).
    replace (1 / a) with (2 * (1 / (2 * a))) by (field; lra). lra.
  Qed.
End Young.

(* An instance: a = 2. *)
Lemma lem_young_instance d u v : Rabs (inner d u v) <= 2 / 2 * norm2 d u + 1 / (2 * 2) * norm2 d v.
Proof. apply lem_young. lra. Qed.
(* Without a positive a it is false: at every negative one, for two vectors of one entry. *)
Lemma lem_young_needs_sign a : a < 0 -> let one : vec := fun _ => 1 in
  a / 2 * norm2 1 one + 1 / (2 * a) * norm2 1 one < Rabs (inner 1 one one).
Proof.
  intros Ha one. assert (H : / (2 * a) < 0) by (apply Rinv_lt_0_compat; lra). unfold norm2, inner, one.
  rewrite !sum_S, !sum_O. replace (0 + 1 * 1) with 1 by ring. rewrite Rabs_R1. unfold Rdiv. lra.
Qed.
