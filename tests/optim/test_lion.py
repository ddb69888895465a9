"""Lion: its defaults, steps by hand, and how long they are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minilib.optim import Lion
from tests.optim.helpers import after, by_hand

DEFAULTS = {"Lion": ({"lr": 1e-4, "betas": (0.9, 0.99), "weight_decay": 0.0}, "Chen et al. 2023, Algorithm 2")}
BETAS = {"rtol": 0, "atol": 1e-15, "lr": 0.1, "betas": (0.5, 0.75)}
BY_HAND = [
    # g = 1: c = 1/2, x = -0.1, m = 1/4.  g = -1/8: c = 1/8 - 1/16 > 0, x = -0.2: beta1 = 1/2 keeps the old sign.
    # With m = 1/2, the average of beta1, or with g first, the signs would be the same; with c = m it takes
    # g = -1: c = 1/8 - 1/2 < 0 turns at once, while m = 3/4 * 1/4 - 1/4 = -1/16.
    by_hand("keeps the sign", Lion, 0, [1, -1 / 8], -0.2, **BETAS),
    by_hand("turns", Lion, 0, [1, -1], 0.0, **BETAS),
    # m after (1, -1) is -1/16: a third gradient of 1/8 gives c = -1/32 + 1/16 > 0, one of 1/32 gives c < 0.
    by_hand("another average is kept, above", Lion, 0, [1, -1, 1 / 8], -0.1, **BETAS),
    by_hand("another average is kept, below", Lion, 0, [1, -1, 1 / 32], 0.1, **BETAS),
    # 2 (1 - 0.1 * 0.5) - 0.1 = 1.8
    by_hand("decay is decoupled and comes first", Lion, 2, [3], 1.8, lr=0.1, weight_decay=0.5),
]
gradients = st.lists(arrays(np.float64, 5, elements=st.floats(0.01, 10)), min_size=1, max_size=6)


@given(steps=gradients)
def test_every_step_has_the_length_of_lr_times_the_root_of_the_dimension(steps):
    before, end = (after(Lion, np.zeros(5), some, lr=0.5) for some in (steps[:-1], steps))
    np.testing.assert_allclose(np.linalg.norm(end - before), 0.5 * np.sqrt(5), rtol=1e-12)


@given(scale=arrays(np.float64, 5, elements=st.floats(1e-3, 1e3)), steps=gradients)
def test_a_coordinate_of_another_unit_takes_the_same_steps(scale, steps):
    plain = after(Lion, np.zeros(5), steps, lr=0.5)
    np.testing.assert_array_equal(after(Lion, np.zeros(5), [scale * g for g in steps], lr=0.5), plain)
