"""How long a step of CAME can be, what a factored confidence sees, when the clip turns a step uphill.

`u` are clipped updates: of one entry, ("t",), or of a matrix, ("t", "n", "m"). `delta` are the moves of their average
m, E is the average of the instability in full, R and C its row and column means, S what these rebuild.
"""

from itertools import product
from types import SimpleNamespace

from minilib.theory.arithmetic import dot, maximum, root, square, total
from minilib.theory.steps import Step, Variable, nonnegative, real, unit


def averages(beta, numbers):
    """Moving averages from zero: (1 - beta) x_s + beta times the average before."""
    m, result = 0, []
    for x in numbers:
        m = beta * m + (1 - beta) * x
        result.append(m)
    return result


def instability(s):
    m = averages(s.beta1, s.u)
    return averages(s.beta3, [(x - y) * (x - y) for x, y in zip(s.u, m, strict=True)])[-1]


def K(beta1, beta3, t):
    """(((1 - beta_1) / beta_1)^2 sum of 1/w_s) with the weights w_s = (1 - beta_3) beta_3^(t - s)."""
    longest = total(1 / ((1 - beta3) * power(beta3, k)) for k in range(t))
    return (1 - beta1) * (1 - beta1) / (beta1 * beta1) * longest


def power(x, k):
    result = 1
    for _ in range(k):
        result = result * x
    return result


def inside(s):
    return [(b, relation, end) for b in (s.beta1, s.beta3) for relation, end in ((">", 0), ("<", 1))]


BETAS = {"beta1": unit(), "beta3": unit()}
series = BETAS | {"u": real("t")}
T = {"t": (1, 2, 3)}


def speeds(s):
    """(1 - beta_1)/beta_1 (u - m), which are the moves of the average."""
    m = averages(s.beta1, s.u)
    return [(1 - s.beta1) / s.beta1 * (x - y) for x, y in zip(s.u, m, strict=True)]


def weights(s):
    """(1 - beta_3) beta_3^(t - s), of the steps s = 1 ... t in an average at time t."""
    return [(1 - s.beta3) * power(s.beta3, len(s.u) - 1 - k) for k in range(len(s.u))]


moves = Step(
    "(1) sum of moves",
    series,
    lambda s: averages(s.beta1, s.u)[-1],
    lambda s: total(speeds(s)),
    inside,
    "=",
    T,
)
speed = Step(
    "(2) instability is speed",
    series | {"eps": nonnegative()},
    lambda s: s.beta1 * s.beta1 / ((1 - s.beta1) * (1 - s.beta1)) * dot(weights(s), [x * x for x in differences(s)]),
    lambda s: instability(s) + s.eps * total(weights(s)),
    inside,
    sizes=T,
)


def differences(s):
    """m_s - m_(s-1), from m_0 = 0."""
    m = averages(s.beta1, s.u)
    return [x - y for x, y in zip(m, [0, *m[:-1]], strict=True)]


cauchy = Step(
    "(3) Cauchy-Schwarz",
    {"delta": real("t"), "w": unit("t")},
    lambda s: total(s.delta) * total(s.delta),
    lambda s: total(1 / w for w in s.w) * total(w * x * x for w, x in zip(s.w, s.delta, strict=True)),
    lambda s: [(w, ">", 0) for w in s.w],
    sizes=T,
)
geometric = Step(
    "(4a) geometric sum",
    series,
    lambda s: K(s.beta1, s.beta3, len(s.u)),
    lambda s: closed(s.beta1, s.beta3, len(s.u)),
    inside,
    "=",
    T,
)


def closed(beta1, beta3, t):
    """K_t as it is printed."""
    growth = beta3 * (1 / power(beta3, t) - 1) / ((1 - beta3) * (1 - beta3))
    return (1 - beta1) * (1 - beta1) / (beta1 * beta1) * growth


entry = Step(
    "(4b) each entry",
    series,
    lambda s: averages(s.beta1, s.u)[-1] * averages(s.beta1, s.u)[-1],
    lambda s: K(s.beta1, s.beta3, len(s.u)) * instability(s),
    inside,
    sizes=T,
)


# Matrices of updates: the average m and the instability E of every entry, at the last step.
def one_entry(s, i, j):
    return SimpleNamespace(beta1=s.beta1, beta3=s.beta3, u=[u[i][j] for u in s.u])


