"""Writes the table of the optimizers' colours and lines into book/notation.md, from what `minilib.plots` takes of them.

python tools/looks.py
"""

from pathlib import Path

from minilib import plots

PAGE = Path(__file__).resolve().parent.parent / "book" / "notation.md"
HEAD = "| optimizer | line | optimizer | line |\n|:--|:--|:--|:--|\n"
COLOURS = {"sky": "light blue", "blue": "dark blue", "red": "vermilion"}
LINES = {"-": "", "--": ", dashed", ":": ", dotted", "-.": ", dash-dotted"}


def with_table(text: str) -> str:
    """The page's text with the table of today."""
    cells = [f"| {name} | {COLOURS.get(colour, colour)}{LINES[line]} " for name, (colour, line) in plots.LOOKS.items()]
    half = (len(cells) + 1) // 2
    rows = [a + b + "|\n" for a, b in zip(cells[:half], [*cells[half:], "| | "][:half], strict=True)]
    before, after = text.split(HEAD)
    return before + HEAD + "".join(rows) + after[after.index("\n\n") + 1 :]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
