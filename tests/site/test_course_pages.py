"""The pages for lecturers on the built site: plans that lead on, and sheets that print without their answers."""

import pytest

from tools.pages import plans

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


def test_every_week_leads_to_its_lectures_and_its_lab(visit):
    page = visit("book/teaching").page
    links = page.eval_on_selector_all("#twelve-weeks table a", "all => all.map(a => a.getAttribute('href'))")
    for number, week in enumerate(plans.weeks(), 1):
        assert any(f"#lectures-week-{number}" == link[link.find("#") :] for link in links if "#" in link)
        assert any(f"labs/{week.lab}.html" in link for link in links)


def test_the_lectures_of_a_week_are_folded_tables_with_numbers_from_the_chapters(visit):
    page = visit("book/lectures").page
    tables = page.locator("#week-5 .admonition table")
    assert tables.count() == 2
    said = tables.first.text_content()
    assert "One function, two editions" in said
    assert "Fig" in said
    assert "{numref}" not in page.locator("article").text_content()
