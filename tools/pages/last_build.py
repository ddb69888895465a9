"""What the last complete build was made from, so that the next one does only what has changed since.

`_build/built.json` has three digests: of the `apparatus` (tools, settings, list of contents, packages: where it changed
all is read anew), of the `unseen` (files that pages show and Sphinx knows nothing of, and the settings that it gets:
where it changed all pages are written anew), and of all `inputs` (where they are alike nothing is done). The record is
taken away before a build begins and comes back when Sphinx ended without a warning, so what was broken off is never
gone on with.
Digests are of contents: a fresh checkout with the same files is the same book.
Pages are made in `_build/pages` and, when all are there, take the place of `_build/html` at once. One build works at a
time: it holds the file `_build/held`.
"""

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

from packaging.utils import canonicalize_name

RECORD, PAGES, HTML = "built.json", "pages", "html"
# What no page is made from, by the name of a folder anywhere in the book.
OUTSIDE = {"_build", "__pycache__", "tests", "node_modules"}
ROOMS = ("chapter", "pages", "prover")  # of the tools: what makes pages
APPARATUS = ("_config.yml", "_toc.yml", "book/references.bib", "requirements.txt", "requirements-reading.txt")
UNSEEN = ("book/_static", "book/figures", "book/machine", "proofs", "course/slides", "course/assignments")


def files(root: Path, folders: Iterable[str] = ("",)) -> list[Path]:
    """The files of these folders that pages may be made from, in order; caches and hidden folders left out."""
    paths = []
    for start in (root / folder for folder in folders):
        if start.is_file():
            paths.append(start)
        for folder, names, inside in os.walk(start):
            names[:] = [name for name in names if name not in OUTSIDE and not name.startswith(".")]
            paths += [Path(folder) / name for name in inside]
    return sorted(path for path in paths if path.is_file())


def digest(root: Path, paths: Iterable[Path], *words: str) -> str:
    """Of names and contents of files, and of some words."""
    whole = hashlib.sha256(json.dumps(words).encode())
    for path in paths:
        whole.update(f"{path.relative_to(root).as_posix()}\0".encode())
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def apparatus(root: Path) -> str:
    """What all pages stand on, with the names of the unseen files: one that is gone leaves its page behind."""
    own = Path(__file__).resolve().parents[1]
    lock = (own.parent / "requirements-reading.txt").read_text(encoding="utf-8")
    locked = {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    packages = sorted(f"{one.name} {one.version}" for one in distributions() if canonicalize_name(one.name) in locked)
    names = [str(path.relative_to(root)) for path in files(root, UNSEEN)]
    tools = digest(own, files(own, ROOMS))
    return digest(root, files(root, APPARATUS), sys.version, tools, *packages, *names)


def inputs(root: Path, *words: str) -> str:
    """All that a build reads, but for the outputs of chapters that it executes."""
    return digest(root, files(root), *words)


def whole(root: Path, inputs: str) -> str:
    """Those that were there when a build began, with the outputs that it left."""
    return digest(root, files(root, ["_build/executed"]), inputs)


def load(build: Path) -> dict:
    """The record of the last complete build; empty where there is none."""
    path = build / RECORD
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def save(build: Path, record: dict) -> None:
    part = build / f"{RECORD}.part"
    part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    os.replace(part, build / RECORD)


def alone(build: Path):
    """A file that this program holds until it closes it, or ends. OSError: another program holds it."""
    build.mkdir(parents=True, exist_ok=True)
    held = open(build / "held", "w")  # noqa: SIM115 (who asks for it closes it)
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(held.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return held


def begin(build: Path, record: dict, apparatus: str) -> None:
    """Forget the record, and with it all that was made where it cannot be gone on with.

    What lies in `_static` is made anew in any case: Sphinx names other addresses for what it finds there.
    """
    (build / RECORD).unlink(missing_ok=True)
    shutil.rmtree(build / PAGES / "_static", ignore_errors=True)
    if record.get("apparatus") != apparatus:
        for old in (PAGES, ".doctrees", "jupyter_execute"):
            shutil.rmtree(build / old, ignore_errors=True)


def publish(build: Path) -> None:
    """The pages take the place of the site; what is broken off here leaves the old one or the new one."""
    new, old = build / "html.new", build / "html.old"
    for path in (new, old):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(build / PAGES, new)
    if (build / HTML).exists():
        os.replace(build / HTML, old)
    os.replace(new, build / HTML)
    shutil.rmtree(old, ignore_errors=True)
