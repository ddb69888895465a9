(* The spectral theorem: every real symmetric matrix has an orthonormal basis of eigenvectors, in any dimension.

   The eigenvectors come one after the other. Those found are pushed below all others: q_1, ..., q_k become eigenvectors
   of A' for one very low eigenvalue - s, and nothing else changes. So the top eigenvector of A' (spectral_top.v) stands
   at a right angle to them. That there is room for a next one as long as k < d is counted: what is left of the d unit
   vectors, once their parts along q_1, ..., q_k are taken away, has squares that add up to d - k. *)
Require Export spectral_top.
Open Scope R_scope.

(* ---- 1. What is left of the unit vector b beside an orthonormal family. ---- *)

Definition rest (k : nat) (q : nat -> vec) (b : nat) : vec := fun a => delta b a - sum k (fun l => q l b * q l a).

Section Rest.
  Variables k d : nat.
  Variable q : nat -> vec.
  Hypothesis Hq : orthonormal k d q.

  Lemma rest_orthogonal b l : (b < d)%nat -> (l < k)%nat -> inner d (q l) (rest k q b) = 0.
  Proof.
    intros Hb Hl. unfold rest.
    rewrite (inner_sub d (q l) (delta b) (fun a => sum k (fun i => q i b * q i a)) : inner d (q l) (fun a => _) = _).
    rewrite inner_delta, (inner_combination d k (q l) (fun i => q i b) q) by assumption.
    rewrite (sum_ext k _ (fun i => q i b * delta l i)) by (intros i Hi; now rewrite (Hq l i)).
    rewrite (sum_delta k (fun i => q i b)) by assumption. ring.
  Qed.
  Lemma rest_square b : (b < d)%nat -> norm2 d (rest k q b) = 1 - sum k (fun l => q l b ^ 2).
  Proof.
    intros Hb. rewrite <- inner_self. unfold rest at 2.
    rewrite (inner_sub d _ (delta b) (fun a => sum k (fun i => q i b * q i a)) : inner d _ (fun a => _) = _).
    rewrite inner_delta, (inner_combination d k _ (fun i => q i b) q) by assumption.
    rewrite (sum_zeros k (fun l => q l b * _)).
    - unfold rest. rewrite delta_self, Rminus_0_r. f_equal. apply sum_ext. intros. ring.
    - intros l Hl. rewrite inner_sym, rest_orthogonal by assumption. ring.
  Qed.
  Lemma rest_count : sum d (fun b => norm2 d (rest k q b)) = INR d - INR k.
  Proof.
    rewrite (sum_ext d _ (fun b => 1 - sum k (fun l => q l b ^ 2))) by (intros; now apply rest_square).
    rewrite (sum_minus d (fun _ => 1)), sum_const, sum_swap.
    rewrite (sum_ext k _ (fun _ => 1)) by exact (fun l Hl => norm2_orthonormal k d q l Hq Hl). rewrite sum_const. ring.
  Qed.
  (* Fewer than d leave something of a unit vector. *)
  Lemma room : (k < d)%nat -> exists b, (b < d)%nat /\ 0 < norm2 d (rest k q b).
  Proof.
    intros Hk. destruct (below_mean d (fun b => - norm2 d (rest k q b))) as (b & Hb & H); [lia|].
    exists b. split; [assumption|]. rewrite sum_opp, rest_count in H.
    assert (H1 : 0 < (INR d - INR k) / INR d).
    { apply Rdiv_lt_0_compat; [|apply INR_pos; lia]. assert (INR k < INR d) by now apply lt_INR. lra. }
    replace (- (INR d - INR k) / INR d) with (- ((INR d - INR k) / INR d)) in H by (unfold Rdiv; ring). lra.
  Qed.
End Rest.

(* d orthonormal vectors leave nothing: they are a basis. *)
Lemma full_family d q : orthonormal d d q -> basis d q.
Proof.
  intros Hq. split; [assumption|]. intros x a Ha.
  assert (Hz : forall b, (b < d)%nat -> rest d q b a = 0).
  { intros b Hb. refine (norm2_zero d _ _ a Ha).
    refine (sum_zero d (fun b => norm2 d (rest d q b)) (fun i _ => norm2_pos d _) _ b Hb).
    rewrite (rest_count d d q Hq). ring. }
  rewrite <- (sum_delta d x a Ha), (sum_ext d _ (fun b => sum d (fun l => q l a * (q l b * x b)))).
  - rewrite sum_swap. apply sum_ext. intros l _. rewrite sum_scal. unfold inner. ring.
  - intros b Hb. specialize (Hz b Hb). unfold rest in Hz. rewrite delta_sym.
    replace (delta b a) with (sum d (fun l => q l b * q l a)) by lra.
    rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

(* ---- 2. Push the known eigenvectors down. ---- *)

