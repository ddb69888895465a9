"""Covers of Adagrad, signs and orthogonal matrices, axes that are turned, an average.

Gradients are `g`, ("T", "n", "m"): T steps of a matrix of n rows and m columns. Small matrices are turned by rational
rotations, `turned(h)`, so that every number stays exact.
"""

from fractions import Fraction
from types import SimpleNamespace

from minilib.theory.arithmetic import absolute, dot, maximum, minimum, norm1, root, sign, square, total
from minilib.theory.steps import Step, Variable, nonnegative, real, unit


# Lion.
def interpolation(s):
    return [s.beta1 * a + (1 - s.beta1) * b for a, b in zip(s.m, s.g, strict=True)]


def lion_length(name, relation, assumptions):
    """|step|^2 = lr^2 d."""
    variables = {"lr": nonnegative(), "beta1": unit(), "m": real("d"), "g": real("d")}
    return Step(
        name,
        variables,
        lambda s: square([s.lr * sign(x) for x in interpolation(s)]),
        lambda s: s.lr * s.lr * len(s.g),
        assumptions,
        relation,
        {"d": (1, 2, 3)},
    )


def largest(numbers):
    result, *others = numbers
    for x in others:
        result = maximum(result, x)
    return result


def lion_size(name, assumptions):
    """One entry after T steps with signs from any directions, against max(|x_1|, 1/decay)."""

    def left(s):
        x = s.x
        for c in s.c:
            x = (1 - s.lr * s.decay) * x - s.lr * sign(c)
        return absolute(x)

    variables = {"lr": nonnegative(), "decay": nonnegative(), "x": real(), "c": real("T")}
    right = lambda s: maximum(absolute(s.x), 1 / s.decay)  # noqa: E731
    return Step(name, variables, left, right, assumptions, sizes={"T": (1, 2, 3)})


length = lion_length("(1) length", "=", lambda s: [(x, "!=", 0) for x in interpolation(s)])
length_zero = lion_length("(1) length, a sign of zero", "=", lambda s: [])
size = lion_size("(2) size", lambda s: [(s.decay, ">", 0), (s.lr * s.decay, "<=", 1)])
size_long = lion_size("(2) size, any rate", lambda s: [(s.decay, ">", 0)])


# Matrices, as lists of rows.
def columns(A):
    return [list(column) for column in zip(*A, strict=True)]


def times(A, B):
    return [[dot(row, column) for column in columns(B)] for row in A]


def plus(A, B):
    return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(A, B, strict=True)]


def inner(A, B):
    return total(dot(a, b) for a, b in zip(A, B, strict=True))


def turned(h):
    """A rotation of the plane; all with rational entries, but one, are of this form."""
    c, s = (1 - h * h) / (1 + h * h), 2 * h / (1 + h * h)
    return [[c, -s], [s, c]]


def diagonal(a, b):
    return [[a, 0 * a], [0 * b, b]]


# Adafactor in Shampoo's eigenbasis.
def rotated(s, g):
    return times(columns(turned(s.h)), times(g, turned(s.k)))


def summed(matrices):
    result, *others = matrices
    for M in others:
        result = plus(result, M)
    return result


plane = {"h": real(), "k": real(), "g": real("T", "n", "m")}
two = {"T": (1, 2), "n": (2,), "m": (2,)}
eigenvalues = Step(
    "rows: eigenvalues of L",
    plane,
    lambda s: total(x * x for g in s.g for x in rotated(s, g)[0]),
    lambda s: rotated(SimpleNamespace(h=s.h, k=s.h), summed(times(g, columns(g)) for g in s.g))[0][0],
    relation="=",
    sizes=two,
)
bridge = Step(
    "the step",
    {"g": real("T", "n", "m")},
    lambda s: s.g[0][0][0] * s.g[0][0][0] / (spectra(s)[0] * spectra(s)[1] / spectra(s)[2]),
    lambda s: s.g[0][0][0] * s.g[0][0][0] * spectra(s)[2] / spectra(s)[0] / spectra(s)[1],
    lambda s: [(x, ">", 0) for x in spectra(s)],
    "=",
    {"T": (1, 2), "n": (1, 2), "m": (1, 2)},
)


