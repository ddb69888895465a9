"""The numbers of the figures that move on SGD's page: they are those of the chapter's formulas and of minilib."""

import numpy as np
import pytest
from browsing import positions

from minilib.optim import SGD
from minilib.theory import Robust


@pytest.mark.parametrize("lr", [0.02, 1.0, 1.9, 2.0, 2.1])
def test_the_path_near_the_edge_is_that_of_gradient_descent(numbers, lr):
    path = positions(lambda p: SGD(p, lr), lambda x, t: x * [0.1, 1.0], [-5.0, 1.2], 40)
    drawn = numbers("step-edge")("path", lr, [0.1, 1.0], [-5.0, 1.2], 40)
    np.testing.assert_allclose(drawn, path, rtol=1e-12, atol=1e-13)


def test_the_best_rate_equals_the_two_factors_and_a_tenth_takes_as_long_as_the_factor_says(numbers):
    js = numbers("step-edge")
    best = js("bestRate", [0.1, 1.0])
    assert js("factor", best, 0.1) == pytest.approx(-js("factor", best, 1.0), rel=1e-12)
    steps = js("stepsToATenth", 1.9, 1.0)
    assert abs(1 - 1.9) ** steps == pytest.approx(0.1, rel=1e-12)
    assert js("stepsToATenth", 1.0, 1.0) == 1


@pytest.mark.parametrize(("lr", "b"), [(0.02, 1), (0.5, 4), (1.9, 256), (2.1, 16)])
def test_the_ball_follows_sgd_and_its_mean_the_recursion(numbers, lr, b):
    js, z = numbers("noisy-bowl"), np.random.default_rng(b).normal(size=50)
    x, run, square, mean = -8.0, [-8.0], 64.0, [32.0]
    for noise in z:
        x = x - lr * (x + 2 * noise / np.sqrt(b))
        square = (1 - lr) ** 2 * square + lr**2 * 4 / b
        run.append(x)
        mean.append(square / 2)
    np.testing.assert_allclose(js("run", lr, b, 1, 2, -8, z), run, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(js("expectedLoss", lr, b, 1, 2, -8, 50), mean, rtol=1e-12)


@pytest.mark.parametrize("lr", [0.02, 0.5, 1.9])
def test_the_recursion_ends_on_the_floor_and_the_floor_halves_with_a_doubled_batch(numbers, lr):
    js = numbers("noisy-bowl")
    floor = js("floor", lr, 4, 1, 2)
    assert js("expectedLoss", lr, 4, 1, 2, -8, 2000)[-1] == pytest.approx(floor, rel=1e-12)
    assert js("floor", lr, 8, 1, 2) == pytest.approx(floor / 2, rel=1e-12)
    assert js("thumb", lr, 4, 2) == pytest.approx(floor * (2 - lr) / 2, rel=1e-12)


def hill():
    maker = np.random.default_rng(1)
    A = maker.normal(size=(8, 2))
    b = A @ np.array([1.5, -1.0]) + 0.3 * maker.normal(size=8)
    b[:2] = [-2.0, 2.5]
    return Robust(A, b)


@pytest.mark.parametrize("times", [0.5, 3.0])
def test_the_tree_holds_every_history_of_the_chapters_hill(numbers, times):
    problem, js = hill(), numbers("history-tree")
    lr, levels = times / problem.L, [np.array([[-1.0, 1.0]])]
    for _ in range(4):
        levels.append(np.concatenate([x - lr * problem.sample_grads(x) for x in levels[-1]]))
    first = problem.f(np.array([-1.0, 1.0]))
    for level, told in zip(levels, js("summary", lr, 4), strict=True):
        f = np.array([problem.f(x) for x in level])
        expected = [len(f), f.mean(), (f > first + 1e-15).mean(), f.min(), f.max()]
        np.testing.assert_allclose(told, expected, rtol=1e-12)


def test_long_steps_scatter_the_histories_of_the_hill(numbers):
    L = hill().L
    short, long = (numbers("history-tree")("summary", times / L, 6)[-1] for times in (0.5, 3))
    assert short[0] == long[0] == 8**6
    assert long[1] < short[1]
    assert short[2] < 0.002 < 0.029 < long[2] < 0.031
