"""What the site says of the runs behind it: the tables of its status page, and the note on a page that failed.

`tables` gives Markdown for the substitutions {{ runs }}, {{ in_browser }} and {{ shaken }} of book/status.md.
"""

import json
import string
from pathlib import Path

import nbformat

from tools.chapter import chapters, provenance
from tools.pages import running_pages

NOTE = """:::{{warning}}
**The outputs on this page are not of today.**
The code of the chapter, or something that it reads, has changed since they were made, and executing it on the machine
that built this site failed:

```text
{error}
```
:::"""


def noted(chapter) -> nbformat.NotebookNode:
    """The chapter as it is shown: with a note below its title when executing it failed."""
    nb = chapter.nb
    if chapter.error:
        title, _, rest = nb.cells[0].source.partition("\n\n")
        nb.cells[0].source = "\n\n".join([title, NOTE.format(error=chapter.error[:500]), rest])
    return nb


def machine(run: dict | None) -> str:
    """The processor and the versions of a run, in words."""
    if run is None:
        return "not recorded"
    named = [f"{name} {number}" for name, number in run["versions"].items()]
    return "; ".join([run["processor"], ", ".join(named)])


def run_row(name: str, chapter, machines: list[str]) -> list[str]:
    """One line of the table of runs; machines are named by letters, in the order of `machines`."""
    state = "failed here" if chapter.error else "made for this site" if chapter.own else "stored"
    made, seconds = (chapter.run["made"], f"{chapter.run['seconds']:.0f}") if chapter.run else ("", "")
    letter = string.ascii_uppercase[machines.index(machine(chapter.run))]
    return [f"[{name}](../notebooks/{name}.ipynb)", str(len(chapters.code(chapter.nb))), seconds, state, made, letter]


def table(head: list[str], rows: list[list[str]], numbers: int = 0) -> str:
    """A Markdown table; the columns from the second to the `numbers`-th are aligned to the right."""
    marks = [":--", *("--:" for _ in range(numbers)), *(":--" for _ in head[1 + numbers :])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, marks, *rows))


def browser_row(name: str, run: dict, why: list[str]) -> list[str]:
    """One line of the table of runs in a browser."""
    cells = str(run["run"]) if run["run"] == run["of"] else f"{run['run']} of {run['of']}"
    page = "not as here" if run["wrong"] else "changed since" if why else "as here"
    counts = [cells, str(run["same"]), str(run["differ"]), f"{run['seconds'] / 60:.1f}"]
    return [f"[{name}](../notebooks/{name}.ipynb)", *counts, run["made"], page]


def in_browser(root: Path, shown: dict) -> str:
    """The table of the chapters that were run on their pages, and with what."""
    runs = {name: run for name in shown if (run := provenance.load(root / running_pages.RECORDS, name))}
    if not runs:
        return "No run in a browser is recorded."
    head = ["chapter", "cells", "texts equal", "texts that differ", "minutes", "run on", "now"]
    rows = [browser_row(name, run, running_pages.changed(root, shown[name].nb, run)) for name, run in runs.items()]
    left = [name for name in running_pages.runnable(root) if name not in runs]
    rows += [[f"[{name}](../notebooks/{name}.ipynb)", *[""] * 5, "not run"] for name in left]
    machines = {f"* {machine(run)}" for run in runs.values()}
    other = sorted({file for run in runs.values() for file in run["unchecked"]})
    note = f"* Not the files that Pyodide's release has, but those of the same version on PyPI: {', '.join(other)}."
    return "\n".join([table(head, rows, 4), "", *sorted(machines), *([note] if other else [])])


def shaken(root: Path) -> str:
    """The table of the last complete shake, and its smallest margins."""
    path = root / "book" / "shaken.json"
    if not path.exists():
        return (
            "No complete shake is recorded yet; every change of the book is shaken in part, with chapters drawn by lot."
        )
    summary = json.loads(path.read_text(encoding="utf-8"))
    kinds = ("cells", "same", "printed", "without", "other", "failed", "uncompared")
    head = ["machine", *kinds[:2], "printed alike", *kinds[3:-1], "not compared"]
    rows = []
    for name, row in summary["machines"].items():
        row = row | {"other": row["other"] - row["uncompared"]}
        rows.append([f"**{name}**: {row['what']}", *(str(row[kind]) for kind in kinds)])
    chapters_then = max(row["chapters"] for row in summary["machines"].values())
    text = f"The last complete shake was made on {summary['made']}, when the book had {chapters_then} chapters.\n\n"
    text += table(head, rows, 7)
    claims = [
        [f"{row['margin']:.1f}", f"{row['mean']:.3g}", f"{row['spread']:.2g}", row["chapter"], f"`{row['claim']}`"]
        for row in summary["smallest"]
    ]
    text += (
        f"\n\n{summary['claims']} comparisons in assertions vary from machine to machine; the closest are these:\n\n"
    )
    return text + table(["distance", "mean slack", "spread", "chapter", "claim"], claims)


def tables(root: Path, shown: dict) -> dict[str, str]:
    """The substitutions of the status page; `shown` has `nb`, `run`, `own` and `error` of each chapter."""
    machines = list(dict.fromkeys(machine(chapter.run) for chapter in shown.values()))
    head = ["chapter", "cells", "seconds", "outputs", "made", "on"]
    runs = table(head, [run_row(*item, machines) for item in shown.items()], 2)
    letters = [f"* **{string.ascii_uppercase[k]}**: {words}" for k, words in enumerate(machines)]
    texts = {"in_browser": in_browser(root, shown), "shaken": shaken(root)}
    return {"runs": "\n".join([runs, "", *letters]), **texts}
