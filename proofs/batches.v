(* Batches: b samples, drawn one after the other from the same finite law.

   A batch is a list of outcomes. `Eb W b X` averages X over the first draw, then over the second, and so on: that is
   what "independent" means here. `batches W b` is the same as one finite space (`E_batches`), whose outcome k stands
   for the list `drawn W b k`; the theorems speak of that space, so that all they need is E. *)
Require Export spaces vectors List.
Open Scope R_scope.

Fixpoint Eb (W : space) (b : nat) (X : list nat -> R) : R :=
  match b with O => X nil | S c => E W (fun w => Eb W c (fun l => X (cons w l))) end.

Lemma Eb_ext W b X Y : (forall l, length l = b -> X l = Y l) -> Eb W b X = Eb W b Y.
Proof.
  revert X Y. induction b as [|b IH]; intros X Y H; cbn [Eb]; [now apply H|].
  apply E_ext. intros w _. apply IH. intros l Hl. apply H. cbn [length]. now rewrite Hl.
Qed.
Lemma Eb_plus W b X Y : Eb W b (fun l => X l + Y l) = Eb W b X + Eb W b Y.
Proof.
  revert X Y. induction b as [|b IH]; intros X Y; cbn [Eb]; [reflexivity|].
  rewrite <- E_plus. apply E_ext. intros. now rewrite IH.
Qed.
Lemma Eb_scal W b c X : Eb W b (fun l => c * X l) = c * Eb W b X.
Proof.
  revert X. induction b as [|b IH]; intros X; cbn [Eb]; [reflexivity|].
  rewrite <- E_scal. apply E_ext. intros. now rewrite IH.
Qed.
Lemma Eb_const W b c : Eb W b (fun _ => c) = c.
Proof.
  induction b as [|b IH]; cbn [Eb]; [reflexivity|].
  rewrite (E_ext _ _ (fun _ => c)) by (intros; apply IH). apply E_const.
Qed.
Lemma Eb_sum W b d X : Eb W b (fun l => sum d (fun j => X l j)) = sum d (fun j => Eb W b (fun l => X l j)).
Proof.
  induction d as [|d IH]; [exact (Eb_const W b 0)|]. rewrite sum_S, <- IH, <- Eb_plus. apply Eb_ext. reflexivity.
Qed.

(* ---- 1. The mean of a batch, and its variance. ---- *)

Fixpoint total (a : nat -> R) (l : list nat) : R := match l with nil => 0 | cons w r => a w + total a r end.
(* Entry j of the mean of the vectors g w over the batch l. *)
Definition mean (g : nat -> vec) (l : list nat) : vec := fun j => total (fun w => g w j) l / INR (length l).

Lemma total_shift a m l : total (fun w => a w - m) l = total a l - INR (length l) * m.
Proof.
  induction l as [|w l IH]; cbn [total length]; [rewrite INR_zero; ring|]. rewrite IH, S_INR. ring.
Qed.
Lemma Eb_total W b a : Eb W b (total a) = INR b * E W a.
Proof.
  induction b as [|b IH]; cbn [Eb]; [cbn [total]; rewrite INR_zero; ring|]. rewrite S_INR.
  rewrite (E_ext _ _ (fun w => a w + INR b * E W a)).
  - rewrite E_plus, E_const. ring.
  - intros w _. cbn [total]. now rewrite Eb_plus, Eb_const, <- IH.
Qed.
(* Independent draws of mean zero have no cross terms: an induction with a free number c. *)
Lemma Eb_square W b a c : E W a = 0 ->
  Eb W b (fun l => (c + total a l) ^ 2) = c ^ 2 + INR b * E W (fun w => a w ^ 2).
Proof.
  intros Ha. revert c. induction b as [|b IH]; intros c; cbn [Eb]; [cbn [total]; rewrite INR_zero; ring|].
  rewrite S_INR, (E_ext _ _ (fun w => c ^ 2 + INR b * E W (fun v => a v ^ 2) + (2 * c * a w + a w ^ 2))).
  - rewrite E_plus, E_const, E_plus, E_scal, Ha. ring.
  - intros w _. rewrite (Eb_ext _ _ _ (fun l => (c + a w + total a l) ^ 2)) by (intros; cbn [total]; ring).
    rewrite IH. ring.
Qed.

Section Mean.
  Variable W : space.          (* the law of one sample *)
  Variables d b : nat.         (* entries; samples in a batch *)
  Variable g : nat -> vec.     (* g w j: entry j of the vector of sample w *)
  Variable mu : vec.
  Hypothesis mu_is_mean : forall j, (j < d)%nat -> E W (fun w => g w j) = mu j.
  Hypothesis some : (1 <= b)%nat.

  Lemma Eb_mean j : (j < d)%nat -> Eb W b (fun l => mean g l j) = mu j.
  Proof.
    intros Hj. assert (Hb := INR_pos b some).
    rewrite (Eb_ext _ _ _ (fun l => / INR b * total (fun w => g w j) l)).
    - rewrite Eb_scal, Eb_total, mu_is_mean by assumption. field. lra.
    - intros l Hl. unfold mean. rewrite Hl. field. lra.
  Qed.
  Lemma Eb_variance_entry j : (j < d)%nat ->
    Eb W b (fun l => (mean g l j - mu j) ^ 2) = E W (fun w => (g w j - mu j) ^ 2) / INR b.
  Proof.
    intros Hj. assert (Hb := INR_pos b some).
    rewrite (Eb_ext _ _ _ (fun l => / INR b ^ 2 * (0 + total (fun w => g w j - mu j) l) ^ 2)).
    - rewrite Eb_scal, Eb_square; [field; lra|]. rewrite E_minus, E_const, mu_is_mean by assumption. ring.
    - intros l Hl. rewrite total_shift. unfold mean. rewrite Hl. field. lra.
  Qed.
  Lemma Eb_variance : Eb W b (fun l => norm2 d (sub (mean g l) mu)) = E W (fun w => norm2 d (sub (g w) mu)) / INR b.
  Proof.
    unfold norm2, sub. rewrite Eb_sum, E_sum, <- sum_div. apply sum_ext. intros. now apply Eb_variance_entry.
  Qed.
