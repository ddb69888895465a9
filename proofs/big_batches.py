"""What one step is worth, two batch sizes, steps against examples.

Everything is exact: a batch of b samples, drawn with replacement, is the mean over one of n^b rows. A quadratic is
written around the point where it stands: f(x + p) - f(x) = G'p + p'Hp/2. `H` is a list of rows.
"""

from itertools import combinations, product
from types import SimpleNamespace

from minilib.theory.arithmetic import dot, square, total
from minilib.theory.steps import Step, nonnegative, real, unit


def mean(vectors):
    """The mean of a list of vectors, coordinate by coordinate."""
    return [total(column) / len(vectors) for column in zip(*vectors, strict=True)]


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def average(numbers):
    numbers = list(numbers)
    return total(numbers) / len(numbers)


def batches(samples, b):
    """The gradients of all batches of b samples, drawn with replacement."""
    return [mean(rows) for rows in product(samples, repeat=b)]


def noises(samples):
    """Each sample's gradient less their mean."""
    centre = mean(samples)
    return [minus(g, centre) for g in samples]


def trace(samples):
    """tr Sigma."""
    return average(square(a) for a in noises(samples))


# --- Theorem: one step at batch size b


def bent(H, p):
    """p'Hp."""
    return total(p[i] * H[i][j] * p[j] for i in range(len(p)) for j in range(len(p)))


def pull(s):
    """G'HG."""
    return bent(s.H, mean(s.g))


def shake(s):
    """tr(H Sigma)."""
    return average(bent(s.H, a) for a in noises(s.g))


def length(s):
    """|G|^2."""
    return square(mean(s.g))


def change(s, lr, drawn):
    """How much f changes on average when the step is lr times one of the gradients `drawn`."""
    G = mean(s.g)
    return average(-lr * dot(G, g) + lr * lr * bent(s.H, g) / 2 for g in drawn)


def best(s):
    """eta_max / (1 + B / b)."""
    return length(s) / pull(s) / (1 + shake(s) / pull(s) / len(s.draws))


def everywhere(s):
    return batches(s.g, len(s.draws))


def upwards(s):
    """The assumptions of the closed form: the full gradient meets positive curvature, and so does the parabola."""
    return [(pull(s), ">", 0), (pull(s) + shake(s) / len(s.draws), ">", 0)]


# `draws` has one entry a sample of the batch and is used for its length alone
quadratic = {"H": real("d", "d"), "g": real("n", "d"), "draws": unit("b")}
few = {"d": (1, 2), "n": (1, 2), "b": (1, 2, 3)}

expected = Step(
    "(1) expected loss after a step",
    quadratic | {"lr": real()},
    lambda s: change(s, s.lr, everywhere(s)),
    lambda s: -s.lr * length(s) + s.lr * s.lr / 2 * (pull(s) + shake(s) / len(s.draws)),
    relation="=",
    sizes=few,
)


def no_better(name, assumptions, rate=best, other=None):
    return Step(
        name,
        quadratic | ({} if other else {"lr": real()}),
        lambda s: change(s, rate(s), everywhere(s)),
        lambda s: change(s, other(s) if other else s.lr, everywhere(s)),
        assumptions,
        sizes=few,
    )


best_rate = no_better("(2) no other rate is better", upwards)
gain = Step(
    "(3) what it gains",
    quadratic,
    lambda s: -change(s, best(s), everywhere(s)),
    lambda s: length(s) * length(s) / (2 * pull(s)) / (1 + shake(s) / pull(s) / len(s.draws)),
    upwards,
    relation="=",
    sizes=few,
)


def diagonal(s):
    """The same for a Hessian with the entries of `h` on its diagonal."""
    H = [[h if i == j else 0 for j in range(len(s.h))] for i, h in enumerate(s.h)]
    return SimpleNamespace(**vars(s), H=H)


def on_diagonal(name, h, assumptions, rate=best, other=None):
    """`other` is the rate to be compared with, any one where it is not given."""
    full = no_better(name, assumptions, rate, other)
    return Step(
        name,
        {"h": h} | {key: v for key, v in full.variables.items() if key != "H"},
        lambda s: full.left(diagonal(s)),
        lambda s: full.right(diagonal(s)),
        lambda s: assumptions(diagonal(s)),
        sizes=few,
    )


# H = diag(1, -2), G = (1, 0), noise of 1 across
as_printed = on_diagonal("(2) with G'HG > 0 alone, as it was printed", real("d"), lambda s: [(pull(s), ">", 0)])
by_simple_scale = on_diagonal(
    "(2) on a bowl, with the simple noise scale for B",
    nonnegative("d"),
    lambda s: [(pull(s), ">", 0)],
    lambda s: length(s) / pull(s) / (1 + trace(s.g) / length(s) / len(s.draws)),
    other=best,
)
without_replacement = Step(
    "(1) for two samples drawn without replacement",
    {"H": real("d", "d"), "g": real("n", "d"), "lr": real()},
    lambda s: change(s, s.lr, [mean(two) for two in combinations(s.g, 2)]),
    lambda s: -s.lr * length(s) + s.lr * s.lr / 2 * (pull(s) + shake(s) / 2),
    relation="=",
    sizes={"d": (1, 2), "n": (2, 3)},
)

