"""The line below a chapter leads to what lies beside the pages, and else names a command of the Makefile."""

import re

import pytest
from small_books import ROOT

from tools.chapter.chapters import name_of
from tools.give import supplements
from tools.pages import companions, page_foot, syllabus
from tools.pages.companions import Beside, line

FILES = [path.stem for path in sorted((ROOT / "notebooks").glob("*.md"))]
LARS = next(file for file in FILES if name_of(file) == "lars")


def links(text):
    return re.findall(r'href="([^"]+)"', text)


@pytest.mark.parametrize("file", FILES)
def test_of_pages_alone_the_line_has_the_notebook_and_commands_that_there_are(file):
    text, makefile = line(file, Beside()), (ROOT / "Makefile").read_text(encoding="utf-8")
    assert links(text) == [f"../_sources/notebooks/{file}.{kind}" for kind in ("ipynb", "md")]
    for command in re.findall(r"<code>make ([\w-]+) NAME=\"?([\w -]+)\"?</code>", text):
        assert re.search(rf"^{command[0]}:", makefile, re.MULTILINE)
    name = name_of(file)
    assert ("make assignment" in text) == bool(syllabus.taught(name).problem_set)
    assert f"make pdf NAME={name}" in text
    assert page_foot.foot(f"notebooks/{file}", None, str).count(text) == 1


def test_what_lies_beside_them_is_linked_and_half_of_it_is_not():
    assert 'make slides NAME="lars-1 lars-2"' in line(LARS, Beside(frozenset(["lars-1"])))
    every = line(LARS, Beside(frozenset(["lars-1", "lars-2"]), frozenset(["lars"]), {LARS: 123}))
    assert links(every)[2:] == [
        *("../slides/lars-1.html", "../slides/lars-2.html", "../assignments/lars.ipynb"),
        f"../{companions.PDF}#page=123",
    ]
    assert "<code>" not in every


def test_a_site_is_led_to_what_was_put_beside_it_again_and_again(tmp_path):
    page = tmp_path / "notebooks" / f"{LARS}.html"
    for place in (page, *(tmp_path / name for name in ("slides/lars-1.html", "slides/lars-2.html"))):
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"<p>Before.</p>{line(LARS, Beside())}<p>After.</p>")
    for _ in range(2):
        assert supplements.lead(tmp_path) == 1
        text = page.read_text()
        assert re.fullmatch('<p>Before.</p><p class="companions">.*</p><p>After.</p>', text)
        assert "../slides/lars-2.html" in text
        assert "make assignment NAME=lars" in text