End Mean.

(* ---- 2. The same batch as one finite space. ---- *)

Definition pair_weight W V k := weight W (k / size V) * weight V (k mod size V).
Lemma pair_weight_at W V w v : (v < size V)%nat -> pair_weight W V (w * size V + v) = weight W w * weight V v.
Proof.
  intros Hv. unfold pair_weight. f_equal; f_equal.
  - rewrite Nat.div_add_l, Nat.div_small by lia. lia.
  - rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity.
Qed.
Lemma pair_sum W V X : sum (size W * size V) (fun k => pair_weight W V k * X k)
  = E W (fun w => E V (fun v => X (w * size V + v)%nat)).
Proof.
  rewrite sum_blocks. apply sum_ext. intros w _. unfold E. rewrite <- sum_scal.
  apply sum_ext. intros v Hv. rewrite pair_weight_at by assumption. ring.
Qed.
Lemma pair_pos W V k : (k < size W * size V)%nat -> 0 <= pair_weight W V k.
Proof.
  intros Hk. assert (H := size_pos V). apply Rmult_le_pos; apply weight_pos.
  - apply Nat.div_lt_upper_bound; lia.
  - apply Nat.mod_upper_bound. lia.
Qed.
Lemma pair_one W V : sum (size W * size V) (pair_weight W V) = 1.
Proof.
  rewrite (sum_ext _ _ (fun k => pair_weight W V k * 1)) by (intros; ring).
  rewrite (pair_sum W V (fun _ => 1)), E_const. apply E_const.
Qed.
(* Two independent draws: outcome w of the first and v of the second is w (size V) + v. *)
Definition pair_space W V :=
  {| size := size W * size V; weight := pair_weight W V; weight_pos := pair_pos W V; weight_one := pair_one W V |}.
Lemma E_pair W V X : E (pair_space W V) X = E W (fun w => E V (fun v => X (w * size V + v)%nat)).
Proof. exact (pair_sum W V X). Qed.

Fixpoint batches W b := match b with O => point | S c => pair_space W (batches W c) end.
Fixpoint drawn W b (k : nat) : list nat :=
  match b with O => nil | S c => cons (k / size (batches W c))%nat (drawn W c (k mod size (batches W c))) end.

Theorem E_batches W b X : E (batches W b) (fun k => X (drawn W b k)) = Eb W b X.
Proof.
  revert X. induction b as [|b IH]; intros X; cbn [batches Eb]; [apply E_point|].
  rewrite E_pair. apply E_ext. intros w _. rewrite <- IH. apply E_ext. intros v Hv. cbn [drawn].
  rewrite Nat.div_add_l, Nat.div_small by lia.
  rewrite (Nat.add_comm (w * _)), Nat.mod_add, Nat.mod_small by lia. now rewrite Nat.add_0_r.
Qed.
Lemma drawn_length W b k : length (drawn W b k) = b.
Proof. revert k. induction b as [|b IH]; intros k; cbn [drawn length]; [reflexivity|]. now rewrite IH. Qed.
Lemma drawn_inside W b k : (k < size (batches W b))%nat -> Forall (fun w => (w < size W)%nat) (drawn W b k).
Proof.
  revert k. induction b as [|b IH]; intros k Hk; cbn [drawn]; constructor; cbn [batches pair_space size] in Hk;
    assert (H := size_pos (batches W b)).
  - apply Nat.div_lt_upper_bound; lia.
  - apply IH, Nat.mod_upper_bound. lia.
Qed.

(* Over a batch of b samples (lem-batch-variance, with replacement, is the second of these). *)
Lemma batch_unbiased W d b g mu : (forall j, (j < d)%nat -> E W (fun w => g w j) = mu j) -> (1 <= b)%nat ->
  forall j, (j < d)%nat -> E (batches W b) (fun k => mean g (drawn W b k) j) = mu j.
Proof. intros Hmu Hb j Hj. rewrite (E_batches W b (fun l => mean g l j)). now apply (Eb_mean W d b g mu). Qed.
Lemma batch_variance W d b g mu : (forall j, (j < d)%nat -> E W (fun w => g w j) = mu j) -> (1 <= b)%nat ->
  E (batches W b) (fun k => norm2 d (sub (mean g (drawn W b k)) mu)) = E W (fun w => norm2 d (sub (g w) mu)) / INR b.
Proof. intros Hmu Hb. rewrite (E_batches W b (fun l => norm2 d (sub (mean g l) mu))). now apply Eb_variance. Qed.
Lemma batch_variance_entry W b (a : nat -> R) mu : E W a = mu -> (1 <= b)%nat ->
  E (batches W b) (fun k => (mean (fun w _ => a w) (drawn W b k) O - mu) ^ 2) = E W (fun w => (a w - mu) ^ 2) / INR b.
Proof.
  intros Hmu Hb. rewrite (E_batches W b (fun l => (mean (fun w _ => a w) l O - mu) ^ 2)).
  apply (Eb_variance_entry W 1 b (fun w _ => a w) (fun _ => mu) (fun _ _ => Hmu) Hb O). lia.
Qed.
