"""Every problem set can be made and solved, for any class. Could catch: a model answer that its own check refuses."""

import functools
import re

import nbformat
import pytest
from classroom import CLASSES, NAMES, ROOT, checks, make, source, submission

from course.marking import sheets


@pytest.fixture(scope="module")
def assignments(tmp_path_factory):
    """Problem sets by name and class, each made when it is first needed."""

    @functools.cache
    def get(name, group=sheets.CLASS):
        return make(name, group, tmp_path_factory.mktemp("class"))

    return get


@pytest.mark.parametrize("group", CLASSES)
@pytest.mark.parametrize("name", NAMES)
def test_the_model_answers_get_all_points_and_an_empty_notebook_none(name, group, assignments, tmp_path):
    assignment = assignments(name, group)
    right = submission(assignment, {}, tmp_path / "right.ipynb")
    handed_in = {"right": right} | ({"empty": assignment.notebook} if group == sheets.CLASS else {})
    rows = {row["student"]: row for row in assignment.mark(handed_in)}
    points = checks(assignment)
    assert {check: rows["right"][check] for check in points} == points
    assert rows["right"]["points"] == sum(points.values())
    assert rows["right"]["of"] >= 20
    assert rows["right"]["to read"] >= 1
    if "empty" in rows:
        assert rows["empty"]["points"] == 0
        assert rows["empty"]["to read"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_on_a_students_machine_right_answers_pass_every_visible_check(name, assignments, tmp_path, capsys):
    path = submission(assignments(name), {}, tmp_path / "own.ipynb")
    names, run = {"__name__": "__main__"}, set()
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
            run.add(cell.metadata.nbgrader.grade_id)
    assert {*checks(assignments(name))} <= run
    assert "rel  checks  least slack" in capsys.readouterr().out, "the ledger is shown"


@pytest.mark.parametrize("name", NAMES)
def test_students_get_no_solution_no_hidden_check_and_no_secret(name, assignments):
    assignment = assignments(name)
    text = assignment.notebook.read_text()
    values = sheets.drawn(sheets.read(ROOT / "course", name), name, sheets.CLASS)
    for word in (str(values["_hidden_seed"]), "BEGIN SOLUTION", "BEGIN HIDDEN", "draw.", "_hidden", "_in_words", "{{"):
        assert word not in text, word
    solutions = [c for c in source(assignment).cells if c.metadata.get("nbgrader", {}).get("solution")]
    assert all("### BEGIN SOLUTION" in c.source for c in solutions)
    assert not any(cell.get("outputs") for cell in nbformat.reads(text, as_version=4).cells)


def test_the_readme_names_every_problem_set_with_its_points(assignments):
    text = (ROOT / "course" / "assignments" / "README.md").read_text()
    rows = dict(re.findall(r"`(\w+)\.md` \| (\d+) \|", text))
    assert sorted(rows) == NAMES
    for name in NAMES:
        graded = [c.metadata.nbgrader for c in source(assignments(name)).cells if "nbgrader" in c.metadata]
        points = sum(cell.points for cell in graded if cell.grade)
        assert points == int(rows[name]), name
        title = assignments(name).notebook.read_text()
        assert f"{points} points, about" in title, name
        assert sum(map(int, re.findall(r"## \d\. [^\\]*?\((\d+) point", title))) == points, name


@pytest.mark.parametrize("name", NAMES)
def test_two_classes_have_other_numbers(name):
    """So that last year's answers do not serve: of twenty classes, at least fifteen differ from each other."""
    nb = sheets.read(ROOT / "course", name)
    draws = [sheets.drawn(nb, name, f"class-{k}") for k in range(20)]
    public = {str({key: v for key, v in one.items() if not key.startswith("_")}) for one in draws}
    assert len(public) >= 15
    assert len({str(one) for one in draws}) == 20
