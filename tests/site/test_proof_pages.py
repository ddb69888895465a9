"""The fold under a theorem that a machine has checked, and the page of its proof, whose sentences open to goals."""

import pytest
from browsing import Visit, chapter_page

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
