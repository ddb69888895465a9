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


def all_pairs(b_small, b_big):
    """|mean of the rows|^2 for all pairs of sequences of rows, drawn with replacement."""
    norms = (squared_norms(product(range(len(G)), repeat=b)) for b in (b_small, b_big))
    return [a.ravel() for a in np.meshgrid(*norms)]


def test_the_noise_scale_is_the_covariance_trace_over_the_squared_mean():
    assert noise_scale(G) == pytest.approx(np.trace(np.cov(G.T, bias=True)) / SIGNAL, rel=1e-12)
    # by hand: mean (2, 0), deviations (1, 1) and (-1, -1), so trace 2 and signal 4
    assert noise_scale([[3, 1], [1, -1]]) == pytest.approx(0.5)
    bowl, x = Quadratic([1.0, 0.3], shifts=np.random.default_rng(0).normal(size=(6, 2))), np.array([1.0, -2.0])
    assert noise_scale(bowl.sample_grads(x)) == pytest.approx(bowl.sigma2 / (bowl.grad(x) @ bowl.grad(x)), rel=1e-12)


@pytest.mark.parametrize(("b_small", "b_big"), [(1, 2), (1, 4), (2, 4), (3, 4)])
def test_both_parts_of_two_batches_are_unbiased_over_all_independent_pairs(b_small, b_big):
    parts = two_batch(*all_pairs(b_small, b_big), b_small, b_big)
    np.testing.assert_allclose(np.mean(parts, axis=1), [SIGNAL, NOISE], rtol=1e-12)


def test_both_parts_stay_unbiased_when_the_small_batch_is_part_of_the_big_one():
    batches = list(product(range(5), repeat=4))
    parts = two_batch(squared_norms(c[:2] for c in batches), squared_norms(batches), 2, 4)
    np.testing.assert_allclose(np.mean(parts, axis=1), [SIGNAL, NOISE], rtol=1e-12)


def test_the_ratio_of_the_parts_is_biased():
    signal, noise = two_batch(*all_pairs(1, 4), 1, 4)
    assert abs((noise / signal).mean() / noise_scale(G) - 1) > 0.1


def test_without_replacement_the_signal_comes_out_too_small():
    """Then noise is estimated as tr(Sigma) n/(n-1), and the signal as |G|^2 - tr(Sigma)/(n-1)."""
    small, big = (squared_norms(combinations(range(5), b)).mean() for b in (1, 3))
    np.testing.assert_allclose(two_batch(small, big, 1, 3), [SIGNAL - NOISE / 4, NOISE * 5 / 4], rtol=1e-12)


def test_batches_that_are_not_small_and_big_and_less_than_two_samples_are_refused():
    for sizes in ((0, 4), (4, 4), (8, 4)):
        with pytest.raises(ValueError, match=f"1 <= b_small < b_big, got {sizes[0]} and {sizes[1]}"):
            two_batch(1.0, 1.0, *sizes)
    for bad in (np.ones(3), np.ones((1, 3))):
        with pytest.raises(ValueError, match=r"must have shape \(n, d\) with n >= 2"):
            noise_scale(bad)
