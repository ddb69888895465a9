(* Appendix A: a wrong sign is rare (lem-sign). g is a random number on any finite space, with mean mu. *)
Require Export spaces.
Open Scope R_scope.

Definition sign (z : R) : R := if Rlt_dec 0 z then 1 else if Rlt_dec z 0 then -1 else 0.
(* 1 where g has not the sign of mu; for mu other than 0 the value g = 0 counts as wrong. *)
Definition wrong (g mu : R) : R := if Req_EM_T (sign g) (sign mu) then 0 else 1.
(* The part of the noise that points against the mean, for a positive mean. *)
Definition against (xi : R) : R := Rmax (- xi) 0.

Lemma sign_pos z : 0 < z -> sign z = 1.
Proof. intros H. unfold sign. destruct (Rlt_dec 0 z); lra. Qed.
Lemma sign_neg z : z < 0 -> sign z = -1.
Proof. intros H. unfold sign. destruct (Rlt_dec 0 z); [lra|]. destruct (Rlt_dec z 0); lra. Qed.
Lemma sign_zero : sign 0 = 0.
Proof. unfold sign. destruct (Rlt_dec 0 0); [lra|]. destruct (Rlt_dec 0 0); lra. Qed.
Lemma sign_cases z : (0 < z /\ sign z = 1) \/ (z < 0 /\ sign z = -1) \/ (z = 0 /\ sign z = 0).
Proof.
  destruct (Rtotal_order z 0) as [H|[H|H]]; [right; left|right; right|left]; split; try assumption.
  - now apply sign_neg.
  - rewrite H. apply sign_zero.
  - now apply sign_pos.
Qed.
Lemma sign_opp z : sign (- z) = - sign z.
Proof.
  destruct (sign_cases z) as [[H ->]|[[H ->]|[-> ->]]].
  - rewrite sign_neg; lra.
  - rewrite sign_pos; lra.
  - rewrite Ropp_0, sign_zero. ring.
Qed.
Lemma wrong_opp g mu : wrong (- g) (- mu) = wrong g mu.
Proof. unfold wrong. rewrite !sign_opp. destruct (Req_EM_T _ _), (Req_EM_T _ _); lra. Qed.
Lemma wrong_bounds g mu : 0 <= wrong g mu <= 1.
Proof. unfold wrong. destruct (Req_EM_T _ _); lra. Qed.

(* (1) In every case: if the sign is wrong, the noise is at least as large as the mean, and points against it. *)
Lemma step_1 g mu : 0 < mu -> mu * wrong g mu <= against (g - mu).
Proof.
  intros H. unfold wrong, against. rewrite (sign_pos mu H).
  destruct (sign_cases g) as [[Hg ->]|[[Hg ->]|[-> ->]]]; destruct (Req_EM_T _ 1); try lra;
    unfold Rmax; destruct (Rle_dec _ 0); lra.
Qed.

Section Sign.
  Variable W : space.
  Variable g : nat -> R.
  Definition mu := E W g.
  Definition noise := E W (fun w => Rabs (g w - mu)).
  Definition chance_wrong := E W (fun w => wrong (g w) mu).

  (* (2) Half of the noise points against the mean. *)
  Lemma step_2 : E W (fun w => against (g w - mu)) = noise / 2.
  Proof.
    unfold noise. rewrite (E_ext _ (fun w => against (g w - mu)) (fun w => Rabs (g w - mu) / 2 - (g w - mu) / 2)).
    - rewrite E_minus, !E_div, E_minus, E_const. fold mu. lra.
    - intros w _. unfold against, Rmax, Rabs. destruct (Rle_dec _ 0), (Rcase_abs _); lra.
  Qed.
  (* (3) Average (1). *)
  Lemma step_3 : 0 < mu -> mu * chance_wrong <= noise / 2.
  Proof. intros H. rewrite <- step_2. unfold chance_wrong. rewrite <- E_scal. apply E_le. intros. now apply step_1. Qed.
End Sign.

