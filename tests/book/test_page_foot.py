"""The foot of a page: a link that opens an issue about it, or leads to what to send; the run behind a chapter."""

import re
from urllib.parse import parse_qs, urlsplit

import page_foot
import pytest
from small_books import ROOT, git

RUN = {"made": "2026-01-02", "seconds": 61.4, "versions": {"python": "3.11.7", "numpy": "2.4.6", "other": "1"}}


def foot(page, url="", runs=None, pathto="../{}.html".format):
    return page_foot.foot(page, {"url": url, "commit": "abc1234", "runs": runs or {}}, pathto)


def link(html):
    return re.search(r'class="report" href="([^"]*)"', html)[1].replace("&amp;", "&")


@pytest.mark.parametrize(
    ("url", "path", "title"),
    [
        ("https://github.com/ann/a-book", "/ann/a-book/issues/new", "title"),
        ("https://gitlab.com/ann/a-book", "/ann/a-book/-/issues/new", "issue[title]"),
    ],
)
def test_with_a_public_address_the_link_opens_an_issue_with_page_and_commit(url, path, title):
    address = urlsplit(link(foot("notebooks/07_a", url)))
    assert (address.netloc, address.path) == (urlsplit(url).netloc, path)
    asked = parse_qs(address.query)
    assert asked[title][0].startswith("notebooks/07_a at abc1234:")
    (body,) = (asked[key][0] for key in asked if key != title)
    assert "python -m platform" in body


@pytest.mark.parametrize("url", ["", "https://git.example.org/a/b", "git@github.com.example.org:a/b.git"])
def test_without_one_it_leads_to_the_section_that_says_what_to_send(url):
    assert link(foot("notebooks/07_a", url)) == "../book/index.html#preface-report"
    # Caught: Sphinx says "#" for the page itself, and the link was ##preface-report.
    assert link(foot("book/index", url, pathto=lambda other: "#")) == "#preface-report"


def test_that_section_is_there_and_asks_for_all_that_is_needed():
    _, here = (ROOT / "book" / "index.md").read_text().split(f"({page_foot.HERE[1]})=")
    section = here.split("\n(preface-")[0]
    for word in ("{{ report }}", "**chapter**", "**cell**", "**output**", "`python -m platform`", "**commit**"):
        assert word in section


@pytest.mark.parametrize(
    ("url", "commit", "said"),
    [
        ("https://github.com/a/b", "abc", "[https://github.com/a/b](https://github.com/a/b)"),
        ("", "abc", "knows of no public address"),
        ("", "abc-dirty", "`abc (with changes)`"),
        ("", "", "no git history"),
    ],
)
def test_the_preface_says_where_a_report_goes_and_what_it_does_not_know(url, commit, said):
    assert said in page_foot.report(url, commit)


def test_a_chapter_says_when_it_was_run_and_with_what_and_other_pages_do_not():
    runs = page_foot.settings(ROOT, "", {"07_a": RUN, "08_none": None, "09_b": RUN}, {"09_b"})["runs"]
    html, failed = (foot(f"notebooks/{name}", runs=runs) for name in ("07_a", "09_b"))
    assert "were made on 2026-01-02 with Python 3.11.7, NumPy 2.4.6, other 1." in html
    assert 'href="../book/status.html"' in html
    assert "Executing it again for this site failed." in failed
    assert "Executing it again" not in html
    for page in ("notebooks/08_none", "book/07_a", "genindex"):
        assert "were made on" not in foot(page, runs=runs)


def test_the_commit_is_named_and_changes_to_it_too(tmp_path):
    assert page_foot.commit(tmp_path) == ""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a.txt").write_text("a")
    for words in ("add a.txt", "commit --quiet -m A", "tag -a v1 -m v1"):
        git(tmp_path, *words.split())
    assert re.fullmatch("[0-9a-f]{7,}", page_foot.commit(tmp_path))
    (tmp_path / "a.txt").write_text("b")
    assert page_foot.at(page_foot.commit(tmp_path)).endswith(" (with changes)")
