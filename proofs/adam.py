"""Adam's averages, the trap, the regret of AMSGrad, and the bound for Adam without momentum.

A coordinate that has seen nothing but zeros has v = 0 and a step of 0/0, which counts as 0: `over` says so. Where a
theorem has a logarithm, the step before it is attacked (1 + 1/2 + ... + 1/T for 1 + ln T), or both sides in the
exponent (step 9), where the first twelve terms of the series of e^x stand for e^x and are smaller.
"""

from types import SimpleNamespace

from minilib.theory.arithmetic import absolute, dot, if_, maximum, minimum, root, sign, square, total
from minilib.theory.steps import Step, Variable, nonnegative, real, unit
from proofs.sgd import pit, pit_slope


def over(a, b):
    """a / b, and 0 where b is 0."""
    return if_(b, "=", 0, 0 * a, a / if_(b, "=", 0, 1, b))


def power(x, k):
    result = 1 + 0 * x
    for _ in range(k):
        result = result * x
    return result


def average(beta, numbers):
    """(1 - beta) sum of beta^(t-s) x_s: the moving average from zero."""
    result = 0 * beta
    for x in numbers:
        result = beta * result + (1 - beta) * x
    return result


def squares(g):
    return [x * x for x in g]


# The averages. A gradient here is one coordinate's.
T3 = {"T": (1, 2, 3)}
BETAS = {"beta1": unit(), "beta2": unit()}
collected = Step(
    "bias correction: the mean collects the weight 1 - beta^t",
    {"beta": unit(), "mean": real(), "noise": real("T")},
    lambda s: average(s.beta, [s.mean + c for c in s.noise]),
    lambda s: (1 - power(s.beta, len(s.noise))) * s.mean + average(s.beta, s.noise),
    relation="=",
    sizes=T3,
)


def longest(name, assumptions):
    """m_hat^2 <= B_t^2 v_hat with ratio^2 = beta_1^2 / beta_2, all multiplied by what the corrections divide by."""

    def left(s):
        m = average(s.beta1, s.g)
        return m * m * (1 - s.beta2)

    def right(s):
        ratio = s.beta1 * s.beta1 / s.beta2
        sums = total(power(ratio, k) for k in range(len(s.g)))
        return (1 - s.beta1) * (1 - s.beta1) * average(s.beta2, squares(s.g)) * sums

    return Step(name, BETAS | {"g": real("T")}, left, right, assumptions, sizes=T3)


def with_memory(s):
    return [(s.beta2, ">", 0), (s.beta2, "<", 1), (s.beta1, "<", 1)]


longest_step = longest("the longest step", with_memory)
quoted = Step(
    "the longest step is (1 - beta_1) / sqrt(1 - beta_2) or 1, whichever is larger",
    longest_step.variables,
    lambda s: power(average(s.beta1, s.g), 2) * (1 - power(s.beta2, len(s.g))),
    lambda s: (
        maximum(1, power(1 - s.beta1, 2) / (1 - s.beta2))
        * power(1 - power(s.beta1, len(s.g)), 2)
        * average(s.beta2, squares(s.g))
    ),
    lambda s: [*with_memory(s), (10 * s.beta2, ">=", 1)],
    sizes=T3,
)
equal_betas = Step(
    "equal betas: no step beyond one learning rate",
    {"beta": unit(), "g": real("T")},
    lambda s: average(s.beta, s.g) * average(s.beta, s.g),
    lambda s: average(s.beta, squares(s.g)) * (1 - power(s.beta, len(s.g))),
    lambda s: [(s.beta, "<", 1)],
    sizes=T3,
)


# The trap: gradients C, -1, -1. One period with v before it and k of the periods behind, which need not be whole.
def second_moments(s):
    v1 = s.beta2 * s.v + (1 - s.beta2) * s.C * s.C
    v2 = s.beta2 * v1 + (1 - s.beta2)
    return v1, v2, s.beta2 * v2 + (1 - s.beta2)


