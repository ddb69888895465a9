"""Heavy ball and Nesterov on quadratics, the cloud under noise, and Nesterov without strong convexity.

In one direction of curvature `lam` the methods are recursions in two numbers. `k` stands for sqrt(kappa), so that the
best settings stay rational; the largest curvature is 1 where nothing else is said, which only chooses the unit of the
learning rate. The adversary of the whole theorems brings curvatures, starts and, where the text warns of it, a convex
function that is not quadratic. Absent on purpose: that variances converge; step (1) and the roots say why.
"""

from fractions import Fraction

from minilib.theory.arithmetic import absolute, dot, if_, kind, maximum, minimum, root, sign, square, total
from minilib.theory.steps import Step, nonnegative, real, unit


def count(size) -> int:
    """A size as an int: attacks hand it over as a fraction or an interval, decisions as a term."""
    return {"z3": lambda: size.as_long(), "mpmath": lambda: round(float(size.mid))}.get(kind(size), lambda: int(size))()


def weighted(pairs, name, variables, assumptions=lambda s: [], sizes=None):
    """All the equations `pairs(s)` in one: left + w right agree for every w if and only if each equation holds."""

    def side(j):
        return lambda s: total(power(s.w, k) * pair[j] for k, pair in enumerate(pairs(s)))

    return Step(name, variables | {"w": real()}, side(0), side(1), assumptions, "=", sizes or {})


def power(x, k):
    return total([x * power(x, k - 1)]) if k else 1


# Both roots of rho^2 - (1 + beta - s) rho + beta, s = eta lambda.
def discriminant(s, beta):
    return (1 + beta - s) * (1 + beta - s) - 4 * beta


def radius(s, beta):
    """The larger modulus of the two roots."""
    D = discriminant(s, beta)
    real_roots = (absolute(1 + beta - s) + root(maximum(D, 0 * D))) / 2
    return if_(D, "<", 0, root(maximum(beta, 0 * beta)), real_roots)


def ball(s, beta, start, steps):
    """Heavy ball in one direction, at rest before the first step: the points 0 ... steps."""
    path = [start, start]
    for _ in range(steps):
        path.append((1 + beta - s) * path[-1] - beta * path[-2])
    return path[1:]


# Torch's Nesterov beside the lookahead form, one coordinate: `slope` is the gradient at the lookahead point y.
def velocity_step(s, lr):
    """x_{t+1} - x_t, where `lr` is the learning rate of this step."""
    return s.beta * (s.x - s.before) - lr * s.slope


def buffer_step(s):
    """m_{t+1} = beta m_t + gradient, with m_t = -v_t / eta."""
    return -s.beta * (s.x - s.before) / s.lr + s.slope


one_lookahead = {"x": real(), "before": real(), "slope": real(), "lr": real(), "beta": real()}
torch_buffer = Step(
    "(1) torch's buffer",
    one_lookahead,
    lambda s: -velocity_step(s, s.lr) / s.lr,
    buffer_step,
    lambda s: [(s.lr, "!=", 0)],
    "=",
)


def next_lookahead(s, lr):
    return s.x + (1 + s.beta) * velocity_step(s, lr)


def by_torch(s, lr):
    return s.x + s.beta * (s.x - s.before) - lr * (s.slope + s.beta * buffer_step(s))


torch_step = Step(
    "(2) torch's step",
    one_lookahead,
    lambda s: next_lookahead(s, s.lr),
    lambda s: by_torch(s, s.lr),
    lambda s: [(s.lr, "!=", 0)],
    "=",
)
torch_schedule = Step(
    "(2) torch's step, with a schedule",
    one_lookahead | {"new": real()},
    lambda s: next_lookahead(s, s.new),
    lambda s: by_torch(s, s.new),  # the buffer still holds -v_t / eta with the learning rate before
    lambda s: [(s.lr, "!=", 0), (s.new, "!=", 0)],
    "=",
)


