(* The last iterate of SGD at a constant rate: a bound with its logarithm (thm-schedules-constant). The note is in
   schedules.v. *)
Require Export schedules.
Open Scope R_scope.

(* (3) A fact about numbers: if no suffix's mean lies more than B above the suffix's first number, the last number lies
   at most B (1 + 1/2 + ... + 1/n) above the mean of all n + 1 (Shamir and Zhang 2013). *)
Definition harmonic n := sum n (fun k => / INR (S k)).
Section Suffixes.
  Variable q : nat -> R.
  Variables (n : nat) (B : R).
  Hypothesis suffix : forall m k, (m + k)%nat = n ->
    sum (S k) (fun t => q (m + t)%nat) <= INR (S k) * (q m + B).
  Lemma step_3 k m : (m + k)%nat = n -> q n <= sum (S k) (fun t => q (m + t)%nat) / INR (S k) + B * harmonic k.
  Proof.
    revert m. induction k as [|k IH]; intros m Hm.
    - unfold harmonic. rewrite sum_S, !sum_O, INR_one. rewrite Nat.add_0_r in *. rewrite Hm. lra.
    - assert (H := IH (S m) ltac:(lia)). assert (H1 := suffix m (S k) Hm). unfold harmonic in *.
      rewrite (sum_S k (fun k => / INR (S k))). rewrite (sum_first (S k)) in H1 |- *. rewrite Nat.add_0_r in *.
      rewrite (sum_ext (S k) (fun i => q (m + S i)%nat) (fun t => q (S m + t)%nat)) in H1 |- *
        by (intros; f_equal; lia).
      assert (HK : 0 < INR (S k)) by (apply INR_pos; lia). rewrite (S_INR (S k)) in *.
      set (K := INR (S k)) in *. set (s := sum (S k) _) in *. set (h := sum k _) in *.
      apply Rle_trans with (s / K + B * h); [exact H|].
      enough (s / K <= (q m + s) / (K + 1) + B * / K) by lra.
      apply Rmult_le_reg_l with (K * (K + 1)); [pos|].
      replace (K * (K + 1) * (s / K)) with ((K + 1) * s) by (field; lra).
      replace (K * (K + 1) * ((q m + s) / (K + 1) + B * / K)) with (K * (q m + s) + (K + 1) * B) by (field; lra). lra.
  Qed.
End Suffixes.

Section Last.
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

  (* ---- The last iterate at a constant rate. ---- *)
  Section Constant.
    Variable lr : R.
    Hypothesis lr_pos : 0 < lr.
    Definition loss_at x t := after W vec (stepped lr) t x f.
    (* (1) Sum of the losses of n iterates from x on, seen from x itself. *)
    Lemma step_1 n x : sum n (loss_at x) <= INR n * (f x + lr * G ^ 2 / 2).
    Proof.
      assert (H := telescope W vec (stepped lr) (fun y => apart y x) (fun y => f y - f x) (2 * lr) (lr ^ 2 * G ^ 2) 0
        (fun y => norm2_pos d _) 
        (fun y => thm_schedules_linear_step_1 W d f grad sample G B1 B2_mean B2_size lr y x (Rlt_le _ _ lr_pos)) n x).
      assert (H0 : apart x x = 0) by (apply sum_zeros; intros; unfold sub; ring). cbn beta in H.
      rewrite H0 in H.
      rewrite (sum_ext n _ (fun t => loss_at x t - f x)) in H.
      - rewrite sum_minus, sum_const in H. apply Rmult_le_reg_l with (2 * lr); [lra|].
        change (fun t => loss_at x t) with (loss_at x) in H. lra.
      - intros t _. unfold loss_at. transitivity (1 * after W vec (stepped lr) t x f + - f x); [|ring].
        rewrite <- after_affine. apply after_ext. intros. ring.
    Qed.
    (* (2) So no suffix of the run has a mean loss far above that of its first iterate. *)
    Lemma step_2 x m k : sum (S k) (fun t => loss_at x (m + t)) <= INR (S k) * (loss_at x m + lr * G ^ 2 / 2).
    Proof.
      rewrite (sum_ext (S k) _ (fun t => after W vec (stepped lr) m x (fun y => loss_at y t)))
        by (intros; apply after_again).
      rewrite <- after_sum.
      eapply Rle_trans; [apply after_le; intros y; apply (step_1 (S k) y)|]. apply Req_le. unfold loss_at.
      rewrite (after_ext _ _ _ _ _ _ (fun y => INR (S k) * f y + INR (S k) * (lr * G ^ 2 / 2))) by (intros; ring).
      rewrite after_affine. ring.
    Qed.
    (* (4) The mean of all T losses. *)
    Lemma step_4 T x1 z : (1 <= T)%nat ->
      sum T (loss_at x1) / INR T - f z <= apart x1 z / (2 * lr * INR T) + lr * G ^ 2 / 2.
    Proof.
      intros HT. assert (HR := INR_pos T HT).
      assert (H1 := average_constant W d f grad sample G B1 B2_mean B2_size lr T x1 z lr_pos HT). unfold run_mean in H1.
      rewrite (sum_ext T _ (fun t => loss_at x1 t - f z)) in H1.
      - rewrite sum_minus, sum_const in H1. change (fun t => loss_at x1 t) with (loss_at x1) in H1.
        replace ((sum T (loss_at x1) - INR T * f z) / INR T) with (sum T (loss_at x1) / INR T - f z) in H1
          by (field; lra). lra.
      - intros t _. unfold loss_at. transitivity (1 * after W vec (stepped lr) t x1 f + - f z); [|ring].
        rewrite <- after_affine. apply after_ext. intros. ring.
    Qed.
    Theorem thm_schedules_constant T x1 z : (1 <= T)%nat ->
      loss_at x1 (T - 1) - f z
      <= apart x1 z / (2 * lr * INR T) + lr * G ^ 2 / 2 * (1 + harmonic (T - 1)).
    Proof.
      intros HT.
      assert (H := step_3 (loss_at x1) (T - 1) (lr * G ^ 2 / 2) (fun m k _ => step_2 x1 m k) (T - 1) 0 eq_refl).
      replace (S (T - 1)) with T in H by lia. cbn [Nat.add] in H. change (fun t => loss_at x1 t) with (loss_at x1) in H.
      assert (H4 := step_4 T x1 z HT). lra.
    Qed.
  End Constant.
End Last.
