"""What a page of the book shows beside figures: tables of text, with their data, and numbers that its sentences quote.

Absent on purpose: tables in HTML. A printed table is compared by the tests like any other output. And an import of
myst_nb, whose pages read the glued numbers: a chapter needs no more than IPython to leave them in its outputs.
"""

import sys
from collections.abc import Iterable, Sequence


def print_table(rows: Iterable[Sequence], heads: Sequence[str] = (), gap: int = 2) -> None:
    """Prints rows of cells in columns: the first to the left, the others to the right, as wide as the widest cell.

    Args:
        rows: of one length each; a cell is printed as `str` has it, so numbers come formatted: f"{loss:.2f}".
        heads: a first row, where there is one.
        gap: blanks between two columns.

    ValueError: the rows do not have the same number of cells.
    """
    lines = [[str(cell) for cell in row] for row in ([heads] if heads else []) + list(rows)]
    if len({len(line) for line in lines}) > 1:
        lengths = sorted({len(line) for line in lines})
        raise ValueError(f"the rows of a table must be of one length, got {lengths} cells")
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [first.ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        print((" " * gap).join(cells).rstrip())


def leave(kind: str, data: dict) -> None:
    """Leaves what was printed as data among a cell's outputs, unseen; outside of notebooks it does nothing.

    Pages that collect tables from all chapters read the data, not the print. Numbers stand in it as they were printed,
    rounded: otherwise a cell would leave other data on another processor.

    Args:
        kind: of data: the media type is application/vnd.minilib.KIND+json.
        data: of what JSON knows: dicts, lists, texts, numbers, None.
    """
    ipython = sys.modules.get("IPython")
    if ipython and ipython.get_ipython():
        from IPython.display import display

        display({f"application/vnd.minilib.{kind}+json": data}, raw=True)


def glue_all(numbers: dict[str, object]) -> None:
    """Glues each value under its name, unseen, for the {glue} roles of the text around.

    The output is what `myst_nb.glue(name, value, display=False)` leaves, in scrapbook's format: how IPython would show
    the value, under media types that nothing shows.
    """
    from IPython.core.formatters import format_display_data  # only a notebook needs it
    from IPython.display import display

    unseen = "application/papermill.record/"
    for name, value in numbers.items():
        shown, metadata = format_display_data(value.item() if hasattr(value, "item") else value)  # no np.float64(...)
        metadata["scrapbook"] = {"name": name, "mime_prefix": unseen}
        display({unseen + kind: data for kind, data in shown.items()}, raw=True, metadata=metadata)
