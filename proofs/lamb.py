"""LAMB. The steps of both proofs as the chapter has them, as they were first printed, and two other repairs.

One layer of d weights, phi = 1, and n samples with probabilities. Without a memory the step is r/||r||, r = sign(g). As
printed the norm of r was taken to be sqrt(d), which is wrong where an entry of a batch's gradient is zero. The repairs:

    the chapter's   the method as it runs, and no assumption: the noise counts (1 + sqrt(d/k))/2 times, where k is the
                    least number of entries that are not zero in a gradient that does not vanish. k = d: factor 1.
    no zero         assume that no entry of a batch's gradient is zero
    convention      let sign(0) be 1: another method, and no assumption

The second half, from "a memory" on, is about beta_2 > 0, where zeros cost nothing. There 0/0 is 0 in r = g/sqrt(v).
"""

from fractions import Fraction
from itertools import product
from types import SimpleNamespace

from minilib.theory.arithmetic import absolute, dot, if_, maximum, minimum, norm1, root, sign, square, total
from minilib.theory.end_to_end import EndToEnd
from minilib.theory.steps import Step, Variable, nonnegative, real, unit

SMALL, PAIRS = {"d": (1, 2, 4), "n": (1, 2)}, {"d": (1, 2), "n": (1, 2)}


def unit_signs(g):
    """sign(g) / its norm, zero for a gradient that vanishes: what LAMB does with beta_1 = beta_2 = eps = 0."""
    r = [sign(x) for x in g]
    length = root(if_(alive(g), "=", 0, 1, alive(g)))
    return [x / length for x in r]


def full_signs(g):
    """The same where sign(0) is 1, so that the norm is always sqrt(d)."""
    return [if_(x, ">=", 0, 1, -1) / root(g[0] * 0 + len(g)) for x in g]


def alive(g):
    """How many entries are not zero."""
    return total(if_(x, "=", 0, 0, 1) for x in g) + g[0] * 0


def fewest_alive(gradients):
    """The least number of entries alive, over the gradients that do not vanish."""
    least = len(gradients[0]) + gradients[0][0] * 0
    for g in gradients:
        least = minimum(least, if_(alive(g), "=", 0, least, alive(g)))
    return least


def weights(s):
    return [w / total(s.weight) for w in s.weight]


def mean_gradient(s, gradients):
    return [dot(weights(s), column) for column in zip(*gradients, strict=True)]


def expected_noise(s, gradients):
    """sum_j E |g_j - G_j|, which Lyapunov's inequality bounds by sum_j sigma_j."""
    G = mean_gradient(s, gradients)
    return total(
        p * norm1([x - y for x, y in zip(g, G, strict=True)]) for p, g in zip(weights(s), gradients, strict=True)
    )


def deviation(s, noise):
    """sum_j sigma_j, for noise with mean zero."""
    return total(
        root(total(p * x * x for p, x in zip(weights(s), column, strict=True))) for column in zip(*noise, strict=True)
    )


def nothing_dead(s):
    return [(x, "!=", 0) for g in s.g for x in g]


def possible(s):
    return [(total(s.weight), ">", 0)]


# Step 1. The adversary's function is a quadratic whose layers, of one coordinate each, are coupled.
def coupled(s):
    """The symmetric matrix Q of f(x) = x'Qx/2, and L_i = sum_j |Q_ij|, with which f is smooth by layers."""
    h = range(len(s.q))
    Q = [[(s.q[i][j] + s.q[j][i]) / 2 for j in h] for i in h]
    return Q, [norm1(row) for row in Q]


def quadratic(Q, x):
    return dot(x, [dot(row, x) for row in Q]) / 2


def tangent(s):
    """f(x) + <grad f(x), y - x>."""
    Q, _ = coupled(s)
    return quadratic(Q, s.x) + dot([dot(row, s.x) for row in Q], minus(s.y, s.x))


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


