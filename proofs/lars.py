"""LARS. The two forms without momentum, and Theorem 2 of the LAMB paper, step by step and from end to end.

The adversary's loss is f(x) = pit(a.x - c): smooth, not convex, and its layers (of one weight each, in the steps about
f) see one feature together, so that L_i = L |a_i| (|a_1| + ... + |a_h|). Its phi clips to ends of its own choice. Where
a layer's gradient is zero the layer stays, in the steps as in the library.
"""

from fractions import Fraction
from itertools import product

from minilib.theory.arithmetic import absolute, dot, if_, kind, maximum, minimum, norm1, root, sign, square, total
from minilib.theory.end_to_end import EndToEnd
from minilib.theory.steps import Step, nonnegative, real, unit
from proofs.sgd import minus, pit, pit_slope


def norm(v):
    return root(square(v))


def count(size):
    """A size as an int, whatever number carries it."""
    if kind(size) == "z3":
        return size.numerator_as_long()
    return int(size.mid.a) if kind(size) == "mpmath" else int(size)


def unit_vector(v):
    """v / |v|, and zero for the zero vector."""
    length = root(if_(square(v), "=", 0, 1, square(v)))
    return [x / length for x in v]


def times(k, v):
    return [k * x for x in v]


# Two forms, one method: x and g of one layer, no momentum.
def decayed(s):
    return [g + s.decay * x for g, x in zip(s.g, s.x, strict=True)]


def step_2017(s):
    ratio = s.trust * norm(s.x) / (norm(s.g) + s.decay * norm(s.x))
    return times(s.lr * ratio, decayed(s))


def step_2020(s):
    return times(s.lr * s.trust * norm(s.x), unit_vector(decayed(s)))


def none_zero(s):
    return [(square(s.x), ">", 0), (square(s.g), ">", 0), (square(decayed(s)), ">", 0)]


FORMS = {"x": real("d"), "g": real("d"), "lr": nonnegative(), "trust": nonnegative(), "decay": nonnegative()}
SHORT = {"d": (1, 2)}
direction = Step(
    "(1a) direction",
    FORMS,
    lambda s: dot(step_2017(s), step_2020(s)),
    lambda s: norm(step_2017(s)) * norm(step_2020(s)),
    none_zero,
    "=",
    SHORT,
)


def length_2017(s):
    return s.lr * s.trust * norm(s.x) * norm(decayed(s)) / (norm(s.g) + s.decay * norm(s.x))


length = Step("(1b) length", FORMS, lambda s: norm(step_2017(s)), length_2017, none_zero, "=", SHORT)
PAIR = {"x": real("d"), "g": real("d"), "decay": nonnegative()}
triangle = Step(
    "(2) triangle inequality",
    PAIR,
    lambda s: norm(decayed(s)),
    lambda s: norm(s.g) + s.decay * norm(s.x),
    sizes=SHORT,
)


def with_momentum(s):
    """The directions of the second step, when both buffers remember the first gradient, `old`, half."""
    first = step_2017(_with(s, g=s.old))
    both = [m / 2 + v for m, v in zip(first, step_2017(s), strict=True)]
    mean = [m / 2 + v for m, v in zip(decayed(_with(s, g=s.old)), decayed(s), strict=True)]
    return both, mean


def _with(s, **changed):
    return type(s)(**vars(s) | changed)


direction_momentum = Step(
    "(1a) direction, with momentum 1/2",
    FORMS | {"old": real("d")},
    lambda s: dot(*with_momentum(s)),
    lambda s: norm(with_momentum(s)[0]) * norm(with_momentum(s)[1]),
    lambda s: [*none_zero(s), (square(s.old), ">", 0)],
    "=",
    SHORT,
)


def ratio_one(s):
    """The 2017 step as public code takes it: a ratio of 1 where a norm is zero."""
    return if_(square(s.x), "=", 0, s.lr * norm(s.g), length_2017(s))


length_of_zeros = Step(
    "(1b) length, of a layer of zeros whose ratio is 1",
    FORMS,
    ratio_one,
    length_2017,
    lambda s: [(square(s.g), ">", 0)],
    "=",
    SHORT,
)
triangle_growth = Step(
    "(2) triangle inequality, decay below zero",
    {"x": real("d"), "g": real("d"), "decay": real()},
    triangle.left,
    triangle.right,
    sizes=SHORT,
)


# Theorem 2. phi clips to [low, high]; G is a layer's gradient, g that of the batch.
def phi(s, size):
    return maximum(s.low, minimum(s.high, size))


