"""What a lecturer sees of a class after marking: one HTML file, for a browser and nobody else's eyes.

The mean of each task, what was most missed and how often, and every row with a note, such as cells that were not found.
Deliberately absent: pictures, and a judgement.
"""

from collections import Counter
from html import escape
from statistics import mean

from course.marking.feedback import HEAD

MOST = 3  # messages for a task


def page(title: str, rows: list[dict], findings: dict[str, list]) -> str:
    """The page for a class.

    Args:
        rows: of marks.csv.
        findings: by student, of those who were marked.
    """
    tasks = {}
    for found in findings.values():
        for finding in found:
            tasks.setdefault(finding.task, []).append(finding)
    means, missed = [], []
    for task, found in tasks.items():
        points = [finding.points for finding in found if finding.points is not None]
        of, left = found[0].of, len(found) - len(points)
        share = f"{mean(points):.2f} of {of:g} ({mean(points) / of if of else 1:.0%})" if points else "?"
        means.append([task, share, f"{left} to read" if left else ""])
        texts = Counter(finding.text for finding in found if finding.points is not None and finding.points < of)
        missed += [(task, count, text) for text, count in texts.most_common(MOST)]
    missed = [[task, str(count), text] for task, count, text in sorted(missed, key=lambda row: -row[1])]
    notes = [[row["student"], row["name"], row["note"]] for row in rows if row["note"]]
    late = [[row["student"], row["name"]] for row in rows if row["late"] == "late"]
    counts = f"{len(rows)} students, {len(findings)} marked, {len(late)} late."
    parts = [f"<h1>{escape(title)}</h1><p>{counts}</p>"]
    for heading, columns, body in (
        ("Mean by task", ["task", "mean", ""], means),
        ("Most missed", ["task", "how often", "what was found"], missed),
        ("Cells not found, not marked", ["student", "name", "note"], notes),
        ("Late", ["student", "name"], late),
    ):
        lines = [f"<h2>{heading}</h2>", _line("th", columns), *(_line("td", row) for row in body)]
        parts.append("\n".join([lines[0], "<table>", *lines[1:], "</table>"]) if body else f"{lines[0]}<p>None.</p>")
    return HEAD.format(title=escape(title)) + "\n".join(parts) + "\n</html>\n"


def _line(kind: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"
