"""What a student gets back: one HTML file with the marks, what each check said, and what a person wrote.

It needs nothing but a browser, and shows no hidden check. Deliberately absent: the text of the tasks, which the student
has, and formulas, which would need a library.
"""

from html import escape
from typing import NamedTuple

HEAD = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }}
table {{ border-collapse: collapse; width: 100% }}
td, th {{ text-align: left; vertical-align: top; padding: .3rem .6rem; border-top: 1px solid #8888 }}
td:nth-child(2), th:nth-child(2) {{ white-space: nowrap; text-align: right }}
pre {{ overflow-x: auto; padding: .6rem; border: 1px solid #8888; font-size: .875rem }}
</style>
"""
PAGE = (
    HEAD
    + """<h1>{title}</h1>
<p><strong>{points:g} of {of:g} points</strong>{waits}</p>
<table><tr><th>task</th><th>points</th><th>what was found</th></tr>
{rows}
</table>
<h2>Your answers, as they were marked</h2>
{answers}
</html>
"""
)


class Finding(NamedTuple):
    """What was found of one task: its points, None while a person has to read it, of how many, and why."""

    task: str
    points: float | None
    of: float
    text: str


def findings(nb, grades: list, comments: dict[str, str]) -> list[Finding]:
    """What was found of a marked notebook.

    Args:
        grades: of nbgrader's gradebook, in the order of the notebook.
        comments: by answer, what a person wrote.
    """
    cells, rows = _named(nb), []
    for grade in grades:
        comment = comments.get(grade.name) or "".join(error_in(cells.get(grade.name)).splitlines()[-1:])
        waits = grade.needs_manual_grade
        full = "right" if grade.score == grade.max_score else ""
        text = "a person will read this" if waits else comment or full
        rows.append(Finding(grade.name, None if waits else grade.score, grade.max_score, text))
    return rows


def page(title: str, nb, found: list[Finding]) -> str:
    """The page for a marked notebook."""
    rows, waiting = [], sum(row.points is None for row in found)
    for task, got, most, text in found:
        points = f"{'?' if got is None else f'{got:g}'} of {most:g}"
        rows.append(f"<tr><td>{escape(task)}</td><td>{points}</td><td>{escape(text)}</td></tr>")
    answers = []
    for name, cell in _named(nb).items():
        if not cell.metadata.nbgrader.solution:
            continue
        parts = [cell.source, *([error_in(cell)] if error_in(cell) else [])]
        answers += [f"<h3>{escape(name)}</h3>", *(f"<pre>{escape(part)}</pre>" for part in parts)]
    points, of = sum(row.points or 0 for row in found), sum(row.of for row in found)
    waits = f"; {waiting} answer{'s' * (waiting > 1)} will be read by a person" if waiting else ""
    texts = {"rows": "\n".join(rows), "answers": "\n".join(answers), "title": escape(title)}
    return PAGE.format(points=points, of=of, waits=waits, **texts)


def _named(nb) -> dict:
    """The cells that were handed out, by name."""
    return {cell.metadata.nbgrader.grade_id: cell for cell in nb.cells if "nbgrader" in cell.metadata}


def error_in(cell) -> str:
    """The error that a cell ended in, empty where it did not."""
    outputs = cell.get("outputs", []) if cell is not None else []
    return "\n".join("\n".join(o.traceback) for o in outputs if o.output_type == "error")
