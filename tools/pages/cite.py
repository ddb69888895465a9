"""How the book is cited, as the preface shows it: made from CITATION.cff, so that both say the same."""

import textwrap
from pathlib import Path

import yaml

BIBTEX = """```bibtex
@book{{bigbatches,
  title   = {{{title}}},
  author  = {{{{{authors}}}}},
  year    = {{{year}}},
  edition = {{{edition}}},
  note    = {{Version {version}}}
}}
```"""


def substitutions(root: Path) -> dict[str, str]:
    """What the preface inserts; nothing for a book without the file."""
    path = root / "CITATION.cff"
    if not path.exists():
        return {}
    book = yaml.safe_load(path.read_text(encoding="utf-8"))["preferred-citation"]
    authors = " and ".join(one["name"] for one in book["authors"])
    title = textwrap.fill(book["title"], 56, subsequent_indent=" " * 13)  # as wide as a page shows
    return {"cite": BIBTEX.format(**book | {"authors": authors, "title": title})}
