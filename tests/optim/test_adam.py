"""Adam, AdamW and AMSGrad: their defaults, steps by hand, and how long the first step is."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from minilib.optim import Adam, AdamW, AMSGrad
from tests.optim.helpers import Parameter, after, by_hand

ADAM = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "bias_correction": True}
DEFAULTS = {
    "Adam": (ADAM | {"weight_decay": 0.0}, torch.optim.Adam),
    "AMSGrad": (ADAM | {"weight_decay": 0.0}, torch.optim.Adam),
    "AdamW": (ADAM | {"weight_decay": 1e-2}, torch.optim.AdamW),
}
TINY, UNCORRECTED = {"lr": 0.1, "eps": 1e-300}, {"lr": 0.1, "bias_correction": False}
BY_HAND = [
    # beta = (1/2, 3/4), gradients 2, 4.
    # t=1: m = 1, v = 1;  m/(1/2) = 2, v/(1/4) = 4;  step 2/2 = 1
    # t=2: m = 1/2 + 2 = 5/2, v = 3/4 + 4 = 19/4;  m/(3/4) = 10/3, v/(7/16) = 76/7
    by_hand("two steps", Adam, 1, [2, 4], 0.9 - 0.1 * (10 / 3) / np.sqrt(76 / 7), betas=(0.5, 0.75), **TINY),
    # m = 2/2 = 1, v = 4/4 = 1: step 1/1, and with eps = 1 step 1/(1 + 1)
    by_hand("uncorrected", Adam, 1, [2], 0.9, betas=(0.5, 0.75), eps=1e-300, **UNCORRECTED),
    by_hand("uncorrected, eps", Adam, 1, [2], 0.95, betas=(0.5, 0.75), eps=1.0, **UNCORRECTED),
    # decay: 2 (1 - 0.1 * 0.5) = 1.9; first step of Adam: one learning rate against the sign: 1.9 - 0.1
    by_hand("decay is decoupled", AdamW, [2, 2], [[3, -3]], [1.8, 2.0], weight_decay=0.5, **TINY),
    # Adam's gradient 3 + 0.5 * 2 = 4 still gives a first step of one learning rate.
    by_hand("decay is rescaled", Adam, 2, [3], 1.9, weight_decay=0.5, **TINY),
    # No correction, beta = (0, 1/2), gradients 4, 1: v = 8, then 4 + 1/2 = 4.5; the maximum stays 8.
    by_hand("maximum", AMSGrad, 1, [4, 1], 1 - 0.5 / np.sqrt(8), betas=(0.0, 0.5), eps=1e-300, **UNCORRECTED),
    # g = 3: m̂ = 3, √v̂ = 3, so 3 / (3 + 1); before the correction it would be another number.
    by_hand("eps outside the root, after the correction", Adam, 0, [3], -0.75, rtol=1e-12, lr=1.0, eps=1.0),
]
every_class = pytest.mark.parametrize("cls", [Adam, AdamW, AMSGrad])


@every_class
@given(gradients=st.lists(st.floats(-100, 100), min_size=1, max_size=5))
def test_the_first_step_is_at_most_one_learning_rate(cls, gradients):
    x = after(cls, np.zeros(len(gradients)), [gradients], lr=0.1, weight_decay=0.0)
    assert np.all(np.abs(x) <= 0.1 * (1 + 1e-12))


@every_class
def test_coordinates_do_not_see_each_other(cls):
    together, alone = Parameter([1.0, 2.0], grad=[3.0, 1e6]), Parameter([1.0], grad=[3.0])
    cls([together]).step()
    cls([alone]).step()
    assert together.data[0] == alone.data[0]
