"""Adafactor: its defaults, steps by hand, an oracle, the factorisation, and how long a step is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minilib.optim import Adafactor
from minilib.optim.adafactor import factored_ema, rms
from tests.optim.helpers import (
    after,
    assert_matches_reference,
    by_hand,
    reference_runs,
)

DEFAULTS = {
    "Adafactor": (
        {"lr": 1e-2, "beta2_decay": -0.8, "eps": (1e-30, 1e-3), "d": 1.0, "weight_decay": 0.0, "relative_step": True},
        "Shazeer & Stern 2018, Algorithm 6",
    )
}
FIXED = {"lr": 0.1, "relative_step": False}
HALF = 0.1 * 5 / np.sqrt(2) / 2
BY_HAND = [
    # g² = (1 4; 4 16): row means 2.5, 10, column means 2.5, 10, mean 6.25: rank one, so v̂ = g² and U = sign(g).
    # RMS(U) = 1 is not clipped.  RMS(x) = 2, ρ = 0.01: every entry moves by 0.02.
    by_hand("a matrix", Adafactor, [[2, -2], [2, 2]], [[[1, 2], [-2, 4]]], [[1.98, -2.02], [2.02, 1.98]], rtol=1e-14),
    # U = (1, -1), RMS 1, d = 1/2: Û = U/2.  RMS(x) = 5/sqrt(2), lr = 0.1.
    by_hand("d scales down", Adafactor, [3, 4], [[7, -2]], [3 - HALF, 4 + HALF], rtol=1e-14, lr=0.1, d=0.5),
    # v = 9 + 7 = 16, U = 3/4, below d
    by_hand("eps1", Adafactor, [1, 1], [[3, -3]], [0.925, 1.075], rtol=1e-14, eps=(7.0, 1e-3), **FIXED),
    by_hand("zeros are of size eps2", Adafactor, [0, 0], [[7, -2]], [-0.005, 0.005], rtol=1e-14, eps=(1e-30, 0.5)),
    # With β̂₂ = 1 − t^−c a steady gradient gives v = g² at every step, so every step is the sign: no bias correction.
    *(
        by_hand(
            f"{t} steady steps", Adafactor, [1, -1], t * [[3, 0.5]], [1 - 0.1 * t, -1 - 0.1 * t], 1e-12, 1e-12, **FIXED
        )
        for t in range(1, 21)
    ),
    # lr = 0.5 is reached by 1/sqrt(t) at t = 4. Where all entries agree, x shrinks by that share.
    by_hand("relative, to t = 4", Adafactor, [16, 16], 4 * [[1, 1]], [1, 1], rtol=1e-12, lr=0.5),
    by_hand("relative, at t = 5", Adafactor, [16, 16], 5 * [[1, 1]], 2 * [1 - 5**-0.5], rtol=1e-12, lr=0.5),
]
positive = arrays(np.float64, (4, 3), elements=st.floats(0.01, 100))


@pytest.mark.parametrize(("content", "run"), reference_runs("Adafactor"))
def test_a_kernel_factored_along_other_axes_is_another_method(content, run):
    record = content["runs"][run]
    other = {"kernel": [2, 3, 0, 1]} if "ours_axes" not in record else {}
    changed = {**content, "runs": {run: {**record, "ours_axes": other}}}
    with pytest.raises(AssertionError, match="kernel at step"):
        assert_matches_reference(changed, run, rtol=1e-2)


@given(g2=positive)
def test_the_factored_moment_has_the_sums_of_the_full_one_and_is_it_where_that_has_rank_one(g2):
    v = factored_ema({}, ("r", "c"), g2, beta=0.0)
    np.testing.assert_allclose(v.sum(axis=0), g2.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(v.sum(axis=1), g2.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(factored_ema({}, ("r", "c"), v, beta=0.0), v, rtol=1e-12)


def test_a_4d_tensor_is_factored_matrix_by_matrix():
    rng = np.random.default_rng(0)
    g2 = rng.uniform(0.1, 1, (2, 3, 4, 5))
    v = factored_ema({}, ("r", "c"), g2, beta=0.0)
    for i in np.ndindex(2, 3):
        np.testing.assert_allclose(v[i], factored_ema({}, ("r", "c"), g2[i], beta=0.0), rtol=1e-12)


@given(g=arrays(np.float64, (4, 3), elements=st.floats(-100, 100)), d=st.floats(0.1, 10))
def test_an_update_is_never_larger_than_d(g, d):
    x = after(Adafactor, np.zeros((4, 3)), [g], lr=1.0, d=d, relative_step=False)
    assert rms(x) <= d * (1 + 1e-12)
