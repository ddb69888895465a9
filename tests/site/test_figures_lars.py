"""The figures that move on LARS's page: their numbers beside minilib's steps and constants, and SciPy's binomials."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from minilib.optim import LARS, SGD
from minilib.theory import Robust


def mean_loss(method, c, lr, T=40):
    """Of 40 steps of minilib's optimizer on the figure's network of two layers."""
    layers = [SimpleNamespace(data=np.array(x), grad=None) for x in ([c, 0.5 * c], [0.8 / c, -0.4 / c])]
    (u, v), total = layers, 0.0
    lars = {"momentum": 0.0, "trust_coefficient": 0.02}
    opt = LARS(layers, lr=lr, **lars) if method == "LARS" else SGD(layers, lr=lr)
    for t in range(T):
        error = u.data * v.data - [2, -1.5]
        u.grad, v.grad = error * v.data, error * u.data
        if method == "One ratio":
            sizes, slopes = (np.linalg.norm([np.linalg.norm(getattr(p, k)) for p in layers]) for k in ("data", "grad"))
            for p in layers:
                p.grad = 0.02 * sizes / slopes * p.grad
        opt.lr = lr * (1 - t / T) ** 2
        opt.step()
        total += ((u.data * v.data - [2, -1.5]) ** 2).sum() / 2 / T
    return total


@pytest.mark.parametrize("method", ["SGD", "One ratio", "LARS"])
@pytest.mark.parametrize("c", [1, 3, 10])
def test_the_editions_train_as_minilib_does_and_the_answer_is_what_they_show(numbers, method, c):
    js = numbers("lars-editions")
    rates = js("rates").tolist()
    for lr in (rates[0], js("best", method, c)):
        assert js("mean", method, c, lr) == pytest.approx(mean_loss(method, c, lr), rel=1e-12)
    losses = [js("mean", method, c, lr) or np.inf for lr in rates]
    assert js("best", method, c) == rates[int(np.nanargmin(np.array(losses, float)))]
    said = {"SGD": 32, "One ratio": 23, "LARS": 1}  # on the page
    assert round(js("best", method, 1) / js("best", method, 10)) == said[method]


@pytest.mark.parametrize("b", [1, 3, 4, 24])
def test_the_bowl_rests_where_the_binomials_say(numbers, b):
    js, T, x0 = numbers("lars-bowl"), 100, 0.2137
    at, chance = x0 + x0 / T**0.5 * np.arange(-T, T + 1), np.zeros(2 * T + 1)
    chance[T], balance, slopes = 1, b * (1 - at) / 4, []
    down, up = binom.sf(np.floor(balance), b, 1 / 4), binom.cdf(np.ceil(balance) - 1, b, 1 / 4)
    for _ in range(T):
        slopes.append(chance @ np.abs(at))
        left, right, chance = chance * down, chance * up, chance * (1 - down - up)
        chance[:-1] += left[1:]
        chance[1:] += right[:-1]
    assert js("slopes", b, T) == pytest.approx(slopes, rel=1e-12)
    assert js("ends", b, T) == pytest.approx({"mean": chance @ at, "slope": chance @ np.abs(at)}, rel=1e-12, abs=1e-12)
    assert js("rest", b) == 1 - 4 * binom.ppf(0.5, b, 1 / 4) / b


def test_the_promises_are_those_of_the_two_regressions(numbers):
    js, maker = numbers("lars-promise"), np.random.default_rng(6)
    A = maker.normal(size=(8, 6)) * np.repeat([1, 3, 0.3], 2)
    b = A @ [1, -1, 0.5, 0.3, -1.5, 2] + 0.3 * maker.normal(size=8)
    b[:2] = [-2.0, 2.5]
    robust, x1 = Robust(A, b), np.array([-1.0, 1, -0.6, 0.6, 1, 1])
    L, sigma = robust.layer_constants(np.split(np.arange(6), 3))

    def summed(g):
        return np.linalg.norm(g.reshape(-1, 3, 2), axis=-1).sum(axis=-1)

    largest, r = summed(np.array([*product((-1, 1), repeat=8)]) @ A / 8).max(), A @ (3 * x1) - b
    convex = (np.sqrt(1 + r**2) - 1).mean(), L.sum() / 2, sigma.sum() / robust.slope_bound
    expected = {
        "bounded": (robust.f(x1), L.sum(), sigma.sum(), summed(robust.grad(x1))[0], robust.slope_bound * largest),
        "convex": (*convex, summed(r / np.sqrt(1 + r**2) @ A / 8)[0], largest),
        "bowl": (0.2137**2 / 2, 1, 3**0.5, 0.2137, np.inf),
    }
    for name, (delta, curvature, noise, start, most) in expected.items():
        c = js("problem", name)
        assert [c[k] for k in ("Delta", "L", "sigma", "start")] == pytest.approx(
            [delta, curvature, noise, start], rel=1e-12
        )
        assert name == "bowl" or c["most"] == pytest.approx(most, rel=1e-12)
        for T, count, bounds in ((1, 2, 4), (3000, 1, 4), (10**6, 2, 1)):
            promised = bounds * (np.sqrt(2 * delta * curvature / T) + count * noise / np.sqrt(T))
            assert js("promised", c, T, count, bounds) == pytest.approx(promised, rel=1e-12)
        steps = js("stepsFor", c, start, 2, 4)
        assert js("promised", c, steps, 2, 4) <= start < js("promised", c, steps - 1, 2, 4)
