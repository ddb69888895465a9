"""Fails when a recorded run is not a record: a part of `make check` and of `make test`.

A record in `book/runs/<name>/` must have every field, filled; a curve with rows; the commits from which it can be
made again; a study `studies/<chapter>/<name>.py` that makes it; and a chapter that reads it with
`records.load("<name>")`. A chapter must not read or name a run that is not there. A record of another size or device
than the book's (`<name>-gpu`, `<name>-cuda`) has the command that made it, and no chapter need read it. Toy sizes are
no records. Deliberately absent: whether the numbers are right (only `make study` can say), whether the commits still
exist (a shallow clone has no history).
"""

import csv
import json
import re
import sys
from pathlib import Path

from minilib.experiments.records import FIELDS
from tools import ROOT

PAGES = {"leaderboard"}  # what book/leaderboard.md shows, and no chapter
OTHER = re.compile(r"(-gpu)?(-(cpu|cuda|mps|tpu))?$")  # what names of other sizes and devices end in: Asked.suffix
COMMIT = "[0-9a-f]{12}"  # one that ends with + had files that were changed since: commit, then make the run again
READS = re.compile(r"""\brecords\.load\(\s*(?:["']([^"']*)["'])?""")


def of_study(name: str) -> str:
    """The name of the study whose record has this name, whatever its size and device."""
    return name[: OTHER.search(name).start()]


def field_violations(name: str, run: dict) -> list[str]:
    """Fields that are missing, empty, or not what they are in a record of this name."""
    study = of_study(name)
    start = rf"python -m studies\.\w+\.{study.replace('-', '_')} --.*"
    patterns = {"name": name, "command": f"make study NAME={name}" if study == name else start, "commits": COMMIT}
    violations = []
    for field in FIELDS:
        if field not in run:
            violations.append(f"lacks the field {field!r}")
        elif run[field] in (None, "", [], {}):
            violations.append(f"the field {field!r} is empty")
        elif field in patterns:
            values = run[field] if isinstance(run[field], list) else [run[field]]
            wrong = [value for value in values if not re.fullmatch(patterns[field], str(value))]
            violations += [f"the field {field!r} is {value!r}, it must be {patterns[field]!r}" for value in wrong]
    return violations


def record_violations(folder: Path) -> list[str]:
    """What is wrong with the two files of the record in `folder`."""
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        with open(folder / "curve.csv", newline="", encoding="utf-8") as file:
            head, *rows = list(csv.reader(file)) or [[]]
    except FileNotFoundError as error:
        return [f"has no {Path(error.filename).name}"]
    except json.JSONDecodeError as error:
        return [f"run.json is not JSON: {error}"]
    violations = field_violations(folder.name, run)
    if not rows:
        return [*violations, "curve.csv has no rows"]
    return violations if {*map(len, rows)} == {len(head)} else [*violations, "curve.csv has rows of different lengths"]


def study_violations(name: str, root: Path) -> list[str]:
    """A record that `make study NAME=...` cannot make."""
    study = of_study(name)
    file = f"{study.replace('-', '_')}.py"
    if any(f'Study("{study}"' in path.read_text(encoding="utf-8") for path in root.glob(f"studies/*/{file}")):
        return []
    return [f'no study makes it; studies/*/{file} with Study("{study}") is missing']


def chapter_violations(names: set[str], root: Path) -> list[str]:
    """Chapters that read or name a run that is not there, and records that no chapter reads."""
    violations, read = [], set()
    for path in sorted((root / "notebooks").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        loaded = {*READS.findall(text)}
        if "" in loaded:
            violations.append(f"{path.name} calls records.load without a quoted name: which run does it cite?")
        named = {*re.findall(r"make study NAME=(\w[\w-]*)", text)}
        strangers = sorted((loaded | named) - names - {""})
        violations += [f"{path.name} cites the run {name!r}, which is not recorded" for name in strangers]
        read |= loaded
    unread = sorted(name for name in names - read - PAGES if of_study(name) == name)
    return violations + [f"record {name!r}: no chapter reads it" for name in unread]


def violations(root: Path) -> list[str]:
    """Everything that is wrong with the recorded runs below `root`, one sentence each."""
    folders = sorted(p for p in (root / "book" / "runs").glob("*") if p.is_dir() and p.name != "unfinished")
    faults = {folder.name: record_violations(folder) + study_violations(folder.name, root) for folder in folders}
    sentences = [f"record {name!r}: {fault}" for name in faults for fault in faults[name]]
    return sentences + chapter_violations({*faults}, root)


def main() -> int:
    sentences = violations(ROOT)
    print("\n".join(sentences) or "every recorded run is in order")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
