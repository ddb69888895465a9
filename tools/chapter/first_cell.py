"""The first cell of every chapter: it fetches the book where the chapter was opened by itself, as on Google Colab.

    python tools/chapter/first_cell.py          put it into every .md, with address and version of today (make format)

The address is that of `repository.url` in _config.yml, the one place where it stands; as long as none stands there the
cell takes it from the variable BOOK_ADDRESS, or asks for it. The version is that of minilib: of the tag `v...` the book
is fetched, and of the default branch where there is no such tag.
In a clone the cell only lets the chapter import what lies in the book's folder. It is not on the pages, and no digest
and no count of cells knows it, so that another address makes no chapter stale.
"""

import re
from pathlib import Path

import yaml

from tools import ROOT
from tools.chapter import chapters

# On Colab `cellView` folds the cell to its title, in JupyterLab `source_hidden` does.
BLOCK = """\
```{{code-cell}} ipython3
---
cellView: form
jupyter:
  source_hidden: true
tags: [remove-cell, {tag}]
---
{source}
```
"""
SOURCE = """\
# @title Run this first on Colab: it fetches the book. In a clone it sets the path.
import os
import sys

if not os.path.isdir("../minilib"):
    ADDRESS = os.environ.get("BOOK_ADDRESS") or "{address}"
    assert ADDRESS, "write the address of the book's repository between the quotes of this cell"
    FETCH = "git clone -q --depth 1 -c advice.detachedHead=false"
    !test -d book || {{FETCH}} -b {tag} {{ADDRESS}} book || {{FETCH}} {{ADDRESS}} book
    sys.path.insert(0, os.path.abspath("book"))
    from minilib import colab

    colab.prepare()
sys.path.insert(0, os.path.abspath(".."))"""
ANY = re.compile(
    r"^```\{code-cell\} ipython3\n---\n(?:(?!---\n).*\n)*?tags:.*" + chapters.FETCH + r".*\n---\n(?:.*\n)*?```\n", re.M
)
FIRST = re.compile(r"^```\{code-cell\}", re.M)


def address(root: Path) -> str:
    """The public address that the book gives itself, an empty string where it gives none."""
    return yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["repository"]["url"]


def tag(root: Path) -> str:
    """The tag of this version of the book."""
    text = (root / "minilib" / "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.+)"', text, re.M)
    return f"v{version[1]}" if version else "main"


def source(root: Path, url: str = "") -> str:
    """The code of the cell, with the address `url` where one is given."""
    return SOURCE.format(address=url or address(root), tag=tag(root))


def placed(text: str, code: str) -> str:
    """A chapter's source with the cell `code` before its first code cell, whatever stood there as such before."""
    block = BLOCK.format(tag=chapters.FETCH, source=code)
    if old := ANY.search(text):
        return text[: old.start()] + block + text[old.end() :]
    at = FIRST.search(text).start()
    return f"{text[:at]}{block}\n{text[at:]}"


def main() -> None:
    for md in sorted((ROOT / "notebooks").glob("*.md")):
        text = md.read_text(encoding="utf-8")
        if (new := placed(text, source(ROOT))) != text:
            md.write_text(new, encoding="utf-8")
            print(f"{md.name}: the first cell is of today")


if __name__ == "__main__":
    main()