LAYERS = {"h": (1, 2, 3)}
smooth = Step(
    "(1a) smooth by layers",
    {"q": real("h", "h"), "x": real("h"), "y": real("h")},
    lambda s: quadratic(coupled(s)[0], s.y),
    lambda s: tangent(s) + total(a * e * e for a, e in zip(coupled(s)[1], minus(s.y, s.x), strict=True)) / 2,
    sizes={"h": (1, 2)},
)
length = Step(
    "(1b) length of a step",
    {"g": real("d"), "far": nonnegative()},
    lambda s: square([s.far * r for r in unit_signs(s.g)]),
    lambda s: s.far * s.far,
    sizes={"d": (1, 2, 3)},
)
bend = Step(
    "(1c) phi <= alpha_u",
    {"L": nonnegative("h"), "phi": nonnegative("h"), "alpha_u": nonnegative(), "lr": nonnegative()},
    lambda s: total(a * s.lr * s.lr * phi * phi for a, phi in zip(s.L, s.phi, strict=True)) / 2,
    lambda s: s.lr * s.lr * s.alpha_u * s.alpha_u / 2 * total(s.L),
    lambda s: [(phi, "<=", s.alpha_u) for phi in s.phi],
    sizes=LAYERS,
)


# Step 2 as printed: <G, r/|r|> = sum_j |G_j| (1 - 2 [wrong sign]) / sqrt(d), for one batch.
def signs(name, direction=unit_signs, assumptions=lambda s: [], convention=sign):
    def right(s):
        agree = [if_(convention(x), "=", sign(y), absolute(y), -absolute(y)) for x, y in zip(s.g, s.G, strict=True)]
        return total(agree) / root(s.d)

    variables = {"G": real("d"), "g": real("d")}
    return Step(name, variables, lambda s: dot(s.G, direction(s.g)), right, assumptions, "=", {"d": (1, 2, 3)})


signs_printed = signs("(2) signs, as printed")
signs_no_zero = signs("(2) signs, no zero", assumptions=lambda s: [(x, "!=", 0) for x in s.g])
signs_convention = signs("(2) signs, convention", full_signs, convention=lambda x: if_(x, ">=", 0, 1, -1))


# Step 2, repaired: right, wrong and zero entries; then k of them alive at least.
def voices(s):
    """|G_j| where g_j has the sign of G_j, -|G_j| where it has the other one, 0 where it is zero."""
    return [
        if_(x, "=", 0, 0, if_(sign(x), "=", sign(y), absolute(y), -absolute(y))) for x, y in zip(s.g, s.G, strict=True)
    ]


def not_right(s):
    """sum_j |G_j| over the entries whose sign is not that of G_j: it is wrong, or zero."""
    return total(if_(sign(x), "=", sign(y), 0, absolute(y)) for x, y in zip(s.g, s.G, strict=True))


def share_alive(g):
    """1 / root of the entries alive, 0 where there are none."""
    return if_(alive(g), "=", 0, 0, 1 / root(if_(alive(g), "=", 0, 1, alive(g))))


signs_alive = Step(
    "(2a) right, wrong, zero",
    {"G": real("d"), "g": real("d")},
    lambda s: dot(s.G, unit_signs(s.g)),
    lambda s: total(voices(s)) * share_alive(s.g),
    relation="=",
    sizes={"d": (1, 2, 3)},
)
signs_priced = Step(
    "(2b) at least k alive",
    {"G": real("d"), "g": real("d"), "k": nonnegative()},
    lambda s: (norm1(s.G) - (1 + root(s.d / s.k)) * not_right(s)) / root(s.d),
    lambda s: dot(s.G, unit_signs(s.g)),
    lambda s: [(s.k, ">=", 1), (s.k, "<=", s.d), (if_(alive(s.g), "=", 0, s.k, alive(s.g)), ">=", s.k)],
    sizes={"d": (1, 2, 3)},
)


# Step 3, one coordinate: |G| P(sign g != sign G) <= E |g - G| / 2. A zero counts as a wrong sign.
def rare(s):
    G = dot(weights(s), s.g)
    wrong = [if_(sign(x), "=", sign(G), 0, 1) for x in s.g]
    return absolute(G) * dot(weights(s), wrong)


def half_noise(s):
    return expected_noise(s, [[x] for x in s.g]) / 2


SAMPLES = {"g": real("n"), "weight": nonnegative("n")}
rare_signs = Step("(3a) Markov", SAMPLES, rare, half_noise, possible, sizes={"n": (1, 2, 3)})


