"""What belongs to a chapter, in the foot of its page: its notebook, slides, problem set, and its page in the PDF.

It is a Sphinx extension. A built site has the notebook and its source; where slides, problem sets and the PDF lie
beside the pages, the foot leads to them, and else it names the command that makes them. So no link is dead: not on the
web, nor from a file, nor in the zip of a release. `syllabus.py` says what belongs together.
Deliberately absent: putting anything there (`tools/give/supplements.py`).
"""

import html
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from tools import ROOT
from tools.chapter.chapters import name_of
from tools.pages import syllabus

PDF = "pdf/big-batches-small-memory.pdf"  # in the folder of a site, as in _build
LINE = re.compile(r'<p class="companions">.*?</p>')


@dataclass(frozen=True)
class Beside:
    """What lies beside the pages of a site: names of decks and problem sets, and where chapters begin in the PDF."""

    decks: frozenset[str] = frozenset()
    problem_sets: frozenset[str] = frozenset()
    pages: dict[str, int] = field(default_factory=dict)


def title_of_set(name: str, root: Path = ROOT) -> str:
    """What a problem set is called."""
    text = (root / "course" / "assignments" / f"{name}.md").read_text(encoding="utf-8")
    return re.search(r"^ +title: (.+)$", text, re.MULTILINE)[1]


def link(target: str, words: str, more: str = "") -> str:
    return f'<a href="../{target}"{more}>{html.escape(words)}</a>'


def command(words: str) -> str:
    return f"<code>{html.escape(words, quote=False)}</code>"


def line(file: str, beside: Beside) -> str:
    """The line of the chapter in `notebooks/FILE`, in HTML; it leads to what lies beside the pages."""
    name, source = name_of(file), f"_sources/notebooks/{file}"
    taught = syllabus.taught(name)
    files = (link(f"{source}.{kind}", word, " download") for kind, word in (("ipynb", "notebook"), ("md", "source")))
    parts = [" and its ".join(files)]
    if decks := [deck for deck in taught.decks if deck in syllabus.decks()]:
        links = [link(f"slides/{deck}.html", syllabus.title(deck)) for deck in decks]
        makes = command(f"make slides NAME={decks[0]}" if len(decks) == 1 else f'make slides NAME="{" ".join(decks)}"')
        parts.append(f"slides: {', '.join(links) if beside.decks.issuperset(decks) else makes}")
    if own := taught.problem_set:
        there = link(f"assignments/{own}.ipynb", title_of_set(own), " download")
        makes = command(f"make assignment NAME={own}")
        parts.append(f"problem set: {there if own in beside.problem_sets else makes}")
    page = beside.pages.get(file)
    printed = link(f"{PDF}#page={page}", f"page {page}") if page else command(f"make pdf NAME={name}")
    parts.append(f"PDF: {printed}")
    return f'<p class="companions">With this chapter come its {"; ".join(parts)}.</p>'


def copy_sources(app, error) -> None:
    """The source of every chapter, beside its notebook."""
    given = Path(app.outdir) / "_sources" / "notebooks"
    if error is None and given.exists():
        for notebook in given.glob("*.ipynb"):
            shutil.copy(Path(app.srcdir) / "notebooks" / f"{notebook.stem}.md", given)


def setup(app) -> dict:
    app.connect("build-finished", copy_sources)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
