"""The page of verdicts has every table that a chapter printed, from the data that it left beside the print."""

import math
import re
from dataclasses import replace

import pytest
from small_books import CHAPTERS, ROOT, leaving, markdown, notebook

from minilib.experiments import records
from minilib.experiments.verdicts import compare, family, print_verdicts
from tools.chapter import chapters
from tools.pages import questions, verdict_page

LOW, HIGH = {0: 1.0, 1: 1.1, 2: 0.9}, {0: 2.0, 1: 2.2, 2: 1.9}
LUCK = (-1.0, 0.5, 0.2, -0.3, 0.6)
BOTH = {"A below B, 1,437": compare(LOW, HIGH), "B_b": compare(HIGH, LOW)}


@pytest.fixture
def judged(left, capsys):
    """`judged(comparisons, what, ...)`: the cell that prints this table, run in a notebook."""

    def run(*arguments, **options):
        left.clear()
        print_verdicts(*arguments, **options)
        return leaving("judge()", capsys.readouterr().out, left)

    return run


def alone(*lines):
    """A table of intervals of comparisons alone, as LAMB's chapter prints and leaves it."""
    rows = [{"claim": c, "by": "1.0", "interval": "[0.5, 1.5]", "seen": "0.4", "verdict": v} for c, v in lines]
    shared = {"what": "lower", "by": "by", "shared": "intervals alone, 95 %", "widest": None, "means": "", "runs": []}
    head = "lower   by  alone, 95 %  can see    in the family\n"
    return leaving("judge()", head, [("application/vnd.minilib.verdicts+json", shared | {"rows": rows})])


def test_the_page_shows_what_was_printed(judged):
    judge = judged(family(BOTH), "log loss lower by", means="ours, less theirs", runs=["one", "two"])
    (table,) = verdict_page.of_chapter(notebook(markdown("# Title\n\n## Is it?"), judge))
    _, *printed, shared = judge.outputs[0].text.splitlines()
    assert [re.split(r"  +", line) for line in printed] == table.lines()
    assert (table.section, table.anchor, table.shared) == ("Is it?", "is-it", shared)
    page = verdict_page.substitutions({"07_a": notebook(markdown("# Title\n\n## Is it?"), judge)})["verdicts"]
    shared = shared.replace(" %", "\N{NO-BREAK SPACE}%")
    assert f"*by*: ours&#44; less theirs. {shared}. Records: `book/runs/one`, `book/runs/two`.\n" in page
    line = '| <a href="../notebooks/07_a.html#is-it">B&#95;b</a> | contradicted | -1.03 | [-1.18, -0.89] | 0.19 |'
    assert line in page


def test_margins_that_differ_stand_beside_their_claims(judged):
    judge = judged({f"claim {within}": compare(LOW, HIGH, within=within) for within in (0.1, 5)})
    (table,) = verdict_page.of_chapter(notebook(judge))
    assert [line[0] for line in table.lines()] == ["claim 0.1 (within 0.1)", "claim 5 (within 5)"]


def test_a_table_is_listed_under_its_chapter_and_heading_and_counted(judged):
    lines = [("A", "confirmed alone"), ("B", "not resolved")]
    nb = notebook(markdown("# Title\n\n## Is it?"), judged(BOTH, "alpha - 1"), markdown("### Both"), alone(*lines))
    made = verdict_page.substitutions({"07_a": nb, "08_b": notebook(markdown("# No verdict here"))})
    assert made["verdict_counts"] == "4 claims: 1 confirmed, 1 contradicted, 2 not resolved"
    assert made["verdict_families"] == "3"  # two comparisons at 95 %, and one family
    page = made["verdicts"]
    assert re.findall("^#.*$", page, re.MULTILINE) == ["## 7 Title", "### Is it?", "### Both"]
    assert "*value*: alpha &#45; 1. 3 paired seeds" in page
    assert '| <a href="../notebooks/07_a.html#both">A</a> | confirmed alone | 1.0 | [0.5, 1.5] | 0.4 |' in page
    assert "08_b" not in page


