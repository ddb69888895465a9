"""The U of loss against size at a fixed budget, and what k bits cost.

The U has powers with real exponents. Its statements take alpha = beta = 1, or 1 and 2, where everything is rational.
"""

from minilib.theory.arithmetic import absolute, dot, maximum, minimum, root, total
from minilib.theory.steps import Step, Variable, nonnegative, real

LAW = {name: nonnegative() for name in ("E", "A", "B", "C")}


def positive(s):
    return [(x, ">", 0) for x in (s.A, s.B, s.C)]


def loss(s, c):
    """E + A/c + B/D with D = C/c."""
    return s.E + s.A / c + s.B / (s.C / c)


def best(s):
    return root(s.A * s.C / s.B)


def at(s):
    return [*positive(s), (s.c, ">", 0)]


one_variable = Step(
    "(1) one variable",
    LAW | {"c": nonnegative()},
    lambda s: loss(s, s.c),
    lambda s: s.E + s.A / s.c + s.B * s.c / s.C,
    at,
    "=",
)
# Convex in u = log c: at the middle of two logarithms, c sqrt(q), the loss is at most the mean of those at c and c q.
convex = Step(
    "(2) convex",
    LAW | {"c": nonnegative(), "r": nonnegative()},
    lambda s: 2 * loss(s, s.c * s.r),
    lambda s: loss(s, s.c) + loss(s, s.c * s.r * s.r),
    lambda s: [*at(s), (s.r, ">", 0)],
)
balance = Step("(3) balance", LAW, lambda s: s.A / best(s), lambda s: s.B * best(s) / s.C, positive, "=")
minimal = Step("(3) minimum", LAW | {"c": nonnegative()}, lambda s: loss(s, best(s)), lambda s: loss(s, s.c), at)
growth = Step(
    "(4) growth",
    LAW | {"k": nonnegative()},
    lambda s: root(s.A * (s.k * s.C) / s.B) / best(s),
    lambda s: root(s.k),
    lambda s: [*positive(s), (s.k, ">", 0)],
    "=",
)
equal_tokens = Step(
    "(3) minimum, tokens held fixed",
    LAW | {"c": nonnegative(), "D": nonnegative()},
    lambda s: s.E + s.A / best(s) + s.B / s.D,
    lambda s: s.E + s.A / s.c + s.B / s.D,
    lambda s: [*at(s), (s.D, ">", 0)],
)


# Quantised: w lies between two neighbours of its grid, q and q + s, and goes to the nearer.
GRID = {"q": real("d"), "s": nonnegative(), "w": real("d"), "x": real("d")}


def inside(s):
    return [p for q, w in zip(s.q, s.w, strict=True) for p in ((q, "<=", w), (w, "<=", q + s.s))]


def errors(s):
    return [minimum(w - q, q + s.s - w) for q, w in zip(s.q, s.w, strict=True)]


def largest(numbers):
    result = numbers[0]
    for x in numbers[1:]:
        result = maximum(result, x)
    return result


def smallest(numbers):
    return -largest([-x for x in numbers])


def step_of(numbers, steps):
    return (largest(numbers) - smallest(numbers)) / steps


D = {"d": (1, 2, 3)}
rounding = Step("(1) rounding", GRID, lambda s: largest(errors(s)), lambda s: s.s / 2, inside, sizes=D)
output = Step(
    "(2) output",
    GRID,
    lambda s: absolute(dot(errors(s), s.x)),
    lambda s: s.s / 2 * total(absolute(x) for x in s.x),
    inside,
    sizes=D,
)
channels = Step(
    "(3) channels",
    {"w": real("n", "d")},
    lambda s: step_of(s.w[0], 7),
    lambda s: step_of([x for row in s.w for x in row], 7),
    sizes={"n": (1, 2), "d": (1, 2)},
)
bits = Step(
    "(4) bits",
    {"w": real("d"), "k": Variable((), 1, 8)},
    lambda s: 2 * step_of(s.w, 2 * (s.k + 1) - 1),  # k stands for 2^bits - 1
    lambda s: step_of(s.w, s.k),
    sizes=D,
)
outside = Step(
    "(1) rounding, another row's grid",
    GRID,
    lambda s: absolute(s.w[0] - minimum(maximum(s.w[0], s.q[0]), s.q[0] + s.s)),
    lambda s: s.s / 2,
    sizes={"d": (1,)},
)

THEOREMS = {
    "Proposition: the U and its minimum": [one_variable, convex, balance, minimal, growth],
    "Proposition: what k bits cost": [rounding, output, channels, bits],
}
BROKEN = {
    "Proposition: the U and its minimum": [equal_tokens],
    "Proposition: what k bits cost": [outside],
}
