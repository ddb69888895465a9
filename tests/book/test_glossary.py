"""The glossary: short entries in order, each with a link to a chapter that uses the word."""

import re

import book_map
import pytest
from small_books import ROOT

import notebooks

PAGE = (ROOT / "book" / "glossary.md").read_text()
BODY = re.search(r"^```\{glossary\}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
ENTRIES = re.findall(r"^(\S[^\n]*)\n((?:    [^\n]+\n)+)", BODY.split(":sorted:\n")[1], re.MULTILINE)
CHAPTERS = book_map.chapters(ROOT)
TOOLBOX = notebooks.find("toolbox").read_text()
PROVED = (ROOT / "book" / "notation.md").read_text()
HOME = book_map.homes(CHAPTERS) | {chapter.label: name for name, chapter in CHAPTERS.items()}


def linked(text):
    """The sources of the chapters to which an entry links."""
    labels = [label for label in book_map.REFERENCE.findall(text) if label != "ch-notation"]
    return [
        TOOLBOX if label.startswith("lem-") else PROVED if label.startswith("notation-") else CHAPTERS[HOME[label]].text
        for label in labels
    ]


def test_it_has_the_words_of_the_field_once_each_in_order():
    terms = [term for term, _ in ENTRIES]
    assert len(terms) > 50
    assert terms == sorted({term.lower(): term for term in terms}.values(), key=str.lower)


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


def test_words_that_entries_lean_on_are_entries():
    terms = {term for term, _ in ENTRIES}
    assert set(re.findall(r"\{term\}`([^`<]+)`", BODY)) <= terms
