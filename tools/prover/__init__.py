"""The proofs in Rocq: their sources, what the prover says of them, and how pages show both."""
