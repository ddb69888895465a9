(* CAME: rank one twice is rank one (prp-came-rank). *)
Require Import came_matrix.
Open Scope R_scope.

(* CAME on an n x k matrix: the averages r and c of row and column means of g^2 + eps1, what they reconstruct, the
   update, its clip, the average, and the same factoring for the instability. *)
Section Rank.
  Variables n k : nat.
  Hypothesis shape : (1 <= n)%nat /\ (1 <= k)%nat.
  Variables beta1 beta2 beta3 eps1 eps2 d : R.
  Hypothesis rates : 0 <= beta1 < 1 /\ 0 <= beta2 < 1 /\ 0 <= beta3 < 1 /\ 0 < d.
  Variable g : nat -> nat -> nat -> R.            (* g s i j: the gradient of step s *)
  Definition V s i j := S_ n k (fun i' j' => ema beta2 (fun r => g r i' j' ^ 2 + eps1) s) i j.
  Definition u s i j := g s i j / sqrt (V s i j).
  Definition rms s := sqrt (sum n (fun i => sum k (fun j => u s i j ^ 2)) / (INR n * INR k)).
  Definition gamma s := / Rmax 1 (rms s / d).
  Definition u_hat s i j := gamma s * u s i j.
  Definition S_t t i j := S_ n k (fun i' j' => Ebar beta1 beta3 eps2 (fun s => u_hat s i' j') t) i j.
  Definition step t i j := m beta1 (fun s => u_hat s i j) t / sqrt (S_t t i j).
  Definition rank_one (X : nat -> nat -> R) := exists a b : nat -> R,
    (forall i, (i < n)%nat -> 0 < a i) /\ (forall j, (j < k)%nat -> 0 < b j) /\
    forall i j, (i < n)%nat -> (j < k)%nat -> X i j = a i * b j.

  Lemma gamma_bounds s : 0 < gamma s <= 1.
  Proof.
    assert (H := Rmax_l 1 (rms s / d)). unfold gamma. split; [apply Rinv_0_lt_compat; lra|].
    apply Rle_trans with (/ 1); [apply Rinv_le_contravar|]; lra.
  Qed.
  (* What positive averages reconstruct is positive and has rank one. *)
  Lemma S_rank_one X : (forall i j, (i < n)%nat -> (j < k)%nat -> 0 < X i j) -> rank_one (S_ n k X).
  Proof.
    intros HX. destruct shape as [Hn1 Hk1]. destruct (nk n k shape) as [Hn Hk].
    assert (HR : forall i, (i < n)%nat -> 0 < R_ k X i).
    { intros i Hi. apply Rdiv_lt_0_compat; [|assumption]. apply sum_pos; [assumption|]. intros. now apply HX. }
    assert (HC : forall j, (j < k)%nat -> 0 < C_ n X j).
    { intros j Hj. apply Rdiv_lt_0_compat; [|assumption]. apply sum_pos; [assumption|]. intros. now apply HX. }
    assert (HM : 0 < mean_R n k X) by (apply Rdiv_lt_0_compat; [now apply sum_pos|assumption]).
    exists (fun i => R_ k X i / mean_R n k X), (C_ n X). split; [|split; [exact HC|]].
    - intros i Hi. specialize (HR i Hi). pos.
    - intros i j Hi Hj. unfold S_. field. lra.
  Qed.
  Lemma root_rank_one X Y : rank_one X -> rank_one Y -> rank_one (fun i j => sqrt (X i j * Y i j)).
  Proof.
    intros (a & b & Ha & Hb & HX) (a' & b' & Ha' & Hb' & HY).
    exists (fun i => sqrt (a i * a' i)), (fun j => sqrt (b j * b' j)). split; [|split].
    - intros i Hi. specialize (Ha i Hi). specialize (Ha' i Hi). pos.
    - intros j Hj. specialize (Hb j Hj). specialize (Hb' j Hj). pos.
    - intros i j Hi Hj. specialize (Ha i Hi). specialize (Ha' i Hi). specialize (Hb j Hj). specialize (Hb' j Hj).
      rewrite HX, HY, <- sqrt_mult_alt by (try assumption; apply Rlt_le; pos). f_equal. ring.
  Qed.
  Lemma ema_pos beta y s : 0 <= beta < 1 -> (1 <= s)%nat -> (forall r, 0 < y r) -> 0 < ema beta y s.
  Proof.
    intros Hb Hs Hy. destruct s as [|s]; [lia|]. rewrite ema_S.
    assert (H := ema_nonneg beta y s ltac:(lra) (fun r _ => Rlt_le _ _ (Hy r))). specialize (Hy (S s)).
    assert (0 <= beta * ema beta y s) by (apply Rmult_le_pos; lra).
    assert (0 < (1 - beta) * y (S s)) by (apply Rmult_lt_0_compat; lra). lra.
  Qed.
  Lemma S_t_rank_one t : 0 < eps2 -> (1 <= t)%nat -> rank_one (S_t t).
  Proof.
    intros H2 Ht. apply S_rank_one. intros i j _ _. apply ema_pos; [lra|assumption|]. intros r.
    assert (H := pow2_nonneg (u_hat r i j - m beta1 (fun s0 => u_hat s0 i j) r)). unfold U. lra.
  Qed.
  (* (1) Products. *)
  Lemma step_1 s t : 0 < eps1 -> 0 < eps2 -> (1 <= s)%nat -> (1 <= t)%nat ->
    rank_one (V s) /\ rank_one (S_t t) /\ rank_one (fun i j => sqrt (V s i j * S_t t i j)).
  Proof.
    intros H1 H2 Hs Ht. assert (HV : rank_one (V s)).
    { apply S_rank_one. intros i j _ _. apply ema_pos; [lra|assumption|]. intros r.
      assert (H := pow2_nonneg (g r i j)). lra. }
    assert (HS := S_t_rank_one t H2 Ht). split; [exact HV|]. split; [exact HS|]. now apply root_rank_one.
  Qed.
  Lemma positive X i j : rank_one X -> (i < n)%nat -> (j < k)%nat -> 0 < X i j.
  Proof. intros (a & b & Ha & Hb & H) Hi Hj. rewrite H by assumption. apply Rmult_lt_0_compat; auto. Qed.
  (* (2) Unroll: prp-came-rank. Every step is a sum over past gradients, each divided by a positive matrix of rank one.
     *)
  Theorem prp_came_rank t i j : 0 < eps1 -> 0 < eps2 -> (1 <= t)%nat -> (i < n)%nat -> (j < k)%nat ->
    step t i j = sum t (fun s => (1 - beta1) * beta1 ^ (t - S s) * gamma (S s)
      * (g (S s) i j / sqrt (V (S s) i j * S_t t i j))) /\
    (forall s, 0 < gamma s <= 1) /\
    forall s, (1 <= s)%nat -> rank_one (fun i j => sqrt (V s i j * S_t t i j)).
  Proof.
    intros H1 H2 Ht Hi Hj. split; [|split; [exact gamma_bounds|intros s Hs; now apply step_1]].
    unfold step, m. rewrite ema_unrolled, <- sum_div. apply sum_ext. intros s Hs.
    destruct (step_1 (S s) t H1 H2 ltac:(lia) Ht) as (HV & HS & _).
    assert (HVp := positive _ i j HV Hi Hj). assert (HSp := positive _ i j HS Hi Hj).
    unfold u_hat, u. rewrite sqrt_mult_alt by lra. assert (H3 : 0 < sqrt (V (S s) i j)) by now apply sqrt_lt_R0.
    assert (H4 : 0 < sqrt (S_t t i j)) by now apply sqrt_lt_R0. field. split; lra.
  Qed.

  (* (3) One shape: all gradients are multiples of one matrix H, and eps1 = 0. A step of 0 / 0 counts as 0, so nothing
     is asked of the first multiple. *)
  Section One_shape.
    Variable a : nat -> R.
    Variable H : nat -> nat -> R.
    Hypothesis one_shape : forall s i j, g s i j = a s * H i j.
    Hypothesis no_zero : forall i j, (i < n)%nat -> (j < k)%nat -> H i j <> 0.
    Hypothesis no_eps1 : eps1 = 0.
    Hypothesis some_eps2 : 0 < eps2.
    Definition shape_S i j := S_ n k (fun i' j' => H i' j' ^ 2) i j.
    Definition size s := ema beta2 (fun r => a r ^ 2) s.

    Lemma shape_rank_one : rank_one shape_S.
    Proof. apply S_rank_one. intros i j Hi Hj. rewrite <- pow2_Rabs. apply pow_lt, Rabs_pos_lt. now apply no_zero. Qed.
    (* A reconstruction of a multiple is the multiple of the reconstruction. *)
    Lemma S_scal c X i j : 0 < mean_R n k X -> S_ n k (fun i' j' => c * X i' j') i j = c * S_ n k X i j.
    Proof.
      intros HX. assert (HR : forall i', R_ k (fun i' j' => c * X i' j') i' = c * R_ k X i')
        by (intros i'; unfold R_; rewrite (sum_scal k c (fun j' => X i' j')); unfold Rdiv; ring).
      assert (HC : C_ n (fun i' j' => c * X i' j') j = c * C_ n X j)
        by (unfold C_; rewrite (sum_scal n c (fun i' => X i' j)); unfold Rdiv; ring).
      assert (HM : mean_R n k (fun i' j' => c * X i' j') = c * mean_R n k X).
      { unfold mean_R. rewrite (sum_ext n _ (fun i' => c * R_ k X i')) by (intros; apply HR).
        rewrite sum_scal. unfold Rdiv. ring. }
      unfold S_. rewrite HR, HC, HM. destruct (Req_dec c 0) as [->|Hc]; [unfold Rdiv; ring|]. field. lra.
    Qed.
    Lemma shape_mean : 0 < mean_R n k (fun i j => H i j ^ 2).
    Proof.
      destruct shape as [Hn1 Hk1]. destruct (nk n k shape) as [Hn Hk]. apply Rdiv_lt_0_compat; [|assumption].
      apply sum_pos; [assumption|]. intros i Hi. apply Rdiv_lt_0_compat; [|assumption]. apply sum_pos; [assumption|].
      intros j Hj. rewrite <- pow2_Rabs. apply pow_lt, Rabs_pos_lt. now apply no_zero.
    Qed.
    Lemma V_is s i j : V s i j = size s * shape_S i j.
    Proof.
      unfold size, shape_S. rewrite <- (S_scal _ _ i j shape_mean). unfold V, S_, R_, C_, mean_R, R_.
      assert (E0 : forall i' j',
        ema beta2 (fun r => g r i' j' ^ 2 + eps1) s = ema beta2 (fun r => a r ^ 2) s * H i' j' ^ 2).
      { intros i' j'. rewrite (ema_ext beta2 _ (fun r => H i' j' ^ 2 * a r ^ 2)), ema_scal; [ring|].
        intros r _. rewrite one_shape, no_eps1. ring. }
      f_equal; [f_equal; f_equal; apply sum_ext; intros; apply E0|].
      f_equal. apply sum_ext. intros i' _. f_equal. apply sum_ext. intros. apply E0.
    Qed.
    (* Every update is a number times H / sqrt(shape_S), and so is their average. *)
    Lemma update_is s i j : (i < n)%nat -> (j < k)%nat ->
      u_hat s i j = gamma s * a s / sqrt (size s) * (H i j / sqrt (shape_S i j)).
    Proof.
      intros Hi Hj. assert (HS := positive _ i j shape_rank_one Hi Hj). assert (H0 : 0 <= size s).
      { apply ema_nonneg; [lra|]. intros. apply pow2_nonneg. }
      unfold u_hat, u. rewrite V_is, one_shape, sqrt_mult by lra. unfold Rdiv. rewrite Rinv_mult. ring.
    Qed.
    Definition number t := ema beta1 (fun s => gamma s * a s / sqrt (size s)) t.
    Lemma step_is t : (1 <= t)%nat -> exists p q : nat -> R,
      (forall i, (i < n)%nat -> 0 < p i) /\ (forall j, (j < k)%nat -> 0 < q j) /\
      forall i j, (i < n)%nat -> (j < k)%nat -> step t i j = number t * (H i j / (p i * q j)).
    Proof.
      intros Ht. assert (HS := S_t_rank_one t some_eps2 Ht).
      destruct (root_rank_one _ _ shape_rank_one HS) as (p & q & Hp & Hq & Hpq). exists p, q.
      split; [exact Hp|]. split; [exact Hq|]. intros i j Hi Hj. rewrite <- Hpq by assumption.
      assert (H1 := positive _ i j shape_rank_one Hi Hj). assert (H2 := positive _ i j HS Hi Hj).
      rewrite sqrt_mult by lra. unfold step, number, m.
      rewrite (ema_ext beta1 _ (fun s => H i j / sqrt (shape_S i j) * (gamma s * a s / sqrt (size s))))
        by (intros; rewrite update_is by assumption; ring).
      rewrite ema_scal. assert (H3 : 0 < sqrt (shape_S i j)) by now apply sqrt_lt_R0.
      assert (H4 : 0 < sqrt (S_t t i j)) by now apply sqrt_lt_R0. field. split; lra.
    Qed.
    (* (eq-came-cross): if all gradients are multiples of one G, cross ratios of the step are those of G. *)
    Theorem prp_came_rank_cross t i i' j j' : (1 <= t)%nat ->
      (i < n)%nat -> (i' < n)%nat -> (j < k)%nat -> (j' < k)%nat -> step t i j <> 0 ->
      step t i j * step t i' j' / (step t i j' * step t i' j) = H i j * H i' j' / (H i j' * H i' j).
    Proof.
      intros Ht Hi Hi' Hj Hj' Hne. destruct (step_is t Ht) as (p & q & Hp & Hq & E0).
      rewrite E0 in Hne by assumption. rewrite !E0 by assumption.
      assert (Hn : number t <> 0) by (intros E1; apply Hne; rewrite E1; ring).
      assert (H1 := Hp i Hi). assert (H2 := Hp i' Hi'). assert (H3 := Hq j Hj). assert (H4 := Hq j' Hj').
      assert (H5 := no_zero i j' Hi Hj'). assert (H6 := no_zero i' j Hi' Hj). field. repeat split; (assumption || lra).
    Qed.
  End One_shape.
End Rank.
(* An instance: gradients that grow, all entries alike; the step divides by a matrix of rank one. *)
Lemma prp_came_rank_instance t : let g (s i j : nat) := INR (S s) in (1 <= t)%nat -> forall s, (1 <= s)%nat ->
  rank_one 2 3 (fun i j => sqrt (V 2 3 (/ 2) (/ 10) g s i j * S_t 2 3 (/ 2) (/ 2) (/ 2) (/ 10) (/ 10) 1 g t i j)).
Proof.
  intros g Ht. apply (prp_came_rank 2 3 ltac:(lia) (/ 2) (/ 2) (/ 2) (/ 10) (/ 10) 1 ltac:(lra) g t 0 0); lia || lra.
Qed.
