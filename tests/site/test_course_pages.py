"""The pages for lecturers on the built site: sheets print without their answers, and fit a phone."""

import pytest

LAB = "course/labs/layers"
# The words of the folds that a printer would put on paper, without their titles.
FOLDS = """() => [...document.querySelectorAll(".lab-fold")].map(fold => fold.checkVisibility()
  && [...fold.children].some(child => !child.matches(".admonition-title, button")
    && child.checkVisibility({visibilityProperty: true})))"""


def test_a_sheet_is_printed_without_the_folds_that_nobody_opened(visit):
    page = visit(LAB).page
    assert page.evaluate(FOLDS) == [False] * 3
    page.locator(".lab-fold").first.locator("button.toggle-button").click()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(FOLDS) == [True, False, False]
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    page.locator(".lab-fold").first.locator("button.toggle-button").click()
    assert page.evaluate(FOLDS) == [False] * 3


@pytest.mark.parametrize("width", [390, 1300])
def test_a_sheet_and_the_lectures_fit_the_window(visit, width):
    for name in (LAB, "book/lectures"):
        seen = visit(name)
        seen.show(width=width)
        assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