def down(s):
    return s.lr * s.C / root((3 * s.k + 1) * second_moments(s)[0])


def up(s):
    _, v2, v3 = second_moments(s)
    return s.lr / root((3 * s.k + 2) * v2) + s.lr / root((3 * s.k + 3) * v3)


def longest_down(s):
    return s.lr / root((3 * s.k + 1) * (1 - s.beta2))


def shortest_up(s):
    return s.lr / root(2 * (1 - s.beta2)) * (1 / root(3 * s.k + 2) + 1 / root(3 * s.k + 3))


def bracket(b):
    return 1 / root(2 * (2 - b)) + 1 / root(3 * (1 + 2 * b - b * b))


def trap_rates(s):
    return [(s.lr, ">", 0), (s.lr * s.lr, "<", 1 - s.beta2)]


def forgetful(s):
    return [*trap_rates(s), (s.beta2 * (1 + s.C * s.C), "<=", 1)]


def in_trap(s):
    return [*forgetful(s), (s.v, "<=", s.C * s.C)]


def later(s):
    return [*in_trap(s), (s.k, ">=", 1)]


TRAP = {"C": Variable((), 2), "beta2": unit(), "lr": unit(), "v": nonnegative(), "k": nonnegative()}
FIRST = {name: variable for name, variable in TRAP.items() if name not in "vk"}


def at_start(side):
    """A side for the first period, where v and k are zero."""
    return lambda s: side(SimpleNamespace(**vars(s) | {"v": 0 * s.C, "k": 0 * s.C}))


newest = Step("(1) newest gradient", TRAP, lambda s: (1 - s.beta2) * s.C * s.C, lambda s: second_moments(s)[0], in_trap)
averaged = Step("(1) average", TRAP, lambda s: second_moments(s)[0], lambda s: s.C * s.C, in_trap)
step_down = Step("(2) step down", TRAP, down, longest_down, in_trap)
below_one = Step("(2) less than 1", TRAP, longest_down, lambda s: 1 + 0 * s.lr, in_trap)


def forgets_by_then(name, assumptions):
    return Step(name, TRAP, lambda s: maximum(*second_moments(s)[1:]), lambda s: 2 * (1 - s.beta2), assumptions)


v_forgets = forgets_by_then("(3) v forgets", in_trap)
v_remembers = forgets_by_then("(3) v forgets, any beta_2", lambda s: [*trap_rates(s), (s.v, "<=", s.C * s.C)])
steps_up = Step("(4) steps up", TRAP, shortest_up, up, in_trap)
steps_up_any = Step(
    "(4) steps up, any v that keeps (3)",
    {"beta2": unit(), "lr": unit(), "v2": nonnegative(), "v3": nonnegative(), "k": nonnegative()},
    shortest_up,
    lambda s: s.lr / root((3 * s.k + 2) * s.v2) + s.lr / root((3 * s.k + 3) * s.v3),
    lambda s: [(v, relation, end) for v in (s.v2, s.v3) for relation, end in ((">", 0), ("<=", 2 * (1 - s.beta2)))],
)
middle = Step("(5) middle", TRAP, longest_down, shortest_up, later)
middle_first = Step(
    "(5) middle, in the first period too",
    {"beta2": unit(), "lr": unit(), "k": nonnegative()},
    longest_down,
    shortest_up,
    trap_rates,
)
up_beats_down = Step("(5) up beats down", TRAP, down, up, later)
first_up = Step("(6) first period", FIRST, at_start(lambda s: down(s) * bracket(s.beta2)), at_start(up), forgetful)
first_bracket = Step(
    "(6) bracket",
    {"b": unit()},
    lambda s: 1 + 0 * s.b,
    lambda s: bracket(s.b),
    lambda s: [(5 * s.b, "<=", 1)],
)
THREE = {"down": unit(), "up1": nonnegative(), "up2": nonnegative()}


