"""Marked specimens: points add up to what the heading says, numbers of right answers are right, rubrics are kept."""

import itertools
import re

import pytest
from small_books import ROOT

from tools.give import exam

TEXT = (ROOT / "course" / "specimens.md").read_text(encoding="utf-8")
MARKED = re.findall(r"^### (\w+): (\d+) points?\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("name", "points", "text"), MARKED, ids=[f"{name}-{points}" for name, points, _ in MARKED])
def test_points_add_up_and_what_costs_points_is_said(name, points, text):
    given = [int(mark) for mark in re.findall(r"\[(\d)\]", text)]
    assert sum(given) == int(points)
    assert ("*" in text.replace("* ", "")) or name == "Full"
    assert max(given) <= 5


def test_full_half_and_few_are_what_they_say_of_three_tasks():
    assert [name for name, *_ in MARKED] == ["Full", "Half", "Few"] * 3
    worth = [int(points) for _, points, _ in MARKED]
    for full, half, few in zip(worth[::3], worth[1::3], worth[2::3], strict=True):
        assert half in (full // 2, full // 2 + 1)
        assert few <= full / 4
    assert [int(points) for points in re.findall(r"^## .*, (\d+) points$", TEXT, re.MULTILINE)] == worth[::3]
    assert exam.questions()["sgd-two-of-four"].points == worth[0]
    rubric = (ROOT / "course" / "projects" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (the question|correctness|evidence|the verdict|the text) \|", rubric, re.MULTILINE)
    for _, _, text in MARKED[6:]:
        assert [row.lower() for row in re.findall(r"^\* ([\w ]+):", text, re.MULTILINE)] == rows


def test_the_numbers_of_the_full_answer_are_right():
    values = [1, 3, 5, 11]
    spread = [sum(pair) / 2 - 5 for pair in itertools.combinations(values, 2)]
    assert sum((value - 5) ** 2 for value in values) / 4 == 14
    assert sum(error**2 for error in spread) / len(spread) == pytest.approx(14 / 3)
