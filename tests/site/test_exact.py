"""One seed gives one result in every browser: the functions that are settled to the last bit, and who must use them."""

import hashlib
import math
import re

import numpy as np
import pytest

from tools.pages import stills

DRAW = np.random.default_rng(1)
SMALL = [*np.geomspace(1e-300, 1, 500)]
POSITIVE = [*np.geomspace(5e-324, 1.7e308, 3000), *DRAW.uniform(0.4, 2.2, 1000), *(1 + np.geomspace(1e-15, 0.4, 200))]
ANGLES = [*DRAW.uniform(-7, 7, 1000), *DRAW.uniform(-1e5, 1e5, 1000), *SMALL, *(math.pi / 2 * np.arange(-60, 60))]
POINTS = {
    "exp": [*DRAW.uniform(-746, 709, 2000), *DRAW.uniform(-2, 2, 1000), *SMALL, 0, -1e9],
    "log": POSITIVE,
    "log2": POSITIVE,
    "log10": [*POSITIVE, *(float(f"1e{k}") for k in range(-307, 309))],
    "log1p": [*POSITIVE, *-np.array(SMALL[:-1]), *DRAW.uniform(-0.99, 1, 1000), 0],
    "sin": ANGLES,
    "cos": ANGLES,
    "atan": [*POSITIVE, *DRAW.uniform(-20, 20, 1000), 0],
}
BASES = (0.9, 0.99, 0.999, 0.9999, 0.5, 2, 3, 10, -0.3, -1.5, 0, 1)
POINTS["pow"] = [
    *zip(10 ** DRAW.uniform(-8, 8, 2000), DRAW.uniform(-30, 30, 2000), strict=True),
    *((base, t) for base in BASES for t in range(0, 300, 3)),
    *((t, -0.8) for t in range(1, 400)),
    (1 + 1e-9, 1e10),
]
# All bits of what a function makes of these arguments, as a whole number.
BITS = """([name, points]) => points.map((x) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Exact[name === "pow" ? "power" : name](...x));
  return view.getBigInt64(0).toString();
})"""


@pytest.fixture(scope="module")
def bits(browser):
    """`bits("log", [x, ...])`: of a function of two arguments, pairs."""
    page = stills.open_figure(browser, "lab")
    yield lambda name, points: page.evaluate(BITS, [name, [[float(v) for v in np.atleast_1d(x)] for x in points]])
    page.close()


def numbers(words):
    return np.array(words, dtype=np.int64).view(float)


@pytest.mark.parametrize("name", POINTS)
def test_a_function_is_right_to_two_units_in_the_last_place(bits, name):
    for x, value in zip(POINTS[name], numbers(bits(name, POINTS[name])), strict=True):
        true = getattr(math, name)(*np.atleast_1d(x).tolist())
        assert abs(value - true) <= 2 * math.ulp(true), (x, value, true)


def test_where_there_is_no_number_a_function_says_what_mathematics_says(bits):
    far = [math.inf, -math.inf, math.nan]
    wanted = {
        "exp": ([*far, 710], [math.inf, 0, math.nan, math.inf]),
        **{
            name: ([*far, 0, -1], [math.inf, math.nan, math.nan, -math.inf, math.nan])
            for name in ("log", "log2", "log10")
        },
        "log1p": ([*far, -1, -2], [math.inf, math.nan, math.nan, -math.inf, math.nan]),
        "atan": (far, [math.pi / 2, -math.pi / 2, math.nan]),
        "pow": (
            [(0, -1), (-2, 0.5), (0.5, math.inf), (math.inf, -2), (1.5, 1e300), (math.nan, 0)],
            [math.inf, math.nan, 0, 0, math.inf, 1],
        ),
    }
    for name, (points, ends) in wanted.items():
        np.testing.assert_array_equal(numbers(bits(name, points)), ends, err_msg=name)


def test_powers_of_two_are_exact_and_come_back(bits):
    exponents = range(-1074, 1024)
    powers = numbers(bits("pow", [(2, k) for k in exponents]))
    assert powers.tolist() == [math.ldexp(1, k) for k in exponents]
    assert numbers(bits("log2", powers)).tolist() == [*exponents]


def test_every_browser_has_the_same_bits(bits):
    """Chromium 150 and 156, Firefox 140 and 153, WebKit 2.50, QuickJS and Node 20 have them."""
    points = [(k + 0.5) / 61 for k in range(3000)]
    value = [bits(name, points) for name in POINTS if name != "pow"]
    value.append(bits("pow", [(x, (k % 41 - 20) / 3) for k, x in enumerate(points)]))
    assert hashlib.sha256(repr(value).encode()).hexdigest()[:16] == "54052a902d6350d0"


SEEDED = re.compile(r"Live\.(uniforms|normals|lab)\b")
UNSETTLED = re.compile(r"Math\.(?!(?:abs|ceil|floor|fround|imul|max|min|round|sign|sqrt|trunc|[A-Z0-9_]+)\b)\w+|\*\*")


def test_what_draws_from_a_seed_computes_with_what_is_settled():
    parts = [*stills.FIGURES.glob("*.js"), *stills.FIGURES.glob("*/*.js")]
    sources = {path.relative_to(stills.FIGURES).as_posix(): path.read_text(encoding="utf-8") for path in parts}
    seeded = {name for name, text in sources.items() if SEEDED.search(text)} | {"live.js", "live/exact.js"}
    assert len(seeded) > 15
    for name in seeded:
        code = re.sub(r"(?m)//.*$", "", sources[name])
        assert UNSETTLED.findall(code) == [], f"{name}: Exact has what every browser rounds alike"