def spectra(s):
    """The first eigenvalues of L and of R, in their basis, and the trace of both: from G', and from G'G''."""
    row = total(x * x for g in s.g for x in g[0])
    column = summed(times(columns(g), g) for g in s.g)[0][0]
    L = summed(times(g, columns(g)) for g in s.g)
    return row, column, total(L[i][i] for i in range(len(L)))


# Muon's polynomial on a singular value, and what comes before it.
A, B, C = Fraction(34445, 10000), Fraction(-47750, 10000), Fraction(20315, 10000)
LOW, HIGH, LEAST = Fraction(68, 100), Fraction(121, 100), Fraction(2, 1000)


def polynomial(x):
    return A * x + B * x * x * x + C * x * x * x * x * x


grows = Step(
    "(1) at least",
    {"x": Variable((), 0, 2), "least": unit()},
    lambda s: minimum(polynomial(s.least), LOW),
    lambda s: polynomial(s.x),
    lambda s: [(s.least, "<=", Fraction(1, 2)), (s.least, "<=", s.x), (s.x, "<=", HIGH)],
)
stays = Step(
    "(2) at most",
    {"x": Variable((), 0, 2)},
    lambda s: polynomial(s.x),
    lambda s: HIGH + 0 * s.x,
    lambda s: [(s.x, "<=", HIGH)],
)
at_one = Step(
    "(1) a singular value of 1 stays",
    {"x": Variable((), 0, 2)},
    lambda s: s.x,
    lambda s: polynomial(s.x),
    lambda s: [(s.x, "=", 1)],
)


def scaled(name, assumptions):
    """<Z, y> for the normalised matrix Z = M / max(|M|, 10^-7), here one row, and for c M."""

    def start(s, c):
        M = [c * x for x in s.M]
        return 10**7 * dot(M, s.y) / maximum(10**7 * root(square(M)), 1)

    variables = {"M": real("d"), "y": real("d"), "c": nonnegative()}
    return Step(name, variables, lambda s: start(s, s.c), lambda s: start(s, 1), assumptions, "=", {"d": (1, 2)})


scale = scaled("(3) the gradient's scale", lambda s: [(s.c, ">=", 1), (10**14 * square(s.M), ">=", 1)])
scale_any = scaled("(3) the gradient's scale, however small", lambda s: [(s.c, ">=", 1)])


# Schedule-Free's average.
def schedule_free(s):
    x, weight = s.x, 0
    for w, z in zip(s.w, s.z, strict=True):
        weight = weight + w
        x = (1 - w / weight) * x + w / weight * z
    return x


def average(name, relation_sizes):
    return Step(
        name,
        {"x": real(), "w": nonnegative("T"), "z": real("T")},
        schedule_free,
        lambda s: dot(s.w, s.z) / total(s.w),
        lambda s: [(s.w[0], ">", 0)],
        "=",
        {"T": relation_sizes},
    )


start, step = average("(1) start", (1,)), average("(2) step", (2, 3, 4))


# SM3, with rows and columns as the sets that cover a matrix.
def sm3(gradients, most):
    """The history of nu, and of the minimum of mu before each step."""
    n, m = len(gradients[0]), len(gradients[0][0])
    rows, tops = [0 * gradients[0][0][0]] * n, [0 * gradients[0][0][0]] * m
    before, after = [], []
    for g in gradients:
        before.append([[minimum(rows[i], tops[j]) for j in range(m)] for i in range(n)])
        after.append([[before[-1][i][j] + g[i][j] * g[i][j] for j in range(m)] for i in range(n)])
        rows = [most(row) for row in after[-1]]
        tops = [most(column) for column in columns(after[-1])]
    return before, after, [[minimum(rows[i], tops[j]) for j in range(m)] for i in range(n)]


