"""Adam-mini: its defaults, steps by hand, and where it is not AdamW."""

import numpy as np

from minilib.optim import AdamMini, AdamW
from tests.optim.helpers import STEPS, X, after, by_hand

DEFAULTS = {
    "AdamMini": (
        {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0, "axis": 0},
        "Zhang et al. 2024, Adam's numbers; the axis fits torch's weights",
    )
}
# g² = (1 49; 49 49) has row means 25 and 49; its column means are the same, and its mean is 37
G, OPTIONS = np.array([[1.0, 7.0], [7.0, 7.0]]), {"rtol": 1e-13, "lr": 0.1, "eps": 1e-300}
BY_HAND = [
    by_hand("rows", AdamMini, 0 * G, [G], -0.1 * G / [[5], [7]], axis=0, **OPTIONS),
    by_hand("columns", AdamMini, 0 * G, [G], -0.1 * G / [[5, 7]], axis=-1, **OPTIONS),
    by_hand("one block", AdamMini, 0 * G, [G], -0.1 * G / np.sqrt(37), axis=None, **OPTIONS),
    by_hand("a vector is one block", AdamMini, [0, 0], [[1, 7]], [-0.02, -0.14], **OPTIONS),
]


def test_where_the_squares_in_a_block_differ_it_is_not_adamw():
    mini, adamw = (after(cls, X, STEPS, lr=0.1, weight_decay=0.0) for cls in (AdamMini, AdamW))
    assert np.abs(mini - adamw).max() > 0.01


def test_blocks_do_not_hear_of_each_other():
    louder = [g * [[1.0], [1.0], [100.0]] for g in STEPS]
    plain, other = (after(AdamMini, X, steps, lr=0.1) for steps in (STEPS, louder))
    np.testing.assert_array_equal(plain[:2], other[:2])
