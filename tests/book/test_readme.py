"""The README shows a figure that the book really has, and tells the truth about chapters; so does Part IV's table."""

import re

import pytest
from small_books import ROOT

from tools.chapter import chapters as rules
from tools.chapter import notebooks, readme_figure
from tools.pages import book_map, verdict_page

README = (ROOT / "README.md").read_text()
VERDICT_PAGE = (ROOT / "book/verdicts.md").read_text()
FOUND = book_map.chapters(ROOT)


def test_the_figure_and_its_words_are_those_of_the_chapter(monkeypatch):
    picture, *words = readme_figure.figure()
    assert (ROOT / readme_figure.PICTURE).read_bytes() == picture, (
        "run: .venv/bin/python tools/chapter/readme_figure.py"
    )
    assert all(text in README for text in words)
    monkeypatch.setattr(readme_figure, "FIGURE", "fig-no-such")
    with pytest.raises(ValueError, match="no figure 'fig-no-such'"):
        readme_figure.figure()


@pytest.mark.parametrize("page", ["README.md", "book/index.md"])
def test_the_map_has_every_chapter_in_order_with_a_link(page):
    chapters = re.findall(r"notebooks/(\d\d_\w+)", (ROOT / "_toc.yml").read_text())
    rows = re.findall(r"^\| (\d+|\{numref\}`%s <.*?>`) \| (.*?) \|", (ROOT / page).read_text(), re.M)
    assert chapters
    for (number, title), file in zip(rows, chapters, strict=True):
        chapter = FOUND[rules.name_of(file)]
        assert number in (str(chapter.number), f"{{numref}}`%s <{chapter.label}>`")
        assert f"notebooks/{file}" in title or f"<{chapter.label}>" in title


def test_every_file_that_the_readme_links_or_contributing_lists_exists():
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    links = re.findall(r"\]\(([^)#:]+)\)", README + contributing)
    listed = re.findall(r"^(\w+/|  \w+(?:\.py|/)) ", contributing, re.M)
    assert len(links) > 10
    assert len(listed) > 20
    for link in links:
        assert (ROOT / link).exists(), link
    room = ROOT
    for name in listed:
        room = room if name.startswith(" ") else ROOT / name
        assert (room / name.strip() if name.startswith(" ") else room).exists(), name


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
    tables = verdict_page.of_chapter(rules.read(notebooks.pair(notebooks.find(chapter))))
    return [line for table in tables for line in table.lines()]


@pytest.mark.parametrize("row", ROWS, ids=" ".join)
def test_a_verdict_of_the_table_is_the_one_that_the_chapter_printed(row):
    told, chapter, *claims = row
    assert f"| {told} |" in VERDICT_PAGE
    lines = [line[:2] for line in printed(chapter)]
    for claim, _, signs in (said.rpartition(" ") for said in claims):
        assert [verdict for name, verdict in lines if name == claim] == [SIGNS[sign] for sign in signs], claim


def above_pairs() -> set[str]:
    """By how much each method ends above the table of pairs at 1,024 rows, as the chapter printed the three losses."""
    book = rules.read(notebooks.pair(notebooks.find("bert_in_76_minutes")))
    text = "\n".join(rules.printed(cell) for cell in book.cells if cell.cell_type == "code")
    pairs = float(re.search(r"^counting pairs: (.*)$", text, re.M)[1])
    ends = re.findall(r"^1,024 rows +122 +(?:AdamW|LAMB) +([\d.]+) ", text, re.M)
    assert len(ends) == 2
    return {f"{float(end) - pairs:.2f}" for end in ends}


def test_a_gap_that_the_table_tells_is_one_that_a_chapter_printed():
    gaps = {}
    for told, chapter, *claims in ROWS:
        names = {said.rpartition(" ")[0] for said in claims}
        lines = [line for line in printed(chapter) if line[0] in names]
        gaps.setdefault(told, {"0.05"}).update(f"{abs(float(line[2])):.2f}" for line in lines)
    gaps["all four batches confirmed"] |= above_pairs()
    for told, allowed in gaps.items():
        (size,) = re.findall(re.escape(f"| {told} |") + r" (.*?) \|", VERDICT_PAGE)
        found = set(re.findall(r"\b\d\.\d\d\b", told + size))
        assert found <= allowed, told
    assert sum(map(len, gaps.values())) > 25


def test_the_gap_that_the_errata_tell_is_the_one_that_the_chapter_printed():
    (line,) = [line for line in printed("came_at_work") if line[0] == "GPT-2: corrected below Adafactor + m"]
    told = f"it ends {line[2]} nats below Adafactor with momentum on GPT-2 ({line[1]}; less than matters)"
    assert told in (ROOT / "book/errata.md").read_text()


def test_what_the_readme_tells_of_the_runs_stands_in_the_table():
    told = re.search(r"## What the runs decided\n(.*?)\n## ", README, re.S)[1]
    table = VERDICT_PAGE.split("## By chapter")[0]
    assert set(re.findall(r"\b0\.\d\d\b", told)) - {"0.05"} <= set(re.findall(r"\b0\.\d\d\b", table))
    assert "0.27" in told
