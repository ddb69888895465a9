"""The notation page names letters with two duties only where chapters really use them."""

import re

import book_map
from small_books import ROOT

PAGE = (ROOT / "book" / "notation.md").read_text()
TWICE = re.findall(r"^\| \$(\\?\w+)\$ \| ([^|\n]*) \| ([^|\n]*) \|$", PAGE.split("Three rules cover")[0], re.MULTILINE)


FOUND = book_map.chapters(ROOT)


def named(words):
    """The chapters to which a cell refers."""
    by_label = {chapter.label: name for name, chapter in FOUND.items()}
    return {by_label[label] for label in re.findall(r"\{numref\}`[^`]*<(ch-[\w-]+)>`", words)}


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
        assert named(others)
        for name in named(f"{first}; {others}"):
            assert re.search(pattern, letters(FOUND[name].text)), (letter, name)


def test_the_letters_stand_in_order_and_once():
    names = [letter.lstrip("\\") for letter, _, _ in TWICE]
    assert len({*names}) == len(names)
    greek = [letter for letter, _, _ in TWICE if letter.startswith("\\")]
    latin = [letter for letter, _, _ in TWICE if not letter.startswith("\\")]
    assert [letter for letter, _, _ in TWICE] == greek + latin
    assert latin == sorted(latin, key=str.lower)
