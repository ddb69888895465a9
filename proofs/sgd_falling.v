(* SGD with a falling rate on a strongly convex function (thm-sgd-falling).

   The rate of step t is 2 / (2 L + mu t). As in sgd.v: weights of any dimension d, any finite law W of one sample,
   batches of b independent samples, T steps with all their randomness. A state is (steps taken, weights). *)
Require Export sgd.
Open Scope R_scope.

Definition strongly_convex d (f : vec -> R) (grad : vec -> vec) (mu : R) :=
  forall x y, f x + inner d (grad x) (sub y x) + mu / 2 * norm2 d (sub y x) <= f y.

Section Falling.
  Variable W : space.                  (* the law of one sample *)
  Variables d b : nat.                 (* weights; samples in a batch *)
  Variable f : vec -> R.
  Variable grad : vec -> vec.
  Variable sample : vec -> nat -> vec. (* sample x w: the gradient of the loss of sample w at x *)
  Variables L mu sigma : R.
  Hypothesis A1 : smooth d f grad L.
  Hypothesis A1_L : 0 < L.
  Hypothesis A2_mean : forall x j, (j < d)%nat -> E W (fun w => sample x w j) = grad x j.
  Hypothesis A2_noise : forall x, E W (fun w => norm2 d (sub (sample x w) (grad x))) <= sigma ^ 2.
  Hypothesis some : (1 <= b)%nat.
  Hypothesis mu_pos : 0 < mu.

  (* s_t of the page; the rate of step t = 1, 2, ...; one step. *)
  Definition scale t := 2 * L + mu * INR t.
  Definition rate t := 2 / scale t.
  Definition one_step t x k := (S t, next W b sample (rate (S t)) x k).
  Definition falling (s : nat * vec) k := one_step (fst s) (snd s) k.
  (* The mean loss T steps after a state, and that of the page, E f(x_{T+1}). *)
  Definition loss_from s T := after (batches W b) (nat * vec) falling T s (fun s => f (snd s)).
  Definition falling_loss T x1 := loss_from (0%nat, x1) T.

  Lemma short s : 2 * L <= s -> 0 < 2 / s <= 1 / L.
  Proof.
    intros Hs. split; [pos|]. apply le_div; [assumption|].
    replace (2 / s * L) with (2 * L / s) by (field; lra). apply div_le; lra.
  Qed.
  Lemma scale_ge t : 2 * L <= scale t.
  Proof. assert (H := Rmult_le_pos mu (INR t) (Rlt_le _ _ mu_pos) (pos_INR t)). unfold scale. lra. Qed.
  Lemma falling_first T t x : loss_from (t, x) (S T) = E (batches W b) (fun k => loss_from (one_step t x k) T).
  Proof. reflexivity. Qed.
  Lemma scale_next t : scale (S t) = scale t + mu.
  Proof. unfold scale. rewrite S_INR. ring. Qed.

  (* (1) Strong convexity gives PL: the parabola below f is nowhere below f(x) - |grad f(x)|^2 / (2 mu). *)
  Lemma step_1 best x : strongly_convex d f grad mu -> 2 * mu * (f x - f best) <= norm2 d (grad x).
  Proof.
    intros A3. specialize (A3 x best). set (v := sub best x) in *.
    assert (H := norm2_pos d (fun j => grad x j + mu * v j)).
    rewrite norm2_plus, inner_scal, norm2_scal in H.
    apply (Rmult_le_compat_l (2 * mu)) in A3; [|lra]. lra.
  Qed.

  Section Shape.
    Variable fstar : R.                (* any number for which PL holds: it need not be a lower bound *)
    Hypothesis PL : forall x, 2 * mu * (f x - fstar) <= norm2 d (grad x).

    (* (2) One step: PL in step (4) of thm-sgd, whose rates are at most 1/L. *)
    Lemma step_2 t x : E (batches W b) (fun k => f (next W b sample (rate t) x k)) - fstar
      <= (1 - mu * rate t) * (f x - fstar) + L * rate t ^ 2 * sigma ^ 2 / (2 * INR b).
    Proof.
      assert (Hlr : 0 < rate t <= 1 / L) by apply short, scale_ge.
      assert (H := step_4b W d b f grad sample L sigma A1 A1_L A2_mean A2_noise some (rate t) x Hlr).
      unfold slope2 in H. specialize (PL x). apply (Rmult_le_compat_l (rate t / 2)) in PL; lra.
    Qed.
    (* (3) Weights: s_t^2 (1 - 2 mu / s_t) <= (s_t - mu)^2 = s_{t-1}^2, and the noise costs the same at each step. Below
       fstar, if f goes there, it is enough that a step does not raise the loss by more than the noise. *)
    Lemma step_3 t x : scale (S t) ^ 2 * (E (batches W b) (fun k => f (next W b sample (rate (S t)) x k)) - fstar)
      <= scale t ^ 2 * (f x - fstar) + 2 * L * sigma ^ 2 / INR b.
    Proof.
      assert (Hb := INR_pos b some). assert (Hs := scale_ge (S t)). assert (Ht := scale_ge t).
      destruct (Rlt_or_le (f x - fstar) 0) as [Hneg|A0].
      { assert (H := step_4b W d b f grad sample L sigma A1 A1_L A2_mean A2_noise some _ x (short _ Hs)).
        assert (Hn := norm2_pos d (grad x)). fold (slope2 d grad x) in Hn. destruct (short _ Hs) as [Hr _].
        apply (Rmult_le_pos _ _ (Rlt_le _ _ Hr)) in Hn. unfold rate. rewrite scale_next in *.
        set (s := scale t) in *. apply Rle_trans with ((s + mu) ^ 2 * (f x - fstar) + 2 * L * sigma ^ 2 / INR b).
        - replace (2 * L * sigma ^ 2 / INR b) with ((s + mu) ^ 2 * (L * (2 / (s + mu)) ^ 2 * sigma ^ 2 / (2 * INR b)))
            by (field; lra).
          rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [apply pow2_nonneg|lra].
        - apply Rplus_le_compat_r. assert (0 <= ((s + mu) ^ 2 - s ^ 2) * - (f x - fstar)); [|lra].
          apply Rmult_le_pos; [|lra]. replace ((s + mu) ^ 2 - s ^ 2) with (mu * (2 * s + mu)) by ring.
          apply Rmult_le_pos; lra. }
      assert (H := step_2 (S t) x). apply (Rmult_le_compat_l (scale (S t) ^ 2)) in H; [|apply pow2_nonneg].
      assert (Hw : 0 <= mu ^ 2 * (f x - fstar)) by (apply Rmult_le_pos; [apply pow2_nonneg|lra]).
      replace (scale t) with (scale (S t) - mu) by (rewrite scale_next; ring).
      eapply Rle_trans; [exact H|]. unfold rate. set (s := scale (S t)) in *.
      replace (s ^ 2 * ((1 - mu * (2 / s)) * (f x - fstar) + L * (2 / s) ^ 2 * sigma ^ 2 / (2 * INR b)))
        with ((s ^ 2 - 2 * mu * s) * (f x - fstar) + 2 * L * sigma ^ 2 / INR b) by (field; lra). lra.
    Qed.
    (* (4) Sum over the run: all but two of the weighted gaps cancel. *)
    Lemma step_4 T t x : scale (t + T) ^ 2 * (loss_from (t, x) T - fstar)
      <= scale t ^ 2 * (f x - fstar) + INR T * (2 * L * sigma ^ 2 / INR b).
    Proof.
      revert t x. induction T as [|T IH]; intros t x.
      - rewrite Nat.add_0_r, INR_zero. unfold loss_from. cbn [after snd]. lra.
      - assert (H3 := step_3 t x). rewrite falling_first, S_INR.
        replace (t + S T)%nat with (S t + T)%nat by lia. set (B := 2 * L * sigma ^ 2 / INR b) in *.
        assert (H : E (batches W b) (fun k => scale (S t + T) ^ 2 * (loss_from (one_step t x k) T - fstar))
          <= E (batches W b) (fun k => scale (S t) ^ 2 * (f (snd (one_step t x k)) - fstar) + INR T * B))
          by (apply E_le; intros; apply IH).
        rewrite E_plus, !E_scal, !E_minus, !E_const in H. unfold one_step in *. cbn [snd] in H. lra.
    Qed.

    (* thm-sgd-falling (eq-sgd-falling): for every T >= 0, where f satisfies PL and need not be convex, *)
    Theorem thm_sgd_falling_pl T x1 : falling_loss T x1 - fstar
      <= (4 * L ^ 2 * (f x1 - fstar) + 2 * L * sigma ^ 2 * INR T / INR b) / (2 * L + mu * INR T) ^ 2.
    Proof.
      assert (Hb := INR_pos b some). assert (H4 := step_4 T 0 x1). assert (Hs := scale_ge T). cbn [Nat.add] in H4.
      apply le_div; [unfold scale in Hs; pos|]. unfold falling_loss. fold (scale T).
      replace (scale 0) with (2 * L) in H4 by (unfold scale; rewrite INR_zero; ring).
      replace (2 * L * sigma ^ 2 * INR T / INR b) with (INR T * (2 * L * sigma ^ 2 / INR b)) by (field; lra). lra.
    Qed.
  End Shape.

  Variable best : vec.                 (* x^* of the page; any point will do *)
  Hypothesis A3 : strongly_convex d f grad mu.
  (* and so where f is strongly convex. *)
  Theorem thm_sgd_falling T x1 : falling_loss T x1 - f best
    <= (4 * L ^ 2 * (f x1 - f best) + 2 * L * sigma ^ 2 * INR T / INR b) / (2 * L + mu * INR T) ^ 2.
  Proof. apply thm_sgd_falling_pl. intros x. now apply step_1. Qed.
End Falling.
