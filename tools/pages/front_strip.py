"""The strip of numbers on the front page: how much of each kind the book has, counted when the pages are made."""

import re
from pathlib import Path

from tools.chapter import chapters
from tools.pages import verdict_page
from tools.prover import rocq_sources


def strip(root: Path, notebooks: dict) -> str:
    """The strip in Markdown; `notebooks` are the chapters that the site shows, by name."""
    texts = "\n".join(cell.source for nb in notebooks.values() for cell in nb.cells if cell.cell_type == "markdown")
    pages = "\n".join(path.read_text(encoding="utf-8") for path in (root / "book").glob("*.md"))
    groups = rocq_sources.groups(rocq_sources.sources(root / "proofs"), rocq_sources.all_labels(root))
    judged = sum(len(one.rows) for _, one, why in verdict_page.counted(notebooks) if not why)
    counts = {
        "chapters": sum(name[0].isdigit() for name in notebooks),
        "figures that move": len(set(re.findall(r"^:{3,}\{live\} (\S+)", texts + "\n" + pages, re.MULTILINE))),
        "statements checked by a proof assistant": len(groups),
        "cells of code, which the tests run": sum(len(chapters.code(nb)) for nb in notebooks.values()),
        "verdicts, told as they fell": judged,
        "exercises": len(re.findall(r"^:{3,}\{exercise\}", texts, re.MULTILINE)),
    }
    items = "\n".join(f"* **{number:,}** {words}" for words, number in counts.items())
    return f":::{{container}} strip\n{items}\n:::"


def substitutions(root: Path, notebooks: dict) -> dict[str, str]:
    return {"front_strip": strip(root, notebooks)}
