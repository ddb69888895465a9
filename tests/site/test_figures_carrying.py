"""The figures that move on the page of carrying a rate: their numbers beside the records and minilib's bowl."""

import numpy as np
import pytest

from minilib.experiments import records
from minilib.schedules import linear_scaling, sqrt_scaling
from minilib.theory import Quadratic

METHODS = ("SGD", "Adam")


@pytest.fixture(scope="module")
def rates():
    return records.load("batch-size")


@pytest.fixture(scope="module")
def carried():
    return records.load("carried-rates")


def losses(carried, method, warm, b, seeds):
    """Final losses (rates, seeds) of these seeds."""
    where = {"optimizer": method, "warm": warm, "batch": b}
    rows = [r["loss"] for r in carried.curve if where.items() <= r.items() and r["seed"] in seeds]
    return np.array(rows).reshape(-1, len(seeds))


def test_the_best_rates_are_those_of_the_record(numbers, rates):
    shown, config = numbers("rule-ends")("record"), rates.run["config"]
    assert shown["batches"] == config["batches"]
    for method in METHODS:
        for b, drawn in zip(config["batches"], shown["best"][method], strict=True):
            fastest = []
            for seed in config["seeds"]:
                where = {"optimizer": method, "batch": b, "target": 0.2, "seed": seed}
                fastest.append(min((r["steps"], r["lr"]) for r in rates.curve if where.items() <= r.items())[1])
            assert drawn == pytest.approx(np.median(fastest), abs=1e-6)


@pytest.mark.parametrize(("b", "c"), [(2, 128), (1, 1437), (32, 32)])
def test_the_rules_are_minilibs_and_the_bend_lies_between_two_of_them(numbers, b, c):
    js = numbers("rule-ends")
    assert js("carried", "linear", b, c) == pytest.approx(linear_scaling(c, b), rel=1e-12)
    assert js("carried", "root", b, c) == pytest.approx(sqrt_scaling(c, b), rel=1e-12)
    assert js("carried", "same", b, c) == 1
    assert js("bend", 24, 1, b, c) == pytest.approx((1 + 24 / b) / (1 + 24 / c), rel=1e-12)
    assert js("bend", 84, 2, b, c) ** 2 == pytest.approx((1 + 84 / b) / (1 + 84 / c), rel=1e-12)
    assert 1 <= js("bend", 24, 1, b, c) <= js("carried", "linear", b, c)


@pytest.mark.parametrize("rule", ["same", "root", "linear"])
def test_a_rule_reaches_as_far_as_it_stays_within_a_factor_of_two(numbers, rule):
    js, shown = numbers("rule-ends"), numbers("rule-ends")("record")
    off = [
        lr / (shown["best"]["SGD"][1] * js("carried", rule, 2, b))
        for b, lr in zip(shown["batches"], shown["best"]["SGD"], strict=True)
    ]
    last = next((k for k in range(1, len(off)) if not 0.5 <= off[k] <= 2), len(off)) - 1
    assert js("reached", "SGD", 2, rule) == shown["batches"][last]


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


def test_the_losses_of_the_carried_rates_are_those_of_the_record(numbers, carried):
    shown, config = numbers("carried-rate")("record"), carried.run["config"]
    assert shown["batches"] == config["batches"]
    for method in METHODS:
        np.testing.assert_allclose(shown["rates"][method], config["rates"][method], rtol=1e-4)
        for warm, said in enumerate(("none", "warm-up")):
            best = carried.run["results"][f"{method}, {said}"]["best"]
            assert [shown["tuned"][method][warm][str(b)] for b in config["batches"]] == [
                int(np.argmin(np.abs(np.array(config["rates"][method]) - best[str(b)]))) for b in config["batches"]
            ]
            for k, b in enumerate(config["batches"]):
                median = np.median(losses(carried, method, warm, b, config["seeds"]), axis=1)
                np.testing.assert_allclose(shown["losses"][method][warm][k], median, rtol=0, atol=5.1e-5)


def test_a_rule_lands_on_a_rate_of_the_grid(numbers, carried):
    js, config = numbers("carried-rate"), carried.run["config"]
    for method in METHODS:
        best = carried.run["results"][f"{method}, warm-up"]["best"]["2"]
        for rule, factor in (("same", 1), ("root", sqrt_scaling(32, 2)), ("linear", linear_scaling(32, 2))):
            index = js("landed", method, 1, rule, 2)
            assert config["rates"][method][index] == pytest.approx(best * factor, rel=1e-9)
