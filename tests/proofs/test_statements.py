"""The bound that a chapter evaluates is the one that Rocq has proved: both are computed, from the same numbers.

The rows are in rows.py, and what reads Rocq in statement_sides.py.
"""

import functools
import json

import numpy as np
import pytest
import rocq

from tests.proofs.rows import COMMON, ROWS
from tests.proofs.statement_sides import definitions, evaluate, sides


def statement(source, theorem):
    record = json.loads((rocq.ROOT / "book" / "machine" / f"{source}.json").read_text(encoding="utf-8"))
    return record["theorems"][theorem]["statement"]


def in_rocq(reads, values):
    """The numbers that a row gives, and the definitions of these files in proofs/, which use them."""
    found = {**COMMON}
    for name in reads:
        for one, term in defined(name).items():
            found[one] = evaluate(term, found)
    found |= values
    return found


@functools.cache
def defined(name):
    text = (rocq.ROOT / "proofs" / f"{name}.v").read_text(encoding="utf-8")
    return {one: term for one, term in definitions(text).items() if term[0] == "fun"}


def differences(row, said, draws=10):
    """Where a statement's sides and the page's are not the same number: (comparison, side, Rocq, page)."""
    rng, found = np.random.default_rng(0), []
    for _ in range(draws):
        values, page = row.draw(rng)
        values = in_rocq(row.reads, values)
        for which, pair in page.items():
            left, _, right = said[which]
            for side, number in zip((left, right), pair, strict=True):
                if number is not None and (value := evaluate(side, values)) != pytest.approx(number, rel=1e-9):
                    found.append((which, side, value, number))
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.draw.__name__)
def test_the_page_and_rocq_have_the_same_two_sides(row):
    if row.label in rocq.not_proved(rocq.ROOT):
        pytest.skip(f"{row.label} has no theorem in Rocq yet")
    assert differences(row, sides(statement(row.source, row.theorem))) == []


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("1 - 2 - 3", {}, -4),
        ("- 2 ^ 2 * / 4 + 2 ^ 3 ^ 2 / 8", {}, 63),  # a power binds tighter than a sign, and from the right
        ("sqrt (INR (S 3)) * Rmax 2 (ln (exp 3))", {}, 6),
        ("sum 3 (fun i : nat => INR i * a) / b", {"a": 2, "b": 3}, 2),
        ("E W (fun w : nat => g w 1%nat)", {"W": 2, "E": lambda W, X: (X(0) + X(1)) / W, "g": [[1, 2], [3, 4]]}, 3),
        ("f (fun i j : nat => INR (i + j))", {"f": lambda x: x(1)(2)}, 3),
    ],
)
def test_a_side_is_read_as_rocq_reads_it(text, values, expected):
    ((left, _, _),) = sides(f"x : {text} = 0")
    assert evaluate(left, values) == pytest.approx(expected, rel=1e-12)


def test_what_is_assumed_is_no_side_a_chain_is_two_and_a_name_stands_for_its_value():
    said = """x : forall (a : R) (t : nat), (t < 2)%nat -> [t] <> nil /\\ 0 < a ->
        let q := 2 * a in ((exists k : nat, a < 1) /\\ a <= q < INR t) /\\ (a = 0 <-> 1 < t /\\ 2 < t) /\\
        (forall k : nat, 0 < k -> 3 = INR k) /\\ (forall c : R, c = - a -> Un_cv (fun n : nat => a) (2 * c))"""
    q, c = ("*", 2, "a"), ("-", "a")
    found = [("a", "<", 1), ("a", "<=", q), (q, "<", ("apply", "INR", "t")), (3, "=", ("apply", "INR", "k"))]
    assert sides(said) == [*found, (("fun", ["n"], "a"), "tends to", ("*", 2, c))]


def test_a_definition_has_the_variables_of_its_section_that_it_uses():
    said = """Section A. Variables (a b : R) (c : nat -> R).
        Let twice x := 2 * a * x.  (* Definition no := 1. *)
        Definition f (n : nat) : R := if Req_EM_T a 0 then 1 else c n + twice 1.
        Fixpoint g n := match n with O => 0 | S m => 1 end.
        End A. Definition h d := f d (fun i => INR i) 3."""
    found = definitions(said)
    assert {name: one[1] for name, one in found.items()} == {"twice": ["a", "x"], "f": ["a", "c", "n"], "h": ["d"]}
    values = {}
    values |= {name: evaluate(one, values) for name, one in found.items()}
    assert [evaluate(("apply", "h", d), values) for d in (0, 5)] == [1, 13]


@pytest.mark.parametrize("text", ["1 + = 3", "a | 2 = 3"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(SyntaxError):
        sides(f"x : {text}")
