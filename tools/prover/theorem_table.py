"""The table of the theorems, a line each, for the page of theorems: words, place, and what was measured.

How often a theorem's steps were evaluated, and what its promise came to, is read from the stored outputs of the
chapters, where every ledger prints its table.
"""

import re
from itertools import takewhile
from pathlib import Path

from proofs import LABELS
from tools.chapter import chapters, notebooks
from tools.prover import rocq_sources

LEDGER = re.compile(r"^step +rel  checks  least slack  median rhs/lhs$")
ROW = re.compile(r"^(?P<step>.+?) +(?P<relation><=|=) +(?P<checks>\d+) +(?P<slack>\S+) +(?P<ratio>\S+)$")
PROMISE = re.compile(r"^promise +measured +promised +start +any method +ascent +says more$")
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


def printed(path: Path) -> tuple[dict, dict]:
    """What a chapter's stored outputs say: {ledger: {row: cells}} and {theorem: [rows of its promises]}."""
    ledgers, promises = {}, {}
    for cell in chapters.read(path).cells:
        lines = chapters.printed(cell).splitlines()
        for k, line in enumerate(lines):
            if LEDGER.match(line):
                rows = takewhile(bool, map(ROW.match, lines[k + 1 :]))
                ledgers.setdefault(lines[k - 1], {}).update({row["step"]: row.groupdict() for row in rows})
            elif PROMISE.match(line):
                split = (re.split(r"  +", row.strip()) for row in lines[k + 1 :])
                promises.setdefault(lines[k - 1], []).extend(takewhile(lambda cells: len(cells) == 7, split))
    return ledgers, promises


def all_printed(root: Path) -> tuple[dict, dict]:
    """Those of all chapters together."""
    ledgers, promises = {}, {}
    for md in notebooks.chapters(root):
        own, promised = printed(notebooks.pair(md))
        ledgers |= own
        promises |= promised
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


def of(title: str, promises: dict) -> list[list[str]]:
    """The promises that stand under a title; a heading says after it what was measured."""
    return [row for heading, rows in promises.items() if heading.startswith(f"{title}: ") for row in rows]


def promise_cell(promises: dict, of_label: list[str]) -> str:
    """Measured, promised and without a theorem, where the measured is nearest to the promised."""
    rows = [row for title in of_label for row in of(title, promises)]
    if not rows:
        return "–"
    _, measured, promised, start, most, *_ = max(rows, key=lambda row: number(row[1]) / number(row[2]))
    return " / ".join([measured, promised, min(start, most, key=number)])


def table(root: Path) -> str:
    """The table in Markdown."""
    known = rocq_sources.all_labels(root)
    groups = rocq_sources.groups(rocq_sources.sources(root / "proofs"), known)
    named, (ledgers, promises) = titles(root), all_printed(root)
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
