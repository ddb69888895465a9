"""Runs a test that asks for `chapter` on every chapter, and lends `small_book`, a book to break."""

import shutil

import pytest
from small_books import CHAPTERS, ROOT, write_chapter


def pytest_generate_tests(metafunc):
    """A test that asks for `chapter` runs once for each chapter of the book."""
    if "chapter" in metafunc.fixturenames:
        metafunc.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)


@pytest.fixture
def small_book(tmp_path, monkeypatch):
    """A book of two pages with the real settings and its own copy of a one-line minilib, which its chapters import."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for folder in ("book", "notebooks", "minilib"):
        (tmp_path / folder).mkdir()
    for name in ("_config.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copy(ROOT / "notebooks" / "jupytext.toml", tmp_path / "notebooks")
    for folder in ("_static", "figures"):
        shutil.copytree(ROOT / "book" / folder, tmp_path / "book" / folder)
    (tmp_path / "book" / "index.md").write_text("# Preface\n\nWords.\n")
    (tmp_path / "book" / "references.bib").write_text(
        "@book{known, title={T}, author={Ann Author}, publisher={P}, year={2000}}\n"
    )
    (tmp_path / "minilib" / "__init__.py").write_text('WORD = "apricot"\n')
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nparts:\n"
        "- caption: Part\n  numbered: true\n  chapters:\n  - file: notebooks/01_a\n"
    )
    write_chapter(tmp_path)
    return tmp_path
