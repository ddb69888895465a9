"""The quizzes on their pages answer the keyboard and open for paper."""

from browsing import chapter_page
from playwright.sync_api import expect


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
