"""Schedule-Free AdamW (Defazio et al. 2024): averaging in the place of a learning rate schedule.

Three sequences: z takes the steps, x is its weighted average, and the gradient is asked for at y, between the two.
The parameters hold y while training and x after `eval()`; x is not stored, because y and z determine it. Absent on
purpose: the package's own warm-up (see `schedules`) and its power of t in the weights.
"""

import numpy as np

from minilib.optim.adam import Adam
from minilib.optim.base import Optimizer
from minilib.optim.checks import BETA1_POSITIVE, RANGES


class ScheduleFree(Adam):
    """RMSProp's bias-corrected step for z, and y = (1 - beta1) z + beta1 x.

    Args:
        lr: learning rate, constant after warm-up.
        betas: beta1 in (0, 1) interpolates between z and x, in the place of momentum; beta2 as in Adam.
        eps: as in Adam.
        weight_decay: times lr, of y, taken from z.

    Call `eval()` before the parameters are used or saved as a result, and `train()` before training goes on.

    ValueError: `step()` after `eval()`.
    """

    ranges = RANGES | BETA1_POSITIVE
    look, passes = ("blue", ":"), "x g z v r, x z v w"

    def __init__(self, params, lr=2.5e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        Optimizer.__init__(self, params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def update(self, y, g, s):
        beta1, beta2 = self.betas
        z = s.setdefault("z", y.copy())
        # x = (y − (1 − β₁) z) / β₁
        x = y + (1 - 1 / beta1) * (z - y)
        # v̂ = v / (1 − β₂ᵗ),  z ← z − η (g / (√v̂ + ε) + λ y)
        v = self.second_moment(g, s) / (1 - beta2 ** s["step"])
        z -= self.lr * (g / (np.sqrt(v) + self.eps) + self.weight_decay * y)
        # c = w_t / Σ w,  w_t = (largest η so far)²
        s["lr"] = max(self.lr, s.get("lr", 0.0))
        s["weights"] = s.get("weights", 0.0) + s["lr"] ** 2
        c = s["lr"] ** 2 / s["weights"] if s["weights"] else 0.0
        # x ← (1 − c) x + c z,  y = (1 − β₁) z + β₁ x
        x += c * (z - x)
        y[...] = x + (1 - beta1) * (z - x)

    def step(self):
        if any(s.get("averaged") for s in self.state.values()):
            raise ValueError("the parameters hold the average: call train() before step()")
        super().step()

    def eval(self) -> None:
        """Put the average x into the parameters: x = y + (1 - 1/beta1) (z - y)."""
        self._move(True)

    def train(self) -> None:
        """Put y back."""
        self._move(False)

    def _move(self, averaged: bool) -> None:
        for i, (group, _, p) in enumerate(self.parameters()):
            s = self.state.get(i)
            if s and s.get("averaged", False) != averaged:
                beta1 = group["betas"][0]
                p.data += (1 - 1 / beta1 if averaged else 1 - beta1) * (s["z"] - p.data)
                s["averaged"] = averaged
