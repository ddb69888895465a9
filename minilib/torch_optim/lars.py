"""LARS (You, Gitman & Ginsburg 2017) for PyTorch, and Algorithm 1 of the LAMB paper, `LARS2020`.

Two phases go over memory: the norms, the step. In `LARS2020` the first also updates the momentum, whose norm it takes.
Absent on purpose: LARC's and timm's clipping of the ratio, dampening, Nesterov's look ahead (MLPerf's reference can).
"""

from typing import Unpack

import torch
from torch.optim.optimizer import ParamsT

from minilib.optim.checks import NOT_NEGATIVE
from minilib.torch_optim.base import Optimizer
from minilib.torch_optim.lamb import IDENTITY, trust_ratio
from minilib.torch_optim.options import Options, Pair, Rate
from minilib.torch_optim.phases import add_scaled, ema_, on_sums, plus, sum_of_squares, times

PAPER = {"scaled_momentum": True, "joint_norm": False, "eps": 0.0, "adapt_without_decay": True}


def norms(x, g, s, sums, n):
    """Sums ‖w‖² and ‖g‖², or ‖g + β w‖² in place of the second."""
    if n["joint_norm"]:
        g = plus(g, x, n["weight_decay"])
    return sum_of_squares(x), sum_of_squares(g)


@on_sums
def lengths(s, sums, n):
    """What multiplies g + β w on its way into the buffer: λˡ = η ‖w‖ / (‖g‖ + β ‖w‖), times γ if that is inside."""
    size, norm = (square.sqrt() for square in sums)
    if not n["adapt"]:
        return (torch.ones_like(size) * n["into"],)
    if not n["joint_norm"]:
        norm = norm + size * n["weight_decay"]
    ratio = size * n["trust_coefficient"] / (norm + n["eps"])
    return (torch.where((size > 0) & (norm > 0), ratio, 1.0) * n["into"],)


def descend(x, g, s, sums, n):
    """v ← μ v + into · (g + β w); w ← w − out · v."""
    (into,), v = sums, s["momentum_buffer"].mul_(1 - n["1 - momentum"])
    add_scaled(add_scaled(v, g, into), x, into * n["weight_decay"])
    return times(v, n["out"])


