"""The figures that move on the first page: what they compute is what NumPy and the chapter's machine compute."""

import numpy as np
import pytest
from browsing import positions

from minilib import data
from minilib.autodiff import Tensor
from minilib.optim import SGD
from minilib.theory import Quadratic
from tools.pages import stills

CLOSE = {"rel": 1e-12, "abs": 1e-15}


@pytest.mark.parametrize("lr", [0.02, 0.1, 0.24, 0.25, 0.26])
def test_the_path_on_the_bowl_is_gradient_descent(numbers, lr):
    bowl, js = Quadratic([1.0, 8.0]), numbers("descent-bowl")
    path = positions(lambda p: SGD(p, lr), lambda x, t: bowl.grad(x), [2.0, 1.0], 30)
    assert js("path", path[0], [1, 8], lr, 30) == pytest.approx(path, **CLOSE)
    for point in path[::6]:
        assert js("loss", point, [1, 8]) == pytest.approx(bowl.f(point), **CLOSE)


@pytest.mark.parametrize("inputs", [(2.0, -1.0, 3.0), (0.3, 1.7, -0.4)])
def test_the_graph_walked_backwards_ends_in_the_adjoints_of_the_library(numbers, inputs):
    js = numbers("graph-walk")
    a, b, c = leaves = [Tensor(v) for v in inputs]
    s = a * b
    (s * (s + c)).backward()
    rows = js("backward", *inputs)
    assert rows.shape == (7, 6)
    assert rows[-1][:3] == pytest.approx([float(t.grad) for t in leaves], **CLOSE)
    values = js("values", *inputs)
    assert values["y"] == pytest.approx(inputs[0] * inputs[1] * (inputs[0] * inputs[1] + inputs[2]), **CLOSE)
    assert rows[-1][3] == pytest.approx(values["u"] + values["s"], **CLOSE)
    assert rows[1][3] == values["u"]  # what s knows before u has had its turn


def test_the_two_knobs_are_those_of_the_chapter(numbers):
    images, labels, *_ = data.digits()
    a, y = images[:, 42], (labels == 7).astype(float)
    H = [[np.mean(a * a), np.mean(a)], [np.mean(a), 1.0]]
    linear = [np.mean(a * y), np.mean(y)]
    source = (stills.FIGURES / "ruler.js").read_text(encoding="utf-8")
    for number in (H[0][0], H[0][1], *linear):
        assert repr(float(number)) in source
    js, x = numbers("ruler"), np.array([0.75, 0.6])
    fit = {"H": np.array(H).tolist(), "linear": [float(v) for v in linear]}
    assert js("gradient", fit, x) == pytest.approx(H @ x - linear, **CLOSE)
    best = np.linalg.solve(H, linear)
    level = [0.5 * (p - best) @ H @ (p - best) for p in js("ring", fit, 0.3)]
    assert level == pytest.approx([0.3] * len(level), rel=1e-12)


@pytest.mark.parametrize("c", [0.25, 3.0, 255.0])
@pytest.mark.parametrize(("norm", "order"), [("euclid", 2), ("largest", np.inf), ("sum", 1)])
def test_no_other_step_of_her_length_one_is_steeper(numbers, c, norm, order):
    js, g = numbers("ruler"), np.array([0.49, 0.82])
    unit = np.array([c, 1.0])
    step = js("steepest", g, c, norm)
    assert np.linalg.norm(step / unit, order) == pytest.approx(1, **CLOSE)
    others = np.random.default_rng(0).normal(size=(2000, 2))
    others /= np.linalg.norm(others, order, axis=1)[:, None]
    assert g @ step <= (others * unit @ g).min() + 1e-12
    if norm == "euclid":
        assert step == pytest.approx(-(unit**2) * g / np.linalg.norm(unit * g), **CLOSE)
    ours = js("steepest", g, 1, norm)
    cosine = ours @ step / np.linalg.norm(ours) / np.linalg.norm(step)
    assert np.cos(np.radians(js("angle", ours, step))) == pytest.approx(cosine, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("kind", "dtype"), [("double", np.float64), ("single", np.float32)])
def test_differences_have_the_very_digits_of_numpy(numbers, kind, dtype):
    js, r = numbers("difference-step"), dtype(0.5)

    def rho(x):
        return x * x / (1 + x * x)

    for h in 10.0 ** np.arange(-17, 0.1, 0.5):
        up, down = r + dtype(h), r - dtype(h)
        expected = (rho(up) - rho(down)) / (up - down) if up > down else 0
        assert js("central", 0.5, h, kind) == float(expected)
    eps = float(np.finfo(dtype).eps) / 2
    third = 24 * 0.5 * (0.25 - 1) / 1.25**4
    assert js("third", 0.5) == pytest.approx(third, **CLOSE)
    assert js("slope", 0.5) == pytest.approx(1 / 1.25**2, **CLOSE)
    assert js("truncation", 0.5, 0.01) == pytest.approx(1e-4 * abs(third) / 6, **CLOSE)
    assert js("rounding", 0.5, 0.01, kind) == pytest.approx(eps * 0.2 / 0.01, **CLOSE)
    assert js("best", 0.5, kind) == pytest.approx((3 * eps * 0.2 / abs(third)) ** (1 / 3), **CLOSE)
