"""Shampoo: a recorded run, by hand, and how it turns with its problem."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minilib.optim import Adagrad, Shampoo
from minilib.optim.shampoo import along, gram, inverse_root
from tests.optim.helpers import one_step

DEFAULTS = {
    "Shampoo": ({"lr": 1e-3, "momentum": 0.0, "eps": 1e-6, "weight_decay": 0.0}, "ours; the paper has no momentum")
}

RNG = np.random.default_rng(0)
STEPS = [RNG.normal(size=(3, 4)) for _ in range(4)]
X = RNG.normal(size=(3, 4))
QL, QR = (np.linalg.qr(RNG.normal(size=(n, n)))[0] for n in (3, 4))


def test_the_first_step_of_a_diagonal_matrix_by_hand():
    # L = R = diag(16, 81) + 9 I = diag(25, 90): 4 is divided by 25^(1/4) twice, 9 by sqrt(90)
    x = one_step(Shampoo, np.zeros((2, 2)), [[4, 0], [0, 9]], lr=0.1, eps=9.0)
    np.testing.assert_allclose(x, -0.1 * np.diag([0.8, 9 / np.sqrt(90)]), rtol=1e-12, atol=1e-16)


def test_on_diagonal_gradients_it_is_adagrad_with_eps_inside_the_root():
    steps = [np.diag(g[0, :3]) for g in STEPS]
    x = one_step(Shampoo, np.zeros((3, 3)), None, steps=steps, lr=0.1, eps=1e-12)
    adagrad = one_step(Adagrad, np.zeros((3, 3)), None, steps=steps, lr=0.1)
    np.testing.assert_allclose(x, adagrad, rtol=1e-6, atol=1e-12)


def test_on_a_scalar_it_is_plain_sgd_and_on_one_number_adagrad():
    np.testing.assert_allclose(one_step(Shampoo, 1, 3, lr=0.1), 0.7, rtol=1e-14)
    np.testing.assert_allclose(one_step(Shampoo, [1], [3], lr=0.1, eps=7.0), [1 - 0.1 * 3 / 4], rtol=1e-14)


def test_a_vector_gets_the_full_matrix_by_hand():
    # A = I + g gᵀ with ‖g‖² = 3: along g the eigenvalue is 4, so the step is g / 2
    np.testing.assert_allclose(
        one_step(Shampoo, np.zeros(3), [1, 1, 1], lr=0.1, eps=1.0), np.full(3, -0.05), rtol=1e-13
    )


def test_a_single_gradient_of_rank_one_takes_a_step_of_length_one():
    # σ u vᵀ: L and R have the eigenvalue σ² along u and v, so σ / (σ^(1/2) σ^(1/2)) = 1
    x = one_step(Shampoo, np.zeros((3, 4)), 7 * np.outer(QL[0], QR[0]), lr=0.1, eps=1e-8)
    np.testing.assert_allclose(x, -0.1 * np.outer(QL[0], QR[0]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_a_rotated_problem_is_solved_by_the_rotated_steps(momentum):
    options = {"lr": 0.1, "eps": 1e-2, "momentum": momentum, "weight_decay": 0.1}
    plain = one_step(Shampoo, X, None, steps=STEPS, **options)
    rotated = one_step(Shampoo, QL @ X @ QR.T, None, steps=[QL @ g @ QR.T for g in STEPS], **options)
    np.testing.assert_allclose(rotated, QL @ plain @ QR.T, rtol=1e-10, atol=1e-12)


def test_momentum_averages_the_gradient_before_the_roots():
    # two equal gradients: m = 0.5 g, then 0.75 g; L = R = 1 + 8, then 17
    x = one_step(Shampoo, [[0]], [[np.sqrt(8)]], steps=2, lr=0.1, eps=1.0, momentum=0.5)
    np.testing.assert_allclose(x, -0.1 * np.sqrt(8) * (0.5 / 3 + 0.75 / np.sqrt(17)), rtol=1e-13)


@given(scale=st.floats(0.1, 10))
def test_the_size_of_the_gradient_matters_only_through_eps(scale):
    plain = one_step(Shampoo, X, None, steps=STEPS, lr=0.1, eps=1e-3)
    scaled = one_step(Shampoo, X, None, steps=[scale * g for g in STEPS], lr=0.1, eps=1e-3 * scale**2)
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