def each(s, number):
    """The matrix with number(series of one entry) in every place."""
    return [[number(one_entry(s, i, j)) for j in range(len(s.u[0][0]))] for i in range(len(s.u[0]))]


def average(s):
    return each(s, lambda one: averages(one.beta1, one.u)[-1])


def mean(numbers):
    return total(numbers) / len(numbers)


def columns(A):
    return [list(column) for column in zip(*A, strict=True)]


def factored(A):
    """From row and column means: R, C and R C' / mean(R)."""
    R, C = [mean(row) for row in A], [mean(column) for column in columns(A)]
    return R, C, [[r * c / mean(R) for c in C] for r in R]


def squares(s):
    """The squared steps m^2 / S, entry by entry."""
    m, (_, _, S) = average(s), factored(each(s, instability))
    return [[x * x / y for x, y in zip(row, other, strict=True)] for row, other in zip(m, S, strict=True)]


def awake(s):
    """No row and no column is without instability, so that no step is 0/0."""
    R, C, _ = factored(each(s, instability))
    return inside(s) + [(x, ">", 0) for x in (*R, *C)]


matrices = BETAS | {"u": real("t", "n", "m")}
few = {"t": (1, 2), "n": (1, 2), "m": (1, 2)}
row_mean = Step(
    "(5) mean over a row",
    matrices,
    lambda s: mean([x * x for x in average(s)[0]]),
    lambda s: K(s.beta1, s.beta3, len(s.u)) * mean(each(s, instability)[0]),
    inside,
    sizes=few,
)


def in_row(A, m):
    """sum_j q_j m_j^2 / S_j over the first row, with the weights q of C."""
    _, C, S = factored(A)
    return total(c / total(C) * x * x / y for c, x, y in zip(C, m, S[0], strict=True))


cancel = Step(
    "(6a) weights cancel",
    {"E": nonnegative("n", "m"), "m_": real("m")},
    lambda s: in_row(s.E, s.m_),
    lambda s: mean([x * x for x in s.m_]) / mean(s.E[0]),
    lambda s: [(x, ">", 0) for line in (s.E, columns(s.E)) for x in map(total, line)],
    "=",
    {"n": (1, 2, 3), "m": (1, 2, 3)},
)
rows_bound = Step(
    "(6b) rows",
    matrices,
    lambda s: in_row(each(s, instability), average(s)[0]),
    lambda s: K(s.beta1, s.beta3, len(s.u)),
    awake,
    sizes=few,
)
columns_bound = Step(
    "(6c) columns",
    matrices,
    lambda s: in_row(columns(each(s, instability)), columns(average(s))[0]),
    lambda s: K(s.beta1, s.beta3, len(s.u)),
    awake,
    sizes=few,
)


def rank_one(s):
    """Updates of one series in every entry, in the proportions p_i q_j."""
    return SimpleNamespace(beta1=s.beta1, beta3=s.beta3, u=[[[x * p * q for q in s.q] for p in s.p] for x in s.u])


rank_one_bound = Step(
    "(7) rank one",
    series | {"p": real("n"), "q": real("m")},
    lambda s: squares(rank_one(s))[0][0],
    lambda s: K(s.beta1, s.beta3, len(s.u)),
    lambda s: awake(rank_one(s)),
    sizes=few,
)
any_entry = Step(
    "(7) every entry, without rank one",
    matrices,
    lambda s: squares(s)[0][0],
    lambda s: K(s.beta1, s.beta3, len(s.u)),
    awake,
    sizes=few,
)


# The second bound, from the clip. `u` is then every update after the first; the clip keeps all RMS below 1 = d.
def mean_square(A):
    return mean([x * x for row in A for x in row])


def weighted(s):
    """sum_ij p_i q_j m_ij^2 / S_ij, with p and q the shares of R and C."""
    m, (R, C, S) = average(s), factored(each(s, instability))
    pairs = product(range(len(R)), range(len(C)))
    return total(R[i] / total(R) * C[j] / total(C) * m[i][j] * m[i][j] / S[i][j] for i, j in pairs)


def clip_bound(beta1, beta3, t):
    reach = 1 - power(beta1, t)
    return reach * reach / (beta1 * beta1 * (1 - beta3) * power(beta3, t - 1))


def normalised(s):
    """The adversary's updates divided by their RMS: the first always, later ones where they are longer than 1."""
    lengths = [root(mean_square(u)) for u in s.v]
    divisors = [lengths[0], *(maximum(x, 1) for x in lengths[1:])]
    u = [[[x / d for x in row] for row in v] for v, d in zip(s.v, divisors, strict=True)]
    return SimpleNamespace(beta1=s.beta1, beta3=s.beta3, u=u)


