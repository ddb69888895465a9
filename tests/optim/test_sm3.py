"""SM3: a recorded run, by hand, and what its accumulator keeps of Adagrad's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minilib.optim import SM3, Adagrad
from tests.optim.helpers import Parameter, one_step

DEFAULTS = {
    "SM3": (
        {"lr": 0.1, "momentum": 0.0, "eps": 1e-15, "weight_decay": 0.0},
        "the paper has momentum 0.9; the rest is ours",
    )
}

gradients = st.lists(arrays(np.float64, (3, 4), elements=st.floats(-10, 10)), min_size=1, max_size=6)


def test_two_steps_of_a_matrix_by_hand():
    # g² = (1 4; 9 16): ν = g², row maxima 4, 16, column maxima 9, 16; every entry moves by lr.
    # Then g = 1: ν = (min(4, 9), min(4, 16); min(16, 9), min(16, 16)) + 1 = (5 5; 10 17).
    x = one_step(SM3, np.zeros((2, 2)), None, steps=[[[1, 2], [3, 4]], np.ones((2, 2))], lr=0.1)
    np.testing.assert_allclose(x, -0.1 - 0.1 / np.sqrt([[5, 5], [10, 17]]), rtol=1e-13)


def test_momentum_averages_the_steps_by_hand():
    # u = 1, then 1 / sqrt(2): m = 1/2, then 1/4 + 1/(2 sqrt(2))
    x = one_step(SM3, 0, 1, steps=2, lr=0.1, momentum=0.5)
    np.testing.assert_allclose(x, -0.1 * (0.5 + 0.25 + 0.5 / np.sqrt(2)), rtol=1e-13)


@given(steps=gradients)
def test_the_accumulator_is_never_below_adagrads_and_never_shrinks(steps):
    opt, s, total, before = SM3([Parameter(np.zeros((3, 4)))]), {}, np.zeros((3, 4)), np.zeros((3, 4))
    for g in steps:
        v = opt.second_moment(g, s)
        total += g**2
        assert (v >= total * (1 - 1e-12)).all()
        assert (v >= before).all()
        before = v


@given(steps=st.lists(arrays(np.float64, 5, elements=st.floats(-10, 10)), min_size=1, max_size=6))
def test_on_vectors_sm3_is_adagrad(steps):
    options = {"lr": 0.1, "eps": 1e-10, "weight_decay": 0.1}
    sm3, adagrad = (one_step(cls, np.ones(5), None, steps=steps, **options) for cls in (SM3, Adagrad))
    np.testing.assert_allclose(sm3, adagrad, rtol=1e-12, atol=1e-13)
