"""make prove: the record is of today's false statements, and the page says what the chapters printed.

Caught: a page that was older than its chapters.
"""

import json
import re

import nbformat
import numpy as np
import pytest
from small_books import leaving

from minilib.theory import Ledger
from minilib.theory.attack import Attack
from minilib.theory.promises import Promises
from proofs import LABELS
from proofs.bank import BANK
from tools.prover import prove, rocq_sources, theorem_table


def test_the_record_and_the_page_are_of_today():
    record = json.loads(prove.RECORD.read_text(encoding="utf-8"))
    assert record["digest"] == prove.digest_of_bank(), "stale: run make prove"
    assert prove.PAGE.read_text(encoding="utf-8") == prove.page(record["rows"]), "stale: run make prove"
    assert [row["statement"] for row in record["rows"]] == [claim.name for claims in BANK.values() for claim in claims]


def test_every_false_statement_says_in_words_and_tex_what_it_is():
    claims = [claim for claims in BANK.values() for claim in claims]
    assert [claim.name for claim in claims if not claim.sides.__doc__] == []
    for text in (" ".join(claim.sides.__doc__.split()) for claim in claims):
        assert text.endswith(".")
        assert text.count("$") % 2 == 0
        assert not re.search(r"[\^_=<>|*/\\]|\b(sqrt|phi|lr|beta|lambda)", re.sub(r"\$[^$]*\$", "", text)), text


def test_what_breaks_a_false_statement_is_typeset():
    assert prove.typeset("g", "[1/16, -1]") == "$g=(1/16, -1)$"
    assert prove.typeset("beta1", "1/1073741824") == r"$\beta_1=1/2^{30}$"
    assert prove.typeset("next_lr", "-12079595520") == r"$\eta_{t+1}=-45\cdot 2^{28}$"
    letters = {
        name for row in json.loads(prove.RECORD.read_text(encoding="utf-8"))["rows"] for name in row["broken by"]
    }
    assert {name for name in letters if len(name) > 1} <= {*prove.LETTERS}


def test_a_false_statement_that_is_not_broken_fails(monkeypatch, capsys):
    monkeypatch.setattr(prove.rocq, "check", lambda: 0)
    monkeypatch.setattr(prove, "attack", Attack)
    assert prove.main() == 1
    assert "NOT BROKEN: half of Cauchy-Schwarz" in capsys.readouterr().out


def test_ledgers_and_promises_are_read_from_what_a_chapter_left(tmp_path, left, capsys):
    ledger, promises = Ledger("CAME's step"), Promises("CAME's step", "largest step")
    ledger.leq("(3) Cauchy-Schwarz", np.ones(1200), np.linspace(1.25, 9, 1200))
    ledger.eq("(9) forgotten", 1, 1)
    promises.add("T = 9", measured=52.1, promised=1110, start=2000, trivial=1500, ascent=4470)
    promises.add("T = 1", measured=52.1, promised=111, start=200, trivial=np.inf, ascent=447)
    ledger.table()
    promises.table()
    nb = nbformat.v4.new_notebook(cells=[leaving("1", capsys.readouterr().out, left)])
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "11_a.md").write_text("")
    nbformat.write(nb, tmp_path / "notebooks" / "11_a.ipynb")
    ledgers, promises = theorem_table.evaluated(tmp_path)
    assert theorem_table.ledger_cells(ledgers, ["CAME's step", "CAME"]) == ["1,201", "0.2"]
    assert theorem_table.promise(promises, ["CAME's step"]) == ["52.1", "111", "200"]
    assert theorem_table.promise(promises, ["CAME"]) is None
    assert theorem_table.counts(ledgers, promises, ["CAME's step"]) == (
        "Evaluated 1,201 times, least slack 0.2. Measured 52.1, promised 111, without a theorem 200."
    )
    promises["CAME's step"] = [row | {"promised": "5,000"} for row in promises["CAME's step"]]
    assert theorem_table.counts({}, promises, ["CAME's step"]).endswith("here the promise says nothing.")
    nb.cells[0].outputs.pop()
    nbformat.write(nb, tmp_path / "notebooks" / "11_a.ipynb")
    with pytest.raises(ValueError, match="11_a: cell '1' printed 1 tables of promises and has the data of 0"):
        theorem_table.evaluated(tmp_path)


def test_every_title_is_printed_by_a_chapter_and_every_label_is_one_of_the_book():
    ledgers, promises = theorem_table.evaluated(prove.ROOT)
    assert [title for title in LABELS if title not in ledgers and title not in promises] == []
    assert {*BANK, *(label for labels in LABELS.values() for label in labels)} <= {*rocq_sources.all_labels(prove.ROOT)}


def test_a_theorem_is_shown_as_its_chapter_states_it_and_its_equations_keep_their_numbers_there(tmp_path):
    (tmp_path / "notebooks").mkdir()
    text = "For all $T$\n\n$$\nx = 1 .\n$$ (eq-a)\n\n:::{note}\nSo.\n:::\n"
    (tmp_path / "notebooks" / "02_a.md").write_text(f"::::{{prf:theorem}} Rates\n:label: thm-a\n\n{text}::::\n")
    theorem = theorem_table.stated(tmp_path)["thm-a"]
    assert theorem == ("02_a", "Rates", "For all $T$\n\n$$\nx = 1 .\n$$\n\n:::{note}\nSo.\n:::")
    entry = theorem_table.entry("thm-a", theorem, ["<a>7</a>"], ["Evaluated 3 times."])
    assert entry.startswith(
        "{prf:ref}`thm-a`: **Rates** (proof, line <a>7</a>)\\\nEvaluated 3 times.\n\n::::{admonition}"
    )


def test_a_theorem_without_a_label_is_found_too():
    text = ":::{prf:lemma} One\n:label: lem-one\n\n:::\n\n::::{prf:theorem} Two\n\nNothing.\n::::\n"
    assert [match[1] for match in rocq_sources.LABELLED.finditer(text)] == ["lem-one", None]
