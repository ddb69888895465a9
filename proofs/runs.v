(* Runs of T steps with all their randomness, and how a promise for one step becomes one for the run.

   A state has any type X (weights, or weights and a memory). `next x w` is the state after x when w was drawn. No
   filtration is needed: the mean over a run is a mean over its first step of the mean over what follows. *)
Require Export batches.
Open Scope R_scope.

Section Run.
  Variable W : space.            (* what is drawn in one step; a batch is `batches V b` *)
  Variable X : Type.
  Variable next : X -> nat -> X.

  (* The mean of h after t steps from x. *)
  Fixpoint after (t : nat) (x : X) (h : X -> R) : R :=
    match t with O => h x | S s => E W (fun w => after s (next x w) h) end.
  (* The mean of h over the states in which the T steps are taken: (1/T) sum over t of E h(x_t). *)
  Definition run_mean (T : nat) (x : X) (h : X -> R) := sum T (fun t => after t x h) / INR T.

  (* No trick in `after`: it is the mean over the product of t draws, each run replayed from its list of draws. *)
  Lemma after_is_product t x h : after t x h = E (batches W t) (fun k => h (fold_left next (drawn W t k) x)).
  Proof.
    rewrite (E_batches W t (fun l => h (fold_left next l x))). revert x.
    induction t as [|t IH]; intros x; [reflexivity|]. cbn [after Eb fold_left]. apply E_ext. intros w _. apply IH.
  Qed.
  Lemma after_first t x h : after (S t) x h = E W (fun w => after t (next x w) h).
  Proof. reflexivity. Qed.
  Lemma sum_after_first T x h : sum (S T) (fun t => after t x h)
    = h x + E W (fun w => sum T (fun t => after t (next x w) h)).
  Proof. rewrite sum_first, E_sum. reflexivity. Qed.

  Section Telescope.
    Variables (f h : X -> R) (inv : X -> Prop) (c B fstar : R).
    Hypothesis kept : forall x w, (w < size W)%nat -> inv x -> inv (next x w).
    Hypothesis below : forall x, inv x -> fstar <= f x.
    Hypothesis one_step : forall x, inv x -> E W (fun w => f (next x w)) <= f x - c * h x + B.

    Lemma telescope_where T x : inv x -> c * sum T (fun t => after t x h) <= f x - fstar + INR T * B.
    Proof.
      revert x. induction T as [|T IH]; intros x Hx.
      - rewrite sum_O, INR_zero. specialize (below x Hx). lra.
      - rewrite sum_after_first, S_INR.
        assert (H : E W (fun w => c * sum T (fun t => after t (next x w) h))
          <= E W (fun w => f (next x w) + (- fstar + INR T * B))).
        { apply E_le. intros w Hw. specialize (IH (next x w) (kept x w Hw Hx)). lra. }
        rewrite E_scal, E_plus, E_const in H. specialize (one_step x Hx). lra.
    Qed.
  End Telescope.

  (* One step loses at least c h(x) in the mean, up to B; so a run's mean of h is at most this. *)
  Lemma telescope f h c B fstar : (forall x, fstar <= f x) ->
    (forall x, E W (fun w => f (next x w)) <= f x - c * h x + B) ->
    forall T x, c * sum T (fun t => after t x h) <= f x - fstar + INR T * B.
  Proof. intros H0 H1 T x. now apply (telescope_where f h (fun _ => True)). Qed.
  Lemma run_mean_le f h c B fstar : 0 < c -> (forall x, fstar <= f x) ->
    (forall x, E W (fun w => f (next x w)) <= f x - c * h x + B) ->
    forall T x, (1 <= T)%nat -> run_mean T x h <= (f x - fstar) / (c * INR T) + B / c.
  Proof.
    intros Hc H0 H1 T x HT. assert (HR := INR_pos T HT). assert (H := telescope f h c B fstar H0 H1 T x).
    unfold run_mean. set (s := sum T _) in *. apply div_le; [assumption|].
    apply Rmult_le_reg_l with c; [assumption|]. eapply Rle_trans; [exact H|]. apply Req_le. field. lra.
  Qed.
End Run.
