(* Carrying a rate: half the rate or twice the batch (thm-carry-ramp).

   Every sample's loss is a bowl with the same curvatures h and a centre of its own; its gradient at x is
   h (x - c) + a w, and the a w have mean zero. One run divides the rate and takes more steps, the other multiplies the
   batch. *)
Require Export runs.
Open Scope R_scope.

(* Bernoulli's inequality, for what is taken away. *)
Lemma bernoulli u n : 0 <= u <= 1 -> 1 - INR n * u <= (1 - u) ^ n.
Proof.
  intros Hu. induction n as [|n IH]; [rewrite INR_zero, pow_O; lra|]. rewrite S_INR, <- tech_pow_Rmult.
  assert (H0 := pos_INR n).
  assert (H := Rmult_le_compat_l (1 - u) (1 - INR n * u) ((1 - u) ^ n) ltac:(lra) IH).
  assert (0 <= INR n * (u * u)) by (apply Rmult_le_pos; [assumption|apply Rmult_le_pos; lra]).
  lra.
Qed.
(* 0 + 2 + 4 + ... + 2 (m - 1) *)
Lemma sum_of_even m : sum m (fun i => 2 * INR i) = INR m * (INR m - 1).
Proof. induction m as [|m IH]; [rewrite sum_O, INR_zero; ring|]. rewrite sum_S, IH, S_INR. ring. Qed.

(* (3) One long step forgets the start at least as well as m steps that are m times shorter. *)
Lemma thm_carry_ramp_step_3 q m : 0 <= q <= 1 -> (1 <= m)%nat -> (1 - q) ^ 2 <= ((1 - q / INR m) ^ 2) ^ m.
Proof.
  intros Hq Hm. assert (HR := INR_ge_1 m Hm). assert (Hu : 0 <= q / INR m <= 1).
  { split; [apply Rle_mult_inv_pos; lra|apply div_le; lra]. }
  rewrite <- pow_mult, Nat.mul_comm, pow_mult. assert (H := bernoulli (q / INR m) m Hu).
  replace (INR m * (q / INR m)) with q in H by (field; lra). apply pow_incr. lra.
Qed.
(* (4) The noise of the m short steps, of which the first are forgotten in part. *)
Lemma thm_carry_ramp_step_4 q m : 0 <= q <= 1 -> (1 <= m)%nat ->
  INR m * (1 - q) <= sum m (fun i => ((1 - q / INR m) ^ 2) ^ i).
Proof.
  intros Hq Hm. assert (HR := INR_ge_1 m Hm). set (u := q / INR m).
  assert (Hu : 0 <= u <= 1) by (unfold u; split; [apply Rle_mult_inv_pos; lra|apply div_le; lra]).
  assert (Hq' : INR m * u = q) by (unfold u; field; lra).
  apply Rle_trans with (sum m (fun i => 1 + - u * (2 * INR i))).
  - rewrite sum_plus, sum_const, sum_scal, sum_of_even.
    replace (INR m * 1 + - u * (INR m * (INR m - 1))) with (INR m - INR m * u * (INR m - 1)) by ring.
    rewrite Hq'. assert (0 <= q) by lra. lra.
  - apply sum_le. intros i _. rewrite <- pow_mult. assert (H := bernoulli u (2 * i) Hu).
    rewrite mult_INR, INR_two in H. lra.
Qed.

Section Ramp.
  Variable W : space.            (* the law of one sample *)
  Variables d b : nat.           (* coordinates; samples in the small batch *)
  Variables h c : vec.           (* curvatures, and the minimum *)
  Variable a : nat -> vec.       (* a w: how far the gradient of sample w is off *)
  Variables lr L : R.
  Hypothesis batch_not_empty : (1 <= b)%nat.
  Hypothesis curvatures : forall j, (j < d)%nat -> 0 <= h j <= L.
  Hypothesis noise_mean : forall j, (j < d)%nat -> E W (fun w => a w j) = 0.
  Hypothesis rate : 0 <= lr.
  Hypothesis edge : lr * L < 1.

  (* The loss above its minimum. *)
  Definition f (x : vec) := sum d (fun j => h j * (x j - c j) ^ 2) / 2.
  Definition grad (x : vec) (w : nat) : vec := fun j => h j * (x j - c j) + a w j.
  (* A step with the rate r and batch number k of n samples. *)
  Definition step (r : R) (n : nat) (x : vec) (k : nat) : vec := fun j => x j - r * mean (grad x) (drawn W n k) j.
  (* m steps with the rate lr / m and batches of b samples, for each m of a list ... *)
  Fixpoint falling (ms : list nat) (x : vec) (F : vec -> R) : R :=
    match ms with
    | nil => F x
    | cons m r => after (batches W b) vec (step (lr / INR m) b) m x (fun y => falling r y F)
    end.
  (* ... or one step with the rate lr and a batch of m b samples. *)
  Fixpoint growing (ms : list nat) (x : vec) (F : vec -> R) : R :=
    match ms with
    | nil => F x
    | cons m r => E (batches W (m * b)) (fun k => growing r (step lr (m * b) x k) F)
    end.
  Definition noise j := E W (fun w => a w j ^ 2).
  Definition square j (x : vec) := (x j - c j) ^ 2.

  Lemma noise_nonneg j : 0 <= noise j.
  Proof. apply E_nonneg. intros. apply pow2_nonneg. Qed.

  (* (1) One step. *)
  Lemma step_1 r n x j : (j < d)%nat -> (1 <= n)%nat ->
    E (batches W n) (fun k => square j (step r n x k)) = (1 - r * h j) ^ 2 * square j x + r ^ 2 * noise j / INR n.
  Proof.
    intros Hj Hn. assert (HR := INR_pos n Hn). set (mu := fun i => h i * (x i - c i)).
    assert (Hmu : forall i, (i < d)%nat -> E W (fun w => grad x w i) = mu i).
    { intros i Hi. unfold grad. rewrite E_plus, E_const, noise_mean by assumption. unfold mu. ring. }
    assert (H1 := batch_unbiased W d n (grad x) mu Hmu Hn j Hj).
    assert (H2 : E (batches W n) (fun k => (mean (grad x) (drawn W n k) j - mu j) ^ 2) = noise j / INR n).
    { rewrite (E_batches W n (fun l => (mean (grad x) l j - mu j) ^ 2)),
        (Eb_variance_entry W d n (grad x) mu Hmu Hn j Hj).
      f_equal. unfold noise. apply E_ext. intros. unfold grad, mu. ring. }
    unfold square, step.
    rewrite (E_ext _ _ (fun k => (1 - r * h j) ^ 2 * (x j - c j) ^ 2
      - 2 * (1 - r * h j) * (x j - c j) * r * (mean (grad x) (drawn W n k) j - mu j)
      + r ^ 2 * (mean (grad x) (drawn W n k) j - mu j) ^ 2)) by (intros; unfold mu; ring).
    rewrite E_plus, E_minus, E_const, !E_scal, H2, E_minus, E_const, H1. field. lra.
  Qed.

  (* (2) m steps: the start is forgotten, and so is the older noise. *)
  Lemma step_2 r m j P N : (j < d)%nat -> forall x,
    after (batches W b) vec (step r b) m x (fun y => P * square j y + N)
    = P * (((1 - r * h j) ^ 2) ^ m * square j x
      + r ^ 2 * noise j / INR b * sum m (fun i => ((1 - r * h j) ^ 2) ^ i)) + N.
  Proof.
    intros Hj. set (A := (1 - r * h j) ^ 2). set (V := r ^ 2 * noise j / INR b).
    induction m as [|m IH]; intros x; [cbn [after]; rewrite pow_O, sum_O; ring|].
    rewrite after_first, (E_ext _ _ (fun w => P * A ^ m * square j (step r b x w)
      + (P * (V * sum m (fun i => A ^ i)) + N))) by (intros; rewrite IH; ring).
    rewrite E_plus, E_const, E_scal, step_1, sum_S by assumption. fold A. fold V.
    rewrite <- (tech_pow_Rmult A m). ring.
  Qed.

  Lemma q_bounds j : (j < d)%nat -> 0 <= lr * h j <= lr * L.
  Proof.
    intros Hj. destruct (curvatures j Hj). split; [apply Rmult_le_pos; assumption|].
    apply Rmult_le_compat_l; assumption.
  Qed.
  Lemma after_ext n (F G : vec -> R) t : (forall y, F y = G y) -> forall x,
    after (batches W b) vec (step n b) t x F = after (batches W b) vec (step n b) t x G.
  Proof. intros H. induction t as [|t IH]; intros x; cbn [after]; [apply H|]. apply E_ext. intros. apply IH. Qed.

  (* (5) Block after block: the growing batch has at most the same share of the start, and at most 1 / (1 - lr L) times
     the noise. *)
  Lemma step_5 j ms : (j < d)%nat -> Forall (fun m => (1 <= m)%nat) ms -> exists P N P' N',
    (forall x, falling ms x (square j) = P * square j x + N) /\
    (forall x, growing ms x (square j) = P' * square j x + N') /\
    0 <= P' <= P /\ 0 <= N' /\ N' * (1 - lr * L) <= N.
  Proof.
    intros Hj Hms. destruct (q_bounds j Hj) as [Hq0 HqL].
    induction Hms as [|m r Hm _ (P & N & P' & N' & HF & HG & HP & HN & HC)].
    - exists 1, 0, 1, 0. repeat split; intros; cbn [falling growing]; try lra; unfold square; ring.
    - assert (HR := INR_ge_1 m Hm). assert (Hb := INR_pos b batch_not_empty).
      assert (Hs := noise_nonneg j). assert (Hsum := thm_carry_ramp_step_4 (lr * h j) m ltac:(lra) Hm).
      assert (Hpow := thm_carry_ramp_step_3 (lr * h j) m ltac:(lra) Hm).
      replace (1 - lr * h j / INR m) with (1 - lr / INR m * h j) in Hsum, Hpow by (field; lra).
      set (A := (1 - lr / INR m * h j) ^ 2) in *. set (Sg := sum m (fun i => A ^ i)) in *.
      set (V := lr ^ 2 * noise j / (INR m * INR b)).
      assert (HV : 0 <= V).
      { unfold V. apply Rle_mult_inv_pos; [apply Rmult_le_pos; [apply pow2_nonneg|assumption]|].
        apply Rmult_lt_0_compat; lra. }
      exists (P * A ^ m), (P * (V / INR m * Sg) + N), (P' * (1 - lr * h j) ^ 2), (P' * V + N').
      assert (0 <= (1 - lr * h j) ^ 2) by apply pow2_nonneg.
      assert (HPA : P' * V <= P * V) by (apply Rmult_le_compat_r; lra).
      assert (HP'V : 0 <= P' * V) by (apply Rmult_le_pos; lra).
      split; [|split; [|split; [|split]]].
      + intros x. cbn [falling]. rewrite (after_ext _ _ (fun y => P * square j y + N)) by assumption.
        rewrite step_2 by assumption. fold A. fold Sg. unfold V. field. lra.
      + intros x. cbn [growing]. rewrite (E_ext _ _ (fun k => P' * square j (step lr (m * b) x k) + N'))
          by (intros; apply HG).
        rewrite E_plus, E_const, E_scal, step_1, mult_INR by (try assumption; lia). unfold V. field. lra.
      + split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra.
      + lra.
      + (* the noise that this block adds *)
        assert (Hone : V * (1 - lr * L) <= V / INR m * Sg).
        { apply Rle_trans with (V * (1 - lr * h j)); [apply Rmult_le_compat_l; lra|].
          replace (V * (1 - lr * h j)) with (V / INR m * (INR m * (1 - lr * h j))) by (field; lra).
          apply Rmult_le_compat_l; [apply Rle_mult_inv_pos; lra|assumption]. }
        assert (Htwo : P' * (V * (1 - lr * L)) <= P * (V / INR m * Sg)).
        { apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra. }
        rewrite Rmult_plus_distr_r, Rmult_assoc. lra.
  Qed.

  (* Both runs are linear in what is measured at their end. *)
  Lemma after_sum n t u (F : nat -> vec -> R) : forall x,
    after (batches W b) vec (step n b) t x (fun y => sum d (fun j => u j * F j y))
    = sum d (fun j => u j * after (batches W b) vec (step n b) t x (F j)).
  Proof.
    induction t as [|t IH]; intros x; cbn [after]; [reflexivity|].
    rewrite (E_ext _ _ (fun w => sum d (fun j => u j * after (batches W b) vec (step n b) t (step n b x w) (F j))))
      by (intros; apply IH).
    rewrite E_sum. apply sum_ext. intros. now rewrite E_scal.
  Qed.
  Lemma falling_sum u ms : forall x, falling ms x (fun y => sum d (fun j => u j * square j y))
    = sum d (fun j => u j * falling ms x (square j)).
  Proof.
    induction ms as [|m r IH]; intros x; cbn [falling]; [reflexivity|].
    rewrite (after_ext _ _ (fun y => sum d (fun j => u j * falling r y (square j)))) by assumption.
    apply (after_sum _ m u (fun j y => falling r y (square j))).
  Qed.
  Lemma growing_sum u ms : forall x, growing ms x (fun y => sum d (fun j => u j * square j y))
    = sum d (fun j => u j * growing ms x (square j)).
  Proof.
    induction ms as [|m r IH]; intros x; cbn [growing]; [reflexivity|].
    rewrite (E_ext _ _ (fun k => sum d (fun j => u j * growing r (step lr (m * b) x k) (square j))))
      by (intros; apply IH).
    rewrite E_sum. apply sum_ext. intros. now rewrite E_scal.
  Qed.
  Lemma f_is x : f x = sum d (fun j => h j / 2 * square j x).
  Proof. unfold f. rewrite <- sum_div. apply sum_ext. intros. unfold square. field. Qed.
  Lemma falling_f ms x : falling ms x f = sum d (fun j => h j / 2 * falling ms x (square j)).
  Proof.
    rewrite <- falling_sum. revert x. induction ms as [|m r IH]; intros x; cbn [falling]; [apply f_is|].
    apply after_ext. exact IH.
  Qed.
  Lemma growing_f ms x : growing ms x f = sum d (fun j => h j / 2 * growing ms x (square j)).
  Proof.
    rewrite <- growing_sum. revert x. induction ms as [|m r IH]; intros x; cbn [growing]; [apply f_is|].
    apply E_ext. intros. apply IH.
  Qed.

  (* thm-carry-ramp: the growing batch ends at most 1 / (1 - lr L) times as high. *)
  Theorem thm_carry_ramp ms x : Forall (fun m => (1 <= m)%nat) ms ->
    growing ms x f <= falling ms x f / (1 - lr * L).
  Proof.
    intros Hms. rewrite growing_f, falling_f. apply le_div; [lra|]. rewrite <- sum_scal_r. apply sum_le. intros j Hj.
    destruct (step_5 j ms Hj Hms) as (P & N & P' & N' & HF & HG & HP & HN & HC). rewrite HF, HG.
    destruct (curvatures j Hj) as [Hh _]. destruct (q_bounds j Hj) as [Hq0 HqL].
    assert (Hs := pow2_nonneg (x j - c j)). fold (square j x) in Hs.
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. rewrite Rmult_plus_distr_r.
    assert (P' * square j x * (1 - lr * L) <= P * square j x).
    { apply Rle_trans with (P' * square j x * 1).
      - apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra].
      - rewrite Rmult_1_r. apply Rmult_le_compat_r; lra. }
    lra.
  Qed.
End Ramp.

(* The assumptions can be met: one coordinate, a coin that pulls by 1 too much or too little, half the edge's rate. *)
Lemma thm_carry_ramp_instance : let one : vec := fun _ => 1 in let c : vec := fun _ => 0 in
  let a (w : nat) : vec := fun _ => match w with O => 1 | _ => -1 end in let ms := cons 2%nat (cons 4%nat nil) in
  growing coin 1 one c a (1 / 2) ms one (f 1 one c) <= 2 * falling coin 1 one c a (1 / 2) ms one (f 1 one c).
Proof.
  intros one c a ms.
  apply Rle_trans with (falling coin 1 one c a (1 / 2) ms one (f 1 one c) / (1 - 1 / 2 * 1)); [|apply Req_le; field].
  apply (thm_carry_ramp coin 1 1); unfold one; try lra; try lia.
  - intros. lra.
  - intros. rewrite E_coin. cbn [a]. lra.
  - repeat constructor.
Qed.