# The minimum of q x^2 / 2 + c x + b lies at -c / q.
def completed(name, centre):
    return Step(
        name,
        {"q": nonnegative(), "c": real(), "b": real(), "x": real()},
        lambda s: s.q * s.x * s.x / 2 + s.c * s.x + s.b,
        lambda s: s.q / 2 * (s.x - centre(s)) * (s.x - centre(s)) + s.b - s.c * s.c / (2 * s.q),
        lambda s: [(s.q, ">", 0)],
        "=",
    )


minimum_at = completed("the minimum of q x^2 / 2 + c x + b is at -c / q", lambda s: -s.c / s.q)
minimum_printed = completed("the minimum of q x^2 / 2 + c x + b is at c / q, as printed", lambda s: s.c / s.q)


# Heavy ball on a quadratic. The eigenvectors are the columns of a reflection, I - 2 vv'/|v|^2, any v but zero.
def reflected(v, x):
    return [y - 2 * dot(v, x) / square(v) * z for y, z in zip(x, v, strict=True)]


def hessian_times(s, x):
    return reflected(s.v, [lam * c for lam, c in zip(s.lam, reflected(s.v, x), strict=True)])


def one_heavy_step(s):
    """The error after a step, along each eigenvector, by the method and by the recursion."""
    slope = hessian_times(s, s.x)
    after = [x - s.lr * g + s.beta * (x - b) for x, g, b in zip(s.x, slope, s.before, strict=True)]
    now, last = reflected(s.v, s.x), reflected(s.v, s.before)
    recursion = [(1 + s.beta - s.lr * y) * c - s.beta * b for y, c, b in zip(s.lam, now, last, strict=True)]
    return list(zip(reflected(s.v, after), recursion, strict=True))


eigenvectors = {"v": real("d"), "lam": nonnegative("d"), "lr": real(), "beta": real()}
decoupled = weighted(
    one_heavy_step,
    "(1) decoupled",
    eigenvectors | {"x": real("d"), "before": real("d")},
    lambda s: [(square(s.v), ">", 0)],
    {"d": (1, 2, 3)},
)


def full_matrix(s, rho):
    """rho I - M, rows of the matrix that takes (x_t, x_{t-1}) to (x_{t+1}, x_t)."""
    d = len(s.v)
    unit_vectors = [[int(i == j) for j in range(d)] for i in range(d)]
    columns = [hessian_times(s, e) for e in unit_vectors]
    top = [
        [(rho - 1 - s.beta) * e[j] + s.lr * columns[j][i] for j in range(d)] + [s.beta * x for x in e]
        for i, e in enumerate(unit_vectors)
    ]
    return top + [[-e for e in row] + [rho * e for e in row] for row in unit_vectors]


def determinant(rows):
    first, *below = rows
    if not below:
        return first[0]
    minors = ([row[:j] + row[j + 1 :] for row in below] for j in range(len(first)))
    return total((-1) ** j * x * determinant(minor) for (j, x), minor in zip(enumerate(first), minors, strict=True))


def product_of(factors):
    result, *others = factors
    for x in others:
        result = result * x
    return result


eigenvalues = Step(
    "(2) 2d eigenvalues",
    eigenvectors | {"rho": real()},
    lambda s: determinant(full_matrix(s, s.rho)),
    lambda s: product_of([s.rho * s.rho - (1 + s.beta - s.lr * lam) * s.rho + s.beta for lam in s.lam]),
    lambda s: [(square(s.v), ">", 0)],
    "=",
    {"d": (1, 2)},
)
# q is the root of beta
factorised = Step(
    "(3) discriminant",
    {"s": real(), "q": nonnegative()},
    lambda s: discriminant(s.s, s.q * s.q),
    lambda s: (s.s - (1 - s.q) * (1 - s.q)) * (s.s - (1 + s.q) * (1 + s.q)),
    relation="=",
)


def complex_root(s):
    """A root a + bi, its real and imaginary part, and those of the polynomial there."""
    tau = 1 + s.beta - s.s
    a, b = tau / 2, root(-discriminant(s.s, s.beta)) / 2
    return a, b, a * a - b * b - tau * a + s.beta, 2 * a * b - tau * b


