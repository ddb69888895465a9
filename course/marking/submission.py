"""What of a submission counts: the notebook as it was handed out, with the answers, and a student's own cells between.

An answer is known by the name of its cell. Where that is lost, because a cell was renamed or a program left the
metadata out, it is known by a name that only this answer defines, or, a text, by its first line. Deliberately absent:
guesses.
"""

from pathlib import Path

import nbformat

from course.marking.execute import defined, without_magics

LARGEST = 100 * 2**20  # bytes of a notebook


def name(cell) -> str | None:
    """The name of a cell that was handed out, None for one of a student's own."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def solution(cell) -> bool:
    """Whether a cell that was handed out is for an answer."""
    return cell.metadata.get("nbgrader", {}).get("solution", False)


def taken(path: Path, given, solved) -> tuple:
    """The notebook that is marked, and what has to be said of it.

    So what a submission says about its cells, deletes, doubles or puts in another order does not count: a cell runs
    with the examiner only if it was handed out to do so.

    Args:
        given: the students' notebook, which is filled in.
        solved: the lecturer's, which tells the names that an answer defines.

    ValueError: it is no notebook, or one of something else.
    """
    nb = _opened(path)
    places = {name(cell): place for place, cell in enumerate(given.cells) if name(cell)}
    texts, answers, own, last = {cell.source for cell in given.cells}, {}, {}, -1
    wanted = {name(cell) for cell in given.cells if solution(cell)}
    lost = wanted - {name(cell) for cell in nb.cells}
    marks = {mark: one for mark, one in _marks(solved).items() if one in lost}
    for cell in nb.cells:
        one = name(cell)
        if one not in places and cell.source not in texts:
            one = next((marks[mark] for mark in _told(cell) if mark in marks), None)
        if one in places and one not in answers:
            last, answers[one] = places[one], cell.source
        elif cell.cell_type == "code" and cell.source not in texts:
            own.setdefault(last, []).append(nbformat.v4.new_code_cell(cell.source))
    if not answers.keys() & wanted:
        raise ValueError("none of the cells that were handed out is in it: another notebook?")
    missing = wanted - answers.keys()
    kinds = {"not found": missing, "found by what they define": lost - missing}
    note = "; ".join(f"{len(names)} cells {how}: {', '.join(sorted(names))}" for how, names in kinds.items() if names)
    whole = own.get(-1, [])
    for place, cell in enumerate(given.cells):
        if solution(cell):
            cell.source = answers.get(name(cell), cell.source)
        whole += [cell, *own.get(place, [])]
    given.cells = whole
    return given, note


def one_line(error: Exception) -> str:
    """What an exception says, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


def _opened(path: Path):
    """ValueError: it is no notebook."""
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST // 2**20} MiB")
        return nbformat.read(path, as_version=4)
    except Exception as error:
        raise ValueError(f"{path.name} is no notebook: {one_line(error)}") from None


def _marks(solved) -> dict[str, str]:
    """The answers by what gives them away: the names that one of them alone defines, and the first line of a text."""
    owners = {}
    for cell in filter(solution, solved.cells):
        for mark in _told(cell):
            owners.setdefault(mark, set()).add(name(cell))
    return {mark: min(names) for mark, names in owners.items() if len(names) == 1}


def _told(cell) -> list[str]:
    return defined(without_magics(cell.source)) if cell.cell_type == "code" else cell.source.splitlines()[:1]
