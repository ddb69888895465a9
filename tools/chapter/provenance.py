"""Which run made the stored outputs of a chapter, and whether they would be made the same way today.

For each chapter NN_name `book/proved/name.json` holds

    made, seconds, processor, versions    of the run that made the outputs; seconds of processor time, which another
                                          program on the machine changes little (on Windows: of the clock)
    cells                                 a digest of the chapter's code cells and their outputs
    reads                                 digests of all files of the book that the run read: modules, records, ...

What a run reads is not guessed: `trace/` notes it while the cells run, in the processes that they start too.
The outputs are stale when any digest is another one today, or when the lock, requirements.txt, has another version of
one of the libraries that the chapters compute with. A new version of pytest changes no cell.
Deliberately absent: whether the outputs are right. `make test` executes every cell and compares.
"""

import hashlib
import json
import os
import platform
import re
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import nbformat

from tools.chapter import chapters

LOCK = "requirements.txt"
FOLDER = Path("book") / "proved"
# Below the book's folder, and yet not of the book; pyproject.toml only says where the records lie.
OUTSIDE = ("pyproject.toml", ".venv", ".venv-tpu", "_build", ".git", "tools", "notebooks", ".pytest_cache")
LIBRARIES = ("numpy", "scipy", "scikit-learn", "matplotlib", "torch")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def file_digest(path: Path) -> str | None:
    """The digest of a file, None when it is not there; line ends count as one, whatever the checkout made of them."""
    return digest(path.read_bytes().replace(b"\r\n", b"\n")) if path.is_file() else None


def cells_digest(nb: nbformat.NotebookNode) -> str:
    """The digest of the code cells and their outputs, without the first cell, which does nothing in a clone."""
    code = [cell for cell in nb.cells if cell.cell_type == "code" and chapters.FETCH not in chapters.tags(cell)]
    cells = [[cell.source, cell.get("outputs", [])] for cell in code]
    return digest(json.dumps(cells, sort_keys=True).encode())


def path(folder: Path, name: str) -> Path:
    return folder / f"{chapters.name_of(name)}.json"


def load(folder: Path, name: str) -> dict | None:
    """The record of a chapter's run in `folder`; None when there is none."""
    file = path(folder, name)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def processor() -> str:
    """The processor's name as the system gives it, and the number of its cores."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def versions() -> dict[str, str]:
    """Python's version and those of the libraries that the chapters compute with, where they are installed."""
    installed = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    return installed


def record(root: Path, nb: nbformat.NotebookNode, read: set[str], seconds: float) -> dict:
    """What to remember of a run that read the files `read` (relative to `root`) and gave the outputs in `nb`."""
    names = sorted(name for name in read if Path(name).parts[0] not in OUTSIDE)
    digests = {name: file_digest(root / name) for name in names}
    return {
        "made": time.strftime("%Y-%m-%d"),
        "seconds": round(seconds, 1),
        "processor": processor(),
        "versions": versions(),
        "cells": cells_digest(nb),
        "reads": {name: digest for name, digest in digests.items() if digest},
    }


def changed_versions(root: Path, run: dict) -> list[str]:
    """The libraries of which the lock has another version than the run; a build, as in 2.13.0+cpu, does not count."""
    lock = root / LOCK
    text = lock.read_text(encoding="utf-8") if lock.exists() else ""
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE))
    then = {name: number.split("+")[0] for name, number in run["versions"].items() if name in pinned}
    return [f"{name} is {pinned[name]} and was {number}" for name, number in then.items() if pinned[name] != number]


def stale(root: Path, nb: nbformat.NotebookNode, run: dict | None) -> list[str]:
    """Why the outputs in `nb` may not be those that its cells would give today; an empty list when they are."""
    if run is None:
        return ["no run of it is recorded"]
    reasons = [] if cells_digest(nb) == run["cells"] else ["its cells or their outputs changed"]
    for name, then in run["reads"].items():
        now = file_digest(root / name)
        if now != then:
            reasons.append(f"{name} changed" if now else f"{name} is gone")
    return reasons + changed_versions(root, run)


def save(folder: Path, name: str, run: dict) -> None:
    """Write the record of a chapter's run, all of it or nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{name}.json.part"
    part.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    os.replace(part, path(folder, name))