def sizes_bounded(s):
    return [(s.low, ">", 0), (s.high, ">=", s.low)]


ENDS = {"low": nonnegative(), "high": nonnegative()}
LAYERS = {"h": (1, 2)}


def layer_L(s):
    """Valid constants: the layers push together."""
    return [s.L * absolute(a) * norm1(s.a) for a in s.a]


def alone_L(s):
    """The curvature of each layer by itself."""
    return [s.L * a * a for a in s.a]


def value(s, x):
    return pit(s.L, s.w, dot(s.a, x) - s.c)


def slopes(s, x):
    return times(pit_slope(s.L, s.w, dot(s.a, x) - s.c), s.a)


PIT = {"a": real("h"), "c": real(), "L": nonnegative(), "w": nonnegative()}


def smoothness(name, constants):
    def right(s):
        moved = minus(s.y, s.x)
        bend = total(k * u * u for k, u in zip(constants(s), moved, strict=True))
        return value(s, s.x) + dot(slopes(s, s.x), moved) + bend / 2

    return Step(name, PIT | {"x": real("h"), "y": real("h")}, lambda s: value(s, s.y), right, sizes=LAYERS)


smooth = smoothness("(1a) layerwise smoothness", layer_L)
smooth_alone = smoothness("(1a) layerwise smoothness, each L_i for its layer alone", alone_L)
step_length = Step(
    "(1b) length of the step",
    ENDS | {"g": real("d"), "size": nonnegative(), "lr": nonnegative()},
    lambda s: norm(times(s.lr * phi(s, s.size), unit_vector(s.g))),
    lambda s: s.lr * phi(s, s.size),
    sizes_bounded,
    sizes=SHORT,
)


def bends(s):
    return total(k * phi(s, size) * phi(s, size) for k, size in zip(s.L, s.size, strict=True))


upper_end = Step(
    "(1c) phi <= alpha_u",
    ENDS | {"L": nonnegative("h"), "size": nonnegative("h"), "lr": nonnegative()},
    lambda s: s.lr * s.lr / 2 * bends(s),
    lambda s: s.lr * s.lr / 2 * s.high * s.high * total(s.L),
    sizes_bounded,
    sizes=LAYERS,
)


def lost(s):
    """What a step of length 1 loses when it follows g in place of G."""
    return norm(s.G) - dot(s.G, unit_vector(s.g))


TWO = {"G": real("d"), "g": real("d")}


def split(name, memory, more):
    def left(s):
        u = [s.beta * m + (1 - s.beta) * g for m, g in zip(s.m, s.g, strict=True)] if memory else s.g
        return dot(s.G, times(-s.lr, unit_vector(u)))

    variables = TWO | {"lr": nonnegative()} | more
    return Step(name, variables, left, lambda s: -s.lr * norm(s.G) + s.lr * lost(s), relation="=", sizes=SHORT)


add_subtract = split("(2) add and subtract", False, {})
add_momentum = split("(2) add and subtract, with momentum", True, {"m": real("d"), "beta": unit()})
wrong_direction = Step("(3) normalised direction", TWO, lost, lambda s: 2 * norm(minus(s.g, s.G)), sizes={"d": (1, 2)})
wrong_direction_once = Step(
    "(3) normalised direction, without the 2", TWO, lost, lambda s: norm(minus(s.g, s.G)), sizes=SHORT
)
sharper = Step(
    "(3') what averages out",
    TWO,
    lost,
    lambda s: norm(minus(s.g, s.G)) - (norm(s.g) - norm(s.G)),
    sizes={"d": (1, 2)},
)


def weights(s):
    return [w / total(s.weight) for w in s.weight]


def possible(s):
    return [(total(s.weight), ">", 0)]


def shifts(s):
    """The noise of each sample, a row each: the adversary's numbers, less their mean."""
    centre = [dot(weights(s), column) for column in zip(*s.noise, strict=True)]
    return [minus(row, centre) for row in s.noise]


def batches(s):
    """(probability, mean of the shifts) of every batch of b samples, drawn with replacement."""
    drawn, rows = [], list(zip(weights(s), shifts(s), strict=True))
    for chosen in product(rows, repeat=count(s.b)):
        chance = 1
        for p, _ in chosen:
            chance = chance * p
        drawn.append(
            (chance, [total(column) / len(chosen) for column in zip(*(row for _, row in chosen), strict=True)])
        )
    return drawn


def deviations(s):
    """sigma_i / sqrt(b) of every layer of one weight."""
    columns = zip(*shifts(s), strict=True)
    return [root(total(p * c * c for p, c in zip(weights(s), column, strict=True)) / s.b) for column in columns]


