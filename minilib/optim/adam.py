"""Adam (Kingma & Ba 2015), AdamW (Loshchilov & Hutter 2019) and AMSGrad (Reddi, Kale & Kumar 2018).

Adam is RMSProp with a moving average of the gradient as well, both corrected for their start at zero. AdamW takes
the decay out of the gradient; AMSGrad never lets the second moment shrink. Epsilon stands outside the root, after
the correction, as in torch. Absent on purpose: torch's maximize, capturable and differentiable.
"""

import numpy as np

from minilib.optim.base import Optimizer, ema


class Adam(Optimizer):
    """Adam with an l2 penalty, Algorithm 1 of Kingma & Ba.

    Args:
        lr: learning rate; about the move of a coordinate in one step, which may be longer (the chapter on Adam).
        betas: factors of the two moving averages, each in [0, 1).
        eps: added to the root of the second moment, > 0, in the gradient's unit.
        weight_decay: adds `weight_decay * x` to the gradient, so the decay is rescaled like the gradient (see AdamW).
        bias_correction: divide the averages by 1 - beta^t; off, the first steps differ (the chapter on Adam).
    """

    look, passes, copies = ("sky", "-"), "x g m v r, x m v w", 2

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, bias_correction=True):
        super().__init__(
            params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, bias_correction=bias_correction
        )

    def update(self, x, g, s):
        # x ← x − η r, with the decay in the gradient
        x -= self.lr * self.direction(g + self.weight_decay * x, s)

    def direction(self, g: np.ndarray, s: dict) -> np.ndarray:
        """r = m̂ / (√v̂ + ε): Adam's step before the learning rate, same shape as `g`."""
        beta1, beta2 = self.betas
        # m_t = β₁ m_{t−1} + (1 − β₁) g_t
        m = ema(s, "m", g, beta1)
        # v_t = β₂ v_{t−1} + (1 − β₂) g_t²
        v = self.second_moment(g, s)
        if self.bias_correction:
            # m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)
            m = m / (1 - beta1 ** s["step"])
            v = v / (1 - beta2 ** s["step"])
        return m / (np.sqrt(v) + self.eps)

    def second_moment(self, g: np.ndarray, s: dict) -> np.ndarray:
        """The moving average of g², same shape as `g`."""
        return ema(s, "v", g**2, self.betas[1])


class AdamW(Adam):
    """Adam with decoupled decay: the weights shrink by `lr * weight_decay`, whatever the gradient's size."""

    look = "blue", "-"

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, bias_correction=True):
        super().__init__(params, lr, betas, eps, weight_decay, bias_correction)

    def update(self, x, g, s):
        # x ← (1 − η λ) x
        x -= self.lr * self.weight_decay * x
        # x ← x − η r
        x -= self.lr * self.direction(g, s)


class AMSGrad(Adam):
    """Adam that divides by the largest second moment so far (Algorithm 2 of Reddi et al.).

    With `bias_correction=False` this is the paper's form; with it, torch's `amsgrad=True`: the maximum is taken
    before the correction.
    """

    look, passes, copies = ("sky", "--"), "x g m v v r, x m v v w", 3

    def second_moment(self, g, s):
        v = super().second_moment(g, s)
        # v̂_t = max(v̂_{t−1}, v_t)
        v_max = s.setdefault("v_max", np.zeros_like(v))
        return np.maximum(v_max, v, out=v_max)
