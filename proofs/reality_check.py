"""How often chance separates two methods, the best of k trials, and the winner's curse.

Joint distributions are the adversary's: outcomes j with weights w_j, which are divided by their sum. An equation for
every rank, or for every k, is one step: both sides are added up with coefficients `y` that the adversary chooses.
"""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb

from minilib.theory.arithmetic import dot, if_, maximum, minimum, total
from minilib.theory.steps import Step, nonnegative, real


def least(numbers):
    smallest, *others = numbers
    for x in others:
        smallest = minimum(smallest, x)
    return smallest


def largest(numbers):
    greatest, *others = numbers
    for x in others:
        greatest = maximum(greatest, x)
    return greatest


def ascending(numbers):
    """Sorted by exchanging neighbours, so that it works for symbols, too."""
    a = list(numbers)
    for end in range(len(a) - 1, 0, -1):
        for i in range(end):
            a[i], a[i + 1] = minimum(a[i], a[i + 1]), maximum(a[i], a[i + 1])
    return a


def average(numbers):
    numbers = list(numbers)
    return total(numbers) / len(numbers)


def expected(s, numbers):
    """The mean of one number an outcome."""
    return dot(s.w, numbers) / total(s.w)


def some_chance(s):
    return [(total(s.w), ">", 0)]


# --- False alarms of separation: 2s scores, all different, of two methods that differ in name only


def all_different(x):
    return [(a, "!=", b) for a, b in combinations(x, 2)]


def separated(ours, theirs):
    """1 where all scores of one method lie below all scores of the other."""
    below = if_(largest(ours), "<", least(theirs), 1, 0)
    return below + if_(largest(theirs), "<", least(ours), 1, 0)


