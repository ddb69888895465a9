"""The front of the book in a browser: the map, the foot of the pages, the index."""

import re

import pytest
from browsing import HTML, site_pages

CHAPTERS = [name for name in site_pages() if re.match(r"notebooks/\d", name)]


def test_every_chapter_has_a_box_on_the_map_that_leads_to_it(visit):
    page = visit("book/index").page
    addresses = page.locator("svg.book-map a").evaluate_all("all => all.map(a => a.href.baseVal ?? a.href)")
    assert sorted(address.split("/")[-1] for address in addresses) == [f"{n.split('/')[1]}.html" for n in CHAPTERS]


def test_a_chapter_on_the_map_shows_what_it_needs(visit):
    page = visit("book/index").page
    box = page.locator("svg.book-map a", has_text="LARS")
    before = page.inner_html("svg.book-map")
    box.focus()
    assert page.inner_html("svg.book-map") != before


@pytest.mark.parametrize("name", ["book/index", *CHAPTERS[:1], "book/glossary"])
def test_every_page_says_how_to_report_an_error(name):
    html = (HTML / f"{name}.html").read_text()
    assert re.search(r'<a class="report" href="[^"]+">', html)


def test_every_page_made_from_a_notebook_says_when_it_was_executed():
    for name in CHAPTERS:
        assert re.search(r"were made on \d{4}-\d\d-\d\d with Python", (HTML / f"{name}.html").read_text()), name


def test_the_index_leads_to_the_places_where_words_are_defined():
    html = (HTML / "genindex.html").read_text()
    for word in ("gradient", "momentum", "trust ratio", "mini-batch", "adjoint"):
        line = next(line for line in html.splitlines() if re.search(rf">(<strong>)?{word}<", line))
        match = re.search(r'href="(notebooks/[^"#]+)#([^"]+)"', line)
        assert match, word
        assert f'id="{match[2]}"' in (HTML / match[1]).read_text()
