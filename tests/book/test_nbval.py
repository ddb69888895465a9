"""Plain `pytest --nbval` on a chapter compares what make compares."""

import os
import shutil
import subprocess
import sys

from nbformat.v4 import new_output
from small_books import ROOT, cell, notebook

from tools.chapter import notebooks

DRAWN = """\
from IPython.display import SVG, display
display(SVG("<svg xmlns='http://www.w3.org/2000/svg' width='{}'></svg>"))
print("{}")"""
CHAPTERS = {"01_alike": (1, "same"), "02_last_digit": (2, "same"), "03_text": (1, "other")}  # the last one must fail


def test_a_picture_may_differ_in_its_last_digits_and_a_text_may_not(small_book):
    for name in ("conftest.py", "tools/check/steady_kernels.py"):
        (small_book / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, small_book / name)
    picture = {"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' width='1'/>"}
    picture |= {"text/plain": "<IPython.core.display.SVG object>"}
    for name, drawing in CHAPTERS.items():
        executed = cell(DRAWN.format(*drawing))
        executed.outputs = [new_output("display_data", picture), new_output("stream", text="same\n")]
        notebooks.write(notebook(executed), small_book / "notebooks" / f"{name}.ipynb")
    command = [sys.executable, "-m", "pytest", "--nbval", "notebooks", "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=small_book, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert ["03_text" in line for line in failed] == [True], done.stdout + done.stderr
    assert "2 passed" in done.stdout
