"""Checks what the changes since the last commit can break, in three minutes: what `make check` does.

    python tools/check_changes.py              changes since the last commit, files that git does not know yet included
    python tools/check_changes.py --since main

Lint; the cells of every changed chapter and the rules that hold for it; and the tests that reach a changed module
through their imports, the nearest first. What did not fit into the time is said at the end, and so is which chapters
have to be executed anew. Deliberately absent: everything else; `make test` does it.
"""

import argparse
import ast
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import grimp
import run_tests

import notebooks

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 180  # seconds
FAR = 99


def changed_files(since: str) -> set[str]:
    """What differs from the commit `since`, relative to the book's folder."""
    git = ["git", "-C", str(ROOT)]
    commands = ([*git, "diff", "--name-only", since], [*git, "ls-files", "--others", "--exclude-standard"])
    listings = [subprocess.run(c, capture_output=True, text=True, check=True).stdout.splitlines() for c in commands]
    return {name for names in listings for name in names}


def imported(path: Path) -> set[str]:
    """The full names of what a Python file imports, `from a import b` as both a and a.b."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


def module(name: str) -> str:
    """The module of a file: minilib/optim/lamb.py -> minilib.optim.lamb."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def import_graph(root: Path) -> grimp.ImportGraph:
    """What imports what in minilib and proofs."""
    sys.path.insert(0, str(root))  # proofs is not installed
    return grimp.build_graph("minilib", "proofs", cache_dir=None)


def nearness(root: Path, changed: set[str]) -> dict[str, int]:
    """Test files that a change can break, with the number of imports between.

    0 is a changed test file, and the file that mirrors a changed module (optim/lamb.py, optim/test_lamb.py).
    """
    graph = import_graph(root)
    modules = {module(name) for name in changed if name.endswith(".py") and name.startswith(("minilib/", "proofs/"))}
    tools = {Path(name).stem for name in changed if name.startswith("tools/") and name.endswith(".py")}
    distance = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        name = path.relative_to(root).as_posix()
        if name == "tests/tpu/test_torch_tpu.py" or "/site/" in name:
            continue
        # What a test's folder lends it (conftest, helpers, cases) counts as part of it.
        lent = [p for p in path.parent.glob("*.py") if not p.name.startswith("test_")]
        mirrors = name.replace("tests/", "minilib/", 1).replace("test_", "") in changed
        if mirrors or name in changed or any(p.relative_to(root).as_posix() in changed for p in lent):
            distance[name] = 0
            continue
        own, all_imports = imported(path), set().union(*(imported(p) for p in (path, *lent)))
        if tools & all_imports:
            distance[name] = 1
            continue
        starts = {n for n in all_imports if n in graph.modules}
        for target in modules & graph.modules:
            for start in starts:
                chain = (start,) if start == target else graph.find_shortest_chain(start, target)
                if chain:
                    steps = len(chain) + (0 if start in own else 1)
                    distance[name] = min(distance.get(name, FAR), steps)
    return distance


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--since", default="HEAD", help="a commit (default: the last one)")
    changed = changed_files(parser.parse_args().since)
    start, failed = time.monotonic(), []
    chapters = sorted({Path(name).stem for name in changed if name.startswith("notebooks/")})
    chapters = [name for name in chapters if (ROOT / "notebooks" / f"{name}.ipynb").exists()]
    tests = nearness(ROOT, changed)
    print(f"{len(changed)} changed files: {len(chapters)} chapters, {len(tests)} test files", flush=True)
    if not run_tests.lint():
        failed.append("lint")
    if chapters:
        wanted = [f"notebooks/{name}.ipynb" for name in chapters]
        if not run_tests.cells(wanted):
            failed.append("cells")
        if not run_tests.run([*run_tests.PYTEST, "tests/book/test_chapters.py", "-k", " or ".join(chapters)]):
            failed.append("rules of the chapters")
    near = sorted(tests, key=lambda name: (tests[name], name))
    groups = [[name for name in near if tests[name] <= 1], [name for name in near if tests[name] > 1]]
    for group in filter(None, groups):
        left = LIMIT - (time.monotonic() - start)
        command = [*run_tests.PYTEST, *group, *run_tests.SIDE_BY_SIDE]
        try:
            done = subprocess.run(command, cwd=ROOT, timeout=max(left, 1))
            failed += [] if done.returncode in (0, 5) else ["tests"]
        except subprocess.TimeoutExpired:
            print(f"\nThree minutes are over; these {len(group)} files were not finished: {' '.join(group)}")
            break
    stale = [md.stem for md in notebooks.chapters(ROOT) if notebooks.stale(md)]
    if stale:
        print(f"to be executed anew before make test: {', '.join(stale)} (make notebook)")
    print(f"{time.monotonic() - start:.0f} s; failed: {', '.join(dict.fromkeys(failed)) or 'nothing'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
