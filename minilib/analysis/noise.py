"""How noisy is a mini-batch gradient, and which batch is big enough? (McCandlish et al. 2018)

The noise scale tr(Sigma) / |G|^2 is the batch at which noise and signal have the same size: G is the full gradient,
Sigma the covariance of one sample's gradient. Exact on a finite sum; from two batch sizes where only mini-batch
gradients can be had. Absent on purpose: the Hessian-weighted scale tr(H Sigma) / G'HG ("How big is a big batch?"
computes it on a quadratic, where H is known).
"""

import numpy as np


def noise_scale(sample_grads: np.ndarray) -> float:
    """tr(Sigma) / |G|^2, in samples, exactly, from the gradients of all samples: shape (n, d).

    ValueError: fewer than two samples.
    """
    g = np.asarray(sample_grads, float)
    if g.ndim != 2 or len(g) < 2:
        raise ValueError(f"sample_grads must have shape (n, d) with n >= 2, got {g.shape}")
    mean = g.mean(axis=0)
    return float(((g - mean) ** 2).sum(axis=1).mean() / (mean @ mean))


def two_batch(small: float, big: float, b_small: int, b_big: int) -> tuple[float, float]:
    """Unbiased estimates of |G|^2 and tr(Sigma) from the squared norms of two mini-batch gradients.

    Args:
        small, big: |g|^2 of a gradient averaged over `b_small` and over `b_big` samples.

    Each estimate is unbiased, their ratio is not: average both over many steps first, then divide.

    ValueError: not 1 <= b_small < b_big.
    """
    if not 1 <= b_small < b_big:
        raise ValueError(f"batches must satisfy 1 <= b_small < b_big, got {b_small} and {b_big}")
    # E|g_b|² = |G|² + tr(Σ)/b, for both b; solve the two equations
    signal = (b_big * big - b_small * small) / (b_big - b_small)
    noise = (small - big) / (1 / b_small - 1 / b_big)
    return signal, noise
