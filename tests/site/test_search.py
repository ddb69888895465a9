"""The search in a browser, from a file: the right section among the first three, and what a result says."""

import re

import pytest
from browsing import HTML, Visit
from searches import MORE_SEARCHES, SEARCHES

FIRST = 3
# Chapter and heading of a section, as searches.py names it: without numbers and stars.
NAMED = r"""found => found.map(({page, title}) =>
  page.replace(/^.*\/(([0-9]+|[A-Z])_)?/, "") + ": " + title.replace("★ ", ""))"""


@pytest.fixture(scope="module")
def search(browser, server):
    """The page of the search, opened as a file."""
    seen = Visit(browser, server)
    seen.page.goto(f"{(HTML / 'search.html').as_uri()}?q=warmup")
    seen.page.wait_for_selector("#search li")
    yield seen
    seen.close()


@pytest.mark.parametrize(("searches", "number", "least"), [(SEARCHES, 40, 36), (MORE_SEARCHES, 20, 18)])
def test_the_right_section_is_among_the_first_three(search, searches, number, least):
    first = {query: search.page.evaluate(f"q => ({NAMED})(find(q))", query)[:FIRST] for query in searches}
    missed = {query: titles for query, titles in first.items() if not set(titles) & set(searches[query])}
    assert len(searches) == number
    assert number - len(missed) >= least, missed


def test_every_right_section_is_in_the_book(search):
    there = set(search.page.evaluate(f"({NAMED})(SECTIONS)"))
    wanted = {section for sections in [*SEARCHES.values(), *MORE_SEARCHES.values()] for section in sections}
    assert wanted - there == set()


def test_every_result_leads_to_a_place_on_a_page(search):
    ids = {}
    for page, anchor in search.page.evaluate("ALL.map(entry => [entry.page, entry.anchor])"):
        if page not in ids:
            ids[page] = set(re.findall(r'\bid="([^"]+)"', (HTML / f"{page}.html").read_text()))
        assert not anchor or anchor in ids[page], (page, anchor)


def test_a_result_is_a_section_with_its_chapter_and_its_own_text(search):
    search.page.fill("#search input", "LAMB trust ratio")
    first = search.page.locator("#search li").first
    link = first.locator("a")
    assert re.match(r"\d+\.\d", link.text_content())
    assert re.match(r"Chapter \d+: ", first.locator("p.where").text_content())
    assert first.locator("mark").count() > 0
    excerpt = first.locator("p").last.text_content().strip("… ")
    link.click()
    search.page.wait_for_load_state()
    place = search.page.locator(":target")
    heading = place.locator("h1, h2, h3, h4").first.text_content()
    text = re.sub(r"\s+", " ", place.text_content())
    search.page.go_back()
    search.page.wait_for_selector("#search li")
    assert heading
    assert " ".join(excerpt.split()[:4]) in text


def test_spellings_and_synonyms_find_the_same(search):
    same = {"warmup": "warm-up", "bf16": "bfloat16", "lr": "learning rate", "quantisation": "quantization"}
    for pair in same.items():
        titles = [search.page.evaluate("q => find(q).slice(0, 5).map(entry => entry.title)", query) for query in pair]
        assert titles[0] == titles[1] != [], pair


def test_a_word_of_the_glossary_is_explained_above_the_results(search):
    search.page.fill("#search input", "noise scale")
    assert "noise scale: " in search.page.locator("#search .word").text_content()


def test_nothing_found_is_said_and_neither_search_nor_page_calls_out(search):
    search.page.fill("#search input", "xyzzyx")
    assert "Nothing was found" in search.page.locator("#search [role=status]").text_content()
    search.page.fill("#search input", "<b>lamb")
    assert search.page.locator("#search b").count() == 0
    assert search.outside == []
    assert search.errors == []
