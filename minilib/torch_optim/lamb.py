"""LAMB (You et al. 2020, Algorithm 2) for PyTorch: Adam's direction, rescaled to the size of each parameter.

Two phases go over memory: the first updates the moments and sums the squares of weights and direction, the last takes
the step. The direction is computed in both, which is cheaper than to store it where it does not stay in the cache.
Absent, because no options here make them: LAMB as pytorch_optimizer has it by default (decay and bias correction
outside the ratio) and as bitsandbytes has it (a ratio of at most 1, and of 0 for a parameter of zeros).
"""

import math
from typing import Unpack

import torch
from torch.optim.optimizer import ParamsT

from minilib.torch_optim.base import Optimizer, correction
from minilib.torch_optim.options import Options, Pair, Rate
from minilib.torch_optim.phases import add_scaled, ema_, keep, on_sums, sum_of_squares, times

IDENTITY = (0.0, math.inf)
PAPER = {"eps": 1e-6, "bias_correction": True, "phi": IDENTITY, "adapt_without_decay": True, "max_grad_norm": None}


def trust_ratio(xx, uu, n):
    """φ(‖x‖)/‖u‖ of the squares xx and uu; 1 when either is zero, or is not adapted. No number leaves the device."""
    if not n["adapt"]:
        return torch.ones_like(xx)
    size, norm = xx.sqrt().clamp(*n["phi"]), uu.sqrt()
    return torch.where((size > 0) & (norm > 0), size / norm, 1.0)


def direction(x, s, n):
    """u = m̂ / (√v̂ + ε) + λ x, but for its first factor: m / (√v + eps) + decay x is u / scale."""
    m, v = s["exp_avg"], s["exp_avg_sq"]
    root = v.sqrt().add_(n["eps"])
    return add_scaled(torch.div(m, root, out=root), x, n["decay"])


def moments(x, g, s, sums, n):
    """Update m and v; sums ‖x‖² and ‖u/scale‖²."""
    # m_t = β₁ m_{t−1} + (1 − β₁) g_t
    ema_(s["exp_avg"], g, n["1 - beta1"])
    # v_t = β₂ v_{t−1} + (1 − β₂) g_t²
    ema_(s["exp_avg_sq"], g * g, n["1 - beta2"])
    u = direction(x, s, n)
    keep(s, u)
    return sum_of_squares(x), sum_of_squares(u)


@on_sums
def length(s, sums, n):
    """η · φ(‖x‖)/‖u‖ · scale."""
    xx, uu = sums
    return (trust_ratio(xx, uu * n["scale"] ** 2, n) * n["lr"] * n["scale"],)


def descend(x, g, s, sums, n):
    """x ← x − η · φ(‖x‖)/‖u‖ · u."""
    u = s.pop("u") if "u" in s else direction(x, s, n)
    return times(u, *sums)


class LAMB(Optimizer):
    """LAMB: every parameter x moves by `lr * phi(norm of x)` in the direction `r + weight_decay x`, r being Adam's.

    Example::

        groups = parameter_groups(model, weight_decay=0.01, layer_adaptation=False)  # which biases and norms go without
        opt = LAMB(groups, lr=1e-3)
        model(x).loss.backward()
        opt.step()
        opt.zero_grad()

    Args:
        params: tensors, (name, tensor) pairs, or groups with options of their own, as `torch.optim` takes them;
            `parameter_groups` makes the usual two.
        lr: >= 0, a number or a 0-dim tensor: about the relative change of a parameter in one step.
        betas: two in [0, 1): how much of the averages of the gradients and of their squares a step keeps.
        eps: > 0, added to the root of the averaged squares.
        weight_decay: >= 0, decoupled as in AdamW, but inside the ratio of the norms.
        bias_correction: divide both averages by what they lack at the start; the paper's first versions do not.
        phi: bounds (lower, upper) with 0 <= lower < upper on the norm of the parameter; none by default.
        layer_adaptation: False makes a group's steps AdamW's, as for biases and norms.
        adapt_without_decay: False skips the ratio where `weight_decay` is 0, as Apex and timm do unless told not to.
    """

    presets = {
        "paper": PAPER,
        "optax": PAPER,
        "tf-addons": PAPER,
        # NVIDIA Apex clips the joint norm of all gradients; without its argument use_nvlamb it is what timm took over.
        "nvlamb": PAPER | {"max_grad_norm": 1.0},
        "apex": PAPER | {"max_grad_norm": 1.0, "adapt_without_decay": False},
        "timm": PAPER | {"max_grad_norm": 1.0, "adapt_without_decay": False},
        # Only with its weight_decouple=False, adam_debias=True. There eps is also added to ‖u‖, here it is not.
        "pytorch_optimizer": PAPER | {"bias_correction": False, "phi": (0.0, 10.0)},
    }
    phases = moments, length, descend

    def __init__(
        self,
        params: ParamsT,
        lr: Rate = 1e-3,
        betas: Pair = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.01,
        bias_correction: bool = True,
        phi: Pair = IDENTITY,
        layer_adaptation: bool = True,
        adapt_without_decay: bool = True,
        **options: Unpack[Options],
    ):
        super().__init__(params, locals(), options)

    def state_shapes(self, shape, dims):
        return {"exp_avg": shape, "exp_avg_sq": shape}

    def numbers(self, group, t):
        (beta1, beta2), decay = group["betas"], group["weight_decay"]
        scale, eps = 1.0, group["eps"]
        if group["bias_correction"]:
            # m̂ = m / (1 − β₁ᵗ),  √v̂ = √v / √(1 − β₂ᵗ)
            root = correction(beta2, t) ** 0.5
            scale, eps = root / correction(beta1, t), eps * root
        adapt = group["layer_adaptation"] and (decay > 0 or group["adapt_without_decay"])
        rates = {"lr": group["lr"], "1 - beta1": 1 - beta1, "1 - beta2": 1 - beta2}
        fixed = {"scale": scale, "eps": eps, "decay": decay / scale}
        return rates, fixed | {"phi": tuple(group["phi"]), "adapt": adapt}
