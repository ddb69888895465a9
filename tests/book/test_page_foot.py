"""The foot of every page, which says where to report an error on it and which run made its outputs, and the page that
says so of all chapters."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from small_books import ROOT, cell, git, markdown, notebook

from tools.pages import build_book, page_foot, status_page

RUN = {"made": "2026-01-02", "seconds": 61.4, "processor": "Abacus, 2 cores"}
RUN |= {"versions": {"python": "3.11.7", "numpy": "2.4.6", "other": "1"}}


def foot(page, url="", run=None, pathto="../{}.html".format):
    return page_foot.foot(page, run, pathto, url, "abc1234")


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
    assert f"[{url}]({url})" in page_foot.report(url, "abc")


@pytest.mark.parametrize("url", ["", "https://git.example.org/a/b", "git@github.com.example.org:a/b.git"])
def test_without_one_it_leads_to_the_section_that_says_what_to_send(url):
    assert link(foot("notebooks/07_a", url)) == "../book/index.html#preface-report"
    # Caught: Sphinx says "#" for the page itself, and the link was ##preface-report.
    assert link(foot("book/index", url, pathto=lambda other: "#")) == "#preface-report"
    assert f":name: {page_foot.HERE[1]}\n" in (ROOT / "book" / "index.md").read_text()
    told = {"abc": "knows of no public address", "abc-dirty": "`abc (with changes)`", "": "no git history"}
    assert all(words in page_foot.report(url, commit) for commit, words in told.items())


def test_a_chapter_says_when_it_was_run_and_with_what_and_other_pages_do_not():
    html, failed = (foot("notebooks/07_a", run=RUN | {"failed": failed}) for failed in (False, True))
    assert "were made on 2026-01-02 with Python 3.11.7, NumPy 2.4.6, other 1." in html
    assert 'href="../book/status.html"' in html
    assert "Executing it again for this site failed." in failed
    assert "Executing it again" not in html
    assert "were made on" not in foot("notebooks/08_none")


def test_the_commit_is_named_and_changes_to_it_too(tmp_path):
    assert page_foot.commit(tmp_path) == ""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a.txt").write_text("a")
    for words in ("add a.txt", "commit --quiet -m A", "tag -a v1 -m v1"):
        git(tmp_path, *words.split())
    assert re.fullmatch("[0-9a-f]{7,}", page_foot.commit(tmp_path))
    (tmp_path / "a.txt").write_text("b")
    assert page_foot.at(page_foot.commit(tmp_path)).endswith(" (with changes)")


def shown(run=RUN, own=False, error=""):
    return build_book.Shown(notebook(markdown("(ch-a)=\n# Title\n\nWords."), cell("1"), cell("2")), run, own, error)


def test_a_chapter_has_its_line_and_each_machine_its_letter(tmp_path):
    other = RUN | {"processor": "Slide rule, 1 cores"}
    chapters = {"01_a": shown(), "02_b": shown(other, own=True), "03_c": shown(error="E"), "04_d": shown(None)}
    lines = status_page.tables(tmp_path, chapters)["runs"].splitlines()
    assert lines[2] == "| [01_a](../notebooks/01_a.ipynb) | 2 | 61 | stored | 2026-01-02 | A |"
    ends = ("| made for this site | 2026-01-02 | B |", "| failed here | 2026-01-02 | A |", "| 2 |  | stored |  | C |")
    assert [line.endswith(end) for line, end in zip(lines[3:6], ends, strict=True)] == [True] * 3
    versions = "python 3.11.7, numpy 2.4.6, other 1"
    machines = [f"* **A**: Abacus, 2 cores; {versions}", f"* **B**: Slide rule, 1 cores; {versions}"]
    assert lines[7:] == [*machines, "* **C**: not recorded"]


def test_the_note_stands_below_the_title_and_only_where_something_failed():
    first = status_page.noted(shown(error="ValueError: no")).cells[0].source
    assert re.fullmatch(r"(?s)\(ch-a\)=\n# Title\n\n:::\{warning\}.*ValueError: no.*Words\.", first)
    assert status_page.noted(shown()).cells[0].source == "(ch-a)=\n# Title\n\nWords."


def test_without_a_complete_shake_the_page_says_so_and_with_one_it_has_the_table(tmp_path):
    assert status_page.shaken(tmp_path).startswith("No complete shake is recorded yet")
    (tmp_path / "book").mkdir()
    numbers = dict.fromkeys(("chapters", "cells", "same", "printed", "without", "other", "failed"), 7)
    machines = {"noise-1": numbers | {"uncompared": 3, "what": "noise"}}
    claim = {"chapter": "01_a", "claim": "a < b", "mean": 1.0, "spread": 0.25, "least": 0.5, "margin": 4.0}
    summary = {"made": "2026-01-02", "machines": machines, "claims": 9, "smallest": [claim]}
    (tmp_path / "book" / "shaken.json").write_text(json.dumps(summary))
    text = status_page.shaken(tmp_path)
    assert "made on 2026-01-02, when the book had 7 chapters" in text
    assert "| **noise-1**: noise | 7 | 7 | 7 | 7 | 4 | 7 | 3 |" in text
    assert "| 4.0 | 1 | 0.25 | 01_a | `a < b` |" in text
