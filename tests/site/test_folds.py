"""What pages fold: answers of a quiz, hints of a lab sheet, proofs that a machine checked; on screen and on paper."""

import pytest
from browsing import Visit, chapter_page
from playwright.sync_api import expect

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


def test_a_link_to_a_fold_opens_it_and_no_other(visit):
    seen = visit("book/index")
    opened = (
        "() => [...document.querySelectorAll('article .admonition.dropdown')].filter(f => !f.matches('.toggle-hidden'))"
    )
    seen.page.evaluate("location.hash = '#preface-report'")
    assert seen.page.evaluate(f"({opened})().map(fold => fold.id)") == ["preface-report"]
    seen.page.locator("#preface-report button.toggle-button").click()
    assert seen.page.evaluate(f"({opened})().length") == 0


@pytest.mark.parametrize("width", [390, 1300])
def test_a_sheet_and_the_lectures_fit_the_window(visit, width):
    for name in (LAB, "book/lectures"):
        seen = visit(name)
        seen.show(width=width)
        assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


def test_the_keyboard_answers_and_paper_has_every_explanation(visit):
    seen = visit(chapter_page("adam"))
    first = seen.page.locator(".quiz").first
    status, folds = first.locator(".quiz-said"), seen.page.locator(".quiz details")
    first.locator(".quiz-wrong summary").first.press("Enter")
    expect(status).to_have_text("Not this one. Read why, then choose again.")  # said a moment after a fold has opened
    first.locator(".quiz-right summary").press("Enter")
    expect(status).to_have_text("Right.")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(folds.evaluate_all("all => all.map(fold => fold.open)"))
    seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert sum(folds.evaluate_all("all => all.map(fold => fold.open)")) == 2
    assert (seen.errors, seen.outside) == ([], [])


SHOWN = "fold => fold.checkVisibility({contentVisibilityAuto: true}) && fold.getBoundingClientRect().height > 0"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 390)])
def test_a_sentence_opens_to_what_is_left_to_prove_and_stays_in_its_line(browser, server, scheme, width):
    visit = Visit(browser, server, scheme, width)
    visit.open("proofs/toolbox_telescoping")
    sentences = visit.page.locator(".rocq-source summary")
    first, second = sentences.nth(1), sentences.nth(2)  # rewrite <- sum_scal, <- sum_plus. apply sum_le.
    assert first.inner_text() == "rewrite <- sum_scal, <- sum_plus."
    assert width < 600 or first.bounding_box()["y"] == second.bounding_box()["y"]
    goals = visit.page.locator(".rocq-source details > div").nth(2)
    assert not goals.evaluate(SHOWN)
    second.click()
    assert goals.evaluate(SHOWN)
    assert goals.inner_text().endswith("forall i : nat, (i < T)%nat -> c * p i <= f i - f (S i) + e i")
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.errors + visit.outside == []
    visit.close()


def test_the_fold_under_a_theorem_leads_to_its_definitions_and_its_proof_and_the_proof_leads_back(visit):
    chapter = visit(chapter_page("toolbox"))
    fold = chapter.page.locator("#lem-telescoping + details.by-machine")
    fold.locator("summary").click()
    assert "Hypothesis each_step : forall t, (t < T)%nat" in fold.locator("pre").inner_text()
    fold.get_by_role("link", name="sum", exact=True).first.click()
    chapter.page.wait_for_url("**/proofs/sums.html#sum")
    chapter.page.go_back()
    if not fold.evaluate("fold => fold.open"):
        fold.locator("summary").click()
    fold.get_by_role("link", name="proofs/toolbox_telescoping.v").click()
    chapter.page.get_by_role("link", name="lem-telescoping", exact=True).click()
    chapter.page.wait_for_url("**/notebooks/*toolbox.html#lem-telescoping")
