"""Adafactor (Shazeer & Stern 2018) for PyTorch: Adam without momentum, its second moment factored.

Three phases go over a matrix: the sums of g² along rows and columns, the sizes of update and parameter, the step. The
factored second moment is never written out. Absent on purpose: momentum (CAME adds it), transformers' warmup_init,
timm's AdafactorBigVision, and torch's form, which bounds the second moment from below by an epsilon of its data type,
where the paper adds 1e-30 to the squared gradient: small gradients in bfloat16 then hardly move a parameter.

The second moment is kept as row and column means. A tensor is factored over two of its dimensions, rows a < columns b;
the others make it a batch of matrices. Means keep the dimension that they were taken over, with size 1 (the row means
of n x m are n x 1), so that they broadcast, and are sharded like the tensor. Phases see the two as their last ones.
"""

import math
from typing import Literal, Unpack

import torch
from torch.optim.optimizer import ParamsT

from minilib.optim.checks import EPS_PAIR
from minilib.torch_optim.base import Optimizer
from minilib.torch_optim.options import Options, Pair, Rate
from minilib.torch_optim.phases import COLUMNS, ROWS, add_scaled, dim_sum, ema_, keep, on_sums, sum_of_squares, times

LAST = {"factor": "last", "min_dim_size_to_factor": 0}
PAPER = {"eps": (1e-30, 1e-3), "relative_step": True, "scale_parameter": None, "decay_by": "lr"} | LAST
OPTAX = {"relative_step": False, "scale_parameter": True, "decay_by": "one"}


def factored_dims(shape, which, least):
    """The dimensions (a, b) of a whole tensor that are factored, or None where one is shorter than `least`.

    `which`: "largest", the two largest dimensions (of equal ones the later); "last", the last two, as in the papers;
    "first".
    """
    n = len(shape)
    if n < 2 or math.prod(shape) == 0:
        return None
    largest = tuple(sorted(sorted(range(n), key=lambda k: (shape[k], k))[-2:]))
    dims = {"largest": largest, "last": (n - 2, n - 1), "first": (0, 1)}[which]
    return dims if min(shape[k] for k in dims) >= least else None


def mean_shapes(shape, dims):
    """Shapes of the row means and of the column means of a tensor of this shape."""
    return [tuple(1 if k == gone else size for k, size in enumerate(shape)) for gone in reversed(dims)]


def update_means(r, c, sums, eps, weight, n):
    """r, c ← averages of the row and column means + eps; returns a sum over r, or over c where r is cut in rows."""
    rows, columns = sums
    ema_(r, rows / n["columns"] + eps, weight)
    ema_(c, columns / n["rows"] + eps, weight)
    return (c.sum(-1, keepdim=True), ROWS) if n["rows_cut"] else (r.sum(-2, keepdim=True), COLUMNS)


def inverse_roots(r, c, total, n):
    """p and q with p q = 1/√v̂, where v̂ = r c / mean(r)."""
    mean = total / (n["columns"] if n["rows_cut"] else n["rows"])
    return inverse_root(r) * mean.sqrt(), inverse_root(c)


def inverse_root(v):
    """1/√v. Zero, as before the first step of a parameter, counts as the least number that is not."""
    return v.clamp(min=torch.finfo(v.dtype).tiny).rsqrt_()


def squares(x, g, s, sums, n):
    """Sums of g² along the rows and along the columns."""
    g2 = g * g
    return dim_sum(g2, ROWS), dim_sum(g2, COLUMNS)


@on_sums
def means(s, sums, n):
    """r_t, c_t: averages of the row and column means of g² + ε₁."""
    return (update_means(s["row_var"], s["col_var"], sums, n["eps1"], n["1 - beta2"], n),)


@on_sums
def roots(s, sums, n):
    """p and q for the rest of this step."""
    s["p"], s["q"] = inverse_roots(s["row_var"], s["col_var"], *sums, n)
    return ()


def direction(g, s):
    """u = g/√v̂."""
    if "u" in s:
        return s.pop("u")
    return (g * s["p"]).mul_(s["q"]) if "p" in s else inverse_root(s["variance"]).mul_(g)


def sizes(x, g, s, sums, n):
    """Sums ‖u‖², and ‖x‖² where the size of the parameter counts: the two are read side by side."""
    u = direction(g, s)
    keep(s, u)
    return (sum_of_squares(u), sum_of_squares(x)) if n["scaled"] else (sum_of_squares(u),)


up_to_size = squares, means, roots, sizes  # the phases that CAME shares


def full_moment(x, g, s, sums, n):
    """For what is not factored: v_t ← β v + (1 − β)(g² + ε₁); then the same sums."""
    ema_(s["variance"], (g * g).add_(n["eps1"]), n["1 - beta2"])
    return sizes(x, g, s, sums, n)