free = BETAS | {"v": real("t", "n", "m")}
both_sides = Step(
    "(8) weights of both sides",
    matrices,
    weighted,
    lambda s: mean_square(average(s)) / mean([x for row in each(s, instability) for x in row]),
    awake,
    "=",
    few,
)
average_clipped = Step(
    "(9) the clip keeps the average",
    BETAS | {"u": real("t", "d")},
    lambda s: square([averages(s.beta1, [u[k] for u in s.u])[-1] for k in range(len(s.u[0]))]) / len(s.u[0]),
    lambda s: (1 - power(s.beta1, len(s.u))) * (1 - power(s.beta1, len(s.u))),
    lambda s: inside(s) + [(square(u), "<=", len(u)) for u in s.u],
    sizes={"t": (1, 2, 3), "d": (1, 2)},
)
first_stays = Step(
    "(10) the first instability stays",
    matrices,
    lambda s: (1 - s.beta3) * power(s.beta3, len(s.u) - 1) * s.beta1 * s.beta1 * mean_square(s.u[0]),
    lambda s: mean([x for row in each(s, instability) for x in row]),
    inside,
    sizes=few,
)
clip_step = Step(
    "(11) the step",
    free,
    lambda s: weighted(normalised(s)),
    lambda s: clip_bound(s.beta1, s.beta3, len(s.v)),
    lambda s: [(mean_square(s.v[0]), ">", 0), *awake(normalised(s))],
    sizes=few,
)
clip_every_entry = Step(
    "(11) for every entry, without weights",
    free,
    lambda s: squares(normalised(s))[0][0],
    lambda s: clip_bound(s.beta1, s.beta3, len(s.v)),
    clip_step.assumptions,
    sizes=few,
)
clip_later = Step(
    "(11) the clip acts at a later step only",
    matrices,
    weighted,
    lambda s: clip_bound(s.beta1, s.beta3, len(s.u)),
    lambda s: [*awake(s), *((mean_square(u), "<=", 1) for u in s.u), (mean_square(s.u[-1]), "=", 1)],
    sizes=few,
)


def first_direction(s):
    """(1 - beta_2) times the mean square of the first direction g/sqrt(v), where eps_1 = 0: 0/0 counts as 0."""
    A = [[x * x for x in row] for row in s.g]
    _, _, V = factored(A)
    return mean([x / y for a, v in zip(A, V, strict=True) for x, y in zip(a, v, strict=True)])


acts = Step(
    "(12) when the clip acts",
    {"g": real("n", "m")},
    lambda s: maximum(1 / (len(s.g[0]) + 0 * s.g[0][0]), 1 / (len(s.g) + 0 * s.g[0][0])),
    first_direction,
    lambda s: [(square(row), ">", 0) for line in (s.g, columns(s.g)) for row in line],
    sizes={"n": (1, 2, 3), "m": (1, 2, 3)},
)


def after_first(s):
    """From the zero state the first clipped update of a single entry is 1 (or -1), and no later one is longer."""
    return SimpleNamespace(beta1=s.beta1, beta3=s.beta3, u=[1, *s.u])


def clipped_length(s):
    """m_t^2 (1 - beta_3) beta_1^2 beta_3^(t-1) for t = 1 + len(u)."""
    m = averages(s.beta1, after_first(s).u)[-1]
    return m * m * (1 - s.beta3) * s.beta1 * s.beta1 * power(s.beta3, len(s.u))


clipped = Step(
    "the clip bounds a single entry",
    BETAS | {"u": Variable(("t",), -1, 1)},
    clipped_length,
    lambda s: instability(after_first(s)),
    inside,
    sizes=T,
)


def apart(s):
    return inside(s) + [(s.beta3, "!=", s.beta1 * s.beta1)]


# Updates that are all 1, as in a matrix with a constant gradient of rank one.
def equal_updates(name, left, right):
    variables = BETAS | {"u": Variable(("t",), 1, 1), "eps": nonnegative()}
    return Step(name, variables, left, right, apart, "=", {"t": (1, 2, 3, 10)})


def distance(s):
    """1 - m_t."""
    return 1 - averages(s.beta1, s.u)[-1]


