"""Muon (Jordan et al. 2024): momentum whose matrix is made orthogonal, so that all directions move alike.

For matrices only, as in torch: biases, norms and, by the author's advice, embeddings belong to another optimizer
(see `together`). Absent on purpose: bfloat16 (torch runs the iteration in it), other coefficients as an option.
"""

from math import prod

import numpy as np

from minilib.optim.base import Optimizer
from minilib.optim.sgd import SGD
from minilib.optim.trust import norm

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
LEAST_NORM = 1e-7


def newton_schulz(G: np.ndarray, steps: int = 5, coefficients: tuple = COEFFICIENTS) -> np.ndarray:
    """A matrix with G's singular vectors and all singular values near 1 (0.7 to 1.2 for all but the smallest).

    The iteration applies the odd polynomial a σ + b σ³ + c σ⁵ to every singular value, with products only.
    """
    a, b, c = coefficients
    # X = G / ‖G‖, lying: no singular value above 1, the smaller Gram matrix
    X = G / max(norm(G), LEAST_NORM)
    X = X.T if G.shape[0] > G.shape[1] else X
    for _ in range(steps):
        # X ← a X + (b A + c A²) X with A = X Xᵀ
        A = X @ X.T
        X = a * X + (b * A + c * A @ A) @ X
    return X.T if G.shape[0] > G.shape[1] else X


class Muon(SGD):
    """`x <- x - lr k O` with O the orthogonalised momentum and a factor k for the shape.

    Args:
        params: matrices only.
        lr: learning rate.
        momentum: in [0, 1). torch averages gradients where SGD sums them: O does not see the difference.
        weight_decay: decoupled, times lr.
        nesterov: look ahead by one momentum step.
        ns_steps: Newton-Schulz iterations, an integer >= 1.
        adjust_lr_fn: "original" takes k = sqrt(max(1, rows/columns)), "match_rms_adamw" k = 0.2 sqrt(max(rows,
            columns)), so that the entries of a step have a root mean square of about 0.2 lr, like AdamW's.

    ValueError: a parameter is not a matrix.
    """

    look, passes = ("black", "-."), "g m r, m w; x m r, x w"

    @staticmethod
    def state_size(shape, **_):
        return prod(shape) * (1 if len(shape) == 2 else 2)  # what is no matrix goes to AdamW

    def __init__(
        self, params, lr=1e-3, momentum=0.95, weight_decay=0.1, nesterov=True, ns_steps=5, adjust_lr_fn="original"
    ):
        options = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay, "nesterov": nesterov}
        Optimizer.__init__(self, params, **options, ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn)

    def add_param_group(self, group):
        super().add_param_group(group)
        for name, p in zip(self.param_groups[-1]["names"], self.param_groups[-1]["params"], strict=True):
            if p.data.ndim != 2:
                self.param_groups.pop()
                raise ValueError(f"Muon takes matrices only, {name} has shape {p.data.shape}: give it to AdamW")

    def update(self, x, g, s):
        rows, columns = x.shape
        # m_t = β m_{t−1} + g_t,  Nesterov: g_t + β m_t
        m = self.momentum_step(g, s)
        original = self.adjust_lr_fn == "original"
        k = max(1, rows / columns) ** 0.5 if original else 0.2 * max(rows, columns) ** 0.5
        # x ← (1 − η λ) x
        x -= self.lr * self.weight_decay * x
        # x ← x − η k NS(m)
        x -= self.lr * k * newton_schulz(m, self.ns_steps)
