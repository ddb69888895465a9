"""Chapters that run on their pages: which, with what, and what runs their cells; all without Pyodide."""

import base64
import hashlib
import io
import json
import re
import subprocess
import sys
import threading
import time
import zipfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from sphinx.errors import ExtensionError

from tools.chapter import chapters, notebooks, provenance
from tools.check import browser_test
from tools.pages import browser_pack, docstring_text, running_pages, status_page

ROOT = running_pages.ROOT
RUNNABLE = running_pages.runnable()
SGD, LOSS = (notebooks.find(name).stem for name in ("sgd", "loss_and_gradient"))


def test_parts_one_and_two_run_and_nothing_that_needs_torch_or_a_prover_does():
    names = [chapters.name_of(stem) for stem in RUNNABLE]
    first = ["loss_and_gradient", "sgd", "momentum", "adam", "schedules"]
    second = ["big_batches", "carrying_a_rate", "lars", "lamb"]
    assert names == [*first, *second, "came", "landscape", "optimizers_at_a_glance", "the_rule_for_ties"]
    assert RUNNABLE[SGD] == ["matplotlib", "numpy", "scipy"]
    assert [stem for stem, needed in RUNNABLE.items() if "sympy" in needed] == [LOSS]
    reading = [stem for stem in RUNNABLE if running_pages.reads_prose(chapters.stored(ROOT)[stem])]
    assert [chapters.name_of(stem) for stem in reading] == ["adam", "lamb", "came", "landscape"]


@pytest.mark.parametrize(
    ("code", "inside", "expected"),
    [
        ("import a.b, c\nfrom d.e import f", False, "a c d"),
        ("with x:\n    import a\nif y:\n    import b\nclass C:\n    import c", False, "a b c"),
        ("def f():\n    import a", False, ""),
        ("def f():\n    with x:\n        import a", True, "a"),
        ("from . import a", True, ""),
    ],
)
def test_imports_are_found_where_they_happen(code, inside, expected):
    tree = running_pages.ast.parse(code)
    assert sorted({*running_pages.imports(tree.body, inside)}) == expected.split()


def test_every_file_of_pyodide_is_recorded_with_a_checksum_and_none_without_need():
    recorded = running_pages.pyodide()
    files = {file for files in recorded["packages"].values() for file in files}
    assert files == {*recorded["sha256"]} == {*recorded["kilobytes"]}
    assert all(re.fullmatch(r"[0-9a-f]{64}", one) for one in recorded["sha256"].values())
    assert all(recorded["kilobytes"].values())
    assert recorded["version"] in recorded["address"]
    assert running_pages.wanted(["numpy"], recorded)[:5] == browser_pack.CORE


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """The book's files as a browser unpacks them; equal files give equal bytes, without a clock."""
    folder, content = tmp_path_factory.mktemp("book"), running_pages.book_zip(ROOT, RUNNABLE)
    assert content == running_pages.book_zip(ROOT, RUNNABLE)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        archive.extractall(folder)
    return folder


def run(folder, *sources):
    """What `cells.run` gives for these cells, one after the other, in a Python that has nothing but these files."""
    code = "import json, sys, cells; cells.prepare(); sources = json.load(sys.stdin); "
    code += "print(json.dumps([json.loads(cells.run(s, f'cell {k}')) for k, s in enumerate(sources)]))"
    command = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"]
    done = subprocess.run(command, input=json.dumps(sources), capture_output=True, text=True, check=True, cwd=folder)
    return json.loads(done.stdout)


