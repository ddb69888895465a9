"""Runs the chapters on machines that are not there, and reports every cell that came out otherwise.

    python tools/check/shake.py                          every chapter on every machine (hours on two cores)
    python tools/check/shake.py --go-on                  the same without what lies in _build/shake already
    python tools/check/shake.py --chapters train_large_compress --machines noise-1,noise-2
    python tools/check/shake.py --minutes 3              as many as fit, other ones at every commit: what CI does
    python tools/check/shake.py --write                  the table of what is in _build/shake -> book/shaken.json

The machines stand in `machines.py`, what a cell may come out as in `one_chapter.py`. The margin of a comparison in an
assertion is the mean of its distance from failing over its standard deviation, over all machines, where there are five
or more. A claim holds when it never fails and its margin is at least three. A result in `_build/shake` counts as long
as the chapter's cells and the files that they read are what they were.
The exit status is 0 when no cell fails, no text that is compared differs and every margin is three or more. With other
packages (`colab`) texts may differ, since the corpus of docstrings does; there no cell may fail. That machine opens a
chapter as Google Colab does: nothing but the .ipynb in an empty folder, whose first cell fetches the book. It fetches
what git tracks here, changes since the last commit included.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from itertools import zip_longest
from pathlib import Path

from tools import ROOT
from tools.chapter import chapters, notebooks, provenance
from tools.check import machines
from tools.check.machines import MACHINES

ENOUGH = 3.0  # standard deviations
FEWEST = 5  # runs of a chapter, from which on a standard deviation says something
KINDS = ("same", "printed", "without", "other", "failed")


def state(root: Path, name: str) -> str:
    """A digest of a chapter's cells and of the files that they read, as of its recorded run."""
    record = provenance.load(root / provenance.FOLDER, name) or {}
    return provenance.digest(json.dumps([record.get("cells"), record.get("reads")], sort_keys=True).encode())


def shake(root: Path, name: str, machine: str) -> dict:
    """One chapter on one machine, in processes of its own; the result also lies in `_build/shake`."""
    result, now = root / "_build" / "shake" / machine / f"{name}.json", state(root, name)
    result.parent.mkdir(parents=True, exist_ok=True)
    result.unlink(missing_ok=True)
    log = result.with_suffix(".log")
    with machines.prepared(MACHINES[machine], root) as place, open(log, "w") as file:
        command = [place.python, "-m", "tools.check.one_chapter", place.root, name, result, *place.folder]
        options = {"env": place.variables, "preexec_fn": machines.limits(MACHINES[machine]), "cwd": ROOT}
        subprocess.run(command, stdout=file, stderr=file, **options)
    if not result.exists():  # the kernel died, or the machine has not what the tool needs
        row = {"cell": 0, "head": "the chapter came to no end", "outcome": "failed", "compared": True, "was": [""]}
        row["is"] = [log.read_text(encoding="utf-8", errors="replace")[-2000:]]
        result.write_text(json.dumps({"chapter": name, "seconds": 0.0, "cells": [row], "slacks": {}}))
    row = json.loads(result.read_text()) | {"of": now}
    result.write_text(json.dumps(row))
    return row


def lines_of(result: dict, machine: str) -> str:
    """One line for a chapter on a machine, and the texts of what differs."""
    kinds = [row["outcome"] for row in result["cells"]]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in KINDS if kind in kinds)
    lines = [f"{machine:<10} {result['chapter']:<24} {result['seconds']:6.0f} s  {counts}"]
    for row in result["cells"]:
        if row["outcome"] in KINDS[2:]:
            mark = "" if row["compared"] else " (not compared)"
            lines.append(f"    cell {row['cell']} {row['head']} {row['outcome']}{mark}")
            pairs = zip_longest(row["was"], row["is"], fillvalue="")
            old, new = next(((a, b) for a, b in pairs if a != b), ("", ""))
            lines += [f"      was {line[:150]!r}\n      is  {now[:150]!r}" for line, now in changed_lines(old, new)]
    return "\n".join(lines)


def changed_lines(old: str, new: str, most: int = 4) -> list[tuple[str, str]]:
    """The first lines in which two texts differ."""
    return [(a, b) for a, b in zip_longest(old.splitlines(), new.splitlines(), fillvalue="") if a != b][:most]


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
    """The results in `_build/shake` that are of the chapters as they stand, with their machines."""
    paths = sorted((root / "_build" / "shake").glob("*/*.json"))
    pairs = [(path.parent.name, json.loads(path.read_text())) for path in paths]
    return [(machine, result) for machine, result in pairs if result.get("of") == state(root, result["chapter"])]


