"""Shampoo (Gupta, Koren & Singer 2018, Algorithms 1 and 2): Adagrad with a matrix for each side of the gradient.

For a vector this is full-matrix Adagrad. Absent on purpose: what makes it fast and tame in practice (stale roots,
blocks of large matrices, moving averages, grafting of another method's step length).
"""

from math import prod

import numpy as np

from minilib.optim.base import Optimizer, ema


def along(A: np.ndarray, g: np.ndarray, axis: int) -> np.ndarray:
    """`g` with the matrix `A` applied along `axis`: A g for axis 0 of a matrix, g Aᵀ for axis 1."""
    return np.moveaxis(np.tensordot(A, g, axes=(1, axis)), 0, axis)


def gram(g: np.ndarray, axis: int) -> np.ndarray:
    """The inner products of the slices of `g` along `axis`: g gᵀ for axis 0 of a matrix, gᵀ g for axis 1."""
    unfolded = np.moveaxis(g, axis, 0).reshape(g.shape[axis], -1)
    return unfolded @ unfolded.T


def inverse_root(A: np.ndarray, p: int, least: float) -> np.ndarray:
    """A^(-1/p) of a symmetric matrix whose eigenvalues, but for rounding, are at least `least` > 0."""
    w, Q = np.linalg.eigh(A)
    return (Q * np.maximum(w, least) ** (-1 / p)) @ Q.T


class Shampoo(Optimizer):
    """`x <- x - lr L^(-1/4) m R^(-1/4)` for matrices; a tensor of order k has k matrices and the exponent -1/(2k).

    Args:
        lr: learning rate.
        momentum: factor of a moving average of the gradient, in [0, 1); the matrices see the gradient itself.
        eps: the matrices start at eps times the identity, > 0.
        weight_decay: an l2 penalty.
    """

    look, passes = ("pink", ":"), "g r; x g r, x w"

    @staticmethod
    def state_size(shape, momentum=0.0, **_):
        return sum(n * n for n in shape) + (prod(shape) if momentum else 0)

    def __init__(self, params, lr=1e-3, momentum=0.0, eps=1e-6, weight_decay=0.0):
        super().__init__(params, lr=lr, momentum=momentum, eps=eps, weight_decay=weight_decay)

    def update(self, x, g, s):
        g = g + self.weight_decay * x
        u = ema(s, "m", g, self.momentum) if self.momentum else g
        for i, n in enumerate(g.shape):
            # L ← L + G Gᵀ,  R ← R + Gᵀ G, from ε I
            L = s.setdefault(f"L{i}", self.eps * np.eye(n, dtype=g.dtype))
            L += gram(g, i)
            # u ← L^(−1/4) m R^(−1/4), one side after the other
            u = along(inverse_root(L, 2 * g.ndim, self.eps), u, i)
        x -= self.lr * u
