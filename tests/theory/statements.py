"""A bank of statements beside the chapters' own: `FALSE`, some of them popular, and `TRUE`, not to be broken.

Most of the false are true theorems without one assumption, or with one constant changed; the true twin stands below.
The true ones with CANCELS in the name do break in floats.
"""

from fractions import Fraction

from minilib.theory.arithmetic import absolute, dot, if_, maximum, norm1, root, sign, square, total
from minilib.theory.steps import Step, nonnegative, real
from proofs.sgd import descent, mean, pit, pit_slope, sgd, spread

D, N = {"d": (1, 2, 3)}, {"n": (1, 2, 3)}
PAIR = {"x": real("d"), "y": real("d")}


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def momentum(name, momentum_of):
    """'No pair shrinks both ends of the spectrum faster': at eta = 4/(sqrt L + sqrt mu)^2 both roots have |r|^2 = beta.

    `low` and `high` are the roots of mu and L. The condition for complex or double roots at an eigenvalue lambda is
    (1 + beta - eta lambda)^2 <= 4 beta; it must hold at both ends.
    """

    def excess(s, edge):
        rate = 4 / ((s.low + s.high) * (s.low + s.high))
        middle = 1 + momentum_of(s) - rate * edge * edge
        return middle * middle

    return Step(
        name,
        {"low": nonnegative(), "high": nonnegative()},
        lambda s: maximum(excess(s, s.low), excess(s, s.high)),
        lambda s: 4 * momentum_of(s),
        lambda s: [(s.low, ">", 0), (s.high, ">", s.low)],
    )


def best_beta(s):
    return (s.high - s.low) / (s.high + s.low) * (s.high - s.low) / (s.high + s.low)


def quadratic(name, claim, low=None):
    """A claim about x -> sum h_j x_j^2 / 2 with |h_j| <= L; `low` bounds the curvature from below."""

    def bounds(s):
        return [(h, "<=", s.L) for h in s.H] + [(h, ">=", -s.L if low is None else low(s)) for h in s.H]

    variables = {"L": nonnegative(), "mu": nonnegative(), "H": real("d"), **PAIR}
    return Step(name, variables, *claim, bounds, sizes=D)


def f(s, x):
    return total(h * y * y for h, y in zip(s.H, x, strict=True)) / 2


def slope(s, x):
    return [h * y for h, y in zip(s.H, x, strict=True)]


def bend(s, factor):
    return f(s, s.x) + dot(slope(s, s.x), minus(s.y, s.x)) + factor * square(minus(s.y, s.x))


def circle(point):
    """The nearest point of the circle of radius 1 in the plane: the set is not convex."""
    length = root(square(point))
    return [x / length for x in point]


def shifted(s):
    return minus(slope(s, s.x), slope(s, s.y))


def tangent(s):
    return dot(slope(s, s.x), minus(s.y, s.x)) + f(s, s.x)


def variance(numbers):
    return spread([[x] for x in numbers])


def between(name, left, right, **more):
    """Of two vectors x and y."""
    return Step(name, PAIR, left, right, sizes=D, **more)


def zero(s):
    return 0


COCOERCIVE = (lambda s: square(shifted(s)), lambda s: s.L * dot(shifted(s), minus(s.x, s.y)))
CONVEX = (tangent, lambda s: f(s, s.y))
STRONG = (lambda s: tangent(s) + s.mu / 2 * square(minus(s.x, s.y)), lambda s: f(s, s.y))
VECTOR, BATCH, THREE = {"x": real("d")}, {"u": real("n"), "v": real("n")}, {name: real() for name in "abc"}
POSITIVE = {"a": nonnegative(), "b": nonnegative()}


def named(*steps):
    return {step.name: step for step in steps}


