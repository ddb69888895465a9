"""make prove: the record is of today's statements, the page says what it does, and no ledger's row is forgotten.

Caught: rows of ledgers that nobody had attacked, and a page that was older than its chapters.
"""

import json

import nbformat
import prove
import pytest

import notebooks
from proofs import came, lamb

OUTPUT = """\
CAME's step
step                rel  checks  least slack  median rhs/lhs
(3) Cauchy-Schwarz  <=     1200          0.2             3.1
(9) forgotten       =         7            0               1

CAME's step: largest step
promise    measured  promised  start  any method  ascent  says more
T = 1,000      52.1       111    inf         inf     447        yes
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
    ledgers = {prove.name_of(name): found for name, (found, _) in prove.evaluated().items()}
    for name in prove.modules():
        for title, reasons in getattr(prove.load(name), "EXEMPT", {}).items():
            assert title in ledgers[name], f"{name}: {title}"
            unknown = set(reasons) - set(ledgers[name][title]) if isinstance(reasons, dict) else set()
            assert not unknown, f"{name}: {title}: {unknown}"


@pytest.fixture
def chapter(tmp_path):
    cell = nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("stream", text=OUTPUT)])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "11_a.ipynb")
    return tmp_path / "11_a.ipynb"


def test_ledgers_and_promises_are_read_from_what_a_chapter_printed(chapter):
    ledgers, promises = prove.tables(chapter)
    rows = ledgers["CAME's step"]
    assert [*rows] == ["(3) Cauchy-Schwarz", "(9) forgotten"]
    assert rows["(3) Cauchy-Schwarz"]["checks"] == "1200"
    assert promises["CAME's step: largest step"] == [["T = 1,000", "52.1", "111", "inf", "inf", "447", "yes"]]
    name = notebooks.find("came").stem
    assert f"{name}: CAME's step: (9) forgotten" in prove.unattacked(name, ledgers)


@pytest.mark.parametrize(("step", "holds"), [(lamb.printed, True), (came.cauchy, False)])
def test_what_is_believed_wrongly_is_not_as_expected(step, holds):
    row = prove.examine(came, "CAME's step", step, holds, draws=100, seconds=1)
    assert not row["as_expected"]
    assert (row["counterexample"] is None) == (step is came.cauchy)


@pytest.mark.parametrize(
    ("broken_by", "counterexample", "line"),
    [
        ("ascent", {"a": "-1"}, "| Young | (9) false | ascent | 1.2 | a = -1 |"),
        ("given", {"a": "-1"}, "| Young | (9) false | a step's counterexample | 1.2 | a = -1 |"),
        (None, None, "| Young | (9) false | not broken within the budget | 1.2 | – |"),
    ],
)
def test_the_bank_says_by_what_and_how_fast_a_statement_was_broken(record, broken_by, counterexample, line):
    row = {"title": "Young", "step": "(9) false", "holds": False, "attacks": 900, "largest_share": 0.9, "decided": []}
    row |= {"seconds": 1.234, "counterexample": counterexample, "broken_by": broken_by, "as_expected": True}
    record["chapters"]["toolbox"]["rows"].append(row)
    assert line in prove.page(record).splitlines()


def test_the_table_has_every_theorem_of_every_chapter_and_no_other():
    found = {chapter: labels for chapter, labels in prove.labels().items() if labels}
    assert sum(map(len, found.values())) >= 50
    for chapter, labels in found.items():
        module = prove.load(prove.name_of(chapter))
        titles = {*module.THEOREMS, *(t for t, why in getattr(module, "EXEMPT", {}).items() if isinstance(why, str))}
        known = {label for title in titles for label in prove.proofs.LABELS.get(title, [])}
        assert [label for label in labels if label not in known] == [], chapter
    named = {label for labels in prove.proofs.LABELS.values() for label in labels}
    assert named <= {label for labels in found.values() for label in labels}


def test_a_theorem_without_a_label_is_found_too():
    text = ":::{prf:lemma} One\n:label: lem-one\n\n:::\n\n::::{prf:theorem} Two\n\nNothing.\n::::\n"
    assert [match[1] for match in prove.rocq_sources.LABELLED.finditer(text)] == ["lem-one", None]


def test_the_whole_theorems_are_attacked_and_promise_something(record):
    rows = {(r["title"], r["step"]) for c in record["chapters"].values() for r in c["rows"] if r["holds"]}
    assert set(prove.WHOLE.values()) <= rows
    headings = [title for _, promises in prove.evaluated().values() for title in promises]
    for title in prove.WHOLE:
        assert any(heading.startswith(f"{title}: ") for heading in headings), title


def test_the_share_beside_a_promise_is_that_of_the_whole_theorem():
    rows = [{"title": "Adafactor's steps", "step": "length of a run", "holds": True, "largest_share": 0.97213}]
    assert prove.whole_share("Adafactor's steps: RMS", rows) == "0.972"
    assert prove.whole_share("Adagrad: RMS", rows) == "–"


def test_what_a_chapter_evaluates_by_the_attacked_function_is_read_from_its_cells():
    by_record = prove.recorded(notebooks.find("came").stem)
    assert came.cauchy in by_record
    assert came.row_mean not in by_record  # (5) is written again in its cell
    assert prove.recorded(notebooks.find("bert_in_76_minutes").stem) == []


def test_long_numbers_are_written_as_powers_of_ten():
    assert prove.short("[1, 1/1" + 150 * "0" + ", 4357142857]") == "[1, 1/1e150, 4357142857]"
    assert prove.short("39794040492630937") == "3.98e16"


def test_an_unknown_chapter_is_refused():
    with pytest.raises(SystemExit, match="error: no statements of no_chapter"):
        prove.main(["no_chapter"])
