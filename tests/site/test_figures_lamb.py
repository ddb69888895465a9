"""The figures that move on LAMB's page: their numbers beside the record, minilib's networks and minilib's steps."""

from types import SimpleNamespace

import numpy as np
import pytest
from browsing import positions
from scipy import stats

from minilib.experiments import records
from minilib.experiments.tasks import DigitsTask
from minilib.experiments.verdicts import compare, family
from minilib.optim import LAMB, Adam
from minilib.schedules import sqrt_scaling

METHODS = ("LAMB", "AdamW", "LARS")


@pytest.fixture(scope="module")
def recorded():
    return records.load("lamb-untuned")


def losses(recorded, method, rule, b):
    """Final losses by seed."""
    case = {"optimizer": method, "rule": rule, "batch": b}
    return {c["seed"]: c["loss"] for c in recorded.curve if case.items() <= c.items()}


def test_the_carried_rates_are_those_of_the_record(numbers, recorded):
    js = numbers("carry-the-rate")
    shown, config, results = js("record"), recorded.run["config"], recorded.run["results"]
    assert (shown["batches"], shown["base"]) == (config["batches"], config["base"])
    assert shown["factors"] == pytest.approx(config["near"], rel=1e-12)
    assert shown["searched"] == [b for b in config["batches"] if b >= config["near_from"]]
    for method in METHODS:
        assert shown["near"][method] == [results[f"{method} searched {b}"]["near"] for b in shown["searched"]]
        assert shown["tuned"][method] == pytest.approx(results[f"{method} tuning"]["lr"], rel=1e-12)
        for b in config["batches"]:
            assert js("carried", method, b) == pytest.approx(results[f"{method} root {b}"]["lr"], rel=1e-12)
        for rule, batches in (("root", "batches"), ("kept", "batches"), ("searched", "searched")):
            ends = [list(losses(recorded, method, rule, b).values()) for b in shown[batches]]
            for b in shown["searched"]:
                rate = js("multiple", rule, method, b) * js("carried", method, b)
                assert rate == pytest.approx(results[f"{method} {rule} {b}"]["lr"], rel=1e-12)
            summary = [[min(e), np.median(e), max(e)] for e in ends]
            assert shown["losses"][rule][method] == pytest.approx(np.array(summary), abs=0.6e-5)


@pytest.mark.parametrize(("ours", "theirs"), [("root", "root"), ("root", "kept"), ("searched", "searched")])
def test_the_carried_rates_name_the_batches_where_lamb_is_confirmed(numbers, recorded, ours, theirs):
    shown = numbers("carry-the-rate")("record")
    batches = shown["searched"] if theirs == "searched" else shown["batches"]
    pairs = {}
    for b in batches:
        if (ours, theirs, b) != ("root", "kept", shown["base"]):
            both = losses(recorded, "LAMB", ours, b), losses(recorded, "AdamW", theirs, b)
            pairs[b] = compare(*({seed: np.log(v) for seed, v in found.items()} for found in both))
    confirmed = [b for b, c in family(pairs).items() if c.verdict == "confirmed"]
    assert shown["confirmed"][theirs] == confirmed


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
