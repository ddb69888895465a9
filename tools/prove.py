"""Have the proofs checked, attack their steps, and write the page that says how it went: make prove

First Rocq checks the proofs in proofs/*.v, where the prover is there (`rocq.py`). Then, for each statement of
`proofs/NAME.py`, where NAME is a chapter's: how many instances the adversary tried, the largest
share of the bound that it reached, at which sizes the step is decided and by what. That goes to book/theorems.json,
with a digest of what was attacked. book/theorems.md shows it beside the evaluations, which are read from the stored
outputs of the chapters: there every ledger prints its table. With --changed only those chapters are attacked whose
statements differ from the record's. Exit status 1: a step that should hold is broken, or one that is listed as broken
is not; 4: all is well but for the prover, which is not there.
"""

import argparse
import importlib
import json
import math
import pkgutil
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from itertools import takewhile
from pathlib import Path

import chapters
import proved_table
import rocq
import rocq_sources
from chapters import name_of
from proved import digest

import notebooks
from minilib.theory.attack import attack, plain
from minilib.theory.decide import decide
from minilib.theory.steps import Step

sys.path.append(str(Path(__file__).resolve().parent.parent))
import proofs

ROOT = Path(__file__).resolve().parent.parent
RECORD, PAGE = ROOT / "book" / "theorems.json", ROOT / "book" / "theorems.md"
ENGINE = [f"minilib/theory/{name}.py" for name in ("arithmetic", "attack", "decide", "end_to_end", "steps")]
UNDECIDED = 2  # sizes of one step; larger sizes take longer
LEDGER = re.compile(r"^step +rel  checks  least slack  median rhs/lhs$")
ROW = re.compile(r"^(?P<step>.+?) +(?P<relation><=|=) +(?P<checks>\d+) +(?P<slack>\S+) +(?P<ratio>\S+)$")
PROMISE = re.compile(r"^promise +measured +promised +start +any method +ascent +says more$")

# Which statement is the whole of what a table of promises is about: {its title there: (title, statement)}.
WHOLE = {
    "SGD on a smooth function": ("SGD on a smooth function", "the theorem, one rate, batches of b"),
    "Theorem: the best pair": ("Theorem: the best pair", "(7) transient"),
    "Theorem: Nesterov on a quadratic": ("Theorem: Nesterov on a quadratic", "(6) no hump"),
    "Nesterov, strongly convex": ("Nesterov, strongly convex", "the theorem, any strongly convex function"),
    "Nesterov without strong convexity": ("Nesterov without strong convexity", "the theorem, the promise"),
    "Regret of AMSGrad": ("Theorem: regret of AMSGrad", "(6) regret"),
    "Adam without momentum": ("Theorem: Adam without momentum", "the theorem up to its logarithm, three steps"),
    "LARS on a smooth function": ("LARS on a smooth function", "the theorem, from end to end"),
    "LAMB without a memory, end to end": ("LAMB without a memory", "the theorem, any zeros"),
    "LAMB with a memory, end to end": ("LAMB with a memory, beta2 = 0.9", "the theorem, a memory"),
    "Adafactor's steps": ("Adafactor's steps", "length of a run"),
}


def modules() -> list[str]:
    """The names of the statements' modules, in the order of the chapters."""
    there = {module.name for module in pkgutil.iter_modules(proofs.__path__)}
    return [name for md in notebooks.chapters(ROOT) if (name := name_of(md.stem)) in there]


def load(name: str):
    return importlib.import_module(f"proofs.{name}")


def digest_of(name: str) -> str:
    """Of a module of statements, the modules that it takes statements from, and all that attacks and decides them."""
    seen, waiting = set(), [name]
    while waiting:
        seen.add(this := waiting.pop())
        source = (ROOT / "proofs" / f"{this}.py").read_text(encoding="utf-8")
        waiting += set(re.findall(r"from proofs\.(\w+) import", source)) - seen
    files = [*ENGINE, *(f"proofs/{this}.py" for this in sorted(seen))]
    return digest(b"".join((ROOT / file).read_bytes() for file in files))


