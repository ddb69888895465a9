(* CAME: instability is the speed of the average (prp-came-speed), and the length of CAME's step (thm-came-step).

   The n x k matrix of clipped updates at step s is u s i j (s = 1, 2, ...); m is its moving average with beta1, U the
   instability, E the moving average of U + eps2 with beta3. Rows and columns are the means over rows and columns. *)
Require Export averages vectors.
Open Scope R_scope.

(* ---- 1. One entry. ---- *)

Section Entry.
  Variables beta1 beta3 eps2 : R.
  Hypothesis rates : 0 < beta1 < 1 /\ 0 < beta3 < 1 /\ 0 <= eps2.
  Variable u : nat -> R.
  Definition m t := ema beta1 u t.
  Definition U t := (u t - m t) ^ 2.
  Definition Ebar t := ema beta3 (fun s => U s + eps2) t.
  (* The move of step t + 1. *)
  Definition delta t := m (S t) - m t.

  (* prp-came-speed (eq-came-speed). The update less its average is the last change of the average, times beta1 / (1 -
     beta1); the instability is the square of that. *)
  Theorem prp_came_speed t : u (S t) - m (S t) = beta1 / (1 - beta1) * delta t /\
    U (S t) = (beta1 / (1 - beta1)) ^ 2 * delta t ^ 2.
  Proof.
    assert (H : u (S t) - m (S t) = beta1 / (1 - beta1) * delta t).
    { unfold delta, m. rewrite ema_S. field. lra. }
    split; [exact H|]. unfold U. rewrite H. ring.
  Qed.

  (* (1) Distance is a sum of moves. *)
  Lemma step_1 t : m t = sum t delta.
  Proof. unfold delta. rewrite (sum_telescope t m). change (m 0) with 0. ring. Qed.
  (* The weight of step s + 1 in a moving average at time t. *)
  Definition w t s := (1 - beta3) * beta3 ^ (t - S s).
  Lemma w_pos t s : 0 < w t s.
  Proof. unfold w. destruct rates as (_ & H & _). apply Rmult_lt_0_compat; [lra|]. apply pow_lt. lra. Qed.
  (* (2) Instability is speed. *)
  Lemma step_2 t : (beta1 / (1 - beta1)) ^ 2 * sum t (fun s => w t s * delta s ^ 2) <= Ebar t.
  Proof.
    unfold Ebar. rewrite ema_unrolled, <- sum_scal. apply sum_le. intros s _. fold (w t s).
    destruct (prp_came_speed s) as [_ ->]. assert (H := w_pos t s). destruct rates as (_ & _ & He).
    assert (0 <= w t s * eps2) by (apply Rmult_le_pos; lra). lra.
  Qed.
  (* (3) Cauchy-Schwarz. *)
  Lemma step_3 t : sum t delta ^ 2 <= sum t (fun s => / w t s) * sum t (fun s => w t s * delta s ^ 2).
  Proof.
    assert (H := inner_squared t (fun s => / sqrt (w t s)) (fun s => sqrt (w t s) * delta s)).
    assert (Hr : forall s, 0 < sqrt (w t s) /\ sqrt (w t s) ^ 2 = w t s).
    { intros s. assert (Hw := w_pos t s). split; [now apply sqrt_lt_R0|apply sqrt_squared; lra]. }
    replace (inner t _ _) with (sum t delta) in H.
    - eapply Rle_trans; [exact H|]. apply Req_le. f_equal; apply sum_ext; intros s _; destruct (Hr s) as [H1 H2].
      + rewrite pow_inv, H2. reflexivity.
      + rewrite <- H2 at 2. ring.
    - apply sum_ext. intros s _. destruct (Hr s). field. lra.
  Qed.
  (* (4) A geometric sum. *)
  Definition inverses t := beta3 * (/ beta3 ^ t - 1) / (1 - beta3) ^ 2.
  Definition K t := ((1 - beta1) / beta1) ^ 2 * inverses t.
  Lemma step_4_sum t : sum t (fun s => / w t s) = inverses t.
  Proof.
    destruct rates as (_ & Hb & _). unfold inverses. induction t as [|t IH].
    - rewrite sum_O, pow_O. field. lra.
    - rewrite sum_S. assert (Hp : 0 < beta3 ^ t) by (apply pow_lt; lra).
      rewrite (sum_ext t _ (fun s => / beta3 * / w t s)).
      + rewrite sum_scal, IH. unfold w. rewrite Nat.sub_diag, pow_O, <- (tech_pow_Rmult beta3 t). field.
        repeat split; lra.
      + intros s Hs. unfold w. replace (S t - S s)%nat with (S (t - S s)) by lia. rewrite <- tech_pow_Rmult.
        assert (0 < beta3 ^ (t - S s)) by (apply pow_lt; lra). field. repeat split; lra.
  Qed.
  Lemma inverses_nonneg t : 0 <= inverses t.
  Proof. rewrite <- step_4_sum. apply sum_nonneg. intros s _. apply Rlt_le, Rinv_0_lt_compat, w_pos. Qed.
  Lemma step_4 t : m t ^ 2 <= K t * Ebar t.
  Proof.
    destruct rates as (Hb & _). rewrite step_1. eapply Rle_trans; [apply step_3|]. rewrite step_4_sum.
    assert (H2 := step_2 t). assert (H0 := inverses_nonneg t). set (x := sum t _) in *. unfold K.
    replace (((1 - beta1) / beta1) ^ 2 * inverses t * Ebar t)
      with (inverses t * (((1 - beta1) / beta1) ^ 2 * Ebar t)) by ring.
    apply Rmult_le_compat_l; [assumption|].
    apply Rle_trans with (((1 - beta1) / beta1) ^ 2 * ((beta1 / (1 - beta1)) ^ 2 * x)).
    - apply Req_le. field. split; lra.
    - apply Rmult_le_compat_l; [apply pow2_nonneg|exact H2].
  Qed.
  Lemma Ebar_nonneg t : 0 <= Ebar t.
  Proof.
    apply ema_nonneg; [lra|]. intros s _. assert (H := pow2_nonneg (u s - m s)). unfold U. lra.
  Qed.
  Lemma K_nonneg t : 0 <= K t.
  Proof. apply Rmult_le_pos; [apply pow2_nonneg|apply inverses_nonneg]. Qed.
