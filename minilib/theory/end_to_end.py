"""Whole theorems as statements that can be attacked: problem, start, noise and schedule are the adversary's.

Expectations are exact: with n samples and T steps all n^T histories are walked, those that meet in one point together.
`EndToEnd.step` gives a `Step`, so that a theorem is attacked, evaluated and printed as its steps are.
Absent on purpose: methods with a memory. A point is all that a history leaves behind.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from minilib.theory.arithmetic import kind, total
from minilib.theory.steps import Step, Variable


@dataclass(frozen=True)
class EndToEnd:
    """sum_t E measured(s, t, gradient at x_t) <= promised(s, f(x_1), last), last() = E f(x_{T+1}).

    Attributes (s is the namespace of variables and sizes, x a list of coordinates, t counts from 0):
        start: s to x_1; steps: s to T, an int.
        value, gradient: (s, x) to f(x) and to its gradient.
        samples: (s, x) to the list of (probability, gradient of the batch).
        move: (s, t, x, g) to the next point, the method.
    """

    name: str
    variables: dict[str, Variable]
    start: Callable
    steps: Callable
    value: Callable
    gradient: Callable
    samples: Callable
    move: Callable
    measured: Callable
    promised: Callable
    assumptions: Callable = lambda s: []
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def step(self) -> Step:
        def left(s):
            levels = self._levels(s)[:-1]
            return total(p * self.measured(s, t, self.gradient(s, x)) for t, at in enumerate(levels) for p, x in at)

        def right(s):
            def last():
                return total(p * self.value(s, x) for p, x in self._levels(s)[-1])

            return self.promised(s, self.value(s, self.start(s)), last)

        return Step(self.name, self.variables, left, right, self.assumptions, sizes=self.sizes)

    def _levels(self, s) -> list[list[tuple]]:
        """All (probability, point) at t = 0 ... T."""
        levels = [[(1, self.start(s))]]
        for t in range(self.steps(s)):
            possible = [(p, x) for p, x in levels[-1] if kind(p) != "plain" or p]
            levels.append(_met([(p * q, self.move(s, t, x, g)) for p, x in possible for q, g in self.samples(s, x)]))
        return levels


def _met(level):
    """Histories that meet in one point, as one; intervals and symbols stay as they are."""
    if any(kind(p, *x) != "plain" for p, x in level):
        return level
    met = {}
    for p, x in level:
        met[tuple(x)] = met.get(tuple(x), 0) + p
    return [(p, list(x)) for x, p in met.items()]
