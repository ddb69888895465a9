"""SGD against torch, by hand, and at its edges."""

import numpy as np
import pytest
import torch

from minilib.optim import SGD
from tests.optim.helpers import one_step

DEFAULTS = {"SGD": ({"lr": 1e-3, "momentum": 0.0, "weight_decay": 0.0, "nesterov": False}, torch.optim.SGD)}


def test_a_plain_step_by_hand():
    # g + 0.5 x = (3 + 0.5, -1 + 1) = (3.5, 0);  x - 0.1 (3.5, 0) = (0.65, 2)
    x = one_step(SGD, [1, 2], [3, -1], lr=0.1, weight_decay=0.5)
    np.testing.assert_allclose(x, [0.65, 2.0], rtol=1e-15)


def test_two_momentum_steps_by_hand():
    # b = 2, then 0.5 * 2 + 2 = 3;  x = 1 - 0.1 * 2 - 0.1 * 3 = 0.5
    np.testing.assert_allclose(one_step(SGD, 1, 2, steps=2, lr=0.1, momentum=0.5), 0.5, rtol=1e-15)


def test_two_nesterov_steps_by_hand():
    # b = 2, direction 2 + 0.5 * 2 = 3;  b = 3, direction 2 + 0.5 * 3 = 3.5;  x = 1 - 0.3 - 0.35 = 0.35
    x = one_step(SGD, 1, 2, steps=2, lr=0.1, momentum=0.5, nesterov=True)
    np.testing.assert_allclose(x, 0.35, rtol=1e-15)


def test_a_steady_gradient_ends_up_stronger_by_one_over_one_minus_momentum():
    x = one_step(SGD, 0, 1, steps=400, lr=1.0, momentum=0.9)
    y = one_step(SGD, 0, 1, steps=401, lr=1.0, momentum=0.9)
    np.testing.assert_allclose(x - y, 1 / (1 - 0.9), rtol=1e-12)


def test_nesterov_without_momentum_is_refused_wherever_it_is_asked_for(parameter):
    with pytest.raises(ValueError, match="nesterov=True needs momentum > 0"):
        SGD([parameter], nesterov=True)
    with pytest.raises(ValueError, match="nesterov=True needs momentum > 0"):
        SGD([{"params": [parameter], "momentum": 0.0}], momentum=0.9, nesterov=True)
    opt = SGD([parameter], momentum=0.9, nesterov=True)
    with pytest.raises(ValueError, match="nesterov=True needs momentum > 0"):
        opt.momentum = 0.0
    assert opt.momentum == 0.9
