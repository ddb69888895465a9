"""Adam, AdamW and AMSGrad against torch, by hand, and their invariances."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from minilib.optim import Adam, AdamW, AMSGrad, RMSProp
from tests.optim.helpers import Parameter, one_step

ADAM = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "bias_correction": True}
DEFAULTS = {
    "Adam": (ADAM | {"weight_decay": 0.0}, torch.optim.Adam),
    "AMSGrad": (ADAM | {"weight_decay": 0.0}, torch.optim.Adam),
    "AdamW": (ADAM | {"weight_decay": 1e-2}, torch.optim.AdamW),
}
CLASSES = [Adam, AdamW, AMSGrad]
every_class = pytest.mark.parametrize("cls", CLASSES)


def test_two_adam_steps_by_hand():
    # beta = (1/2, 3/4), gradients 2, 4.
    # t=1: m = 1, v = 1;  m/(1/2) = 2, v/(1/4) = 4;  step 2/2 = 1
    # t=2: m = 1/2 + 2 = 5/2, v = 3/4 + 4 = 19/4;  m/(3/4) = 10/3, v/(7/16) = 76/7
    x = one_step(Adam, 1, None, steps=[2, 4], lr=0.1, betas=(0.5, 0.75), eps=1e-300)
    np.testing.assert_allclose(x, 1 - 0.1 - 0.1 * (10 / 3) / np.sqrt(76 / 7), rtol=1e-15)


def test_adam_without_bias_correction_by_hand():
    # m = 2/2 = 1, v = 4/4 = 1: step 1/1, and with eps = 1 step 1/(1 + 1)
    options = {"lr": 0.1, "betas": (0.5, 0.75), "bias_correction": False}
    np.testing.assert_allclose(one_step(Adam, 1, 2, **options, eps=1e-300), 0.9, rtol=1e-15)
    np.testing.assert_allclose(one_step(Adam, 1, 2, **options, eps=1.0), 0.95, rtol=1e-15)


def test_one_adamw_step_by_hand():
    # decay: 2 (1 - 0.1 * 0.5) = 1.9; first step of Adam: one learning rate against the sign: 1.9 - 0.1
    x = one_step(AdamW, [2, 2], [3, -3], lr=0.1, weight_decay=0.5, eps=1e-300)
    np.testing.assert_allclose(x, [1.8, 2.0], rtol=1e-15)


def test_adam_rescales_the_decay_and_adamw_does_not():
    # Adam's gradient 3 + 0.5 * 2 = 4 still gives a first step of one learning rate.
    x = one_step(Adam, 2, 3, lr=0.1, weight_decay=0.5, eps=1e-300)
    np.testing.assert_allclose(x, 1.9, rtol=1e-15)


def test_two_amsgrad_steps_by_hand():
    # No correction, beta = (0, 1/2), gradients 4, 1: v = 8, then 4 + 1/2 = 4.5; the maximum stays 8.
    x = one_step(AMSGrad, 1, None, steps=[4, 1], lr=0.1, betas=(0.0, 0.5), eps=1e-300, bias_correction=False)
    np.testing.assert_allclose(x, 1 - 0.1 * 5 / np.sqrt(8), rtol=1e-15)


def test_eps_stands_outside_the_root_after_the_correction():
    # First step with g = 3: m̂ = 3, √v̂ = 3, so 3 / (3 + 1); before the correction it would be another number.
    np.testing.assert_allclose(one_step(Adam, 0, 3, lr=1.0, eps=1.0), -0.75, rtol=1e-12)


def test_adam_without_momentum_and_correction_is_rmsprop():
    gradients = [3, -1, 0.5, 2]
    adam = one_step(Adam, 1, None, steps=gradients, lr=0.1, betas=(0.0, 0.9), bias_correction=False)
    rmsprop = one_step(RMSProp, 1, None, steps=gradients, lr=0.1, alpha=0.9)
    np.testing.assert_allclose(adam, rmsprop, rtol=1e-14)


@every_class
@given(gradients=st.lists(st.floats(-100, 100), min_size=1, max_size=5))
def test_the_first_step_is_at_most_one_learning_rate(cls, gradients):
    x = one_step(cls, np.zeros(len(gradients)), gradients, lr=0.1, weight_decay=0.0)
    assert np.all(np.abs(x) <= 0.1 * (1 + 1e-12))


@every_class
def test_coordinates_do_not_see_each_other(cls):
    together, alone = Parameter([1.0, 2.0], grad=[3.0, 1e6]), Parameter([1.0], grad=[3.0])
    cls([together]).step()
    cls([alone]).step()
    assert together.data[0] == alone.data[0]
