"""Plain `pytest --nbval` on a chapter compares what make compares."""

import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from small_books import ROOT

import notebooks

DRAWN = """\
from IPython.display import SVG, display
display(SVG("<svg xmlns='http://www.w3.org/2000/svg' width='{width}'></svg>"))
print("{word}")"""


@pytest.mark.parametrize(("width", "word", "fails"), [(1, "same", False), (2, "same", False), (1, "other", True)])
def test_a_picture_may_differ_in_its_last_digits_and_a_text_may_not(small_book, width, word, fails):
    for name in ("conftest.py", "tools/steady_kernels.py"):
        (small_book / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, small_book / name)
    path = small_book / "notebooks" / "01_a.ipynb"
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(DRAWN.format(width=1, word="same"))])
    nb.cells[0].outputs = [
        nbformat.v4.new_output(
            "display_data", {"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' width='1'/>"}
        ),
        nbformat.v4.new_output("stream", text="same\n"),
    ]
    nb.cells[0].outputs[0].data["text/plain"] = "<IPython.core.display.SVG object>"
    nb.cells[0].source, nb.cells[0].execution_count = DRAWN.format(width=width, word=word), 1
    notebooks.write(nb, path)
    command = [sys.executable, "-m", "pytest", "--nbval", "notebooks/01_a.ipynb", "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=small_book, env=environment, capture_output=True, text=True)
    assert done.returncode == fails, done.stdout + done.stderr
