"""The built site, seen by a browser that has no network: formulas, folding, weight, dark, narrow."""

import contextlib
import math
import re

from browsing import HTML, Visit, chapter_page
from playwright.sync_api import TimeoutError

# What a reader sees of a formula that was not typeset.
RAW_MATH = """() => {
  const article = document.querySelector("article").cloneNode(true);
  article.querySelectorAll("pre, code, script, style, mjx-container, .MathJax_Preview")
    .forEach(e => e.remove());
  const text = article.textContent;
  return [/\\$\\$/, /\\$[^$\\n]*[\\\\^_{][^$\\n]*\\$/, /\\\\[(\\[]/, /\\\\(frac|eta|nabla|lVert|sum|begin)/]
    .filter(r => r.test(text)).map(String);
}"""

SHOWN = "e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height > 0"

# The solutions that are not folded.
UNFOLDED = f"""() => [...document.querySelectorAll("div.solution.dropdown")]
  .filter(solution => ({SHOWN})(solution.querySelector(".section, section")))
  .map(solution => solution.id)"""

# Clicks every folded solution open that is not; those that stay folded.
UNFOLD = f"""() => [...document.querySelectorAll("div.solution.dropdown")].filter(solution => {{
  const body = solution.querySelector(".section, section"), shown = {SHOWN};
  if (!shown(body)) solution.querySelector("button.toggle-button").click();
  return !shown(body);
}}).map(solution => solution.id)"""

# Loads every picture but the stills for paper; source, description, width of its own, and whether it has a place.
PICTURES = """async () => Promise.all([...document.querySelectorAll("article img:not(.still)")].map(async image => {
  image.loading = "eager";
  await image.decode().catch(() => null);
  return [image.src, image.alt, image.naturalWidth, image.getClientRects().length];
}))"""

# Formulas inside sentences that stick out of their line, with every solution open.
CUT_OFF = """() => [...document.querySelectorAll('article mjx-container:not([display="true"])')]
  .filter(f => f.getClientRects().length)
  .map(f => [f, f.closest("p, li, dd, figcaption, caption, td, th, div")])
  .filter(([f, line]) => f.getBoundingClientRect().right > line.getBoundingClientRect().right + 2)
  .map(([, line]) => line.textContent.trim().slice(0, 60))"""

# Tables of verdicts that are wider than their box, with every solution open: the interval must be in view.
WIDE_VERDICTS = """() => [...document.querySelectorAll("article .cell_output pre")]
  .filter(pre => pre.textContent.includes("can see") && pre.checkVisibility() && pre.scrollWidth > pre.clientWidth + 1)
  .map(pre => pre.textContent.slice(0, 60))"""

# What is wider than its box and does not fade out; what is faded where nothing more is to come.
UNMARKED = """() => [...document.querySelectorAll("article :is(mjx-container:is([display], .too-wide), pre, .wide)")]
  .filter(box => box.checkVisibility() && box.clientWidth)
  .filter(box => {
    const inside = box.matches("mjx-container") ? box.firstElementChild.getBoundingClientRect().width : box.scrollWidth;
    const over = inside - box.clientWidth;  // the page fades from 3 pixels on, and rounding may cost one
    return box.classList.contains("more") ? over < 2 : over > 5;
  }).map(box => box.textContent.trim().slice(0, 60) || box.outerHTML.slice(0, 120))"""

# Formulas that are set smaller than seven tenths of their size; words in figures that move that have less than 10 px.
SMALL = """() => [
  ...[...document.querySelectorAll("article mjx-container[data-size]")]
    .filter(f => f.checkVisibility())
    .filter(f => parseFloat(getComputedStyle(f).fontSize)
      < 0.7 * parseFloat(f.dataset.size) / 100 * parseFloat(getComputedStyle(f.parentElement).fontSize))
    .map(f => f.textContent.slice(0, 60)),
  ...[...document.querySelectorAll("article .live svg text")]
    .filter(word => parseFloat(getComputedStyle(word).fontSize)
      * Math.hypot(word.getScreenCTM().a, word.getScreenCTM().b) < 9.95)
    .map(word => word.textContent)]"""

# Where the pictures that cells drew come from, and how wide they are shown.
DRAWN = """() => [...document.querySelectorAll("article .cell_output img")].filter(p => p.clientWidth)
  .map(p => [p.getAttribute("src").split("/").pop(), p.getBoundingClientRect().width])"""


def smallest_word(name, width):
    """The size in px of the smallest letters of a picture by Matplotlib, shown at this width."""
    svg = (HTML / "_images" / name).read_text(encoding="utf-8")
    sizes = [float(size) for size in re.findall(r"scale\((0\.\d+) -\1\)", svg)]
    return 100 * min(sizes, default=math.inf) * width / float(re.search(r'width="([\d.]+)pt"', svg)[1])


# Columns of a table that have words upon words, with every solution open.
COLUMNS = """() => [...document.querySelectorAll("article .pst-scrollable-table-container td")]
  .filter(cell => cell.checkVisibility() && cell.clientWidth < 130 && cell.closest("table").tHead)
  .filter(cell => {
    const words = document.createRange();
    words.selectNodeContents(cell);
    return words.getBoundingClientRect().height > 200;
  }).map(cell => cell.textContent.slice(0, 60))"""


# Everything that the page has asked for, and how many bytes came.
LOADED = """() => performance.getEntries().filter(e => "encodedBodySize" in e)
  .map(e => [e.name, e.encodedBodySize])"""

