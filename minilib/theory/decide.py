"""The judge: decides a step for all real numbers of one size, where the step is finite algebra.

An identity without cases goes to SymPy: left - right simplifies to 0. Everything else goes to z3, which is asked for
real numbers that satisfy the assumptions and not the step; of an identity, for such that make a divisor 0, which SymPy
cancels unseen. It proves that there are none, or shows some, or gives up when its time is over. A root becomes a number
r with r >= 0 and r^2 = x. Absent on purpose: all sizes at once. A proof by induction stays a person's work.
"""

import time
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace

from minilib import needs
from minilib.theory.arithmetic import collecting, compare, kind
from minilib.theory.steps import FAILURES, Step, verdict


@dataclass
class Decision:
    """`answer` is 'true', 'false' or 'not decided'. 'false' only where exact numbers confirm z3's counterexample."""

    step: str
    sizes: dict[str, int]
    answer: str
    by: str | None
    counterexample: dict | None
    seconds: float

    def __str__(self) -> str:
        """Such as 'short step: true for all reals at d = 3 (z3)'."""
        at = ", ".join(f"{name} = {k}" for name, k in self.sizes.items())
        by = f" ({self.by})" if self.by else ""
        return f"{self.step}: {self.answer}{' for all reals' if self.answer == 'true' else ''}{at and f' at {at}'}{by}"


def decide(step: Step, sizes: dict[str, int] | None = None, seconds: float = 10.0) -> Decision:
    """Is the step true for all reals at these sizes? `seconds` bounds z3's search."""
    begin, sizes = time.perf_counter(), sizes or {}
    answer, by, found = _by_sympy(step, sizes), "SymPy", None
    if answer == "true":  # and stays so where z3 finds no zero in its time; the attack tries zeros, too
        zeros, found = _by_z3(step, sizes, seconds, of_zeros=True)
        answer, by = ("false", "z3") if zeros == "false" else (answer, by)
    else:
        answer, found = _by_z3(step, sizes, seconds)
        by = "z3"
    if answer == "false" and verdict(step, found) not in FAILURES:
        answer, found = "not decided", None
    by = None if answer == "not decided" else by
    return Decision(step.name, sizes, answer, by, found, time.perf_counter() - begin)


def _values(step, sizes, make):
    """{variable: nested lists of make(name of the entry)}."""

    def build(name, lengths):
        return [build(f"{name}_{k}", lengths[1:]) for k in range(lengths[0])] if lengths else make(name)

    return {name: build(name, [sizes[size] for size in v.shape]) for name, v in step.variables.items()}


def _by_sympy(step, sizes) -> str:
    if step.relation != "=":
        return "not decided"
    with needs("prove"):
        import sympy
    values = _values(step, sizes, lambda name: sympy.Symbol(name, real=True))
    s = SimpleNamespace(**values, **{name: sympy.Integer(k) for name, k in sizes.items()})
    difference = sympy.sympify(step.left(s) - step.right(s))
    if difference.has(sympy.Piecewise):
        return "not decided"
    return "true" if sympy.simplify(difference) == 0 else "not decided"


def _by_z3(step, sizes, seconds, of_zeros=False):
    """The answer and a counterexample; `of_zeros` only asks whether a divisor can be 0, which SymPy cancels unseen."""
    with needs("prove"):
        import z3
    values = _values(step, sizes, z3.Real)
    s = SimpleNamespace(**values, **{name: z3.RealVal(k) for name, k in sizes.items()})
    solver = z3.Solver()
    solver.set("timeout", int(1000 * seconds))
    with collecting() as roots:
        premises = [compare(*premise) for premise in step.premises(s)]
        claim = compare(step.left(s), step.relation, step.right(s))
        denied = z3.Or([divisor == 0 for divisor in _divisors(claim)]) if of_zeros else z3.Not(claim)
        solver.add(*premises, *(x for r, y in roots.values() for x in (r >= 0, r * r == y, y >= 0)), denied)
    answer = solver.check()
    if answer == z3.unsat:
        return "true", None
    if answer == z3.unknown:
        return "not decided", None
    model = solver.model()
    return "false", {name: _read(model, value) for name, value in values.items()} | sizes


def _divisors(term) -> list:
    """What the term divides by, but for numbers."""
    import z3

    found, todo, seen = [], [term], set()
    while todo:
        if not z3.is_expr(part := todo.pop()) or part.get_id() in seen:
            continue
        seen.add(part.get_id())
        found += [part.arg(1)] if z3.is_div(part) and not z3.is_rational_value(part.arg(1)) else []
        todo += part.children()
    return found


def _read(model, value):
    if isinstance(value, list):
        return [_read(model, part) for part in value]
    assert kind(value) == "z3"
    number = model.eval(value, model_completion=True)
    if not hasattr(number, "numerator_as_long"):
        number = number.approx(30)  # an algebraic number, to thirty digits
    return Fraction(number.numerator_as_long(), number.denominator_as_long())
