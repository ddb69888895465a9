"""Reads a printed book or chapter, as `print_book.py` makes them, and says what is wrong with it: `check`.

Where links lead and on which page a heading stands is in the file's own lists; Chromium writes the one without the
other, so the two are compared. The numbers in the contents are those of the first (`print_book.write`).
Deliberately absent: reading words, and anything about how the pages look.
"""

import re
from pathlib import Path

import pikepdf

LIMIT = 15_000_000  # bytes


def destinations(pdf: pikepdf.Pdf) -> dict[str, int]:
    """The page of every place that a link inside the file names, the first page being 1."""
    places = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
    named = pdf.Root.get("/Dests", {})
    return {str(name).removeprefix("/"): places[at[0].objgen] for name, at in named.items()}


def walk(items, level: int = 0):
    """The entries of an outline in order, each with its level, chapters having 0."""
    for item in items:
        yield level, item
        yield from walk(item.children, level + 1)


def headings(pdf: pikepdf.Pdf) -> list[tuple[int, str, int]]:
    """The outline: the level of each heading (chapters have 0), its words, and its page."""
    places = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
    with pdf.open_outline() as outline:
        entries = [(level, item, item.destination or item.action.D) for level, item in walk(outline.root)]
        return [(level, item.title, places[at[0].objgen]) for level, item, at in entries]


def check(path: Path) -> None:
    """Open a printed book or chapter.

    Raises:
        ValueError: what is wrong with it: too large; not tagged; a link that leads nowhere, or to a file of this
            machine; no outline; a line of the contents that leads to a page without a heading.
    """
    if path.stat().st_size > LIMIT:
        raise ValueError(f"{path.name} has {path.stat().st_size / 1e6:.1f} MB; it may have {LIMIT / 1e6:.0f}")
    with pikepdf.open(path) as pdf:
        if "/StructTreeRoot" not in pdf.Root or "/Lang" not in pdf.Root or not str(pdf.docinfo.get("/Title", "")):
            raise ValueError(f"{path.name} has no tags, no language or no title")
        places, outline = destinations(pdf), headings(pdf)
        pages = [page for _, _, page in outline]
        first = next((page for level, _, page in outline[1:] if level == 0), 0)  # of a chapter
        if not first or pages != sorted(pages):
            raise ValueError(f"{path.name} has no outline, or one that is not in the order of the pages")
        for number, page in enumerate(pdf.pages, 1):
            for note in page.get("/Annots", []):
                to = str(note.get("/Dest", "")).removeprefix("/")
                uri = str(note.get("/A", {}).get("/URI", ""))
                if to not in places and not re.match("https?:|mailto:", uri):
                    raise ValueError(f"a link on page {number} of {path.name} leads to {to or uri or 'nothing'!r}")
                if 1 < number < first and to and places[to] not in pages:
                    raise ValueError(f"the contents of {path.name} name page {places[to]}, which has no heading")
