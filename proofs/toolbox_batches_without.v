(* Appendix A: the variance of a mini-batch mean without replacement (lem-batch-variance, the lower case).

   The page finds the mean product c of two different deviations from the case b = n. Here c comes from the square of
   their sum: all n deviations add up to 0, so 0 = n sigma^2 + n (n - 1) c. *)
Require Export toolbox_batches.
Open Scope R_scope.

Lemma average_ext A (X Y : A -> R) l : (forall p, In p l -> X p = Y p) -> average X l = average Y l.
Proof. intros H. unfold average. now rewrite (add_ext A X Y l H). Qed.
Lemma average_plus A (X Y : A -> R) l : average (fun p => X p + Y p) l = average X l + average Y l.
Proof. unfold average. rewrite add_plus. unfold Rdiv. ring. Qed.
Lemma average_scal A c (X : A -> R) l : average (fun p => c * X p) l = c * average X l.
Proof. unfold average. rewrite add_scal. unfold Rdiv. ring. Qed.
Lemma average_const A c (l : list A) : (1 <= length l)%nat -> average (fun _ => c) l = c.
Proof. intros H. unfold average. rewrite add_const. assert (H0 := INR_pos _ H). field. lra. Qed.
Lemma average_sum A d (X : A -> nat -> R) l :
  average (fun p => sum d (X p)) l = sum d (fun j => average (fun p => X p j) l).
Proof.
  unfold average. rewrite sum_div. f_equal. induction l as [|p l IH]; cbn [add].
  - symmetry. now apply sum_zeros.
  - now rewrite IH, sum_plus.
Qed.
Lemma some_way b left : (b <= length left)%nat -> (1 <= length (ways b left))%nat.
Proof. intros H. rewrite ways_count. now apply count_pos. Qed.

(* A quadratic function of what is picked, added over all picks. *)
Lemma add_quadratic a k0 k1 k2 left : add (fun p => k0 + k1 * a (fst p) + k2 * a (fst p) ^ 2) (picks left)
  = INR (length left) * k0 + k1 * total a left + k2 * total (fun w => a w ^ 2) left.
Proof.
  rewrite !add_plus, add_const, !add_scal, picks_length, picks_first, (picks_first (fun w => a w ^ 2)). ring.
Qed.

