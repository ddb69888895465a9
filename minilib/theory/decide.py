"""The judge: decides a step for all real numbers of one size, where the step is finite algebra.

An identity without cases goes to SymPy: left - right simplifies to 0. Everything else goes to z3, which is asked for
real numbers that satisfy the assumptions and not the step; of an identity, for such that make a divisor 0, which SymPy
cancels unseen. It proves that there are none, or shows some, or gives up when its work is done: work is counted, not
timed, so that a busy machine decides the same. A root becomes a number r with r >= 0 and r^2 = x. Absent on purpose:
all sizes at once. A proof by induction stays a person's work.
"""

from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace

from minilib import needs
from minilib.theory.arithmetic import compare, z3_roots
from minilib.theory.steps import FAILURES, Step, convert, verdict

WORK = 12_000_000  # z3's units a second, as statements have them that it decides
PATIENCE = 5  # times `seconds` by the clock, where a unit takes longer


@dataclass
class Decision:
    """`answer` is 'true', 'false' or 'not decided'. 'false' only where exact numbers confirm z3's counterexample."""

    step: str
    sizes: dict[str, int]
    answer: str
    by: str | None = None
    counterexample: dict | None = None

    def __str__(self) -> str:
        """Such as 'short step: true for all reals at d = 3 (z3)'."""
        at = ", ".join(f"{name} = {k}" for name, k in self.sizes.items())
        by = f" ({self.by})" if self.by else ""
        return f"{self.step}: {self.answer}{' for all reals' if self.answer == 'true' else ''}{at and f' at {at}'}{by}"


def decide(step: Step, sizes: dict[str, int] | None = None, seconds: float = 10.0) -> Decision:
    """Is the step true for all reals at these sizes?

    `seconds` bounds z3's search: about so long on a core with nothing else to do, counted in its own units of work.
    """
    sizes = sizes or {}
    identity = _sympy_proves(step, sizes)
    answer, found = _ask_z3(step, sizes, seconds, of_zeros=identity)
    if answer == "false" and verdict(step, found) in FAILURES:
        return Decision(step.name, sizes, "false", "z3", found)
    if identity and answer != "false":  # true as far as z3 finds no zero below; the attack tries zeros, too
        return Decision(step.name, sizes, "true", "SymPy")
    return Decision(step.name, sizes, "true", "z3") if answer == "true" else Decision(step.name, sizes, "not decided")


def _symbols(step, sizes, symbol, number):
    """The instance of the step whose numbers are symbols; its sizes are numbers of their kind."""
    values = step.instance(sizes, lambda name, _: symbol(name))
    return SimpleNamespace(**values | {name: number(k) for name, k in sizes.items()})


def _sympy_proves(step, sizes) -> bool:
    if step.relation != "=":
        return False
    with needs("prove"):
        import sympy
    s = _symbols(step, sizes, lambda name: sympy.Symbol(name, real=True), sympy.Integer)
    difference = sympy.sympify(step.left(s) - step.right(s))
    return not difference.has(sympy.Piecewise) and sympy.simplify(difference) == 0


def _ask_z3(step, sizes, seconds, of_zeros):
    """The answer and a counterexample; `of_zeros` only asks whether a divisor can be 0."""
    with needs("prove"):
        import z3
    s = _symbols(step, sizes, z3.Real, z3.RealVal)
    solver = z3.Solver()
    solver.set("rlimit", int(WORK * seconds))
    solver.set("timeout", int(1000 * PATIENCE * seconds))
    z3_roots.clear()
    premises = [compare(*premise) for premise in step.premises(s)]
    claim = compare(step.left(s), step.relation, step.right(s))
    denied = z3.Or([divisor == 0 for divisor in _divisors(claim)]) if of_zeros else z3.Not(claim)
    solver.add(*premises, *(x for r, y in z3_roots.values() for x in (r >= 0, r * r == y, y >= 0)), denied)
    answer = solver.check()
    if answer != z3.sat:
        return "true" if answer == z3.unsat else "not decided", None
    model = solver.model()
    return "false", sizes | {name: convert(getattr(s, name), lambda x: _read(model, x)) for name in step.variables}


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


def _read(model, term):
    number = model.eval(term, model_completion=True)
    if not hasattr(number, "numerator_as_long"):
        number = number.approx(30)  # an algebraic number, to thirty digits
    return Fraction(number.numerator_as_long(), number.denominator_as_long())
