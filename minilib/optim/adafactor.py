"""Adafactor (Shazeer & Stern 2018): Adam without momentum, its second moment kept as row and column means.

A matrix of n x m needs n + m numbers of state. The last two dimensions are factored, as in the paper and in torch;
vectors and scalars keep the full second moment. Absent on purpose: momentum inside Adafactor (CAME adds it),
factoring other dimensions, the minimum size for factoring that some implementations have.
"""

from math import prod

import numpy as np

from minilib.optim.base import Optimizer, ema
from minilib.optim.checks import EPS_PAIR, RANGES
from minilib.optim.trust import norm


def rms(a: np.ndarray) -> float:
    """Root of the mean square of all entries."""
    return norm(a) / a.size**0.5


def factored_size(shape: tuple[int, ...]) -> int:
    """Row and column means of a matrix (of each matrix in a stack); a vector keeps every number."""
    return prod(shape[:-1]) + prod(shape[:-2] + shape[-1:]) if len(shape) > 1 else prod(shape)


def factored_means(s: dict, names: tuple[str, str], g2: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """The moving averages r and c of the row and column means of `g2`, kept in `s` under `names`.

    Means instead of the paper's sums: the product is the same, and the state has the unit of `g2`.
    """
    # r_t = β r_{t−1} + (1 − β) (row means),  c_t likewise over columns
    return ema(s, names[0], g2.mean(axis=-1), beta), ema(s, names[1], g2.mean(axis=-2), beta)


def factored_ema(s: dict, names: tuple[str, str], g2: np.ndarray, beta: float) -> np.ndarray:
    """The moving average of `g2`, kept as row and column means and multiplied out; same shape as `g2`."""
    r, c = factored_means(s, names, g2, beta)
    # v̂ = r c / mean(r)
    return (r / r.mean(axis=-1, keepdims=True))[..., :, None] * c[..., None, :]


def over_root(u: np.ndarray, r: np.ndarray, c: np.ndarray) -> np.ndarray:
    """u / √v̂ with v̂ = r c / mean(r), root by root: the product of two small means would be 0 in float32."""
    rows = np.sqrt(r.mean(axis=-1, keepdims=True)) / root(r)
    return u * rows[..., :, None] / root(c)[..., None, :]


def root(v: np.ndarray) -> np.ndarray:
    """√v; zero, as where an epsilon is 0 in float32, counts as the least number that is not."""
    return np.sqrt(np.maximum(v, np.finfo(v.dtype).tiny))


class Adafactor(Optimizer):
    """Algorithms 4 to 6 of the paper, and the fixed-learning-rate form.

    Args:
        lr: with `relative_step`, the largest relative step (the paper's 1e-2); without, the learning rate.
        beta2_decay: the exponent -τ of beta2_t = 1 - t^-τ; the paper's is -0.8. No bias correction is needed.
        eps: (eps1, eps2): eps1 is added to g^2, eps2 is the least size that a parameter is taken to have.
        d: the root mean square above which an update is scaled down.
        weight_decay: decoupled, times `lr` (as in torch; others take the step size alpha).
        relative_step: step size max(eps2, RMS(x)) min(lr, 1/sqrt(t)); False takes `lr` itself.
    """

    ranges = RANGES | EPS_PAIR
    look, passes = ("green", "--"), "x g r; g r; x g r, x w"

    @staticmethod
    def state_size(shape, **_):
        return factored_size(shape)

    def __init__(
        self, params, lr=1e-2, beta2_decay=-0.8, eps=(1e-30, 1e-3), d=1.0, weight_decay=0.0, relative_step=True
    ):
        super().__init__(
            params, lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay, relative_step=relative_step
        )

    def update(self, x, g, s):
        t = s["step"]
        # α_t = max(ε₂, RMS(x)) ρ_t,  ρ_t = min(lr, 1/√t)
        lr = max(self.eps[1], rms(x)) * min(self.lr, t**-0.5) if self.relative_step else self.lr
        # β̂₂ = 1 − t^−τ
        u = self.clipped_direction(g, s, beta2=1 - t**self.beta2_decay)
        # x ← (1 − lr λ) x, as in torch: the argument lr, not α
        x -= self.lr * self.weight_decay * x
        # x ← x − α Û
        x -= lr * u

    def clipped_direction(self, g: np.ndarray, s: dict, beta2: float) -> np.ndarray:
        """Û = U / max(1, RMS(U)/d) with U = g / √v̂; same shape as `g`."""
        g2 = g**2 + self.eps[0]
        # u = g / √v̂: row and column means for matrices, the full average for vectors
        u = over_root(g, *factored_means(s, ("r", "c"), g2, beta2)) if g.ndim >= 2 else g / root(ema(s, "v", g2, beta2))
        return u / max(1.0, rms(u) / self.d)
