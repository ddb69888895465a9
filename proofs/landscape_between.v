(* The landscape: a form that lies below two diagonal forms y and z lies below the root of y z (step (4) of Shampoo's
   theorem).

   No eigenvalues are needed. The best number lam with Q <= lam sqrt(y z) exists, and as long as it is above 1 a smaller
   one does as well (`improve`); so it is 1. A vector has two indices here, as the entries of a matrix have. *)
Require Export sums.
Open Scope R_scope.

(* Sums over all entries of an n x m matrix. *)
Definition total n m (X : nat -> nat -> R) := sum n (fun i => sum m (fun j => X i j)).
Lemma total_le n m X Y : (forall i j, (i < n)%nat -> (j < m)%nat -> X i j <= Y i j) -> total n m X <= total n m Y.
Proof. intros H. apply sum_le. intros i Hi. apply sum_le. intros j Hj. now apply H. Qed.
Lemma total_ext n m X Y : (forall i j, (i < n)%nat -> (j < m)%nat -> X i j = Y i j) -> total n m X = total n m Y.
Proof. intros H. apply sum_ext. intros i Hi. apply sum_ext. intros j Hj. now apply H. Qed.
Lemma total_plus n m X Y : total n m (fun i j => X i j + Y i j) = total n m X + total n m Y.
Proof. unfold total. rewrite <- sum_plus. apply sum_ext. intros. apply sum_plus. Qed.
Lemma total_scal n m c X : total n m (fun i j => c * X i j) = c * total n m X.
Proof. unfold total. rewrite <- sum_scal. apply sum_ext. intros. apply sum_scal. Qed.
Lemma total_nonneg n m X : (forall i j, (i < n)%nat -> (j < m)%nat -> 0 <= X i j) -> 0 <= total n m X.
Proof. intros H. apply sum_nonneg. intros i Hi. apply sum_nonneg. intros j Hj. now apply H. Qed.
Lemma total_one n m X i j : (i < n)%nat -> (j < m)%nat ->
  (forall i j, (i < n)%nat -> (j < m)%nat -> 0 <= X i j) -> X i j <= total n m X.
Proof.
  intros Hi Hj H. apply Rle_trans with (sum m (fun j => X i j)).
  - apply (sum_one m (fun j => X i j)); [assumption|]. intros. now apply H.
  - apply (sum_one n (fun i => sum m (fun j => X i j))); [assumption|]. intros. apply sum_nonneg. intros. now apply H.
Qed.

