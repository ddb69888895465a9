"""SOAP: a recorded run, where it is Adam, and how it turns with its problem."""

import numpy as np
import pytest

from minilib.optim import SOAP, Adam, AdamW
from tests.optim.helpers import Parameter, one_step

DEFAULTS = {
    "SOAP": (
        {"lr": 3e-3, "betas": (0.95, 0.95), "eps": 1e-8, "weight_decay": 1e-2, "precondition_frequency": 10},
        "the authors' code, of Vyas et al. 2024",
    )
}

RNG = np.random.default_rng(0)
STEPS = [RNG.normal(size=(3, 3)) for _ in range(9)]
X = RNG.normal(size=(3, 3))
QL, QR = (np.linalg.qr(RNG.normal(size=(3, 3)))[0] for _ in range(2))


def test_the_first_gradient_only_sets_the_basis():
    np.testing.assert_array_equal(one_step(SOAP, X, STEPS[0]), X)


def test_the_second_step_of_a_diagonal_matrix_by_hand():
    # The basis is that of the coordinates; Adam's first step is the sign, where the gradient is not 0.
    x = one_step(SOAP, np.zeros((2, 2)), [[4, 0], [0, -9]], steps=2, lr=0.1, eps=1e-9)
    np.testing.assert_allclose(x, [[-0.1, 0], [0, 0.1]], rtol=1e-8, atol=1e-15)


@pytest.mark.parametrize("frequency", [1, 3])
def test_on_diagonal_gradients_it_is_adam_one_gradient_later(frequency):
    # sizes in falling order, so that no two eigenvalues swap places
    steps = [np.diag([9.0, 4.0, 1.0] * np.sign(g[0])) * (1 + 0.1 * t) for t, g in enumerate(STEPS)]
    options = {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.0}
    soap = one_step(SOAP, X, None, steps=steps, precondition_frequency=frequency, **options)
    np.testing.assert_allclose(soap, one_step(Adam, X, None, steps=steps[1:], **options), rtol=1e-10)


def test_on_vectors_it_is_adamw_one_gradient_later():
    steps = [g[0] for g in STEPS]
    options = {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.3}
    soap = one_step(SOAP, X[0], None, steps=steps, **options)
    np.testing.assert_allclose(soap, one_step(AdamW, X[0], None, steps=steps[1:], **options), rtol=1e-13)


@pytest.mark.parametrize("frequency", [1, 3])
def test_a_rotated_problem_is_solved_by_the_rotated_steps(frequency):
    options = {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.1, "precondition_frequency": frequency}
    plain = one_step(SOAP, X, None, steps=STEPS, **options)
    rotated = one_step(SOAP, QL @ X @ QR.T, None, steps=[QL @ g @ QR.T for g in STEPS], **options)
    np.testing.assert_allclose(rotated, QL @ plain @ QR.T, rtol=1e-9, atol=1e-11)
    adam = [one_step(Adam, a, None, steps=s, lr=0.1) for a, s in ((X, STEPS), (QL @ X, [QL @ g for g in STEPS]))]
    assert np.abs(adam[1] - QL @ adam[0]).max() > 0.01, "Adam would have passed too"


def test_the_basis_stays_orthogonal_and_finds_the_eigenvectors_of_steady_gradients():
    p = Parameter(np.zeros((3, 3)))
    opt, scale = SOAP([p], precondition_frequency=1), np.diag([9.0, 3.0, 1.0])
    first = RNG.normal(size=(3, 3))
    for t in range(400):
        p.grad = first if t == 0 else QL @ scale @ QR.T
        opt.step()
    for i, Q in enumerate((QL, QR)):
        basis = opt.state[0][f"Q{i}"]
        np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(np.abs(Q.T @ basis), np.eye(3), atol=1e-6)
