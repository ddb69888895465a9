"""make prove: the record is of today's false statements, and the page says what the chapters printed.

Caught: a page that was older than its chapters.
"""

import json

import nbformat

from minilib.theory.attack import Attack
from proofs import LABELS
from proofs.bank import BANK
from tools.prover import prove, rocq_sources, theorem_table

OUTPUT = """\
CAME's step
step                rel  checks  least slack  median rhs/lhs
(3) Cauchy-Schwarz  <=     1200          0.2             3.1
(9) forgotten       =         7            0               1

CAME's step: largest step
promise    measured  promised  start  any method  ascent  says more
T = 1,000      52.1       111    inf         inf     447        yes
T = 9,000      52.1     1,110    inf         inf     447        yes
"""


def test_the_record_and_the_page_are_of_today():
    record = json.loads(prove.RECORD.read_text(encoding="utf-8"))
    assert record["digest"] == prove.digest_of_bank(), "stale: run make prove"
    assert prove.PAGE.read_text(encoding="utf-8") == prove.page(record["rows"]), "stale: run make prove"
    assert [row["statement"] for row in record["rows"]] == [claim.name for claims in BANK.values() for claim in claims]


def test_a_false_statement_that_is_not_broken_fails(monkeypatch, capsys):
    monkeypatch.setattr(prove.rocq, "check", lambda: 0)
    monkeypatch.setattr(prove, "attack", Attack)
    assert prove.main() == 1
    assert "NOT BROKEN: half of Cauchy-Schwarz" in capsys.readouterr().out


def test_ledgers_and_promises_are_read_from_what_a_chapter_printed(tmp_path):
    cell = nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("stream", text=OUTPUT)])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "11_a.ipynb")
    ledgers, promises = theorem_table.printed(tmp_path / "11_a.ipynb")
    assert theorem_table.ledger_cells(ledgers, ["CAME's step"]) == ["1,207", "0.2"]
    assert theorem_table.promise_cell(promises, ["CAME's step"]) == "52.1 / 111 / inf"
    assert theorem_table.promise_cell(promises, ["CAME"]) == "–"


def test_every_title_is_printed_by_a_chapter_and_every_label_is_one_of_the_book():
    ledgers, promises = theorem_table.all_printed(prove.ROOT)
    assert [title for title in LABELS if title not in ledgers and not theorem_table.of(title, promises)] == []
    assert {*BANK, *(label for labels in LABELS.values() for label in labels)} <= {*rocq_sources.all_labels(prove.ROOT)}


def test_words_are_the_comments_without_their_labels():
    comments = ["thm-sgd (eq-sgd-promise): for all rates.", "(7) Insert: thm-sgd. The best."]
    assert theorem_table.in_words("thm-sgd", comments) == "{eq}`eq-sgd-promise`: for all rates. The best."


def test_a_theorem_without_a_label_is_found_too():
    text = ":::{prf:lemma} One\n:label: lem-one\n\n:::\n\n::::{prf:theorem} Two\n\nNothing.\n::::\n"
    assert [match[1] for match in rocq_sources.LABELLED.finditer(text)] == ["lem-one", None]