Section Numbers.
  Variable a : nat -> R.

  (* The mean of b of the n numbers, added. *)
  Lemma mean_total b left : (b <= length left)%nat ->
    average (total a) (ways b left) = INR b / INR (length left) * total a left.
  Proof.
    revert left. induction b as [|b IH]; intros left Hb.
    - unfold average. cbn. rewrite INR_zero. unfold Rdiv. ring.
    - rewrite average_first by assumption. destruct (length left) as [|m] eqn:Hn; [lia|].
      set (u := INR b / INR m).
      rewrite (add_ext _ _ (fun p => u * total a left + (1 - u) * a (fst p) + 0 * a (fst p) ^ 2)).
      + rewrite add_quadratic, Hn, !S_INR. assert (0 <= INR m) by apply pos_INR.
        assert (Hu : u * INR m = INR b).
        { unfold u. destruct m as [|m]; [replace b with O by lia; rewrite INR_zero; unfold Rdiv; ring|].
          rewrite S_INR. assert (0 <= INR m) by apply pos_INR. field. lra. }
        rewrite <- Hu. field. lra.
      + intros p Hp. destruct (picks_rest p left Hp) as (H1 & H2). rewrite Hn in H1. injection H1 as H1.
        rewrite (average_ext _ _ (fun l => a (fst p) + total a l)) by reflexivity.
        rewrite average_plus, average_const, IH, <- H1, (H2 a) by (try apply some_way; lia).
        unfold u. ring.
  Qed.

  (* c: the mean of a_j a_k over all pairs of different entries, which is (sum^2 - sum of the squares) / (n (n - 1)). *)
  Definition pair_mean left :=
    (total a left ^ 2 - total (fun w => a w ^ 2) left) / (INR (length left) * (INR (length left) - 1)).

  (* (1) b squares and b (b - 1) mixed products. *)
  Lemma step_1 b left : (b <= length left)%nat -> average (fun l => total a l ^ 2) (ways b left)
    = INR b * (total (fun w => a w ^ 2) left / INR (length left)) + INR b * (INR b - 1) * pair_mean left.
  Proof.
    unfold pair_mean. revert left. induction b as [|b IH]; intros left Hb.
    - unfold average. cbn. rewrite INR_zero. unfold Rdiv. ring.
    - rewrite average_first by assumption. destruct (length left) as [|m] eqn:Hn; [lia|].
      set (s := total a left). set (q := total (fun w => a w ^ 2) left).
      set (u := INR b / INR m). set (v := INR b * (INR b - 1) / (INR m * (INR m - 1))).
      rewrite (add_ext _ _ (fun p => u * q + v * (s ^ 2 - q) + (2 * u * s - 2 * v * s) * a (fst p)
        + (1 - 3 * u + 2 * v) * a (fst p) ^ 2)).
      + rewrite add_quadratic, Hn. fold s q.
        assert (H : u * INR m = INR b /\ v * (INR m - 1) = (INR b - 1) * u /\
          INR (S b) * (INR (S b) - 1) / (INR (S m) * (INR (S m) - 1)) = INR (S b) * u / INR (S m)).
        { unfold u, v. destruct m as [|[|m]].
          - replace b with O by lia. rewrite !S_INR, INR_zero. unfold Rdiv. repeat split; ring.
          - assert (b = 0 \/ b = 1)%nat as [-> | ->] by lia; rewrite !S_INR, INR_zero;
              (split; [field|split; [unfold Rdiv; ring|field]]).
          - rewrite !S_INR. assert (0 <= INR m) by apply pos_INR. repeat split; field; repeat split; lra. }
        destruct H as (Hu & Hv & Hw). unfold Rdiv at 2. rewrite <- Rmult_assoc.
        replace (INR (S b) * (INR (S b) - 1) * ((s ^ 2 - q) / (INR (S m) * (INR (S m) - 1))))
          with (INR (S b) * (INR (S b) - 1) / (INR (S m) * (INR (S m) - 1)) * (s ^ 2 - q)) by (unfold Rdiv; ring).
        rewrite Hw, !S_INR, <- Hu. assert (0 <= INR m) by apply pos_INR.
        transitivity ((q * (u * INR m + 1) + (s ^ 2 - q) * (2 * u + v * (INR m - 1))
          + 2 * q * (v * (INR m - 1) - v * (INR m - 1))) / (INR m + 1)); [field; lra|].
        rewrite Hv, <- Hu. field. lra.
      + intros p Hp. destruct (picks_rest p left Hp) as (H1 & H2). rewrite Hn in H1. injection H1 as H1.
        rewrite (average_ext _ _ (fun l => a (fst p) ^ 2 + (2 * a (fst p) * total a l + total a l ^ 2)))
          by (intros; cbn [total]; ring).
        rewrite !average_plus, average_const, average_scal, mean_total, IH by (try apply some_way; lia).
        rewrite <- H1. assert (Hs := H2 a). assert (Hq := H2 (fun w => a w ^ 2)). fold s in Hs. fold q in Hq.
        replace (total a (snd p)) with (s - a (fst p)) by lra.
        replace (total (fun w => a w ^ 2) (snd p)) with (q - a (fst p) ^ 2) by lra. unfold u, v, Rdiv. ring.
  Qed.

  (* (3) If all n numbers add up to 0, then 0 = n sigma^2 + n (n - 1) c, that is c = - sigma^2 / (n - 1). *)
  Lemma step_3 left : (2 <= length left)%nat -> total a left = 0 ->
    pair_mean left = - (total (fun w => a w ^ 2) left / INR (length left)) / (INR (length left) - 1).
  Proof.
    intros Hn H0. unfold pair_mean. rewrite H0.
    assert (2 <= INR (length left)) by (rewrite <- INR_two; now apply le_INR).
    field. lra.
  Qed.
