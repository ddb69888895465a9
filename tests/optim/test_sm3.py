"""SM3: its defaults, steps by hand, and what its accumulator keeps of Adagrad's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minilib.optim import SM3
from tests.optim.helpers import Parameter, by_hand

DEFAULTS = {
    "SM3": (
        {"lr": 0.1, "momentum": 0.0, "eps": 1e-15, "weight_decay": 0.0},
        "the paper has momentum 0.9; the rest is ours",
    )
}
ROOTS = np.sqrt([[5, 5], [10, 17]])
BY_HAND = [
    # g² = (1 4; 9 16): ν = g², row maxima 4, 16, column maxima 9, 16; every entry moves by lr.
    # Then g = 1: ν = (min(4, 9), min(4, 16); min(16, 9), min(16, 16)) + 1 = (5 5; 10 17).
    by_hand("a matrix", SM3, 0 * ROOTS, [[[1, 2], [3, 4]], np.ones((2, 2))], -0.1 - 0.1 / ROOTS, rtol=1e-13, lr=0.1),
    # u = 1, then 1 / sqrt(2): m = 1/2, then 1/4 + 1/(2 sqrt(2))
    by_hand("momentum", SM3, 0, [1, 1], -0.1 * (0.75 + 0.5 / np.sqrt(2)), rtol=1e-13, lr=0.1, momentum=0.5),
]


@given(steps=st.lists(arrays(np.float64, (3, 4), elements=st.floats(-10, 10)), min_size=1, max_size=6))
def test_the_accumulator_is_never_below_adagrads_and_never_shrinks(steps):
    opt, s, total, before = SM3([Parameter(np.zeros((3, 4)))]), {}, np.zeros((3, 4)), np.zeros((3, 4))
    for g in steps:
        v = opt.second_moment(g, s)
        total += g**2
        assert (v >= total * (1 - 1e-12)).all()
        assert (v >= before).all()
        before = v
