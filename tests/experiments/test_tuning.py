"""The rule by which a learning rate is chosen."""

import math

import pytest

from minilib.experiments.tuning import best_rate


@pytest.mark.parametrize("best", [1 / 64, 1 / 2, 1.0, 2.0, 32.0])
def test_it_goes_on_until_the_best_has_two_neighbours(best):
    tried = []

    def loss(rate):
        tried.append(rate)
        return abs(math.log2(rate / best))

    assert best_rate(loss, [0.5, 1.0, 2.0]) == best
    assert min(tried) < best < max(tried)
    assert len(tried) == len(set(tried))


def test_runs_that_diverged_are_the_worst():
    assert best_rate(lambda rate: math.inf if rate > 1 else -rate, [0.5, 1.0]) == 1.0


def test_one_rate_is_enough_to_begin():
    assert best_rate(lambda rate: (rate - 1) ** 2, [1.0], factor=10) == 1.0


def test_it_gives_up_where_there_is_no_best():
    with pytest.raises(ValueError, match="the best rate is 32, at the edge of the 6 that were tried"):
        best_rate(lambda rate: -rate, [1.0], most=6)


def test_no_rates():
    with pytest.raises(ValueError, match="rates must hold at least one"):
        best_rate(lambda rate: rate, [])
