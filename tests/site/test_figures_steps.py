"""The figures that move of the first chapters, from one gradient to momentum, and of the page about bounds."""

import numpy as np
import pytest
from beside import EXACT, check, every, positions
from scipy import stats

from minilib import data, schedules
from minilib.autodiff import Tensor
from minilib.optim import SGD
from minilib.theory import Quadratic, Robust
from tools.pages import stills


def uphill(G, sigma, b):
    """How often a batch's gradient points uphill."""
    return stats.norm.sf(np.dot(G, G) / np.linalg.norm(np.multiply(G, sigma)) * np.sqrt(b))


def descent(x, h, lr, steps):
    """The path of SGD on the bowl with these curvatures."""
    return positions(lambda p: SGD(p, lr), lambda x, t: x * h, x, steps)


# ---- a gradient -----------------------------------------------------------------------------------------------------

STEEPEST = {  # of a unit ball, for a gradient in its units
    "euclid": lambda g: g / np.linalg.norm(g),
    "largest": np.sign,
    "sum": lambda g: np.sign(g) * (abs(g) == abs(g).max()),
}


def steepest(g, c, norm):
    """The step of length one along which the gradient falls most, for her whose first unit is c times ours."""
    unit = np.array([c, 1.0])
    return -unit * STEEPEST[norm](unit * g)


def angle(one, other):
    return np.degrees(np.arccos(np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other)))


KINDS = {"double": np.float64, "single": np.float32}


def central(r, h, kind):
    """The difference of x² / (1 + x²) over two h, in NumPy's numbers of this kind."""
    dtype = KINDS[kind]
    up, down = dtype(r) + dtype(h), dtype(r) - dtype(h)
    rise = up * up / (1 + up * up) - down * down / (1 + down * down)
    return float(rise / (up - down)) if up > down else 0


def half_digit(kind):
    return float(np.finfo(KINDS[kind]).eps) / 2


