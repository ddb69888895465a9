"""The bound that a chapter evaluates is the one that Rocq has proved: both are computed, from the same numbers.

A row names a theorem, which of its comparisons, numbers that its variables take, and the page's two sides of them.
"""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
import rocq

import notebooks
from proofs import toolbox
from tests.proofs.statement_sides import evaluate, sides


def telescoping(rng):
    T = int(rng.integers(1, 6))
    f, p, e = (rng.normal(size=n).tolist() for n in (T + 1, T, T))
    values = {"c": rng.uniform(0.1, 3), "T": T, "f": f, "p": p, "e": e, "fstar": f[-1] - rng.exponential()}
    page = SimpleNamespace(**values | {"f": f[:-1], "last": f[-1], "least": values["fstar"]})
    return values, toolbox.bounded.left(page), toolbox.bounded.right(page)


def of_chapter(chapter, name, **globals_):
    """A function that a cell of a chapter defines, with the values of the names that it takes from the chapter."""
    text = notebooks.find(chapter).read_text(encoding="utf-8")
    defined = re.search(rf"^def {name}\(.*?(?=^\S|^```)", text, re.MULTILINE | re.DOTALL)
    exec(defined[0], globals_)
    return globals_[name]


def sgd(rng):
    values = dict(zip(("L", "sigma", "fstar", "lr", "Delta"), rng.uniform(0.1, 3, size=5).tolist(), strict=True))
    values |= {"b": int(rng.integers(1, 9)), "T": int(rng.integers(1, 99)), "x1": 0}
    of_page = {"Delta": values["Delta"], "L": values["L"], "sigma2": values["sigma"] ** 2, "np": np}
    at = {"b": values["b"], "T": values["T"]}
    promise, rate, best = (of_chapter("sgd", name, **of_page) for name in ("promise", "best_rate", "best_promise"))
    start = values["fstar"] + values["Delta"]
    values |= {"f": lambda x: start, "Delta": lambda f, fstar, x: f(x) - fstar}
    values["best_lr"] = lambda b, f, L, sigma, fstar, T, x: rate(b, T)
    return values, promise(values["lr"], **at), promise(rate(**at), **at), best(**at)


def sgd_any_rate(rng):
    values, any_rate, _, _ = sgd(rng)
    return values, None, any_rate  # the left side is a mean over all runs


def sgd_best_rate(rng):
    values, _, left, right = sgd(rng)
    return values, left, right


ROWS = {
    # label, source, theorem, number of its comparison: numbers for its variables and the page's sides
    ("lem-telescoping", "toolbox_telescoping", "lem_telescoping", 0): telescoping,
    ("thm-sgd", "sgd", "thm_sgd", 0): sgd_any_rate,
    ("thm-sgd", "sgd", "thm_sgd_best", 0): sgd_best_rate,
}


def statement(source, theorem):
    record = json.loads((rocq.ROOT / "book" / "machine" / f"{source}.json").read_text(encoding="utf-8"))
    return record["theorems"][theorem]["statement"]


@pytest.mark.parametrize(("place", "draw"), ROWS.items(), ids=[f"{row[2]}-{row[3]}" for row in ROWS])
def test_the_page_and_rocq_have_the_same_two_sides(place, draw):
    label, source, theorem, which = place
    if label in rocq.not_proved(rocq.ROOT):
        pytest.skip(f"{label} has no theorem in Rocq yet")
    sides_in_rocq = sides(statement(source, theorem))[which]
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, *page = draw(rng)
        for side, number in zip(sides_in_rocq[::2], page, strict=True):
            assert number is None or evaluate(side, values) == pytest.approx(number, rel=1e-12)


def test_a_wrong_factor_in_rocq_is_seen():
    said = statement("toolbox_telescoping", "lem_telescoping")
    assert said.count("1 / (c * INR T)") == 1
    (_, _, right), *_ = sides(said.replace("1 / (c * INR T)", "2 / (c * INR T)"))
    values, _, page_right = telescoping(np.random.default_rng(1))
    assert evaluate(right, values) != pytest.approx(page_right, rel=1e-3)


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
        let q := 2 * a in ((exists k : nat, a < 1) /\\ a <= q < INR t) /\\ (a = 0 <-> 1 < t) /\\
        (forall k : nat, 0 < k -> 3 = INR k)"""
    found = [("a", "<=", ("*", 2, "a")), (("*", 2, "a"), "<", ("apply", "INR", "t")), (3, "=", ("apply", "INR", "k"))]
    assert sides(said) == found


@pytest.mark.parametrize("text", ["1 + = 3", "a | 2 = 3"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(SyntaxError):
        sides(f"x : {text}")