def momentum_wrong(s):
    """The same for the sign of m = beta_1 m + (1 - beta_1) g."""
    G = dot(weights(s), s.g)
    averages = [s.beta1 * s.m + (1 - s.beta1) * x for x in s.g]
    return absolute(G) * dot(weights(s), [if_(sign(m), "=", sign(G), 0, 1) for m in averages])


signs_of_m = Step(
    "(3a) Markov, for the sign of m",
    SAMPLES | {"m": real(), "beta1": unit()},
    momentum_wrong,
    half_noise,
    lambda s: [*possible(s), (s.beta1, "<", 1)],
    sizes={"n": (1, 2)},
)


# Batches of two, drawn with replacement: (probability, gradient of the batch).
def batches(s):
    drawn = list(zip(weights(s), s.g, strict=True))
    return [(p * q, (x + y) / 2) for (p, x), (q, y) in product(drawn, drawn)]


def spread(s):
    """The root of a batch's variance, sigma / sqrt(b) with b = 2."""
    G = dot(weights(s), s.g)
    return root(total(p * (x - G) * (x - G) for p, x in zip(weights(s), s.g, strict=True)) / 2)


def batch_noise(s):
    G = dot(weights(s), s.g)
    return total(p * absolute(x - G) for p, x in batches(s)) / 2


def batch_wrong(s):
    G = dot(weights(s), s.g)
    return absolute(G) * total(p * if_(sign(x), "=", sign(G), 0, 1) for p, x in batches(s))


FEW = {"n": (1, 2)}
lyapunov = Step("(3b) Lyapunov, batch", SAMPLES, batch_noise, lambda s: spread(s) / 2, possible, sizes=FEW)


# Step 4 with E |g - G| for sigma: what one step gains, for a loss without curvature.
def one_step(name, direction=unit_signs, price=lambda g: 1, assumptions=possible, sizes=SMALL):
    def left(s):
        return (norm1(mean_gradient(s, s.g)) - price(s.g) * expected_noise(s, s.g)) / root(s.d)

    def gained(s):
        G = mean_gradient(s, s.g)
        return total(p * dot(G, direction(g)) for p, g in zip(weights(s), s.g, strict=True))

    variables = {"g": real("n", "d"), "weight": nonnegative("n")}
    return Step(name, variables, left, gained, assumptions, sizes=sizes)


def price(gradients):
    d = len(gradients[0]) + gradients[0][0] * 0
    return (1 + root(d / fewest_alive(gradients))) / 2


printed = one_step("(4) one step, as printed")
no_zero = one_step("(4) one step, no zero", assumptions=lambda s: possible(s) + nothing_dead(s), sizes=PAIRS)
convention = one_step("(4) one step, convention", full_signs, sizes=PAIRS)
divided = one_step(
    "(4) one step, divided by sqrt(d)", lambda g: [sign(x) / root(x * 0 + len(g)) for x in g], sizes=PAIRS
)
priced = one_step("(4) one step", price=price)


# What zeros cost cannot be less: with 99/100 of the price the step is broken.
cheaper = one_step("(4) one step, 99/100 of what zeros cost", price=lambda g: 1 + (price(g) - 1) * 99 / 100)


# The paper's step 2: a wrong sign costs at most |G| beside -|G|/sqrt(d) for all signs.
coefficient_one = Step(
    "(2) a wrong sign costs at most 1",
    {"G": nonnegative()},
    lambda s: s.G / root(s.d),
    lambda s: -s.G / root(s.d) + s.G,
    sizes={"d": (1, 4, 16)},
)


# Steps 5 and 6, for both theorems: sums of one step's fall, a S_t <= f_t - f_{t+1} + B, where f_{t+1} is what is left.
def levels(s):
    values = [s.f1]
    for S, slack in zip(s.S, s.slack, strict=True):
        values.append(values[-1] - s.a * S + s.B - slack)
    return values


def telescoped(name):
    return Step(
        name,
        {"f1": real(), "S": nonnegative("T"), "slack": nonnegative("T"), "a": nonnegative(), "B": nonnegative()},
        lambda s: total(s.S) / len(s.S),
        lambda s: (s.f1 - levels(s)[-1]) / (s.a * len(s.S)) + s.B / s.a,
        lambda s: [(s.a, ">", 0)],
        sizes={"T": (1, 2, 3)},
    )


