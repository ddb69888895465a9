"""Reads the chapters, which are notebooks of nbformat: their cells, directives, exercises, folds and what they printed.

`rules.py` says what breaks the book's rules. Deliberately absent: form (length of cells, headings); `reading.py` and
`tools/check/report.py` count it.
"""

import re
from pathlib import Path

import nbformat

UNSEEN = {"hide-input", "hide-cell", "remove-cell", "remove-input"}  # tags of cells whose code a page does not show
WIDEST = 76  # characters of a line of code that a page of 1,200 px shows without scrolling
UNLABELLED = 'a folded cell does not say what is inside: mystnb: {code_prompt_show: "Show the ..."}'
STAR = "★"
FETCH = "fetch-the-book"  # the tag of the cell that tools/chapter/first_cell.py puts into every chapter
FENCE = r"^(?P<mark>:{{3,}}|`{{3,}})\{{{name}\}}[ \t]*(?P<title>[^\n]*)\n(?P<body>.*?)^(?P=mark)[ \t]*$"


def name_of(file: str) -> str:
    """What a chapter is called: '02_a' -> 'a'. The number before it says where it stands, and may change."""
    return re.sub(r"^(\d\d|[A-Z])_", "", file)


def read(path: Path) -> nbformat.NotebookNode:
    """The notebook at `path`, as nbformat version 4."""
    return nbformat.read(path, as_version=4)


def stored(root: Path) -> dict[str, nbformat.NotebookNode]:
    """The notebooks of all chapters by the names of their files, in the order of the book."""
    return {path.stem: read(path) for path in sorted((root / "notebooks").glob("*.ipynb"))}


def labelled(text: str) -> tuple[str, str] | None:
    """The label and the title of a chapter's source; None where it has no label."""
    match = re.search(r"^\((ch-[\w-]+)\)=\n# (.+)$", text, re.MULTILINE)
    return (match[1], match[2]) if match else None


def code(nb) -> list:
    """The code cells that hold code, without the first cell that all chapters share: see `first_cell`."""
    cells = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
    return [cell for cell in cells if FETCH not in tags(cell)]


def tags(cell) -> set[str]:
    return set(cell.metadata.get("tags", []))


def prose(nb) -> str:
    """The text of all Markdown cells."""
    return "\n\n".join(cell.source for cell in nb.cells if cell.cell_type == "markdown")


def directives(text: str, name: str) -> list[re.Match]:
    """Every fenced directive `name` in a text: groups `title` (the argument) and `body`."""
    return list(re.finditer(FENCE.format(name=name), text, re.MULTILINE | re.DOTALL))


def option(body: str, name: str) -> str:
    """The value of a directive's `:name:` line, or an empty string."""
    match = re.search(rf"^:{name}:[ \t]*(.*)$", body, re.MULTILINE)
    return match[1].strip() if match else ""


def printed(cell) -> str:
    """What a code cell printed or showed as text."""
    parts = []
    for output in cell.get("outputs", []):
        parts.append(output.get("text", "") or output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)


def head(cell) -> str:
    """The first line of a cell, to name it in a message."""
    return repr(cell.source.strip().splitlines()[0][:60])


def ignored_cells(nb) -> list:
    """The code cells whose output is not compared."""
    return [cell for cell in code(nb) if "nbval-ignore-output" in tags(cell)]


def exercise_labels(nb) -> list[str]:
    """The label of every exercise, in order; an empty string where it has none."""
    text = prose(nb)
    matches = directives(text, "exercise") + directives(text, "exercise-start")
    return [option(m["body"], "label") for m in sorted(matches, key=lambda m: m.start())]


def fold_label(metadata: dict) -> str:
    """What stands on the fold of a cell with this metadata; empty where it does not say."""
    mystnb = metadata.get("mystnb", {})
    label = mystnb.get("code_prompt_show", "")
    if label or "figure" not in mystnb:
        return label if re.match(r"Show (?!the (source|content|outputs?|code)$)\w", label) else ""
    return "Show how this figure is drawn" if "hide-input" in metadata["tags"] else "Show the figure"


def checks(cell) -> bool:
    """Whether a cell checks something: an assert, a ledger row, or numpy's testing functions."""
    return bool(re.search(r"^\s*assert\b|\.leq\(|\.eq\(|assert_allclose|assert_array", cell.source, re.M))


def cited_keys(text: str) -> set[str]:
    """The keys of all citations in a text."""
    groups = re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text)
    return {key.strip() for group in groups for key in group.split(",")}
