(* Muon's step (prp-norms-spectral): every matrix has a step of spectral norm at most 1 with the largest inner product,
   and that is the sum of its singular values. Nothing is assumed: the singular vectors come from the spectral
   theorem. *)
Require Export spectral_theorem.
Open Scope R_scope.

(* The inner product of two n by m matrices; the spectral norm of O is at most c. *)
Definition pair n m (A B : mat) := sum n (fun i => inner m (A i) (B i)).
Definition stretches n m (O : mat) (c : R) :=
  forall a b, Rabs (sum n (fun i => a i * inner m (O i) b)) <= c * norm n a * norm m b.

(* Vectors at right angles to each other, each of length 1 or 0, have squared coordinates that add up to no more than
   the square of the whole (Bessel). *)
Lemma bessel n k (u : nat -> vec) (a : vec) :
  (forall i j, (i < k)%nat -> (j < k)%nat -> i <> j -> inner n (u i) (u j) = 0) ->
  (forall j, (j < k)%nat -> norm2 n (u j) = 1 \/ forall i, (i < n)%nat -> u j i = 0) ->
  sum k (fun j => inner n (u j) a ^ 2) <= norm2 n a.
Proof.
  intros Hang Hlen. set (c := fun j => inner n (u j) a). set (p := fun i => sum k (fun j => c j * u j i)).
  assert (Hc : inner n a p = sum k (fun j => c j ^ 2)).
  { unfold p. rewrite inner_combination. apply sum_ext. intros. rewrite (inner_sym n a). unfold c. ring. }
  assert (Hp : norm2 n p = sum k (fun j => c j ^ 2)).
  { rewrite <- inner_self. unfold p at 2. rewrite inner_combination. apply sum_ext. intros j Hj.
    rewrite inner_sym. unfold p. rewrite inner_combination.
    rewrite (sum_ext k _ (fun l => (c l * norm2 n (u j)) * delta j l)).
    - rewrite (sum_delta k (fun l => c l * norm2 n (u j)) j Hj). destruct (Hlen j Hj) as [H|H]; [rewrite H; ring|].
      assert (Hz : c j = 0) by (apply sum_zeros; intros i Hi; rewrite H by assumption; ring). rewrite Hz. ring.
    - intros l Hl. destruct (Nat.eq_dec j l) as [<-|Hne].
      + rewrite delta_self, inner_self. ring.
      + rewrite (delta_other j l Hne), (Hang j l Hj Hl Hne). ring. }
  assert (H := norm2_pos n (sub a p)). rewrite norm2_sub, Hc, Hp in H.
  change (sum k (fun j => c j ^ 2) <= norm2 n a). lra.
Qed.

