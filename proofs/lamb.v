(* LAMB, second part: a memory (thm-lamb), steps (1) to (5): one step. The run is in lamb_run.v.

   h layers of m weights each (m = d / h), any finite law W of the samples, batches of b independent samples. The state
   is (x, v); v stays between 0 and G^2 (`kept`). epsilon = 0, and r_j = 0 / 0 is read as 0, as the page has it. *)
Require Export lamb_sign.
Open Scope R_scope.

Section Memory.
  Variable W : space.                          (* the law of one sample *)
  Variables h m b : nat.                       (* layers; weights of a layer; samples in a batch *)
  Variable f : layered -> R.
  Variable grad : layered -> layered.
  Variable sample : layered -> nat -> layered. (* sample x w: the gradient of sample w at x *)
  Variable phi : R -> R.
  Variable L : nat -> R.
  Variable sigma : layered.                    (* sigma i j belongs to weight j of layer i *)
  Variables alpha_l alpha_u fstar G beta2 : R.
  Hypothesis A1 : layerwise_smooth h (fun _ => m) f grad L.
  Hypothesis A2_mean : forall x i j, (i < h)%nat -> (j < m)%nat -> E W (fun w => sample x w i j) = grad x i j.
  Hypothesis A2_noise : forall x i j, (i < h)%nat -> (j < m)%nat ->
    E W (fun w => (sample x w i j - grad x i j) ^ 2) <= sigma i j ^ 2.
  Hypothesis A2_sigma : forall i j, (i < h)%nat -> (j < m)%nat -> 0 <= sigma i j.
  Hypothesis some : (1 <= b)%nat.
  Hypothesis A3 : forall x w i j, (w < size W)%nat -> (i < h)%nat -> (j < m)%nat -> Rabs (sample x w i j) <= G.
  Hypothesis A5 : 0 < alpha_l /\ forall z, alpha_l <= phi z <= alpha_u.
  Hypothesis weights : (1 <= m)%nat.
  Hypothesis G_pos : 0 < G.
  Hypothesis memory : 0 < beta2 < 1.

  Definition state := (layered * layered)%type.
  Definition g x w : layered := batch_gradient W b sample x w.
  (* The new average of squares, the direction, and the direction with length 1 (a layer that vanishes stays). *)
  Definition new_v (s : state) w : layered := fun i j => beta2 * snd s i j + (1 - beta2) * g (fst s) w i j ^ 2.
  Definition r s w i : vec := fun j => if Req_EM_T (new_v s w i j) 0 then 0 else g (fst s) w i j / sqrt (new_v s w i j).
  Definition unit_r s w i : vec := fun j => if Req_EM_T (norm m (r s w i)) 0 then 0 else r s w i j / norm m (r s w i).
  Definition next lr (s : state) w : state :=
    (fun i j => fst s i j - lr * phi (norm m (fst s i)) * unit_r s w i j, new_v s w).
  Definition square_norm (s : state) := sum h (fun i => norm2 m (grad (fst s) i)).
  Definition averages (s : state) := forall i j, (i < h)%nat -> (j < m)%nat -> 0 <= snd s i j <= G ^ 2.
  (* sqrt((1 - beta2) / (G^2 m)) *)
  Definition floor := sqrt (1 - beta2) / (G * sqrt (INR m)).

  Lemma roots : 0 < sqrt (1 - beta2) /\ 0 < sqrt (INR m) /\ 0 < floor.
  Proof.
    assert (H1 : 0 < sqrt (1 - beta2)) by (apply sqrt_lt_R0; lra).
    assert (H2 : 0 < sqrt (INR m)) by (apply sqrt_lt_R0, INR_pos, weights).
    repeat split; try assumption. unfold floor. pos.
  Qed.
  Lemma size_bounds (x : layered) i : 0 < alpha_l <= phi (norm m (x i)) /\ phi (norm m (x i)) <= alpha_u.
  Proof. destruct A5 as [H1 H2]. specialize (H2 (norm m (x i))). lra. Qed.
  (* A batch's gradient is bounded as a sample's is. *)
  Lemma g_bounded x w i j : (w < size (batches W b))%nat -> (i < h)%nat -> (j < m)%nat -> g x w i j ^ 2 <= G ^ 2.
  Proof.
    intros Hw Hi Hj. assert (Hb := INR_pos b some). unfold g, batch_gradient, mean.
    assert (Hin := drawn_inside W b w Hw). rewrite drawn_length.
    assert (H : forall l, Forall (fun k => (k < size W)%nat) l ->
      Rabs (total (fun k => sample x k i j) l) <= INR (length l) * G).
    { induction 1 as [|k l Hk _ IH]; cbn [total length]; [rewrite INR_zero, Rabs_R0; lra|].
      rewrite S_INR. eapply Rle_trans; [apply Rabs_triang|]. assert (H := A3 x k i j Hk Hi Hj). lra. }
    specialize (H _ Hin). rewrite drawn_length in H. rewrite <- pow2_Rabs. apply pow_incr. split; [apply Rabs_pos|].
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ INR b)) by (apply Rlt_le, Rinv_0_lt_compat, Hb).
    apply div_le; lra.
  Qed.
  Lemma kept lr s w : (w < size (batches W b))%nat -> averages s -> averages (next lr s w).
  Proof.
    intros Hw Hs i j Hi Hj. cbn [next snd]. unfold new_v. specialize (Hs i j Hi Hj).
    assert (H := g_bounded (fst s) w i j Hw Hi Hj). assert (H0 := pow2_nonneg (g (fst s) w i j)).
    assert (H1 : beta2 * snd s i j <= beta2 * G ^ 2) by (apply Rmult_le_compat_l; lra).
    assert (H2 : (1 - beta2) * g (fst s) w i j ^ 2 <= (1 - beta2) * G ^ 2) by (apply Rmult_le_compat_l; lra).
    split; [apply Rplus_le_le_0_compat; apply Rmult_le_pos|]; lra.
  Qed.

  Section One_layer.
    Variables (s : state) (w i : nat).
    Hypothesis Hs : averages s.
    Hypothesis Hw : (w < size (batches W b))%nat.
    Hypothesis Hi : (i < h)%nat.

    (* (2) No coordinate is too long or too short: |r_j| <= 1 / sqrt(1 - beta2), and sqrt(v_j) <= G. *)
    Lemma v_bounds j : (j < m)%nat -> (1 - beta2) * g (fst s) w i j ^ 2 <= new_v s w i j <= G ^ 2.
    Proof.
      intros Hj. assert (H := kept 0 s w Hw Hs i j Hi Hj). cbn [next snd] in H. split; [|apply H].
      unfold new_v. specialize (Hs i j Hi Hj). assert (0 <= beta2 * snd s i j) by (apply Rmult_le_pos; lra). lra.
    Qed.
    Lemma step_2a j : (j < m)%nat -> r s w i j ^ 2 <= / (1 - beta2).
    Proof.
      intros Hj. destruct (v_bounds j Hj) as [H _]. assert (Hg := pow2_nonneg (g (fst s) w i j)).
      assert (Hi0 : 0 < / (1 - beta2)) by (apply Rinv_0_lt_compat; lra).
      unfold r. destruct (Req_EM_T (new_v s w i j) 0) as [E|E]; [replace (0 ^ 2) with 0 by ring; lra|].
      assert (Hv : 0 < new_v s w i j).
      { assert (0 <= (1 - beta2) * g (fst s) w i j ^ 2) by (apply Rmult_le_pos; lra). lra. }
      unfold Rdiv. rewrite Rpow_mult_distr, pow_inv, sqrt_squared by lra. apply div_le; [assumption|].
      apply Rmult_le_reg_l with (1 - beta2); [lra|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
    Qed.
    Lemma step_2b : norm m (r s w i) <= sqrt (INR m) / sqrt (1 - beta2).
    Proof.
      destruct roots as (R1 & R2 & _). rewrite <- sqrt_div_alt by lra. apply sqrt_le_1_alt.
      unfold Rdiv. rewrite <- sum_const. apply sum_le. intros j Hj. now apply step_2a.
    Qed.
    Lemma step_2c j : (j < m)%nat -> sqrt (new_v s w i j) <= G.
    Proof. intros Hj. apply sqrt_le; [lra|]. now apply v_bounds. Qed.

    (* The direction in a coordinate whose gradient is not zero; |r_j| is at most the length of r. *)
    Lemma r_is j : (j < m)%nat -> g (fst s) w i j <> 0 ->
      0 < sqrt (new_v s w i j) /\ r s w i j = g (fst s) w i j / sqrt (new_v s w i j) /\ 0 < norm m (r s w i).
    Proof.
      intros Hj Hne. destruct (v_bounds j Hj) as [H _].
      assert (Hg : 0 < g (fst s) w i j ^ 2) by (rewrite <- pow2_Rabs; apply pow_lt, Rabs_pos_lt, Hne).
      assert (Hv : 0 < new_v s w i j) by (assert (0 < (1 - beta2) * g (fst s) w i j ^ 2) by pos; lra).
      assert (Hr : 0 < sqrt (new_v s w i j)) by now apply sqrt_lt_R0.
      assert (Er : r s w i j = g (fst s) w i j / sqrt (new_v s w i j))
        by (unfold r; destruct (Req_EM_T _ 0); [lra|reflexivity]).
      split; [assumption|]. split; [assumption|]. destruct (norm_pos m (r s w i)) as [|E]; [assumption|].
      symmetry in E. apply (norm_zero _ _ E) in Hj. rewrite Er in Hj. apply Rmult_integral in Hj.
      destruct Hj as [|Hj]; [contradiction|]. apply Rinv_neq_0_compat in Hj; [contradiction|lra].
    Qed.
    Lemma unit_r_entry j : (j < m)%nat -> Rabs (unit_r s w i j) <= 1.
    Proof.
      intros Hj. unfold unit_r. destruct (Req_EM_T _ 0) as [|Hne]; [rewrite Rabs_R0; lra|].
      assert (Hn := norm_pos m (r s w i)). assert (He := entry_le_norm m (r s w i) j Hj). unfold Rdiv.
      rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (apply Rlt_le, Rinv_0_lt_compat; lra). apply div_le; lra.
    Qed.
    Lemma unit_r_length : norm2 m (unit_r s w i) <= 1.
    Proof.
      unfold unit_r. destruct (Req_EM_T _ 0) as [|Hne]; [unfold norm2; rewrite sum_zeros; [lra|intros; ring]|].
      rewrite (norm2_ext m _ (fun j => / norm m (r s w i) * r s w i j)) by (intros; unfold Rdiv; ring).
      rewrite norm2_scal, <- norm_squared. apply Req_le. field. assumption.
    Qed.

    (* (3) Right signs and wrong ones, in all cases. *)
    Lemma step_3 j : (j < m)%nat -> - (grad (fst s) i j * unit_r s w i j)
      <= - floor * (grad (fst s) i j * g (fst s) w i j)
         + Rabs (grad (fst s) i j) * wrong (g (fst s) w i j) (grad (fst s) i j).
    Proof.
      intros Hj. destruct roots as (R1 & R2 & Hf). set (p := grad (fst s) i j). set (z := g (fst s) w i j).
      assert (Hu := unit_r_entry j Hj). assert (Hp := Rabs_pos p). destruct (Rle_or_lt (p * z) 0) as [Hno|Hyes].
      - assert (H1 : - (p * unit_r s w i j) <= Rabs p).
        { eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_Ropp, Rabs_mult. rewrite <- (Rmult_1_r (Rabs p)) at 2.
          now apply Rmult_le_compat_l. }
        assert (H2 : 0 <= floor * - (p * z)) by (apply Rmult_le_pos; lra).
        destruct (Req_dec p 0) as [E|E]; [rewrite E, Rabs_R0 in *; lra|].
        replace (wrong z p) with 1; [lra|]. unfold wrong.
        destruct (sign_cases p) as [[Sp ->]|[[Sp ->]|[? _]]]; [| |contradiction];
          destruct (sign_cases z) as [[Sz ->]|[[Sz ->]|[_ ->]]]; destruct (Req_EM_T _ _); try lra.
        + assert (0 < p * z) by pos. lra.
        + assert (0 < - p * - z) by (apply Rmult_lt_0_compat; lra). lra.
      - assert (Hz : z <> 0) by (intros E; rewrite E in Hyes; lra).
        destruct (r_is j Hj Hz) as (Hv & Er & Hn). fold z in Er.
        assert (H0 : 0 <= Rabs p * wrong z p) by (apply Rmult_le_pos; [assumption|apply wrong_bounds]).
        enough (floor * (p * z) <= p * unit_r s w i j) by lra.
        unfold unit_r. destruct (Req_EM_T (norm m (r s w i)) 0) as [|_]; [lra|]. rewrite Er.
        replace (p * (z / sqrt (new_v s w i j) / norm m (r s w i)))
          with (/ (sqrt (new_v s w i j) * norm m (r s w i)) * (p * z)) by (field; split; lra).
        apply Rmult_le_compat_r; [lra|]. unfold floor.
        replace (sqrt (1 - beta2) / (G * sqrt (INR m))) with (/ (G * (sqrt (INR m) / sqrt (1 - beta2))))
          by (field; repeat split; lra).
        apply Rinv_le_contravar; [pos|].
        apply Rmult_le_compat; [lra|lra|now apply step_2c|exact step_2b].
    Qed.
  End One_layer.

  (* (1) Descent. *)
  Lemma step_1 lr s w : 0 < lr -> f (fst (next lr s w)) <= f (fst s)
    + lr * sum h (fun i => phi (norm m (fst s i)) * sum m (fun j => - (grad (fst s) i j * unit_r s w i j)))
    + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L.
  Proof.
    intros Hlr. destruct A1 as [HL H]. eapply Rle_trans; [apply (H (fst s))|]. apply Rplus_le_compat.
    - apply Req_le. f_equal. rewrite <- sum_scal. apply sum_ext. intros i _. rewrite <- Rmult_assoc, <- sum_scal.
      apply sum_ext. intros j _. cbn [next fst]. unfold sub. ring.
    - rewrite <- sum_scal. apply sum_le. intros i Hi. specialize (HL i Hi).
      destruct (size_bounds (fst s) i) as [[Hl Hp] Hu].
      set (p := phi (norm m (fst s i))) in *.
      rewrite (norm2_ext m _ (fun j => - (lr * p) * unit_r s w i j))
        by (intros; cbn [next fst]; unfold sub, p; ring).
      rewrite norm2_scal. assert (Hd := unit_r_length s w i). assert (H0 := norm2_pos m (unit_r s w i)).
      assert (H1 : (- (lr * p)) ^ 2 * norm2 m (unit_r s w i) <= (lr * alpha_u) ^ 2 * 1).
      { apply Rmult_le_compat; [apply pow2_nonneg|assumption| |assumption].
        replace ((- (lr * p)) ^ 2) with ((lr * p) ^ 2) by ring.
        apply pow_incr. split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]. }
      replace (lr ^ 2 * alpha_u ^ 2 / 2 * L i) with (L i / 2 * ((lr * alpha_u) ^ 2 * 1)) by field.
      apply Rmult_le_compat_l; lra.
  Qed.

  (* (4) Expectations: the batch is unbiased, and a wrong sign is rare (as in the first part). *)
  Lemma step_4a x i : (i < h)%nat ->
    E (batches W b) (fun w => sum m (fun j => grad x i j * g x w i j)) = norm2 m (grad x i).
  Proof.
    intros Hi. rewrite E_sum. apply sum_ext. intros j Hj. rewrite E_scal. unfold g, batch_gradient.
    rewrite (batch_unbiased W m b (fun w => sample x w i) (grad x i) (fun j => A2_mean x i j Hi) some j Hj). ring.
  Qed.
  Lemma step_4b x i : (i < h)%nat ->
    E (batches W b) (fun w => sum m (fun j => Rabs (grad x i j) * wrong (g x w i j) (grad x i j)))
    <= sum m (fun j => sigma i j) / (2 * sqrt (INR b)).
  Proof. exact (lost_on_average W h m b grad sample sigma A2_mean A2_noise A2_sigma some x i). Qed.

  (* (5) One step. *)
  Lemma step_5 lr s : 0 < lr -> averages s ->
    E (batches W b) (fun w => f (fst (next lr s w))) <= f (fst s) - lr * alpha_l * floor * square_norm s
      + (lr * alpha_u * sigma_1 h m sigma / (2 * sqrt (INR b)) + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L).
  Proof.
    intros Hlr Hs. destruct roots as (_ & _ & Hf). assert (Hb : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, some).
    set (x := fst s).
    set (right w i := sum m (fun j => grad x i j * g x w i j)).
    set (charged w i := sum m (fun j => Rabs (grad x i j) * wrong (g x w i j) (grad x i j))).
    apply Rle_trans with (E (batches W b) (fun w => f x
      + lr * sum h (fun i => phi (norm m (x i)) * (- floor * right w i + charged w i))
      + lr ^ 2 * alpha_u ^ 2 / 2 * sum h L)).
    - apply E_le. intros w Hw. eapply Rle_trans; [now apply step_1|]. apply Rplus_le_compat_r, Rplus_le_compat_l.
      apply Rmult_le_compat_l; [lra|]. apply sum_le. intros i Hi. destruct (size_bounds x i).
      apply Rmult_le_compat_l; [fold x; lra|]. unfold right, charged. rewrite <- sum_scal, <- sum_plus.
      apply sum_le. intros j Hj. now apply step_3.
    - rewrite !E_plus, !E_const, E_scal, E_sum.
      assert (H : sum h (fun i => E (batches W b) (fun w => phi (norm m (x i)) * (- floor * right w i + charged w i)))
        <= sum h (fun i => - (alpha_l * floor) * norm2 m (grad x i)
          + alpha_u / (2 * sqrt (INR b)) * sum m (fun j => sigma i j))).
      { apply sum_le. intros i Hi. rewrite E_scal, E_plus, E_scal. unfold right at 1. rewrite step_4a by assumption.
        destruct (size_bounds x i) as [[Hl Hp] Hu]. set (p := phi (norm m (x i))) in *.
        assert (Hsq := norm2_pos m (grad x i)). assert (Hc := step_4b x i Hi). fold (charged) in Hc.
        assert (H1 : alpha_l * (floor * norm2 m (grad x i)) <= p * (floor * norm2 m (grad x i)))
          by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]).
        assert (H2 : p * E (batches W b) (fun w => charged w i)
          <= alpha_u * (sum m (fun j => sigma i j) / (2 * sqrt (INR b)))).
        { apply Rmult_le_compat; [lra| |lra|exact Hc]. apply E_nonneg. intros. apply sum_nonneg. intros.
          apply Rmult_le_pos; [apply Rabs_pos|apply wrong_bounds]. }
        replace (alpha_u / (2 * sqrt (INR b)) * sum m (fun j => sigma i j))
          with (alpha_u * (sum m (fun j => sigma i j) / (2 * sqrt (INR b)))) by (field; lra). lra. }
      rewrite sum_plus, !sum_scal in H. fold (square_norm s) in H. fold (sigma_1 h m sigma) in H.
      apply (Rmult_le_compat_l lr) in H; [|lra]. eapply Rle_trans; [apply Rplus_le_compat_r, Rplus_le_compat_l, H|].
      apply Req_le. unfold square_norm. fold x. field. lra.
  Qed.
End Memory.
