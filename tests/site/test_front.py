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
    before = page.inner_html("svg.book-map")
    page.locator("svg.book-map a", has_text="LARS").focus()
    assert page.inner_html("svg.book-map") != before


@pytest.mark.parametrize("name", site_pages())
def test_report_it_leads_somewhere_on_every_page_and_a_chapter_says_when_it_was_executed(name):
    """Caught: `##preface-report` on the preface itself. Where the link leads inside the site, test_links.py follows."""
    html = (HTML / f"{name}.html").read_text()
    (target,) = re.findall(r'<a class="report" href="([^"]+)">', html)
    assert "://" in target or re.fullmatch(r"[^#]*#preface-report", target)
    assert name not in CHAPTERS or re.search(r"were made on \d{4}-\d\d-\d\d with Python", html)


def test_the_way_into_chapter_1_is_on_the_first_screen_and_a_phone_shows_the_table_of_chapters_in_one_and_a_half(visit):
    """Caught: four screens."""
    page = visit("book/index").page
    link, boxes = page.locator("article .start a"), []
    for width, height in ((1280, 720), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
        boxes.append((link.bounding_box(), height))
    table = page.locator("#the-map table").first.bounding_box()
    page.set_viewport_size({"width": 1300, "height": 900})
    assert CHAPTERS[0] in link.get_attribute("href")
    assert all(0 <= box["y"] <= height - box["height"] for box, height in boxes)
    assert table["height"] <= 1.5 * 844


def test_the_index_leads_to_the_places_where_words_are_defined():
    html = (HTML / "genindex.html").read_text()
    for word in ("gradient", "momentum", "trust ratio", "mini-batch", "adjoint"):
        line = next(line for line in html.splitlines() if re.search(rf">(<strong>)?{word}<", line))
        (place,) = re.findall(r'href="(notebooks/[^"#]+)#([^"]+)"', line)[:1]
        assert f'id="{place[1]}"' in (HTML / place[0]).read_text()