End Entry.

(* A series with equality for eps2 = 0: its moves are the inverses of the weights at time t. *)
Fixpoint series_m beta3 t s := match s with O => 0 | S r => series_m beta3 t r + / w beta3 t r end.
Definition series beta1 beta3 t (s : nat) :=
  match s with O => 0 | S r => series_m beta3 t r + / w beta3 t r / (1 - beta1) end.
Lemma series_equal beta1 beta3 t : 0 < beta1 < 1 -> 0 < beta3 < 1 -> (1 <= t)%nat ->
  m beta1 (series beta1 beta3 t) t ^ 2 = K beta1 beta3 t * Ebar beta1 beta3 0 (series beta1 beta3 t) t /\
  0 < m beta1 (series beta1 beta3 t) t ^ 2.
Proof.
  intros H1 H3 Ht. assert (rates : 0 < beta1 < 1 /\ 0 < beta3 < 1 /\ 0 <= 0) by (repeat split; lra).
  set (u := series beta1 beta3 t).
  assert (Hm : forall s, m beta1 u s = series_m beta3 t s).
  { induction s as [|s IH]; [reflexivity|]. unfold m in *. rewrite ema_S, IH. cbn [u series series_m]. unfold u, series.
    assert (Hw := w_pos beta1 beta3 0 rates t s). field. split; lra. }
  assert (Hd : forall s, delta beta1 u s = / w beta3 t s)
    by (intros s; unfold delta; rewrite !Hm; cbn [series_m]; ring).
  assert (Hmt : m beta1 u t = inverses beta3 t).
  { rewrite step_1, <- (step_4_sum beta1 beta3 0 rates). apply sum_ext. intros. apply Hd. }
  assert (HE : Ebar beta1 beta3 0 u t = (beta1 / (1 - beta1)) ^ 2 * inverses beta3 t).
  { unfold Ebar. rewrite ema_unrolled, <- (step_4_sum beta1 beta3 0 rates), <- sum_scal. apply sum_ext. intros s _.
    destruct (prp_came_speed beta1 beta3 0 rates u s) as [_ ->]. rewrite Hd. fold (w beta3 t s).
    assert (Hw := w_pos beta1 beta3 0 rates t s). field. split; lra. }
  rewrite Hmt, HE. split; [unfold K; field; split; lra|]. apply pow_lt. rewrite <- (step_4_sum beta1 beta3 0 rates).
  apply sum_pos; [assumption|]. intros. apply Rinv_0_lt_compat, (w_pos beta1 beta3 0 rates).
