"""The page of verdicts: what `print_verdicts` printed in the chapters, collected from the outputs that the site shows.

`substitutions` gives the texts for {{ verdict_counts }}, {{ verdict_families }} and {{ verdict_wrong }}, and, as a
Sphinx extension, it puts the tables into book/verdicts.md before that is read, so that they have headings. A table
that only prints again what a chapter before it decided stands there and is not counted, and those of UNCOUNTED neither.
A cell that the chapter's page leaves out may print a table, too: a sentence tells its verdicts there, and the page of
verdicts lists them.
Deliberately absent: verdicts that no cell prints, such as those whose unit is a whole search.
"""

import ast
import math
import re
from collections import Counter
from dataclasses import dataclass

from docutils import nodes

from tools.chapter import chapters
from tools.pages import insertions
from tools.pages.status_page import table

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
# Tables that are not counted, by the name of the chapter and the heading, and why.
UNCOUNTED = {
    ("the_rule_for_ties", '"Not resolved" is not "equal"'): "The losses are invented, to show the rule.",
    ("bert_in_76_minutes", "★ What a coarser grid had said"): "Judged on a finer grid, above.",
}
LEVEL = 0.05  # at which a family may hold a wrong verdict
# What the numbers of a table are, where its own head does not say it: the chapter, the head, and the words for it.
SAID = {
    ("big_batches", "alpha - 1"): "the exponent of the fitted curve, less the hyperbola's 1",
    ("big_batches", "log(foretold / measured)"): "log of the noise scale along a stretch of a run, over the critical "
    "batch of its branches",
    ("big_batches", "log(b_crit, slow / tuned)"): "log of the critical batch of branches from the slow run, over that "
    "of branches from the tuned run",
    ("big_batches", "log of the growth"): "log of the critical batch of branches at the lower loss, over that at the "
    "higher",
    ("carrying_a_rate", "slope - formula's"): "slope of the best rate over the batch, less that of the formula",
    ("carrying_a_rate", "log(rule / tuned there)"): "log of the loss at this batch with the rate that the rule carries "
    "from batch 2, over the loss with a rate tuned there",
    ("carrying_a_rate", "log(without / with warm-up)"): "log of the loss without a warm-up, over the loss with it",
    ("carrying_a_rate", "log(other / first)"): "log of the loss of the other schedule, over that of the first one",
    ("carrying_a_rate", "log(rule / tuned anew)"): "log of the loss at this batch with the rate that the rule carries "
    "from 32, over the loss with a rate tuned anew",
    ("carrying_a_rate", "log(kept / changed)"): "log of the loss with beta2 kept, over that with beta2 to the power",
    ("carrying_a_rate", "log(beta1, too / root alone)"): "log of the loss with beta1 changed, too, over that with the "
    "root rule alone",
    ("carrying_a_rate", "batch 4 - full batch"): "test points right at batch 4, less those of the full batch, "
    "at equal training loss",
    ("landscape", "log loss lower"): "log loss on digits lower than AdamW's",
    ("landscape", "nats lower"): "last loss of GPT-2 lower than with float32 state, or AdamW's",
    ("landscape", "lower"): "loss on words lower than AdamW's",
    ("optimizers_at_a_glance", "below AdamW"): "loss on words below AdamW's",
    ("which_lamb", "log loss below the paper's"): "log loss below that of the paper's LAMB",
    ("came", "lower"): "loss on words of the arm that is named first lower than the other's",
    ("bert", "lower"): "last loss, in nats, of the arm that is named first lower than the other's",
    ("bert_in_76_minutes", "lower"): "last loss, in nats, of the runs that are named first lower than the others'",
    ("came_at_work", "lower"): "last loss, in nats, of the method that is named first lower than the other's",
}


@dataclass
class Table:
    """One table of verdicts.

    Attributes:
        section: the heading above it.
        what: is compared.
        by: the head of the column of differences.
        shared: what the line below the table says of all lines: seeds, levels, margin.
        rows: claim, verdict, difference, interval, what could have been seen.
        anchor: of the section on the chapter's page.
        records: the recorded runs whose numbers the table judges; none where the page computes them itself.
    """

    section: str
    what: str
    by: str
    shared: str
    rows: list[list[str]]
    anchor: str = ""
    records: tuple[str, ...] = ()


def families(one: Table) -> int:
    """Into how many families the claims of a table were dealt: in one of k claims the widest interval has 1 - 0.05/k.

    A family may have members that are not printed, so this is the least number.
    """
    if "alone" in one.shared:  # the verdicts are those of one family, the intervals are not
        return 1
    widest = max(float(level) for level in re.findall(r"([\d.]+) %", one.shared) or ["95"])
    return math.ceil(len(one.rows) / max(1, round(LEVEL / (1 - widest / 100))))


def tables_in(text: str, section: str) -> list[Table]:
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


