"""Reads a printed book or chapter, as `print_book.py` makes them, and says what is wrong with it: `check`.

Where links lead and on which page a heading stands is in the file's own lists. Only the numbers in the contents have to
be read from the page; Chromium wrote the headings' list without knowing them, so the two are compared.
Deliberately absent: reading words, and anything about how the pages look.
"""

import re
from collections import Counter
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
    """The outline: the level of each heading (chapters have 0), its words, and its page by Chromium."""
    places = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
    with pdf.open_outline() as outline:
        entries = [(level, item, item.destination or item.action.D) for level, item in walk(outline.root)]
        return [(level, item.title, places[at[0].objgen]) for level, item, at in entries]


def numbers(page: pikepdf.Page) -> list[int]:
    """The words of a page that are numbers and nothing else, its own number among them."""
    glyphs = {}
    for name, font in page.resources.get("/Font", {}).items():
        if font.Subtype == "/Type0" and "/ToUnicode" in font:
            table = font.ToUnicode.read_bytes().decode("latin-1")
            glyphs[name] = letters = {}
            for block in re.findall(r"beginbfchar(.*?)endbfchar", table, re.S):
                letters |= {code: chr(int(to, 16)) for code, to in re.findall(r"<(\w{4})> <(\w{4})>", block)}
            for block in re.findall(r"beginbfrange(.*?)endbfrange", table, re.S):
                for first, last, to in re.findall(r"<(\w{4})> <(\w{4})> <(\w{4})>", block):
                    for k in range(int(last, 16) - int(first, 16) + 1):
                        letters[f"{int(first, 16) + k:04X}"] = chr(int(to, 16) + k)
    values, word, font = [], "", {}
    for operands, operator in pikepdf.parse_content_stream(page):
        if str(operator) in ("BT", "ET"):
            values += [int(word)] if re.fullmatch(r"\d+", word) else []
            word = ""
        elif str(operator) == "Tf":
            font = glyphs.get(str(operands[0]), {})
        elif str(operator) in ("Tj", "TJ"):
            pieces = operands[0] if str(operator) == "TJ" else [operands[0]]
            codes = b"".join(bytes(piece) for piece in pieces if isinstance(piece, pikepdf.String)).hex().upper()
            word += "".join(font.get(codes[k : k + 4], "?") for k in range(0, len(codes), 4))
    return values


def check(path: Path) -> None:
    """Open a printed book or chapter.

    Raises:
        ValueError: what is wrong with it: too large; not tagged; a link that leads nowhere, or to a file of this
            machine; no outline; a number in the contents that is no heading's page, or a chapter
            without its number.
    """
    if path.stat().st_size > LIMIT:
        raise ValueError(f"{path.name} has {path.stat().st_size / 1e6:.1f} MB; it may have {LIMIT / 1e6:.0f}")
    with pikepdf.open(path) as pdf:
        if "/StructTreeRoot" not in pdf.Root or "/Lang" not in pdf.Root or not str(pdf.docinfo.get("/Title", "")):
            raise ValueError(f"{path.name} has no tags, no language or no title")
        places, drawn, last = destinations(pdf), Counter(), 0
        outline = headings(pdf)
        first = next((page for level, _, page in outline[1:] if level == 0), 0)
        if not first or [page for _, _, page in outline] != sorted(page for _, _, page in outline):
            raise ValueError(f"{path.name} has no outline, or one that is not in the order of the pages")
        for number, page in enumerate(pdf.pages, 1):
            for note in page.get("/Annots", []):
                to = str(note.get("/Dest", "")).removeprefix("/")
                uri = str(note.get("/A", {}).get("/URI", ""))
                if to not in places and not re.match("https?:|mailto:", uri):
                    raise ValueError(f"a link on page {number} of {path.name} leads to {to or uri or 'nothing'!r}")
                last = number if 1 < number < first and to else last
        for number in range(2, last + 1):
            drawn += Counter(numbers(pdf.pages[number - 1])) - Counter([number])
        listed = [(title, page) for level, title, page in outline if level < 2]
        headed = Counter(page for _, page in listed)
        # A heading that ends with a year may leave it alone on a second line.
        headed += Counter(int(title.split()[-1]) for title, _ in listed if title.split()[-1].isdecimal())
        if drawn - headed:
            raise ValueError(f"the contents of {path.name} name pages without a heading: {sorted(drawn - headed)}")
        if lacking := [title for level, title, page in outline[1:] if level == 0 and page not in drawn]:
            raise ValueError(f"the contents of {path.name} lack the page of {lacking[0]!r}")