# --- Proposition: two batches. The small batch is one sample, or two of four and more


def mean_length(samples, b):
    return average(square(g) for g in batches(samples, b))


def sized(s):
    """The sizes of both batches: `small` samples, and `extra` on top of them."""
    return len(s.small), len(s.small) + len(s.extra)


two_sizes = {"g": real("n", "d"), "small": unit("s"), "extra": unit("more")}
sizes = {"d": (1, 2), "n": (1, 2, 3), "s": (1, 2), "more": (1, 2)}
batch_length = Step(
    "(1) length of a batch gradient",
    {"g": real("n", "d"), "draws": unit("b")},
    lambda s: mean_length(s.g, len(s.draws)),
    lambda s: square(mean(s.g)) + trace(s.g) / len(s.draws),
    relation="=",
    sizes={"d": (1, 2), "n": (1, 2, 3), "b": (1, 2, 3)},
)


def signal(s):
    small, big = sized(s)
    return (big * mean_length(s.g, big) - small * mean_length(s.g, small)) / (big - small)


def noise(s):
    """Times s b, so that no fraction is left: s b (|g_s|^2 - |g_b|^2) / (b - s)."""
    small, big = sized(s)
    return small * big * (mean_length(s.g, small) - mean_length(s.g, big)) / (big - small)


unbiased_signal = Step(
    "(2) signal is unbiased", two_sizes, signal, lambda s: square(mean(s.g)), relation="=", sizes=sizes
)
unbiased_noise = Step("(3) noise is unbiased", two_sizes, noise, lambda s: trace(s.g), relation="=", sizes=sizes)


def weighted(s, numbers):
    return dot(s.p, numbers) / total(s.p)


def ratios(s):
    return [n / g for n, g in zip(s.noise, s.signal, strict=True)]


def covariance(s):
    return weighted(s, [r * g for r, g in zip(ratios(s), s.signal, strict=True)]) - weighted(s, ratios(s)) * weighted(
        s, s.signal
    )


def bias(s):
    return weighted(s, ratios(s)) - weighted(s, s.noise) / weighted(s, s.signal)


def usable(s):
    """Some probability; no estimate of the signal is zero, and nor is the signal."""
    return [(total(s.p), ">", 0), (weighted(s, s.signal), "!=", 0), *((g, "!=", 0) for g in s.signal)]


# the adversary chooses the joint distribution of both estimates
estimates = {"p": nonnegative("k"), "signal": real("k"), "noise": real("k")}
bias_of_ratio = Step(
    "(4) bias of the ratio",
    estimates,
    bias,
    lambda s: -covariance(s) / weighted(s, s.signal),
    usable,
    relation="=",
    sizes={"k": (1, 2, 3)},
)
ratio_unbiased = Step(
    "(4) the ratio is unbiased", estimates, bias, lambda s: 0, usable, relation="=", sizes={"k": (1, 2, 3)}
)

# --- Theorem: steps against examples


def theta(s):
    return s.tau * (2 - s.tau)


def scale(s, F):
    """B(F) / b = sigma^2 / (2 c F b)."""
    return s.sigma2 / (2 * s.c * F * s.b)


def worth(s, F):
    """q(F)."""
    return theta(s) / (1 + scale(s, F))


def around(s, x, value, bends):
    """f(x - lr g) on average over points and batches: `bends` are the curvatures of the directions."""
    b, c = len(s.draws), s.c
    F = average(value(x) for x in s.x)
    lr = s.tau / c / (1 + trace(s.a) / (2 * c * F) / b)
    shifted = [mean(rows) for rows in product(noises(s.a), repeat=b)]
    moved = [[xi - lr * (h * xi + ai) for xi, h, ai in zip(x, bends, a, strict=True)] for x in s.x for a in shifted]
    return F, average(value(x) for x in moved)


def bowl(s, x):
    return s.c * square(x) / 2


def gained(s, value, bends):
    """(what a step gains, q(F) F) for x at one of several points, all equally likely."""
    F, after = around(s, s.x, value, bends)
    return F - after, theta(s) * F / (1 + trace(s.a) / (2 * s.c * F) / len(s.draws))


at_points = {"c": nonnegative(), "tau": unit(), "x": real("k", "d"), "a": real("n", "d"), "draws": unit("b")}
walking = {"k": (1, 2), "d": (1, 2), "n": (1, 2), "b": (1, 2)}


def one_step(name, value, bends, **options):
    return Step(
        name,
        at_points | options.pop("more", {}),
        lambda s: gained(s, lambda x: value(s, x), bends(s))[0],
        lambda s: gained(s, lambda x: value(s, x), bends(s))[1],
        lambda s: [(s.c, ">", 0), (average(value(s, x) for x in s.x), ">", 0)],
        relation="=",
        sizes=walking,
    )


def round_(s):
    return [s.c] * len(s.x[0])


