"""Functions that the steps of proofs need beside + - * /, for every kind of number that a step meets.

One formula serves them all. The ledger gives it floats and NumPy arrays, the attack `fractions.Fraction` and mpmath's
intervals, the decision SymPy's symbols and z3's terms. Vectors are lists of such numbers, matrices lists of rows.
Absent on purpose: numbers that never meet (a SymPy symbol beside a z3 term), and everything that no step uses.
"""

import math
import sys
from contextlib import contextmanager
from fractions import Fraction

import numpy as np

RELATIONS = ("<", "<=", "=", ">=", ">", "!=")


class IrrationalError(ArithmeticError):
    """An exact root was asked for, and the root is no rational number."""


class UndecidedError(ArithmeticError):
    """Two intervals overlap, so that nobody can say which of the numbers is larger."""


def kind(*numbers) -> str:
    """'z3', 'sympy' or 'mpmath' when one of the numbers is of that package, else 'plain'."""
    for x in numbers:
        package = type(x).__module__.partition(".")[0]
        if package in ("z3", "sympy", "mpmath"):
            return package
    return "plain"


def compare(left, relation: str, right):
    """`left relation right` as a truth value of their kind: a bool, an array of them, or a formula.

    Raises:
        UndecidedError: two intervals overlap.
        ValueError: `relation` is not one of `RELATIONS`.
    """
    if relation not in RELATIONS:
        raise ValueError(f"relation must be one of {', '.join(RELATIONS)}, got {relation!r}")
    if relation in ("=", "!=") and kind(left, right) == "sympy":
        sympy = sys.modules["sympy"]
        return sympy.Eq(left, right) if relation == "=" else sympy.Ne(left, right)
    if relation in ("=", "!=") and kind(left, right) == "mpmath":
        gap = left - right
        if gap.a <= 0 <= gap.b and not gap.a == gap.b == 0:
            raise UndecidedError(f"{left} {relation} {right}")
        return (gap == 0) == (relation == "=")
    answer = {
        "<": lambda: left < right,
        "<=": lambda: left <= right,
        "=": lambda: left == right,
        ">=": lambda: left >= right,
        ">": lambda: left > right,
        "!=": lambda: left != right,
    }[relation]()
    if answer is None:  # so mpmath says that it cannot tell
        raise UndecidedError(f"{left} {relation} {right}")
    return answer


def if_(left, relation: str, right, then, otherwise):
    """`then` where `left relation right`, else `otherwise`."""
    test = compare(left, relation, right)
    if kind(left, right) == "z3" and not isinstance(test, bool):
        z3 = sys.modules["z3"]
        return z3.If(test, *(x if kind(x) == "z3" else z3.RealVal(x) for x in (then, otherwise)))
    if kind(left, right) == "sympy":
        return sys.modules["sympy"].Piecewise((then, test), (otherwise, True))
    if isinstance(test, np.ndarray):
        return np.where(test, then, otherwise)
    chosen = then if test else otherwise
    return chosen + 0 * left if kind(left) == "mpmath" and isinstance(chosen, int | Fraction) else chosen


def sign(x):
    """-1, 0 or 1; the sign of zero is 0."""
    return if_(x, ">", 0, 1, if_(x, "<", 0, -1, 0))


def absolute(x):
    return if_(x, ">=", 0, x, -x)


def maximum(a, b):
    return if_(a, ">=", b, a, b)


def minimum(a, b):
    return if_(a, "<=", b, a, b)


def total(numbers):
    """The sum of a list; 0 when it is empty."""
    result, *others = list(numbers) or [0]
    for x in others:
        result = result + x
    return result


def dot(a, b):
    """The inner product of two vectors of one length."""
    return total(x * y for x, y in zip(a, b, strict=True))


def norm1(v):
    return total(absolute(x) for x in v)


def square(v):
    """The squared Euclidean length."""
    return dot(v, v)


_collected: dict[str, tuple] | None = None


@contextmanager
def collecting():
    """Around a step whose numbers are z3's: gives its roots, {text of the radicand: (root, radicand)}."""
    global _collected
    before, _collected = _collected, {}
    try:
        yield _collected
    finally:
        _collected = before


def root(x):
    """The square root. A z3 term's is a new number r, for which `collecting` notes the radicand.

    Raises:
        IrrationalError: x is a Fraction (or an int) that is no square of a rational.
        ValueError: x is a negative number.
    """
    if kind(x) == "z3":
        name = x.sexpr()
        _collected.setdefault(name, (sys.modules["z3"].Real(f"root{len(_collected)}"), x))
        return _collected[name][0]
    if kind(x) == "sympy":
        return sys.modules["sympy"].sqrt(x)
    if kind(x) == "mpmath":
        if x.b < 0:
            raise ValueError(f"the root of {x}")
        if x.a < 0:
            raise UndecidedError(f"the root of {x}")
        return x.ctx.sqrt(x)
    if isinstance(x, int | Fraction):
        x = Fraction(x)
        if x < 0:
            raise ValueError(f"the root of {x}")
        top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
        if (top * top, bottom * bottom) != (x.numerator, x.denominator):
            raise IrrationalError(f"the root of {x}")
        return Fraction(top, bottom)
    return np.sqrt(np.asarray(x, float)) if isinstance(x, np.ndarray) else math.sqrt(x)
