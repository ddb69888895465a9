"""Adafactor against torch and recorded runs, against an oracle, the factorisation, by hand, and invariances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minilib.optim import Adafactor
from minilib.optim.adafactor import factored_ema, rms
from tests.optim.helpers import (
    Parameter,
    assert_matches_reference,
    one_step,
    reference_runs,
    set_gradients,
    start_parameters,
)
from tests.references import recipe

DEFAULTS = {
    "Adafactor": (
        {"lr": 1e-2, "beta2_decay": -0.8, "eps": (1e-30, 1e-3), "d": 1.0, "weight_decay": 0.0, "relative_step": True},
        "Shazeer & Stern 2018, Algorithm 6",
    )
}
positive = arrays(np.float64, (4, 3), elements=st.floats(0.01, 100))


@pytest.mark.parametrize(("content", "run"), reference_runs("Adafactor"))
def test_a_kernel_factored_along_other_axes_is_another_method(content, run):
    record = content["runs"][run]
    other = {"kernel": [2, 3, 0, 1]} if "ours_axes" not in record else {}
    changed = {**content, "runs": {run: {**record, "ours_axes": other}}}
    with pytest.raises(AssertionError, match="kernel at step"):
        assert_matches_reference(changed, run, rtol=1e-2)


@pytest.mark.parametrize(("lr", "decay", "d"), [(0.1, 0.0, 1.0), (0.02, 0.3, 0.5)])
def test_the_fixed_rate_form_follows_the_paper_for_fifty_steps(lr, decay, d):
    params, x = start_parameters(), recipe.start()
    opt = Adafactor(params.values(), lr=lr, weight_decay=decay, d=d, relative_step=False)
    R, C = dict.fromkeys(x, 0.0), dict.fromkeys(x, 0.0)
    for t, g in enumerate(recipe.gradients(), start=1):
        set_gradients(params, t)
        opt.step()
        beta = 1 - t**-0.8
        for name in x:
            # Algorithms 4 and 5 with sums, as printed; α is the given rate
            g2 = g[name] ** 2 + 1e-30
            R[name] = beta * R[name] + (1 - beta) * (g2.sum(-1, keepdims=True) if g2.ndim >= 2 else g2)
            C[name] = beta * C[name] + (1 - beta) * (g2.sum(-2, keepdims=True) if g2.ndim >= 2 else 0)
            v = R[name] * C[name] / R[name].sum(-2, keepdims=True) if g2.ndim >= 2 else R[name]
            u = g[name] / np.sqrt(v)
            u = u / max(1, np.sqrt((u**2).mean()) / d)
            x[name] = x[name] * (1 - lr * decay) - lr * u
            np.testing.assert_allclose(params[name].data, x[name], rtol=1e-10, atol=1e-12)


def test_the_first_step_of_a_matrix_by_hand():
    # g² = (1 4; 4 16): row means 2.5, 10, column means 2.5, 10, mean 6.25: rank one, so v̂ = g² and U = sign(g).
    # RMS(U) = 1 is not clipped.  RMS(x) = 2, ρ = 0.01: every entry moves by 0.02.
    x = one_step(Adafactor, [[2, -2], [2, 2]], [[1, 2], [-2, 4]])
    np.testing.assert_allclose(x, [[1.98, -2.02], [2.02, 1.98]], rtol=1e-14)


def test_the_first_step_of_a_vector_is_scaled_down_by_hand():
    # U = (1, -1), RMS 1, d = 1/2: Û = U/2.  RMS(x) = 5/sqrt(2), lr = 0.1.
    x = one_step(Adafactor, [3, 4], [7, -2], lr=0.1, d=0.5)
    np.testing.assert_allclose(x, np.array([3, 4]) - 0.1 * 5 / np.sqrt(2) * np.array([0.5, -0.5]), rtol=1e-14)


def test_eps1_is_added_to_the_squared_gradient():
    # v = 9 + 7 = 16, U = 3/4, below d
    x = one_step(Adafactor, [1, 1], [3, -3], lr=0.1, eps=(7.0, 1e-3), relative_step=False)
    np.testing.assert_allclose(x, [0.925, 1.075], rtol=1e-14)


def test_a_parameter_of_zeros_moves_as_if_its_size_were_eps2():
    np.testing.assert_allclose(one_step(Adafactor, [0, 0], [7, -2], eps=(1e-30, 0.5)), [-0.005, 0.005], rtol=1e-14)


def test_the_relative_step_shrinks_with_the_root_of_time_once_that_is_below_lr():
    # lr = 0.5 is reached by 1/sqrt(t) at t = 4; at t = 16 a size-1 parameter moves by 1/4.
    p = Parameter(np.ones(4))
    opt = Adafactor([p], lr=0.5)
    moves = []
    for _ in range(16):
        p.data[:] = 1.0
        p.grad = np.ones(4)
        opt.step()
        moves.append(1.0 - p.data[0])
    np.testing.assert_allclose(moves[:4] + moves[15:], [0.5, 0.5, 0.5, 0.5, 0.25], rtol=1e-12)


def test_the_second_moment_needs_no_bias_correction():
    # With β̂₂ = 1 − t^−c a steady gradient gives v = g² at every step, so every step is the sign.
    p = Parameter([1.0, -1.0])
    opt = Adafactor([p], lr=0.1, relative_step=False)
    for t in range(1, 21):
        p.grad = np.array([3.0, 0.5])
        opt.step()
        np.testing.assert_allclose(p.data, [1 - 0.1 * t, -1 - 0.1 * t], rtol=1e-12, atol=1e-12)


@given(g2=positive)
def test_a_second_moment_of_rank_one_is_kept_exactly(g2):
    g2 = np.outer(g2[:, 0], g2[0])
    np.testing.assert_allclose(factored_ema({}, ("r", "c"), g2, beta=0.0), g2, rtol=1e-12)


@given(g2=positive)
def test_the_factored_moment_has_the_rows_and_columns_sums_of_the_full_one(g2):
    v = factored_ema({}, ("r", "c"), g2, beta=0.0)
    np.testing.assert_allclose(v.sum(axis=0), g2.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(v.sum(axis=1), g2.sum(axis=1), rtol=1e-12)


def test_a_4d_tensor_is_factored_matrix_by_matrix():
    rng = np.random.default_rng(0)
    g2 = rng.uniform(0.1, 1, (2, 3, 4, 5))
    v = factored_ema({}, ("r", "c"), g2, beta=0.0)
    for i in np.ndindex(2, 3):
        np.testing.assert_allclose(v[i], factored_ema({}, ("r", "c"), g2[i], beta=0.0), rtol=1e-12)


@given(g=arrays(np.float64, (4, 3), elements=st.floats(-100, 100)), d=st.floats(0.1, 10))
def test_an_update_is_never_larger_than_d(g, d):
    x = one_step(Adafactor, np.zeros((4, 3)), g, lr=1.0, d=d, relative_step=False)
    assert rms(x) <= d * (1 + 1e-12)
