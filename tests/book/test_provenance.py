"""The record of a chapter's run: what it read is found out while it runs, and any change of it is noticed."""

import os
import re

import pytest
from small_books import CHAPTERS, ROOT, cell, notebook, write_chapter

from tools.chapter import chapters, notebooks, provenance


def test_the_stored_outputs_of_every_chapter_are_of_today():
    stale = {path.stem: why for path in CHAPTERS if (why := notebooks.stale(path.with_suffix(".md")))}
    assert stale == {}, "run: make notebook"


def test_there_is_a_record_for_every_chapter_and_no_other():
    records = {path.stem for path in (ROOT / provenance.FOLDER).glob("*.json")}
    assert records == {chapters.name_of(path.stem) for path in CHAPTERS}


READS = """\
import subprocess, sys
from pathlib import Path
from minilib import WORD
Path("../book/runs.json").read_text()
subprocess.run([sys.executable, "-c", "open('../studies.txt').read()"], check=True)
Path("../written.txt").write_text("x")
"""


@pytest.fixture
def executed(small_book):
    """A chapter that reads a module, a file, and another file in a process that it starts."""
    for name in ("book/runs.json", "studies.txt"):
        (small_book / name).write_text("1")
    write_chapter(small_book, code=READS)
    notebooks.run(small_book / "notebooks" / "01_a.md")
    return small_book


def test_modules_files_and_what_a_started_process_reads_are_recorded(executed):
    run = provenance.load(executed / provenance.FOLDER, "01_a")
    assert [*run["reads"]] == ["book/runs.json", "minilib/__init__.py", "studies.txt"]
    assert {"made", "seconds", "processor", "versions", "cells", "reads"} == set(run)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", run["made"])
    assert run["versions"]["python"].startswith("3.")


def test_a_change_of_anything_that_was_read_of_code_and_of_outputs_and_a_lost_record_are_noticed(executed):
    md = executed / "notebooks" / "01_a.md"
    ipynb = md.with_suffix(".ipynb")
    for name in provenance.load(executed / provenance.FOLDER, "01_a")["reads"]:
        path = executed / name
        old = path.read_bytes()
        path.write_bytes(old.replace(b"\n", b"\r\n"))
        assert notebooks.stale(md) == []
        path.write_text("other")
        assert notebooks.stale(md) == [f"{name} changed"]
        path.unlink()
        assert notebooks.stale(md) == [f"{name} is gone"]
        path.write_bytes(old)
    write_chapter(executed, code=READS + "print(2)")
    assert notebooks.stale(md) == ["the code in 01_a.md changed"]
    write_chapter(executed, code=READS)
    text, printed = ipynb.read_text(), '{"output_type": "stream", "name": "stdout", "text": "x"}'
    ipynb.write_text(text.replace('"outputs": [', f'"outputs": [{printed},', 1))
    assert notebooks.stale(md) == ["its cells or their outputs changed"]
    ipynb.write_text(text)
    provenance.path(executed / provenance.FOLDER, "01_a").unlink()
    assert notebooks.stale(md) == ["no run of it is recorded"]
    ipynb.unlink()
    assert notebooks.stale(md) == ["it was never executed"]


def test_another_version_of_a_library_that_computes_is_noticed_and_one_of_a_tool_is_not(executed):
    md, lock = executed / "notebooks" / "01_a.md", executed / provenance.LOCK
    numpy = provenance.load(executed / provenance.FOLDER, "01_a")["versions"]["numpy"]
    for text in (f"numpy=={numpy} \\\n", f"numpy=={numpy}\npytest==1.0\n", "numpy-financial==1.0\n"):
        lock.write_text(text)
        assert notebooks.stale(md) == []
    lock.write_text("scipy==1\nnumpy==0.5.1 \\\n    --hash=sha256:00\n")
    assert f"numpy is 0.5.1 and was {numpy}" in notebooks.stale(md)


def test_a_build_of_torch_is_the_version_that_is_pinned(tmp_path):
    (tmp_path / provenance.LOCK).write_text("torch==2.13.0\n")
    assert provenance.changed_versions(tmp_path, {"versions": {"torch": "2.13.0+cpu"}}) == []
    changed = provenance.changed_versions(tmp_path, {"versions": {"torch": "2.12.1+cpu"}})
    assert changed == ["torch is 2.13.0 and was 2.12.1"]


def test_words_are_not_part_of_the_digest_and_code_and_outputs_are():
    digests = [
        provenance.cells_digest(notebook(c)) for c in (cell("1"), cell("2"), cell("1", "printed"), cell("1", count=7))
    ]
    assert len(set(digests)) == 3
    assert digests[0] == digests[3]


@pytest.mark.skipif(os.name == "nt", reason="Windows does not count the time of ended processes")
def test_the_seconds_of_a_run_are_the_processors(small_book):
    write_chapter(small_book, code="import time\ntime.sleep(8)")
    notebooks.run(small_book / "notebooks" / "01_a.md")
    assert provenance.load(small_book / provenance.FOLDER, "01_a")["seconds"] < 8
