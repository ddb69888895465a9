"""The figures that move on the page of big batches: what they compute is what minilib, and the record, say."""

from itertools import product

import numpy as np
import pytest

from minilib.analysis.noise import noise_scale, two_batch
from minilib.experiments import records
from minilib.theory import Quadratic

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
        found, counts = js("running", signal, noise), np.arange(1, 41)
        after, before = np.cumsum(noise) / np.cumsum(signal), np.cumsum(noise / signal) / counts
        assert found == pytest.approx(np.stack([after, before], axis=1), rel=1e-10)
        assert js("quantile", np.sort(before), 0.05) == pytest.approx(np.quantile(before, 0.05), rel=1e-12)


def hyperbola(batches, steps, n=1437):
    """Fewest steps and critical batch, as the chapter fits them."""
    inverse, trial = (n - np.array(batches)) / (np.array(batches) * (n - 1)), np.geomspace(1, 3000, 1600)
    gap = np.log(steps) - np.log1p(trial[:, None] * inverse)
    k = gap.std(axis=1).argmin()
    return np.exp(gap[k].mean()), trial[k]


def fitted(optimizer, target=0.2, tuning=3):
    """The same of the recorded medians."""
    study = records.load("batch-size")
    batches = study.run["config"]["batches"]
    steps = []
    for b in batches:
        rows = [r for r in study.curve if (r["optimizer"], r["target"], r["batch"]) == (optimizer, target, b)]
        every = np.array([r["steps"] for r in rows]).reshape(9, -1)
        steps.append(np.median(every[np.median(every[:, :tuning], axis=1).argmin(), tuning:]))
    return tuple(map(round, hyperbola(batches, steps)))


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


def test_the_branches_are_those_of_the_record_with_the_chapters_fit(numbers):
    js, study = numbers("branch-a-run"), records.load("batch-branches")
    plan, said = study.run["config"], js("data")
    n = plan["batches"][-1]
    for k, level in enumerate(plan["levels"]):
        rows = [r["steps"] for r in study.curve if (r["trunk"], r["level"]) == ("batch 16", level)]
        steps = np.median(np.array(rows).reshape(len(plan["batches"]), -1, plan["draws"]), axis=2)
        steps = np.minimum(steps, 2 * np.median(steps, axis=1, keepdims=True))  # as planned
        assert said["steps"][k] == pytest.approx(np.median(steps, axis=1), abs=0.006)
        inverse = [js("oneOver", b) for b in plan["batches"]]
        assert inverse == pytest.approx([(n - b) / (b * (n - 1)) for b in plan["batches"]], rel=1e-12)
        assert js("fit", inverse, said["steps"][k]) == pytest.approx(
            hyperbola(plan["batches"], said["steps"][k]), rel=1e-12
        )
        each = [hyperbola(plan["batches"], seen)[1] for seen in steps.T]
        assert said["measured"][k] == pytest.approx([min(each), np.median(each), max(each)], abs=0.06)
        for name, trunk in (("foretold", "batch 16"), ("misled", "slow")):
            runs = [study.run["results"][f"{trunk}, {seed}"] for seed in plan["seeds"]]
            stretches = [np.array(run["noise"])[run["at"][k] : run["at"][k + 1]] for run in runs]
            b = plan["trunks"][trunk][0]
            worth = [1 / (1 + scale * (n - b) / (b * (n - 1))) for scale in stretches]
            averages = [np.average(scale, weights=weight) for scale, weight in zip(stretches, worth, strict=True)]
            assert said[name][k] == pytest.approx(np.median(averages), abs=0.06)
