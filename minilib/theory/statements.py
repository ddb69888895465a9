"""A statement about numbers, written as one function of arrays, so that programs can search for what breaks it.

    @statement("a difference of lengths", d=(1, 2, 3))
    def closer(u: real("d"), v: real("d")):
        return absolute(norm(u) - norm(v)), norm(u - v)  # left <= right

The arrays hold whatever numbers the caller likes: floats for a search, a thousand digits for a verdict (`judge`), z3's
symbols for a decision (`decide`). They take + - * / and NumPy's sums and shapes; for roots, signs and cases they need
the functions of this module. Absent on purpose: functions and derivatives as variables. A statement names their values,
as a proof does.
"""

import inspect
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from minilib import needs

RELATIONS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
    "!=": operator.ne,
}
DIGITS = 1000  # of the numbers that judge
NEAR = 10**400  # of these, two that are nearer than 1 / NEAR are equal; an instance has 1e-30 to 1e30
FAILURES = ("broken", "undefined")


class Numbers(np.ndarray):
    """An array of numbers of any kind. A single number is an array too, and so meets a symbol as NumPy's do."""

    def __array_wrap__(self, result, context=None, return_scalar=False):
        return numbers(result)


def numbers(x, convert: Callable = lambda y: y) -> Numbers:
    """`x`, a number or an array, as `Numbers` whose entries went through `convert`."""
    source = np.asarray(x, dtype=object)
    result = np.empty(source.shape, dtype=object)
    for index in np.ndindex(source.shape):
        result[index] = convert(source[index])
    return result.view(Numbers)


def _is_symbol(x) -> bool:
    return type(x).__module__.startswith("z3")


def _elementwise(function: Callable, count: int) -> Callable:
    each = np.frompyfunc(function, count, 1)
    return lambda *arrays: numbers(each(*arrays))


def compare(left, relation: str, right):
    """`left relation right`, of two single numbers: a bool, or a formula of z3. The last digits decide nothing.

    Raises:
        ValueError: `relation` is not one of `RELATIONS`.
    """
    if relation not in RELATIONS:
        raise ValueError(f"relation must be one of {', '.join(RELATIONS)}, got {relation!r}")
    if any(hasattr(x, "context") for x in (left, right)) and abs(left - right) * NEAR < 1:
        left = right
    return RELATIONS[relation](left, right)


def _choose(left, relation, right, then, otherwise):
    test = compare(left, relation, right)
    if isinstance(test, bool):
        chosen = then if test else otherwise
        many_digits = [x.context for x in (left, right) if hasattr(x, "context")]
        return many_digits[0].convert(chosen) if many_digits else chosen  # the root of an int would be a float
    import z3

    return z3.If(test, *(x if _is_symbol(x) else z3.RealVal(x) for x in (then, otherwise)))


roots: dict[str, tuple] = {}  # {radicand as text: (root, radicand)}: symbols that `decide` must tie together


def _root(x):
    if _is_symbol(x):
        import z3

        return roots.setdefault(x.sexpr(), (z3.Real(f"root{len(roots)}"), x))[0]
    if x < 0:
        raise ValueError(f"the root of {x}")
    return x.context.sqrt(x) if hasattr(x, "context") else math.sqrt(x)


root = _elementwise(_root, 1)  # ValueError: of a negative number
where = _elementwise(_choose, 5)  # left, relation, right, then, otherwise


def sign(x):
    """-1, 0 or 1; the sign of zero is 0."""
    return where(x, ">", 0, 1, where(x, "<", 0, -1, 0))


def absolute(x):
    return where(x, ">=", 0, x, -x)


def maximum(a, b):
    return where(a, ">=", b, a, b)


def minimum(a, b):
    return where(a, "<=", b, a, b)


def norm(x):
    """The Euclidean length along the last axis."""
    return root((x * x).sum(-1))


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
    """Between 0 and 1, both included: a search tries the ends. Exclude one by an assumption."""
    return Variable(shape, 0, 1)


