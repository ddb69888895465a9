"""Every link inside the site leads to a page, and every anchor to a place on it."""

import html
import re
from urllib.parse import unquote

from browsing import HTML

# The theme copies its templates into _static; they are no pages, and no page leads to them.
PAGES = [path for path in sorted(HTML.rglob("*.html")) if "_static" not in path.relative_to(HTML).parts]


def links(text):
    """The addresses that a page names, without those of other places."""
    named = re.findall(r"<(?:a|link|script|img)\b[^>]*?\s(?:href|src)=\"([^\"]*)\"", text)
    return {html.unescape(link) for link in named if not re.match(r"[a-z]+:", link)}


def dead(folder, found):
    """What leads nowhere, of these pages."""
    texts = {path.resolve(): path.read_text(encoding="utf-8") for path in found}
    places = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in texts.items()}
    missing = []
    for page, text in texts.items():
        for link in sorted(links(text)):
            where, _, anchor = link.partition("#")
            path = (page.parent / unquote(where.partition("?")[0])).resolve() if where else page
            if not path.exists() or (anchor and path in places and html.unescape(anchor) not in places[path]):
                missing.append(f"{page.relative_to(folder.resolve())}: {link}")
    return missing


def test_every_link_inside_the_site_leads_somewhere():
    assert dead(HTML, PAGES) == []
    assert sum(len(links(path.read_text(encoding="utf-8"))) for path in PAGES) > 3_000


def test_a_page_that_is_not_there_and_a_place_that_is_not_on_it_are_found(tmp_path):
    page = tmp_path / "a.html"
    page.write_text('<p id="here"><a href="#here">1</a><a href="##here">2</a><a href="b.html#x">3</a></p>')
    assert dead(tmp_path, [page]) == ["a.html: ##here", "a.html: b.html#x"]
