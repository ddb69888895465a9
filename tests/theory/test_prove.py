"""make prove: the record is of today's statements, the page says what it does, and no ledger's row is forgotten.

Caught: rows of ledgers that nobody had attacked, and a page that was older than its chapters.
"""

import json

import nbformat
import prove
import pytest

from minilib.theory.statements import chapter_07, chapter_11

OUTPUT = """\
CAME's step
step                rel  checks  least slack  median rhs/lhs
(3) Cauchy-Schwarz  <=     1200          0.2             3.1
(9) forgotten       =         7            0               1

CAME's step: largest step
promise    measured  promised  at the start  any method  ascent  says something
T = 1,000      52.1       111           inf         inf     447             yes
"""


@pytest.fixture
def record():
    return json.loads(prove.RECORD.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", prove.modules())
def test_the_record_is_of_todays_statements(record, name):
    assert record["chapters"].get(name, {}).get("digest") == prove.digest_of(name), "stale: run make prove"


def test_every_true_statement_stands_and_every_false_one_is_broken(record):
    rows = [row for chapter in record["chapters"].values() for row in chapter["rows"]]
    assert [row for row in rows if not row["as_expected"]] == []
    assert all(row["attacks"] > 0 for row in rows if row["holds"])


def test_the_page_is_what_the_record_and_the_chapters_say(record):
    assert prove.PAGE.read_text(encoding="utf-8") == prove.page(record), "stale: run make prove"


def test_every_row_of_every_ledger_is_stated_or_says_why_not():
    missing = [row for name, (ledgers, _) in prove.evaluated().items() for row in prove.unattacked(name, ledgers)]
    assert missing == []


def test_no_reason_is_given_for_a_row_that_no_chapter_prints():
    ledgers = {prove.module_of(name): found for name, (found, _) in prove.evaluated().items()}
    for name in prove.modules():
        for title, reasons in getattr(prove.load(name), "EXEMPT", {}).items():
            assert title in ledgers[name], f"{name}: {title}"
            unknown = set(reasons) - set(ledgers[name][title]) if isinstance(reasons, dict) else set()
            assert not unknown, f"{name}: {title}: {unknown}"


@pytest.fixture
def chapter(tmp_path):
    cell = nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("stream", text=OUTPUT)])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "11_came.ipynb")
    return tmp_path / "11_came.ipynb"


def test_ledgers_and_promises_are_read_from_what_a_chapter_printed(chapter):
    ledgers, promises = prove.tables(chapter)
    rows = ledgers["CAME's step"]
    assert [*rows] == ["(3) Cauchy-Schwarz", "(9) forgotten"]
    assert rows["(3) Cauchy-Schwarz"]["checks"] == "1200"
    assert promises["CAME's step: largest step"] == [["T = 1,000", "52.1", "111", "inf", "inf", "447", "yes"]]
    assert "11_came: CAME's step: (9) forgotten" in prove.unattacked("11_came", ledgers)


def test_a_false_statement_among_the_true_ones_is_not_as_expected():
    row = prove.examine(chapter_11, "CAME's step", chapter_07.printed, True, draws=100, seconds=1)
    assert not row["as_expected"]
    assert row["counterexample"]
    row = prove.examine(chapter_11, "CAME's step", chapter_11.cauchy, False, draws=20, seconds=1)
    assert not row["as_expected"]


def test_long_numbers_are_written_as_powers_of_ten():
    assert prove.short("[1, 1/1" + 150 * "0" + ", 4357142857]") == "[1, 1/1e150, 4357142857]"
    assert prove.short("39794040492630937") == "3.98e16"


def test_an_unknown_chapter_is_refused():
    with pytest.raises(SystemExit, match="error: no statements of chapter_99"):
        prove.main(["chapter_99"])
