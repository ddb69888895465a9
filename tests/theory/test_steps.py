"""A step in the ledger, the numbers it is written in, and the table of all steps."""

from fractions import Fraction
from math import isqrt

import mpmath
import numpy as np
import pytest
import sympy

from minilib.theory import Ledger, ProofError
from minilib.theory.arithmetic import IrrationalError, UndecidedError, absolute, compare, if_, maximum, root, sign
from minilib.theory.steps import Step, Variable, real, verdict
from proofs import lamb, sgd


def test_a_step_feeds_a_ledger_with_numbers_and_with_arrays():
    ledger = Ledger("SGD")
    sgd.short_step.record(ledger, {"t": 1}, lr=0.5, L=2.0, G=[1.0, -2.0], d=2)
    sgd.short_step.record(ledger, lr=np.array([0.5, 0.25]), L=2.0, G=np.ones((3, 2)), d=3)
    assert len(ledger.rows["(4b) short step"].lhs) == 3


def test_a_ledger_refuses_a_step_outside_its_assumptions_and_a_step_that_fails():
    with pytest.raises(ProofError, match="assumption"):
        sgd.short_step.record(Ledger("SGD"), lr=2.0, L=2.0, G=[1.0], d=1)
    with pytest.raises(ProofError, match="signs, as printed fails"):
        lamb.signs_printed.record(Ledger("LAMB"), G=[1.0, 1.0], g=[0.0, 1.0], d=2)
    with pytest.raises(ProofError, match="'!='"):
        lamb.signs_no_zero.record(Ledger("LAMB"), G=[1.0, 1.0], g=[0.0, 1.0], d=2)


@pytest.mark.parametrize("x", [-2, 0, 9])
def test_every_kind_of_number_gives_the_same(x):
    for number in (float, Fraction, mpmath.iv.mpf, sympy.Integer, lambda k: np.array([k, k])):
        assert np.all(sign(number(x)) == np.sign(x))
        assert np.all(absolute(number(x)) == abs(x))
        assert np.all(maximum(number(x), number(1)) == max(x, 1))
        assert x < 0 or np.all(root(number(x)) == isqrt(x))


def test_roots_and_intervals_say_what_they_cannot_tell():
    with pytest.raises(IrrationalError):
        root(Fraction(2))
    wide = mpmath.iv.mpf([0, 1])
    for relation in ("<", "=", "!="):
        with pytest.raises(UndecidedError):
            compare(wide, relation, mpmath.iv.mpf([0.5, 2]))
    with pytest.raises(ValueError, match="relation must be one of"):
        if_(1, "==", 1, 0, 0)


def test_bad_steps_are_refused():
    with pytest.raises(ValueError, match="relation must be '<=' or '=', got '<'"):
        Step("s", {}, abs, abs, relation="<")
    with pytest.raises(ValueError, match="no sizes given for d"):
        Step("s", {"x": real("d")}, abs, abs)
    with pytest.raises(TypeError, match="write it as a Fraction"):
        verdict(Step("s", {"x": Variable()}, lambda s: 0.5 * s.x, lambda s: 1), {"x": Fraction(1)})
