"""The notation page names letters with two duties only where chapters really use them."""

import re

import book_map
from small_books import ROOT

PAGE = (ROOT / "book" / "notation.md").read_text()
TWICE = re.findall(r"^\| \$(\\?\w+)\$ \| ([^|\n]*) \| ([^|\n]*) \|$", PAGE.split("Three rules cover")[0], re.MULTILINE)


def named(words):
    """The numbers of the chapters in a cell: chapters 1, 4 and 9 to 12."""
    found = set()
    for group in re.findall(r"chapters? ((?:\d+|, and |, | and | to )+)", words):
        for low, high in re.findall(r"(\d+) to (\d+)", group):
            found |= set(range(int(low), int(high) + 1))
        found |= {int(n) for n in re.findall(r"\d+", group)}
    return found


def letters(text):
    """Formulas and code of a chapter, with code last; words inside formulas left out."""
    formulas = re.findall(r"\$\$(.*?)\$\$|(?<!\$)\$([^$\n]+)\$(?!\$)", text, re.DOTALL)
    code = re.findall(r"^```\{code-cell\}.*?^```", text, re.MULTILINE | re.DOTALL)
    symbols = re.sub(r"\\(?:text|mathrm|operatorname)\{[^}]*\}", "", " ; ".join(a or b for a, b in formulas))
    return " ; ".join([symbols, *code])


def test_the_numbers_in_a_cell_are_read_as_they_are_meant():
    assert named("a factor (chapters 4, and 9 to 12); a size (chapter 18)") == {4, 9, 10, 11, 12, 18}


def test_a_letter_with_two_duties_is_in_every_chapter_that_the_table_names():
    found = book_map.chapters(ROOT)
    assert len(TWICE) > 20
    for letter, first, others in TWICE:
        pattern = (re.escape(letter) if letter.startswith("\\") else rf"(?<![a-zA-Z\\]){letter}") + r"(?![a-zA-Z])"
        assert others.strip()
        for number in named(f"{first}; {others}"):
            assert re.search(pattern, letters(found[number].text)), (letter, number)


def test_the_letters_stand_in_order_and_once():
    names = [letter.lstrip("\\") for letter, _, _ in TWICE]
    assert len({*names}) == len(names)
    greek = [letter for letter, _, _ in TWICE if letter.startswith("\\")]
    latin = [letter for letter, _, _ in TWICE if not letter.startswith("\\")]
    assert [letter for letter, _, _ in TWICE] == greek + latin
    assert latin == sorted(latin, key=str.lower)
