"""The variance of a mini-batch, and SGD on a smooth function, its steps and the theorems from end to end.

The adversary's problem is a pit: curvature L within w of the bottom, -L from w to 2w, flat beyond. It is smooth, not
convex, and rational, so that every number is exact. The noise is the adversary's, too, the same everywhere.
"""

from fractions import Fraction
from itertools import combinations, product

from minilib.theory.arithmetic import absolute, dot, if_, minimum, root, sign, square, total
from minilib.theory.end_to_end import EndToEnd
from minilib.theory.steps import Step, Variable, nonnegative, real


def pit(L, w, x):
    a = absolute(x)
    far = if_(a, "<=", 2 * w, L * w * w - L * (2 * w - a) * (2 * w - a) / 2, L * w * w)
    return if_(a, "<=", w, L * a * a / 2, far)


def pit_slope(L, w, x):
    a = absolute(x)
    return if_(a, "<=", w, L * x, if_(a, "<=", 2 * w, L * (2 * w - a) * sign(x), 0))


def mean(vectors):
    """The mean of a list of vectors, coordinate by coordinate."""
    return [total(column) / len(vectors) for column in zip(*vectors, strict=True)]


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def spread(vectors):
    """The mean squared distance from the mean."""
    return total(square(minus(v, mean(vectors))) for v in vectors) / len(vectors)


def pairs(vectors):
    """The gradients of all batches of two, drawn with replacement."""
    return [mean([u, v]) for u in vectors for v in vectors]


def batches(vectors, b):
    """The gradients of all batches of b, drawn with replacement."""
    return [mean(batch) for batch in product(vectors, repeat=whole_number(b))]


def subsets(vectors, b):
    """The gradients of all batches of b, drawn without replacement."""
    return [mean(batch) for batch in combinations(vectors, whole_number(b))]


def whole_number(size):
    """A size as an int, whatever kind of number it comes as."""
    if hasattr(size, "numerator_as_long"):
        return size.numerator_as_long()
    return int(size.a) if hasattr(size, "a") else int(size)


# The variance of a mini-batch.
samples = {"g": real("n", "d")}
few = {"d": (1, 2), "n": (1, 2, 3)}
with_replacement = Step(
    "with replacement",
    samples,
    lambda s: spread(batches(s.g, s.b)),
    lambda s: spread(s.g) / s.b,
    relation="=",
    sizes=few | {"b": (1, 2, 3)},
)


def without(name, share):
    return Step(
        name,
        samples,
        lambda s: spread(subsets(s.g, s.b)),
        lambda s: spread(s.g) / s.b * share(s),
        relation="=",
        sizes={"d": (1, 2), "n": (3, 4), "b": (1, 2, 3)},
    )


without_replacement = without("without replacement", lambda s: (s.n - s.b) / (s.n - 1))
as_if_with = without("without replacement, sigma^2/b all the same", lambda s: 1)
batch_of_two = Step(
    "(3b) variance of a batch of 2",
    samples,
    lambda s: spread(pairs(s.g)),
    lambda s: spread(s.g) / 2,
    relation="=",
    sizes=few,
)

# The steps of the theorem.
descent = Step(
    "(1) descent lemma",
    {"L": nonnegative(), "w": nonnegative(), "x": real(), "y": real()},
    lambda s: pit(s.L, s.w, s.y),
    lambda s: pit(s.L, s.w, s.x) + pit_slope(s.L, s.w, s.x) * (s.y - s.x) + s.L * (s.y - s.x) * (s.y - s.x) / 2,
)


def inner_products(name, drawn):
    """E <grad f, g> = |grad f|^2, over batches of two of the samples that are `drawn`."""

    def left(s):
        return total(dot(mean(s.g), g) for g in pairs(drawn(s.g))) / len(pairs(drawn(s.g)))

    return Step(name, samples, left, lambda s: square(mean(s.g)), relation="=", sizes={"d": (1, 2), "n": (2, 3)})


unbiased = inner_products("(2) unbiased", lambda g: g)
never_drawn = inner_products("(2) unbiased, one sample is never drawn", lambda g: g[:-1])
mean_square = Step(
    "(3a) mean square",
    samples,
    lambda s: total(square(g) for g in s.g) / len(s.g),
    lambda s: square(mean(s.g)) + spread(s.g),
    relation="=",
    sizes=few,
)
variance_bound = Step(
    "(3b) variance",
    samples | {"sigma2": nonnegative()},
    lambda s: spread(batches(s.g, s.b)),
    lambda s: s.sigma2 / s.b,
    lambda s: [(spread(s.g), "<=", s.sigma2)],
    sizes={"d": (1, 2), "n": (1, 2, 3), "b": (1, 2)},
)
stale_sigma = Step(
    "(3b) variance, sigma measured at the start",
    {"start": real("n", "d"), "g": real("n", "d")},
    lambda s: spread(pairs(s.g)),
    lambda s: spread(s.start) / 2,
    sizes={"d": (1, 2), "n": (2, 3)},
)


