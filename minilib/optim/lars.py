"""LARS in its two published forms: momentum SGD, rescaled layer by layer to the size of the weights.

`LARS` (You, Gitman & Ginsburg 2017) scales the gradient before it enters the momentum buffer; `LARS2020` (You et al.
2020, Algorithm 1) normalises the momentum itself. Where the weights are zero, or gradient and decay both, the ratio
is 1.
Absent on purpose: polynomial decay of the learning rate (see `schedules`), LARC clipping of the ratio.
"""

from math import prod

from minilib.optim.base import Optimizer, ema
from minilib.optim.sgd import SGD
from minilib.optim.trust import IDENTITY, norm, trust_ratio


class LARS(SGD):
    """The 2017 form, in the comments with that paper's letters: learning rate γ, momentum μ, decay β, trust η.

    Args:
        params: biases and norms usually go into a group with `layer_adaptation=False`.
        lr: global learning rate, >= 0; it is inside the buffer, so a change of lr acts on new gradients only.
        momentum: in [0, 1).
        weight_decay: added to the gradient, and to the denominator of the ratio.
        trust_coefficient: the paper's eta, 0.001 there.
        layer_adaptation: False makes this group's steps plain momentum SGD.
    """

    look, passes, nesterov = ("orange", "-"), "x g r; x g m r, x m w", False

    @staticmethod
    def state_size(shape, momentum=0.9, **_):
        return prod(shape) if momentum else 0

    def __init__(self, params, lr=1.0, momentum=0.9, weight_decay=0.0, trust_coefficient=1e-3, layer_adaptation=True):
        trust = {"trust_coefficient": trust_coefficient, "layer_adaptation": layer_adaptation}
        Optimizer.__init__(self, params, lr=lr, momentum=momentum, weight_decay=weight_decay, **trust)

    def update(self, x, g, s):
        # λˡ = η ‖w‖ / (‖g‖ + β ‖w‖)
        size = norm(x)
        length = norm(g) + self.weight_decay * size
        adapts = self.layer_adaptation and size > 0 and length > 0
        ratio = self.trust_coefficient * size / length if adapts else 1.0
        # v ← μ v + γ λˡ (g + β w)
        step = self.lr * ratio * (g + self.weight_decay * x)
        # w ← w − v
        x -= self.momentum_step(step, s)


class LARS2020(Optimizer):
    """Algorithm 1 of the LAMB paper: every layer moves by `lr * phi(norm of its weights)`, whatever its gradient.

    Args:
        lr, weight_decay, layer_adaptation: as in `LARS`.
        momentum: beta_1, factor of a moving *average* of g + weight_decay x (no bias correction).
        phi: bounds (lower, upper) on the weights' norm, by default none.
    """

    squares, passes, copies = False, "x g m r, m w; x m r, x w", 1

    def __init__(self, params, lr=1e-2, momentum=0.9, weight_decay=0.0, phi=IDENTITY, layer_adaptation=True):
        super().__init__(
            params, lr=lr, momentum=momentum, weight_decay=weight_decay, phi=phi, layer_adaptation=layer_adaptation
        )

    def update(self, x, g, s):
        # m_t = β₁ m_{t−1} + (1 − β₁)(g_t + λ x)
        m = ema(s, "m", g + self.weight_decay * x, self.momentum)
        ratio = trust_ratio(x, m, self.phi) if self.layer_adaptation else 1.0
        # x ← x − η φ(‖x‖)/‖m‖ m
        x -= self.lr * ratio * m
