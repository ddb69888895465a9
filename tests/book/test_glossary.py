"""What the glossary and the page on notation say of chapters is so: words and letters stand where these pages lead."""

import re

import pytest
from small_books import ROOT

from tools.chapter import chapters, notebooks
from tools.pages import book_map

PAGE, NOTATION = ((ROOT / "book" / f"{name}.md").read_text() for name in ("glossary", "notation"))
ENTRIES = re.findall(r"^(\S[^\n]*)\n((?:    [^\n]+\n)+)", PAGE.split(":sorted:\n")[1], re.MULTILINE)
CHAPTERS = book_map.chapters(ROOT)
TOOLBOX, BOUNDS = (notebooks.find(name).read_text() for name in ("toolbox", "what_a_bound_is_worth"))
BY_LABEL = {chapter.label: name for name, chapter in CHAPTERS.items()}
HOME = book_map.homes(CHAPTERS) | BY_LABEL
TEXTS = [md.read_text() for md in notebooks.chapters()]
APPENDICES = {label[0]: text for text in TEXTS if (label := chapters.labelled(text))}
LETTERS, SYMBOLS = NOTATION.split("Three rules cover")
TWICE = re.findall(r"^\| \$(\\?\w+)\$ \| ([^|\n]*) \| ([^|\n]*) \|$", LETTERS, re.MULTILINE)


def linked(text):
    """The sources of the chapters to which an entry links."""
    labels = [label for label in book_map.REFERENCE.findall(text) if label != "ch-notation"]
    pages = {"lem": TOOLBOX, "bounds": BOUNDS, "notation": NOTATION} | APPENDICES
    return [pages.get(label) or pages.get(label.split("-")[0]) or CHAPTERS[HOME[label]].text for label in labels]


@pytest.mark.parametrize(("term", "text"), ENTRIES, ids=[term for term, _ in ENTRIES])
def test_an_entry_leads_to_a_chapter_that_uses_its_words(term, text):
    pages = linked(text)
    assert pages
    for page in pages:
        for word in re.findall(r"[\w-]{3,}", term):
            assert re.search(re.escape(word.removesuffix("ing").removesuffix("ion")), page, re.IGNORECASE), word


def test_every_chapter_has_built_a_word():
    pages = {page for _, text in ENTRIES for page in linked(text)}
    assert len(ENTRIES) > 50
    assert [name for name, chapter in CHAPTERS.items() if chapter.text not in pages] == [], (
        "chapters to which no entry of book/glossary.md leads"
    )


def named(words):
    """The chapters to which a cell of a table refers."""
    return {BY_LABEL[label] for label in re.findall(r"\{numref\}`[^`]*<(ch-[\w-]+)>`", words)}


def letters(text):
    """Formulas and code of a chapter, with code last; words inside formulas left out."""
    formulas = re.findall(r"\$\$(.*?)\$\$|(?<!\$)\$([^$\n]+)\$(?!\$)", text, re.DOTALL)
    code = re.findall(r"^```\{code-cell\}.*?^```", text, re.MULTILINE | re.DOTALL)
    symbols = re.sub(r"\\(?:text|mathrm|operatorname)\{[^}]*\}", "", " ; ".join(a or b for a, b in formulas))
    return " ; ".join([symbols, *code])


def test_a_letter_with_two_duties_is_in_every_chapter_that_the_table_names():
    assert len(TWICE) > 20
    for letter, first, others in TWICE:
        pattern = (re.escape(letter) if letter.startswith("\\") else rf"(?<![a-zA-Z\\]){letter}") + r"(?![a-zA-Z])"
        for name in named(f"{first}; {others}"):
            assert re.search(pattern, letters(CHAPTERS[name].text)), (letter, name)


# How a row of the tables begins, and what its symbol looks like in a chapter: letters with one meaning only.
FIRST_SEEN = {
    r"\lVert u\rVert_1$": r"\\rVert_(1|\\infty)",
    r"G$ |": r"(?<![\w\\])G=",
    r"\kappa=L/\mu$": r"\\kappa=L/\\mu",
    r"\mathcal B_": r"\\mathcal B_",
    r"D_\infty$": r"D_\\infty",
    r"P\preceq Q$": r"\\preceq",
}


@pytest.mark.parametrize(("begins", "pattern"), FIRST_SEEN.items())
def test_a_symbol_is_first_needed_in_the_chapter_that_its_row_names(begins, pattern):
    (row,) = [line for line in SYMBOLS.splitlines() if line.startswith(f"| ${begins}")]
    using = [name for name, chapter in CHAPTERS.items() if re.search(pattern, letters(chapter.text))]
    assert named(row.rsplit(" | ", 1)[1]) == {min(using, key=lambda name: CHAPTERS[name].number)}
