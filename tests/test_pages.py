"""Printed tables, and numbers for the text."""

import subprocess
import sys

import numpy as np
import pytest

from minilib.pages import glue_all, print_table


def test_columns_are_as_wide_as_their_widest_cell_and_rows_of_two_lengths_are_refused(capsys):
    print_table([("LAMB", "3.1", 12), ("SGD", "10.25", 7)], heads=("", "ms", "runs"))
    assert capsys.readouterr().out.splitlines() == [
        "         ms  runs",
        "LAMB    3.1    12",
        "SGD   10.25     7",
    ]
    with pytest.raises(ValueError, match=r"must be of one length, got \[2, 3\] cells"):
        print_table([("a", "b"), ("c", "d", "e")])
    assert capsys.readouterr().out == ""


def test_glued_values_are_in_the_outputs_as_myst_nb_would_leave_them(monkeypatch):
    import IPython.display
    import myst_nb.ext.glue

    outputs = []
    for module, name in ((IPython.display, "display"), (myst_nb.ext.glue, "ipy_display")):
        monkeypatch.setattr(module, name, lambda *data, **how: outputs.append((data, how)))
    numbers = {"whole": 12, "broken": 0.25, "text": "1.5 %", "one of NumPy's": np.float64(0.1)}
    glue_all(numbers)
    ours = outputs[:]
    for name, value in (numbers | {"one of NumPy's": 0.1}).items():  # whose own repr is np.float64(0.1)
        myst_nb.glue(name, value, display=False)
    assert len(ours) == len(numbers)
    assert outputs == ours * 2


def test_gluing_needs_no_myst_nb():
    code = "import sys; sys.modules['myst_nb'] = None; from minilib.pages import glue_all; glue_all({'a': 1})"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
