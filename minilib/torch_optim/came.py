"""CAME (Luo et al. 2023, Algorithm 2) for PyTorch: Adafactor with momentum, trusted where updates agree with it.

Four phases go over a matrix: those of Adafactor up to the size of the update, momentum and instability, the step. The
conventions are those of `minilib.optim.came`; a matrix that is not factored keeps its instability in full.
"""

from typing import Literal, Unpack

from torch.optim.optimizer import ParamsT

from minilib.optim.checks import BETAS_TRIPLE
from minilib.torch_optim import adafactor
from minilib.torch_optim.adafactor import LAST, Adafactor, inverse_root, mean_shapes, with_decay
from minilib.torch_optim.base import Optimizer, correction
from minilib.torch_optim.options import Options, Pair, Rate
from minilib.torch_optim.phases import COLUMNS, ROWS, add_scaled, dim_sum, ema_, on_sums

PAPER = {"eps": (1e-30, 1e-16), "correct_confidence": False} | LAST


@on_sums
def clipping(s, sums, n):
    """1 / max(1, RMS(u)/d), which makes û of u."""
    return (adafactor.clip(sums[0], n),)


def averaged(g, s, sums, n):
    """m_t = β₁ m_{t−1} + (1 − β₁) û_t; returns (û_t − m_t)², which is U_t but for ε₂."""
    u, m = adafactor.direction(g, s).mul_(sums[0]), s["exp_avg"]
    ema_(m, u, n["1 - beta1"])
    return u.sub_(m).square_()


def instability(x, g, s, sums, n):
    """Its sums along the rows and along the columns."""
    U = averaged(g, s, sums, n)
    return dim_sum(U, ROWS), dim_sum(U, COLUMNS)


@on_sums
def confidence_means(s, sums, n):
    """R_t, C_t: averages of the row and column means of U_t."""
    return (adafactor.update_means(s["row_res"], s["col_res"], sums, n["eps2"], n["1 - beta3"], n),)


@on_sums
def confidence_roots(s, sums, n):
    """1/√S, S = R C / mean(R), as two factors."""
    return adafactor.inverse_roots(s["row_res"], s["col_res"], *sums, n)


def descend(x, g, s, sums, n):
    """θ ← θ − η λ θ − η m/√S."""
    P, Q = sums
    return with_decay((s["exp_avg"] * P).mul_(Q), n["step"], x, n["lr"] * n["weight_decay"])


def full_instability(x, g, s, sums, n):
    """The same with a full S, for a matrix that is not factored."""
    ema_(s["res"], averaged(g, s, sums, n).add_(n["eps2"]), n["1 - beta3"])
    step = inverse_root(s["res"]).mul_(s["exp_avg"])
    return with_decay(step, n["step"], x, n["lr"] * n["weight_decay"])


def momentum(x, g, s, sums, n):
    """The same without confidence, for a vector: θ ← θ − η λ θ − η m."""
    averaged(g, s, sums, n)
    return add_scaled(s["exp_avg"] * n["lr"], x, n["lr"] * n["weight_decay"])


class CAME(Adafactor):
    """CAME: Adafactor's clipped direction, averaged, and divided by the root of how much it disagrees with its average.

    Example::

        opt = CAME(model.parameters(), lr=2e-4, correct_confidence=True)
        model(x).loss.backward()
        opt.step()
        opt.zero_grad()

    Args:
        params: tensors, (name, tensor) pairs, or groups with options of their own, as `torch.optim` takes them.
        lr: >= 0, a number or a 0-dim tensor; 2e-4 in the paper's run of BERT-Large.
        betas: three in [0, 1): what a step keeps of the momentum, of the squares and of the disagreement.
        eps: (eps1, eps2) > 0, added to the squared gradient and to the disagreement.
        d: > 0, the root mean square above which the direction is scaled down.
        weight_decay: >= 0, decoupled, times `lr`; the paper has none.
        factor: which two dimensions of a tensor are the rows and columns whose means are kept: the two "largest" (of
            equal ones the later), the "last" two, as in the authors' code, or the "first" two.
        min_dim_size_to_factor: where one of the two is shorter squares and disagreement are kept in full.
        correct_confidence: divide the instability by 1 - beta3^t. Not in the paper, without it a matrix's first step
            is about 11 lr, a vector's 0.1 lr.
    """

    ranges = Adafactor.ranges | BETAS_TRIPLE
    presets = {"paper": PAPER, "came-pytorch": PAPER, "pytorch_optimizer": PAPER}
    factored = *adafactor.up_to_size, clipping, instability, confidence_means, confidence_roots, descend
    full = adafactor.full_moment, clipping, full_instability
    vector = adafactor.full_moment, clipping, momentum

    def __init__(
        self,
        params: ParamsT,
        lr: Rate = 2e-4,
        betas: tuple[float, float, float] = (0.9, 0.999, 0.9999),
        eps: Pair = (1e-30, 1e-16),
        d: float = 1.0,
        weight_decay: float = 0.0,
        correct_confidence: bool = False,
        factor: Literal["largest", "last", "first"] = "largest",
        min_dim_size_to_factor: int = 0,
        **options: Unpack[Options],
    ):
        Optimizer.__init__(self, params, locals(), options)

    def state_shapes(self, shape, dims):
        state = super().state_shapes(shape, dims) | {"exp_avg": shape}
        if dims:
            return state | dict(zip(("row_res", "col_res"), mean_shapes(shape, dims), strict=True))
        return state | {"res": shape} if len(shape) > 1 else state

    def phases_of(self, shape, dims):
        return self.factored if dims else self.full if len(shape) > 1 else self.vector

    def numbers(self, group, t):
        (beta1, beta2, beta3), (eps1, eps2) = group["betas"], group["eps"]
        step = group["lr"] * correction(beta3, t) ** 0.5 if group["correct_confidence"] else group["lr"]
        weights = {"1 - beta1": 1 - beta1, "1 - beta2": 1 - beta2, "1 - beta3": 1 - beta3}
        fixed = {"eps1": eps1, "eps2": eps2, "d": group["d"], "weight_decay": group["weight_decay"], "scaled": False}
        return {"lr": group["lr"], "step": step} | weights, fixed


class WithoutConfidence(CAME):
    """Adafactor with momentum (Luo et al. 2023, Algorithm 1): CAME that takes its averaged direction as it is.

    Example::

        opt = WithoutConfidence(model.parameters(), lr=1e-3)

    Args:
        params: tensors, (name, tensor) pairs, or groups with options of their own, as `torch.optim` takes them.
        lr: >= 0, a number or a 0-dim tensor.
        betas: three in [0, 1): what a step keeps of the momentum and of the squares; the third is not read.
        eps: (eps1, eps2) > 0: eps1 is added to the squared gradient; eps2 is not read.
        d: > 0, the root mean square above which the direction is scaled down.
        weight_decay: >= 0, decoupled, times `lr`; the paper has none.
        factor: which two dimensions of a tensor are the rows and columns whose means are kept: the two "largest" (of
            equal ones the later), the "last" two, or the "first" two.
        min_dim_size_to_factor: where one of the two is shorter the squares are kept in full.
        correct_confidence: changes nothing, since no disagreement is kept.
    """

    factored = *adafactor.up_to_size, clipping, momentum
    full = vector = adafactor.full_moment, clipping, momentum

    def state_shapes(self, shape, dims):
        return Adafactor.state_shapes(self, shape, dims) | {"exp_avg": shape}
