"""The adversary breaks the false statements and none of the true ones; `pytest -s` prints how, and how fast."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import prove
import pytest

from minilib.theory import Ledger
from minilib.theory.arithmetic import absolute, root, square
from minilib.theory.attack import attack
from minilib.theory.decide import decide
from minilib.theory.steps import Step, nonnegative, real, verdict
from proofs import lamb
from tests.theory.false_statements import FALSE
from tests.theory.true_statements import TRUE

BUDGET = {"SGD, half the noise term": {"draws": 400, "starts": 20, "climb": 200}}
# What the attack does not break within its budget would stand here by name, and the bank says so.
UNBROKEN: set[str] = set()


@pytest.mark.parametrize("name", FALSE)
def test_a_false_statement_is_broken(name):
    step = FALSE[name]
    first = []
    if step.name in lamb.LIFTED:
        origin, lift = lamb.LIFTED[step.name]
        first = [lift(attack(origin, draws=200).counterexample)]
    result = attack(step, **{"draws": 200, "starts": 8, "climb": 60, "first": first} | BUDGET.get(name, {}))
    print(f"{name:<45} {result.by or 'NOT BROKEN':<11} {result.attacks:>5} attacks {result.seconds:5.2f} s")
    assert (result.counterexample is None) == (name in UNBROKEN)
    if result.counterexample:
        assert verdict(step, result.counterexample) == "broken"


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_is_not_broken(name):
    result = attack(TRUE[name], draws=60, starts=2, climb=30)
    assert result.counterexample is None
    assert result.attacks > 20


@pytest.mark.parametrize("name", prove.modules())
def test_no_statement_of_a_chapter_is_broken(name):
    module = prove.load(name)
    for title, steps in module.THEOREMS.items():
        for step in steps:
            result = attack(step, draws=20, starts=1, climb=10)
            if not result.attacks:  # narrow assumptions: few instances satisfy them
                result = attack(step, draws=300)
            assert result.counterexample is None, f"{title}: {result}"
            assert result.attacks > 0, f"{title}: {step.name}: no instance satisfies the assumptions"


def test_what_floats_break_is_true_all_the_same():
    step = TRUE["CANCELS: (a + b) - a = b"]
    instance = {"a": Fraction(10) ** 150, "b": Fraction(1), "c": Fraction(0)}
    assert (1e150 + 1.0) - 1e150 != 1.0
    assert verdict(step, instance) == "holds"


def test_the_same_seed_makes_the_same_attack():
    step = FALSE["AM-GM reversed"]
    assert attack(step).counterexample == attack(step).counterexample


def test_what_assumptions_exclude_is_no_counterexample():
    step = Step("x <= 0", {"x": real()}, lambda s: s.x, lambda s: 0, lambda s: [(s.x, "<=", 0)])
    assert attack(step).counterexample is None
    assert verdict(step, {"x": Fraction(1)}) == "outside"


def test_lamb_walks_uphill_while_the_printed_theorem_promises_a_small_gradient():
    run = lamb.uphill()
    assert run.left(None) > 0.99
    assert run.right(None) < 0.97


def far_hill(s):
    """At least 0, and 0 at (37, 41) only."""
    return (s.x - 37) * (s.x - 37) + (s.y - 41) * (s.y - 41)


@pytest.mark.parametrize(
    ("left", "right"),
    [(lambda s: 0, lambda s: far_hill(s) - 4), (lambda s: 4 - far_hill(s), lambda s: 0)],
    ids=["0 on the left", "0 on the right"],
)
def test_the_ascent_sees_where_a_side_is_zero(left, right):
    step = Step("outside of a circle", {"x": real(), "y": real()}, left, right)
    broken = [attack(step, seed=seed).counterexample is not None for seed in range(8)]
    assert sum(broken) >= 4, "as many as of the same statement written 4 <= ..., which are 5"


def test_a_zero_below_that_nobody_excluded_is_a_failure():
    u = {"u": real("d")}
    step = Step("|u| / |u| = 1", u, lambda s: root(square(s.u)) / root(square(s.u)), lambda s: 1, sizes={"d": (1, 2)})
    found = attack(step)
    assert found.counterexample == {"u": [0], "d": 1}
    assert verdict(step, found.counterexample) == "undefined"
    negative = Step("root of x", {"x": real()}, lambda s: root(s.x), lambda s: 1 + absolute(s.x))
    assert verdict(negative, attack(negative).counterexample) == "undefined"
    excluded = replace(step, assumptions=lambda s: [(square(s.u), ">", 0)])
    assert attack(excluded, draws=100).counterexample is None
    assert verdict(excluded, {"u": [Fraction(0)], "d": 1}) == "outside"


def test_a_fraction_may_stand_beside_an_irrational_root():
    step = Step("nine fifths", {"x": nonnegative()}, lambda s: Fraction(9, 5) * root(s.x), lambda s: 2 * root(s.x))
    assert verdict(step, {"x": Fraction(2)}) == "holds"
    assert verdict(replace(step, right=lambda s: root(s.x)), {"x": Fraction(2)}) == "broken"
    small = replace(step, assumptions=lambda s: [(root(s.x), "<", Fraction(1, 2))])
    assert verdict(small, {"x": Fraction(1, 5)}) == "holds"
    assert verdict(small, {"x": Fraction(1, 3)}) == "outside"
    assert "true for all reals" in str(decide(step))
    ledger = Ledger("with arrays")
    step.record(ledger, x=np.array([2.0, 3.0]))
    assert ledger.rows["nine fifths"].slack() == pytest.approx([0.1, 0.1])
