"""A search for numbers that satisfy the assumptions of a statement and break it.

It draws instances with zeros, equal entries, one entry alone, sums that cancel, both ends of every interval, and sizes
from 1e-30 to 1e30. Then each of many starts, the tightest of these among them, climbs towards the largest left side
beside the right. What looks broken counts only when `judge`, with a thousand digits, agrees, and is then made simpler
as long as it stays broken. Absent on purpose: a proof. What stands has been attacked, no more.
"""

import contextlib
import itertools
import math
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

import numpy as np

from minilib.theory.statements import FAILURES, Statement, Variable, compare, converted, judge, numbers

TIGHTEST = 12
PLAIN = [Fraction(x) for x in (0, 1, -1, 2, -2, 3, Fraction(1, 2), Fraction(-1, 2), 10, Fraction(1, 8))]
WILD = [s * Fraction(2) ** k for k in (-100, -30, -10, 10, 30, 100) for s in (1, -1)]


@dataclass
class Attack:
    """What an attack found. `attacks` counts the instances inside the assumptions, `largest_share` is left / right."""

    claim: Statement
    attacks: int = 0
    largest_share: float = -math.inf
    counterexample: dict | None = None
    by: str | None = None
    tight: list[tuple] = field(default_factory=list)  # (gap, instance) where the sides were nearest, for the ascent

    def __str__(self) -> str:
        """Such as 'short step: stands after 812 attacks, 0.97 of the bound reached', or what breaks it."""
        if self.counterexample is None:
            reached = f"{self.largest_share:.3g} of the bound reached" if math.isfinite(self.largest_share) else "-"
            return f"{self.claim.name}: stands after {self.attacks} attacks, {reached}"
        values = ", ".join(f"{name} = {plain(value)}" for name, value in self.counterexample.items())
        return f"{self.claim.name}: broken by {values}"

    def breaks(self, instance: dict) -> bool:
        """Does it break the statement, without rounding? Counts it, and remembers how near it came."""
        answer, left, right = judge(self.claim, instance)
        self.attacks += answer != "outside"
        if right is not None:
            if right > 0:
                self.largest_share = max(self.largest_share, float(left / right))
            gap = _gap(self.claim, instance)
            if gap and gap[0] < -1e-9:
                self.tight = sorted([*self.tight, (gap, instance)], key=lambda row: row[0], reverse=True)[:TIGHTEST]
        return answer in FAILURES


def attack(claim: Statement, draws: int = 1000, starts: int = 16, climb: int = 60, seed: int = 0) -> Attack:
    """Attack a statement; the same seed makes the same attack.

    Args:
        draws: instances drawn.
        starts, climb: starts of the ascent, and moves from each.
    """
    found, rng = Attack(claim), Random(seed)
    summits = (summit for k in range(starts) for summit in _climb(found, k, climb, rng))
    for by, instances in {"draw": (_drawn(claim, rng, True) for _ in range(draws)), "ascent": summits}.items():
        broken = next((instance for instance in instances if found.breaks(instance)), None)
        if broken is not None:
            found.counterexample, found.by = simplest(claim, broken), by
            break
    return found


def plain(x) -> str:
    """A fraction, or an array of them, as a person writes it: [1, -1/2]."""
    return f"[{', '.join(map(plain, x))}]" if np.ndim(x) else str(x)


def _drawn(claim: Statement, rng: Random, exact: bool) -> dict:
    """An instance whose numbers come from a pool of one, two, three or many; assumptions are not looked at."""
    kinds = [lambda: rng.choice(PLAIN), lambda: Fraction(rng.randint(-100, 100), 2 ** rng.randint(0, 4))]
    kinds += [lambda: rng.choice(WILD)] * (rng.random() < 0.5)
    if not exact:
        kinds = [lambda: rng.gauss(0, 1), lambda: 10 ** rng.uniform(-3, 3), lambda: float(rng.choice(PLAIN))]
    pool = [rng.choice(kinds)() for _ in range(rng.choice((1, 2, 3, 40)))]
    instance = claim.instance(rng.choice(claim.all_sizes()), lambda v: into(rng.choice(pool), v))
    for name, v in claim.variables.items():
        for row in instance[name].reshape(-1, instance[name].shape[-1]) if v.shape else ():
            row[:] = [into(x, v) for x in _arranged([*row], rng)]
    return instance


