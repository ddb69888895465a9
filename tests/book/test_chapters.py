"""The rules of the chapters: each holds for every chapter, and a chapter breaking it is caught."""

import chapters as rules
import pytest
from pybtex.database import parse_file
from small_books import CHAPTERS, ROOT, cell, drawn, markdown, notebook

import notebooks

FIGURE = {"figure": {"name": "fig-a", "caption": "Look."}, "image": {"alt": "A line"}}
ROW = "(1) smooth  <=        4          0.1             2.0"


def read(path):
    return rules.read(path)


def test_the_book_has_chapters():
    assert CHAPTERS


def test_notebooks_holds_pairs_and_nothing_else():
    assert stray_files(ROOT / "notebooks") == set()


def stray_files(folder):
    known = {"jupytext.toml", "ruff.toml", ".ruff_cache", ".ipynb_checkpoints", ".hypothesis"}
    names = {p.name for p in folder.iterdir()} - known
    pairs = {f"{p.stem}{end}" for p in folder.glob("*.md") for end in (".md", ".ipynb")}
    return names ^ pairs


def test_a_notebook_without_source_is_caught(tmp_path):
    (tmp_path / "01_a.ipynb").write_text("{}")
    assert stray_files(tmp_path) == {"01_a.ipynb"}


def test_the_two_files_of_a_chapter_are_in_step(chapter):
    assert notebooks.violations(chapter.with_suffix(".md")) == []


def test_every_code_cell_was_executed_and_none_is_skipped(chapter):
    assert rules.skipped_cells(read(chapter)) == []


@pytest.mark.parametrize(
    "bad",
    [
        cell("1", count=None),
        cell("1", tags=["skip-execution"]),
        cell("1", tags=["nbval-skip"]),
        cell("1", tags=["raises-exception"]),
        cell("# NBVAL_SKIP\n1"),
    ],
)
def test_a_cell_that_is_not_run_is_caught(bad):
    assert rules.skipped_cells(notebook(cell("2"), bad)) != []


def test_every_fold_says_what_is_inside(chapter):
    assert rules.unlabelled_folds(read(chapter)) == []


@pytest.mark.parametrize(
    ("mystnb", "told"),
    [
        ({}, ""),
        ({"code_prompt_show": "Show the source"}, ""),
        ({"code_prompt_show": "Show the content"}, ""),
        ({"code_prompt_show": "more"}, ""),
        ({"code_prompt_show": "Show how the tree is walked"}, "Show how the tree is walked"),
        (FIGURE, "Show how this figure is drawn"),
        (FIGURE | {"code_prompt_show": "Show the steps"}, "Show the steps"),
    ],
)
def test_a_fold_that_does_not_say_what_is_inside_is_caught(mystnb, told):
    folded = cell("1", tags=["hide-input"], mystnb=mystnb)
    assert rules.fold_label(folded.metadata) == told
    assert len(rules.unlabelled_folds(notebook(folded, cell("2")))) == (told == "")


def test_at_most_15_percent_of_all_cells_ignore_their_output():
    books = [read(path) for path in CHAPTERS]
    ignored = sum(len(rules.ignored_cells(nb)) for nb in books)
    assert ignored <= 0.15 * sum(len(rules.code(nb)) for nb in books)


def test_every_cell_that_ignores_its_output_says_why(chapter):
    assert rules.unexplained_ignores(read(chapter)) == []


def test_an_unexplained_ignored_output_is_caught():
    silent, spoken = (
        cell(source, tags=["nbval-ignore-output"]) for source in ("print(time())", "# a clock\nprint(time())")
    )
    assert len(rules.unexplained_ignores(notebook(silent, spoken))) == 1
    assert len(rules.ignored_cells(notebook(silent, spoken, cell("1")))) == 2


def test_every_figure_has_a_name_a_caption_and_an_alt_text(chapter):
    assert rules.figure_violations(read(chapter)) == []


def test_a_figure_with_all_its_words_passes():
    assert rules.figure_violations(notebook(drawn(mystnb=FIGURE))) == []


