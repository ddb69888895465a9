"""The factored second moment, averages with a moving factor, and the length of Adafactor's steps.

V is a matrix of squares, r its row sums, c its column sums, S the sum of all. Logarithms are taken away: in Pythagoras
they are any numbers that are a number for the row plus a number for the column, and log x <= x - 1 is attacked as
Bernoulli's inequality m (y - 1) <= y^m - 1 for x = y^m, whose left side falls to log x as m grows.
"""

from fractions import Fraction
from itertools import pairwise

from minilib.theory.arithmetic import dot, maximum, root, total
from minilib.theory.steps import Step, nonnegative, real, unit
from proofs.toolbox import power

MATRIX = {"n": (1, 2), "m": (1, 2)}
V = {"V": nonnegative("n", "m")}


def rows(V):
    return [total(row) for row in V]


def columns(V):
    return [total(column) for column in zip(*V, strict=True)]


def star(V):
    """W* = r c / S."""
    S = total(rows(V))
    return [[a * b / S for b in columns(V)] for a in rows(V)]


def entries(A):
    return [x for row in A for x in row]


def alive(s):
    """Not everything is zero."""
    return [(total(rows(s.V)), ">", 0)]


def full(s):
    """(F1): no row and no column is zero."""
    return [(x, ">", 0) for x in (*rows(s.V), *columns(s.V))]


def about(name, left, right, assumptions=full, relation="=", **more):
    return Step(name, V | more, left, right, assumptions, relation, MATRIX)


def moving(factors, y):
    """v_T = beta_T v_{T-1} + (1 - beta_T) y_T, from zero."""
    v = 0
    for beta, x in zip(factors, y, strict=True):
        v = beta * v + (1 - beta) * x
    return v


def average(beta, y):
    return moving([beta] * len(y), y)


# Sums commute with the moving average.
HISTORY = {"g2": nonnegative("T", "n", "m"), "beta": unit()}


def averaged(s):
    """v_T, entry by entry."""
    n, m = len(s.g2[0]), len(s.g2[0][0])
    return [[average(s.beta, [g2[i][j] for g2 in s.g2]) for j in range(m)] for i in range(n)]


def carried_rows(s):
    """The moving averages of the row means."""
    m = len(s.g2[0][0])
    return [average(s.beta, [total(g2[i]) / m for g2 in s.g2]) for i in range(len(s.g2[0]))]


def carried_columns(s):
    n = len(s.g2[0])
    means = [[x / n for x in columns(g2)] for g2 in s.g2]
    return [average(s.beta, [mean[j] for mean in means]) for j in range(len(s.g2[0][0]))]


def commutes(name, left, right, assumptions=lambda s: []):
    return Step(name, HISTORY, left, right, assumptions, "=", {"T": (1, 2), "n": (1, 2), "m": (1, 2)})


row_sums_carried = commutes("row sums", lambda s: carried_rows(s)[0] * s.m, lambda s: rows(averaged(s))[0])
column_sums_carried = commutes("column sums", lambda s: carried_columns(s)[0] * s.n, lambda s: columns(averaged(s))[0])


def product(s):
    """One entry of the product of the carried means."""
    R = carried_rows(s)
    return R[0] * carried_columns(s)[-1] / (total(R) / len(R))


product_carried = commutes(
    "their product",
    product,
    lambda s: star(averaged(s))[0][-1],
    lambda s: [(total(rows(averaged(s))), ">", 0)],
)
product_averaged = commutes(
    "average of the products",
    lambda s: star(averaged(s))[0][-1],
    lambda s: average(s.beta, [star(g2)[0][-1] for g2 in s.g2]),
    lambda s: [(total(rows(g2)), ">", 0) for g2 in s.g2] + [(s.beta, "<", 1)],
)

# The best factors.
bernoulli = Step(
    "(1) log x <= x - 1",
    {"y": nonnegative(), "exponent": real("k")},
    lambda s: s.k * (s.y - 1),
    lambda s: power(s.y, len(s.exponent)) - 1,
    sizes={"k": (1, 2, 3, 4)},
)
same_rows = about("(2a) row sums", lambda s: rows(star(s.V))[0], lambda s: rows(s.V)[0], alive)
same_columns = about("(2b) column sums", lambda s: columns(star(s.V))[0], lambda s: columns(s.V)[0], alive)
LOGARITHMS = {"alpha": real("n"), "beta": real("m")}


