"""The button under which a chapter runs on its page: a worker that answers stands in for Pyodide.

Where `make browser` has put a pack beside the pages, an error, a stop and a single cell are tried in Pyodide, too.
"""

import base64
import io
import json
import re
import zipfile

import pytest
from browsing import HTML, Visit, chapter_page, site_pages
from test_accessibility import AXE, OPEN, VIOLATIONS

from tools.chapter import chapters, provenance
from tools.pages import docstring_text, running_pages

ROOT = running_pages.ROOT
RUNNABLE = running_pages.runnable()
PACKED = "**/_static/run/pack/*"
# Answers a cell with the length of its code: with an error where the code has FAILS, with a figure where it has DRAWS,
# not at all where it has HANGS.
STAND_IN = """BookRun.worker = function worker() {
  self.onmessage = ({ data: { files, number, source } }) => {
    if (files) return self.postMessage({ ready: true });
    if (source.includes("HANGS")) return undefined;
    const error = source.includes("FAILS") ? "Traceback\\nNameError: FAILS" : "";
    const pictures = source.includes("DRAWS") ? ["<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"] : [];
    return self.postMessage({ number, seconds: 0, text: `${source.length}\\n`, said: "", pictures, error });
  };
};"""


@pytest.mark.parametrize("name", site_pages())
def test_the_button_is_on_the_chapters_that_can_run_and_nowhere_else(name):
    html = (HTML / f"{name}.html").read_text(encoding="utf-8")
    assert ("run/page.js" in html) == (name.split("/")[-1] in RUNNABLE)


def page_of(stem):
    """What the page of a chapter is told."""
    script = (HTML / "_static" / "run" / "cells" / f"{stem}.js").read_text(encoding="utf-8")
    return json.loads(script.removeprefix("BookRun.give(").removesuffix(");\n"))


def handed(file):
    """The zip that a script of the site hands to the pages."""
    script = (HTML / "_static" / "run" / file).read_text(encoding="utf-8")
    content = re.search(r'BookRun\.put\("[^"]+", "([^"]+)"\);', script)[1]
    return zipfile.ZipFile(io.BytesIO(base64.b64decode(content)))


@pytest.mark.parametrize("stem", RUNNABLE)
def test_every_visible_cell_can_be_found_by_its_number(stem):
    html = (HTML / "notebooks" / f"{stem}.html").read_text(encoding="utf-8")
    numbers = {cell["number"] for cell in page_of(stem)["cells"]}
    places = [int(number) for number in re.findall(r'class="cell [^"]*\brun-(\d+)\b', html)]
    assert len(places) == len(set(places)) > len(numbers) / 2
    assert {*places} <= numbers


@pytest.mark.parametrize("stem", RUNNABLE)
def test_all_that_the_run_of_a_chapter_read_is_in_the_site(stem):
    run = provenance.load(ROOT / provenance.FOLDER, stem)
    assert {*run["reads"]} - {*handed("book.js").namelist()} == set()
    if page_of(stem)["prose"]:
        sources = json.loads(handed("prose.js").read("docstrings.json"))["sources"]
        assert sources == docstring_text.locked(sources)
        assert "torch" in sources


@pytest.fixture(params=["a stand-in"])
def opened(browser, server, request):
    """A chapter with a stand-in for Pyodide, or with Pyodide, and what the page asked for."""
    seen = Visit(browser, server)
    page, seen.asked = seen.page, []
    page.on("request", lambda request: seen.asked.append(request.url))
    if request.param == "a stand-in":
        page.route("**/run/worker.js", lambda route: route.fulfill(body=STAND_IN, content_type="text/javascript"))
        page.route(PACKED, lambda route: route.fulfill(body="", content_type="text/javascript"))
    elif not (HTML / "_static" / "run" / "pack" / "pack.js").exists():
        pytest.skip("there is no pack beside the pages: make browser")
    else:
        page.set_default_timeout(600_000)  # to start Python takes ten seconds of processor time
    seen.name = chapter_page("the_rule_for_ties")
    seen.open(seen.name)
    seen.state = page.locator(".run-bar [role=status]")
    yield seen
    seen.close()


def start(seen):
    seen.page.get_by_role("button", name="Run this chapter here").click()
    seen.page.get_by_text("Python is here").wait_for()


def unfolded(cell):
    """The code of a cell, which may be folded."""
    code = cell.locator("pre[role=textbox]")
    code.evaluate("pre => { pre.closest('details')?.setAttribute('open', ''); }")
    return code


def test_nothing_is_loaded_before_the_click_and_nothing_from_elsewhere_with_a_pack(opened):
    assert not [
        url for url in opened.asked if "/run/" in url and not url.split("?")[0].endswith(("page.js", "page.css"))
    ]
    beforehand = r"\d\d MB, once\. All cells together take about (a minute|\d+ minutes)\.$"
    assert re.search(beforehand, opened.state.inner_text())
    assert opened.page.locator(".run-cell").count() == 0
    start(opened)
    assert [url for url in opened.asked if url.endswith("pack/numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl.js")]
    assert opened.outside == []
    assert opened.errors == []


