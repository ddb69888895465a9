"""The lab sheets: their form, and every cell run, with its output compared with the one in the fold."""

import contextlib
import io
import re
import zipfile

import pytest
from small_books import ROOT

from tools.chapter import chapters
from tools.pages import plans, running_pages

EVERY = (*plans.SHEETS, *plans.AFTER)
SHEETS = {name: (ROOT / plans.LABS / f"{name}.md").read_text(encoding="utf-8") for name in EVERY}
EACH = pytest.mark.parametrize(("name", "text"), SHEETS.items(), ids=SHEETS)


def blocks(text, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_there_is_a_sheet_for_every_week_and_for_what_no_week_has():
    assert {path.stem for path in (ROOT / plans.LABS).glob("*.md")} == set(SHEETS)
    assert len(plans.SHEETS) == len(plans.weeks(ROOT))


@EACH
def test_a_sheet_has_its_parts_in_75_to_90_minutes_notes_for_the_teacher_and_no_answer_in_the_open(name, text):
    parts = re.split(r"^## (\w+).*\n", text, flags=re.MULTILINE)
    predict, run, breaks, _, hand_in = parts[2::2]
    assert parts[1::2] == ["Predict", "Run", "Break", "Explain", "Hand"]
    assert 75 <= plans.lab_minutes(ROOT, name) <= 90
    assert all("**Write down**" in part for part in (predict, run, breaks))
    question, teacher = hand_in.split(":::{admonition} For the teacher\n:class: dropdown lab-fold\n")
    assert re.search(r"[?.]\s*$", question)
    assert len(re.findall(r'^\* \*\*"', teacher, re.MULTILINE)) >= 2  # misconceptions
    in_the_open = re.sub(r"^:::\{admonition\}.*?^:::$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert blocks(in_the_open, "text") == []
    cells = blocks(text, "python")
    assert blocks(in_the_open, "python") == cells != []
    assert [line for cell in cells for line in cell.splitlines() if len(line) > chapters.WIDEST] == []


@EACH
def test_every_cell_prints_what_its_fold_says(name, text):
    names, printed = {"__name__": "lab"}, []
    for number, cell in enumerate(blocks(text, "python"), 1):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(cell, f"{name}, cell {number}", "exec"), names)
        printed += filter(None, [out.getvalue()])
    assert blocks(text, "text") == printed


@pytest.mark.parametrize("name", [name for name, text in SHEETS.items() if "Run the cells on the page of" in text])
def test_a_sheet_that_sends_students_to_a_page_needs_only_what_the_page_has(name):
    label = re.search(r"Run the cells on the page of \{numref\}`Chapter %s <([\w-]+)>`", SHEETS[name])[1]
    pages = running_pages.runnable()
    assert any(f"({label})=" in (ROOT / "notebooks" / f"{stem}.md").read_text() for stem in pages)
    with zipfile.ZipFile(io.BytesIO(running_pages.book_zip(ROOT, pages))) as archive:
        files = {*archive.namelist()}
    cells = "".join(blocks(SHEETS[name], "python"))
    for module in re.findall(r"^from ((?:minilib|studies)[\w.]*) import", cells, re.MULTILINE):
        path = module.replace(".", "/")
        assert {f"{path}.py", f"{path}/__init__.py"} & files, module
    assert "torch" not in cells
