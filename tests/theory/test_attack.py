"""The attack breaks every false statement, and none of the true ones; what it says is judged without rounding."""

from fractions import Fraction

import numpy as np
import pytest

from minilib.theory.attack import attack
from minilib.theory.statements import (
    FAILURES,
    absolute,
    converted,
    judge,
    maximum,
    minimum,
    nonnegative,
    norm,
    real,
    root,
    sign,
    statement,
    where,
)
from proofs.bank import BANK

D = (1, 2, 3)


@statement("CANCELS: (a + b) - a = b", "=")
def cancels(a: real(), b: real()):
    return (a + b) - a, b


@statement("CANCELS: variance as a difference", d=D)
def variance(x: real("d"), d):
    return x.sum() ** 2, d * (x * x).sum()


@statement("Cauchy-Schwarz", d=D)
def cauchy(x: real("d"), y: real("d")):
    return (x * y).sum(), norm(x) * norm(y)


@statement("AM-GM")
def means(a: nonnegative(), b: nonnegative()):
    return root(a * b), (a + b) / 2


@statement("a step along the mean sign of two", n=(2,))
def two_signs(g: real("n")):
    return 0, g.sum() * sign(g).sum()


TRUE = {claim.name: claim for claim in (cancels, variance, cauchy, means, two_signs)}


def of(**values) -> dict:
    """An instance from lists of fractions."""
    return {name: np.array(value, dtype=object) for name, value in values.items()}


@pytest.mark.parametrize("claim", [claim for claims in BANK.values() for claim in claims], ids=lambda claim: claim.name)
@pytest.mark.parametrize("seed", range(3))
def test_a_false_statement_is_broken(claim, seed):
    assert judge(claim, attack(claim, seed=seed).counterexample)[0] in FAILURES


@pytest.mark.parametrize("name", TRUE)
def test_a_true_statement_is_not_broken(name):
    found = attack(TRUE[name], draws=300)
    assert found.counterexample is None
    assert found.attacks > 300
    assert "stands after" in str(found)


def test_what_floats_break_is_true_all_the_same():
    assert (1e30 + 1.0) - 1e30 != 1.0
    assert judge(cancels, of(a=Fraction(10) ** 30, b=Fraction(1)))[0] == "holds"


def test_the_root_of_a_sum_of_signs_has_all_its_digits():
    @statement("two thirds", "=", d=(2,))
    def unit(g: real("d"), d):
        return norm(sign(g)), root(d)

    assert judge(unit, of(g=[Fraction(3), Fraction(-1, 3)], d=2))[0] == "holds"


def test_the_same_seed_makes_the_same_attack():
    first, again = (attack(cauchy, draws=50, seed=3) for _ in range(2))
    assert (first.attacks, first.largest_share, first.tight[0][0]) == (
        again.attacks,
        again.largest_share,
        again.tight[0][0],
    )


def test_what_assumptions_exclude_is_no_counterexample():
    @statement("x <= 0", given=lambda x: [(x, "<=", 0)])
    def negative(x: real()):
        return x, 0

    assert attack(negative).counterexample is None
    assert judge(negative, of(x=Fraction(1)))[0] == "outside"


def far_hill(x):
    """Above 0 but near (37, 41)."""
    return (x[0] - 37) ** 2 + (x[1] - 41) ** 2 - 4


def narrow_cone(x):
    """Above 0, and of no scale, but near the multiples of (37, 41, -5)."""
    along = 37 * x[0] + 41 * x[1] - 5 * x[2]
    return (x * x).sum() * 3075 * 9999 / 10000 - along * along


@pytest.mark.parametrize(("positive", "d"), [(far_hill, 2), (narrow_cone, 3)])
@pytest.mark.parametrize("on_the_left", [True, False])
def test_the_ascent_sees_where_a_side_is_zero(positive, d, on_the_left):
    @statement("nowhere negative", d=(d,))
    def claim(x: real("d")):
        return (0, positive(x)) if on_the_left else (-positive(x), 0)

    assert sum(attack(claim, seed=seed).by == "ascent" for seed in range(8)) >= 4


def test_a_zero_below_that_nobody_excluded_is_a_failure():
    def one(u: real("d")):
        return norm(u) / norm(u), 1

    claim = statement("|u| / |u| = 1", "=", d=(1, 2))(one)
    found = attack(claim)
    assert {*found.counterexample["u"]} == {0}
    assert judge(claim, found.counterexample)[0] == "undefined"
    excluded = statement("u not 0", "=", given=lambda u: [(norm(u), ">", 0)], d=(1, 2))(one)
    assert attack(excluded, draws=100).counterexample is None
    assert judge(excluded, of(u=[Fraction(0)], d=1))[0] == "outside"

    @statement("root of x")
    def negative(x: real()):
        return root(x), 1 + absolute(x)

    assert judge(negative, attack(negative).counterexample)[0] == "undefined"


@pytest.mark.parametrize("x", [-2, 0, 9])
def test_every_kind_of_number_gives_the_same(x):
    from mpmath import mp

    for kind in (float, Fraction, mp.mpf, lambda k: np.array([k, k])):
        array = converted({"x": kind(x)}, lambda y: y)["x"]
        assert (sign(array) == np.sign(x)).all()
        assert (absolute(array) == abs(x)).all()
        assert (maximum(array, 1) == max(x, 1)).all()
        assert (minimum(array, 1) == min(x, 1)).all()
        assert x < 0 or (root(array) == x**0.5).all()


def test_bad_statements_are_refused():
    with pytest.raises(ValueError, match="relation must be '<=' or '=', got '<'"):
        statement("s", "<")
    with pytest.raises(ValueError, match="no sizes given for d"):

        @statement("s")
        def claim(x: real("d")):
            return x.sum(), 0

    with pytest.raises(ValueError, match="relation must be one of"):
        where(1, "==", 1, 0, 0)
