"""Executes one chapter where it is told to and compares each cell with its stored output: `shake.py` starts it.

    python -m tools.check.one_chapter ROOT NAME RESULT [FOLDER]

ROOT is the book's folder, NAME that of its file without the ending, RESULT the JSON file to be written, FOLDER where
the chapter is executed if not where it lies. A cell comes out the same (texts and pictures, byte for byte), the same in
all that it prints (a picture differs), `without` what the machine lacks (it says "Left out here"), `other` (a text
differs from the stored one) or `failed`. For every comparison in an assertion `imitation/margins.py` notes how far it
was from failing.
"""

import json
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tools.chapter import chapters


def texts(cell) -> list[str]:
    """Everything that a cell showed as text. The two streams are joined each: which line of one comes between which
    lines of the other depends on the moment."""
    streams, others = {"stdout": "", "stderr": ""}, []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            streams[output.name] += output.text
        elif output.output_type == "error":
            others.append(("error", f"{output.ename}: {output.evalue}"))
        else:
            others += [(kind, as_text(data)) for kind, data in sorted(output.data.items()) if "image" not in kind]
    return [f"{kind}: {text}" for kind, text in [*streams.items(), *others] if text]


def as_text(data: str | dict) -> str:
    """What a cell left under a media type; a kernel and a file have the entries of a dict in orders of their own."""
    return data if isinstance(data, str) else json.dumps(data, sort_keys=True)


def pictures(cell) -> list[str]:
    return [d for o in cell.get("outputs", []) for kind, d in o.get("data", {}).items() if "image" in kind]


def outcome(old, new) -> str:
    """What became of a cell: same, printed (only a picture differs), without, other, or failed."""
    if any(output.output_type == "error" for output in new.outputs):
        return "failed"
    if texts(old) != texts(new):
        return "without" if any("Left out here" in text for text in texts(new)) else "other"
    return "same" if pictures(old) == pictures(new) else "printed"


def code(nb) -> list:
    """The code cells that hold code, the first included, which `chapters.code` leaves out."""
    return [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]


def run(root: Path, name: str, folder: Path) -> dict:
    """Execute a chapter in `folder`, in this process's environment, and compare it with its stored outputs."""
    path = root / "notebooks" / f"{name}.ipynb"
    stored, nb = chapters.read(path), chapters.read(path)
    first = nbformat.v4.new_code_cell("import margins\nmargins.install()")
    last = nbformat.v4.new_code_cell("print(_margins.take())")
    nb.cells = [first, *nb.cells, last]
    resources = {"metadata": {"path": str(folder)}}
    start = time.perf_counter()
    NotebookClient(nb, timeout=3600, kernel_name="python3", allow_errors=True, resources=resources).execute()
    rows = []
    pairs = zip(code(stored), code(nb)[1:-1], strict=True)
    for number, (old, new) in enumerate(pairs, start=1):
        row = {"cell": number, "head": chapters.head(old), "outcome": outcome(old, new)}
        row["compared"] = "nbval-ignore-output" not in chapters.tags(old)
        if row["outcome"] in ("without", "other", "failed"):
            row |= {"was": texts(old), "is": texts(new)}
        rows.append(row)
    slacks = json.loads("".join(o.get("text", "") for o in nb.cells[-1].outputs) or "{}")
    return {"chapter": name, "seconds": round(time.perf_counter() - start, 1), "cells": rows, "slacks": slacks}


def main() -> None:
    root, name, result, *folder = sys.argv[1:]
    comparison = run(Path(root), name, Path(*folder) if folder else Path(root, "notebooks"))
    Path(result).write_text(json.dumps(comparison, indent=1))


if __name__ == "__main__":
    main()
