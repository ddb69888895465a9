(* Roots in denominators, for the trap (adam_trap.v). *)
Require Export sums.
Open Scope R_scope.

Lemma over_root_le a b : 0 < a <= b -> 1 / sqrt b <= 1 / sqrt a.
Proof.
  intros H. unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_le_contravar; [apply sqrt_lt_R0|apply sqrt_le_1_alt]; lra.
Qed.
Lemma over_root_mult a b : 0 < a -> 0 < b -> 1 / sqrt (a * b) = 1 / sqrt a * (1 / sqrt b).
Proof.
  intros Ha Hb. rewrite sqrt_mult by lra. assert (H := sqrt_lt_R0 a Ha). assert (H0 := sqrt_lt_R0 b Hb).
  field. split; lra.
Qed.
Lemma over_root_ge c a : 0 < a -> 0 < c -> c ^ 2 * a <= 1 -> c <= 1 / sqrt a.
Proof.
  intros Ha Hc H. assert (Hr := sqrt_lt_R0 a Ha). apply le_div; [exact Hr|]. apply le_of_squares; [lra|].
  rewrite Rpow_mult_distr, sqrt_squared; lra.
Qed.
Lemma over_root_pos a : 0 < a -> 0 < 1 / sqrt a.
Proof. intros Ha. apply Rdiv_lt_0_compat; [lra|now apply sqrt_lt_R0]. Qed.
