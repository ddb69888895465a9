(* The landscape: steps (1) to (3) of Shampoo's theorem, in coordinates in which one factor is diagonal.

   A matrix of rank at most r is a sum of r products of a column and a row; Gram and Schmidt make the rows orthonormal,
   which is all that the page's singular values are needed for. *)
Require Export landscape_between spectral.
Open Scope R_scope.

Lemma sum_times n m x y : sum n x * sum m y = total n m (fun i j => x i * y j).
Proof. unfold total. rewrite <- sum_scal_r. apply sum_ext. intros i _. now rewrite sum_scal. Qed.
Lemma sum_squared n x : sum n x ^ 2 = total n n (fun i j => x i * x j).
Proof. rewrite <- sum_times. ring. Qed.
Lemma total_swap n m k l X : total n m (fun a b => total k l (fun i j => X a b i j))
  = total k l (fun i j => total n m (fun a b => X a b i j)).
Proof.
  unfold total. rewrite (sum_ext n _ (fun a => sum k (fun i => sum m (fun b => sum l (fun j => X a b i j)))))
    by (intros; apply sum_swap).
  rewrite sum_swap. apply sum_ext. intros i _.
  rewrite (sum_ext n _ (fun a => sum l (fun j => sum m (fun b => X a b i j)))) by (intros; apply sum_swap).
  apply sum_swap.
Qed.
Lemma total_flip n m X : total n m X = total m n (fun j i => X i j).
Proof. apply sum_swap. Qed.

(* Pythagoras: the square of a combination of orthonormal vectors. *)
Lemma pythagoras k n q c : orthonormal k n q -> norm2 n (fun a => sum k (fun i => c i * q i a)) = norm2 k c.
Proof.
  intros H. unfold norm2. rewrite (sum_ext n _ (fun a => total k k (fun i j => c i * c j * (q i a * q j a)))).
  - unfold total. rewrite sum_swap. apply sum_ext. intros i Hi. rewrite sum_swap.
    transitivity (sum k (fun j => c i * c j * delta i j)).
    + apply sum_ext. intros j Hj. rewrite sum_scal. f_equal. now apply H.
    + rewrite sum_delta by assumption. ring.
  - intros a _. rewrite sum_squared. apply total_ext. intros. ring.
Qed.

Definition rank_at_most n m r (G : mat) := exists x y : nat -> vec,
  forall a b, (a < n)%nat -> (b < m)%nat -> G a b = sum r (fun i => x i a * y i b).
Lemma rank_flip n m r G : rank_at_most n m r G -> rank_at_most m n r (fun b a => G a b).
Proof.
  intros (x & y & H). exists y, x. intros b a Hb Ha. rewrite H by assumption. apply sum_ext. intros. ring.
Qed.

(* Gram and Schmidt: r vectors are combinations of at most r orthonormal ones. *)
Lemma gram_schmidt m r (y : nat -> vec) : exists k (v : nat -> vec) c, (k <= r)%nat /\ orthonormal k m v /\
  forall i b, (i < r)%nat -> (b < m)%nat -> y i b = sum k (fun l => c i l * v l b).
Proof.
  induction r as [|r (k & v & c & Hk & Hv & Hc)].
  - exists O, y, y. split; [lia|]. split; intros i; intros; lia.
  - set (e := fun b => y r b - sum k (fun l => inner m (v l) (y r) * v l b)).
    assert (He : forall l, (l < k)%nat -> inner m (v l) e = 0).
    { intros l Hl. unfold e. change (fun b => y r b - sum k (fun l => inner m (v l) (y r) * v l b))
        with (sub (y r) (fun b => sum k (fun l => inner m (v l) (y r) * v l b))).
      rewrite inner_sub, inner_combination.
      rewrite (sum_ext k _ (fun l' => inner m (v l') (y r) * delta l l')) by (intros; f_equal; now apply Hv).
      rewrite sum_delta by assumption. ring. }
    destruct (Req_dec (norm m e) 0) as [Hz|Hnz].
    + exists k, v, (fun i l => if Nat.eq_dec i r then inner m (v l) (y r) else c i l).
      split; [lia|]. split; [assumption|]. intros i b Hi Hb.
      destruct (Nat.eq_dec i r) as [->|Hne]; [|apply Hc; [lia|assumption]].
      assert (Hzb := norm_zero m e Hz b Hb). unfold e in Hzb. lra.
    + set (unit_e := fun b => / norm m e * e b).
      exists (S k), (fun l => if Nat.eq_dec l k then unit_e else v l),
        (fun i l => if Nat.eq_dec i r then (if Nat.eq_dec l k then norm m e else inner m (v l) (y r))
                    else if Nat.eq_dec l k then 0 else c i l).
      assert (Hve : forall l, (l < k)%nat -> inner m (v l) unit_e = 0)
        by (intros l Hl; unfold unit_e; rewrite inner_scal, He by assumption; ring).
      split; [lia|]. split.
      * intros i j Hi Hj. destruct (Nat.eq_dec i k) as [->|Hik]; destruct (Nat.eq_dec j k) as [->|Hjk].
        -- rewrite delta_self, inner_self. unfold unit_e. rewrite norm2_scal, <- norm_squared. field. assumption.
        -- rewrite delta_other by congruence. rewrite inner_sym. apply Hve. lia.
        -- rewrite delta_other by congruence. apply Hve. lia.
        -- apply Hv; lia.
      * intros i b Hi Hb. rewrite sum_S. destruct (Nat.eq_dec k k) as [_|]; [|congruence].
        destruct (Nat.eq_dec i r) as [->|Hne].
        -- rewrite (sum_ext k _ (fun l => inner m (v l) (y r) * v l b))
             by (intros l Hl; destruct (Nat.eq_dec l k); [lia|reflexivity]).
           unfold unit_e, e. field. assumption.
        -- rewrite (sum_ext k _ (fun l => c i l * v l b))
             by (intros l Hl; destruct (Nat.eq_dec l k); [lia|reflexivity]).
           rewrite <- Hc by (assumption || lia). ring.
Qed.

(* (1) One gradient, and (2) one of its two sides: <G, x>^2 <= r |x' G|^2. *)
Section One_gradient.
  Variables n m r k : nat.
  Variables G x : mat.
  Variables u v : nat -> vec.               (* G is the sum of k <= r products of a column u_i and a row v_i *)
  Hypothesis few : (k <= r)%nat.
  Hypothesis rows : orthonormal k m v.
  Hypothesis G_is : forall a b, (a < n)%nat -> (b < m)%nat -> G a b = sum k (fun i => u i a * v i b).
  Definition w i : vec := fun j => sum n (fun a => x a j * u i a).

  Lemma inner_G : total n m (fun i j => G i j * x i j) = inner k (fun _ => 1) (fun i => inner m (v i) (w i)).
  Proof.
    transitivity (total n m (fun a b => sum k (fun i => u i a * v i b * x a b))).
    { apply total_ext. intros a b Ha Hb. now rewrite G_is, sum_scal_r. }
    unfold total, inner. rewrite (sum_ext n _ (fun a => sum k (fun i => sum m (fun b => u i a * v i b * x a b))))
      by (intros; apply sum_swap).
    rewrite sum_swap. apply sum_ext. intros i _. rewrite sum_swap, Rmult_1_l. apply sum_ext. intros b _.
    unfold w. rewrite <- sum_scal. apply sum_ext. intros. ring.
  Qed.
  Lemma square_G : total m m (fun j l => sum n (fun i => x i j * G i l) ^ 2) = sum k (fun i => norm2 m (w i)).
  Proof.
    transitivity (sum m (fun j => norm2 m (fun l => sum k (fun i => w i j * v i l)))).
    - apply sum_ext. intros j _. apply sum_ext. intros l Hl. f_equal.
      rewrite (sum_ext n _ (fun a => sum k (fun i => x a j * (u i a * v i l))))
        by (intros; rewrite G_is by assumption; now rewrite sum_scal).
      rewrite sum_swap. apply sum_ext. intros i _. unfold w. rewrite <- sum_scal_r. apply sum_ext. intros. ring.
    - rewrite (sum_ext m _ (fun j => sum k (fun i => w i j ^ 2))) by (intros; now apply pythagoras). apply sum_swap.
  Qed.
  Lemma step_1 : total n m (fun i j => G i j * x i j) ^ 2
    <= INR r * total m m (fun j l => sum n (fun i => x i j * G i l) ^ 2).
  Proof.
    rewrite inner_G, square_G. eapply Rle_trans; [apply inner_squared|].
    assert (H1 : norm2 k (fun _ => 1) <= INR r).
    { unfold norm2. rewrite sum_const. assert (INR k <= INR r) by now apply le_INR. lra. }
    assert (H2 : norm2 k (fun i => inner m (v i) (w i)) <= sum k (fun i => norm2 m (w i))).
    { apply sum_le. intros i Hi. eapply Rle_trans; [apply inner_squared|].
      rewrite (norm2_orthonormal k m v i rows Hi). lra. }
    apply Rmult_le_compat; [apply norm2_pos|apply norm2_pos|exact H1|exact H2].
  Qed.
End One_gradient.
Lemma one_side n m r G x : rank_at_most n m r G ->
  total n m (fun i j => G i j * x i j) ^ 2 <= INR r * total m m (fun j l => sum n (fun i => x i j * G i l) ^ 2).
Proof.
  intros (x0 & y0 & H0). destruct (gram_schmidt m r y0) as (k & v & c & Hk & Hv & Hc).
  apply (step_1 n m r k G x (fun l a => sum r (fun i => x0 i a * c i l)) v Hk Hv). intros a b Ha Hb.
  rewrite H0 by assumption. rewrite (sum_ext r _ (fun i => sum k (fun l => x0 i a * c i l * v l b))).
  - rewrite sum_swap. apply sum_ext. intros l _. apply sum_scal_r.
  - intros i Hi. rewrite (Hc i b Hi Hb), <- sum_scal. apply sum_ext. intros. ring.
Qed.

(* (3) Sum over the gradients, in coordinates in which L is diagonal. *)
Section Side.
  Variables n m r T : nat.
  Variable eps : R.
  Variable G : nat -> mat.
  Variable lam : nat -> R.
  Hypothesis ranks : forall t, (t < T)%nat -> rank_at_most n m r (G t).
  Hypothesis some : (1 <= r)%nat.
  Hypothesis L_diagonal : forall i k, (i < n)%nat -> (k < n)%nat ->
    eps * delta i k + sum T (fun t => sum m (fun l => G t i l * G t k l)) = lam i * delta i k.
  Lemma sides_square x : sum T (fun t => total m m (fun j l => sum n (fun i => x i j * G t i l) ^ 2))
    = sum m (fun j => total n n (fun i k => x i j * x k j * sum T (fun t => sum m (fun l => G t i l * G t k l)))).
  Proof.
    unfold total at 1. rewrite sum_swap. apply sum_ext. intros j _.
    transitivity (total T m (fun t l => total n n (fun i k => x i j * x k j * (G t i l * G t k l)))).
    - apply sum_ext. intros t _. apply sum_ext. intros l _. rewrite sum_squared. apply total_ext. intros. ring.
    - rewrite total_swap. apply total_ext. intros. now rewrite total_scal.
  Qed.
  Lemma step_3 x : eps * total n m (fun i j => x i j ^ 2)
    + / INR r * sum T (fun t => total n m (fun i j => G t i j * x i j) ^ 2) <= total n m (fun i j => lam i * x i j ^ 2).
  Proof.
    assert (Hr := INR_pos r some).
    apply Rle_trans with (eps * total n m (fun i j => x i j ^ 2)
      + sum T (fun t => total m m (fun j l => sum n (fun i => x i j * G t i l) ^ 2))).
    { apply Rplus_le_compat_l. rewrite <- sum_scal. apply sum_le. intros t Ht.
      assert (H := one_side n m r (G t) x (ranks t Ht)). apply Rmult_le_reg_l with (INR r); [assumption|].
      rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact H. }
    apply Req_le. rewrite sides_square, (total_flip n m), (total_flip n m (fun i j => lam i * x i j ^ 2)).
    unfold total at 1 3. rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros j _.
    rewrite <- sum_scal. unfold total. rewrite <- sum_plus. apply sum_ext. intros i Hi.
    rewrite (sum_ext n (fun k => x i j * x k j * _) (fun k => x i j * x k j * (lam i - eps) * delta i k)).
    - rewrite sum_delta by assumption. ring.
    - intros k Hk. replace (sum T _) with (lam i * delta i k - eps * delta i k)
        by (rewrite <- (L_diagonal i k Hi Hk); ring). ring.
  Qed.
End Side.
