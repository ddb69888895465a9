"""The page of verdicts: the tables of `print_verdicts` in the chapters, collected from the outputs that the site shows.

Beside its print each table has left its data there, with the recorded runs that it judges. `substitutions` gives the
texts for {{ verdict_counts }}, {{ verdict_families }} and {{ verdict_wrong }}, and, as a Sphinx extension, it puts the
tables into book/verdicts.md before that is read, so that they have headings. A table that only prints again what a
chapter before it decided stands there and is not counted, and those of UNCOUNTED neither. A cell that the chapter's
page leaves out may print a table, too: a sentence tells its verdicts there, and the page of verdicts lists them.
Deliberately absent: verdicts that no cell prints, such as those whose unit is a whole search.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass

from docutils import nodes

from tools import ROOT
from tools.chapter import chapters
from tools.chapter import notebooks as notebook_files
from tools.pages import insertions, questions
from tools.pages.status_page import table

WORDS = ("confirmed", "contradicted", "not resolved")
# Tables that are not counted, by the name of the chapter and the heading, and why.
UNCOUNTED = {
    ("the_rule_for_ties", '"Not resolved" is not "equal"'): "The losses are invented, to show the rule.",
    ("bert_in_76_minutes", "★ What a coarser grid had said"): "Judged on a finer grid, above.",
}
LEVEL = 0.05  # at which a family may hold a wrong verdict


@dataclass
class Table:
    """One table of verdicts.

    Attributes:
        section, anchor: the heading above it, and its anchor on the chapter's page.
        what: is compared.
        by: the head of the column of differences.
        rows: `claim`, `verdict`, `by`, `interval`, `seen` and, where the margins differ, `within`, as printed.
        shared: what the line below the table says of all lines: seeds, levels, margin.
        widest: the highest level of its intervals, in per cent; None where the verdicts are those of one family, and
            the intervals are not.
        means: what the differences are, where `what` is too short to say it.
        runs: the recorded runs whose numbers the table judges; none where the page computes them itself.
    """

    section: str
    anchor: str
    what: str
    by: str
    rows: list[dict[str, str]]
    shared: str
    widest: str | None
    means: str
    runs: list[str]

    def lines(self) -> list[list[str]]:
        """Claim, with its margin where it has its own, verdict, difference, interval, what could have been seen."""
        columns = ("verdict", "by", "interval", "seen")
        claims = [row["claim"] + (f" (within {row['within']})" if row.get("within") else "") for row in self.rows]
        return [[claim, *(row[name] for name in columns)] for claim, row in zip(claims, self.rows, strict=True)]


def families(one: Table) -> int:
    """Into how many families the claims of a table were dealt: in one of k claims the widest interval has 1 - 0.05/k.

    A family may have members that are not printed, so this is the least number.
    """
    if one.widest is None:
        return 1
    return math.ceil(len(one.rows) / max(1, round(LEVEL / (1 - float(one.widest) / 100))))


def sections(source: str) -> list[tuple[str, str]]:
    """The headings and exercises of a text, each with its anchor on the page."""
    headings = []
    pattern = r"^#+ (.*)$|^:::+\{exercise\} (.*)\n:label: (\S+)"
    for heading, exercise, label in re.findall(pattern, source, re.MULTILINE):
        headings.append((heading or exercise, label or nodes.make_id(re.sub(r"[`*$]", "", heading))))
    return headings


def of_chapter(nb, name: str = "a chapter") -> list[Table]:
    """The tables of verdicts of a notebook, in its order. ValueError: the data of a table are missing."""
    tables, here, seen = [], ("", ""), set()
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            for title, anchor in sections(cell.source):
                # of two sections of one name the second has an anchor that only the build knows
                here = (title, anchor if anchor not in seen else here[1])
                seen.add(anchor)
        elif cell.cell_type == "code":
            tables += [Table(*here, **data) for data in chapters.left(cell, "verdicts", name)]
    return tables


def counted(notebooks: dict) -> list[tuple[str, Table, str]]:
    """Every table with its notebook, and why it is not counted where it is not."""
    every, earlier = [], {}
    for name, nb in notebooks.items():
        for one in of_chapter(nb, name):
            rows = {tuple(row[1:]) for row in one.lines()}
            before = [old for old, numbers in earlier.items() if rows <= numbers and old != name]
            why = UNCOUNTED.get((chapters.name_of(name), one.section), "")
            if before:
                number = before[0].split("_")[0].lstrip("0")
                why = f"Printed again from [chapter {number}](../notebooks/{before[0]}.ipynb)."
            else:
                earlier.setdefault(name, set()).update(rows)
            every.append((name, one, why))
    return every


def line(name: str, one: Table, row: list[str]) -> list[str]:
    """A row of the page: its claim leads to the section that decides it."""
    return [f'<a href="../notebooks/{name}.html#{one.anchor}">{plain(row[0])}</a>', *row[1:]]


def plain(words: str) -> str:
    """The words with no sign that is Markdown."""
    return re.sub(r"[^\w\s]|_", lambda sign: f"&#{ord(sign[0])};", words)


def tables(notebooks: dict, every: list[tuple[str, Table, str]]) -> str:
    """All tables, as `counted` lists them, in Markdown: a heading for each chapter and each section."""
    parts, last, section = [], "", ""
    for name, one, why in every:
        if name != last:
            title = re.search(r"^# (.*)$", notebooks[name].cells[0].source, re.MULTILINE)[1]
            parts.append(f"## {name.split('_')[0].lstrip('0')} {title}")
        if (name, one.section) != (last, section):
            parts.append(f"### {one.section}")
        last, section = name, one.section
        shared = one.shared.replace(" %", "\N{NO-BREAK SPACE}%")
        sentences = [f"*{one.by}*: {plain(one.means or one.what)}.", f"{shared[:1].upper()}{shared[1:]}."]
        if one.runs:
            sentences.append(f"Records: {', '.join(f'`book/runs/{run}`' for run in one.runs)}.")
        parts.append(" ".join([*sentences, why]).rstrip())
        heads = ["claim", "verdict", one.by, "interval", "can see"]
        rows = [line(name, one, row) for row in one.lines()]
        for row, data in zip(rows, one.rows, strict=True):
            row[1] += ", only just" * data.get("near", False)
        parts.append(table(heads, rows))
    return "\n\n".join(parts)


def substitutions(notebooks: dict) -> dict[str, str]:
    """What the pages say of all verdicts together, from the chapters by name."""
    every = counted(notebooks)
    judged = [one for _, one, why in every if not why]
    verdicts = [row["verdict"] for one in judged for row in one.rows]
    count = Counter("not resolved" if verdict.endswith("alone") else verdict for verdict in verdicts)
    decided = {
        (chapters.name_of(name), row["claim"]): (f"../notebooks/{name}.html#{one.anchor}", row)
        for name, one, _ in every
        for row in one.rows
    }
    return {
        "questions": questions.table(decided),
        "verdicts": tables(notebooks, every),
        "verdict_counts": f"{sum(count.values())} claims: {', '.join(f'{count[words]} {words}' for words in WORDS)}",
        "verdict_families": str(number := sum(map(families, judged))),
        "verdict_wrong": f"{number * LEVEL:.0f}",
    }


def near(notebooks: dict) -> list[str]:
    """A line for each verdict that other seeds might change: its interval ends near an edge of its claim."""
    return [
        f"{chapters.name_of(name)}: {row['claim']}: {row['verdict']}, {row['by']} {row['interval']}; {one.shared}; "
        f"{', '.join(one.runs) or 'computed on the page'}"
        for name, one, why in counted(notebooks)
        for row in one.rows
        if row.get("near") and not why
    ]


def place(app, page: str, source: list[str]) -> None:
    if page == "book/verdicts":
        source[0] = source[0].replace("{{ verdicts }}", insertions.text(app, "verdicts"))


def setup(app) -> dict:
    app.connect("source-read", place)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    print(*near({md.stem: chapters.read(notebook_files.pair(md)) for md in notebook_files.chapters(ROOT)}), sep="\n")
