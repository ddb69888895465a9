"""The figures that move on the pages of big batches and of carrying a rate: minilib's noise, rules and bowl."""

from itertools import product

import numpy as np
import pytest

from minilib.analysis.noise import noise_scale, two_batch
from minilib.experiments import records
from minilib.schedules import linear_scaling, sqrt_scaling
from minilib.theory import Quadratic
from tools.pages.figure_records import RECORDS, hyperbola

TILTS = np.array([[5, 2], [4, -4], [1, 4]])

BOWL, X = Quadratic([2.0, 0.5], shifts=[*TILTS, *-TILTS]), np.array([1.0, 2.0])

SAMPLES, G = BOWL.sample_grads(X), BOWL.grad(X)


@pytest.mark.parametrize("b", [1, 2, 4])
def test_the_parabolas_are_means_over_all_batches_of_the_bowl(numbers, b):
    js, numbers_of_bowl = numbers("step-worth"), (G @ G, G @ BOWL.H @ G, np.trace(BOWL.H @ np.cov(SAMPLES.T, ddof=0)))
    assert numbers_of_bowl == pytest.approx((5, 8.5, 34), rel=1e-12)  # as the figure has them
    grads = SAMPLES[np.array(list(product(range(6), repeat=b)))].mean(axis=1)
    for lr in (0.1, 0.3):
        exact = np.mean([BOWL.f(x) for x in X - lr * grads])
        assert js("expected", BOWL.f(X), 5, 8.5, 34, b, lr) == pytest.approx(exact, rel=1e-12)
    best = js("bestRate", 5, 8.5, 34, b)
    lowest = js("expected", 2, 5, 8.5, 34, b, best)
    assert js("gain", 5, 8.5, 34, b) == pytest.approx(2 - lowest, rel=1e-12)
    assert all(js("expected", 2, 5, 8.5, 34, b, best + change) > lowest for change in (-1e-3, 1e-3))


def test_the_estimates_from_two_batches_are_those_of_minilib_and_never_divide_by_zero(numbers):
    js, draw = numbers("two-batch"), np.random.default_rng(0)
    assert js("noiseScale", SAMPLES) == pytest.approx(noise_scale(SAMPLES), rel=1e-12)
    for b in (3, 6, 12, 24):  # 3 divides b an odd number of times: b |g_b|² = |g_1|² has no solution in whole numbers
        rows = [draw.integers(6, size=(40, size)) for size in (1, b)]
        small, big = ([js("length2", SAMPLES, row) for row in some] for some in rows)
        assert small == pytest.approx((SAMPLES[rows[0]].mean(axis=1) ** 2).sum(axis=1), rel=1e-12)
        assert big == pytest.approx((SAMPLES[rows[1]].mean(axis=1) ** 2).sum(axis=1), rel=1e-12)
        pairs = np.array([js("twoBatch", u, v, 1, b) for u, v in zip(small, big, strict=True)])
        signal, noise = two_batch(np.array(small), np.array(big), 1, b)
        assert pairs == pytest.approx(np.stack([signal, noise], axis=1), rel=1e-12, abs=1e-12)
        assert abs(signal).min() > 1e-9
        estimates, counts = js("running", signal, noise), np.arange(1, 41)
        after, before = np.cumsum(noise) / np.cumsum(signal), np.cumsum(noise / signal) / counts
        assert estimates == pytest.approx(np.stack([after, before], axis=1), rel=1e-10)
        assert js("quantile", np.sort(before), 0.05) == pytest.approx(np.quantile(before, 0.05), rel=1e-12)


def one_over(b, n=1437):
    """1/b of the batch with replacement that has the same variance."""
    return (n - b) / (b * (n - 1))


def fitted(optimizer, target=0.2, tuning=3):
    """The same of the recorded medians."""
    study = records.load("batch-size")
    batches = study.run["config"]["batches"]
    steps = []
    for b in batches:
        rows = [r for r in study.curve if (r["optimizer"], r["target"], r["batch"]) == (optimizer, target, b)]
        every = np.array([r["steps"] for r in rows]).reshape(9, -1)
        steps.append(np.median(every[np.median(every[:, :tuning], axis=1).argmin(), tuning:]))
    return tuple(map(round, hyperbola(one_over(np.array(batches)), steps)))


