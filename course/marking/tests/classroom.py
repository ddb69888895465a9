"""What the tests of the marking share: problem sets made for a class, and submissions built from their answers."""

import csv
import os
from pathlib import Path

import nbformat

from course.marking import minilib_copy, sheets
from course.marking.execute import ExecuteApart
from course.marking.problem_set import Assignment

ROOT = Path(__file__).resolve().parents[3]
NAMES = sorted(path.stem for path in (ROOT / "course" / "assignments").glob("*.md") if path.stem != "README")
CLASSES = [sheets.CLASS, *(f"class-{k}" for k in range(int(os.environ.get("CLASSES", 1)) - 1))]

TINY = """\
---
kernelspec: {display_name: Python 3, language: python, name: python3}
assignment: {title: Tiny, withhold: [optim.trust.trust_ratio], seconds: 5}
---

# Tiny

Two and {{ more }}.

```{code-cell}
:tags: [class]
more = draw.randrange(10**6)
_secret = 7 + draw.randrange(10**6)
```

```{code-cell}
:answer: sum
def total(a, b):
    ### BEGIN SOLUTION
    return a + b
    ### END SOLUTION
```

```{code-cell}
:tags: [secret]
def twice(x):
    return 2 * x
```

```{code-cell}
:check: sum-check
:points: 2
assert total(1, 1) == 2, "one and one"
### BEGIN HIDDEN TESTS
assert total(_secret, _secret) == twice(_secret), "more"
### END HIDDEN TESTS
```

+++ {"answer": "why", "points": 3}

Why?

### BEGIN SOLUTION
Because.
### END SOLUTION
"""


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def make(name: str, group: str, into: Path) -> Assignment:
    """A problem set of the book for a class, made."""
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


def answered(own: str, answer: str | tuple[str, str]) -> str:
    """The text of a cell: `answer` in the place of the book's `own`, after it where it begins with "+".

    Of a pair, (old, new), the second stands where the book's answer has the first.
    """
    if isinstance(answer, tuple):
        assert answer[0] in own, f"the model answer has no {answer[0]!r}"
        return own.replace(*answer)
    return own + "\n" + answer[1:] if answer.startswith("+") else answer


def submission(assignment: Assignment, answers: dict[str, str], path: Path) -> Path:
    """A submission with the book's answers, but for those given here, by the name of their cell; written to `path`."""
    nb = nbformat.read(assignment.notebook, as_version=4)
    solved = {c.metadata.nbgrader.grade_id: c for c in source(assignment).cells if "nbgrader" in c.metadata}
    left = dict(answers)
    for cell in nb.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name and cell.metadata.nbgrader.solution:
            cell.source = solved[name].source
        if name in left:
            cell.source = answered(cell.source, left.pop(name))
    assert not left, f"no such cells: {list(left)}"
    nbformat.write(nb, path)
    return path


class Desk:
    """A problem set for a class that is examined on the spot, without nbgrader: half a second for a set of answers."""

    def __init__(self, name: str, group: str, folder: Path, seconds: float = 20):
        nb = sheets.read(ROOT / "course", name)
        minilib_copy.copy(folder, nb.metadata["assignment"].get("withhold", []))
        self.nb = sheets.lecturers(nb, name, group)
        (folder / "source").mkdir()
        nbformat.write(self.nb, folder / "source" / "set.ipynb")  # where a lecturer has it, beside the copy of minilib
        self.examiner = ExecuteApart(minilib=str(folder), seconds=seconds)
        graded = (c.metadata.nbgrader for c in self.nb.cells if c.cell_type == "code" and "nbgrader" in c.metadata)
        self.checks = [cell.grade_id for cell in graded if cell.grade]

    def failures(self, answers: dict[str, str | tuple[str, str]]) -> dict[str, str]:
        """What the cells that fail, checks and others, say of the book's answers with these in their places."""
        nb, left = nbformat.from_dict(self.nb), dict(answers)
        for cell in nb.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in left:
                cell.source = answered(cell.source, left.pop(name))
        assert not left, f"no such cells: {list(left)}"
        self.examiner.preprocess(nb, {})
        errors = ((c, o) for c in nb.cells if c.cell_type == "code" for o in c.outputs if o.output_type == "error")
        return {c.metadata.nbgrader.grade_id: f"{o.ename}: {o.evalue}" for c, o in errors}
