(* Vectors of d real numbers: inner products, norms, Cauchy-Schwarz and the triangle.

   A vector is a function from indices to numbers, of which only the first d entries count. *)
Require Export sums.
Open Scope R_scope.

Definition vec := nat -> R.
Definition sub (y x : vec) : vec := fun j => y j - x j.
Definition inner (d : nat) (u v : vec) := sum d (fun j => u j * v j).
Definition norm2 (d : nat) (u : vec) := sum d (fun j => u j ^ 2).     (* the square of the length *)
Definition norm (d : nat) (u : vec) := sqrt (norm2 d u).             (* the length *)
Definition norm1 (d : nat) (u : vec) := sum d (fun j => Rabs (u j)).  (* the sum of the sizes *)

(* ---- 1. What follows from the definitions. ---- *)

Lemma norm2_pos d u : 0 <= norm2 d u.
Proof. apply sum_nonneg. intros. apply pow2_nonneg. Qed.
Lemma norm_pos d u : 0 <= norm d u.
Proof. apply sqrt_pos. Qed.
Lemma norm1_pos d u : 0 <= norm1 d u.
Proof. apply sum_nonneg. intros. apply Rabs_pos. Qed.
Lemma norm_squared d u : norm d u ^ 2 = norm2 d u.
Proof. apply sqrt_squared, norm2_pos. Qed.
Lemma norm2_zero d u : norm2 d u = 0 -> forall j, (j < d)%nat -> u j = 0.
Proof.
  intros H j Hj. apply pow2_zero. exact (sum_zero d (fun i => u i ^ 2) (fun i _ => pow2_nonneg (u i)) H j Hj).
Qed.
Lemma norm_zero d u : norm d u = 0 -> forall j, (j < d)%nat -> u j = 0.
Proof. intros H. apply norm2_zero. rewrite <- norm_squared, H. ring. Qed.
Lemma norm_of_zero d u : (forall j, (j < d)%nat -> u j = 0) -> norm d u = 0.
Proof.
  intros H. unfold norm, norm2. rewrite sum_zeros; [apply sqrt_0|]. intros. rewrite H by assumption. ring.
Qed.
Lemma inner_ext d u v x y : (forall j, (j < d)%nat -> u j = x j) -> (forall j, (j < d)%nat -> v j = y j) ->
  inner d u v = inner d x y.
Proof. intros H1 H2. apply sum_ext. intros. now rewrite H1, H2. Qed.
Lemma norm2_ext d u v : (forall j, (j < d)%nat -> u j = v j) -> norm2 d u = norm2 d v.
Proof. intros H. apply sum_ext. intros. now rewrite H. Qed.
Lemma norm_ext d u v : (forall j, (j < d)%nat -> u j = v j) -> norm d u = norm d v.
Proof. intros H. unfold norm. f_equal. now apply norm2_ext. Qed.
Lemma inner_sym d u v : inner d u v = inner d v u.
Proof. apply sum_ext. intros. ring. Qed.
Lemma inner_self d u : inner d u u = norm2 d u.
Proof. apply sum_ext. intros. ring. Qed.
Lemma inner_scal d c u v : inner d u (fun j => c * v j) = c * inner d u v.
Proof. unfold inner. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.
Lemma inner_sub d u v x : inner d u (sub v x) = inner d u v - inner d u x.
Proof. unfold inner, sub. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.
Lemma inner_sub_l d u v x : inner d (sub u v) x = inner d u x - inner d v x.
Proof. rewrite inner_sym, inner_sub. now rewrite (inner_sym d x u), (inner_sym d x v). Qed.
Lemma norm2_scal d c u : norm2 d (fun j => c * u j) = c ^ 2 * norm2 d u.
Proof. unfold norm2. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.
Lemma norm_scal d c u : norm d (fun j => c * u j) = Rabs c * norm d u.
Proof. unfold norm. rewrite norm2_scal, sqrt_mult_alt by apply pow2_nonneg. now rewrite sqrt_of_square. Qed.
Lemma norm_sub_sym d u v : norm d (sub u v) = norm d (sub v u).
Proof.
  rewrite (norm_ext d (sub u v) (fun j => -1 * sub v u j)) by (intros; unfold sub; ring).
  rewrite norm_scal, Rabs_left by lra. ring.
