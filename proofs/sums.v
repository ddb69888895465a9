(* Finite sums of real numbers.

   `sum n x` is x 0 + x 1 + ... + x (n - 1). All other files stand on this one. *)
Require Export Reals Lra Lia PeanoNat.
Open Scope R_scope.

Fixpoint sum (n : nat) (x : nat -> R) : R :=
  match n with O => 0 | S m => sum m x + x m end.

(* `simpl` shall open neither sums nor powers: the lemmas `sum_S` and `sum_O` do when a proof wants it. *)
Global Arguments sum : simpl never.
Global Arguments pow : simpl never.
Global Arguments INR : simpl never.

Lemma INR_zero : INR 0 = 0.
Proof. reflexivity. Qed.
Lemma INR_one : INR 1 = 1.
Proof. reflexivity. Qed.
Lemma INR_two : INR 2 = 2.
Proof. rewrite S_INR, INR_one. lra. Qed.
Lemma sum_O x : sum 0 x = 0.
Proof. reflexivity. Qed.
Lemma sum_S n x : sum (S n) x = sum n x + x n.
Proof. reflexivity. Qed.

(* ---- 1. Sums of equal, larger and smaller terms. ---- *)

Lemma sum_le n x y : (forall i, (i < n)%nat -> x i <= y i) -> sum n x <= sum n y.
Proof.
  induction n as [|n IH]; intros H; [rewrite !sum_O; lra|]. rewrite !sum_S.
  apply Rplus_le_compat; [apply IH; intros; apply H; lia|apply H; lia].
Qed.
Lemma sum_ext n x y : (forall i, (i < n)%nat -> x i = y i) -> sum n x = sum n y.
Proof. intros H. apply Rle_antisym; apply sum_le; intros; rewrite H by assumption; lra. Qed.
Lemma sum_lt n x y : (1 <= n)%nat -> (forall i, (i < n)%nat -> x i < y i) -> sum n x < sum n y.
Proof.
  intros Hn H. destruct n as [|n]; [lia|]. rewrite !sum_S.
  apply Rplus_le_lt_compat; [apply sum_le; intros; apply Rlt_le, H; lia|apply H; lia].
Qed.

(* ---- 2. Sums are linear. ---- *)

Lemma sum_plus n x y : sum n (fun i => x i + y i) = sum n x + sum n y.
Proof. induction n as [|n IH]; [rewrite !sum_O; lra|]. rewrite !sum_S, IH. lra. Qed.
Lemma sum_scal n c x : sum n (fun i => c * x i) = c * sum n x.
Proof. induction n as [|n IH]; [rewrite !sum_O; lra|]. rewrite !sum_S, IH. lra. Qed.
Lemma sum_scal_r n c x : sum n (fun i => x i * c) = sum n x * c.
Proof. rewrite (sum_ext n _ (fun i => c * x i)) by (intros; ring). rewrite sum_scal. ring. Qed.
Lemma sum_div n c x : sum n (fun i => x i / c) = sum n x / c.
Proof. apply sum_scal_r. Qed.
Lemma sum_opp n x : sum n (fun i => - x i) = - sum n x.
Proof. rewrite (sum_ext n _ (fun i => -1 * x i)) by (intros; ring). rewrite sum_scal. ring. Qed.
Lemma sum_minus n x y : sum n (fun i => x i - y i) = sum n x - sum n y.
Proof. unfold Rminus. now rewrite sum_plus, sum_opp. Qed.
Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; [rewrite sum_O, INR_zero; ring|]. rewrite sum_S, S_INR, IH. ring. Qed.
Lemma sum_zeros n x : (forall i, (i < n)%nat -> x i = 0) -> sum n x = 0.
Proof. intros H. rewrite (sum_ext n x (fun _ => 0)) by assumption. rewrite sum_const. ring. Qed.
Lemma sum_swap n m x : sum n (fun i => sum m (fun j => x i j)) = sum m (fun j => sum n (fun i => x i j)).
Proof.
  induction n as [|n IH].
  - rewrite sum_O. symmetry. apply sum_zeros. intros. apply sum_O.
  - rewrite sum_S, IH, <- sum_plus. apply sum_ext. intros. now rewrite sum_S.
