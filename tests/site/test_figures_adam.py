"""The figures that move on Adam's page: what they compute is what minilib computes."""

import math

import numpy as np
import pytest
from browsing import positions

from minilib import optim
from minilib.autodiff import Tensor


@pytest.mark.parametrize("betas", [(0.0, 0.0), (0.9, 0.999), (0.5, 0.9)])
def test_the_steps_of_a_noisy_gradient_are_adams(numbers, betas):
    z, r = np.random.default_rng(1).normal(size=300), 3.0
    g = numbers("signal-noise")("gradients", r, z)
    assert g == pytest.approx(1 + r * z, rel=1e-12)
    steps = numbers("signal-noise")("directions", g, *betas)
    path = positions(lambda p: optim.Adam(p, 1.0, betas=betas, eps=1e-300), lambda x, t: g[t : t + 1], [0.0], 300)
    assert steps == pytest.approx(-np.diff(path[:, 0]), rel=1e-10, abs=1e-12)


def test_the_formula_the_votes_and_the_moments(numbers):
    js, z = numbers("signal-noise"), np.random.default_rng(2).normal(size=500)
    assert js("formula", 3) == pytest.approx(1 / math.sqrt(10), rel=1e-12)
    assert js("votes", 2.0, z) == pytest.approx(np.sign(1 + 2 * z).mean(), rel=1e-12)
    assert js("mean", z) == pytest.approx(z.mean(), rel=1e-12)
    assert js("deviation", z) == pytest.approx(z.std(), rel=1e-12)


def test_one_large_gradient_in_three_is_outvoted_past_the_root_of_two(numbers):
    js, z = numbers("signal-noise"), np.tile([math.sqrt(2), -math.sqrt(0.5), -math.sqrt(0.5)], 100)
    assert js("votes", 1.4, z) == 1
    assert js("votes", 1.42, z) == pytest.approx(-1 / 3)


def valley(kappa, angle):
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return turn @ np.diag([1.0, kappa]) @ turn.T, turn @ [-2.0, 0.5]


@pytest.mark.parametrize("angle", [0.0, 0.3, math.pi / 4])
def test_the_paths_in_a_turned_valley_are_those_of_minilib(numbers, angle):
    js, (H, start) = numbers("turn-the-valley"), valley(100.0, angle)
    assert js("hessian", 100, angle) == pytest.approx(H, rel=1e-12, abs=1e-12)
    assert js("turned", [-2, 0.5], angle) == pytest.approx(start, rel=1e-12)
    ball = positions(lambda p: optim.SGD(p, 0.01, momentum=0.9), lambda x, t: H @ x, start, 60)
    assert js("momentum", H, start, 0.01, 0.9, 60) == pytest.approx(ball, rel=1e-12, abs=1e-12)
    adam = positions(lambda p: optim.Adam(p, 0.15), lambda x, t: H @ x, start, 60)
    assert js("adam", H, start, 0.15, 60) == pytest.approx(adam, rel=1e-9, abs=1e-11)


def test_adam_is_slower_across_the_axes_and_momentum_is_not(numbers):
    js = numbers("turn-the-valley")
    steps = [js("bestAdam", 1000, math.radians(a))[0] for a in (0, 3, 45)]
    assert steps[1] <= steps[0]
    assert 4.5 < steps[2] / steps[0] < 6
    balls = {js("bestMomentum", 1000, math.radians(a))[0] for a in (0, 3, 45)}
    assert len(balls) == 1
    H, start = valley(1000.0, math.pi / 4)
    rates = 2.0 ** np.arange(-6, 3)
    paths = [positions(lambda p, lr=lr: optim.Adam(p, lr), lambda x, t: H @ x, start, 1500) for lr in rates]
    far = [np.linalg.norm(path, axis=1) for path in paths]
    assert steps[2] == min(int(np.nonzero(~(d <= 0.01 * d[0]))[0][-1]) + 1 for d in far)


@pytest.mark.parametrize(("C", "beta2"), [(3.0, 0.1), (3.0, 0.95), (8.0, 0.3)])
def test_the_trap_is_the_librarys_adam_with_a_projection(numbers, C, beta2):
    js, T = numbers("the-trap"), 600
    slopes = js("slopes", C, T)
    assert slopes == pytest.approx(np.where(np.arange(1, T + 1) % 3 == 1, C, -1.0))
    p = Tensor(np.array([1.0]))
    opt = optim.Adam([p], 1.0, betas=(0.0, beta2), eps=1e-300, bias_correction=False)
    there = []
    for t, g in enumerate(slopes, start=1):
        there.append(p.data.item())
        p.grad, opt.lr = np.array([g]), 0.8 / math.sqrt(t)
        opt.step()
        np.clip(p.data, -1, 1, out=p.data)
    assert js("play", slopes, 0.8, beta2)[0] == pytest.approx(np.array(there), rel=1e-12, abs=1e-12)


def test_the_trap_closes_in_the_theorems_range_and_opens_in_practice(numbers):
    js = numbers("the-trap")
    for C in (2.5, 3.0, 10.0):
        assert js("proved", C) == pytest.approx(1 / (1 + C**2), rel=1e-12)
        assert js("late", C, js("proved", C)) > 0.9
        assert js("late", C, 0.95) < -0.9
