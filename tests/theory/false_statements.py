"""False statements, each with how it is broken: 'attack' or 'decide'. Some were printed, some are popular.

Most are true theorems without one assumption, or with one constant changed. Where a statement has a true twin it stands
in `true_statements.py`.
"""

from fractions import Fraction

from minilib.theory.arithmetic import absolute, dot, if_, maximum, minimum, norm1, root, sign, square, total
from minilib.theory.steps import Step, nonnegative, real, unit
from proofs import adam, came, lamb
from proofs import momentum as momentum_steps
from proofs import sgd as sgd_steps
from proofs.sgd import mean, pit, pit_slope, sgd, spread

D, N = {"d": (1, 2, 3)}, {"n": (1, 2, 3)}
PAIR = {"x": real("d"), "y": real("d")}


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def parabola(name, assumptions=lambda s: []):
    """Big batches: 'the expected loss after a step opens upwards', with H and Sigma diagonal, from G'HG > 0."""

    def pull(s):
        return total(h * g * g for h, g in zip(s.H, s.G, strict=True))

    return Step(
        name,
        {"H": real("d"), "G": real("d"), "Sigma": nonnegative("d")},
        lambda s: 0 * pull(s),
        lambda s: pull(s) + dot(s.H, s.Sigma),
        lambda s: [(pull(s), ">", 0), *assumptions(s)],
        sizes=D,
    )


def forgets(name, v_next):
    """'The weights sqrt(v_t) / eta_t do not shrink': squared, t v_t <= (t + 1) v_{t+1}."""
    return Step(
        name,
        {"beta2": unit(), "v": nonnegative(), "g": real()},
        lambda s: s.t * s.v,
        lambda s: (s.t + 1) * v_next(s),
        sizes={"t": (1, 2, 10)},
    )


def adam_v(s):
    return s.beta2 * s.v + (1 - s.beta2) * s.g * s.g


def regret(name, remembers=lambda used, v: v):
    """Regret of projected Adam on [-1, 1], beta_1 = 0, start 1: 'at most D^2 sqrt(T v_T)/(2 eta) + ... ||g||'."""

    def play(s):
        x, v, used, paid = 1, 0, 0, 0
        for t, g in enumerate(s.g, start=1):
            paid = paid + g * x
            v = s.beta2 * v + (1 - s.beta2) * g * g
            used = remembers(used, v)
            x = minimum(1, maximum(-1, x - s.lr * g / (root(t * used))))
        return paid + absolute(total(s.g)), used

    def bound(s):
        T = len(s.g)
        sizes = root(total(square(s.g) / t for t in range(1, T + 1)))
        return 2 * root(T * play(s)[1]) / s.lr + s.lr * sizes / (2 * root(1 - s.beta2))

    return Step(
        name,
        {"g": real("T"), "beta2": unit(), "lr": nonnegative()},
        lambda s: play(s)[0],
        bound,
        lambda s: [(s.lr, ">", 0), (s.beta2, ">", 0), (s.beta2, "<", 1), (s.g[0], "!=", 0)],
        sizes={"T": (1, 2, 3)},
    )


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
    bounds = lambda s: [(h, "<=", s.L) for h in s.H] + [(h, ">=", -s.L if low is None else low(s)) for h in s.H]  # noqa: E731
    variables = {"L": nonnegative(), "mu": nonnegative(), "H": real("d"), **PAIR}
    left, right = claim
    return Step(name, variables, left, right, bounds, sizes=D)


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


lr_variables = {"lr": nonnegative(), "L": nonnegative(), "G": real("d")}
gap = lambda s: square(minus(slope(s, s.x), slope(s, s.y)))  # noqa: E731
lower = lambda s: dot(slope(s, s.x), minus(s.y, s.x)) + f(s, s.x)  # noqa: E731
batch = {"u": real("n"), "v": real("n")}


def variance(numbers):
    return spread([[x] for x in numbers])


cocoercive = (gap, lambda s: s.L * dot(minus(slope(s, s.x), slope(s, s.y)), minus(s.x, s.y)))
convex = (lower, lambda s: f(s, s.y))
strong = (lambda s: lower(s) + s.mu / 2 * square(minus(s.x, s.y)), lambda s: f(s, s.y))

