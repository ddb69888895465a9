"""The figure that moves on the page of the rule for ties: its verdicts beside minilib's, its shares beside scipy's."""

import numpy as np
import pytest
from scipy import stats

from minilib.experiments.verdicts import Comparison, compare


@pytest.mark.parametrize("seeds", [2, 3, 5, 10, 30])
def test_the_interval_and_the_verdict_are_those_of_the_rule(numbers, seeds):
    js = numbers("what-seeds-see")
    assert js("reach", seeds - 1) == pytest.approx(stats.t.ppf(0.975, seeds - 1), rel=1e-12)
    for k, gap in ((0, 0.0), (1, 0.1), (2, 0.3), (3, -0.3)):
        d = js("experiment", k, gap, 0.1, seeds)
        shown, found = js("judged", d), compare(dict(enumerate(0 * d)), dict(enumerate(d)))
        assert (shown["low"], shown["high"]) == pytest.approx((found.low, found.high), rel=1e-12, abs=1e-13)
        assert shown["verdict"] == found.verdict


@pytest.mark.parametrize("df", [1, 2, 4, 9, 29, 399])
@pytest.mark.parametrize("errors", [0.0, 0.5, 2.0, 4.0])
def test_the_shares_are_those_of_the_noncentral_t(numbers, df, errors):
    shown, far = numbers("what-seeds-see")("shares", errors, df), stats.t.ppf(0.975, df)
    assert shown["confirmed"] == pytest.approx(stats.nct.sf(far, df, errors), rel=1e-12, abs=1e-12)
    assert shown["contradicted"] == pytest.approx(stats.nct.cdf(-far, df, errors), rel=1e-9, abs=1e-12)


def test_the_seeds_that_are_needed_are_the_fewest_that_can_see_the_gap(numbers):
    js = numbers("what-seeds-see")
    assert js("needed", 0.1, 0.12) == 14
    assert js("needed", 0.0, 0.12) == np.inf
    for gap, scatter in ((0.1, 0.12), (0.1, 0.03), (0.02, 0.05)):
        seen = [Comparison(0, scatter / n**0.5, n - 1, (0, np.inf), 0.95, (n, n), True, 0).seen for n in range(2, 60)]
        assert js("needed", gap, scatter) == 2 + np.argmax(np.array(seen) <= gap)
