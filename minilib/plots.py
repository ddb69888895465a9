"""The house style: one colour for each optimizer through the whole book, and the few plots that many chapters draw.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; where two methods share a colour family, line
styles differ. `use_style()` at the top of a chapter sets fonts, sizes and grids, as `book.mplstyle` says.
"""

import numpy as np

from minilib import needs, optim

with needs("book"):
    import matplotlib.pyplot as plt

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, RED, PINK, GREY = "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"

COLOURS = {"black": BLACK, "orange": ORANGE, "sky": SKY, "green": GREEN, "blue": BLUE, "red": RED, "pink": PINK}
COLOURS["grey"] = GREY

# optimizer -> (colour, line style), as the class of the method says; two forms of SGD have one of their own
LOOKS = {"SGD": optim.SGD.look, "Momentum": ("black", "-"), "Nesterov": ("black", "--")}
LOOKS |= {name: cls.look for name, cls in optim.METHODS.items() if "look" in vars(cls)}
OPTIMIZERS = {name: (COLOURS[colour], line) for name, (colour, line) in LOOKS.items()}


def use_style() -> None:
    """Set Matplotlib's defaults for the book; call once at the top of a chapter.

    In a notebook pictures become SVG, which stays sharp on paper and on every screen.
    """
    plt.style.use("minilib.book")
    if "inline" in plt.get_backend():
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg", dpi=220, metadata={"Date": None})  # dpi: of what is rasterized


def style(optimizer: str) -> dict:
    """Keyword arguments for `ax.plot`: the optimizer's colour, line style and label.

    ValueError: no such optimizer in the book.
    """
    if optimizer not in OPTIMIZERS:
        raise ValueError(f"optimizer must be one of {list(OPTIMIZERS)}, got {optimizer!r}")
    color, style = OPTIMIZERS[optimizer]
    return {"color": color, "linestyle": style, "label": optimizer}


def band(ax, x, runs, **kwargs) -> None:
    """Draw the median of `runs` (seeds, len(x)) as a line and their range, least to greatest, as a band."""
    runs = np.asarray(runs)
    (line,) = ax.plot(x, np.median(runs, axis=0), **kwargs)
    ax.fill_between(x, runs.min(axis=0), runs.max(axis=0), color=line.get_color(), alpha=0.2, linewidth=0)


def contours(ax, f, xlim, ylim, levels=20) -> None:
    """Level lines of f(array of 2) over a rectangle, logarithmically spaced and filled, the lower the darker; the
    background of a path plot."""
    xs, ys = np.linspace(*xlim, 120), np.linspace(*ylim, 120)
    z = np.array([[f(np.array([x, y])) for x in xs] for y in ys])
    heights = np.log10(z - z.min() + 1e-3)
    low, high = heights.min(), heights.max()
    fill = ax.contourf(xs, ys, heights, levels=levels, cmap="Blues_r", vmin=3 * low - 2 * high, vmax=high)
    lines = ax.contour(xs, ys, heights, levels=levels, colors=GREY, linewidths=0.5, linestyles="solid", alpha=0.7)
    for drawn in (fill, lines):
        drawn.set_rasterized(True)  # thousands of corners that nobody wants as SVG
    ax.grid(False)
    ax.set(xlim=xlim, ylim=ylim)


def waterfall(ax, labels, values, unit="") -> None:
    """Where a chain of bounds loses its tightness: one bar a link, from the link before to its own value.

    Args:
        ax: axes to draw on.
        labels: the names of the links; the first is what was measured, the last the bound that the theorem states.
        values: their values, growing, positive, drawn on a logarithmic axis; the factor gained stands on each bar.
        unit: of the values, for the axis.
    """
    values = np.asarray(values, float)
    starts = np.concatenate([[values.min() / 2], values[:-1]])
    for k, (start, end) in enumerate(zip(starts, values, strict=True)):
        ax.barh(k, end - start, left=start, color=BLUE if k == 0 else ORANGE, height=0.6)
        text = f"{end:.2g}" if k == 0 else f"x {end / start:.2g}"
        ax.annotate(text, (max(start, end), k), xytext=(4, 0), textcoords="offset points", va="center")
    ax.set(xscale="log", yticks=range(len(labels)), yticklabels=labels, xlabel=unit)
    ax.set_xlim(values.min() / 2, values.max() * 3)
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