def test_a_cell_is_changed_and_run_and_its_output_stands_beside_ours(opened):
    cell = opened.page.locator(".cell:has(.run-cell)").nth(1)
    start(opened)
    cell.get_by_role("button", name="Run cell").click()
    cell.get_by_text("Your output differs from ours").wait_for()
    code = unfolded(cell)
    code.fill("DRAWS\n+ 1")
    code.press("Shift+Enter")
    cell.get_by_text("of the code that you changed").wait_for()
    assert cell.locator(".run-output pre").inner_text().strip() == "9"
    assert cell.locator(".run-output img").count() == 1
    code.press("Control+End")
    code.press("Enter")
    code.press_sequentially("+ 2")
    code.press("Shift+Enter")
    cell.locator(".run-output pre", has_text="13").wait_for()  # two lines, then a third one by a key


def test_axe_finds_nothing_serious_in_a_chapter_that_runs(opened):
    page = opened.page
    start(opened)
    page.get_by_role("button", name="Run all").click()
    page.get_by_text("cells have run").wait_for()
    page.evaluate(OPEN)
    page.add_script_tag(path=str(AXE))
    for scheme, width in (("light", 1300), ("dark", 390)):
        opened.show(scheme, width)
        assert page.evaluate(VIOLATIONS) == []


def test_all_cells_run_in_order_and_up_to_one(opened):
    page, nb = opened.page, chapters.stored(ROOT)[opened.name.split("/")[-1]]
    start(opened)
    page.get_by_role("button", name="Run to cell").nth(2).click()
    page.get_by_text("cells have run").wait_for()
    to_here = page.evaluate("Object.keys(BookRun.results).length")
    page.get_by_role("button", name="Run all").click()
    everything = len([*running_pages.code(nb)])
    page.get_by_text(f"{everything} cells have run").wait_for()
    assert page.evaluate("Object.keys(BookRun.results).length") == everything
    assert 3 <= to_here < everything
    unfolded(page.locator(".cell:has(.run-cell)").nth(0)).fill("changed")
    page.get_by_role("button", name="Run to cell").nth(2).click()
    page.get_by_text("2 cells have run").wait_for()  # the one that was changed, and the one that was asked for


@pytest.mark.parametrize("opened", ["a stand-in", "Pyodide"], indirect=True)
def test_an_error_a_stop_and_a_single_cell(opened):
    """The code is such that the stand-in and Python do the same with it."""
    page, cell = opened.page, opened.page.locator(".cell:has(.run-cell)").nth(1)
    start(opened)
    code = unfolded(cell)
    code.fill("x = 1\nFAILS")
    code.press("Shift+Enter")
    cell.get_by_text("It ended with an error").wait_for()
    assert re.search("NameError: .*FAILS", cell.locator("pre.run-error").inner_text())
    assert "ended with an error" in opened.state.inner_text()
    assert page.get_by_role("button", name="Run all").is_enabled()
    code.fill("while 'HANGS': pass")
    code.press("Shift+Enter")
    page.get_by_text(re.compile("^Cell .* is running")).wait_for()
    assert page.get_by_role("button", name="Run all").is_disabled()
    page.get_by_role("button", name="Stop").click()
    assert opened.state.inner_text().startswith("Stopped")
    assert page.get_by_role("button", name="Stop").is_hidden()
    code.fill("print('o' * 3 + 'k')")
    cell.get_by_role("button", name="Run cell").click()
    cell.get_by_text("of the code that you changed").wait_for()
    assert cell.locator(".run-output pre").inner_text().strip() in ("20", "oook")
    assert page.evaluate("Object.keys(BookRun.results).length") == 1
    assert opened.errors == opened.outside == []


def test_a_file_from_pyodides_address_that_is_not_what_it_should_be_is_refused(opened):
    page = opened.page
    page.unroute(PACKED)
    page.route(PACKED, lambda route: route.fulfill(status=404))
    addresses = []
    recorded = running_pages.pyodide()

    def wrong(route):
        addresses.append(route.request.url)
        route.fulfill(body="not Pyodide", headers={"access-control-allow-origin": "*"})

    page.route(f"{recorded['address']}*", wrong)
    page.get_by_role("button", name="Run this chapter here").click()
    page.get_by_text("It cannot run").wait_for()
    assert "is not what it should be" in opened.state.inner_text()
    assert addresses == [recorded["address"] + "pyodide.js"]
    assert opened.outside == []


SAID = "rows => rows.map(([cell, text]) => BookRun.pure.said({ cell, edited: false, text, error: '' }))"


def test_an_output_is_called_the_same_up_to_space_and_where_ours_varies_too_nothing_is_said_against_it(opened):
    ours = {"text": "a  \nb\n", "pictures": 0, "varies": False}
    rows = [[ours, "a\nb"], [ours, "a\nc"], [ours | {"varies": True}, "c"]]
    same, other, varies = opened.page.evaluate(SAID, rows)
    assert "same as ours" in same
    assert "differs from ours" in other
    assert "from machine to machine" in varies
