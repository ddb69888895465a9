(* Two cases of the theorem (prp-norms-cases): the Euclidean length of each layer, which is LARS without momentum, and
   the largest entry of each layer, which is the sign. *)
Require Export norms_layers.
Open Scope R_scope.

(* LARS's direction, and the sign's. In the library x / 0 is 0; here only a zero vector is divided by a zero length. *)
Definition unit_vector n (g : vec) : vec := fun j => / norm n g * g j.
Definition sgn (z : R) : R := if Rlt_dec 0 z then 1 else if Rlt_dec z 0 then -1 else 0.
Definition signs (g : vec) : vec := fun j => sgn (g j).

Lemma sgn_times z : z * sgn z = Rabs z.
Proof.
  unfold sgn. destruct (Rlt_dec 0 z); [rewrite Rabs_pos_eq; lra|].
  destruct (Rlt_dec z 0); [rewrite Rabs_left; lra|]. replace z with 0 by lra. rewrite Rabs_R0. ring.
Qed.
Lemma sgn_size z : Rabs (sgn z) <= 1.
Proof.
  unfold sgn. destruct (Rlt_dec 0 z); [rewrite Rabs_R1; lra|].
  destruct (Rlt_dec z 0); [rewrite Rabs_left; lra|rewrite Rabs_R0; lra].
Qed.

(* A length that looks at n entries only has to be the same where all entries are. *)
Lemma norm_everywhere n u v : (forall j, u j = v j) -> norm n u = norm n v.
Proof. intros H. apply norm_ext. intros. apply H. Qed.
Lemma norm_max_everywhere n u v : (forall j, u j = v j) -> norm_max n u = norm_max n v.
Proof. intros H. apply norm_max_same. intros. now rewrite H. Qed.

(* (1) The Euclidean length is its own dual (Cauchy and Schwarz); the steepest direction is g / |g|. *)
Lemma step_1 n : steepest_layer n (norm n) (norm n) (unit_vector n).
Proof.
  constructor.
  - intros. apply norm_pos.
  - intros. apply norm_scal.
  - apply norm_everywhere.
  - intros. apply norm_pos.
  - intros. apply inner_le.
  - intros g. unfold unit_vector. rewrite norm_scal. assert (H := norm_pos n g). destruct H as [H|H].
    + rewrite Rabs_pos_eq by (apply Rlt_le, Rinv_0_lt_compat, H). apply Req_le. field. lra.
    + rewrite <- H, Rmult_0_r. lra.
  - intros g. unfold unit_vector. rewrite inner_scal, inner_self, <- norm_squared.
    assert (H := norm_pos n g). destruct H as [H|H]; [field; lra|]. rewrite <- H. ring.
Qed.
(* (2) The largest entry is dual to the sum of the sizes; the steepest direction is the sign. *)
Lemma step_2 n : steepest_layer n (norm_max n) (norm1 n) signs.
Proof.
  constructor.
  - intros. apply norm_max_pos.
  - intros a v. apply (norm_max_scal n a v).
  - apply norm_max_everywhere.
  - intros. apply norm1_pos.
  - intros u v. unfold inner, norm1. rewrite <- sum_scal_r. apply sum_le. intros j Hj.
    eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|].
    now apply norm_max_above.
  - intros g. apply norm_max_least; [lra|]. intros. apply sgn_size.
  - intros g. apply sum_ext. intros. apply sgn_times.
Qed.

