"""The figures that move about the landscape, the reality check and the rule for ties: steps, verdicts, shares."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy import stats

from minilib import optim
from minilib.autodiff import Tensor
from minilib.experiments.verdicts import Comparison, compare
from minilib.optim.muon import newton_schulz
from minilib.schedules import polynomial
from studies import methods
from tools.pages.figure_records import RECORDS

METHODS = {
    "Momentum": lambda p, lr: optim.SGD(p, lr, momentum=0.9),
    "Adam": lambda p, lr: optim.Adam(p, lr),
    "Adafactor": lambda p, lr: optim.Adafactor(p, lr, relative_step=False),
    "Muon": lambda p, lr: optim.Muon(p, lr, weight_decay=0.0),
}


def losses(method, lr, angle, steps):
    """Of minilib's optimizer on the turned quadratic of 6 by 4 weights."""
    turns = []
    for n in (6, 4):
        Q = np.cos(angle) * np.eye(n)
        for i in range(n // 2):
            Q[i, n - 1 - i], Q[n - 1 - i, i] = -np.sin(angle), np.sin(angle)
        turns.append(Q)
    L, R = turns
    H, K = L @ np.diag(np.logspace(0, -2, 6)) @ L.T, R @ np.diag(np.logspace(0, -1.5, 4)) @ R.T
    X = Tensor(L @ (1.5 * np.cos(1 + 3 * np.arange(6)[:, None] + 5 * np.arange(4))) @ R.T)
    opt, rule = METHODS[method]([X], lr), []
    for t in range(steps):
        X.grad = H @ X.data @ K
        rule.append(0.5 * np.sum(X.data * X.grad))
        opt.lr = lr * polynomial(t, steps)
        opt.step()
    return rule


# Muon's rounds lift rounding, and a factored v of rank one leaves nothing but rounding: few steps of these.
@pytest.mark.parametrize(("method", "steps"), [("Momentum", 200), ("Adam", 30), ("Adafactor", 12), ("Muon", 6)])
@pytest.mark.parametrize("angle", [0.0, 0.1, np.pi / 4])
def test_the_turned_problem_is_descended_as_by_minilib(numbers, method, steps, angle):
    js = numbers("turned-axes")
    assert js("losses", method, 0.25, angle, steps) == pytest.approx(losses(method, 0.25, angle, steps), rel=1e-12)
    rate, last = js("best", method, angle)
    ends = [js("losses", method, lr, angle)[-1] or np.inf for lr in js("rates")]
    assert (rate, last) == (js("rates")[np.argmin(np.array(ends, float))], min(ends))


@pytest.mark.parametrize("decades", [0.5, 2, 3.5])
def test_rounds_of_singular_values_are_those_of_the_matrix(numbers, decades):
    js, maker = numbers("newton-schulz"), np.random.default_rng(1)
    U, V = (np.linalg.qr(maker.normal(size=(16, 16)))[0] for _ in range(2))
    sigma = np.logspace(0, -decades, 16)
    assert js("spectrum", decades) == pytest.approx(sigma / np.linalg.norm(sigma), rel=1e-12)
    for name, coefficients in (("muon", (3.4445, -4.7750, 2.0315)), ("classical", (15 / 8, -10 / 8, 3 / 8))):
        values = np.diag(U.T @ newton_schulz((U * sigma) @ V.T, 5, coefficients) @ V)
        assert js("rounds", js("spectrum", decades), 5, name) == pytest.approx(values, rel=1e-12, abs=1e-12)
        least = sigma[-1] / np.linalg.norm(sigma)
        k = int(js("needed", least, name))
        assert js("rounds", [least], k, name)[0] >= 0.68 > js("rounds", [least], k - 1, name)[0]


KEPT = {
    "AdamW": lambda p, r: optim.AdamW(p),
    "Adam-mini": lambda p, r: optim.AdamMini(p, axis=0),
    "CAME": lambda p, r: optim.CAME(p),
    "GaLore": lambda p, r: methods.GaLore(p, rank=r),
    "APOLLO": lambda p, r: methods.APOLLO(p, rank=r),
    "Adafactor": lambda p, r: optim.Adafactor(p),
}


@pytest.mark.parametrize("shape", [(6, 6), (6, 16)])
def test_state_is_what_the_optimizers_hold_and_the_even_rank_parts_less_from_more(numbers, shape):
    js, held = numbers("rank-bytes"), {}
    for r in (1, 2, 4):
        for name, make in KEPT.items():
            p = Tensor(np.ones(shape, np.float32))
            opt = make([p], r)
            p.grad = np.random.default_rng(r).normal(size=shape).astype(np.float32)
            opt.step()
            held[name] = opt.state_bytes() / 4
            assert js("state", name, *shape, r) == held[name]
        for name in ("GaLore", "APOLLO"):
            assert (r < js("even", name, *shape)) == (held[name] < held["CAME"])


def test_what_fits_is_what_has_no_more_bytes_than_are_left(numbers):
    js = numbers("state-and-loss")
    assert js("budget", 6, 1.3e9) == 6 * 2**30 / 1.3e9
    assert {*js("fitting", 5).tolist()} == {row[0] for row in RECORDS["state-and-loss"]() if row[1] <= 5}


SAID = {"confirmed": 1, "contradicted": -1, "not resolved": 0}


def test_the_winner_has_the_lowest_median(numbers):
    js = numbers("pick-your-winner")
    for protocol, by_method in RECORDS["pick-your-winner"]()["losses"].items():
        for who in range(3):
            medians = {method: np.median(losses[who]) for method, losses in by_method.items()}
            assert js("median", by_method["LAMB"][who]) == medians["LAMB"]
            assert js("winner", protocol, who) == min(medians, key=medians.get)


def test_the_best_of_k_trials_is_the_mean_over_all_subsets(numbers):
    js, trials = numbers("best-of-k"), RECORDS["best-of-k"]()["trials"]["digits, big"]
    x, y = (trials[method][:7] for method in ("LAMB", "AdamW"))
    for k in (1, 3, 7):
        subsets = [[min(K) for K in combinations(scores, k)] for scores in (x, y)]
        assert js("bestOf", x, k) == pytest.approx(np.mean(subsets[0]), rel=1e-12)
        below = np.mean([[a < b for b in subsets[1]] for a in subsets[0]])
        assert js("chance", x, y, k) == pytest.approx(below, abs=1e-12)
    expected = [comb(32 - i, 15) / comb(32, 16) for i in range(1, 33)]
    assert js("weights", 32, 16) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_the_repeated_studies_are_judged_by_the_books_rule(numbers):
    js, losses = numbers("many-studies"), RECORDS["many-studies"]()["losses"]
    for case, by_knobs in losses.items():
        for knobs, by_method in by_knobs.items():
            for a, b in combinations(by_method, 2):
                verdicts = []
                for both in zip(by_method[a], by_method[b], strict=True):
                    c = compare(*(dict(enumerate(np.log(ends))) for ends in both))
                    verdicts.append(SAID[c.verdict])
                tally = js("tally", case, knobs, a, b, len(verdicts))
                assert list(tally) == [verdicts.count(v) for v in (1, 0, -1)]
    interval, expected = js("paired", *both), {"mean": c.difference, "low": c.low, "high": c.high}
    assert interval == pytest.approx(expected, rel=1e-12)
    assert js("says", *both) == SAID[c.verdict]


@pytest.mark.parametrize("seeds", [2, 3, 5, 10, 30])
def test_the_interval_and_the_verdict_are_those_of_the_rule(numbers, seeds):
    js = numbers("what-seeds-see")
    assert js("reach", seeds - 1) == pytest.approx(stats.t.ppf(0.975, seeds - 1), rel=1e-12)
    for k, gap in ((0, 0.0), (1, 0.1), (2, 0.3), (3, -0.3)):
        d = js("experiment", k, gap, 0.1, seeds)
        figure, rule = js("judged", d), compare(dict(enumerate(0 * d)), dict(enumerate(d)))
        assert (figure["low"], figure["high"]) == pytest.approx((rule.low, rule.high), rel=1e-12, abs=1e-13)
        assert figure["verdict"] == rule.verdict


@pytest.mark.parametrize("df", [1, 2, 4, 9, 29, 399])
@pytest.mark.parametrize("errors", [0.0, 0.5, 2.0, 4.0])
def test_the_shares_are_those_of_the_noncentral_t(numbers, df, errors):
    figure, far = numbers("what-seeds-see")("shares", errors, df), stats.t.ppf(0.975, df)
    assert figure["confirmed"] == pytest.approx(stats.nct.sf(far, df, errors), rel=1e-12, abs=1e-12)
    assert figure["contradicted"] == pytest.approx(stats.nct.cdf(-far, df, errors), rel=1e-9, abs=1e-12)


def test_the_seeds_that_are_needed_are_the_fewest_that_can_see_the_gap(numbers):
    js = numbers("what-seeds-see")
    assert js("needed", 0.1, 0.12) == 14
    assert js("needed", 0.0, 0.12) == np.inf
    for gap, scatter in ((0.1, 0.12), (0.1, 0.03), (0.02, 0.05)):
        seen = [Comparison(0, scatter / n**0.5, n - 1, (0, np.inf), 0.95, (n, n), True, 0).seen for n in range(2, 60)]
        assert js("needed", gap, scatter) == 2 + np.argmax(np.array(seen) <= gap)