def test_the_prices_stand_on_the_fits_of_the_record_and_the_cheapest_batch_is_the_cheapest(numbers):
    js = numbers("which-batch")
    assert (fitted("SGD"), fitted("Adam")) == ((53, 24), (15, 84))
    for fewest, critical, price in ((53, 24, 100), (15, 84, 3), (53, 24, 1e4)):
        best = js("cheapest", critical, price)
        assert best == pytest.approx(np.sqrt(critical * price), rel=1e-12)
        assert js("steps", fewest, critical, best) == pytest.approx(fewest + fewest * critical / best, rel=1e-12)
        bill = js("cost", fewest, critical, best, price)
        assert bill == pytest.approx(fewest * (np.sqrt(price) + np.sqrt(critical)) ** 2, rel=1e-12)
        assert all(js("cost", fewest, critical, best * f, price) > bill for f in (0.9, 1.1))


def test_the_branches_are_fitted_as_the_chapter_fits(numbers):
    js, batches = numbers("branch-a-run"), [2, 8, 32, 128, 512, 1437]
    inverse = [js("oneOver", b) for b in batches]
    assert inverse == pytest.approx([one_over(b) for b in batches], rel=1e-12)
    for steps in RECORDS["branch-a-run"]()["steps"]:
        assert js("fit", inverse, steps) == pytest.approx(hyperbola(np.array(inverse), steps), rel=1e-12)


@pytest.mark.parametrize(("b", "c"), [(2, 128), (1, 1437), (32, 32)])
def test_the_rules_are_minilibs_and_the_bend_lies_between_two_of_them(numbers, b, c):
    js = numbers("rule-ends")
    assert js("carried", "linear", b, c) == pytest.approx(linear_scaling(c, b), rel=1e-12)
    assert js("carried", "root", b, c) == pytest.approx(sqrt_scaling(c, b), rel=1e-12)
    assert js("carried", "same", b, c) == 1
    assert js("bend", 24, 1, b, c) == pytest.approx((1 + 24 / b) / (1 + 24 / c), rel=1e-12)
    assert js("bend", 84, 2, b, c) ** 2 == pytest.approx((1 + 84 / b) / (1 + 84 / c), rel=1e-12)
    assert 1 <= js("bend", 24, 1, b, c) <= js("carried", "linear", b, c)


@pytest.mark.parametrize(("kind", "lr", "m"), [("half", 0.2, 4), ("double", 0.9, 16), ("double", 1.5, 2)])
def test_the_expected_loss_is_that_of_sgd_on_minilibs_bowl(numbers, kind, lr, m):
    js = numbers("half-or-double")
    given = js("setting")
    h, spread, b, steps = np.array(given["h"]), np.sqrt(given["noise"]), given["b"], given["steps"]
    corners = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]) * spread
    bowl = Quadratic(h, shifts=corners)
    samples = bowl.sample_grads(bowl.x_star)
    square, seen, before = np.array(given["start"], float), 0, steps // 2
    expected = [[0, h @ square / 2]]
    while seen < steps:
        late = seen >= before
        rate, size = (lr / m if late and kind == "half" else lr), (m * b if late and kind == "double" else b)
        square = (1 - rate * h) ** 2 * square + rate**2 * (samples**2).mean(axis=0) / size
        seen += m if late and kind == "double" else 1
        expected.append([seen, h @ square / 2])
    np.testing.assert_allclose(js("run", kind, lr, m, before), expected, rtol=1e-12)


def test_what_the_theorem_allows_holds_in_the_figure(numbers):
    js = numbers("half-or-double")
    for lr in (0.1, 0.5, 0.95):
        for m in (2, 16):
            half, double = (js("run", kind, lr, m, 160)[-1][1] for kind in ("half", "double"))
            assert double <= js("allowed", lr) * half
    assert js("allowed", 0.5) == pytest.approx(2, rel=1e-12)


@pytest.mark.parametrize("rule", ["same", "root", "linear"])
def test_a_rule_reaches_as_far_as_it_stays_within_a_factor_of_two(numbers, rule):
    js, record = numbers("rule-ends"), RECORDS["rule-ends"]()
    rates = dict(zip(record["batches"], record["best"]["SGD"], strict=True))
    off = [lr / (rates[2] * js("carried", rule, 2, b)) for b, lr in rates.items()]
    last = next((k for k in range(1, len(off)) if not 0.5 <= off[k] <= 2), len(off)) - 1
    assert js("reached", "SGD", 2, rule) == record["batches"][last]


@pytest.mark.parametrize("method", ["SGD", "Adam"])
def test_a_rule_lands_on_a_rate_of_the_grid(numbers, method):
    js, record = numbers("carried-rate"), RECORDS["carried-rate"]()
    best = record["rates"][method][record["tuned"][method][1]["2"]]
    for rule, factor in (("same", 1), ("root", sqrt_scaling(32, 2)), ("linear", linear_scaling(32, 2))):
        assert record["rates"][method][js("landed", method, 1, rule, 2)] == pytest.approx(best * factor, rel=1e-9)
