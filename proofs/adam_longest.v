(* Adam's longest step (prp-adam-longest): one coordinate, epsilon = 0; B_t of the page is `B t`. *)
Require Export adam.
Require Import toolbox_lengths.
Open Scope R_scope.

Lemma sum_reverse t x : sum t (fun s => x (t - S s)%nat) = sum t x.
Proof.
  induction t as [|t IH]; [reflexivity|]. rewrite sum_first, (sum_S t x), <- IH.
  replace (S t - 1)%nat with t by lia. rewrite Rplus_comm. reflexivity.
Qed.
Lemma power_squared x k : (x ^ k) ^ 2 = (x ^ 2) ^ k.
Proof. rewrite <- !pow_mult. f_equal. lia. Qed.
Lemma root_power x k : 0 <= x -> (sqrt x ^ k) ^ 2 = x ^ k.
Proof. intros H. now rewrite power_squared, sqrt_squared. Qed.

Section Longest.
  Variables beta1 beta2 : R.
  Variable g : nat -> R.
  Hypothesis rates : 0 <= beta1 < 1 /\ 0 < beta2 < 1.

  (* B_t of the page. *)
  Definition B t := (1 - beta1) / (1 - beta1 ^ t)
    * sqrt ((1 - beta2 ^ t) / (1 - beta2) * sum t (fun k => (beta1 ^ 2 / beta2) ^ k)).
  (* Two vectors: the pull on m, and the gradients in the weights of v. Entry s belongs to step s + 1. *)
  Definition pull t : vec := fun s => (beta1 / sqrt beta2) ^ (t - S s).
  Definition seen t : vec := fun s => sqrt beta2 ^ (t - S s) * g (S s).

  Lemma root_pos : 0 < sqrt beta2 /\ sqrt beta2 ^ 2 = beta2.
  Proof. split; [apply sqrt_lt_R0; lra|apply sqrt_squared; lra]. Qed.
  Lemma m_inner t : m beta1 g t = (1 - beta1) * inner t (seen t) (pull t).
  Proof.
    destruct root_pos as [Hr _]. unfold m, inner. rewrite ema_unrolled, <- sum_scal. apply sum_ext. intros s _.
    unfold seen, pull, Rdiv. rewrite Rpow_mult_distr, pow_inv. field. apply pow_nonzero. lra.
  Qed.
  Lemma v_norm t : v beta2 g t = (1 - beta2) * norm2 t (seen t).
  Proof.
    unfold v, norm2. rewrite ema_unrolled, <- sum_scal. apply sum_ext. intros s _. unfold seen.
    rewrite Rpow_mult_distr, root_power by lra. ring.
  Qed.
  Lemma pull_norm t : norm2 t (pull t) = sum t (fun k => (beta1 ^ 2 / beta2) ^ k).
  Proof.
    destruct root_pos as [Hr Hr2]. rewrite <- sum_reverse. apply sum_ext. intros s _. unfold pull.
    rewrite power_squared. f_equal. rewrite <- Hr2 at 2. field. lra.
  Qed.
  Lemma pull_pos t : (1 <= t)%nat -> 1 <= norm2 t (pull t).
  Proof.
    intros Ht. rewrite pull_norm. apply Rle_trans with ((beta1 ^ 2 / beta2) ^ 0); [rewrite pow_O; lra|].
    apply (sum_one t (fun k => (beta1 ^ 2 / beta2) ^ k)); [lia|]. intros. apply pow_le, Rle_mult_inv_pos; pos.
  Qed.
  (* Cauchy-Schwarz: m^2 <= (1 - beta1)^2 sum (beta1^2 / beta2)^k v / (1 - beta2), *)
  Lemma m_squared t : m beta1 g t ^ 2
    <= (1 - beta1) ^ 2 * sum t (fun k => (beta1 ^ 2 / beta2) ^ k) * (v beta2 g t / (1 - beta2)).
  Proof.
    rewrite m_inner, v_norm, <- pull_norm. replace ((1 - beta2) * norm2 t (seen t) / (1 - beta2))
      with (norm2 t (seen t)) by (field; lra).
    assert (H := Rmult_le_compat_l ((1 - beta1) ^ 2) _ _ (pow2_nonneg _) (inner_squared t (seen t) (pull t))). lra.
  Qed.
  (* with equality exactly when the gradients in the weights of v are a multiple of the pull. *)
  Lemma m_squared_equal t : (1 <= t)%nat -> (m beta1 g t ^ 2
    = (1 - beta1) ^ 2 * sum t (fun k => (beta1 ^ 2 / beta2) ^ k) * (v beta2 g t / (1 - beta2)) <->
    multiple t (seen t) (pull t)).
  Proof.
    intros Ht. assert (Hp := pull_pos t Ht). rewrite m_inner, v_norm, <- pull_norm.
    replace ((1 - beta2) * norm2 t (seen t) / (1 - beta2)) with (norm2 t (seen t)) by (field; lra).
    assert (Hb : 0 < (1 - beta1) ^ 2) by (apply pow_lt; lra). split; intros H.
    - exists (c t (seen t) (pull t)). apply lem_cauchy_schwarz_step_1.
      apply Rmult_eq_reg_r with (norm2 t (pull t)); [|lra]. rewrite lem_cauchy_schwarz_step_3 by lra.
      apply Rmult_eq_reg_l with ((1 - beta1) ^ 2); lra.
    - assert (H0 := multiple_equal t _ _ H). replace (((1 - beta1) * inner t (seen t) (pull t)) ^ 2)
        with ((1 - beta1) ^ 2 * inner t (seen t) (pull t) ^ 2) by ring.
      replace (inner t (seen t) (pull t) ^ 2) with (norm2 t (seen t) * norm2 t (pull t)) by lra. ring.
  Qed.
  (* What that means for the gradients. *)
  Lemma multiple_means t : 0 < beta1 -> (multiple t (seen t) (pull t) <->
    exists c, forall s, (1 <= s <= t)%nat -> g s = c * (beta2 / beta1) ^ s).
  Proof.
    intros Hb. destruct root_pos as [Hr Hr2].
    assert (same : forall s, (s < t)%nat ->
      (beta2 / beta1) ^ S s * (beta1 / beta2) ^ t * sqrt beta2 ^ (t - S s) = pull t s).
    { intros s Hs. replace t with (S s + (t - S s))%nat at 1 by lia. unfold pull. set (k := (t - S s)%nat).
      rewrite pow_add. transitivity ((beta2 / beta1 * (beta1 / beta2)) ^ S s * (beta1 / beta2 * sqrt beta2) ^ k);
        [rewrite !Rpow_mult_distr; ring|].
      replace (beta2 / beta1 * (beta1 / beta2)) with 1 by (field; lra). rewrite pow1, Rmult_1_l. f_equal.
      rewrite <- Hr2 at 1. field. lra. }
    assert (Hroot : forall k, sqrt beta2 ^ k <> 0) by (intros; apply pow_nonzero; lra).
    assert (Hpow : (beta1 / beta2) ^ t <> 0).
    { apply pow_nonzero. apply Rgt_not_eq, Rdiv_lt_0_compat; lra. }
    split; intros [c Hc].
    - exists (c * (beta1 / beta2) ^ t). intros s Hs. destruct s as [|s]; [lia|]. assert (H := Hc s ltac:(lia)).
      rewrite <- (same s) in H by lia. unfold seen in H. apply Rmult_eq_reg_l with (sqrt beta2 ^ (t - S s)); [|auto].
      rewrite H. ring.
    - exists (c / (beta1 / beta2) ^ t). intros s Hs. rewrite <- (same s) by lia. unfold seen.
      rewrite (Hc (S s)) by lia. field. auto.
  Qed.
  Lemma multiple_means_0 t : beta1 = 0 -> (1 <= t)%nat -> (multiple t (seen t) (pull t) <->
    forall s, (1 <= s < t)%nat -> g s = 0).
  Proof.
    intros Hb Ht. destruct root_pos as [Hr _].
    assert (Hpull : forall s, (S s < t)%nat -> pull t s = 0).
    { intros s Hs. unfold pull. rewrite Hb. unfold Rdiv. rewrite Rmult_0_l. apply pow_i. lia. }
    split.
    - intros [c Hc] s Hs. destruct s as [|s]; [lia|]. assert (H := Hc s ltac:(lia)). rewrite Hpull in H by lia.
      unfold seen in H. rewrite Rmult_0_r in H. apply Rmult_integral in H. destruct H as [H|H]; [|exact H].
      exfalso. revert H. apply pow_nonzero. lra.
    - intros H. exists (g t). intros s Hs. destruct (Nat.eq_dec (S s) t) as [He|Hne].
      + unfold seen, pull. rewrite He, Nat.sub_diag, !pow_O. ring.
      + rewrite Hpull by lia. unfold seen. rewrite H by lia. ring.
  Qed.

  (* Insert the corrections. *)
  Lemma v_pos t : (exists s, (1 <= s <= t)%nat /\ g s <> 0) -> 0 < v beta2 g t.
  Proof.
    intros (s & Hs & Hg). destruct root_pos as [Hr _]. rewrite v_norm. apply Rmult_lt_0_compat; [lra|].
    destruct (norm2_pos t (seen t)) as [H|H]; [exact H|exfalso]. destruct s as [|s]; [lia|].
    assert (H0 := norm2_zero t _ (eq_sym H) s ltac:(lia)). unfold seen in H0. apply Rmult_integral in H0.
    destruct H0 as [H0|H0]; [|contradiction]. revert H0. apply pow_nonzero. lra.
  Qed.
  Lemma corrected t : (1 <= t)%nat -> 0 < v beta2 g t ->
    let k := (1 - beta2 ^ t) / ((1 - beta1 ^ t) ^ 2 * v beta2 g t) in
    0 < k /\ 0 <= B t /\ (Rabs (m_hat beta1 g t) / sqrt (v_hat beta2 g t)) ^ 2 = m beta1 g t ^ 2 * k /\
    B t ^ 2 = (1 - beta1) ^ 2 * sum t (fun k => (beta1 ^ 2 / beta2) ^ k) * (v beta2 g t / (1 - beta2)) * k.
  Proof.
    intros Ht Hv k. assert (C1 := corrects beta1 t ltac:(lra) Ht). assert (C2 := corrects beta2 t ltac:(lra) Ht).
    assert (Hp := pull_pos t Ht). rewrite pull_norm in Hp.
    assert (Hk : 0 < (1 - beta1 ^ t) ^ 2) by (apply pow_lt; lra). unfold k, B.
    split; [|split; [|split]].
    - apply Rdiv_lt_0_compat; [lra|]. now apply Rmult_lt_0_compat.
    - apply Rmult_le_pos; [apply Rle_mult_inv_pos; lra|apply sqrt_pos].
    - unfold m_hat, v_hat, Rdiv.
      rewrite Rpow_mult_distr, pow2_Rabs, pow_inv, sqrt_squared by (apply Rle_mult_inv_pos; lra).
      field. repeat split; lra.
    - rewrite Rpow_mult_distr, sqrt_squared; [field; repeat split; lra|].
      apply Rmult_le_pos; [apply Rle_mult_inv_pos; lra|lra].
  Qed.

  (* prp-adam-longest. No |m_hat| / sqrt v_hat exceeds B_t; for beta1 > 0 it reaches B_t exactly when g_s is
     proportional to (beta2 / beta1)^s, for beta1 = 0 when all gradients but the newest are zero. *)
  Theorem prp_adam_longest t : (exists s, (1 <= s <= t)%nat /\ g s <> 0) ->
    Rabs (m_hat beta1 g t) / sqrt (v_hat beta2 g t) <= B t /\
    (0 < beta1 -> (Rabs (m_hat beta1 g t) / sqrt (v_hat beta2 g t) = B t <->
      exists c, forall s, (1 <= s <= t)%nat -> g s = c * (beta2 / beta1) ^ s)) /\
    (beta1 = 0 -> (Rabs (m_hat beta1 g t) / sqrt (v_hat beta2 g t) = B t <->
      forall s, (1 <= s < t)%nat -> g s = 0)).
  Proof.
    intros Hg. assert (Ht : (1 <= t)%nat) by (destruct Hg as (s & Hs & _); lia). assert (Hv := v_pos t Hg).
    destruct (corrected t Ht Hv) as (Hk & HB & Hx & Hy). set (k := (1 - beta2 ^ t) / _) in *.
    set (x := Rabs _ / _) in *. assert (Hm := m_squared t).
    assert (Hx0 : 0 <= x).
    { apply Rle_mult_inv_pos; [apply Rabs_pos|]. apply sqrt_lt_R0, Rdiv_lt_0_compat; [exact Hv|].
      apply corrects; [lra|exact Ht]. }
    assert (Heq : x = B t <-> multiple t (seen t) (pull t)).
    { rewrite <- m_squared_equal by exact Ht. split; intros H.
      - apply Rmult_eq_reg_r with k; [|lra]. rewrite <- Hx, <- Hy, H. reflexivity.
      - apply Rle_antisym; apply le_of_squares; try assumption; rewrite Hx, Hy, H; apply Rle_refl. }
    split; [|split; intros Hb; rewrite Heq; [now apply multiple_means|now apply multiple_means_0]].
    apply le_of_squares; [exact HB|]. rewrite Hx, Hy. apply Rmult_le_compat_r; lra.
  Qed.

  (* In the long run. *)
  Lemma geometric x t : x <> 1 -> sum t (fun k => x ^ k) = (1 - x ^ t) / (1 - x).
  Proof.
    intros Hx. induction t as [|t IH]; [rewrite sum_O, pow_O; field; lra|].
    rewrite sum_S, IH, <- tech_pow_Rmult. field. lra.
  Qed.
  Lemma one_less_power x : 0 <= x < 1 -> Un_cv (fun t => 1 - x ^ t) 1.
  Proof.
    intros Hx. assert (H := CV_minus _ _ _ _ (constant_limit 1) (power_to_zero x Hx)).
    rewrite Rminus_0_r in H. exact H.
  Qed.
  (* Where beta1^2 < beta2, B_t tends to (1 - beta1) / sqrt ((1 - beta2) (1 - beta1^2 / beta2)). *)
  Theorem prp_adam_longest_limit : beta1 ^ 2 < beta2 ->
    Un_cv B ((1 - beta1) / sqrt ((1 - beta2) * (1 - beta1 ^ 2 / beta2))).
  Proof.
    intros Hr. set (r := beta1 ^ 2 / beta2).
    assert (Hr01 : 0 <= r < 1).
    { unfold r. assert (H := pow2_nonneg beta1). split; [apply Rle_mult_inv_pos; lra|].
      apply Rmult_lt_reg_r with beta2; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    set (k := / ((1 - beta2) * (1 - r))). assert (Hk : 0 < k) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
    apply (same_limit _ (fun t => (1 - beta1) * / (1 - beta1 ^ t) * sqrt ((1 - beta2 ^ t) * (1 - r ^ t) * k))).
    - intros t Ht. unfold B. fold r. rewrite geometric by lra. unfold Rdiv at 1. f_equal. f_equal. unfold k. field. lra.
    - replace (_ / sqrt _) with ((1 - beta1) * 1 * sqrt (1 * 1 * k))
        by (unfold k; rewrite !Rmult_1_l, sqrt_inv; unfold Rdiv; ring).
      assert (H2 := one_less_power beta2 ltac:(lra)). assert (H3 := one_less_power r Hr01).
      apply (CV_mult (fun t => (1 - beta1) * / (1 - beta1 ^ t))).
      + apply (CV_mult (fun _ => 1 - beta1)); [apply constant_limit|apply inverse_limit; lra].
      + apply (continuity_seq sqrt (fun t => (1 - beta2 ^ t) * (1 - r ^ t) * k)); [apply continuity_pt_sqrt; lra|].
        apply (CV_mult (fun t => (1 - beta2 ^ t) * (1 - r ^ t))); [|apply constant_limit]. now apply CV_mult.
  Qed.
  (* Otherwise the sum has t terms that are at least 1. *)
  Lemma many_terms t : beta2 <= beta1 ^ 2 -> (1 <= t)%nat -> (1 - beta1) * sqrt (INR t) <= B t.
  Proof.
    intros Hr Ht. assert (C1 := corrects beta1 t ltac:(lra) Ht). assert (C2 := power_bounds beta2 t ltac:(lra) Ht).
    assert (Hsum : INR t <= sum t (fun k => (beta1 ^ 2 / beta2) ^ k)).
    { rewrite <- (Rmult_1_r (INR t)), <- sum_const. apply sum_le. intros k _. apply pow_R1_Rle.
      apply le_div; lra. }
    unfold B. apply Rmult_le_compat; [lra|apply sqrt_pos|apply le_div; [lra|]|apply sqrt_le_1_alt].
    - rewrite <- (Rmult_1_r (1 - beta1)) at 2. apply Rmult_le_compat_l; lra.
    - assert (H1 : 1 <= (1 - beta2 ^ t) / (1 - beta2)) by (apply le_div; lra). assert (Ht0 := pos_INR t).
      rewrite <- (Rmult_1_l (INR t)). apply Rmult_le_compat; lra.
  Qed.
  (* Where beta2 <= beta1^2, B_t grows without end. *)
  Theorem prp_adam_longest_infinite : beta2 <= beta1 ^ 2 ->
    forall bound, exists N, forall t, (N <= t)%nat -> bound < B t.
  Proof.
    intros Hr bound. set (z := Rabs bound / (1 - beta1)).
    assert (Hz : 0 <= z) by (apply Rle_mult_inv_pos; [apply Rabs_pos|lra]).
    assert (Hz2 := pow2_nonneg z).
    destruct (archimed_cor1 (/ (1 + z ^ 2))) as (N & HN & HN0); [apply Rinv_0_lt_compat; lra|].
    exists N. intros t Ht. assert (Ht0 := INR_pos t ltac:(lia)). assert (HN1 := INR_pos N ltac:(lia)).
    assert (Hlt : z ^ 2 < INR t).
    { apply Rlt_le_trans with (INR N); [|now apply le_INR]. apply Rnot_le_lt. intros H.
      assert (H1 : / (1 + z ^ 2) <= / INR N) by (apply Rinv_le_contravar; lra). lra. }
    apply Rle_lt_trans with (Rabs bound); [apply Rle_abs|].
    eapply Rlt_le_trans; [|apply many_terms; [exact Hr|lia]].
    replace (Rabs bound) with ((1 - beta1) * z) by (unfold z; field; lra). apply Rmult_lt_compat_l; [lra|].
    rewrite <- (Rabs_pos_eq z Hz), <- sqrt_of_square. now apply sqrt_lt_1_alt.
  Qed.
End Longest.

(* An instance: the usual betas, and the gradients with equality. *)
Lemma prp_adam_longest_instance t : (1 <= t)%nat ->
  let g s := (999 / 1000 / (9 / 10)) ^ s in
  Rabs (m_hat (9 / 10) g t) / sqrt (v_hat (999 / 1000) g t) = B (9 / 10) (999 / 1000) t.
Proof.
  intros Ht g.
  destruct (prp_adam_longest (9 / 10) (999 / 1000) g ltac:(lra) t) as (_ & H & _).
  - exists t. split; [lia|]. apply pow_nonzero. lra.
  - apply H; [lra|]. exists 1. intros s _. unfold g. ring.
Qed.