def examine(module, title: str, step, holds: bool, draws: int, seconds: float) -> dict:
    """One row of the record, as plain numbers and texts."""
    first = []
    if step.name in getattr(module, "LIFTED", {}):
        origin, lift = module.LIFTED[step.name]
        broke = attack(origin, draws).counterexample
        first = [lift(broke)] if broke else []
    found, undecided = attack(step, draws, first=first), 0
    row = {"title": title, "step": step.name, "holds": holds, "attacks": found.attacks}
    row |= {"largest_share": number(found.largest_share), "seconds": round(found.seconds, 2), "decided": []}
    broken, by = found.counterexample, found.by
    if not step.name.startswith("the theorem"):
        for sizes in step.all_sizes():
            decision = decide(step, sizes, seconds)
            row["decided"].append({"sizes": sizes, "answer": decision.answer, "by": decision.by})
            undecided += decision.answer == "not decided"
            if decision.counterexample and not broken:
                broken, by = decision.counterexample, decision.by
            if broken or undecided == UNDECIDED:
                break
    row |= {"counterexample": broken and {name: plain(value) for name, value in broken.items()}, "broken_by": by}
    return row | {"as_expected": holds == (broken is None)}


def number(x: float) -> float | None:
    return float(f"{x:.4g}") if math.isfinite(x) else None


def work(name: str, draws: int, seconds: float) -> list[dict]:
    """All rows of one module."""
    module, rows = load(name), []
    for holds, theorems in ((True, module.THEOREMS), (False, module.BROKEN)):
        for title, steps in theorems.items():
            rows += [examine(module, title, step, holds, draws, seconds) for step in steps]
    return rows


def decided(row: dict) -> str:
    """'d = 3 (z3)': the largest sizes at which the step is true for all reals, and by what."""
    true = [d for d in row["decided"] if d["answer"] == "true"]
    sizes = [d["sizes"] for d in true]
    largest = [a for a in sizes if not any(a != b and all(a[name] <= b[name] for name in a) for b in sizes)]
    at = "; ".join(", ".join(f"{name} = {k}" for name, k in a.items()) or "all reals" for a in largest)
    return f"{at} ({', '.join(sorted({d['by'] for d in true}))})" if true else "no"


def tables(path: Path) -> tuple[dict, dict]:
    """What a chapter's stored outputs say: {ledger: {row: cells}} and {theorem: [rows of its promises]}."""
    ledgers, promises = {}, {}
    for cell in chapters.read(path).cells:
        lines = chapters.printed(cell).splitlines()
        for k, line in enumerate(lines):
            if LEDGER.match(line):
                found = takewhile(bool, map(ROW.match, lines[k + 1 :]))
                ledgers.setdefault(lines[k - 1], {}).update({row["step"]: row.groupdict() for row in found})
            elif PROMISE.match(line):
                split = (re.split(r"  +", row.strip()) for row in lines[k + 1 :])
                promises.setdefault(lines[k - 1], []).extend(takewhile(lambda cells: len(cells) == 7, split))
    return ledgers, promises


def evaluated() -> dict[str, tuple[dict, dict]]:
    """{chapter's name: its ledgers and promises}, for all chapters that have any."""
    found = {md.stem: tables(notebooks.pair(md)) for md in notebooks.chapters(ROOT)}
    return {name: both for name, both in found.items() if any(both)}


def unattacked(name: str, ledgers: dict) -> list[str]:
    """Rows of a chapter's ledgers that have neither a statement nor a reason."""
    module = load(name_of(name)) if name_of(name) in modules() else None
    missing = []
    for title, rows in ledgers.items():
        exempt = getattr(module, "EXEMPT", {}).get(title, {})
        stated = {step.name for step in getattr(module, "THEOREMS", {}).get(title, [])}
        if not isinstance(exempt, str):
            missing += [f"{name}: {title}: {row}" for row in rows if row not in stated and row not in exempt]
    return missing


def recorded(chapter: str) -> list[Step]:
    """The steps that a chapter evaluates by `Step.record`: all that are named in a cell which calls it."""
    cells = [cell.source for cell in chapters.read(ROOT / "notebooks" / f"{chapter}.ipynb").cells]
    alias = re.search(r"^from proofs import (\w+) as (\w+)$", "\n".join(cells), re.MULTILINE)
    if not alias:
        return []
    module, named = load(alias[1]), []
    for source in (source for source in cells if ".record(" in source):
        for name, key in re.findall(rf"\b{alias[2]}\.(\w+)(?:\[\"(.+?)\"\])?", source):
            value = getattr(module, name)
            value = value[key] if key else value
            named += [step for step in (value if isinstance(value, list) else [value]) if isinstance(step, Step)]
    return named


def labels() -> dict[str, list[str | None]]:
    """{chapter: the labels of its theorems, lemmas, propositions and corollaries}, None for one without a label."""
    return rocq_sources.labels(ROOT)


def whole_share(heading: str, rows: list[dict]) -> str:
    """The largest share of a promise that the adversary reached, for a table of promises with this heading."""
    for title, statement in WHOLE.items():
        if heading.startswith(f"{title}: "):
            return share_of(next(row for row in rows if row["holds"] and (row["title"], row["step"]) == statement))
    return "–"