step_gain = one_step("(1) gain of one step", bowl, round_)
raised = one_step(
    "(1) when the lowest loss is not 0", lambda s, x: bowl(s, x) + s.floor, round_, more={"floor": nonnegative()}
)
with_flat_direction = one_step(
    "(1) with a flat direction",
    lambda s, x: (s.c * x[0] * x[0] + total(s.flat * y * y for y in x[1:])) / 2,
    lambda s: [s.c, *[s.flat] * (len(s.x[0]) - 1)],
    more={"flat": nonnegative()},
)

run = {"c": nonnegative(), "tau": unit(), "sigma2": nonnegative(), "b": nonnegative(), "F": nonnegative()}


def after(s, F):
    """The loss after one step, by (1)."""
    return F * (1 - worth(s, F))


def integral(s, high, low, log):
    """Of dF / (F q(F)), with a rational function in place of the logarithm of high / low."""
    return (log(high / low) + s.sigma2 / (2 * s.c * s.b) * (1 / low - 1 / high)) / theta(s)


def below_log(x):
    """2 (x - 1) / (x + 1) <= ln x for x >= 1."""
    return 2 * (x - 1) / (x + 1)


def above_log(x):
    """x - 1 >= ln x."""
    return x - 1


def positive(s):
    return [(x, ">", 0) for x in (s.c, s.tau, s.b, s.F)]


def arrives(s):
    """The step does not end at zero, where a logarithm has no value; it would at tau = 1 without noise."""
    return [*positive(s), (after(s, s.F), ">", 0)]


at_most_integral = Step(
    "(2) a step is at most its integral",
    run,
    lambda s: 1,
    lambda s: integral(s, s.F, after(s, s.F), below_log),
    arrives,
)
integral_at_most = Step(
    "(2) which is at most 1/(1-theta)",
    run,
    lambda s: (1 - theta(s)) * integral(s, s.F, after(s, s.F), above_log),
    lambda s: 1,
    arrives,
)
too_good = Step(
    "(2) the integral is at most 1, whatever theta",
    run,
    lambda s: integral(s, s.F, after(s, s.F), below_log),
    lambda s: 1,
    arrives,
)


def soaring(s, F):
    """q(F) for noise that grows with the fourth power of the loss."""
    return theta(s) / (1 + s.sigma2 * F * F * F / (2 * s.c * s.b))


def integral_soaring(s):
    """Of 1 / (F q(F)) = (1/F + sigma2 F^2 / (2 c b)) / theta, over one step, and more than that: x - 1 for ln x."""
    low = s.F * (1 - soaring(s, s.F))
    cubes = (s.F * s.F * s.F - low * low * low) / 3
    return (above_log(s.F / low) + s.sigma2 / (2 * s.c * s.b) * cubes) / theta(s)


soaring_noise = Step(
    "(2) with noise that soars with the loss",
    run,
    lambda s: 1,
    integral_soaring,
    lambda s: [*positive(s), (s.F * (1 - soaring(s, s.F)), ">", 0)],
)


def losses(s):
    """F_0, ..., F_S for as many steps as `path` has entries."""
    F = [s.F]
    for _ in s.path:
        F.append(after(s, F[-1]))
    return F


def summed(s, log):
    F = losses(s)
    return total(integral(s, high, low, log) for high, low in zip(F, F[1:], strict=False))


def never_zero(s):
    return [*positive(s), (losses(s)[-1], ">", 0)]


path = run | {"path": unit("S")}
from_above = Step(
    "(3) S from above",
    path,
    lambda s: len(s.path),
    lambda s: summed(s, below_log),
    never_zero,
    sizes={"S": (1, 2, 3)},
)
from_below = Step(
    "(3) S from below",
    path,
    lambda s: (1 - theta(s)) * summed(s, above_log),
    lambda s: len(s.path),
    never_zero,
    sizes={"S": (1, 2, 3)},
)
integrand = Step(
    "(4) the integral",
    run,
    lambda s: 1 / (s.F * worth(s, s.F)),
    lambda s: (1 / s.F + s.sigma2 / (2 * s.c * s.b) / (s.F * s.F)) / theta(s),
    positive,
    relation="=",
)
hyperbola = Step(
    "(4) hyperbola",
    {"S_min": nonnegative(), "E_min": nonnegative(), "b": nonnegative()},
    lambda s: ((s.S_min + s.E_min / s.b) / s.S_min - 1) * (s.b * (s.S_min + s.E_min / s.b) / s.E_min - 1),
    lambda s: 1,
    lambda s: [(s.S_min, ">", 0), (s.E_min, ">", 0), (s.b, ">", 0)],
    relation="=",
)

ONE, TWO, STEPS = "Theorem: one step at batch size b", "Proposition: two batches", "Theorem: steps against examples"
THEOREMS = {
    ONE: [expected, best_rate, gain],
    TWO: [batch_length, unbiased_signal, unbiased_noise, bias_of_ratio],
    STEPS: [step_gain, at_most_integral, integral_at_most, from_above, from_below, integrand, hyperbola],
}
BROKEN = {
    ONE: [as_printed, by_simple_scale, without_replacement],
    TWO: [ratio_unbiased],
    STEPS: [raised, with_flat_direction, soaring_noise, too_good],
}
