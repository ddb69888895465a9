(* The matrix of heavy ball on a quadratic, and its eigenvalues: step (2) of thm-momentum-spectrum.

   The matrix has 2d rows, and its eigenvalues may be complex: a + ib with an eigenvector re + i im, two real vectors.
   No determinant is needed: what is compared is which numbers are eigenvalues. Their multiplicities are in the last
   lemma, by which the matrix falls into d blocks of two rows. *)
Require Export momentum_quadratic.
Open Scope R_scope.

(* One step of heavy ball multiplies (x_t - xs, x_(t-1) - xs), 2d numbers, by this matrix. *)
Definition ball_matrix d (H : mat) (lr beta : R) : mat := fun i j =>
  if Nat.ltb i d then if Nat.ltb j d then (1 + beta) * delta i j - lr * H i j else - beta * delta i (j - d)
  else if Nat.ltb j d then delta (i - d) j else 0.
Definition stacked d (u v : vec) : vec := fun i => if Nat.ltb i d then u i else v (i - d)%nat.

(* a + ib is an eigenvalue of the matrix A of n rows: A (re + i im) = (a + ib) (re + i im), not both zero. *)
Definition complex_eigenvalue n (A : mat) (a b : R) := exists re im : vec, 0 < norm2 n re + norm2 n im /\
  forall i, (i < n)%nat -> times n A re i = a * re i - b * im i /\ times n A im i = a * im i + b * re i.

Section Matrix.
  Variable d : nat.
  Variable H : mat.
  Variables lr beta : R.

  Lemma top_half z i : (i < d)%nat -> times (d + d) (ball_matrix d H lr beta) z i
    = (1 + beta) * z i - lr * times d H z i - beta * z (d + i)%nat.
  Proof.
    intros Hi. unfold times at 1, inner. rewrite sum_app.
    rewrite (sum_ext d (fun j => _ i (d + j)%nat * _) (fun j => - beta * (z (d + j)%nat * delta i j))).
    - rewrite sum_scal, (sum_delta d (fun j => z (d + j)%nat)) by assumption.
      rewrite (sum_ext d _ (fun j => (1 + beta) * (z j * delta i j) - lr * (H i j * z j))).
      + rewrite sum_minus, !sum_scal, sum_delta by assumption. unfold times, inner. ring.
      + intros j Hj. unfold ball_matrix. rewrite (proj2 (Nat.ltb_lt i d)), (proj2 (Nat.ltb_lt j d)) by lia. ring.
    - intros j Hj. unfold ball_matrix. rewrite (proj2 (Nat.ltb_lt i d)), (proj2 (Nat.ltb_ge (d + j) d)) by lia.
      replace (d + j - d)%nat with j by lia. ring.
  Qed.
  Lemma bottom_half z i : (i < d)%nat -> times (d + d) (ball_matrix d H lr beta) z (d + i)%nat = z i.
  Proof.
    intros Hi. unfold times, inner. rewrite sum_app, (sum_zeros d (fun j => ball_matrix _ _ _ _ _ (d + j)%nat * _)).
    - rewrite Rplus_0_r, <- (sum_delta d z i Hi). apply sum_ext. intros j Hj. unfold ball_matrix.
      rewrite (proj2 (Nat.ltb_ge (d + i) d)), (proj2 (Nat.ltb_lt j d)) by lia.
      replace (d + i - d)%nat with i by lia. ring.
    - intros j Hj. unfold ball_matrix.
      rewrite (proj2 (Nat.ltb_ge (d + i) d)), (proj2 (Nat.ltb_ge (d + j) d)) by lia. ring.
  Qed.
  Lemma stacked_top u v i : (i < d)%nat -> stacked d u v i = u i.
  Proof. intros Hi. unfold stacked. now rewrite (proj2 (Nat.ltb_lt i d)). Qed.
  Lemma stacked_bottom u v i : stacked d u v (d + i)%nat = v i.
  Proof. unfold stacked. rewrite (proj2 (Nat.ltb_ge (d + i) d)) by lia. f_equal. lia. Qed.
  Lemma one_matrix xs x before i : (i < d + d)%nat ->
    times (d + d) (ball_matrix d H lr beta) (stacked d (sub x xs) (sub before xs)) i
      = stacked d (sub (heavy_ball (bowl_grad d H xs) lr beta x before 1) xs) (sub x xs) i.
  Proof.
    intros Hi. destruct (Nat.ltb_spec i d) as [Hid|Hid].
    - rewrite top_half, stacked_bottom, !stacked_top by assumption.
      rewrite (times_ext d H _ (sub x xs)) by (intros; now apply stacked_top).
      change (sub (heavy_ball _ _ _ _ _ 1) xs i)
        with (x i - lr * times d H (sub x xs) i + beta * (x i - before i) - xs i).
      set (g := times d H (sub x xs) i). unfold sub. ring.
    - replace i with (d + (i - d))%nat by lia. now rewrite bottom_half, stacked_bottom, stacked_top by lia.
  Qed.
