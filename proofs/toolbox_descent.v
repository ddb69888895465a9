(* Appendix A: the descent lemma (lem-descent), and its gradient step.

   The page integrates along the segment from x to y. Here the mean value theorem does it (`segment` of smooth.v): if
   the slope of h grows by at most C s on the way from 0 to s, then h(1) <= h(0) + (its first slope) + C / 2. *)
Require Export smooth.
Open Scope R_scope.

Section Descent.
  Variable d : nat.
  Variable f : vec -> R.
  Variable grad : vec -> vec.
  Variable L : R.
  Hypothesis A1 : smooth d f grad L.   (* f has the gradient grad, and |grad x - grad y| <= L |x - y| for all x, y *)
  Variables x y : vec.
  Definition delta := sub y x.

  (* (1) Along the segment x + s delta, f has the slope <grad f(x + s delta), delta>. *)
  Lemma step_1 s : derivable_pt_lim (fun r => f (along x delta r)) s (inner d (grad (along x delta s)) delta).
  Proof. apply derivative_along, A1. Qed.
  (* (2) Cauchy-Schwarz: how far that slope has grown. *)
  Lemma step_2 s : inner d (grad (along x delta s)) delta - inner d (grad x) delta
    <= norm d (sub (grad (along x delta s)) (grad x)) * norm d delta.
  Proof. rewrite <- inner_sub_l. apply inner_le. Qed.
  (* (3) (A1): that is at most L s |delta|^2. *)
  Lemma step_3 s : 0 <= s ->
    norm d (sub (grad (along x delta s)) (grad x)) * norm d delta <= L * norm2 d delta * s.
  Proof.
    intros Hs. assert (H := proj2 A1 (along x delta s) x).
    rewrite (norm_ext d (sub (along x delta s) x) (fun j => s * delta j)) in H by (intros; unfold sub, along; ring).
    rewrite norm_scal, Rabs_pos_eq in H by assumption. rewrite <- norm_squared.
    replace (L * norm d delta ^ 2 * s) with (L * (s * norm d delta) * norm d delta) by ring.
    apply Rmult_le_compat_r; [apply norm_pos|assumption].
  Qed.

  (* lem-descent: f(y) <= f(x) + <grad f(x), y - x> + L/2 |y - x|^2. *)
  Theorem lem_descent : f y <= f x + inner d (grad x) (sub y x) + L / 2 * norm2 d (sub y x).
  Proof.
    fold delta. replace (L / 2 * norm2 d delta) with (L * norm2 d delta / 2) by field.
    rewrite (same_value d f (along x delta 1) y _ (proj1 A1 _)) by (intros; unfold along, delta, sub; ring).
    rewrite (same_value d f (along x delta 0) x _ (proj1 A1 _)) by (intros; unfold along; ring).
    apply (segment (fun s => f (along x delta s)) (fun s => inner d (grad (along x delta s)) delta)).
    - intros s _. apply step_1.
    - intros s Hs. eapply Rle_trans; [apply step_2|]. now apply step_3.
  Qed.
End Descent.

(* (4) For the gradient step insert delta = - lr grad f(x). *)
Lemma step_4 d f grad L : smooth d f grad L -> forall lr x,
  f (fun j => x j - lr * grad x j) <= f x - lr * (1 - L * lr / 2) * norm2 d (grad x).
Proof.
  intros A1 lr x. assert (H := lem_descent d f grad L A1 x (fun j => x j - lr * grad x j)).
  rewrite (inner_ext d _ _ (grad x) (fun j => - lr * grad x j)) in H by (intros; unfold sub; ring).
  rewrite (norm2_ext d _ (fun j => - lr * grad x j)) in H by (intros; unfold sub; ring).
  rewrite inner_scal, norm2_scal, inner_self in H. lra.
Qed.
(* Hence a gradient step y = x - lr grad f(x) gives f(y) <= f(x) - lr (1 - L lr / 2) |grad f(x)|^2. *)
Theorem lem_descent_progress d f grad L : smooth d f grad L -> forall lr x,
  f (fun j => x j - lr * grad x j) <= f x - lr * (1 - L * lr / 2) * norm2 d (grad x).
Proof. apply step_4. Qed.

(* An instance: the bowl |x|^2 / 2 has the gradient x and L = 1. *)
Definition bowl d (x : vec) := / 2 * norm2 d x.
Lemma bowl_remainder d x y : bowl d y - bowl d x - inner d x (sub y x) = / 2 * norm2 d (sub y x).
Proof.
  unfold bowl. replace (inner d x (sub y x)) with (inner d y x - norm2 d x).
  - rewrite norm2_sub. lra.
  - now rewrite inner_sub, inner_self, (inner_sym d y).
Qed.
Lemma bowl_smooth d : smooth d (bowl d) (fun x => x) 1.
Proof.
  split; [|intros; lra]. intros x eps He. exists (2 * eps). split; [lra|]. intros y Hy.
  rewrite bowl_remainder, Rabs_pos_eq by (apply Rmult_le_pos; [lra|apply norm2_pos]). rewrite <- norm_squared.
  replace (/ 2 * norm d (sub y x) ^ 2) with (norm d (sub y x) / 2 * norm d (sub y x)) by field.
  apply Rmult_le_compat_r; [apply norm_pos|lra].
Qed.
(* On it the lemma gives nothing away, and the step of length 1 ends at the minimum. *)
Lemma lem_descent_instance d x y : bowl d y <= bowl d x + inner d x (sub y x) + 1 / 2 * norm2 d (sub y x) /\
  bowl d y = bowl d x + inner d x (sub y x) + 1 / 2 * norm2 d (sub y x).
Proof.
  split; [exact (lem_descent d (bowl d) (fun x => x) 1 (bowl_smooth d) x y)|]. assert (H := bowl_remainder d x y). lra.
Qed.
Lemma lem_descent_progress_instance d x :
  bowl d (fun j => x j - 1 * x j) <= bowl d x - 1 * (1 - 1 * 1 / 2) * norm2 d x.
Proof. exact (lem_descent_progress d (bowl d) (fun x => x) 1 (bowl_smooth d) 1 x). Qed.
(* Without a gradient as slow as L says it is false: the bowl, with half of its L. *)
Lemma lem_descent_needs_L : let one : vec := fun _ => 1 in let zero : vec := fun _ => 0 in
  (forall x, is_grad 1 (bowl 1) x x) /\
  bowl 1 zero + inner 1 zero (sub one zero) + / 2 / 2 * norm2 1 (sub one zero) < bowl 1 one.
Proof.
  intros one zero. split; [apply bowl_smooth|]. unfold bowl, inner, norm2, sub, one, zero. rewrite !sum_S, !sum_O. lra.
Qed.
