"""Adagrad (Duchi, Hazan & Singer 2011) and RMSProp (Tieleman & Hinton 2012): a learning rate for every coordinate.

The first divides by the root of the sum of all squared gradients, the second by the root of their moving average.
Absent on purpose: torch's lr_decay, initial accumulator, centring and momentum for RMSProp.
"""

import numpy as np

from minilib.optim.base import Optimizer, ema


class Adagrad(Optimizer):
    """`x <- x - lr g / (sqrt(sum of g^2) + eps)`, elementwise. `weight_decay` is an l2 penalty."""

    look, passes, copies = ("pink", "--"), "x g v r, x v w", 1

    def __init__(self, params, lr=1e-2, eps=1e-10, weight_decay=0.0):
        super().__init__(params, lr=lr, eps=eps, weight_decay=weight_decay)

    def update(self, x, g, s):
        g = g + self.weight_decay * x
        v = self.second_moment(g, s)
        # x ← x − η g / (√v + ε)
        x -= self.lr * g / (np.sqrt(v) + self.eps)

    def second_moment(self, g: np.ndarray, s: dict) -> np.ndarray:
        """The sum of all g² so far, same shape as `g`."""
        # v_t = v_{t−1} + g_t²
        v = s.setdefault("v", np.zeros_like(g))
        v += g**2
        return v


class RMSProp(Adagrad):
    """Adagrad with `v` the moving average of g^2 with factor `alpha`, from zero."""

    look = "pink", "-"

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0.0):
        Optimizer.__init__(self, params, lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay)

    def second_moment(self, g, s):
        # v_t = α v_{t−1} + (1 − α) g_t²
        return ema(s, "v", g**2, self.alpha)
