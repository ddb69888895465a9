"""What the pages show of the proofs: the source as it is, the goals, the fold, the table."""

import html
import re

import pytest

from tools.prover import proof_pages, rocq, theorem_table

CHECKED = proof_pages.Checked(rocq.ROOT)


@pytest.mark.parametrize("name", CHECKED.sources)
def test_a_page_has_the_source_as_it_is_with_an_anchor_for_each_line_and_name(name):
    source = CHECKED.sources[name]
    page = proof_pages.source_page(source, CHECKED)
    assert page.count("<summary>") == sum(bool(said) for _, _, said in rocq.unfolded(CHECKED.records[name]))
    text = re.sub(r"<[^>]+>", "", re.sub(r"</summary><div>.*?</div>", "", page, flags=re.DOTALL))
    assert html.unescape(text) == source.text.rstrip()
    lines = dict(re.findall(r'id="line-(\d+)" data-line="(\d+)"', page))
    assert list(lines) == list(lines.values()) == [str(k) for k in range(1, source.text.count("\n") + 1)]
    assert all(f'<span id="{html.escape(one.name)}">' in page for one in source.declarations)


@pytest.mark.parametrize("label", CHECKED.groups)
def test_a_fold_says_what_is_proved_from_what_and_links_only_to_what_is_there(label):
    fold = proof_pages.fold(label, CHECKED, "../")
    assert "<summary>Checked by machine</summary>" in fold
    for page, anchor in re.findall(r'href="\.\./proofs/(\w+)\.html#([^"]+)"', fold):
        assert anchor in [one.name for one in CHECKED.sources[page].declarations]
    assert fold.count("(<code>") >= len(CHECKED.saboteurs[label])
    assert "makes the unchanged proof fail" in fold


def test_a_source_that_changed_is_not_shown_as_checked(monkeypatch):
    checked = proof_pages.Checked(rocq.ROOT)
    monkeypatch.delitem(checked.records, "toolbox_telescoping")
    fold = proof_pages.fold("lem-telescoping", checked, "../")
    assert "Not checked by machine" in fold
    assert "it has changed since it was checked" in fold
    assert "makes the unchanged proof fail" not in fold
    assert "<summary>" not in proof_pages.source_page(checked.sources["toolbox_telescoping"], checked)


def test_a_name_that_a_statement_binds_itself_does_not_lead_to_the_definition_of_that_name():
    shown = proof_pages.with_links(
        "forall (d : nat) x, sum d x = E d", {"d": "a", "x": "a", "sum": "sums", "E": "b"}, ""
    )
    assert re.findall(r'href="([^"]+)"', shown) == ["proofs/sums.html#sum", "proofs/b.html#E"]


def test_the_table_has_the_checks_of_all_ledgers():
    rows = {
        "(1)": {"relation": "<=", "checks": "1200", "slack": "0.3"},
        "(2)": {"relation": "=", "checks": "7", "slack": "0"},
    }
    assert theorem_table.ledger_cells({"A": rows, "B": rows}, ["A"]) == ["1,207", "0.3"]
    assert theorem_table.ledger_cells({}, ["A"]) == ["–", "–"]
