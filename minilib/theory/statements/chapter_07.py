"""Chapter 7: LAMB without a memory. Its steps as they were first printed, and repaired in three ways.

One layer of d weights, phi = 1, and n samples with probabilities. The step is r/||r|| with r = sign(g). As printed the
norm of r was taken to be sqrt(d), which is wrong where an entry of a batch's gradient is zero. The repairs:

    no zero       assume that no entry of a batch's gradient is zero
    convention    let sign(0) be 1: another method, and no assumption
    price         the method as it runs, and no assumption: the noise counts (1 + sqrt(d/k))/2 times, where k is the
                  least number of entries that are not zero in a gradient that does not vanish. k = d: factor 1.
"""

from fractions import Fraction

from minilib.theory.arithmetic import absolute, dot, if_, minimum, norm1, root, sign, total
from minilib.theory.steps import Step, nonnegative, real
from minilib.theory.whole import EndToEnd

SMALL = {"d": (1, 2, 4), "n": (1, 2)}


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


# Step 2: <G, r/|r|> = sum_j |G_j| (1 - 2 [wrong sign]) / sqrt(d), for one batch.
def signs(name, direction=unit_signs, assumptions=lambda s: [], convention=sign):
    def right(s):
        agree = [if_(convention(x), "=", sign(y), absolute(y), -absolute(y)) for x, y in zip(s.g, s.G, strict=True)]
        return total(agree) / root(s.d)

    variables = {"G": real("d"), "g": real("d")}
    return Step(name, variables, lambda s: dot(s.G, direction(s.g)), right, assumptions, "=", {"d": (1, 2, 3)})


signs_printed = signs("(2) signs, as printed")
signs_no_zero = signs("(2) signs, no zero", assumptions=lambda s: [(x, "!=", 0) for x in s.g])
signs_convention = signs("(2) signs, convention", full_signs, convention=lambda x: if_(x, ">=", 0, 1, -1))


# Step 3, one coordinate: |G| (P(wrong) + P(zero)/2) <= E |g - G| / 2. A zero counts half, here as in the price.
def rare(s):
    G = dot(weights(s), s.g)
    half = Fraction(1, 2)
    counts = [if_(x, "=", 0, half, if_(sign(x), "=", sign(G), 0, 1)) for x in s.g]
    return absolute(G) * total(p * c for p, c in zip(weights(s), counts, strict=True))


def half_noise(s):
    return expected_noise(s, [[x] for x in s.g]) / 2


rare_signs = Step(
    "(3a) wrong signs are rare, zeros count half",
    {"g": real("n"), "weight": nonnegative("n")},
    rare,
    half_noise,
    possible,
    sizes={"n": (1, 2, 3)},
)


# Step 4 with E |g - G| for sigma: what one step gains, for a loss without curvature.
def one_step(name, direction=unit_signs, price=lambda g: 1, assumptions=possible):
    def left(s):
        return (norm1(mean_gradient(s, s.g)) - price(s.g) * expected_noise(s, s.g)) / root(s.d)

    def gained(s):
        G = mean_gradient(s, s.g)
        return total(p * dot(G, direction(g)) for p, g in zip(weights(s), s.g, strict=True))

    variables = {"g": real("n", "d"), "weight": nonnegative("n")}
    return Step(name, variables, left, gained, assumptions, sizes=SMALL)


def price(gradients):
    d = len(gradients[0]) + gradients[0][0] * 0
    return (1 + root(d / fewest_alive(gradients))) / 2


printed = one_step("(4) one step, as printed")
no_zero = one_step("(4) one step, no zero", assumptions=lambda s: possible(s) + nothing_dead(s))
convention = one_step("(4) one step, convention", full_signs)
priced = one_step("(4) one step, price", price=price)


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
whole_priced = lamb("the theorem, price (1 + sqrt(d))/2", unit_signs, lambda d: (1 + root(d)) / 2)


def lifted(instance):
    """An instance that broke step (4), as one of the whole theorem: one step, far from the curved bottom."""
    one = Fraction(1)
    rest = {"x": [0 * one] * instance["d"], "w": 1000 * one, "lr": [one], "T": 1}
    return {name: instance[name] for name in ("d", "n", "g", "weight")} | rest


def uphill(lr=1 / 16, T=400):
    """The mechanism, with the promise itself: a run that walks uphill while the theorem promises a small gradient.

    d = 4, f(x) = huber(x_0) with w = 1, start 1.5. A sample of probability 0.6 has the slope 1.667 f' and tiny entries
    elsewhere, of both signs, so that the mean stays f: its step is shared by four coordinates. The other sample has the
    slope -0.001 f' and zeros elsewhere: its step is x_0's alone, twice as long, and uphill. All points are multiples of
    1/32, exact in floats; only the probabilities are rounded.
    """
    low, p = -0.001, 0.6
    high = (1 - (1 - p) * low) / p
    sigma = 0.8176  # above sqrt(0.6 (high - 1)^2 + 0.4 (low - 1)^2) and the tiny entries' share
    assert p * (high - 1) ** 2 + (1 - p) * (low - 1) ** 2 < (sigma - 1e-4) ** 2
    return EndToEnd(
        f"the promise after {T} steps, as printed",
        {},
        start=lambda s: [1.5],
        steps=lambda s: T,
        value=lambda s, x: huber(1, x[0]),
        gradient=lambda s, x: [huber_slope(1, x[0])],
        samples=lambda s, x: [(p, [high * huber_slope(1, x[0]), 2]), (1 - p, [low * huber_slope(1, x[0]), 1])],
        move=lambda s, t, x, g: [x[0] - lr * sign(g[0]) / g[1]],  # g[1]: the norm of this sample's signs
        measured=lambda s, t, g: norm1(g) / T,
        promised=lambda s, first, last: 2 * (first / (lr * T) + lr / 2) + sigma,
    ).step()


THEOREMS = {
    "LAMB without a memory": [
        signs_no_zero,
        signs_convention,
        rare_signs,
        no_zero,
        convention,
        priced,
        whole_convention,
        whole_priced,
    ]
}
BROKEN = {"LAMB without a memory": [signs_printed, printed, whole_printed]}
# What broke a step is tried on the theorem first: name: (step, its instance as one of the theorem).
LIFTED = {whole_printed.name: (printed, lifted)}
