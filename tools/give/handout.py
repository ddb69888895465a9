"""A chapter as a notebook without solutions and outputs, to give to students.

    python tools/give/handout.py lamb     writes handouts/lamb.ipynb

It lies beside `notebooks/`, where the paths in a chapter lead to the same places. Deliberately absent: anything that
takes solutions out of the book; they are public, and a handout is no examination.
"""

import argparse
import re
import sys
from pathlib import Path

import jupytext

from tools import ROOT
from tools.chapter import notebooks
from tools.chapter.chapters import name_of

SOLUTIONS = (r":::\{solution-start\}.*?:::\{solution-end\}\n:::\n", r"(:{3,})\{solution\}.*?\n\1\n")


def without_solutions(text: str) -> str:
    """The source of a chapter without its solutions, their code included."""
    for solution in SOLUTIONS:
        text = re.sub(solution, "", text, flags=re.DOTALL)
    return text


def write(name: str, root: Path = ROOT) -> Path:
    """Write the handout of a chapter; returns where it lies.

    Raises:
        ValueError: there is no chapter of this name.
    """
    source = notebooks.find(name, root)
    path = root / "handouts" / f"{name_of(source.stem)}.ipynb"
    path.parent.mkdir(exist_ok=True)
    jupytext.write(jupytext.reads(without_solutions(source.read_text(encoding="utf-8")), fmt="md:myst"), path)
    return path


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", default="", help="a chapter, such as lamb")
    try:
        print(f"Wrote {write(parser.parse_args(arguments).name).relative_to(ROOT)}, without solutions and outputs.")
    except ValueError as error:
        print(f"No handout: {error}.")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
