"""LARS (You, Gitman & Ginsburg 2017) for PyTorch, and Algorithm 1 of the LAMB paper, `LARS2020`.

Two sweeps over memory: the norms, the step. In `LARS2020` the first also updates the momentum, whose norm it takes.
Absent on purpose: LARC's clipping of the ratio, dampening.
"""

from minilib.torch_optim.base import Optimizer
from minilib.torch_optim.checks import EPS_OR_ZERO
from minilib.torch_optim.kernels import read, squared, write
from minilib.torch_optim.many import where
from minilib.torch_optim.presets import LARS_PRESETS, preset
from minilib.torch_optim.trust import IDENTITY, trust_ratio
from minilib.torch_optim.work import ALL


def norms(x, g, decay, scale, ok, dtype, joint_norm):
    """‖w‖² and ‖g‖², or ‖g + β w‖² in place of the second."""
    g, x = read(g, dtype, scale, ok), x.to(dtype)
    if joint_norm:
        g = g + decay * x
    return squared(x), squared(g)


def descend(x, g, m, momentum, decay, into, out, scale, ok, seed, nesterov):
    """v ← μ v + into · (g + β w); w ← w − out · v."""
    step = (read(g, m.dtype, scale, ok) + decay * x.to(m.dtype)) * into
    m.mul_(momentum).add_(step)
    write(x, (step + m * momentum if nesterov else m) * out, seed)


class LARS(Optimizer):
    """The 2017 form, in the comments with that paper's letters: learning rate γ, momentum μ, decay β, trust η.

    Args:
        params: see `Optimizer`; `parameter_groups` makes the usual exclusions.
        lr: global learning rate, >= 0, a number or a 0-dim tensor; 1 as in timm, 0.2 to 23 in the paper's runs.
        momentum: in [0, 1); 0.9 as in MLPerf's reference and optax.
        weight_decay: added to the gradient, and to the denominator of the ratio.
        trust_coefficient: η, > 0; 0.001 in the paper's runs.
        layer_adaptation: False makes this group's steps plain momentum SGD.
        scaled_momentum: True as in the paper: lr and ratio are inside the buffer, so a change of lr acts on new
            gradients only. False keeps lr outside, as timm and pytorch_optimizer do; the same while lr is constant.
        joint_norm: divide by ‖g + β w‖, as optax does, and not by ‖g‖ + β‖w‖.
        nesterov: look ahead by one momentum step, as MLPerf's reference can.
        eps: added to the denominator, >= 0, in the gradient's unit; the paper has none.
        adapt_without_decay: False skips the ratio where `weight_decay` is 0, as timm does unless told not to.
        options: those of `Optimizer`.

    A parameter of zeros, or one with no gradient and no decay, has the ratio 1.
    """

    ranges = Optimizer.ranges | EPS_OR_ZERO
    presets = LARS_PRESETS
    preset = classmethod(preset)

    def __init__(
        self,
        params,
        lr=1.0,
        momentum=0.9,
        weight_decay=0.0,
        trust_coefficient=1e-3,
        layer_adaptation=True,
        scaled_momentum=True,
        joint_norm=False,
        nesterov=False,
        eps=0.0,
        adapt_without_decay=True,
        **options,
    ):
        own = {
            "lr": lr,
            "momentum": momentum,
            "weight_decay": weight_decay,
            "trust_coefficient": trust_coefficient,
            "layer_adaptation": layer_adaptation,
            "scaled_momentum": scaled_momentum,
            "joint_norm": joint_norm,
            "nesterov": nesterov,
            "eps": eps,
            "adapt_without_decay": adapt_without_decay,
        }
        super().__init__(params, own, options)

    def start(self, shape, dims):
        return {"m": shape}

    def update(self, w):
        momentum, decay, joint = w.group["momentum"], w.group["weight_decay"], w.group["joint_norm"]
        x, g, m = w.x, w.g, w.s["m"]
        ratio = 1.0
        if w.group["layer_adaptation"] and (decay > 0 or w.group["adapt_without_decay"]):
            ww, gg = yield w.sweep(norms, (ALL, ALL), x, g, decay, w.scale, w.ok, dtype=w.dtype, joint_norm=joint)
            # λˡ = η ‖w‖ / (‖g‖ + β ‖w‖)
            size, norm = ww.sqrt(), gg.sqrt()
            if not joint:
                norm = norm + size * decay
            ratio = size * w.group["trust_coefficient"] / (norm + w.group["eps"])
            ratio = where((size > 0) & (norm > 0), ratio, 1.0)
        else:
            yield w.checked()
        w.report(ratio)
        # v ← μ v + γ λˡ (g + β w),  w ← w − v; γ outside the buffer if it is not scaled
        into, out = (ratio * w.lr, 1.0) if w.group["scaled_momentum"] else (ratio, w.lr)
        momentum, into, out = w.kept(momentum, into, out)
        nesterov = w.group["nesterov"]
        yield w.sweep(descend, (), x, g, m, momentum, decay, into, out, w.scale, w.ok, w.seed, nesterov=nesterov)


def average(x, g, m, weight, decay, scale, ok):
    """m ← (1 − weight) m + weight (g + λ x); returns ‖x‖² and ‖m‖²."""
    x32 = x.to(m.dtype)
    m.lerp_(read(g, m.dtype, scale, ok) + decay * x32, weight)
    return squared(x32), squared(m)


def follow(x, m, length, seed):
    """x ← x − length · m."""
    write(x, m * length, seed)


class LARS2020(Optimizer):
    """Every parameter moves by `lr * phi(norm of the parameter)` along an average of its gradients.

    Args:
        params, lr, weight_decay, layer_adaptation, options: as in `LARS`.
        momentum: beta_1, factor of the moving average of g + weight_decay x (no bias correction).
        phi: bounds (lower, upper) on the norm of the parameter, by default none.
    """

    def __init__(self, params, lr=1e-2, momentum=0.9, weight_decay=0.0, phi=IDENTITY, layer_adaptation=True, **options):
        own = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "phi": phi}
        super().__init__(params, own | {"layer_adaptation": layer_adaptation}, options)

    def start(self, shape, dims):
        return {"m": shape}

    def update(self, w):
        yield w.checked()
        # m_t = β₁ m_{t−1} + (1 − β₁)(g_t + λ x)
        weight, decay = w.weight(w.group["momentum"]), w.group["weight_decay"]
        xx, mm = yield w.sweep(average, (ALL, ALL), w.x, w.g, w.s["m"], weight, decay, w.scale, w.ok)
        ratio = trust_ratio(xx, mm, w.group["phi"]) if w.group["layer_adaptation"] else 1.0
        w.report(ratio)
        # x ← x − η φ(‖x‖)/‖m‖ m
        yield w.sweep(follow, (), w.x, w.s["m"], ratio * w.lr, w.seed)
