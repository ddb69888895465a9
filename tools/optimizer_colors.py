"""Writes the optimizers' colours and dashes of `minilib.plots` where the figures that move find them.

    python tools/optimizer_colors.py    writes book/figures/optimizers.css

In a figure `Live.optimizer("LAMB")` is the look of LAMB's line. A test compares the file with the library.
"""

from pathlib import Path

from minilib import plots

FILE = Path(__file__).resolve().parent.parent / "book" / "figures" / "optimizers.css"
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


def css() -> str:
    """The file's text."""
    light, dark = [], []
    for name, (color, style) in plots.OPTIMIZERS.items():
        light += [f"  --{name}: {color.lower()};", f"  --{name}-dash: {DASHES[style]};"]
        dark.append(f"    --{name}: {DARK[color]};")
    head = "/* Written by tools/optimizer_colors.py from minilib/plots.py: do not edit. */"
    screen = ["@media screen {", '  html[data-theme="dark"] .live {', *dark, "  }", "}"]
    return "\n".join([head, ".live {", *light, "}", *screen, ""])


if __name__ == "__main__":
    FILE.write_text(css(), encoding="utf-8")