Qed.
(* With updates c times as large, m is c times as large; of E only what is not eps2 grows, by c^2. *)
Lemma larger beta1 beta3 eps2 c u t : m beta1 (fun s => c * u s) t = c * m beta1 u t /\
  Ebar beta1 beta3 eps2 (fun s => c * u s) t = c ^ 2 * Ebar beta1 beta3 0 u t + (1 - beta3 ^ t) * eps2.
Proof.
  assert (Hm : forall s, m beta1 (fun s => c * u s) s = c * m beta1 u s) by (intros; apply ema_scal).
  split; [apply Hm|]. unfold Ebar. rewrite <- ema_scal, <- ema_const, <- ema_plus. apply ema_ext. intros s _.
  unfold U. rewrite Hm. ring.
Qed.
(* The constant K_t is the smallest possible, for every eps2: no smaller one holds for all series. *)
Lemma thm_came_step_sharp beta1 beta3 eps2 t smaller : 0 < beta1 < 1 -> 0 < beta3 < 1 -> 0 <= eps2 -> (1 <= t)%nat ->
  smaller < K beta1 beta3 t -> exists u, smaller * Ebar beta1 beta3 eps2 u t < m beta1 u t ^ 2.
Proof.
  intros H1 H3 He Ht Hs. destruct (series_equal beta1 beta3 t H1 H3 Ht) as [Heq Hpos].
  set (u := series beta1 beta3 t) in *. set (A := Ebar beta1 beta3 0 u t) in *.
  assert (HA : 0 < A).
  { assert (H0 := Ebar_nonneg beta1 beta3 0 ltac:(repeat split; lra) u t). fold A in H0.
    destruct H0 as [H0|H0]; [assumption|]. rewrite <- H0, Rmult_0_r in Heq. lra. }
  set (e := (1 - beta3 ^ t) * eps2). set (gap := A * (K beta1 beta3 t - smaller)).
  assert (Hg : 0 < gap) by (apply Rmult_lt_0_compat; lra).
  set (more := Rabs (smaller * e) / gap). assert (Hmore : 0 <= more) by (apply Rle_mult_inv_pos; [apply Rabs_pos|lra]).
  exists (fun s => (1 + more) * u s). destruct (larger beta1 beta3 eps2 (1 + more) u t) as [-> ->]. fold A e.
  rewrite Rpow_mult_distr, Heq.
  assert (H : smaller * e < (1 + more) ^ 2 * gap).
  { assert (E : more * gap = Rabs (smaller * e)) by (unfold more; field; lra).
    assert (H := Rle_abs (smaller * e)). assert (0 <= more * gap) by (apply Rmult_le_pos; lra).
    assert (0 <= more ^ 2 * gap) by (apply Rmult_le_pos; [apply pow2_nonneg|lra]).
    replace ((1 + more) ^ 2 * gap) with (gap + more * gap + (more * gap + more ^ 2 * gap)) by ring. lra. }
  replace ((1 + more) ^ 2 * (K beta1 beta3 t * A)) with ((1 + more) ^ 2 * gap + smaller * ((1 + more) ^ 2 * A))
    by (unfold gap; ring). lra.
Qed.
(* An instance: an update of 1 at the first step. *)
Lemma prp_came_speed_instance : delta (/ 2) (fun _ => 1) 0 = / 2 /\ U (/ 2) (fun _ => 1) 1 = / 4.
Proof.
  assert (H : delta (/ 2) (fun _ => 1) 0 = / 2) by (unfold delta, m; cbn [ema]; field). split; [exact H|].
  rewrite (proj2 (prp_came_speed (/ 2) (/ 2) 0 ltac:(lra) (fun _ => 1) 0)), H. field.
Qed.
