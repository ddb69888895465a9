"""The bound that a chapter evaluates is the one that Rocq has proved: both are computed, from the same numbers.

The rows are in rows.py, and what reads Rocq in statement_sides.py.
"""

import functools
import json
import re

import numpy as np
import pytest

from tests.proofs.rows import COMMON, ROWS, WITHOUT
from tests.proofs.statement_sides import definitions, evaluate, sides
from tools.prover import rocq


@functools.cache
def records():
    """What the prover says of each theorem: (file in proofs/, statement)."""
    theorems = {}
    for path in (rocq.ROOT / "book" / "machine").glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))["theorems"]
        theorems |= {name: (path.stem, one["statement"]) for name, one in record.items()}
    return theorems


@functools.cache
def defined(file):
    text = (rocq.ROOT / "proofs" / f"{file}.v").read_text(encoding="utf-8")
    return {name: term for name, term in definitions(text).items() if term[0] == "fun"}


def in_rocq(files, values):
    """The numbers that a row gives, and the definitions of these files, which use them."""
    names = {**COMMON}
    for file in files:
        for name, term in defined(file).items():
            names[name] = evaluate(term, names)
    names |= values
    return names


def differences(row, changed=lambda theorem, statement: statement, draws=10):
    """Where a statement's side and the page's are not the same number: (theorem, comparison, Rocq's, the page's)."""
    rng, unequal = np.random.default_rng(0), []
    for _ in range(draws):
        values, page = row.draw(rng)
        for theorem, numbers in page.items():
            file, statement = records()[theorem]
            names, pairs = in_rocq(["vectors", "spaces", *row.reads, file], values), sides(changed(theorem, statement))
            for which, ours in numbers.items():
                both = ours if isinstance(ours, tuple | list) else (ours, ours)
                for side, number in zip(pairs[which][::2], both, strict=True):
                    if number is None:
                        continue
                    value, number = evaluate(side, names), np.squeeze(number).item()
                    if value != pytest.approx(number, rel=1e-9):
                        unequal.append((theorem, which, value, number))
    return unequal


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
def test_the_page_and_rocq_have_the_same_two_sides(row):
    assert differences(row) == []


def test_every_label_has_a_row_or_a_reason():
    every = set(rocq.all_labels(rocq.ROOT))
    assert {row.label for row in ROWS} | {*WITHOUT} == every, "ROWS in rows.py has one for each label"
    assert not {row.label for row in ROWS} & {*WITHOUT}


FAULTS = [
    # label, theorem, what its statement has, and what would be wrong
    ("lem-telescoping", "lem_telescoping", "1 / (c * INR T)", "2 / (c * INR T)"),
    ("thm-adam-bound", "thm_adam_bound", "4 * INR d * R_ ^ 2", "2 * INR d * R_ ^ 2"),
    ("thm-lars", "thm_lars", "2 * alpha_u * sum h sigma", "1 * alpha_u * sum h sigma"),
    ("thm-momentum-best", "thm_momentum_best", "(2 / (sqrt L + sqrt mu)) ^ 2", "(2 / (sqrt L + sqrt mu)) ^ 1"),
    ("thm-momentum-noise", "thm_momentum_noise", "lr_bar = lr / (1 - beta)", "lr_bar = lr"),
]


@pytest.mark.parametrize(("label", "theorem", "right", "wrong"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_a_wrong_factor_in_rocq_is_seen(label, theorem, right, wrong):
    def changed(name, statement):
        statement = re.sub(r"\s+", " ", statement)
        assert name != theorem or right in statement
        return statement.replace(right, wrong) if name == theorem else statement

    assert any(differences(row, changed, draws=2) for row in ROWS if row.label == label)


def test_a_wrong_definition_in_rocq_is_seen(monkeypatch):
    (row,) = (row for row in ROWS if row.label == "thm-came-step")
    body = defined("came")["inverses"]
    monkeypatch.setitem(defined("came"), "inverses", (*body[:2], ("*", 2, body[2])))
    assert differences(row, draws=1)


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
    statement = """x : forall (a : R) (t : nat), (t < 2)%nat -> [t] <> nil /\\ 0 < a ->
        let q := 2 * a in ((exists k : nat, a < 1) /\\ a <= q < INR t) /\\ (a = 0 <-> 1 < t /\\ 2 < t) /\\
        (forall k : nat, 0 < k -> 3 = INR k) /\\ (forall c : R, c = - a -> Un_cv (fun n : nat => a) (2 * c))"""
    q, c = ("*", 2, "a"), ("-", "a")
    pairs = [("a", "<", 1), ("a", "<=", q), (q, "<", ("apply", "INR", "t")), (3, "=", ("apply", "INR", "k"))]
    assert sides(statement) == [*pairs, (("fun", ["n"], "a"), "tends to", ("*", 2, c))]


def test_a_definition_has_the_variables_of_its_section_that_it_uses():
    text = """Section A. Variables (a b : R) (c : nat -> R).
        Let twice x := 2 * a * x.  (* Definition no := 1. *)
        Definition f (n : nat) : R := if Req_EM_T a 0 then 1 else c n + twice 1.
        Fixpoint g n := match n with O => 0 | S m => 1 end.
        End A. Definition h d := f d (fun i => INR i) 3."""
    terms = definitions(text)
    assert {name: one[1] for name, one in terms.items()} == {"twice": ["a", "x"], "f": ["a", "c", "n"], "h": ["d"]}
    values = {}
    values |= {name: evaluate(one, values) for name, one in terms.items()}
    assert [evaluate(("apply", "h", d), values) for d in (0, 5)] == [1, 13]


@pytest.mark.parametrize("text", ["1 + = 3", "a | 2 = 3"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(SyntaxError):
        sides(f"x : {text}")
