"""The README shows a figure that the book really has, and tells the truth about which chapters exist."""

import re

import pytest
import readme_figure
from small_books import ROOT

README = (ROOT / "README.md").read_text()


def test_the_figure_and_its_words_are_those_of_the_chapter():
    picture, alt, caption = readme_figure.figure()
    assert (ROOT / readme_figure.PICTURE).read_bytes() == picture, "run: .venv/bin/python tools/readme_figure.py"
    assert alt in README
    assert caption in README


def test_a_figure_that_no_chapter_draws_is_refused(monkeypatch):
    monkeypatch.setattr(readme_figure, "FIGURE", "fig-no-such")
    with pytest.raises(ValueError, match="no figure 'fig-no-such'"):
        readme_figure.figure()


@pytest.mark.parametrize("page", ["README.md", "book/index.md"])
def test_the_map_has_every_chapter_in_order_with_a_link(page):
    chapters = re.findall(r"notebooks/(\d\d_\w+)", (ROOT / "_toc.yml").read_text())
    rows = re.findall(r"^\| (\d+) \| (.*?) \|", (ROOT / page).read_text(), re.M)
    assert chapters
    assert [int(number) for number, _ in rows] == [int(chapter[:2]) for chapter in chapters]
    for (_, title), chapter in zip(rows, chapters, strict=True):
        assert chapter in title


def test_every_file_that_the_readme_links_or_lists_exists():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    listed = re.findall(r"^(\w+/|  \w+(?:\.py|/)) ", README, re.M)
    assert len(links) > 5
    assert len(listed) > 10
    for link in links:
        assert (ROOT / link).exists(), link
    for name in listed:
        folder = ROOT / "minilib" if name.startswith(" ") else ROOT
        assert (folder / name.strip()).exists(), name
