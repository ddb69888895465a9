"""The page of verdicts has every line that a chapter printed. Could catch: a form that the page cannot read."""

import re

import chapters
import pytest
import verdict_page
from small_books import CHAPTERS, cell, markdown, notebook

from minilib.experiments.verdicts import compare, family, print_verdicts

LOW, HIGH = {0: 1.0, 1: 1.1, 2: 0.9}, {0: 2.0, 1: 2.2, 2: 1.9}


def test_what_is_printed_is_read_back(capsys):
    found = {"A below B, 1,437": compare(LOW, HIGH), "A as B": compare(LOW, HIGH, within=0.1), "B": compare(HIGH, LOW)}
    print_verdicts(family(found), "log loss lower by")
    print("words after it")
    print_verdicts({"one of each": compare({0: 1.0}, {0: 2.0})}, "alpha - 1")
    first, second = verdict_page.found(capsys.readouterr().out, "Digits")
    assert (first.section, first.what, first.by) == ("Digits", "log loss lower", "by")
    assert [row[:2] for row in first.rows] == [
        ["A below B, 1,437", "confirmed"],
        ["A as B", "contradicted"],
        ["B", "contradicted"],
    ]
    assert first.shared.startswith("3 paired seeds; intervals at ")
    assert (second.what, second.by) == ("alpha - 1", "value")
    assert second.rows == [["one of each", "not resolved", "1.000", "none", "none"]]


def test_margins_that_differ_stand_beside_their_claims(capsys):
    print_verdicts({f"claim {within}": compare(LOW, HIGH, within=within) for within in (0.1, 5)})
    (table,) = verdict_page.found(capsys.readouterr().out, "")
    assert [row[0] for row in table.rows] == ["claim 0.1 (within 0.1)", "claim 5 (within 5)"]


def test_a_table_is_listed_under_its_chapter_and_heading_and_counted():
    printed = (
        "lower      verdict     by    interval  can see\nA below B  confirmed  1.0  [0.5, 1.5]      0.4\n5 paired seeds"
    )
    alone = (
        "lower   by  alone, 95 %  can see    in the family\n"
        "A      1.0   [0.5, 1.5]      0.4  confirmed alone\n"
        "B      0.1   [0.0, 0.2]      0.4     not resolved"
    )
    nb = notebook(markdown("# Title\n\n## Is it?"), cell("1", printed), markdown("### Both"), cell("2", alone))
    made = verdict_page.substitutions({"07_a": nb, "08_b": notebook(markdown("# No verdict here"))})
    assert made["verdict_counts"] == "3 claims: 1 confirmed, 0 contradicted, 2 not resolved"
    assert "[7 Title](../notebooks/07_a.ipynb)" in made["verdicts"]
    assert "**Is it?** *lower*; 5 paired seeds." in made["verdicts"]
    assert "| A | confirmed alone | 1.0 | [0.5, 1.5] | 0.4 |" in made["verdicts"]
    assert "08_b" not in made["verdicts"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_each_table_of_a_chapter_is_on_the_page(path):
    nb = chapters.read(path)
    text = "\n".join(chapters.printed(c) for c in nb.cells if c.cell_type == "code")
    heads = re.findall(r"^.*\bcan see\b.*$", text, re.MULTILINE)
    assert len(verdict_page.of_chapter(nb)) == len(heads)
    assert all(table.rows for table in verdict_page.of_chapter(nb))
