"""Twelve pages of all kinds, read by axe-core: for people who see little, hear the page or use keys alone."""

from importlib.resources import files

import pytest
from browsing import Visit, chapter_page
from test_site import UNFOLD

PAGES = (
    "book/index",
    "book/notation",
    "book/verdicts",
    "book/theorems",
    "book/lab",
    "search",
    "proofs/toolbox_telescoping",
    *map(chapter_page, ("loss_and_gradient", "big_batches", "lamb", "memory", "which_lamb")),
)
# Everything open; links that are shown while hovering only are gone; of the words of a block of code that have the same
# colour the first is left a word of its own, and of the rows of a table four, for axe measures each one.
OPEN = """() => {
  document.querySelectorAll("article details").forEach(fold => { fold.open = true; });
  document.querySelectorAll(".headerlink").forEach(link => link.remove());
  document.querySelectorAll("article tbody").forEach(body => [...body.rows].slice(4).forEach(row => row.remove()));
  document.querySelectorAll(".highlight pre").forEach(pre => {
    const seen = new Set();
    pre.querySelectorAll("span[class]").forEach(word =>
      seen.has(word.className) ? word.replaceWith(...word.childNodes) : seen.add(word.className));
    pre.normalize();
  });
}"""
# What axe finds; formulas are MathJax's, which has its own words for a screen reader.
VIOLATIONS = """async () => {
  const { violations } = await axe.run({ exclude: ["mjx-container"] }, { resultTypes: ["violations"] });
  return violations.filter(v => ["serious", "critical"].includes(v.impact))
    .map(v => [v.id, v.nodes.length, v.nodes[0].target.join(" "), v.nodes[0].failureSummary]);
}"""
AXE = files("axe_playwright_python") / "axe.min.js"


@pytest.fixture(scope="module", params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in PAGES])
def read(request, browser, server):
    visit = Visit(browser, server)
    visit.open(request.param)
    visit.page.evaluate(UNFOLD)
    visit.page.evaluate(OPEN)
    visit.page.add_script_tag(path=str(AXE))
    yield visit
    visit.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 390)])
def test_axe_finds_nothing_serious(read, scheme, width):
    read.show(scheme, width)
    assert read.page.evaluate(VIOLATIONS) == []


def test_a_fold_is_called_what_is_written_on_it(read):
    assert read.page.locator("article summary[aria-label]").count() == 0
    titles = read.page.locator("button.toggle-button").evaluate_all(
        "all => all.map(b => [b.getAttribute('aria-label'), b.parentElement.textContent.trim()])"
    )
    assert all(name == written for name, written in titles)


def test_axe_looks(browser):
    page = browser.new_page()
    page.set_content("<html lang='en'><title>a</title><main><h1>a</h1><p style='color:#999'>pale</p><img src='a.png'>")
    page.add_script_tag(path=str(AXE))
    assert {violation[0] for violation in page.evaluate(VIOLATIONS)} == {"color-contrast", "image-alt"}
    page.close()
