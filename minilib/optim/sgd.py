"""Stochastic gradient descent, with heavy-ball (Polyak 1964) or Nesterov (1983) momentum, in torch's form.

The buffer sums gradients, it does not average them: with momentum 0.9 a steady gradient ends up ten times as strong.
Absent on purpose: torch's dampening and maximize.
"""

from math import prod

import numpy as np

from minilib.optim.base import Optimizer


class SGD(Optimizer):
    """`x <- x - lr m`, where `m` is the gradient, or the momentum buffer when `momentum > 0`.

    Args:
        lr: learning rate, >= 0.
        momentum: in [0, 1); 0 keeps no state.
        weight_decay: adds `weight_decay * x` to the gradient (an l2 penalty).
        nesterov: look ahead by one momentum step; needs momentum > 0.
    """

    squares, look, passes = False, ("grey", "-"), "x g r, x w"

    @staticmethod
    def state_size(shape, momentum=0.0, **_):
        return prod(shape) if momentum else 0

    def __init__(self, params, lr=1e-3, momentum=0.0, weight_decay=0.0, nesterov=False):
        super().__init__(params, lr=lr, momentum=momentum, weight_decay=weight_decay, nesterov=nesterov)

    def check(self, options):
        super().check(options)
        if options.get("nesterov") and options["momentum"] == 0:
            raise ValueError("nesterov=True needs momentum > 0, got momentum 0")

    def update(self, x, g, s):
        # g_t = ∇f(x) + λ x
        g = g + self.weight_decay * x
        # x ← x − η m
        x -= self.lr * self.momentum_step(g, s)

    def momentum_step(self, g: np.ndarray, s: dict) -> np.ndarray:
        """The direction to step against, same shape as `g`."""
        if self.momentum == 0:
            return g
        # m_t = β m_{t−1} + g_t
        m = s.setdefault("m", np.zeros_like(g))
        m *= self.momentum
        m += g
        # Nesterov: g_t + β m_t, the gradient once more, one momentum step ahead
        return g + self.momentum * m if self.nesterov else m