def capped(s):
    """The three positions after 1: one step down, two steps up."""
    second = 1 - s.down
    third = minimum(1, second + s.up1)
    return second, third, minimum(1, third + s.up2)


back = Step(
    "(7) back at 1",
    THREE,
    lambda s: capped(s)[2],
    lambda s: 1 + 0 * s.down,
    lambda s: [(s.down, "<=", s.up1 + s.up2)],
    "=",
)
positive = Step("(7) positive", THREE, lambda s: 1 - s.down, lambda s: minimum(*capped(s)[:2]))
one_period = Step(
    "(8) regret",
    {"C": Variable((), 2), "x2": Variable((), -1, 1), "x3": Variable((), -1, 1)},
    lambda s: 2 * s.C - 4,
    lambda s: s.C - s.x2 - s.x3 - (-s.C + 1 + 1),
)


def adam(g, lr, beta2, at, remembers=lambda used, v: v, corrected=False, end=1):
    """Projected Adam without momentum on [-end, end]: the positions it played and the v that each step divided by.

    `g` are the gradients, or functions of the position; `remembers(used, v)` is v for Adam, the larger for AMSGrad.
    """
    v = used = 0 * lr
    rest, positions, divisors, gradients = 1 + 0 * lr, [], [], []
    for t, slope in enumerate(g, start=1):
        slope = slope(at) if callable(slope) else slope
        v = beta2 * v + (1 - beta2) * slope * slope
        used = remembers(used, v)
        positions.append(at)
        gradients.append(slope)
        rest = rest * beta2  # beta_2^t
        divisors.append(used / (1 - rest) if corrected else used)
        at = minimum(end, maximum(-end, at - lr * over(slope, root(t * divisors[-1]))))
    return positions, divisors, gradients


def trap(name, assumptions, periods, corrected=False, variables=FIRST):
    """(2C - 4) for each period <= regret, start 1. The best fixed point is -1, since the slopes add up to C - 2 > 0."""

    def regret(s):
        one = 1 + 0 * s.C
        g = [s.C, -one, -one] * periods
        return dot(g, adam(g, s.lr, s.beta2, one, corrected=corrected)[0]) + total(g)

    return Step(name, variables, lambda s: periods * (2 * s.C - 4), regret, assumptions)


one_round_trip = trap("the theorem, one period", forgetful, 1)
whole_trap = trap("the theorem, three periods", forgetful, 3)
corrected_trap = trap("the theorem, three periods, with bias correction", forgetful, 3, corrected=True)
trap_remembers = trap("the theorem, any beta_2", trap_rates, 2, variables=FIRST | {"C": Variable((), 2, 10)})

# Regret. The losses of the adversary are f(x) = a x^2/2 + h|x| + b x with a, h >= 0, on [-end, end].
LOSS = {"a": nonnegative("T"), "h": nonnegative("T"), "b": real("T")}
ON = {"end": nonnegative(), "x": real(), "u": real()}


def on_interval(s):
    return [(absolute(s.x), "<=", s.end), (absolute(s.u), "<=", s.end)]


def loss(a, h, b, x):
    return a * x * x / 2 + h * absolute(x) + b * x


def slope(a, h, b, x):
    return a * x + h * sign(x) + b


convex = Step(
    "(1) convex",
    {"a": nonnegative(), "h": nonnegative(), "b": real(), "x": real(), "u": real()},
    lambda s: loss(s.a, s.h, s.b, s.x) - loss(s.a, s.h, s.b, s.u),
    lambda s: slope(s.a, s.h, s.b, s.x) * (s.x - s.u),
)


not_convex = Step(
    "(1) convex, for a loss that is not: without (A4)",
    convex.variables | {"a": real()},
    convex.left,
    convex.right,
)


def move(s):
    return minimum(s.end, maximum(-s.end, s.x - over(s.g, s.w)))