End Matrix.

Section Directions.
  Variable d : nat.
  Variable H : mat.
  Variable q : nat -> vec.           (* an orthonormal eigenbasis of H *)
  Variable lam : nat -> R.
  Variables lr beta : R.
  Hypothesis HH : symmetric d H.
  Hypothesis Hq : eigenbasis d H q lam.

  (* (2) Each direction is a 2 by 2 matrix, ((tau, -beta), (1, 0)), which maps (z, w) to (tau z - beta w, z). A complex
     pair that it multiplies by a + ib is zero, unless a + ib is a root. *)
  Lemma thm_momentum_spectrum_step_2 tau a b zr zi wr wi :
    tau * zr - beta * wr = a * zr - b * zi -> tau * zi - beta * wi = a * zi + b * zr ->
    zr = a * wr - b * wi -> zi = a * wi + b * wr -> root tau beta a b \/ (wr = 0 /\ wi = 0).
  Proof.
    intros E1 E2 -> ->. set (P := a ^ 2 - b ^ 2 - tau * a + beta). set (Q := 2 * a * b - tau * b).
    assert (F1 : P * wr - Q * wi = 0) by (unfold P, Q; lra). assert (F2 : Q * wr + P * wi = 0) by (unfold P, Q; lra).
    assert (G1 : (P ^ 2 + Q ^ 2) * wr = 0).
    { transitivity (P * (P * wr - Q * wi) + Q * (Q * wr + P * wi)); [ring|]. rewrite F1, F2. ring. }
    assert (G2 : (P ^ 2 + Q ^ 2) * wi = 0).
    { transitivity (P * (Q * wr + P * wi) - Q * (P * wr - Q * wi)); [ring|]. rewrite F1, F2. ring. }
    destruct (Req_dec (P ^ 2 + Q ^ 2) 0) as [E|E].
    - left. assert (HP := pow2_nonneg P). assert (HQ := pow2_nonneg Q). split; [change (P = 0)|change (Q = 0)];
        apply pow2_zero; lra.
    - right. split; apply (Rmult_eq_reg_l (P ^ 2 + Q ^ 2)); lra.
  Qed.
  Lemma inner_diff u a v b w : inner d u (fun i => a * v i - b * w i) = a * inner d u v - b * inner d u w.
  Proof. rewrite (inner_ext_r d u _ (fun i => a * v i + - b * w i)), inner_lin; [ring|]. intros. ring. Qed.
  Lemma top_coordinate j z w : (j < d)%nat ->
    inner d (q j) (fun i => (1 + beta) * z i - lr * times d H z i - beta * w i)
      = (1 + beta - lr * lam j) * inner d (q j) z - beta * inner d (q j) w.
  Proof.
    intros Hj. rewrite (inner_ext_r d _ _ (fun i => 1 * ((1 + beta) * z i - lr * times d H z i) - beta * w i)).
    - rewrite inner_diff, inner_diff, (coordinate d H q lam j z HH Hq Hj). ring.
    - intros. ring.
  Qed.
  (* The roots of all directions together are the eigenvalues of the whole matrix. First: no other number is one. *)
  Lemma thm_momentum_spectrum_step_2b a b : complex_eigenvalue (d + d) (ball_matrix d H lr beta) a b ->
    exists j, (j < d)%nat /\ root (1 + beta - lr * lam j) beta a b.
  Proof.
    intros (re & im & Hpos & He). set (wr := fun i => re (d + i)%nat). set (wi := fun i => im (d + i)%nat).
    assert (T : forall i, (i < d)%nat -> (1 + beta) * re i - lr * times d H re i - beta * wr i = a * re i - b * im i
      /\ (1 + beta) * im i - lr * times d H im i - beta * wi i = a * im i + b * re i).
    { intros i Hi. unfold wr, wi. rewrite <- !top_half by assumption. apply He. lia. }
    assert (B : forall i, (i < d)%nat -> re i = a * wr i - b * wi i /\ im i = a * wi i + b * wr i).
    { intros i Hi. rewrite <- (bottom_half d H lr beta re i Hi), <- (bottom_half d H lr beta im i Hi). apply He. lia. }
    assert (D : forall n, (n <= d)%nat -> (exists j, (j < n)%nat /\ root (1 + beta - lr * lam j) beta a b) \/
      forall j, (j < n)%nat -> inner d (q j) wr = 0 /\ inner d (q j) wi = 0).
    { induction n as [|n IH]; intros Hn; [right; intros; lia|].
      destruct IH as [(j & Hj & Hr)|Hz]; [lia|left; exists j; split; [lia|assumption]|].
      destruct (thm_momentum_spectrum_step_2 (1 + beta - lr * lam n) a b (inner d (q n) re) (inner d (q n) im)
        (inner d (q n) wr) (inner d (q n) wi)) as [Hr|Hz'].
      - rewrite <- top_coordinate, <- inner_diff by lia. apply inner_ext_r. apply T.
      - rewrite <- top_coordinate, <- inner_lin by lia. apply inner_ext_r. apply T.
      - rewrite <- inner_diff. apply inner_ext_r. apply B.
      - rewrite <- inner_lin. apply inner_ext_r. apply B.
      - left. exists n. split; [lia|assumption].
      - right. intros j Hj. destruct (Nat.eq_dec j n) as [->|]; [assumption|apply Hz; lia]. }
    destruct (D d (le_n d)) as [?|Hz]; [assumption|exfalso].
    assert (Zr := zero_coordinates d q wr (proj1 Hq) (fun j Hj => proj1 (Hz j Hj))).
    assert (Zi := zero_coordinates d q wi (proj1 Hq) (fun j Hj => proj2 (Hz j Hj))).
    unfold norm2 in Hpos. rewrite !sum_app, !sum_zeros in Hpos; [lra| | | |]; intros i Hi.
    - change (wi i ^ 2 = 0). rewrite Zi by assumption. ring.
    - rewrite (proj2 (B i Hi)), Zr, Zi by assumption. ring.
    - change (wr i ^ 2 = 0). rewrite Zr by assumption. ring.
    - rewrite (proj1 (B i Hi)), Zr, Zi by assumption. ring.
  Qed.
  (* And every root is one: the eigenvector is ((a + ib) q_j, q_j). *)
  Lemma thm_momentum_spectrum_step_2c a b j : (j < d)%nat -> root (1 + beta - lr * lam j) beta a b ->
    complex_eigenvalue (d + d) (ball_matrix d H lr beta) a b.
  Proof.
    intros Hj [R1 R2]. set (re := stacked d (fun k => a * q j k) (q j)).
    set (im := stacked d (fun k => b * q j k) (fun _ => 0)). exists re, im. split.
    - assert (P1 := norm2_pos d re). assert (P2 := norm2_pos (d + d) im).
      unfold norm2 at 1. rewrite sum_app. fold (norm2 d re).
      rewrite (sum_ext d _ (fun k => q j k ^ 2)) by (intros; unfold re; now rewrite stacked_bottom).
      fold (norm2 d (q j)). rewrite (norm2_orthonormal d d q j (proj1 (proj1 Hq)) Hj). lra.
    - assert (Ea : forall c k, (k < d)%nat ->
        times d H (stacked d (fun l => c * q j l) (fun _ => 0)) k = c * (lam j * q j k)).
      { intros c k Hk. rewrite (times_ext d H _ (fun l => c * q j l)) by (intros; now apply stacked_top).
        now rewrite times_scal, (proj2 Hq). }
      intros i Hi. destruct (Nat.ltb_spec i d) as [Hid|Hid].
      + rewrite !top_half by assumption. unfold re, im. rewrite !stacked_bottom, !stacked_top by assumption.
        rewrite (times_ext d H _ (stacked d (fun k => a * q j k) (fun _ => 0)))
          by (intros; now rewrite !stacked_top by assumption).
        rewrite !Ea by assumption. split.
        * transitivity ((a * (1 + beta - lr * lam j) - beta) * q j i); [ring|].
          replace (a * (1 + beta - lr * lam j) - beta) with (a ^ 2 - b ^ 2) by lra. ring.
        * transitivity ((1 + beta - lr * lam j) * b * q j i); [ring|].
          replace ((1 + beta - lr * lam j) * b) with (2 * a * b) by lra. ring.
      + replace i with (d + (i - d))%nat by lia. rewrite !bottom_half by lia. unfold re, im.
        rewrite !stacked_bottom, !stacked_top by lia. split; ring.
  Qed.
  (* With multiplicities: in the orthonormal basis (q_1, 0), (0, q_1), (q_2, 0), ... the matrix falls into d blocks
     ((tau_j, -beta), (1, 0)), one for each direction. *)
  Definition frame (j : nat) : vec :=
    if Nat.ltb j d then stacked d (q j) (fun _ => 0) else stacked d (fun _ => 0) (q (j - d)%nat).
  Lemma frame_first j : (j < d)%nat -> frame j = stacked d (q j) (fun _ => 0).
  Proof. intros Hj. unfold frame. now rewrite (proj2 (Nat.ltb_lt j d)). Qed.
  Lemma frame_second j : frame (d + j) = stacked d (fun _ => 0) (q j).
  Proof. unfold frame. rewrite (proj2 (Nat.ltb_ge (d + j) d)) by lia. do 2 f_equal. lia. Qed.
  Lemma inner_stacked u v x y : inner (d + d) (stacked d u v) (stacked d x y) = inner d u x + inner d v y.
  Proof.
    unfold inner. rewrite sum_app. f_equal; apply sum_ext; intros i Hi.
    - now rewrite !stacked_top.
    - now rewrite !stacked_bottom.
  Qed.
  Lemma frame_basis : basis (d + d) frame.
  Proof.
    assert (Z : forall u, inner d (fun _ => 0) u = 0) by (intros u; apply sum_zeros; intros; ring).
    assert (Z' : forall u, inner d u (fun _ => 0) = 0) by (intros u; now rewrite inner_sym).
    apply full_family. intros i j Hi Hj.
    destruct (Nat.ltb_spec i d) as [Hid|Hid]; destruct (Nat.ltb_spec j d) as [Hjd|Hjd].
    - rewrite !frame_first, inner_stacked, Z, (proj1 (proj1 Hq)) by assumption. ring.
    - replace j with (d + (j - d))%nat by lia.
      rewrite frame_first, frame_second, inner_stacked, Z, Z', delta_other by lia. ring.
    - replace i with (d + (i - d))%nat by lia.
      rewrite frame_second, frame_first, inner_stacked, Z, Z', delta_other by lia. ring.
    - replace i with (d + (i - d))%nat by lia. replace j with (d + (j - d))%nat by lia.
      rewrite !frame_second, inner_stacked, Z, (proj1 (proj1 Hq)) by lia. unfold delta.
      destruct (Nat.eqb_spec (i - d) (j - d)), (Nat.eqb_spec (d + (i - d)) (d + (j - d))); try lia; ring.
  Qed.
  Lemma thm_momentum_spectrum_step_2d j i : (j < d)%nat -> (i < d + d)%nat ->
    times (d + d) (ball_matrix d H lr beta) (frame j) i = (1 + beta - lr * lam j) * frame j i + frame (d + j) i /\
    times (d + d) (ball_matrix d H lr beta) (frame (d + j)) i = - beta * frame j i.
  Proof.
    intros Hj Hi. rewrite frame_second, frame_first by assumption. destruct (Nat.ltb_spec i d) as [Hid|Hid].
    - rewrite !top_half, !stacked_bottom, !stacked_top by assumption.
      rewrite (times_ext d H _ (q j)) by (intros; now apply stacked_top).
      rewrite (times_of_zero d H (stacked d (fun _ => 0) (q j))) by (intros; now apply stacked_top).
      rewrite (proj2 Hq) by assumption. split; ring.
    - replace i with (d + (i - d))%nat by lia. rewrite !bottom_half, !stacked_bottom, !stacked_top by lia. split; ring.
  Qed.
End Directions.