def _arranged(x: list, rng: Random) -> list:
    """A vector by a pattern."""
    first, *rest = x
    patterns = {
        "each for itself": x,
        "equal": [first for _ in x],
        "one alone": [first, *(0 * y for y in rest)],
        "opposite signs": [first * (-1) ** k for k in range(len(x))],
        "sum zero": [*x[:-1], -sum(x[:-1], 0 * first)],
        "sign and size": [first * 2**30, *rest],
    }
    return patterns[rng.choice([*patterns])]


def into(x, variable: Variable):
    """x moved between the variable's bounds: by its size where only the sign is wrong."""
    if variable.low is not None and x < variable.low:
        x = max(-x, variable.low)
    if variable.high is not None and x > variable.high:
        x = variable.high / x if variable.low == 0 else variable.high
    return x


def _climb(found: Attack, k: int, climb: int, rng: Random):
    """The summit of climb k, which goes by floats, as fractions: the simpler ones first where it is above the bound."""
    claim, here, height, pace = found.claim, None, (-math.inf,), 1.0
    if k % 4 < 3 and k - k // 4 < len(found.tight):
        here = found.tight[k - k // 4][-1]

    def moved(x, variable):
        x = float(x)
        x = rng.choice((x, x, x, x, x * math.exp(pace * rng.gauss(0, 1)), x + pace * rng.gauss(0, 1), 0.0))
        return into(x, variable)

    for _ in range(climb):
        there = _drawn(claim, rng, exact=False) if here is None else _each(claim, here, moved)
        gap = _gap(claim, there, free_of_scale=k % 2 == 0)
        found.attacks += gap is not None
        if gap is not None and gap > height:
            here, height, pace = there, gap, min(2 * pace, 2.0)
        else:
            pace *= 0.9
    for digits in (1, 10, 1000, 10**9) if height[0] > 0 else ():
        yield _each(claim, here, lambda x, _, digits=digits: Fraction(x).limit_denominator(digits))
    if here is not None:
        yield _each(claim, here, lambda x, _: Fraction(x))


def _each(claim: Statement, instance: dict, change) -> dict:
    """The instance with `change(number, variable)` for every number; the sizes stay."""
    changed = {name: numbers(instance[name], lambda x, v=v: change(x, v)) for name, v in claim.variables.items()}
    return instance | changed


def _gap(claim: Statement, instance: dict, free_of_scale: bool = True) -> tuple[float, float] | None:
    """How far left is above right, in floats, relative to the larger side: what an ascent makes larger.

    Where one side is 0 that is -1 all the way to the boundary, and the second number decides: how far at all or,
    `free_of_scale`, relative to the largest side that the same numbers have with other signs, so that shorter vectors
    are no nearer. None outside the assumptions or beyond what floats hold.
    """
    try:
        s = converted(instance, float)
        if not all(compare(*triple) for triple in claim.assumed(s)):
            return None
        left, right = claim.both(s)
    except (ArithmeticError, ValueError):
        return None
    size = max(abs(left), abs(right))
    if not 1e-200 < size < math.inf:
        return None
    apart = abs(left - right) if claim.relation == "=" else left - right
    scale = max(size, _largest(claim, instance)) if free_of_scale and not (left and right) else 1.0
    return apart / size, apart / scale


def _largest(claim: Statement, instance: dict) -> float:
    """The larger side of the instance with signs that are all plus, or take turns; 0 where there is none."""
    sizes = [0.0]
    for signs in ((1,), (1, -1), (-1, 1)):
        turn = itertools.cycle(signs)
        s = converted(_each(claim, instance, lambda x, _, turn=turn: next(turn) * abs(x)), float)
        with contextlib.suppress(ArithmeticError, ValueError):
            sizes += map(abs, claim.both(s))
    return max(sizes)


def simplest(claim: Statement, instance: dict, trials: int = 150) -> dict:
    """A broken instance with simpler numbers: every number in turn is tried as 0, 1, -1, 2 and with fewer digits.

    What is undefined there stays undefined, and what is broken stays broken.
    """
    fails = judge(claim, instance)[0]
    for name in claim.variables:
        for index in np.ndindex(instance[name].shape):
            old = instance[name][index]
            for new in map(Fraction, (0, 1, -1, 2, round(old))):
                other = numbers(instance[name])
                other[index] = new
                trials -= 1
                if new != old and judge(claim, instance | {name: other})[0] == fails:
                    instance = instance | {name: other}
                    break
                if trials <= 0:
                    return instance
    return instance
