"""A chapter is known by its name: put between two others it moves numbers, and nothing else has to be told."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from small_books import CHAPTERS, ROOT, files

from tools.chapter import chapters, new_chapter, notebooks

RULES = ["book_map", "chapters", "glossary", "preface", "provenance", "readme", "reading", "runs_check", "self_test"]
RULES += ["studies", "live_directive"]
WHERE = {"README.md", "_toc.yml"}  # they link to files
TEXTS = (".py", ".md", ".toml", ".yml", ".js", ".css", ".in", ".sh", ".json", "")
NAMES = "|".join(chapters.name_of(path.stem) for path in CHAPTERS)


def test_the_number_of_a_chapter_stands_in_its_file_name_and_where_files_are_linked():
    numbered = re.compile(rf"\b(?:\d\d|[A-Z])_(?:{NAMES})\b|\b[Cc]hapters? (?:\*\*)?\d")
    # of another book; of a test
    allowed = re.compile(r"\{cite:\w+\}|\[chapter \d+\]\(\.\./notebooks/|\(Chapter \d+\)\*$")
    searched = [name for name in files() if Path(name).suffix in TEXTS and name not in WHERE]
    assert len(searched) > 400
    for name in searched:
        if not name.startswith("book/runs/"):
            lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
            assert [line for line in lines if numbered.search(line) and not allowed.search(line)] == [], name


@pytest.fixture
def copied(tmp_path):
    """A copy of the book."""
    root = tmp_path / "book"
    for name in files():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


def rules(root):
    """What the rules of the book say of the chapters of `root`: the names of the tests that fail."""
    files = [f"tests/book/test_{name}.py" for name in RULES]
    command = [sys.executable, "-m", "pytest", *files, "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True)
    return set(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)), done.stdout


def test_a_chapter_between_two_others_breaks_only_the_rules_that_ask_for_its_content(copied):
    tool = [sys.executable, "tools/chapter/new_chapter.py", "weight_averaging", "big_batches"]
    subprocess.run(tool, cwd=copied, env=os.environ | {"PYTHONPATH": str(copied)}, check=True)
    stems = [path.stem for path in notebooks.chapters(copied)]
    names = ("big_batches", "weight_averaging", "carrying_a_rate", "lars")
    first = int(notebooks.find("big_batches").stem[:2])
    assert stems[first - 1 : first + 3] == [f"{number:02d}_{name}" for number, name in enumerate(names, first)]
    assert len(stems) == len(CHAPTERS) + 1
    failed, output = rules(copied)
    assert failed == {
        "tests/book/test_glossary.py::test_every_chapter_has_built_a_word",
        "tests/book/test_preface.py::test_what_is_said_of_the_checks_is_what_the_book_has",  # that it names pitfalls
    }, output
    readme = (copied / "README.md").read_text()
    assert (
        f"| {first + 1} | [Weight averaging](notebooks/{stems[first]}.ipynb) |\n"
        f"| {first + 2} | [Carrying a learning rate](notebooks/{stems[first + 1]}.ipynb) |" in readme
    )


@pytest.mark.parametrize(
    ("name", "after", "line"),
    [
        ("Rates", "sgd", "NAME must be of small letters"),
        ("lamb", "sgd", "NAME must be new, got 'lamb'"),
        ("rates", "sdg", "no chapter 'sdg'; there are loss_and_gradient, sgd"),
        ("rates", "toolbox", "AFTER must be a numbered chapter, got 'toolbox'"),
    ],
)
def test_what_is_no_chapter_is_refused_and_nothing_moves(name, after, line):
    with pytest.raises(ValueError, match=line):
        new_chapter.insert(ROOT, name, after)
    assert [path.stem for path in CHAPTERS] == [md.stem for md in notebooks.chapters()]