def nu(s, most=largest):
    return sm3(s.g, most)[1][-1][0][0]


def mean(numbers):
    return total(numbers) / len(numbers)


def past(s):
    return SimpleNamespace(g=s.g[:-1])


def covers(name, left, right, T=(1, 2)):
    return Step(name, {"g": real("T", "n", "m")}, left, right, sizes={"T": T, "n": (1, 2), "m": (1, 2)})


def adagrad(s):
    return total(g[0][0] * g[0][0] for g in s.g)


def above(s):
    """The smaller sum of largest squares: of the first row, of the first column."""
    by_row = total(largest([x * x for x in g[0]]) for g in s.g)
    by_column = total(largest([row[0] * row[0] for row in g]) for g in s.g)
    return minimum(by_row, by_column)


knows = covers("(1) a slice knows", nu, lambda s: sm3(s.g, largest)[2][0][0])
one_step = covers("(2) one step", lambda s: nu(past(s)) + s.g[-1][0][0] * s.g[-1][0][0], lambda s: nu(s), (2, 3))
summed_up = covers("(3) sum", adagrad, nu, (1, 2, 3))
from_above = covers("(4) above", nu, above, (1, 2, 3))
knows_mean = covers("(1) a slice knows, means", lambda s: nu(s, mean), lambda s: sm3(s.g, mean)[2][0][0])
sum_mean = covers("(3) sum, means", adagrad, lambda s: nu(s, mean), (1, 2, 3))


# Shampoo. A vector z of n m numbers is a matrix Z, and z'(P x Q)z = <Z, P Z Q'>.
def gradient(s):
    """A 2 x 2 matrix with the singular values |a| and |b|, and its singular vectors in the rows of U and V."""
    U, V = turned(s.h), turned(s.k)
    return times(U, times(diagonal(s.sigma[0], s.sigma[1]), columns(V))), columns(U), columns(V)


def split(s):
    """sum_k sigma_k^2 (u_k' Z v_k)^2."""
    _, U, V = gradient(s)
    return total(c * c * square([dot(u, [dot(row, v) for row in s.Z])]) for c, u, v in zip(s.sigma, U, V, strict=True))


plane_svd = {"h": real(), "k": real(), "sigma": real("r"), "Z": real("n", "m")}
square_sizes = {"r": (2,), "n": (2,), "m": (2,)}


def outer(s, r):
    """(z'g)^2 / r."""
    return square([inner(gradient(s)[0], s.Z)]) / r


one_gradient = Step("(1) one gradient", plane_svd, lambda s: outer(s, 2), split, sizes=square_sizes)
one_gradient_rank = Step(
    "(1) one gradient, its rank said to be 1", plane_svd, lambda s: outer(s, 1), split, sizes=square_sizes
)
left_side = Step(
    "(2a) left side",
    plane_svd,
    split,
    lambda s: total(square(row) for row in times(columns(gradient(s)[0]), s.Z)),
    sizes=square_sizes,
)
right_side = Step(
    "(2b) right side",
    plane_svd,
    split,
    lambda s: total(square(row) for row in times(s.Z, columns(gradient(s)[0]))),
    sizes=square_sizes,
)


def rank(s):
    return min(len(s.Z), len(s.Z[0]))


def full(s, r):
    """z'Pz with P = eps I + sum g g' / r."""
    return s.eps * inner(s.Z, s.Z) + total(square([inner(g, s.Z)]) for g in s.g) / r


def two_sides(name, right):
    sizes = {"T": (1, 2), "n": (1, 2), "m": (1, 2)}
    variables = {"eps": nonnegative(), "g": real("T", "n", "m"), "Z": real("n", "m")}
    return Step(name, variables, lambda s: full(s, rank(s)), right, sizes=sizes)


