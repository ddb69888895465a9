"""Losses whose constants can be written down (`problems`), and proofs that are evaluated step by step (`ledger`)."""

from minilib.theory.ledger import Ledger, ProofError
from minilib.theory.problems import Factorised, Logistic, Quadratic, Robust, Rosenbrock

__all__ = ["Factorised", "Ledger", "Logistic", "ProofError", "Quadratic", "Robust", "Rosenbrock"]