Section Cases.
  Variables (W : space) (h b : nat) (d : nat -> nat) (f : layered -> R) (grad : layered -> layered).
  Variables (sample : layered -> nat -> layered) (sigma : nat -> R) (fstar : R).
  Hypothesis A0 : forall x, fstar <= f x.
  Hypothesis A2 : layerwise_noise W h d grad sample sigma.
  Hypothesis some : (1 <= b)%nat.
  Definition one (_ : nat) := 1.

  Lemma dual_ones duals u : dual_sum h duals one u = sum h (fun i => duals i (u i)).
  Proof. apply sum_ext. intros. unfold one. ring. Qed.
  Lemma one_pos : forall i, (i < h)%nat -> 0 < one i.
  Proof. intros. unfold one. lra. Qed.

  (* LARS without momentum, every layer's size 1; and the sign of every entry. *)
  Definition lars_dir := dir_all (fun i => unit_vector (d i)) one.
  Definition sign_dir := dir_all (fun _ => signs) one.
  Definition norm_sum (u : layered) := sum h (fun i => norm (d i) (u i)).
  Definition entry_sum (u : layered) := sum h (fun i => norm1 (d i) (u i)).

  (* (3) LARS's (A1), one constant a layer, is smoothness in the largest layer's length, with their sum. *)
  Lemma step_3 L : layerwise_smooth h d f grad L ->
    smooth_in h d (len_max h (fun i => norm (d i)) one) f grad (sum h L).
  Proof.
    intros [HL H]. split; [now apply sum_nonneg|]. intros x y. eapply Rle_trans; [apply H|].
    apply Rplus_le_compat_l. replace (sum h L / 2 * len_max h (fun i => norm (d i)) one (minus y x) ^ 2)
      with (sum h (fun i => L i / 2 * len_max h (fun i => norm (d i)) one (minus y x) ^ 2))
      by (rewrite sum_scal_r, sum_div; reflexivity).
    apply sum_le. intros i Hi. specialize (HL i Hi). apply Rmult_le_compat_l; [lra|].
    rewrite <- norm_squared. apply pow_incr. split; [apply norm_pos|].
    assert (Hs := norms_layers.step_1 h (fun i => norm (d i)) one one_pos (minus y x) i Hi).
    unfold one in Hs at 1. rewrite Rmult_1_l in Hs. exact Hs.
  Qed.
  (* (4) What dimension costs: nothing for the Euclidean length, the root of the number of entries for the sign. *)
  Lemma step_4a : costs h d (dual_sum h (fun i => norm (d i)) one) (fun _ => 1).
  Proof. split; [intros; lra|]. intros u. rewrite dual_ones. apply sum_le. intros. lra. Qed.
  Lemma step_4b : costs h d (dual_sum h (fun i => norm1 (d i)) one) (fun i => sqrt (INR (d i))).
  Proof.
    split; [intros; apply sqrt_pos|]. intros u. rewrite dual_ones. apply sum_le. intros i Hi.
    exact (toolbox_norms.step_3 (d i) (u i)).
  Qed.

  (* prp-norms-cases: LARS. *)
  Theorem prp_norms_cases L lr T x1 : layerwise_smooth h d f grad L -> 0 < lr -> (1 <= T)%nat ->
    run_mean (batches W b) layered (next W b sample lars_dir lr) T x1 (fun x => norm_sum (grad x))
    <= (f x1 - fstar) / (INR T * lr) + sum h sigma / sqrt (INR b) + lr * sum h L / 2.
  Proof.
    intros H1 Hlr HT.
    assert (HN := prp_norms_layers h d (fun i => norm (d i)) (fun i => norm (d i)) (fun i => unit_vector (d i)) one
      (fun i _ => step_1 (d i)) one_pos).
    assert (H := thm_norms W h b d f grad sample _ _ _ (fun _ => 1) sigma (sum h L) fstar A0 (step_3 L H1) A2 some HN
      step_4a lr T x1 Hlr HT).
    cbv beta in H. rewrite (sum_ext h (fun i => 1 * sigma i) sigma) in H by (intros; ring).
    eapply Rle_trans; [|exact H]. apply Req_le. unfold run_mean. f_equal. apply sum_ext. intros t Ht.
    rewrite !after_is_product. apply E_ext. intros k _. unfold slope. now rewrite dual_ones.
  Qed.
  (* The sign: smooth in the largest entry's size, with one constant. *)
  Theorem prp_norms_cases_sign L lr T x1 :
    smooth_in h d (len_max h (fun i => norm_max (d i)) one) f grad L -> 0 < lr -> (1 <= T)%nat ->
    run_mean (batches W b) layered (next W b sample sign_dir lr) T x1 (fun x => entry_sum (grad x))
    <= (f x1 - fstar) / (INR T * lr) + sum h (fun i => sqrt (INR (d i)) * sigma i) / sqrt (INR b) + lr * L / 2.
  Proof.
    intros H1 Hlr HT.
    assert (HN := prp_norms_layers h d (fun i => norm_max (d i)) (fun i => norm1 (d i)) (fun _ => signs) one
      (fun i _ => step_2 (d i)) one_pos).
    assert (H := thm_norms W h b d f grad sample _ _ _ (fun i => sqrt (INR (d i))) sigma L fstar A0 H1 A2 some HN
      step_4b lr T x1 Hlr HT).
    eapply Rle_trans; [|exact H]. apply Req_le. unfold run_mean. f_equal. apply sum_ext. intros t Ht.
    rewrite !after_is_product. apply E_ext. intros k _. unfold slope. now rewrite dual_ones.
  Qed.
End Cases.

(* An instance: two layers of one weight each, f(x) = (x_1^2 + x_2^2) / 2; a coin pulls both gradients by 1 too far or
   too little. It is smooth in the largest layer's length with L = 2, and dimension costs nothing. *)
Definition flip (w : nat) : R := match w with O => 1 | _ => -1 end.
Definition bowl (x : layered) := sum 2 (fun i => x i O ^ 2 / 2).
Definition bowl_grad (x : layered) : layered := fun i j => x i j.
Definition bowl_sample (x : layered) (w : nat) : layered := fun i j => x i j + flip w.
Definition unit_layers (_ : nat) := 1%nat.
Lemma bowl_fits :
  (forall x, 0 <= bowl x) /\ layerwise_smooth 2 unit_layers bowl bowl_grad one /\
  layerwise_noise coin 2 unit_layers bowl_grad bowl_sample one /\ bowl (fun _ _ => 1) = 1.
Proof.
  repeat split.
  - intros x. apply sum_nonneg. intros. assert (Hx := pow2_nonneg (x i O)). lra.
  - intros. unfold one. lra.
  - intros x y. unfold bowl, inner, norm2, sub, one, unit_layers, bowl_grad. rewrite !sum_S, !sum_O.
    apply Req_le. field.
  - intros. unfold one. lra.
  - intros x i j _ _. rewrite E_coin. unfold bowl_sample, bowl_grad, flip. field.
  - intros x i _. rewrite E_coin. unfold norm2, sub, bowl_sample, bowl_grad, flip, one, unit_layers.
    rewrite !sum_S, !sum_O. lra.
  - unfold bowl. rewrite !sum_S, sum_O. lra.
Qed.
(* With the rate 1/10 from (1, 1): T steps with batches of b samples. *)
Lemma prp_norms_cases_instance b T : (1 <= b)%nat -> (1 <= T)%nat ->
  run_mean (batches coin b) layered (next coin b bowl_sample (lars_dir unit_layers) (1 / 10)) T (fun _ _ => 1)
    (fun x => norm_sum 2 unit_layers (bowl_grad x)) <= 10 / INR T + 2 / sqrt (INR b) + 1 / 10.
Proof.
  intros Hb HT. destruct bowl_fits as (A0 & A1 & A2 & H1). assert (HR := INR_pos T HT).
  assert (Hr : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, Hb).
  assert (H := prp_norms_cases coin 2 b unit_layers bowl bowl_grad bowl_sample one 0 A0 A2 Hb one (1 / 10) T
    (fun _ _ => 1) A1 ltac:(lra) HT). eapply Rle_trans; [exact H|].
  rewrite H1, !sum_S, !sum_O. unfold one. apply Req_le. field. split; lra.
Qed.
(* The same problem meets the assumptions of thm-norms, with the largest of its two layers' lengths. *)
Lemma largest_fits :
  smooth_in 2 unit_layers (len_max 2 (fun i => norm (unit_layers i)) one) bowl bowl_grad (sum 2 one) /\
  steepest 2 unit_layers (len_max 2 (fun i => norm (unit_layers i)) one)
    (dual_sum 2 (fun i => norm (unit_layers i)) one) (dir_all (fun i => unit_vector (unit_layers i)) one) /\
  costs 2 unit_layers (dual_sum 2 (fun i => norm (unit_layers i)) one) one.
Proof.
  split; [|split].
  - apply step_3. apply bowl_fits.
  - apply prp_norms_layers; [intros; apply step_1|intros; unfold one; lra].
  - apply step_4a.
Qed.
Lemma thm_norms_instance b T : (1 <= b)%nat -> (1 <= T)%nat ->
  let dual := dual_sum 2 (fun i => norm (unit_layers i)) one in
  let dir := dir_all (fun i => unit_vector (unit_layers i)) one in
  run_mean (batches coin b) layered (next coin b bowl_sample dir (1 / 10)) T (fun _ _ => 1) (slope bowl_grad dual)
  <= 10 / INR T + 2 / sqrt (INR b) + 1 / 10.
Proof.
  intros Hb HT dual dir. destruct bowl_fits as (A0 & _ & A2 & H1). destruct largest_fits as (A1 & HN & HC).
  assert (HR := INR_pos T HT). assert (Hr : 0 < sqrt (INR b)) by (apply sqrt_lt_R0, INR_pos, Hb).
  assert (H := thm_norms coin 2 b _ _ _ _ _ _ _ _ _ _ _ A0 A1 A2 Hb HN HC (1 / 10) T (fun _ _ => 1) ltac:(lra) HT).
  eapply Rle_trans; [exact H|]. rewrite H1, !sum_S, !sum_O. unfold one. apply Req_le. field. split; lra.
Qed.
(* prp-norms-layers: two layers with other lengths, Euclid's and the largest entry's, the second four times as free. *)
Lemma prp_norms_layers_instance : let c (i : nat) := match i with O => 1 | _ => 4 end in
  steepest 2 (fun _ => 3%nat) (len_max 2 (fun i => match i with O => norm 3 | _ => norm_max 3 end) c)
    (dual_sum 2 (fun i => match i with O => norm 3 | _ => norm1 3 end) c)
    (dir_all (fun i => match i with O => unit_vector 3 | _ => signs end) c).
Proof.
  intros c. apply prp_norms_layers; intros [|i] _; [apply step_1|apply step_2|unfold c; lra|unfold c; lra].
Qed.
