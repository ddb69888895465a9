"""CAME's missing correction is a schedule.

u[t] is the matrix of squared deviations (U_t + eps_2) of step t, n x k; m is the numerator of the last step.
"""

from minilib.theory.arithmetic import root, square, total
from minilib.theory.steps import Step, Variable, nonnegative, real, unit

SIZES = {"t": (1, 2), "n": (1, 2), "k": (1, 2)}
RUN = {"beta3": unit(), "u": nonnegative("t", "n", "k")}


def power(x, k):
    result = 1
    for _ in range(k):
        result = result * x
    return result


def average(beta3, inputs, begin=0):
    value = begin
    for x in inputs:
        value = beta3 * value + (1 - beta3) * x
    return value


def rows(s, begin=0):
    return [average(s.beta3, [total(u[i]) / len(u[i]) for u in s.u], begin) for i in range(len(s.u[0]))]


def columns(s, begin=0):
    return [average(s.beta3, [total(row[j] for row in u) / len(u) for u in s.u], begin) for j in range(len(s.u[0][0]))]


def weighted(s):
    """The corrected average of the first row: a mean whose weights sum to 1."""
    t = len(s.u)
    parts = [power(s.beta3, t - 1 - k) * total(u[0]) / len(u[0]) for k, u in enumerate(s.u)]
    return total(parts) * (1 - s.beta3) / correction(s)


def instability(R, C, divisor=1):
    """The entry in the first row and column of S, from averages that are divided first."""
    return (R[0] / divisor) * (C[0] / divisor) / (total(R) / divisor / len(R))


def correction(s):
    return 1 - power(s.beta3, len(s.u))


def alive(s):
    """beta_3 < 1, and some row's average is not zero: with eps_2 > 0 every one is positive."""
    return [(s.beta3, "<", 1), (total(rows(s)), ">", 0)]


def entry_alive(s):
    return [*alive(s), (rows(s)[0], ">", 0), (columns(s)[0], ">", 0)]


averages = Step(
    "(1) averages",
    RUN,
    lambda s: rows(s)[0],
    lambda s: correction(s) * weighted(s),
    alive,
    "=",
    SIZES,
)
homogeneous = Step(
    "(2) homogeneous",
    RUN,
    lambda s: instability(rows(s), columns(s)),
    lambda s: correction(s) * instability(rows(s), columns(s), correction(s)),
    alive,
    "=",
    SIZES,
)
matrices = Step(
    "(3) matrices",
    RUN | {"m": real(), "lr": nonnegative()},
    lambda s: square([s.lr * s.m]) / instability(rows(s), columns(s)),
    lambda s: square([s.lr * s.m]) / correction(s) / instability(rows(s), columns(s), correction(s)),
    entry_alive,
    "=",
    SIZES,
)
from_one = Step(
    "(2) homogeneous, averages that begin at one",
    RUN,
    lambda s: instability(rows(s, 1), columns(s, 1)),
    lambda s: correction(s) * instability(rows(s, 1), columns(s, 1), correction(s) * correction(s)),
    entry_alive,
    "=",
    SIZES,
)
on_vectors = Step(
    "(4) vectors on the schedule, too",
    {"beta3": Variable((), 0, 1), "m": real(), "lr": nonnegative()},
    lambda s: s.lr * s.m,
    lambda s: s.lr / root(1 - s.beta3) * s.m,
    lambda s: [(s.beta3, "<", 1)],
    "=",
)

THEOREMS = {"Proposition: CAME's hidden schedule": [averages, homogeneous, matrices]}
BROKEN = {"Proposition: CAME's hidden schedule": [from_one, on_vectors]}
EXEMPT = {
    "Proposition: CAME's hidden schedule": {"(4) vectors": "the two programs are compared where the rule is the same"}
}
