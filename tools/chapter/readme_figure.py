"""Copies the figures of the README and of the front page out of the chapters, as they stand in the book.

    python tools/chapter/readme_figure.py

Deliberately absent: drawing. The chapter draws; `tests/book/test_readme.py` fails when the README shows another state.
"""

import re
from pathlib import Path

from tools import ROOT
from tools.chapter import chapters, notebooks

PICTURE = "book/_static/readme.svg"
CHAPTER, FIGURE = "sgd", "fig-sgd-bound"
FRONT = {  # of the front page, which has words of its own for them
    "book/_static/front-steps.svg": ("big_batches", "fig-batches-hyperbola"),
    "book/_static/front-lamb.svg": ("lamb", "fig-lamb-margin"),
    "book/_static/front-bytes.svg": ("landscape", "fig-landscape-picture"),
}


def figure(root: Path = ROOT, chapter: str = CHAPTER, name: str = FIGURE) -> tuple[bytes, str, str]:
    """The picture's bytes, its alt text and its caption in a chapter. ValueError: no such figure there."""
    for cell in chapters.code(chapters.read(notebooks.pair(notebooks.find(chapter, root)))):
        words = cell.metadata.get("mystnb", {})
        if words.get("figure", {}).get("name") == name:
            data = next(output.data for output in cell.outputs if "image/svg+xml" in output.get("data", {}))
            return data["image/svg+xml"].encode(), words["image"]["alt"], words["figure"]["caption"]
    raise ValueError(f"no figure {name!r} in chapter {chapter}")


def main() -> None:
    picture, alt, caption = figure()
    (ROOT / PICTURE).write_bytes(picture)
    readme = ROOT / "README.md"
    block = f"![{alt}]({PICTURE})\n\n*{caption} (Chapter {int(notebooks.find(CHAPTER).stem[:2])})*"
    text = re.sub(r"!\[.*?\]\(" + re.escape(PICTURE) + r"\)\n\n\*.*?\*\n", lambda _: block + "\n", readme.read_text())
    readme.write_text(text)
    for path, place in FRONT.items():
        (ROOT / path).write_bytes(figure(ROOT, *place)[0])


if __name__ == "__main__":
    main()
