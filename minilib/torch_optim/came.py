"""CAME (Luo et al. 2023, Algorithm 2) for PyTorch: Adafactor with momentum, trusted where updates agree with it.

Four sweeps over a matrix: those of Adafactor up to the size of the update, then momentum and instability, then the
step. Conventions of the authors' code, not in the paper: what is not factored skips the confidence, and weight decay
is decoupled. Absent on purpose: relative step sizes.
"""

from minilib.torch_optim.adafactor import Adafactor
from minilib.torch_optim.base import Optimizer
from minilib.torch_optim.checks import BETAS_TRIPLE
from minilib.torch_optim.factored import LARGEST, mean_of_means, mean_shapes, normalised
from minilib.torch_optim.kernels import column_sums, divisor, read, write
from minilib.torch_optim.presets import CAME_PRESETS


def instability(g, r, c, m, length, weight, eps2, scale, ok, dims):
    """m_t ← β₁ m + (1 − β₁) û; returns the sums of U = (û − m)² + ε₂ along the rows and along the columns."""
    u = normalised(read(g, m.dtype, scale, ok), r, c) * length
    m.lerp_(u, weight)
    U = (u - m) * (u - m) + eps2
    return U.sum(dims[1], keepdim=True), column_sums(U, dims[0])


def descend(x, m, R, C, shrink, length, seed):
    """θ ← (1 − shrink) θ − length · m/√(R C)."""
    write(x, x.to(m.dtype) * shrink + normalised(m, R, C) * length, seed)


def descend_full(x, g, v, m, weight, shrink, length, lr, scale, ok, seed):
    """The same without confidence: m ← β₁ m + (1 − β₁) û, θ ← (1 − shrink) θ − η m."""
    m.lerp_(read(g, m.dtype, scale, ok) * divisor(v, ok).rsqrt() * length, weight)
    write(x, x.to(m.dtype) * shrink + m * lr, seed)


class CAME(Adafactor):
    """Adafactor's clipped direction, averaged and divided by the root of its factored instability.

    Args:
        params: see `Optimizer`.
        lr: learning rate, >= 0. This and the next three are the paper's for BERT-Large.
        betas: factors for momentum, second moment and instability, in [0, 1).
        eps: (eps1, eps2), added to g^2 and to the instability.
        d: the root mean square above which the direction is scaled down.
        weight_decay: decoupled, times lr; the paper's algorithm has none.
        correct_confidence: divide the instability by 1 - beta3^t. Not in the paper, without it a matrix's first step
            is about 11 lr, a vector's 0.1 lr.
        factor, min_dim_size_to_factor: see `factored_dims`; the authors' code takes the "last" two.
        options: those of `Optimizer`.
    """

    ranges = Adafactor.ranges | BETAS_TRIPLE
    presets = CAME_PRESETS

    def __init__(
        self,
        params,
        lr=2e-4,
        betas=(0.9, 0.999, 0.9999),
        eps=(1e-30, 1e-16),
        d=1.0,
        weight_decay=0.0,
        correct_confidence=False,
        factor=LARGEST,
        min_dim_size_to_factor=0,
        **options,
    ):
        own = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "correct_confidence": correct_confidence,
            "factor": factor,
            "min_dim_size_to_factor": min_dim_size_to_factor,
        }
        Optimizer.__init__(self, params, own, options)

    def start(self, shape, dims):
        pairs = dict(zip("RC", mean_shapes(shape, dims), strict=True)) if dims else {}
        return super().start(shape, dims) | {"m": shape} | pairs

    def update(self, w):
        (beta1, beta2, beta3), eps2 = w.group["betas"], w.group["eps"][1]
        lr, weight = w.lr, w.weight(beta1)
        shrink = lr * w.group["weight_decay"]
        _, *moments, length = yield self.clipped_direction(w, beta2)
        x, g, m = w.x, w.g, w.s["m"]
        if w.dims is None:
            # m_t = β₁ m_{t−1} + (1 − β₁) û_t,  θ ← θ − η m
            yield w.sweep(descend_full, (), x, g, *moments, m, weight, shrink, length, lr, w.scale, w.ok, w.seed)
            return
        # U_t = (û_t − m_t)² + ε₂, averaged along rows and columns
        (a, b), R, C = w.dims, w.s["R"], w.s["C"]
        args = g, *moments, m, length, weight, eps2, w.scale, w.ok
        rows, columns = yield w.sweep(instability, (b, a), *args, dims=w.dims)
        R.lerp_(rows / w.size(b), w.weight(beta3))
        C.lerp_(columns / w.size(a), w.weight(beta3))
        R, C = divisor(R, w.ok), divisor(C, w.ok)
        # θ ← θ − η m/√S,  S = R C / mean(R)
        mean = yield mean_of_means(w, R, C)
        if w.group["correct_confidence"]:
            mean = mean * w.correction(beta3)
        yield w.sweep(descend, (), x, m, R, C, shrink, mean.sqrt() * lr, w.seed)
