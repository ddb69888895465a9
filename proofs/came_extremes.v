(* CAME: too cautious, too bold (prp-came-extremes). X is an n x k matrix without negative entries, S its reconstruction
   from row and column means, M its mean. *)
Require Import came_matrix.
Open Scope R_scope.

Section Extremes.
  Variables n k : nat.
  Hypothesis shape : (1 <= n)%nat /\ (1 <= k)%nat.
  Variable X : nat -> nat -> R.
  Hypothesis X_nonneg : forall i j, (i < n)%nat -> (j < k)%nat -> 0 <= X i j.
  Notation M := (mean_R n k X).
  Notation S := (S_ n k X).
  Hypothesis some : 0 < M.

  Lemma row_sum i : sum k (fun j => X i j) = INR k * R_ k X i.
  Proof. destruct (nk n k shape). unfold R_. field. lra. Qed.
  Lemma column_sum j : sum n (fun i => X i j) = INR n * C_ n X j.
  Proof. destruct (nk n k shape). unfold C_. field. lra. Qed.
  (* (1) Too bold: a row's mean is at least its one entry's share. *)
  Lemma step_1 i j : (i < n)%nat -> (j < k)%nat -> X i j ^ 2 / (INR n * INR k * M) <= S i j.
  Proof.
    intros Hi Hj. destruct (nk n k shape) as [Hn Hk]. assert (HX := X_nonneg i j Hi Hj).
    assert (HR : X i j <= INR k * R_ k X i)
      by (rewrite <- row_sum; apply (sum_one k (fun j' => X i j') j Hj); intros; now apply X_nonneg).
    assert (HC : X i j <= INR n * C_ n X j)
      by (rewrite <- column_sum; apply (sum_one n (fun i' => X i' j) i Hi); intros; now apply X_nonneg).
    unfold S_. apply div_le; [pos|].
    replace (R_ k X i * C_ n X j / M * (INR n * INR k * M)) with ((INR k * R_ k X i) * (INR n * C_ n X j))
      by (field; lra).
    replace (X i j ^ 2) with (X i j * X i j) by ring. now apply Rmult_le_compat.
  Qed.
  (* (2) Too cautious: row i and column j have no positive entry in common. *)
  Lemma total_is : sum n (fun i => sum k (fun j => X i j)) = INR n * INR k * M.
  Proof.
    destruct (nk n k shape) as [Hn Hk]. rewrite (sum_ext n _ (fun i => INR k * R_ k X i)) by (intros; apply row_sum).
    rewrite sum_scal. unfold mean_R. field. lra.
  Qed.
  Lemma step_2 i j : (i < n)%nat -> (j < k)%nat -> X i j = 0 ->
    INR k * R_ k X i + INR n * C_ n X j <= INR n * INR k * M.
  Proof.
    intros Hi Hj H. rewrite <- total_is, <- row_sum, <- column_sum.
    assert (H1 : sum k (fun j' => X i j') - X i j <= sum n (fun i' => sum k (fun j' => X i' j') - X i' j)).
    { apply (sum_one n (fun i' => sum k (fun j' => X i' j') - X i' j) i Hi). intros i' Hi'.
      assert (H2 := sum_one k (fun j' => X i' j') j Hj (fun j' Hj' => X_nonneg i' j' Hi' Hj')). cbv beta in H2. lra. }
    rewrite sum_minus in H1. lra.
  Qed.
  (* (3) Two numbers with a given sum. *)
  Lemma step_3 i j : (i < n)%nat -> (j < k)%nat -> X i j = 0 -> S i j <= INR n * INR k * M / 4.
  Proof.
    intros Hi Hj H. destruct (nk n k shape) as [Hn Hk]. assert (H2 := step_2 i j Hi Hj H).
    assert (HR := R_nonneg n k shape X X_nonneg i Hi). assert (HC := C_nonneg n k shape X X_nonneg j Hj).
    replace (S i j) with (INR k * R_ k X i * (INR n * C_ n X j) / (INR n * INR k * M))
      by (unfold S_; field; repeat split; lra).
    set (a := INR k * R_ k X i) in *. set (b := INR n * C_ n X j) in *.
    assert (HT : 0 < INR n * INR k * M) by pos. set (T := INR n * INR k * M) in *.
    assert (Ha : 0 <= a) by (apply Rmult_le_pos; lra). assert (Hb : 0 <= b) by (apply Rmult_le_pos; lra).
    apply div_le; [assumption|]. assert (H3 := pow2_nonneg (a - b)).
    assert (H4 : (a + b) * (a + b) <= T * T) by (apply Rmult_le_compat; lra). lra.
  Qed.
  (* prp-came-extremes: S is at least X^2 / (n k M), and at most n k M / 4 where X is zero. *)
  Theorem prp_came_extremes i j : (i < n)%nat -> (j < k)%nat ->
    X i j ^ 2 / (INR n * INR k * M) <= S i j /\ (X i j = 0 -> S i j <= INR n * INR k * M / 4).
  Proof. intros Hi Hj. split; [now apply step_1|now apply step_3]. Qed.
End Extremes.

(* The first is attained in every shape: one entry holds everything. *)
Definition lonely (i j : nat) : R := if Nat.eqb 0 i then if Nat.eqb 0 j then 1 else 0 else 0.
(* The second is attained if n, k >= 2: half of everything in row 0, half in column 0, nothing where they meet. *)
Definition crossed (i j : nat) : R :=
  (if Nat.eqb 0 i then if Nat.eqb 1 j then 1 else 0 else 0) + (if Nat.eqb 1 i then if Nat.eqb 0 j then 1 else 0 else 0).
Lemma pick_row k i a b : (b < k)%nat ->
  sum k (fun j => if Nat.eqb a i then if Nat.eqb b j then 1 else 0 else 0) = if Nat.eqb a i then 1 else 0.
Proof. intros Hb. destruct (Nat.eqb a i); [now apply sum_pick|now apply sum_zeros]. Qed.
Lemma pick_column n j a b : (a < n)%nat ->
  sum n (fun i => if Nat.eqb a i then if Nat.eqb b j then 1 else 0 else 0) = if Nat.eqb b j then 1 else 0.
Proof. intros Ha. exact (sum_pick n a (if Nat.eqb b j then 1 else 0) Ha). Qed.
(* Both are attained: the first in every shape, the second if n, k >= 2. *)
Theorem prp_came_extremes_attained n k : (1 <= n)%nat -> (1 <= k)%nat ->
  S_ n k lonely 0 0 = lonely 0 0 ^ 2 / (INR n * INR k * mean_R n k lonely) /\ 0 < mean_R n k lonely /\
  ((2 <= n)%nat -> (2 <= k)%nat -> crossed 0 0 = 0 /\
    S_ n k crossed 0 0 = INR n * INR k * mean_R n k crossed / 4 /\ 0 < mean_R n k crossed).
Proof.
  intros Hn Hk. assert (Hn' := INR_pos n Hn). assert (Hk' := INR_pos k Hk).
  assert (R1 : forall i, R_ k lonely i = (if Nat.eqb 0 i then 1 else 0) / INR k)
    by (intros i; unfold R_, lonely; now rewrite pick_row by lia).
  assert (C1 : C_ n lonely 0 = 1 / INR n) by (unfold C_, lonely; now rewrite pick_column by lia).
  assert (M1 : mean_R n k lonely = 1 / INR k / INR n).
  { unfold mean_R. rewrite (sum_ext n _ _ (fun i _ => R1 i)), sum_div, sum_pick by lia. reflexivity. }
  split; [|split].
  - unfold S_. rewrite R1, C1, M1. unfold lonely. cbn [Nat.eqb]. field. lra.
  - rewrite M1. pos.
  - intros Hn2 Hk2.
    assert (R2 : forall i, R_ k crossed i = ((if Nat.eqb 0 i then 1 else 0) + (if Nat.eqb 1 i then 1 else 0)) / INR k)
      by (intros i; unfold R_, crossed; rewrite sum_plus, !pick_row by lia; reflexivity).
    assert (C2 : C_ n crossed 0 = 1 / INR n).
    { unfold C_, crossed. rewrite sum_plus, !pick_column by lia. cbn [Nat.eqb]. field. lra. }
    assert (M2 : mean_R n k crossed = 2 / INR k / INR n).
    { unfold mean_R. rewrite (sum_ext n _ _ (fun i _ => R2 i)), sum_div, sum_plus, !sum_pick by lia.
      field. split; lra. }
    split; [unfold crossed; cbn [Nat.eqb]; ring|]. split.
    + unfold S_. rewrite R2, C2, M2. cbn [Nat.eqb]. field. lra.
    + rewrite M2. pos.
Qed.
(* An instance: the 2 x 2 matrix whose only entry is 1. *)
Lemma prp_came_extremes_instance : (forall i j, 0 <= lonely i j) /\ 0 < mean_R 2 2 lonely.
Proof.
  split; [|apply prp_came_extremes_attained; lia].
  intros i j. unfold lonely. destruct (Nat.eqb 0 i), (Nat.eqb 0 j); lra.
Qed.