def bottom(name):
    return Step(
        name,
        {
            "f1": real(),
            "f_end": real(),
            "f_star": real(),
            "a": nonnegative(),
            "T": nonnegative(),
            "rest": nonnegative(),
        },
        lambda s: (s.f1 - s.f_end) / (s.a * s.T) + s.rest,
        lambda s: (s.f1 - s.f_star) / (s.a * s.T) + s.rest,
        lambda s: [(s.a, ">", 0), (s.T, ">", 0), (s.f_end, ">=", s.f_star)],
    )


def inserted(name):
    """At the theorem's rate, which is written as Delta = lr^2 alpha_u^2 |L|_1 T / 2, so that it stays rational.

    `scale` is what stands before Delta / (lr T), and `noise` the noise's term.
    """

    def fall(s):
        return s.lr * s.lr * s.alpha_u * s.alpha_u * s.L * s.T / 2

    return Step(
        name,
        {key: nonnegative() for key in ("lr", "L", "T", "alpha_u", "scale", "noise")},
        lambda s: s.scale * (fall(s) / (s.lr * s.T) + s.lr * s.alpha_u * s.alpha_u * s.L / 2) + s.noise,
        lambda s: s.scale * s.alpha_u * root(2 * fall(s) * s.L / s.T) + s.noise,
        lambda s: [(s.lr, ">", 0), (s.T, ">", 0)],
        "=",
    )


# The theorem from end to end. The rows of g are the samples' gradients at the start, G their mean, and
# f(x) = sum_j |G_j| huber(x_j): slope G at the start, curvature near the bottom only, and the same noise everywhere.
def huber(w, x):
    a = absolute(x)
    return if_(a, "<=", w, a * a / (2 * w), a - w / 2)


def huber_slope(w, x):
    return if_(absolute(x), "<=", w, x / w, sign(x))


def width(s):
    """Of the curved bottom, as a multiple of all the way that the rates allow."""
    return s.w * total(s.lr)


def lamb(name, direction, factor=lambda d: 1):
    """Telescoped: sum_t eta_t E |grad f(x_t)|_1 against E f(x_{T+1}) in place of the smaller f*."""

    def gradient(s, x):
        G = mean_gradient(s, s.g)
        return [absolute(k) * huber_slope(width(s), y) for k, y in zip(G, x, strict=True)]

    def noise(s):
        G = mean_gradient(s, s.g)
        return [[x - c for x, c in zip(row, G, strict=True)] for row in s.g]

    def samples(s, x):
        here = gradient(s, x)
        rows = [[a + b for a, b in zip(here, row, strict=True)] for row in noise(s)]
        return list(zip(weights(s), rows, strict=True))

    def promised(s, first, last):
        steepest = 0
        for k in mean_gradient(s, s.g):
            steepest = minimum(steepest, -absolute(k))
        fall = root(s.d) * (first - last() - steepest / width(s) * dot(s.lr, s.lr) / 2)
        return fall + factor(s.d) * deviation(s, noise(s)) * total(s.lr)

    return EndToEnd(
        name,
        {"g": real("n", "d"), "weight": nonnegative("n"), "x": nonnegative("d"), "w": nonnegative()}
        | {"lr": nonnegative("T")},
        start=lambda s: [sign(k) * (width(s) + x) for k, x in zip(mean_gradient(s, s.g), s.x, strict=True)],
        steps=lambda s: len(s.lr),
        value=lambda s, x: dot([absolute(k) for k in mean_gradient(s, s.g)], [huber(width(s), y) for y in x]),
        gradient=gradient,
        samples=samples,
        move=lambda s, t, x, g: [y - s.lr[t] * r for y, r in zip(x, direction(g), strict=True)],
        measured=lambda s, t, g: s.lr[t] * norm1(g),
        promised=promised,
        assumptions=lambda s: [*possible(s), (width(s), ">", 0)],
        sizes={"d": (2, 4), "n": (2,), "T": (1, 2)},
    ).step()


whole_printed = lamb("the theorem, as printed", unit_signs)
whole_convention = lamb("the theorem, convention", full_signs)
whole_priced = lamb("the theorem, any zeros", unit_signs, lambda d: (1 + root(d)) / 2)


