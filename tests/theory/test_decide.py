"""Steps decided for all real numbers: z3's yes and no, and SymPy's identities."""

import importlib.util

import pytest

from minilib.theory.arithmetic import square
from minilib.theory.decide import decide
from minilib.theory.steps import Step, real
from proofs import came, lamb, sgd
from tests.theory.false_statements import FALSE
from tests.theory.true_statements import TRUE

z3 = pytest.mark.skipif(importlib.util.find_spec("z3") is None, reason="z3-solver is not installed")


def test_sympy_decides_an_identity():
    found = decide(sgd.batch_of_two, {"d": 2, "n": 2})
    assert (found.answer, found.by) == ("true", "SymPy")


@z3
def test_a_zero_below_that_sympy_cancels_is_found():
    sides = {"left": lambda s: square(s.u) / square(s.u), "right": lambda s: 1, "relation": "=", "sizes": {"d": (2,)}}
    found = decide(Step("u u / u u = 1", {"u": real("d")}, **sides), {"d": 2})
    assert (found.answer, found.by, found.counterexample) == ("false", "z3", {"u": [0, 0], "d": 2})
    excluded = Step("u u / u u = 1", {"u": real("d")}, **sides, assumptions=lambda s: [(square(s.u), "!=", 0)])
    assert str(decide(excluded, {"d": 2})) == "u u / u u = 1: true for all reals at d = 2 (SymPy)"


@z3
@pytest.mark.parametrize(
    ("step", "sizes"),
    [
        (sgd.descent, {}),
        (sgd.best_rate, {}),
        (sgd.short_step, {"d": 3}),
        (lamb.signs_no_zero, {"d": 2}),
        (lamb.signs_convention, {"d": 2}),
        (lamb.rare_signs, {"n": 2}),
        (lamb.signs_no_zero, {"d": 3}),
        (lamb.signs_alive, {"d": 3}),
        (lamb.signs_priced, {"d": 2}),
        (lamb.priced, {"d": 1, "n": 2}),
        (lamb.priced, {"d": 4, "n": 1}),
        (came.entry, {"t": 3}),
        (TRUE["momentum, the best pair"], {}),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_z3_proves_a_true_step(step, sizes):
    assert decide(step, sizes, 5).answer == "true"


@z3
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("LAMB (2), sign of zero", {"d": 2}),
        ("LAMB (4), as printed", {"d": 2, "n": 2}),
        ("big batches, opens upwards", {"d": 2}),
        ("CAME, the clip bounds nothing", {}),
        ("momentum, half the root of the best beta", {}),
        ("tangent below without convexity", {"d": 1}),
    ],
)
def test_z3_refutes_a_false_step_with_a_counterexample(name, sizes):
    found = decide(FALSE[name], sizes, 10)
    assert found.answer == "false"
    assert found.counterexample is not None


@z3
def test_what_takes_too_long_is_not_decided():
    assert decide(lamb.priced, {"d": 4, "n": 2}, 0.2).answer == "not decided"