class LARS(Optimizer):
    """LARS as of 2017: momentum SGD whose rate is, for each parameter w, `trust_coefficient` ‖w‖/(‖g‖ + decay ‖w‖).

    Example::

        groups = parameter_groups(model, weight_decay=1e-4, layer_adaptation=False)  # which biases and norms go without
        opt = LARS(groups, lr=4.0, momentum=0.9)
        model(x).loss.backward()
        opt.step()
        opt.zero_grad()

    In the comments with the paper's letters: learning rate γ, momentum μ, decay β, trust η.

    Args:
        params: tensors, (name, tensor) pairs, or groups with options of their own, as `torch.optim` takes them;
            `parameter_groups` makes the usual two.
        lr: >= 0, a number or a 0-dim tensor; 1 as in timm, 0.2 to 23 in the paper's runs.
        momentum: in [0, 1): how much of the sum of all steps so far a step keeps.
        weight_decay: >= 0, added to the gradient as its share of w, and to the denominator.
        trust_coefficient: > 0, the paper's eta, 0.001 there.
        layer_adaptation: False makes a group's steps plain momentum SGD, as for biases and norms.
        scaled_momentum: True as in the paper: lr and ratio are inside the buffer, so a change of lr acts on new
            gradients only. False keeps lr outside, as timm and pytorch_optimizer do; the same while lr is constant.
        joint_norm: divide by ‖g + β w‖, as optax does, and not by ‖g‖ + β‖w‖.
        eps: added to the denominator, >= 0, in the gradient's unit; the paper has none.
        adapt_without_decay: False skips the ratio where `weight_decay` is 0, as timm does unless told not to.

    A parameter of zeros, or one with no gradient and no decay, has the ratio 1.
    """

    ranges = Optimizer.ranges | {"eps": NOT_NEGATIVE}
    presets = {
        "paper": PAPER,
        # Where a gradient is exactly zero but the decay is not, timm's ratio is 1, here it is the formula's.
        "timm": PAPER | {"scaled_momentum": False, "eps": 1e-8, "adapt_without_decay": False},
        "optax": PAPER | {"joint_norm": True},
        # It leaves vectors and scalars alone: they need a group with layer_adaptation=False and weight_decay=0.
        "pytorch_optimizer": PAPER | {"scaled_momentum": False},
        "mlperf": PAPER | {"eps": 1e-7},  # its epsilon is 0 by name, and 0 means Keras's 1e-7 there
    }
    phases = norms, lengths, descend
    as_vectors = False

    def __init__(
        self,
        params: ParamsT,
        lr: Rate = 1.0,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        trust_coefficient: float = 1e-3,
        layer_adaptation: bool = True,
        scaled_momentum: bool = True,
        joint_norm: bool = False,
        eps: float = 0.0,
        adapt_without_decay: bool = True,
        **options: Unpack[Options],
    ):
        super().__init__(params, locals(), options)

    def state_shapes(self, shape, dims):
        return {"momentum_buffer": shape}

    def numbers(self, group, t):
        # v ← μ v + γ λˡ (g + β w),  w ← w − v; γ outside the buffer if it is not scaled
        into, out = (group["lr"], 1.0) if group["scaled_momentum"] else (1.0, group["lr"])
        fixed = {name: group[name] for name in ("weight_decay", "trust_coefficient", "joint_norm", "eps")}
        adapt = group["layer_adaptation"] and (group["weight_decay"] > 0 or group["adapt_without_decay"])
        return {"into": into, "out": out, "1 - momentum": 1 - group["momentum"]}, fixed | {"adapt": adapt}


def average(x, g, s, sums, n):
    """m_t = β₁ m_{t−1} + (1 − β₁)(g_t + λ x); sums ‖x‖² and ‖m‖²."""
    m = s["momentum_buffer"]
    ema_(m, plus(g, x, n["weight_decay"]), n["1 - momentum"])
    return sum_of_squares(x), sum_of_squares(m)


@on_sums
def length2020(s, sums, n):
    """η · φ(‖x‖)/‖m‖."""
    return (trust_ratio(*sums, n) * n["lr"],)


def descend2020(x, g, s, sums, n):
    """x ← x − η φ(‖x‖)/‖m‖ m."""
    return times(s["momentum_buffer"], *sums)


class LARS2020(Optimizer):
    """LARS as Algorithm 1 of the LAMB paper: every parameter moves by `lr * phi(its norm)` along averaged gradients.

    Example::

        opt = LARS2020(parameter_groups(model, weight_decay=1e-4, layer_adaptation=False), lr=1e-2)

    Args:
        params: tensors, (name, tensor) pairs, or groups with options of their own, as `torch.optim` takes them;
            `parameter_groups` makes the usual two.
        lr: >= 0, a number or a 0-dim tensor: the relative change of a parameter in one step.
        momentum: in [0, 1): how much of the average of `g + weight_decay x` a step keeps; not corrected at the start.
        weight_decay: >= 0, inside the average.
        phi: bounds (lower, upper) with 0 <= lower < upper on the norm of the parameter; none by default.
        layer_adaptation: False moves a group by `lr` times the average, as for biases and norms.
    """

    phases = average, length2020, descend2020
    state_shapes = LARS.state_shapes

    def __init__(
        self,
        params: ParamsT,
        lr: Rate = 1e-2,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        phi: Pair = IDENTITY,
        layer_adaptation: bool = True,
        **options: Unpack[Options],
    ):
        super().__init__(params, locals(), options)

    def numbers(self, group, t):
        rates = {"lr": group["lr"], "1 - momentum": 1 - group["momentum"]}
        fixed = {"weight_decay": group["weight_decay"], "phi": tuple(group["phi"]), "adapt": group["layer_adaptation"]}
        return rates, fixed
