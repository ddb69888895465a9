"""The foot of a page: a link that opens an issue about it, or leads to what to send; the run behind a chapter."""

import json
import re
import subprocess
from urllib.parse import parse_qs, urlsplit

import build_book
import page_foot
import proved
import pytest
from small_books import ROOT, tool, write_chapter

RUN = {"made": "2026-01-02", "seconds": 61.4, "versions": {"python": "3.11.7", "numpy": "2.4.6", "other": "1"}}


def setting(url="", commit="abc1234", runs=None):
    return {"url": url, "commit": commit, "runs": runs or {}}


def foot(page, **options):
    return page_foot.foot(page, setting(**options), lambda other: f"../{other}.html")


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
    address = urlsplit(link(foot("notebooks/07_a", url=url)))
    assert (address.netloc, address.path) == (urlsplit(url).netloc, path)
    asked = parse_qs(address.query)
    assert asked[title][0].startswith("notebooks/07_a at abc1234:")
    (body,) = (asked[key][0] for key in asked if key != title)
    assert "python -m platform" in body


@pytest.mark.parametrize("url", ["", "https://git.example.org/a/b", "git@github.com.example.org:a/b.git"])
def test_without_one_it_leads_to_the_section_that_says_what_to_send(url):
    assert link(foot("notebooks/07_a", url=url)) == "../book/index.html#preface-report"


def test_on_the_page_of_that_section_it_leads_down_the_page():
    """Caught: Sphinx says "#" for the page itself, and the link was ##preface-report."""
    assert link(page_foot.foot("book/index", setting(), lambda other: "#")) == "#preface-report"


def test_that_section_is_there_and_asks_for_all_that_is_needed():
    page = (ROOT / "book" / "index.md").read_text()
    assert f"({page_foot.HERE[1]})=" in page
    section = page.split(f"({page_foot.HERE[1]})=")[1].split("\n(preface-")[0]
    for word in ("{{ report }}", "**chapter**", "**cell**", "**output**", "`python -m platform`", "**commit**"):
        assert word in section


def test_a_public_address_reaches_the_setting_as_the_launch_buttons_get_it():
    url = "ssh://git@github.com/ann/a-book.git"
    assert page_foot.issue(build_book.launch_settings(url)["repository"]["url"], "book/index", "abc").startswith(
        "https://github.com/ann/a-book/issues/new?"
    )


def test_the_preface_says_where_a_report_goes_and_what_it_does_not_know():
    assert "[https://github.com/a/b](https://github.com/a/b)" in page_foot.report("https://github.com/a/b", "abc")
    assert "knows of no public address" in page_foot.report("", "abc")
    assert "`abc (with changes)`" in page_foot.report("", "abc-dirty")
    assert "no git history" in page_foot.report("", "")


def test_a_chapter_says_when_it_was_run_and_with_what_and_other_pages_do_not():
    runs = page_foot.settings(ROOT, "", {"07_a": RUN, "08_none": None})["runs"]
    html = foot("notebooks/07_a", runs=runs)
    assert "were made on 2026-01-02 with Python 3.11.7, NumPy 2.4.6, other 1." in html
    assert 'href="../book/status.html"' in html
    for page in ("notebooks/08_none", "book/07_a", "genindex"):
        assert "were made on" not in foot(page, runs=runs)


def test_a_chapter_that_failed_when_it_was_executed_anew_says_so():
    runs = page_foot.settings(ROOT, "", {"07_a": RUN}, {"07_a"})["runs"]
    assert "Executing it again for this site failed." in foot("notebooks/07_a", runs=runs)


def test_every_chapter_has_a_day_and_versions_that_come_with_a_clone():
    for path in sorted((ROOT / "notebooks").glob("*.md")):
        run = json.loads(proved.path(ROOT / proved.FOLDER, path.stem).read_text())
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", run["made"]), path.stem
        assert {"python", "numpy"} <= set(run["versions"]), path.stem


def git(root, *arguments):
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)


def test_the_commit_is_named_and_changes_to_it_too(tmp_path):
    assert page_foot.commit(tmp_path) == ""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "a.txt").write_text("a")
    git(tmp_path, "add", "a.txt")
    git(tmp_path, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "A")
    git(tmp_path, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "tag", "-a", "v1", "-m", "v1")
    assert re.fullmatch("[0-9a-f]{7,}", page_foot.commit(tmp_path))
    (tmp_path / "a.txt").write_text("b")
    assert page_foot.at(page_foot.commit(tmp_path)).endswith(" (with changes)")


def test_the_foot_stands_on_a_built_page_with_the_record_of_its_run(small_book):
    write_chapter(small_book)
    assert tool(small_book, "notebooks.py", "run").returncode == 0
    done = tool(small_book, "build_book.py")
    assert done.returncode == 0, done.stdout
    page = (small_book / "_build/html/notebooks/01_a.html").read_text()
    made = json.loads((small_book / "book" / "proved" / "a.json").read_text())["made"]
    assert f"The outputs on this page were made on {made} with Python" in page
    assert link(page) == "../book/index.html#preface-report"
    assert "were made on" not in (small_book / "_build/html/book/index.html").read_text()
    git(small_book, "init", "--quiet")
    git(small_book, "remote", "add", "origin", "git@github.com:a/b.git")
    assert tool(small_book, "build_book.py").returncode == 0
    page = (small_book / "_build/html/notebooks/01_a.html").read_text()
    assert link(page).startswith("https://github.com/a/b/issues/new?title=notebooks%2F01_a+at+")
