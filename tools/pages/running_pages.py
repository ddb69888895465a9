"""A Sphinx extension: the chapters that can run on their page get a button, and what they need lies beside the pages.

A chapter can run in a browser when all that its cells and the modules it reads import is the book, Python's library, or
a package of `book/_static/run/pyodide.json`; scikit-learn's digits and IPython have stand-ins (`cells.py`). The record
of a chapter's run says what it reads. `book/_static/run/page.js` is the script of the button, and tells the rest.

Written into `_static/run`: `cells/NAME.js`, the code of a chapter's cells and what they printed; `book.js`, one zip of
all files that these chapters read; and, where one reads them, `prose.js`, the text of the docstrings, with
`prose-licences.txt`, the licences of the packages that it is from (`docstring_text.py`). A site that cannot carry the
text is not built; a look at one page goes without. Equal files give equal bytes. Deliberately absent: Pyodide itself,
which comes from its own address, or from the pack that `make browser` puts there (`browser_pack.py`).
"""

import ast
import base64
import functools
import io
import json
import math
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

from tools import ROOT
from tools.chapter import chapters, notebooks, provenance
from tools.pages import docstring_text

RUN = Path("book") / "_static" / "run"
RECORDS = Path("book") / "in_browser"  # of `browser_test.py`
OURS = {"minilib", "studies", "proofs", "benchmarks"}
STAND_INS = {"IPython", "sklearn"}
# Chapters that need a later version of a package than Pyodide has.
TOO_NEW = {"reality_check"}  # scipy.stats.qmc's `rng`, SciPy 1.15
PROSE = r"docstrings\(|Words|same_corpus"  # in the code of a chapter that reads the docstrings
SAID = {"same": "same as ours", "differ": "differs from ours", "varied": "from machine to machine"}  # by page.js
# Files that lie elsewhere in the browser than here.
MOVED = {RUN / "cells.py": "cells.py", Path("book/figures/lab/5-digits.js"): "digits.js"}


def pyodide() -> dict:
    """What is recorded of Pyodide: `version`, `address`, the files of `packages`, their `sha256` and `kilobytes`."""
    return json.loads((ROOT / RUN / "pyodide.json").read_text(encoding="utf-8"))


def imports(body: Iterable[ast.stmt], inside: bool) -> Iterator[str]:
    """The packages that statements import; with `inside` also where it happens only when a function is called."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]
        elif inside or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imports(ast.iter_child_nodes(node), inside)


@functools.cache
def imported(text: str, inside: bool) -> frozenset[str]:
    """The packages that a module or a cell with this text imports; chapters read the same modules."""
    return frozenset(imports(ast.parse(text).body, inside))


def code(nb: nbformat.NotebookNode) -> Iterator[tuple[int, nbformat.NotebookNode]]:
    """The cells that run, with their numbers among all cells of the chapter."""
    for number, cell in enumerate(nb.cells):
        if cell.cell_type == "code" and chapters.FETCH not in chapters.tags(cell):
            yield number, cell


def reads(root: Path, name: str) -> list[str]:
    """The files that a chapter reads and that are there, as the record of its run has them; empty without a record."""
    run = provenance.load(root / provenance.FOLDER, name) or {}
    return [path for path in run.get("reads", {}) if (root / path).is_file()]


def inputs(root: Path, stem: str) -> set[str]:
    """All files that decide what a chapter prints in a browser, but for its own cells."""
    ours = [RUN / name for name in ("cells.py", "worker.js", "pyodide.json")]
    return {*reads(root, stem), *(path.as_posix() for path in (*ours, *MOVED))}


def changed(root: Path, nb: nbformat.NotebookNode, run: dict | None) -> list[str]:
    """Why the record of a chapter's run in a browser does not hold for this notebook; empty where it does."""
    failed = [f"{len(run['wrong'])} things were wrong"] if run and run["wrong"] else []
    return failed + provenance.stale(root, nb, run)


def packages(root: Path, md: Path) -> list[str] | None:
    """The packages that a chapter needs in a browser; None where it cannot run there."""
    needed = set()
    for _, cell in code(notebooks.source(md)):
        needed |= imported(cell.source, True)
    for path in reads(root, md.stem):
        if path.endswith(".py"):
            text = (root / path).read_text(encoding="utf-8")
            # what attacks and decides statements is imported when it is called, and these chapters call it
            needed |= imported(text, 'needs("prove")' in text)
    needed -= {*sys.stdlib_module_names, *OURS, *STAND_INS}
    known = pyodide()["packages"]
    recorded = provenance.load(root / provenance.FOLDER, md.stem) and chapters.name_of(md.stem) not in TOO_NEW
    return sorted(needed) if recorded and needed <= {*known} else None


def runnable(root: Path = ROOT) -> dict[str, list[str]]:
    """The chapters that can run on their page, by the name of their file, each with its packages."""
    needs = {md.stem: packages(root, md) for md in notebooks.chapters(root)}
    return {stem: needed for stem, needed in needs.items() if needed is not None}


def wanted(needed: list[str], recorded: dict) -> list[str]:
    """The files of Pyodide that these packages need, its core first."""
    return list(dict.fromkeys(file for name in ["core", *needed] for file in recorded["packages"][name]))


def printed(cell: nbformat.NotebookNode) -> str:
    """What a cell printed, when its output was stored."""
    return "".join(out.text for out in cell.outputs if out.output_type == "stream" and out.name == "stdout")


