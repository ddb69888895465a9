"""The README shows a figure that the book really has, and tells the truth about chapters; so does Part IV's table."""

import re

import pytest
from small_books import ROOT

from tools.chapter import chapters, notebooks, readme_figure
from tools.pages import book_map, verdict_page

README = (ROOT / "README.md").read_text()
VERDICT_PAGE = (ROOT / "book/verdicts.md").read_text()
CHAPTERS = book_map.chapters(ROOT)


def test_the_figure_and_its_words_are_those_of_the_chapter():
    picture, *words = readme_figure.figure()
    stored = (ROOT / readme_figure.PICTURE).read_bytes()
    assert stored == picture, "run: .venv/bin/python tools/chapter/readme_figure.py"
    assert all(text in README for text in words)


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


# Verdicts of a row of the table on Part IV | chapter | a claim and the verdicts that the chapter printed, in its order.
SIGNS = {"+": "confirmed", "-": "contradicted", "?": "not resolved"}
VERDICTS = """\
64 rows confirmed; 256 and 1,024 contradicted | bert_in_76_minutes
    LAMB: 64 rows as 16 + | LAMB: 256 rows as 16 - | LAMB: 1,024 rows as 16 -
all four batches not resolved | bert_in_76_minutes
    LAMB below AdamW, 16 rows ?
    LAMB below AdamW, 64 rows ? | LAMB below AdamW, 256 rows ? | LAMB below AdamW, 1,024 rows ?
256 rows confirmed, 1,024 not resolved | bert_in_76_minutes
    corners: LAMB below AdamW, 256 rows + | corners: LAMB below AdamW, 1,024 rows ?
AdamW and LAMB confirmed; the mean price is 3.6 and 3.3 | bert_in_76_minutes
    AdamW: a price of four is enough + | LAMB: a price of four is enough +
all four batches confirmed | bert_in_76_minutes | AdamW not worse by 0.05, 16 rows +
    AdamW not worse by 0.05, 64 rows + | AdamW not worse by 0.05, 256 rows +
    AdamW not worse by 0.05, 1,024 rows +
confirmed, by 0.11 nats with the rates alone tuned and by 0.04 with the best of five settings each | bert
    64 rows: LAMB below AdamW + | best of five each: LAMB below AdamW +
    LAMB below AdamW, β2 0.95 ? | AdamW, β2 0.95, below AdamW + | LAMB, β2 0.95, below LAMB +
GPT-2 and BERT with 8 rows confirmed; T5 (0.22 higher) and BERT with 64 rows (0.10) not resolved | came_at_work
    GPT-2: CAME as AdamW + | T5: CAME as AdamW ?
GPT-2 and BERT with 8 rows confirmed; T5 (0.22 higher) and BERT with 64 rows (0.10) not resolved | bert
    8 rows: CAME as AdamW + | 64 rows: CAME as AdamW ?
confirmed on all four: 0.02, 0.27, 0.06 and 0.19 nats | came_at_work | GPT-2: CAME, corrected below CAME +
    T5: CAME, corrected below CAME +
confirmed on all four: 0.02, 0.27, 0.06 and 0.19 nats | bert | 64 rows: CAME, corrected below CAME +
    8 rows: CAME, corrected below CAME +
GPT-2 not resolved; T5 contradicted | came_at_work | GPT-2: CAME below Adafactor + m ?
    T5: CAME below Adafactor + m -
128 contradicted (without weight decay not resolved); 8,192 confirmed | bert_in_76_minutes
    LARS below Nesterov, 128 - | LARS below Nesterov, 8,192 + | LAMB below Nesterov, 128 -
    LAMB below Nesterov, 8,192 + | no decay: LARS below Nesterov ? | no decay: LAMB below Nesterov ?
width 64 confirmed against 32; 128 contradicted against 64, each at its best batch too | train_large_compress
    2 × 64 below 1 × 32 + | 4 × 128 below 2 × 64 - | 4 × 128 below 2 × 64, own rows -
width 64 confirmed against 32; 128 contradicted against both | train_large_compress
    2 × 64 stored below 1 × 32 + | 4 × 128 stored below 1 × 32 - | 4 × 128 stored below 2 × 64 -
"""
ROWS = [row.split(" | ") for row in VERDICTS.replace("\n    ", " | ").splitlines()]


def printed(chapter: str) -> list[list[str]]:
    """The lines of verdicts that a chapter printed."""
    tables = verdict_page.of_chapter(chapters.read(notebooks.pair(notebooks.find(chapter))))
    return [line for table in tables for line in table.rows]


@pytest.mark.parametrize("row", ROWS, ids=" ".join)
def test_a_verdict_of_the_table_is_the_one_that_the_chapter_printed(row):
    verdict, chapter, *claims = row
    assert f"| {verdict} |" in VERDICT_PAGE
    lines = [line[:2] for line in printed(chapter)]
    for claim, _, signs in (words.rpartition(" ") for words in claims):
        assert [outcome for name, outcome in lines if name == claim] == [SIGNS[sign] for sign in signs], claim


def above_pairs() -> set[str]:
    """By how much each method ends above the table of pairs at 1,024 rows, as the chapter printed the three losses."""
    book = chapters.read(notebooks.pair(notebooks.find("bert_in_76_minutes")))
    text = "\n".join(chapters.printed(cell) for cell in book.cells if cell.cell_type == "code")
    pairs = float(re.search(r"^counting pairs: (.*)$", text, re.M)[1])
    ends = re.findall(r"^1,024 rows +122 +(?:AdamW|LAMB) +([\d.]+) ", text, re.M)
    assert len(ends) == 2
    return {f"{float(end) - pairs:.2f}" for end in ends}


def test_a_gap_that_the_table_tells_is_one_that_a_chapter_printed():
    gaps = {}
    for verdict, chapter, *claims in ROWS:
        names = {words.rpartition(" ")[0] for words in claims}
        lines = [line for line in printed(chapter) if line[0] in names]
        gaps.setdefault(verdict, {"0.05"}).update(f"{abs(float(line[2])):.2f}" for line in lines)
    gaps["all four batches confirmed"] |= above_pairs()
    for verdict, allowed in gaps.items():
        (size,) = re.findall(re.escape(f"| {verdict} |") + r" (.*?) \|", VERDICT_PAGE)
        assert {*re.findall(r"\b\d\.\d\d\b", verdict + size)} <= allowed, verdict


def test_the_gap_that_the_errata_tell_is_the_one_that_the_chapter_printed():
    (line,) = [line for line in printed("came_at_work") if line[0] == "GPT-2: corrected below Adafactor + m"]
    sentence = f"it ends {line[2]} nats below Adafactor with momentum on GPT-2 ({line[1]}; less than matters)"
    assert sentence in (ROOT / "book/errata.md").read_text()


def test_what_the_readme_tells_of_the_runs_stands_in_the_table():
    decided = re.search(r"## What the runs decided\n(.*?)\n## ", README, re.S)[1]
    table = VERDICT_PAGE.split("## By chapter")[0]
    gaps = {*re.findall(r"\b0\.\d\d\b", decided)} - {"0.05"}
    assert "0.27" in gaps <= {*re.findall(r"\b0\.\d\d\b", table)}
