"""LAMB: recorded runs, its public relatives, by hand, bounds on phi, and its invariances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minilib.optim import LAMB, AdamW, clip_grad_norm
from tests.optim.helpers import (
    assert_matches_reference,
    one_step,
    reference_runs,
    set_gradients,
    start_parameters,
)

DEFAULTS = {
    "LAMB": (
        {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-6, "weight_decay": 0.01, "bias_correction": True}
        | {"phi": (0.0, math.inf), "layer_adaptation": True},
        "You et al. 2020, and timm for the rate",
    )
}

vectors = st.lists(st.floats(0.1, 10), min_size=3, max_size=3)


class AsShipped(LAMB):
    """timm with its defaults: the global norm clipped at 1, and no ratio where the decay is zero."""

    def step(self):
        clip_grad_norm([p for group in self.param_groups for p in group["params"]], 1.0)
        super().step()

    def update(self, x, g, s):
        if self.weight_decay > 0:
            super().update(x, g, s)
        else:
            x -= self.lr * self.direction(g, s)


class Outside(LAMB):
    """pytorch_optimizer with its defaults: decay outside the ratio, the learning rate corrected, not the averages."""

    def __init__(self, params, **options):
        super().__init__(params, **options, bias_correction=False)

    def update(self, x, g, s):
        x -= self.lr * self.weight_decay * x
        r = self.direction(g, s)
        size, norm = min(np.linalg.norm(x), 10), np.linalg.norm(r)
        ratio = size / (norm + self.eps) if size > 0 and norm > 0 else 1.0
        x -= self.lr / (1 - self.betas[0] ** s["step"]) * ratio * r


class OneSidedOnCPU(LAMB):
    """bitsandbytes on a processor: decay outside, a ratio of at most 1, its norm that of r without correction."""

    shortened = 0

    def update(self, x, g, s):
        r = self.direction(g, s)
        uncorrected = (1 - self.betas[0] ** s["step"]) / np.sqrt(1 - self.betas[1] ** s["step"])
        size, norm = np.linalg.norm(x), uncorrected * np.linalg.norm(r)
        ratio = size / norm if norm > size else 1.0
        OneSidedOnCPU.shortened += 0 < ratio < 1
        x -= self.lr * self.weight_decay * x
        x -= self.lr * ratio * r


@pytest.mark.parametrize(("content", "run"), reference_runs("AsShipped") + reference_runs("Outside"))
def test_the_relatives_in_public_packages_are_what_the_chapter_says(content, run):
    forms = {"AsShipped": AsShipped, "Outside": Outside}
    assert_matches_reference(content, run, rtol=1e-10, cls=forms[content["optimizer"]])
    with pytest.raises(AssertionError, match="relative error"):
        assert_matches_reference(content, run, rtol=1e-3, cls=LAMB)


@pytest.mark.parametrize(("content", "run"), reference_runs("OneSidedOnCPU"))
def test_the_relative_in_float32_is_what_the_chapter_says(content, run):
    OneSidedOnCPU.shortened = 0
    assert_matches_reference(content, run, rtol=1e-5, cls=OneSidedOnCPU)
    assert OneSidedOnCPU.shortened > 0, "the ratio was never below 1"
    with pytest.raises(AssertionError, match="relative error"):
        assert_matches_reference(content, run, rtol=1e-3, cls=LAMB)


def test_the_first_step_by_hand():
    # r = (1, -1); u = r + 0.5 (3, 4) = (2.5, 1) of norm sqrt(7.25); x moves by 0.1 * 5 / sqrt(7.25) * u
    x = one_step(LAMB, [3, 4], [7, -2], lr=0.1, eps=1e-300, weight_decay=0.5)
    np.testing.assert_allclose(x, np.array([3, 4]) - 0.5 / np.sqrt(7.25) * np.array([2.5, 1]), rtol=1e-14)


def test_the_first_step_without_bias_correction_by_hand():
    # m = g/2, v = g²/4, so r = sign(g) with eps 0; with eps = 1 and g = (3, 1): r = (1.5/2.5, 0.5/1.5) = (0.6, 1/3)
    x = one_step(LAMB, [3, 4], [3, 1], lr=0.1, betas=(0.5, 0.75), eps=1.0, weight_decay=0, bias_correction=False)
    r = np.array([0.6, 1 / 3])
    np.testing.assert_allclose(x, np.array([3, 4]) - 0.5 * r / np.linalg.norm(r), rtol=1e-14)


@pytest.mark.parametrize(("phi", "size"), [((0, np.inf), 5), ((0, 2), 2), ((7, 9), 7), ((1, 6), 5)])
def test_phi_bounds_the_length_of_a_step(phi, size):
    step = np.array([3, 4]) - one_step(LAMB, [3, 4], [7, -2], lr=0.1, phi=phi)
    np.testing.assert_allclose(np.linalg.norm(step), 0.1 * size, rtol=1e-14)


def test_a_layer_of_zeros_takes_the_plain_step_or_that_of_the_lower_bound():
    np.testing.assert_allclose(one_step(LAMB, [0, 0], [3, -4], lr=0.1, eps=1e-300), [-0.1, 0.1], rtol=1e-14)
    # lower bound 2, u = (1, -1): step 0.1 * 2 / sqrt(2)
    x = one_step(LAMB, [0, 0], [3, -4], lr=0.1, eps=1e-300, phi=(2, 3))
    np.testing.assert_allclose(x, np.array([-1, 1]) * 0.2 / np.sqrt(2), rtol=1e-14)


def test_decay_alone_shrinks_a_layer_by_the_learning_rate_whatever_the_decay():
    # u = λ x, so the step is η ‖x‖ / ‖λ x‖ λ x = η x
    for decay in (1e-4, 1.0):
        x = one_step(LAMB, [3, 4], [0, 0], lr=0.1, weight_decay=decay)
        np.testing.assert_allclose(x, [2.7, 3.6], rtol=1e-14)


def test_without_decay_a_zero_gradient_changes_nothing():
    np.testing.assert_array_equal(one_step(LAMB, [3, 4], [0, 0], lr=0.1, weight_decay=0), [3, 4])


@pytest.mark.parametrize("bias_correction", [True, False])
def test_without_layer_adaptation_lamb_is_adamw(bias_correction):
    options = {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-6, "weight_decay": 0.1, "bias_correction": bias_correction}
    params, others = start_parameters(), start_parameters()
    lamb = LAMB(params.values(), **options, layer_adaptation=False)
    adamw = AdamW(others.values(), **options)
    for t in range(1, 51):
        for p, opt in ((params, lamb), (others, adamw)):
            set_gradients(p, t)
            opt.step()
    for name in params:
        np.testing.assert_allclose(params[name].data, others[name].data, rtol=1e-10)


@given(x=vectors, g=vectors, decay=st.floats(0, 1))
def test_every_layer_moves_by_the_learning_rate_times_its_norm(x, g, decay):
    step = np.array(x) - one_step(LAMB, x, g, lr=0.1, weight_decay=decay)
    np.testing.assert_allclose(np.linalg.norm(step), 0.1 * np.linalg.norm(x), rtol=1e-10)
