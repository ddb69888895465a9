"""Printed tables, and numbers for the text."""

import pytest

from minilib.pages import glue_all, print_table


def test_columns_are_as_wide_as_their_widest_cell(capsys):
    print_table([("LAMB", "3.1", 12), ("SGD", "10.25", 7)], heads=("", "ms", "runs"))
    assert capsys.readouterr().out.splitlines() == [
        "         ms  runs",
        "LAMB    3.1    12",
        "SGD   10.25     7",
    ]


def test_rows_of_two_lengths_are_refused_and_nothing_is_printed(capsys):
    with pytest.raises(ValueError, match=r"must be of one length, got \[2, 3\] cells"):
        print_table([("a", "b"), ("c", "d", "e")])
    assert capsys.readouterr().out == ""


def test_every_number_is_glued_under_its_name_unseen(monkeypatch):
    import myst_nb

    glued = {}
    monkeypatch.setattr(myst_nb, "glue", lambda name, value, display: glued.update({name: (value, display)}))
    glue_all({"a": 1, "b": "two"})
    assert glued == {"a": (1, False), "b": ("two", False)}
