"""A Sphinx extension: how wide a drawn picture must be on a phone, so that its smallest words have 10 px.

Matplotlib draws letters as shapes, with the size of the font in their transformation; a reader's browser cannot look
into the picture. So the page says it, as a class of the image (`needs-512`), and `formulas.js` sees to it.
Deliberately absent: pictures that are no SVG, and superscripts, which are smaller than the words they stand at.
"""

import re
from pathlib import Path

from docutils import nodes

LEAST = 10  # px
PX = 96 / 72  # in a point


def needed(svg: str) -> int:
    """The width in px at which the smallest words of Matplotlib's SVG have LEAST px; 0 for a picture without words."""
    sizes = [float(size) for size in re.findall(r"scale\((0\.\d+) -\1\)", svg)]
    width = re.search(r'<svg [^>]*?width="([\d.]+)pt"', svg)
    if not sizes or width is None:
        return 0
    return round(float(width[1]) * PX * LEAST / (100 * min(sizes) * PX))


def tell(app, doctree: nodes.document, page: str) -> None:
    """Give every picture of a page its class."""
    for image in doctree.findall(nodes.image):
        path = Path(app.srcdir) / image["uri"]
        if path.suffix == ".svg" and path.exists() and (width := needed(path.read_text(encoding="utf-8"))):
            image["classes"].append(f"needs-{width}")


def setup(app) -> dict:
    app.connect("doctree-resolved", tell)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
