"""A handout has no solution, and runs from the place where it is written. Could catch: paths that lead nowhere."""

import re

import nbformat
from nbclient import NotebookClient
from small_books import ROOT

from tools.give import handout

FOLDERS = ("minilib", "proofs", "book", "notebooks")


def test_no_solution_is_left_and_every_exercise_stays(chapter):
    text = chapter.with_suffix(".md").read_text()
    left = handout.without_solutions(text)
    assert "{solution" not in left
    assert re.findall(r"\{exercise\} .*", left) == re.findall(r"\{exercise\} .*", text)


def test_the_first_cells_of_a_handout_run_where_it_lies(tmp_path):
    for name in FOLDERS:
        (tmp_path / name).symlink_to(ROOT / name)
    path = handout.write("toolbox", tmp_path)
    nb = nbformat.read(path, as_version=4)
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code)
    nb.cells = code[:4]
    NotebookClient(nb, kernel_name="python3", timeout=300, resources={"metadata": {"path": path.parent}}).execute()
    assert any(cell.outputs for cell in nb.cells)


def test_a_name_that_no_chapter_has_is_refused_with_those_that_there_are(capsys):
    assert handout.main(["lamp"]) == 2
    assert "'lamp'" in (said := capsys.readouterr().out)
    assert "toolbox" in said