one_move = Step(
    "(2) one step",
    ON | {"g": real(), "w": nonnegative()},
    lambda s: 2 * s.g * (s.x - s.u),
    lambda s: s.w * (power(s.x - s.u, 2) - power(move(s) - s.u, 2)) + over(s.g * s.g, s.w),
    lambda s: [*on_interval(s), (if_(s.w, "=", 0, s.g * s.g, 0), "=", 0)],  # w = 0: all gradients so far were 0
)


def weights(name, remembers):
    """sqrt(t v_t) / lr in step t, and in the next one with the new gradient g."""

    def following(s):
        return remembers(s.v, s.beta2 * s.v + (1 - s.beta2) * s.g * s.g)

    return Step(
        name,
        {"beta2": unit(), "v": nonnegative(), "g": real(), "lr": nonnegative(), "t": nonnegative()},
        lambda s: root(s.t * s.v) / s.lr,
        lambda s: root((s.t + 1) * following(s)) / s.lr,
        lambda s: [(s.t, ">=", 1), (s.lr, ">", 0)],
    )


never_shrink = weights("(3) weights do not shrink", maximum)
adam_shrinks = weights("(3) weights do not shrink, for Adam", lambda used, v: v)


def rising(steps):
    """Weights from the steps between them, which are not negative."""
    return [total(steps[: k + 1]) for k in range(len(steps))]


def by_parts_step(name, variable, of):
    return Step(
        name,
        {"D": nonnegative(), "d": real("T"), "last": real(), "rise": variable},
        lambda s: total(w * (x * x - y * y) for w, x, y in zip(of(s.rise), s.d, [*s.d[1:], s.last], strict=True)),
        lambda s: s.D * s.D * of(s.rise)[-1],
        lambda s: [(absolute(x), "<=", s.D) for x in [*s.d, s.last]],
        sizes=T3,
    )


by_parts = by_parts_step("(4) by parts", nonnegative("T"), rising)
parts_shrink = by_parts_step("(4) by parts, without (3)", nonnegative("T"), list)
newest_square = Step(
    "(5) newest square",
    {"beta2": unit(), "v": nonnegative(), "g": real(), "lr": nonnegative(), "t": nonnegative()},
    lambda s: over(s.g * s.g * s.lr, root(s.t * (s.beta2 * s.v + (1 - s.beta2) * s.g * s.g))),
    lambda s: s.lr * absolute(s.g) / root(s.t * (1 - s.beta2)),
    lambda s: [(s.t, ">=", 1), (s.beta2, "<", 1), (s.lr, ">", 0)],
)


def harmonic(g):
    """1 + 1/2 + ... + 1/T."""
    return total((1 + 0 * g[0]) / t for t in range(1, len(g) + 1))


harmonic_cauchy = Step(
    "(5) Cauchy-Schwarz",
    {"g": real("T")},
    lambda s: power(total(absolute(x) / root(t + 0 * x) for t, x in enumerate(s.g, start=1)), 2),
    lambda s: harmonic(s.g) * square(s.g),
    sizes=T3,
)


def regret(name, remembers, bound, corrected=False, assumptions=lambda s: []):
    """Regret against any point u of the interval, for the adversary's convex losses, start and learning rate."""

    def play(s):
        g = [lambda x, row=row: slope(*row, x) for row in zip(s.a, s.h, s.b, strict=True)]
        return adam(g, s.lr, s.beta2, s.x, remembers, corrected, s.end)

    def left(s):
        rows = list(zip(s.a, s.h, s.b, strict=True))
        return total(loss(*row, x) - loss(*row, s.u) for row, x in zip(rows, play(s)[0], strict=True))

    def right(s):
        _, v, g = play(s)
        return bound(s, 2 * s.end, v[-1], g)

    def premises(s):
        return [*on_interval(s), (s.beta2, "<", 1), (s.lr, ">", 0), *assumptions(s)]

    return Step(name, LOSS | ON | {"beta2": unit(), "lr": nonnegative()}, left, right, premises, sizes=T3)


