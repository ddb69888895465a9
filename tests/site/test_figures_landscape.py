"""The figures that move on the landscape's page: their numbers beside minilib's steps, singular values and bytes."""

import numpy as np
import pytest

from minilib import optim
from minilib.autodiff import Tensor
from minilib.experiments import records
from minilib.experiments.verdicts import compare, family
from minilib.optim.muon import newton_schulz
from minilib.schedules import polynomial
from studies import methods

METHODS = {
    "Momentum": lambda p, lr: optim.SGD(p, lr, momentum=0.9),
    "Adam": lambda p, lr: optim.Adam(p, lr),
    "Adafactor": lambda p, lr: optim.Adafactor(p, lr, relative_step=False),
    "Muon": lambda p, lr: optim.Muon(p, lr, weight_decay=0.0),
}


def losses(method, lr, angle, steps):
    """Of minilib's optimizer on the turned quadratic of 6 by 4 weights."""
    turns = []
    for n in (6, 4):
        Q = np.cos(angle) * np.eye(n)
        for i in range(n // 2):
            Q[i, n - 1 - i], Q[n - 1 - i, i] = -np.sin(angle), np.sin(angle)
        turns.append(Q)
    L, R = turns
    H, K = L @ np.diag(np.logspace(0, -2, 6)) @ L.T, R @ np.diag(np.logspace(0, -1.5, 4)) @ R.T
    X = Tensor(L @ (1.5 * np.cos(1 + 3 * np.arange(6)[:, None] + 5 * np.arange(4))) @ R.T)
    opt, found = METHODS[method]([X], lr), []
    for t in range(steps):
        X.grad = H @ X.data @ K
        found.append(0.5 * np.sum(X.data * X.grad))
        opt.lr = lr * polynomial(t, steps)
        opt.step()
    return found


# Muon's rounds lift rounding, and a factored v of rank one leaves nothing but rounding: few steps of these.
@pytest.mark.parametrize(("method", "steps"), [("Momentum", 200), ("Adam", 30), ("Adafactor", 12), ("Muon", 6)])
@pytest.mark.parametrize("angle", [0.0, 0.1, np.pi / 4])
def test_the_turned_problem_is_descended_as_by_minilib(numbers, method, steps, angle):
    js = numbers("turned-axes")
    assert js("losses", method, 0.25, angle, steps) == pytest.approx(losses(method, 0.25, angle, steps), rel=1e-12)
    rate, last = js("best", method, angle)
    ends = [js("losses", method, lr, angle)[-1] or np.inf for lr in js("rates")]
    assert (rate, last) == (js("rates")[np.argmin(np.array(ends, float))], min(ends))


@pytest.mark.parametrize("decades", [0.5, 2, 3.5])
def test_rounds_of_singular_values_are_those_of_the_matrix(numbers, decades):
    js, maker = numbers("newton-schulz"), np.random.default_rng(1)
    U, V = (np.linalg.qr(maker.normal(size=(16, 16)))[0] for _ in range(2))
    sigma = np.logspace(0, -decades, 16)
    assert js("spectrum", decades) == pytest.approx(sigma / np.linalg.norm(sigma), rel=1e-12)
    for name, coefficients in (("muon", (3.4445, -4.7750, 2.0315)), ("classical", (15 / 8, -10 / 8, 3 / 8))):
        values = np.diag(U.T @ newton_schulz((U * sigma) @ V.T, 5, coefficients) @ V)
        assert js("rounds", js("spectrum", decades), 5, name) == pytest.approx(values, rel=1e-12, abs=1e-12)
        least = sigma[-1] / np.linalg.norm(sigma)
        k = int(js("needed", least, name))
        assert js("rounds", [least], k, name)[0] >= 0.68 > js("rounds", [least], k - 1, name)[0]


KEPT = {
    "AdamW": lambda p, r: optim.AdamW(p),
    "Adam-mini": lambda p, r: optim.AdamMini(p, axis=0),
    "CAME": lambda p, r: optim.CAME(p),
    "GaLore": lambda p, r: methods.GaLore(p, rank=r),
    "APOLLO": lambda p, r: methods.APOLLO(p, rank=r),
    "Adafactor": lambda p, r: optim.Adafactor(p),
}


@pytest.mark.parametrize("shape", [(6, 6), (6, 16)])
def test_state_is_what_the_optimizers_hold_and_the_even_rank_parts_less_from_more(numbers, shape):
    js, held = numbers("rank-bytes"), {}
    for r in (1, 2, 4):
        for name, make in KEPT.items():
            p = Tensor(np.ones(shape, np.float32))
            opt = make([p], r)
            p.grad = np.random.default_rng(r).normal(size=shape).astype(np.float32)
            opt.step()
            held[name] = opt.state_bytes() / 4
            assert js("state", name, *shape, r) == held[name]
        for name in ("GaLore", "APOLLO"):
            assert (r < js("even", name, *shape)) == (held[name] < held["CAME"])


def test_what_fits_is_the_record_with_its_family_and_its_bytes(numbers):
    js, record = numbers("state-and-loss"), records.load("small-memory").run
    results, seeds = record["results"], record["config"]["seeds"]
    names = [name for name in record["config"]["middles"] if name not in ("AdamW", "naive 8-bit")]
    runs = {name: dict(zip(seeds, results[name]["test"], strict=True)) for name in (*names, "AdamW")}
    equal = family({name: compare(runs[name], runs["AdamW"], within=0.05) for name in names})
    shown = js("record").tolist()
    assert [row[0] for row in shown] == sorted(runs, key=lambda name: (results[name]["bytes"], name))
    for name, *values, verdict in shown:
        expected, said = [results[name]["bytes"], 0, 0, 0], "equal"
        if name != "AdamW":
            c = equal[name]
            expected[1:] = -c.difference, -c.high, -c.low
            said = {"confirmed": "equal", "contradicted": "higher" if c.difference < 0 else "lower"}.get(c.verdict)
        assert [float(v) for v in values] == pytest.approx(expected, abs=5.01e-4)
        assert verdict == (said or "not resolved")
    assert js("budget", 6, 1.3e9) == 6 * 2**30 / 1.3e9
    assert {*js("fitting", 5).tolist()} == {row[0] for row in shown if float(row[1]) <= 5}