def lifted(instance):
    """An instance that broke step (4), as one of the whole theorem: one step, far from the curved bottom."""
    one = Fraction(1)
    rest = {"x": [0 * one] * instance["d"], "w": 1000 * one, "lr": [one], "T": 1}
    return {name: instance[name] for name in ("d", "n", "g", "weight")} | rest


def uphill(lr=1 / 16, T=400, price=1):
    """The mechanism, with the promise itself: a run that walks uphill while the theorem promises a small gradient.

    d = 4, f(x) = huber(x_0) with w = 1, start 1.5. A sample of probability 0.6 has the slope 1.667 f' and tiny entries
    elsewhere, of both signs, so that the mean stays f: its step is shared by four coordinates. The other sample has the
    slope -0.001 f' and zeros elsewhere: its step is x_0's alone, twice as long, and uphill. All points are multiples of
    1/32, exact in floats; only the probabilities are rounded. `price` is the factor of the noise: 1 as printed, 3/2 by
    the theorem with zeros.
    """
    low, p = -0.001, 0.6
    high = (1 - (1 - p) * low) / p
    sigma = 0.8176  # above sqrt(0.6 (high - 1)^2 + 0.4 (low - 1)^2) and the tiny entries' share
    assert p * (high - 1) ** 2 + (1 - p) * (low - 1) ** 2 < (sigma - 1e-4) ** 2
    return EndToEnd(
        f"the promise after {T} steps, noise times {price}",
        {},
        start=lambda s: [1.5],
        steps=lambda s: T,
        value=lambda s, x: huber(1, x[0]),
        gradient=lambda s, x: [huber_slope(1, x[0])],
        samples=lambda s, x: [(p, [high * huber_slope(1, x[0]), 2]), (1 - p, [low * huber_slope(1, x[0]), 1])],
        move=lambda s, t, x, g: [x[0] - lr * sign(g[0]) / g[1]],  # g[1]: the norm of this sample's signs
        measured=lambda s, t, g: norm1(g) / T,
        promised=lambda s, first, last: 2 * (first / (lr * T) + lr / 2) + price * sigma,
    ).step()


# Exercise: two layers of unequal size, one batch for both.
def both(s):
    return [[row[:] for row in s.g], [row[:] for row in s.other]]


def uneven_left(s):
    return total(
        (norm1(mean_gradient(s, g)) - price(g) * expected_noise(s, g)) / root(len(g[0]) + g[0][0] * 0) for g in both(s)
    )


def uneven_right(s):
    return total(
        p * dot(mean_gradient(s, g), unit_signs(row)) for g in both(s) for p, row in zip(weights(s), g, strict=True)
    )


uneven = Step(
    "(4) one step",
    {"g": real("n", "d"), "other": real("n", "e"), "weight": nonnegative("n")},
    uneven_left,
    uneven_right,
    possible,
    sizes={"d": (1,), "e": (1, 2), "n": (1, 2)},
)


# A memory, beta_2 > 0.
def squares(beta2, numbers):
    """v after these numbers, from zero."""
    v = 0
    for x in numbers:
        v = beta2 * v + (1 - beta2) * x * x
    return v


def quotient(x, y):
    """x / y, and 0 where y is zero."""
    return if_(y, "=", 0, 0, x / if_(y, "=", 0, 1, y))


def unit_direction(g, v, eps=0):
    """r / its norm with r = g / (sqrt(v) + eps)."""
    r = [quotient(x, root(y) + eps) for x, y in zip(g, v, strict=True)]
    return [quotient(x, root(square(r))) for x in r]


def forgets(s):
    return [(s.beta2, "<", 1)]


def inside(s):
    return forgets(s) + [(x, relation, end) for x in s.g for relation, end in (("<=", s.G), (">=", -s.G))]


descent = Step(
    "(1) descent",
    {"q": real("h", "h"), "x": real("h"), "move": Variable(("h",), -1, 1), "far": nonnegative()},
    lambda s: quadratic(coupled(s)[0], moved(s)),
    lambda s: (
        quadratic(coupled(s)[0], s.x)
        + dot([dot(row, s.x) for row in coupled(s)[0]], minus(moved(s), s.x))
        + s.far * s.far / 2 * total(coupled(s)[1])
    ),
    sizes=LAYERS,
)


