"""SM3 (Anil, Gupta, Koren & Singer 2019): Adagrad whose accumulator is a minimum over rows and columns.

A matrix of n x m keeps n + m numbers, a tensor one for every index of every axis. This is the paper's tighter form,
SM3-II, with the slices of an array as the sets that cover it. Absent on purpose: sparse gradients, other covers, and
the moving average of g^2 that some implementations put in the place of the sum.
"""

from math import prod

import numpy as np

from minilib.optim.adagrad import Adagrad
from minilib.optim.base import Optimizer, ema


class SM3(Adagrad):
    """Adagrad's step with the accumulator of `second_moment`; on vectors and scalars it is Adagrad.

    Args:
        lr: learning rate.
        momentum: factor of a moving average of the steps, in [0, 1); 0 keeps no such state (the paper uses 0.9).
        eps: added to the root of the accumulator, > 0.
        weight_decay: an l2 penalty.
    """

    look, passes = ("green", ":"), "x g r, x w"

    @staticmethod
    def state_size(shape, momentum=0.0, **_):
        return (sum(shape) or 1) + (prod(shape) if momentum else 0)

    def __init__(self, params, lr=1e-1, momentum=0.0, eps=1e-15, weight_decay=0.0):
        Optimizer.__init__(self, params, lr=lr, momentum=momentum, eps=eps, weight_decay=weight_decay)

    def update(self, x, g, s):
        g = g + self.weight_decay * x
        # u = g / (√ν + ε)
        u = g / (np.sqrt(self.second_moment(g, s)) + self.eps)
        # m_t = β m_{t−1} + (1 − β) u,  x ← x − η m
        x -= self.lr * (ema(s, "m", u, self.momentum) if self.momentum else u)

    def second_moment(self, g, s):
        """ν_t, same shape as `g`: never below Adagrad's sum of g²."""
        v = np.full_like(g, np.inf)
        slices = [tuple(k for k in range(g.ndim) if k != axis) for axis in range(max(g.ndim, 1))]
        for i, rest in enumerate(slices):
            # ν(j) = min over the slices S ∋ j of μ_{t−1}(S)
            np.minimum(v, s.setdefault(f"mu{i}", np.zeros_like(g.sum(axis=rest, keepdims=True))), out=v)
        # ν_t(j) = ν(j) + g_t(j)²
        v += g**2
        for i, rest in enumerate(slices):
            # μ_t(S) = max over j ∈ S of ν_t(j)
            s[f"mu{i}"][...] = v.max(axis=rest, keepdims=True)
        return v
