"""Steps decided for all real numbers: z3's yes and no, and SymPy's identities."""

import pytest

from minilib.theory.arithmetic import square
from minilib.theory.decide import decide
from minilib.theory.steps import Step, real
from proofs import came, lamb, sgd
from tests.theory.statements import FALSE, TRUE

pytest.importorskip("z3")


def test_a_zero_below_that_sympy_cancels_is_found():
    sides = {"left": lambda s: square(s.u) / square(s.u), "right": lambda s: 1, "relation": "=", "sizes": {"d": (2,)}}
    found = decide(Step("u u / u u = 1", {"u": real("d")}, **sides), {"d": 2})
    assert (found.answer, found.by, found.counterexample) == ("false", "z3", {"u": [0, 0], "d": 2})
    excluded = Step("u u / u u = 1", {"u": real("d")}, **sides, assumptions=lambda s: [(square(s.u), "!=", 0)])
    assert str(decide(excluded, {"d": 2})) == "u u / u u = 1: true for all reals at d = 2 (SymPy)"


@pytest.mark.parametrize(
    ("step", "sizes", "by"),
    [
        (sgd.batch_of_two, {"d": 2, "n": 2}, "SymPy"),
        (sgd.descent, {}, "z3"),
        (sgd.best_rate, {}, "z3"),
        (sgd.short_step, {"d": 3}, "z3"),
        (lamb.signs_no_zero, {"d": 2}, "z3"),
        (lamb.signs_convention, {"d": 2}, "z3"),
        (lamb.rare_signs, {"n": 2}, "z3"),
        (lamb.signs_no_zero, {"d": 3}, "z3"),
        (lamb.signs_alive, {"d": 3}, "z3"),
        (lamb.signs_priced, {"d": 2}, "z3"),
        (lamb.priced, {"d": 1, "n": 2}, "z3"),
        (lamb.priced, {"d": 4, "n": 1}, "z3"),
        (came.entry, {"t": 3}, "z3"),
        (TRUE["momentum, the best pair"], {}, "z3"),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_a_true_step_is_proved(step, sizes, by):
    found = decide(step, sizes, 5)
    assert (found.answer, found.by) == ("true", by)


@pytest.mark.parametrize(
    ("step", "sizes"),
    [
        (lamb.signs_printed, {"d": 2}),
        (lamb.printed, {"d": 2, "n": 2}),
        (came.no_bound, {}),
        (FALSE["half the root of the best beta"], {}),
        (FALSE["tangent below without convexity"], {"d": 1}),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_z3_refutes_a_false_step_with_a_counterexample(step, sizes):
    found = decide(step, sizes, 10)
    assert found.answer == "false"
    assert found.counterexample is not None


def test_what_takes_too_much_work_is_not_decided_however_long_the_clock_would_wait(monkeypatch):
    monkeypatch.setattr("minilib.theory.decide.PATIENCE", 1e5)
    assert decide(lamb.priced, {"d": 4, "n": 2}, 0.01).answer == "not decided"
