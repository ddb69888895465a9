(* LARS: two forms, one method (prp-lars-coincide). One layer of d weights, no momentum; any dimension. *)
Require Import vectors.
Open Scope R_scope.

Section Forms.
  Variable d : nat.
  Variables x g : vec.                                  (* the weights and their gradient *)
  Variables lr trust lambda : R.                        (* eta, theta (the trust coefficient) and the decay *)
  Definition decayed : vec := fun j => g j + lambda * x j.
  Hypothesis x_not_zero : 0 < norm d x.
  Hypothesis g_not_zero : 0 < norm d g.
  Hypothesis decayed_not_zero : 0 < norm d decayed.
  Hypothesis rates : 0 < lr /\ 0 < trust /\ 0 <= lambda.

  (* The step of the 2017 form (eq-lars-2017), whose momentum beta is zero. *)
  Definition rho := trust * norm d x / (norm d g + lambda * norm d x).
  Definition step_2017 : vec := fun j => lr * rho * decayed j.
  (* The step of alg-lars with the learning rate lr * trust; beta_1 is zero and phi the identity. *)
  Definition step_2020 : vec := fun j => lr * trust * (norm d x / norm d decayed) * decayed j.
  Definition share := norm d decayed / (norm d g + lambda * norm d x).

  Lemma below_pos : 0 < norm d g + lambda * norm d x.
  Proof. assert (0 <= lambda * norm d x) by (apply Rmult_le_pos; lra). lra. Qed.

  (* (1) The same direction, and both lengths. *)
  Lemma step_1_direction j : step_2017 j = share * step_2020 j /\ 0 < share.
  Proof.
    assert (H := below_pos). unfold step_2017, step_2020, share, rho. split; [field; lra|pos].
  Qed.
  Lemma step_1_lengths : norm d step_2017 = lr * trust * norm d x * share /\ norm d step_2020 = lr * trust * norm d x.
  Proof.
    assert (H := below_pos). destruct rates as (H1 & H2 & H3). unfold step_2017, step_2020. rewrite !norm_scal. split.
    - rewrite Rabs_pos_eq by (unfold rho; apply Rlt_le; pos). unfold rho, share. field. lra.
    - rewrite Rabs_pos_eq by (apply Rlt_le; pos). field. lra.
  Qed.

  (* (2) The triangle inequality, and when it is an equality. *)
  Lemma decayed_squared : norm d decayed ^ 2 = norm d g ^ 2 + 2 * lambda * inner d g x + (lambda * norm d x) ^ 2.
  Proof.
    unfold decayed. rewrite norm_squared, norm2_plus, norm2_scal, inner_scal, <- !norm_squared. ring.
  Qed.
  Lemma step_2 : norm d decayed <= norm d g + lambda * norm d x.
  Proof.
    destruct rates as (_ & _ & H). unfold decayed. eapply Rle_trans; [apply triangle|].
    rewrite norm_scal, Rabs_pos_eq by assumption. lra.
  Qed.
  (* Two vectors whose inner product is the product of their lengths point the same way. *)
  Lemma same_way : inner d g x = norm d g * norm d x -> forall j, (j < d)%nat -> g j = norm d g / norm d x * x j.
  Proof.
    intros H j Hj. assert (H0 : norm2 d (fun i => g i - norm d g / norm d x * x i) = 0).
    { rewrite shadow, H, <- !norm_squared. field. lra. }
    assert (H1 := norm2_zero d _ H0 j Hj). cbv beta in H1. lra.
  Qed.
  Lemma step_2_equal : norm d decayed = norm d g + lambda * norm d x <->
    lambda = 0 \/ exists c, 0 < c /\ forall j, (j < d)%nat -> g j = c * x j.
  Proof.
    destruct rates as (_ & _ & Hlam). assert (Hd := decayed_squared). split.
    - intros H. rewrite H in Hd. destruct Hlam as [Hlam|Hlam]; [right|left; lra].
      exists (norm d g / norm d x). split; [pos|]. apply same_way.
      apply Rmult_eq_reg_l with (2 * lambda); [|lra].
      replace ((norm d g + lambda * norm d x) ^ 2)
        with (norm d g ^ 2 + 2 * lambda * (norm d g * norm d x) + (lambda * norm d x) ^ 2) in Hd by ring. lra.
    - intros [H|(c & Hc & H)].
      + rewrite H, Rmult_0_l, Rplus_0_r. apply norm_ext. intros. unfold decayed. rewrite H. ring.
      + rewrite (norm_ext d g (fun j => c * x j)), (norm_ext d decayed (fun j => (c + lambda) * x j)), !norm_scal.
        * rewrite !Rabs_pos_eq by lra. ring.
        * intros j Hj. unfold decayed. rewrite H by assumption. ring.
        * exact H.
  Qed.

  (* prp-lars-coincide. For lambda >= 0 the step of 2017 is a share between 0 and 1 of the step of 2020, in the same
     direction. *)
  Theorem prp_lars_coincide :
    (forall j, step_2017 j = share * step_2020 j) /\ 0 < share /\
    norm d step_2017 = lr * trust * norm d x * (norm d decayed / (norm d g + lambda * norm d x)) /\
    norm d step_2020 = lr * trust * norm d x /\ norm d step_2017 <= norm d step_2020.
  Proof.
    destruct step_1_lengths as [H1 H2]. destruct rates as (Hl & Ht & _). assert (Hb := below_pos).
    split; [intros j; apply step_1_direction|]. split; [apply (step_1_direction O)|].
    split; [exact H1|]. split; [exact H2|]. rewrite H1, H2.
    rewrite <- (Rmult_1_r (lr * trust * norm d x)) at 2. apply Rmult_le_compat_l; [apply Rlt_le; pos|].
    apply div_le; [assumption|]. rewrite Rmult_1_l. exact step_2.
  Qed.
  (* The two steps have the same length exactly if lambda = 0, or g is a positive multiple of x. *)
  Theorem prp_lars_coincide_equal : norm d step_2017 = norm d step_2020 <->
    lambda = 0 \/ exists c, 0 < c /\ forall j, (j < d)%nat -> g j = c * x j.
  Proof.
    rewrite <- step_2_equal. destruct step_1_lengths as [-> ->]. destruct rates as (Hl & Ht & _).
    assert (Hb := below_pos).
    assert (Hp : 0 < lr * trust * norm d x) by pos. unfold share. split; intros H.
    - apply Rmult_eq_reg_r with (/ (norm d g + lambda * norm d x)); [|apply Rinv_neq_0_compat; lra].
      rewrite Rinv_r by lra. apply Rmult_eq_reg_l with (lr * trust * norm d x); [|lra]. unfold Rdiv in H. lra.
    - rewrite H. field. lra.
  Qed.
