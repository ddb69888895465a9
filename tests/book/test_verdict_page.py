"""The page of verdicts has every line that a chapter printed. Could catch: a form that the page cannot read."""

import re

from small_books import CHAPTERS, ROOT, cell, markdown, notebook

from minilib.experiments.verdicts import compare, family, print_verdicts
from tools.chapter import chapters
from tools.pages import verdict_page

LOW, HIGH = {0: 1.0, 1: 1.1, 2: 0.9}, {0: 2.0, 1: 2.2, 2: 1.9}
ONE = "lower      verdict     by    interval  can see\nA below B  confirmed  1.0  [0.5, 1.5]      0.4\n5 paired seeds"


def test_what_is_printed_is_read_back(capsys):
    found = {"A below B, 1,437": compare(LOW, HIGH), "A as B": compare(LOW, HIGH, within=0.1), "B": compare(HIGH, LOW)}
    print_verdicts(family(found), "log loss lower by")
    print("words after it")
    print_verdicts({"one of each": compare({0: 1.0}, {0: 2.0})}, "alpha - 1")
    first, second = verdict_page.tables_in(capsys.readouterr().out, "Digits")
    assert (first.section, first.what, first.by) == ("Digits", "log loss lower", "by")
    said = zip(found, ("confirmed", "contradicted", "contradicted"), strict=True)
    assert [tuple(row[:2]) for row in first.rows] == [*said]
    assert first.shared.startswith("3 paired seeds; intervals at ")
    assert (second.what, second.by) == ("alpha - 1", "value")
    assert second.rows == [["one of each", "not resolved", "1.000", "none", "none"]]


def test_margins_that_differ_stand_beside_their_claims(capsys):
    print_verdicts({f"claim {within}": compare(LOW, HIGH, within=within) for within in (0.1, 5)})
    (table,) = verdict_page.tables_in(capsys.readouterr().out, "")
    assert [row[0] for row in table.rows] == ["claim 0.1 (within 0.1)", "claim 5 (within 5)"]


def test_a_table_is_listed_under_its_chapter_and_heading_and_counted():
    alone = (
        "lower   by  alone, 95 %  can see    in the family\n"
        "A      1.0   [0.5, 1.5]      0.4  confirmed alone\n"
        "B      0.1   [0.0, 0.2]      0.4     not resolved"
    )
    nb = notebook(markdown("# Title\n\n## Is it?"), cell("1", ONE), markdown("### Both"), cell("2", alone))
    books = {"07_a": nb, "08_b": notebook(markdown("# No verdict here"))}
    made = verdict_page.substitutions(books)
    assert made["verdict_counts"] == "3 claims: 1 confirmed, 0 contradicted, 2 not resolved"
    assert made["verdict_families"] == "2"
    page = verdict_page.substitutions(books)["verdicts"]
    assert re.findall("^#.*$", page, re.MULTILINE) == ["## 7 Title", "### Is it?", "### Both"]
    assert "*by*: lower. 5 paired seeds." in page
    row = '| <a href="../notebooks/07_a.html#both">A</a> | confirmed alone | 1.0 | [0.5, 1.5] | 0.4 |'
    assert row in page
    assert "08_b" not in page


def test_a_table_that_is_printed_again_is_shown_and_not_counted():
    """Caught: appendix B prints rows of two chapters again, and 20 claims counted twice."""
    again = ONE.replace("lower    ", "below A  ").replace("A below B", "       B ")
    books = {
        "07_a": notebook(markdown("# Title\n\n## Is it?"), cell("1", ONE)),
        "B_b": notebook(markdown("# Cards\n\n## Again"), cell("1", again), cell("2", ONE.replace("1.0 ", "1.1 "))),
    }
    assert [bool(why) for _, _, why in verdict_page.counted(books)] == [False, True, False]
    assert verdict_page.substitutions(books)["verdict_counts"].startswith("2 claims")
    assert "Printed again from [chapter 7](../notebooks/07_a.ipynb)." in verdict_page.substitutions(books)["verdicts"]


def test_invented_losses_are_not_counted_and_what_is_said_of_tables_is_said_of_tables_that_there_are():
    """A heading that is renamed must be renamed there too, or invented losses count again."""
    (name, section), *_ = verdict_page.UNCOUNTED
    book = {f"05_{name}": notebook(markdown(f"# Title\n\n## {section}"), cell("1", ONE))}
    assert verdict_page.substitutions(book)["verdict_counts"].startswith("0 claims")
    there = {chapters.name_of(path.stem): verdict_page.of_chapter(chapters.read(path)) for path in CHAPTERS}
    assert {(name, one.section) for name in there for one in there[name]} >= set(verdict_page.UNCOUNTED)
    assert {(name, one.what) for name in there for one in there[name]} >= set(verdict_page.SAID)


def test_the_records_of_a_table_are_those_that_its_numbers_come_from():
    loads = cell('a = records.load("one")\nb = records.load("two")\nfor k in b:\n    pass')
    uses = [cell("c = [k for k in a]"), cell("print_verdicts(c)", ONE), cell("d = {}\nprint_verdicts(d)", ONE)]
    tables = verdict_page.of_chapter(notebook(markdown("# Title"), loads, *uses))
    assert [table.records for table in tables] == [("one",), ()]


def test_a_variable_that_is_filled_by_parts_comes_from_their_records():
    loads = cell('one, two, three, last = {}, {}, {}, {}\na = records.load("one")\nb = records.load("two")')
    fill = cell('one["k"] = a\ntwo.setdefault("k", {})["s"] = b\nfor k in a:\n    three["k"][k] |= a[k]')
    uses = [cell(f"print_verdicts({name})", ONE) for name in ("one", "two", "three", "last")]
    tables = verdict_page.of_chapter(notebook(markdown("# Title"), loads, fill, *uses))
    assert [table.records for table in tables] == [("one",), ("two",), ("one",), ()]


def test_a_table_of_several_families_counts_as_several():
    rows = [["claim", "confirmed", "1", "[1, 1]", "1"]] * 14
    for shared, families in (
        ("5 paired seeds; intervals at 95 % to 98.75 %; equal: within 0.05", 4),
        ("5 paired seeds; intervals at 99.5 % to 99.64 %", 1),
        ("5 paired seeds; intervals at 99.75 %", 1),
        ("intervals alone, 95 %", 1),
    ):
        assert verdict_page.families(verdict_page.Table("", "", "by", shared, rows)) == families


def test_what_the_page_says_of_long_tails_is_what_the_rules_own_page_counted():
    """Caught: the page promised 5 % to all families."""
    (path,) = (path for path in CHAPTERS if chapters.name_of(path.stem) == "the_rule_for_ties")
    printed = "\n".join(chapters.printed(c) for c in chapters.read(path).cells if c.cell_type == "code")
    page = (ROOT / "book" / "verdicts.md").read_text(encoding="utf-8")
    for row in ("lognormal against steady", "ten lognormal, one family"):
        shares = re.search(rf"^{row} +(.*)$", printed, re.MULTILINE)[1]
        shares = sorted(round(float(share)) for share in re.findall(r"([\d.]+) ?%", shares))
        assert f"{shares[0]} to {shares[-1]} %" in page


def test_each_table_of_a_chapter_is_on_the_page(chapter):
    nb = chapters.read(chapter)
    text = "\n".join(chapters.printed(c) for c in nb.cells if c.cell_type == "code")
    tables = verdict_page.of_chapter(nb)
    assert len(tables) == len(re.findall(r"^.*\bcan see\b.*$", text, re.MULTILINE))
    assert all(table.rows for table in tables)