(* (4) The mean size of the noise is at most sigma: Lyapunov's inequality. *)
Lemma step_4 W g sigma : 0 <= sigma -> E W (fun w => (g w - mu W g) ^ 2) <= sigma ^ 2 -> noise W g <= sigma.
Proof.
  intros Hs H. set (n := noise W g). assert (Hn : 0 <= n) by (apply E_nonneg; intros; apply Rabs_pos).
  assert (H1 : E W (fun w => 2 * n * Rabs (g w - mu W g) + - n ^ 2) <= E W (fun w => (g w - mu W g) ^ 2)).
  { apply E_le. intros w _. assert (H2 := pow2_nonneg (Rabs (g w - mu W g) - n)).
    assert (H3 := pow2_Rabs (g w - mu W g)). lra. }
  rewrite E_plus, E_scal, E_const in H1. fold (noise W g) in H1. fold n in H1.
  apply le_of_squares; [assumption|]. lra.
Qed.

Lemma negative_mean W g : mu W (fun w => - g w) = - mu W g /\ noise W (fun w => - g w) = noise W g /\
  chance_wrong W (fun w => - g w) = chance_wrong W g.
Proof.
  assert (Hmu : mu W (fun w => - g w) = - mu W g) by apply E_opp. repeat split; [exact Hmu| |].
  - unfold noise. rewrite Hmu. apply E_ext. intros w _. rewrite <- Rabs_Ropp. f_equal. ring.
  - unfold chance_wrong. rewrite Hmu. apply E_ext. intros. apply wrong_opp.
Qed.

(* lem-sign. |m| P(g has another sign than its mean m) <= E|g - m| / 2 <= sigma / 2. *)
Theorem lem_sign W g sigma : 0 <= sigma -> E W (fun w => (g w - mu W g) ^ 2) <= sigma ^ 2 ->
  Rabs (mu W g) * chance_wrong W g <= / 2 * noise W g /\ / 2 * noise W g <= sigma / 2.
Proof.
  intros Hs H. split; [|assert (H4 := step_4 W g sigma Hs H); lra].
  assert (Hn : 0 <= noise W g) by (apply E_nonneg; intros; apply Rabs_pos).
  destruct (Rtotal_order (mu W g) 0) as [Hmu|[Hmu|Hmu]].
  - destruct (negative_mean W g) as (H1 & H2 & H3). assert (H4 := step_3 W (fun w => - g w)).
    rewrite H1, H2, H3 in H4. rewrite Rabs_left by assumption. specialize (H4 ltac:(lra)). lra.
  - rewrite Hmu, Rabs_R0. lra.
  - rewrite Rabs_pos_eq by lra. assert (H4 := step_3 W g Hmu). lra.
Qed.
(* 1/2 where g = 0 has the wrong sign. *)
Definition half_wrong (g mu : R) : R := if Req_EM_T g 0 then wrong g mu / 2 else wrong g mu.
(* Whoever counts g = 0 half has less on the left. *)
Theorem lem_sign_half W g sigma : 0 <= sigma -> E W (fun w => (g w - mu W g) ^ 2) <= sigma ^ 2 ->
  Rabs (mu W g) * E W (fun w => half_wrong (g w) (mu W g)) <= / 2 * noise W g.
Proof.
  intros Hs H. destruct (lem_sign W g sigma Hs H) as [H1 _]. eapply Rle_trans; [|exact H1].
  apply Rmult_le_compat_l; [apply Rabs_pos|]. apply E_le. intros w _. unfold half_wrong.
  assert (H2 := wrong_bounds (g w) (mu W g)). destruct (Req_EM_T (g w) 0); lra.
Qed.
(* Both are equalities if g is 0 or 2 m with equal chance (and this is an instance, too). *)
Theorem lem_sign_equal m : let g := fun w => match w with O => 0 | _ => 2 * m end in m <> 0 ->
  mu coin g = m /\ E coin (fun w => (g w - mu coin g) ^ 2) = Rabs m ^ 2 /\
  Rabs (mu coin g) * chance_wrong coin g = / 2 * noise coin g /\ / 2 * noise coin g = Rabs m / 2.
Proof.
  intros g Hm. assert (Hmu : mu coin g = m) by (unfold mu; rewrite E_coin; unfold g; field).
  assert (Hn : noise coin g = Rabs m).
  { unfold noise. rewrite Hmu, E_coin. unfold g. replace (0 - m) with (- m) by ring. rewrite Rabs_Ropp.
    replace (2 * m - m) with m by ring. field. }
  assert (Hw : chance_wrong coin g = / 2).
  { unfold chance_wrong. rewrite Hmu, E_coin. unfold g, wrong. rewrite sign_zero.
    destruct (sign_cases m) as [[H H1]|[[H H1]|[H _]]]; [| |contradiction]; rewrite H1.
    - rewrite (sign_pos (2 * m)) by lra. destruct (Req_EM_T 0 1), (Req_EM_T 1 1); lra.
    - rewrite (sign_neg (2 * m)) by lra. destruct (Req_EM_T 0 (-1)), (Req_EM_T (-1) (-1)); lra. }
  split; [exact Hmu|]. rewrite Hmu, Hn, Hw. repeat split; [|ring|field].
  rewrite E_coin, pow2_Rabs. unfold g. field.
Qed.
(* An instance: g is 0 or 2 with equal chance, so that mu = sigma = 1, and both inequalities are equalities. *)
Lemma lem_sign_instance : let g := fun w => match w with O => 0 | _ => 2 * 1 end in
  (Rabs (mu coin g) * chance_wrong coin g <= / 2 * noise coin g /\ / 2 * noise coin g <= 1 / 2) /\
  / 2 * noise coin g = 1 / 2.
Proof.
  intros g. destruct (lem_sign_equal 1 R1_neq_R0) as (_ & Hs & _ & Hn). fold g in Hs, Hn. rewrite Rabs_R1 in Hs, Hn.
  split; [|exact Hn]. apply lem_sign; [lra|now apply Req_le].
Qed.
