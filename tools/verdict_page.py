"""The page of verdicts: what `print_verdicts` printed in the chapters, collected from the outputs that the site shows.

`substitutions` gives Markdown for {{ verdicts }} and {{ verdict_counts }} of book/verdicts.md. Deliberately absent:
verdicts that are computed for an assertion or a sentence and printed in no table.
"""

import re
from collections import Counter
from dataclasses import dataclass

import chapters
from status_page import table

WORDS = "confirmed|contradicted|not resolved"
HEAD = re.compile(r"(?P<what>.*?\S)\s{2,}verdict\s+(?P<by>by|value)\s+interval\s+can see(\s+within)?")
LINE = re.compile(
    rf"(?P<claim>.*?\S)\s{{2,}}(?P<verdict>{WORDS})\s+(?P<by>\S+)\s+(?P<interval>\[.*?\]|none)"
    r"\s+(?P<seen>\S+)(\s+(?P<within>\S+))?"
)
# LAMB's chapter prints the interval of a comparison alone, and the verdict in its family, or "confirmed alone"
ALONE_HEAD = re.compile(r"(?P<what>.*?\S)\s{2,}by\s+(?P<alone>alone, \S+ %)\s+can see\s+in the family")
ALONE_LINE = re.compile(
    rf"(?P<claim>.*?\S)\s{{2,}}(?P<by>\S+)\s+(?P<interval>\[.*?\])\s+(?P<seen>\S+)\s+(?P<verdict>({WORDS})( alone)?)"
)


@dataclass
class Table:
    """One table of verdicts.

    Attributes:
        section: the heading above it.
        what: is compared.
        by: the head of the column of differences.
        shared: what the line below the table says of all lines: seeds, levels, margin.
        rows: claim, verdict, difference, interval, what could have been seen.
    """

    section: str
    what: str
    by: str
    shared: str
    rows: list[list[str]]


def found(text: str, section: str) -> list[Table]:
    """The tables of verdicts in a printed text."""
    tables, lines = [], iter(text.splitlines())
    for line in lines:
        if head := HEAD.fullmatch(line):
            pattern, by = LINE, head["by"]
        elif head := ALONE_HEAD.fullmatch(line):
            pattern, by = ALONE_LINE, "by"
        else:
            continue
        rows, below = [], ""
        for below in lines:  # the first line that is no verdict ends the table
            if not (row := pattern.fullmatch(below)):
                break
            margin = row.groupdict().get("within")
            claim = row["claim"] + f" (within {margin})" * bool(margin)
            rows.append([claim, row["verdict"], row["by"], row["interval"], row["seen"]])
        shared = below if pattern is LINE else f"intervals {head['alone']}"
        tables.append(Table(section, head["what"], by, shared, rows))
    return tables


def of_chapter(nb) -> list[Table]:
    """The tables of verdicts of a notebook, in its order."""
    tables, section = [], ""
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            titles = re.findall(r"^#+ (.*)$", cell.source, re.MULTILINE)
            titles += re.findall(r"^:::+\{exercise\} (.*)$", cell.source, re.MULTILINE)
            section = titles[-1] if titles else section
        else:
            tables += found(chapters.printed(cell), section)
    return tables


def substitutions(notebooks: dict) -> dict[str, str]:
    """The texts of the page, from the chapters by name."""
    parts, count = [], Counter()
    for name, nb in notebooks.items():
        tables = of_chapter(nb)
        if not tables:
            continue
        title = re.search(r"^# (.*)$", nb.cells[0].source, re.MULTILINE)[1]
        number = name.split("_")[0].lstrip("0")
        parts.append(f":::{{rubric}} [{number} {title}](../notebooks/{name}.ipynb)\n:heading-level: 2\n:::")
        for one in tables:
            count.update("not resolved" if row[1].endswith("alone") else row[1] for row in one.rows)
            end = "" if one.section[-1:] in "?!." else "."
            shared = one.shared.replace(" %", "\N{NO-BREAK SPACE}%")
            parts.append(f"**{one.section}{end}** *{one.what}*; {shared}.")
            parts.append(table(["claim", "verdict", one.by, "interval", "can see"], one.rows))
    said = [f"{count[words]} {words}" for words in WORDS.split("|")]
    return {"verdicts": "\n\n".join(parts), "verdict_counts": f"{sum(count.values())} claims: {', '.join(said)}"}
