"""SOAP: its defaults, steps by hand, and its basis."""

import numpy as np

from minilib.optim import SOAP
from tests.optim.helpers import QL, STEPS, Parameter, X, by_hand

DEFAULTS = {
    "SOAP": (
        {"lr": 3e-3, "betas": (0.95, 0.95), "eps": 1e-8, "weight_decay": 1e-2, "precondition_frequency": 10},
        "the authors' code, of Vyas et al. 2024",
    )
}
G, OTHER = [[4, 0], [0, -9]], np.linalg.qr(X[:, :3])[0]
BY_HAND = [
    by_hand("the first gradient only sets the basis", SOAP, X, STEPS[:1], X, rtol=0),
    # The basis is that of the coordinates; Adam's first step is the sign, where the gradient is not 0.
    by_hand("the second step", SOAP, 0 * X[:2, :2], [G, G], [[-0.1, 0], [0, 0.1]], 1e-8, 1e-15, lr=0.1, eps=1e-9),
]


def test_the_basis_stays_orthogonal_and_finds_the_eigenvectors_of_steady_gradients():
    p = Parameter(np.zeros((3, 3)))
    opt, scale = SOAP([p], precondition_frequency=1), np.diag([9.0, 3.0, 1.0])
    first = STEPS[0][:, :3]
    for t in range(400):
        p.grad = first if t == 0 else QL @ scale @ OTHER.T
        opt.step()
    for i, Q in enumerate((QL, OTHER)):
        basis = opt.state[0][f"Q{i}"]
        np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(np.abs(Q.T @ basis), np.eye(3), atol=1e-6)