def constant_S(s, t):
    """S_t as it is printed, for eps_2 = 0."""
    q = s.beta1 * s.beta1
    return (1 - s.beta3) * q * (power(s.beta3, t) - power(q, t)) / (s.beta3 - q)


constant = [
    equal_updates("(1) m", lambda s: averages(s.beta1, s.u)[-1], lambda s: 1 - power(s.beta1, len(s.u))),
    equal_updates("(2) U", lambda s: distance(s) * distance(s), lambda s: power(s.beta1 * s.beta1, len(s.u))),
    equal_updates(
        "(3) S",
        lambda s: instability(s) + s.eps * total(weights(s)),
        lambda s: constant_S(s, len(s.u)) + s.eps * (1 - power(s.beta3, len(s.u))),
    ),
]


def certain(s, t, rate):
    """The squared step after t equal updates, times rate^t."""
    reached = 1 - power(s.beta1, t)
    return reached * reached / constant_S(s, t) * power(rate, t)


def no_slower(name, assumptions, rate):
    """'The step grows like rate^(-t/2)': times rate^(t/2) its square does not fall by half when t doubles."""
    return Step(name, BETAS, lambda s: certain(s, 10, rate(s)) / 2, lambda s: certain(s, 20, rate(s)), assumptions)


def no_faster(name, assumptions, rate):
    """Nor does it grow by more than 4."""
    return Step(name, BETAS, lambda s: certain(s, 20, rate(s)), lambda s: 4 * certain(s, 10, rate(s)), assumptions)


def beta3(s):
    return s.beta3


def beta1_squared(s):
    return s.beta1 * s.beta1


def slow_average(s):
    return inside(s) + [(s.beta3, ">", s.beta1 * s.beta1)]


def fast_average(s):
    return inside(s) + [(s.beta3, "<", s.beta1 * s.beta1)]


constant += [
    no_slower("(4a) beta_3 > beta_1^2, no slower", slow_average, beta3),
    no_faster("(4a) beta_3 > beta_1^2, no faster", slow_average, beta3),
    no_slower("(4b) beta_3 < beta_1^2, no slower", fast_average, beta1_squared),
    no_faster("(4b) beta_3 < beta_1^2, no faster", fast_average, beta1_squared),
]
growth_printed = no_slower("(4) like beta_3^(-t/2), any beta_3, as printed", apart, beta3)


# "The clip does not bound the step": then no bound from the clip could ever lie below K_t. It does, from some t on.
no_bound = Step(
    "the clip bounds nothing, as printed",
    BETAS,
    lambda s: K(s.beta1, s.beta3, 30),
    lambda s: 1 / (power(s.beta3, 29) * s.beta1 * s.beta1 * (1 - s.beta3)),
    inside,
)


# What a factored confidence can see.
def ratio_parts(A):
    """Both diagonals of the first 2 x 2 block, multiplied: equal where the matrix has rank one."""
    return A[0][0] * A[1][1], A[0][1] * A[1][0]


pair = {"n": (2, 3), "m": (2, 3)}


def divisor(s):
    """D^2 = v S, both rebuilt from row and column means."""
    _, _, v = factored(s.A)
    _, _, S = factored(s.E)
    return [[x * y for x, y in zip(row, other, strict=True)] for row, other in zip(v, S, strict=True)]


products = Step(
    "(1) products",
    {"A": nonnegative("n", "m"), "E": nonnegative("n", "m")},
    lambda s: ratio_parts(divisor(s))[0],
    lambda s: ratio_parts(divisor(s))[1],
    lambda s: [(total(row), ">", 0) for M in (s.A, s.E) for row in M],
    "=",
    pair,
)
unrolled = Step(
    "(2) unrolled",
    {"beta1": unit(), "gamma": unit("t"), "x": real("t"), "S": nonnegative()},
    lambda s: averages(s.beta1, [c * x for c, x in zip(s.gamma, s.x, strict=True)])[-1] / s.S,
    lambda s: total(
        (1 - s.beta1) * power(s.beta1, len(s.x) - 1 - k) * s.gamma[k] * s.x[k] / s.S for k in range(len(s.x))
    ),
    lambda s: [(s.S, ">", 0)],
    "=",
    T,
)


def steps_squared(s):
    """(step)^2 / kappa^2 = G^2 / D^2 with divisors of rank one, so that no root is left."""
    D = divisor(s)
    return [[x * x / y for x, y in zip(row, other, strict=True)] for row, other in zip(s.G, D, strict=True)]


