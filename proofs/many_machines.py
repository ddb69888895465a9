"""The least traffic of an all-reduce. Its steps count messages; what is left to attack are the sums.

before[j] and after[j] numbers are delivered about coordinate j before and after somebody first holds its sum.
"""

from minilib.theory.arithmetic import maximum, total
from minilib.theory.steps import Step, nonnegative

COUNTS = {"before": nonnegative("d"), "after": nonnegative("d")}
SIZES = {"d": (1, 2, 3), "N": (2, 3, 5)}


def enough(s):
    return [(x, ">=", s.N - 1) for x in (*s.before, *s.after)]


together = Step(
    "(3) together",
    COUNTS,
    lambda s: 2 * (s.N - 1) * s.d,
    lambda s: total(s.before) + total(s.after),
    enough,
    sizes=SIZES,
)


def busiest(s):
    most = s.sent[0]
    for x in s.sent[1:]:
        most = maximum(most, x)
    return most


at_least_the_mean = Step(
    "(4) the busiest",
    {"sent": nonnegative("N")},
    lambda s: total(s.sent) / len(s.sent),
    busiest,
    sizes={"N": (2, 3)},
)
one_lap = Step(
    "(3) together, one lap only",
    COUNTS,
    lambda s: 2 * (s.N - 1) * s.d,
    lambda s: total(s.before) + total(s.after),
    lambda s: [(x, ">=", s.N - 1) for x in s.before],
    sizes=SIZES,
)

THEOREMS = {"Proposition: the least traffic": [together, at_least_the_mean]}
BROKEN = {"Proposition: the least traffic": [one_lap]}
COUNTED = "counts who has sent what; the cell walks through whole schedules, random trees among them"
EXEMPT = {"Proposition: the least traffic": {"(1) before": COUNTED, "(2) after": COUNTED}}