modulus = Step(
    "(4) modulus",
    {"s": real(), "beta": unit()},
    lambda s: square(complex_root(s)),
    lambda s: s.beta,
    lambda s: [(discriminant(s.s, s.beta), "<", 0)],
    "=",
)


def stability(name, assumptions):
    return Step(
        name,
        {"s": nonnegative(), "beta": unit()},
        lambda s: if_(radius(s.s, s.beta), "<", 1, 1 + 0 * s.s, 0 * s.s),
        lambda s: if_(s.s, "<", 2 * (1 + s.beta), 1 + 0 * s.s, 0 * s.s),
        assumptions,
        "=",
    )


stable = stability("(5) stable", lambda s: [(s.s, ">", 0), (s.beta, "<", 1)])
stable_flat = stability("(5) stable, in a direction without curvature", lambda s: [(s.beta, "<", 1)])
slower = Step(
    "more momentum is never slower",
    {"s": nonnegative(), "beta": unit(), "more": unit()},
    lambda s: radius(s.s, s.more),
    lambda s: radius(s.s, s.beta),
    lambda s: [(s.beta, "<=", s.more), (s.more, "<", 1), (s.s, ">", 0)],
)

# The best pair, for all real learning rates and momenta: lr is eta L, and eta mu = lr / kappa.
pair = {"lr": real(), "beta": real(), "kappa": real()}


def worst(s):
    return maximum(radius(s.lr / s.kappa, s.beta), radius(s.lr, s.beta))


def converges(s):
    return [(s.kappa, ">", 1), (worst(s), "<", 1)]


def both_ends(r, beta):
    return (1 + r) * (r + beta) / ((1 - r) * (r - beta))


product = Step("(1) product", pair, lambda s: s.beta, lambda s: worst(s) * worst(s), converges)
flat_end = Step(
    "(2) flat end",
    pair,
    lambda s: (1 - worst(s)) * (worst(s) - s.beta),
    lambda s: s.lr / s.kappa * worst(s),
    converges,
)
steep_end = Step(
    "(3) steep end",
    pair,
    lambda s: s.lr * worst(s),
    lambda s: (1 + worst(s)) * (worst(s) + s.beta),
    converges,
)
divided = Step("(4) both ends", pair, lambda s: s.kappa, lambda s: both_ends(worst(s), s.beta), converges)
beta_out = Step(
    "(5) beta out",
    {"r": unit(), "beta": real()},
    lambda s: both_ends(s.r, s.beta),
    lambda s: (1 + s.r) / (1 - s.r) * ((1 + s.r) / (1 - s.r)),
    lambda s: [(s.beta, "<=", s.r * s.r), (s.r, ">", 0), (s.r, "<", 1)],
)
best_bound = Step(
    "no pair is better",
    pair,
    lambda s: (root(s.kappa) - 1) / (root(s.kappa) + 1),
    worst,
    lambda s: [(s.kappa, ">", 1)],
)
CHAIN = [product, flat_end, steep_end, divided]


def best_pair(k):
    """The learning rate for L = 1, and the factor, whose square is the momentum; k = sqrt(kappa)."""
    r = (k - 1) / (k + 1)
    return (2 * k / (k + 1)) * (2 * k / (k + 1)), r


def traces(s):
    lr, r = best_pair(s.k)
    both = [1 + r * r - lr / (s.k * s.k), 1 + r * r - lr]
    return [(tau * tau, 4 * r * r) for tau in both]


double_roots = weighted(traces, "(6) double roots", {"k": real()}, lambda s: [(s.k, ">", 1)])


def transient_factor(r, t):
    return (1 + (1 + r) * t) * power(r, t)


def between(s, share):
    """A curvature between mu = 1/k^2 and L = 1."""
    return share + (1 - share) / (s.k * s.k)


