"""The figures that move on momentum's page compute what NumPy and minilib compute."""

import numpy as np
import pytest
from browsing import positions

from minilib import optim

REGIMES = [
    (0.25, 0.0, "monotone"),
    (0.05, 0.4, "monotone"),
    (0.6, 0.8, "oscillating"),
    (2.5, 0.3, "alternating"),
    (3.15, 0.5, "divergent"),
]


@pytest.mark.parametrize(("s", "beta", "name"), REGIMES)
def test_the_map_knows_the_eigenvalues_and_walks_like_sgd_with_momentum(numbers, s, beta, name):
    js = numbers("momentum-map")
    eigenvalues = np.linalg.eigvals([[1 + beta - s, -beta], [1, 0]])
    drawn = js("roots", s, beta) @ [1, 1j]
    assert np.sort_complex(drawn) == pytest.approx(np.sort_complex(eigenvalues), abs=1e-12)
    assert js("radius", s, beta) == pytest.approx(np.abs(eigenvalues).max(), rel=1e-12)
    assert js("regime", s, beta) == name
    run = positions(lambda p: optim.SGD(p, lr=1.0, momentum=beta), lambda x, t: s * x, [1.0], 40)[:, 0]
    assert js("path", s, beta, 40) == pytest.approx(run, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kappa", [2, 30, 300])
@pytest.mark.parametrize("method", ["gradient descent", "heavy ball", "Nesterov"])
def test_the_runners_are_sgd_with_the_best_constant_settings(numbers, method, kappa):
    js, root = numbers("momentum-race"), np.sqrt(kappa)
    lr, beta = {
        "gradient descent": (2 / (1 + 1 / kappa), 0.0),
        "heavy ball": ((2 / (1 + 1 / root)) ** 2, ((root - 1) / (root + 1)) ** 2),
        "Nesterov": (1.0, (root - 1) / (root + 1)),
    }[method]
    assert js("settings", method, kappa) == pytest.approx([lr, beta], rel=1e-12)
    options = {"lr": lr, "momentum": beta, "nesterov": method == "Nesterov"}
    points = positions(lambda p: optim.SGD(p, **options), lambda x, t: x * [1 / kappa, 1], [1.0, 0.5], 60)
    drawn = js("path", method, kappa, [1, 0.5], 60)
    assert drawn == pytest.approx(points, rel=1e-12, abs=1e-12)
    distance = np.linalg.norm(points, axis=1)
    assert js("shares", drawn) == pytest.approx(distance / distance[0], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("rate", "beta"), [(0.3, 0.0), (1.9, 0.0), (0.5, 0.9), (20.0, 0.9)])
def test_the_noisy_quadratic_is_the_recursion_of_the_moments(numbers, rate, beta):
    js, b, lr, lam = numbers("momentum-batch"), 16, (1 - beta) * rate, 1 / np.arange(1, 21)
    c, V, C, before = 1 + beta - lr * lam, np.ones(20), np.ones(20), np.ones(20)
    losses = [V @ lam]
    for _ in range(50):
        new = c**2 * V - 2 * c * beta * C + beta**2 * before + lr**2 * lam / b
        V, C, before = new, c * V - beta * C, V
        losses.append(V @ lam)
    calm, noisy = both = js("expected", rate, beta, lam, 50)
    assert calm + noisy / b == pytest.approx(losses, rel=1e-12)
    arrived = np.array(losses) <= 0.3 * losses[0]
    if arrived.any():
        assert js("arrival", both, b, 0.3) == arrived.argmax()


def test_the_noisy_quadratic_agrees_with_noise_that_is_drawn_from_all_its_histories(numbers):
    """One direction, noise of plus or minus one with equal chance, all 2^10 histories."""
    lr, beta, lam = 0.3, 0.8, 0.7
    signs = np.array(np.meshgrid(*[[-1, 1]] * 10)).reshape(10, -1)
    x = before = np.ones(signs.shape[1])
    for noise in signs:
        x, before = x - lr * (lam * x + np.sqrt(lam) * noise) + beta * (x - before), x
    calm, noisy = numbers("momentum-batch")("expected", lr / (1 - beta), beta, [lam], 10)
    assert calm[-1] + noisy[-1] == pytest.approx(lam * (x**2).mean(), rel=1e-12)
