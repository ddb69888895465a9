"""The notation page names letters with two duties only where chapters really use them."""

import re

import book_map
from small_books import ROOT

PAGE = (ROOT / "book" / "notation.md").read_text()
TWICE = re.findall(r"^\| \$(\\?\w+)\$ \| ([^|\n]*) \| ([^|\n]*) \|$", PAGE.split("Three rules cover")[0], re.MULTILINE)
FOUND = book_map.chapters(ROOT)
BY_LABEL = {chapter.label: name for name, chapter in FOUND.items()}


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
            assert re.search(pattern, letters(FOUND[name].text)), (letter, name)


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
        rows = [line for line in PAGE.split("Three rules cover")[1].splitlines() if line.startswith(f"| ${begins}")]
        assert len(rows) == 1, begins
        (said,) = named(rows[0].rsplit(" | ", 1)[1])
        using = [name for name, chapter in FOUND.items() if re.search(pattern, letters(chapter.text))]
        assert said == min(using, key=lambda name: FOUND[name].number), begins
