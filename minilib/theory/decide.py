"""Is a statement true for all real numbers of one size? The solver z3 is asked for numbers that break it.

z3 proves that there are none, or shows some, or gives up when its work is done: work is counted, not timed, so that a
busy machine decides the same. A root becomes a number r with r >= 0 and r^2 = x. Absent on purpose: all sizes at once.
That takes a proof.
"""

from dataclasses import dataclass
from fractions import Fraction

from minilib import needs
from minilib.theory.statements import FAILURES, Statement, compare, converted, judge, numbers, roots

WORK = 12_000_000  # z3's units a second, as statements have them that it decides
PATIENCE = 5  # times `seconds` by the clock, where a unit takes longer


@dataclass
class Decision:
    """`answer` is 'true', 'false' or 'not decided'. 'false' only where `judge` confirms z3's counterexample."""

    claim: str
    sizes: dict[str, int]
    answer: str
    counterexample: dict | None = None

    def __str__(self) -> str:
        """Such as 'short step: true for all reals at d = 3'."""
        at = ", ".join(f"{name} = {k}" for name, k in self.sizes.items())
        return f"{self.claim}: {self.answer}{' for all reals' if self.answer == 'true' else ''}{at and f' at {at}'}"


def decide(claim: Statement, seconds: float = 10.0, **sizes: int) -> Decision:
    """Is the statement true for all reals at these sizes, such as d=3?

    `seconds` bounds z3's search: about so long on a core with nothing else to do, counted in its own units of work.
    """
    with needs("prove"):
        import z3
    names = (f"x{k}" for k in range(10**6))
    symbols = claim.instance(sizes, lambda _: z3.Real(next(names)))
    solver = z3.Solver()
    solver.set("rlimit", int(WORK * seconds))
    solver.set("timeout", int(1000 * PATIENCE * seconds))
    roots.clear()
    s = converted(symbols, lambda x: z3.RealVal(x) if isinstance(x, int) else x)
    solver.add(*(compare(*triple) for triple in claim.assumed(s)))
    left, right = claim.both(s)
    solver.add(z3.Not(compare(left, claim.relation, right)))
    solver.add(*(formula for r, x in roots.values() for formula in (r >= 0, r * r == x, x >= 0)))
    answer = solver.check()
    if answer == z3.unsat:
        return Decision(claim.name, sizes, "true")
    if answer == z3.sat:
        model = solver.model()
        found = sizes | {name: numbers(symbols[name], lambda x: _read(model, x)) for name in claim.variables}
        if judge(claim, found)[0] in FAILURES:
            return Decision(claim.name, sizes, "false", found)
    return Decision(claim.name, sizes, "not decided")


def _read(model, symbol) -> Fraction:
    number = model.eval(symbol, model_completion=True)
    if not hasattr(number, "numerator_as_long"):
        number = number.approx(30)  # an algebraic number, to thirty digits
    return Fraction(number.numerator_as_long(), number.denominator_as_long())