def of_rank_one(s):
    """log(W* / W): a number for the row plus a number for the column."""
    return [a + b for a in s.alpha for b in s.beta]


splits = about(
    "(3) splits",
    lambda s: dot(entries(s.V), of_rank_one(s)),
    lambda s: dot(entries(star(s.V)), of_rank_one(s)),
    alive,
    **LOGARITHMS,
)


def pythagoras_left(s):
    """D(V || W) with log(V / W) = log(V / W*) + log(W* / W)."""
    logs = [a + b for a, b in zip(entries(s.logs), of_rank_one(s), strict=True)]
    return dot(entries(s.V), logs) - total(entries(s.V)) + total(entries(s.W))


def pythagoras_right(s):
    """D(V || W*) + D(W* || W)."""
    W_star = entries(star(s.V))
    lost = dot(entries(s.V), entries(s.logs)) - total(entries(s.V)) + total(W_star)
    return lost + dot(W_star, of_rank_one(s)) - total(W_star) + total(entries(s.W))


pythagoras = about(
    "(4) Pythagoras",
    pythagoras_left,
    pythagoras_right,
    alive,
    logs=real("n", "m"),
    W=nonnegative("n", "m"),
    **LOGARITHMS,
)
splits_any = about(
    "(3) splits, W of any rank",
    lambda s: dot(entries(s.V), entries(s.logs)),
    lambda s: dot(entries(star(s.V)), entries(s.logs)),
    logs=real("n", "m"),
)


# Averages with a moving factor.
def weights(factors):
    """w_i = (1 - beta_i) times the product of all later factors."""
    result, P = [], 1
    for beta in reversed(factors):
        result = [(1 - beta) * P, *result]
        P = P * beta
    return result


FACTORS = {"beta": unit("T")}
STEPS = {"T": (1, 2, 3)}


def first_is_zero(s):
    return [(s.beta[0], "<=", 0)]


unrolled = Step(
    "(1) unrolled",
    FACTORS | {"y": nonnegative("T")},
    lambda s: moving(s.beta, s.y),
    lambda s: dot(weights(s.beta), s.y),
    relation="=",
    sizes=STEPS,
)
sum_to_one = Step(
    "(2) weights sum to 1", FACTORS, lambda s: total(weights(s.beta)), lambda s: 1, first_is_zero, "=", STEPS
)
sum_any = Step(
    "(2) weights sum to 1, any first factor", FACTORS, sum_to_one.left, lambda s: 1, relation="=", sizes=STEPS
)


def survives(s):
    """The product of 1 - x_j, times (1 + sum of x_j / k)^k, which grows to exp(sum of x_j)."""
    left = 1
    for x in s.x:
        left = left * (1 - x)
    return left * power(1 + total(s.x) / s.k, len(s.exponent))


below_exp = Step(
    "(3a) 1 - x <= exp(-x)",
    {"x": unit("T"), "exponent": real("k")},
    survives,
    lambda s: 1,
    sizes={"T": (1, 2), "k": (1, 2, 3)},
)
plain_average = Step(
    "(5) the plain average",
    {"y": nonnegative("T")},
    lambda s: moving([1 - Fraction(1, t + 1) for t in range(len(s.y))], s.y),
    lambda s: total(s.y) / len(s.y),
    relation="=",
    sizes={"T": (1, 2, 3, 4)},
)


def adam_factors(beta, T):
    return [beta * (1 - power(beta, t - 1)) / (1 - power(beta, t)) for t in range(1, T + 1)]


adams = Step(
    "(6) Adam's weights",
    {"y": nonnegative("T"), "b": unit()},
    lambda s: moving(adam_factors(s.b, len(s.y)), s.y),
    lambda s: average(s.b, s.y) / (1 - power(s.b, len(s.y))),
    lambda s: [(s.b, "<", 1)],
    "=",
    STEPS,
)


# How long a step is.
def mean_square(v):
    return total(x * x for x in v) / len(v)


STEP = {"u": real("k"), "x": real("k"), "rho": nonnegative(), "eps2": nonnegative(), "d": nonnegative()}


def allowed(s):
    """d rho max(eps_2, RMS(x))."""
    return s.d * s.rho * maximum(s.eps2, root(mean_square(s.x)))


def moved(s, clip):
    """The RMS of the step, u being the direction before the clip."""
    alpha = s.rho * maximum(s.eps2, root(mean_square(s.x)))
    return alpha * root(mean_square(s.u)) / (maximum(1, root(mean_square(s.u)) / s.d) if clip else 1)