def chapter(nb: nbformat.NotebookNode, needed: list[str], recorded: dict) -> dict:
    """What the page of a chapter is told: its cells, its packages, and where Pyodide's files are."""
    cells = [
        {
            "number": number,
            "source": cell.source,
            "text": printed(cell),
            "pictures": sum("image/svg+xml" in out.get("data", {}) for out in cell.outputs),
            "varies": "nbval-ignore-output" in chapters.tags(cell),
        }
        for number, cell in code(nb)
    ]
    sums = {file: recorded["sha256"][file] for file in wanted(needed, recorded)}
    address = recorded["address"]
    return {"cells": cells, "packages": needed, "address": address, "sums": sums, "prose": reads_prose(nb)}


def reads_prose(nb: nbformat.NotebookNode) -> bool:
    """Whether cells read the docstrings. One that is overlooked fails in `make browser TEST=1`."""
    return any(re.search(PROSE, cell.source) for _, cell in code(nb))


def book_zip(root: Path, stems: Iterable[str]) -> bytes:
    """One zip of all that these chapters read, and of what runs their cells."""
    own = {path: root / path for stem in stems for path in ["pyproject.toml", *reads(root, stem)]}
    files = own | {inside: ROOT / path for path, inside in MOVED.items()}
    return zipped({inside: path.read_bytes() for inside, path in files.items()})


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip of these files that has no clock in it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    return packed.getvalue()


def given(name: str, content: bytes) -> str:
    """A script that hands a file to the page."""
    return f"BookRun.put({json.dumps(name)}, {json.dumps(base64.b64encode(content).decode())});\n"


class NumberCells(SphinxPostTransform):
    """Gives every code cell of a chapter that can run a class with its number, so that the page finds it."""

    default_priority = 198
    formats = ("html",)

    def run(self, **kwargs) -> None:
        if self.env.docname.split("/")[-1] in runnable_now(self.app):
            for node in self.document.findall(nodes.container):
                if node.get("nb_element") == "cell_code":
                    node["classes"].append(f"run-{node['cell_index']}")


def runnable_now(app) -> dict[str, list[str]]:
    """The chapters of this build that can run; found once."""
    if not hasattr(app, "runnable_chapters"):
        app.runnable_chapters = runnable(Path(app.srcdir))
    return app.runnable_chapters


def make_scripts(app) -> None:
    """What the pages load at the click, but for the cells: by the names of the files. ExtensionError: no text."""
    root, stems = Path(app.srcdir), runnable_now(app)
    files = {"book.js": given("book.zip", book_zip(root, stems))} if stems else {}
    if any(reads_prose(notebooks.source(md)) for md in notebooks.chapters(root) if md.stem in stems):
        try:
            text, notice = docstring_text.text()
        except ValueError as error:
            if getattr(app.config, "shown_outputs", ""):  # else it is a look at one page
                raise ExtensionError(f"{error}; make .venv/.ready installs the packages themselves") from None
        else:
            prose = given("prose.zip", zipped({"docstrings.json": text.encode()}))
            files |= {"prose.js": f"// prose-licences.txt\n{prose}", "prose-licences.txt": notice}
    app.running_scripts = files


def megabytes(scripts: dict[str, str], needed: list[str], prose: bool) -> float:
    """What a chapter loads at the click."""
    recorded = pyodide()
    loaded = [scripts["book.js"], scripts.get("prose.js", "") if prose else ""]
    return sum(recorded["kilobytes"][file] for file in wanted(needed, recorded)) / 1e3 + sum(map(len, loaded)) / 1e6


def add_button(app, page: str, template: str, context: dict, doctree) -> None:
    """The script and the style of the button, on the page of such a chapter alone, and what it says beforehand."""
    stem = page.split("/")[-1]
    if page.startswith("notebooks/") and stem in runnable_now(app):
        root = Path(app.srcdir)
        prose = reads_prose(notebooks.source(root / "notebooks" / f"{stem}.md"))
        size = megabytes(app.running_scripts, runnable_now(app)[stem], prose)
        told = {"data-chapter": stem, "data-size": f"{size:.0f}"}
        run = provenance.load(root / RECORDS, stem)
        if run and not run["wrong"]:
            told["data-minutes"] = str(math.ceil(run["seconds"] / 60))
        app.add_css_file("run/page.css")
        app.add_js_file("run/page.js", loading_method="defer", **told)


def write(app, exception) -> None:
    """What the pages load at the click."""
    if exception or app.builder.format != "html" or not runnable_now(app):
        return
    root, into = Path(app.srcdir), Path(app.outdir) / "_static" / "run"
    (into / "cells").mkdir(parents=True, exist_ok=True)
    for md in notebooks.chapters(root):
        needed = runnable_now(app).get(md.stem)
        if needed is not None:
            shown = Path(getattr(app.config, "shown_outputs", "") or md.parent) / f"{md.stem}.ipynb"
            nb = nbformat.read(shown if shown.exists() else notebooks.pair(md), as_version=4)
            text = f"BookRun.give({json.dumps(chapter(nb, needed, pyodide()))});\n"
            (into / "cells" / f"{md.stem}.js").write_text(text, encoding="utf-8")
    for name, script in app.running_scripts.items():
        (into / name).write_text(script, encoding="utf-8")


def setup(app) -> dict:
    app.add_post_transform(NumberCells)
    app.connect("builder-inited", make_scripts)
    app.connect("html-page-context", add_button)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