def moved(s):
    """No layer moves farther than lr alpha_u, which is `far`."""
    return [x + s.far * e for x, e in zip(s.x, s.move, strict=True)]


def norm_of_r(name, last, assumptions=forgets):
    """|r|^2 <= d / (1 - beta_2); the columns of g are the layer's coordinates, each with its history."""
    return Step(
        name,
        {"g": real("d", "t"), "beta2": unit()},
        lambda s: total(quotient(g[-1] * g[-1], last(s, g)) for g in s.g),
        lambda s: len(s.g) / (1 - s.beta2),
        assumptions,
        sizes={"d": (1, 2), "t": (2, 3)},
    )


short = norm_of_r("(2a) norm of r", lambda s, g: squares(s.beta2, g))
short_late = norm_of_r("(2a) norm of r, v without the newest gradient", lambda s, g: squares(s.beta2, g[:-1]))


def bounded_v(name, v):
    return Step(
        name,
        {"g": real("t"), "G": nonnegative(), "beta2": unit()},
        lambda s: v(s),
        lambda s: s.G * s.G,
        inside,
        sizes={"t": (1, 2, 3)},
    )


bounded = bounded_v("(2b) v <= G^2", lambda s: squares(s.beta2, s.g))
bounded_sum = bounded_v("(2b) v <= G^2, a sum of squares", lambda s: square(s.g))
one_too_large = Step(
    "(2b) v <= G^2, one entry above G: without (A3)",
    bounded.variables,
    bounded.left,
    bounded.right,
    lambda s: inside(SimpleNamespace(g=s.g[:-1], G=s.G, beta2=s.beta2)),  # the newest entry is free
    sizes=bounded.sizes,
)


# One batch, or n, after any history: v before is a share of G^2, and G is at least as large as every entry.
def largest(s, rows):
    G = s.extra
    for x in (x for row in rows for x in row):
        G = maximum(G, absolute(x))
    return G


def v_now(s, G, g):
    return [s.beta2 * share * G * G + (1 - s.beta2) * x * x for share, x in zip(s.share, g, strict=True)]


def floor(s, G, d):
    return root((1 - s.beta2) / (G * G * d))


HISTORY = {"share": unit("d"), "extra": nonnegative(), "beta2": unit()}


def one_coordinate(s, eps=0):
    G = largest(s, [s.g])
    return -s.F[0] * unit_direction(s.g, v_now(s, G, s.g), eps)[0]


def linear(s, eps=0):
    G = largest(s, [s.g])
    lost = if_(sign(s.g[0]), "=", sign(s.F[0]), 0, absolute(s.F[0]))
    return -floor(s, G + eps, len(s.g)) * s.F[0] * s.g[0] + lost


memory_signs = Step(
    "(3) signs",
    {"F": real("d"), "g": real("d")} | HISTORY,
    one_coordinate,
    linear,
    lambda s: [*forgets(s), (largest(s, [s.g]), ">", 0)],
    sizes={"d": (1, 2)},
)
memory_signs_eps = Step(
    "(3) signs, with eps and G + eps",
    {"F": real("d"), "g": real("d"), "eps": nonnegative()} | HISTORY,
    lambda s: one_coordinate(s, s.eps),
    lambda s: linear(s, s.eps),
    lambda s: [*forgets(s), (s.eps, ">", 0)],
    sizes={"d": (1, 2)},
)
unbiased = Step(
    "(4a) unbiased",
    SAMPLES,
    lambda s: total(p * x for p, x in batches(s)) * dot(weights(s), s.g),
    lambda s: dot(weights(s), s.g) * dot(weights(s), s.g),
    possible,
    "=",
    {"n": (1, 2)},
)
wrong_sign = Step("(4b) wrong sign", SAMPLES, batch_wrong, lambda s: spread(s) / 2, possible, sizes=FEW)


def memory_gain(s):
    G, F = largest(s, s.g), mean_gradient(s, s.g)
    return floor(s, G, len(F)) * square(F) - expected_noise(s, s.g) / 2


def memory_gained(s):
    G, F = largest(s, s.g), mean_gradient(s, s.g)
    return total(p * dot(F, unit_direction(g, v_now(s, G, g))) for p, g in zip(weights(s), s.g, strict=True))