def clip_positive(s):
    return [(s.d, ">", 0)]


def step_length(name, clip=True):
    return Step(name, STEP, lambda s: moved(s, clip), allowed, clip_positive, sizes={"k": (1, 2)})


length = step_length("length of a step")
length_unclipped = step_length("length of a step, without the clip", clip=False)
# A run from x_0 with steps of at most d rho_t max(eps_2, RMS(x_t)), one weight: |x_T - x_0| against their sum.
WALK = {"x": real("T"), "last": real(), "rho": nonnegative("T"), "eps2": nonnegative(), "d": nonnegative()}


def size(x):
    return maximum(x, -x)


def each_step(s):
    return [s.d * rho * maximum(s.eps2, size(x)) for rho, x in zip(s.rho, s.x, strict=True)]


def walks(s):
    path = [*s.x, s.last]
    return [(size(b - a), "<=", most) for (a, b), most in zip(pairwise(path), each_step(s), strict=True)]


def from_the_start(s):
    """max(eps_2, |x_0|) (product of 1 + d rho_t, less 1)."""
    grown = 1
    for rho in s.rho:
        grown = grown * (1 + s.d * rho)
    return maximum(s.eps2, size(s.x[0])) * (grown - 1)


distance_from_start = Step(
    "known at the start",
    WALK,
    lambda s: total(each_step(s)),
    from_the_start,
    walks,
    sizes={"T": (1, 2, 3)},
)
distance = Step(
    "length of a run",
    WALK,
    lambda s: size(s.last - s.x[0]),
    lambda s: total(each_step(s)),
    walks,
    sizes={"T": (1, 2, 3)},
)


# The first step, V = g^2: u^2 = V / W*, once by the means that the state keeps.
def update_squared(V, i, j):
    n, m = len(V), len(V[0])
    R, C = [x / m for x in rows(V)], [x / n for x in columns(V)]
    return V[i][j] / (R[i] * C[j] / (total(R) / n))


def weighted(s):
    n, m = len(s.V), len(s.V[0])
    W_star = star(s.V)
    return total(W_star[i][j] * update_squared(s.V, i, j) for i in range(n) for j in range(m))


weighted_square = about("weighted mean square", weighted, lambda s: total(rows(s.V)))
single_entry = about(
    "single entries",
    lambda s: update_squared(s.V, 0, 0),
    lambda s: total(rows(s.V)) / maximum(rows(s.V)[0], columns(s.V)[0]),
    relation="<=",
)
# Of the full second moment g^2 / v is at most 1 / (1 - beta); at beta = 0 that is 1. Not so of the factored one.
jump = Step(
    "longest coordinate",
    {"g": real(), "v": nonnegative(), "beta": unit()},
    lambda s: s.g * s.g / (s.beta * s.v + (1 - s.beta) * s.g * s.g),
    lambda s: 1 / (1 - s.beta),
    lambda s: [(s.beta, "<", 1), (s.g, "!=", 0)],
)
jump_factored = about(
    "longest coordinate, factored", lambda s: update_squared(s.V, 0, 0), lambda s: 1 + 0 * s.V[0][0], relation="<="
)

THEOREMS = {
    "sums commute with the moving average": [row_sums_carried, column_sums_carried, product_carried],
    "The best factors": [bernoulli, same_rows, same_columns, splits, pythagoras],
    "Averages with a moving factor": [unrolled, sum_to_one, below_exp, plain_average, adams],
    "Adafactor's steps": [length, distance, distance_from_start],
    "size of a factored step": [weighted_square, single_entry],
    "a jump by 10": [jump],
}
BROKEN = {
    "sums commute with the moving average": [product_averaged],
    "The best factors": [splits_any],
    "Averages with a moving factor": [sum_any],
    "Adafactor's steps": [length_unclipped],
    "a jump by 10": [jump_factored],
}
EXEMPT = {
    "The best factors": {"(5) nothing is closer": "has a logarithm; it is (4), and (1) for every entry"},
    "Averages with a moving factor": {
        "(3b) sum and integral": "has the powers j^(-tau) and an exponential; compares a sum with an integral",
        "(4) never below": "has the powers j^(-tau) and an exponential",
    },
    "information of an average": {"average knows less": "has a logarithm, and quotes that D is jointly convex"},
}
