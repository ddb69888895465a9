"""Recorded runs: what was measured, how it was made, and from which corpus.

A record is a folder with `run.json` (how it was made, and its results) and `curve.csv` (one row a point). Where the
records of a project lie is said in its pyproject.toml:

    [tool.minilib]
    records = "book/runs"

`load` reads one; no number of a run is typed by hand. A run that was made from the docstrings of the installed packages
says from which (`corpus`), and `same_corpus` tells whether this machine has the same. Absent on purpose: a tracking
server, plots, anything that needs a network. `study` makes records.
"""

import csv
import datetime
import json
import os
import platform
import subprocess
import tomllib
import warnings
from pathlib import Path
from typing import NamedTuple

from minilib.data import docstrings
from minilib.data.download import appearing

FIELDS = ("name", "command", "config", "commits", "device", "versions", "start", "end", "seconds", "results")
PACKAGE = Path(__file__).resolve().parents[1]


class Project(NamedTuple):
    """A project that keeps records: its folder, and that of the records."""

    root: Path
    records: Path


def project(start: Path | None = None) -> Project:
    """The project that `start`, by default the current folder, belongs to.

    ValueError: no pyproject.toml there or above says where the records lie.
    """
    start = Path(start or Path.cwd()).resolve()
    for root in (start, *start.parents):
        if (path := root / "pyproject.toml").is_file():
            with open(path, "rb") as file:
                records = tomllib.load(file).get("tool", {}).get("minilib", {}).get("records")
            if records:
                return Project(root, root / records)
    raise ValueError(
        f"no pyproject.toml in {start} or above it says where records lie: write [tool.minilib], then records = FOLDER"
    )


class Record(NamedTuple):
    """A recorded run: `run` is run.json as a dict, `curve` the rows of curve.csv, numbers as floats."""

    run: dict
    curve: list[dict]


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def write(path: Path, text: str) -> None:
    """Write all of a file or nothing. OSError names the file."""
    try:
        with appearing(path) as part:
            part.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:  # of a full disk it would not say where
        raise OSError(error.errno, error.strerror, str(path)) from None


def machine() -> str:
    """The processor's name and the number of cores that this process may use."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def commit() -> str:
    """The commit of the code that ran, with `+` when files that git tracks were changed; `unknown` outside git."""
    try:
        git = ["git", "-C", str(PACKAGE)]
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", ":/minilib", ":/studies"]).returncode
    except (subprocess.CalledProcessError, FileNotFoundError):
        return "unknown"
    return head[:12] + ("+" if changed else "")


def _number(text: str):
    try:
        return float(text)
    except ValueError:
        return text


def folder(name: str, where: Project | None = None) -> Path:
    """The folder of the recorded run `name`. ValueError: there is no such run."""
    records = (where or project()).records
    if not (records / name / "run.json").exists():
        known = sorted(path.parent.name for path in records.glob("*/run.json"))
        how = f"NAME={name.removesuffix('-gpu')} SIZE=gpu" if name.endswith("-gpu") else f"NAME={name}"
        raise ValueError(f"no recorded run {name!r}; there are {known}. Make it: make study {how}")
    return records / name


def load(name: str, where: Project | None = None) -> Record:
    """The recorded run `name`. ValueError: there is no such run, or its record lacks a field."""
    path = folder(name, where)
    run = json.loads((path / "run.json").read_text(encoding="utf-8"))
    missing = [field for field in FIELDS if field not in run]
    if missing:
        raise ValueError(f"the record of run {name!r} lacks {missing}")
    with open(path / "curve.csv", newline="", encoding="utf-8") as file:
        curve = [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)]
    return Record(run, curve)


def same_corpus(run: dict) -> bool:
    """Was a run (`load(name).run`) made from the docstrings that this machine has? Prints one line where it was not.

    Then its numbers still stand, but nothing that is computed here can be expected to repeat them.

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