End Numbers.

(* (4) Insert. *)
Lemma step_4 b n s2 : 1 <= b -> 2 <= n ->
  1 / b ^ 2 * (b * s2 + b * (b - 1) * (- s2 / (n - 1))) = s2 / b * ((n - b) / (n - 1)).
Proof. intros. field. lra. Qed.

Lemma total_seq a n : total a (seq 0 n) = sum n a.
Proof.
  assert (H : forall k l, total a (l ++ k :: nil) = total a l + a k)
    by (intros k l; induction l as [|w l IH]; cbn [total app]; [ring|rewrite IH; ring]).
  induction n as [|n IH]; [reflexivity|]. now rewrite seq_S, H, IH, sum_S.
Qed.

(* One entry of the vectors. *)
Lemma entry n b g j : (2 <= n)%nat -> (1 <= b <= n)%nat ->
  average (fun l => (mean g l j - center n g j) ^ 2) (ways b (seq 0 n))
  = sum n (fun k => (g k j - center n g j) ^ 2) / INR n / INR b * ((INR n - INR b) / (INR n - 1)).
Proof.
  intros Hn Hb. assert (Hn' : 2 <= INR n) by (rewrite <- INR_two; now apply le_INR).
  assert (Hb' : 1 <= INR b) by now apply INR_ge_1. set (a := fun k => g k j - center n g j).
  rewrite (average_ext _ _ (fun l => 1 / INR b ^ 2 * total a l ^ 2)).
  - assert (H0 : total a (seq 0 n) = 0).
    { rewrite total_seq. unfold a. rewrite sum_minus, sum_const. unfold center. field. lra. }
    rewrite average_scal, step_1, step_3, total_seq, length_of_seq by (rewrite ?length_of_seq; (assumption || lia)).
    now apply step_4.
  - intros l Hl. unfold a. rewrite total_shift. unfold mean. rewrite (ways_length b _ l Hl). field. lra.
Qed.
(* lem-batch-variance, without replacement (n >= 2, b <= n): (n - b) / (n - 1) of that. *)
Theorem lem_batch_variance_without n d b g : (2 <= n)%nat -> (1 <= b <= n)%nat ->
  average (fun l => norm2 d (sub (mean g l) (center n g))) (ways b (seq 0 n))
  = sigma2 n d g / INR b * ((INR n - INR b) / (INR n - 1)).
Proof.
  intros Hn Hb. unfold norm2, sub, sigma2. rewrite average_sum.
  rewrite (sum_ext d _ (fun j => sum n (fun k => (g k j - center n g j) ^ 2) / INR n / INR b
    * ((INR n - INR b) / (INR n - 1)))) by (intros; now apply entry).
  rewrite sum_scal_r, !sum_div, sum_swap. reflexivity.
Qed.

(* An instance: the vectors 3 and -1 on a line, so that sigma^2 = 4. A batch of two, drawn with replacement, has half of
   it; without replacement nothing is left. *)
Definition two_samples (k : nat) : vec := fun _ => match k with O => 3 | _ => -1 end.
Lemma two_samples_noise : sigma2 2 1 two_samples = 4.
Proof. unfold sigma2, center, norm2, sub, two_samples. rewrite !sum_S, !sum_O, INR_two. field. Qed.
Lemma lem_batch_variance_instance (H : (1 <= 2)%nat) : E (batches (uniform 2 H) 2)
  (fun k => norm2 1 (sub (mean two_samples (drawn (uniform 2 H) 2 k)) (center 2 two_samples))) = 2.
Proof. rewrite lem_batch_variance, two_samples_noise, INR_two by lia. field. Qed.
Lemma lem_batch_variance_without_instance :
  average (fun l => norm2 1 (sub (mean two_samples l) (center 2 two_samples))) (ways 2 (seq 0 2)) = 0.
Proof. rewrite lem_batch_variance_without, INR_two by lia. field. Qed.