Section Spectral.
  Variables n m : nat.
  Variable G : mat.
  Definition gram : mat := fun j k => sum n (fun i => G i j * G i k).
  Lemma gram_symmetric : symmetric m gram.
  Proof. intros j k _ _. apply sum_ext. intros. ring. Qed.

  Section Basis.
    Variable q : nat -> vec.
    Variable lam : nat -> R.
    Hypothesis Hq : eigenbasis m gram q lam.

    (* G q_j, its length, the singular value; the left singular vector, 0 where the singular value is; and the step. *)
    Definition w j : vec := fun i => inner m (G i) (q j).
    Definition s j := norm n (w j).
    Definition u j : vec := fun i => / s j * w j i.
    Definition step : mat := fun i k => sum m (fun j => u j i * q j k).

    Lemma w_angles j l : (j < m)%nat -> (l < m)%nat -> j <> l -> inner n (w j) (w l) = 0.
    Proof.
      intros Hj Hl Hne. assert (Hw : inner n (w j) (w l) = inner m (q j) (spectral.times m gram (q l))).
      { transitivity (sum n (fun i => sum m (fun a => q j a * (G i a * inner m (G i) (q l))))).
        - apply sum_ext. intros i Hi. unfold w.
          change (inner m (G i) (q j)) with (sum m (fun a => G i a * q j a)). rewrite <- sum_scal_r.
          apply sum_ext. intros. ring.
        - rewrite sum_swap. unfold inner at 2. apply sum_ext. intros a Ha. rewrite sum_scal. f_equal.
          unfold inner. rewrite (sum_ext n _ (fun i => sum m (fun k => G i a * G i k * q l k)))
            by (intros; rewrite <- sum_scal; apply sum_ext; intros; ring).
          rewrite sum_swap. apply sum_ext. intros k Hk. unfold gram. rewrite <- sum_scal_r. reflexivity. }
      rewrite Hw, (coordinate m gram q lam j (q l) gram_symmetric Hq Hj), (proj1 (proj1 Hq) j l Hj Hl).
      rewrite (delta_other j l Hne). ring.
    Qed.
    Lemma u_bessel a : sum m (fun j => inner n (u j) a ^ 2) <= norm2 n a.
    Proof.
      apply bessel.
      - intros i j Hi Hj Hne. unfold u. rewrite inner_scal, inner_sym, inner_scal, inner_sym, w_angles by assumption.
        ring.
      - intros j Hj. assert (H := norm_pos n (w j)). fold (s j) in H. destruct H as [H|H].
        + left. unfold u. rewrite norm2_scal, <- norm_squared. fold (s j). field. lra.
        + right. intros i Hi. unfold u. rewrite (norm_zero n (w j) (eq_sym H) i Hi). ring.
    Qed.

    (* (1) An inner product with G is a sum over the singular vectors. *)
    Lemma step_1 B : pair n m G B = sum m (fun j => sum n (fun i => w j i * inner m (B i) (q j))).
    Proof.
      rewrite <- sum_swap. apply sum_ext. intros i _. rewrite (parseval_inner m q (G i) (B i) (proj1 Hq)).
      apply sum_ext. intros j _. unfold w. now rewrite (inner_sym m (q j) (G i)), (inner_sym m (q j) (B i)).
    Qed.
    (* (2) No step of spectral norm c gets more than c times the singular values, *)
    Lemma step_2 B c : 0 <= c -> stretches n m B c -> pair n m G B <= c * sum m s.
    Proof.
      intros Hc HB. rewrite step_1, <- sum_scal. apply sum_le. intros j Hj.
      eapply Rle_trans; [apply Rle_abs|]. eapply Rle_trans; [apply HB|]. fold (s j).
      assert (H1 : norm m (q j) = 1)
        by (unfold norm; rewrite (norm2_orthonormal m m q j (proj1 (proj1 Hq)) Hj); apply sqrt_1).
      rewrite H1. lra.
    Qed.
    Lemma step_coordinate i l : (l < m)%nat -> inner m (step i) (q l) = u l i.
    Proof.
      intros Hl. rewrite inner_sym. unfold step. rewrite inner_combination.
      rewrite (sum_ext m _ (fun j => u j i * delta l j)) by (intros j Hj; now rewrite (proj1 (proj1 Hq) l j Hl Hj)).
      exact (sum_delta m (fun j => u j i) l Hl).
    Qed.
    (* (3) and U V^T gets them all, *)
    Lemma step_3 : pair n m G step = sum m s.
    Proof.
      rewrite step_1. apply sum_ext. intros j Hj.
      rewrite (sum_ext n _ (fun i => / s j * (w j i ^ 2)))
        by (intros; rewrite step_coordinate by assumption; unfold u; ring).
      rewrite sum_scal. change (sum n (fun i => w j i ^ 2)) with (norm2 n (w j)). rewrite <- norm_squared. fold (s j).
      assert (H := norm_pos n (w j)). fold (s j) in H. destruct H as [H|H]; [field; lra|rewrite <- H; ring].
    Qed.
    (* (4) and has a spectral norm of at most 1. *)
    Lemma step_4 : stretches n m step 1.
    Proof.
      intros a b. rewrite Rmult_1_l.
      replace (sum n (fun i => a i * inner m (step i) b))
        with (inner m (fun j => inner n (u j) a) (fun j => inner m (q j) b)).
      - eapply Rle_trans; [apply cauchy_schwarz|]. apply Rmult_le_compat; try apply norm_pos.
        + apply sqrt_le_1_alt. exact (u_bessel a).
        + apply Req_le. unfold norm. f_equal. symmetry. exact (parseval m q b (proj1 Hq)).
      - unfold inner at 1. rewrite (sum_ext n _ (fun i => sum m (fun j => a i * (u j i * inner m (q j) b)))).
        + rewrite sum_swap. apply sum_ext. intros j Hj. unfold inner at 1. rewrite <- sum_scal_r.
          apply sum_ext. intros. ring.
        + intros i Hi. rewrite (sum_scal m (a i)). f_equal. rewrite (inner_sym m (step i)). unfold step.
          rewrite inner_combination. apply sum_ext. intros j Hj. now rewrite (inner_sym m b).
    Qed.
  End Basis.

  (* prp-norms-spectral. Among all steps of spectral norm at most 1 one has the largest inner product with G, and S, the
     sum of the singular values, is its size. *)
  Theorem prp_norms_spectral : exists (O : mat) (S : R), stretches n m O 1 /\ pair n m G O = S /\
    forall B c, 0 <= c -> stretches n m B c -> pair n m G B <= c * S.
  Proof.
    destruct (spectral_theorem m gram gram_symmetric) as (q & lam & Hq).
    exists (step q), (sum m (s q)). split; [exact (step_4 q lam Hq)|split; [exact (step_3 q lam Hq)|]].
    intros B c. apply (step_2 q lam Hq).
  Qed.
End Spectral.
(* An instance: the matrix (3 0; 0 -4) and the step (1 0; 0 -1), whose inner product is 7. *)
Definition G34 : mat := fun i j => if Nat.eqb i j then match i with O => 3 | _ => -4 end else 0.
Definition O34 : mat := fun i j => if Nat.eqb i j then match i with O => 1 | _ => -1 end else 0.
Lemma prp_norms_spectral_instance : pair 2 2 G34 O34 = 7 /\ exists (O : mat) (S : R),
  stretches 2 2 O 1 /\ pair 2 2 G34 O = S /\ 7 <= S.
Proof.
  assert (H7 : pair 2 2 G34 O34 = 7).
  { unfold pair, inner, G34, O34. rewrite !sum_S, !sum_O. cbn [Nat.eqb]. ring. }
  split; [exact H7|]. destruct (prp_norms_spectral 2 2 G34) as (O & S & H1 & H2 & H3). exists O, S.
  split; [exact H1|]. split; [exact H2|]. rewrite <- H7, <- (Rmult_1_l S). apply H3; [lra|]. intros a b.
  assert (H := cauchy_schwarz 2 a (fun j => match j with 0%nat => b 0%nat | _ => - b 1%nat end)).
  replace (norm 2 (fun j => match j with 0%nat => b 0%nat | _ => - b 1%nat end)) with (norm 2 b) in H.
  - rewrite Rmult_1_l. replace (sum 2 _) with (inner 2 a (fun j => match j with 0%nat => b 0%nat | _ => - b 1%nat end));
      [exact H|]. unfold inner. rewrite !sum_S, !sum_O. unfold O34. cbn [Nat.eqb]. ring.
  - unfold norm, norm2. f_equal. rewrite !sum_S, !sum_O. ring.
Qed.
