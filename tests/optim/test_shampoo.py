"""Shampoo: its defaults, steps by hand, and its products of matrices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minilib.optim import Shampoo
from minilib.optim.shampoo import along, gram, inverse_root
from tests.optim.helpers import QL, QR, STEPS, X, after, by_hand

DEFAULTS = {
    "Shampoo": ({"lr": 1e-3, "momentum": 0.0, "eps": 1e-6, "weight_decay": 0.0}, "ours; the paper has no momentum")
}
ONE, AXES, LR = np.outer(QL[0], QR[0]), np.diag([0.8, 9 / np.sqrt(90)]), {"lr": 0.1}
ROOT8, TWO = np.sqrt(8), 0.5 / 3 + 0.75 / np.sqrt(17)
BY_HAND = [
    # L = R = diag(16, 81) + 9 I = diag(25, 90): 4 is divided by 25^(1/4) twice, 9 by sqrt(90)
    by_hand("diagonal", Shampoo, 0 * AXES, [np.diag([4, 9])], -0.1 * AXES, 1e-12, 1e-16, eps=9.0, **LR),
    by_hand("a scalar takes SGD's step", Shampoo, 1, [3], 0.7, rtol=1e-14, **LR),
    by_hand("one number takes Adagrad's", Shampoo, [1], [[3]], [1 - 0.1 * 3 / 4], rtol=1e-14, eps=7.0, **LR),
    # A = I + g gᵀ with ‖g‖² = 3: along g the eigenvalue is 4, so the step is g / 2
    by_hand("a vector", Shampoo, np.zeros(3), [[1, 1, 1]], np.full(3, -0.05), rtol=1e-13, eps=1.0, **LR),
    # σ u vᵀ: L and R have the eigenvalue σ² along u and v, so σ / (σ^(1/2) σ^(1/2)) = 1
    by_hand("rank one", Shampoo, 0 * ONE, [7 * ONE], -0.1 * ONE, 1e-9, 1e-12, eps=1e-8, **LR),
    # two equal gradients: m = 0.5 g, then 0.75 g, before the roots; L = R = 1 + 8, then 17
    by_hand("momentum", Shampoo, [[0]], 2 * [[[ROOT8]]], -0.1 * ROOT8 * TWO, 1e-13, eps=1.0, momentum=0.5, **LR),
]


@given(scale=st.floats(0.1, 10))
def test_the_size_of_the_gradient_matters_only_through_eps(scale):
    plain = after(Shampoo, X, STEPS, lr=0.1, eps=1e-3)
    scaled = after(Shampoo, X, [scale * g for g in STEPS], lr=0.1, eps=1e-3 * scale**2)
    np.testing.assert_allclose(scaled, plain, rtol=1e-9, atol=1e-12)


def test_the_helpers_are_the_matrix_products_that_they_say():
    g = STEPS[0]
    np.testing.assert_allclose(along(QL, g, 0), QL @ g, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(along(QR, g, 1), g @ QR.T, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(gram(g, 0), g @ g.T, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(gram(g, 1), g.T @ g, rtol=1e-13, atol=1e-14)
    A = gram(g, 0)
    np.testing.assert_allclose(np.linalg.matrix_power(inverse_root(A, 4, 1e-9), 4) @ A, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(inverse_root(np.zeros((2, 2)), 2, 0.25), 2 * np.eye(2), rtol=1e-14)