Qed.
Lemma norm2_plus d u v : norm2 d (fun j => u j + v j) = norm2 d u + 2 * inner d u v + norm2 d v.
Proof. unfold norm2, inner. rewrite <- sum_scal, <- !sum_plus. apply sum_ext. intros. ring. Qed.
Lemma norm2_sub d u v : norm2 d (sub u v) = norm2 d u - 2 * inner d u v + norm2 d v.
Proof. unfold norm2, inner, sub. rewrite <- sum_scal, <- sum_minus, <- sum_plus. apply sum_ext. intros. ring. Qed.
Lemma entry_le_norm d u j : (j < d)%nat -> Rabs (u j) <= norm d u.
Proof.
  intros Hj. rewrite <- sqrt_of_square. apply sqrt_le_1_alt.
  exact (sum_one d (fun i => u i ^ 2) j Hj (fun i _ => pow2_nonneg (u i))).
Qed.

(* ---- 2. Cauchy-Schwarz (its equality is in toolbox.v) and the triangle. ---- *)

(* The square of what is left of u once its shadow c v is taken off. *)
Lemma shadow d u v c : norm2 d (fun j => u j - c * v j) = norm2 d u - 2 * c * inner d u v + c ^ 2 * norm2 d v.
Proof.
  unfold norm2, inner. rewrite <- !sum_scal, <- sum_minus, <- sum_plus. apply sum_ext. intros. ring.
Qed.
Lemma inner_squared d u v : inner d u v ^ 2 <= norm2 d u * norm2 d v.
Proof.
  destruct (norm2_pos d v) as [Hv|Hv].
  - set (c := inner d u v / norm2 d v).
    assert (H := norm2_pos d (fun j => u j - c * v j)). rewrite shadow in H.
    apply Rmult_le_reg_r with (/ norm2 d v); [now apply Rinv_0_lt_compat|].
    replace (norm2 d u * norm2 d v * / norm2 d v) with (norm2 d u) by (field; lra).
    replace (norm2 d u - _ + _) with (norm2 d u - inner d u v ^ 2 * / norm2 d v) in H by (unfold c; field; lra). lra.
  - unfold inner. rewrite sum_zeros; [rewrite <- Hv; apply Req_le; ring|].
    intros j Hj. rewrite (norm2_zero d v) by auto. ring.
Qed.
Lemma cauchy_schwarz d u v : Rabs (inner d u v) <= norm d u * norm d v.
Proof.
  unfold norm. rewrite <- sqrt_mult, <- sqrt_of_square by apply norm2_pos. apply sqrt_le_1_alt, inner_squared.
Qed.
Lemma inner_le d u v : inner d u v <= norm d u * norm d v.
Proof. eapply Rle_trans; [apply Rle_abs|apply cauchy_schwarz]. Qed.
Lemma triangle d u v : norm d (fun j => u j + v j) <= norm d u + norm d v.
Proof.
  assert (Hu := norm_pos d u). assert (Hv := norm_pos d v). assert (H := inner_le d u v).
  apply le_of_squares; [lra|]. rewrite norm_squared, norm2_plus, <- !norm_squared. lra.
Qed.
Lemma triangle_sub d u v : norm d u <= norm d v + norm d (sub u v).
Proof. rewrite (norm_ext d u (fun j => v j + sub u v j)) by (intros; unfold sub; ring). apply triangle. Qed.

(* ---- 3. The normalised direction (lem-normalised-direction). At v = 0 the fraction is 0, as its numerator is. ---- *)

(* Along v / |v| the vector u is at least as long as v, up to the distance of the two. *)
Lemma direction d u v : norm d v - norm d (sub v u) <= inner d u v / norm d v.
Proof.
  assert (Hv := norm_pos d v). destruct Hv as [Hv|Hv].
  - apply le_div; [assumption|]. assert (H := inner_le d (sub v u) v).
    rewrite inner_sub_l, inner_self, <- norm_squared in H. lra.
  - assert (H := norm_pos d (sub v u)). assert (H0 : inner d u v = 0).
    { apply sum_zeros. intros j Hj. rewrite (norm_zero d v) by auto. ring. }
    rewrite H0. unfold Rdiv. lra.
Qed.
Lemma direction_cost d u v : norm d u - inner d u v / norm d v <= 2 * norm d (sub v u).
Proof.
  assert (H1 := triangle_sub d u v). rewrite norm_sub_sym in H1. assert (H2 := direction d u v). lra.
Qed.
