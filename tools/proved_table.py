"""The theorems that Rocq has proved, a line each, for the page of theorems: words, place, and what was measured."""

from rocq_sources import all_labels, groups, sources

COLUMNS = ("theorem", "in words", "proved", "evaluated", "least slack", "measured", "promised", "needs no theorem")
HEAD = f"""
## Proved by machine

Rocq has checked these for all real numbers, in every dimension. Where there is chance, they hold for any finite sample
space, so that every expectation is a finite sum ({{ref}}`sec-assistant`). The fold under each theorem has its statement
and what it assumes. **Proved** leads to the line. The chapters evaluated their steps as often as the table says;
**least slack** is the least share of the larger side by which a left side stayed below its right one. The last three
columns are of that instance of the promise which came nearest to it; what **needs no theorem** is the start, or what
any method keeps, whichever is less.

| {" | ".join(COLUMNS)} |
|:--|:--|:--|--:|--:|--:|--:|--:|
"""


def names(root) -> list[str]:
    """The labels that have a theorem in Rocq, in the order of the chapters."""
    return [*groups(sources(root / "proofs"), all_labels(root))]


def ledger_cells(ledgers: dict, titles: list[str]) -> list[str]:
    """How often the rows of these ledgers were evaluated, and the least slack of their inequalities."""
    rows = [row for title in titles for row in ledgers.get(title, {}).values()]
    slack = [float(row["slack"]) for row in rows if row["relation"] == "<="]
    checks = sum(int(row["checks"]) for row in rows)
    return [f"{checks:,}" if rows else "–", f"{min(slack):.2g}" if slack else "–"]


def promise_cells(promises: dict, headings: list[str]) -> list[str]:
    """Measured, promised and needing no theorem, where the measured is nearest to the promised."""
    rows = [row for title, found in promises.items() for row in found if title.startswith(tuple(headings))]
    if not rows:
        return ["–"] * 3
    _, measured, promised, start, most, *_ = max(rows, key=lambda row: float(row[1]) / float(row[2]))
    return [measured, promised, min(start, most, key=float)]


def table(root, tables: dict, titles_of, whole: dict, escaped) -> str:
    """The table in Markdown; `tables` has the ledgers and promises of the chapters, `titles_of` those of a label."""
    proved = groups(sources(root / "proofs"), all_labels(root))
    ledgers = {title: rows for found, _ in tables.values() for title, rows in found.items()}
    promises = {title: rows for _, found in tables.values() for title, rows in found.items()}
    lines = []
    for label, group in proved.items():
        titles = titles_of(label)
        headings = [f"{name}: " for name in [*titles, *(name for name, (title, _) in whole.items() if title in titles)]]
        said = " ".join(one.comment for _, one in group.theorems).strip()
        words = f'<span class="words">{escaped(said or titles[0])}</span>'
        leads = ", ".join(
            f'<a href="../proofs/{source.name}.html#{one.name}">line {source.line(one.start)}</a>'
            for source, one in group.theorems
        )
        cells = [f"{{prf:ref}}`{label}`", words, leads, *ledger_cells(ledgers, titles)]
        lines.append(f"| {' | '.join([*cells, *promise_cells(promises, headings)])} |\n")
    return (HEAD + "".join(lines)).rstrip("\n") if lines else ""