def ended(result: dict, machine: str, pairs: list[tuple[str, str]]) -> bool:
    """Whether this is one of the pairs of chapter and machine, and need not be run again: none of its cells failed."""
    failed = any(row["outcome"] == "failed" for row in result["cells"])
    return (result["chapter"], machine) in pairs and not failed


def violations(results: list[tuple[str, dict]]) -> list[str]:
    """What breaks the rule: failed cells, compared texts that differ without need, margins below three."""
    sentences = []
    for machine, result in results:
        bad = {"failed"}
        bad |= set() if MACHINES[machine].python else {"other"}
        bad |= {"without"} if MACHINES[machine].compiler else set()
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


def drawn(pairs: list[tuple[str, str]], minutes: float, root: Path) -> list[tuple[str, str]]:
    """Those of the pairs of chapter and machine that take about so many minutes on two cores: others at every commit.

    Not Colab, whose environment alone takes longer, and not this machine, on which nbval runs.
    """
    pairs = [(name, machine) for name, machine in pairs if machine not in ("here", "colab")]
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
    rows = {}
    for machine in [machine for machine in MACHINES if machine in dict(results)]:
        chapters_there = [result for name, result in results if name == machine]
        cells = [cell for result in chapters_there for cell in result["cells"]]
        counts = {kind: sum(cell["outcome"] == kind for cell in cells) for kind in KINDS}
        counts["uncompared"] = sum(cell["outcome"] == "other" and not cell["compared"] for cell in cells)
        rows[machine] = {"what": MACHINES[machine].what, "chapters": len(chapters_there), "cells": len(cells)} | counts
    claims = margins(results)
    smallest = [{k: (float(f"{v:.3g}") if isinstance(v, float) else v) for k, v in row.items()} for row in claims[:20]]
    return {"made": str(date.today()), "machines": rows, "claims": len(claims), "smallest": smallest}


def available(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of the pairs of chapter and machine for whose machine there is a Python; the others are named."""
    for version in sorted({MACHINES[machine].python for _, machine in pairs} - {""}):
        if machines.nearest_python(version):
            machines.environment(version)
        else:
            print(f"no Python {version} and no older one was found here: its machines are left out")
            pairs = [pair for pair in pairs if MACHINES[pair[1]].python != version]
    return pairs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chapters", default="", help="names, separated by commas (default: all)")
    parser.add_argument("--machines", default="", help=f"names, separated by commas, of {', '.join(MACHINES)}")
    parser.add_argument("--minutes", type=float, help="draw chapters and machines that fit")
    parser.add_argument("--go-on", action="store_true", help="leave out what lies in _build/shake already")
    parser.add_argument("--write", action="store_true", help="the table of what is in _build/shake")
    args = parser.parse_args()
    if os.name == "nt":
        print("Imitated machines take limits that Windows has not: run this on Linux, macOS or in WSL.")
        return 2
    if args.write:
        path = ROOT / "book" / "shaken.json"
        path.write_text(json.dumps(summary(stored(ROOT)), indent=1) + "\n")
        print(f"{path}\n" + "\n".join(violations(stored(ROOT))))
        return 0
    names = args.machines.split(",") if args.machines else [*MACHINES]
    if unknown := {*names} - {*MACHINES}:
        parser.error(f"no machine {', '.join(sorted(unknown))}; there are {', '.join(MACHINES)}")
    try:
        sources = [notebooks.find(name) for name in args.chapters.split(",")] if args.chapters else notebooks.chapters()
    except ValueError as error:
        parser.error(str(error))
    pairs = [(md.stem, machine) for machine in names for md in sources]
    pairs = available(drawn(pairs, args.minutes, ROOT) if args.minutes else pairs)
    results = []
    if args.go_on:
        results = [(machine, result) for machine, result in stored(ROOT) if ended(result, machine, pairs)]
        done = {(result["chapter"], machine) for machine, result in results}
        pairs = [pair for pair in pairs if pair not in done]
    with ThreadPoolExecutor(2) as pool:  # chapters side by side
        tasks = [(machine, pool.submit(shake, ROOT, name, machine)) for name, machine in pairs]
        for machine, task in tasks:
            results.append((machine, task.result()))
            print(lines_of(task.result(), machine), flush=True)
    sentences = violations(results)
    print("\n".join(sentences) or f"{len(results)} runs: every claim held")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
