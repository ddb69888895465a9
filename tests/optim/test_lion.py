"""Lion: a recorded run, by hand, and the length of its steps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minilib.optim import Lion
from tests.optim.helpers import one_step

DEFAULTS = {"Lion": ({"lr": 1e-4, "betas": (0.9, 0.99), "weight_decay": 0.0}, "Chen et al. 2023, Algorithm 2")}

gradients = st.lists(arrays(np.float64, 5, elements=st.floats(0.01, 10)), min_size=1, max_size=6)


def test_the_step_asks_one_average_and_the_memory_is_another_by_hand():
    # g = 1: c = 1/2, x = -0.1, m = 1/4.  g = -1/8: c = 1/8 - 1/16 > 0, x = -0.2: beta1 = 1/2 keeps the old sign.
    # With m = 1/2, the average of beta1, or with g first, the signs would be the same; with c = m it takes
    # g = -1: c = 1/8 - 1/2 < 0 turns at once, while m = 3/4 * 1/4 - 1/4 = -1/16.
    steps = lambda *gs: one_step(Lion, 0, None, steps=list(gs), lr=0.1, betas=(0.5, 0.75))  # noqa: E731
    np.testing.assert_allclose([steps(1, -1 / 8), steps(1, -1)], [-0.2, 0.0], atol=1e-15)
    # m after (1, -1) is -1/16: a third gradient of 1/8 gives c = -1/32 + 1/16 > 0, one of 1/32 gives c < 0.
    np.testing.assert_allclose([steps(1, -1, 1 / 8), steps(1, -1, 1 / 32)], [-0.1, 0.1], atol=1e-15)


def test_decay_is_decoupled_and_comes_first():
    # 2 (1 - 0.1 * 0.5) - 0.1 = 1.8
    np.testing.assert_allclose(one_step(Lion, 2, 3, lr=0.1, weight_decay=0.5), 1.8, rtol=1e-15)


@given(steps=gradients)
def test_every_step_has_the_length_of_lr_times_the_root_of_the_dimension(steps):
    before = one_step(Lion, np.zeros(5), None, steps=steps[:-1], lr=0.5)
    after = one_step(Lion, np.zeros(5), None, steps=steps, lr=0.5)
    np.testing.assert_allclose(np.linalg.norm(after - before), 0.5 * np.sqrt(5), rtol=1e-12)


@given(scale=arrays(np.float64, 5, elements=st.floats(1e-3, 1e3)), steps=gradients)
def test_a_coordinate_of_another_unit_takes_the_same_steps(scale, steps):
    plain = one_step(Lion, np.zeros(5), None, steps=steps, lr=0.5)
    np.testing.assert_array_equal(one_step(Lion, np.zeros(5), None, steps=[scale * g for g in steps], lr=0.5), plain)