def centred(numbers):
    return [c - total(numbers) / len(numbers) for c in numbers]


def around(s):
    """The gradients of all batches at a point of the pit, numbers in lists of one."""
    return batches([[pit_slope(s.L, s.w, s.x) + c] for c in centred(s.noise)], s.b)


together = Step(
    "(4a) together",
    {"L": nonnegative(), "w": nonnegative(), "x": real(), "lr": nonnegative(), "noise": real("n")},
    lambda s: total(pit(s.L, s.w, s.x - s.lr * g) for (g,) in around(s)) / len(around(s)),
    lambda s: (
        pit(s.L, s.w, s.x)
        - s.lr * (1 - s.lr * s.L / 2) * pit_slope(s.L, s.w, s.x) * pit_slope(s.L, s.w, s.x)
        + s.L * s.lr * s.lr * square(centred(s.noise)) / s.n / (2 * s.b)
    ),
    sizes={"n": (1, 2, 3), "b": (1, 2)},
)


def short(name, assumptions=lambda s: [(s.lr * s.L, "<=", 1)]):
    """What the bracket keeps is at least half."""
    return Step(
        name,
        {"lr": nonnegative(), "L": nonnegative(), "G": real("d")},
        lambda s: s.lr / 2 * square(s.G),
        lambda s: s.lr * (1 - s.lr * s.L / 2) * square(s.G),
        assumptions,
        sizes={"d": (1, 2, 3)},
    )


short_step = short("(4b) short step")
any_rate = short("(4b) short step, any rate", lambda s: [])


def falls(s):
    """Step (4) at t = 1 ... T: f[t] is E f(x_{t+1}), slopes[t] is E |grad f(x_t)|^2."""
    before = [s.first, *s.f[:-1]]
    return [(y, "<=", x - s.lr / 2 * G + s.noise) for x, y, G in zip(before, s.f, s.slopes, strict=True)]


telescope = Step(
    "(5) telescope",
    {"first": real(), "f": real("T"), "slopes": nonnegative("T"), "lr": nonnegative(), "noise": nonnegative()},
    lambda s: s.lr / 2 * total(s.slopes),
    lambda s: s.first - s.f[-1] + s.T * s.noise,
    falls,
    sizes={"T": (1, 2, 3)},
)
bottom = Step(
    "(6) bottom",
    {"first": real(), "last": real(), "lowest": real(), "slopes": nonnegative("T")}
    | {"lr": nonnegative(), "L": nonnegative(), "sigma2": nonnegative(), "b": Variable((), 1)},
    lambda s: total(s.slopes) / s.T,
    lambda s: 2 * (s.first - s.lowest) / (s.lr * s.T) + s.lr * s.L * s.sigma2 / s.b,
    lambda s: [
        (s.lr, ">", 0),
        (s.last, ">=", s.lowest),
        (s.lr / 2 * total(s.slopes), "<=", s.first - s.last + s.T * s.L * s.lr * s.lr * s.sigma2 / (2 * s.b)),
    ],
    sizes={"T": (1, 2, 3)},
)


def promise(s):
    """2 Delta / (eta T) + eta L sigma^2 / b at the best rate; `noise` is sigma^2 / b, `fall` is 2 Delta / T."""
    rate = minimum(1 / s.L, root(s.fall / (s.L * s.noise)))
    return s.fall / rate + rate * s.L * s.noise


best_rate = Step(
    "(7) best rate",
    {"L": nonnegative(), "fall": nonnegative(), "noise": nonnegative()},
    promise,
    lambda s: s.fall * s.L + 2 * root(s.noise * s.fall * s.L),
    lambda s: [(s.L, ">", 0), (s.noise, ">", 0), (s.fall, ">", 0)],
)
root_misplaced = Step(
    "(7) best rate, the root in the wrong place",
    best_rate.variables,
    best_rate.left,
    lambda s: s.fall * s.L + 2 * s.noise * root(s.fall * s.L),
    best_rate.assumptions,
)


# The theorems from end to end.
def weights(s):
    return [w / total(s.weight) for w in s.weight]


def shifts(s):
    """The noise of each sample: the adversary's numbers, less their mean."""
    centre = dot(weights(s), s.noise)
    return [c - centre for c in s.noise]


