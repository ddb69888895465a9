"""Prints one line for each chapter: its form at a glance, and whether it is too slow.

Form is reported, not enforced: cells, longest cell, words and visible lines of code on the core path (`reading.py`),
sections present, exercises, cells that check.
Time is enforced: above 180 s a chapter fails, above 60 s it is marked. The seconds are those of the run that made the
stored outputs (`-` where none is recorded).
The table is also written to _build/report.json.
"""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

import chapters
import proved
import reading

ROOT = Path(__file__).resolve().parent.parent
SLOW, TOO_SLOW = 60.0, 180.0
SECTIONS = {
    "question": "Q",
    "able to do": "L",
    "build": "B",
    "prove|proof": "P",
    "measure": "M",
    "paper": "T",
    "pitfall": "!",
    "summary": "S",
    "exercise": "E",
    "reading": "R",
}


def seconds(root: Path) -> dict[str, float]:
    """Seconds that each chapter took in the run that made its stored outputs."""
    names = [path.stem for path in sorted((root / "notebooks").glob("*.ipynb"))]
    return {name: run["seconds"] for name in names if (run := proved.load(root / proved.FOLDER, name))}


def sections(nb) -> str:
    """One letter for each of the ten parts of a chapter that a heading announces, `.` where none does."""
    headings = "\n".join(re.findall(r"^##+ (.*)$", chapters.prose(nb), re.MULTILINE)).lower()
    return "".join(letter if re.search(word, headings) else "." for word, letter in SECTIONS.items())


def row(name: str, nb, time: float | None) -> dict:
    """The figures of one chapter."""
    cells = chapters.code(nb)
    lines = [len(cell.source.strip().splitlines()) for cell in cells]
    words, visible = reading.core(reading.sections(nb))
    return {
        "chapter": name,
        "seconds": time,
        "mark": "" if time is None or time <= SLOW else "FAIL" if time > TOO_SLOW else "slow",
        "cells": len(cells),
        "median": statistics.median(lines) if lines else 0,
        "longest": max(lines, default=0),
        "words": words,
        "visible": visible,
        "sections": sections(nb),
        "exercises": len(chapters.exercise_labels(nb)),
        "checking": sum(chapters.checks(cell) for cell in cells),
        "ignored": len(chapters.ignored_cells(nb)),
    }


def table(rows: list[dict]) -> str:
    """The rows as text."""
    head = f"{'chapter':<22} {'s':>6} {'':<4} {'cells':>5} {'median':>6} {'longest':>7} {'words':>6} {'lines':>5}"
    lines = [f"{head} {'sections':<10} {'exercises':>9} {'checking':>8} {'ignored':>7}"]
    for r in rows:
        time = "-" if r["seconds"] is None else f"{r['seconds']:.1f}"
        lines.append(
            f"{r['chapter']:<22} {time:>6} {r['mark']:<4} {r['cells']:>5} {r['median']:>6g} "
            f"{r['longest']:>7} {r['words']:>6} {r['visible']:>5} {r['sections']:<10} {r['exercises']:>9} "
            f"{r['checking']:>8} {r['ignored']:>7}"
        )
    known = [r["seconds"] for r in rows if r["seconds"] is not None]
    lines.append(f"{sum(known):.0f} s for {len(known)} of {len(rows)} chapters; sections: {key()}")
    return "\n".join(lines)


def key() -> str:
    return ", ".join(f"{letter} {word.split('|')[0]}" for word, letter in SECTIONS.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    root = parser.parse_args().root.resolve()
    times = seconds(root)
    paths = sorted((root / "notebooks").glob("*.ipynb"))
    rows = [row(path.stem, chapters.read(path), times.get(path.stem)) for path in paths]
    (root / "_build").mkdir(exist_ok=True)
    (root / "_build" / "report.json").write_text(json.dumps(rows, indent=1))
    print(table(rows))
    return 1 if any(r["mark"] == "FAIL" for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