def separations(x):
    """How many of the ways to give half of the scores to the first method separate the two."""
    ways = combinations(range(len(x)), len(x) // 2)
    return total(separated([x[i] for i in way], [x[i] for i in range(len(x)) if i not in way]) for way in ways)


def two_of_the_ways(name, assumptions, sizes):
    return Step(name, {"x": real("s2")}, lambda s: separations(s.x), lambda s: 2, assumptions, "=", sizes)


two_ways = two_of_the_ways("(1) two of the ways", lambda s: all_different(s.x), {"s2": (2, 4, 6)})
with_ties = two_of_the_ways("(1) two of the ways, scores that may be equal", lambda s: [], {"s2": (2, 4)})


def alarm_rate(name, ways):
    """The probability of separation, in outcomes j with weights w_j; `ways` lists what happens to an outcome."""

    def rate(s):
        return expected(s, [total([0 * s.w[0], *(separated(*way) for way in ways(x))]) / len(ways(x)) for x in s.x])

    return Step(
        name,
        {"w": nonnegative("J"), "x": real("J", "s2")},
        rate,
        lambda s: Fraction(2, comb(len(s.x[0]), len(s.x[0]) // 2)) + 0 * s.w[0],
        lambda s: [*some_chance(s), *(premise for x in s.x for premise in all_different(x))],
        "=",
        {"J": (1, 2), "s2": (2, 4)},
    )


def in_two_halves(x):
    return [(order[: len(x) // 2], order[len(x) // 2 :]) for order in permutations(x)]


def first_half_and_second(x):
    return [(x[: len(x) // 2], x[len(x) // 2 :])]


alarms = alarm_rate("(2) equally likely", in_two_halves)
alarms_unlike = alarm_rate("(2) methods that differ in more than the name", first_half_and_second)

# --- The expected best of k


def before(a, i, j):
    """1 where trial i ranks before trial j, else 0: it scores lower, or the same and stands first."""
    return if_(a[i], "<=", a[j], 1, 0) if i < j else if_(a[i], "<", a[j], 1, 0)


def rank(a, i):
    """0 for the best trial; ties are broken by position."""
    return total(before(a, j, i) for j in range(len(a)) if j != i)


def best_ranks(s, draws):
    """Coefficients y, added up over all draws of k trials: y[k - 1][i - 1] where the best drawn has rank i."""
    N = len(s.a)
    ranks = [rank(s.a, i) for i in range(N)]

    def y_at(k, place):
        return total(if_(place, "=", i, s.y[k - 1][i], 0) for i in range(N))

    return total(y_at(k, least([ranks[i] for i in drawn])) for k in range(1, N + 1) for drawn in draws(range(N), k))


def counted(s):
    N = len(s.a)
    return total(s.y[k - 1][i - 1] * comb(N - i, k - 1) for k in range(1, N + 1) for i in range(1, N + 1))


def formula(sorted_scores, k):
    """The theorem's sum."""
    N = len(sorted_scores)
    return total(comb(N - i, k - 1) * sorted_scores[i - 1] for i in range(1, N - k + 2)) / comb(N, k)


def mean_of_subsets(a, k):
    return average(least(chosen) for chosen in combinations(a, k))


def with_repeats(trials, k):
    return product(trials, repeat=k)


N = {"N": (1, 2, 3)}
ranked = {"a": real("N"), "y": real("N", "N")}
scores = {"a": real("N"), "y": real("N")}
counts = Step(
    "(1) subsets whose best has rank i", ranked, lambda s: best_ranks(s, combinations), counted, relation="=", sizes=N
)
drawn_with_repeats = Step(
    "(1) drawn with replacement",
    ranked,
    lambda s: best_ranks(s, with_repeats),
    counted,
    relation="=",
    sizes={"N": (2, 3)},
)


def over_k(s, number):
    """The sum of y_k times number(k)."""
    return total(s.y[k - 1] * number(k) for k in range(1, len(s.y) + 1))


def averaged(name, order):
    return Step(
        name,
        scores,
        lambda s: over_k(s, lambda k: mean_of_subsets(s.a, k)),
        lambda s: over_k(s, lambda k: formula(order(s.a), k)),
        relation="=",
        sizes=N,
    )


over_subsets = averaged("(2) mean over subsets", ascending)
unsorted = averaged("(2) with scores that are not sorted", list)


def exchangeable(s):
    """All reorderings of every outcome, each as likely as the others: [(its weight, scores)]."""
    return [(w, order) for w, x in zip(s.w, s.x, strict=True) for order in permutations(x)]


def as_given(s):
    return list(zip(s.w, s.x, strict=True))


def mean_over(outcomes, number):
    return total(w * number(x) for w, x in outcomes) / total(w for w, _ in outcomes)


def estimated(name, outcomes, sizes):
    """E of the estimate, and E min(X_1, ..., X_k); the adversary chooses any joint distribution."""
    return Step(
        name,
        {"w": nonnegative("J"), "x": real("J", "N"), "y": real("N")},
        lambda s: over_k(s, lambda k: mean_over(outcomes(s), lambda x: formula(ascending(x), k))),
        lambda s: over_k(s, lambda k: mean_over(outcomes(s), lambda x: least(x[:k]))),
        some_chance,
        relation="=",
        sizes=sizes,
    )


unbiased = estimated("(3) unbiased", exchangeable, {"J": (1, 2), "N": (1, 2)})
not_exchangeable = estimated("(3) for trials that are not exchangeable", as_given, {"J": (1, 2), "N": (2,)})

# --- The winner's curse: trials i with true scores mu_i, tuning noise e[j][i] in outcome j


def centred(s):
    """(F1): the noise of every trial, less its mean."""
    means = [expected(s, column) for column in zip(*s.e, strict=True)]
    return [[x - m for x, m in zip(row, means, strict=True)] for row in s.e]


def tuned(s, noise):
    """The tuning scores, a row an outcome."""
    return [[m + x for m, x in zip(s.mu, row, strict=True)] for row in noise]


def of_winner(scored, values):
    """The value of the trial with the lowest score; the first of several."""
    lowest, chosen = scored[0], values[0]
    for x, value in zip(scored[1:], values[1:], strict=True):
        chosen = if_(x, "<", lowest, value, chosen)
        lowest = minimum(lowest, x)
    return chosen


def winners_score(s, noise):
    """E S_J."""
    return expected(s, [least(row) for row in tuned(s, noise)])


def winners_mu(s, noise):
    """E mu_J."""
    return expected(s, [of_winner(row, s.mu) for row in tuned(s, noise)])


trials = {"w": nonnegative("J"), "mu": real("N"), "e": real("J", "N")}
outcomes = {"J": (1, 2, 3), "N": (1, 2, 3)}
low_score = Step(
    "(1) E S_J <= mu_i",
    trials,
    lambda s: winners_score(s, centred(s)),
    lambda s: least(s.mu),
    some_chance,
    sizes=outcomes,
)
biased_noise = Step(
    "(1) without (F1)",
    trials,
    lambda s: winners_score(s, s.e),
    lambda s: least(s.mu),
    some_chance,
    sizes=outcomes,
)
not_the_best = Step(
    "(2) the winner's mu",
    {"mu": real("N"), "S": real("N")},
    lambda s: least(s.mu),
    lambda s: of_winner(s.S, s.mu),
    sizes={"N": (1, 2, 3)},
)


def fresh_score(s, noise, fresh):
    """E F for fresh noise of outcome m, independent of the tuning noise."""
    rows = tuned(s, noise)
    return expected(
        s, [average(of_winner(row, [m + x for m, x in zip(s.mu, d, strict=True)]) for d in fresh) for row in rows]
    )


def centred_fresh(s):
    """Equally likely fresh noises with mean zero for every trial."""
    means = [average(column) for column in zip(*s.d, strict=True)]
    return [[x - m for x, m in zip(row, means, strict=True)] for row in s.d]


fresh = Step(
    "(3) E F = E mu_J",
    trials | {"d": real("M", "N")},
    lambda s: fresh_score(s, centred(s), centred_fresh(s)),
    lambda s: winners_mu(s, centred(s)),
    some_chance,
    relation="=",
    sizes={"J": (1, 2), "N": (1, 2), "M": (1, 2)},
)
reported_again = Step(
    "(3) when the tuned run is reported",
    trials,
    lambda s: winners_score(s, centred(s)),
    lambda s: winners_mu(s, centred(s)),
    some_chance,
    relation="=",
    sizes={"J": (1, 2), "N": (1, 2)},
)


def dependent(s):
    """E F where the fresh noise of every trial has mean zero, and knows the tuning outcome: minus its noise."""
    noise = centred(s)
    rows = zip(tuned(s, noise), noise, strict=True)
    return expected(s, [of_winner(row, [m - x for m, x in zip(s.mu, e, strict=True)]) for row, e in rows])


knows_the_tuning = Step(
    "(3) for fresh noise of mean zero that depends on the tuning",
    trials,
    dependent,
    lambda s: winners_mu(s, centred(s)),
    some_chance,
    relation="=",
    sizes={"J": (1, 2), "N": (1, 2)},
)


def gap(s, lucky=0):
    """E mu_J - E S_J; `lucky`: the best moment of the tuning run counts, so much below its end."""
    return winners_mu(s, centred(s)) - winners_score(s, centred(s)) + lucky


def largest_noise(s):
    """E max(-e_i)."""
    return expected(s, [largest([-x for x in row]) for row in centred(s)])


at_most_largest = Step("(4) at most the largest of N", trials, gap, largest_noise, some_chance, sizes=outcomes)
best_moment = Step(
    "(4) when the best moment of the run counts",
    trials | {"lucky": nonnegative()},
    lambda s: gap(s, s.lucky),
    largest_noise,
    some_chance,
    sizes={"J": (1, 2), "N": (1, 2)},
)

TIE, BEST, CURSE = "False alarms of separation", "Expected best of k trials", "The winner's curse"
THEOREMS = {
    TIE: [two_ways, alarms],
    BEST: [counts, over_subsets, unbiased],
    CURSE: [low_score, not_the_best, fresh, at_most_largest],
}
BROKEN = {
    TIE: [with_ties, alarms_unlike],
    BEST: [drawn_with_repeats, unsorted, not_exchangeable],
    CURSE: [biased_noise, reported_again, knows_the_tuning, best_moment],
}
EXEMPT = {CURSE: {"(5) sigma sqrt(2 ln N)": "has exponentials and a logarithm; evaluated on two kinds of noise"}}
