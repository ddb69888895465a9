(* Finite probability spaces: N outcomes with weights that add up to 1.

   "Any finite sample space" is what the book's theorems are proved for. E is linear, monotone and 1 at 1, and the
   proofs use nothing else; the standard library has no integral for laws that are not finite. *)
Require Export sums.
Open Scope R_scope.

Record space := { size : nat; weight : nat -> R;
  weight_pos : forall w, (w < size)%nat -> 0 <= weight w; weight_one : sum size weight = 1 }.

(* The expectation of a random number X, a function of the outcome. *)
Definition E (W : space) (X : nat -> R) := sum (size W) (fun w => weight W w * X w).

Lemma E_le W X Y : (forall w, (w < size W)%nat -> X w <= Y w) -> E W X <= E W Y.
Proof. intros H. apply sum_le. intros w Hw. apply Rmult_le_compat_l; [now apply weight_pos|now apply H]. Qed.
Lemma E_ext W X Y : (forall w, (w < size W)%nat -> X w = Y w) -> E W X = E W Y.
Proof. intros H. apply sum_ext. intros w Hw. now rewrite H. Qed.
Lemma E_plus W X Y : E W (fun w => X w + Y w) = E W X + E W Y.
Proof. unfold E. rewrite <- sum_plus. apply sum_ext. intros. ring. Qed.
Lemma E_scal W c X : E W (fun w => c * X w) = c * E W X.
Proof. unfold E. rewrite <- sum_scal. apply sum_ext. intros. ring. Qed.
Lemma E_minus W X Y : E W (fun w => X w - Y w) = E W X - E W Y.
Proof. unfold E. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.
Lemma E_opp W X : E W (fun w => - X w) = - E W X.
Proof. unfold E. rewrite <- sum_opp. apply sum_ext. intros. ring. Qed.
Lemma E_div W c X : E W (fun w => X w / c) = E W X / c.
Proof. unfold E. rewrite <- sum_div. apply sum_ext. intros. unfold Rdiv. ring. Qed.
Lemma E_const W c : E W (fun _ => c) = c.
Proof. unfold E. rewrite sum_scal_r, weight_one. ring. Qed.
Lemma E_sum W n X : E W (fun w => sum n (fun j => X w j)) = sum n (fun j => E W (fun w => X w j)).
Proof. unfold E. rewrite <- sum_swap. apply sum_ext. intros. now rewrite sum_scal. Qed.
Lemma E_nonneg W X : (forall w, (w < size W)%nat -> 0 <= X w) -> 0 <= E W X.
Proof. intros H. rewrite <- (E_const W 0). now apply E_le. Qed.
Lemma E_abs W X : Rabs (E W X) <= E W (fun w => Rabs (X w)).
Proof.
  eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros w Hw.
  rewrite Rabs_mult, Rabs_pos_eq by now apply weight_pos. lra.
Qed.
(* What is never negative and 0 on average is 0 wherever there is weight. *)
Lemma E_zero W X : (forall w, (w < size W)%nat -> 0 <= X w) ->
  (E W X = 0 <-> forall w, (w < size W)%nat -> 0 < weight W w -> X w = 0).
Proof.
  intros HX. split.
  - intros H w Hw Hpos. assert (H1 : weight W w * X w = 0).
    { refine (sum_zero (size W) (fun v => weight W v * X v) _ H w Hw).
      intros v Hv. apply Rmult_le_pos; [now apply weight_pos|now apply HX]. }
    apply Rmult_integral in H1. destruct H1; lra.
  - intros H. apply sum_zeros. intros w Hw.
    destruct (weight_pos W w Hw) as [Hpos|<-]; [rewrite H by assumption|]; ring.
Qed.
Lemma size_pos W : (1 <= size W)%nat.
Proof. assert (H := weight_one W). destruct (size W); [rewrite sum_O in H; lra|lia]. Qed.

(* A probability is the expectation of 1 where the event happens, else 0. *)
Definition indicator {A B : Prop} (decided : {A} + {B}) : R := if decided then 1 else 0.
Lemma indicator_bounds A B (decided : {A} + {B}) : 0 <= indicator decided <= 1.
Proof. unfold indicator. destruct decided; lra. Qed.

(* n outcomes of equal weight. *)
Lemma uniform_pos n w : (w < n)%nat -> 0 <= (fun _ : nat => / INR n) w.
Proof. intros Hw. apply Rlt_le, Rinv_0_lt_compat, INR_pos. lia. Qed.
Lemma uniform_one n : (1 <= n)%nat -> sum n (fun _ : nat => / INR n) = 1.
Proof. intros Hn. rewrite sum_const. apply Rinv_r, Rgt_not_eq, INR_pos, Hn. Qed.
Definition uniform n (Hn : (1 <= n)%nat) :=
  {| size := n; weight := fun _ => / INR n; weight_pos := uniform_pos n; weight_one := uniform_one n Hn |}.
Lemma E_uniform n Hn X : E (uniform n Hn) X = sum n X / INR n.
Proof. unfold E. simpl. rewrite sum_scal. unfold Rdiv. ring. Qed.

(* A coin: outcome 0 with chance 1/2, outcome 1 with chance 1/2. *)
Definition coin := uniform 2 (le_S 1 1 (le_n 1)).
Lemma E_coin X : E coin X = (X 0%nat + X 1%nat) / 2.
Proof. unfold coin. rewrite E_uniform, !sum_S, sum_O, INR_two. field. Qed.
(* A space with one outcome. *)
Lemma point_pos w : (w < 1)%nat -> 0 <= (fun _ : nat => 1) w.
Proof. intros; lra. Qed.
Lemma point_one : sum 1 (fun _ : nat => 1) = 1.
Proof. rewrite sum_S, sum_O. lra. Qed.
Definition point := {| size := 1; weight := fun _ => 1; weight_pos := point_pos; weight_one := point_one |}.
Lemma E_point X : E point X = X 0%nat.
Proof. unfold E. simpl. rewrite sum_S, sum_O. ring. Qed.

(* Only what happens with weight counts for the mean. *)
Lemma E_same W X Y : (forall w, (w < size W)%nat -> 0 < weight W w -> X w = Y w) -> E W X = E W Y.
Proof.
  intros H. apply sum_ext. intros w Hw. destruct (weight_pos W w Hw) as [Hp|<-]; [now rewrite H|ring].
Qed.