def mended(s, D, v, g):
    """D^2 sqrt(T v_T) / (2 eta) + eta sqrt(1 + 1/2 + ... + 1/T) |g| / (2 sqrt(1 - beta_2))."""
    other = s.lr * root(harmonic(g) * square(g)) / root(1 - s.beta2)
    return D * D * root(len(g) * v) / (2 * s.lr) + other / 2


def printed(s, D, v, g):
    """Kingma and Ba's Theorem 4.1 for beta_1 = 0, in the limit rho -> 0, where its right side is smallest."""
    steepest = 0 * s.lr
    for x in g:
        steepest = maximum(steepest, absolute(x))
    rest = root(1 - s.beta2)
    first = D * D * root(len(g) * v) / (2 * s.lr)
    return first + s.lr * steepest * root(square(g)) / rest + D * D * steepest * rest / (2 * s.lr)


amsgrad = regret("(6) regret", maximum, mended)


def linear_regret(name, bound, corrected=False):
    """Of Adam for linear losses on [-1, 1], start 1, against the best fixed point."""

    def play(s):
        return adam(s.g, s.lr, s.beta2, 1 + 0 * s.lr, corrected=corrected)

    return Step(
        name,
        {"g": real("T"), "lr": nonnegative(), "beta2": unit()},
        lambda s: dot(s.g, play(s)[0]) + absolute(total(s.g)),
        lambda s: bound(s, 2, play(s)[1][-1], s.g),
        lambda s: [(s.beta2, "<", 1), (s.lr, ">", 0)],
        sizes=T3,
    )


adam_regret = linear_regret("regret of Adam, the bound of AMSGrad", mended)
kingma_ba = linear_regret("Theorem 4.1 of Kingma and Ba, as printed, beta_1 = 0", printed, corrected=True)


# Adam without momentum (Defossez et al.), one coordinate. `g` are the samples' gradients with their weights, so that
# E_t is a mean; `e` is the root of epsilon; the past is in v, at most the worst that t - 1 gradients can leave.
PAST = {"e": nonnegative(), "beta2": unit(), "v": nonnegative(), "more": nonnegative()}
SAMPLES = {"g": real("n"), "weight": nonnegative("n")} | PAST
N2 = {"n": (1, 2)}


def mean(s, numbers):
    return dot(s.weight, numbers) / total(s.weight)


def possible(s):
    return [(total(s.weight), ">", 0), (s.e, ">", 0), (s.beta2, "<", 1)]


def steepest(s, g):
    """The least R - sqrt(epsilon) that assumption (A3') allows, and `more`."""
    most = 0 * s.e
    for x in g:
        most = maximum(most, absolute(x))
    return most + s.more


def R(s):
    return steepest(s, s.g) + s.e


def tilde(s):
    """sqrt(epsilon + v~): the newest square replaced by its expectation."""
    return root(s.e * s.e + s.beta2 * s.v + mean(s, squares(s.g)))


def roots(s):
    """sqrt(epsilon + v) for each sample."""
    return [root(s.e * s.e + s.beta2 * s.v + x * x) for x in s.g]


def updates(s):
    return [x / r for x, r in zip(s.g, roots(s), strict=True)]


def exchange_price(s):
    p = mean(s, s.g)
    return absolute(mean(s, [p * x * (1 / r - 1 / tilde(s)) for x, r in zip(s.g, roots(s), strict=True)]))


def kappa(s):
    p, q = mean(s, s.g), mean(s, squares(s.g))
    sizes = [absolute(p * x) * q / r for x, r in zip(s.g, roots(s), strict=True)]
    return mean(s, sizes) / (tilde(s) * tilde(s))


def rho(s):
    p = mean(s, s.g)
    return mean(s, [absolute(p * x) * x * x / (r * r) for x, r in zip(s.g, roots(s), strict=True)]) / tilde(s)


def gain(s):
    """p^2 / sqrt(epsilon + v~)."""
    return mean(s, s.g) * mean(s, s.g) / tilde(s)