def heavy_transient(name, factor, sizes, relation="<="):
    """The squared distance after t steps, in d directions, against the squared factor."""

    def left(s):
        lr, r = best_pair(s.k)
        last = [ball(lr * between(s, y), r * r, c, count(s.t))[-1] for y, c in zip(s.share, s.start, strict=True)]
        return square(last)

    def right(s):
        f = factor(best_pair(s.k)[1], count(s.t))
        return f * f * square(s.start)

    variables = {"k": real(), "share": unit("d"), "start": real("d")}
    return Step(name, variables, left, right, lambda s: [(s.k, ">", 1)], relation, sizes)


STEPS = {"d": (1, 2), "t": (1, 2, 5)}
transient = heavy_transient("(7) transient", transient_factor, STEPS)
no_transient = heavy_transient("(7) transient, without the factor in t", power, STEPS)


# A smooth, strongly convex function: the slope is 1 up to `inner`, then mu for a length `outer`, then 1 again.
def bent_slope(s, x):
    a, mu = absolute(x), 1 / (s.k * s.k)
    middle = s.inner + mu * (a - s.inner)
    far = s.inner + mu * s.outer + (a - s.inner - s.outer)
    return sign(x) * if_(a, "<=", s.inner, a, if_(a, "<=", s.inner + s.outer, middle, far))


def on_a_bent_bowl(s):
    lr, r = best_pair(s.k)
    x = before = s.x
    for _ in range(count(s.t)):
        x, before = x - lr * bent_slope(s, x) + r * r * (x - before), x
    return absolute(x)


bent = Step(
    "(7) transient, strongly convex and smooth in place of quadratic",
    {"k": real(), "x": real(), "inner": nonnegative(), "outer": nonnegative()},
    on_a_bent_bowl,
    lambda s: transient_factor(best_pair(s.k)[1], count(s.t)) * absolute(s.x),
    lambda s: [(s.k, ">", 1)],
    sizes={"t": (8, 12)},
)

# Nesterov with eta = 1/L: heavy ball with the momentum beta a, a = 1 - lam. Here L = 1.
one_direction = {"lam": real(), "beta": real(), "now": real(), "before": real(), "lr": real()}


def nesterov_step(s):
    y = s.now + s.beta * (s.now - s.before)
    return y - s.lr * s.lam * y


def braked(s):
    beta = s.beta * (1 - s.lr * s.lam)
    return (1 + beta - s.lr * s.lam) * s.now - beta * s.before


a_braked_ball = Step("(1) a braked ball", one_direction, nesterov_step, braked, relation="=")


def usual(k):
    """Nesterov's momentum and the factor r for eta = 1/L."""
    return (k - 1) / (k + 1), 1 - 1 / k


def one_root(s):
    beta, r = usual(s.k)
    a = 1 - 1 / (s.k * s.k)
    return [((1 + beta) * (1 + beta) * a, 4 * beta), ((1 + beta) * a, 2 * r)]


double_root = weighted(one_root, "(2) double root", {"k": real()}, lambda s: [(s.k, ">", 1)])
others = Step(
    "(3) the others",
    {"k": real(), "share": unit()},
    lambda s: radius(between(s, s.share), usual(s.k)[0] * (1 - between(s, s.share))),
    lambda s: usual(s.k)[1],
    lambda s: [(s.k, ">", 1)],
)


def at_the_flat_end(s):
    return radius(1 / s.kappa, s.beta * (1 - 1 / s.kappa))


ends_again = {"kappa": real(), "beta": real()}


def flat_converges(s):
    return [(s.kappa, ">", 1), (at_the_flat_end(s), "<", 1)]


flat_again = Step(
    "(4) flat end",
    ends_again,
    lambda s: at_the_flat_end(s) * (1 - 1 / s.kappa - at_the_flat_end(s)),
    lambda s: s.beta * (1 - 1 / s.kappa) * (1 - at_the_flat_end(s)),
    flat_converges,
)
product_again = Step(
    "(5) product",
    ends_again,
    lambda s: (1 - at_the_flat_end(s)) * (1 - at_the_flat_end(s)),
    lambda s: 1 / s.kappa,
    flat_converges,
)


def look_ahead(lam, beta, start, steps, lr=1):
    """Nesterov's own iterates in one direction."""
    path = [start, start]
    for _ in range(steps):
        y = path[-1] + beta * (path[-1] - path[-2])
        path.append(y - lr * lam * y)
    return path[1:]