def test_the_zip_imports_and_its_digits_are_those_of_the_library(packed):
    digits = "from minilib import data; import hashlib; d = data.digits()\n"
    digits += "print(*(hashlib.sha256(a.tobytes()).hexdigest() for a in d))"
    own = subprocess.run([sys.executable, "-c", digits], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    first = "import minilib, sklearn, IPython; print(minilib.__file__, sklearn.__spec__, hasattr(IPython, 'embed'))"
    cells = run(packed, first, digits, "from minilib.pages import glue_all; glue_all({'a': 1.5})")
    assert [cell["error"] for cell in cells] == ["", "", ""]
    assert cells[0]["text"] == f"{packed}/minilib/__init__.py None False\n"
    assert cells[1]["text"] == own


def test_a_cell_gives_its_text_its_last_value_its_figures_and_its_error(packed):
    draw = "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\nplt.show()"
    warn = "import warnings; warnings.warn('careful')"
    fail = "def f(x):\n    return 1 / x\n\nprint('before')\nf(0)"
    cells = run(
        packed, "x = 6\nprint('six')\nx * 7", "None", draw, "x", warn, fail, "import sys; sys.exit(3)", "f(1)", "("
    )
    assert [cell["text"] for cell in cells] == ["six\n42\n", "", "", "6\n", "", "before\n", "", "1.0\n", ""]
    assert [len(cell["pictures"]) for cell in cells] == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert cells[2]["pictures"][0].lstrip().startswith("<?xml")
    assert "careful" in cells[4]["said"]
    lines = cells[5]["error"].splitlines()
    assert lines[0].endswith('File "<cell 5>", line 5, in <module>')
    assert "return 1 / x" in cells[5]["error"]
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "cells.py" not in cells[5]["error"]
    assert [bool(cell["error"]) for cell in cells] == [False] * 5 + [True, True, False, True]


def test_the_docstrings_are_those_that_were_packed_or_one_line_says_that_they_are_missing(packed):
    ask = "from minilib.data import docstrings; docstrings().train"
    (cell,) = run(packed, ask)
    assert cell["error"].endswith("this copy of the pages was built without the text of the docstrings")
    corpus = {"train": "one", "validation": "two", "sources": {}, "counts": {}, "packages": {}}
    (packed / "docstrings.json").write_text(json.dumps(corpus))
    (cell,) = run(packed, ask)
    (packed / "docstrings.json").unlink()
    assert (cell["text"], cell["error"]) == ("'one'\n", "")


def test_text_of_other_packages_goes_with_their_licences_or_not_at_all(monkeypatch):
    texts = re.split(r"\n== ([\w-]+) .*", docstring_text.licences(["numpy", "torch"]))
    assert texts[0].startswith(docstring_text.NOTICE)
    for package, holder in {"numpy": "NumPy Developers", "torch": "Facebook, Inc"}.items():
        licence = texts[texts.index(package) + 1]
        assert "Redistributions of source code must retain the above copyright" in licence
        assert holder in licence
    monkeypatch.setattr(docstring_text, "LICENCE", re.compile("nothing"))
    with pytest.raises(ValueError, match=r"numpy [\d.]+ brings no licence"):
        docstring_text.licences(["numpy"])


@pytest.fixture
def pip(monkeypatch):
    """What pip does where the packages of the docstrings are not those of the lock; set to a function."""
    monkeypatch.setattr(docstring_text, "locked", lambda packages: dict.fromkeys(packages, "0.0.1"))
    return lambda function: monkeypatch.setattr(docstring_text.subprocess, "run", function)


def test_where_the_packages_are_missing_the_text_is_what_was_kept_of_wheels(pip, tmp_path):
    def wheels(command, **options):
        Path(command[-1]).mkdir()
        for name in docstring_text.FILES:
            Path(command[-1], name).write_text(f"of {name}")
        return subprocess.CompletedProcess(command, 0)

    for downloads in (wheels, None):  # the second time nothing is downloaded
        pip(downloads)
        assert docstring_text.text(tmp_path) == ("of docstrings.json", "of prose-licences.txt")


def test_what_is_fetched_early_is_fetched_once(pip, monkeypatch, tmp_path):
    begun, downloads = threading.Event(), []

    def wheels(command, **options):
        begun.set()
        downloads.append(command)
        time.sleep(0.2)  # whoever does not wait comes too early now
        Path(command[-1]).mkdir()
        for name in docstring_text.FILES:
            Path(command[-1], name).write_text(name)
        return subprocess.CompletedProcess(command, 0)

    pip(wheels)
    monkeypatch.setattr(docstring_text, "text", partial(docstring_text.text, tmp_path))
    docstring_text.fetch_early()
    assert begun.wait(10)
    assert docstring_text.text() == docstring_text.FILES
    assert len(downloads) == 1


def test_a_site_without_the_text_is_not_built_and_a_look_goes_without(pip, monkeypatch, tmp_path):
    monkeypatch.setattr(docstring_text, "text", partial(docstring_text.text, tmp_path))
    pip(lambda *command, **options: subprocess.CompletedProcess([], 1, stderr="ERROR: no torch\n\n"))
    page = SimpleNamespace(srcdir=ROOT, config=SimpleNamespace(), runnable_chapters=RUNNABLE)
    running_pages.make_scripts(page)
    assert [*page.running_scripts] == ["book.js"]
    page.config.shown_outputs = "a folder"
    with pytest.raises(ExtensionError, match="wheels cannot be had here: ERROR: no torch; make .venv/.ready"):
        running_pages.make_scripts(page)


def test_a_chapter_tells_its_page_all_its_cells_but_the_one_that_fetches_the_book():
    nb = chapters.stored(ROOT)[SGD]
    given = running_pages.chapter(nb, RUNNABLE[SGD], running_pages.pyodide())
    assert [cell["source"] for cell in given["cells"]] == [cell.source for cell in chapters.code(nb)]
    assert [nb.cells[cell["number"]].source for cell in given["cells"]] == [cell["source"] for cell in given["cells"]]
    assert sum(bool(cell["text"]) for cell in given["cells"]) > 30
    assert sum(cell["pictures"] for cell in given["cells"]) >= 10
    assert {*given["sums"]} == {*running_pages.wanted(RUNNABLE[SGD], running_pages.pyodide())}


def test_a_pack_is_what_is_recorded_or_nothing(tmp_path):
    html, pack, kept = tmp_path / "html", tmp_path / "pack", tmp_path / "kept"
    (html / "_static" / "run").mkdir(parents=True)
    pack.mkdir()
    recorded = {"version": "1", "address": "file:///nowhere/", "sha256": {"a.js": hashlib.sha256(b"a").hexdigest()}}
    with pytest.raises(ValueError, match="there is no site in .* make book"):
        browser_pack.put(html, recorded, pack, kept)
    (html / "_static" / "run" / "book.js").touch()
    with pytest.raises(ValueError, match=r"has no a\.js; it must hold the files of Pyodide 1"):
        browser_pack.put(html, recorded, pack, kept)
    (pack / "a.js").write_bytes(b"b")
    with pytest.raises(ValueError, match="has the checksum"):
        browser_pack.put(html, recorded, pack, kept)
    assert not (html / "_static" / "run" / "pack" / "pack.js").exists()
    (pack / "a.js").write_bytes(b"a")
    assert browser_pack.put(html, recorded, pack, kept) == 1
    script = (html / "_static" / "run" / "pack" / "a.js.js").read_text()
    assert base64.b64decode(re.fullmatch(r'BookRun\.put\("a\.js", "(.+)"\);\n', script)[1]) == b"a"
    with pytest.raises(ValueError, match="cannot be fetched"):
        browser_pack.put(html, recorded, None, kept)
    (kept / "a.js").parent.mkdir()
    (kept / "a.js").write_bytes(b"a")
    assert browser_pack.put(html, recorded, None, kept) == 1
    (pack / "a.js").write_bytes(b"other")
    assert browser_pack.unchecked(html) == []
    assert browser_pack.put(html, recorded, None, kept, other=pack) == 5
    assert browser_pack.unchecked(html) == ["a.js"]


def test_what_a_run_in_the_browser_violates():
    good = {"error": "", "said": "Your output is the same as ours.", "text": "a", "expected": "a"}
    good |= {"pictures": 1, "drawn": 1}
    rows = [
        ("of 2 cells", 2, {}, []),
        ("ends with an error", 1, {"error": "No"}, []),
        ("prints", 1, {"said": "Your output differs from ours:"}, []),
        ("draws 0 figures", 1, {"pictures": 0}, []),
        ("asked for", 1, {}, ["http://elsewhere"]),
    ]
    assert browser_test.violations("sgd", 1, "", {1: good}, []) == []
    for words, number, change, outside in rows:
        (violation,) = browser_test.violations("sgd", number, "", {1: good | change}, outside)
        assert words in violation


def test_a_chapter_is_run_again_when_its_last_run_failed_or_what_it_reads_has_changed(tmp_path):
    nb, file = nbformat.v4.new_notebook(), tmp_path / "a.py"
    file.write_text("1")
    run = provenance.record(tmp_path, nb, {"a.py"}, 90) | {"wrong": [], "run": 3, "of": 3, "same": 2, "differ": 1}
    run |= {"versions": {"Pyodide": "1"}, "processor": "Abacus", "made": "2026-01-02", "unchecked": ["b.whl"]}
    shown = {"01_a": SimpleNamespace(nb=nb)}

    def line(**other):
        provenance.save(tmp_path / running_pages.RECORDS, "a", run | other)
        return status_page.in_browser(tmp_path, shown).splitlines()[2]

    assert status_page.in_browser(tmp_path, shown) == "No run in a browser is recorded."
    assert line() == "| [01_a](../notebooks/01_a.ipynb) | 3 | 2 | 1 | 1.5 | 2026-01-02 | as here |"
    assert line(wrong=["cell 1"], run=2).endswith("| 2 of 3 | 2 | 1 | 1.5 | 2026-01-02 | not as here |")
    assert running_pages.changed(tmp_path, nb, run) == []
    file.write_text("2")
    assert line().endswith("| changed since |")
    assert running_pages.changed(tmp_path, nb, run | {"wrong": ["it"]}) == ["1 things were wrong", "a.py changed"]
    assert status_page.in_browser(tmp_path, shown).endswith("of the same version on PyPI: b.whl.")