def sections(source: str) -> list[tuple[str, str]]:
    """The headings and exercises of a text, each with its anchor on the page."""
    headings = []
    pattern = r"^#+ (.*)$|^:::+\{exercise\} (.*)\n:label: (\S+)"
    for heading, exercise, label in re.findall(pattern, source, re.MULTILINE):
        headings.append((heading or exercise, label or nodes.make_id(re.sub(r"[`*$]", "", heading))))
    return headings


def follow(source: str, known: dict[str, set[str]]) -> set[str]:
    """The recorded runs that a cell's numbers come from; `known` has those of each variable, and is kept up to date."""
    used = set()
    for statement in ast.parse(re.sub(r"^(\s*)[%!].*$", r"\1pass", source, flags=re.MULTILINE)).body:
        parts = list(ast.walk(statement))
        inner = [node.target for node in parts if isinstance(node, (ast.For, ast.comprehension))]
        inner += [node for part in parts if isinstance(part, ast.FunctionDef) for node in part.body]
        local = {node.arg for node in parts if isinstance(node, ast.arg)}
        local |= {n.id for part in inner for n in ast.walk(part) if isinstance(n, ast.Name) and stores(n)}
        names = [node for node in parts if isinstance(node, ast.Name) and node.id not in local]
        loads = re.findall(r"records\.load\('([\w-]+)'\)", ast.unparse(statement)) if "records.load" in source else []
        made = {n.id for n in names if stores(n)} - {n.target.id for n in parts if adds(n)}  # their past is over
        runs = set(loads).union(*(known.get(name.id, set()) for name in names if name.id not in made))
        known.update(dict.fromkeys([n.id for n in names if stores(n)] + [getattr(statement, "name", "")], runs))
        for name in {changed(part) for part in parts} - local:
            known[name] = known.get(name, set()) | runs
        used |= runs
    return used


def stores(node: ast.Name | ast.Subscript | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store)


def adds(part: ast.AST) -> bool:
    """Whether it is `a += 1` or its like."""
    return isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name)


def changed(part: ast.AST) -> str:
    """The name of the variable of which a part is written, as in `a[k] = 1`, `a[k] |= b` and `a.setdefault(k, b)`."""
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        part = part.func if part.func.attr in ("setdefault", "update", "append") else None
    elif not (isinstance(part, ast.Subscript | ast.Attribute) and stores(part)):
        part = None
    while isinstance(part, ast.Subscript | ast.Attribute):
        part = part.value
    return part.id if isinstance(part, ast.Name) else ""


def of_chapter(nb) -> list[Table]:
    """The tables of verdicts of a notebook, in its order."""
    tables, here, seen, known = [], ("", ""), set(), {}
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            for title, anchor in sections(cell.source):
                # of two sections of one name the second has an anchor that only the build knows
                here = (title, anchor if anchor not in seen else here[1])
                seen.add(anchor)
        elif cell.cell_type == "code":
            runs = follow(cell.source, known)
            for one in tables_in(chapters.printed(cell), here[0]):
                one.anchor, one.records = here[1], tuple(sorted(runs))
                tables.append(one)
    return tables


def counted(notebooks: dict) -> list[tuple[str, Table, str]]:
    """Every table with its notebook, and why it is not counted where it is not."""
    every, earlier = [], {}
    for name, nb in notebooks.items():
        for one in of_chapter(nb):
            rows = {tuple(row[1:]) for row in one.rows}
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
        what = plain(SAID.get((chapters.name_of(name), one.what), one.what))
        shared = one.shared.replace(" %", "\N{NO-BREAK SPACE}%")
        runs = "".join(f", `book/runs/{run}`" for run in one.records)
        said = f"*{one.by}*: {what}. {shared[:1].upper()}{shared[1:]}."
        parts.append(said + f" Records: {runs[2:]}." * bool(runs) + f" {why}".rstrip())
        parts.append(table(["claim", "verdict", one.by, "interval", "can see"], [line(name, one, r) for r in one.rows]))
    return "\n\n".join(parts)


def substitutions(notebooks: dict) -> dict[str, str]:
    """What the pages say of all verdicts together, from the chapters by name."""
    every = counted(notebooks)
    judged = [one for _, one, why in every if not why]
    count = Counter("not resolved" if row[1].endswith("alone") else row[1] for one in judged for row in one.rows)
    said = [f"{count[words]} {words}" for words in WORDS.split("|")]
    return {
        "verdicts": tables(notebooks, every),
        "verdict_counts": f"{sum(count.values())} claims: {', '.join(said)}",
        "verdict_families": str(number := sum(map(families, judged))),
        "verdict_wrong": f"{number * LEVEL:.0f}",
    }


def place(app, page: str, source: list[str]) -> None:
    if page == "book/verdicts":
        source[0] = source[0].replace("{{ verdicts }}", insertions.text(app, "verdicts"))


def setup(app) -> dict:
    app.connect("source-read", place)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
