"""A step of a proof, written as plain functions: what it assumes, its left side, its right side.

It is attacked (`attack`) and, where it is finite algebra, decided (`decide`). Where the arrays of a chapter's cell
allow it, the chapter evaluates the same functions on its own run (`Step.record` feeds the ledger); else its cell writes
the two sides again and enters them under the step's name. `verdict` says without rounding whether an instance breaks a
step.
The functions take a namespace `s` with the step's variables as attributes, and the sizes as numbers: `s.d`, `s.n`.
Absent on purpose: functions and derivatives as variables. A step names their values, as a proof does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from types import SimpleNamespace

from minilib import needs
from minilib.theory.arithmetic import IrrationalError, UndecidedError, compare
from minilib.theory.ledger import Ledger, ProofError

FAILURES = ("broken", "undefined")


@dataclass(frozen=True)
class Variable:
    """`shape` names sizes: () is a number, ("d",) a vector. `low` and `high` bound every entry, None: no bound."""

    shape: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None


def real(*shape: str) -> Variable:
    return Variable(shape)


def nonnegative(*shape: str) -> Variable:
    return Variable(shape, 0)


def unit(*shape: str) -> Variable:
    """Between 0 and 1, both included: the adversary tries the ends. Exclude one by an assumption."""
    return Variable(shape, 0, 1)


@dataclass(frozen=True)
class Step:
    """`left(s) relation right(s)` whenever `assumptions(s)` hold.

    Attributes:
        name: for tables, "(4) one step".
        variables: by name; their bounds are assumptions too.
        left, right: functions of the namespace s.
        assumptions: a function of s to a list of comparisons (number, relation, number).
        relation: "<=" or "=".
        sizes: which sizes are tried, {"d": (1, 2, 3)}.
    """

    name: str
    variables: dict[str, Variable]
    left: Callable
    right: Callable
    assumptions: Callable = lambda s: []
    relation: str = "<="
    sizes: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self):
        if self.relation not in ("<=", "="):
            raise ValueError(f"{self.name}: relation must be '<=' or '=', got {self.relation!r}")
        named = {size for variable in self.variables.values() for size in variable.shape}
        if not named <= set(self.sizes):
            raise ValueError(f"{self.name}: no sizes given for {', '.join(sorted(named - set(self.sizes)))}")

    def all_sizes(self) -> list[dict[str, int]]:
        """All combinations of the sizes, smallest first; one empty dictionary for a step without."""
        return [dict(zip(self.sizes, chosen, strict=True)) for chosen in product(*self.sizes.values())]

    def instance(self, sizes: dict[str, int], entry: Callable) -> dict:
        """{variable or size: value}; `entry("x_0_1", variable)` makes the numbers in the nested lists."""

        def filled(lengths, label, variable):
            if not lengths:
                return entry(label, variable)
            return [filled(lengths[1:], f"{label}_{k}", variable) for k in range(lengths[0])]

        values = {name: filled([sizes[size] for size in v.shape], name, v) for name, v in self.variables.items()}
        return sizes | values

    def premises(self, s) -> list[tuple]:
        """All assumptions on s, the bounds of the variables first."""
        bounds = []
        for name, variable in self.variables.items():
            for x in flat(getattr(s, name)):
                bounds += [(x, ">=", variable.low)] * (variable.low is not None)
                bounds += [(x, "<=", variable.high)] * (variable.high is not None)
        return bounds + list(self.assumptions(s))

    def record(self, ledger: Ledger, where: dict | None = None, /, **values) -> None:
        """Evaluate the step on numbers or arrays and enter it in the ledger; `values` are the variables and the sizes.

        A vector is a sequence of its coordinates; a coordinate may be an array of as many instances as you like.

        Raises:
            ProofError: the step fails, or its assumptions do (beyond rounding), on these values.
        """
        where = where or {}
        sizes = {name: float(values[name]) for name in self.sizes}  # an int's root would have to be exact
        s, premises = SimpleNamespace(**values | sizes), Ledger(ledger.proof, ledger.rtol, ledger.atol)
        for left, relation, right in self.premises(s):
            if relation == "=":
                premises.eq(f"{self.name}, assumption =", left, right, **where)
            elif relation != "!=":
                small, large = (left, right) if relation[0] == "<" else (right, left)
                premises.leq(f"{self.name}, assumption <=", small, large, **where)
            if relation in ("<", ">", "!=") and not all(flat(compare(left, relation, right))):
                raise ProofError(f"{ledger.proof}: step {self.name}: an assumption '{relation}' fails, {where or ''}")
        enter = ledger.leq if self.relation == "<=" else ledger.eq
        enter(self.name, self.left(s), self.right(s), **where)


def flat(x) -> list:
    """The numbers in nested sequences, row by row."""
    return [leaf for part in x for leaf in flat(part)] if hasattr(x, "__len__") else [x]


def convert(x, number: Callable):
    """Nested lists with `number` of every leaf."""
    return [convert(part, number) for part in x] if isinstance(x, list) else number(x)


def namespace(instance: dict, number: Callable) -> SimpleNamespace:
    """The variables and sizes of an instance, each number made by `number`."""
    return SimpleNamespace(**{name: convert(value, number) for name, value in instance.items()})


def verdict(step: Step, instance: dict) -> str:
    """What an instance says of a step, without rounding.

    'holds', 'broken', 'outside' (an assumption fails), 'undecided', or 'undefined': the assumptions hold, and a side
    divides by zero or has the root of a negative number. That is a failure too: an assumption is missing.
    """
    return judge(step, instance)[0]


def judge(step: Step, instance: dict) -> tuple:
    """The verdict and both sides, which are None where they were not reached.

    Fractions are exact. Where a root is irrational, intervals enclose it, of 100 and then of 1,000 binary digits; what
    is broken in them is broken. 'undecided' when they still overlap: two sides that are equal, mostly.
    """
    try:
        return _judge(step, namespace(instance, Fraction))
    except IrrationalError:
        pass
    iv = _intervals()
    for iv.prec in (100, 1000):
        answer = _judge(step, namespace(instance, iv.convert))
        if answer[0] != "undecided":
            break
    return answer


@cache
def _intervals():
    """mpmath's intervals, which a Fraction of a step may meet: mpmath's own refuse it."""
    with needs("prove"):
        from mpmath.ctx_iv import MPIntervalContext

    class Intervals(MPIntervalContext):
        def convert(self, x):
            return super().convert(x.numerator) / x.denominator if isinstance(x, Fraction) else super().convert(x)

    return Intervals()


def _judge(step: Step, s) -> tuple:
    sides, inside = (None, None), False
    try:
        inside = all(compare(*premise) for premise in step.premises(s))
        if not inside:
            return "outside", *sides
        sides = step.left(s), step.right(s)
        if any(isinstance(side, float) for side in sides):
            raise TypeError(f"{step.name}: a constant of the step is a float; write it as a Fraction")
        return "holds" if compare(sides[0], step.relation, sides[1]) else "broken", *sides
    except UndecidedError:
        return "undecided", *sides
    except (ZeroDivisionError, ValueError):
        return "undefined" if inside else "outside", None, None