@dataclass(frozen=True)
class Statement:
    """`left relation right` wherever the assumptions hold, `sides` being a function of arrays that returns both.

    Attributes:
        relation: "<=" or "=".
        given: a function of some of the same arrays, which returns the assumptions: triples such as (a, ">", 0).
        variables: by name, as `sides` annotates them; their bounds are assumptions too.
        sizes: which sizes are tried, {"d": (1, 2, 3)}. An argument with a size's name is that number.
    """

    name: str
    sides: Callable
    relation: str
    given: Callable
    variables: dict[str, Variable]
    sizes: dict[str, tuple[int, ...]]

    def all_sizes(self) -> list[dict[str, int]]:
        """All combinations of the sizes, smallest first; one empty dictionary for a statement without."""
        return [dict(zip(self.sizes, chosen, strict=True)) for chosen in product(*self.sizes.values())]

    def instance(self, sizes: dict[str, int], entry: Callable) -> dict:
        """The sizes, and an array for every variable, its entries made by `entry(variable)`."""
        arrays = {}
        for name, v in self.variables.items():
            arrays[name] = np.empty([sizes[size] for size in v.shape], dtype=object)
            for index in np.ndindex(arrays[name].shape):
                arrays[name][index] = entry(v)
        return sizes | arrays

    def assumed(self, instance: dict) -> list[tuple]:
        """All assumptions on an instance of numbers of any kind, as triples of single numbers."""
        triples = []
        for name, v in self.variables.items():
            triples += [(instance[name], ">=", v.low)] * (v.low is not None)
            triples += [(instance[name], "<=", v.high)] * (v.high is not None)
        triples += _call(self.given, instance)
        pairs = ((np.broadcast_arrays(numbers(a), numbers(b)), relation) for a, relation, b in triples)
        return [(x, relation, y) for (a, b), relation in pairs for x, y in zip(a.flat, b.flat, strict=True)]

    def both(self, instance: dict) -> tuple:
        """The two sides, each a single number."""
        return tuple(numbers(side).item() for side in _call(self.sides, instance))


def _call(function: Callable, instance: dict):
    return function(**{name: instance[name] for name in inspect.signature(function).parameters})


def statement(name: str, relation: str = "<=", given: Callable = lambda: [], **sizes: tuple[int, ...]) -> Callable:
    """The decorator that makes a `Statement` of the function of its sides.

    Raises:
        ValueError: `relation` is not "<=" or "=", or a variable has a size that `sizes` does not give.
    """
    if relation not in ("<=", "="):
        raise ValueError(f"{name}: relation must be '<=' or '=', got {relation!r}")

    def made(sides: Callable) -> Statement:
        variables = {key: v for key, v in sides.__annotations__.items() if isinstance(v, Variable)}
        missing = {size for v in variables.values() for size in v.shape} - set(sizes)
        if missing:
            raise ValueError(f"{name}: no sizes given for {', '.join(sorted(missing))}")
        return Statement(name, sides, relation, given, variables, sizes)

    return made


def converted(instance: dict, convert: Callable) -> dict:
    """The instance as `Numbers`, each made by `convert`."""
    return {name: numbers(value, convert) for name, value in instance.items()}


def judge(claim: Statement, instance: dict) -> tuple:
    """What an instance of fractions says of a statement, and both sides, None where they were not reached.

    'holds', 'broken', 'outside' (an assumption fails), or 'undefined': the assumptions hold, and a side divides by zero
    or has the root of a negative number. That is a failure too: an assumption is missing.
    """
    with needs("prove"):
        from mpmath import mp
    inside = False
    with mp.workdps(DIGITS):
        exact = converted(instance, lambda x: mp.mpf(x.numerator) / x.denominator)
        try:
            inside = all(compare(*triple) for triple in claim.assumed(exact))
            if not inside:
                return "outside", None, None
            left, right = claim.both(exact)
        except (ZeroDivisionError, ValueError):
            return "undefined" if inside else "outside", None, None
        return "holds" if compare(left, claim.relation, right) else "broken", left, right