NOISE = {"noise": real("n", "d"), "weight": nonnegative("n")}
lyapunov = Step(
    "(4a) Lyapunov",
    NOISE,
    lambda s: total(p * norm(row) for p, row in zip(weights(s), s.noise, strict=True)),
    lambda s: root(total(p * square(row) for p, row in zip(weights(s), s.noise, strict=True))),
    possible,
    sizes={"n": (1, 2), "d": (1, 2)},
)
batch_noise = Step(
    "(4b) variance",
    NOISE,
    lambda s: root(total(p * square(row) for p, row in batches(s))),
    lambda s: root(total(p * square(row) for p, row in zip(weights(s), shifts(s), strict=True)) / s.b),
    possible,
    sizes={"n": (1, 2), "d": (1, 2), "b": (1, 2)},
)
lower_end = Step(
    "(4c) phi >= alpha_l",
    ENDS | {"slope": nonnegative("h"), "size": nonnegative("h")},
    lambda s: s.low * total(s.slope),
    lambda s: total(phi(s, size) * slope for size, slope in zip(s.size, s.slope, strict=True)),
    sizes_bounded,
    sizes=LAYERS,
)


def no_lower_end(s, size):
    return minimum(s.high, size)


def theorem(name, halves=4, constants=layer_L, adapt=phi, decay=False, steps=(1, 2)):
    """eta alpha_l sum_t E sum_i |grad_i f(x_t)| against what the theorem allows, with E f(x_{T+1}) for f*.

    Its noise counts halves / 2 times.
    """

    def samples(s, x):
        here = slopes(s, x)
        return [(p, [a + b for a, b in zip(here, row, strict=True)]) for p, row in batches(s)]

    def move(s, t, x, g):
        pulled = [k + s.decay * y for k, y in zip(g, x, strict=True)] if decay else g
        return [y - s.lr * adapt(s, absolute(y)) * sign(k) for y, k in zip(x, pulled, strict=True)]

    def promised(s, first, last):
        T = count(s.T)
        noise = halves * s.lr * s.high * total(deviations(s)) / 2
        return first - last() + T * noise + T * s.lr * s.lr * s.high * s.high * total(constants(s)) / 2

    variables = PIT | ENDS | {"x": real("h"), "noise": real("n", "h"), "weight": nonnegative("n"), "lr": nonnegative()}
    return EndToEnd(
        name,
        variables | ({"decay": nonnegative()} if decay else {}),
        start=lambda s: s.x,
        steps=lambda s: count(s.T),
        value=value,
        gradient=slopes,
        samples=samples,
        move=move,
        measured=lambda s, t, g: s.lr * s.low * norm1(g),
        promised=promised,
        assumptions=lambda s: [*sizes_bounded(s), *possible(s)],
        sizes={"h": (1, 2), "n": (1, 2), "b": (1, 2), "T": steps},
    ).step()


one_step = theorem("(4d) together", steps=(1,))
whole = theorem("the theorem, from end to end", steps=(1, 2, 3))

whole_once = theorem("the theorem, its noise counted once", 2, steps=(1, 2, 3))

# From here on numbers: the values f_1, ..., f_{T+1} along a run, the slopes, and what a step may cost.
RUN = ENDS | {"first": real(), "f": real("T"), "slope": nonnegative("T"), "lr": nonnegative(), "cost": nonnegative()}


def falls(s):
    before = [s.first, *s.f[:-1]]
    chain = zip(before, s.f, s.slope, strict=True)
    return [(after, "<=", f - s.lr * (s.low * slope - s.cost)) for f, after, slope in chain]


telescope = Step(
    "(5a) telescope",
    RUN,
    lambda s: s.low * s.lr * total(s.slope),
    lambda s: s.first - s.f[-1] + s.T * s.lr * s.cost,
    falls,
    sizes={"T": (1, 2, 3)},
)
bottom = Step(
    "(5b) bottom",
    RUN | {"least": real()},
    lambda s: total(s.slope) / s.T,
    lambda s: ((s.first - s.least) / (s.T * s.lr) + s.cost) / s.low,
    lambda s: [*falls(s), (s.least, "<=", s.f[-1]), (s.lr, ">", 0), (s.low, ">", 0)],
    sizes={"T": (1, 2, 3)},
)


# And the best rate: L and sigma are the sums over the layers, T = b any positive number.
CONSTANTS = ENDS | {"Delta": nonnegative(), "L": nonnegative(), "sigma": nonnegative(), "T": nonnegative()}


