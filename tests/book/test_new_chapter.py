"""A chapter is known by its name: put between two others it moves numbers, and nothing else has to be told."""

import os
import re
import shutil
import subprocess
import sys

import chapters
import new_chapter
import pytest
from small_books import CHAPTERS, ROOT

import notebooks

RULES = ["book_map", "chapters", "glossary", "notation", "preface", "proved", "readme", "runs_check", "self_test"]
RULES += ["studies", "live_directive"]
WHERE = {"README.md", "_toc.yml"}  # they link to files
NAMES = "|".join(chapters.name_of(path.stem) for path in CHAPTERS)


def tracked():
    """The texts of the repository but the chapters themselves."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".yml", ".js", ".css", ".in", ".sh", ".json", ""} and path.is_file():
            yield name, path.read_text(encoding="utf-8")


def test_the_number_of_a_chapter_stands_in_its_file_name_and_where_files_are_linked():
    numbered = re.compile(rf"\b(?:\d\d|[A-Z])_(?:{NAMES})\b|\b[Cc]hapters? (?:\*\*)?\d")
    book = re.compile(
        r"\{cite:\w+\}|\[chapter \d+\]\((?:\.\./)?notebooks/|\(Chapter \d+\)\*$"
    )  # another book's; two of the README
    found = {}
    for name, text in tracked():
        lines = [line for line in text.splitlines() if numbered.search(line) and not book.search(line)]
        if lines and name not in WHERE and not name.startswith("book/runs/"):
            found[name] = lines[0]
    assert found == {}


@pytest.fixture
def copied(tmp_path):
    """A copy of all that git tracks, and of what was added since."""
    root = tmp_path / "book"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
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
    tool = [sys.executable, "tools/new_chapter.py", "carrying_a_rate", "big_batches"]
    subprocess.run(tool, cwd=copied, env=os.environ | {"PYTHONPATH": str(copied)}, check=True)
    files = [path.stem for path in notebooks.chapters(copied)]
    assert files[4:8] == [
        f"{n:02d}_{name}" for n, name in enumerate(("big_batches", "carrying_a_rate", "lars", "lamb"), 5)
    ]
    assert len(files) == len(CHAPTERS) + 1
    failed, said = rules(copied)
    assert failed == {
        "tests/book/test_glossary.py::test_every_chapter_has_built_a_word",
        "tests/book/test_preface.py::test_what_is_said_of_the_checks_is_what_the_book_has",  # that it names pitfalls
    }, said
    readme = (copied / "README.md").read_text()
    assert (
        f"| 6 | [Carrying a rate](notebooks/{files[5]}.ipynb) |\n| 7 | [LARS](notebooks/{files[6]}.ipynb) |" in readme
    )
    assert f"[chapter 16](notebooks/{files[15]}.ipynb)" in readme


@pytest.mark.parametrize(
    ("name", "after", "said"),
    [
        ("Rates", "sgd", "NAME must be of small letters"),
        ("lamb", "sgd", "NAME must be new, got 'lamb'"),
        ("rates", "sdg", "no chapter 'sdg'; there are loss_and_gradient, sgd"),
        ("rates", "toolbox", "AFTER must be a numbered chapter, got 'toolbox'"),
    ],
)
def test_what_is_no_chapter_is_refused_and_nothing_moves(name, after, said):
    with pytest.raises(ValueError, match=said):
        new_chapter.insert(ROOT, name, after)
    assert [path.stem for path in CHAPTERS] == [md.stem for md in notebooks.chapters()]
