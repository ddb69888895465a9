"""When factored state is smaller, what recomputation in segments holds, what ZeRO leaves on a device.

Numbers of rows, parameters and devices are real numbers here wherever the proof allows it. A share ceil(d / N) is
written with quotient and remainder, d = N q + rest, because a proof uses no more of it. The schedule of recomputation
is played on equal blocks whose bytes are the adversary's. Absent on purpose: tensors; those are counted in the chapter.
"""

from fractions import Fraction

from minilib.theory.arithmetic import if_, kind, maximum, minimum, root, total
from minilib.theory.steps import Step, nonnegative, real

sides = {"n": real(), "m": real()}


def at_least_two(s):
    return [(s.n, ">=", 2), (s.m, ">=", 2)]


def came(s):
    return s.n * s.m + 2 * (s.n + s.m)


complete = Step(
    "(1) complete the product",
    sides,
    lambda s: s.n * s.m - (s.n + s.m),
    lambda s: (s.n - 1) * (s.m - 1) - 1,
    relation="=",
)


def smaller(name, assumptions):
    return Step(name, sides, lambda s: s.n + s.m, lambda s: s.n * s.m, assumptions)


factored = smaller("(2) n + m <= nm", at_least_two)
single_row = smaller("(2) n + m <= nm, a single row", lambda s: [(s.n, ">=", 1), (s.m, ">=", 1)])
share = Step(
    "(3) share",
    sides,
    lambda s: (s.n + s.m) / (s.n * s.m),
    lambda s: 2 / minimum(s.n, s.m),
    at_least_two,
)


def came_below_adam(name, assumptions):
    return Step(name, sides, came, lambda s: 2 * s.n * s.m, assumptions)


pays = came_below_adam("(4) CAME <= Adam", lambda s: [(s.n, ">=", 1), (s.m, ">=", 1), ((s.n - 2) * (s.m - 2), ">=", 4)])
only_then = Step(
    "(4) and only then",
    sides,
    lambda s: (s.n - 2) * (s.m - 2),
    lambda s: 4 + 0 * s.n,
    lambda s: [(s.n, ">=", 1), (s.m, ">=", 1), (came(s), ">=", 2 * s.n * s.m)],
)
always = came_below_adam("(4) CAME <= Adam, any matrix", at_least_two)


# Recomputation: `length` blocks in each of `k` segments. A block saves A bytes, of which C are its input.
def count(size) -> int:
    """A size as an int: attacks hand it over as a fraction or an interval, decisions as a term."""
    return {"z3": lambda: size.as_long(), "mpmath": lambda: round(float(size.mid))}.get(kind(size), lambda: int(size))()


def peak(saved, inputs):
    """The most that is held; `saved[i]` are the bytes of segment i's blocks, `inputs[i]` those of its input."""
    kept = most = 0 * inputs[0]
    for size in inputs:  # forward
        kept = kept + size
        most = maximum(most, kept)
    for blocks, size in zip(reversed(saved), reversed(inputs), strict=True):  # backward
        most = maximum(most, kept - size + total(blocks))
        kept = kept - size
    return most


def equal_blocks(s):
    k, length = count(s.k), count(s.length)
    return peak([[s.A] * length] * k, [s.C] * k)


SEGMENTS = {"k": (1, 2, 3), "length": (1, 2, 3)}


def segments(name, assumptions):
    return Step(
        name,
        {"A": nonnegative(), "C": nonnegative()},
        equal_blocks,
        lambda s: (count(s.k) - 1) * s.C + count(s.length) * s.A,
        assumptions,
        "=",
        SEGMENTS,
    )


played = segments("(1) peak", lambda s: [(s.C, "<=", s.A)])
large_inputs = segments("(1) peak, inputs larger than what a block saves", lambda s: [])
uneven = Step(
    "(1) peak, unequal blocks, by their mean",
    {"saved": nonnegative("k"), "C": nonnegative()},
    lambda s: peak([[x] for x in s.saved], [s.C] * len(s.saved)),
    lambda s: (len(s.saved) - 1) * s.C + total(s.saved) / len(s.saved),
    lambda s: [(s.C, "<=", x) for x in s.saved],
    "=",
    {"k": (2, 3)},
)
two_means = Step(
    "(2) two means",
    {"L": nonnegative(), "A": nonnegative(), "C": nonnegative(), "k": nonnegative()},
    lambda s: 2 * root(s.L * s.A * s.C) - s.C,
    lambda s: (s.k - 1) * s.C + s.L / s.k * s.A,
    lambda s: [(s.k, ">", 0)],
)

