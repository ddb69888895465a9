"""Packs the built site into one file that opens without a network: `_build/pdf/big-batches-small-memory-site.zip`.

    python tools/give/zip_book.py

In the zip is one folder with a README. Left out is what no page asks for: what Sphinx keeps for itself, the other forms
of MathJax, and Pyodide where `make browser` has put it beside the pages. The same site gives the same zip.
Deliberately absent: another form of the pages; a reader gets what stands on the web.
"""

import re
import sys
import zipfile
from pathlib import Path

import yaml

from tools.give import print_book
from tools.pages import page_foot

NAME = print_book.BOOK
# Pages load MathJax's `tex-chtml.js`, which loads its fonts, and what helps to read a formula when it is asked for.
LEFT_OUT = re.compile(
    r"\.buildinfo|.*\.map$|objects\.inv|\.doctrees/|_static/run/pack/|_static/scripts/fontawesome\.js|"
    r"_static/mathjax/(?!tex-chtml\.js)(tex-|mml-|node-main|latest|adaptors/|input/(asciimath|mml)|output/(?!chtml))"
)
README = """Big Batches, Small Memory, version {version}{commit}

Unpack this folder and open index.html in a browser. Nothing is asked of a network, except where you click on a link
that leads outside, and by the button that runs a chapter on its page, which loads Python from Pyodide's address.
Code: BSD 3-Clause licence. Text and figures: CC BY 4.0.
"""


def files(folder: Path, without: re.Pattern = re.compile(r"(?!)")) -> dict[str, bytes]:
    """What lies in a folder, by its path there, but for the paths that begin as `without` says."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in paths.items() if not without.match(name)}


def write(contents: dict[str, bytes], to: Path, top: str) -> None:
    """A zip of these files, which lie in it in the folder `top`; the same files give the same bytes."""
    with zipfile.ZipFile(to, "w", compresslevel=9) as archive:
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}")  # of 1980
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)


def pack(site: Path, to: Path, root: Path = print_book.ROOT) -> int:
    """Write the zip of the built pages `site`; returns its bytes."""
    cite = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    commit = page_foot.commit(root)
    source = f", from commit {page_foot.at(commit)}" if commit else ""
    readme = README.format(version=cite["version"], commit=source)
    write(files(site, LEFT_OUT) | {"README.txt": readme.encode()}, to, NAME)
    return to.stat().st_size


def main() -> int:
    if not print_book.built():
        return 1
    print_book.OUT.mkdir(parents=True, exist_ok=True)
    path = print_book.OUT / f"{NAME}-site.zip"
    size = pack(print_book.SITE, path)
    print(f"{path.relative_to(print_book.ROOT)}: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
