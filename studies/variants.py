"""Variants of LAMB and of CAME, each with one thing changed."""

import math
from typing import NamedTuple

import numpy as np

from minilib.optim import CAME, LAMB, AdamW, clip_grad_norm, parameter_groups
from minilib.optim.base import ema


class WithoutConfidence(CAME):
    """Algorithm 1 of the CAME paper: Adafactor's clipped direction, averaged; nothing is divided by the instability."""

    def update(self, x, g, s):
        # m_t = β₁ m_{t−1} + (1 − β₁) û_t,  θ ← θ − η m_t
        x -= self.lr * ema(s, "m", self.clipped_direction(g, s, self.betas[1]), self.betas[0])


class Knobs(LAMB):
    """LAMB with the norm of the ratio, and the place of the decay, as class attributes."""

    order, decay_inside, clip = 2, True, math.inf

    def step(self):
        if self.clip < math.inf:
            clip_grad_norm([p for group in self.param_groups for p in group["params"]], self.clip)
        super().step()

    def update(self, x, g, s):
        r = self.direction(g, s)
        u = r + self.weight_decay * x if self.decay_inside else r
        size, norm = (np.linalg.norm(a.ravel(), self.order) for a in (x, u))
        size = min(max(size, self.phi[0]), self.phi[1])
        ratio = size / norm if self.layer_adaptation and size > 0 and norm > 0 else 1.0
        if not self.decay_inside:
            x -= self.lr * self.weight_decay * x
        x -= self.lr * ratio * u


def knobs(**attributes):
    return type("Knobs", (Knobs,), attributes)


class Variant(NamedTuple):
    """One knob of LAMB turned: the class, its options, whether the rate warms up, and the first rate to try."""

    kind: type
    options: dict
    warm_up: bool
    first: float


LAMB_VARIANTS = {
    "LAMB": Variant(Knobs, {}, True, 0.00125),
    "phi: at most 1": Variant(Knobs, {"phi": (0.0, 1.0)}, True, 0.0025),
    "phi: constant 1": Variant(Knobs, {"phi": (1.0, 1.0 + 1e-9)}, True, 0.005),
    "no warm-up": Variant(Knobs, {}, False, 0.00125),
    "no bias correction": Variant(Knobs, {"bias_correction": False}, True, 0.00125),
    "neither": Variant(Knobs, {"bias_correction": False}, False, 0.00125),
    "no decay": Variant(Knobs, {"weight_decay": 0.0}, True, 0.00125),
    "decay 1 inside": Variant(Knobs, {"weight_decay": 1.0}, True, 0.00125),
    "decay 1 outside": Variant(knobs(decay_inside=False), {"weight_decay": 1.0}, True, 0.00125),
    "nothing excluded": Variant(Knobs, {"all": True}, True, 0.00125),
    "1-norm": Variant(knobs(order=1), {}, True, 0.00125),
    "max-norm": Variant(knobs(order=math.inf), {}, True, 0.00125),
    "global clip 1": Variant(knobs(clip=1.0), {}, True, 0.00125),
    "AdamW": Variant(AdamW, {}, True, 0.0003125),
}


def lamb_variant(name: str, named, lr: float):
    """The optimizer of this name in `LAMB_VARIANTS` for these named parameters."""
    kind, options = LAMB_VARIANTS[name].kind, {"weight_decay": 0.01} | LAMB_VARIANTS[name].options
    decay, every = options.pop("weight_decay"), options.pop("all", False)
    exclude = {} if kind is AdamW or every else {"layer_adaptation": False}
    return kind(parameter_groups(named, decay, **exclude), lr=lr, **options)
