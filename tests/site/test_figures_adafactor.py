"""The figures that move on Adafactor's page: their numbers beside minilib, NumPy's SVD and torch's Adafactor."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from minilib.optim import Adafactor
from minilib.optim.adafactor import factored_ema, rms
from minilib.optim.base import ema


def update(x, g, **options):
    """The first update of minilib's Adafactor, in learning rates."""
    p = SimpleNamespace(data=np.array(x, float), grad=np.array(g, float))
    Adafactor([p], lr=1.0, relative_step=False, **options).step()
    return x - p.data


@pytest.mark.parametrize("k", [1, 30, 300])
def test_the_odd_entry_is_factored_as_minilib_does_and_squared_as_numpy_does(numbers, k):
    js = numbers("factor-entry")
    V = js("matrix", k)
    assert js("product", V) == pytest.approx(factored_ema({}, ("r", "c"), V, beta=0.0), rel=1e-12)
    left, sizes, right = np.linalg.svd(V)
    best = sizes[0] * np.outer(left[:, 0], right[0])
    assert js("leastSquares", V) == pytest.approx(best, rel=1e-12)
    assert js("byRow", V) == pytest.approx(np.repeat(V.mean(axis=1, keepdims=True), 6, axis=1), rel=1e-12)
    assert js("factors", "least squares", k) == pytest.approx(np.sqrt(V / best), rel=1e-12)
    i, j, most = js("worst", "least squares", k)
    assert most == pytest.approx(np.sqrt(V / best)[int(i), int(j)], rel=1e-12)
    if k == 300:  # the answer on the page
        assert (i, j) == (4, 2)
        assert round(most, 1) == 7.6


@pytest.mark.parametrize("tau", [0.5, 0.8, 1, 1.5])
def test_the_weights_are_those_of_minilibs_averages(numbers, tau):
    js, T = numbers("what-is-forgotten"), 300
    y, state = np.random.default_rng(0).chisquare(1, T), {}
    for t in range(1, T + 1):
        average = ema(state, "v", np.array([y[t - 1]]), 1 - t**-tau)
    w = js("weights", tau, T)
    assert w @ y == pytest.approx(average[0], rel=1e-12)
    assert js("first", tau, T, 10) == pytest.approx(w[:10].sum(), rel=1e-12)
    k = int(js("half", tau, T))
    assert w[-k:].sum() >= 0.5 > w[T - k + 1 :].sum()
    ages = np.arange(T)[::-1]
    assert js("adam", 0.999, T) == pytest.approx(0.001 * 0.999**ages / (1 - 0.999**T), rel=1e-11)


@pytest.mark.parametrize("delta", [1, 1e-2, 1e-4])
def test_the_rare_entry_moves_as_minilibs_adafactor_moves_it(numbers, delta):
    js, g = numbers("rare-entry"), np.diag([1, delta**0.5])
    bare = update(np.zeros((2, 2)), g, d=1e9)
    assert js("factored", delta) == pytest.approx(np.diag(bare), rel=1e-12)
    assert js("rms", js("factored", delta)) == pytest.approx(rms(bare), rel=1e-12)
    for d in (0.5, 1, 30):
        assert js("clipped", delta, d) == pytest.approx(np.diag(update(np.zeros((2, 2)), g, d=d)), rel=1e-12)


@pytest.mark.parametrize("eps", [1e-30, 2.0**-23, 2.0**-7])
@pytest.mark.parametrize("g", [1e-1, 1e-3, 1e-6])
def test_epsilon_stands_where_the_paper_and_where_torch_have_it(numbers, g, eps):
    js, gradient = numbers("epsilon-floor"), np.full((3, 4), g)
    assert js("update", "paper", g, eps) == pytest.approx(update(np.zeros((3, 4)), gradient, eps=(eps, 1e-3))[0, 0])
    p = torch.nn.Parameter(torch.zeros(3, 4, dtype=torch.float64))
    p.grad = torch.tensor(gradient)
    torch.optim.Adafactor([p], lr=1.0, eps=(eps, 1.0)).step()
    assert js("update", "torch", g, eps) == pytest.approx(-float(p[0, 0].detach()), rel=1e-12)
