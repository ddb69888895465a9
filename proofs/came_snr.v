(* CAME: what the averages tend to (prp-came-snr). Every update is a fresh draw a w from a finite law W with mean mu and
   variance sigma^2; m_t is their moving average with beta1, from m_0 = 0. *)
Require Import runs limits.
Open Scope R_scope.

Section Averages.
  Variable W : space.
  Variable a : nat -> R.
  Variables mu sigma beta1 : R.
  Hypothesis mean_is : E W a = mu.
  Hypothesis variance_is : E W (fun w => (a w - mu) ^ 2) = sigma ^ 2.
  Hypothesis rate : 0 <= beta1 < 1.
  Definition next (m : R) w := beta1 * m + (1 - beta1) * a w.
  (* The mean of h(m_t), and the mean of U_t = (u_t - m_t)^2: t - 1 steps, then one more draw. *)
  Definition expected t h := after W R next t 0 h.
  Definition instability m := E W (fun w => (a w - next m w) ^ 2).

  (* A fresh draw misses any number c by its variance and by the distance of the mean. *)
  Lemma fresh c : E W (fun w => (a w - c) ^ 2) = (mu - c) ^ 2 + sigma ^ 2.
  Proof.
    rewrite (E_ext W _ (fun w => (a w - mu) ^ 2 + (2 * (mu - c) * a w + (mu - c) * (mu - c - 2 * mu))))
      by (intros; ring).
    rewrite !E_plus, E_scal, E_const, variance_is, mean_is. ring.
  Qed.
  (* (1) The average, from any start m0: the mean is beta1^t m0 + (1 - beta1^t) mu. *)
  Lemma step_1_mean t m0 : after W R next t m0 (fun m => m) = beta1 ^ t * m0 + (1 - beta1 ^ t) * mu.
  Proof.
    revert m0. induction t as [|t IH]; intros m0; [cbn [after]; rewrite pow_O; ring|].
    rewrite after_first, (E_ext W _ (fun w => beta1 ^ t * (1 - beta1) * a w
      + (beta1 ^ t * beta1 * m0 + (1 - beta1 ^ t) * mu))) by (intros; rewrite IH; unfold next; ring).
    rewrite E_plus, E_scal, E_const, mean_is, <- tech_pow_Rmult. ring.
  Qed.
  Lemma step_1_square t m0 c : after W R next t m0 (fun m => (m - c) ^ 2) =
    (beta1 ^ t * m0 + (1 - beta1 ^ t) * mu - c) ^ 2 + sigma ^ 2 * ((1 - beta1) / (1 + beta1)) * (1 - beta1 ^ (2 * t)).
  Proof.
    revert m0. induction t as [|t IH]; intros m0; [cbn [after Nat.mul]; rewrite !pow_O; ring|].
    rewrite after_first. set (z := beta1 ^ t * (1 - beta1)).
    set (y := beta1 ^ t * beta1 * m0 + (1 - beta1 ^ t) * mu - c).
    rewrite (E_ext W _ (fun w => z ^ 2 * a w ^ 2 + (2 * z * y * a w
      + (y ^ 2 + sigma ^ 2 * ((1 - beta1) / (1 + beta1)) * (1 - beta1 ^ (2 * t))))))
      by (intros; rewrite IH; unfold next, z, y; ring).
    rewrite !E_plus, !E_scal, !E_const, mean_is.
    assert (H2 : E W (fun w => a w ^ 2) = mu ^ 2 + sigma ^ 2).
    { assert (H := fresh 0). rewrite (E_ext W _ (fun w => a w ^ 2)) in H by (intros; ring). rewrite H. ring. }
    assert (P1 : beta1 ^ (2 * t) = (beta1 ^ t) ^ 2) by (rewrite Nat.mul_comm; apply pow_mult).
    assert (P2 : beta1 ^ (2 * S t) = (beta1 * beta1 ^ t) ^ 2) by (rewrite Nat.mul_comm; apply pow_mult).
    rewrite H2, P1, P2, <- (tech_pow_Rmult beta1 t). unfold z, y. set (p := beta1 ^ t). field. lra.
  Qed.
  (* (2) Fresh against past. *)
  Lemma step_2 m : instability m = beta1 ^ 2 * ((mu - m) ^ 2 + sigma ^ 2).
  Proof.
    rewrite <- fresh, <- E_scal. apply E_ext. intros. unfold next. ring.
  Qed.

  (* prp-came-snr. (3) Insert: mean and variance of the average of noisy updates, and the mean of the instability, here
     at step t + 1. *)
  Theorem prp_came_snr t :
    expected t (fun m => m) = mu * (1 - beta1 ^ t) /\
    expected t (fun m => (m - expected t (fun m => m)) ^ 2)
      = sigma ^ 2 * ((1 - beta1) / (1 + beta1)) * (1 - beta1 ^ (2 * t)) /\
    expected t instability = beta1 ^ 2 * (mu ^ 2 * beta1 ^ (2 * t)
      + sigma ^ 2 * (1 + (1 - beta1) / (1 + beta1) * (1 - beta1 ^ (2 * t)))).
  Proof.
    unfold expected. rewrite step_1_mean. split; [ring|]. split.
    - rewrite step_1_square. ring.
    - assert (H : forall s m0, after W R next s m0 instability
        = beta1 ^ 2 * (after W R next s m0 (fun m => (m - mu) ^ 2) + sigma ^ 2)).
      { induction s as [|s IH]; intros m0; [cbn [after]; rewrite step_2; ring|].
        rewrite !after_first, (E_ext W _ _ (fun w _ => IH (next m0 w))), E_scal, E_plus, E_const. reflexivity. }
      rewrite H, step_1_square, (Nat.mul_comm 2 t), pow_mult. ring.
  Qed.
  (* In the limit the mean instability is 2 beta1^2 / (1 + beta1) sigma^2: all noise, no signal. *)
  Theorem prp_came_snr_limit : Un_cv (fun t => expected t instability) (2 * beta1 ^ 2 / (1 + beta1) * sigma ^ 2).
  Proof.
    assert (Hb : 0 <= beta1 ^ 2 < 1).
    { split; [apply pow2_nonneg|]. replace 1 with (1 * 1) by ring. replace (beta1 ^ 2) with (beta1 * beta1) by ring.
      destruct (Rle_lt_or_eq_dec 0 beta1) as [H|<-]; [lra|apply Rmult_gt_0_lt_compat; lra|lra]. }
    set (A := beta1 ^ 2 * (mu ^ 2 - sigma ^ 2 * ((1 - beta1) / (1 + beta1)))).
    set (B := 2 * beta1 ^ 2 / (1 + beta1) * sigma ^ 2).
    apply (same_limit _ (fun t => A * (beta1 ^ 2) ^ t + B)).
    - intros t _. destruct (prp_came_snr t) as (_ & _ & ->). rewrite pow_mult. unfold A, B. field. lra.
    - assert (H0 := CV_mult _ _ _ _ (constant_limit A) (power_to_zero (beta1 ^ 2) Hb)).
      assert (H := CV_plus _ _ _ _ H0 (constant_limit B)).
      rewrite Rmult_0_r, Rplus_0_l in H. exact H.
  Qed.
End Averages.
(* An instance: a coin that shows 3 or 1. *)
Lemma prp_came_snr_instance t : let a w := match w with O => 3 | _ => 1 end in
  expected coin a (/ 2) t (fun m => m) = 2 * (1 - (/ 2) ^ t) /\
  Un_cv (fun t => expected coin a (/ 2) t (instability coin a (/ 2))) (/ 3).
Proof.
  intros a. assert (H : E coin a = 2 /\ E coin (fun w => (a w - 2) ^ 2) = 1 ^ 2) by (rewrite !E_coin; unfold a; lra).
  destruct H as [H1 H2]. split; [apply (prp_came_snr coin a 2 1 (/ 2) H1 H2); lra|].
  replace (/ 3) with (2 * (/ 2) ^ 2 / (1 + / 2) * 1 ^ 2) by field.
  apply (prp_came_snr_limit coin a 2 1 (/ 2) H1 H2). lra.
Qed.
