"""Every deck begins with goals of a chapter and ends with its summary, and its notes answer what they ask."""

import re

import pytest

from tools.pages import syllabus


def parts(name):
    """The slides of each half day, or of the lecture, as text."""
    text = (syllabus.DECKS / f"{name}.md").read_text(encoding="utf-8").partition("\n---\n")[2]
    halves = re.split(r"^(?=# )", text, flags=re.MULTILINE)[1:]
    return [re.split(r"^(?=#{1,2} )", half, flags=re.MULTILINE)[1:] for half in halves]


@pytest.mark.parametrize("name", syllabus.decks())
def test_a_deck_begins_with_goals_of_a_chapter_and_ends_with_its_summary(name):
    for title, goals, *_, last in parts(name):
        assert title.startswith("# ")
        assert re.search(r"^:::{show} ch-[\w-]+\n:goals: \d", goals, re.MULTILINE), goals
        assert re.search(r"^:::{show} ch-[\w-]+\n:summary: \d", last, re.MULTILINE), last


@pytest.mark.parametrize("name", syllabus.decks())
def test_the_notes_of_a_deck_answer_what_they_ask(name):
    every = [slide for part in parts(name) for slide in part]
    asks = [slide for slide in every if ":::{question}" in slide or "\nAsk: " in slide]
    assert len(asks) >= 2
    assert [slide.partition("\n")[0] for slide in asks if "\nAnswer: " not in slide] == []
