"""Losses whose constants can be written down (`problems`), and the steps of proofs (`steps`).

Steps, of which the folder `proofs` is full, are evaluated on a chapter's run (`ledger`), attacked (`attack`), and
decided where they are finite algebra (`decide`).
"""

from minilib.theory.ledger import Ledger, ProofError
from minilib.theory.problems import Factorised, Logistic, Quadratic, Robust, Rosenbrock

__all__ = ["Factorised", "Ledger", "Logistic", "ProofError", "Quadratic", "Robust", "Rosenbrock"]
