"""Everything that must hold, one step after the other: what `make test` and `make test-all` do.

    python tools/check/run_tests.py          the steps of `make test`
    python tools/check/run_tests.py --all    those of `make test-all`, each once
    python tools/check/run_tests.py --rest   what `make test` leaves out
    python tools/check/run_tests.py nbval    one of them

A step that fails does not keep the others from running; the tables at the end have the slowest tests and the seconds of
each step, and the list of failures comes last. Which tests are long is said in `tests/conftest.py`.
Exit status: 0 all is well; 1 something failed; 4 all that could be checked is well, but the pages were not looked at,
or the proofs not checked, because there is no browser or no prover and none could be installed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tools import ROOT, preflight
from tools.chapter import notebooks, provenance
from tools.prover import rocq

BIN = Path(sys.executable).parent
UNCHECKED = 4
NO_BROWSER = (
    "pages not checked: there is no browser. Install Chromium, Chrome or Edge (Debian, Ubuntu: "
    "sudo apt-get install chromium), or set CHROMIUM to one that you have, then: make book && make step NAME=site"
)
LIMIT = "1800"  # seconds a cell: to end a hang
PYTEST = [sys.executable, "-m", "pytest"]
# A file stays in one process, whose helpers it starts once; files begin in the order in which they were collected.
SIDE_BY_SIDE = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
# Of a run of many minutes: how far it is, and no warnings of other packages.
TELLING = ["-p", "tools.check.pace", "--disable-warnings"]
SLOWEST = 25  # tests that are listed at the end


def run(*commands: list[str]) -> bool:
    """Run commands until one fails; whether none did."""
    # A CUDA build of torch where there is nvcc and no card warns of it, in the middle of a cell's output.
    # And two processes side by side, each with two threads that spin while they wait, take each other's cores.
    defaults = {"TORCH_LOGS": "-torch.utils.cpp_extension", "OMP_WAIT_POLICY": "PASSIVE"}
    return all(subprocess.run(command, cwd=ROOT, env=defaults | os.environ).returncode == 0 for command in commands)


def lint() -> bool:
    """Style, spelling, the layers of the library, the recorded runs: all of it, whatever fails."""
    commands = (
        [shutil.which("ruff", path=BIN), "check", "."],
        [shutil.which("ruff", path=BIN), "format", "--check", "."],
        [shutil.which("codespell", path=BIN)],
        [shutil.which("lint-imports", path=BIN)],
        [sys.executable, "tools/check/runs_check.py"],
    )
    results = [run(command) for command in commands]
    return all(results)


def tests(which: str) -> bool:
    """Those tests of minilib, of the tools, and of the rules of the chapters that this marks."""
    corpus = "from minilib import data; data.docstrings()"  # cached once, not by each test process
    command = [*PYTEST, "--ignore", "tests/site", "-m", which, *SIDE_BY_SIDE, *TELLING]
    return run([sys.executable, "-c", corpus], command)


def unit() -> bool:
    """The tests of minilib, of the tools, and of the rules of the chapters, but the long ones."""
    return tests("not long")


def long() -> bool:
    """The long ones: several processes, killed runs, compiled steps, toy studies, the wheel, problem sets."""
    return tests("long")


def records() -> bool:
    """The proofs by their records: no file has changed since the prover read it."""
    return run([sys.executable, "tools/prover/rocq.py", "--records"])


def proofs() -> bool:
    """The proofs in Rocq, compiled, against their records."""
    return run([sys.executable, "tools/prover/rocq.py", "--check"])


def compare_cells(chapters: list[str]) -> bool:
    """Every code cell of these chapters runs, and its output is compared with the stored one."""
    options = ["--nbval", "--nbval-cell-timeout", LIMIT, *SIDE_BY_SIDE, *TELLING]
    return run([*PYTEST, *options, *chapters])


def nbval(names: str = "") -> bool:
    """The cells of the book, or of the chapters of these names; the chapters that take longest begin."""
    every = sorted((ROOT / "notebooks").glob("*.ipynb"))
    chosen = [notebooks.pair(notebooks.find(name)) for name in names.split(",")] if names else every
    runs = {path: provenance.load(ROOT / provenance.FOLDER, path.stem) for path in chosen}
    order = sorted(runs, key=lambda path: -(runs[path] or {}).get("seconds", 1e9))
    return compare_cells([f"notebooks/{path.name}" for path in order])


def book() -> bool:
    """All pages."""
    return run([sys.executable, "tools/pages/build_book.py"])


def look(which: str) -> list[str]:
    return [*PYTEST, "tests/site", "-m", which, "-n", "2", "--dist", "loadgroup", *TELLING]


def pages() -> bool:
    """Every link, and one built page of each kind in a browser without a network."""
    return run(look("not long"))


def site() -> bool:
    """The other pages, all figures, slides, print and the laboratory in that browser."""
    return run([sys.executable, "tools/give/slides.py"], look("long"))


def report() -> bool:
    """A table of the chapters; fails when one is too slow."""
    return run([sys.executable, "tools/check/report.py"])


def named(*steps: Callable[..., bool]) -> dict[str, Callable[..., bool]]:
    return {step.__name__: step for step in steps}


QUICK = named(lint, records, unit, nbval, book, pages)
REST = named(proofs, long, site, report)
STEPS = QUICK | REST


def slowest(path: Path) -> str:
    """The table of the slowest tests of all steps, from what `pace` wrote."""
    if not path.exists():
        return ""
    times = sorted((line.split(" ", 1) for line in path.read_text().splitlines()), key=lambda pair: -float(pair[0]))
    return "\n".join(["== slowest tests", *(f"  {float(t):6.1f} s  {name}" for t, name in times[:SLOWEST])])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steps", nargs="*", help=f"some of {', '.join(STEPS)} (default: {', '.join(QUICK)})")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--rest", action="store_true", help=", ".join(REST))
    parser.add_argument("--chapters", default="", help="of nbval: names, separated by commas, such as sgd,adam")
    args = parser.parse_args()
    names, more = args.steps, {"nbval": [args.chapters]} if args.chapters else {}
    names = names or [*(STEPS if args.all else REST if args.rest else QUICK)]
    times = Path(tempfile.mkdtemp(), "seconds")
    os.environ["SECONDS_OF_TESTS"] = str(times)
    unchecked = {}
    if watched := {"pages", "site"} & {*names}:
        if browser := preflight.get_browser(Path(sys.executable)):
            os.environ["CHROMIUM"] = browser
        else:
            unchecked |= dict.fromkeys(watched, NO_BROWSER)
            print("No browser was found and none could be installed: the pages will NOT be checked.", flush=True)
    if "proofs" in names and not preflight.get_prover():
        unchecked["proofs"] = rocq.NOT_CHECKED
        print("No prover was found and none could be installed: the proofs will NOT be checked.", flush=True)
    if "long" in names:
        preflight.get_wall()
    failed, lines = [], []
    for name in names:
        if name in unchecked:
            continue
        print(f"== {name}", flush=True)
        start = time.monotonic()
        good = STEPS[name](*more.get(name, []))
        lines.append(f"  {name:<8} {time.monotonic() - start:6.0f} s  {'ok' if good else 'FAILED'}")
        failed += [] if good else [name]
    print("\n".join(filter(None, [slowest(times), "== seconds", *lines])))
    if failed:
        print(f"failed: {', '.join(failed)}; one alone: make step NAME={failed[0]}")
    elif not unchecked:
        print("all is well")
    print("".join(f"{said}\n" for said in dict.fromkeys(unchecked.values())), end="")
    return 1 if failed else UNCHECKED if unchecked else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