sum_left = two_sides(
    "(3a) sum, left",
    lambda s: s.eps * inner(s.Z, s.Z) + total(square(row) for g in s.g for row in times(columns(g), s.Z)),
)
sum_right = two_sides(
    "(3b) sum, right",
    lambda s: s.eps * inner(s.Z, s.Z) + total(square(row) for g in s.g for row in times(s.Z, columns(g))),
)


def matrix_root(M):
    """The root of a positive 2 x 2 matrix: (M + sqrt(det) I) / sqrt(trace + 2 sqrt(det))."""
    det = root(M[0][0] * M[1][1] - M[0][1] * M[1][0])
    below = root(M[0][0] + M[1][1] + 2 * det)
    return [[x / below for x in row] for row in plus(M, diagonal(det, det))]


def shampoo(s):
    """z'(L^(1/2) x R^(1/2))z."""
    eps = diagonal(s.eps, s.eps)
    L = plus(eps, summed(times(g, columns(g)) for g in s.g))
    R = plus(eps, summed(times(columns(g), g) for g in s.g))
    return inner(s.Z, times(matrix_root(L), times(s.Z, matrix_root(R))))


def between_as(name, r):
    variables = {"eps": nonnegative(), "g": real("T", "n", "m"), "Z": real("n", "m")}
    return Step(name, variables, lambda s: full(s, r), shampoo, lambda s: [(s.eps, ">", 0)], sizes=two)


between = between_as("(4) between", 2)
between_rank = between_as("(4) between, the rank said to be 1", 1)


# Steepest descent in two norms.
def matrix(s, h, k, sigma):
    return times(turned(h), times(diagonal(*sigma), columns(turned(k))))


spectral = Step(
    "spectral",
    {"h": real(), "k": real(), "sigma": nonnegative("r"), "a": real(), "b": real(), "rival": Variable(("r",), -1, 1)},
    lambda s: inner(matrix(s, s.h, s.k, s.sigma), matrix(s, s.a, s.b, s.rival)),
    lambda s: total(s.sigma),
    sizes={"r": (2,)},
)
spectral_best = Step(
    "spectral, best",
    {"h": real(), "k": real(), "sigma": nonnegative("r")},
    lambda s: inner(matrix(s, s.h, s.k, s.sigma), matrix(s, s.h, s.k, [s.h * 0 + 1, s.h * 0 + 1])),
    lambda s: total(s.sigma),
    relation="=",
    sizes={"r": (2,)},
)
entries = Step(
    "entries",
    {"g": real("d"), "rival": Variable(("d",), -1, 1)},
    lambda s: dot(s.g, s.rival),
    lambda s: norm1(s.g),
    sizes={"d": (1, 2, 3)},
)
entries_best = Step(
    "entries, Lion's first step",
    {"g": real("d"), "beta1": unit()},
    lambda s: dot(s.g, [sign(x) for x in interpolation(SimpleNamespace(**vars(s), m=[0] * len(s.g)))]),
    lambda s: norm1(s.g),
    lambda s: [(s.beta1, "<", 1)],
    "=",
    {"d": (1, 2, 3)},
)
THEOREMS = {
    "Proposition: Lion's steps": [length, size],
    "Adafactor in Shampoo's eigenbasis": [eigenvalues, bridge],
    "Muon's step": [grows, stays, scale],
    "Proposition: the average": [start, step],
    "Theorem: SM3 and Adagrad": [knows, one_step, summed_up, from_above],
    "Theorem: Shampoo and full Adagrad": [one_gradient, left_side, right_side, sum_left, sum_right, between],
    "Steepest descent in two norms": [spectral, spectral_best, entries, entries_best],
}
BROKEN = {
    "Proposition: Lion's steps": [length_zero, size_long],
    "Muon's step": [at_one, scale_any],
    "Theorem: SM3 and Adagrad": [knows_mean, sum_mean],
    "Theorem: Shampoo and full Adagrad": [one_gradient_rank, between_rank],
}
