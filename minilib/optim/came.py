"""CAME (Luo et al. 2023, Algorithm 2): Adafactor with momentum, trusted where updates agree with it.

Where the update differs from its own moving average it is unstable, and the step is shortened; that instability is
factored like Adafactor's second moment. Conventions of the authors' code, not in the paper: vectors and scalars
skip the confidence step, and weight decay is decoupled. Absent on purpose: bias correction (the paper has none),
relative step sizes.
"""

from math import prod

from minilib.optim.adafactor import Adafactor, factored_means, factored_size, over_root
from minilib.optim.base import Optimizer, ema
from minilib.optim.checks import BETAS_TRIPLE


class CAME(Adafactor):
    """Adafactor's clipped direction, averaged and divided by the root of its factored instability.

    Args:
        lr: learning rate, >= 0; the paper uses 2e-4 for BERT-Large.
        betas: factors for momentum, second moment and instability.
        eps: (eps1, eps2), added to g^2 and to the instability.
        d: the root mean square above which the direction is scaled down.
        weight_decay: decoupled, times lr.
    """

    ranges = Adafactor.ranges | BETAS_TRIPLE
    look, passes = ("green", "-"), "g r; g r; g m r, m w; x m r, x w"

    @staticmethod
    def state_size(shape, **_):
        return prod(shape) + factored_size(shape) * (2 if len(shape) > 1 else 1)

    def __init__(self, params, lr=2e-4, betas=(0.9, 0.999, 0.9999), eps=(1e-30, 1e-16), d=1.0, weight_decay=0.0):
        Optimizer.__init__(self, params, lr=lr, betas=betas, eps=eps, d=d, weight_decay=weight_decay)

    def update(self, x, g, s):
        beta1, beta2, beta3 = self.betas
        u = self.clipped_direction(g, s, beta2)
        # m_t = β₁ m_{t−1} + (1 − β₁) û_t
        m = ema(s, "m", u, beta1)
        if g.ndim >= 2:
            # U_t = (û_t − m_t)² + ε₂,  S_t from its row and column averages
            m = over_root(m, *factored_means(s, ("R", "C"), (u - m) ** 2 + self.eps[1], beta3))
        # θ ← (1 − η λ) θ,  θ ← θ − η m/√S
        x -= self.lr * self.weight_decay * x
        x -= self.lr * m
