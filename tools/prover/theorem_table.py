"""The table of the theorems, a line each, for the page of theorems: words, place, and what was measured.

How often a theorem's steps were evaluated, and what its promise came to, is read from the stored outputs of the
chapters, where every ledger and all promises leave their data beside their print.
"""

import re
from pathlib import Path

from proofs import LABELS
from tools.chapter import chapters, notebooks
from tools.prover import rocq_sources

TITLE = re.compile(r"^:{3,}\{prf:\w+\} (?P<title>.+)\n:label: (?P<label>\S+)", re.MULTILINE)
COLUMNS = ("theorem", "in words", "evaluated", "least slack", "measured / promised / without")
HEAD = f"""
Rocq has checked these for all real numbers, in every dimension that the statement names. Where there is chance, they
hold for any finite sample space, so that every expectation is a finite sum ({{ref}}`sec-assistant`). The fold under
each theorem has its statement and what it assumes; a line below its name leads to the proof. The chapters **evaluated**
their steps as often as the table says, and **least slack** is the least share of the larger side by which a left side
stayed below its right one. The last column is of that instance of the promise which came nearest to it: what was
measured, what the theorem promises, and what holds **without** a theorem, the start or what any method keeps, whichever
is less.

| {" | ".join(COLUMNS)} |
|:--|:--|--:|--:|--:|
"""
FOOT = """
Where the second of the three numbers exceeds the third, the theorem says nothing there.
"""


def escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def evaluated(root: Path) -> tuple[dict, dict]:
    """What the chapters' stored outputs say, by proof: {step: row of its ledger}, and [rows of its promises].

    ValueError: the data of a table are missing.
    """
    ledgers, promises = {}, {}
    for md in notebooks.chapters(root):
        for cell in chapters.code(chapters.read(notebooks.pair(md))):
            for table in chapters.left(cell, "ledger", md.stem):
                ledgers.setdefault(table["proof"], {}).update({row["step"]: row for row in table["rows"]})
            for table in chapters.left(cell, "promises", md.stem):
                promises.setdefault(table["proof"], []).extend(table["rows"])
    return ledgers, promises


def titles(root: Path) -> dict[str, str]:
    """{label: the title of its theorem on the page}."""
    texts = (md.read_text(encoding="utf-8") for md in notebooks.chapters(root))
    return {match["label"]: match["title"] for text in texts for match in TITLE.finditer(text)}


def in_words(label: str, comments: list[str]) -> str:
    """What the comments above a label's theorems say, without the label's name, which they begin with."""
    texts = [re.sub(rf"^(?:\(\d\w?\) \w+: )?{label}[.:;,]?\s*", "", comment) for comment in comments]
    return re.sub(r"\(?\b(eq-[\w-]+)\)?", r"{eq}`\1`", " ".join(text for text in texts if text))


def ledger_cells(ledgers: dict, of_label: list[str]) -> list[str]:
    """How often the rows of these ledgers were evaluated, and the least slack of their inequalities."""
    rows = [row for title in of_label for row in ledgers.get(title, {}).values()]
    slack = [float(row["slack"]) for row in rows if row["relation"] == "<="]
    checks = sum(int(row["checks"]) for row in rows)
    return [f"{checks:,}" if rows else "–", f"{min(slack):.2g}" if slack else "–"]


def number(text: str) -> float:
    return float(text.replace(",", ""))


def promise_cell(promises: dict, of_label: list[str]) -> str:
    """Measured, promised and without a theorem, where the measured is nearest to the promised."""
    rows = [row for title in of_label for row in promises.get(title, [])]
    if not rows:
        return "–"
    row = max(rows, key=lambda row: number(row["measured"]) / number(row["promised"]))
    without = min(row["start"], row["any method"], key=number)
    return " / ".join([row["measured"], row["promised"], without])


def table(root: Path) -> str:
    """The table in Markdown."""
    known = rocq_sources.all_labels(root)
    groups = rocq_sources.groups(rocq_sources.sources(root / "proofs"), known)
    named, (ledgers, promises) = titles(root), evaluated(root)
    lines = [HEAD]
    for label, group in groups.items():
        of_label = [title for title, found in LABELS.items() if label in found]
        words = escaped(in_words(label, [one.comment for _, one in group.theorems]))
        leads = ", ".join(
            f'<a href="../proofs/{source.name}.html#{one.name}">{source.line(one.start)}</a>'
            for source, one in group.theorems
        )
        words = f'<span class="words"><b>{escaped(named[label])}.</b> {words}</span>'
        cells = [
            f"{{prf:ref}}`{label}`<br>{'lines' if ', ' in leads else 'line'} {leads}",
            words,
            *ledger_cells(ledgers, of_label),
        ]
        cells.append(promise_cell(promises, of_label))
        lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines) + FOOT
