"""The trust ratio: by hand, with bounds, and where a norm is zero."""

import math

import numpy as np
import pytest

from minilib.optim import trust_ratio

X, U, ZERO = [[3.0], [4.0]], [[6.0], [8.0]], [[0.0], [0.0]]  # norms 5, 10 and 0
FREE = (0.0, math.inf)


@pytest.mark.parametrize(
    ("x", "u", "phi", "ratio"),
    [
        (X, U, FREE, 0.5),
        (-2.0, 8.0, FREE, 0.25),
        (X, U, (0, 2), 0.2),
        (X, U, (7, 9), 0.7),
        (X, U, (1, math.inf), 0.5),
        (X, U, [5, 6], 0.5),
        (ZERO, U, FREE, 1.0),
        (X, ZERO, FREE, 1.0),
        (ZERO, ZERO, FREE, 1.0),
        (X, ZERO, (2, 3), 1.0),
        (ZERO, U, (2, 3), 0.2),  # a lower bound lifts a layer of zeros
    ],
)
def test_the_ratio_is_that_of_the_bounded_norm_and_the_other_or_one(x, u, phi, ratio):
    assert trust_ratio(np.array(x), np.array(u), phi) == pytest.approx(ratio, rel=1e-15)
