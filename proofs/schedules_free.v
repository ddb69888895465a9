(* The mean of the iterates of SGD at a constant rate, and its schedule-free form (thm-schedules-mean). The note is in
   schedules.v. *)
Require Export schedules.
Open Scope R_scope.

Section Free.
  Variable W : space.                  (* the law of one stochastic gradient: a sample, or a batch *)
  Variable d : nat.
  Variable f : vec -> R.
  Variable grad : vec -> vec.          (* a subgradient of f at each point *)
  Variable sample : vec -> nat -> vec.
  Variable G : R.
  Hypothesis B1 : forall x y, f x + inner d (grad x) (sub y x) <= f y.
  Hypothesis B2_mean : forall x j, (j < d)%nat -> E W (fun w => sample x w j) = grad x j.
  Hypothesis B2_size : forall x, E W (fun w => norm2 d (sample x w)) <= G ^ 2.
  Notation apart := (apart d).
  Variables lr beta : R.
  Hypothesis lr_pos : 0 < lr.
  Hypothesis beta_bounds : 0 <= beta <= 1.

  (* A state is how many points are averaged, their mean x, and the next point z. The gradient is taken at a point
     between z and the new mean; with beta = 0 it is taken at z, and z runs as SGD does. *)
  Definition joined (t : nat) (x z : vec) : vec := fun j => (INR t * x j + z j) / INR (S t).
  Definition looked (x z : vec) : vec := fun j => (1 - beta) * z j + beta * x j.
  Definition moved (y z : vec) w : vec := fun j => z j - lr * sample y w j.
  Definition free_step t x z w := (S t, (joined t x z, moved (looked (joined t x z) z) z w)).
  Definition free (s : nat * (vec * vec)) w := free_step (fst s) (fst (snd s)) (snd (snd s)) w.
  Definition mean_from s k h := after W (nat * (vec * vec)) free k s (fun s => h (fst (snd s))).
  (* E f of the mean of T points, the first of which is x1. *)
  Definition mean_loss T x1 := mean_from (0%nat, (x1, x1)) T f.

  (* (1) The subgradients of a convex function are monotone. *)
  Lemma step_1 x y : inner d (grad x) (sub y x) <= inner d (grad y) (sub y x).
  Proof.
    assert (H1 := B1 x y). assert (H2 := B1 y x).
    rewrite (inner_ext d _ _ (grad y) (fun j => -1 * sub y x j)), inner_scal in H2 by (intros; unfold sub; ring). lra.
  Qed.
  (* (2) One more point in the mean, x' the new mean, y where the gradient is taken. *)
  Lemma step_2 t x z u : let x' := joined t x z in let y := looked x' z in
    INR (S t) * f x' - INR t * f x <= f u + inner d (grad y) (sub z u).
  Proof.
    intros x' y. assert (Ht := pos_INR t). assert (HS := S_INR t). set (v := sub z x').
    assert (Hu : f y + inner d (grad y) (sub z y) <= f u + inner d (grad y) (sub z u))
      by (assert (H := B1 y u); rewrite !inner_sub in *; lra).
    assert (Hxy := B1 x' y). rewrite (inner_ext d _ _ (grad x') (fun j => (1 - beta) * v j)), inner_scal in Hxy
      by (intros; unfold v, y, looked, sub; ring).
    rewrite (inner_ext d _ (sub z y) (grad y) (fun j => beta * v j)), inner_scal in Hu
      by (intros; unfold v, y, looked, sub; ring).
    rewrite HS. destruct (Req_dec beta 1) as [H1|H1].
    - (* y = x': everything at y *)
      assert (H := B1 y x). apply (Rmult_le_compat_l (INR t)) in H; [|assumption].
      assert (H0 : INR t * inner d (grad y) (sub x y) = - inner d (grad y) v).
      { rewrite <- inner_scal. rewrite (inner_ext d _ _ (grad y) (fun j => -1 * v j)), inner_scal; [ring|reflexivity|].
        intros j _. unfold v, y, looked, sub, x', joined. rewrite HS, H1. field. lra. }
      rewrite H1 in *. assert (Hf : f x' <= f y) by lra. apply (Rmult_le_compat_l (INR t)) in Hf as Hf2; lra.
    - assert (H := B1 x' x). apply (Rmult_le_compat_l (INR t)) in H; [|assumption].
      assert (H0 : INR t * inner d (grad x') (sub x x') = - inner d (grad x') v).
      { rewrite <- inner_scal. rewrite (inner_ext d _ _ (grad x') (fun j => -1 * v j)), inner_scal; [ring|reflexivity|].
        intros j _. unfold v, sub, x', joined. rewrite HS. field. lra. }
      assert (Hm := step_1 x' y). rewrite (inner_ext d (grad x') (sub y x') (grad x') (fun j => (1 - beta) * v j)),
        (inner_ext d (grad y) (sub y x') (grad y) (fun j => (1 - beta) * v j)), !inner_scal in Hm
        by (intros; unfold v, y, looked, sub; ring).
      apply Rmult_le_reg_l in Hm; [|lra]. apply (Rmult_le_compat_l beta) in Hm; lra.
  Qed.
  (* (3) The potential of a state, seen from u; one step adds at most lr^2 G^2 in the mean. *)
  Definition potential u t x z := 2 * lr * (INR t * (f x - f u)) + apart z u.
  Lemma step_3 u t x z :
    E W (fun w => let s := free_step t x z w in potential u (fst s) (fst (snd s)) (snd (snd s)))
    <= potential u t x z + lr ^ 2 * G ^ 2.
  Proof.
    unfold free_step, potential. cbn [fst snd]. set (x' := joined t x z). set (y := looked x' z).
    rewrite E_plus, E_const. assert (H7 := step_2 t x z u). cbv zeta in H7. fold x' in H7. fold y in H7.
    rewrite (E_ext _ _ (fun w => apart z u - 2 * lr * inner d (sample y w) (sub z u) + lr ^ 2 * norm2 d (sample y w))).
    - rewrite E_plus, E_minus, E_const, !E_scal, (mean_along W d grad sample B2_mean y (sub z u)).
      assert (Hs := B2_size y). apply (Rmult_le_compat_l (lr ^ 2)) in Hs; [|apply pow2_nonneg].
      apply (Rmult_le_compat_l (2 * lr)) in H7; [|lra]. rewrite S_INR in *. lra.
    - intros w _. unfold apart. rewrite (inner_sym d (sample y w)), <- shadow. apply norm2_ext.
      intros. unfold sub, moved. ring.
  Qed.
  (* (4) Over k steps. *)
  Lemma step_4 u k t x z : 2 * lr * INR (t + k) * (mean_from (t, (x, z)) k f - f u)
    <= potential u t x z + INR k * (lr ^ 2 * G ^ 2).
  Proof.
    revert t x z. induction k as [|k IH]; intros t x z.
    - rewrite Nat.add_0_r, INR_zero. unfold mean_from, potential, apart. cbn [after fst snd].
      assert (H := norm2_pos d (sub z u)). lra.
    - assert (H8 := step_3 u t x z). cbv zeta in H8. rewrite S_INR. replace (t + S k)%nat with (S t + k)%nat by lia.
      assert (H : E W (fun w => 2 * lr * INR (S t + k) * (mean_from (free_step t x z w) k f - f u))
        <= E W (fun w => (fun s => potential u (fst s) (fst (snd s)) (snd (snd s))) (free_step t x z w)
          + INR k * (lr ^ 2 * G ^ 2))) by (apply E_le; intros; apply IH).
      rewrite E_scal, E_minus, E_plus, !E_const in H.
      change (E W (fun w => mean_from (free_step t x z w) k f)) with (mean_from (t, (x, z)) (S k) f) in H.
      cbn beta in H. lra.
  Qed.
  Theorem thm_schedules_mean T x1 u : (1 <= T)%nat ->
    mean_loss T x1 - f u <= apart x1 u / (2 * lr * INR T) + lr * G ^ 2 / 2.
  Proof.
    intros HT. assert (HR := INR_pos T HT). assert (H := step_4 u T 0 x1 x1). cbn [Nat.add] in H.
    unfold potential in H. rewrite INR_zero in H. fold (mean_loss T x1) in H.
    apply Rmult_le_reg_l with (2 * lr * INR T); [pos|].
    replace (2 * lr * INR T * (apart x1 u / (2 * lr * INR T) + lr * G ^ 2 / 2))
      with (apart x1 u + INR T * (lr ^ 2 * G ^ 2)) by (field; lra). lra.
  Qed.
End Free.
