"""Puts a chapter between two others: renames what follows, and writes a first draft of the new one.

    make chapter NAME=weight_averaging AFTER=big_batches

A chapter's number stands in the names of its two files, in _toc.yml, and in the README, which links to files. Those are
renamed and rewritten here; everything else knows chapters by name and stays as it is. The new chapter gets a line in
_toc.yml and in the maps of README.md and book/index.md, and `notebooks/NN_name.md` with what every chapter has; it is
executed at once. Deliberately absent: appendices, whose letters stand as they are, its content, and its lectures, for
which `syllabus.py` has a table.
"""

import argparse
import re
from pathlib import Path

from tools import ROOT
from tools.chapter import chapters, first_cell, notebooks

DRAFT = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
    format_version: 0.13
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

({label})=
# {title}

*Core path: 0 minutes. You need {{numref}}`Chapter %s <{before}>`; sections with a ★ can wait.*

## The question

What did {{numref}}`Chapter %s <{before}>` leave open?

```{{code-cell}} ipython3
:mystnb: {{code_prompt_show: "Show the imports"}}
:tags: [hide-cell]

from minilib import plots

plots.use_style()
```

Here the core path ends.
"""


def renumber(root: Path, first: int) -> dict[str, str]:
    """Make room for a chapter with the number `first`; returns {old file name: new one}, without endings."""
    later = [md for md in notebooks.chapters(root) if md.stem[:2].isdigit() and int(md.stem[:2]) >= first]
    moved = {}
    for md in reversed(later):
        new = f"{int(md.stem[:2]) + 1:02d}_{chapters.name_of(md.stem)}"
        for path in (md, notebooks.pair(md)):
            path.rename(path.with_stem(new))
        moved[md.stem] = new
    return moved


def rewritten(text: str, moved: dict[str, str]) -> str:
    """A text in which the moved files have their new names, and links and rows of the map their new numbers."""
    if moved:
        names = "|".join(map(re.escape, moved))
        text = re.sub(rf"\b(?:{names})\b", lambda name: moved[name[0]], text)
    text = re.sub(r"^\| \d+ (?=\| \[[^\]]*\]\(notebooks/(\d\d)_)", lambda row: f"| {int(row[1])} ", text, flags=re.M)
    return re.sub(r"\[chapter \d+(?=\]\(notebooks/(\d\d)_)", lambda link: f"[chapter {int(link[1])}", text)


def after(text: str, line: str, new: str) -> str:
    """`text` with the line `new` below the one line that contains `line`."""
    (old,) = [old for old in text.splitlines() if line in old]
    return text.replace(f"{old}\n", f"{old}\n{new}\n")


def insert(root: Path, name: str, place: str) -> Path:
    """Put a draft of the chapter `name` after the chapter `place`; returns its source, which was not executed yet.

    Raises:
        ValueError: no name for a chapter, one that is taken, or a place that is no numbered chapter; nothing changes.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"NAME must be of small letters, digits and underscores, as weight_averaging is; got {name!r}")
    if name in (known := [chapters.name_of(md.stem) for md in notebooks.chapters(root)]):
        raise ValueError(f"NAME must be new, got {name!r}; there are {', '.join(known)}")
    before = notebooks.find(place, root)
    if not before.stem[:2].isdigit():
        raise ValueError(f"AFTER must be a numbered chapter, got {place!r}, which is an appendix")
    label, number = f"ch-{name.replace('_', '-')}", int(before.stem[:2]) + 1
    title, file = name.replace("_", " ").capitalize(), f"{number:02d}_{name}"
    label_before, _ = chapters.labelled(before.read_text(encoding="utf-8"))
    moved = renumber(root, number)
    source = root / "notebooks" / f"{file}.md"
    draft = DRAFT.format(label=label, title=title, before=label_before)
    source.write_text(first_cell.placed(draft, first_cell.source(root)), encoding="utf-8")
    rows = {
        "_toc.yml": (f"notebooks/{before.stem}", f"      - file: notebooks/{file}"),
        "README.md": (f"](notebooks/{before.stem}.ipynb) |", f"| {number} | [{title}](notebooks/{file}.ipynb) |"),
        "book/index.md": (
            f"| {{numref}}`%s <{label_before}>` |",
            f"| {{numref}}`%s <{label}>` | {{ref}}`{title} <{label}>` | | {{{{ time_{name} }}}} | "
            f"{{{{ exercises_{name} }}}} |",
        ),
    }
    for page, (line, row) in rows.items():
        text = rewritten((root / page).read_text(encoding="utf-8"), moved)
        (root / page).write_text(after(text, line, row), encoding="utf-8")
    return source


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="as weight_averaging")
    parser.add_argument("after", help="the chapter before it, as big_batches")
    args = parser.parse_args()
    try:
        source = insert(ROOT, args.name, args.after)
    except ValueError as error:
        parser.error(str(error))
    notebooks.run(source)
    print(f"notebooks/{source.name} is a draft; write it, then: make notebook NAME={args.name}")


if __name__ == "__main__":
    main()
