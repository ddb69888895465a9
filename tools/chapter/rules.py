"""What breaks the book's rules in a chapter: each rule is one function.

A rule takes a chapter (an nbformat notebook) and returns its violations as sentences, an empty list when all is well.
`tests/book/test_chapters.py` applies the rules to every chapter and to deliberately broken ones.
"""

import re

from tools.chapter.chapters import (
    STAR,
    UNLABELLED,
    UNSEEN,
    WIDEST,
    checks,
    code,
    directives,
    exercise_labels,
    fold_label,
    head,
    ignored_cells,
    option,
    printed,
    prose,
    tags,
)

NEVER = {"skip-execution", "nbval-skip", "raises-exception", "nbval-raises-exception"}
CORE_ENDS = "Here the core path ends"  # begins the line that closes the core path of a chapter
AFTER_STARS = ("Summary", "Exercises", "Further reading")  # what may stand after the core path without a star


def core_path(nb) -> bool:
    """Whether a chapter says that it has a core path."""
    return bool(re.search(r"^\*Core path: ", prose(nb), re.MULTILINE))


def skipped_cells(nb) -> list[str]:
    """Cells that were not executed, or that say they shall not be, or whose output is an error."""
    cells = []
    for cell in code(nb):
        if tags(cell) & NEVER or re.search(r"#\s*(NBVAL|PYTEST_VALIDATE)_", cell.source):
            cells.append(f"cell {head(cell)} asks to be skipped, ignored or allowed to fail")
        if cell.get("execution_count") is None:
            cells.append(f"cell {head(cell)} was not executed")
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            cells.append(f"cell {head(cell)} shows an error")
    return cells


def unexplained_ignores(nb) -> list[str]:
    """Cells whose output is not compared, and that have no comment (which is to say why it differs)."""
    return [
        f"cell {head(cell)} ignores its output without a comment that says why it differs"
        for cell in ignored_cells(nb)
        if not re.search(r"^\s*# ", cell.source, re.MULTILINE)
    ]


def figure_violations(nb) -> list[str]:
    """Pictures without caption, alt text or name; two in one cell; captions without a picture."""
    violations = []
    for cell in code(nb):
        pictures = sum(any("image" in kind for kind in output.get("data", {})) for output in cell.get("outputs", []))
        mystnb = cell.metadata.get("mystnb", {})
        figure, image = mystnb.get("figure", {}), mystnb.get("image", {})
        faults = {
            f"draws {pictures} pictures; one figure a cell": pictures > 1,
            "draws a figure without a caption": pictures and not figure.get("caption"),
            "draws a figure without an alt text": pictures and not image.get("alt"),
            "draws a figure without a name fig-...": pictures and not str(figure.get("name", "")).startswith("fig-"),
            "has a caption and draws nothing": figure and not pictures,
        }
        violations += [f"cell {head(cell)} {fault}" for fault, there in faults.items() if there]
    text = prose(nb)
    violations += [f"picture {m[1]} has no alt text" for m in re.finditer(r"!\[\s*\]\(([^)]*)\)", text)]
    figures = directives(text, "figure") + directives(text, "image")
    return violations + [f"figure {m['title']} has no alt text" for m in figures if not option(m["body"], "alt")]


def exercise_violations(nb) -> list[str]:
    """Exercises without a solution, solutions that are not folded, or whose code did not run."""
    text, violations = prose(nb), []
    solutions = directives(text, "solution") + directives(text, "solution-start")
    solved = {match["title"].strip() for match in solutions}
    for label in exercise_labels(nb):
        if not label:
            violations.append("an exercise has no label")
        elif label not in solved:
            violations.append(f"exercise {label} has no solution")
    violations += [f"a solution to {label}, which is no exercise" for label in solved - set(exercise_labels(nb))]
    for match in solutions:
        if option(match["body"], "class") != "dropdown":
            violations.append(f"the solution to {match['title']} is not folded (:class: dropdown)")
    inside = None
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            for mark in re.finditer(r"\{solution-(start|end)\}[ \t]*(\S*)", cell.source):
                inside = mark[2] if mark[1] == "start" else None
        elif inside and cell.source.strip() and cell.get("execution_count") is None:
            violations.append(f"the solution to {inside} has a cell that did not run")
    if inside:
        violations.append(f"the solution to {inside} has no {{solution-end}}")
    return violations


