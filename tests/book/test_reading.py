"""tools/chapter/reading.py: what counts as a word, a visible line and the core path."""

import re

from small_books import cell, markdown, notebook

from tools.chapter import chapters, reading

CODE = "import numpy\n\nx = 1\nprint(x)"


def counts(*cells):
    return reading.sections(notebook(markdown("# Title\n\n## First\n"), *cells))


WORDS = {
    "Two words.": 2,
    "A step of length $\\eta \\lVert g \\rVert$ now": 6,
    "$$\nx = y\n$$ (eq-name)\n\nAfter it.": 2,
    "{numref}`Chapter %s <ch-sgd>` shows [a link](there.md)": 5,
    ":::{prf:theorem} Name of it\n:label: thm-x\nThree words here.\n:::": 3,
    "```{admonition} Answer\n:class: dropdown\nNot seen at once.\n```\nSeen.": 1,
    "![What a picture shows.](a.svg)\n\nIts caption.": 2,
    "```{exercise} Name\n:label: ex-1\nNot read in passing.\n```": 0,
}


def test_words_are_those_of_the_prose_and_lines_of_code_those_that_the_page_shows_at_once():
    assert {text: reading.words(text) for text in WORDS} == WORDS
    lines = {"any": 3, "hide-input": 0, "remove-cell": 0, "hide-output": 3, "hide-cell": 0}
    assert {tag: reading.core(counts(cell(CODE, tags=[tag])))[1] for tag in lines} == lines


def test_starred_sections_with_their_subsections_and_the_exercises_are_off_the_core_path():
    text = (
        "Two words.\n\n## ★ Extra\n\nNot these.\n\n### Inside\n\nNor these.\n\n## Plain\n\nThree more words.\n\n"
        "## Exercises\n\n```{exercise} One\n:label: ex-1\nDo.\n```\n"
    )
    parts = counts(markdown(text), cell(CODE))
    assert reading.core(parts) == (5, 0)
    assert reading.whole(parts) == (9, 0)
    assert reading.exercises(parts) == 1


def test_a_chapter_says_the_minutes_that_are_counted(chapter):
    nb = chapters.read(chapter)
    minutes = [int(n) for n in re.findall(r"^\*Core path: (\d+) minutes", chapters.prose(nb), re.MULTILINE)]
    counted = reading.minutes(*reading.core(reading.sections(nb)))
    assert minutes in ([], [counted]), f"the line under the title is to begin: *Core path: {counted} minutes."
    assert reading.minutes(3000, 120) == 90  # the longest core path
