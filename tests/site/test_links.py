"""Every link inside the site leads to a page, and every anchor to the one place on it that is called so; the index."""

import html
import re
from collections import Counter
from urllib.parse import unquote

from browsing import HTML

# The theme copies its templates into _static; they are no pages, and no page leads to them.
PAGES = [path for path in sorted(HTML.rglob("*.html")) if "_static" not in path.relative_to(HTML).parts]


def links(text):
    """The addresses that a page names, without those of other places."""
    named = re.findall(r"<(?:a|link|script|img)\b[^>]*?\s(?:href|src)=\"([^\"]*)\"", text)
    return {html.unescape(link) for link in named if not re.match(r"[a-z]+:", link)}


def test_every_link_inside_the_site_leads_somewhere():
    """Caught: `##preface-report`; 453 places with one of four ids."""
    texts = {path.resolve(): path.read_text(encoding="utf-8") for path in PAGES}
    places = {path: Counter(re.findall(r'<[^<>]*\sid="([^"]+)"', text)) for path, text in texts.items()}
    twice = [f"{path.name}: {name}" for path, ids in places.items() for name, count in ids.items() if count > 1]
    assert twice == []
    missing, followed = [], 0
    for page, text in texts.items():
        for link in sorted(links(text)):
            where, _, anchor = link.partition("#")
            path = (page.parent / unquote(where.partition("?")[0])).resolve() if where else page
            followed += 1
            if not path.exists() or (anchor and path in places and html.unescape(anchor) not in places[path]):
                missing.append(f"{page.name}: {link}")
    assert missing == []
    assert followed > 3_000


def test_the_index_leads_to_the_places_where_words_are_defined():
    html = (HTML / "genindex.html").read_text()
    for word in ("gradient", "momentum", "trust ratio", "mini-batch", "adjoint"):
        line = next(line for line in html.splitlines() if re.search(rf">(<strong>)?{word}<", line))
        (place,) = re.findall(r'href="(notebooks/[^"#]+)#([^"]+)"', line)[:1]
        assert f'id="{place[1]}"' in (HTML / place[0]).read_text()