@pytest.mark.parametrize(
    "bad",
    [
        drawn(),
        drawn(mystnb={"figure": FIGURE["figure"]}),
        drawn(mystnb={"image": FIGURE["image"]}),
        drawn(mystnb={**FIGURE, "figure": {"name": "line", "caption": "Look."}}),
        cell("print(1)", mystnb=FIGURE),
        markdown("![](a.png)"),
        markdown(":::{figure} a.png\n:name: fig-b\n\nWords.\n:::"),
    ],
)
def test_a_figure_without_its_words_is_caught(bad):
    assert rules.figure_violations(notebook(bad)) != []


def test_two_figures_in_one_cell_are_caught():
    two = drawn(mystnb=FIGURE)
    two.outputs = two.outputs * 2
    assert rules.figure_violations(notebook(two)) != []


def test_every_exercise_has_a_folded_solution_whose_code_ran(chapter):
    assert rules.exercise_violations(read(chapter)) == []


EXERCISE = ":::{exercise} Title\n:label: ex-a\n\nWhy?\n:::\n\n"
START = ":::{solution-start} ex-a\n:label: sol-a\n:class: dropdown\n:::\n"


def test_a_solved_exercise_passes():
    solved = notebook(markdown(EXERCISE + START), cell("1"), markdown(":::{solution-end}\n:::"))
    assert rules.exercise_labels(solved) == ["ex-a"]
    assert rules.exercise_violations(solved) == []


@pytest.mark.parametrize(
    "bad",
    [
        [markdown(EXERCISE)],
        [markdown(":::{exercise}\n\nWhy?\n:::")],
        [markdown(START.replace("ex-a", "ex-b") + EXERCISE + ":::{solution-end}\n:::")],
        [markdown(EXERCISE + ":::{solution} ex-a\n:label: s\n\nSo.\n:::")],
        [markdown(EXERCISE + START), cell("1")],
        [markdown(EXERCISE + START), cell("1", count=None), markdown(":::{solution-end}\n:::")],
    ],
)
def test_an_exercise_without_a_run_and_folded_solution_is_caught(bad):
    assert rules.exercise_violations(notebook(*bad)) != []


def test_a_chapter_with_a_core_path_does_not_scroll_and_says_how_long_exercises_take(chapter):
    assert rules.core_path_violations(read(chapter)) == []


def test_the_core_path_comes_first_in_one_piece(chapter):
    """So it runs alone: nbval executes a chapter from its top, and nothing starred has run before the core path ends.

    To execute the core's cells once more would run the very same cells in the same order.
    """
    assert rules.core_first_violations(read(chapter)) == []


CORE = markdown("# A\n\n*Core path: 90 minutes.*")
ENDS = markdown("Here the core path ends; what follows can wait.")
EXTRA = markdown("## ★ Extra\n\nIt is $x$ ({ref}`a`): two.\nWhy?\n\n### Inside\n\nIt is three.")
LAST = markdown("## Summary\n\n* One.\n\n## Exercises")


def test_a_core_path_that_comes_first_passes():
    assert rules.core_first_violations(notebook(CORE, cell("1"), ENDS, EXTRA, cell("2"), LAST, cell("3"))) == []
    assert rules.core_first_violations(notebook(markdown("# A"), EXTRA, cell("2"))) == []


@pytest.mark.parametrize(
    "bad",
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
)
def test_a_core_path_that_is_interrupted_or_not_closed_is_caught(bad):
    assert rules.core_first_violations(notebook(*bad)) != []


TIMED = markdown(EXERCISE.replace("Why", "*Level: easy. Time: 10 minutes.*\n\nWhy"))


def test_wide_code_that_is_seen_and_exercises_without_a_time_are_caught():
    wide = "x = 1  # " + "a" * 70
    assert rules.core_path_violations(notebook(CORE, TIMED, cell(wide, tags=["hide-input"]))) == []
    assert rules.core_path_violations(notebook(markdown(EXERCISE), cell(wide))) == []
    assert len(rules.core_path_violations(notebook(CORE, cell(wide)))) == 1
    assert len(rules.core_path_violations(notebook(CORE, markdown(EXERCISE)))) == 1


