"""Chapter 2: SGD on a smooth function. The steps of its proof, and the theorem from end to end.

The adversary's problem is a pit: curvature L within w of the bottom, -L from w to 2w, flat beyond. It is smooth, not
convex, and rational, so that every number is exact.
"""

from minilib.theory.arithmetic import absolute, dot, if_, minimum, root, sign, square, total
from minilib.theory.steps import Step, nonnegative, real
from minilib.theory.whole import EndToEnd


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


descent = Step(
    "(1) descent lemma, in a pit",
    {"L": nonnegative(), "w": nonnegative(), "x": real(), "y": real()},
    lambda s: pit(s.L, s.w, s.y),
    lambda s: pit(s.L, s.w, s.x) + pit_slope(s.L, s.w, s.x) * (s.y - s.x) + s.L * (s.y - s.x) * (s.y - s.x) / 2,
)
samples = {"g": real("n", "d")}
few = {"d": (1, 2), "n": (1, 2, 3)}
mean_square = Step(
    "(3a) mean square",
    samples,
    lambda s: total(square(g) for g in s.g) / len(s.g),
    lambda s: square(mean(s.g)) + spread(s.g),
    relation="=",
    sizes=few,
)
batch_of_two = Step(
    "(3b) variance of a batch of 2",
    samples,
    lambda s: spread(pairs(s.g)),
    lambda s: spread(s.g) / 2,
    relation="=",
    sizes=few,
)
short_step = Step(
    "(4b) short step",
    {"lr": nonnegative(), "L": nonnegative(), "G": real("d")},
    lambda s: -s.lr * (1 - s.lr * s.L / 2) * square(s.G),
    lambda s: -s.lr / 2 * square(s.G),
    lambda s: [(s.lr * s.L, "<=", 1)],
    sizes={"d": (1, 2, 3)},
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


whole = sgd("the theorem, any schedule")
THEOREMS = {"SGD on a smooth function": [descent, mean_square, batch_of_two, short_step, best_rate, whole]}
BROKEN = {}