# ZeRO: d = N q + rest numbers; a parameter weighs p bytes, its gradient g, master weight and state w.
zero = {"N": real(), "q": nonnegative(), "rest": nonnegative()}


def numbers(s):
    return s.N * s.q + s.rest


def one_share(s):
    """ceil(d / N)"""
    return s.q + if_(s.rest, ">", 0, 1 + 0 * s.q, 0 * s.q)


def cut(s):
    """What a proof uses of whole numbers: at least one device, and a rest of 0 or of 1 ... N - 1."""
    return [(s.N, ">=", 1), (s.rest, "<", s.N), (s.rest * (s.rest - 1), ">=", 0)]


nothing_lost = Step("(1) nothing is lost", zero, numbers, lambda s: s.N * one_share(s), cut)


def held(s, shared, whole):
    """`shared` bytes of each number are cut into shares, `whole` bytes are not."""
    return whole * numbers(s) + shared * one_share(s)


little_added = Step(
    "(2) little is added",
    zero | {"shared": nonnegative(), "whole": nonnegative()},
    lambda s: held(s, s.shared, s.whole),
    lambda s: s.whole * numbers(s) + s.shared * (numbers(s) / s.N + 1),
    cut,
)
order = Step(
    "(3) order",
    zero | {"shared": nonnegative(), "whole": nonnegative(), "more": nonnegative()},
    lambda s: held(s, s.shared + s.more, s.whole),
    lambda s: held(s, s.shared, s.whole + s.more),
    cut,
)
weighs = {"p": nonnegative(), "g": nonnegative(), "w": nonnegative()}


def stage_one(name, factor, assumptions):
    return Step(
        name,
        zero | weighs,
        lambda s: (s.p + s.g + s.w) * numbers(s),
        lambda s: factor(s) * held(s, s.w, s.p + s.g),
        assumptions,
    )


limit = stage_one(
    "(4) limit of stage 1",
    lambda s: (s.p + s.g + s.w) / (s.p + s.g),
    lambda s: [*cut(s), (s.p + s.g, ">", 0)],
)
halves = stage_one("stage 1 at most halves the bytes", lambda s: 2, lambda s: [*cut(s), (s.p + s.g, ">", 0)])
whole_tensors = Step(
    "(2) little is added, whole tensors for two devices",
    {"sizes": nonnegative("t")},
    lambda s: greedy(s.sizes),
    lambda s: total(s.sizes) / 2 + 1,
    sizes={"t": (1, 2, 3)},
)


def greedy(sizes):
    """The fuller of two devices, where each tensor goes to the one that has less."""
    a = b = 0 * sizes[0]
    for size in sizes:
        a, b = if_(a, "<=", b, a + size, a), if_(a, "<=", b, b, b + size)
    return maximum(a, b)


# What CAME saves of Adam: r bytes beside the state, u bytes for a number of state, and whatever else is held.
def quarter(name, most, assumptions):
    return Step(
        name,
        {"r": nonnegative(), "u": nonnegative(), "factors": nonnegative(), "else_held": nonnegative()},
        lambda s: s.u * (1 - s.factors),
        lambda s: most * (s.r + 2 * s.u + s.else_held),
        assumptions,
    )


a_quarter = quarter("a quarter, r at least 2u", Fraction(1, 4), lambda s: [(s.r, ">=", 2 * s.u)])
a_third = quarter("a third, r at least u", Fraction(1, 3), lambda s: [(s.r, ">=", s.u)])
as_printed = quarter("a quarter, any precision", Fraction(1, 4), lambda s: [(s.r, ">=", s.u)])

THEOREMS = {
    "Proposition: factored state": [complete, factored, share, pays, only_then],
    "Proposition: segments": [played, two_means],
    "Proposition: ZeRO": [nothing_lost, little_added, order, limit],
    "What CAME can save": [a_quarter, a_third],
}
BROKEN = {
    "Proposition: factored state": [single_row, always],
    "Proposition: segments": [large_inputs, uneven],
    "Proposition: ZeRO": [halves, whole_tensors],
    "What CAME can save": [as_printed],
}
EXEMPT = {
    "Proposition: segments": {"(3) price": "counts how often a schedule runs its blocks: whole numbers, no bound."}
}
