(* Adafactor: the best factors (thm-adafactor-best).

   V is an n x m matrix without negative entries, r and c are its row and column sums, S the sum of all. Closeness is
   the I-divergence; ln 0 is multiplied by 0 in it, and the library's convention (ln 0 = 0) plays no role. *)
Require Export sums.
Open Scope R_scope.

(* One entry of the I-divergence (eq-adafactor-divergence); for p = 0 it is q. *)
Definition D (p q : R) := p * ln (p / q) - p + q.
Definition total n m (X : nat -> nat -> R) := sum n (fun i => sum m (fun j => X i j)).
Lemma total_plus n m X Y : total n m (fun i j => X i j + Y i j) = total n m X + total n m Y.
Proof. unfold total. rewrite <- sum_plus. apply sum_ext. intros. apply sum_plus. Qed.
Lemma total_ext n m X Y : (forall i j, (i < n)%nat -> (j < m)%nat -> X i j = Y i j) -> total n m X = total n m Y.
Proof. intros H. apply sum_ext. intros i Hi. apply sum_ext. intros j Hj. now apply H. Qed.

Lemma ln_le x : 0 < x -> ln x <= x - 1.
Proof. intros Hx. assert (H := exp_ineq1_le (ln x)). rewrite exp_ln in H by assumption. lra. Qed.
Lemma ln_lt x : 0 < x -> x <> 1 -> ln x < x - 1.
Proof.
  intros Hx Hne. assert (H0 : ln x <> 0) by (intros H; apply Hne; rewrite <- (exp_ln x Hx), H; apply exp_0).
  assert (H := exp_ineq1 (ln x) H0). rewrite exp_ln in H by assumption. lra.
Qed.
(* (1) No entry is negative, and zero only where both are equal. *)
Lemma step_1 p q : 0 <= p -> 0 < q -> 0 <= D p q /\ (D p q = 0 -> p = q).
Proof.
  intros Hp Hq. unfold D. destruct (Req_dec p 0) as [->|Hne]; [split; [lra|lra]|]. assert (Hp0 : 0 < p) by lra.
  assert (Hx : 0 < q / p) by pos.
  replace (p / q) with (/ (q / p)) by (field; lra). rewrite ln_Rinv by assumption.
  assert (Hpq : p * (q / p - 1) = q - p) by (field; lra). split.
  - assert (H := Rmult_le_compat_l p _ _ Hp (ln_le (q / p) Hx)). lra.
  - intros H. destruct (Req_dec (q / p) 1) as [E|E].
    + apply (Rmult_eq_compat_r p) in E. unfold Rdiv in E. rewrite Rmult_assoc, Rinv_l in E; lra.
    + assert (H1 := Rmult_lt_compat_l p _ _ Hp0 (ln_lt (q / p) Hx E)). lra.
Qed.

Section BestFactors.
  Variables n m : nat.
  Variable V : nat -> nat -> R.
  Definition r i := sum m (fun j => V i j).
  Definition c j := sum n (fun i => V i j).
  Definition S := total n m V.
  Definition star i j := r i * c j / S.
  (* (F1) *)
  Hypothesis F1 : forall i j, (i < n)%nat -> (j < m)%nat -> 0 <= V i j.
  Hypothesis F1_rows : forall i, (i < n)%nat -> 0 < r i.
  Hypothesis F1_columns : forall j, (j < m)%nat -> 0 < c j.
  Hypothesis some : (1 <= n)%nat.
  (* (F2) and (F3) *)
  Variables a b : nat -> R.
  Hypothesis F2 : (forall i, (i < n)%nat -> 0 < a i) /\ forall j, (j < m)%nat -> 0 < b j.
  Definition W i j := a i * b j.
  (* (F4): the divergence of two matrices. *)
  Definition divergence X Y := total n m (fun i j => D (X i j) (Y i j)).

  Lemma S_pos : 0 < S.
  Proof. apply sum_pos; [exact some|exact F1_rows]. Qed.
  Lemma S_by_columns : S = sum m c.
  Proof. apply sum_swap. Qed.
  Lemma star_pos i j : (i < n)%nat -> (j < m)%nat -> 0 < star i j.
  Proof.
    intros Hi Hj. assert (H := S_pos). assert (Hr := F1_rows i Hi). assert (Hc := F1_columns j Hj). unfold star. pos.
  Qed.
  Lemma W_pos i j : (i < n)%nat -> (j < m)%nat -> 0 < W i j.
  Proof. intros Hi Hj. destruct F2 as [Ha Hb]. apply Rmult_lt_0_compat; auto. Qed.

  (* (2) The same margins. *)
  Lemma step_2_rows i : sum m (fun j => star i j) = r i.
  Proof.
    assert (H := S_pos). unfold star. rewrite (sum_ext _ _ (fun j => r i / S * c j)) by (intros; field; lra).
    rewrite sum_scal, <- S_by_columns. field. lra.
  Qed.
  Lemma step_2_columns j : sum n (fun i => star i j) = c j.
  Proof.
    assert (H := S_pos). unfold star. rewrite (sum_ext _ _ (fun i => c j / S * r i)) by (intros; field; lra).
    rewrite sum_scal. change (sum n r) with S. field. lra.
  Qed.
  Lemma step_2_total : total n m star = S.
  Proof. apply sum_ext. intros. apply step_2_rows. Qed.

  (* A matrix with the margins of V, against a number for the row plus a number for the column. *)
  Lemma against_margins X u v : (forall i, (i < n)%nat -> sum m (fun j => X i j) = r i) ->
    (forall j, (j < m)%nat -> sum n (fun i => X i j) = c j) ->
    total n m (fun i j => X i j * (u i + v j)) = sum n (fun i => r i * u i) + sum m (fun j => c j * v j).
  Proof.
    intros Hr Hc. unfold total. rewrite (sum_ext n _ (fun i => r i * u i + sum m (fun j => X i j * v j))).
    - rewrite sum_plus. f_equal. rewrite sum_swap. apply sum_ext. intros j Hj. now rewrite sum_scal_r, Hc.
    - intros i Hi. rewrite (sum_ext m _ (fun j => X i j * u i + X i j * v j)) by (intros; ring).
      now rewrite sum_plus, sum_scal_r, Hr.
  Qed.
  (* (3) The logarithm splits, so V and star have the same sum against it. *)
  Lemma step_3_split i j : (i < n)%nat -> (j < m)%nat ->
    ln (star i j / W i j) = ln (r i / (S * a i)) + ln (c j / b j).
  Proof.
    intros Hi Hj. destruct F2 as [Ha Hb]. specialize (Ha i Hi). specialize (Hb j Hj). assert (HS := S_pos).
    assert (Hr := F1_rows i Hi). assert (Hc := F1_columns j Hj).
    rewrite <- ln_mult by pos. f_equal. unfold star, W. field. repeat split; lra.
  Qed.
  Lemma step_3 : total n m (fun i j => V i j * ln (star i j / W i j))
    = total n m (fun i j => star i j * ln (star i j / W i j)).
  Proof.
    assert (H : forall X, (forall i, (i < n)%nat -> sum m (fun j => X i j) = r i) ->
      (forall j, (j < m)%nat -> sum n (fun i => X i j) = c j) ->
      total n m (fun i j => X i j * ln (star i j / W i j))
      = sum n (fun i => r i * ln (r i / (S * a i))) + sum m (fun j => c j * ln (c j / b j))).
    { intros X Hr Hc. rewrite <- (against_margins X _ _ Hr Hc). apply total_ext. intros i j Hi Hj.
      now rewrite step_3_split. }
    rewrite !H; auto using step_2_rows, step_2_columns.
  Qed.

  (* (4) Pythagoras. *)
  Lemma step_4_entry i j : (i < n)%nat -> (j < m)%nat -> D (V i j) (W i j)
    = D (V i j) (star i j) + (V i j * ln (star i j / W i j) + (W i j - star i j)).
  Proof.
    intros Hi Hj. assert (Hs := star_pos i j Hi Hj). assert (HW := W_pos i j Hi Hj). assert (HV := F1 i j Hi Hj).
    unfold D. destruct HV as [HV|<-]; [|ring].
    replace (V i j / W i j) with (V i j / star i j * (star i j / W i j)) by (field; lra). rewrite ln_mult by pos. ring.
  Qed.
  Lemma step_4 : divergence V W = divergence V star + divergence star W.
  Proof.
    unfold divergence. rewrite (total_ext n m (fun i j => D (V i j) (W i j)) _ step_4_entry), !total_plus, step_3.
    f_equal. rewrite <- total_plus. apply total_ext. intros. unfold D. ring.
  Qed.

  (* (5) Conclude. *)
  Lemma step_5 : 0 <= divergence star W /\
    (divergence star W = 0 -> forall i j, (i < n)%nat -> (j < m)%nat -> W i j = star i j).
  Proof.
    assert (H : forall i j, (i < n)%nat -> (j < m)%nat -> 0 <= D (star i j) (W i j) /\
      (D (star i j) (W i j) = 0 -> star i j = W i j)).
    { intros i j Hi Hj. apply step_1; [now apply Rlt_le, star_pos|now apply W_pos]. }
    assert (Hrow : forall i, (i < n)%nat -> 0 <= sum m (fun j => D (star i j) (W i j)))
      by (intros i Hi; apply sum_nonneg; intros; now apply H).
    split; [now apply sum_nonneg|]. intros H0 i j Hi Hj. symmetry. apply H; [assumption|assumption|].
    assert (Hi0 := sum_zero n _ Hrow H0 i Hi). cbv beta in Hi0.
    exact (sum_zero m (fun j => D (star i j) (W i j)) (fun j Hj => proj1 (H i j Hi Hj)) Hi0 j Hj).
  Qed.

  (* thm-adafactor-best: (eq-adafactor-pythagoras), nothing is closer, and nothing else is as close. *)
  Theorem thm_adafactor_best : divergence V W = divergence V star + divergence star W /\
    divergence V star <= divergence V W /\
    (divergence V W = divergence V star -> forall i j, (i < n)%nat -> (j < m)%nat -> W i j = star i j).
  Proof.
    assert (H4 := step_4). destruct step_5 as [H5 H6]. split; [exact H4|]. split; [lra|].
    intros H. apply H6. lra.
  Qed.
End BestFactors.

(* An instance: the identity, with its zeros; both rows and columns sum to 1. Its best factors are 1/2 everywhere;
   factors of 1 are worse. *)
Lemma thm_adafactor_best_instance : let V i j := if Nat.eqb i j then 1 else 0 in
  star 2 2 V 0 0 = / 2 /\ divergence 2 2 V (star 2 2 V) <= divergence 2 2 V (W (fun _ => 1) (fun _ => 1)).
Proof.
  intros V. assert (H : forall i, (i < 2)%nat -> r 2 V i = 1 /\ c 2 V i = 1).
  { intros i Hi. unfold r, c, V. rewrite !sum_S, !sum_O.
    destruct i as [|[|i]]; [| |lia]; cbn [Nat.eqb]; split; ring. }
  split.
  - unfold star. destruct (H O) as [-> ->]; [lia|]. unfold S, total, V. rewrite !sum_S, !sum_O. cbn [Nat.eqb]. lra.
  - apply (thm_adafactor_best 2 2 V); try lia.
    + intros i j _ _. unfold V. destruct (Nat.eqb i j); lra.
    + intros i Hi. destruct (H i Hi). lra.
    + intros i Hi. destruct (H i Hi). lra.
    + split; intros; lra.
Qed.
