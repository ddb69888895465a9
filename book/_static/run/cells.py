"""Runs the cells of a chapter in a reader's browser: `worker.js` calls `run`, in the Python that Pyodide makes there.

The chapters use very little of IPython and of scikit-learn: it stands here in a few lines, because the packages would
have to be loaded. Deliberately absent: magics, tables in HTML, and a limit of time; the page stops a cell by ending its
worker.
"""

import ast
import contextlib
import io
import json
import linecache
import logging
import os
import re
import sys
import traceback
import types
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent  # where the book lies
NAMES = {"__name__": "__main__"}  # what the cells have defined


def load_digits(return_X_y=True):
    """The scanned digits as scikit-learn has them, from the laboratory's file."""
    text = (ROOT / "digits.js").read_text(encoding="utf-8")
    pixels, labels = (re.search(rf'{name}: "(\w+)"', text)[1].encode() for name in ("pixels", "labels"))
    x = np.frombuffer(pixels, np.uint8).reshape(-1, 64) - float(ord("a"))
    return x, np.frombuffer(labels, np.uint8).astype(int) - ord("0")


def stand_in(name: str, **content) -> None:
    """A module of this name that has this content."""
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(content)


def prepare() -> None:
    """Goes where the chapters are, lets them import the book, and puts the stand-ins in place."""
    (ROOT / "notebooks").mkdir(exist_ok=True)
    os.chdir(ROOT / "notebooks")
    sys.path.insert(0, str(ROOT))
    os.environ["MPLBACKEND"] = "agg"
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it builds its list of fonts once
    warnings.filterwarnings("ignore", message=".*is non-interactive.*")  # of plt.show(): `pictures` shows them
    stand_in("IPython", version_info=(8, 24), get_ipython=lambda: None)
    stand_in("IPython.display", display=lambda *shown, **options: None)
    stand_in("IPython.core")
    stand_in("IPython.core.formatters", format_display_data=lambda value: ({}, {}))
    stand_in("sklearn")
    stand_in("sklearn.datasets", load_digits=load_digits)
    from minilib import data

    data.docstrings = read_docstrings


def read_docstrings(say=None):
    """The text of the docstrings as the book was made from, in the place of what is installed here."""
    from minilib.data import Docstrings

    path = ROOT / "docstrings.json"
    if not path.exists():
        raise FileNotFoundError("this copy of the pages was built without the text of the docstrings")
    return Docstrings(**json.loads(path.read_text(encoding="utf-8")))


def pictures() -> list[str]:
    """The figures that are open, as SVG; they are closed."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    import matplotlib.pyplot as plt

    drawn = []
    for number in plt.get_fignums():
        page = io.StringIO()
        plt.figure(number).savefig(page, format="svg", bbox_inches="tight", metadata={"Date": None})
        drawn.append(page.getvalue())
    plt.close("all")
    return drawn


def execute(source: str, file: str) -> None:
    """Runs a cell; the value of a last expression is printed, as a notebook shows it."""
    body = ast.parse(source, file).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), file, "exec"), NAMES)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), file, "eval"), NAMES)
        if value is not None:
            print(repr(value))


def message(error: BaseException, file: str) -> str:
    """The traceback of an error from the cell on, without the lines of this module."""
    frames = traceback.extract_tb(error.__traceback__)
    first = next((k for k, frame in enumerate(frames) if frame.filename == file), len(frames))
    called = traceback.format_list(frames[first:])
    return "".join([*called, *traceback.format_exception_only(error)]).strip()


def run(source: str, name: str) -> str:
    """Runs a cell that is called so in messages; returns JSON: `text` that it printed, `said` on the side (warnings),
    `pictures` as SVG, and `error`, empty where there was none."""
    file, out, err, failed = f"<{name}>", io.StringIO(), io.StringIO(), ""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # for the traceback
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            execute(source, file)
        except (Exception, SystemExit) as error:
            failed = message(error, file)
        drawn = pictures()
    return json.dumps({"text": out.getvalue(), "said": err.getvalue(), "pictures": drawn, "error": failed})