def test_a_table_that_is_printed_again_is_shown_and_not_counted(judged):
    """Caught: appendix B prints rows of two chapters again, and 20 claims counted twice."""
    cells = [judged(BOTH), judged({"A": BOTH["B_b"]}, "below A by"), judged({"B_b": compare(HIGH, LOW, level=0.9)})]
    books = {"07_a": notebook(markdown("# Title"), cells[0]), "B_b": notebook(markdown("# Cards"), *cells[1:])}
    assert [bool(why) for _, _, why in verdict_page.counted(books)] == [False, True, False]
    made = verdict_page.substitutions(books)
    assert made["verdict_counts"].startswith("3 claims")
    assert "Printed again from [chapter 7](../notebooks/07_a.ipynb)." in made["verdicts"]


def test_invented_losses_are_not_counted(judged):
    """A heading that is renamed must be renamed there too, or invented losses count again."""
    (name, section), *_ = verdict_page.UNCOUNTED
    book = {f"05_{name}": notebook(markdown(f"# Title\n\n## {section}"), judged(BOTH))}
    assert verdict_page.substitutions(book)["verdict_counts"].startswith("0 claims")
    there = {chapters.name_of(path.stem): verdict_page.of_chapter(chapters.read(path)) for path in CHAPTERS}
    assert {(name, one.section) for name in there for one in there[name]} >= set(verdict_page.UNCOUNTED)


@pytest.mark.parametrize(
    ("widest", "families"),
    [("98.75", 4), ("99.64", 1), ("99.75", 1), (None, 1)],
)
def test_a_table_of_several_families_counts_as_several(widest, families):
    table = verdict_page.Table("", "", "", "by", [{}] * 14, "", widest, "", [])
    assert verdict_page.families(table) == families


@pytest.mark.parametrize("kind", ["no data", "data of two"])
def test_a_print_without_its_data_is_an_error_that_names_the_cell(judged, kind):
    judge = judged(BOTH)
    judge.outputs = judge.outputs[:1] if kind == "no data" else [*judge.outputs, judge.outputs[1]]
    with pytest.raises(ValueError, match=r"^07_a: cell 'judge\(\)' printed 1 tables of verdicts and has the data of"):
        verdict_page.substitutions({"07_a": notebook(markdown("# Title"), judge)})


def test_what_the_page_says_of_long_tails_is_what_the_rules_own_page_counted():
    """Caught: the page promised 5 % to all families."""
    (path,) = (path for path in CHAPTERS if chapters.name_of(path.stem) == "the_rule_for_ties")
    printed = "\n".join(chapters.printed(c) for c in chapters.read(path).cells if c.cell_type == "code")
    page = (ROOT / "book" / "verdicts.md").read_text(encoding="utf-8")
    for row in ("lognormal against steady", "ten lognormal, one family"):
        shares = re.search(rf"^{row} +(.*)$", printed, re.MULTILINE)[1]
        shares = sorted(round(float(share)) for share in re.findall(r"([\d.]+) ?%", shares))
        assert f"{shares[0]} to {shares[-1]} %" in page


def test_a_table_names_records_that_its_chapter_loads_and_never_none_beside_a_load(chapter):
    nb = chapters.read(chapter)
    loads = r'records\.load\("([\w-]+)"\)'
    loaded = set(re.findall(loads, "\n".join(c.source for c in chapters.code(nb))))
    for one in chapters.code(nb):
        for table in chapters.left(one, "verdicts", chapter.stem):
            assert set(table["runs"]) <= loaded
            assert all(records.folder(run, records.project(ROOT)) for run in table["runs"])
            assert table["runs"] or not re.search(loads, one.source)
            assert table["rows"]


def row(verdict, by, interval, p, leans, **more):
    return {"verdict": verdict, "by": by, "interval": interval, "p": p, "leans": leans, **more}


