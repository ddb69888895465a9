"""The noise scale, exactly and from two batches: expectations go over every batch there is."""

from itertools import combinations, product

import numpy as np
import pytest

from minilib.analysis.noise import noise_scale, two_batch
from minilib.theory import Quadratic

G = np.random.default_rng(5).normal(size=(5, 3)) + [1.0, 0.5, 0.0]
SIGNAL = (G.mean(axis=0) ** 2).sum()
NOISE = ((G - G.mean(axis=0)) ** 2).sum(axis=1).mean()


def squared_norms(batches):
    return (G[np.array(list(batches))].mean(axis=1) ** 2).sum(axis=1)


def sequences(b):
    """|mean of b rows|^2 for every sequence of b rows, drawn with replacement."""
    return squared_norms(product(range(len(G)), repeat=b))


def test_the_noise_scale_of_two_samples_by_hand():
    # mean (2, 0), deviations (1, 1) and (-1, -1): trace 2, signal 4
    assert noise_scale([[3, 1], [1, -1]]) == pytest.approx(0.5)


def test_the_noise_scale_is_the_covariance_trace_over_the_squared_mean():
    assert noise_scale(G) == pytest.approx(np.trace(np.cov(G.T, bias=True)) / SIGNAL, rel=1e-12)


def test_scaling_all_gradients_leaves_the_noise_scale_alone():
    assert noise_scale(1e-3 * G) == pytest.approx(noise_scale(G), rel=1e-12)


def test_at_the_noise_scale_noise_and_signal_are_equal():
    """E|g_b - G|^2 / |G|^2 = B/b: enumerated at b = 2."""
    means = G[np.array(list(product(range(5), repeat=2)))].mean(axis=1)
    error = ((means - G.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert error / SIGNAL == pytest.approx(noise_scale(G) / 2, rel=1e-12)


def test_a_quadratic_knows_its_own_noise_scale():
    rng = np.random.default_rng(0)
    bowl = Quadratic([1.0, 0.3], shifts=rng.normal(size=(6, 2)))
    x = np.array([1.0, -2.0])
    assert noise_scale(bowl.sample_grads(x)) == pytest.approx(bowl.sigma2 / (bowl.grad(x) @ bowl.grad(x)), rel=1e-12)


@pytest.mark.parametrize(("b_small", "b_big"), [(1, 2), (1, 4), (2, 4), (3, 4)])
def test_both_parts_of_two_batches_are_unbiased_over_all_independent_pairs(b_small, b_big):
    small, big = (a.ravel() for a in np.meshgrid(sequences(b_small), sequences(b_big)))
    parts = np.array([two_batch(s, b, b_small, b_big) for s, b in zip(small, big, strict=True)])
    np.testing.assert_allclose(parts.mean(axis=0), [SIGNAL, NOISE], rtol=1e-12)


def test_both_parts_stay_unbiased_when_the_small_batch_is_part_of_the_big_one():
    batches = list(product(range(5), repeat=4))
    parts = [
        two_batch(s, b, 2, 4)
        for s, b in zip(squared_norms(c[:2] for c in batches), squared_norms(batches), strict=True)
    ]
    np.testing.assert_allclose(np.mean(parts, axis=0), [SIGNAL, NOISE], rtol=1e-12)


def test_the_ratio_of_the_parts_is_biased():
    small, big = (a.ravel() for a in np.meshgrid(sequences(1), sequences(4)))
    signal, noise = two_batch(small, big, 1, 4)
    assert abs((noise / signal).mean() / noise_scale(G) - 1) > 0.1


def test_without_replacement_the_signal_comes_out_too_small():
    """Then noise is estimated as tr(Sigma) n/(n-1), and the signal as |G|^2 - tr(Sigma)/(n-1)."""
    small, big = (squared_norms(combinations(range(5), b)).mean() for b in (1, 3))
    signal, noise = two_batch(small, big, 1, 3)
    np.testing.assert_allclose([signal, noise], [SIGNAL - NOISE / 4, NOISE * 5 / 4], rtol=1e-12)


@pytest.mark.parametrize("sizes", [(0, 4), (4, 4), (8, 4)])
def test_batches_that_are_not_small_and_big_are_refused(sizes):
    with pytest.raises(ValueError, match=f"1 <= b_small < b_big, got {sizes[0]} and {sizes[1]}"):
        two_batch(1.0, 1.0, *sizes)


@pytest.mark.parametrize("bad", [np.ones(3), np.ones((1, 3))])
def test_less_than_two_samples_are_refused(bad):
    with pytest.raises(ValueError, match=r"must have shape \(n, d\) with n >= 2"):
        noise_scale(bad)
