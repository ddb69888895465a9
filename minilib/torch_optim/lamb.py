"""LAMB (You et al. 2020, Algorithm 2) for PyTorch: Adam's direction, rescaled to the size of each parameter.

Two sweeps over memory: the first updates the moments and sums the squares of weights and direction, the second takes
the step. The direction is computed in both, which is cheaper than to store it.
"""

import math

from minilib.torch_optim.base import Optimizer
from minilib.torch_optim.kernels import read, squared, write
from minilib.torch_optim.presets import LAMB_PRESETS, preset
from minilib.torch_optim.trust import IDENTITY, trust_ratio
from minilib.torch_optim.work import ALL, hints


def direction(x, m, v, scale1, scale2, eps, decay):
    """u = m̂ / (√v̂ + ε) + λ x, with m̂ = scale1 · m and √v̂ = scale2 · √v."""
    return m * scale1 / (v.sqrt() * scale2 + eps) + x.to(m.dtype) * decay


@hints(flat=True, realize_opcount_threshold=1)  # the new moments are stored, then read: not computed twice
def moments(x, g, m, v, weight1, weight2, scale1, scale2, eps, decay, scale, ok):
    """Update m and v; returns ‖x‖² and ‖u‖²."""
    g = read(g, m.dtype, scale, ok)
    # m_t = β₁ m_{t−1} + (1 − β₁) g_t
    m.add_((g - m) * weight1)
    # v_t = β₂ v_{t−1} + (1 − β₂) g_t²
    v.add_((g * g - v) * weight2)
    u = direction(x, m, v, scale1, scale2, eps, decay)
    return squared(x.to(m.dtype)), squared(u)


@hints(flat=True)
def descend(x, m, v, scale1, scale2, eps, decay, length, seed):
    """x ← x − length · u."""
    write(x, direction(x, m, v, scale1, scale2, eps, decay) * length, seed)


class LAMB(Optimizer):
    """Every parameter moves by `lr * phi(norm of the parameter)` in the direction `r + weight_decay x`.

    Args:
        params: see `Optimizer`; `parameter_groups` makes the usual exclusions.
        lr: learning rate, >= 0, a number or a 0-dim tensor: about the relative change of a parameter in one step.
        betas: factors of the two moving averages, in [0, 1); (0.9, 0.999) in the paper's runs.
        eps: > 0, added to the root of the second moment, in the gradient's unit; 1e-6 in the paper's runs.
        weight_decay: >= 0, inside the ratio; 0.01 in the paper's runs.
        bias_correction: as in public code; the paper's first versions have none.
        phi: bounds (lower, upper) on the norm of the parameter; none in public code.
        layer_adaptation: False makes this group's steps those of AdamW.
        adapt_without_decay: False skips the ratio where `weight_decay` is 0, as Apex and timm do unless told not to.
        max_ratio: upper bound of the ratio, by default none.
        options: those of `Optimizer`: max_grad_norm, maximize, on_nonfinite, foreach, fused, ...
    """

    presets = LAMB_PRESETS
    preset = classmethod(preset)

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
        adapt_without_decay=True,
        max_ratio=math.inf,
        **options,
    ):
        own = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "bias_correction": bias_correction,
            "phi": phi,
            "layer_adaptation": layer_adaptation,
            "adapt_without_decay": adapt_without_decay,
            "max_ratio": max_ratio,
        }
        super().__init__(params, own, options)

    def start(self, shape, dims):
        return {"m": shape, "v": shape}

    def update(self, w):
        (beta1, beta2), eps, decay = w.group["betas"], w.group["eps"], w.group["weight_decay"]
        weights = w.weight(beta1), w.weight(beta2)
        scales = (1.0, 1.0)
        if w.group["bias_correction"]:
            # m̂ = m / (1 − β₁ᵗ),  √v̂ = √v / √(1 − β₂ᵗ)
            scales = 1 / w.correction(beta1), w.correction(beta2) ** -0.5
        fixed = (*scales, eps, decay)
        yield w.checked()
        xx, uu = yield w.sweep(moments, (ALL, ALL), w.x, w.g, w.s["m"], w.s["v"], *weights, *fixed, w.scale, w.ok)
        # φ(‖x‖)/‖u‖
        adapt = w.group["layer_adaptation"] and (decay > 0 or w.group["adapt_without_decay"])
        ratio = trust_ratio(xx, uu, w.group["phi"], w.group["max_ratio"]) if adapt else 1.0
        w.report(ratio)
        # x ← x − η · φ(‖x‖)/‖u‖ · u
        yield w.sweep(descend, (), w.x, w.s["m"], w.s["v"], *fixed, ratio * w.lr, w.seed)
