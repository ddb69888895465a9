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
from functools import cache, partial
from pathlib import Path
from xml.etree import ElementTree

from tools import ROOT, preflight
from tools.chapter import notebooks, provenance
from tools.prover import rocq

UNCHECKED = 4
NO_BROWSER = (
    "pages not checked: there is no browser. Install Chromium, Chrome or Edge (Debian, Ubuntu: "
    "sudo apt-get install chromium), or set CHROMIUM to one that you have, then: make book && make step NAME=site"
)
LIMIT = "1800"  # seconds a cell: to end a hang
SLOWEST = 25  # tests that are listed at the end
# A file stays in one process, whose helpers it starts once; files begin in the order in which they were collected.
SIDE_BY_SIDE = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
# Of a run of many minutes: how many tests are through, and no warnings of other packages.
TELLING = ["-o", "console_output_style=count", "--disable-warnings"]


def run(*commands: list[str]) -> bool:
    """Run all these commands, whatever fails; whether none did."""
    # A CUDA build of torch where there is nvcc and no card warns of it, in the middle of a cell's output.
    # And two processes side by side, each with two threads that spin while they wait, take each other's cores.
    defaults = {"TORCH_LOGS": "-torch.utils.cpp_extension", "OMP_WAIT_POLICY": "PASSIVE"}
    ends = [subprocess.run(command, cwd=ROOT, env=defaults | os.environ).returncode for command in commands]
    return not any(ends)


@cache
def times() -> Path:
    """The folder of this run's reports, one of each run of pytest."""
    return Path(tempfile.mkdtemp())


def pytest(*words: str) -> list[str]:
    """The command that runs these tests and notes how long each of them takes."""
    return [sys.executable, "-m", "pytest", *words, *TELLING, f"--junitxml={times()}/{time.monotonic_ns()}.xml"]


def slowest() -> list[str]:
    """The table of the slowest tests of all steps."""
    cases = [case for path in times().glob("*.xml") for case in ElementTree.parse(path).iter("testcase")]
    cases.sort(key=lambda case: float(case.get("time")), reverse=True)
    rows = [f"  {float(c.get('time')):6.1f} s  {c.get('classname')}: {c.get('name')}" for c in cases[:SLOWEST]]
    return ["== slowest tests", *rows] if rows else []


def tool(name: str, *words: str) -> list[str]:
    """The command of a program that was installed beside this Python."""
    return [shutil.which(name, path=Path(sys.executable).parent), *words]


def lint() -> bool:
    """Style, spelling, the layers of the library, the recorded runs."""
    ruff, layout = tool("ruff", "check", "."), tool("ruff", "format", "--check", ".")
    return run(ruff, layout, tool("codespell"), tool("lint-imports"), [sys.executable, "tools/check/runs_check.py"])


def compare_cells(chapters: list[Path]) -> bool:
    """Every code cell of these notebooks runs, and its output is compared with the stored one; the slowest begin."""

    def seconds(ipynb: Path) -> float:
        return (provenance.load(ROOT / provenance.FOLDER, ipynb.stem) or {"seconds": 1e9})["seconds"]

    options = ["--nbval", "--nbval-cell-timeout", LIMIT, *SIDE_BY_SIDE]
    return run(pytest(*options, *map(str, sorted(chapters, key=seconds, reverse=True))))


def tests(which: str) -> bool:
    """Those tests of the library, of the tools, and of the rules of the chapters that this marks."""
    corpus = "from minilib import data; data.docstrings()"  # cached once, not by each test process
    command = pytest("--ignore", "tests/site", "-m", which, *SIDE_BY_SIDE)
    return run([sys.executable, "-c", corpus], command)


def look(which: str) -> bool:
    """Those tests of the built pages that this marks, in a browser without a network."""
    return run(pytest("tests/site", "-m", which, "-n", "2", "--dist", "loadgroup"))


def program(path: str, *words: str) -> bool:
    return run([sys.executable, f"tools/{path}.py", *words])


def nbval(names: str = "") -> bool:
    """The cells of the book, or of the chapters of these names, separated by commas."""
    chosen = map(notebooks.find, names.split(",")) if names else notebooks.chapters()
    return compare_cells([notebooks.pair(md) for md in chosen])


QUICK = {
    "lint": lint,
    "records": partial(program, "prover/rocq", "--records"),  # no proof has changed since the prover read it
    "unit": partial(tests, "not long"),
    "nbval": nbval,
    "book": partial(program, "pages/build_book"),
    "pages": partial(look, "not long"),  # every link, and one page of each kind
}
REST = {
    "proofs": partial(program, "prover/rocq", "--check"),  # compiled, against their records
    "long": partial(tests, "long"),
    "site": lambda: program("give/slides") and look("long"),
    "report": partial(program, "check/report"),  # fails when a chapter is too slow
}
STEPS = QUICK | REST


def unchecked(names: list[str]) -> dict[str, str]:
    """Those of these steps that cannot be done here, although it was tried to install what they need, and why."""
    reasons = {}
    if watched := {"pages", "site"} & {*names}:
        if browser := preflight.get_browser(Path(sys.executable)):
            os.environ["CHROMIUM"] = browser
        else:
            reasons |= dict.fromkeys(watched, NO_BROWSER)
    if "proofs" in names and not preflight.get_prover():
        reasons["proofs"] = rocq.NOT_CHECKED
    if "long" in names:
        preflight.get_wall()
    return reasons


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steps", nargs="*", help=f"some of {', '.join(STEPS)} (default: {', '.join(QUICK)})")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--rest", action="store_true", help=", ".join(REST))
    parser.add_argument("--chapters", default="", help="of nbval: names, separated by commas, such as sgd,adam")
    args = parser.parse_args()
    names, more = args.steps, {"nbval": [args.chapters]}
    if unknown := {*names} - {*STEPS}:
        parser.error(f"there is no step {', '.join(unknown)}")
    names = names or [*(STEPS if args.all else REST if args.rest else QUICK)]
    reasons = unchecked(names)
    sentences = "".join(f"{reason}\n" for reason in dict.fromkeys(reasons.values()))
    print(sentences, end="", flush=True)
    failed, lines = [], []
    for name in names:
        if name not in reasons:
            print(f"== {name}", flush=True)
            start = time.monotonic()
            good = STEPS[name](*more.get(name, []))
            lines.append(f"  {name:<8} {time.monotonic() - start:6.0f} s  {'ok' if good else 'FAILED'}")
            failed += [] if good else [name]
    print("\n".join([*slowest(), "== seconds", *lines]))
    if failed:
        print(f"failed: {', '.join(failed)}; one alone: make step NAME={failed[0]}")
    elif not reasons:
        print("all is well")
    print(sentences, end="")
    return 1 if failed else UNCHECKED if reasons else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