def clip(uu, n):
    """1 / max(1, RMS(u)/d)."""
    return 1 / ((uu / n["entries"]).sqrt() / n["d"]).clamp(min=1.0)


@on_sums
def lengths(s, sums, n):
    """α_t = max(ε₂, RMS(x)) ρ_t, and how long Û is: α_t / max(1, RMS(u)/d)."""
    uu, *xx = sums
    alpha = n["rho"] * (xx[0] / n["entries"]).sqrt().clamp(min=n["eps2"]) if xx else uu * 0 + n["rho"]
    return alpha, alpha * clip(uu, n)


def descend(x, g, s, sums, n):
    """x ← x − decay · λ x − α Û."""
    alpha, length = sums
    decay = {"lr": n["lr"], "step": alpha, "one": n["one"]}[n["decay_by"]]
    return with_decay(direction(g, s), length, x, decay * n["weight_decay"])


def with_decay(u, length, x, decay):
    """length · u + decay · x, written into u where it has to be stored."""
    stored = isinstance(length, torch.Tensor) or isinstance(decay, torch.Tensor) or decay
    return add_scaled(u.mul_(length), x, decay) if stored else times(u, length)


class Adafactor(Optimizer):
    """Adafactor: Adam without momentum, its squares kept as means of rows and columns. Algorithm 6 by default.

    Example::

        opt = Adafactor(model.parameters())  # the paper's relative steps
        opt = Adafactor(model.parameters(), lr=1e-3, relative_step=False)  # a rate that a schedule may set
        model(x).loss.backward()
        opt.step()
        opt.zero_grad()

    Args:
        params: tensors, (name, tensor) pairs, or groups with options of their own, as `torch.optim` takes them.
        lr: >= 0, a number or a 0-dim tensor: with `relative_step` the largest relative step, else the learning rate.
        beta2_decay: the exponent -τ in [-1, 0) of beta2_t = 1 - t^-τ, the share of the averaged squares that is kept.
        eps: (eps1, eps2) > 0: eps1 is added to the squared gradient, eps2 the least size a parameter is taken to have.
        d: > 0, the root mean square above which an update is scaled down.
        weight_decay: decoupled, >= 0; the paper has none.
        relative_step: the rate is min(lr, 1/sqrt(t)); False takes `lr` itself.
        scale_parameter: the rate is times max(eps2, RMS(x)); None does as `relative_step`.
        decay_by: what multiplies the decay: "lr" as in torch, "step" (the step size) as in transformers and timm,
            "one" as in optax (but where lr is 0 nothing moves here, and optax's weights shrink: torch's checkpoint
            functions begin the state of a new optimizer with such a step, which has to leave the weights alone).
        factor: which two dimensions of a tensor are the rows and columns whose means are kept: the two "largest" (of
            equal ones the later), the "last" two, as in torch, or the "first" two. The paper knows matrices only.
        min_dim_size_to_factor: where one of the two is shorter the squares are kept in full.
    """

    ranges = Optimizer.ranges | EPS_PAIR
    presets = {
        "paper": PAPER,  # it knows matrices only, and no decay
        # Without relative_step these two still scale by the size of the parameter, unless scale_parameter=False too.
        # The second with its betas=(None, ...), the form without momentum.
        **dict.fromkeys(("transformers", "pytorch_optimizer"), PAPER | {"decay_by": "step", "scale_parameter": True}),
        # It factors dimensions above 16, a kernel's first two, else its last two (here: not at all). Where you would
        # give timm a learning rate, add relative_step=False.
        "timm": PAPER | {"decay_by": "step", "factor": "first", "min_dim_size_to_factor": 17},
        "optax": PAPER | OPTAX | {"factor": "largest", "min_dim_size_to_factor": 128},
    }
    factored = *up_to_size, lengths, descend
    full = full_moment, lengths, descend

    def __init__(
        self,
        params: ParamsT,
        lr: Rate = 1e-2,
        beta2_decay: float = -0.8,
        eps: Pair = (1e-30, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        relative_step: bool = True,
        scale_parameter: bool | None = None,
        decay_by: Literal["lr", "step", "one"] = "lr",
        factor: Literal["largest", "last", "first"] = "largest",
        min_dim_size_to_factor: int = 0,
        **options: Unpack[Options],
    ):
        super().__init__(params, locals(), options)

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
        one = lr.sign() if isinstance(lr, torch.Tensor) else float(lr > 0)  # where the rate is 0 nothing moves
        return {"lr": lr, "rho": rho, "one": one, "1 - beta2": t ** group["beta2_decay"]}, fixed
