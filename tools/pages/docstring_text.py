"""The text of the docstrings for the pages that run, and the licences of the packages that it is from.

Chapters read it, so a site carries it, whoever builds it. Where the packages are installed as the lock has them, the
text is theirs. Elsewhere, as in the environment that only builds pages, their wheels are downloaded (163 MB) and read,
not installed: those for macOS, because they hold the same source as the others in the fewest bytes. What came out is
kept in `_build/docstrings`. A copy of the text in the repository would be a data set, and old with the next lock.

    python tools/pages/docstring_text.py FOLDER    downloads and reads the wheels, and writes the two files there

Deliberately absent: any part of it. A text of fewer packages is another text, and chapters would print other numbers.
"""

import contextlib
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import threading
import types
import warnings
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from tools import ROOT

LOCK = ROOT / "requirements.txt"
SOURCES = [LOCK, *(ROOT / "minilib" / "data" / f"{name}.py" for name in ("package_docs", "prose"))]
FILES = ("docstrings.json", "prose-licences.txt")
WHEELS = ("--no-deps", "--only-binary=:all:", "--platform=macosx_15_0_arm64", "--python-version=3.11")
# A package's own licence, without those of the libraries that were compiled into it.
LICENCE = re.compile(r"[^/]*\.dist-info/(licenses/)?(LICEN[CS]E|COPYING)[^/]*")
ONE = threading.Lock()  # fetches at a time
NOTICE = "prose.js beside this file holds paragraphs from the docstrings of these packages, which have these licences."


def licences(packages: Iterable[str]) -> str:
    """The licences that these packages bring, each under a line with its name and version.

    ValueError: a package brings none, so that its text must not be handed on.
    """
    texts = []
    for package in map(distribution, packages):
        own = [file for file in package.files or [] if LICENCE.fullmatch(file.as_posix())]
        if not own:
            raise ValueError(f"{package.name} {package.version} brings no licence for the text of its docstrings")
        texts += [f"== {package.name} {package.version} ==", *(file.read_text("utf-8").strip() for file in own)]
    return "\n\n".join([NOTICE, *texts]) + "\n"


def locked(packages: Iterable[str]) -> dict[str, str]:
    """The versions of these packages in the lock."""
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    return {name: pinned[name] for name in packages}


def read() -> tuple[str, str]:
    """The text as JSON, and the licences, of the packages that Python finds here.

    ImportError, UserWarning: one is missing, or its version is not that of the lock.
    """
    from minilib.data import package_docs  # here: to build the pages takes less than to run them

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = package_docs.docstrings()
    if text.sources != locked(text.sources):
        raise UserWarning(f"{text.sources} is not what {LOCK.name} has")
    return json.dumps(text._asdict()), licences(text.sources)


def text(kept: Path = ROOT / "_build" / "docstrings") -> tuple[str, str]:
    """The text of the docstrings as JSON, and the licences of the packages that it is from.

    ValueError: the packages are not installed here, and their wheels cannot be had.
    """
    try:
        return read()
    except (ImportError, UserWarning):
        folder = kept / hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]
    with ONE:
        if not all((folder / name).exists() for name in FILES):
            done = subprocess.run([sys.executable, __file__, str(folder)], capture_output=True, text=True)
            if done.returncode:
                last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "")
                raise ValueError(f"chapters read the docstrings of packages whose wheels cannot be had here: {last}")
    return tuple((folder / name).read_text(encoding="utf-8") for name in FILES)


def fetch_early() -> None:
    """Begin to fetch the text beside other work, where the packages are not installed; `text` waits for its end."""

    def fetch() -> None:
        with contextlib.suppress(ValueError):  # whoever needs the text asks again, and is told
            text()

    threading.Thread(target=fetch, daemon=True).start()


def unpack(wheel: Path, into: Path) -> None:
    """The source of a package, and what its wheel says of it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(into, [name for name in archive.namelist() if re.search(r"\.py$|\.dist-info/", name)])


def from_wheels(into: Path) -> None:
    """Write the two files from wheels of the packages in the lock."""
    # minilib.data itself imports NumPy, which need not be here
    sys.modules["minilib.data"] = part = types.ModuleType("minilib.data")
    part.__path__ = [str(ROOT / "minilib" / "data")]
    sys.path.insert(0, str(ROOT))
    from minilib.data.package_docs import PACKAGES

    with tempfile.TemporaryDirectory() as held:
        exact = [f"{name}=={version}" for name, version in locked(PACKAGES.values()).items()]
        command = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", *WHEELS]
        if status := subprocess.run([*command, "-d", held, *exact]).returncode:
            sys.exit(status)  # pip has said why
        for wheel in Path(held).glob("*.whl"):
            unpack(wheel, Path(held))
        sys.path.insert(0, held)  # to be found, not imported: nothing here imports one of these packages
        texts = read()
    into.mkdir(parents=True, exist_ok=True)
    for name, content in zip(FILES, texts, strict=True):
        (into / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    from_wheels(Path(sys.argv[1]))