def nesterov_left(s):
    beta = usual(s.k)[0]
    last = [look_ahead(between(s, y), beta, c, count(s.t))[-1] for y, c in zip(s.share, s.start, strict=True)]
    return square(last)


def nesterov_right(s):
    r, t = usual(s.k)[1], count(s.t)
    factor = (1 + (1 - r) * t) * power(r, t)
    return factor * factor * square(s.start)


no_hump = Step(
    "(6) no hump",
    {"k": real(), "share": unit("d"), "start": real("d")},
    nesterov_left,
    nesterov_right,
    lambda s: [(s.k, ">", 1)],
    sizes=STEPS,
)


# Nesterov on a smooth, strongly convex function, which the chapter quotes: the bent bowl again.
def bent_height(s, x):
    """The integral of `bent_slope` from 0."""
    a, mu = absolute(x), 1 / (s.k * s.k)
    inner = s.inner * s.inner / 2
    b = minimum(a - s.inner, s.outer + 0 * a)
    c = a - s.inner - s.outer
    middle = inner + s.inner * b + mu * b * b / 2
    far = middle + (s.inner + mu * s.outer) * c + c * c / 2
    return if_(a, "<=", s.inner, a * a / 2, if_(c, "<=", 0, middle, far))


def nesterov_on_a_bent_bowl(s):
    x = before = s.x
    for _ in range(count(s.t)):
        y = x + usual(s.k)[0] * (x - before)
        x, before = y - bent_slope(s, y), x
    return bent_height(s, x)


strongly_convex = Step(
    "the theorem, any strongly convex function",
    {"k": real(), "x": real(), "inner": nonnegative(), "outer": nonnegative()},
    nesterov_on_a_bent_bowl,
    lambda s: power(usual(s.k)[1], count(s.t)) * (bent_height(s, s.x) + s.x * s.x / (2 * s.k * s.k)),
    lambda s: [(s.k, ">", 1)],
    sizes={"t": (1, 2, 4, 8)},
)


# Nesterov has a better pair for quadratics: eta = 4 / (3 L + mu), between 1/L and 4/(3 L), and less momentum.
def nesterov_factor(lr, beta, kappa):
    """The larger modulus at the two ends, where it is largest; L = 1."""
    return maximum(*(radius(lr * lam, beta * (1 - lr * lam)) for lam in (1 / kappa, 1 + 0 * kappa)))


def factor_above(s):
    return nesterov_factor(1 + s.more / 3, s.beta, s.kappa)


any_rate = Step(
    "(5) product, with any learning rate",
    {"kappa": real(), "more": unit(), "beta": unit()},
    lambda s: (1 - factor_above(s)) * (1 - factor_above(s)),
    lambda s: 1 / s.kappa,
    lambda s: [(s.kappa, ">", 1), (factor_above(s), "<", 1)],
)
same_room = Step(
    "Nesterov has heavy ball's room",
    {"s": nonnegative(), "beta": unit()},
    lambda s: radius(s.s, s.beta * (1 - s.s)),
    lambda s: 1 + 0 * s.s,
    lambda s: [(s.s, "<", 2 * (1 + s.beta)), (s.s, ">", 0), (s.beta, "<", 1), (2 * s.beta, ">=", 1)],
)


# The cloud: x and x_{t-1} are drawn together, with weights p; the noise xi on its own, with mean zero.
def mean(p, numbers):
    return dot(p, numbers) / total(p)


def centred(s):
    return [x - mean(s.q, s.xi) for x in s.xi]