def share(s):
    return gain(s) / 4 + R(s) * mean(s, squares(updates(s)))


def sampled(name, left, right):
    return Step(name, SAMPLES, left, right, possible, sizes=N2)


exchange = sampled("(2) exchange", exchange_price, lambda s: kappa(s) + rho(s))
first_price = sampled("(3) first price", kappa, share)
second_price = sampled("(4) second price", rho, share)
left_over = sampled(
    "(5) what is left",
    lambda s: gain(s) / 2 - 2 * R(s) * mean(s, squares(updates(s))),
    lambda s: mean(s, s.g) * mean(s, updates(s)),
)


# The same for one sample and any q > 0 that is at most R^2; the mean over the samples follows. `past` is epsilon
# + beta_2 v.
def newest_root(s):
    return root(s.past + s.g * s.g)


def expected_root(s):
    return root(s.past + s.q)


def one_sample(name, left, right):
    return Step(
        f"{name}, one sample",
        {"p": real(), "g": real(), "q": nonnegative(), "past": nonnegative(), "R": nonnegative()},
        left,
        right,
        lambda s: [(s.past, ">", 0), (s.q, ">", 0), (s.q, "<=", s.R * s.R)],
    )


def kappa_one(s):
    return absolute(s.p * s.g) * s.q / (newest_root(s) * expected_root(s) * expected_root(s))


def rho_one(s):
    return absolute(s.p * s.g) * s.g * s.g / (newest_root(s) * newest_root(s) * expected_root(s))


def paid_one(s):
    return s.R * s.g * s.g / (newest_root(s) * newest_root(s))


exchange_one = one_sample(
    "(2) exchange",
    lambda s: absolute(s.p * s.g * (1 / newest_root(s) - 1 / expected_root(s))),
    lambda s: kappa_one(s) + rho_one(s),
)
first_price_one = one_sample("(3) first price", kappa_one, lambda s: s.p * s.p / (4 * expected_root(s)) + paid_one(s))
second_price_one = one_sample(
    "(4) second price", rho_one, lambda s: s.p * s.p * s.g * s.g / (4 * s.q * expected_root(s)) + paid_one(s)
)
points_along = Step(
    "(5) without its price: the mean step points along the gradient",
    {"g": Variable(("n",), -10, 10), "e": nonnegative()},
    lambda s: 0 * s.e,
    lambda s: total(s.g) * total(x / root(s.e * s.e + x * x) for x in s.g),
    lambda s: [(s.e, ">", 0)],
    sizes={"n": (3,)},
)


def geometric(beta, t):
    """1 + beta + ... + beta^(t-1)."""
    return total([power(beta, k) for k in range(t)])


# The past as a list of gradients, the last one replaced by its expectation; all at most R - sqrt(epsilon).
HISTORY = {"past": real("T"), "g": real("n"), "weight": nonnegative("n"), **PAST}


def largest_denominator(name, bound):
    def ones(s):
        return [*s.past, *s.g]

    def left(s):
        v = 0 * s.e
        for x in s.past:
            v = s.beta2 * v + x * x
        return root(s.e * s.e + s.beta2 * v + mean(s, squares(s.g)))

    def right(s):
        return (bound(s, ones(s)) + s.e) * root(geometric(s.beta2, len(s.past) + 1))

    variables = {name: variable for name, variable in HISTORY.items() if name != "v"}
    return Step(name, variables, left, right, possible, sizes=N2 | {"T": (1, 2)})


denominator = largest_denominator("(6) root", steepest)
guessed = largest_denominator("(6) root, R from the first gradient", lambda s, g: absolute(g[0]) + s.more)


# From here on a loss: the pit of SGD's chapter, whose slope is at most L w, and noise that is the same everywhere.
PIT = {"L": nonnegative(), "w": nonnegative(), "x": real(), "lr": nonnegative()}
NOISY = PIT | {"noise": real("n"), "weight": nonnegative("n")} | PAST


