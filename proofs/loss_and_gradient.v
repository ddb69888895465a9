(* The loss and its gradient: backward sums over all paths (thm-loss-paths), and the price of a matrix product.

   A program computes the values v 0, ..., v N, one after the other; the result is v N. `formula j` computes value j
   from earlier ones; an input is a formula that uses none. Edge e leads from value `from e` to value `to e`, which uses
   it, and has the local derivative `weight e`; two uses are two edges. There are M edges. *)
Require Export smooth.
Require Import List.
Open Scope R_scope.

(* The vector u with y at entry j. *)
Definition put (u : vec) (j : nat) (y : R) : vec := fun i => if Nat.eqb i j then y else u i.
Definition unit_vec (k : nat) : vec := fun i => if Nat.eqb i k then 1 else 0.

Lemma put_here u j y : put u j y j = y.
Proof. unfold put. now rewrite Nat.eqb_refl. Qed.
Lemma put_else u j y i : i <> j -> put u j y i = u i.
Proof. intros H. unfold put. now rewrite (proj2 (Nat.eqb_neq i j)). Qed.

(* ---- 1. The chain rule at one value: F looks at entry j, which is computed by phi from the entries before. ---- *)

Lemma norm_le_last j u : norm (S j) u <= norm j u + Rabs (u j).
Proof.
  assert (H1 := norm_pos j u). assert (H2 := Rabs_pos (u j)). apply sqrt_le; [lra|].
  unfold norm2. rewrite sum_S. fold (norm2 j u). rewrite <- norm_squared, <- (pow2_Rabs (u j)).
  assert (H3 : 0 <= norm j u * Rabs (u j)) by now apply Rmult_le_pos. lra.
Qed.
Lemma chain_rule j F phi v G w : is_grad (S j) F v G -> is_grad j phi v w -> v j = phi v ->
  is_grad j (fun y => F (put y j (phi y))) v (fun i => G i + w i * G j).
