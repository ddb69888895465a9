"""Adagrad and RMSProp against torch, by hand, and what a rescaled gradient does to them."""

import numpy as np
import torch

from minilib.optim import Adagrad, RMSProp
from tests.optim.helpers import one_step

DEFAULTS = {
    "Adagrad": ({"lr": 1e-2, "eps": 1e-10, "weight_decay": 0.0}, torch.optim.Adagrad),
    "RMSProp": ({"lr": 1e-2, "alpha": 0.99, "eps": 1e-8, "weight_decay": 0.0}, torch.optim.RMSprop),
}


def test_adagrad_divides_by_the_root_of_the_sum_by_hand():
    # v = 9, then 25;  x = 1 - 0.1 * 3/3 - 0.1 * 4/5 = 0.82
    x = one_step(Adagrad, 1, None, steps=[3, 4], lr=0.1, eps=1e-300)
    np.testing.assert_allclose(x, 0.82, rtol=1e-15)


def test_rmsprop_divides_by_the_root_of_the_average_by_hand():
    # v = 0.25 * 16 = 4, then 0.75 * 4 + 0.25 * 4 = 4;  x = 1 - 0.1 * 4/2 - 0.1 * 2/2 = 0.7
    x = one_step(RMSProp, 1, None, steps=[4, 2], lr=0.1, alpha=0.75, eps=1e-300)
    np.testing.assert_allclose(x, 0.7, rtol=1e-15)


def test_eps_stands_outside_the_root():
    # root of 9 is 3;  outside: 3 / (3 + 1) = 0.75, inside it would be 3 / sqrt(10) = 0.949
    np.testing.assert_allclose(one_step(Adagrad, 0, 3, lr=1.0, eps=1.0), -0.75, rtol=1e-15)
    np.testing.assert_allclose(one_step(RMSProp, 0, 3, lr=1.0, alpha=0.0, eps=1.0), -0.75, rtol=1e-15)
