"""SGD: its defaults, steps by hand, and at its edges."""

import numpy as np
import pytest
import torch

from minilib.optim import SGD
from tests.optim.helpers import after, by_hand

DEFAULTS = {"SGD": ({"lr": 1e-3, "momentum": 0.0, "weight_decay": 0.0, "nesterov": False}, torch.optim.SGD)}
BY_HAND = [
    # g + 0.5 x = (3 + 0.5, -1 + 1) = (3.5, 0);  x - 0.1 (3.5, 0) = (0.65, 2)
    by_hand("plain", SGD, [1, 2], [[3, -1]], [0.65, 2.0], lr=0.1, weight_decay=0.5),
    # b = 2, then 0.5 * 2 + 2 = 3;  x = 1 - 0.1 * 2 - 0.1 * 3 = 0.5
    by_hand("momentum", SGD, 1, [2, 2], 0.5, lr=0.1, momentum=0.5),
    # b = 2, direction 2 + 0.5 * 2 = 3;  b = 3, direction 2 + 0.5 * 3 = 3.5;  x = 1 - 0.3 - 0.35 = 0.35
    by_hand("Nesterov", SGD, 1, [2, 2], 0.35, lr=0.1, momentum=0.5, nesterov=True),
]


def test_a_steady_gradient_ends_up_stronger_by_one_over_one_minus_momentum():
    x, y = (after(SGD, 0, steps * [1], lr=1.0, momentum=0.9) for steps in (400, 401))
    np.testing.assert_allclose(x - y, 1 / (1 - 0.9), rtol=1e-12)


def test_nesterov_without_momentum_is_refused_wherever_it_is_asked_for(parameter):
    refused = pytest.raises(ValueError, match="nesterov=True needs momentum > 0")
    with refused:
        SGD([parameter], nesterov=True)
    with refused:
        SGD([{"params": [parameter], "momentum": 0.0}], momentum=0.9, nesterov=True)
    opt = SGD([parameter], momentum=0.9, nesterov=True)
    with refused:
        opt.momentum = 0.0
    assert opt.momentum == 0.9
