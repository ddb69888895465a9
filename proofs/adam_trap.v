(* Adam can walk to the worst point (thm-adam-trap): the losses C x, -x, -x on [-1, 1].

   Rounds are counted from 1, as on the page; `x_after t` is the position after t rounds, the page's x_{t+1}. *)
Require Export averages adam_roots.
Open Scope R_scope.

Section Trap.
  Variables C beta2 lr : R.
  Hypothesis steep : 2 < C.
  Hypothesis forgetful : 0 <= beta2 <= 1 / (1 + C ^ 2).
  Hypothesis rates : 0 < lr < sqrt (1 - beta2).

  (* f_t(x) = slope t x. *)
  Definition slope (t : nat) : R := if Nat.eqb (t mod 3) 1 then C else -1.
  (* eq-adam-projected *)
  Definition v t := ema beta2 (fun s => slope s ^ 2) t.
  Definition step t := lr / sqrt (INR t) * (slope t / sqrt (v t)).
  Definition clip y := Rmin 1 (Rmax (-1) y).
  Fixpoint x_after t := match t with O => 1 | S s => clip (x_after s - step (S s)) end.
  (* The loss that was paid in T rounds, less the loss of the fixed point u. *)
  Definition regret T u := sum T (fun t => slope (S t) * x_after t) - sum T (fun t => slope (S t) * u).
  (* The step down and the two steps up of period k. *)
  Definition delta k := step (3 * k + 1).
  Definition up1 k := - step (3 * k + 2).
  Definition up2 k := - step (3 * k + 3).

  Lemma slopes k : slope (3 * k + 1) = C /\ slope (3 * k + 2) = -1 /\ slope (3 * k + 3) = -1.
  Proof.
    unfold slope. repeat split.
    - replace (3 * k + 1)%nat with (1 + k * 3)%nat by lia. rewrite Nat.mod_add by lia. reflexivity.
    - replace (3 * k + 2)%nat with (2 + k * 3)%nat by lia. rewrite Nat.mod_add by lia. reflexivity.
    - replace (3 * k + 3)%nat with (0 + (k + 1) * 3)%nat by lia. rewrite Nat.mod_add by lia. reflexivity.
  Qed.
  (* All that the proof needs of beta2. *)
  Lemma beta2_small : beta2 * C ^ 2 <= 1 - beta2 /\ beta2 <= 1 / 5 /\ 4 < C ^ 2.
  Proof.
    assert (H2 := pow2_nonneg (C - 2)). assert (H4 : 4 < C ^ 2) by lra.
    assert (H1 : beta2 * (1 + C ^ 2) <= 1).
    { apply Rle_trans with (1 / (1 + C ^ 2) * (1 + C ^ 2)); [apply Rmult_le_compat_r; lra|apply Req_le; field; lra]. }
    assert (H5 : beta2 * (1 + 4) <= beta2 * (1 + C ^ 2)) by (apply Rmult_le_compat_l; lra). lra.
  Qed.
  Lemma v_bounds t : 0 <= v t <= C ^ 2.
  Proof.
    destruct beta2_small as (_ & H5 & H4). split.
    - apply ema_nonneg; [lra|]. intros. apply pow2_nonneg.
    - apply Rle_trans with (ema beta2 (fun _ => C ^ 2) t).
      + apply ema_le; [lra|]. intros s _. unfold slope. destruct (Nat.eqb _ _); [lra|].
        replace ((-1) ^ 2) with 1 by ring. lra.
      + rewrite ema_const. assert (0 <= beta2 ^ t * C ^ 2) by (apply Rmult_le_pos; [apply pow_le|]; lra). lra.
  Qed.
  (* One round of v. *)
  Lemma v_next k : v (3 * k + 1) = beta2 * v (3 * k) + (1 - beta2) * C ^ 2 /\
    v (3 * k + 2) = beta2 * v (3 * k + 1) + (1 - beta2) /\ v (3 * k + 3) = beta2 * v (3 * k + 2) + (1 - beta2).
  Proof.
    destruct (slopes k) as (H1 & H2 & H3). unfold v.
    replace (3 * k + 3)%nat with (S (3 * k + 2)) by lia. replace (3 * k + 2)%nat with (S (3 * k + 1)) by lia.
    replace (3 * k + 1)%nat with (S (3 * k)) by lia. rewrite !ema_S.
    replace (S (3 * k)) with (3 * k + 1)%nat by lia. replace (S (3 * k + 1)) with (3 * k + 2)%nat by lia.
    replace (S (3 * k + 2)) with (3 * k + 3)%nat by lia. rewrite H1, H2, H3. repeat split; ring.
  Qed.

  (* (1) The size of v. *)
  Lemma step_1 k : (1 - beta2) * C ^ 2 <= v (3 * k + 1) <= C ^ 2.
  Proof.
    split; [|apply v_bounds]. destruct (v_next k) as [-> _]. assert (H := v_bounds (3 * k)).
    assert (0 <= beta2 * v (3 * k)) by (apply Rmult_le_pos; lra). lra.
  Qed.
  (* (2) The step down is short. *)
  Lemma step_2 k : 0 < delta k <= lr / sqrt (INR (3 * k + 1) * (1 - beta2)) /\
    lr / sqrt (INR (3 * k + 1) * (1 - beta2)) < 1.
  Proof.
    destruct beta2_small as (_ & H5 & H4). destruct (slopes k) as [Hs _]. assert (H1 := step_1 k).
    assert (Hn := INR_ge_1 (3 * k + 1) ltac:(lia)). set (n := INR (3 * k + 1)) in *.
    assert (Hlow : 0 < (1 - beta2) * C ^ 2) by (apply Rmult_lt_0_compat; lra).
    assert (Hd : delta k = lr * (1 / sqrt n) * (C * (1 / sqrt (v (3 * k + 1)))))
      by (unfold delta, step; fold n; rewrite Hs; unfold Rdiv; ring).
    assert (Hr := over_root_pos n ltac:(lra)). assert (Hv := over_root_pos (v (3 * k + 1)) ltac:(lra)).
    assert (Hp : 0 < lr * (1 / sqrt n)) by (apply Rmult_lt_0_compat; lra).
    split; [split|].
    - rewrite Hd. apply Rmult_lt_0_compat; [exact Hp|]. apply Rmult_lt_0_compat; lra.
    - replace (lr / sqrt (n * (1 - beta2))) with (lr * (1 / sqrt (n * (1 - beta2)))) by (unfold Rdiv; ring).
      rewrite over_root_mult, Hd, <- (Rmult_assoc lr) by lra. apply Rmult_le_compat_l; [lra|].
      replace (1 / sqrt (1 - beta2)) with (C * (1 / sqrt ((1 - beta2) * C ^ 2))).
      + apply Rmult_le_compat_l; [lra|]. apply over_root_le. lra.
      + rewrite sqrt_mult, sqrt_of_square, Rabs_pos_eq by lra.
        assert (Hq := sqrt_lt_R0 (1 - beta2) ltac:(lra)). field. lra.
    - assert (Hq : sqrt (1 - beta2) <= sqrt (n * (1 - beta2))).
      { apply sqrt_le_1_alt. rewrite <- (Rmult_1_l (1 - beta2)) at 1. apply Rmult_le_compat_r; lra. }
      apply Rmult_lt_reg_r with (sqrt (n * (1 - beta2))); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  Qed.
  (* (3) Then v forgets. *)
  Lemma step_3 k : 0 < v (3 * k + 2) <= 2 * (1 - beta2) /\ 0 < v (3 * k + 3) <= 2 * (1 - beta2).
  Proof.
    destruct beta2_small as (Hb & H5 & H4). destruct (v_next k) as (_ & E2 & E3). assert (H1 := step_1 k).
    assert (Hv := v_bounds (3 * k + 1)).
    assert (Hb1 : 0 <= beta2 * v (3 * k + 1)) by (apply Rmult_le_pos; lra).
    assert (Hb2 : beta2 * v (3 * k + 1) <= beta2 * C ^ 2) by (apply Rmult_le_compat_l; lra).
    assert (Hv2 : v (3 * k + 2) <= 2 * (1 - beta2)) by lra.
    assert (Hb3 : 0 <= beta2 * v (3 * k + 2)) by (apply Rmult_le_pos; lra).
    assert (Hb4 : beta2 * v (3 * k + 2) <= beta2 * (2 * (1 - beta2))) by (apply Rmult_le_compat_l; lra).
    assert (Hb5 : beta2 * (2 * (1 - beta2)) <= 1 / 5 * (2 * (1 - beta2))) by (apply Rmult_le_compat_r; lra). lra.
  Qed.
  (* A step up, with one root. *)
  Lemma ups k : up1 k = lr * (1 / sqrt (v (3 * k + 2) * INR (3 * k + 2))) /\
    up2 k = lr * (1 / sqrt (v (3 * k + 3) * INR (3 * k + 3))).
  Proof.
    destruct (step_3 k) as (H2 & H3). destruct (slopes k) as (_ & S2 & S3).
    assert (N2 := INR_pos (3 * k + 2) ltac:(lia)). assert (N3 := INR_pos (3 * k + 3) ltac:(lia)).
    rewrite !over_root_mult by lra. unfold up1, up2, step. rewrite S2, S3. unfold Rdiv. split; ring.
  Qed.
  Lemma ups_pos k : 0 < up1 k /\ 0 < up2 k.
  Proof.
    destruct (ups k) as [-> ->]. destruct (step_3 k) as (H2 & H3).
    assert (N2 := INR_pos (3 * k + 2) ltac:(lia)). assert (N3 := INR_pos (3 * k + 3) ltac:(lia)).
    split; apply Rmult_lt_0_compat; try apply over_root_pos; try apply Rmult_lt_0_compat; lra.
  Qed.
  (* (4) So the steps up are long. *)
  Lemma step_4 k :
    lr / sqrt (2 * (1 - beta2)) * (1 / sqrt (INR (3 * k + 2)) + 1 / sqrt (INR (3 * k + 3))) <= up1 k + up2 k.
  Proof.
    destruct (ups k) as [-> ->]. destruct (step_3 k) as (H2 & H3). destruct beta2_small as (_ & H5 & _).
    assert (N2 := INR_pos (3 * k + 2) ltac:(lia)). assert (N3 := INR_pos (3 * k + 3) ltac:(lia)).
    rewrite !over_root_mult by lra. assert (P2 := over_root_pos _ N2). assert (P3 := over_root_pos _ N3).
    assert (L2 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ P2) (over_root_le _ _ H2)).
    assert (L3 := Rmult_le_compat_r _ _ _ (Rlt_le _ _ P3) (over_root_le _ _ H3)).
    rewrite <- Rmult_plus_distr_l. replace (lr / sqrt (2 * (1 - beta2))) with (lr * (1 / sqrt (2 * (1 - beta2))))
      by (unfold Rdiv; ring). rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
  Qed.
  (* (5) From the second period on, up beats down. *)
  Lemma step_5 k : (1 <= k)%nat -> delta k <= up1 k + up2 k.
  Proof.
    intros Hk. destruct (step_2 k) as [[_ H2] _]. destruct beta2_small as (_ & H5 & _).
    eapply Rle_trans; [exact H2|]. eapply Rle_trans; [|apply step_4].
    assert (N1 := INR_pos (3 * k + 1) ltac:(lia)). set (n := INR (3 * k + 1)) in *.
    assert (far : forall i, (1 <= i <= 3)%nat -> 1 / sqrt (2 * n) <= 1 / sqrt (INR (3 * k + i))).
    { intros i Hi. apply over_root_le. split; [apply INR_pos; lia|]. unfold n. rewrite <- INR_two, <- mult_INR.
      apply le_INR. lia. }
    assert (H : lr * (1 / sqrt (2 * (1 - beta2)) * (2 * (1 / sqrt (2 * n))))
      <= lr * (1 / sqrt (2 * (1 - beta2)) * (1 / sqrt (INR (3 * k + 2)) + 1 / sqrt (INR (3 * k + 3))))).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [apply Rlt_le, over_root_pos; lra|].
      assert (F2 := far 2%nat ltac:(lia)). assert (F3 := far 3%nat ltac:(lia)). lra. }
    replace (lr / sqrt (n * (1 - beta2))) with (lr * (1 / sqrt (2 * (1 - beta2)) * (2 * (1 / sqrt (2 * n)))));
      [unfold Rdiv in *; lra|].
    rewrite !over_root_mult by lra. rewrite sqrt_mult by lra. assert (Hr := sqrt_lt_R0 n N1).
    assert (Hb := sqrt_lt_R0 (1 - beta2) ltac:(lra)). assert (H22 := sqrt_squared 2 ltac:(lra)).
    assert (Ht := sqrt_lt_R0 2 ltac:(lra)). rewrite <- H22 at 2. field. repeat split; lra.
  Qed.
  (* (6) The first period needs its own line. *)
  Lemma step_6_bracket b : 0 <= b <= 1 / 5 -> 1 <= 1 / sqrt (2 * (2 - b)) + 1 / sqrt (3 * (1 + 2 * b - b ^ 2)).
  Proof.
    intros Hb. assert (Hb2 : 0 <= b ^ 2 <= 1 / 5 * b).
    { split; [apply pow2_nonneg|]. replace (b ^ 2) with (b * b) by ring. apply Rmult_le_compat_r; lra. }
    assert (Hp := pow2_nonneg (b - 1 / 5)). destruct (Rle_or_lt b (1 / 10)) as [H|H].
    - assert (H1 := over_root_ge (1 / 2) (2 * (2 - b)) ltac:(lra) ltac:(lra) ltac:(lra)).
      assert (H2 := over_root_ge (1 / 2) (3 * (1 + 2 * b - b ^ 2)) ltac:(lra) ltac:(lra) ltac:(lra)). lra.
    - assert (H1 := over_root_ge (51 / 100) (2 * (2 - b)) ltac:(lra) ltac:(lra) ltac:(lra)).
      assert (H2 := over_root_ge (49 / 100) (3 * (1 + 2 * b - b ^ 2)) ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  Qed.
  Lemma step_6 : delta 0 <= up1 0 + up2 0.
  Proof.
    destruct (step_2 0) as [[_ H2] _]. destruct beta2_small as (Hb & H5 & H4). destruct (v_next 0) as (E1 & E2 & E3).
    destruct (ups 0) as [-> ->]. destruct (step_3 0) as [P2 P3]. set (b := beta2) in *.
    change (v (3 * 0)) with 0 in E1. change (3 * 0 + 1)%nat with 1%nat in *. change (3 * 0 + 2)%nat with 2%nat in *.
    change (3 * 0 + 3)%nat with 3%nat in *. rewrite INR_one, Rmult_1_l in H2. rewrite INR_two.
    replace (INR 3) with 3 by (rewrite S_INR, INR_two; ring).
    assert (Hbb : b * (b * C ^ 2) <= b * (1 - b)) by (apply Rmult_le_compat_l; lra).
    assert (V2 : v 2 <= (1 - b) * (2 - b)).
    { rewrite E2, E1. replace (b * (b * 0 + (1 - b) * C ^ 2)) with ((1 - b) * (b * C ^ 2)) by ring.
      assert ((1 - b) * (b * C ^ 2) <= (1 - b) * (1 - b)) by (apply Rmult_le_compat_l; lra). lra. }
    assert (V3 : v 3 <= (1 - b) * (1 + 2 * b - b ^ 2)).
    { rewrite E3. assert (b * v 2 <= b * ((1 - b) * (2 - b))) by (apply Rmult_le_compat_l; lra). lra. }
    assert (Hb2 : b ^ 2 <= b) by (replace (b ^ 2) with (b * b) by ring; rewrite <- (Rmult_1_r b) at 3;
      apply Rmult_le_compat_l; lra).
    assert (L2 := over_root_le (v 2 * 2) ((1 - b) * (2 * (2 - b))) ltac:(lra)).
    assert (L3 := over_root_le (v 3 * 3) ((1 - b) * (3 * (1 + 2 * b - b ^ 2))) ltac:(lra)).
    rewrite over_root_mult in L2, L3 by lra. assert (Hpos := over_root_pos (1 - b) ltac:(lra)).
    assert (Hx := Rmult_le_compat_l _ _ _ (Rlt_le _ _ Hpos) (step_6_bracket b ltac:(lra))).
    eapply Rle_trans; [exact H2|]. replace (lr / sqrt (1 - b)) with (lr * (1 / sqrt (1 - b))) by (unfold Rdiv; ring).
    rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; lra.
  Qed.

  (* (7) Back at the top. *)
  Lemma clip_above y : 1 <= y -> clip y = 1.
  Proof. intros H. unfold clip. rewrite Rmax_right, Rmin_left; lra. Qed.
  Lemma clip_inside y : -1 <= y <= 1 -> clip y = y.
  Proof. intros H. unfold clip. rewrite Rmax_right, Rmin_right; lra. Qed.
  Lemma step_7 k : x_after (3 * k) = 1 -> 0 <= x_after (3 * k + 1) <= 1 /\ 0 <= x_after (3 * k + 2) <= 1 /\
    x_after (3 * k + 3) = 1.
  Proof.
    intros Hx. destruct (step_2 k) as [[D0 D1] D2]. destruct (ups_pos k) as [U1 U2].
    assert (up_beats_down : delta k <= up1 k + up2 k) by (destruct k; [exact step_6|apply step_5; lia]).
    assert (X1 : x_after (3 * k + 1) = 1 - delta k).
    { unfold delta. rewrite Nat.add_1_r. cbn [x_after]. rewrite Hx, <- Nat.add_1_r. fold (delta k).
      apply clip_inside. lra. }
    assert (X2 : x_after (3 * k + 2) = clip (1 - delta k + up1 k)).
    { replace (3 * k + 2)%nat with (S (3 * k + 1)) by lia. cbn [x_after]. rewrite X1. f_equal. unfold up1.
      replace (3 * k + 2)%nat with (S (3 * k + 1)) by lia. ring. }
    assert (X3 : x_after (3 * k + 3) = clip (x_after (3 * k + 2) + up2 k)).
    { replace (3 * k + 3)%nat with (S (3 * k + 2)) by lia. cbn [x_after]. f_equal. unfold up2.
      replace (3 * k + 3)%nat with (S (3 * k + 2)) by lia. ring. }
    rewrite X3, X1, X2. destruct (Rle_or_lt 1 (1 - delta k + up1 k)) as [H|H].
    - rewrite (clip_above (1 - delta k + up1 k)), clip_above by lra. lra.
    - rewrite (clip_inside (1 - delta k + up1 k)), clip_above by lra. lra.
  Qed.
  Lemma at_the_top k : x_after (3 * k) = 1.
  Proof.
    induction k as [|k IH]; [reflexivity|]. replace (3 * S k)%nat with (3 * k + 3)%nat by lia. now apply step_7.
  Qed.
  (* (8) Regret of one period. *)
  Lemma sum_period k y : sum (3 * S k) (fun t => slope (S t) * y t)
    = sum (3 * k) (fun t => slope (S t) * y t) + (C * y (3 * k)%nat - y (3 * k + 1)%nat - y (3 * k + 2)%nat).
  Proof.
    destruct (slopes k) as (H1 & H2 & H3). replace (3 * S k)%nat with (S (S (S (3 * k)))) by lia. rewrite !sum_S.
    replace (S (3 * k)) with (3 * k + 1)%nat by lia. replace (S (3 * k + 1)) with (3 * k + 2)%nat by lia.
    replace (S (3 * k + 2)) with (3 * k + 3)%nat by lia. rewrite H1, H2, H3. ring.
  Qed.
  Lemma fixed_point k u : sum (3 * k) (fun t => slope (S t) * u) = INR k * ((C - 2) * u).
  Proof.
    induction k as [|k IH]; [rewrite INR_zero; cbn [Nat.mul]; rewrite sum_O; ring|].
    rewrite (sum_period k (fun _ => u)), IH, S_INR. ring.
  Qed.
  Lemma step_8 k : INR k * (2 * C - 4) <= regret (3 * k) (-1).
  Proof.
    unfold regret. rewrite fixed_point. induction k as [|k IH].
    - rewrite INR_zero. cbn [Nat.mul]. rewrite sum_O. lra.
    - rewrite sum_period, S_INR. destruct (step_7 k (at_the_top k)) as (H1 & H2 & _). rewrite at_the_top. lra.
  Qed.

  (* thm-adam-trap. x_t is never below 0, and at 1, the worst point, every third round; so against -1, the best fixed
     point, the regret is at least (2 C - 4) / 3 T when 3 divides T. *)
  Theorem thm_adam_trap : (forall k, x_after (3 * k) = 1) /\ (forall t, 0 <= x_after t) /\
    forall T, Nat.divide 3 T -> (2 * C - 4) / 3 * INR T <= regret T (-1) /\
      forall u, -1 <= u <= 1 -> regret T u <= regret T (-1).
  Proof.
    split; [exact at_the_top|]. split.
    - intros t. assert (Ht : exists k, (t = 3 * k \/ t = 3 * k + 1 \/ t = 3 * k + 2)%nat).
      { induction t as [|t (k & [H|[H|H]])]; [exists O; lia|exists k; lia|exists k; lia|exists (S k); lia]. }
      destruct Ht as (k & Ht). destruct (step_7 k (at_the_top k)) as (H1 & H2 & _). assert (H0 := at_the_top k).
      destruct Ht as [->|[->| ->]]; lra.
    - intros T [k ->]. rewrite (Nat.mul_comm k 3). split.
      + eapply Rle_trans; [|apply step_8]. rewrite mult_INR. replace (INR 3) with 3 by (rewrite S_INR, INR_two; ring).
        apply Req_le. field.
      + intros u Hu. unfold regret. rewrite !fixed_point. assert (Hk := pos_INR k).
        assert (H : INR k * ((C - 2) * -1) <= INR k * ((C - 2) * u)); [|lra].
        apply Rmult_le_compat_l; [exact Hk|]. apply Rmult_le_compat_l; lra.
  Qed.
End Trap.
