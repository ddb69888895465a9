"""The trust ratio: by hand, with bounds, and where a norm is zero."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minilib.optim import trust_ratio

X, U = np.array([[3.0], [4.0]]), np.array([[6.0], [8.0]])  # norms 5 and 10
ZERO = np.zeros((2, 1))


def test_the_ratio_is_that_of_the_norms():
    assert trust_ratio(X, U) == 0.5
    assert trust_ratio(np.array(-2.0), np.array(8.0)) == 0.25


@pytest.mark.parametrize(("phi", "ratio"), [((0, 2), 0.2), ((7, 9), 0.7), ((1, math.inf), 0.5), ([5, 6], 0.5)])
def test_phi_bounds_the_norm_of_the_weights(phi, ratio):
    assert trust_ratio(X, U, phi) == pytest.approx(ratio, rel=1e-15)


def test_where_a_norm_is_zero_the_ratio_is_one():
    assert trust_ratio(ZERO, U) == trust_ratio(X, ZERO) == trust_ratio(ZERO, ZERO) == 1.0
    assert trust_ratio(X, ZERO, (2, 3)) == 1.0


def test_a_lower_bound_lifts_a_layer_of_zeros():
    assert trust_ratio(ZERO, U, (2, 3)) == pytest.approx(0.2, rel=1e-15)


@given(
    x=arrays(np.float64, (2, 3), elements=st.floats(-10, 10)),
    u=arrays(np.float64, (2, 3), elements=st.floats(0.1, 10)),
    lower=st.floats(0.1, 5),
    width=st.floats(0.1, 5),
)
def test_the_rescaled_step_is_as_long_as_phi_says(x, u, lower, width):
    length = np.linalg.norm(trust_ratio(x, u, (lower, lower + width)) * u)
    assert lower * (1 - 1e-12) <= length <= (lower + width) * (1 + 1e-12)