Qed.

(* ---- 3. Sums of numbers that are not negative. ---- *)

Lemma sum_nonneg n x : (forall i, (i < n)%nat -> 0 <= x i) -> 0 <= sum n x.
Proof. intros H. rewrite <- (sum_zeros n (fun _ => 0)) by reflexivity. now apply sum_le. Qed.
Lemma sum_pos n x : (1 <= n)%nat -> (forall i, (i < n)%nat -> 0 < x i) -> 0 < sum n x.
Proof. intros Hn H. rewrite <- (sum_zeros n (fun _ => 0)) by reflexivity. now apply sum_lt. Qed.
(* One of them is at most their sum. *)
Lemma sum_one n x k : (k < n)%nat -> (forall i, (i < n)%nat -> 0 <= x i) -> x k <= sum n x.
Proof.
  induction n as [|n IH]; intros Hk H; [lia|]. rewrite sum_S. assert (Hn : 0 <= x n) by (apply H; lia).
  destruct (Nat.eq_dec k n) as [->|Hne].
  - assert (0 <= sum n x) by (apply sum_nonneg; intros; apply H; lia). lra.
  - assert (x k <= sum n x) by (apply IH; [lia|intros; apply H; lia]). lra.
Qed.
(* If their sum is zero, so are they all. *)
Lemma sum_zero n x : (forall i, (i < n)%nat -> 0 <= x i) -> sum n x = 0 -> forall i, (i < n)%nat -> x i = 0.
Proof. intros H H0 i Hi. assert (H1 := sum_one n x i Hi H). specialize (H i Hi). lra. Qed.
Lemma sum_abs n x : Rabs (sum n x) <= sum n (fun i => Rabs (x i)).
Proof.
  induction n as [|n IH]; [rewrite !sum_O, Rabs_R0; lra|]. rewrite !sum_S.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

(* ---- 4. Taking sums apart. ---- *)

Lemma sum_first n x : sum (S n) x = x O + sum n (fun i => x (S i)).
Proof. induction n as [|n IH]; [rewrite sum_S, !sum_O; ring|]. rewrite sum_S, IH, sum_S. ring. Qed.
Lemma sum_app n m x : sum (n + m) x = sum n x + sum m (fun i => x (n + i)%nat).
Proof.
  induction m as [|m IH]; [rewrite Nat.add_0_r, sum_O; ring|].
  rewrite Nat.add_succ_r, !sum_S, IH. ring.
Qed.
Lemma sum_blocks n m x : sum (n * m) x = sum n (fun i => sum m (fun j => x (i * m + j)%nat)).
Proof.
  induction n as [|n IH]; [reflexivity|].
  replace (S n * m)%nat with (n * m + m)%nat by lia. now rewrite sum_app, IH, sum_S.
Qed.
(* Of a sum in which all terms but the k-th are zero, the k-th is left. *)
Lemma sum_pick n k c : (k < n)%nat -> sum n (fun i => if Nat.eqb k i then c else 0) = c.
Proof.
  intros H. induction n as [|n IH]; [lia|]. rewrite sum_S. destruct (Nat.eq_dec k n) as [->|Hne].
  - rewrite sum_zeros, Nat.eqb_refl; [ring|]. intros i Hi. now rewrite (proj2 (Nat.eqb_neq n i)) by lia.
  - rewrite IH, (proj2 (Nat.eqb_neq k n)) by lia. ring.