FALSE = named(
    Step(
        "LAMB (2), wrong signs count once",
        {"G": real("d"), "g": real("d")},
        lambda s: norm1(s.G) - total(if_(sign(x), "=", sign(y), 0, absolute(y)) for x, y in zip(s.g, s.G, strict=True)),
        lambda s: dot(s.G, [sign(x) for x in s.g]),
        lambda s: [(x, "!=", 0) for x in s.g],
        sizes=D,
    ),
    Step(
        "norm of a sign vector without 'no zero'",
        VECTOR,
        lambda s: s.d,
        lambda s: square([sign(x) for x in s.x]),
        sizes=D,
    ),
    Step(
        "a step has the length lr |x|, 1 where |x| = 0",
        VECTOR | {"lr": nonnegative()},
        lambda s: s.lr * if_(square(s.x), "=", 0, 1, square(s.x)),
        lambda s: s.lr * square(s.x),
        sizes=D,
    ),
    momentum("half the root of the best beta", lambda s: (s.high - s.low) / (s.high + s.low) / 2),
    quadratic("descent lemma with L/4", (lambda s: f(s, s.y), lambda s: bend(s, s.L / 4))),
    Step(
        "descent lemma in a pit, L/3",
        descent.variables,
        descent.left,
        lambda s: pit(s.L, s.w, s.x) + pit_slope(s.L, s.w, s.x) * (s.y - s.x) + s.L * (s.y - s.x) * (s.y - s.x) / 3,
    ),
    sgd("SGD, half the noise term", share=Fraction(1, 2)),
    sgd("SGD, rates up to 3/L", longest=3),
    quadratic("cocoercive without convexity", COCOERCIVE),
    quadratic("tangent below without convexity", CONVEX),
    quadratic("strong convexity from convexity", STRONG, low=zero),
    Step("Jensen reversed", BATCH, lambda s: square(s.u) / s.n, lambda s: mean([[x] for x in s.u])[0] ** 2, sizes=N),
    between(
        "Cauchy-Schwarz with 99/100",
        lambda s: dot(s.x, s.y) * dot(s.x, s.y),
        lambda s: 99 * square(s.x) * square(s.y) / 100,
    ),
    Step("AM-GM reversed", POSITIVE, lambda s: (s.a + s.b) / 2, lambda s: root(s.a * s.b)),
    Step(
        "variance of a sum without independence",
        BATCH,
        lambda s: variance([x + y for x, y in zip(s.u, s.v, strict=True)]),
        lambda s: variance(s.u) + variance(s.v),
        sizes=N,
    ),
    Step("1-norm at most 2-norm", VECTOR, lambda s: norm1(s.x), lambda s: root(square(s.x)), sizes=D),
    Step(
        "projection onto a circle",
        {"x": real("two"), "y": real("two")},
        lambda s: square(minus(circle(s.x), circle(s.y))),
        lambda s: square(minus(s.x, s.y)),
        lambda s: [(square(s.x), ">", 0), (square(s.y), ">", 0)],
        sizes={"two": (2,)},
    ),
    Step(
        "Young without its half",
        {"a": real(), "b": real()},
        lambda s: 2 * s.a * s.b,
        lambda s: (s.a * s.a + s.b * s.b) / 2,
    ),
)

TRUE = named(
    Step("CANCELS: (a + b) - a = b", THREE, lambda s: (s.a + s.b) - s.a, lambda s: s.b, relation="="),
    Step("CANCELS: sums in two orders", THREE, lambda s: (s.a + s.b) + s.c, lambda s: s.a + (s.b + s.c), relation="="),
    Step(
        "CANCELS: variance as a difference",
        VECTOR,
        lambda s: total(s.x) * total(s.x),
        lambda s: s.d * square(s.x),
        sizes=D,
    ),
    between("Cauchy-Schwarz", lambda s: dot(s.x, s.y) ** 2, lambda s: square(s.x) * square(s.y)),
    Step("2-norm, root and 1-norm", VECTOR, lambda s: root(square(s.x)), lambda s: norm1(s.x), sizes=D),
    Step("AM-GM", POSITIVE, lambda s: root(s.a * s.b), lambda s: (s.a + s.b) / 2),
    quadratic("descent lemma", (lambda s: f(s, s.y), lambda s: bend(s, s.L / 2))),
    quadratic("cocoercive", COCOERCIVE, low=zero),
    quadratic("tangent below", CONVEX, low=zero),
    momentum("momentum, the best pair", best_beta),
)
assert not set(TRUE) & set(FALSE)