def moments(s, together):
    """(E x_{t+1}^2, E x_{t+1} x_t) by enumeration, and by the recursion."""
    c, xi = 1 + s.beta - s.lr * s.lam, centred(s)
    s2 = mean(s.q, [x * x for x in xi])
    cases, p = list(zip(s.q, s.now, s.before, xi, strict=True)), s.q  # one draw decides about all three
    if not together:
        noise = list(zip(s.q, xi, strict=True))
        cases = [(p * q, a, b, x) for p, a, b in zip(s.p, s.now, s.before, strict=True) for q, x in noise]
        p = s.p
    weights = [case[0] for case in cases]
    after = [a - s.lr * (s.lam * a + x) + s.beta * (a - b) for _, a, b, x in cases]
    V, W = (mean(p, [a * a for a in numbers]) for numbers in (s.now, s.before))
    C = mean(p, [a * b for a, b in zip(s.now, s.before, strict=True)])
    left = mean(weights, [a * a for a in after]), mean(weights, [a * x[1] for a, x in zip(after, cases, strict=True)])
    right = c * c * V - 2 * c * s.beta * C + s.beta * s.beta * W + s.lr * s.lr * s2, c * V - s.beta * C
    return list(zip(left, right, strict=True))


noisy = {"lr": real(), "lam": real(), "beta": real(), "now": real("n"), "before": real("n")}
noisy |= {"p": nonnegative("n"), "q": nonnegative("n"), "xi": real("n")}


def possible(s):
    return [(total(s.p), ">", 0), (total(s.q), ">", 0)]


second_moments = weighted(lambda s: moments(s, False), "(1) second moments", noisy, possible, {"n": (1, 2)})
not_independent = weighted(
    lambda s: moments(s, True), "(1) second moments, noise that knows the state", noisy, possible, {"n": (2,)}
)


def fixed_point(s):
    """V and C from the three equations, by Cramer's rule; c = 1 + beta - eta lambda."""
    c = 1 + s.beta - s.lr * s.lam
    rows = [[1 - c * c, 2 * c * s.beta, -s.beta * s.beta], [-c, 1 + s.beta, 0], [-1, 0, 1]]
    noise = [s.lr * s.lr * s.s2, 0, 0]
    full = determinant(rows)
    solved = [
        determinant([row[:j] + [x] + row[j + 1 :] for row, x in zip(rows, noise, strict=True)]) / full for j in (0, 1)
    ]
    return c, *solved


def steady(s):
    z = s.lr * s.lam
    return [(s.beta, "<", 1), (s.lam, ">", 0), (z, ">", 0), (z, "<", 2 * (1 + s.beta))]


steady_state = {"lr": nonnegative(), "lam": nonnegative(), "beta": unit(), "s2": nonnegative()}


def of_fixed_point(name, left, right):
    return Step(
        name, steady_state, lambda s: left(s, *fixed_point(s)), lambda s: right(s, *fixed_point(s)), steady, "="
    )


def rest(s):
    return (1 - s.beta) / (1 + s.beta)


covariance = of_fixed_point("(2) covariance", lambda s, c, V, C: (1 + s.beta) * C, lambda s, c, V, C: c * V)
variance = of_fixed_point(
    "(3) variance",
    lambda s, c, V, C: V * (1 - s.beta * s.beta - c * c * rest(s)),
    lambda s, c, V, C: s.lr * s.lr * s.s2,
)
cloud = of_fixed_point(
    "(4) factorised",
    lambda s, c, V, C: V,
    lambda s, c, V, C: s.lr * s.s2 * (1 + s.beta) / (s.lam * (1 - s.beta) * (2 * (1 + s.beta) - s.lr * s.lam)),
)


def against_sgd(name, relation="<="):
    """z is the effective learning rate times the curvature; SGD converges below 2."""
    return Step(
        name,
        {"z": nonnegative(), "beta": unit()},
        lambda s: s.z / (2 - rest(s) * s.z),
        lambda s: s.z / (2 - s.z),
        lambda s: [(s.z, "<", 2), (s.beta, "<", 1)],
        relation,
    )


below_sgd = against_sgd("(5) at most SGD's")
same_cloud = against_sgd("one effective rate, one cloud", "=")