def core_first_violations(nb) -> list[str]:
    """In a chapter with a core path: a line that does not close it, a star before that line, no star after it.

    Also a starred section, or a section inside one, that does not open with a sentence.
    """
    if not core_path(nb):
        return []
    violations, ended, section, starred = [], 0, "", False
    for cell in nb.cells:
        if cell.cell_type == "code":
            if ended and not starred and cell.source.strip() and section not in AFTER_STARS:
                violations.append(f"cell {head(cell)} stands after the core path, in no starred section")
            continue
        for part in re.split(rf"^(?=#{{1,6}} |{CORE_ENDS})", cell.source, flags=re.MULTILINE):
            if part.startswith(CORE_ENDS):
                ended += 1
            if not (title := re.match(r"(#{1,6}) +(.*)\n*", part)):
                continue
            section = title[2]
            if len(title[1]) <= 2:
                starred = section.startswith(STAR)
            if section.startswith(STAR) and (len(title[1]) != 2 or not ended):
                violations.append(f"starred section {section!r} stands on the core path, or inside a section")
            if ended and not starred and section not in AFTER_STARS:
                violations.append(f"section {section!r} stands after the core path and has no star")
            opening = re.sub(r"\$[^$]*\$|\{[^}]*\}`[^`]*`", "X", part[title.end() :])
            if starred and not re.match(r"[A-Z][^?\n]*\.\s", opening + "\n"):
                violations.append(f"starred section {section!r} does not open with its result in a sentence")
    if ended != 1:
        violations.append(f"{ended} lines say {CORE_ENDS!r}, where there is to be one")
    return violations


def core_path_violations(nb) -> list[str]:
    """In a chapter with a core path: code that scrolls at 1,200 px, exercises that do not say their level and time."""
    if not core_path(nb):
        return []
    violations = []
    for cell in code(nb):
        if not tags(cell) & UNSEEN:
            wide = [line for line in cell.source.splitlines() if len(line) > WIDEST]
            violations += [f"a visible line is longer than {WIDEST} characters: {line.strip()[:60]}" for line in wide]
    for match in directives(prose(nb), "exercise") + directives(prose(nb), "exercise-start"):
        if not re.search(r"^\*Level: (easy|medium|hard|open)\. Time: \d", match["body"], re.MULTILINE):
            violations.append(f"exercise {option(match['body'], 'label')} does not say its level and time")
    return violations


def unlabelled_folds(nb) -> list[str]:
    """Folded cells whose label is missing, or says only that something is folded."""
    folded = [cell for cell in code(nb) if any(tag.startswith("hide-") for tag in tags(cell))]
    return [f"cell {head(cell)}: {UNLABELLED}" for cell in folded if not fold_label(cell.metadata)]


def proof_groups(nb) -> list[tuple[set[int], list]]:
    """Each proof as (numbers of its steps, code cells after it).

    A proof may be cut into several directives with cells between them: one whose steps do not begin
    at (1) continues the one before it.
    """
    groups: list[tuple[set[int], list]] = []
    for cell in nb.cells:
        if cell.cell_type == "code":
            if groups:
                groups[-1][1].append(cell)
            continue
        for match in directives(cell.source, "prf:proof"):
            steps = {int(n) for n in re.findall(r"\*\*\((\d+)\)", match["body"])}
            if groups and steps and 1 not in steps:
                groups[-1][0].update(steps)
            else:
                groups.append((steps, []))
    return groups


def ledger_rows(cells: list) -> set[int]:
    """The steps in the ledger tables that these cells printed, each evaluated at least once.

    What a reader sees is read, and not the code: a row stands in the code even where no loop has come to it.
    """
    text = "\n".join(printed(cell) for cell in cells)
    return {int(number) for number in re.findall(r"^\((\d+)[a-z]?\).* (?:<=|=) +[1-9]", text, re.MULTILINE)}


def proof_violations(nb) -> list[str]:
    """Proof steps that no ledger row evaluates, and proofs that no cell checks."""
    violations = []
    for number, (steps, cells) in enumerate(proof_groups(nb), start=1):
        if not steps and not any(checks(cell) for cell in cells):
            violations.append(f"proof {number} has no numbered steps and no cell that checks it")
        if steps and steps != set(range(1, len(steps) + 1)):
            violations.append(f"proof {number} has steps {sorted(steps)}, which are not 1, 2, 3, ...")
        for step in sorted(steps - ledger_rows(cells)):
            violations.append(f"proof {number}: no ledger row evaluates step ({step})")
    return violations


def unbroken_proofs(nb) -> list[str]:
    """A chapter with numbered steps that never shows its ledger catching a broken assumption."""
    if not any(steps for steps, _ in proof_groups(nb)):
        return []
    text = "\n".join(printed(cell) for cell in code(nb))
    broken = re.search(r"step \(\d+[a-z]?\).* fails", text)
    return [] if broken else ["no assumption is broken on purpose: no ledger says that a step fails"]


def long_glued_numbers(nb) -> list[str]:
    """Glued numbers of more than six significant digits: another processor would differ."""
    names = []
    for cell in code(nb):
        for output in cell.get("outputs", []):
            for kind, value in output.get("data", {}).items():
                digits = re.sub(r"e[+-]?\d+|\D", "", str(value)).strip("0")
                if "papermill.record/text/plain" in kind and "." in value and len(digits) > 6:
                    names.append(f"cell {head(cell)} glues {value}: round it")
    return names
