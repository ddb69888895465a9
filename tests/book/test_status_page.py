"""The status page says of every chapter which run made its outputs, and a page that failed says so on top."""

import json

import build_book
import status_page
from small_books import cell, markdown, notebook

RUN = {"made": "2026-01-02", "seconds": 61.4, "processor": "Abacus, 2 cores", "versions": {"python": "3.11.7"}}


def shown(run=RUN, own=False, error=""):
    return build_book.Shown(notebook(markdown("(ch-a)=\n# Title\n\nWords."), cell("1"), cell("2")), run, own, error)


def test_a_chapter_has_its_line_and_each_machine_its_letter(tmp_path):
    other = RUN | {"processor": "Slide rule, 1 cores"}
    chapters = {"01_a": shown(), "02_b": shown(other, own=True), "03_c": shown(error="E"), "04_d": shown(None)}
    lines = status_page.tables(tmp_path, chapters)["runs"].splitlines()
    assert lines[2] == "| [01_a](../notebooks/01_a.ipynb) | 2 | 61 | stored | 2026-01-02 | A |"
    assert lines[3].endswith("| made for this site | 2026-01-02 | B |")
    assert lines[4].endswith("| failed here | 2026-01-02 | A |")
    assert lines[5].endswith("| 2 |  | stored |  | C |")
    assert lines[7:] == ["* **A**: Abacus, 2 cores; python 3.11.7", "* **B**: Slide rule, 1 cores; python 3.11.7",
                         "* **C**: not recorded"]  # fmt: skip


def test_the_note_stands_below_the_title_and_only_where_something_failed():
    first = status_page.noted(shown(error="ValueError: no")).cells[0].source
    assert first.startswith("(ch-a)=\n# Title\n\n:::{warning}")
    assert "ValueError: no" in first
    assert first.endswith("Words.")
    assert status_page.noted(shown()).cells[0].source == "(ch-a)=\n# Title\n\nWords."


def test_without_a_complete_shake_the_page_says_so_and_with_one_it_has_the_table(tmp_path):
    assert status_page.shaken(tmp_path).startswith("No complete shake is recorded yet")
    (tmp_path / "book").mkdir()
    machine = dict.fromkeys(("chapters", "cells", "same", "printed", "without", "other", "failed"), 7) | {
        "what": "noise"
    }
    claim = {"chapter": "01_a", "claim": "a < b", "mean": 1.0, "spread": 0.25, "least": 0.5, "margin": 4.0}
    summary = {"machines": {"noise-1": machine}, "claims": 9, "smallest": [claim]}
    (tmp_path / "book" / "shaken.json").write_text(json.dumps(summary))
    text = status_page.shaken(tmp_path)
    assert "| noise-1 | 7 | 7 | 7 | 7 | 7 | 7 | 7 | noise |" in text
    assert "| 4.0 | 1 | 0.25 | 01_a | `a < b` |" in text
