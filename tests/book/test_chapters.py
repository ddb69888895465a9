"""The rules of the chapters: each holds for every chapter, and a chapter breaking it is caught."""

import pytest
from nbformat.v4 import new_output
from pybtex.database import parse_file
from small_books import CHAPTERS, ROOT, cell, drawn, markdown, notebook

from minilib.theory import Ledger
from tools.chapter import chapters, notebooks, rules

FIGURE = {"figure": {"name": "fig-a", "caption": "Look."}, "image": {"alt": "A line"}}
ROW = "(1) smooth  <=        4          0.1             2.0"


def glued(text):
    executed = cell("glue_all({...})")
    executed.outputs = [new_output("display_data", {"application/papermill.record/text/plain": text})]
    return executed


def proof(*steps):
    return markdown(":::{prf:proof}\n" + "\n\n".join(f"**({n})** So." for n in steps) + "\n:::")


TWO_FIGURES = drawn(mystnb=FIGURE)
TWO_FIGURES.outputs = TWO_FIGURES.outputs * 2
EXERCISE = ":::{exercise} Title\n:label: ex-a\n\nWhy?\n:::\n\n"
START = ":::{solution-start} ex-a\n:label: sol-a\n:class: dropdown\n:::\n"
END = markdown(":::{solution-end}\n:::")
CORE = markdown("# A\n\n*Core path: 90 minutes.*")
ENDS = markdown("Here the core path ends; what follows can wait.")
EXTRA = markdown("## ★ Extra\n\nIt is $x$ ({ref}`a`): two.\nWhy?\n\n### Inside\n\nIt is three.")
LAST = markdown("## Summary\n\n* One.\n\n## Exercises")
TIMED = markdown(EXERCISE.replace("Why", "*Level: easy. Time: 10 minutes.*\n\nWhy"))
WIDE = "x = 1  # " + "a" * 70
SECOND = ROW.replace("(1)", "(2)").replace("<=", "= ")
SILENT, SPOKEN = (cell(text, tags=["nbval-ignore-output"]) for text in ("print(time())", "# a clock\nprint(time())"))
BROKEN = cell("try: ...", "Theorem: step (1) smooth fails, t = 3: left side 2")

# Each rule: chapters that keep it, and chapters that break it.
RULES = {
    rules.skipped_cells: (
        [[cell("1")]],
        [
            [cell("2"), cell("1", count=None)],
            *([cell("1", tags=[tag])] for tag in ("skip-execution", "nbval-skip", "raises-exception")),
            [cell("# NBVAL_SKIP\n1")],
        ],
    ),
    rules.unexplained_ignores: ([[SPOKEN, cell("1")]], [[SILENT, SPOKEN]]),
    rules.figure_violations: (
        [[drawn(mystnb=FIGURE)]],
        [
            [drawn()],
            [drawn(mystnb={"figure": FIGURE["figure"]})],
            [drawn(mystnb={"image": FIGURE["image"]})],
            [drawn(mystnb={**FIGURE, "figure": {"name": "line", "caption": "Look."}})],
            [cell("print(1)", mystnb=FIGURE)],
            [markdown("![](a.png)")],
            [markdown(":::{figure} a.png\n:name: fig-b\n\nWords.\n:::")],
            [TWO_FIGURES],
        ],
    ),
    rules.exercise_violations: (
        [[markdown(EXERCISE + START), cell("1"), END]],
        [
            [markdown(EXERCISE)],
            [markdown(":::{exercise}\n\nWhy?\n:::")],
            [markdown(START.replace("ex-a", "ex-b") + EXERCISE + ":::{solution-end}\n:::")],
            [markdown(EXERCISE + ":::{solution} ex-a\n:label: s\n\nSo.\n:::")],
            [markdown(EXERCISE + START), cell("1")],
            [markdown(EXERCISE + START), cell("1", count=None), END],
        ],
    ),
    rules.core_path_violations: (
        [[CORE, TIMED, cell(WIDE, tags=["hide-input"])], [markdown(EXERCISE), cell(WIDE)]],
        [[CORE, cell(WIDE)], [CORE, markdown(EXERCISE)]],
    ),
    rules.core_first_violations: (
        [[CORE, cell("1"), ENDS, EXTRA, cell("2"), LAST, cell("3")], [markdown("# A"), EXTRA, cell("2")]],
        [
            [CORE, cell("1"), EXTRA, LAST],
            [CORE, EXTRA, ENDS, LAST],
            [CORE, ENDS, ENDS, EXTRA],
            [CORE, ENDS, cell("1"), EXTRA],
            [CORE, ENDS, EXTRA, markdown("## Measure\n\nTwo.")],
            [CORE, ENDS, markdown("## Build\n\n### ★ Inside\n\nIt is two.")],
            [CORE, ENDS, EXTRA, LAST, markdown("## ★ Late\n\nWhat is it?")],
            [CORE, ENDS, markdown("## ★ Late\n\n:::{prf:theorem} A\nIt is two.\n:::")],
            [CORE, ENDS, markdown("## ★ Late\n\nIt is two.\n\n### Inside"), cell("1")],
        ],
    ),
    rules.proof_violations: (
        [
            [proof(1), cell("", ROW), cell("x", ROW)],
            [proof(1), cell("x", ROW), proof(2), cell("y", SECOND)],
            [proof(), cell("assert x > 0")],
        ],
        [
            [proof(1), cell("print(1)", "no table")],
            [proof(1, 2), cell("x", ROW)],
            [cell("x", ROW), proof(1)],
            [proof(1), proof(1), cell("x", ROW)],
            [proof(1, 3), cell("x", ROW + "\n" + ROW.replace("(1)", "(3)"))],
            [proof(), cell("print(1)")],
            [proof(1), cell("x", ROW.replace(" 4 ", " 0 "))],
        ],
    ),
    rules.unbroken_proofs: ([[proof(1), cell("x", ROW), BROKEN]], [[proof(1), cell("x", ROW)]]),
    rules.long_glued_numbers: ([[glued("0.000123456")]], [[glued("0.6020599913279624")]]),
}
CASES = [(rule, cells, broken) for rule, sides in RULES.items() for broken in (0, 1) for cells in sides[broken]]


