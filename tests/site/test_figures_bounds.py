"""The figure that moves on the page about bounds: its numbers are those of SGD's theorem, and of runs with minilib."""

import numpy as np
import pytest

from minilib.autodiff import Tensor
from minilib.optim import SGD
from minilib.theory import Robust

START = np.array([-1.0, 1.0])


def problem():
    maker = np.random.default_rng(1)
    A = maker.normal(size=(8, 2))
    b = A @ np.array([1.5, -1.0]) + 0.3 * maker.normal(size=8)
    b[:2] = [-2.0, 2.5]
    return Robust(A, b)


def facts(name):
    """The loss's constants as the theorem needs them: L, sigma^2, Delta, the squared gradient at the start; decay."""
    loss, decay, start = problem(), 0.1 * (name == "decay"), START * (5 if name == "decay" else 1)
    Delta = loss.f(start) + decay / 2 * start @ start
    return loss.L + decay, loss.sigma2, Delta, ((loss.grad(start) + decay * start) ** 2).sum(), decay, start


@pytest.mark.parametrize("name", ["plain", "decay"])
def test_its_constants_are_those_of_the_regression_and_the_promise_says_something_from_where_it_says(numbers, name):
    js, (L, sigma2, Delta, at_rest, *_) = numbers("bound-worth"), facts(name)
    constants = js("constants", name)
    told = [constants[key] for key in ("L", "sigma2", "Delta", "atRest")]
    np.testing.assert_allclose(told, [L, sigma2, Delta, at_rest], rtol=1e-12)
    T = np.arange(1, 20_001)
    for b in (1, 4, 16):
        lr = np.minimum(1 / L, np.sqrt(2 * Delta * b / (L * sigma2 * T)))
        bound = 2 * Delta / (lr * T) + lr * L * sigma2 / b
        assert js("bestRate", b, 100, constants) == pytest.approx(lr[99], rel=1e-12)
        assert js("promise", lr[99], b, 100, constants) == pytest.approx(bound[99], rel=1e-12)
        assert js("saysFrom", b, constants, at_rest) == T[np.argmax(bound < at_rest)]


def test_no_squared_gradient_of_the_regression_exceeds_the_level_that_it_draws(numbers):
    loss, axis = problem(), np.linspace(-8, 8, 401)
    r = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2) @ loss.A.T - loss.b
    squares = (((2 * r / (1 + r**2) ** 2) @ loss.A / 8) ** 2).sum(axis=1)
    assert numbers("bound-worth")("constants", "plain")["any"] == pytest.approx(squares.max(), rel=1e-12)


@pytest.mark.parametrize(("name", "sign"), [("plain", 1), ("plain", -1), ("decay", 1), ("decay", -1)])
def test_the_mean_squared_gradient_is_that_of_sgd_on_the_same_batches(numbers, name, sign):
    loss, (*_, decay, start) = problem(), facts(name)
    runs, T, b, lr = 3, 7, 2, 0.4 * sign
    draws, total = np.random.default_rng(5).integers(8, size=(runs, T + 1, b + 1)), 0.0
    for run in draws:
        p = Tensor(start.copy())
        opt = SGD([p], lr=abs(lr))
        for batch in run[:T, :b]:
            total += ((loss.grad(p.data) + decay * p.data) ** 2).sum() / (runs * T)
            p.grad = sign * (loss.sample_grads(p.data)[batch].mean(axis=0) + decay * p.data)
            opt.step()
    told = numbers("bound-worth")("average", lr, b, T, name, draws.ravel(), T + 1, b + 1)
    assert told == pytest.approx(total, rel=1e-12)
