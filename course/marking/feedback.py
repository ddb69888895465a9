"""What a student gets back: one HTML file with the marks, what each check said, and what a person wrote.

It needs nothing but a browser, and shows no hidden check. Deliberately absent: the text of the tasks, which the student
has, and formulas, which would need a library.
"""

from html import escape

PAGE = """<!doctype html>
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
<h1>{title}</h1>
<p><strong>{points:g} of {of:g} points</strong>{waits}</p>
<table><tr><th>task</th><th>points</th><th>what was found</th></tr>
{rows}
</table>
<h2>Your answers, as they were marked</h2>
{answers}
</html>
"""


def page(title: str, nb, grades: list, comments: dict[str, str]) -> str:
    """The page for a marked notebook.

    Args:
        grades: of nbgrader's gradebook, in the order of the notebook.
        comments: by answer, what a person wrote.
    """
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in nb.cells if "nbgrader" in cell.metadata}
    rows, waiting = [], [grade for grade in grades if grade.needs_manual_grade]
    for grade in grades:
        comment = comments.get(grade.name) or "".join(error_in(cells.get(grade.name)).splitlines()[-1:])
        comment = "a person will read this" if grade in waiting else comment or "right"
        points = f"{'?' if grade in waiting else f'{grade.score:g}'} of {grade.max_score:g}"
        rows.append(f"<tr><td>{escape(grade.name)}</td><td>{points}</td><td>{escape(comment)}</td></tr>")
    answers = []
    for name, cell in cells.items():
        if not cell.metadata.nbgrader.solution:
            continue
        parts = [cell.source, *([error_in(cell)] if error_in(cell) else [])]
        answers += [f"<h3>{escape(name)}</h3>", *(f"<pre>{escape(part)}</pre>" for part in parts)]
    points, of = (sum(getattr(g, part) for g in grades) for part in ("score", "max_score"))
    waits = f"; {len(waiting)} answer{'s' * (len(waiting) > 1)} will be read by a person" if waiting else ""
    texts = {"rows": "\n".join(rows), "answers": "\n".join(answers), "title": escape(title)}
    return PAGE.format(points=points, of=of, waits=waits, **texts)


def error_in(cell) -> str:
    """The error that a cell ended in, empty where it did not."""
    outputs = cell.get("outputs", []) if cell is not None else []
    return "\n".join("\n".join(o.traceback) for o in outputs if o.output_type == "error")
