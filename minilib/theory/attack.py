"""The adversary: instances that satisfy the assumptions of a step and are otherwise as mean as can be.

Hypothesis draws instances with zeros, equal entries, one entry alone, exact cancellation, both ends of every interval,
and sizes from 1e-150 to 1e150. Then each of many starts, the tightest of these among them, climbs towards the largest
left side beside the right. What looks broken counts only when `judge`, which does not round, agrees, and is then made
simpler as long as it stays broken. Absent on purpose: a proof. What stands unbroken has been attacked, no more.
"""

import math
import random
import time
from dataclasses import dataclass
from fractions import Fraction

from minilib import needs
from minilib.theory.arithmetic import compare
from minilib.theory.steps import FAILURES, Step, convert, flat, judge, namespace, verdict
from minilib.theory.strategies import PLAIN, into, mean_instances, sizes_of

TIGHTEST = 12


@dataclass
class Attack:
    """What an attack found. `least_slack` is (right - left) / max(|left|, |right|), `largest_share` left / right."""

    step: str
    attacks: int
    least_slack: float
    largest_share: float
    counterexample: dict | None
    by: str | None
    seconds: float

    def __str__(self) -> str:
        """Such as 'short step: stands after 812 attacks, 0.97 of the bound reached', or what breaks it."""
        if self.counterexample is None:
            reached = f"{self.largest_share:.3g} of the bound reached" if math.isfinite(self.largest_share) else "-"
            return f"{self.step}: stands after {self.attacks} attacks, {reached}"
        numbers = ", ".join(f"{name} = {plain(value)}" for name, value in self.counterexample.items())
        return f"{self.step}: broken by {numbers}"


def plain(x) -> str:
    """Nested lists of fractions as a person writes them: [1, -1/2]."""
    return f"[{', '.join(map(plain, x))}]" if isinstance(x, list) else str(x)


def attack(step: Step, draws: int = 300, starts: int = 8, climb: int = 60, seed: int = 0, first=()) -> Attack:
    """Attack a step; the same seed makes the same attack.

    Args:
        draws: instances drawn by hypothesis, shrinking not counted.
        starts, climb: starts of the ascent, and moves from each.
        first: instances to try before all others, say from a step that they broke.
    """
    begin, tally = time.perf_counter(), Tally(step)
    found, by = next((instance for instance in first if tally.broken(instance)), None), "given"
    if found is None:
        found, by = _draw(tally, draws, seed), "hypothesis"
    if found is None:
        found, by = _ascend(tally, starts, climb, random.Random(seed)), "ascent"
    found = found and simplest(step, found)
    seconds = time.perf_counter() - begin
    by = by if found else None
    return Attack(step.name, tally.attacks, tally.least_slack, tally.largest_share, found, by, seconds)


class Tally:
    """Counts the instances inside the assumptions, and remembers the tightest, from exact sides."""

    def __init__(self, step: Step):
        self.step, self.attacks, self.least_slack, self.largest_share = step, 0, math.inf, -math.inf
        # slack above zero, the sides' distance (which decides where a side is 0, and the slack 1), and the instance:
        self.tight: list[tuple[float, float, dict]] = []  # the ascent starts from these

    def broken(self, instance: dict) -> bool:
        answer, left, right = judge(self.step, instance)
        self.attacks += answer != "outside"
        if left is not None and right is not None:
            slack, apart = self.note(left, right)
            if 1e-9 < slack < 2:
                self.tight = sorted([*self.tight, (slack, apart, instance)], key=lambda row: row[:2])[:TIGHTEST]
        return answer in FAILURES

    def note(self, left, right) -> tuple[float, float]:
        with needs("prove"):
            from mpmath import workprec
        with workprec(1000):
            return self._note(middle(left), middle(right))

    def _note(self, left, right) -> tuple[float, float]:
        size = max(abs(left), abs(right))
        slack = float((right - left) / size) if size else 0.0
        slack = abs(slack) if self.step.relation == "=" else slack
        if size:
            self.least_slack = min(self.least_slack, slack)
        if right > 0:
            self.largest_share = max(self.largest_share, float(left / right))
        return slack, float(abs(right - left))

    def gap(self, instance: dict) -> tuple[float, float] | None:
        """(left - right) / larger side and left - right, in floats: what an ascent makes larger, the first first.

        Where one side is 0 the first is -1 all the way to the boundary, and only the second has a slope. None outside
        the assumptions or beyond what floats hold.
        """
        try:
            s = namespace(instance, float)
            if not all(compare(*premise) for premise in self.step.premises(s)):
                return None
            left, right = self.step.left(s), self.step.right(s)
        except (ArithmeticError, ValueError):
            return None
        size = max(abs(left), abs(right))
        if not 1e-200 < size < math.inf:
            return None
        apart = abs(left - right) if self.step.relation == "=" else left - right
        return apart / size, apart


