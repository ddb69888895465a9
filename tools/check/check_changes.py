"""Checks what the changes since the last commit can break, in three minutes: what `make check` does.

    python tools/check/check_changes.py              since the last commit, files that git does not know yet included
    python tools/check/check_changes.py --since main

Lint; the cells of every changed chapter; and the tests that reach a changed module through their imports, the nearest
first, with those that RULES names for files that nobody imports. What did not fit
into the time is said at the end, and so are the tests that want built pages, and the chapters to be executed anew.
Deliberately absent: everything else; `make test` does it.
"""

import argparse
import ast
import subprocess
import sys
import time
from functools import cache
from itertools import chain
from pathlib import Path

from tools import ROOT
from tools.chapter import notebooks
from tools.check import run_tests

LIMIT = 180  # seconds
FAR = 99
# Where modules lie alone, and packages.
PATHS = "tools tools/check/imitation tests/book tests/site course/marking/tests benchmarks".split()
PACKAGES = ("minilib", "proofs", "studies", "tests", "benchmarks", "tools", "course")
RULES = {  # files whose names begin so, and the tests that read or run them
    "notebooks/": "book/test_chapters book/test_glossary book/test_preface book/test_reading",
    "studies/": "book/test_studies book/test_toy_studies",
    "benchmarks/": "test_benchmarks",
    "book/figures/": "book/test_live_directive",
    "book/glossary.md": "book/test_glossary",
    "book/quizzes/": "book/test_quizzes",
    "book/runs/": "book/test_runs_check book/test_live_directive",
    "course/assignments/": "marking/tests/test_sources marking/tests/test_answers",
    "course/exams/": "course/test_exams",
    "course/labs/": "course/test_labs",
    "course/projects/": "course/test_projects",
    "course/slides/": "course/test_syllabus course/test_plans",
    "proofs/": "proofs/test_rocq proofs/test_statements proofs/test_proof_pages",
}


def changed_files(since: str) -> set[str]:
    """What differs from the commit `since`, relative to the book's folder."""
    git = ["git", "-C", str(ROOT)]
    commands = ([*git, "diff", "--name-only", since], [*git, "ls-files", "--others", "--exclude-standard"])
    return {name for command in commands for name in lines(*command)}


def lines(*command: str) -> list[str]:
    """What a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def rewritten_chapters(changed: set[str], since: str) -> list[Path]:
    """The chapters with a file whose text no file had at the commit `since`: a number alone makes none of them."""
    git = ["git", "-C", str(ROOT)]
    known = {line.split()[2] for line in lines(*git, "ls-tree", "-r", since, "notebooks/")}
    files = sorted(name for name in changed if name.startswith("notebooks/") and (ROOT / name).exists())
    blobs = lines(*git, "hash-object", "--", *files) if files else []
    stems = {Path(name).stem for name, blob in zip(files, blobs, strict=True) if blob not in known}
    return [md for md in notebooks.chapters(ROOT) if md.stem in stems]


@cache
def modules() -> dict[str, Path]:
    """The Python files of the book by the names under which they are imported."""
    by_name = {}
    for folder in PATHS:
        for path in sorted((ROOT / folder).glob("*.py")):
            by_name.setdefault(path.stem, path)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            by_name[name.removesuffix(".__init__")] = path
    return by_name


@cache
def imported(path: Path) -> set[Path]:
    """The files of the book that a Python file imports; for a test also what its folder lends it (conftest, cases)."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:  # `from a import b` is both a and a.b
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    files = {modules()[name] for name in names & modules().keys()}
    if path.name.startswith("test_"):
        files |= {lent for lent in path.parent.glob("*.py") if not lent.name.startswith("test_")}
    return files


def near(start: Path, targets: set[Path]) -> int:
    """How many imports lie between a file and the nearest of the targets; FAR where none is reached."""
    known, edge, steps = {start}, {start}, 0
    while edge and not edge & targets:
        edge = set().union(*map(imported, edge)) - known
        known, steps = known | edge, steps + 1
    return steps if edge else FAR


@cache
def test_files() -> list[str]:
    """All files with tests, relative to the book's folder."""
    folders = [ROOT / "tests", ROOT / "course" / "marking" / "tests"]
    return sorted(path.relative_to(ROOT).as_posix() for folder in folders for path in folder.rglob("test_*.py"))


def by_rule(changed: set[str]) -> set[str]:
    """Test files of changes that no import shows: those of RULES, and those of figures, which name them."""
    wanted = [tests.split() for name in changed for start, tests in RULES.items() if name.startswith(start)]
    chosen = {name for name in test_files() if name.endswith(tuple(f"/{test}.py" for test in chain(*wanted)))}
    figures = [f'"{Path(name).parts[2].partition(".")[0]}"' for name in changed if name.startswith("book/figures/")]
    of_pages = [name for name in test_files() if "/site/" in name] if figures else []
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in of_pages}
    return chosen | {name for name, text in texts.items() if any(figure in text for figure in figures)}


def nearness(changed: set[str]) -> dict[str, int]:
    """Test files that a change can break, with the number of imports between; 1 for what `by_rule` finds.

    0 is a changed test file, and the file that mirrors a changed module (optim/lamb.py, optim/test_lamb.py).
    """
    targets = {ROOT / name for name in changed if name.endswith(".py") and (ROOT / name).exists()}
    distance = dict.fromkeys(by_rule(changed), 1)
    for name in test_files() if targets else ():
        if name != "tests/tpu/test_torch_tpu.py" and "/site/" not in name:
            mirrored = name.replace("tests/", "minilib/", 1).replace("test_", "") in changed
            steps = 0 if mirrored else near(ROOT / name, targets)
            distance |= {name: min(steps, distance.get(name, FAR))} if steps < FAR else {}
    return distance


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--since", default="HEAD", help="a commit (default: the last one)")
    since = parser.parse_args().since
    changed = changed_files(since)
    start, failed, left_out = time.monotonic(), [], ""
    chapters = rewritten_chapters(changed, since)
    tests = nearness(changed)
    print(f"{len(changed)} changed files: {len(chapters)} chapters, {len(tests)} test files", flush=True)
    if not run_tests.lint():
        failed.append("lint")
    if chapters and not run_tests.compare_cells([notebooks.pair(md) for md in chapters]):
        failed.append("cells")
    pages = sorted(name for name in tests if "/site/" in name)
    order = sorted(tests.keys() - pages, key=lambda name: (tests[name], name))
    groups = [[name for name in order if tests[name] <= 1], [name for name in order if tests[name] > 1]]
    for group in filter(None, groups):
        left = LIMIT - (time.monotonic() - start)
        command = run_tests.pytest(*group, *run_tests.SIDE_BY_SIDE)
        try:
            done = subprocess.run(command, cwd=ROOT, timeout=max(left, 1))
            failed += [] if done.returncode in (0, 5) else ["tests"]
        except subprocess.TimeoutExpired:
            print(f"\nThree minutes are over; these {len(group)} files were not finished: {' '.join(group)}")
            left_out = f"; not finished: {len(group)} test files, named above"
            break
    if pages:
        print(f"after make book, with a browser: {' '.join(['.venv/bin/python -m pytest', *pages])}")
    stale = [md.stem for md in notebooks.chapters(ROOT) if notebooks.stale(md)]
    if stale:
        print(f"to be executed anew before make test: {', '.join(stale)} (make notebook)")
    print(f"{time.monotonic() - start:.0f} s; failed: {', '.join(dict.fromkeys(failed)) or 'nothing'}{left_out}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
