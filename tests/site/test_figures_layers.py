"""The figures that move on the pages of LARS and LAMB, and of which LAMB: minilib's steps, one layer at a time."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from beside import positions
from scipy import stats
from scipy.stats import binom

from minilib.experiments import records
from minilib.experiments.tasks import DigitsTask
from minilib.optim import LAMB, LARS, SGD, Adam
from minilib.schedules import sqrt_scaling
from minilib.theory import Robust
from studies.which_lamb import FORMS, Steps
from studies.which_lamb.comparison import _layers


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
    ratios = {"SGD": 32, "One ratio": 23, "LARS": 1}  # on the page
    assert round(js("best", method, 1) / js("best", method, 10)) == ratios[method]


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


def test_the_layers_of_the_share_are_those_of_the_digits_network(numbers):
    network = DigitsTask(depth=4).model(np.random.default_rng(0))
    rms = [float(np.sqrt(np.mean(p.data**2))) for p in network.parameters() if p.data.ndim > 1]
    assert [round(v, 4) for v in rms] == numbers("layer-share")("layers").tolist()


@pytest.mark.parametrize("b", [16, 128, 1437, 32768])
def test_the_share_of_a_layer_is_what_one_step_of_minilib_moves(numbers, b):
    js, lr = numbers("layer-share"), 0.04 * sqrt_scaling(b, 128)
    assert js("carried", 0.04, b) == pytest.approx(lr, rel=1e-12)
    maker = np.random.default_rng(b)
    x, g = maker.normal(size=(2, 40))
    options = {Adam: {"lr": lr, "eps": 1e-30}, LAMB: {"lr": lr, "eps": 1e-30, "weight_decay": 0.0}}
    paths = [positions(lambda p, m=method: m(p, **options[m]), lambda _, t: g, x, 1) for method in options]
    moved, proposed = (np.linalg.norm(after - before) for before, after in paths)
    rms = float(np.sqrt(np.mean(x**2)))
    assert js("adamShare", lr, rms) == pytest.approx(moved / np.linalg.norm(x), rel=1e-12)
    assert proposed / np.linalg.norm(x) == pytest.approx(lr, rel=1e-12)
    assert js("adamShare", js("carried", 0.04, js("overwrites", 0.04, rms)), rms) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("alive", [1, 7, 8, 16])
def test_the_walk_is_that_of_minilibs_lamb_without_a_memory(numbers, alive):
    p, d, tiny = 0.6, 16, 1e-9
    coins = np.random.default_rng(alive).random(300)
    layer = SimpleNamespace(data=np.zeros(d), grad=np.zeros(d))
    layer.data[0], path = 3.0, [3.0]
    opt = LAMB([layer], 0.01, (0.0, 0.0), 1e-30, 0.0, False, (0.5, 1.0))
    signs = np.random.default_rng(0)
    for coin in coins:
        slope = numbers("uphill")("slope", layer.data[0]) if layer.data[0] > 1 else 0.5
        layer.grad[:] = tiny * signs.choice([-1, 1], size=d)
        if coin >= p:
            layer.grad[alive:] = 0
        layer.grad[0] = slope * (1.667 if coin < p else -0.001)
        opt.step()
        path.append(layer.data[0])
    assert numbers("uphill")("walk", coins, p, alive) == pytest.approx(np.array(path), rel=1e-12)


@pytest.mark.parametrize(("p", "alive"), [(0.6, 1), (0.6, 7), (0.6, 8), (0.8, 1), (0.55, 16)])
def test_the_drift_the_price_and_the_promise(numbers, p, alive):
    js, d, T, lr = numbers("uphill"), 16, 20_000, 0.01
    mean = lr * ((1 - p) / np.sqrt(alive) - p / np.sqrt(d))
    assert js("drift", p, alive) == pytest.approx(mean, rel=1e-12, abs=1e-15)
    assert js("price", alive) == pytest.approx((1 + np.sqrt(d / alive)) / 2, rel=1e-12)
    slopes, chances = np.array([(1 + (1 - p) * 0.001) / p, -0.001]), np.array([p, 1 - p])
    sigma = np.sqrt(chances @ (slopes - chances @ slopes) ** 2)
    promised = np.sqrt(d) * (np.logaddexp(0, 3) / (lr * T) + lr * 0.25 / 2) + 1.5 * sigma
    assert js("promise", p, 1.5) == pytest.approx(promised, rel=1e-12)
    path = [3.0, 2.5, -4.0]
    assert js("average", path) == pytest.approx(np.mean(1 / (1 + np.exp(-np.array(path[:-1])))), rel=1e-12)
    assert js("softplus", -4.0) == pytest.approx(np.logaddexp(0, -4.0), rel=1e-12)


@pytest.mark.parametrize("b", [1, 2, 7, 128])
@pytest.mark.parametrize("slope", [0.0, 0.05, 0.4, 1.0, 2.0])
def test_how_often_a_sign_is_wrong_and_what_it_costs(numbers, b, slope):
    js, k = numbers("wrong-signs"), np.arange(b + 1)
    chance = stats.binom.pmf(k, b, 0.5)
    assert js("heads", b) == pytest.approx(chance, rel=1e-12)
    rare = {"normal": stats.norm.sf(slope * np.sqrt(b)), "coin": chance[slope + 2 * k / b - 1 <= 1e-12].sum()}
    markov = {"normal": 1 / np.sqrt(2 * np.pi * b), "coin": chance @ np.abs(2 * k / b - 1) / 2}
    for noise in rare:
        assert js("wrong", noise, slope, b) == pytest.approx(rare[noise], rel=1e-12)
        assert js("cost", noise, slope, b) == pytest.approx(slope * rare[noise], rel=1e-12)
        assert js("markov", noise, b) == pytest.approx(markov[noise], rel=1e-12)
        assert js("cost", noise, slope, b) <= js("markov", noise, b) * (1 + 1e-12)
        assert js("markov", noise, b) <= js("allowed", b) * (1 + 1e-12)


def test_what_the_text_says_of_the_cost_of_a_wrong_sign(numbers):
    js, slopes = numbers("wrong-signs"), np.linspace(0.01, 2, 200)
    costs = [js("cost", "normal", s, 1) for s in slopes]
    assert slopes[np.argmax(costs)] == pytest.approx(0.75, abs=0.01)
    assert max(costs) < 0.35 * js("allowed", 1)
    assert js("cost", "coin", 1.0, 1) == js("markov", "coin", 1) == js("allowed", 1)


@pytest.mark.parametrize("rule", ["root", "kept", "searched"])
@pytest.mark.parametrize("method", ["LAMB", "AdamW", "LARS"])
def test_a_carried_rate_is_the_one_that_was_run(numbers, method, rule):
    js, results = numbers("carry-the-rate"), records.load("lamb-untuned").run["results"]
    for b in (64, 128, 256, 512, 1024, 1437):
        assert js("carried", method, b) == pytest.approx(results[f"{method} root {b}"]["lr"], rel=1e-12)
        rate = js("multiple", rule, method, b) * js("carried", method, b)
        assert rate == pytest.approx(results[f"{method} {rule} {b}"]["lr"], rel=1e-12)


SHOWN = ("paper", "timm, Apex", "pytorch_optimizer", "bitsandbytes, GPU", "bitsandbytes, CPU")

D, LR = 1024, 0.01


def step_lengths(norm, sizes, decay):
    """Lengths of the last step over the learning rate: a layer at right angles to gradients of equal entries."""
    x = norm / np.sqrt(D) * np.where(np.arange(D) % 2, 1.0, -1.0).reshape(32, 32)
    gradients = [{"w": np.full((32, 32), size / np.sqrt(D))} for size in sizes]
    steps = Steps([{"w": x}, *[None] * (len(sizes) - 1), {"w": x}], gradients, lr=LR, weight_decay=decay)
    ((_, layer),) = _layers(steps, (0.0, 10.0), 1.0)
    ends = []
    for name in SHOWN:
        variant = FORMS[name].variant
        r = layer.r[variant.clip, variant.correction, variant.epsilon][-1]
        ends.append(np.linalg.norm(layer.step(variant, x, r, len(sizes)) - x) / LR)
    return ends


@pytest.mark.parametrize("norm", [0.0, 0.5, 20.0, 500.0])
@pytest.mark.parametrize("decay", [0.0, 0.01])
@pytest.mark.parametrize(("t", "last"), [(1, 1.0), (1, 100.0), (10, 100.0), (30, 0.01)])
def test_the_fingerprints_are_the_lengths_of_the_steps(numbers, norm, decay, t, last):
    js = numbers("lamb-fingerprints")
    sizes = js("history", t, last)
    assert len(sizes) == t
    # a step of 0.01 is a difference of weights of up to 16 each, so some digits of it are lost
    assert js("lengths", norm, sizes, decay) == pytest.approx(step_lengths(norm, sizes, decay), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize(
    ("lengths", "first"),
    [
        ([1, 1.005, 2, 2, 3], [0, 0, 2, 2, 4]),
        ([0, 0, 5, 5.1, 5.04], [0, 0, 2, 3, 2]),
        ([1, 2, 3, 4, 5], [0, 1, 2, 3, 4]),
    ],
)
def test_a_length_is_called_by_the_first_that_it_equals_within_a_percent(numbers, lengths, first):
    js = numbers("lamb-fingerprints")
    assert js("alike", lengths).tolist() == first
    assert js("alike", js("lengths", 20.0, [1.0], 0.01)).tolist() == [0, 0, 2, 0, 4]
