"""From the source of a problem set to the notebooks that nbgrader knows: one for the lecturer, one for the students.

A source is a MyST notebook, `course/assignments/NAME.md`. Its cells say what they are in one word of metadata:

    :tags: [class]               draws the numbers of a class; students see their values
    :answer: name                the students' own cell; what stands between BEGIN and END SOLUTION is taken out
    :check: name, :points: 3     marked; what stands between BEGIN and END HIDDEN TESTS is taken out
    :tags: [secret]              what the hidden tests that follow share, such as the right method
    +++ {"answer": "name", "points": 3}    a text that a person reads

Other code is given, and locked. A name that begins with an underscore is a secret of the class: the cell that draws it
is not handed out, and in the checks its value stands in its place. In texts {{ name }} is a public value; one whose
name ends with _in_words is for texts alone.
Deliberately absent: what marks (`execute`).
"""

import hashlib
import math
import random
import re
from pathlib import Path

import jupytext

HIDDEN = "### BEGIN HIDDEN TESTS"
CLASS = "open"  # the class of those who work alone, and of the tests


def draw_for(name: str, group: str) -> random.Random:
    """The generator from which the problem set `name` draws what is the class's own."""
    return random.Random(int.from_bytes(hashlib.sha256(f"{name} {group}".encode()).digest()))


def drawn(nb, name: str, group: str) -> dict:
    """The values of the names that the class cell sets: data that `repr` can write.

    ValueError: a value is something else.
    """
    names = {"draw": draw_for(name, group)}
    for cell in nb.cells:
        if "class" in cell.metadata.get("tags", []):
            exec(compile(cell.source, f"{name}: class", "exec"), names)
    values = {key: value for key, value in names.items() if key not in ("draw", "__builtins__")}
    values = {key: value for key, value in values.items() if not callable(value) and not hasattr(value, "__loader__")}
    for key, value in values.items():
        if not _plain(value):
            raise ValueError(f"{name}: the class cell sets {key} = {value!r}; it must be numbers and texts")
    return values


def _plain(value) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(map(_plain, [*value, *value.values()]))
    return value is None or type(value) in (bool, int, float, str)


def written(value) -> str:
    """A value as Python code."""
    return f'float("{value}")' if isinstance(value, float) and not math.isfinite(value) else repr(value)


def read(folder: Path, name: str):
    """The source of a problem set. ValueError: there is none of this name; those that there are."""
    path = folder / "assignments" / f"{name}.md"
    if not path.is_file():
        there = sorted(p.stem for p in path.parent.glob("*.md") if p.stem != "README")
        raise ValueError(f"there is no problem set {name!r}: {path.parent} has {', '.join(there) or 'none'}")
    return jupytext.read(path)


def lecturers(nb, name: str, group: str):
    """The notebook with solutions and hidden checks for this class, its cells as nbgrader knows them.

    ValueError: a cell is marked in a way that cannot be; a text names a value that the class cell does not set.
    """
    values, seen, shared = drawn(nb, name, group), set(), ""
    public = {key: value for key, value in values.items() if not key.startswith("_")}
    shown = {key: value for key, value in public.items() if not key.endswith("_in_words")}
    for number, cell in enumerate(nb.cells):
        tags, answer = cell.metadata.pop("tags", []), cell.metadata.pop("answer", None)
        check, points = cell.metadata.pop("check", None), cell.metadata.pop("points", None)
        if answer and check or (check and points is None):
            raise ValueError(f"{name}, cell {number}: a cell is an answer, or a check with points, and not both")
        if "secret" in tags:
            shared, cell.source = cell.source, ""
            continue
        if check:
            cell.source = cell.source.replace(HIDDEN, f"{HIDDEN}\n{shared}")
        if "class" in tags:
            lines = ["# The numbers of your class", *(f"{k} = {written(v)}" for k, v in shown.items())]
            cell.source = "\n".join(lines)
        cell.source = _filled(cell, name, public, values)
        text = cell.cell_type == "markdown"
        if text and not answer:
            continue
        key = answer or check or f"given-{number}"
        if key in seen:
            raise ValueError(f"{name}, cell {number}: the name {key!r} was given to a cell before")
        seen.add(key)
        graded = bool(check) or (text and points is not None)
        kind = {"grade": graded, "solution": bool(answer), "locked": not answer, "task": False}
        cell.metadata["nbgrader"] = {"grade_id": key, "schema_version": 3, **kind}
        if graded:
            cell.metadata["nbgrader"]["points"] = points
    nb.cells = [cell for cell in nb.cells if cell.source]
    nb.metadata.pop("jupytext", None)
    return nb


def _filled(cell, name: str, public: dict, values: dict) -> str:
    """The source of a cell with this class's values."""

    def value(match):
        if match[1] not in public:
            raise ValueError(f"{name}: {match[0]} is none of the class's values, which are {', '.join(public)}")
        return str(public[match[1]])

    if cell.cell_type == "markdown":
        return re.sub(r"\{\{ *(\w+) *\}\}", value, cell.source)
    secret = {key: written(v) for key, v in values.items() if key.startswith("_")}
    return re.sub(r"(?<![\w.])_[a-z]\w*", lambda match: secret.get(match[0], match[0]), cell.source)