Qed.
(* A sum of differences of neighbours: all inner terms cancel. *)
Lemma sum_telescope n x : sum n (fun i => x (S i) - x i) = x n - x O.
Proof. induction n as [|n IH]; [rewrite sum_O; ring|]. rewrite sum_S, IH. ring. Qed.
(* The smallest of n numbers is at most their mean. *)
Lemma below_mean n x : (1 <= n)%nat -> exists k, (k < n)%nat /\ x k <= sum n x / INR n.
Proof.
  intros Hn. assert (HR : 0 < INR n) by (apply lt_0_INR; lia). set (a := sum n x / INR n).
  assert (D : forall m, (exists k, (k < m)%nat /\ x k <= a) \/ (forall k, (k < m)%nat -> a < x k)).
  { induction m as [|m [(k & Hk & Hx)|IH]]; [right; intros; lia|left; exists k; split; [lia|assumption]|].
    destruct (Rle_dec (x m) a); [left; exists m; split; [lia|assumption]|right]. intros k Hk.
    destruct (Nat.eq_dec k m) as [->|]; [lra|apply IH; lia]. }
  destruct (D n) as [?|Hall]; [assumption|exfalso].
  assert (H := sum_lt n (fun _ => a) x Hn Hall). rewrite sum_const in H.
  assert (INR n * a = sum n x) by (unfold a; field; lra). lra.
Qed.

(* ---- 5. Small helpers about real numbers, used everywhere. ---- *)

Lemma INR_pos n : (1 <= n)%nat -> 0 < INR n.
Proof. intros. apply lt_0_INR. lia. Qed.
Lemma INR_ge_1 n : (1 <= n)%nat -> 1 <= INR n.
Proof. intros. replace 1 with (INR 1) by reflexivity. now apply le_INR. Qed.
Lemma le_of_squares a b : 0 <= b -> a ^ 2 <= b ^ 2 -> a <= b.
Proof. intros Hb H. apply Rsqr_incr_0_var; [unfold Rsqr; lra|assumption]. Qed.
Lemma pow2_nonneg a : 0 <= a ^ 2.
Proof. replace (a ^ 2) with (Rsqr a) by (unfold Rsqr; ring). apply Rle_0_sqr. Qed.
Lemma pow2_zero a : a ^ 2 = 0 -> a = 0.
Proof. intros H. apply Rsqr_eq_0. unfold Rsqr. lra. Qed.
Lemma pow2_Rabs a : Rabs a ^ 2 = a ^ 2.
Proof. apply pow2_abs. Qed.
Lemma sqrt_of_square a : sqrt (a ^ 2) = Rabs a.
Proof. rewrite <- sqrt_Rsqr_abs. f_equal. unfold Rsqr. ring. Qed.
Lemma sqrt_squared a : 0 <= a -> sqrt a ^ 2 = a.
Proof. apply pow2_sqrt. Qed.
Lemma sqrt_le a b : 0 <= b -> a <= b ^ 2 -> sqrt a <= b.
Proof. intros Hb H. rewrite <- (Rabs_pos_eq b), <- sqrt_of_square by assumption. now apply sqrt_le_1_alt. Qed.
(* a / c <= b where a <= b c *)
Lemma div_le a b c : 0 < c -> a <= b * c -> a / c <= b.
Proof.
  intros Hc H. apply Rmult_le_reg_r with c; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma le_div a b c : 0 < c -> a * c <= b -> a <= b / c.
Proof.
  intros Hc H. apply Rmult_le_reg_r with c; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(* `pos` proves that products, quotients, roots, powers and sums of positive numbers are positive (or not negative). *)
Ltac pos := repeat first
  [ assumption | lra | apply pow2_nonneg | apply sqrt_pos | apply Rabs_pos | apply pos_INR
  | apply Rmult_lt_0_compat | apply Rdiv_lt_0_compat | apply Rinv_0_lt_compat | apply sqrt_lt_R0 | apply pow_lt
  | apply exp_pos | (apply INR_pos; lia) | apply Rplus_lt_0_compat
  | apply Rmult_le_pos | apply Rle_mult_inv_pos | apply pow_le | apply Rplus_le_le_0_compat
  | (apply Rlt_le; apply Rinv_0_lt_compat) ].
