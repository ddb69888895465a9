"""Functions that the steps of proofs need beside + - * /, for every kind of number that a step meets.

One formula serves them all. The ledger gives it floats and NumPy arrays, the attack `fractions.Fraction` and mpmath's
intervals, the decision SymPy's symbols and z3's terms. Vectors are lists of such numbers, matrices lists of rows.
Absent on purpose: numbers that never meet (a SymPy symbol beside a z3 term), and everything that no step uses.
"""

import math
import sys
from fractions import Fraction
from functools import reduce
from operator import add, eq, ge, gt, le, lt, ne

import numpy as np

RELATIONS = {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt, "!=": ne}


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
    package = kind(left, right) if relation in ("=", "!=") else ""
    if package == "sympy":
        sympy = sys.modules["sympy"]
        return sympy.Eq(left, right) if relation == "=" else sympy.Ne(left, right)
    if package == "mpmath":  # compares the ends of intervals, so that equal ends would be equal numbers
        gap = left - right
        equal = gap.a == gap.b == 0
        answer = (relation == "=") == equal if equal or not gap.a <= 0 <= gap.b else None
    else:
        answer = RELATIONS[relation](left, right)
    if answer is None:  # so mpmath says that it cannot tell
        raise UndecidedError(f"{left} {relation} {right}")
    return answer


def if_(left, relation: str, right, then, otherwise):
    """`then` where `left relation right`, else `otherwise`."""
    test, package = compare(left, relation, right), kind(left, right)
    if package == "z3" and not isinstance(test, bool):
        z3 = sys.modules["z3"]
        return z3.If(test, *(x if kind(x) == "z3" else z3.RealVal(x) for x in (then, otherwise)))
    if package == "sympy":
        return sys.modules["sympy"].Piecewise((then, test), (otherwise, True))
    if isinstance(test, np.ndarray):
        return np.where(test, then, otherwise)
    chosen = then if test else otherwise
    return chosen + 0 * left if package == "mpmath" and isinstance(chosen, int | Fraction) else chosen


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
    return reduce(add, list(numbers) or [0])


def dot(a, b):
    """The inner product of two vectors of one length."""
    return total(x * y for x, y in zip(a, b, strict=True))


def norm1(v):
    return total(absolute(x) for x in v)


def square(v):
    """The squared Euclidean length."""
    return dot(v, v)


z3_roots: dict[str, tuple] = {}  # {text of the radicand: (root, radicand)}: `decide` empties it, and reads it


def root(x):
    """The square root. A z3 term's is a new number r, which `z3_roots` notes with its radicand.

    Raises:
        IrrationalError: x is a Fraction (or an int) that is no square of a rational.
        ValueError: x is a negative number.
    """
    package = kind(x)
    if package == "z3":
        new = sys.modules["z3"].Real(f"root{len(z3_roots)}"), x
        return z3_roots.setdefault(x.sexpr(), new)[0]
    if package == "sympy":
        return sys.modules["sympy"].sqrt(x)
    if package == "mpmath":
        if x.a < 0 <= x.b:
            raise UndecidedError(f"the root of {x}")
        if x.b < 0:
            raise ValueError(f"the root of {x}")
        return x.ctx.sqrt(x)
    if isinstance(x, np.ndarray):
        return np.sqrt(np.asarray(x, float))
    if not isinstance(x, int | Fraction):
        return math.sqrt(x)
    if x < 0:
        raise ValueError(f"the root of {x}")
    exact = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
    if exact * exact != x:
        raise IrrationalError(f"the root of {x}")
    return exact