def share_of(row: dict | None) -> str:
    return "–" if not row or row["largest_share"] is None else f"{row['largest_share']:.3g}"


def page(record: dict) -> str:
    """The book's page, from the record and the stored outputs."""
    rows = [row for name in record["chapters"].values() for row in name["rows"]]
    held, broken = [row for row in rows if row["holds"]], [row for row in rows if not row["holds"]]
    true = sum(any(d["answer"] == "true" for d in row["decided"]) for row in held)
    lines, promises, fed, stated_rows = [], [], 0, 0
    proved = set(proved_table.names(ROOT))
    for chapter, (ledgers, promised) in evaluated().items():
        known = record["chapters"].get(name_of(chapter), {"rows": []})["rows"]
        module = load(name_of(chapter)) if name_of(chapter) in modules() else None
        promises += [
            [title, *cells, whole_share(title, rows)] for title, instances in promised.items() for cells in instances
        ]
        by_record = {id(step) for step in recorded(chapter)}
        titles = dict.fromkeys([*ledgers, *(row["title"] for row in known if row["holds"])])
        titles = [title for title in titles if not proved.issuperset(proofs.LABELS.get(title, [title]))]
        if titles:
            title, link = heading(chapter)
            lines += ["", f"## {title}", "", link]
        for title in titles:
            exempt = getattr(module, "EXEMPT", {}).get(title, {})
            refs = "".join(f", {{prf:ref}}`{label}`" for label in proofs.LABELS.get(title, []))
            lines += ["", f"**{escaped(title)}**{refs}", ""]
            if isinstance(exempt, str):
                lines += [f"Evaluated only: {exempt}", ""]
            lines += ["| step | evaluated | attacked | reached | decided |", "|:--|--:|--:|--:|:--|"]
            stated = {row["step"]: row for row in known if row["holds"] and row["title"] == title}
            same = {step.name for step in getattr(module, "THEOREMS", {}).get(title, []) if id(step) in by_record}
            for step in dict.fromkeys([*ledgers.get(title, {}), *stated]):
                checks = ledgers.get(title, {}).get(step, {}).get("checks", "")
                row, share = stated.get(step), share_of(stated.get(step))
                stated_rows += bool(checks and row)
                fed += bool(checks and row and step in same)
                checks = f"{int(checks):,}{' †' * (step in same)}" if checks else "–"
                reason = exempt.get(step, "") if isinstance(exempt, dict) else ""
                attacks, how = (f"{row['attacks']:,}", decided(row)) if row else ("–", reason or "–")
                lines.append(f"| {escaped(step)} | {checks} | {attacks} | {share} | {how} |")
    lines += [PROMISES, "| theorem | " + " | ".join(HEADS) + " |", "|:--|:--|" + "--:|" * 5 + ":--|--:|"]
    lines += ["| " + " | ".join(map(escaped, cells)) + " |" for cells in promises]
    lines += [BROKEN, "| theorem | statement | broken by | seconds | with |", "|:--|:--|:--|--:|:--|"]
    for row in broken:
        given = ", ".join(f"{name} = {short(value)}" for name, value in (row["counterexample"] or {}).items())
        by = {"given": "a step's counterexample", None: "not broken within the budget"}
        cells = [row["title"], row["step"], by.get(row["broken_by"], row["broken_by"])]
        lines.append(f"| {' | '.join(map(escaped, cells))} | {row['seconds']:.2g} | {given or '–'} |")
    attacks = f"{sum(row['attacks'] for row in held):,}"
    counts = {"held": len(held), "attacks": attacks, "true": true, "fed": fed, "again": stated_rows - fed}
    first = proved_table.table(ROOT, evaluated(), titles_of, WHOLE, escaped)
    return "\n".join([HEAD.format(**counts), *([first] if first else []), *lines]) + "\n"


def titles_of(label: str) -> list[str]:
    """The titles of the ledgers of a label's steps."""
    return [title for title, found in proofs.LABELS.items() if label in found]


def heading(chapter: str) -> tuple[str, str]:
    """A chapter's title, and a link to it by its label."""
    label, title = chapters.labelled((ROOT / "notebooks" / f"{chapter}.md").read_text(encoding="utf-8"))
    return title, f"{{numref}}`Chapter %s <{label}>`" if chapter[0].isdigit() else f"{{ref}}`{label}`"


