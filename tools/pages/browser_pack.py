"""Puts Pyodide beside the built site, so that chapters run on their pages without a network: what `make browser` does.

    python tools/pages/browser_pack.py                 fetches the files of Pyodide's release
    python tools/pages/browser_pack.py --pack FOLDER   takes them from a folder that has them
    python tools/pages/browser_pack.py --unchecked FOLDER ...    for a test where some files cannot be had: takes
                                                       these from a folder whatever they are, and `unchecked.json`
                                                       in the pack says which
    python tools/pages/browser_pack.py --record FOLDER writes book/_static/run/pyodide.json for the release in a folder

Every file must have the checksum that is recorded in `pyodide.json`; what was fetched is kept in `_build/pyodide`. The
pages get each file as a script, because a page that was opened from a file may read nothing else. Deliberately absent:
packages that no chapter needs.
"""

import argparse
import hashlib
import json
import shutil
import sys
import urllib.error
import urllib.request
from pathlib import Path

from tools import ROOT
from tools.pages import running_pages

CORE = ["pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"]
PACKAGES = ["numpy", "matplotlib", "scipy", "sympy"]
SOURCE = "https://github.com/pyodide/pyodide"
ADDRESS = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def fetch(address: str) -> bytes:
    """ValueError: it cannot be had."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read()
    except (urllib.error.URLError, TimeoutError) as error:
        raise ValueError(f"{address} cannot be fetched: {error}; make browser PACK=FOLDER takes a folder") from None


def content(file: str, recorded: dict, pack: Path | None, kept: Path) -> bytes:
    """A file of Pyodide: from the folder `pack`, else from what was kept or from its address.

    ValueError: it is not there, or it has another checksum than the recorded one.
    """
    place = (pack or kept) / file
    if pack and not place.is_file():
        raise ValueError(f"{pack} has no {file}; it must hold the files of Pyodide {recorded['version']}")
    data = place.read_bytes() if place.is_file() else fetch(recorded["address"] + file)
    if digest(data) != recorded["sha256"][file]:
        where = place if place.is_file() else recorded["address"] + file
        raise ValueError(f"{where} has the checksum {digest(data)}, and must have {recorded['sha256'][file]}")
    return data


def unchecked(html: Path) -> list[str]:
    """The files of the pack beside a site that were taken whatever they are."""
    path = html / "_static" / "run" / "pack" / "unchecked.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def put(html: Path, recorded: dict, pack: Path | None, kept: Path, other: Path | None = None) -> int:
    """Write the pack beside the site; returns its bytes. Files that lie in the folder `other` are taken as they are.

    ValueError: no site, or a file that is not as recorded.
    """
    into = html / "_static" / "run"
    if not (into / "book.js").exists():
        raise ValueError(f"there is no site in {html} whose chapters run: make book")
    shutil.rmtree(into / "pack", ignore_errors=True)
    (into / "pack").mkdir()
    total, taken = 0, [file for file in recorded["sha256"] if other and (other / file).is_file()]
    for file in recorded["sha256"]:
        data = (other / file).read_bytes() if file in taken else content(file, recorded, pack, kept)
        if file not in taken and not pack and not (kept / file).exists():
            kept.mkdir(parents=True, exist_ok=True)
            (kept / file).write_bytes(data)
        (into / "pack" / f"{file}.js").write_text(running_pages.given(file, data), encoding="utf-8")
        total += len(data)
    if taken:
        (into / "pack" / "unchecked.json").write_text(json.dumps(taken), encoding="utf-8")
    # The last, so that the pages find a pack only when it is whole.
    notice = f"// Pyodide {recorded['version']}, MPL 2.0, {SOURCE}; each package has its licence inside\n"
    (into / "pack" / "pack.js").write_text(notice, encoding="utf-8")
    return total


def record(folder: Path) -> dict:
    """What `pyodide.json` says of the release in a folder; the lock has the checksums of its packages.

    `kilobytes` of a package that is not in the folder are 0: write them by hand.
    """
    lock = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))
    version = lock["info"]["version"]
    files, sums = {"core": CORE}, {file: digest((folder / file).read_bytes()) for file in CORE}

    def needs(name: str) -> list[str]:
        package = lock["packages"][name.lower()]
        sums[package["file_name"]] = package["sha256"]
        return [package["file_name"], *(file for other in package["depends"] for file in needs(other))]

    files |= {name: sorted(set(needs(name))) for name in PACKAGES}
    sizes = {file: (folder / file).stat().st_size // 1000 if (folder / file).exists() else 0 for file in sums}
    return {
        "version": version,
        "address": ADDRESS.format(version=version),
        "packages": files,
        "sha256": sums,
        "kilobytes": sizes,
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pack", type=Path, metavar="FOLDER", help="where the files of Pyodide's release lie")
    parser.add_argument("--unchecked", type=Path, metavar="FOLDER", help="files to be taken whatever they are: a test")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="write pyodide.json for the release there")
    parser.add_argument(
        "--html", type=Path, default=ROOT / "_build" / "html", help="the site (default: that of make book)"
    )
    args = parser.parse_args(arguments)
    if args.record:
        text = json.dumps(record(args.record), indent=1) + "\n"
        (ROOT / running_pages.RUN / "pyodide.json").write_text(text, encoding="utf-8")
        return 0
    recorded = running_pages.pyodide()
    try:
        total = put(args.html, recorded, args.pack, ROOT / "_build" / "pyodide", args.unchecked)
    except ValueError as error:
        print(f"No pack: {error}.")
        return 2
    but = f"every file as recorded{', but for ' if args.unchecked else ''}{', '.join(unchecked(args.html))}"
    print(f"Pyodide {recorded['version']} lies beside the pages: {total / 1e6:.0f} MB, {but}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
