"""The figures that move on the page about norms: four lengths, three balls, and what the study of widths recorded."""

import numpy as np
import pytest
from beside import check, every

from minilib.experiments import records
from studies.norms.norm_widths import MIDDLE, lowest


def mirror(v):
    v = np.array(v, float)
    return np.eye(4) - 2 * np.outer(v, v) / (v @ v)


def four(s):
    U, V = mirror([1, 2, 3, 4]), mirror([4, -1, 2, 1])
    G = U @ np.diag(s ** np.arange(4.0)) @ V.T
    together = np.sqrt(np.linalg.norm(G) ** 2 + 4)
    steps = (G / together, G / np.linalg.norm(G), np.sign(G), U @ V.T)
    return [[(step * G).sum(), np.linalg.norm(step, 2)] for step in steps]


def gradient(s):
    return mirror([1, 2, 3, 4]) @ np.diag(s ** np.arange(4.0)) @ mirror([4, -1, 2, 1]).T


def test_four_steps_fall_and_move_as_singular_values_say(numbers):
    js = numbers("four-lengths")
    check(js, [("gradient", gradient, every((0.05, 0.5, 1.0))), ("four", four, every((0.05, 0.3, 0.5, 0.9, 1.0)))])


def steepest(kind, x, y):
    """The best of many steps of length 1: corners of the ball, and a fine circle."""
    g = np.array([x, y])
    angles = np.linspace(0, 2 * np.pi, 720_001)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lengths = {"euclid": 1, "largest": np.abs(circle).max(axis=1), "sum": np.abs(circle).sum(axis=1)}[kind]
    steps = circle / np.reshape(lengths, (-1, 1))
    best = steps[np.argmax(steps @ g)]
    return [*best, best @ g]


@pytest.mark.parametrize("kind", ["euclid", "largest", "sum"])
def test_no_step_of_the_ball_is_steeper(numbers, kind):
    js = numbers("steepest-ball")
    for g in ((3.0, 4.0), (-1.0, 0.2), (0.3, -2.0)):
        assert js("steepest", kind, *g) == pytest.approx(steepest(kind, *g), abs=1e-5)
    duals = {"euclid": 5, "largest": 7, "sum": 4}  # on the page
    assert js("steepest", kind, 3, 4)[2] == pytest.approx(duals[kind], rel=1e-12)
    orders = {"euclid": 2, "largest": np.inf, "sum": 1}
    assert np.linalg.norm(js("edge", kind), orders[kind], axis=1) == pytest.approx(np.ones(181), rel=1e-12)


def test_the_slopes_over_the_width_are_the_records(numbers):
    js, record = numbers("rate-by-width"), records.load("norm-widths")
    widths = record.run["config"]["widths"]
    for arm in MIDDLE:
        means = [np.mean(record.run["results"]["best"][f"{arm}, {n}"]) for n in widths]
        assert js("slope", arm) == pytest.approx(np.polyfit(np.log2(widths), means, 1)[0], abs=2e-4)
        assert js("moved", arm) == pytest.approx(2 ** (means[-1] - means[0]), rel=1e-3)
        rows = [r for r in record.curve if r["arm"] == arm.replace(",", " +") and r["width"] == 64 and r["seed"] == 0]
        powers, losses = zip(*sorted((r["power"], r["loss"]) for r in rows), strict=True)
        best = record.run["results"]["best"][f"{arm}, 64"][0]
        assert lowest(powers, np.array(losses)) == pytest.approx(best, abs=1e-3)
