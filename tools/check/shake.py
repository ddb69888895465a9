"""Runs the chapters on machines that are not there, and reports every cell that came out otherwise.

    python tools/check/shake.py                          every chapter on every machine (hours on two cores)
    python tools/check/shake.py --chapters train_large_compress --machines noise-1,noise-2
    python tools/check/shake.py --minutes 3              as many as fit, other ones at every commit: what CI does
    python tools/check/shake.py --list                   the machines
    python tools/check/shake.py --write                  the table of what is in _build/shake -> book/shaken.json

A cell comes out the same (texts and pictures, byte for byte), the same in all that it prints (a picture differs),
`without` what the machine lacks (it says "Left out here"), `other` (a text differs from the stored one) or `failed`.
For every comparison in an assertion `imitation/margins.py` notes how far it was from failing; its margin is the mean of
that over its standard deviation, over all machines, where there are five or more. A claim holds when it never fails and
its margin is at least three.
The exit status is 0 when no cell fails, no text that is compared differs and every margin is three or more. With other
packages (`colab`) texts may differ, since the corpus of docstrings does; there no cell may fail. That machine opens a
chapter as Google Colab does: nothing but the .ipynb in an empty folder, whose first cell fetches the book. It fetches
what git tracks here, changes since the last commit included.
Deliberately absent: processors with other instruction sets than this one's (their rounding is imitated by the noise).
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import nbformat

from tools import ROOT
from tools.chapter import chapters, first_cell, notebooks, provenance

IMITATION = ROOT / "tools" / "check" / "imitation"
ENOUGH = 3.0  # standard deviations
FEWEST = 5  # runs of a chapter, from which on a standard deviation says something
OLDER = ("3.12", "3.11")  # Pythons that take the place of a newer one
KINDS = ("same", "printed", "without", "other", "failed")
COMPILERS = {"cc", "c++", "gcc", "g++", "clang", "clang++"}
NO_AVX = "SSE3 SSSE3 SSE41 POPCNT SSE42 AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX"


@dataclass(frozen=True)
class Machine:
    """What is changed on the way to a kernel; everything else is as on this machine."""

    what: str
    variables: dict[str, str] = field(default_factory=dict)
    cores: int = 0  # 0: all
    memory: int = 0  # GiB of data; 0: all
    compiler: bool = True
    folder: str = ""  # the checkout is copied to a folder of this name
    python: str = ""  # a Python of this version with the packages of tests/colab/requirements.txt
    alone: bool = False  # a chapter is opened by itself in an empty folder, and fetches the book


def threads(number: int) -> dict[str, str]:
    return {"OMP_NUM_THREADS": str(number), "OPENBLAS_NUM_THREADS": str(number)}


OLD = {"ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "Nehalem", "ONEDNN_MAX_CPU_ISA": "SSE41"}
MIDDLE = {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Sandybridge", "ONEDNN_MAX_CPU_ISA": "AVX"}
MACHINES = {
    "here": Machine("this one"),
    **{f"noise-{seed}": Machine("one unit in the last place", {"ULP": str(seed)}) for seed in range(1, 7)},
    "old": Machine(
        "kernels for SSE 4, one core, 8 GB, no C++ compiler",
        OLD | threads(1) | {"NPY_DISABLE_CPU_FEATURES": NO_AVX},
        cores=1,
        memory=8,
        compiler=False,
    ),
    "middle": Machine("kernels for AVX, two threads", MIDDLE | threads(2)),
    "threads-4": Machine("four threads", threads(4)),
    "elsewhere": Machine(
        "another time zone and locale, no network, a blank in the path",
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C", "OFFLINE": "1"},
        folder="a book",
    ),
    "colab": Machine("the chapter alone, Python 3.13, Google Colab's packages", python="3.13", alone=True),
}


def other_python(version: str, places: tuple[str, ...] = ("~/.pyenv/versions", "~/.local/share/uv/python")) -> str:
    """The path of a Python of this version, or "" where none is found."""
    candidates = [shutil.which(f"python{version}") or ""]
    for place in places:
        candidates += sorted(map(str, Path(place).expanduser().glob(f"*{version}*/bin/python{version}")))
    for path in candidates:
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            return path
    return ""


def nearest_python(version: str) -> str:
    """The path of a Python of this version, or of an older one that the book runs on (that is said), or ""."""
    for other in (version, *OLDER):
        if path := other_python(other):
            if other != version:
                print(f"no Python {version} was found here: Python {other} takes its place", flush=True)
            return path
    return ""


def environment(version: str, root: Path = ROOT) -> str:
    """The Python of `.venv-colab`, an environment made once and again when its list of packages changes."""
    made, wanted = root / ".venv-colab", (root / "tests" / "colab" / "requirements.txt").read_text()
    ready = made / "ready.txt"
    if not ready.exists() or ready.read_text() != wanted:
        print(f"making {made.name}, about 6 GB of packages, some minutes", flush=True)
        shutil.rmtree(made, ignore_errors=True)
        subprocess.run([nearest_python(version), "-m", "venv", made], check=True)
        pip = [made / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", root / "tests" / "colab" / "requirements.txt"], check=True)
        ready.write_text(wanted)
    return str(made / "bin" / "python")


@contextmanager
def path_without_compilers() -> Iterator[str]:
    """A PATH on which every program is found but compilers."""
    with tempfile.TemporaryDirectory() as folder:
        for place in reversed(os.environ["PATH"].split(os.pathsep)):
            for program in Path(place).glob("*"):
                stem = program.name.rstrip("0123456789.-").split("-linux-gnu-")[-1]
                link = Path(folder) / program.name
                if stem not in COMPILERS and os.access(program, os.X_OK) and not program.is_dir():
                    link.unlink(missing_ok=True)
                    link.symlink_to(program)
        yield folder


def published(root: Path, bare: Path) -> None:
    """A bare repository with the book as it stands, at its tag: what a public address would give."""
    author = ["-c", "user.name=shake", "-c", "user.email=shake@localhost"]  # a reader's git may have none
    git = ["git", "-C", str(root), *author]
    # without this, a file that was written again with the same words makes `stash create` fail
    subprocess.run([*git, "update-index", "-q", "--refresh"], stdout=subprocess.DEVNULL)
    state = subprocess.run([*git, "stash", "create"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    subprocess.run(["git", "-C", str(bare), "config", "receive.shallowUpdate", "true"], check=True)
    subprocess.run([*git, "push", "-q", bare, f"{state or 'HEAD'}:refs/tags/{first_cell.tag(root)}"], check=True)


@contextmanager
def prepared(machine: Machine, root: Path) -> Iterator[tuple[dict[str, str], Path]]:
    """The environment variables and the checkout that imitate the machine."""
    with tempfile.TemporaryDirectory() as made:
        # threads that wait would take the core from the chapter beside
        variables = os.environ | {"OMP_WAIT_POLICY": "PASSIVE"} | threads(1) | machine.variables
        if machine.folder:
            copy = Path(made) / machine.folder
            ignored = shutil.ignore_patterns(".git", ".venv*", "_build", "__pycache__", "runs/")
            shutil.copytree(root, copy, ignore=ignored)
            root = copy
        # PyTorch keeps what it has compiled, and takes it for valid on a processor with other instructions
        variables["TORCHINDUCTOR_CACHE_DIR"] = str(Path(made) / "compiled")
        places = [IMITATION] if machine.alone else [root, IMITATION]
        variables["PYTHONPATH"] = os.pathsep.join(map(str, places))
        if machine.alone:
            published(root, Path(made) / "public")
            variables["BOOK_ADDRESS"] = (Path(made) / "public").as_uri()
        if machine.compiler:
            yield variables, root
        else:
            with path_without_compilers() as path:
                variables.pop("CXX", None)
                yield variables | {"PATH": path}, root


def limits(machine: Machine):
    """What the process of a chapter does to itself before it starts."""

    def apply():
        if machine.cores and hasattr(os, "sched_setaffinity"):
            mine = sorted(os.sched_getaffinity(0))
            first = os.getpid() % len(mine)  # two chapters side by side: probably not on one core
            os.sched_setaffinity(0, (mine[first:] + mine[:first])[: machine.cores])
        if machine.memory:
            import resource  # which Windows has not

            resource.setrlimit(resource.RLIMIT_DATA, (machine.memory << 30, machine.memory << 30))

    return apply


def texts(cell) -> list[str]:
    """Everything that a cell showed as text. The two streams are joined each: which line of one comes between which
    lines of the other depends on the moment."""
    streams, shown = {"stdout": "", "stderr": ""}, []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            streams[output.name] += output.text
        elif output.output_type == "error":
            shown.append(("error", f"{output.ename}: {output.evalue}"))
        else:
            shown += [(kind, str(data)) for kind, data in sorted(output.data.items()) if "image" not in kind]
    return [f"{kind}: {text}" for kind, text in [*streams.items(), *shown] if text]


def pictures(cell) -> list[str]:
    return [d for o in cell.get("outputs", []) for kind, d in o.get("data", {}).items() if "image" in kind]


def outcome(old, new) -> str:
    """What became of a cell: same, printed (only a picture differs), without, other, or failed."""
    if any(output.output_type == "error" for output in new.outputs):
        return "failed"
    if texts(old) != texts(new):
        return "without" if any("Left out here" in text for text in texts(new)) else "other"
    return "same" if pictures(old) == pictures(new) else "printed"


def code(nb) -> list:
    """The code cells that hold code, the first included, which `chapters.code` leaves out."""
    return [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]


def run_here(root: Path, name: str, folder: Path | None = None) -> dict:
    """Execute one chapter in this process's environment and compare it with its stored outputs.

    `folder` is where it is executed, if not where it lies.
    """
    from nbclient import NotebookClient

    path = root / "notebooks" / f"{name}.ipynb"
    stored, nb = chapters.read(path), chapters.read(path)
    first = nbformat.v4.new_code_cell("import margins\nmargins.install()")
    last = nbformat.v4.new_code_cell("print(_margins.take())")
    nb.cells = [first, *nb.cells, last]
    resources = {"metadata": {"path": str(folder or path.parent)}}
    start = time.perf_counter()
    NotebookClient(nb, timeout=3600, kernel_name="python3", allow_errors=True, resources=resources).execute()
    rows = []
    pairs = zip(code(stored), code(nb)[1:-1], strict=True)
    for number, (old, new) in enumerate(pairs, start=1):
        row = {"cell": number, "head": chapters.head(old), "outcome": outcome(old, new)}
        row["compared"] = "nbval-ignore-output" not in chapters.tags(old)
        if row["outcome"] in ("without", "other", "failed"):
            row |= {"was": texts(old), "is": texts(new)}
        rows.append(row)
    slacks = json.loads("".join(o.get("text", "") for o in nb.cells[-1].outputs) or "{}")
    return {"chapter": name, "seconds": round(time.perf_counter() - start, 1), "cells": rows, "slacks": slacks}


def shake(root: Path, name: str, machine: str) -> dict:
    """One chapter on one machine, in processes of its own; the result also lies in `_build/shake`."""
    made = MACHINES[machine]
    out = root / "_build" / "shake" / machine / f"{name}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.unlink(missing_ok=True)
    with prepared(made, root) as (variables, place):
        python = environment(made.python) if made.python else sys.executable
        command = [python, "-m", "tools.check.shake", "--one", name, "--out", str(out)]
        command += ["--root", str(place), *(["--alone"] if made.alone else [])]
        log = out.with_suffix(".log")
        with open(log, "w") as file:
            subprocess.run(command, env=variables, stdout=file, stderr=file, preexec_fn=limits(made), cwd=ROOT)
    if not out.exists():  # the kernel died, or the machine has not what the tool needs
        row = {"cell": 0, "head": "the chapter came to no end", "outcome": "failed", "compared": True, "was": [""]}
        row["is"] = [log.read_text(encoding="utf-8", errors="replace")[-2000:]]
        out.write_text(json.dumps({"chapter": name, "seconds": 0.0, "cells": [row], "slacks": {}}))
    return json.loads(out.read_text())


def lines_of(result: dict, machine: str) -> str:
    """One line for a chapter on a machine, and the texts of what differs."""
    kinds = [row["outcome"] for row in result["cells"]]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in KINDS if kind in kinds)
    lines = [f"{machine:<10} {result['chapter']:<24} {result['seconds']:6.0f} s  {counts}"]
    for row in result["cells"]:
        if row["outcome"] in KINDS[2:]:
            mark = "" if row["compared"] else " (not compared)"
            lines.append(f"    cell {row['cell']} {row['head']} {row['outcome']}{mark}")
            pairs = [(a, b) for a, b in zip(row["was"], row["is"], strict=False) if a != b]
            for old, new in pairs[:1] or [("", row["is"][-1] if row["is"] else "")]:
                lines += [f"      was {line[:150]!r}\n      is  {now[:150]!r}" for line, now in changed_lines(old, new)]
    return "\n".join(lines)


def changed_lines(old: str, new: str, most: int = 4) -> list[tuple[str, str]]:
    """The first lines in which two texts differ."""
    a, b = old.splitlines(), new.splitlines()
    a, b = a + [""] * (len(b) - len(a)), b + [""] * (len(a) - len(b))
    return [(x, y) for x, y in zip(a, b, strict=True) if x != y][:most]


def margins(pairs: list[tuple[str, dict]]) -> list[dict]:
    """For every recorded comparison that varies over machines: mean and spread of its slack, and their ratio.

    Other packages are not counted: what differs there is not rounding.
    """
    results = [result for machine, result in pairs if not MACHINES[machine].python]
    rows = []
    for name in sorted({result["chapter"] for result in results}):
        mine = [result["slacks"] for result in results if result["chapter"] == name]
        for key in sorted({key for slacks in mine for key in slacks}):
            values = [slacks[key] for slacks in mine if key in slacks]
            spread = statistics.stdev(values) if len(values) >= FEWEST else 0.0
            # A comparison may be false where its assertion holds ("close or not, as the table says"): that is no claim,
            # and where the assertion failed, its cell is a violation already.
            if spread > 0 and min(values) >= 0:
                mean = statistics.fmean(values)
                row = {"chapter": chapters.name_of(name), "claim": key, "mean": mean, "spread": spread}
                rows.append(row | {"least": min(values), "margin": mean / spread})
    return sorted(rows, key=lambda row: row["margin"])


def stored(root: Path) -> list[tuple[str, dict]]:
    """The results in `_build/shake`, with their machines."""
    paths = sorted((root / "_build" / "shake").glob("*/*.json"))
    return [(path.parent.name, json.loads(path.read_text())) for path in paths]


def violations(results: list[tuple[str, dict]]) -> list[str]:
    """What breaks the rule: failed cells, compared texts that differ without need, margins below three."""
    sentences = []
    for machine, result in results:
        made = MACHINES[machine]
        bad = {"failed"} | ({"other"} if not made.python else set()) | ({"without"} if made.compiler else set())
        for row in result["cells"]:
            if row["outcome"] == "failed" or row["outcome"] in bad and row["compared"]:
                sentences.append(f"{machine}: {result['chapter']} cell {row['cell']} {row['head']} {row['outcome']}")
    for row in margins(results):
        if row["margin"] < ENOUGH:
            sentences.append(
                f"margin {row['margin']:.1f} ({row['mean']:.3g} with spread {row['spread']:.2g}, at least "
                f"{row['least']:.3g}): {row['chapter']} {row['claim']}"
            )
    return sentences


def drawn(names: list[str], machines: list[str], minutes: float, root: Path) -> list[tuple[str, str]]:
    """Pairs of chapter and machine that take about so many minutes on two cores: other ones at every commit.

    Not Colab, whose environment alone takes longer, and not this machine, on which nbval runs.
    """
    pairs = [(name, machine) for machine in machines for name in names if machine not in ("here", "colab")]
    commits = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True).stdout
    random.Random(commits).shuffle(pairs)
    chosen, left = [], 2 * 60 * minutes
    for name, machine in pairs:
        seconds = 10 + 1.5 * (provenance.load(root / provenance.FOLDER, name) or {"seconds": 60})["seconds"]
        if seconds <= left and seconds <= 50 * minutes:
            chosen.append((name, machine))
            left -= seconds
    return chosen


def summary(results: list[tuple[str, dict]]) -> dict:
    """What the book says of a complete shake."""
    machines = {}
    for machine, result in results:
        row = machines.setdefault(machine, {"what": MACHINES[machine].what, "chapters": 0, "cells": 0})
        row["chapters"] += 1
        row["cells"] += len(result["cells"])
        for kind in KINDS:
            row[kind] = row.get(kind, 0) + sum(cell["outcome"] == kind for cell in result["cells"])
        ignored = sum(cell["outcome"] == "other" and not cell["compared"] for cell in result["cells"])
        row["uncompared"] = row.get("uncompared", 0) + ignored
    rows = margins(results)
    kept = [{k: (float(f"{v:.3g}") if isinstance(v, float) else v) for k, v in row.items()} for row in rows[:20]]
    order = [machine for machine in MACHINES if machine in machines]
    named = {machine: machines[machine] for machine in order}
    return {"made": str(date.today()), "machines": named, "claims": len(rows), "smallest": kept}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--chapters", default="", help="names, separated by commas (default: all)")
    parser.add_argument("--machines", default="", help="names, separated by commas (default: all)")
    parser.add_argument("--minutes", type=float, help="draw chapters and machines that fit")
    parser.add_argument("--jobs", type=int, default=2, help="chapters side by side")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", metavar="CHAPTER", help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    root = args.root.resolve()
    if os.name == "nt":
        print("Imitated machines take limits that Windows has not: run this on Linux, macOS or in WSL.")
        return 2
    if args.one:
        with tempfile.TemporaryDirectory() as folder:
            made = run_here(root, args.one, Path(folder) if args.alone else None)
        args.out.write_text(json.dumps(made, indent=1))
        return 0
    if args.list:
        print("\n".join(f"{name:<10} {machine.what}" for name, machine in MACHINES.items()))
        return 0
    if args.write:
        path = root / "book" / "shaken.json"
        path.write_text(json.dumps(summary(stored(root)), indent=1) + "\n")
        print(f"{path}\n" + "\n".join(violations(stored(root))))
        return 0
    every = [md.stem for md in notebooks.chapters(root)]
    by_name = {chapters.name_of(name): name for name in every}
    names = [by_name.get(name, name) for name in args.chapters.split(",")] if args.chapters else every
    machines = args.machines.split(",") if args.machines else list(MACHINES)
    for given, known, kind in ((names, every, "chapter"), (machines, [*MACHINES], "machine")):
        if unknown := sorted({*given} - {*known}):
            parser.error(f"no {kind} {unknown}; there are {known}")
    pairs = [(name, machine) for machine in machines for name in names]
    if args.minutes:
        pairs = drawn(names, machines, args.minutes, root)
    for version in sorted({MACHINES[machine].python for _, machine in pairs} - {""}):
        if not nearest_python(version):
            print(f"no Python {version} and no older one was found here: its machines are left out")
            pairs = [pair for pair in pairs if MACHINES[pair[1]].python != version]
        else:
            environment(version)
    results = []
    with ThreadPoolExecutor(args.jobs) as pool:
        tasks = [(machine, pool.submit(shake, root, name, machine)) for name, machine in pairs]
        for machine, task in tasks:
            results.append((machine, task.result()))
            print(lines_of(task.result(), machine), flush=True)
    sentences = violations(results)
    print("\n".join(sentences) or f"{len(pairs)} runs: every claim held")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
