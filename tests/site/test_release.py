"""The browser's part of opening a release, on small stand-ins: right ones pass, and each mistake is found."""

import pikepdf
import pytest

from tools.give import release_check

PAGE = "<!doctype html><title>{title}</title><body>{body}</body>"
LINE = '<p class="companions">Slides: <a href="../slides/a.html">A</a>.</p>'
DECK = """<!doctype html><title>A</title><script>
window.Reveal = { isReady: () => true, getTotalSlides: () => 2 };
window.MathJax = { startup: { promise: Promise.resolve(true) } };
</script><body>{more}</body>"""


@pytest.fixture
def folder(tmp_path):
    """A site with one chapter, and a deck with a PDF of two pages."""
    for place in ("notebooks", "slides"):
        (tmp_path / place).mkdir()
    (tmp_path / "index.html").write_text('<meta http-equiv="Refresh" content="0; url=book/index.html">')
    (tmp_path / "book").mkdir()
    slow = f"<script>setTimeout(() => document.title = {release_check.TITLE!r}, 300)</script>"
    (tmp_path / "book" / "index.html").write_text(PAGE.format(title="", body=slow))
    chapter = PAGE.format(title=f"1. A — {release_check.TITLE}", body=LINE)
    (tmp_path / "notebooks" / "01_a.html").write_text(chapter)
    (tmp_path / "slides" / "a.html").write_text(DECK.replace("{more}", ""))
    with pikepdf.new() as pdf:
        for _ in range(2):
            pdf.add_blank_page()
        pdf.save(tmp_path / "slides" / "a.pdf")
    return tmp_path


def test_right_ones_pass(folder, browser):
    assert release_check.site(folder, browser) == []
    assert release_check.lectures(folder / "slides", ["a"], browser) == []


def test_a_wrong_title_a_dead_link_a_lost_line_and_a_request_are_found(folder, browser, monkeypatch):
    monkeypatch.setattr(release_check, "PATIENCE", 500)
    outside = '<img src="http://127.0.0.1:9/a.png">'
    (folder / "index.html").write_text(PAGE.format(title="B", body=outside))
    (folder / "slides" / "a.html").unlink()
    (folder / "notebooks" / "02_b.html").write_text(PAGE.format(title="B", body="no line"))
    assert release_check.site(folder, browser) == [
        f"index.html has the title 'B', without '{release_check.TITLE}'",
        "index.html asks for http://127.0.0.1:9/a.png",
        "01_a.html leads to ../slides/a.html, which is not there",
        "02_b.html has 0 lines about what goes with it, and not one",
    ]


def test_a_deck_that_complains_a_short_pdf_and_a_missing_one_are_found(folder, browser):
    slides = folder / "slides"
    (slides / "a.html").write_text(DECK.replace("{more}", "<script>throw new Error('no such button')</script>"))
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(slides / "a.pdf")
    complaint, short, missing, _ = release_check.lectures(slides, ["a", "b"], browser)
    assert "no such button" in complaint
    assert short == "a.pdf has 1 pages for 2 slides"
    assert missing == "there is no b.html"
