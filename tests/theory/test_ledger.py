"""The ledger: what it accepts, what it refuses and with which words, and its table to the letter."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minilib.theory import Ledger, ProofError

numbers = st.floats(-1e6, 1e6)
same = np.ones(3)
COLUMNS = ("step", "relation", "checks", "slack", "ratio")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger("Lemma 1")


@given(a=numbers, b=numbers)
def test_less_or_equal_holds_for_one_order_of_two_numbers_and_fails_for_the_other(a, b):
    ledger = Ledger("order")
    small, large = sorted([a, b])
    ledger.leq("(1)", small, large)
    if large - small > 1e-2:
        with pytest.raises(ProofError):
            ledger.leq("(1)", large, small)
        with pytest.raises(ProofError):
            ledger.eq("(2)", small, large)


@given(a=numbers)
def test_rounding_is_forgiven_and_nothing_more(a):
    ledger = Ledger("rounding", rtol=1e-9, atol=1e-12)
    beyond = 3e-9 * abs(a) + 3e-12
    for relation in (ledger.leq, ledger.eq):
        relation(relation.__name__, a + beyond / 10, a)
        with pytest.raises(ProofError):
            relation(relation.__name__, a + beyond, a)
    ledger.leq("leq", a - beyond, a)
    with pytest.raises(ProofError):
        ledger.eq("eq", a - beyond, a)


FAILS = "Lemma 1: step (1) fails"
NOTHING = "Lemma 1: step (1) compared nothing (empty arrays)"
COMPLEX = "Lemma 1: step (1) compares complex numbers: compare absolute values, or real and imaginary parts"


@pytest.mark.parametrize("relation", ["leq", "eq"])
@pytest.mark.parametrize(
    ("lhs", "rhs", "message"),
    [
        (2.5, 1.25, f"{FAILS}, seed = 7, step = last: left side 2.5, right side 1.25, should be left RELATION right"),
        ([2, 5, 9], [2, 2, 2], f"{FAILS}, seed = 7, step = last, element 1: left side 5, right side 2,"),
        (np.nan, 1, FAILS),
        (1, np.nan, FAILS),
        (1, np.inf, FAILS),
        (-np.inf, 1, FAILS),
        (np.inf, np.inf, FAILS),
        (-np.inf, -np.inf, FAILS),
        ([1, np.nan], [1, 2], FAILS),
        ([], [], NOTHING),
        ([], 1.0, NOTHING),
        (np.empty((0, 3)), np.ones(3), NOTHING),
        (1 + 2j, 1, COMPLEX),
        ([1.0, 1.0], [1, 1 - 1e-6j], COMPLEX),
        (same, same, "Lemma 1: step (1) compares an array with itself and could not fail"),
    ],
    ids=str,
)
def test_what_fails_or_could_not_fail_is_refused_and_leaves_no_row(ledger, relation, lhs, rhs, message):
    with pytest.raises(ProofError) as error:
        getattr(ledger, relation)("(1)", lhs, rhs, seed=7, step="last")
    assert str(error.value).startswith(message.replace("RELATION", {"leq": "<=", "eq": "="}[relation]))
    assert ledger.rows == {}
    ledger.eq("(1)", same, same.copy())
    with pytest.raises(ProofError):
        ledger.eq("(1)", lhs, rhs)
    assert (ledger.rows["(1)"].lhs, ledger.rows["(1)"].rhs) == ([1, 1, 1], [1, 1, 1])


def test_a_complex_number_that_is_real_counts_as_real(ledger):
    ledger.leq("(1)", np.roots([1.0, 0.0, -4.0]).astype(complex), [2 + 1e-16j, 2])
    assert sorted(ledger.rows["(1)"].lhs) == pytest.approx([-2, 2])


def test_arrays_broadcast_and_every_element_counts(ledger):
    ledger.leq("(1)", np.ones((2, 3)), [1.0, 2.0, 3.0])
    ledger.leq("(1)", 0.5, [[1.0], [2.0]])
    assert ledger.rows["(1)"].lhs == [1] * 6 + [0.5] * 2
    assert ledger.rows["(1)"].rhs == [1, 2, 3, 1, 2, 3, 1, 2]
    with pytest.raises(ValueError, match="shape mismatch"):
        ledger.leq("(1)", np.ones(2), np.ones(3))


def test_one_step_keeps_one_relation(ledger):
    ledger.leq("(1)", 1, 1)
    with pytest.raises(ValueError, match=r"step \(1\) was recorded with '<=' and now with '='"):
        ledger.eq("(1)", 1, 1)


def test_slack_is_relative_to_the_larger_side_and_ratio_is_a_median(ledger):
    ledger.leq("(1)", [1, 1, 2, 0], [4, 2, 2, 3])
    row = ledger.rows["(1)"]
    np.testing.assert_allclose(row.slack(), [0.75, 0.5, 0, 1])
    assert row.ratio() == 2.0  # of 4, 2, 1; the zero has no ratio


def test_the_table_is_this_and_is_left_as_data(ledger, capsys, left):
    ledger.leq("(1) smoothness", [1, 2, 4], [1.24, 4, 5])
    ledger.eq("(2) telescope", [3.0, -1.0], [3.0, -1.0])
    ledger.leq("(3)", [-2, 0], [-1, 5])
    ledger.leq("(1) smoothness", 1.0, 100.0)
    ledger.table()
    proof, _, *lines = printed = capsys.readouterr().out.splitlines()
    assert printed == [
        "Lemma 1",
        "step            rel  checks  least slack  median rhs/lhs",
        "(1) smoothness  <=        4          0.2             1.6",
        "(2) telescope   =         2            0               1",
        "(3)             <=        2          0.5               -",
    ]
    rows = [dict(zip(COLUMNS, re.split("  +", line), strict=True)) for line in lines]
    assert left == [("application/vnd.minilib.ledger+json", {"proof": proof, "rows": rows})]


def test_an_empty_ledger_has_no_table(ledger):
    with pytest.raises(ProofError, match="Lemma 1: no step was evaluated"):
        ledger.table()


@pytest.mark.parametrize("tiny", [0.0, 1e-13])
def test_a_row_that_only_ever_compared_rounding_with_rounding_has_no_table(ledger, tiny, capsys):
    ledger.leq("(1)", 1, 2)
    ledger.eq("(2)", np.full(3, tiny), 0.0)
    with pytest.raises(ProofError, match=r"Lemma 1: step \(2\) could not have failed: no side exceeds"):
        ledger.table()
    assert capsys.readouterr().out == ""
    ledger.leq("(3)", 0.0, 1.0)
    ledger.eq("(2)", 1.0, 1.0)
    ledger.table()
    assert [line[:3] for line in capsys.readouterr().out.splitlines()[2:]] == ["(1)", "(2)", "(3)"]