memory_step = Step(
    "(5) one step",
    {"g": real("n", "d"), "weight": nonnegative("n")} | HISTORY,
    memory_gain,
    memory_gained,
    lambda s: [*possible(s), *forgets(s), (largest(s, s.g), ">", 0)],
    sizes={"d": (1, 2), "n": (1, 2)},
)


def with_memory(name, share=1):
    """The second theorem, with rates of any schedule, and `share` of its noise: a point is x and the v that it has."""

    def where(x):
        return x[: len(x) // 2]

    def gradient(s, x):
        G = mean_gradient(s, s.g)
        return [absolute(k) * huber_slope(width(s), y) for k, y in zip(G, where(x), strict=True)]

    def noise(s):
        return [minus(row, mean_gradient(s, s.g)) for row in s.g]

    def bound(s):
        """On every entry of every sample's gradient."""
        G = 0 * s.beta2
        for row in noise(s):
            for c, k in zip(row, mean_gradient(s, s.g), strict=True):
                G = maximum(G, absolute(c) + absolute(k))
        return G

    def samples(s, x):
        return [
            (p, [a + b for a, b in zip(gradient(s, x), row, strict=True)])
            for p, row in zip(weights(s), noise(s), strict=True)
        ]

    def move(s, t, x, g):
        v = [s.beta2 * a + (1 - s.beta2) * b * b for a, b in zip(x[len(x) // 2 :], g, strict=True)]
        return [y - s.lr[t] * r for y, r in zip(where(x), unit_direction(g, v), strict=True)] + v

    def promised(s, first, last):
        G, steepest = mean_gradient(s, s.g), 0 * s.beta2
        for k in G:
            steepest = maximum(steepest, absolute(k))
        fall = first - last() + steepest / width(s) * square(s.lr) / 2
        return (fall + share * deviation(s, noise(s)) * total(s.lr) / 2) / floor(s, bound(s), len(G))

    return EndToEnd(
        name,
        {"g": real("n", "d"), "weight": nonnegative("n"), "x": nonnegative("d"), "w": nonnegative()}
        | {"lr": nonnegative("T"), "beta2": unit()},
        start=lambda s: (
            [sign(k) * (width(s) + x) for k, x in zip(mean_gradient(s, s.g), s.x, strict=True)] + [0 for _ in s.x]
        ),
        steps=lambda s: len(s.lr),
        value=lambda s, x: dot([absolute(k) for k in mean_gradient(s, s.g)], [huber(width(s), y) for y in where(x)]),
        gradient=gradient,
        samples=samples,
        move=move,
        measured=lambda s, t, g: s.lr[t] * square(g),
        promised=promised,
        assumptions=lambda s: [*possible(s), *forgets(s), (width(s), ">", 0), (bound(s), ">", 0)],
        sizes={"d": (1, 2), "n": (2,), "T": (1, 2)},
    ).step()


inserted_1, inserted_2 = inserted("(6) inserted"), inserted("(7) inserted")
first_part = [smooth, length, bend, signs_alive, signs_priced, rare_signs, lyapunov, priced]
first_part += [telescoped("(5a) telescoped"), bottom("(5b) f >= f*"), inserted_1, whole_priced]
second_part = [descent, short, bounded, memory_signs, memory_signs_eps, unbiased, wrong_sign, memory_step]
second_part += [telescoped("(6a) telescoped"), bottom("(6b) f >= f*"), inserted_2, with_memory("the theorem, a memory")]
THEOREMS = {
    "LAMB without a memory": [
        *first_part,
        signs_no_zero,
        no_zero,
        signs_convention,
        convention,
        divided,
        whole_convention,
    ],
    "LAMB with a memory, beta2 = 0.9": second_part,
    "LAMB, unequal layers": [uneven],
}
BROKEN = {
    "LAMB without a memory": [signs_printed, printed, whole_printed, cheaper, coefficient_one, signs_of_m],
    "LAMB with a memory, beta2 = 0.9": [short_late, bounded_sum, one_too_large],
}
# What broke a step is tried on the theorem first: name: (step, its instance as one of the theorem).
LIFTED = {whole_printed.name: (printed, lifted)}