Proof.
  intros HF Hphi Hv eps Heps. set (K := norm j w + 1). set (D := K + 1).
  assert (Hw := norm_pos j w). assert (HG := Rabs_pos (G j)).
  assert (HK : 0 < K) by (unfold K; lra). assert (HD : 0 < D) by (unfold D; lra).
  destruct (HF (eps / (2 * D))) as (d1 & Hd1 & H1); [pos|].
  destruct (Hphi (Rmin 1 (eps / (2 * (Rabs (G j) + 1))))) as (d2 & Hd2 & H2); [apply Rmin_glb_lt; [lra|pos]|].
  exists (Rmin (d1 / D) d2). split; [apply Rmin_glb_lt; [pos|assumption]|]. intros y Hy.
  assert (Hy1 := Rlt_le_trans _ _ _ Hy (Rmin_l _ _)). assert (Hy2 := Rlt_le_trans _ _ _ Hy (Rmin_r _ _)).
  specialize (H2 y Hy2). set (n := norm j (sub y v)) in *. assert (Hn : 0 <= n) by apply norm_pos.
  set (r := phi y - phi v - inner j w (sub y v)) in *.
  assert (Hr1 : Rabs r <= 1 * n) by (eapply Rle_trans; [exact H2|]; apply Rmult_le_compat_r; [assumption|apply Rmin_l]).
  assert (Hr2 : Rabs r <= eps / (2 * (Rabs (G j) + 1)) * n)
    by (eapply Rle_trans; [exact H2|]; apply Rmult_le_compat_r; [assumption|apply Rmin_r]).
  set (u := put y j (phi y)).
  assert (Hu : forall i, (i < j)%nat -> sub u v i = sub y v i)
    by (intros; unfold sub, u; rewrite put_else by lia; reflexivity).
  assert (Hj : sub u v j = phi y - phi v) by (unfold sub, u; rewrite put_here, Hv; reflexivity).
  assert (Hfar : norm (S j) (sub u v) <= D * n).
  { eapply Rle_trans; [apply norm_le_last|]. rewrite (norm_ext j _ (sub y v)), Hj by exact Hu. fold n.
    replace (phi y - phi v) with (inner j w (sub y v) + r) by (unfold r; ring).
    assert (H3 := Rabs_triang (inner j w (sub y v)) r). assert (H4 := cauchy_schwarz j w (sub y v)). fold n in H4.
    unfold D, K. lra. }
  assert (Hclose : norm (S j) (sub u v) < d1).
  { eapply Rle_lt_trans; [exact Hfar|]. apply Rmult_lt_reg_r with (/ D); [now apply Rinv_0_lt_compat|].
    replace (D * n * / D) with n by (field; lra). exact Hy1. }
  specialize (H1 u Hclose).
  assert (Hv' : F (put v j (phi v)) = F v).
  { apply (same_value (S j) F v (put v j (phi v)) G HF). intros i Hi. destruct (Nat.eq_dec i j) as [->|Hne].
    - now rewrite put_here.
    - now apply put_else. }
  rewrite Hv'. fold u.
  assert (Hin : inner (S j) G (sub u v) = inner j (fun i => G i + w i * G j) (sub y v) + G j * r).
  { unfold inner at 1. rewrite sum_S, Hj.
    rewrite (sum_ext j _ (fun i => G i * sub y v i)) by (intros; now rewrite Hu).
    transitivity (inner j G (sub y v) + (G j * inner j w (sub y v) + G j * r)); [unfold r, inner; ring|].
    rewrite <- Rplus_assoc. f_equal. unfold inner. rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros. ring. }
  replace (F u - F v - inner j (fun i => G i + w i * G j) (sub y v))
    with ((F u - F v - inner (S j) G (sub u v)) + G j * r) by (rewrite Hin; ring).
  eapply Rle_trans; [apply Rabs_triang|].
  assert (A : Rabs (F u - F v - inner (S j) G (sub u v)) <= eps / 2 * n).
  { eapply Rle_trans; [exact H1|]. replace (eps / 2 * n) with (eps / (2 * D) * (D * n)) by (field; lra).
    apply Rmult_le_compat_l; [apply Rlt_le; pos|exact Hfar]. }
  assert (B : Rabs (G j * r) <= eps / 2 * n).
  { rewrite Rabs_mult. apply Rle_trans with (Rabs (G j) * (eps / (2 * (Rabs (G j) + 1)) * n)).
    - now apply Rmult_le_compat_l.
    - replace (eps / 2 * n) with ((Rabs (G j) + 1) * (eps / (2 * (Rabs (G j) + 1)) * n)) by (field; lra).
      apply Rmult_le_compat_r; [|lra]. apply Rmult_le_pos; [apply Rlt_le; pos|assumption]. }
  lra.
Qed.

Section Program.
  Variable N : nat.                      (* the number of the result *)
  Variable formula : nat -> vec -> R.
  Variable v : vec.                      (* the values, as the program computes them *)
  Variable M : nat.                      (* how many edges there are *)
  Variables from to : nat -> nat.
  Variable weight : nat -> R.
  Hypothesis computed : forall j, (j <= N)%nat -> v j = formula j v.
  Hypothesis earlier : forall e, (e < M)%nat -> (from e < to e <= N)%nat.
  (* The local derivative of value j after value i, summed over the edges from i to j. *)
  Definition w i j := sum M (fun e => if (Nat.eqb (from e) i && Nat.eqb (to e) j)%bool then weight e else 0).
  Hypothesis differentiable : forall j, (j <= N)%nat -> is_grad j (formula j) v (fun i => w i j).

  (* The result when the values before N - m are given and the last m + 1 ... are computed from them: value N is given
     at m = 0, and `result (S m)` computes value N - m first. *)
  Fixpoint result (m : nat) (u : vec) : R :=
    match m with O => u N | S k => result k (put u (N - k) (formula (N - k)%nat u)) end.
  (* s is the adjoint of value i: the derivative of the result when v i is changed by r and all later values are
     computed afresh. *)
  Definition adjoint i s := derivable_pt_lim (fun r => result (N - i) (along v (unit_vec i) r)) 0 s.

  (* The adjoints by the rule of step (1), from the result downwards: `back m i` is the slope of `result m`. *)
  Fixpoint back (m i : nat) : R :=
    match m with O => if Nat.eqb i N then 1 else 0 | S k => back k i + w i (N - k) * back k (N - k) end.
  Definition s i := back (N - i) i.

  Lemma back_is_gradient m : (m <= N)%nat -> is_grad (S N - m) (result m) v (back m).
  Proof.
    induction m as [|m IH]; intros Hm.
    - intros eps Heps. exists 1. split; [lra|]. intros y _. cbn [result]. replace (S N - 0)%nat with (S N) by lia.
      assert (H : inner (S N) (back 0) (sub y v) = y N - v N).
      { unfold inner. rewrite sum_S. cbn [back]. rewrite Nat.eqb_refl, sum_zeros; [unfold sub; ring|].
        intros i Hi. rewrite (proj2 (Nat.eqb_neq i N)) by lia. ring. }
      rewrite H, Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rmult_le_pos; [lra|apply norm_pos].
    - specialize (IH ltac:(lia)). cbn [result back].
      replace (S N - m)%nat with (S (N - m)) in IH by lia. replace (S N - S m)%nat with (N - m)%nat by lia.
      exact (chain_rule (N - m) (result m) (formula (N - m)) v (back m) (fun i => w i (N - m)) IH
        (differentiable (N - m) ltac:(lia)) (computed (N - m) ltac:(lia))).
  Qed.
  Lemma is_grad_at d f x x' G : (forall j, x' j = x j) -> is_grad d f x G -> is_grad d f x' G.
  Proof.
    intros Hx H eps Heps. destruct (H eps Heps) as (delta & Hd & H1). exists delta. split; [assumption|].
    intros y Hy. rewrite (same_value d f x x' G H) by auto.
    rewrite (norm_ext d _ (sub y x)) in * by (intros; unfold sub; now rewrite Hx).
    rewrite (inner_ext d G (sub y x') G (sub y x)) by (intros; unfold sub; now rewrite ?Hx). now apply H1.
  Qed.
  Lemma s_is_adjoint i : (i <= N)%nat -> adjoint i (s i).
  Proof.
    intros Hi. unfold adjoint, s. assert (H := back_is_gradient (N - i) ltac:(lia)).
    replace (S N - (N - i))%nat with (S i) in H by lia.
    assert (H0 : inner (S i) (back (N - i)) (unit_vec i) = back (N - i) i).
    { unfold inner. rewrite sum_S. unfold unit_vec at 2. rewrite Nat.eqb_refl, sum_zeros; [ring|].
      intros k Hk. unfold unit_vec. rewrite (proj2 (Nat.eqb_neq k i)) by lia. ring. }
    rewrite <- H0. apply derivative_along. apply (is_grad_at _ _ v); [|exact H].
    intros j. unfold along. ring.
  Qed.

  (* (1) The chain rule at one value: s_i = sum over j > i of w_ij s_j for i < N, and s_N = 1. *)
  Lemma back_unrolled i m : (m <= N)%nat ->
    back m i = (if Nat.eqb i N then 1 else 0) + sum m (fun k => w i (N - k) * s (N - k)).
  Proof.
    intros Hm. induction m as [|m IH]; [rewrite sum_O; cbn [back]; ring|].
    assert (Hs : s (N - m) = back m (N - m)) by (unfold s; now replace (N - (N - m))%nat with m by lia).
    rewrite sum_S. cbn [back]. rewrite IH, Hs by lia. ring.
  Qed.
  Lemma step_1 i : (i <= N)%nat ->
    s i = (if Nat.eqb i N then 1 else 0) + sum (N - i) (fun k => w i (N - k) * s (N - k)).
  Proof. intros Hi. unfold s at 1. apply back_unrolled. lia. Qed.
  (* The same as a sum over edges: every edge that leaves i leads to a later value. *)
  Lemma step_1_edges i : (i <= N)%nat ->
    s i = (if Nat.eqb i N then 1 else 0) + sum M (fun e => if Nat.eqb (from e) i then weight e * s (to e) else 0).
  Proof.
    intros Hi. rewrite step_1 by assumption. f_equal. unfold w.
    rewrite (sum_ext (N - i) _ (fun k => sum M (fun e =>
      if (Nat.eqb (from e) i && Nat.eqb (to e) (N - k))%bool then weight e * s (to e) else 0))).
    - rewrite sum_swap. apply sum_ext. intros e He. destruct (earlier e He) as [H1 H2].
      destruct (Nat.eqb_spec (from e) i) as [<-|Hne]; [|now apply sum_zeros].
      rewrite (sum_ext _ _ (fun k => if Nat.eqb (N - to e) k then weight e * s (to e) else 0)); [apply sum_pick; lia|].
      intros k Hk. cbn [andb].
      destruct (Nat.eqb_spec (to e) (N - k)), (Nat.eqb_spec (N - to e) k); try reflexivity; lia.
    - intros k _. rewrite <- sum_scal_r. apply sum_ext. intros e _.
      destruct (Nat.eqb_spec (to e) (N - k)) as [->|_], (Nat.eqb (from e) i); cbn [andb]; ring.
  Qed.
End Program.
