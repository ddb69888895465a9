"""Instances of a step as mean as can be, for hypothesis to draw: all numbers exact.

Zeros, equal entries, one entry alone, opposite signs, exact cancellation, both ends of every interval, and in half of
the instances sizes from 1e-150 to 1e150 among the tame ones. Absent on purpose: whether the assumptions hold.
"""

from fractions import Fraction
from itertools import product

from minilib.theory.steps import Step, Variable

PLAIN = [Fraction(x) for x in (0, 1, -1, 2, -2, 3, Fraction(1, 2), Fraction(-1, 2), 10, Fraction(1, 10))]
WILD = [s * Fraction(10) ** k for k in (-150, -9, -3, 3, 9, 150) for s in (1, -1)]
PATTERNS = ("each for itself", "equal", "one alone", "opposite signs", "sum zero", "sign and size")


def sizes_of(step: Step) -> list[dict[str, int]]:
    """All combinations of the step's sizes, smallest first; one empty dictionary for a step without."""
    return [dict(zip(step.sizes, chosen, strict=True)) for chosen in product(*step.sizes.values())]


def mean_instances(step: Step):
    """The strategy that draws dictionaries {variable or size: value}, all numbers exact."""
    from hypothesis import strategies as st

    every_size = sizes_of(step)
    tame = st.sampled_from(PLAIN) | st.fractions(-5, 5, max_denominator=20)
    wild = tame | st.sampled_from(WILD)

    @st.composite
    def instances(draw):
        sizes = draw(st.sampled_from(every_size))
        number = wild if draw(st.booleans()) else tame
        result = dict(sizes)
        for name, variable in step.variables.items():
            lengths = [sizes[size] for size in variable.shape]
            inside = number.map(lambda x, v=variable: into(x, v))
            result[name] = _array(draw, lengths, inside, st.sampled_from(PATTERNS), variable)
        return result

    return instances()


def _array(draw, lengths, number, pattern, variable):
    if not lengths:
        return draw(number)
    first, *inner = lengths
    if inner:
        return [_array(draw, inner, number, pattern, variable) for _ in range(first)]
    chosen, entries = draw(pattern), [draw(number) for _ in range(first)]
    if chosen == "equal":
        entries = [entries[0]] * first
    elif chosen == "one alone":
        entries = [entries[0]] + [Fraction(0)] * (first - 1)
    elif chosen == "opposite signs":
        entries = [entries[0] * (-1) ** k for k in range(first)]
    elif chosen == "sum zero":
        entries[-1] = -sum(entries[:-1], Fraction(0))
    elif chosen == "sign and size":
        entries[0] = entries[0] * 10**9
    return [into(x, variable) for x in entries]


def into(x, variable: Variable):
    """x moved between the variable's bounds: by its size where only the sign is wrong."""
    if variable.low is not None and x < variable.low:
        x = max(-x, variable.low)
    if variable.high is not None and x > variable.high:
        x = variable.high / x if variable.low == 0 else variable.high
    return x
