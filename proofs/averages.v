(* Moving averages: m_t = beta m_{t-1} + (1 - beta) y_t from m_0 = 0, as Adam, Adafactor and CAME use them. *)
Require Export sums.
Open Scope R_scope.

(* The average after t steps; y s is what step s adds, s = 1, ..., t. *)
Fixpoint ema (beta : R) (y : nat -> R) (t : nat) : R :=
  match t with O => 0 | S s => beta * ema beta y s + (1 - beta) * y (S s) end.

Lemma ema_S beta y t : ema beta y (S t) = beta * ema beta y t + (1 - beta) * y (S t).
Proof. reflexivity. Qed.
(* Unrolled: step s + 1 has the weight (1 - beta) beta^(t - (s + 1)). *)
Lemma ema_unrolled beta y t : ema beta y t = sum t (fun s => (1 - beta) * beta ^ (t - S s) * y (S s)).
Proof.
  induction t as [|t IH]; [reflexivity|]. rewrite ema_S, IH, sum_S, <- sum_scal.
  replace (S t - S t)%nat with O by lia. rewrite pow_O, Rmult_1_r. f_equal. apply sum_ext. intros s Hs.
  replace (S t - S s)%nat with (S (t - S s)) by lia. rewrite <- tech_pow_Rmult. ring.
Qed.
Lemma ema_ext beta x y t : (forall s, (1 <= s <= t)%nat -> x s = y s) -> ema beta x t = ema beta y t.
Proof.
  induction t as [|t IH]; intros H; [reflexivity|].
  rewrite !ema_S, IH, (H (S t)) by (intros; try apply H; lia). reflexivity.
Qed.
Lemma ema_plus beta x y t : ema beta (fun s => x s + y s) t = ema beta x t + ema beta y t.
Proof. induction t as [|t IH]; [cbn; ring|]. rewrite !ema_S, IH. ring. Qed.
Lemma ema_scal beta c y t : ema beta (fun s => c * y s) t = c * ema beta y t.
Proof. induction t as [|t IH]; [cbn; ring|]. rewrite !ema_S, IH. ring. Qed.
(* The weights sum to 1 - beta^t. *)
Lemma ema_const beta c t : ema beta (fun _ => c) t = (1 - beta ^ t) * c.
Proof. induction t as [|t IH]; [cbn [ema]; rewrite pow_O; ring|]. rewrite ema_S, IH, <- tech_pow_Rmult. ring. Qed.
Lemma ema_le beta x y t : 0 <= beta <= 1 -> (forall s, (1 <= s <= t)%nat -> x s <= y s) -> ema beta x t <= ema beta y t.
Proof.
  intros Hb. induction t as [|t IH]; intros H; [cbn; lra|]. rewrite !ema_S. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [lra|]. apply IH. intros. apply H. lia.
  - apply Rmult_le_compat_l; [lra|]. apply H. lia.
Qed.
Lemma ema_nonneg beta y t : 0 <= beta <= 1 -> (forall s, (1 <= s <= t)%nat -> 0 <= y s) -> 0 <= ema beta y t.
Proof.
  intros Hb H. assert (H0 := ema_le beta (fun _ => 0) y t Hb H). rewrite ema_const in H0. lra.
Qed.
(* Averages of sums over entries. *)
Lemma ema_sum beta n (y : nat -> nat -> R) t :
  ema beta (fun s => sum n (fun i => y i s)) t = sum n (fun i => ema beta (y i) t).
Proof.
  induction n as [|n IH]; [rewrite sum_O; rewrite (ema_ext beta _ (fun _ => 0)) by (intros; apply sum_O);
    rewrite ema_const; ring|].
  rewrite sum_S, <- IH, <- ema_plus. apply ema_ext. intros. now rewrite sum_S.
Qed.
