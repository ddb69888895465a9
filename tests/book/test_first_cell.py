"""The first cell of every chapter: alone it fetches the book, in a clone it only finds the book's folder."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from small_books import ROOT, cell, git, markdown, notebook

from tools.chapter import chapters, first_cell, notebooks, provenance

CODE = first_cell.source(ROOT)
PLACES = """
import minilib
print(minilib.__file__, os.getcwd(), minilib.__doc__.split()[0])
subprocess = __import__("subprocess")
print(subprocess.run([sys.executable, "-c", "import minilib; print(minilib.__file__)"], capture_output=True).stdout)
"""


def test_every_chapter_begins_with_it(chapter):
    nb = notebooks.source(chapter.with_suffix(".md"))
    code = [c for c in nb.cells if c.cell_type == "code"]
    assert [chapters.FETCH in chapters.tags(c) for c in code] == [True] + [False] * (len(code) - 1)
    assert code[0].source == CODE, "make format"
    assert {"remove-cell", chapters.FETCH} == chapters.tags(code[0])


def test_it_is_put_before_the_first_code_and_renewed_and_nothing_else_is_touched():
    code = "```{code-cell} ipython3\n---\ntags: [remove-cell]\n---\n1\n```"
    text = f"---\na: b\n---\n\n# A\n\nWords  \n\n{code}\n\nMore.\n"
    once = first_cell.placed(text, "old")
    (block,) = re.findall(r"```\{code-cell\} ipython3\n---\ncellView(?s:.*?)old\n```\n\n", once)
    assert once.index(block) < once.index("\n1\n")
    assert once.replace(block, "") == text
    assert first_cell.placed(once, "old") == once
    assert first_cell.placed(once, "new") == first_cell.placed(text, "new")


def test_the_rules_and_the_digests_do_not_count_it_and_another_address_needs_no_new_run():
    first = cell("old", tags=["remove-cell", chapters.FETCH])
    second = cell("1", "1", count=2)
    with_it, without = notebook(first, second), notebook(second)
    assert chapters.code(with_it) == [second]
    assert provenance.cells_digest(with_it) == provenance.cells_digest(without)
    new = notebook(markdown("A"), cell("new", count=None, tags=[chapters.FETCH]), cell("1", count=None))
    assert [c.get("execution_count") for c in notebooks.with_outputs(new, with_it).cells] == [None, 1, 2]


def test_the_address_and_the_version_stand_in_it(tmp_path):
    (tmp_path / "minilib").mkdir()
    (tmp_path / "minilib" / "__init__.py").write_text('"""A."""\n\n__version__ = "2.5.1"\n')
    (tmp_path / "_config.yml").write_text("repository:\n  url: https://github.com/someone/a-book\n")
    assert '"https://github.com/someone/a-book"' in first_cell.source(tmp_path)
    assert " -b v2.5.1 " in first_cell.source(tmp_path)


# What the cell does, in a Python of its own.

EXTRAS = "{torch = [], train = [], book = [], prove = []}"
PROJECT = f'[project]\ndependencies = ["numpy"]\noptional-dependencies = {EXTRAS}\n'


@pytest.fixture
def public(tmp_path):
    """A repository of a small book whose minilib is newer than its tag."""
    root = tmp_path / "public"
    for folder in ("minilib", "notebooks"):
        (root / folder).mkdir(parents=True)
    shutil.copy(ROOT / "minilib" / "colab.py", root / "minilib")
    (root / "pyproject.toml").write_text(PROJECT)
    (root / "notebooks" / "01_a.md").write_text("# A\n")
    git(root, "init", "-q")
    for state in ("tagged", "newer"):
        (root / "minilib" / "__init__.py").write_text(f'"""{state}"""\n')
        git(root, "add", ".")
        git(root, "commit", "-qm", state)
        git(root, "tag", first_cell.tag(ROOT) if state == "tagged" else "other")
    return root


def run(folder, **variables):
    """Run the cell, and one that prints where minilib is, in `folder`."""
    folder.mkdir(exist_ok=True)
    script = folder.parent / "cells.ipy"
    script.write_text(CODE + PLACES)
    known = {name: value for name, value in os.environ.items() if name not in ("BOOK_ADDRESS", "PYTHONPATH")}
    command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "--quick", str(script)]
    return subprocess.run(command, cwd=folder, env=known | variables, capture_output=True, text=True)


@pytest.mark.parametrize("fetched", ["tagged", "newer"])
def test_alone_it_fetches_the_tag_or_else_the_default_branch_and_goes_on_in_the_clone(fetched, public, tmp_path):
    if fetched == "newer":
        git(public, "tag", "-d", first_cell.tag(ROOT))
    book = tmp_path / "empty" / "book"
    module = book / "minilib" / "__init__.py"
    for _ in range(2):  # a kernel that was started anew finds the clone
        done = run(tmp_path / "empty", BOOK_ADDRESS=public.as_uri())
        assert done.stdout.splitlines()[0] == f"{module} {book / 'notebooks'} {fetched}", done.stdout + done.stderr
        assert str(module) in done.stdout.splitlines()[1]


@pytest.mark.skipif(bool(first_cell.address(ROOT)), reason="the book has an address")
def test_without_an_address_it_asks_for_one_and_fetches_nothing(tmp_path):
    done = run(tmp_path / "empty")
    assert "AssertionError: write the address of the book's repository" in done.stdout + done.stderr
    assert not (tmp_path / "empty" / "book").exists()


def test_in_a_clone_it_finds_the_library_and_prints_nothing(public):
    done = run(public / "notebooks")
    assert done.stdout.splitlines()[0] == f"{public / 'minilib' / '__init__.py'} {public / 'notebooks'} newer"
    assert {path.name for path in (public / "notebooks").iterdir()} == {"01_a.md"}
    assert done.stderr == ""
