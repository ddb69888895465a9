(* Appendix A: the normalised direction (lem-normalised-direction).

   u is the gradient of a layer and v its estimate. For v = 0 the fraction <u, v> / |v| is 0, as its numerator is. *)
Require Export spaces vectors.
Open Scope R_scope.

(* (1) <u, v> / |v| = |v| - <v - u, v> / |v| *)
Lemma step_1 d u v : norm d v <> 0 -> inner d u v / norm d v = norm d v - inner d (sub v u) v / norm d v.
Proof. intros Hv. rewrite inner_sub_l, inner_self, <- norm_squared. field. assumption. Qed.
(* (2) Cauchy-Schwarz: the last fraction is at most |v - u|. At v = 0 this holds as well. *)
Lemma step_2 d u v : norm d u - inner d u v / norm d v <= norm d u - norm d v + norm d (sub v u).
Proof. assert (H := direction d u v). lra. Qed.
(* (3) The triangle inequality. *)
Lemma step_3 d u v : norm d u - norm d v <= norm d (sub v u).
Proof. assert (H := triangle_sub d u v). rewrite norm_sub_sym in H. lra. Qed.

(* lem-normalised-direction, (a): |u| - <u, v> / |v| <= 2 |u - v|. *)
Theorem lem_normalised_direction d u v : norm d u - inner d u v / norm d v <= 2 * norm d (sub v u).
Proof. assert (H2 := step_2 d u v). assert (H3 := step_3 d u v). lra. Qed.

(* (4) A mean is at most as long as the vectors are on average. *)
Lemma step_4 W d u (v : nat -> vec) : (forall j, (j < d)%nat -> E W (fun w => v w j) = u j) ->
  norm d u <= E W (fun w => norm d (v w)).
Proof.
  intros H. destruct (norm_pos d u) as [Hu|Hu]; [|rewrite <- Hu; apply E_nonneg; intros; apply norm_pos].
  apply Rmult_le_reg_l with (norm d u); [assumption|]. rewrite <- E_scal.
  apply Rle_trans with (E W (fun w => inner d u (v w))); [|apply E_le; intros; apply inner_le].
  replace (norm d u * norm d u) with (inner d u u) by (rewrite inner_self, <- norm_squared; ring).
  unfold inner. rewrite E_sum. apply Req_le, sum_ext. intros j Hj. now rewrite E_scal, H.
Qed.
(* lem-normalised-direction, (b): if v is random and E v = u, half of that is enough. *)
Theorem lem_normalised_direction_mean W d u (v : nat -> vec) :
  (forall j, (j < d)%nat -> E W (fun w => v w j) = u j) ->
  norm d u - E W (fun w => inner d u (v w) / norm d (v w)) <= E W (fun w => norm d (sub (v w) u)).
Proof.
  intros H. assert (H4 := step_4 W d u v H).
  assert (H2 : E W (fun w => norm d u - inner d u (v w) / norm d (v w))
    <= E W (fun w => norm d u - norm d (v w) + norm d (sub (v w) u))) by (apply E_le; intros; apply step_2).
  rewrite E_plus, !E_minus, !E_const in H2. lra.
Qed.

(* An instance, and the best that it allows: in one dimension let u = 1 and v = -delta or 2 + delta with equal chance.
   Then 1 is lost, and the noise is 1 + delta: the factor 1 of (b) cannot be lowered. *)
Lemma line x : norm 1 x = Rabs (x O).
Proof. unfold norm, norm2. rewrite sum_S, sum_O, Rplus_0_l. apply sqrt_of_square. Qed.
Lemma lem_normalised_direction_instance delta : 0 < delta ->
  let u : vec := fun _ => 1 in let v : nat -> vec := fun w _ => match w with O => - delta | _ => 2 + delta end in
  norm 1 u - E coin (fun w => inner 1 u (v w) / norm 1 (v w)) = 1 /\
  E coin (fun w => norm 1 (sub (v w) u)) = 1 + delta /\
  norm 1 u - E coin (fun w => inner 1 u (v w) / norm 1 (v w)) <= E coin (fun w => norm 1 (sub (v w) u)).
Proof.
  intros Hd u v. repeat split.
  - rewrite E_coin, !line. unfold u, v, inner. rewrite !sum_S, !sum_O, Rabs_R1, Rabs_left, Rabs_pos_eq by lra.
    field. lra.
  - rewrite E_coin, !line. unfold u, v, sub. rewrite Rabs_left, Rabs_pos_eq by lra. field.
  - apply lem_normalised_direction_mean. intros j _. rewrite E_coin. unfold v, u. field.
Qed.
(* Nor can the factor 2 of (a): for v = - delta u, 2|u| is lost, and the noise is (1 + delta)|u|. *)
Lemma lem_normalised_direction_tight delta : 0 < delta ->
  let u : vec := fun _ => 1 in let v : vec := fun _ => - delta in
  norm 1 u - inner 1 u v / norm 1 v = 2 /\ norm 1 (sub v u) = 1 + delta.
Proof.
  intros Hd u v. rewrite !line. unfold u, v, sub, inner. rewrite !sum_S, !sum_O, Rabs_R1, !Rabs_left by lra.
  split; [field|]; lra.
Qed.
(* Without a mean that is u it is false: a vector against u, half as long. *)
Lemma lem_normalised_direction_needs_mean : let u : vec := fun _ => 1 in let v (w : nat) : vec := fun _ => - / 2 in
  E coin (fun w => norm 1 (sub (v w) u)) < norm 1 u - E coin (fun w => inner 1 u (v w) / norm 1 (v w)).
Proof.
  intros u v. destruct (lem_normalised_direction_tight (/ 2)) as [H1 H2]; [lra|]. unfold v. rewrite !E_const.
  fold u in H1, H2. rewrite H1, H2. lra.
Qed.
