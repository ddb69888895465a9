(* The last iterate of SGD with linear decay to zero, alone (thm-schedules-linear) or after a constant rate
   (thm-schedules-cooldown). The note and steps (1) and (2) are in schedules.v. *)
Require Export schedules.
Open Scope R_scope.

Section Decay.
  Variable W : space.                  (* the law of one stochastic gradient: a sample, or a batch *)
  Variable d : nat.
  Variable f : vec -> R.
  Variable grad : vec -> vec.          (* a subgradient of f at each point *)
  Variable sample : vec -> nat -> vec.
  Variable G : R.
  Hypothesis B1 : forall x y, f x + inner d (grad x) (sub y x) <= f y.
  Hypothesis B2_mean : forall x j, (j < d)%nat -> E W (fun w => sample x w j) = grad x j.
  Hypothesis B2_size : forall x, E W (fun w => norm2 d (sample x w)) <= G ^ 2.

  Notation stepped := (stepped sample).
  Notation apart := (apart d).
  Notation between := schedules.between.

  (* ---- The last iterate with linear decay to zero. ---- *)
  Section Linear.
    Variable lr : R.
    Variable T : nat.
    Hypothesis lr_pos : 0 < lr.
    Hypothesis some : (1 <= T)%nat.
    Definition rate t := lr * (1 - INR t / INR T).
    Definition slower (s : nat * vec) w := (S (fst s), stepped (rate (fst s)) (snd s) w).
    Definition loss_from (s : nat * vec) k := after W (nat * vec) slower k s (fun s => f (snd s)).

    (* E f(x_T): the run starts at t = 1 and takes T - 1 steps. *)
    Definition linear_loss x1 := loss_from (1%nat, x1) (T - 1).

    (* (3) When k steps are left, the rate is k c with c = lr / T. *)
    Definition c := lr / INR T.
    Lemma step_3 t k : (t + k)%nat = T -> rate t = c * INR k.
    Proof.
      intros H. assert (HT := INR_pos T some). unfold rate, c.
      replace (INR k) with (INR T - INR t) by (rewrite <- H, plus_INR; ring). field. lra.
    Qed.
    (* (4) No step left: the subgradient inequality, and 2 a b <= a^2 + b^2. *)
    Lemma step_4 x z : 2 * c * (f x - f z) <= apart x z + c ^ 2 * G ^ 2.
    Proof.
      assert (HT := INR_pos T some). assert (Hc : 0 < c) by (unfold c; pos).
      specialize (B1 x z). assert (Hs := slope_size W d grad sample G B2_mean B2_size x). unfold apart.
      assert (H := norm2_pos d (fun j => sub x z j - c * grad x j)). rewrite shadow in H.
      rewrite (inner_sym d (sub x z)), inner_sub in H. rewrite inner_sub in B1.
      apply (Rmult_le_compat_l (2 * c)) in B1; [|lra].
      apply (Rmult_le_compat_l (c ^ 2)) in Hs; [|apply pow2_nonneg]. lra.
    Qed.
    Lemma apart_between k x z : apart x (between k z x) = (INR k / INR (S k)) ^ 2 * apart x z.
    Proof.
      assert (Hk := INR_pos (S k) (le_n_S _ _ (Nat.le_0_l k))). unfold apart. rewrite <- norm2_scal.
      apply norm2_ext. intros j _. unfold sub, between. rewrite S_INR in *. field. lra.
    Qed.
    (* (5) k steps left, seen from any point z: by induction, with the point between z and x as the next z. *)
    Lemma step_5 k t x z : (t + k)%nat = T ->
      2 * c * (loss_from (t, x) k - f z) <= apart x z / INR (S k) ^ 2 + INR (S k) * (c ^ 2 * G ^ 2).
    Proof.
      assert (HT := INR_pos T some). assert (Hc : 0 < c) by (unfold c; pos). revert t x z.
      induction k as [|k IH]; intros t x z Ht.
      - unfold loss_from. cbn [after snd]. rewrite INR_one. assert (H := step_4 x z). lra.
      - set (y := between (S k) z x). set (x' := stepped (rate t) x).
        assert (HK : 0 < INR (S k)) by (apply INR_pos; lia). set (K := INR (S k)) in *.
        assert (HS : INR (S (S k)) = K + 1) by (rewrite (S_INR (S k)); reflexivity).
        assert (Hr : rate t = c * K) by (apply step_3; assumption).
        assert (H : E W (fun w => 2 * c * (loss_from (S t, x' w) k - f y))
          <= E W (fun w => / K ^ 2 * apart (x' w) y + K * (c ^ 2 * G ^ 2))).
        { apply E_le. intros w _. assert (H := IH (S t) (x' w) y ltac:(lia)). fold K in H. unfold Rdiv in H. lra. }
        rewrite E_scal, E_minus, E_plus, E_scal, !E_const in H.
        assert (H1 := thm_schedules_linear_step_1 W d f grad sample G B1 B2_mean B2_size (rate t) x y
          ltac:(rewrite Hr; pos)). fold x' in H1.
        rewrite Hr in H1. unfold y in H1 at 2. rewrite apart_between, HS in H1. fold y K in H1.
        apply (Rmult_le_compat_l (/ K ^ 2)) in H1; [|pos].
        assert (H2 := thm_schedules_linear_step_2 d f grad B1 (S k) z x). fold y K in H2. rewrite HS in H2.
        apply (Rmult_le_compat_l (2 * c / K)) in H2; [|pos].
        replace (loss_from (t, x) (S k)) with (E W (fun w => loss_from (S t, x' w) k)) by reflexivity.
        rewrite HS.
        replace (/ K ^ 2 * ((K / (K + 1)) ^ 2 * apart x z - 2 * (c * K) * (f x - f y) + (c * K) ^ 2 * G ^ 2))
          with (apart x z / (K + 1) ^ 2 - 2 * c / K * (f x - f y) + c ^ 2 * G ^ 2) in H1 by (field; lra).
        replace (2 * c / K * ((K + 1) * f y)) with (2 * c * f y + 2 * c / K * f y) in H2 by (field; lra).
        replace (2 * c / K * (K * f z + f x)) with (2 * c * f z + 2 * c / K * f x) in H2 by (field; lra).
        lra.
    Qed.
    (* With T - 1 steps left, divide by 2 c = 2 lr / T. *)
    Theorem thm_schedules_linear x1 z :
      linear_loss x1 - f z <= apart x1 z / (2 * lr * INR T) + lr * G ^ 2 / 2.
    Proof.
      assert (HT := INR_pos T some). assert (H := step_5 (T - 1) 1 x1 z ltac:(lia)).
      replace (S (T - 1)) with T in H by lia. apply Rmult_le_reg_l with (2 * c); [unfold c; pos|].
      eapply Rle_trans; [exact H|]. apply Req_le. unfold c. field. lra.
    Qed.
  End Linear.

  (* A constant rate for m steps, then n - 1 that fall to zero on a line: n is the length of the cooldown. *)
  Definition cooled lr m n x1 := after W vec (stepped lr) m x1 (linear_loss lr n).
  (* (1) The distance from a minimum grows by at most lr^2 G^2 a step. *)
  Lemma step_1 lr m x z : 0 <= lr -> (forall y, f z <= f y) ->
    after W vec (stepped lr) m x (fun y => apart y z) <= apart x z + INR m * (lr ^ 2 * G ^ 2).
  Proof.
    intros Hlr Hz. revert x. induction m as [|m IH]; intros x; [rewrite INR_zero; cbn [after]; lra|].
    rewrite after_first, S_INR.
    assert (H := thm_schedules_linear_step_1 W d f grad sample G B1 B2_mean B2_size lr x z Hlr).
    specialize (Hz x).
    assert (H1 : E W (fun w => after W vec (stepped lr) m (stepped lr x w) (fun y => apart y z))
      <= E W (fun w => apart (stepped lr x w) z + INR m * (lr ^ 2 * G ^ 2))) by (apply E_le; intros; apply IH).
    rewrite E_plus, E_const in H1. assert (0 <= lr * (f x - f z)) by (apply Rmult_le_pos; lra). lra.
  Qed.
  (* (2) From there on, linear decay over n steps. *)
  Lemma step_2 lr m n x1 z : 0 < lr -> (1 <= n)%nat ->
    cooled lr m n x1 - f z
    <= after W vec (stepped lr) m x1 (fun y => apart y z) / (2 * lr * INR n) + lr * G ^ 2 / 2.
  Proof.
    intros Hlr Hn. assert (HR := INR_pos n Hn). unfold cooled.
    apply Rle_trans with (after W vec (stepped lr) m x1
      (fun x => / (2 * lr * INR n) * apart x z + (f z + lr * G ^ 2 / 2)) - f z).
    - apply Rplus_le_compat_r, after_le. intros y. assert (H := thm_schedules_linear lr n Hlr Hn y z).
      unfold Rdiv in *. lra.
    - rewrite after_affine. unfold Rdiv. lra.
  Qed.
  Theorem thm_schedules_cooldown lr m n x1 z : 0 < lr -> (1 <= n)%nat -> (forall y, f z <= f y) ->
    cooled lr m n x1 - f z
    <= INR (m + n) / INR n * (apart x1 z / (2 * lr * INR (m + n)) + lr * G ^ 2 / 2).
  Proof.
    intros Hlr Hn Hz. assert (HR := INR_pos n Hn). assert (Hm := pos_INR m).
    eapply Rle_trans; [apply (step_2 lr m n x1 z Hlr Hn)|].
    assert (H := step_1 lr m x1 z (Rlt_le _ _ Hlr) Hz).
    apply (Rmult_le_compat_l (/ (2 * lr * INR n))) in H; [|pos].
    replace (INR (m + n) / INR n * (apart x1 z / (2 * lr * INR (m + n)) + lr * G ^ 2 / 2))
      with (/ (2 * lr * INR n) * (apart x1 z + INR m * (lr ^ 2 * G ^ 2)) + lr * G ^ 2 / 2)
      by (rewrite plus_INR; field; lra). unfold Rdiv. lra.
  Qed.
End Decay.