def name(value):
    return getattr(value, "__name__", "")


@pytest.mark.parametrize("rule", [*RULES, rules.unlabelled_folds], ids=name)
def test_every_chapter_keeps_the_rule(rule, chapter):
    """The core path comes first, in one piece, so it runs alone: nbval executes a chapter from its top."""
    violations = rule(chapters.read(chapter))
    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(("rule", "cells", "broken"), CASES, ids=name)
def test_a_chapter_that_keeps_a_rule_passes_and_one_that_breaks_it_is_caught(rule, cells, broken):
    assert bool(rule(notebook(*cells))) == broken


def test_notebooks_holds_pairs_and_nothing_else():
    known = {"jupytext.toml", "ruff.toml", ".ruff_cache", ".ipynb_checkpoints", ".hypothesis"}
    names = {path.name for path in (ROOT / "notebooks").iterdir()} - known
    assert names == {md.with_suffix(end).name for md in notebooks.chapters() for end in (".md", ".ipynb")}


def test_the_two_files_of_a_chapter_are_in_step(chapter):
    assert notebooks.violations(chapter.with_suffix(".md")) == []


@pytest.mark.parametrize(
    ("mystnb", "label"),
    [
        ({}, ""),
        (FIGURE, "Show how this figure is drawn"),
        *(({"code_prompt_show": idle}, "") for idle in ("Show the source", "Show the content", "more")),
        *((more | {"code_prompt_show": "Show the steps"}, "Show the steps") for more in ({}, FIGURE)),
    ],
)
def test_a_fold_that_does_not_say_what_is_inside_is_caught(mystnb, label):
    folded = cell("1", tags=["hide-input"], mystnb=mystnb)
    assert chapters.fold_label(folded.metadata) == label
    assert len(rules.unlabelled_folds(notebook(folded, cell("2")))) == (label == "")


def test_at_most_15_percent_of_all_cells_ignore_their_output():
    books = [chapters.read(path) for path in CHAPTERS]
    ignored = sum(len(chapters.ignored_cells(nb)) for nb in books)
    assert ignored <= 0.15 * sum(len(chapters.code(nb)) for nb in books)
    assert len(chapters.ignored_cells(notebook(SILENT, SPOKEN, cell("1")))) == 2


def test_the_rows_of_a_real_ledger_are_recognised(capsys):
    ledger = Ledger("Theorem")
    ledger.leq("(1) smooth", 1.0, 2.0)
    ledger.eq("(2) sum", [1.0, 2.0], [1.0, 2.0])
    ledger.table()
    assert rules.ledger_rows([cell("x", capsys.readouterr().out)]) == {1, 2}


BIBLIOGRAPHY = parse_file(ROOT / "book" / "references.bib").entries


def test_every_citation_is_in_the_bibliography():
    text = "{cite}`a` {cite:t}`b` and {cite:p}`c, d`, no `{cite}`."
    assert chapters.cited_keys(text) == {"a", "b", "c", "d"}
    for path in (*ROOT.glob("notebooks/*.md"), *ROOT.glob("book/*.md")):
        assert chapters.cited_keys(path.read_text()) - set(BIBLIOGRAPHY) == set(), path.name


def test_every_entry_of_the_bibliography_says_who_what_when_and_where():
    places = {"journal", "booktitle", "publisher", "eprint", "url", "doi", "school", "howpublished"}
    for key, entry in BIBLIOGRAPHY.items():
        assert entry.persons.get("author") or entry.persons.get("editor"), key
        assert {"title", "year"} <= set(entry.fields), key
        assert places & set(entry.fields), key