def cross(s, k):
    """One diagonal of the squared steps times the other of G^2: the cross ratios, multiplied out."""
    return ratio_parts(steps_squared(s))[k] * ratio_parts([[x * x for x in row] for row in s.G])[1 - k]


one_shape = Step(
    "(3) cross ratio",
    {"A": nonnegative("n", "m"), "E": nonnegative("n", "m"), "G": real("n", "m")},
    lambda s: cross(s, 0),
    lambda s: cross(s, 1),
    lambda s: [(x, ">", 0) for M in (s.A, s.E) for row in M for x in row] + [(x, "!=", 0) for row in s.G for x in row],
    "=",
    {"n": (2,), "m": (2,)},
)


def mixed(s):
    return [[x + y for x, y in zip(row, other, strict=True)] for row, other in zip(s.G, s.H, strict=True)]


two_shapes = Step(
    "(3) cross ratio, a gradient that changes its shape",
    {"G": real("n", "m"), "H": real("n", "m")},
    lambda s: ratio_parts(mixed(s))[0] * ratio_parts(s.G)[1],
    lambda s: ratio_parts(mixed(s))[1] * ratio_parts(s.G)[0],
    lambda s: [(x, "!=", 0) for row in s.G for x in row],
    "=",
    {"n": (2,), "m": (2,)},
)


# Factoring an instability.
def bold(name, variable):
    return Step(
        name,
        {"E": variable},
        lambda s: s.E[0][0] * s.E[0][0] / (len(s.E) * len(s.E[0]) * mean([x for row in s.E for x in row])),
        lambda s: factored(s.E)[2][0][0],
        lambda s: [(total(x for row in s.E for x in row), ">", 0)],
        sizes=pair | {"n": (1, 2, 3)},
    )


too_bold = bold("(1) too bold", nonnegative("n", "m"))
too_bold_signed = bold("(1) too bold, an instability with signs", real("n", "m"))


def everything(s):
    """n m M: the sum of all entries."""
    return total(x for row in s.E for x in row)


def crossed(s):
    """E with a zero in the first place."""
    first, *others = s.E
    return SimpleNamespace(E=[[0 * first[0], *first[1:]], *others])


def sums(s):
    """m R_i and n C_j, the sums of the first row and of the first column."""
    return total(crossed(s).E[0]), total(row[0] for row in crossed(s).E)


cautious = {"variables": {"E": nonnegative("n", "m")}, "sizes": {"n": (1, 2, 3), "m": (1, 2, 3)}}
disjoint = Step(
    "(2) disjoint",
    left=lambda s: sums(s)[0] + sums(s)[1],
    right=lambda s: everything(crossed(s)),
    **cautious,
)
half_each = Step(
    "(3) product",
    left=lambda s: sums(s)[0] * sums(s)[1],
    right=lambda s: everything(crossed(s)) * everything(crossed(s)) / 4,
    **cautious,
)
not_zero = Step(
    "(2) disjoint, the entry not zero",
    left=lambda s: total(s.E[0]) + total(row[0] for row in s.E),
    right=everything,
    **cautious,
)


# Averages of a noisy update: all histories of T draws from n values with probabilities, their mean taken away.
def draws(s):
    """[(probability, value)], with mean zero."""
    p = [w / total(s.weight) for w in s.weight]
    centre = dot(p, s.noise)
    return [(q, x - centre) for q, x in zip(p, s.noise, strict=True)]


def expected(s, steps, number):
    """The mean of number([u_1 ... u_steps]) over all histories."""
    result = 0
    for history in product(draws(s), repeat=steps):
        chance = 1
        for p, _ in history:
            chance = chance * p
        result = result + chance * number([s.mu + x for _, x in history])
    return result


def last(beta, numbers):
    return averages(beta, numbers)[-1] if numbers else 0


def variance(s):
    return total(p * x * x for p, x in draws(s))


def mean_of_m(s, steps):
    return expected(s, steps, lambda u: last(s.beta1, u))


def variance_of_m(s, steps):
    centre = mean_of_m(s, steps)
    return expected(s, steps, lambda u: (last(s.beta1, u) - centre) * (last(s.beta1, u) - centre))


def unstable(s):
    """E U_t."""
    return expected(s, len(s.t_), lambda u: (u[-1] - last(s.beta1, u)) * (u[-1] - last(s.beta1, u)))


def geometric_variance(s, steps):
    q = power(s.beta1, 2 * steps)
    return variance(s) * (1 - s.beta1) / (1 + s.beta1) * (1 - q)


