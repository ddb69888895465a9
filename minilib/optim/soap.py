"""SOAP (Vyas et al. 2024, Algorithm 3): Adam in the eigenbasis of Shampoo's matrices.

Vectors and scalars take Adam's steps. As in the authors' code the first gradient only sets the basis, and the basis
is refreshed by one power iteration and a QR decomposition every few steps. Their code keeps the first moment in the
coordinates of the weights, here it turns with the basis: the same numbers. Absent on purpose: merging small axes,
leaving out long ones.
"""

from math import prod

import numpy as np

from minilib.optim.adam import AdamW
from minilib.optim.base import Optimizer, ema
from minilib.optim.shampoo import along, gram


class SOAP(AdamW):
    """AdamW on the rotated gradient, rotated back.

    Args:
        lr, eps, weight_decay: as in AdamW.
        betas: factors of the two moving averages; the second is also that of Shampoo's matrices.
        precondition_frequency: steps from one refresh of the basis to the next, an integer >= 1.
    """

    look, passes = ("pink", "-."), "g r; x g m v r, x m v w"

    @staticmethod
    def state_size(shape, **_):
        return 2 * prod(shape) + (2 * sum(n * n for n in shape) if len(shape) > 1 else 0)

    def __init__(self, params, lr=3e-3, betas=(0.95, 0.95), eps=1e-8, weight_decay=1e-2, precondition_frequency=10):
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        Optimizer.__init__(self, params, **options, precondition_frequency=precondition_frequency)

    bias_correction = True

    def update(self, x, g, s):
        axes = range(g.ndim) if g.ndim >= 2 else ()
        if "m" in s:
            # G' = Q_Lᵀ G Q_R
            rotated = g
            for i in axes:
                rotated = along(s[f"Q{i}"].T, rotated, i)
            # N' = Adam's direction of G', counting from the second gradient;  N = Q_L N' Q_Rᵀ
            u = self.direction(rotated, s | {"step": s["step"] - 1})
            for i in axes:
                u = along(s[f"Q{i}"], u, i)
            # x ← (1 − η λ) x,  x ← x − η N
            x -= self.lr * self.weight_decay * x
            x -= self.lr * u
        else:
            s["m"], s["v"] = np.zeros_like(g), np.zeros_like(g)
        for i in axes:
            # L ← β₂ L + (1 − β₂) G Gᵀ,  R likewise
            ema(s, f"L{i}", gram(g, i), self.betas[1])
            if (s["step"] - 1) % self.precondition_frequency == 0:
                self.refresh(i, s)

    def refresh(self, i: int, s: dict) -> None:
        """Turn the basis of axis `i`, and the moments with it, towards the eigenvectors of its matrix."""
        L = s[f"L{i}"]
        if f"Q{i}" not in s:
            s[f"Q{i}"] = np.linalg.eigh(L)[1][:, ::-1].copy()
            return
        Q = s[f"Q{i}"]
        # columns in the order of their eigenvalues, then one power iteration, orthonormalised
        order = np.argsort(-np.sum(Q * (L @ Q), axis=0), kind="stable")
        s[f"Q{i}"] = np.linalg.qr(L @ Q[:, order])[0]
        # V goes with its column; M' = Q_newᵀ Q_old M'
        s["v"] = np.take(s["v"], order, axis=i)
        s["m"] = along(s[f"Q{i}"].T @ Q, s["m"], i)
