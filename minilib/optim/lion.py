"""Lion (Chen et al. 2023, Algorithm 2): the sign of an interpolation between momentum and gradient.

One moving average is all it remembers, and every coordinate moves by the learning rate (plus decay). Found by a
search over programs, not derived. Absent on purpose: nothing; the method has no epsilon and no bias correction.
"""

import numpy as np

from minilib.optim.base import Optimizer, ema


class Lion(Optimizer):
    """Decoupled decay as in AdamW, then a step of exactly `lr` in every coordinate (0 where the sign is 0).

    Args:
        lr: learning rate; the authors advise 3 to 10 times less than AdamW's.
        betas: weight of the momentum in the step, and factor of the moving average; each in [0, 1).
        weight_decay: decoupled, times lr; the authors advise 3 to 10 times AdamW's.
    """

    squares, look, passes, copies = False, ("orange", "--"), "x g m r, x m w", 1

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, lr=lr, betas=betas, weight_decay=weight_decay)

    def update(self, x, g, s):
        beta1, beta2 = self.betas
        m = s.setdefault("m", np.zeros_like(g))
        # x ← (1 − η λ) x
        x -= self.lr * self.weight_decay * x
        # x ← x − η sign(β₁ m_{t−1} + (1 − β₁) g_t)
        x -= self.lr * np.sign(beta1 * m + (1 - beta1) * g)
        # m_t = β₂ m_{t−1} + (1 − β₂) g_t
        ema(s, "m", g, beta2)
