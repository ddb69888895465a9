(* The landscape: Lion's steps (prp-landscape-lion) and the average of Schedule-Free (prp-landscape-average). *)
Require Import vectors toolbox_sign.
Open Scope R_scope.

(* ---- 1. prp-landscape-lion: a layer of d entries; the gradient may depend on step and weights in any way. ---- *)

Section Lion.
  Variable d : nat.
  Variables lr lambda beta1 beta2 : R.
  Variable gradient : nat -> vec -> vec.
  Hypothesis lr_pos : 0 < lr.
  (* The interpolation, and a step from weights x and memory m. *)
  Definition interpolation (t : nat) (x m : vec) : vec := fun j => beta1 * m j + (1 - beta1) * gradient t x j.
  Definition new_x t (x m : vec) : vec := fun j => (1 - lr * lambda) * x j - lr * sign (interpolation t x m j).
  Definition new_m (t : nat) (x m : vec) : vec := fun j => beta2 * m j + (1 - beta2) * gradient t x j.
  Fixpoint run (x1 : vec) (t : nat) : vec * vec :=
    match t with O => (x1, fun _ => 0) | S s => let (x, m) := run x1 s in (new_x s x m, new_m s x m) end.

  Lemma sign_size z : Rabs (sign z) <= 1 /\ (z <> 0 -> sign z ^ 2 = 1).
  Proof.
    destruct (sign_cases z) as [[H ->]|[[H ->]|[H ->]]].
    - rewrite Rabs_R1. split; [lra|intros; ring].
    - rewrite Rabs_left by lra. split; [lra|intros; ring].
    - rewrite Rabs_R0. split; [lra|contradiction].
  Qed.
  (* (1) Length: without decay every entry moves by lr. *)
  Lemma prp_landscape_lion_length t x m : lambda = 0 -> (forall j, (j < d)%nat -> interpolation t x m j <> 0) ->
    norm d (sub (new_x t x m) x) = lr * sqrt (INR d).
  Proof.
    intros Hl Hne. rewrite (norm_ext d _ (fun j => - lr * sign (interpolation t x m j)))
      by (intros; unfold sub, new_x; rewrite Hl; ring).
    rewrite norm_scal, Rabs_Ropp, Rabs_pos_eq by lra. f_equal. unfold norm. f_equal. unfold norm2.
    rewrite (sum_ext d _ (fun _ => 1)) by (intros j Hj; now apply sign_size, Hne). rewrite sum_const. ring.
  Qed.
  (* (2) Size: an average of |x_j| and 1 / lambda. *)
  Lemma prp_landscape_lion_step_2 B t x m j : 0 < lambda -> lr * lambda <= 1 -> / lambda <= B -> Rabs (x j) <= B ->
    Rabs (new_x t x m j) <= B.
  Proof.
    intros Hl Hll HB Hx. destruct (sign_size (interpolation t x m j)) as [Hs _]. unfold new_x.
    assert (Hp : 0 < lr * lambda) by pos. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_Ropp, !Rabs_mult, (Rabs_pos_eq lr), (Rabs_pos_eq (1 - lr * lambda)) by lra.
    assert (H1 : (1 - lr * lambda) * Rabs (x j) <= (1 - lr * lambda) * B) by (apply Rmult_le_compat_l; lra).
    assert (H2 : lr * Rabs (sign (interpolation t x m j)) <= lr * 1) by (apply Rmult_le_compat_l; lra).
    assert (H3 : lr * lambda * / lambda <= lr * lambda * B) by (apply Rmult_le_compat_l; lra).
    replace (lr * lambda * / lambda) with (lr * 1) in H3 by (field; lra). lra.
  Qed.
  (* Size: no entry ever exceeds the larger of its first size and 1 / lambda. *)
  Lemma prp_landscape_lion_size x1 B t j : 0 < lambda -> lr * lambda <= 1 -> Rabs (x1 j) <= B ->
    Rabs (fst (run x1 t) j) <= Rmax B (/ lambda).
  Proof.
    intros Hl Hll HB. induction t as [|t IH]; cbn [run].
    - eapply Rle_trans; [exact HB|apply Rmax_l].
    - destruct (run x1 t) as [x m]. cbn [fst] in *.
      apply prp_landscape_lion_step_2; [assumption|assumption|apply Rmax_r|exact IH].
  Qed.
  (* prp-landscape-lion: the length of a step, and the size of an entry. *)
  Theorem prp_landscape_lion :
    (forall t x m, lambda = 0 -> (forall j, (j < d)%nat -> interpolation t x m j <> 0) ->
      norm d (sub (new_x t x m) x) = lr * sqrt (INR d)) /\
    (forall x1 B t j, 0 < lambda -> lr * lambda <= 1 -> Rabs (x1 j) <= B ->
      Rabs (fst (run x1 t) j) <= Rmax B (/ lambda)).
  Proof. split; [exact prp_landscape_lion_length|exact prp_landscape_lion_size]. Qed.
End Lion.
Lemma prp_landscape_lion_instance : 0 < / 100 /\ 0 < 2 /\ / 100 * 2 <= 1.
Proof. lra. Qed.

(* ---- 2. prp-landscape-average: z is any series, w_t = lr_t^2 the weights, c_t = w_t / (w_1 + ... + w_t). ---- *)

Section Average.
  Variable z : nat -> R.                          (* one entry of z_1, z_2, ... *)
  Variable lr : nat -> R.
  Hypothesis first : 0 < lr 1%nat.
  Definition w t := lr t ^ 2.
  Definition W t := sum t (fun s => w (S s)).
  Definition c t := w t / W t.
  (* x_1 is anything; x (S t) is the x_{t+1} of the page. *)
  Variable x1 : R.
  Fixpoint x (t : nat) : R :=
    match t with O => x1 | S s => match s with O => x1 | S _ => (1 - c s) * x s + c s * z (S s) end end.

  Lemma W_pos t : (1 <= t)%nat -> 0 < W t.
  Proof.
    intros Ht. destruct t as [|t]; [lia|]. unfold W. rewrite sum_first.
    assert (H : 0 < w 1) by (unfold w; now apply pow_lt).
    assert (H0 : 0 <= sum t (fun i => w (S (S i)))) by (apply sum_nonneg; intros; apply pow2_nonneg). lra.
  Qed.
  Lemma x_next t : (1 <= t)%nat -> x (S t) = (1 - c t) * x t + c t * z (S t).
  Proof. intros Ht. destruct t as [|t]; [lia|reflexivity]. Qed.
  (* (1) Start: c_1 = 1. *)
  Lemma prp_landscape_average_step_1 : W 1 * x 2 = w 1 * z 2%nat.
  Proof.
    assert (H := W_pos 1 (le_n 1)). rewrite x_next by lia. unfold c.
    assert (E : W 1 = w 1) by (unfold W; rewrite sum_S, sum_O; ring). rewrite E in *. field. lra.
  Qed.
  (* (2) Step. *)
  Lemma prp_landscape_average_step_2 t : (1 <= t)%nat -> W t * x (S t) = sum t (fun s => w (S s) * z (S (S s))).
  Proof.
    intros Ht. destruct t as [|t]; [lia|]. clear Ht. induction t as [|t IH].
    - rewrite prp_landscape_average_step_1, sum_S, sum_O. ring.
    - assert (H := W_pos (S (S t)) ltac:(lia)). rewrite sum_S, <- IH, x_next by lia. unfold c.
      assert (E : W (S (S t)) = W (S t) + w (S (S t))) by (unfold W; now rewrite sum_S).
      replace (W (S t)) with (W (S (S t)) - w (S (S t))) by lra. field. lra.
  Qed.
  (* prp-landscape-average: x_{t+1} is the mean of z_2, ..., z_{t+1} with the weights w_1, ..., w_t. *)
  Theorem prp_landscape_average t : (1 <= t)%nat ->
    x (S t) = sum t (fun s => w (S s) * z (S (S s))) / sum t (fun s => w (S s)).
  Proof.
    intros Ht. assert (H := W_pos t Ht). rewrite <- prp_landscape_average_step_2 by assumption. fold (W t). field. lra.
  Qed.
End Average.
Lemma prp_landscape_average_instance : 0 < / 10.
Proof. lra. Qed.