def pit_samples(s, x):
    """The samples' gradients at x: noise with mean zero beside the slope."""
    centre = mean(s, s.noise)
    return [pit_slope(s.L, s.w, x) + c - centre for c in s.noise]


def pit_R(s):
    centre = mean(s, s.noise)
    return s.L * s.w + steepest(s, [c - centre for c in s.noise]) + s.e


def rate(s, t):
    return s.lr * root(geometric(s.beta2, t))


def on_pit(s):
    return [*possible(s), (s.L, ">", 0), (s.lr, ">", 0)]


descent = Step(
    "(1) descent",
    PIT | {"u": real()},
    lambda s: pit(s.L, s.w, s.x - s.lr * s.u),
    lambda s: pit(s.L, s.w, s.x) - s.lr * pit_slope(s.L, s.w, s.x) * s.u + s.L * s.lr * s.lr * s.u * s.u / 2,
)


def one_step(name, t):
    """From any past of t - 1 >= 1 steps."""

    def after(s):
        g = pit_samples(s, s.x)
        u = [x / root(s.e * s.e + s.beta2 * s.v + x * x) for x in g]
        return u, [pit(s.L, s.w, s.x - rate(s, t) * y) for y in u]

    def right(s):
        slope, paid = pit_slope(s.L, s.w, s.x), 2 * pit_R(s) * rate(s, t) + s.L * rate(s, t) * rate(s, t) / 2
        return pit(s.L, s.w, s.x) - s.lr / (2 * pit_R(s)) * slope * slope + paid * mean(s, squares(after(s)[0]))

    def worst(s):
        most = pit_R(s) - s.e
        return [*on_pit(s), (s.v, "<=", most * most * geometric(s.beta2, t - 1))]

    return Step(name, NOISY, lambda s: mean(s, after(s)[1]), right, worst, sizes={"n": (2,)})


third_step = one_step("(7) one step", 3)


def histories(s, steps):
    """For t = 0 ... steps all (probability, x, v, sum of u^2 on the way)."""
    levels = [[(1 + 0 * s.e, s.x, 0 * s.e, 0 * s.e)]]
    for t in range(1, steps + 1):
        level = []
        for p, x, v, paid in levels[-1]:
            for w, g in zip(s.weight, pit_samples(s, x), strict=True):
                new = s.beta2 * v + g * g
                u = g / root(s.e * s.e + new)
                level.append((p * w / total(s.weight), x - rate(s, t) * u, new, paid + u * u))
        levels.append(level)
    return levels


def telescoped(name, steps, price=1, variables=NOISY):
    """(8) for the whole run: the theorem, but for the logarithm that (9) puts in the place of the squares."""

    def left(s):
        run = histories(s, steps)[:-1]
        return s.lr / (2 * pit_R(s)) * total(p * power(pit_slope(s.L, s.w, x), 2) for at in run for p, x, *_ in at)

    def right(s):
        rest = 1 - s.beta2
        cost = 2 * pit_R(s) * s.lr / root(rest) + s.L * s.lr * s.lr / (2 * rest)
        squares_paid = total(p * paid for p, _, _, paid in histories(s, steps)[-1])
        return pit(s.L, s.w, s.x) + price * cost * squares_paid

    variables = {name: variable for name, variable in variables.items() if name != "v"}
    return Step(name, variables, left, right, on_pit, sizes={"n": (2,)})


telescope = telescoped("(8) telescope", 2)
whole_bound = telescoped("the theorem up to its logarithm, three steps", 3)
free_noise = telescoped("the theorem without the price of the squares", 2, 0, NOISY | {"lr": unit()})


def exponential(x):
    """The first twelve terms of e^x, fewer than all where x > 0."""
    term = result = 1 + 0 * x
    for k in range(1, 12):
        term = term * x / k
        result = result + term
    return result