Section Pushed.
  Variables k d : nat.
  Variable A : mat.
  Variable q : nat -> vec.
  Variable lam : nat -> R.
  Hypothesis HA : symmetric d A.
  Hypothesis Hq : orthonormal k d q.
  Hypothesis He : forall l a, (l < k)%nat -> (a < d)%nat -> times d A (q l) a = lam l * q l a.

  Definition depth := frobenius d A + 1.
  Definition pushed : mat := fun a c => A a c - sum k (fun l => (lam l + depth) * q l a * q l c).

  Lemma pushed_symmetric : symmetric d pushed.
  Proof. intros i j Hi Hj. unfold pushed. rewrite (HA i j) by assumption. f_equal. apply sum_ext. intros. ring. Qed.
  Lemma times_pushed x a :
    times d pushed x a = times d A x a - sum k (fun l => (lam l + depth) * q l a * inner d x (q l)).
  Proof.
    unfold times. rewrite !(inner_sym d _ x). unfold pushed.
    rewrite (inner_sub d x (A a) (fun c => sum k (fun l => (lam l + depth) * q l a * q l c))
      : inner d x (fun c => _) = _).
    now rewrite (inner_combination d k x (fun l => (lam l + depth) * q l a) q).
  Qed.
  (* Beside the family nothing changes; on it every eigenvalue is now - depth. *)
  Lemma pushed_beside x a : (forall l, (l < k)%nat -> inner d (q l) x = 0) -> times d pushed x a = times d A x a.
  Proof.
    intros H. rewrite times_pushed, sum_zeros; [ring|]. intros l Hl. rewrite inner_sym, H by assumption. ring.
  Qed.
  Lemma pushed_on l a : (l < k)%nat -> (a < d)%nat -> times d pushed (q l) a = - depth * q l a.
  Proof.
    intros Hl Ha. rewrite times_pushed, He by assumption.
    rewrite (sum_ext k _ (fun i => (lam i + depth) * q i a * delta l i)) by (intros i Hi; now rewrite (Hq l i)).
    rewrite (sum_delta k (fun i => (lam i + depth) * q i a)) by assumption. ring.
  Qed.

  (* The next eigenvector. *)
  Lemma next_eigenvector : (k < d)%nat -> exists mu x, norm2 d x = 1 /\
    (forall l, (l < k)%nat -> inner d (q l) x = 0) /\ forall a, (a < d)%nat -> times d A x a = mu * x a.
  Proof.
    intros Hk. destruct (top_eigenvalue d pushed) as (mu & (y & Hy & Hmu) & Htop); [lia|apply pushed_symmetric|].
    assert (Hms : - depth < mu).
    { destruct (room k d q Hq Hk) as (b & Hb & Hr). set (r := rest k q b) in *. specialize (Htop r).
      replace (quad d pushed r) with (quad d A r) in Htop.
      - assert (HB := quad_bound d A r). assert (HR := Rle_abs (- quad d A r)). rewrite Rabs_Ropp in HR.
        apply Rmult_lt_reg_r with (norm2 d r); [assumption|]. unfold depth. lra.
      - apply inner_ext_r. intros a _. symmetry. apply pushed_beside.
        intros l Hl. now apply rest_orthogonal with (k := k). }
    assert (Horth : forall l, (l < k)%nat -> inner d (q l) y = 0).
    { intros l Hl. assert (M := move d pushed (q l) y pushed_symmetric).
      rewrite (inner_ext_r d _ _ _ Hmu), inner_scal in M.
      assert (P : inner d (times d pushed (q l)) y = - depth * inner d (q l) y).
      { rewrite inner_sym, (inner_ext_r d y (times d pushed (q l)) (fun a => - depth * q l a))
          by (intros; now apply pushed_on).
        now rewrite inner_scal, inner_sym. }
      rewrite P in M. apply (Rmult_eq_reg_l (mu + depth)); lra. }
    set (N := norm d y). assert (HN : 0 < N) by (apply sqrt_lt_R0; assumption). exists mu, (fun a => / N * y a).
    split; [|split].
    - rewrite norm2_scal, <- norm_squared. fold N. field. lra.
    - intros l Hl. rewrite inner_scal, Horth by assumption. ring.
    - intros a Ha. rewrite times_scal, <- (pushed_beside y a Horth), Hmu by assumption. ring.
  Qed.
End Pushed.

(* ---- 3. All of them. ---- *)

Lemma family d A k : symmetric d A -> (k <= d)%nat -> exists q lam, orthonormal k d q /\
  forall l a, (l < k)%nat -> (a < d)%nat -> times d A (q l) a = lam l * q l a.
Proof.
  intros HA. induction k as [|k IH]; intros Hk.
  - exists (fun _ _ => 0), (fun _ => 0). split; intros i; intros; lia.
  - destruct IH as (q & lam & Hq & He); [lia|].
    destruct (next_eigenvector k d A q lam HA Hq He) as (mu & x & Hx & Horth & Hmu); [lia|].
    exists (fun l => if Nat.eqb l k then x else q l), (fun l => if Nat.eqb l k then mu else lam l). split.
    + intros i j Hi Hj. destruct (Nat.eqb_spec i k) as [->|Hik]; destruct (Nat.eqb_spec j k) as [->|Hjk].
      * now rewrite inner_self, delta_self.
      * rewrite inner_sym, Horth, delta_other by lia. reflexivity.
      * rewrite Horth, delta_other by lia. reflexivity.
      * apply Hq; lia.
    + intros l a Hl Ha. destruct (Nat.eqb_spec l k) as [->|Hlk]; [now apply Hmu|apply He; [lia|assumption]].
Qed.

(* The entries of A count for rows and columns below d only. *)
Theorem spectral_theorem d A : symmetric d A -> exists q lam, eigenbasis d A q lam.
Proof.
  intros HA. destruct (family d A d HA (le_n d)) as (q & lam & Hq & He).
  exists q, lam. split; [now apply full_family|assumption].
Qed.
