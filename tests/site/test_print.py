"""The printed book: a small chapter is printed whole, all others are looked at before they are printed; the zip."""

import re
import zipfile
from collections import Counter

import pikepdf
import pytest
from browsing import HTML, chapter_page, site_pages

from tools.chapter import chapters
from tools.give import paper, pdf_file, print_book, zip_book

CHAPTERS = [page for page in site_pages() if page.startswith("notebooks/")]
SMALL = "which_lars"


@pytest.fixture(scope="module")
def pdf(browser, tmp_path_factory):
    """A small chapter, printed: its PDF, and beside it the HTML that was printed."""
    path = tmp_path_factory.mktemp("print") / "small.pdf"
    source = path.with_suffix(".html")
    source.write_text(print_book.document(print_book.ROOT, HTML, [("", chapter_page(SMALL))]), encoding="utf-8")
    print_book.write(browser, source, path)
    print_book.finish(path, source.read_text(encoding="utf-8"))
    return path


def test_a_printed_chapter_is_well_and_has_its_headings_in_the_outline(pdf):
    pdf_file.check(pdf)
    with pikepdf.open(pdf) as opened:
        titles = [title for _, title, _ in pdf_file.headings(opened)]
    page = paper.soup((HTML / f"{chapter_page(SMALL)}.html").read_text(encoding="utf-8")).find("article")
    for wrong in page.select(".headerlink"):
        wrong.decompose()
    title, *heads = [print_book.text(head) for head in page.select("h1, h2, h3")]
    assert titles == ["Big Batches, Small Memory", "Contents", f"Appendix F: {title}", *heads]


def nothing_named(pdf):
    del pdf.Root["/Dests"][next(iter(pdf.Root["/Dests"].keys()))]


def a_file(pdf):
    note = pdf.pages[1].Annots[0]
    del note["/Dest"]
    note["/A"] = pikepdf.Dictionary(S=pikepdf.Name.URI, URI="file:///elsewhere/book.html")


def no_tags(pdf):
    del pdf.Root["/StructTreeRoot"]


def a_line_of_the_contents(pdf):
    note = next(note for note in pdf.pages[1].Annots if "/Dest" in note)
    pdf.Root["/Dests"][note.Dest] = pikepdf.Array([pdf.add_blank_page().obj, pikepdf.Name.Fit])


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (nothing_named, r"a link on page \d+ of spoilt.pdf leads to 'notebooks"),
        (a_file, "leads to 'file:///elsewhere"),
        (no_tags, "no tags"),
        (a_line_of_the_contents, r"the contents of spoilt.pdf name page \d+, which has no heading"),
    ],
)
def test_the_check_says_what_is_wrong_with_a_file(pdf, tmp_path, spoil, fault):
    spoilt = tmp_path / "spoilt.pdf"
    with pikepdf.open(pdf) as opened:
        spoil(opened)
        opened.save(spoilt)
    with pytest.raises(ValueError, match=fault):
        pdf_file.check(spoilt)


def test_a_file_that_is_too_large_fails(pdf, monkeypatch):
    monkeypatch.setattr(pdf_file, "LIMIT", 1000)
    with pytest.raises(ValueError, match=r"small.pdf has \d+\.\d MB; it may have 0"):
        pdf_file.check(pdf)


@pytest.mark.parametrize(
    ("added", "fault"),
    [
        ('<img src="https://example.org/picture.png" alt="">', "asks for https://example.org/picture.png"),
        ('<img src="file:///nowhere.png" alt="">', "cannot load file:///nowhere.png"),
    ],
)
def test_a_document_that_asks_for_something_is_not_printed(browser, tmp_path, added, fault):
    source = tmp_path / "asks.html"
    source.write_text(f"<!doctype html><title>asks</title>{added}", encoding="utf-8")
    with pytest.raises(RuntimeError, match=fault):
        print_book.write(browser, source, tmp_path / "asks.pdf")


