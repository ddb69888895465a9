"""Every problem set can be made and solved, for any class. Could catch: a model answer that its own check refuses."""

import os

import nbformat
import pytest
from classroom import ROOT, checks, lost, made, source, submission
from marking import cells

NAMES = sorted(path.stem for path in (ROOT / "course" / "assignments").glob("*.md") if path.stem != "README")
CLASSES = [cells.CLASS, *(f"class-{k}" for k in range(int(os.environ.get("CLASSES", 1)) - 1))]


@pytest.mark.parametrize("group", CLASSES)
@pytest.mark.parametrize("name", NAMES)
def test_the_model_answers_get_all_points_and_an_empty_notebook_none(name, group, tmp_path):
    assignment = made(name, group, tmp_path)
    right = submission(assignment, {}, tmp_path / "right.ipynb")
    handed_in = {"right": right} | ({"empty": assignment.notebook} if group == cells.CLASS else {})
    rows = {row["student"]: row for row in assignment.mark(handed_in)}
    assert lost(assignment, rows["right"]) == set()
    assert rows["right"]["points"] == sum(checks(assignment).values())
    assert rows["right"]["of"] >= 20
    assert rows["right"]["to read"] >= 1
    if "empty" in rows:
        assert rows["empty"]["points"] == 0
        assert rows["empty"]["to read"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_students_get_no_solution_no_hidden_check_and_no_secret(name, tmp_path):
    assignment = made(name, "2027-spring", tmp_path)
    text = assignment.notebook.read_text()
    secrets = cells.drawn(cells.read(ROOT / "course", name), name, "2027-spring")
    hidden = [str(value) for key, value in secrets.items() if key.startswith("_")]
    assert hidden, "a class has a secret"
    for word in (*hidden, "BEGIN SOLUTION", "BEGIN HIDDEN", "draw.", "_hidden"):
        assert word not in text
    solutions = [c for c in source(assignment).cells if c.metadata.get("nbgrader", {}).get("solution")]
    assert all("### BEGIN SOLUTION" in c.source for c in solutions)
    given = nbformat.reads(text, as_version=4)
    assert not any(cell.get("outputs") for cell in given.cells)


@pytest.mark.parametrize("name", NAMES)
def test_two_classes_have_other_numbers(name):
    """So that last year's answers do not serve: of twenty classes, at least fifteen differ from each other."""
    nb = cells.read(ROOT / "course", name)
    found = [cells.drawn(nb, name, f"class-{k}") for k in range(20)]
    public = {str({key: v for key, v in one.items() if not key.startswith("_")}) for one in found}
    assert len(public) >= 15
    assert len({str(one) for one in found}) == 20
