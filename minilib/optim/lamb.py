"""LAMB (You et al. 2020, Algorithm 2): Adam's direction, rescaled layer by layer to the size of the weights.

Absent on purpose: clipping of the global gradient norm, on by default in some public implementations
(see `clip_grad_norm`); skipping the ratio where the decay is zero.
"""

from minilib.optim.adam import Adam
from minilib.optim.base import Optimizer
from minilib.optim.trust import IDENTITY, trust_ratio


class LAMB(Adam):
    """Every layer moves by `lr * phi(norm of its weights)` in the direction `r + weight_decay x`.

    Args:
        params: biases and norms usually go into a group with `layer_adaptation=False` and `weight_decay=0` (see
            `parameter_groups`).
        lr: learning rate, >= 0: about the relative change of a layer in one step.
        betas, eps, bias_correction: as in Adam; the paper's first versions have no bias correction.
        weight_decay: decoupled as in AdamW, but inside the ratio.
        phi: bounds (lower, upper) on the weights' norm, by default none.
        layer_adaptation: False makes this group's steps AdamW's.
    """

    look, passes = ("red", "-"), "x g m v r, m v w; x m v r, x w"

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-6,
        weight_decay=0.01,
        bias_correction=True,
        phi=IDENTITY,
        layer_adaptation=True,
    ):
        moments = {"betas": betas, "eps": eps, "bias_correction": bias_correction}
        trust = {"phi": phi, "layer_adaptation": layer_adaptation}
        Optimizer.__init__(self, params, lr=lr, **moments, weight_decay=weight_decay, **trust)

    def update(self, x, g, s):
        # r = m̂ / (√v̂ + ε)
        r = self.direction(g, s)
        # u = r + λ x
        u = r + self.weight_decay * x
        ratio = trust_ratio(x, u, self.phi) if self.layer_adaptation else 1.0
        # x ← x − η · φ(‖x‖)/‖u‖ · u
        x -= self.lr * ratio * u
