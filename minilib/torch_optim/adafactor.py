"""Adafactor (Shazeer & Stern 2018) for PyTorch: Adam without momentum, its second moment factored.

Three phases go over a matrix: the sums of g² along rows and columns, the sizes of update and parameter, the step. The
factored second moment is never written out. Absent on purpose: momentum (CAME adds it).
"""

import torch

from minilib.torch_optim.base import Optimizer
from minilib.torch_optim.checks import EPS_PAIR
from minilib.torch_optim.factored import (
    LARGEST,
    factored_dims,
    inverse_root,
    inverse_roots,
    mean_shapes,
    update_means,
)
from minilib.torch_optim.phases import COLUMNS, ROWS, add_scaled, along, between, follow, squared
from minilib.torch_optim.presets import ADAFACTOR_PRESETS, preset


def squares(x, g, s, sums, n):
    """Sums of g² along the rows and along the columns."""
    g2 = g * g
    return along(g2, ROWS), along(g2, COLUMNS)


@between
def means(s, sums, n):
    """r_t, c_t: averages of the row and column means of g² + ε₁."""
    return (update_means(s["row_var"], s["col_var"], sums, n["eps1"], n["1 - beta2"], n),)


@between
def roots(s, sums, n):
    """p and q for the rest of this step: v̂ = r c / mean(r), 1/√v̂ = p q."""
    s["p"], s["q"] = inverse_roots(s["row_var"], s["col_var"], *sums, n)
    return ()


def direction(g, s):
    """u = g/√v̂."""
    return (g * s["p"]).mul_(s["q"]) if "p" in s else inverse_root(s["variance"]).mul_(g)


def sizes(x, g, s, sums, n):
    """Sums ‖u‖², and ‖x‖² where the size of the parameter counts: the two are read side by side."""
    u = direction(g, s)
    return (squared(u), squared(x)) if n["scaled"] else (squared(u),)


def full_moment(x, g, s, sums, n):
    """For what is not factored: v_t ← β v + (1 − β)(g² + ε₁); then the same sums."""
    follow(s["variance"], (g * g).add_(n["eps1"]), n["1 - beta2"])
    return sizes(x, g, s, sums, n)


def clip(uu, n):
    """1 / max(1, RMS(u)/d)."""
    return 1 / ((uu / n["entries"]).sqrt() / n["d"]).clamp(min=1.0)


@between
def lengths(s, sums, n):
    """α_t = max(ε₂, RMS(x)) ρ_t, and how long Û is: α_t / max(1, RMS(u)/d)."""
    uu, *xx = sums
    alpha = n["rho"] * (xx[0] / n["entries"]).sqrt().clamp(min=n["eps2"]) if xx else uu * 0 + n["rho"]
    return alpha, alpha * clip(uu, n)


def descend(x, g, s, sums, n):
    """x ← x − decay · λ x − α Û."""
    alpha, length = sums
    decay = {"lr": n["lr"], "step": alpha, "one": n["one"]}[n["decay_by"]]
    return add_scaled(direction(g, s).mul_(length), x, decay * n["weight_decay"])


class Adafactor(Optimizer):
    """Algorithms 4 to 6 of the paper, and the forms with a learning rate. The defaults are those of Algorithm 6.

    Args:
        params: see `Optimizer`.
        lr: with `relative_step` the largest relative step; without, the learning rate.
        beta2_decay: the exponent -τ of beta2_t = 1 - t^-τ, in [-1, 0).
        eps: (eps1, eps2): eps1 is added to g^2, eps2 the least size (root mean square) that a parameter is taken to
            have.
        d: the root mean square above which an update is scaled down.
        weight_decay: decoupled, >= 0; the paper has none.
        relative_step: the rate is min(lr, 1/sqrt(t)); False takes `lr` itself.
        scale_parameter: the rate is times max(eps2, RMS(x)); None does as `relative_step`.
        decay_by: what multiplies the decay: "lr" as in torch, "step" (the step size) as in transformers and timm,
            "one" as in optax (the weights then shrink even where lr is 0).
        factor, min_dim_size_to_factor: see `factored_dims`; the paper factors matrices, torch the "last" two.
        options: those of `Optimizer`.
    """

    ranges = Optimizer.ranges | EPS_PAIR
    presets = ADAFACTOR_PRESETS
    preset = classmethod(preset)
    factored = squares, means, roots, sizes, lengths, descend
    full = full_moment, lengths, descend

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(1e-30, 1e-3),
        d=1.0,
        weight_decay=0.0,
        relative_step=True,
        scale_parameter=None,
        decay_by="lr",
        factor=LARGEST,
        min_dim_size_to_factor=0,
        **options,
    ):
        own = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "relative_step": relative_step,
            "scale_parameter": scale_parameter,
            "decay_by": decay_by,
            "factor": factor,
            "min_dim_size_to_factor": min_dim_size_to_factor,
        }
        super().__init__(params, own, options)

    def dims(self, shape, group):
        return factored_dims(shape, group["factor"], group["min_dim_size_to_factor"])

    def state_shapes(self, shape, dims):
        return dict(zip(("row_var", "col_var"), mean_shapes(shape, dims), strict=True)) if dims else {"variance": shape}

    def phases_of(self, shape, dims):
        return self.factored if dims else self.full

    def numbers(self, group, t):
        # β̂₂ = 1 − t^−τ,  ρ_t = min(lr, 1/√t)
        lr, relative, scaled = group["lr"], group["relative_step"], group["scale_parameter"]
        rho = lr
        if relative:
            rho = (t**-0.5).clamp(max=lr) if isinstance(t, torch.Tensor) else min(lr, t**-0.5)
        fixed = {name: group[name] for name in ("d", "weight_decay", "decay_by")}
        fixed |= {"eps1": group["eps"][0], "eps2": group["eps"][1], "scaled": relative if scaled is None else scaled}
        return {"lr": lr, "rho": rho, "one": 1.0, "1 - beta2": t ** group["beta2_decay"]}, fixed