End Forms.

(* An instance: two weights, a gradient across them, and a decay of 1: the 2017 form takes 5/7 of the step. *)
Lemma prp_lars_coincide_instance : let x : vec := fun j => match j with O => 3 | _ => 0 end in
  let g : vec := fun j => match j with O => 0 | _ => 4 end in
  norm 2 (step_2017 2 x g 1 (1 / 10) 1) = 3 / 10 * (5 / 7) /\ norm 2 (step_2020 2 x g 1 (1 / 10) 1) = 3 / 10.
Proof.
  intros x g. assert (root : forall a b, 0 <= b -> a = b ^ 2 -> sqrt a = b).
  { intros a b Hb ->. rewrite sqrt_of_square. now apply Rabs_pos_eq. }
  assert (H : norm 2 x = 3 /\ norm 2 g = 4 /\ norm 2 (decayed x g 1) = 5).
  { unfold norm, norm2, decayed. repeat split; apply root; try lra; rewrite !sum_S, sum_O; unfold x, g; ring. }
  destruct H as (Hx & Hg & Hd).
  destruct (prp_lars_coincide 2 x g 1 (1 / 10) 1) as (_ & _ & -> & -> & _); try lra. rewrite Hx, Hg, Hd. split; field.
Qed.
(* Without a decay that is at least zero it is false: the 2017 form then takes twice the step of the 2020 form. *)
Lemma prp_lars_coincide_needs_sign : let x : vec := fun _ => 1 in let g : vec := fun _ => -3 in
  norm 1 (step_2020 1 x g 1 (1 / 10) (-1)) = 1 / 10 /\ norm 1 (step_2017 1 x g 1 (1 / 10) (-1)) = 2 / 10.
Proof.
  intros x g. assert (H : forall u : vec, norm 1 u = Rabs (u O)).
  { intros u. unfold norm, norm2. rewrite sum_S, sum_O, Rplus_0_l. apply sqrt_of_square. }
  rewrite !H. unfold step_2017, step_2020, rho. rewrite !H. unfold decayed, x, g.
  replace (-3 + -1 * 1) with (-4) by ring.
  rewrite (Rabs_pos_eq 1), (Rabs_left (-3)), (Rabs_left (-4)) by lra. split.
  - transitivity (Rabs (- (1 / 10))); [f_equal; field|rewrite Rabs_left; lra].
  - transitivity (Rabs (- (2 / 10))); [f_equal; field|rewrite Rabs_left; lra].
Qed.