def middle(x):
    """A number, or the middle of an interval, in mpmath's floats of any size."""
    from mpmath import mpf

    if isinstance(x, int | float):
        return mpf(x)
    return mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpf(x.mid.a)


def _draw(tally: Tally, draws: int, seed: int) -> dict | None:
    with needs("prove"):
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.errors import NoSuchExample, Unsatisfiable
    rules = settings(
        max_examples=draws,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    try:
        return find(mean_instances(tally.step), tally.broken, settings=rules, random=random.Random(seed))
    except (NoSuchExample, Unsatisfiable):
        return None


def simplest(step: Step, instance: dict, trials: int = 150) -> dict:
    """A broken instance with simpler numbers: every number in turn is tried as 0, 1, -1, 2 and with fewer digits.

    What is undefined there stays undefined, and what is broken stays broken.
    """
    fails = verdict(step, instance)
    for k in range(sum(len(flat(instance[name])) for name in step.variables)):
        old = [x for name in step.variables for x in flat(instance[name])][k]
        for new in [x for x in (Fraction(0), *map(Fraction, (1, -1, 2)), Fraction(round(old))) if x != old]:
            leaves = iter(
                [new if i == k else x for i, x in enumerate(flat([instance[name] for name in step.variables]))]
            )
            other = instance | {
                name: convert(instance[name], lambda _, leaves=leaves: next(leaves)) for name in step.variables
            }
            trials -= 1
            if verdict(step, other) == fails:
                instance = other
                break
            if trials <= 0:
                return instance
    return instance


def _ascend(tally: Tally, starts: int, climb: int, rng: random.Random) -> dict | None:
    """Climb in floats; a summit above the bound is simplified and judged without rounding."""
    step, tight = tally.step, [instance for *_, instance in tally.tight]
    for k in range(starts):
        sizes, here, height, pace = rng.choice(sizes_of(step)), None, (-math.inf,), 1.0
        if k % 4 < 3 and k - k // 4 < len(tight):
            here = tight[k - k // 4]
            sizes = {name: here[name] for name in step.sizes}
        for _ in range(climb):
            there = _move(step, sizes, here, pace, rng)
            gap = tally.gap(there)
            tally.attacks += gap is not None
            if gap is not None and gap > height:
                here, height, pace = there, gap, min(2 * pace, 2.0)
            else:
                pace *= 0.9
        for digits in (1, 10, 1000, 10**9, None) if height[0] > 0 else (None,) if here else ():
            exact = {name: value if name in sizes else _simple(value, digits) for name, value in here.items()}
            if tally.broken(exact):
                return exact
    return None


def _move(step, sizes, here, pace, rng):
    result = dict(sizes)
    for name, variable in step.variables.items():
        lengths = [sizes[size] for size in variable.shape]
        old = iter(flat(here[name]) if here else [])

        def entry(variable=variable, old=old):
            x = next(old, None)
            if x is None:
                x = rng.choice((rng.gauss(0, 1), 10 ** rng.uniform(-3, 3), float(rng.choice(PLAIN))))
            else:
                x = float(x)
                x = rng.choice((x, x, x, x, x * math.exp(pace * rng.gauss(0, 1)), x + pace * rng.gauss(0, 1), 0.0))
            return into(x, variable)

        filled = _fill(lengths, entry)
        result[name] = filled if here else _alone(filled, rng)
    return result


def _fill(lengths, entry):
    return [_fill(lengths[1:], entry) for _ in range(lengths[0])] if lengths else entry()


def _alone(x, rng):
    """In a third of the vectors one entry alone."""
    if isinstance(x, list) and not isinstance(x[0], list) and rng.random() < 1 / 3:
        return [x[0]] + [0.0] * (len(x) - 1)
    return [_alone(part, rng) for part in x] if isinstance(x, list) and isinstance(x[0], list) else x


def _simple(x, digits):
    if isinstance(x, list):
        return [_simple(part, digits) for part in x]
    return Fraction(x).limit_denominator(digits) if digits else Fraction(x)