def noisy(name, left, right):
    variables = {"beta1": unit(), "mu": real(), "noise": real("n"), "weight": nonnegative("n"), "t_": nonnegative("t")}
    possible = lambda s: [(total(s.weight), ">", 0), (s.beta1, "<", 1)]  # noqa: E731
    return Step(name, variables, left, right, possible, "=", {"n": (1, 2), "t": (1, 2)})


def inserted(s):
    past = len(s.t_) - 1
    signal = s.mu * s.mu * power(s.beta1, 2 * past)
    return s.beta1 * s.beta1 * (signal + variance(s) + geometric_variance(s, past))


def fresh(s):
    past = len(s.t_) - 1
    gap = s.mu - mean_of_m(s, past)
    return s.beta1 * s.beta1 * (gap * gap + variance(s) + variance_of_m(s, past))


noise = [
    noisy("(1a) mean of m", lambda s: mean_of_m(s, len(s.t_)), lambda s: s.mu * (1 - power(s.beta1, len(s.t_)))),
    noisy("(1b) variance of m", lambda s: variance_of_m(s, len(s.t_)), lambda s: geometric_variance(s, len(s.t_))),
    noisy("(2) fresh against past", unstable, fresh),
    noisy("(3) inserted", unstable, inserted),
]


def opposite(s):
    """E U_2 where the second update undoes the noise of the first."""

    def number(x):
        u = [s.mu + x, s.mu - x]
        return (u[1] - last(s.beta1, u)) * (u[1] - last(s.beta1, u))

    return total(p * number(x) for p, x in draws(s))


dependent = Step(
    "(2) fresh against past, every second one opposite",
    {"beta1": unit(), "mu": real(), "noise": real("n"), "weight": nonnegative("n")},
    opposite,
    lambda s: fresh(SimpleNamespace(**vars(s), t_=[0, 0])),
    lambda s: [(total(s.weight), ">", 0), (s.beta1, "<", 1)],
    "=",
    {"n": (1, 2)},
)


# One large gradient h in k steps, -1 otherwise.
def size(s):
    """v, the mean square."""
    return (s.h * s.h + s.k - 1) / s.k


def inside_range(s):
    return [(s.k, ">=", 3), (s.k - 1, "<", s.h), (s.h * s.h, "<", (s.k - 1) * (s.k * s.k - s.k - 1))]


rare = {"h": real(), "k": real()}
uphill = [
    Step("(1) the rare one is clipped", rare, lambda s: 1, lambda s: s.h / root(size(s)), inside_range),
    Step(
        "(2) sum of updates",
        rare,
        lambda s: (
            s.h / root(size(s)) / maximum(s.h / root(size(s)), 1)
            - (s.k - 1) / root(size(s)) / maximum(1 / root(size(s)), 1)
        ),
        lambda s: 1 - (s.k - 1) / root(size(s)),
        inside_range,
        "=",
    ),
    Step("(3a) updates go up", rare, lambda s: 1 - (s.k - 1) / root(size(s)), lambda s: 0, inside_range),
    Step("(3b) gradients go down", rare, lambda s: 0, lambda s: s.h - (s.k - 1), inside_range),
]
too_large = Step(
    "(3a) updates go up, any h above k - 1",
    rare,
    lambda s: 1 - (s.k - 1) / root(size(s)),
    lambda s: 0,
    lambda s: [(s.k, ">=", 3), (s.k - 1, "<", s.h)],
)
CERTAIN = "Certainty without end"
THEOREMS = {
    "CAME's step": [
        moves,
        speed,
        cauchy,
        geometric,
        entry,
        row_mean,
        cancel,
        rows_bound,
        columns_bound,
        rank_one_bound,
    ],
    CERTAIN: constant,
    "The clip bounds CAME's step": [both_sides, average_clipped, first_stays, clip_step, clipped, acts],
    "rank one twice": [products, unrolled, one_shape],
    "factoring an instability": [too_bold, disjoint, half_each],
    "averages of a noisy update": noise,
    "clipping uphill": uphill,
}
BROKEN = {
    "CAME's step": [no_bound, any_entry],
    CERTAIN: [growth_printed],
    "The clip bounds CAME's step": [clip_every_entry, clip_later],
    "rank one twice": [two_shapes],
    "factoring an instability": [too_bold_signed, not_zero],
    "averages of a noisy update": [dependent],
    "clipping uphill": [too_large],
}
