(* A law with one outcome: every batch is this outcome again and again, and nothing is random. For the counterexamples
   that need no noise. *)
Require Import batches.
Open Scope R_scope.

Lemma E_certain b X : E (batches point b) X = X O.
Proof.
  revert X. induction b as [|b IH]; intros X; cbn [batches]; [apply E_point|].
  rewrite E_pair, E_point, IH. now rewrite Nat.add_0_r.
Qed.