THIRD = 24 * 0.5 * (0.25 - 1) / 1.25**4  # derivative at 0.5
GRADIENT = {
    "noise-cloud": [
        ("batchGradients", lambda G, sigma, b, z: G + np.array(sigma) * z / np.sqrt(b),
         every([[-2.4, 3.0]], [[9.0, 12.0]], (1, 7, 4096), [[[0.3, -1.2], [2.0, 0.1]]])),
        ("noiseScale", lambda G, sigma: np.dot(sigma, sigma) / np.dot(G, G), [([-2.4, 3.0], [9.0, 12.0])]),
        ("uphill", uphill, every([[-2.4, 3.0]], [[9.0, 12.0]], (1, 7, 32, 4096))),
    ],
    "descent-bowl": [
        ("path", descent, every([[2.0, 1.0]], [[1, 8]], (0.02, 0.1, 0.24, 0.25, 0.26), [30])),
        ("loss", lambda x, h: Quadratic(h).f(np.array(x)), every([[2.0, 1.0], [-0.3, 0.01]], [[1, 8]])),
    ],
    "ruler": [
        ("gradient", lambda fit, x: np.array(fit["H"]) @ x - fit["linear"],
         [({"H": [[0.3, 0.4], [0.4, 1.0]], "linear": [0.2, 0.1]}, [0.75, 0.6])]),
        ("steepest", steepest, every([[0.49, 0.82], [0.9, -0.2]], (0.25, 1, 3.0, 255.0), STEEPEST)),
        ("angle", angle, [([0.4, 0.3], [-0.1, 2.0]), ([1, 0], [0.6, 0.8])]),
    ],
    "difference-step": [
        ("central", central, every([0.5], (10.0 ** np.arange(-17, 0.1, 0.5)).tolist(), KINDS), EXACT),
        ("third", lambda r: THIRD, [(0.5,)]),
        ("slope", lambda r: 1 / 1.25**2, [(0.5,)]),
        ("truncation", lambda r, h: h**2 * abs(THIRD) / 6, [(0.5, 0.01)]),
        ("rounding", lambda r, h, kind: half_digit(kind) * 0.2 / h, every([0.5], [0.01], KINDS)),
        ("best", lambda r, kind: (3 * half_digit(kind) * 0.2 / abs(THIRD)) ** (1 / 3), every([0.5], KINDS)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("inputs", [(2.0, -1.0, 3.0), (0.3, 1.7, -0.4)])
def test_the_graph_walked_backwards_ends_in_the_adjoints_of_the_library(numbers, inputs):
    js = numbers("graph-walk")
    a, b, c = leaves = [Tensor(v) for v in inputs]
    s = a * b
    (s * (s + c)).backward()
    rows, values = js("backward", *inputs), js("values", *inputs)
    assert rows.shape == (7, 6)
    assert rows[-1][:3] == pytest.approx([float(t.grad) for t in leaves], rel=1e-12, abs=1e-15)
    assert values["y"] == pytest.approx(float((s * (s + c)).data), rel=1e-12)
    assert rows[-1][3] == pytest.approx(values["u"] + values["s"], rel=1e-12, abs=1e-15)
    assert rows[1][3] == values["u"]  # what s knows before u has had its turn


def test_the_two_knobs_are_those_of_the_chapter(numbers):
    images, labels, *_ = data.digits()
    a, y = images[:, 42], (labels == 7).astype(float)
    source = (stills.FIGURES / "ruler.js").read_text(encoding="utf-8")
    H, linear = np.array([[np.mean(a * a), np.mean(a)], [np.mean(a), 1.0]]), np.array([np.mean(a * y), np.mean(y)])
    assert all(repr(float(number)) in source for number in (H[0][0], H[0][1], *linear))
    ring = numbers("ruler")("ring", {"H": H.tolist(), "linear": linear.tolist()}, 0.3) - np.linalg.solve(H, linear)
    assert 0.5 * np.sum(ring @ H * ring, axis=1) == pytest.approx(np.full(len(ring), 0.3), rel=1e-12)


# ---- SGD, and what is promised of it --------------------------------------------------------------------------------


def noisy_run(lr, b, h, sigma, x, z):
    run = [x]
    for noise in z:
        run.append(run[-1] - lr * (h * run[-1] + sigma * noise / np.sqrt(b)))
    return run


def expected_loss(lr, b, h, sigma, x, steps):
    """Mean losses of those runs."""
    squares = [x**2]
    for _ in range(steps):
        squares.append((1 - lr * h) ** 2 * squares[-1] + lr**2 * sigma**2 / b)
    return h * np.array(squares) / 2


def hill():
    """The robust regression of the chapter."""
    maker = np.random.default_rng(1)
    A = maker.normal(size=(8, 2))
    b = A @ np.array([1.5, -1.0]) + 0.3 * maker.normal(size=8)
    b[:2] = [-2.0, 2.5]
    return Robust(A, b)


HILL, START = hill(), np.array([-1.0, 1.0])


def histories(lr, steps):
    """Of all histories of one example a step, after each step: count, mean loss, share above the start, extremes."""
    x, rows = START[None], []
    for step in range(steps + 1):
        f = np.array([HILL.f(point) for point in x])
        rows.append([len(f), f.mean(), (f > HILL.f(START) + 1e-15).mean(), f.min(), f.max()])
        if step < steps:
            x = np.concatenate([point - lr * HILL.sample_grads(point) for point in x])
    return rows


NOISE = np.random.default_rng(0).normal(size=50).tolist()
DESCENT = {
    "step-edge": [
        ("path", lambda lr, h, x, steps: descent(x, h, lr, steps),
         every((0.02, 1.0, 1.9, 2.0, 2.1), [[0.1, 1.0]], [[-5.0, 1.2]], [40]), {"rel": 1e-12, "abs": 1e-13}),
        ("bestRate", lambda h: 2 / sum(h), [([0.1, 1.0],)]),
        ("factor", lambda lr, h: 1 - lr * h, every((0.5, 1.9), (0.1, 1.0))),
        ("stepsToATenth", lambda lr, h: 1 if lr * h == 1 else np.log(0.1) / np.log(abs(1 - lr * h)),
         [(1.9, 1.0), (1.0, 1.0)]),
    ],
    "noisy-bowl": [
        ("run", noisy_run, [(lr, b, 1, 2, -8, NOISE) for lr, b in ((0.02, 1), (0.5, 4), (1.9, 256), (2.1, 16))],
         {"rel": 1e-10, "abs": 1e-12}),
        ("expectedLoss", expected_loss, every((0.02, 0.5, 1.9, 2.1), (1, 4, 256), [1], [2], [-8], [50])),
        ("floor", lambda lr, b, h, sigma: expected_loss(lr, b, h, sigma, -8, 2000)[-1],
         every((0.02, 0.5, 1.9), (4, 8), [1], [2])),
        ("thumb", lambda lr, b, sigma: lr * sigma**2 / (4 * b), every((0.02, 0.5, 1.9), [4], [2])),
    ],
    "history-tree": [("summary", histories, [(times / HILL.L, 4) for times in (0.5, 3.0)])],
}  # fmt: skip


def test_long_steps_scatter_the_histories_of_the_hill(numbers):
    short, long = (numbers("history-tree")("summary", times / HILL.L, 6)[-1] for times in (0.5, 3))
    assert short[0] == long[0] == 8**6
    assert long[1] < short[1]
    assert short[2] < 0.002 < 0.029 < long[2] < 0.031


def facts(name):
    """The regression as the theorem needs it: L, sigma², Delta, the squared gradient at the start; decay, start."""
    decay, start = (0.1, 5 * START) if name == "decay" else (0.0, START)
    Delta = HILL.f(start) + decay / 2 * start @ start
    return HILL.L + decay, HILL.sigma2, Delta, ((HILL.grad(start) + decay * start) ** 2).sum(), decay, start


@pytest.mark.parametrize("name", ["plain", "decay"])
def test_its_constants_are_those_of_the_regression_and_the_promise_says_something_from_where_it_says(numbers, name):
    js, (L, sigma2, Delta, at_rest, *_) = numbers("bound-worth"), facts(name)
    constants, T = js("constants", name), np.arange(1, 20_001)
    values = [constants[key] for key in ("L", "sigma2", "Delta", "atRest")]
    assert values == pytest.approx([L, sigma2, Delta, at_rest], rel=1e-12)
    for b in (1, 4, 16):
        lr = np.minimum(1 / L, np.sqrt(2 * Delta * b / (L * sigma2 * T)))
        bound = 2 * Delta / (lr * T) + lr * L * sigma2 / b
        assert js("bestRate", b, 100, constants) == pytest.approx(lr[99], rel=1e-12)
        assert js("promise", lr[99], b, 100, constants) == pytest.approx(bound[99], rel=1e-12)
        assert js("saysFrom", b, constants, at_rest) == T[np.argmax(bound < at_rest)]


def test_no_squared_gradient_of_the_regression_exceeds_the_level_that_it_draws(numbers):
    axis = np.linspace(-8, 8, 401)
    r = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2) @ HILL.A.T - HILL.b
    squares = (((2 * r / (1 + r**2) ** 2) @ HILL.A / 8) ** 2).sum(axis=1)
    assert numbers("bound-worth")("constants", "plain")["any"] == pytest.approx(squares.max(), rel=1e-12)


@pytest.mark.parametrize(("name", "sign"), every(["plain", "decay"], [1, -1]))
def test_the_mean_squared_gradient_is_that_of_sgd_on_the_same_batches(numbers, name, sign):
    *_, decay, start = facts(name)
    runs, T, b, lr = 3, 7, 2, 0.4
    draws, squares = np.random.default_rng(5).integers(8, size=(runs, T + 1, b + 1)), []
    for run in draws:

        def slope(x, t, run=run):
            squares.append(((HILL.grad(x) + decay * x) ** 2).sum())
            return sign * (HILL.sample_grads(x)[run[t, :b]].mean(axis=0) + decay * x)

        positions(lambda p: SGD(p, lr), slope, start, T)
    average = numbers("bound-worth")("average", sign * lr, b, T, name, draws.ravel(), T + 1, b + 1)
    assert average == pytest.approx(np.mean(squares), rel=1e-12)


# ---- momentum -------------------------------------------------------------------------------------------------------


def spectrum(s, beta):
    return np.linalg.eigvals([[1 + beta - s, -beta], [1, 0]])


def ball(s, beta, steps):
    return positions(lambda p: SGD(p, 1.0, momentum=beta), lambda x, t: s * x, [1.0], steps)[:, 0]


def settings(method, kappa):
    """The best constant rate and momentum for curvatures from 1/kappa to 1."""
    root = np.sqrt(kappa)
    return {
        "gradient descent": (2 / (1 + 1 / kappa), 0.0),
        "heavy ball": ((2 / (1 + 1 / root)) ** 2, ((root - 1) / (root + 1)) ** 2),
        "Nesterov": (1.0, (root - 1) / (root + 1)),
    }[method]


def race(method, kappa, x, steps):
    lr, beta = settings(method, kappa)
    nesterov = method == "Nesterov"
    return positions(lambda p: SGD(p, lr, momentum=beta, nesterov=nesterov), lambda x, t: x * [1 / kappa, 1], x, steps)


def moments(rate, beta, lam, steps):
    """Mean losses of the noisy quadratic at batch 16."""
    b, lr = 16, (1 - beta) * rate
    c, V, C, before = 1 + beta - lr * lam, np.ones(20), np.ones(20), np.ones(20)
    losses = [V @ lam]
    for _ in range(steps):
        new = c**2 * V - 2 * c * beta * C + beta**2 * before + lr**2 * lam / b
        V, C, before = new, c * V - beta * C, V
        losses.append(V @ lam)
    return np.array(losses)


REGIMES = {(0.25, 0.0): "monotone", (0.05, 0.4): "monotone", (0.6, 0.8): "oscillating", (2.5, 0.3): "alternating"}
REGIMES |= {(3.15, 0.5): "divergent"}
PATH = [[3.0, 4.0], [0.6, -0.8], [0.0, 0.1]]
LOOSE = {"rel": 1e-12, "abs": 1e-12}
MOMENTUM = {
    "momentum-map": [
        ("radius", lambda s, beta: abs(spectrum(s, beta)).max(), [*REGIMES]),
        ("regime", lambda s, beta: REGIMES[s, beta], [*REGIMES]),
        ("path", ball, [(*some, 40) for some in REGIMES], LOOSE),
    ],
    "momentum-race": [
        ("settings", settings, every(("gradient descent", "heavy ball", "Nesterov"), (2, 30, 300))),
        ("path", race, every(("gradient descent", "heavy ball", "Nesterov"), (2, 30, 300), [[1, 0.5]], [60]), LOOSE),
        ("shares", lambda path: np.linalg.norm(path, axis=1) / 5, [(PATH,)]),
    ],
}  # fmt: skip


def test_the_map_knows_the_eigenvalues(numbers):
    for s, beta in REGIMES:
        drawn = numbers("momentum-map")("roots", s, beta) @ [1, 1j]
        assert np.sort_complex(drawn) == pytest.approx(np.sort_complex(spectrum(s, beta)), abs=1e-12)


@pytest.mark.parametrize(("rate", "beta"), [(0.3, 0.0), (1.9, 0.0), (0.5, 0.9), (20.0, 0.9)])
def test_the_noisy_quadratic_is_the_recursion_of_the_moments(numbers, rate, beta):
    js, lam = numbers("momentum-batch"), 1 / np.arange(1, 21)
    losses = moments(rate, beta, lam, 50)
    calm, noisy = both = js("expected", rate, beta, lam, 50)
    assert calm + noisy / 16 == pytest.approx(losses, rel=1e-12)
    arrived = losses <= 0.3 * losses[0]
    if arrived.any():
        assert js("arrival", both, 16, 0.3) == arrived.argmax()


# ---- schedules ------------------------------------------------------------------------------------------------------

SHAPES = {
    "constant": lambda t, T: 1.0,
    "cosine": schedules.cosine,
    "linear": schedules.polynomial,
    "wsd": lambda t, T: schedules.wsd(t, T, T // 4),
}
CURVATURES = np.array([1, 0.3, 0.05])


def falling(kind, T, steps):
    """Expected losses of SGD on the noisy bowl of the chapter on schedules."""
    squares = [np.full(3, 16.0)]
    for t in range(steps):
        lr = 0.2 * SHAPES[kind](t, T) if t < T else 0
        squares.append((1 - lr * CURVATURES) ** 2 * squares[-1] + lr**2)
    return np.array(squares) @ CURVATURES / 2


def mean_point(first, steps):
    """Expected loss of the mean of the points after `first`, from the covariances of all pairs of them."""
    a, t = 1 - 0.2 * CURVATURES[:, None, None], np.arange(first + 1, steps + 1)
    early, apart = np.minimum.outer(t, t), abs(np.subtract.outer(t, t))
    square = 16 * a ** (2 * early) + 0.2**2 * (1 - a ** (2 * early)) / (1 - a**2)
    return CURVATURES @ (a**apart * square).mean(axis=(1, 2)) / 2


def cooldown(share, T):
    return np.minimum(1, (T - np.arange(T)) / max(1, share * T))


def bound_parts(eta):
    """The two numbers of the bound on the last point, term by term."""
    eta, n = np.array(eta), len(eta)
    S, Q = (np.array([part[k:].sum() for k in range(n)]) for part in (eta, eta**2))
    return [1 / S[0], Q[0] / S[0] + sum(eta[k] * Q[k] / S[k + 1] / S[k] for k in range(n - 1))]


def bound_curve(eta):
    start, noise = bound_parts(eta)
    lr, every_part = np.sqrt(start / noise), [bound_parts(eta[: t + 1]) for t in range(len(eta))]
    return [a / (2 * lr) + lr * b / 2 for a, b in every_part]


SCHEDULES = {
    "stop-the-run": [
        ("losses", falling, every(SHAPES, (400, 100), (0, 60, 100))),
        ("averaged", mean_point, [(0, 1), (0, 40), (20, 41)]),
    ],
    "wrong-length": [
        ("loss", lambda kind, T, steps: falling(kind, T, steps)[-1],
         every(("cosine", "linear", "wsd"), (100, 400, 800), (200, 400))),
    ],
    "bound-shape": [
        ("rates", cooldown, every((0, 0.1, 0.5, 1), (8, 40))),
        ("parts", bound_parts, [(cooldown(share, 40).tolist(),) for share in (0, 0.25, 1)]),
        ("curve", bound_curve, [(cooldown(share, 40).tolist(),) for share in (0, 0.25, 1)]),
    ],
}  # fmt: skip


def test_the_bound_of_a_constant_rate_has_the_harmonic_sum_and_that_of_linear_decay_almost_none(numbers):
    n, js = 60, numbers("bound-shape")
    assert js("parts", [1] * n) == pytest.approx([1 / n, 1 + sum(1 / k for k in range(1, n))], rel=1e-12)
    assert 2.0 < js("best", cooldown(1, n).tolist())[1] * np.sqrt(n) < 2.1


FIGURES = GRADIENT | DESCENT | MOMENTUM | SCHEDULES


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_computes_what_the_library_computes(numbers, name):
    check(numbers(name), FIGURES[name])
