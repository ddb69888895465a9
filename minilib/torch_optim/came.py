"""CAME (Luo et al. 2023, Algorithm 2) for PyTorch: Adafactor with momentum, trusted where updates agree with it.

Four sweeps over a matrix: those of Adafactor up to the size of the update, the instability, momentum and step.
Conventions of the authors' code, not in the paper: what is not factored skips the confidence, and weight decay is
decoupled. Absent on purpose: relative step sizes.
"""

from minilib.torch_optim.adafactor import Adafactor
from minilib.torch_optim.base import Optimizer
from minilib.torch_optim.checks import BETAS_TRIPLE
from minilib.torch_optim.factored import LARGEST, inverse_root, mean_shapes
from minilib.torch_optim.kernels import column_sums, divisor, read, write
from minilib.torch_optim.presets import CAME_PRESETS
from minilib.torch_optim.work import hints

# For the compiler: compute the instability anew for the sums over columns, which is cheaper than to store it.
NOTHING_STORED = {"realize_opcount_threshold": 1000, "realize_reads_threshold": 1000}


@hints(flat=False, **NOTHING_STORED)
def instability(g, p, q, m, length, weight, eps2, scale, ok, dims):
    """Sums of U = (û − m_t)² + ε₂ along the rows and along the columns; û − m_t = β₁ (û − m_{t−1})."""
    rest = (read(g, m.dtype, scale, ok) * p * q * length - m) * (1 - weight)
    U = rest * rest + eps2
    return U.sum(dims[1], keepdim=True), column_sums(U, dims[0])


def descend(x, g, p, q, m, length, weight, P, Q, shrink, lr, scale, ok, seed):
    """m_t ← β₁ m + (1 − β₁) û,  θ ← (1 − shrink) θ − lr · m P Q, with 1/√S = P Q."""
    m.lerp_(read(g, m.dtype, scale, ok) * p * q * length, weight)
    write(x, x.to(m.dtype) * shrink + m * P * Q * lr, seed)


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
        _, *moments, length, _ = yield self.clipped_direction(w, beta2)
        x, g, m = w.x, w.g, w.s["m"]
        if w.dims is None:
            # m_t = β₁ m_{t−1} + (1 − β₁) û_t,  θ ← θ − η m
            yield w.sweep(descend_full, (), x, g, *moments, m, weight, shrink, length, lr, w.scale, w.ok, w.seed)
            return
        # U_t = (û_t − m_t)² + ε₂, averaged along rows and columns
        (a, b), R, C = w.dims, w.s["R"], w.s["C"]
        momentum = *moments, m, length, weight
        rows, columns = yield w.sweep(instability, (b, a), g, *momentum, eps2, w.scale, w.ok, dims=w.dims)
        R.lerp_(rows / w.size(b), w.weight(beta3))
        C.lerp_(columns / w.size(a), w.weight(beta3))
        # m_t = β₁ m_{t−1} + (1 − β₁) û_t,  θ ← θ − η m/√S,  S = R C / mean(R)
        P, Q = yield inverse_root(w, divisor(R, w.ok), divisor(C, w.ok))
        lr = lr * w.correction(beta3) ** 0.5 if w.group["correct_confidence"] else lr
        yield w.sweep(descend, (), x, g, *momentum, P, Q, shrink, lr, w.scale, w.ok, w.seed)
