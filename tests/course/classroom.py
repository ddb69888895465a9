"""What the tests of the marking share: problem sets made for a class, and submissions built from their answers."""

import copy
from pathlib import Path

import nbformat
from marking.course import Assignment

ROOT = Path(__file__).resolve().parents[2]


def made(name: str, group: str, into: Path) -> Assignment:
    """A problem set of the book for a class."""
    assignment = Assignment(name, group, ROOT / "course", into)
    assignment.make()
    return assignment


def source(assignment: Assignment):
    """The lecturer's notebook, solutions and all."""
    return nbformat.read(assignment.lecturer / "source" / assignment.name / f"{assignment.name}.ipynb", as_version=4)


def checks(assignment: Assignment) -> dict[str, float]:
    """The points of everything that a machine marks, by name."""
    cells = [c for c in source(assignment).cells if c.cell_type == "code"]
    return {c.metadata.nbgrader.grade_id: c.metadata.nbgrader.points for c in cells if c.metadata.nbgrader.grade}


def submission(assignment: Assignment, answers: dict[str, str], path: Path) -> Path:
    """A submission with the book's answers, but for those given here, by the name of their cell; written to `path`.

    The answer of a cell that begins with "+" stands after the book's own answer instead of replacing it.
    """
    nb = nbformat.read(assignment.notebook, as_version=4)
    solved = {c.metadata.nbgrader.grade_id: c for c in source(assignment).cells if "nbgrader" in c.metadata}
    left = dict(answers)
    for cell in nb.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name and cell.metadata.nbgrader.solution:
            cell.source = copy.copy(solved[name].source)
        if name in left:
            answer = left.pop(name)
            cell.source = cell.source + "\n" + answer[1:] if answer.startswith("+") else answer
    assert not left, f"no such cells: {list(left)}"
    nbformat.write(nb, path)
    return path


def lost(assignment: Assignment, row: dict) -> set[str]:
    """The checks for which a row of marks has nothing."""
    return {name for name in checks(assignment) if row[name] == 0}
