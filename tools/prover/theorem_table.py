"""The list of the theorems for their page, by chapter: the statement as the chapter has it, place, what was measured.

How often a theorem's steps were evaluated, and what its promise came to, is read from the stored outputs of the
chapters, where every ledger and all promises leave their data beside their print.
"""

import re
from pathlib import Path
from typing import NamedTuple

from proofs import LABELS
from tools.chapter import chapters, notebooks
from tools.prover import rocq_sources

STATED = re.compile(
    r"^(?P<fence>:{3,})\{prf:\w+\} (?P<title>[^\n]+)\n:label: (?P<label>\S+)\n(?P<text>.*?)^(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
NUMBERED = re.compile(r"^\$\$ \(eq-[\w-]+\)$", re.MULTILINE)  # the equation has its number in the chapter
HEAD = """
Rocq has checked these for all real numbers, in every dimension that the statement names. Where there is chance, they
hold for any finite sample space, so that every expectation is a finite sum ({ref}`sec-assistant`). The fold under
a theorem in its chapter has its statement in Rocq's language and what it assumes; *proof, line* leads to the proof.

The chapters **evaluated** the steps of a proof as often as the list says, and the **least slack** is the least share of
the larger side by which a left side stayed below its right one. Where a theorem promises a number, three numbers are of
the instance that came nearest to it: what was **measured**, what the theorem **promised**, and what holds **without** a
theorem, the start or what any method keeps, whichever is less. A promise above the third number is true, and says
nothing there: you knew as much before. That happens where the constants are large and the run is short.

**Without** some of its assumptions a theorem is false: where the list says so, a counterexample meets all the others,
and is proved as well.

**What may I conclude?** {ref}`bounds-four` reads such numbers one by one, for a theorem that says something and for
one that does not.
"""


class Stated(NamedTuple):
    """A theorem in its chapter: the name of the file, its title and its text."""

    chapter: str
    title: str
    text: str


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


def stated(root: Path) -> dict[str, Stated]:
    """{label: the theorem as its chapter states it}, in the book's order; its equations without their numbers."""
    return {
        match["label"]: Stated(md.stem, match["title"], NUMBERED.sub("$$", match["text"].strip()))
        for md in notebooks.chapters(root)
        for match in STATED.finditer(md.read_text(encoding="utf-8"))
    }


def ledger_cells(ledgers: dict, of_label: list[str]) -> list[str]:
    """How often the rows of these ledgers were evaluated, and the least slack of their inequalities."""
    rows = [row for title in of_label for row in ledgers.get(title, {}).values()]
    slack = [float(row["slack"]) for row in rows if row["relation"] == "<="]
    checks = sum(int(row["checks"]) for row in rows)
    return [f"{checks:,}" if rows else "–", f"{min(slack):.2g}" if slack else "–"]


def number(text: str) -> float:
    return float(text.replace(",", ""))


def promise(promises: dict, of_label: list[str]) -> list[str] | None:
    """Measured, promised and without a theorem, where the measured is nearest to the promised."""
    rows = [row for title in of_label for row in promises.get(title, [])]
    if not rows:
        return None
    row = max(rows, key=lambda row: number(row["measured"]) / number(row["promised"]))
    return [row["measured"], row["promised"], min(row["start"], row["any method"], key=number)]


def counts(ledgers: dict, promises: dict, of_label: list[str]) -> str:
    """The line of a theorem that says what was measured; empty where nothing was."""
    sentences, (times, slack) = [], ledger_cells(ledgers, of_label)
    if times != "–":
        sentences.append(f"Evaluated {times} times" + (f", least slack {slack}" if slack != "–" else "") + ".")
    if numbers := promise(promises, of_label):
        measured, promised, without = numbers
        empty = "; here the promise says nothing" if number(promised) >= number(without) else ""
        sentences.append(f"Measured {measured}, promised {promised}, without a theorem {without}{empty}.")
    return " ".join(sentences)


def needed(group: rocq_sources.Group) -> list[str]:
    """Without what a theorem is false: a sentence for each counterexample, as the comment above it has it."""
    return [
        f'{one.comment.rstrip(".")} (<a href="../proofs/{source.name}.html#{one.name}">{one.name}</a>).'
        for source, one in group.needs
    ]


def entry(label: str, theorem: Stated, leads: list[str], lines: list[str]) -> str:
    """A theorem on the page: some lines, and its statement in a fold."""
    proof = f"proof, {'lines' if len(leads) > 1 else 'line'} {', '.join(leads)}"
    head = f"{{prf:ref}}`{label}`: **{theorem.title}** ({proof})"
    fence = ":" * (1 + max(map(len, re.findall(r"^:{3,}", theorem.text, re.MULTILINE)), default=2))
    fold = f"{fence}{{admonition}} What it says\n:class: dropdown\n\n{theorem.text}\n{fence}\n"
    return "\\\n".join([head, *lines]) + f"\n\n{fold}\n"


def table(root: Path) -> str:
    """The list in Markdown."""
    known = rocq_sources.all_labels(root)
    groups = rocq_sources.groups(rocq_sources.sources(root / "proofs"), known)
    (ledgers, promises), last, lines = evaluated(root), "", [HEAD]
    for label, theorem in stated(root).items():
        if label not in groups:
            continue
        if theorem.chapter != last:
            last = theorem.chapter
            title = re.search(r"^# (.*)$", notebooks.find(last, root).read_text(encoding="utf-8"), re.MULTILINE)[1]
            number = last.split("_")[0].lstrip("0")
            lines.append(f"\n## {number} {title.removeprefix(f'Appendix {number}: ')}\n\n")
        of_label = [title for title, found in LABELS.items() if label in found]
        leads = [
            f'<a href="../proofs/{source.name}.html#{one.name}">{source.line(one.start)}</a>'
            for source, one in groups[label].theorems
        ]
        measured = counts(ledgers, promises, of_label) or "Evaluated in the text of its chapter, without a ledger."
        lines.append(entry(label, theorem, leads, [measured, *needed(groups[label])]))
    return "".join(lines)