# Each page is opened once, on a phone in the light. It is looked at there, then made wide, then dark.


def test_every_formula_is_typeset(seen):
    page = seen.page
    formulas = page.locator("article .math").count()
    assert page.locator("article .math mjx-container").count() >= formulas
    assert page.evaluate(RAW_MATH) == []
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0


def test_every_folded_solution_opens(seen):
    first = seen.page.locator("div.solution.dropdown").first
    if first.count():
        body, button = first.locator(".section, section").first, first.locator("button.toggle-button").first
        for visible in (True, False):  # as a reader does it
            assert body.is_visible() != visible
            button.click()
            assert body.is_visible() == visible
    assert seen.page.evaluate(UNFOLDED) == []
    assert seen.page.evaluate(UNFOLD) == []
    assert len(seen.page.evaluate(UNFOLDED)) == seen.page.locator("div.solution.dropdown").count()
    assert first.count() or not re.search(r"/notebooks/\d\d_", seen.page.url)  # every chapter has solutions


def test_a_narrow_screen_needs_no_sideways_scrolling_and_cuts_off_no_formula(seen):
    seen.show(width=390)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
    seen.page.evaluate(UNFOLD)
    with contextlib.suppress(TimeoutError):  # a moment after the click, formulas that are too wide get a line
        seen.page.wait_for_function(f"() => !({CUT_OFF})().length", timeout=2_000)
    assert seen.page.evaluate(CUT_OFF) == []


def test_what_scrolls_on_a_narrow_screen_fades_out_and_no_formula_is_tiny(seen):
    """Caught: a formula that ended in mid-air, with nothing to say that it goes on; panels a third of their size;
    verdicts in columns of two words and twenty lines."""
    seen.show(width=390)
    seen.page.evaluate(UNFOLD)
    for picture in seen.page.locator("article .cell_output img").all():
        picture.scroll_into_view_if_needed()
    with contextlib.suppress(TimeoutError):
        seen.page.wait_for_function(f"() => !({UNMARKED})().length", timeout=2_000)
    assert seen.page.evaluate(UNMARKED) == []
    assert seen.page.evaluate(SMALL) == []
    assert seen.page.evaluate(COLUMNS) == []
    small = {name: smallest_word(name, width) for name, width in seen.page.evaluate(DRAWN) if name.endswith(".svg")}
    assert [name for name, px in small.items() if px < 9.9] == []


def test_no_table_of_verdicts_scrolls_on_a_laptop(seen):
    seen.show(width=1200)
    seen.page.evaluate(UNFOLD)
    assert seen.page.evaluate(WIDE_VERDICTS) == []


def test_every_picture_is_shown_and_described(seen):
    seen.show()
    seen.page.evaluate(UNFOLD)
    for source, description, width, places in seen.page.evaluate(PICTURES):
        assert description, source
        assert width > 0, source
        assert places > 0, source


def test_a_page_loads_what_it_needs_and_is_light(seen):
    """Caught: 1.5 MB of icons for twelve of them, MathJax where no formula is, an index of words on every page."""
    loaded = dict(seen.page.evaluate(LOADED))
    megabytes = sum(loaded.values()) / 1e6
    assert megabytes <= (1.5 if seen.page.url.endswith("book/index.html") else 3.5), loaded
    for unused in ("fontawesome", "searchindex", "searchtools", "search-index"):
        assert not [url for url in loaded if unused in url]
    formulas = seen.page.locator("article .math").count()
    assert bool(formulas) == any("/mathjax/" in url for url in loaded)


def test_a_page_is_whole_without_a_network(seen):
    """Whatever it has asked for and complained about in all that came before."""
    assert seen.outside == []
    assert seen.errors == []
    assert seen.page.locator("article h1").count() == 1


def test_a_page_that_is_opened_in_the_dark_is_dark_at_once(browser, server):
    seen = Visit(browser, server, scheme="dark")
    seen.open("book/index")
    assert seen.page.evaluate("document.documentElement.dataset.theme") == "dark"
    seen.close()


PAPER = f"""() => ({{
  title: document.querySelector("#jb-print-docs-body h1").textContent.trim(),
  lost: [...document.querySelectorAll("div.solution details.hide pre")].filter(code => !({SHOWN})(code)).length,
  code: document.querySelectorAll("div.solution details.hide pre").length,
  controls: [...document.querySelectorAll(".live-controls, .live-foot, .live .verdict")].filter({SHOWN}).length,
  stills: [...document.querySelectorAll(".live > img.still")].filter({SHOWN}).length,
}})"""


def test_paper_has_the_number_the_code_of_solutions_and_still_pictures_without_controls(visit):
    page = visit(chapter_page("lamb")).page
    page.evaluate(UNFOLD)  # as the theme does before it prints
    page.emulate_media(media="print")
    paper = page.evaluate(PAPER)
    page.emulate_media(media="screen")
    assert paper.pop("code") > 0
    assert re.fullmatch(r"\d+\. LAMB", paper.pop("title"))
    assert paper == {"lost": 0, "controls": 0, "stills": page.locator(".live").count()}


def test_a_chapter_on_the_map_shows_what_it_needs(visit):
    page = visit("book/index").page
    before = page.inner_html("svg.book-map")
    page.locator("svg.book-map a", has_text="LARS").focus()
    assert page.inner_html("svg.book-map") != before
