"""The adversary breaks the false statements and none of the true ones; `pytest -s` prints how, and how fast."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import prove
import pytest

from minilib.theory import Ledger
from minilib.theory.arithmetic import absolute, dot, root, square
from minilib.theory.attack import attack
from minilib.theory.decide import decide
from minilib.theory.steps import FAILURES, Step, nonnegative, real, verdict
from proofs import lamb
from tests.theory.statements import FALSE, TRUE

BANK = [(step, {}) for step in FALSE.values()] + [
    (step, getattr(module, "LIFTED", {}))
    for module in map(prove.load, prove.modules())
    for steps in module.BROKEN.values()
    for step in steps
]


@pytest.mark.parametrize(("step", "lifted"), BANK, ids=lambda x: getattr(x, "name", ""))
def test_a_false_statement_is_broken(step, lifted):
    origin, lift = lifted.get(step.name, (None, None))
    found = attack(step, first=[lift(attack(origin).counterexample)] if lift else [])
    print(f"{step.name:<60} {found.by or 'NOT BROKEN':<11} {found.attacks:>5} attacks {found.seconds:5.2f} s")
    assert verdict(step, found.counterexample) in FAILURES


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_is_not_broken(name):
    result = attack(TRUE[name], draws=100, starts=2, climb=30)
    assert result.counterexample is None
    assert result.attacks > 20


@pytest.mark.parametrize("name", prove.modules())
def test_no_statement_of_a_chapter_is_broken(name):
    module = prove.load(name)
    for title, steps in module.THEOREMS.items():
        for step in steps:
            result = attack(step, draws=20, starts=1, climb=10)
            if not result.attacks:  # narrow assumptions: few instances satisfy them
                result = attack(step)
            assert result.counterexample is None, f"{title}: {result}"
            assert result.attacks > 0, f"{title}: {step.name}: no instance satisfies the assumptions"


def test_what_broke_a_step_breaks_the_theorem_that_it_is_lifted_to():
    origin, lift = lamb.LIFTED[lamb.whole_printed.name]
    assert attack(lamb.whole_printed, draws=0, starts=0).counterexample is None
    assert attack(lamb.whole_printed, draws=0, starts=0, first=[lift(attack(origin).counterexample)]).by == "given"


def test_what_floats_break_is_true_all_the_same():
    instance = {"a": Fraction(10) ** 150, "b": Fraction(1), "c": Fraction(0)}
    assert (1e150 + 1.0) - 1e150 != 1.0
    assert verdict(TRUE["CANCELS: (a + b) - a = b"], instance) == "holds"


def test_the_same_seed_makes_the_same_attack():
    first, again = (attack(FALSE["AM-GM reversed"]) for _ in range(2))
    assert (first.counterexample, first.attacks) == (again.counterexample, again.attacks)


def test_what_assumptions_exclude_is_no_counterexample():
    step = Step("x <= 0", {"x": real()}, lambda s: s.x, lambda s: 0, lambda s: [(s.x, "<=", 0)])
    assert attack(step).counterexample is None
    assert verdict(step, {"x": Fraction(1)}) == "outside"


def test_lamb_walks_uphill_while_the_printed_theorem_promises_a_small_gradient():
    run = lamb.uphill()
    assert run.left(None) > 0.99
    assert run.right(None) < 0.97


def far_hill(s):
    """Above 0 but near (37, 41)."""
    return (s.x[0] - 37) * (s.x[0] - 37) + (s.x[1] - 41) * (s.x[1] - 41) - 4


def narrow_cone(s):
    """Above 0, and of no scale, but near the multiples of (37, 41, -5)."""
    along = dot(s.x, (37, 41, -5))
    return square(s.x) * 3075 * 9999 / 10000 - along * along


@pytest.mark.parametrize(("positive", "d"), [(far_hill, 2), (narrow_cone, 3)])
@pytest.mark.parametrize("on_the_left", [True, False])
def test_the_ascent_sees_where_a_side_is_zero(positive, d, on_the_left):
    sides = (lambda s: 0, positive) if on_the_left else (lambda s: -positive(s), lambda s: 0)
    step = Step("nowhere negative", {"x": real("d")}, *sides, sizes={"d": (d,)})
    assert sum(attack(step, seed=seed).by == "ascent" for seed in range(8)) >= 4


def test_a_zero_below_that_nobody_excluded_is_a_failure():
    u = {"u": real("d")}
    step = Step("|u| / |u| = 1", u, lambda s: root(square(s.u)) / root(square(s.u)), lambda s: 1, sizes={"d": (1, 2)})
    found = attack(step)
    assert {*found.counterexample["u"]} == {0}
    assert verdict(step, found.counterexample) == "undefined"
    negative = Step("root of x", {"x": real()}, lambda s: root(s.x), lambda s: 1 + absolute(s.x))
    assert verdict(negative, attack(negative).counterexample) == "undefined"
    excluded = replace(step, assumptions=lambda s: [(square(s.u), ">", 0)])
    assert attack(excluded, draws=100).counterexample is None
    assert verdict(excluded, {"u": [Fraction(0)], "d": 1}) == "outside"


def test_a_fraction_may_stand_beside_an_irrational_root():
    step = Step("nine fifths", {"x": nonnegative()}, lambda s: Fraction(9, 5) * root(s.x), lambda s: 2 * root(s.x))
    small = replace(step, assumptions=lambda s: [(root(s.x), "<", Fraction(1, 2))])
    verdicts = [
        (step, Fraction(2), "holds"),
        (replace(step, right=lambda s: root(s.x)), Fraction(2), "broken"),
        (small, Fraction(1, 5), "holds"),
        (small, Fraction(1, 3), "outside"),
    ]
    assert [verdict(some, {"x": x}) for some, x, _ in verdicts] == [answer for *_, answer in verdicts]
    assert "true for all reals" in str(decide(step))
    ledger = Ledger("with arrays")
    step.record(ledger, x=np.array([2.0, 3.0]))
    assert ledger.rows["nine fifths"].slack() == pytest.approx([0.1, 0.1])