def known(s):
    return [*sizes_bounded(s), (s.Delta, ">", 0), (s.L, ">", 0), (s.T, ">", 0)]


def promise(s, lr):
    noise = 2 * s.high * s.sigma / root(s.T)
    return (s.Delta / (s.T * lr) + noise + lr / 2 * s.high * s.high * s.L) / s.low


def theorem_rate(s):
    return root(2 * s.Delta / (s.high * s.high * s.L * s.T))


insert = Step(
    "(6a) insert",
    CONSTANTS,
    lambda s: promise(s, theorem_rate(s)),
    lambda s: s.high / s.low * (root(2 * s.Delta * s.L / s.T) + 2 * s.sigma / root(s.T)),
    known,
    "=",
)
no_better = Step(
    "(6b) no better rate",
    CONSTANTS | {"lr": nonnegative()},
    lambda s: promise(s, theorem_rate(s)),
    lambda s: promise(s, s.lr),
    lambda s: [*known(s), (s.lr, ">", 0)],
)
insert_forgetful = Step(
    "(6a) insert, alpha_u missing in the rate",
    CONSTANTS,
    lambda s: promise(s, s.high * theorem_rate(s)),
    insert.right,
    known,
    "=",
)


# False statements about the whole run. What breaks a step is lifted to one step of a run with b = 1 and phi = 1.
half_noise = Step(
    "(4d) what a wrong direction costs, counted half",
    {"noise": real("n", "h"), "weight": nonnegative("n"), "G": real()},
    lambda s: absolute(s.G) - total(p * s.G * sign(s.G + row[0]) for p, row in batches(s)),
    lambda s: total(deviations(s)) / 2,
    possible,
    sizes={"h": (1,), "n": (2,), "b": (1,)},
)
no_end = Step(
    "(4c) phi >= alpha_l, for a phi without a lower end",
    lower_end.variables,
    lower_end.left,
    lambda s: total(no_lower_end(s, size) * slope for size, slope in zip(s.size, s.slope, strict=True)),
    sizes_bounded,
    sizes=LAYERS,
)
whole_half = theorem("the theorem, its noise counted half", 1)
whole_alone = theorem("the theorem, each L_i for its layer alone", constants=alone_L)
whole_no_end = theorem("the theorem, phi without a lower end", adapt=no_lower_end)
ONE = Fraction(1)
QUIET = {"b": 1, "T": 1, "n": 1, "weight": [ONE], "c": 0 * ONE, "low": ONE, "high": ONE, "lr": ONE}


def lifted_noise(instance):
    """The same gradients on a slope that hardly bends, 1000 steps from the bottom."""
    far = 1000 * ONE
    G = instance["G"]
    place = {"h": 1, "a": [ONE], "x": [far if G > 0 else -far], "w": 2 * far, "L": abs(G) / far}
    return QUIET | place | {name: instance[name] for name in ("n", "weight", "noise")}


def lifted_alone(instance):
    """All layers start one step above the bottom."""
    a = instance["a"]
    w = sum(map(abs, a))
    return (
        QUIET
        | {name: instance[name] for name in ("h", "a", "L")}
        | {
            "w": w,
            "x": [ONE if k >= 0 else -ONE for k in a],
            "noise": [[0 * ONE] * len(a)],
        }
    )


def lifted_zero(instance):
    """A layer at zero, one step above the bottom, which phi keeps where it is."""
    return QUIET | {"h": 1, "a": [ONE], "x": [0 * ONE], "c": ONE, "w": ONE, "L": ONE, "noise": [[0 * ONE]]}


LIFTED = {
    whole_half.name: (half_noise, lifted_noise),
    whole_alone.name: (smooth_alone, lifted_alone),
    whole_no_end.name: (no_end, lifted_zero),
}

THEOREMS = {
    "Two forms, one method": [direction, length, triangle],
    "LARS on a smooth function": [
        smooth,
        step_length,
        upper_end,
        add_subtract,
        wrong_direction,
        sharper,
        lyapunov,
        batch_noise,
        lower_end,
        one_step,
        telescope,
        bottom,
        insert,
        no_better,
        whole,
        whole_once,
    ],
}
BROKEN = {
    "Two forms, one method": [direction_momentum, length_of_zeros, triangle_growth],
    "LARS on a smooth function": [
        smooth_alone,
        add_momentum,
        wrong_direction_once,
        insert_forgetful,
        no_end,
        half_noise,
        whole_half,
        whole_alone,
        whole_no_end,
        theorem("the theorem, with decay", decay=True),
    ],
}