def short(text: str) -> str:
    """Whole numbers of more than twelve digits as powers of ten."""
    return re.sub(r"\d{13,}", lambda digits: f"{Decimal(digits[0]).normalize():.3g}".replace("e+", "e"), text)


def escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


HEADS = ("instance", "measured", "promised", "start", "any method", "ascent", "says more", "reached")
HEAD = """\
(page-theorems)=
# Every theorem, and who attacked it

This page is written by `make prove`. What Rocq has proved stands in the first table. Then it lists the ledgers of all
other theorems, row by row, and says what was done to each row.

* **Evaluated**: how often the chapter compared the two sides on its own run. At a dagger (†) it evaluated the very
  function that was attacked; so it is in {fed} rows. In the other {again} rows the arrays of the chapter's cell have
  another form, and the cell writes the two sides once more: there only the name of the row links what was evaluated
  to what was attacked.
* **Attacked**: how many instances an adversary tried. It satisfies the assumptions and is otherwise as mean as it can
  be: zeros, equal entries, exact cancellation, sizes from 1e-150 to 1e150. Then it climbs towards the largest left side
  beside the right one. {held} statements stand after {attacks} attacks.
* **Reached**: the largest left side, divided by the right one. 1 means that the step is tight, so no smaller right side
  would do. A dash: the right side was never positive.
* **Decided**: the sizes at which a program has proved the step for *all* real numbers, and which program: SymPy for
  identities, the solver z3 for the rest. That is so for {true} statements. Proved in three dimensions is not proved in
  d dimensions; the text in the chapter does that. "No" means that the program gave up.

A row that was evaluated only says why."""
PROMISES = """
## What the theorems promise, and what needs no theorem

The last lines of a proof promise something about a whole run. Such a promise is worth something only if it says more
than two numbers that need no theorem: the value at the **start**, which a method keeps that never moves, and the value
that **any method** must keep, because nothing larger exists. **Ascent** is the same run with its direction turned
round: where the promise **says more**, ascent has to break it. Where no instance that we can afford says more,
that column names the number of steps from which one would. **Reached** is the largest share of the promise that the
adversary reached when it attacked the whole theorem, with a few steps in a few dimensions: at 1 no smaller constant
would do. A dash: the theorem was attacked step by step only.
"""
BROKEN = """
## False statements

These were printed somewhere, or are easy to believe. The adversary was told nothing about them, except where it began
from what had broken a step. The seconds are those of the attack, on the machine that wrote the record; where z3 broke
a statement the attack had failed, and z3's own time is not counted.
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", help="sgd, lamb, ...; all when none is named")
    parser.add_argument("--changed", action="store_true", help="only those that differ from the record's")
    parser.add_argument("--again", action="store_true", help="Rocq checks what did not change, too")
    parser.add_argument("--draws", type=int, default=1000, help="instances drawn for each step")
    parser.add_argument("--seconds", type=float, default=3.0, help="of work for each decision of z3")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.chapters) - set(modules()):
        sys.exit(f"error: no statements of {', '.join(sorted(unknown))}: there are {', '.join(modules())}")
    checked = rocq.check(again=chosen.again)
    before = json.loads(RECORD.read_text(encoding="utf-8"))["chapters"] if RECORD.exists() else {}
    names = chosen.chapters or modules()
    if chosen.changed:
        names = [name for name in names if before.get(name, {}).get("digest") != digest_of(name)]
    record = {name: before[name] for name in modules() if name in before}
    with ProcessPoolExecutor(2) as pool:
        results = {name: pool.submit(work, name, chosen.draws, chosen.seconds) for name in names}
        for name, result in results.items():
            rows = result.result()
            record[name] = {"digest": digest_of(name), "rows": rows}
            seconds = sum(row["seconds"] for row in rows)
            print(f"{name}: {len(rows)} statements, attacked for {seconds:.0f} s", flush=True)
            for row in rows:
                if not row["as_expected"]:
                    outcome = f"broken by {row['counterexample']}" if row["holds"] else "not broken"
                    print(f"  NOT AS EXPECTED: {row['title']}: {row['step']}: {outcome}")
    record = {"chapters": {name: record[name] for name in modules() if name in record}}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(record), encoding="utf-8")
    missing = [line for name, (ledgers, _) in evaluated().items() for line in unattacked(name, ledgers)]
    print(
        "\n".join(["rows that have neither a statement nor a reason:", *missing]) if missing else "every row is stated"
    )
    expected = all(row["as_expected"] for name in record["chapters"].values() for row in name["rows"])
    if checked == rocq.UNCHECKED:
        print(rocq.NOT_CHECKED)
    return checked if expected and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
