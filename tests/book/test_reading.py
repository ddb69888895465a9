"""tools/reading.py: what counts as a word, a visible line and the core path."""

import re

import chapters
import nbformat
import pytest
import reading
from nbformat.v4 import new_code_cell, new_markdown_cell

CODE = "import numpy\n\nx = 1\nprint(x)"


def book(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


def counts(*cells):
    return reading.sections(book(new_markdown_cell("# Title\n\n## First\n"), *cells))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Two words.", 2),
        ("A step of length $\\eta \\lVert g \\rVert$ now", 6),
        ("$$\nx = y\n$$ (eq-name)\n\nAfter it.", 2),
        ("{numref}`Chapter %s <ch-sgd>` shows [a link](there.md)", 5),
        (":::{prf:theorem} Name of it\n:label: thm-x\nThree words here.\n:::", 3),
        ("```{admonition} Answer\n:class: dropdown\nNot seen at once.\n```\nSeen.", 1),
        ("![What a picture shows.](a.svg)\n\nIts caption.", 2),
        ("```{exercise} Name\n:label: ex-1\nNot read in passing.\n```", 0),
    ],
)
def test_words_are_those_of_the_prose(text, expected):
    assert reading.words(text) == expected


@pytest.mark.parametrize(
    ("tags", "lines"), [([], 3), (["hide-input"], 0), (["remove-cell"], 0), (["hide-output"], 3), (["hide-cell"], 0)]
)
def test_a_line_of_code_counts_when_the_page_shows_it_at_once(tags, lines):
    cell = new_code_cell(CODE, metadata={"tags": tags})
    assert reading.core(counts(cell)) == (0, lines)


def test_starred_sections_with_their_subsections_and_the_exercises_are_off_the_core_path():
    text = """Two words.

## ★ Extra

Not these.

### Inside

Nor these.

## Plain

Three more words.

## Exercises

```{exercise} One
:label: ex-1
Do.
```
"""
    found = counts(new_markdown_cell(text), new_code_cell(CODE))
    assert reading.core(found) == (5, 0)
    assert reading.whole(found) == (9, 0)
    assert reading.exercises(found) == 1


def test_a_chapter_says_the_minutes_that_are_counted(chapter):
    nb = nbformat.read(chapter, as_version=4)
    said = [int(n) for n in re.findall(r"^\*Core path: (\d+) minutes", chapters.prose(nb), re.MULTILINE)]
    assert said in ([], [reading.minutes(*reading.core(reading.sections(nb)))])


def test_minutes_grow_with_both():
    assert reading.minutes(0, 0) == 0
    assert reading.minutes(2500, 250) == 110
