"""Appendix A: the lemmas that the chapters quote, and what they become without one of their assumptions.

Expectations are finite sums over n values with the weights `weight`, divided by their sum. Where a lemma speaks of a
function the adversary brings its own: a straight line, kinks and a parabola for Jensen, a polynomial for the integral,
the pit of SGD's chapter for the descent lemma. Logarithms are taken away: x for log x, or n (1/y - 1) for -log(y^n).
"""

from fractions import Fraction
from itertools import combinations, product
from math import comb

from minilib.theory.arithmetic import absolute, dot, if_, maximum, minimum, norm1, root, sign, square, total
from minilib.theory.steps import Step, nonnegative, real
from proofs.sgd import mean, minus, pit, pit_slope

HALF = Fraction(1, 2)
UP_TO_3 = {"d": (1, 2, 3)}


def norm(v):
    return root(square(v))


def plus(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def times(k, v):
    return [k * x for x in v]


def nonzero(*vectors):
    """None of the vectors is zero."""
    return [(square(v), ">", 0) for v in vectors]


# Lengths and angles.
PAIR = {"u": real("d"), "v": real("d")}


def pair(name, left, right, assumptions=lambda s: [], relation="=", **more):
    """A step about two vectors u and v, and more variables."""
    return Step(name, PAIR | more, left, right, assumptions, relation, UP_TO_3)


def off_shadow(s):
    """|u - c v|^2, c v being the shadow of u on v."""
    return square(minus(s.u, times(dot(s.u, s.v) / square(s.v), s.v)))


shadow = pair("(1) a square", lambda s: 0, off_shadow, lambda s: nonzero(s.v), "<=")
expanded = pair(
    "(2) expanded",
    off_shadow,
    lambda s: square(s.u) - dot(s.u, s.v) * dot(s.u, s.v) / square(s.v),
    lambda s: nonzero(s.v),
)


def cauchy(name, share=1):
    return pair(name, lambda s: absolute(dot(s.u, s.v)), lambda s: norm(s.u) * norm(s.v) / share, relation="<=")


cauchy_schwarz = cauchy("(3) Cauchy-Schwarz")
half_cauchy = cauchy("(1) half of Cauchy-Schwarz", 2)


def split(s):
    """a |u|^2 / 2 + |v|^2 / (2 a)."""
    return s.a / 2 * square(s.u) + square(s.v) / (2 * s.a)


def positive(s):
    return [(s.a, ">", 0)]


young_square = pair(
    "(1) a square",
    lambda s: 0,
    lambda s: square(minus(times(root(s.a), s.u), times(1 / root(s.a), s.v))),
    positive,
    "<=",
    a=nonnegative(),
)
young = pair("(2) Young", lambda s: absolute(dot(s.u, s.v)), split, positive, "<=", a=nonnegative())
young_sum = pair(
    "(3) of a sum",
    lambda s: square(plus(s.u, s.v)),
    lambda s: (1 + s.a) * square(s.u) + (1 + 1 / s.a) * square(s.v),
    positive,
    "<=",
    a=nonnegative(),
)
young_any = pair("(2) Young, a of any sign", young.left, split, lambda s: [(s.a, "!=", 0)], "<=", a=real())


def largest(v):
    result = absolute(v[0])
    for x in v[1:]:
        result = maximum(result, absolute(x))
    return result


def norms(name, left, right):
    return Step(name, {"u": real("d")}, left, right, sizes=UP_TO_3)


max_norm = norms("(1) max <= 2-norm", lambda s: largest(s.u), lambda s: norm(s.u))
two_norm = norms("(2) 2-norm <= 1-norm", lambda s: norm(s.u), lambda s: norm1(s.u))
one_norm = norms("(3) 1-norm <= sqrt(d) 2-norm", lambda s: norm1(s.u), lambda s: root(s.d) * norm(s.u))
back = norms("(4) 2-norm <= sqrt(d) max", lambda s: norm(s.u), lambda s: root(s.d) * largest(s.u))


# Averages.
FEW = {"n": (1, 2, 3)}
VALUES = {"X": real("n"), "weight": nonnegative("n")}
POSITIVE_VALUES = {"X": nonnegative("n"), "weight": nonnegative("n")}


def E(s, values):
    return dot(s.weight, values) / total(s.weight)


def possible(s):
    return [(total(s.weight), ">", 0)]


def random(name, left, right, assumptions=lambda s: [], relation="<=", variables=VALUES, **more):
    """A step about a random number X with finitely many values."""
    return Step(name, variables | more, left, right, lambda s: possible(s) + assumptions(s), relation, FEW)


def kinked(s, x):
    """The adversary's convex function: the larger of two straight lines, and a parabola."""
    return s.q * x * x + maximum(s.k * x, s.l * x + s.m)


def supporting(s, x):
    """Its tangent at the mean, or a supporting line where it has a kink."""
    mu = E(s, s.X)
    slope = 2 * s.q * mu + if_(s.k * mu, ">=", s.l * mu + s.m, s.k, s.l)
    return kinked(s, mu) + slope * (x - mu)


def jensens(name, left, right, parabola=nonnegative):
    return random(name, left, right, q=parabola(), k=real(), l=real(), m=real())


tangent = jensens("(1) above the tangent", lambda s: supporting(s, s.X[0]), lambda s: kinked(s, s.X[0]))
jensen = jensens("(2) averaged", lambda s: kinked(s, E(s, s.X)), lambda s: E(s, [kinked(s, x) for x in s.X]))
jensen_bent = jensens("(2) averaged, a parabola bent either way", jensen.left, jensen.right, real)
lyapunov = random("Lyapunov", lambda s: E(s, list(map(absolute, s.X))), lambda s: root(E(s, [x * x for x in s.X])))


def at_least(s):
    """For every value, is it at least a?"""
    return [if_(x, ">=", s.a, 1, 0) for x in s.X]


def markovs(name, variables=POSITIVE_VALUES):
    return random(
        name, lambda s: E(s, at_least(s)), lambda s: E(s, s.X) / s.a, positive, "<=", variables, a=nonnegative()
    )


markov_point = Step(
    "(1) pointwise",
    {"x": nonnegative(), "a": nonnegative()},
    lambda s: s.a * if_(s.x, ">=", s.a, 1, 0),
    lambda s: s.x,
    positive,
)
markov = markovs("(2) Markov")
markov_signed = markovs("(2) Markov, X of any sign", VALUES)


def noise(s):
    mu = E(s, s.X)
    return [x - mu for x in s.X]


def wrong(s):
    """Has the value another sign than the mean? Zero has the sign 0, so it counts unless the mean is zero, too."""
    up = sign(E(s, s.X))
    return [if_(sign(x), "=", up, 0, 1) for x in s.X]


def against(s):
    """By how much the noise points against the mean."""
    up = if_(E(s, s.X), ">=", 0, 1, -1)
    return [maximum(-up * c, 0 * c) for c in noise(s)]


def cost(s):
    """|mean| P(wrong sign)."""
    return absolute(E(s, s.X)) * E(s, wrong(s))


def size_of_noise(s):
    return E(s, list(map(absolute, noise(s))))


def variance(s):
    return E(s, [c * c for c in noise(s)])


wrong_point = random("(1) wrong means against", lambda s: absolute(E(s, s.X)) * wrong(s)[0], lambda s: against(s)[0])
half_of_noise = random(
    "(2) half of the noise", lambda s: E(s, against(s)), lambda s: size_of_noise(s) / 2, relation="="
)
wrong_sign = random("(3) averaged", cost, lambda s: size_of_noise(s) / 2)
wrong_sigma = random("(4) Lyapunov", cost, lambda s: root(variance(s)) / 2)
wrong_third = random("(3) averaged, a third of the noise", cost, lambda s: size_of_noise(s) / 3)
cantelli = random(
    "Cantelli",
    lambda s: E(s, wrong(s)),
    lambda s: variance(s) / (variance(s) + E(s, s.X) * E(s, s.X)),
    lambda s: [(E(s, s.X), "!=", 0)],
)
cantelli_below = Step(
    "Cantelli is below half of sigma",
    {"sigma": nonnegative(), "mu": nonnegative()},
    lambda s: s.sigma * s.sigma / (s.sigma * s.sigma + s.mu * s.mu),
    lambda s: s.sigma / (2 * s.mu),
    lambda s: [(s.mu, ">", 0)],
)
chebyshev = random(
    "Chebyshev",
    lambda s: E(s, [if_(absolute(c), ">=", s.a, 1, 0) for c in noise(s)]),
    lambda s: variance(s) / (s.a * s.a),
    positive,
    a=nonnegative(),
)


def distance(s):
    return E(s, [(x - s.c) * (x - s.c) for x in s.X])


def bias(s):
    return (E(s, s.X) - s.c) * (E(s, s.X) - s.c)


bias_expanded = random(
    "(1) expanded",
    distance,
    lambda s: variance(s) + 2 * E(s, [c * (E(s, s.X) - s.c) for c in noise(s)]) + bias(s),
    relation="=",
    c=real(),
)
bias_variance = random("(2) no cross term", distance, lambda s: variance(s) + bias(s), relation="=", c=real())
random_centre = random(
    "(2) no cross term, a random c",
    lambda s: E(s, [(x - c) * (x - c) for x, c in zip(s.X, s.c, strict=True)]),
    lambda s: variance(s) + E(s, [(E(s, s.X) - c) * (E(s, s.X) - c) for c in s.c]),
    relation="=",
    c=real("n"),
)


# Mini-batches: all of them. The length of `batch` is b; its entries play no part.
def batches(name, left, right, relation="=", n=(2, 3)):
    variables = {"g": real("n", "d"), "batch": real("b")}
    return Step(name, variables, left, right, relation=relation, sizes={"d": (1, 2), "n": n, "b": (1, 2)})


def spread(s):
    """sigma^2, the mean squared distance of a sample from the mean of all."""
    return total(square(a) for a in deviations(s)) / len(s.g)


def deviations(s):
    return [minus(g, mean(s.g)) for g in s.g]


def batch_noise(s, put_back):
    b, every = len(s.batch), deviations(s)
    chosen = list(product(every, repeat=b) if put_back else combinations(every, b))
    return total(square(mean(batch)) for batch in chosen) / len(chosen)


def correlation(s):
    """c, the mean inner product of two different samples' deviations."""
    return total(dot(a, b) for a, b in combinations(deviations(s), 2)) / comb(len(s.g), 2)


batch_expanded = batches(
    "(1) expanded",
    lambda s: len(s.batch) ** 2 * batch_noise(s, put_back=False),
    lambda s: len(s.batch) * spread(s) + len(s.batch) * (len(s.batch) - 1) * correlation(s),
)
with_replacement = batches(
    "(2) with replacement", lambda s: batch_noise(s, put_back=True), lambda s: spread(s) / s.b, n=(1, 2, 3)
)
correlated = batches("(3) c = -sigma2 / (n - 1)", correlation, lambda s: -spread(s) / (s.n - 1))
without_replacement = batches(
    "(4) without",
    lambda s: batch_noise(s, put_back=False),
    lambda s: spread(s) / s.b * (s.n - s.b) / (s.n - 1),
)
copies = batches("(2) with replacement, two copies", lambda s: spread(s), lambda s: spread(s) / 2, n=(1, 2, 3))


# Steps.
def polynomial(s, x):
    """a_0 + a_1 x + ... + a_4 x^4, by Horner."""
    result = 0 * x
    for a in reversed(s.a):
        result = result * x + a
    return result


def polynomial_slope(s, x):
    result = 0 * x
    for k in (4, 3, 2, 1):
        result = result * x + k * s.a[k]
    return result


def simpson(s):
    """The integral of step (1): Simpson's rule, which is exact for cubic polynomials."""
    inner = [(polynomial_slope(s, s.x + t * s.delta) - polynomial_slope(s, s.x)) * s.delta for t in (HALF, 1)]
    return (4 * inner[0] + inner[1]) / 6


integral = Step(
    "(1) integral",
    {"a": real("k"), "x": real(), "delta": real()},
    lambda s: polynomial(s, s.x + s.delta) - polynomial(s, s.x) - polynomial_slope(s, s.x) * s.delta,
    simpson,
    relation="=",
    sizes={"k": (5,)},
)
SEGMENT = {"change": real("m", "d"), "weight": nonnegative("m"), "delta": real("d")}
SEGMENTS = {"m": (1, 2), "d": (1, 2)}


def along(s):
    """The integral of |change| |delta| along the segment, at m points with weights."""
    return dot(s.weight, [norm(c) * norm(s.delta) for c in s.change])


inside = Step(
    "(2) Cauchy-Schwarz",
    SEGMENT,
    lambda s: dot(s.weight, [dot(c, s.delta) for c in s.change]),
    along,
    sizes=SEGMENTS,
)
smooth = Step(
    "(3) smoothness",
    SEGMENT | {"at": nonnegative("m"), "L": nonnegative()},
    along,
    lambda s: s.L * dot(s.weight, s.at) * square(s.delta),
    lambda s: [(square(c), "<=", s.L * s.L * t * t * square(s.delta)) for c, t in zip(s.change, s.at, strict=True)],
    sizes=SEGMENTS,
)
PIT = {"L": nonnegative(), "w": nonnegative(), "x": real()}
descent = Step(
    "(3b) the lemma, whole",
    PIT | {"y": real()},
    lambda s: pit(s.L, s.w, s.y) - pit(s.L, s.w, s.x) - pit_slope(s.L, s.w, s.x) * (s.y - s.x),
    lambda s: s.L / 2 * (s.y - s.x) * (s.y - s.x),
)


def gradient_step(s):
    return pit(s.L, s.w, s.x) - pit(s.L, s.w, s.x - s.lr * pit_slope(s.L, s.w, s.x))


gains = Step(
    "(4) a gradient step",
    PIT | {"lr": nonnegative()},
    lambda s: s.lr * (1 - s.L * s.lr / 2) * pit_slope(s.L, s.w, s.x) * pit_slope(s.L, s.w, s.x),
    gradient_step,
)
fourth_power = Step(
    "(3) smoothness, x^4 with L = 12",
    {"x": real(), "y": real()},
    lambda s: s.y * s.y * s.y * s.y - s.x * s.x * s.x * s.x - 4 * s.x * s.x * s.x * (s.y - s.x),
    lambda s: 6 * (s.y - s.x) * (s.y - s.x),
)

# Layers of one parameter each, H symmetric: the blocks' norms are |H_ij|.
LAYERS = {"H": real("d", "d"), "delta": real("d")}


def H(s, i, j):
    return s.H[min(i, j)][max(i, j)]


def bent(s):
    d = range(len(s.delta))
    return total(s.delta[i] * H(s, i, j) * s.delta[j] for i in d for j in d) / 2


def blockwise(s):
    d = range(len(s.delta))
    return total(absolute(H(s, i, j)) * absolute(s.delta[i]) * absolute(s.delta[j]) for i in d for j in d) / 2


def by_layers(s):
    d = range(len(s.delta))
    return total(total(absolute(H(s, i, j)) for j in d) * s.delta[i] * s.delta[i] for i in d) / 2


def layers(name, left, right):
    return Step(name, LAYERS, left, right, sizes={"d": (1, 2, 3)})


layer_blocks = layers("(1) block by block", bent, blockwise)
layer_young = layers("(2) Young", blockwise, by_layers)
layerwise = layers("(2b) the lemma, whole", bent, by_layers)
diagonal_only = layers(
    "(2b) the diagonal blocks only",
    bent,
    lambda s: total(absolute(H(s, i, i)) * x * x for i, x in enumerate(s.delta)) / 2,
)


def by_weighted_layers(s):
    d = range(len(s.delta))
    constants = [total(absolute(H(s, i, j)) * s.w[j] for j in d) / s.w[i] for i in d]
    return dot(constants, [x * x for x in s.delta]) / 2


other_constants = Step(
    "other constants",
    LAYERS | {"w": nonnegative("d")},
    bent,
    by_weighted_layers,
    lambda s: [(w, ">", 0) for w in s.w],
    sizes={"d": (1, 2, 3)},
)

# Telescoping. f holds f_1, ..., f_T, and `last` is f_{T+1}.
RUN = {"f": real("T"), "last": real(), "p": real("T"), "e": real("T"), "c": nonnegative()}


def falls(s):
    return [now - after for now, after in zip(s.f, [*s.f[1:], s.last], strict=True)]


def descends(s):
    each = zip(falls(s), s.p, s.e, strict=True)
    return [(s.c, ">", 0)] + [(s.c * p - e, "<=", fall) for fall, p, e in each]


def telescopes(name, left, right, assumptions=descends, relation="<=", **more):
    return Step(name, RUN | more, left, right, assumptions, relation, {"T": (1, 2, 3)})


def least(numbers):
    result = numbers[0]
    for x in numbers[1:]:
        result = minimum(result, x)
    return result


def rate(s):
    return (s.f[0] - s.least) / (s.c * len(s.p)) + total(s.e) / (s.c * len(s.p))


def average(s):
    return total(s.p) / len(s.p)


summed = telescopes("(1) summed", lambda s: s.c * total(s.p), lambda s: total(falls(s)) + total(s.e))
telescoped = telescopes("(2) telescoped", lambda s: total(falls(s)), lambda s: s.f[0] - s.last, relation="=")
bounded = telescopes(
    "(3) bounded below", average, rate, lambda s: [*descends(s), (s.least, "<=", s.last)], least=real()
)
least_average = telescopes("(3b) least <= average", lambda s: least(s.p), average)
unbounded = telescopes("(3) bounded below, without (A0)", average, rate, least=real())

# log x is the limit of m (x^(1/m) - 1), and nowhere above it. So (1) says that 1 - z <= m (1/y - 1) for z = y^m
# and every m.
# Over the old sum it would say x - 1 <= log x for x = 1 + a/eps, hence for x = y^m: y^m - 1 <= m (y - 1).
SUMS = {"eps": nonnegative(), "old": nonnegative(), "a": nonnegative(), "beta": nonnegative()}


def power(x, k):
    result = 1
    for _ in range(k):
        result = result * x
    return result


log_below = Step(
    "(1) 1 - z <= -ln z",
    {"y": nonnegative(), "exponent": real("m")},
    lambda s: 1 - power(s.y, len(s.exponent)),
    lambda s: s.m * (1 / s.y - 1),
    lambda s: [(s.y, ">", 0)],
    sizes={"m": (1, 2, 3, 4)},
)


def beta_inside(s):
    return [(s.eps, ">", 0), (s.beta, ">", 0), (s.beta, "<=", 1)]


price_of_beta = Step(
    "(2) price of beta",
    SUMS,
    lambda s: (s.eps + s.beta * s.old + s.a) / (s.eps + s.beta * s.old),
    lambda s: (s.eps + s.beta * s.old + s.a) / (s.beta * (s.eps + s.old)),
    beta_inside,
)
old_sum = Step(
    "(1) over the old sum",
    {"y": nonnegative(), "exponent": real("m")},
    lambda s: power(s.y, len(s.exponent)) - 1,
    lambda s: s.m * (s.y - 1),
    lambda s: [(s.y, ">=", 1)],
    sizes={"m": (2, 3)},
)

# Normalised directions.
rewritten = pair(
    "(1) rewritten",
    lambda s: dot(s.u, s.v) / norm(s.v),
    lambda s: norm(s.v) - dot(minus(s.v, s.u), s.v) / norm(s.v),
    lambda s: nonzero(s.v),
)


def lost(s):
    return norm(s.u) - dot(s.u, s.v) / norm(s.v)


def miss(s):
    return norm(minus(s.v, s.u))


def between(s):
    return norm(s.u) - norm(s.v) + miss(s)


def direction(name, left, right):
    return Step(name, PAIR, left, right, lambda s: nonzero(s.v), sizes={"d": (1, 2)})


direction_cauchy = direction("(2) Cauchy-Schwarz", lost, between)
direction_triangle = direction("(3) triangle", between, lambda s: 2 * miss(s))
normalised = direction("(3b) the lemma, whole", lost, lambda s: 2 * miss(s))


def averaged(name, share=1):
    """u is the mean of v here. A v that is zero moves nothing."""

    def mean_of(s):
        return [E(s, column) for column in zip(*s.v, strict=True)]

    def lost_on_average(s):
        u = mean_of(s)
        return norm(u) - E(s, [dot(u, v) / root(if_(square(v), "=", 0, 1, square(v))) for v in s.v])

    def missed(s):
        return E(s, [norm(minus(v, mean_of(s))) for v in s.v]) / share

    variables = {"v": real("n", "d"), "weight": nonnegative("n")}
    return Step(name, variables, lost_on_average, missed, possible, sizes={"n": (1, 2, 3), "d": (1, 2)})


direction_averaged = averaged("(4) averaged")
direction_half = averaged("(4) averaged, half of the noise", share=2)
factor_one = direction("(3b) the lemma with the factor 1", lost, miss)


# The exercise about a statement of one's own.
def progress(s):
    """n times the mean gradient times the mean of the gradients' signs."""
    return total(s.g) / len(s.g) * total(sign(x) for x in s.g)


def noise_at_most_mean(s):
    mu = total(s.g) / len(s.g)
    return [(total(absolute(x - mu) for x in s.g) / len(s.g), "<=", absolute(mu))]


def uphill(name, assumptions=lambda s: []):
    return Step(name, {"g": real("n")}, lambda s: 0, progress, assumptions, sizes=FEW)


never_uphill = uphill("never uphill, any noise")
never_uphill_repaired = uphill("never uphill, if the noise is at most the mean", noise_at_most_mean)

THEOREMS = {
    "Cauchy-Schwarz": [shadow, expanded, cauchy_schwarz],
    "Young": [young_square, young, young_sum],
    "Equivalence of norms, d = 10": [max_norm, two_norm, one_norm, back],
    "Jensen": [tangent, jensen],
    "Lyapunov": [lyapunov],
    "Markov": [markov_point, markov],
    "A wrong sign is rare": [wrong_point, half_of_noise, wrong_sign, wrong_sigma],
    "Bias and variance": [bias_expanded, bias_variance],
    "Mini-batch variance, all batches of 6 vectors": [
        batch_expanded,
        with_replacement,
        correlated,
        without_replacement,
    ],
    "Descent lemma, logistic loss": [integral, inside, smooth, descent, gains],
    "Layerwise smoothness of a coupled quadratic": [layer_blocks, layer_young, layerwise],
    "Telescoping": [summed, telescoped, bounded, least_average],
    "Log-sum (a), beta = 1.0": [log_below],
    "Log-sum (b), beta = 0.99": [log_below, price_of_beta],
    "Normalised direction": [rewritten, direction_cauchy, direction_triangle, normalised, direction_averaged],
    "Chebyshev, in units of the crossing point": [chebyshev],
    "Layerwise smoothness, other constants": [other_constants],
    "Cantelli": [cantelli, cantelli_below],
    "A step along the mean sign": [never_uphill_repaired],
}
BROKEN = {
    "Cauchy-Schwarz": [half_cauchy],
    "Young": [young_any],
    "Jensen": [jensen_bent],
    "Markov": [markov_signed],
    "A wrong sign is rare": [wrong_third],
    "Bias and variance": [random_centre],
    "Mini-batch variance, all batches of 6 vectors": [copies],
    "Descent lemma, logistic loss": [fourth_power],
    "Layerwise smoothness of a coupled quadratic": [diagonal_only],
    "Telescoping": [unbounded],
    "Log-sum (a), beta = 1.0": [old_sum],
    "Normalised direction": [factor_one, direction_half],
    "A step along the mean sign": [never_uphill],
}
LOGARITHM = "has a logarithm; it is the sum of the rows above"
EXEMPT = {
    "Log-sum (a), beta = 1.0": {"(3) summed": LOGARITHM},
    "Log-sum (b), beta = 0.99": {"(3) summed": LOGARITHM},
    "A false claim": "false, and meant to be; it stands among the false statements, under Cauchy-Schwarz",
}