def ratios(s, keep):
    """The sum of a_t / (epsilon + S_t), and S_T; `keep` is the factor in S_t = keep S_{t-1} + a_t."""
    S = paid = 0 * s.e
    for a in s.a:
        S = keep * S + a
        paid = paid + a / (s.e + S)
    return paid, S


def log_sum(name, right):
    return Step(
        name,
        {"e": nonnegative(), "beta2": unit(), "a": nonnegative("T")},
        lambda s: exponential(ratios(s, s.beta2)[0]),
        lambda s: right(s, 1 + ratios(s, s.beta2)[1] / s.e),
        lambda s: [(s.e, ">", 0), (s.beta2, ">", 0), (s.beta2, "<", 1)],
        sizes=T3,
    )


log_of_last = log_sum("(9) log-sum", lambda s, last: last / power(s.beta2, len(s.a)))
no_floor = log_sum("(9) log-sum, without - T ln beta_2", lambda s, last: last)
largest_v = Step(
    "(9) largest v",
    {"g": real("T"), "beta2": unit(), "more": nonnegative(), "e": nonnegative()},
    lambda s: average(s.beta2, squares(s.g)),
    lambda s: (steepest(s, s.g) + s.e) * (steepest(s, s.g) + s.e),
    sizes=T3,
)
# `log` stands for ln(1 + R^2 / ((1 - beta_2) epsilon)) / T - ln beta_2, `squares` for sum_t E |u_t|^2.
together = Step(
    "(10) theorem",
    {name: nonnegative() for name in ("L", "R", "lr", "gap", "log", "d", "T", "sum", "squares")} | {"beta2": unit()},
    lambda s: s.sum / s.T,
    lambda s: (
        2 * s.R * s.gap / (s.lr * s.T)
        + (4 * s.d * s.R * s.R / root(1 - s.beta2) + s.lr * s.d * s.R * s.L / (1 - s.beta2)) * s.log
    ),
    lambda s: [
        (s.R, ">", 0),
        (s.lr, ">", 0),
        (s.T, ">=", 1),
        (s.beta2, "<", 1),
        (s.squares, "<=", s.d * s.T * s.log),
        (
            s.lr / (2 * s.R) * s.sum,
            "<=",
            s.gap + (2 * s.R * s.lr / root(1 - s.beta2) + s.L * s.lr * s.lr / (2 * (1 - s.beta2))) * s.squares,
        ),
    ],
)

TRAPPED, REPAIRED, BOUND = (
    "Theorem: Adam returns to the worst point",
    "Theorem: regret of AMSGrad",
    "Theorem: Adam without momentum",
)
THEOREMS = {
    "Propositions: Adam's averages": [collected, longest_step, equal_betas],
    TRAPPED: [
        newest,
        averaged,
        step_down,
        below_one,
        v_forgets,
        steps_up,
        steps_up_any,
        middle,
        up_beats_down,
        first_up,
        first_bracket,
        back,
        positive,
        one_period,
        one_round_trip,
        whole_trap,
        corrected_trap,
    ],
    REPAIRED: [convex, one_move, never_shrink, by_parts, newest_square, harmonic_cauchy, amsgrad],
    BOUND: [
        descent,
        exchange,
        exchange_one,
        first_price,
        first_price_one,
        second_price,
        second_price_one,
        left_over,
        denominator,
        third_step,
        telescope,
        log_of_last,
        largest_v,
        together,
        whole_bound,
    ],
}
BROKEN = {
    "Propositions: Adam's averages": [quoted],
    TRAPPED: [v_remembers, middle_first, trap_remembers],
    REPAIRED: [not_convex],
    "Regret of Adam, as first published": [adam_shrinks, parts_shrink, adam_regret, kingma_ba],
    BOUND: [points_along, guessed, no_floor, free_noise],
}
EXEMPT = {REPAIRED: {"(5) harmonic sum": "has a logarithm; that 1/2 + ... + 1/T is at most ln T is the area under 1/x"}}