@pytest.mark.parametrize("page", CHAPTERS)
def test_no_code_no_output_no_answer_of_a_chapter_is_lost_on_paper(page):
    before = paper.soup((HTML / f"{page}.html").read_text(encoding="utf-8")).find("article")
    after = paper.section(page, HTML, {page})
    for kind in ("div.cell_input pre", "div.cell_output pre", "div.solution", "figure", "table"):
        assert len(after.select(kind)) == len(before.select(kind)), kind
    code = [Counter(pre.get_text() for pre in whole.select("div.cell_input pre")) for whole in (before, after)]
    assert code[0] == code[1]
    assert not after.select("details, summary, button, script")
    for quiz in before.select(".quiz"):
        why = [p.get_text() for p in quiz.select("details > p")]
        answers = after.select_one("#" + paper.slug(page, "quiz-answers")).parent.get_text()
        assert why
        assert all(words in answers for words in why)
        assert not any(words in part.get_text() for words in why for part in after.select(".quiz"))


def test_all_code_of_a_printed_document_is_visible(browser, pdf):
    opened = browser.new_page()
    opened.emulate_media(media="print")
    opened.goto(pdf.with_suffix(".html").as_uri())
    heights = opened.locator("pre").evaluate_all("all => all.map(pre => pre.checkVisibility() && pre.offsetHeight)")
    opened.close()
    assert len(heights) > 5
    assert all(heights)


CAPTION = """<figure class="live-figure" id="fig-x"><div class="live"><img alt="" src="x.svg"></div><figcaption><p>
<span class="caption-number">Figure 1 </span><span class="caption-text">{}</span></p></figcaption></figure>"""
FORMULA = '<span class="math">\\(c\\)</span>'


@pytest.mark.parametrize(
    ("caption", "left"),
    [
        (f"The set {FORMULA}. Press play, then change {FORMULA} and the noise.", "The set \\(c\\)."),
    ],
)
def test_the_caption_of_a_figure_that_moves_says_nothing_about_a_mouse(caption, left):
    article = paper.soup(CAPTION.format(caption))
    paper.stills(article, "notebooks/x.html")
    assert print_book.text(article.select_one(".caption-text")) == left
    assert print_book.text(article.select_one(".moves")) == "This figure moves: notebooks/x.html#fig-x"


def test_a_link_leads_into_the_book_to_the_public_pages_or_nowhere():
    page, other = chapter_page(SMALL), chapter_page("lars")
    both = str(paper.section(page, HTML, {page, other}))
    assert f'href="#{paper.slug(other, "ch-lars")}"' in both
    alone = str(paper.section(page, HTML, {page}))
    assert paper.slug(other) not in alone
    assert re.search(r">Chapter \d+</span>", alone)
    public = str(paper.section(page, HTML, {page}, "https://somebody.github.io/book/"))
    assert f'href="https://somebody.github.io/book/{other}.html#ch-lars"' in public


@pytest.mark.parametrize(
    ("repository", "pages"),
    [
        ("https://github.com/somebody/book.git", "https://somebody.github.io/book/"),
        ("git@github.com:somebody/book", "https://somebody.github.io/book/"),
        ("https://git.example.org/somebody/book", ""),
        ("", ""),
    ],
)
def test_public_pages_are_looked_for_where_the_workflow_puts_them(monkeypatch, repository, pages):
    monkeypatch.setattr(print_book.build_book, "address", lambda root, config: repository)
    assert print_book.public(print_book.ROOT) == pages


def test_every_page_of_the_book_is_printed_but_the_laboratory():
    pages = [page for _, page in print_book.plan(print_book.ROOT)]
    assert pages == [page for page in site_pages() if page != "book/lab"]
    assert {chapters.name_of(page.split("/")[-1]) for page in CHAPTERS} <= {*print_book.names()}


def test_the_zip_opens_without_a_network(browser, tmp_path):
    path = tmp_path / "site.zip"
    assert zip_book.pack(HTML, path) < 40_000_000
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / zip_book.NAME
    assert "index.html" in (folder / "README.txt").read_text(encoding="utf-8")
    context = browser.new_context(offline=True)
    opened, failed = context.new_page(), []
    opened.on("requestfailed", lambda request: failed.append((request.url, request.failure)))
    for page in ("index", chapter_page("lamb"), "book/lab", "search"):
        opened.goto((folder / f"{page}.html").as_uri())
        opened.wait_for_function("() => !document.querySelector('meta[http-equiv=Refresh]')")
        opened.wait_for_function("() => !document.querySelector('.math') || document.querySelector('mjx-container')")
    context.close()
    # What a page still asks for when the next one is opened, its icon for one, is aborted, and not missing.
    assert [one for one in failed if one[1] != "net::ERR_ABORTED"] == []
