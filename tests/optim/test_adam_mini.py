"""Adam-mini: a recorded run, by hand, and where it is AdamW."""

import numpy as np
import pytest

from minilib.optim import AdamMini, AdamW
from tests.optim.helpers import one_step

DEFAULTS = {
    "AdamMini": (
        {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0, "axis": 0},
        "Zhang et al. 2024, Adam's numbers; the axis fits torch's weights",
    )
}

RNG = np.random.default_rng(0)
STEPS = [RNG.normal(size=(3, 4)) for _ in range(4)]
X = RNG.normal(size=(3, 4))


@pytest.mark.parametrize(
    ("axis", "roots"),
    [(0, [[5, 5], [7, 7]]), (-1, [[np.sqrt(25), np.sqrt(49)]] * 2), (None, np.full((2, 2), np.sqrt(37)))],
)
def test_the_first_step_by_hand(axis, roots):
    # g² = (1 49; 49 49) has row means 25 and 49; its column means are the same
    g = np.array([[1.0, 7.0], [7.0, 7.0]])
    x = one_step(AdamMini, np.zeros((2, 2)), g, lr=0.1, eps=1e-300, axis=axis)
    expected = g / roots if axis != None else g / np.sqrt(37)  # noqa: E711
    np.testing.assert_allclose(x, -0.1 * expected, rtol=1e-13)


def test_a_vector_is_one_block_by_hand():
    # mean of (1, 49) is 25
    np.testing.assert_allclose(one_step(AdamMini, [0, 0], [1, 7], lr=0.1, eps=1e-300), [-0.02, -0.14], rtol=1e-13)


@pytest.mark.parametrize("axis", [0, -1, None])
def test_where_all_squares_in_a_block_agree_it_is_adamw(axis):
    sizes = {0: [[1.0], [5.0], [0.1]], -1: [[1.0, 5.0, 0.1, 2.0]], None: [[3.0]]}[axis]
    steps = [np.sign(g) * t * np.array(sizes) for t, g in enumerate(STEPS, start=1)]
    options = {"lr": 0.1, "weight_decay": 0.1}
    mini = one_step(AdamMini, X, None, steps=steps, axis=axis, **options)
    np.testing.assert_allclose(mini, one_step(AdamW, X, None, steps=steps, **options), rtol=1e-12)


def test_where_the_squares_in_a_block_differ_it_is_not():
    mini = one_step(AdamMini, X, None, steps=STEPS, lr=0.1, weight_decay=0.0)
    assert np.abs(mini - one_step(AdamW, X, None, steps=STEPS, lr=0.1, weight_decay=0.0)).max() > 0.01


def test_blocks_do_not_hear_of_each_other():
    louder = [g * [[1.0], [1.0], [100.0]] for g in STEPS]
    plain, other = (one_step(AdamMini, X, None, steps=steps, lr=0.1) for steps in (STEPS, louder))
    np.testing.assert_array_equal(plain[:2], other[:2])
