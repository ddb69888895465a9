"""The figures that move on CAME's page: their numbers beside minilib's optimizers and the constants of the chapter."""

from types import SimpleNamespace

import numpy as np
import pytest

from minilib.optim import CAME, Adafactor, Adam
from minilib.optim.adafactor import factored_ema
from studies.methods import AdaBelief

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
