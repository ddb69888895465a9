"""The glossary: short entries in order, each with a link to a chapter that uses the word.

And the notation page, which names letters with two duties only where chapters really use them.
"""

import re

import pytest
from small_books import ROOT

from tools.chapter import chapters, notebooks
from tools.pages import book_map

PAGE, NOTATION = ((ROOT / "book" / f"{name}.md").read_text() for name in ("glossary", "notation"))
BODY = re.search(r"^```\{glossary\}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
ENTRIES = re.findall(r"^(\S[^\n]*)\n((?:    [^\n]+\n)+)", BODY.split(":sorted:\n")[1], re.MULTILINE)
CHAPTERS = book_map.chapters(ROOT)
TOOLBOX, BOUNDS = (notebooks.find(name).read_text() for name in ("toolbox", "what_a_bound_is_worth"))
BY_LABEL = {chapter.label: name for name, chapter in CHAPTERS.items()}
HOME = book_map.homes(CHAPTERS) | BY_LABEL
APPENDICES = {found[0]: text for md in notebooks.chapters() if (found := chapters.labelled(text := md.read_text()))}
LETTERS, SYMBOLS = NOTATION.split("Three rules cover")
TWICE = re.findall(r"^\| \$(\\?\w+)\$ \| ([^|\n]*) \| ([^|\n]*) \|$", LETTERS, re.MULTILINE)


def linked(text):
    """The sources of the chapters to which an entry links."""
    labels = [label for label in book_map.REFERENCE.findall(text) if label != "ch-notation"]
    pages = {"lem": TOOLBOX, "bounds": BOUNDS, "notation": NOTATION} | APPENDICES
    return [pages.get(label) or pages.get(label.split("-")[0]) or CHAPTERS[HOME[label]].text for label in labels]


def test_it_has_the_words_of_the_field_once_each_in_order_and_those_on_which_entries_lean():
    terms = [term for term, _ in ENTRIES]
    assert len(terms) > 50
    assert terms == sorted({term.lower(): term for term in terms}.values(), key=str.lower)
    assert {*re.findall(r"\{term\}`([^`<]+)`", BODY)} <= {*terms}


@pytest.mark.parametrize(("term", "text"), ENTRIES, ids=[term for term, _ in ENTRIES])
def test_an_entry_is_short_and_leads_to_a_chapter_that_uses_its_words(term, text):
    plain = re.sub(r"\{[\w:]+\}`[^`]*`|\$[^$]*\$", "x", text)
    assert len(re.findall(r"[.?](?=\s)", plain)) <= 4  # three sentences and the links
    assert len(plain.split()) <= 60
    pages = linked(text)
    assert pages
    for page in pages:
        for word in re.findall(r"[\w-]{3,}", term):
            assert re.search(re.escape(word.removesuffix("ing").removesuffix("ion")), page, re.IGNORECASE), word


def test_every_chapter_has_built_a_word():
    pages = {page for _, text in ENTRIES for page in linked(text)}
    assert [name for name, chapter in CHAPTERS.items() if chapter.text not in pages] == []


def named(words):
    """The chapters to which a cell refers."""
    return {BY_LABEL[label] for label in re.findall(r"\{numref\}`[^`]*<(ch-[\w-]+)>`", words)}


def letters(text):
    """Formulas and code of a chapter, with code last; words inside formulas left out."""
    formulas = re.findall(r"\$\$(.*?)\$\$|(?<!\$)\$([^$\n]+)\$(?!\$)", text, re.DOTALL)
    code = re.findall(r"^```\{code-cell\}.*?^```", text, re.MULTILINE | re.DOTALL)
    symbols = re.sub(r"\\(?:text|mathrm|operatorname)\{[^}]*\}", "", " ; ".join(a or b for a, b in formulas))
    return " ; ".join([symbols, *code])


def test_a_letter_with_two_duties_is_in_every_chapter_that_the_table_names():
    assert len({letter for letter, *_ in TWICE}) == len(TWICE) > 20
    for letter, first, others in TWICE:
        pattern = (re.escape(letter) if letter.startswith("\\") else rf"(?<![a-zA-Z\\]){letter}") + r"(?![a-zA-Z])"
        assert named(others)
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


def test_a_symbol_is_first_needed_in_the_chapter_that_its_row_names():
    for begins, pattern in FIRST_SEEN.items():
        rows = [line for line in SYMBOLS.splitlines() if line.startswith(f"| ${begins}")]
        assert len(rows) == 1, begins
        (said,) = named(rows[0].rsplit(" | ", 1)[1])
        using = [name for name, chapter in CHAPTERS.items() if re.search(pattern, letters(chapter.text))]
        assert said == min(using, key=lambda name: CHAPTERS[name].number), begins
