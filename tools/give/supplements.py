"""Puts what was made of a site beside its pages, and lets the foot of every chapter lead there.

    python tools/give/supplements.py      the slides and the PDF that are built, beside the pages of _build/html

Deliberately absent: building anything, and what the foot says (`tools/pages/companions.py`).
"""

import shutil
import sys
from pathlib import Path

import pikepdf

from tools import ROOT
from tools.give import paper, pdf_file
from tools.pages import companions

BUILD = ROOT / "_build"
HIDDEN = shutil.ignore_patterns(".*", "*.pdf")  # of the folder of slides


def pages_of(pdf: Path) -> dict[str, int]:
    """The page of each chapter in the book's PDF, by the name of its file."""
    with pikepdf.open(pdf) as book:
        places = pdf_file.destinations(book)
    slugs = {path.stem: paper.slug(f"notebooks/{path.stem}") for path in (ROOT / "notebooks").glob("*.md")}
    return {file: places[slug] for file, slug in slugs.items() if slug in places}


def lead(site: Path) -> int:
    """Make the foot of every chapter lead to what lies beside the pages; returns how many chapters there are."""
    beside = companions.Beside(
        frozenset(path.stem for path in (site / "slides").glob("*.html")),
        frozenset(path.stem for path in (site / "assignments").glob("*.ipynb")),
        pages_of(site / companions.PDF) if (site / companions.PDF).exists() else {},
    )
    pages = sorted((site / "notebooks").glob("*.html"))
    for page in pages:
        text, line = page.read_text(encoding="utf-8"), companions.line(page.stem, beside)
        page.write_text(companions.LINE.sub(lambda _, line=line: line, text), encoding="utf-8")
    return len(pages)


def put(build: Path, site: Path) -> int:
    """Put the slides and the PDF of `build` beside the pages of `site`, as far as they are built, and lead there."""
    if (build / "slides").exists():
        shutil.copytree(build / "slides", site / "slides", dirs_exist_ok=True, ignore=HIDDEN)
    if (build / companions.PDF).exists():
        (site / companions.PDF).parent.mkdir(exist_ok=True)
        shutil.copy(build / companions.PDF, site / companions.PDF)
    return lead(site)


def main() -> int:
    if not (BUILD / "html" / "index.html").exists():
        print(f"There are no pages in {BUILD / 'html'}: make book.", file=sys.stderr)
        return 2
    print(f"{put(BUILD, BUILD / 'html')} chapters lead to what lies beside them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
