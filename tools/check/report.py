"""Prints one line for each chapter: its form at a glance, and whether it is too slow.

Form is reported, not enforced: cells, longest cell, words and visible lines of code on the core path (`reading.py`),
sections present, exercises, cells that check.
Time is enforced: above 180 s a chapter fails, above 60 s it is marked. The seconds are the processor's, of the run that
made the stored outputs (`-` where none is recorded).
"""

import re
import statistics
import sys

from minilib.pages import print_table
from tools import ROOT
from tools.chapter import chapters, provenance, reading

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


def table(rows: list[dict]) -> None:
    """Print the rows, and how long all of them took."""
    cells = [[f"{value:g}" if isinstance(value, float) else value or "-" for value in r.values()] for r in rows]
    print_table(cells, [*rows[0]])
    known = [r["seconds"] for r in rows if r["seconds"] is not None]
    key = ", ".join(f"{letter} {word.split('|')[0]}" for word, letter in SECTIONS.items())
    print(f"{sum(known):.0f} s for {len(known)} of {len(rows)} chapters; sections: {key}")


def main() -> int:
    books = chapters.stored(ROOT)
    runs = {name: provenance.load(ROOT / provenance.FOLDER, name) or {} for name in books}
    rows = [row(name, nb, runs[name].get("seconds")) for name, nb in books.items()]
    table(rows)
    return 1 if any(r["mark"] == "FAIL" for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
