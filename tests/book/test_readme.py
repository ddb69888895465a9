"""The README shows a figure that the book really has, and tells the truth about chapters and about the runs."""

import re

import pytest
from small_books import ROOT

from tools.chapter import chapters, notebooks, readme_figure
from tools.pages import book_map, verdict_page

README = (ROOT / "README.md").read_text()
PAGES = {md.stem: chapters.read(notebooks.pair(md)) for md in notebooks.chapters(ROOT)}
MATRIX = verdict_page.substitutions(PAGES)["questions"]
CHAPTERS = book_map.chapters(ROOT)


def test_the_figure_and_its_words_are_those_of_the_chapter():
    picture, *words = readme_figure.figure()
    stored = (ROOT / readme_figure.PICTURE).read_bytes()
    assert stored == picture, "run: .venv/bin/python tools/chapter/readme_figure.py"
    assert all(text in README for text in words)


@pytest.mark.parametrize(("picture", "place"), readme_figure.FRONT.items())
def test_a_picture_of_the_front_page_is_the_chapters(picture, place):
    stored = (ROOT / picture).read_bytes()
    assert stored == readme_figure.figure(ROOT, *place)[0], "run: .venv/bin/python tools/chapter/readme_figure.py"


@pytest.mark.parametrize("page", ["README.md", "book/index.md"])
def test_the_map_has_every_chapter_in_order_with_a_link(page):
    files = re.findall(r"notebooks/(\d\d_\w+)", (ROOT / "_toc.yml").read_text())
    rows = re.findall(r"^\| (\d+|\{numref\}`%s <.*?>`) \| (.*?) \|", (ROOT / page).read_text(), re.M)
    assert files
    for (number, title), file in zip(rows, files, strict=True):
        chapter = CHAPTERS[chapters.name_of(file)]
        assert number in (str(chapter.number), f"{{numref}}`%s <{chapter.label}>`")
        assert f"notebooks/{file}" in title or f"<{chapter.label}>" in title


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("[!_.]*/**/README.md")])
def test_every_file_to_which_a_page_of_the_repository_links_exists(page):
    links = set(re.findall(r"\]\(([^)#:]+)\)", page.read_text())) - {"../book/figures/FIGURE.svg"}  # to be filled in
    assert [link for link in links if not (page.parent / link).exists()] == []


def printed(chapter: str) -> list[list[str]]:
    """The lines of verdicts that a chapter printed."""
    tables = verdict_page.of_chapter(chapters.read(notebooks.pair(notebooks.find(chapter))))
    return [line for table in tables for line in table.lines()]


def test_the_gap_that_the_errata_tell_is_the_one_that_the_chapter_printed():
    (line,) = [line for line in printed("came_at_work") if line[0] == "GPT-2: corrected CAME < Adafactor+m"]
    sentence = f"it ends {line[2]} nats below Adafactor with momentum on GPT-2 ({line[1]}; less than matters)"
    assert sentence in (ROOT / "book/errata.md").read_text()


def test_what_the_readme_tells_of_the_runs_stands_in_the_matrix():
    decided = re.search(r"## What the runs decided\n(.*?)\n## ", README, re.S)[1]
    gaps = {*re.findall(r"\b0\.\d\d\b", decided)} - {"0.05"}
    judged = {f"{abs(float(by)):.2f}" for by in re.findall(r"\| (-?[\d.]+) (?:lower|higher) \|", MATRIX)}
    assert "0.27" in gaps <= judged
