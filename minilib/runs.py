"""Recorded runs: what a study measured, how it was made, and where the book reads it.

A run is a folder `book/runs/<name>/` with `run.json` (how it was made, and its results) and `curve.csv` (one row a
point). A `Study` makes one: it does many small jobs, saves each as soon as it is done, and so goes on where it
stopped. Chapters read with `load`; no number of a run is typed by hand. A run that was made from the docstrings of the
installed packages says from which (`corpus`), and `same_corpus` tells whether this machine has the same. Absent on
purpose: a tracking server, plots, anything that needs a network.
"""

import csv
import datetime
import json
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from minilib import needs
from minilib.datasets import Docstrings, docstrings

ROOT = Path(__file__).resolve().parent.parent
FIELDS = ("name", "command", "config", "commit", "device", "versions", "start", "end", "seconds", "results")


class Record(NamedTuple):
    """A recorded run: `run` is run.json as a dict, `curve` the rows of curve.csv, numbers as floats."""

    run: dict
    curve: list[dict]


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def write(path: Path, text: str) -> None:
    """Write all of a file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def _device() -> str:
    """The processor's name and the number of cores that this process may use."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def commit() -> str:
    """The commit of the code that ran, with `+` when files that git tracks were changed; `unknown` outside git."""
    try:
        git = ["git", "-C", str(ROOT)]
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "minilib", "studies"]).returncode
    except (subprocess.CalledProcessError, FileNotFoundError):
        return "unknown"
    return head[:12] + ("+" if changed else "")


class Study:
    """Does jobs once each and records the whole.

    Args:
        name: of the run's folder; letters, digits and hyphens.
        config: everything that decides the results, JSON-able; a study with another config starts anew.
        root: the project's folder.

    Raises:
        ValueError: the name has other characters.
    """

    def __init__(self, name: str, config: dict, root: Path = ROOT):
        if not name or not all(c.isalnum() or c == "-" for c in name):
            raise ValueError(f"name must be letters, digits and hyphens, got {name!r}")
        self.name, self.config, self.root = name, json.loads(json.dumps(config)), Path(root)
        self.partial = self.root / "_build" / "studies" / f"{name}.json"
        saved = json.loads(self.partial.read_text(encoding="utf-8")) if self.partial.exists() else {}
        fresh = saved.get("config") != self.config
        self.saved = {"config": self.config, "start": now(), "seconds": 0.0, "jobs": {}} if fresh else saved

    def run(self, jobs: Iterable[tuple[str, Callable[[], object]]]) -> dict:
        """Results by key of all `(key, function)` pairs; a function runs only when its key has no result yet."""
        from time import perf_counter

        with needs("book"):
            from tqdm import tqdm

        missing = {key: function for key, function in jobs if key not in self.saved["jobs"]}
        for key, function in tqdm(missing.items(), desc=self.name, disable=not missing):
            start = perf_counter()
            self.saved["jobs"][key] = function()
            self.saved["seconds"] += perf_counter() - start
            write(self.partial, json.dumps(self.saved))
        return self.saved["jobs"]

    def record(self, curve: list[dict], results: dict, corpus: Docstrings | None = None) -> Path:
        """Write the run's folder and forget the partial results; returns the folder.

        Args:
            curve: rows with the same keys, e.g. `{"optimizer": "LAMB", "step": 1, "loss": 2.3}`.
            results: the final numbers, JSON-able.
            corpus: what the run was made from, where that was `docstrings()`; its sha256 and versions are recorded.

        Raises:
            ValueError: no rows, or rows with different keys; nothing is written then.
        """
        if not curve or any(row.keys() != curve[0].keys() for row in curve):
            raise ValueError("curve must have rows, all with the same keys")
        folder = self.root / "book" / "runs" / self.name
        names = ("numpy", "scipy", "scikit-learn", *({"torch"} & sys.modules.keys()))  # torch where it ran
        libraries = {name: version(name) for name in names}
        run = {
            "name": self.name,
            "command": f"make study NAME={self.name}",
            "config": self.config,
            "commit": commit(),
            "device": _device(),
            "versions": {"python": platform.python_version(), **libraries},
            "start": self.saved["start"],
            "end": now(),
            "seconds": round(self.saved["seconds"], 1),
            "results": results,
        }
        if corpus:
            run["corpus"] = {"sha256": corpus.sha256, "sources": corpus.sources}
        rows = [",".join(curve[0])] + [",".join(str(v) for v in row.values()) for row in curve]
        write(folder / "curve.csv", "\n".join(rows) + "\n")
        write(folder / "run.json", json.dumps(run, indent=1) + "\n")
        self.partial.unlink(missing_ok=True)
        print(f"recorded in {folder}", file=sys.stderr)
        return folder


def _number(text: str):
    try:
        return float(text)
    except ValueError:
        return text


def load(name: str, root: Path = ROOT) -> Record:
    """The recorded run `name`.

    Raises:
        ValueError: there is no such run, or its record lacks a field.
    """
    folder = Path(root) / "book" / "runs" / name
    if not (folder / "run.json").exists():
        known = sorted(path.parent.name for path in (Path(root) / "book" / "runs").glob("*/run.json"))
        raise ValueError(f"no recorded run {name!r}; there are {known}. Make it: make study NAME={name}")
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    missing = [field for field in FIELDS if field not in run]
    if missing:
        raise ValueError(f"the record of run {name!r} lacks {missing}")
    with open(folder / "curve.csv", newline="", encoding="utf-8") as file:
        curve = [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)]
    return Record(run, curve)


def same_corpus(run: dict) -> bool:
    """Was a run (`load(name).run`) made from the docstrings that this machine has? Prints one line where it was not.

    Then its numbers still stand, but nothing that is computed here can be expected to repeat them.

    Raises:
        ValueError: the record does not say what it was made from.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missing package is said below, with the others
        here = docstrings()
    if "corpus" not in run:
        raise ValueError(f"the record of run {run['name']!r} does not say from which corpus it was made")
    there = run["corpus"]
    if there["sha256"] == here.sha256:
        return True
    names = {**there["sources"], **here.sources}
    versions = [(name, there["sources"].get(name, "none"), here.sources.get(name, "none")) for name in names]
    other = [f"{name} {its} (here {ours})" for name, its, ours in versions if its != ours]
    what = ", ".join(other) or f"the same versions, read by other rules (sha256 {there['sha256'][:8]})"
    print(f"The record {run['name']} was made from other docstrings than this machine has: those of {what}.")
    return False
