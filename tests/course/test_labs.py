"""The lab sheets: their form, and every cell run, with its output compared with the one in the fold."""

import contextlib
import io
import re
import zipfile

import pytest
from small_books import ROOT

from tools.chapter import chapters
from tools.pages import plans, running_pages

PARTS = ("Predict", "Run", "Break", "Explain")
SHEETS = {name: (ROOT / plans.LABS / f"{name}.md").read_text(encoding="utf-8") for name in plans.SHEETS}
FENCED = r"^```{}\n(.*?)^```$"


def blocks(text, kind):
    return re.findall(FENCED.format(kind), text, re.MULTILINE | re.DOTALL)


def part(text, title):
    """What stands under a heading that begins so."""
    return re.search(rf"^## {title}.*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]


def test_there_is_a_sheet_for_every_week_and_no_other():
    assert {path.stem for path in (ROOT / plans.LABS).glob("*.md")} == set(SHEETS)
    assert len(SHEETS) == len(plans.weeks(ROOT))


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_has_four_parts_in_75_to_90_minutes_a_hand_in_and_notes_for_the_teacher(name):
    text = SHEETS[name]
    titles = re.findall(r"^## (\w+)", text, re.MULTILINE)
    assert titles == [*PARTS, "Hand"]
    assert 75 <= plans.lab_minutes(ROOT, name) <= 90
    assert text.startswith(f"(lab-{name.replace('_', '-')})=\n# ")
    for title in PARTS[:3]:
        assert "**Write down**" in part(text, title), title
    for title in PARTS[1:3]:
        assert part(text, title).count(":::{admonition} What you should see\n:class: dropdown lab-fold\n") == 1, title
    hand_in, teacher = part(text, "Hand").split(":::{admonition} For the teacher\n:class: dropdown lab-fold\n")
    assert re.search(r"[?.]\s*$", hand_in)
    assert len(re.findall(r'^\* \*\*"', teacher, re.MULTILINE)) >= 2  # misconceptions
    assert "hand-in" in teacher or "points" in teacher


@pytest.mark.parametrize("name", SHEETS)
def test_no_answer_stands_open_on_the_sheet_and_no_line_is_too_wide(name):
    """What a cell prints stands in a fold."""
    open_text = re.sub(r"^:::\{admonition\}.*?^:::$", "", SHEETS[name], flags=re.MULTILINE | re.DOTALL)
    assert blocks(open_text, "text") == []
    cells = blocks(SHEETS[name], "python")
    assert blocks(open_text, "python") == cells != []
    assert [line for cell in cells for line in cell.splitlines() if len(line) > chapters.WIDEST] == []


@pytest.mark.parametrize("name", SHEETS)
def test_every_cell_prints_what_its_fold_says(name):
    names, printed = {"__name__": "lab"}, []
    for number, cell in enumerate(blocks(SHEETS[name], "python"), 1):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(cell, f"{name}, cell {number}", "exec"), names)
        printed += [out.getvalue()] if out.getvalue() else []
    assert blocks(SHEETS[name], "text") == printed


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_that_sends_students_to_a_page_needs_only_what_the_page_has(name):
    if "Run the cells on the page of" not in SHEETS[name]:
        return
    label = re.search(r"Run the cells on the page of \{numref\}`Chapter %s <([\w-]+)>`", SHEETS[name])[1]
    found = running_pages.runnable()
    (stem,) = [stem for stem in found if f"({label})=" in (ROOT / "notebooks" / f"{stem}.md").read_text()]
    with zipfile.ZipFile(io.BytesIO(running_pages.book_zip(ROOT, found))) as archive:
        files = {*archive.namelist()}
    for cell in blocks(SHEETS[name], "python"):
        for module in re.findall(r"^from ((?:minilib|studies)[\w.]*) import", cell, re.MULTILINE):
            path = module.replace(".", "/")
            assert {f"{path}.py", f"{path}/__init__.py"} & files, (stem, module)
    assert "torch" not in " ".join(blocks(SHEETS[name], "python"))