def test_every_step_of_every_proof_has_a_ledger_row(chapter):
    assert rules.proof_violations(read(chapter)) == []


def test_every_chapter_with_a_proof_shows_a_step_that_fails_when_an_assumption_is_broken(chapter):
    assert rules.unbroken_proofs(read(chapter)) == []


def proof(*steps):
    return markdown(":::{prf:proof}\n" + "\n\n".join(f"**({n})** So." for n in steps) + "\n:::")


def test_a_proof_with_its_rows_passes_in_one_piece_or_two():
    second = ROW.replace("(1)", "(2)").replace("<=", "= ")
    assert rules.proof_violations(notebook(proof(1), cell("", ROW), cell("x", ROW))) == []
    assert rules.proof_violations(notebook(proof(1), cell("x", ROW), proof(2), cell("y", second))) == []
    assert rules.proof_violations(notebook(proof(), cell("assert x > 0"))) == []


@pytest.mark.parametrize(
    "bad",
    [
        [proof(1), cell("print(1)", "no table")],
        [proof(1, 2), cell("x", ROW)],
        [cell("x", ROW), proof(1)],
        [proof(1), proof(1), cell("x", ROW)],
        [proof(1, 3), cell("x", ROW + "\n" + ROW.replace("(1)", "(3)"))],
        [proof(), cell("print(1)")],
        [proof(1), cell("x", ROW.replace(" 4 ", " 0 "))],
    ],
)
def test_a_proof_step_without_a_row_is_caught(bad):
    assert rules.proof_violations(notebook(*bad)) != []


def test_a_chapter_that_breaks_no_assumption_is_caught():
    broken = cell("try: ...", "Theorem: step (1) smooth fails, t = 3: left side 2")
    assert rules.unbroken_proofs(notebook(proof(1), cell("x", ROW))) != []
    assert rules.unbroken_proofs(notebook(proof(1), cell("x", ROW), broken)) == []


def test_the_rows_of_a_real_ledger_are_recognised():
    from minilib.theory import Ledger

    ledger = Ledger("Theorem")
    ledger.leq("(1) smooth", 1.0, 2.0)
    ledger.eq("(2) sum", [1.0, 2.0], [1.0, 2.0])
    assert rules.ledger_rows([cell("x", ledger.table())]) == {1, 2}


def test_glued_numbers_are_rounded(chapter):
    assert rules.long_glued_numbers(read(chapter)) == []


def test_a_long_glued_number_is_caught():
    def glued(text):
        made = cell("glue_all({...})")
        data = {"application/papermill.record/text/plain": text}
        made.outputs = [{"output_type": "display_data", "data": data, "metadata": {}}]
        return notebook(made)

    assert rules.long_glued_numbers(glued("0.6020599913279624")) != []
    assert rules.long_glued_numbers(glued("0.000123456")) == []


def pages():
    return [*ROOT.glob("notebooks/*.md"), *ROOT.glob("book/*.md")]


def bibliography():
    return parse_file(ROOT / "book" / "references.bib").entries


def test_every_citation_is_in_the_bibliography():
    keys = set().union(*(rules.cited_keys(path.read_text()) for path in pages()))
    assert keys - set(bibliography()) == set()


def test_citations_are_found_in_all_their_forms():
    text = "{cite}`a` {cite:t}`b` and {cite:p}`c, d`, no `{cite}`."
    assert rules.cited_keys(text) == {"a", "b", "c", "d"}


@pytest.mark.parametrize("key", list(bibliography()))
def test_every_entry_of_the_bibliography_says_who_what_when_and_where(key):
    entry = bibliography()[key]
    assert entry.persons.get("author") or entry.persons.get("editor")
    assert {"title", "year"} <= set(entry.fields)
    where = {"journal", "booktitle", "publisher", "eprint", "url", "doi", "school", "howpublished"}
    assert where & set(entry.fields)
