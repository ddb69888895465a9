"""Losses whose constants can be written down (`problems`), and what tests a statement about them.

The steps of a proof are evaluated on a chapter's run (`ledger`), and what its theorem promises is held beside what
needs no theorem (`promises`). A statement of one's own is attacked (`attack`) and, at one size, decided (`decide`).
"""

from minilib.theory.ledger import Ledger, ProofError
from minilib.theory.problems import Factorised, Logistic, Quadratic, Robust, Rosenbrock

__all__ = ["Factorised", "Ledger", "Logistic", "ProofError", "Quadratic", "Robust", "Rosenbrock"]