Section Between.
  Variables n m : nat.
  Notation V := (nat -> nat -> R).
  Variables y z : V.
  Variable Q : V -> V -> R.
  Definition form (w x : V) := total n m (fun i j => w i j * x i j ^ 2).
  Hypothesis y_pos : forall i j, (i < n)%nat -> (j < m)%nat -> 0 < y i j.
  Hypothesis z_pos : forall i j, (i < n)%nat -> (j < m)%nat -> 0 < z i j.
  Hypothesis Q_symmetric : forall x w, Q x w = Q w x.
  Hypothesis Q_linear : forall a b x w u, Q (fun i j => a * x i j + b * w i j) u = a * Q x u + b * Q w u.
  Hypothesis Q_nonneg : forall x, 0 <= Q x x.
  Hypothesis below_y : forall x, Q x x <= form y x.
  Hypothesis below_z : forall x, Q x x <= form z x.
  (* The root of y z, and what takes y to it and it to z. *)
  Definition root i j := sqrt (y i j * z i j).
  Definition D i j := sqrt (z i j / y i j).

  Lemma entries i j : (i < n)%nat -> (j < m)%nat ->
    0 < root i j /\ 0 < D i j /\ root i j * D i j = z i j /\ y i j * D i j = root i j.
  Proof.
    intros Hi Hj. assert (Hy := y_pos i j Hi Hj). assert (Hz := z_pos i j Hi Hj).
    assert (HN : 0 < root i j) by (apply sqrt_lt_R0; pos). assert (Hd : 0 < D i j) by (apply sqrt_lt_R0; pos).
    split; [assumption|]. split; [assumption|]. split.
    - unfold root, D. rewrite <- sqrt_mult_alt by (apply Rlt_le; pos).
      replace (y i j * z i j * (z i j / y i j)) with (z i j ^ 2) by (field; lra). apply sqrt_pow2. lra.
    - unfold root, D. rewrite <- (sqrt_pow2 (y i j)) at 1 by lra. rewrite <- sqrt_mult_alt by apply pow2_nonneg.
      f_equal. field. lra.
  Qed.
  Lemma form_nonneg w x : (forall i j, (i < n)%nat -> (j < m)%nat -> 0 < w i j) -> 0 <= form w x.
  Proof.
    intros H. apply total_nonneg. intros i j Hi Hj. apply Rmult_le_pos; [now apply Rlt_le, H|apply pow2_nonneg].
  Qed.
  (* Numbers that no D and no 1 / D exceeds. *)
  Definition C := 1 + total n m D.
  Definition C' := 1 + total n m (fun i j => / D i j).
  Lemma D_nonneg i j : (i < n)%nat -> (j < m)%nat -> 0 <= D i j /\ 0 <= / D i j.
  Proof.
    intros Hi Hj. destruct (entries i j Hi Hj) as (_ & H & _). split; [lra|]. now apply Rlt_le, Rinv_0_lt_compat.
  Qed.
  Lemma C_bounds : 1 <= C /\ 1 <= C' /\ forall i j, (i < n)%nat -> (j < m)%nat -> D i j <= C /\ / D i j <= C'.
  Proof.
    assert (H1 : 0 <= total n m D) by (apply total_nonneg; intros; now apply D_nonneg).
    assert (H2 : 0 <= total n m (fun i j => / D i j)) by (apply total_nonneg; intros; now apply D_nonneg).
    unfold C, C'. split; [lra|]. split; [lra|]. intros i j Hi Hj.
    assert (H3 := total_one n m D i j Hi Hj (fun i j Hi Hj => proj1 (D_nonneg i j Hi Hj))).
    assert (H4 := total_one n m (fun i j => / D i j) i j Hi Hj (fun i j Hi Hj => proj2 (D_nonneg i j Hi Hj))).
    cbv beta in H4. lra.
  Qed.

  Definition bound lam := forall x, Q x x <= lam * form root x.
  Section Improve.
    Variable x : V.
    Definition Dx : V := fun i j => D i j * x i j.
    (* Q (D x, x) <= z x, from both bounds. *)
    Lemma mixed : Q Dx x <= form z x.
    Proof.
      assert (H := Q_nonneg (fun i j => 1 * Dx i j + -1 * x i j)).
      rewrite Q_linear, (Q_symmetric Dx), (Q_symmetric x), !Q_linear, (Q_symmetric x Dx) in H.
      assert (H1 := below_y Dx). assert (H2 := below_z x). replace (form y Dx) with (form z x) in H1; [lra|].
      apply total_ext. intros i j Hi Hj. destruct (entries i j Hi Hj) as (_ & _ & E1 & E2).
      unfold Dx. rewrite <- E1, <- E2. ring.
    Qed.
    Lemma form_Dx : form root Dx <= C * form z x.
    Proof.
      unfold form. rewrite <- total_scal. apply total_le. intros i j Hi Hj.
      destruct (entries i j Hi Hj) as (_ & _ & E1 & _).
      destruct C_bounds as (_ & _ & H). destruct (H i j Hi Hj) as [H3 _].
      replace (root i j * Dx i j ^ 2) with (D i j * (z i j * x i j ^ 2)) by (unfold Dx; rewrite <- E1; ring).
      apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [now apply Rlt_le, z_pos|apply pow2_nonneg].
    Qed.
    Lemma form_root : form root x <= C' * form z x.
    Proof.
      unfold form. rewrite <- total_scal. apply total_le. intros i j Hi Hj.
      destruct (entries i j Hi Hj) as (_ & E0 & E1 & _).
      destruct C_bounds as (_ & _ & H). destruct (H i j Hi Hj) as [_ H3].
      replace (root i j * x i j ^ 2) with (/ D i j * (z i j * x i j ^ 2)) by (rewrite <- E1; field; lra).
      apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [now apply Rlt_le, z_pos|apply pow2_nonneg].
    Qed.
    Lemma form_mixed th : form root (fun i j => th * Dx i j + -1 * x i j)
      = th ^ 2 * form root Dx + (-2 * th * form z x + form root x).
    Proof.
      unfold form. rewrite <- !total_scal, <- !total_plus. apply total_ext. intros i j Hi Hj.
      destruct (entries i j Hi Hj) as (_ & _ & E1 & _). rewrite <- E1. unfold Dx. ring.
    Qed.
  End Improve.
  (* How much smaller a bound above 1 can be made. *)
  Definition gain lam := (lam - 1) ^ 2 / (lam * C * C').
  Lemma improve lam : 1 < lam -> bound lam -> bound (lam - gain lam).
  Proof.
    intros Hlam Hb x. destruct C_bounds as (HC & HC' & _). assert (Hz : 0 <= form z x) by now apply form_nonneg.
    assert (Hm := mixed x). assert (HF := form_Dx x). assert (HN := form_root x).
    assert (HlC : 0 < lam * C) by (apply Rmult_lt_0_compat; lra). set (th := (lam - 1) / (lam * C)).
    assert (Hth : 0 < th) by (apply Rdiv_lt_0_compat; lra).
    assert (H := Hb (fun i j => th * Dx x i j + -1 * x i j)).
    rewrite Q_linear, (Q_symmetric (Dx x)), (Q_symmetric x), !Q_linear, (Q_symmetric x (Dx x)), form_mixed in H.
    assert (H0 : 0 <= th ^ 2 * Q (Dx x) (Dx x)) by (apply Rmult_le_pos; [apply pow2_nonneg|apply Q_nonneg]).
    assert (H1 : th * Q (Dx x) x <= th * form z x) by (apply Rmult_le_compat_l; lra).
    assert (H2 : lam * (th ^ 2 * form root (Dx x)) <= lam * (th ^ 2 * (C * form z x)))
      by (apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_l; [apply pow2_nonneg|assumption]).
    assert (E : lam * (th ^ 2 * (C * form z x)) = th * (lam - 1) * form z x) by (unfold th; field; split; lra).
    assert (Hstep : gain lam * form root x <= th * (lam - 1) * form z x).
    { apply Rle_trans with (gain lam * (C' * form z x)).
      - apply Rmult_le_compat_l; [|assumption]. apply Rle_mult_inv_pos; [apply pow2_nonneg|].
        apply Rmult_lt_0_compat; lra.
      - apply Req_le. unfold gain, th. field. repeat split; lra. }
    lra.
  Qed.
  (* There is a bound to begin with. *)
  Lemma some_bound : bound C'.
  Proof.
    intros u. eapply Rle_trans; [apply below_y|]. unfold form. rewrite <- total_scal. apply total_le. intros i j Hi Hj.
    destruct (entries i j Hi Hj) as (E0 & E1 & _ & E2).
    destruct C_bounds as (_ & _ & H). destruct (H i j Hi Hj) as [_ H3].
    replace (y i j * u i j ^ 2) with (/ D i j * (root i j * u i j ^ 2)) by (rewrite <- E2; field; lra).
    apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [lra|apply pow2_nonneg].
  Qed.
  (* The least of all bounds from 1 on is a bound. *)
  Lemma least_bound : exists lam, 1 <= lam /\ bound lam /\ forall l, 1 <= l -> bound l -> lam <= l.
  Proof.
    set (negatives := fun e => exists lam, e = - lam /\ 1 <= lam /\ bound lam).
    destruct (completeness negatives) as [M [Hup Hleast]].
    - exists (-1). intros e (lam & -> & H & _). lra.
    - exists (- C'), C'. destruct C_bounds as (_ & HC' & _). split; [reflexivity|].
      split; [assumption|exact some_bound].
    - exists (- M). assert (H1 : 1 <= - M) by (assert (M <= -1); [apply Hleast; intros e (l & -> & H & _)|]; lra).
      split; [assumption|]. split.
      + intros u. assert (HN : 0 <= form root u) by (apply form_nonneg; intros; now apply entries).
        apply Rnot_lt_le. intros Hlt. set (g := (Q u u - - M * form root u) / (2 * (form root u + 1))).
        assert (Hg : 0 < g) by (apply Rdiv_lt_0_compat; lra).
        assert (Eg : g * (2 * (form root u + 1)) = Q u u - - M * form root u) by (unfold g; field; lra).
        assert (Hup' : is_upper_bound negatives (M - g)).
        { intros e (l & -> & Hl & Hbl). specialize (Hbl u). apply Rnot_lt_le. intros Hc.
          assert (l * form root u <= (- M + g) * form root u) by (apply Rmult_le_compat_r; lra).
          assert (0 <= g * form root u) by (apply Rmult_le_pos; lra). lra. }
        apply Hleast in Hup'. lra.
      + intros l Hl Hb. assert (- l <= M) by (apply Hup; exists l; now repeat split). lra.
  Qed.
  Theorem between x : Q x x <= form root x.
  Proof.
    destruct least_bound as (lam & H1 & Hb & Hlow).
    destruct (Rle_lt_or_eq_dec 1 lam H1) as [Hgt|<-]; [exfalso|specialize (Hb x); lra].
    assert (Hbetter := improve lam Hgt Hb). destruct C_bounds as (HC & HC' & _).
    assert (HCC : 1 * 1 <= C * C') by (apply Rmult_le_compat; lra).
    assert (Hden : 0 < lam * C * C') by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
    assert (Hpos : 0 < gain lam) by (apply Rdiv_lt_0_compat; [apply pow_lt; lra|assumption]).
    assert (Hsmall : gain lam <= lam - 1).
    { apply div_le; [assumption|]. assert (lam * 1 <= lam * (C * C')) by (apply Rmult_le_compat_l; lra).
      assert (H2 : (lam - 1) * (lam * 1) <= (lam - 1) * (lam * (C * C'))) by (apply Rmult_le_compat_l; lra).
      replace ((lam - 1) ^ 2) with ((lam - 1) * (lam - 1)) by ring. lra. }
    assert (lam <= lam - gain lam) by (apply Hlow; [lra|assumption]). lra.
  Qed.
End Between.
