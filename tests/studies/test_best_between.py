"""The rule by which a learning rate is chosen."""

import math

import pytest

from studies.rates import best_between, widened


@pytest.mark.parametrize("rates", [[0.5, 1.0, 2.0], [1.0]])
@pytest.mark.parametrize("best", [1 / 64, 1 / 2, 1.0, 2.0, 32.0])
def test_it_goes_on_until_the_best_has_two_neighbours(best, rates):
    tried = []

    def loss(rate):
        tried.append(rate)
        return abs(math.log2(rate / best))

    assert best_between(loss, rates) == best
    assert min(tried) < best < max(tried)
    assert len(tried) == len(set(tried))


def test_runs_that_diverged_are_the_worst_and_the_factor_may_be_another():
    assert best_between(lambda rate: math.inf if rate > 1 else -rate, [0.5, 1.0]) == 1.0
    assert best_between(lambda rate: (rate - 10) ** 2, [1.0], factor=10) == 10.0


def test_it_gives_up_where_there_is_no_best_or_no_rate():
    with pytest.raises(ValueError, match="the best rate is 32, at the edge of the 6 that were tried"):
        best_between(lambda rate: -rate, [1.0], most=6)
    with pytest.raises(ValueError, match="rates must hold at least one"):
        best_between(lambda rate: rate, [])


def test_a_grid_of_a_round_grows_beyond_a_best_at_its_edge_only():
    grid = [0.004, 0.00566, 0.008]
    assert widened(grid, [2.0, 1.0, 1.5], math.sqrt(2)) == grid
    assert widened(grid, [2.0, 1.5, 1.0], math.sqrt(2)) == [*grid, 0.0113]
    assert widened(grid, [1.0, 1.5, 2.0], 2) == [0.002, *grid]
    with pytest.raises(ValueError, match=r"the best rate is 0.008, at the edge of the 3 that were tried"):
        widened(grid, [2.0, 1.5, 1.0], 2, most=3)