FALSE = {
    "LAMB (2), sign of zero": lamb.signs_printed,
    "LAMB (4), as printed": lamb.printed,
    "LAMB, the whole theorem, as printed": lamb.whole_printed,
    "LAMB (2), wrong signs count once": Step(
        "wrong signs count once",
        {"G": real("d"), "g": real("d")},
        lambda s: norm1(s.G) - total(if_(sign(x), "=", sign(y), 0, absolute(y)) for x, y in zip(s.g, s.G, strict=True)),
        lambda s: dot(s.G, [sign(x) for x in s.g]),
        lambda s: [(x, "!=", 0) for x in s.g],
        sizes=D,
    ),
    "norm of a sign vector without 'no zero'": Step(
        "norm of signs", {"g": real("d")}, lambda s: s.d, lambda s: square([sign(x) for x in s.g]), sizes=D
    ),
    "trust ratio with zero weights": Step(
        "a step has the length lr |x|, 1 where |x| = 0",
        {"x": real("d"), "lr": nonnegative()},
        lambda s: s.lr * if_(square(s.x), "=", 0, 1, square(s.x)),
        lambda s: s.lr * square(s.x),
        sizes=D,
    ),
    "big batches, opens upwards": parabola("opens upwards"),
    "CAME, the clip bounds nothing": came.no_bound,
    "CAME, grows like beta_3^(-t/2)": came.growth_printed,
    "Adam, weights do not shrink": forgets("Adam's weights", adam_v),
    "Adam, regret as first published": regret("Adam's regret"),
    "momentum, half the root of the best beta": momentum(
        "beta = (sqrt L - sqrt mu)/(2 (sqrt L + sqrt mu))", lambda s: (s.high - s.low) / (s.high + s.low) / 2
    ),
    "descent lemma with L/4": quadratic("L/4", (lambda s: f(s, s.y), lambda s: bend(s, s.L / 4))),
    "descent lemma in a pit, L/3": Step(
        "L/3",
        sgd_steps.descent.variables,
        sgd_steps.descent.left,
        lambda s: pit(s.L, s.w, s.x) + pit_slope(s.L, s.w, s.x) * (s.y - s.x) + s.L * (s.y - s.x) * (s.y - s.x) / 3,
    ),
    "SGD, half the noise term": sgd("half the noise", share=Fraction(1, 2)),
    "SGD, rates up to 3/L": sgd("rates up to 3/L", longest=3),
    "short step without eta <= 1/L": Step(
        "short step", lr_variables, sgd_steps.short_step.left, sgd_steps.short_step.right, sizes=D
    ),
    "best rate, root in the wrong place": sgd_steps.root_misplaced,
    "AMSGrad, a round without (A4)": adam.not_convex,
    "LAMB, an entry without (A3)": lamb.one_too_large,
    "momentum, the minimum as printed": momentum_steps.minimum_printed,
    "Nesterov, one buffer for two learning rates": momentum_steps.torch_schedule,
    "cocoercive without convexity": quadratic("cocoercive", cocoercive),
    "tangent below without convexity": quadratic("tangent", convex),
    "strong convexity from convexity": quadratic("strong", strong, low=lambda s: 0),
    "Jensen reversed": Step(
        "Jensen", batch, lambda s: total(x * x for x in s.u) / s.n, lambda s: mean([[x] for x in s.u])[0] ** 2, sizes=N
    ),
    "Cauchy-Schwarz with 99/100": Step(
        "Cauchy-Schwarz",
        PAIR,
        lambda s: dot(s.x, s.y) * dot(s.x, s.y),
        lambda s: 99 * square(s.x) * square(s.y) / 100,
        sizes=D,
    ),
    "AM-GM reversed": Step(
        "AM-GM", {"a": nonnegative(), "b": nonnegative()}, lambda s: (s.a + s.b) / 2, lambda s: root(s.a * s.b)
    ),
    "variance of a sum without independence": Step(
        "variance",
        batch,
        lambda s: variance([x + y for x, y in zip(s.u, s.v, strict=True)]),
        lambda s: variance(s.u) + variance(s.v),
        sizes=N,
    ),
    "1-norm at most 2-norm": Step(
        "norms", {"x": real("d")}, lambda s: norm1(s.x), lambda s: root(square(s.x)), sizes=D
    ),
    "projection onto a circle": Step(
        "projection",
        {"x": real("two"), "y": real("two")},
        lambda s: square(minus(circle(s.x), circle(s.y))),
        lambda s: square(minus(s.x, s.y)),
        lambda s: [(square(s.x), ">", 0), (square(s.y), ">", 0)],
        sizes={"two": (2,)},
    ),
    "Young's inequality without its half": Step(
        "Young", {"a": real(), "b": real()}, lambda s: 2 * s.a * s.b, lambda s: (s.a * s.a + s.b * s.b) / 2
    ),
}
