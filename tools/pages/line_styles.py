"""Writes the optimizers' colours and lines, from what `minilib.plots` takes of their classes, where others find them.

    python tools/pages/line_styles.py    the table in book/notation.md, and book/figures/optimizers.css for live figures

In a figure that moves `Live.optimizer("LAMB")` is the look of LAMB's line. Tests compare both files with the library.
"""

from pathlib import Path

from minilib import plots

BOOK = Path(__file__).resolve().parents[2] / "book"
PAGE, STYLES = BOOK / "notation.md", BOOK / "figures" / "optimizers.css"
HEAD = "| optimizer | line | optimizer | line |\n|:--|:--|:--|:--|\n"
COLOURS = {"sky": "light blue", "blue": "dark blue", "red": "vermilion"}
LINES = {"-": "", "--": ", dashed", ":": ", dotted", "-.": ", dash-dotted"}
DASHES = {"-": "none", "--": "6 4", ":": "2 3", "-.": "7 3 2 3"}
# What stands for each colour on a dark page, where black cannot be seen.
DARK = {
    plots.BLACK: "#e6e9ee",
    plots.GREY: "#8f98a3",
    plots.BLUE: "#3d9be0",
    plots.SKY: "#9bd6f8",
    plots.ORANGE: "#f0b440",
    plots.RED: "#f0884d",
    plots.GREEN: "#3fc79a",
    plots.PINK: "#e39ac2",
}


def with_table(text: str) -> str:
    """The notation page's text with the table of today."""
    cells = [f"| {name} | {COLOURS.get(colour, colour)}{LINES[line]} " for name, (colour, line) in plots.LOOKS.items()]
    half = (len(cells) + 1) // 2
    rows = [a + b + "|\n" for a, b in zip(cells[:half], [*cells[half:], "| | "][:half], strict=True)]
    before, after = text.split(HEAD)
    return before + HEAD + "".join(rows) + after[after.index("\n\n") + 1 :]


def css() -> str:
    """The text of the style sheet."""
    light, dark = [], []
    for name, (color, style) in plots.OPTIMIZERS.items():
        light += [f"  --{name}: {color.lower()};", f"  --{name}-dash: {DASHES[style]};"]
        dark.append(f"    --{name}: {DARK[color]};")
    head = "/* Written by tools/pages/line_styles.py from minilib/plots.py: do not edit. */"
    screen = ["@media screen {", '  html[data-theme="dark"] .live {', *dark, "  }", "}"]
    return "\n".join([head, ".live {", *light, "}", *screen, ""])


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    STYLES.write_text(css(), encoding="utf-8")
