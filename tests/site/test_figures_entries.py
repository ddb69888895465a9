"""The figures that move on the pages of Adam, Adafactor and CAME, which divide each entry: minilib's steps."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from beside import positions

from minilib import optim
from minilib.autodiff import Tensor
from minilib.optim import CAME, Adafactor, Adam
from minilib.optim.adafactor import factored_ema, rms
from minilib.optim.base import ema
from studies.methods import AdaBelief


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


FOUR = {
    "Adam": (Adam, {}),
    "AdaBelief": (AdaBelief, {"eps": 1e-16, "weight_decay": 0.0}),
    "Adafactor": (Adafactor, {"relative_step": False}),
    "CAME": (CAME, {}),
}


def moves(cls, gradients, lr=1.0, **options):
    p = SimpleNamespace(data=np.zeros(np.shape(gradients[0])), grad=None)
    opt, steps = cls([p], lr=lr, **options), []
    for g in gradients:
        before = p.data.copy()
        p.grad = np.array(g, float)
        opt.step()
        steps.append((before - p.data) / lr)
    return np.array(steps)


@pytest.mark.parametrize("method", FOUR)
def test_the_four_entries_move_as_minilib_moves_them(numbers, method):
    js, (cls, options) = numbers("came-four"), FOUR[method]
    noisy = np.array([3.0, 1, 1, 1]) + np.random.default_rng(0).normal(size=(50, 4))
    for gradients in (noisy, [[3.0, 1, 1, 1]] * 50):
        ours = moves(cls, np.reshape(gradients, (-1, 2, 2)), **options).reshape(-1, 4)
        # A step is read off positions that have grown to thousands of learning rates.
        assert js("steps", method, np.array(gradients).tolist()) == pytest.approx(ours, rel=1e-12, abs=1e-12 * 5000)
        a = ours[-1]
        assert js("cross", a.tolist()) == pytest.approx(a[0] * a[3] / (a[1] * a[2]), rel=1e-12)


@pytest.mark.parametrize(("beta1", "beta3"), [(0.9, 0.9999), (0.9, 0.95), (0.5, 0.99)])
def test_the_bounds_and_the_certain_step_are_sums_of_weights(numbers, beta1, beta3):
    js = numbers("came-bounds")
    for t in (1, 7, 60):
        inverse = (1 / ((1 - beta3) * beta3 ** np.arange(t))).sum()
        assert js("momentum", t, beta1, beta3) == pytest.approx(((1 - beta1) / beta1) ** 2 * inverse, rel=1e-10)
        first = (1 - beta3) * beta3 ** (t - 1) * beta1**2
        assert js("clip", t, beta1, beta3) == pytest.approx((1 - beta1**t) ** 2 / first, rel=1e-12)
        ones = moves(CAME, [np.ones((2, 2))] * t, betas=(beta1, 0.999, beta3), eps=(1e-30, 1e-30))[-1, 0, 0]
        assert js("certain", t, beta1, beta3) == pytest.approx(ones**2, rel=1e-8)
    assert numbers("came-bounds")("crossing", 0.9, 0.9999) == 101  # on the page


def test_a_painted_matrix_is_factored_as_minilib_factors_it(numbers):
    js, E = numbers("came-loud"), np.random.default_rng(1).exponential(size=(6, 10))
    S = factored_ema({}, ("R", "C"), E, 0.0)
    assert js("factored", E.tolist()) == pytest.approx(S, rel=1e-12)
    assert js("pays", E.tolist()) == pytest.approx(np.sqrt(E / S), rel=1e-12)


@pytest.mark.parametrize(("h", "d"), [(6.0, 1.0), (20.0, 1.0), (6.0, 1e9)])
def test_the_walker_steps_as_came_does_and_the_band_is_the_propositions(numbers, h, d):
    js, k = numbers("came-uphill"), 5
    p, path = SimpleNamespace(data=np.zeros((2, 2)), grad=None), []
    opt = CAME([p], lr=2e-4, d=d)
    for t in range(400):
        p.grad = np.full((2, 2), h if t % k == 0 else -1.0)
        opt.step()
        p.data[...] = np.clip(p.data, -1, 1)
        path.append(p.data[0, 0])
    assert js("walk", h, k, d, 400) == pytest.approx(path, rel=1e-12, abs=1e-12)
    v = (h**2 + k - 1) / k
    sums = {"gradients": h - (k - 1), "updates": min(1, h / v**0.5) - (k - 1) * min(1, 1 / v**0.5)}
    assert js("period", h, k) == pytest.approx(sums, rel=1e-12)
    assert js("top", k) == pytest.approx(76**0.5, rel=1e-12)