# Nesterov without strong convexity, L = 1: some coordinates are quadratic, one is steep near its bottom and then flat.
def convex_value(s, x):
    """lam x^2 / 2 in every coordinate, and in the last one Huber's function of width `width` besides."""
    a = absolute(x[-1])
    last = if_(a, "<=", s.width, a * a / 2, s.width * a - s.width * s.width / 2)
    return total(lam * y * y / 2 for lam, y in zip(s.lam, x[:-1], strict=True)) + last


def convex_slope(s, x):
    last = if_(absolute(x[-1]), "<=", s.width, x[-1], sign(x[-1]) * s.width)
    return [lam * y for lam, y in zip(s.lam, x[:-1], strict=True)] + [last]


def growing(t):
    """The momentum of step t = 0, 1, ...: 0, 0, 1/4, 2/5, ..."""
    return Fraction(max(t - 1, 0), t + 2)


def growing_run(s, steps):
    x = before = s.start + [s.x]
    for t in range(steps):
        y = [a + growing(t) * (a - b) for a, b in zip(x, before, strict=True)]
        x, before = [a - g for a, g in zip(y, convex_slope(s, y), strict=True)], x
    return convex_value(s, x)


def without_bottom(name, share):
    return Step(
        name,
        {"lam": unit("d"), "start": real("d"), "width": nonnegative(), "x": real()},
        lambda s: growing_run(s, count(s.t)),
        lambda s: share * 2 * square(s.start + [s.x]) / ((count(s.t) + 1) * (count(s.t) + 1)),
        sizes={"d": (1, 2), "t": (1, 2, 4, 8)},
    )


# One step of it, with x* = 0 and f* = 0: z is z_t, a = (t + 2)/2; `now` and `after` are the losses of x_t and x_{t+1}.
def below(s, point):
    """What convexity and the descent lemma say about `after`, seen from a point."""
    y = [((s.a - 1) * x + z) / s.a for x, z in zip(s.x, s.z, strict=True)]
    return dot(s.g, [a - b for a, b in zip(y, point, strict=True)]) - square(s.g) / (2 * s.L)


def potential_after(s):
    z = [c - s.a / s.L * g for c, g in zip(s.z, s.g, strict=True)]
    return s.a * s.a * s.after + s.L / 2 * square(z)


potential_falls = Step(
    "the potential falls",
    {"a": real(), "L": nonnegative(), "x": real("d"), "z": real("d"), "g": real("d")}
    | {"now": nonnegative(), "after": nonnegative()},
    potential_after,
    lambda s: (s.a - Fraction(1, 2)) * (s.a - Fraction(1, 2)) * s.now + s.L / 2 * square(s.z),
    lambda s: [
        (s.L, ">", 0),
        (s.a, ">=", 1),
        (s.after, "<=", s.now + below(s, s.x)),
        (s.after, "<=", below(s, [0 * x for x in s.x])),
    ],
    sizes={"d": (1, 2)},
)
no_bottom = without_bottom("the theorem, the promise", 1)
half_of_it = without_bottom("the theorem, half the promise", Fraction(1, 2))

LOOKAHEAD = "Lemma: where Nesterov looks"
THEOREMS = {
    LOOKAHEAD: [torch_buffer, torch_step],
    "Theorem: heavy ball on a quadratic": [decoupled, eigenvalues, factorised, modulus, stable],
    "Theorem: the best pair": [
        *(*CHAIN, beta_out, best_bound, double_roots, transient),
    ],
    "Theorem: Nesterov on a quadratic": [a_braked_ball, double_root, others, flat_again, product_again, no_hump],
    "Theorem: the cloud of stochastic heavy ball": [second_moments, covariance, variance, cloud, below_sgd],
    "Nesterov, strongly convex": [strongly_convex],
    "Nesterov without strong convexity": [potential_falls, no_bottom],
}
BROKEN = {
    LOOKAHEAD: [torch_schedule],
    "Theorem: heavy ball on a quadratic": [minimum_printed, stable_flat, slower],
    "Theorem: the best pair": [no_transient, bent],
    "Theorem: Nesterov on a quadratic": [any_rate, same_room],
    "Theorem: the cloud of stochastic heavy ball": [not_independent, same_cloud],
    "Nesterov without strong convexity": [half_of_it],
}
