"""The quizzes on their pages: five questions before the exercises, which answer the keyboard and open for paper."""

import re
from pathlib import Path

import pytest
from browsing import HTML, ROOT, chapter_page
from playwright.sync_api import expect

from tools.pages import quiz

NAMES = [path.stem for path in sorted((ROOT / quiz.FOLDER).glob("*.md"))]


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_asks_five_questions_before_its_exercises_and_says_which_options_are_right(name):
    html = Path(HTML / f"{chapter_page(name)}.html").read_text(encoding="utf-8")
    before, _, after = html.partition('<section id="exercises">')
    asked = re.findall(r'<div class="quiz[^"]*".*?role="status"', before, re.S)
    assert len(asked) == 5
    assert [one.count('class="quiz-right"') for one in asked] == [1] * 5
    assert all(one.count("<summary>") == one.count(">Right. <") + one.count(">Wrong. <") for one in asked)
    assert 'class="quiz' not in after


def test_the_keyboard_answers_and_paper_has_every_explanation(visit):
    seen = visit(chapter_page("adam"))
    first = seen.page.locator(".quiz").first
    said, folds = first.locator(".quiz-said"), seen.page.locator(".quiz details")
    first.locator(".quiz-wrong summary").first.press("Enter")
    expect(said).to_have_text("Not this one. Read why, then choose again.")  # said a moment after a fold has opened
    first.locator(".quiz-right summary").press("Enter")
    expect(said).to_have_text("Right.")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(folds.evaluate_all("all => all.map(fold => fold.open)"))
    seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert sum(folds.evaluate_all("all => all.map(fold => fold.open)")) == 2
    assert (seen.errors, seen.outside) == ([], [])