JUDGED = {
    "lower": row("confirmed", "0.044", "[0.018, 0.070]", 0.06, "confirmed", near=True),
    "higher": row("contradicted", "-0.30", "[-0.35, -0.25]", 0.01, "contradicted"),
    "equal": row("confirmed", "0.01", "[-0.02, 0.04]", 0.02, "confirmed"),
    "points": row("not resolved", "0.7", "[-0.4, 1.8]", 0.3, "confirmed"),
}


def test_a_question_looks_up_its_lines_judges_them_together_and_says_whether_the_amount_matters(monkeypatch):
    lines = "Loss? [nats]\n" + "".join(f"    GPT-2 | work | {claim}\n" for claim in JUDGED if claim != "points")
    lines += "Images? [points]\n    CIFAR-10 | work | points\n    BERT | absent | anything\n"
    monkeypatch.setattr(questions, "LINES", lines)
    rows = {("work", claim): (f"17_work.html#{claim}", row) for claim, row in JUDGED.items()}
    *_, asked, first, higher, equal, _, points = questions.table(rows).splitlines()
    assert asked == "| **Loss?** | | *of 3: 1 not resolved, 1 contradicted, 1 confirmed* | *nats* | |"
    assert first.startswith('| <a href="17_work.html#lower">GPT-2</a> | ')
    assert [line.split("</a> | ")[1] for line in (first, higher, equal, points)] == [
        "confirmed, only just | not resolved | 0.044 lower | open |",
        "contradicted | contradicted | 0.30 higher | yes |",
        "confirmed | confirmed | 0.01 lower | no |",
        "not resolved | not resolved | 0.7 lower |  |",
    ]
    del rows["work", "equal"]
    with pytest.raises(ValueError, match="work has no verdict on 'equal'"):
        questions.table(rows)


def test_a_question_is_judged_as_the_rule_judges_a_family():
    scatter = {k: {seed: 1 + k * luck / 5 for seed, luck in enumerate(LUCK)} for k in range(1, 9)}
    claims = {k: compare(dict.fromkeys(losses, 0.0), losses) for k, losses in scatter.items()}
    rows = [{"p": c.p, "leans": replace(c, level=0.0).verdict} for c in claims.values()]
    verdicts = [c.verdict for c in family(claims).values()]
    assert questions.judged_once(rows) == verdicts
    assert len({*verdicts}) == 2


def test_verdicts_near_an_edge_are_marked_on_the_page_and_listed(judged):
    judge = judged({"A": compare(LOW, HIGH), "B": replace(close := compare(LOW, HIGH), claim=(close.low, math.inf))})
    book = {"07_a": notebook(markdown("# Title"), judge)}
    assert verdict_page.substitutions(book)["verdicts"].count("only just") == 1
    (line,) = verdict_page.near(book)
    assert line.startswith("a: B: not resolved, 1.03 [")


def test_chapters_and_readme_say_of_lamb_below_adamw_what_its_nine_places_say_together():
    asked = questions.asked_where()["Does LAMB end below AdamW? [nats]"]
    texts = {**chapters.stored(ROOT)}
    rows = {}
    for name in {chapter for _, chapter, _ in asked}:
        (stem,) = [stem for stem in texts if chapters.name_of(stem) == name]
        for table in verdict_page.of_chapter(texts[stem]):
            rows |= {(name, row["claim"]): row for row in table.rows}
    once = questions.judged_once([rows[chapter, claim] for _, chapter, claim in asked])
    assert [where for (where, *_), verdict in zip(asked, once, strict=True) if verdict == "confirmed"] == [
        "BERT, 64 rows, only rates tuned"
    ]
    assert (len(asked), set(once)) == (9, {"confirmed", "not resolved"})
    sources = [ROOT / "README.md", *(notebook for notebook in CHAPTERS if "bert" in notebook.stem)]
    assert all("nine places" in source.read_text(encoding="utf-8") for source in sources)
