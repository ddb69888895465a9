(* The regret of AMSGrad (thm-adam-amsgrad): beta_1 = 0, epsilon = 0, one dimension, projected onto [lo, hi].

   Rounds are counted from 1, as on the page; `run t` is the state after t rounds, with the page's x_{t+1}. *)
Require Export vectors.
Require Import toolbox_log_sum.
Open Scope R_scope.

Record state := { x : R; v : R; top : R }.    (* the position, v, and the largest v so far *)

Section AMSGrad.
  Variables lo hi lr beta2 x1 : R.
  Definition inside y := lo <= y <= hi.
  Variable f : nat -> R -> R.     (* the loss of round t *)
  Variable df : nat -> R -> R.    (* its derivative *)
  Hypothesis convex : forall t y z p, inside y -> inside z -> 0 <= p <= 1 ->
    f t (p * y + (1 - p) * z) <= p * f t y + (1 - p) * f t z.
  (* Differentiable on the interval, from inside at its ends: a remainder that is small against the step. *)
  Hypothesis differentiable : forall t z, inside z -> forall e, 0 < e -> exists delta, 0 < delta /\
    forall y, inside y -> Rabs (y - z) < delta -> Rabs (f t y - f t z - df t z * (y - z)) <= e * Rabs (y - z).
  Hypothesis start : inside x1.
  Hypothesis rates : 0 < lr /\ 0 <= beta2 < 1.

  (* AMSGrad. A step of 0/0 counts as 0. *)
  Definition clip y := Rmin hi (Rmax lo y).
  Definition new_v t s := beta2 * v s + (1 - beta2) * df t (x s) ^ 2.
  Definition new_top t s := Rmax (top s) (new_v t s).
  Definition move t s :=
    if Req_EM_T (new_top t s) 0 then 0 else lr / sqrt (INR t) * (df t (x s) / sqrt (new_top t s)).
  Definition next t s := {| x := clip (x s - move t s); v := new_v t s; top := new_top t s |}.
  Fixpoint run t := match t with O => {| x := x1; v := 0; top := 0 |} | S s => next (S s) (run s) end.

  (* The page's g_{t+1}, d_{t+1} for a point u in the place of the best one, and w_t. *)
  Definition g t := df (S t) (x (run t)).
  Definition d u t := x (run t) - u.
  Definition w t := sqrt (top (run t)) * sqrt (INR t) / lr.

  Lemma run_inside t : inside (x (run t)).
  Proof.
    destruct t as [|t]; [exact start|]. cbn [run x next]. unfold inside in *. unfold clip, Rmin, Rmax.
    repeat destruct (Rle_dec _ _); lra.
  Qed.
  Lemma v_nonneg t : 0 <= v (run t).
  Proof.
    induction t as [|t IH]; [cbn; lra|]. cbn [run v next]. unfold new_v.
    apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply pow2_nonneg; lra.
  Qed.
  (* The largest v so far does not shrink, and is at least the newest square's share. *)
  Lemma top_grows t : top (run t) <= top (run (S t)) /\ (1 - beta2) * g t ^ 2 <= top (run (S t)).
  Proof.
    cbn [run top next]. unfold new_top. split; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r].
    assert (H := v_nonneg t). assert (0 <= beta2 * v (run t)) by (apply Rmult_le_pos; lra). unfold new_v, g. lra.
  Qed.
  Lemma top_nonneg t : 0 <= top (run t).
  Proof. induction t as [|t IH]; [cbn; lra|]. destruct (top_grows t) as [H _]. lra. Qed.

  (* (1) Convexity: the tangent lies below. *)
  Lemma step_1 t z u : inside z -> inside u -> f t z - f t u <= df t z * (z - u).
  Proof.
    intros Hz Hu. apply Rnot_lt_le. intros Hlt. set (e := f t z - f t u - df t z * (z - u)). set (len := Rabs (u - z)).
    assert (He : 0 < e) by (unfold e; lra).
    assert (Hlen : 0 < len) by (apply Rabs_pos_lt; intros H; replace u with z in Hlt by lra; lra).
    destruct (differentiable t z Hz (e / (2 * len))) as (delta & Hd & H); [apply Rdiv_lt_0_compat; lra|].
    set (p := Rmin 1 (delta / (2 * len))).
    assert (Hp : 0 < p) by (apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]).
    assert (Hp1 : p <= 1) by apply Rmin_l. set (y := p * u + (1 - p) * z).
    assert (Hy : y - z = p * (u - z)) by (unfold y; ring).
    assert (Hyz : Rabs (y - z) = p * len) by (rewrite Hy, Rabs_mult, (Rabs_pos_eq p) by lra; reflexivity).
    assert (Hnear : p * len < delta).
    { apply Rle_lt_trans with (delta / (2 * len) * len); [apply Rmult_le_compat_r; [lra|apply Rmin_r]|].
      replace (delta / (2 * len) * len) with (delta / 2) by (field; lra). lra. }
    assert (Hin : inside y).
    { unfold inside, y in *.
      assert (A1 : p * lo <= p * u <= p * hi) by (split; apply Rmult_le_compat_l; lra).
      assert (A2 : (1 - p) * lo <= (1 - p) * z <= (1 - p) * hi) by (split; apply Rmult_le_compat_l; lra). lra. }
    specialize (H y Hin). rewrite Hyz, Hy in H. specialize (H Hnear).
    assert (Hc := convex t u z p Hu Hz ltac:(lra)). fold y in Hc.
    replace (e / (2 * len) * (p * len)) with (p * e / 2) in H by (field; lra).
    assert (Hr := Rle_abs (- (f t y - f t z - df t z * (p * (u - z))))). rewrite Rabs_Ropp in Hr.
    assert (Hpe : 0 < p * e) by now apply Rmult_lt_0_compat.
    assert (E : p * e = p * (f t z - f t u) - df t z * (p * (z - u))) by (unfold e; ring). lra.
  Qed.

  (* (2) One step. Projecting brings no point further from u. *)
  Lemma step_2_projection y u : inside u -> (clip y - u) ^ 2 <= (y - u) ^ 2.
  Proof.
    intros Hu. unfold inside in *. rewrite <- (pow2_Rabs (clip y - u)), <- (pow2_Rabs (y - u)).
    apply pow_incr. split; [apply Rabs_pos|]. unfold clip, Rmin, Rmax, Rabs.
    repeat destruct (Rle_dec _ _); repeat destruct (Rcase_abs _); lra.
  Qed.
  Lemma step_2 t u : inside u -> 2 * (g t * d u t) <= w (S t) * (d u t ^ 2 - d u (S t) ^ 2) + g t ^ 2 / w (S t).
  Proof.
    intros Hu. assert (Hc := step_2_projection (x (run t) - move (S t) (run t)) u Hu).
    destruct (top_grows t) as [_ Hg]. assert (H0 := top_nonneg (S t)).
    assert (Hn : 0 < sqrt (INR (S t))) by (apply sqrt_lt_R0, INR_pos; lia).
    change (clip (x (run t) - move (S t) (run t))) with (x (run (S t))) in Hc. unfold d. unfold move in Hc.
    change (new_top (S t) (run t)) with (top (run (S t))) in Hc. fold (g t) in Hc. unfold w.
    set (n := sqrt (INR (S t))) in *. destruct (Req_EM_T (top (run (S t))) 0) as [Hz|Hnz].
    - assert (Hg0 : g t = 0).
      { apply pow2_zero. apply Rmult_eq_reg_l with (1 - beta2); [|lra]. apply Rle_antisym; [lra|].
        rewrite Rmult_0_r. apply Rmult_le_pos; [lra|apply pow2_nonneg]. }
      rewrite Hz, Hg0, sqrt_0. unfold Rdiv. lra.
    - assert (Hv : 0 < sqrt (top (run (S t)))) by (apply sqrt_lt_R0; lra). set (r := sqrt (top (run (S t)))) in *.
      set (W := r * n / lr).
      assert (HW : 0 < W) by (unfold W; apply Rdiv_lt_0_compat; [now apply Rmult_lt_0_compat|lra]).
      replace (lr / n * (g t / r)) with (g t / W) in Hc by (unfold W; field; lra).
      assert (H := Rmult_le_compat_l W _ _ (Rlt_le _ _ HW) Hc).
      replace (W * (x (run t) - g t / W - u) ^ 2)
        with (W * (x (run t) - u) ^ 2 - 2 * (g t * (x (run t) - u)) + g t ^ 2 / W) in H by (field; lra). lra.
  Qed.
  (* (3) The weights do not shrink. *)
  Lemma step_3 t : 0 <= w t <= w (S t).
  Proof.
    destruct (top_grows t) as [H _]. assert (Hi : 0 < / lr) by (apply Rinv_0_lt_compat; lra).
    assert (INR t <= INR (S t)) by (apply le_INR; lia). unfold w, Rdiv. split.
    - apply Rmult_le_pos; [apply Rmult_le_pos; apply sqrt_pos|lra].
    - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat; try apply sqrt_pos; now apply sqrt_le_1_alt.
  Qed.
  (* (4) Sum by parts: an induction that carries along what is left of D^2. *)
  Lemma step_4 T u : inside u ->
    sum T (fun t => w (S t) * (d u t ^ 2 - d u (S t) ^ 2)) <= w T * ((hi - lo) ^ 2 - d u T ^ 2).
  Proof.
    intros Hu. induction T as [|T IH].
    - rewrite sum_O. unfold w. rewrite INR_zero, sqrt_0. unfold Rdiv. lra.
    - rewrite sum_S. destruct (step_3 T) as [_ Hw]. assert (Hx := run_inside T).
      assert (Hd : 0 <= (hi - lo) ^ 2 - d u T ^ 2).
      { assert (H : d u T ^ 2 <= (hi - lo) ^ 2); [|lra]. rewrite <- pow2_Rabs. apply pow_incr.
        split; [apply Rabs_pos|]. unfold d, inside in *. apply Rabs_le. lra. }
      assert (H := Rmult_le_compat_r _ _ _ Hd Hw). lra.
  Qed.
  (* (5) The other sum. *)
  Lemma step_5_newest t : g t ^ 2 / w (S t) <= lr / sqrt (1 - beta2) * (Rabs (g t) * / sqrt (INR (S t))).
  Proof.
    destruct (top_grows t) as [_ Hg]. assert (Hs : 0 < sqrt (1 - beta2)) by (apply sqrt_lt_R0; lra).
    assert (Hn : 0 < sqrt (INR (S t))) by (apply sqrt_lt_R0, INR_pos; lia). unfold w.
    set (r := sqrt (top (run (S t)))). set (n := sqrt (INR (S t))) in *. set (s := sqrt (1 - beta2)) in *.
    assert (Hr : s * Rabs (g t) <= r).
    { unfold r, s. rewrite <- sqrt_of_square, <- sqrt_mult_alt by lra. now apply sqrt_le_1_alt. }
    destruct (Rabs_pos (g t)) as [Ha|Ha].
    - assert (Hrt : 0 < s * Rabs (g t)) by now apply Rmult_lt_0_compat.
      rewrite <- pow2_Rabs. replace (Rabs (g t) ^ 2 / (r * n / lr)) with (lr * Rabs (g t) / n * (Rabs (g t) / r))
        by (field; lra).
      replace (lr / s * (Rabs (g t) * / n)) with (lr * Rabs (g t) / n * (1 / s)) by (field; lra).
      apply Rmult_le_compat_l; [pos|]. apply div_le; [lra|]. replace (1 / s * r) with (r / s) by (field; lra).
      apply le_div; lra.
    - rewrite <- (pow2_Rabs (g t)), <- Ha. unfold Rdiv. lra.
  Qed.
  Lemma step_5_harmonic T : (1 <= T)%nat -> sum T (fun t => / INR (S t)) <= 1 + ln (INR T).
  Proof.
    intros HT. destruct T as [|T]; [lia|]. rewrite sum_first, INR_one, Rinv_1. assert (H := lem_log_sum_instance T).
    rewrite S_INR, (Rplus_comm (INR T)). rewrite (sum_ext T _ (fun t => / (1 + INR (S t))));
      [lra|]. intros t _. now rewrite (S_INR (S t)), Rplus_comm.
  Qed.
  Lemma step_5 T : (1 <= T)%nat ->
    sum T (fun t => g t ^ 2 / w (S t)) <= lr * sqrt (1 + ln (INR T)) / sqrt (1 - beta2) * norm T g.
  Proof.
    intros HT. assert (Hs : 0 < sqrt (1 - beta2)) by (apply sqrt_lt_R0; lra).
    eapply Rle_trans; [apply sum_le; intros t _; apply step_5_newest|]. rewrite sum_scal.
    replace (lr * sqrt (1 + ln (INR T)) / sqrt (1 - beta2) * norm T g)
      with (lr / sqrt (1 - beta2) * (norm T g * sqrt (1 + ln (INR T)))) by (field; lra).
    apply Rmult_le_compat_l; [apply Rlt_le; now apply Rdiv_lt_0_compat|].
    eapply Rle_trans; [exact (inner_le T (fun t => Rabs (g t)) (fun t => / sqrt (INR (S t))))|].
    replace (norm T (fun t => Rabs (g t))) with (norm T g)
      by (unfold norm, norm2; f_equal; apply sum_ext; intros; now rewrite pow2_Rabs).
    apply Rmult_le_compat_l; [apply norm_pos|]. apply sqrt_le_1_alt.
    eapply Rle_trans; [|now apply step_5_harmonic]. apply Req_le, sum_ext. intros t _.
    rewrite pow_inv, sqrt_squared by apply pos_INR. reflexivity.
  Qed.

  (* thm-adam-amsgrad, with (6): half of (4) and half of (5). On an interval of length D the regret of T rounds against
     any point u is at most D^2 sqrt T / (2 lr) sqrt v_T + lr sqrt (1 + ln T) / (2 sqrt (1 - beta2)) |g|, where v_T is
     the largest average so far. *)
  Theorem thm_adam_amsgrad T u : (1 <= T)%nat -> inside u ->
    sum T (fun t => f (S t) (x (run t))) - sum T (fun t => f (S t) u)
    <= (hi - lo) ^ 2 * sqrt (INR T) / (2 * lr) * sqrt (top (run T))
       + lr * sqrt (1 + ln (INR T)) / (2 * sqrt (1 - beta2)) * norm T g.
  Proof.
    intros HT Hu. assert (Hs : 0 < sqrt (1 - beta2)) by (apply sqrt_lt_R0; lra). rewrite <- sum_minus.
    assert (H1 : sum T (fun t => f (S t) (x (run t)) - f (S t) u) <= sum T (fun t => g t * d u t)).
    { apply sum_le. intros t _. apply step_1; [apply run_inside|exact Hu]. }
    assert (H2 : sum T (fun t => 2 * (g t * d u t))
      <= sum T (fun t => w (S t) * (d u t ^ 2 - d u (S t) ^ 2) + g t ^ 2 / w (S t)))
      by (apply sum_le; intros; now apply step_2).
    rewrite sum_scal, sum_plus in H2. assert (H4 := step_4 T u Hu). assert (H5 := step_5 T HT).
    destruct (step_3 T) as [Hw _]. assert (Hd := Rmult_le_pos _ _ Hw (pow2_nonneg (d u T))).
    replace ((hi - lo) ^ 2 * sqrt (INR T) / (2 * lr) * sqrt (top (run T))) with (w T * (hi - lo) ^ 2 / 2)
      by (unfold w; field; lra).
    replace (lr * sqrt (1 + ln (INR T)) / (2 * sqrt (1 - beta2)) * norm T g)
      with (lr * sqrt (1 + ln (INR T)) / sqrt (1 - beta2) * norm T g / 2) by (field; lra). lra.
  Qed.
End AMSGrad.