def variance(s):
    return total(p * c * c for p, c in zip(weights(s), shifts(s), strict=True))


def sgd(name, share=1, longest=1):
    """The theorem with learning rates of any schedule; `share` of its noise term, rates up to longest / L."""
    return EndToEnd(
        name,
        {"L": nonnegative(), "w": nonnegative(), "x": real(), "lr": nonnegative("T")}
        | {"noise": real("n"), "weight": nonnegative("n")},
        start=lambda s: [s.x],
        steps=lambda s: len(s.lr),
        value=lambda s, x: pit(s.L, s.w, x[0]),
        gradient=lambda s, x: [pit_slope(s.L, s.w, x[0])],
        samples=lambda s, x: [(p, [pit_slope(s.L, s.w, x[0]) + c]) for p, c in zip(weights(s), shifts(s), strict=True)],
        move=lambda s, t, x, g: [x[0] - s.lr[t] * g[0]],
        measured=lambda s, t, g: s.lr[t] * square(g),
        promised=lambda s, first, last: 2 * first + share * s.L * variance(s) * square(s.lr),
        assumptions=lambda s: [(total(s.weight), ">", 0)] + [(s.L * lr, "<=", longest) for lr in s.lr],
        sizes={"n": (1, 2, 3), "T": (1, 2, 3, 4)},
    ).step()


def constant_rate(name, promised, rates):
    """The average squared gradient of T steps at one rate with batches of b; the pit's bottom is 0."""

    def moves(s, x):
        at = batches([[pit_slope(s.L, s.w, x[0]) + c] for c in centred(s.noise)], s.b)
        return [(Fraction(1, len(at)), g) for g in at]

    def bound(s, first, last):
        return promised(s, first, square(centred(s.noise)) / s.n)

    return EndToEnd(
        name,
        {"L": nonnegative(), "w": nonnegative(), "x": real(), "lr": nonnegative(), "noise": real("n")},
        start=lambda s: [s.x],
        steps=lambda s: whole_number(s.T),
        value=lambda s, x: pit(s.L, s.w, x[0]),
        gradient=lambda s, x: [pit_slope(s.L, s.w, x[0])],
        samples=moves,
        move=lambda s, t, x, g: [x[0] - s.lr * g[0]],
        measured=lambda s, t, g: square(g) / s.T,
        promised=bound,
        assumptions=lambda s: [(s.lr, ">", 0), *rates(s)],
        sizes={"n": (1, 2, 3), "b": (1, 2), "T": (1, 2, 3)},
    ).step()


def printed_bound(s, fall, sigma2):
    return 2 * fall / (s.lr * s.T) + s.lr * s.L * sigma2 / s.b


def sharper_bound(s, fall, sigma2):
    return (fall / (s.lr * s.T) + s.lr * s.L * sigma2 / (2 * s.b)) / (1 - s.lr * s.L / 2)


def to_the_edge(s):
    return [(s.lr * s.L, "<", 2)]


whole = sgd("the theorem, any schedule")
printed = constant_rate("the theorem, one rate, batches of b", printed_bound, lambda s: [(s.lr * s.L, "<=", 1)])
sharper = constant_rate("the theorem up to 2/L", sharper_bound, to_the_edge)
too_long = constant_rate("the theorem, rates up to 2/L", printed_bound, to_the_edge)
half_noise = constant_rate(
    "the theorem, half the noise term",
    lambda s, fall, sigma2: printed_bound(s, fall, sigma2 / 2),
    lambda s: [(s.lr * s.L, "<=", 1)],
)
ratio = Step(
    "ratio of the bounds",
    {name: nonnegative() for name in ("fall", "lr", "L", "sigma2")},
    lambda s: sharper_bound(s, s.fall, s.sigma2) * (2 - s.lr * s.L),
    lambda s: printed_bound(s, s.fall, s.sigma2),
    lambda s: [(s.lr, ">", 0), *to_the_edge(s)],
    relation="=",
    sizes={"T": (1, 10), "b": (1, 2)},
)

SMOOTH = [descent, unbiased, mean_square, variance_bound, together, short_step, telescope, bottom, best_rate]
THEOREMS = {
    "variance of a mini-batch": [with_replacement, without_replacement],
    "SGD on a smooth function": [*SMOOTH, printed, whole],
    "SGD up to the edge": [sharper, ratio],
}
BROKEN = {
    "variance of a mini-batch": [as_if_with],
    "SGD on a smooth function": [never_drawn, stale_sigma, any_rate, root_misplaced, too_long, half_noise],
}
