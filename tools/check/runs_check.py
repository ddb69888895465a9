"""Fails when a recorded run is not a record: a part of `make check` and of `make test`.

A record in `book/runs/<name>/` must have every field, filled; a curve with rows; the commits from which it can be
made again; a study `studies/<chapter>/<name>.py` that makes it; and a chapter that reads it with
`records.load("<name>")`. A chapter must not read or name a run that is not there. A record of another size or device
than the book's (`<name>-gpu`, `<name>-cuda`) has the command that made it, and no chapter need read it. Toy sizes are
no records. Deliberately absent: whether the
numbers are right (only `make study` can say), whether the commits still exist (a shallow clone has no history).
"""

import argparse
import csv
import json
import re
import sys
from pathlib import Path

from minilib.experiments.records import FIELDS
from tools import ROOT

PAGES = {"leaderboard"}  # what book/leaderboard.md shows, and no chapter
OTHER = re.compile(r"(-gpu)?(-(cpu|cuda|mps|tpu))?$")  # what names of other sizes and devices end in: Asked.suffix


def of_study(name: str) -> str:
    """The name of the study whose record has this name, whatever its size and device."""
    return name[: OTHER.search(name).start()]


def record_violations(folder: Path) -> list[str]:
    """What is wrong with the two files of the record in `folder`."""
    name, path = folder.name, folder / "run.json"
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return [f"record {name!r} has no run.json"]
    except json.JSONDecodeError as error:
        return [f"record {name!r}: run.json is not JSON: {error}"]
    missing = [field for field in FIELDS if field not in run]
    empty = [field for field in FIELDS if field in run and run[field] in (None, "", [], {})]
    violations = [f"record {name!r} lacks the field {field!r}" for field in missing]
    violations += [f"record {name!r}: the field {field!r} is empty" for field in empty]
    wanted = {"name": name}
    if of_study(name) == name:
        wanted["command"] = f"make study NAME={name}"
    elif not re.match(rf"python -m studies\.\w+\.{of_study(name).replace('-', '_')} --", str(run.get("command"))):
        violations.append(f"record {name!r}: the field 'command' must be how it was started, is {run.get('command')!r}")
    for field, value in wanted.items():
        if run.get(field, value) != value:
            violations.append(f"record {name!r}: the field {field!r} is {run[field]!r}, it must be {value!r}")
    for commit in run.get("commits") or ():
        if not re.fullmatch("[0-9a-f]{12}", str(commit)):
            why = "files were changed when it was made" if str(commit).endswith("+") else "no commit of twelve digits"
            violations.append(
                f"record {name!r}: the field 'commits' has {commit!r} ({why}); commit, then make it again"
            )
    return violations + curve_violations(folder / "curve.csv")


def curve_violations(path: Path) -> list[str]:
    """A curve that is missing, has no rows, or rows of different lengths."""
    name = path.parent.name
    if not path.exists():
        return [f"record {name!r} has no curve.csv"]
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file)) or [[]]
    if not rows:
        return [f"record {name!r}: curve.csv has no rows"]
    return [f"record {name!r}: curve.csv has rows of different lengths"] if {*map(len, rows)} != {len(head)} else []


def study_violations(name: str, root: Path) -> list[str]:
    """A record that `make study NAME=...` cannot make."""
    study = of_study(name)
    file = f"{study.replace('-', '_')}.py"
    made = [path for path in root.glob(f"studies/*/{file}") if f'Study("{study}"' in path.read_text(encoding="utf-8")]
    return [] if made else [f'record {name!r}: no study makes it; studies/*/{file} with Study("{study}") is missing']


def chapter_violations(names: set[str], root: Path) -> list[str]:
    """Chapters that read or name a run that is not there, and records that no chapter reads."""
    violations, read = [], set()
    for path in sorted((root / "notebooks").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        loaded = set(re.findall(r"""\brecords\.load\(\s*["']([^"']*)["']""", text))
        named = set(re.findall(r"make study NAME=(\w[\w-]*)", text))
        strangers = sorted((loaded | named) - names)
        violations += [f"{path.name} cites the run {name!r}, which is not recorded" for name in strangers]
        if re.search(r"""\brecords\.load\((?!\s*["'])""", text):
            violations.append(
                f"{path.name} calls records.load without a quoted name: nobody can see which run it cites"
            )
        read |= loaded
    return violations + [
        f"record {name!r}: no chapter reads it" for name in sorted(names - read - PAGES) if of_study(name) == name
    ]


def violations(root: Path) -> list[str]:
    """Everything that is wrong with the recorded runs below `root`, one sentence each."""
    folders = sorted(p for p in (root / "book" / "runs").glob("*") if p.is_dir() and p.name != "unfinished")
    sentences = [one for folder in folders for one in record_violations(folder) + study_violations(folder.name, root)]
    return sentences + chapter_violations({folder.name for folder in folders}, root)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    sentences = violations(parser.parse_args().root.resolve())
    print("\n".join(sentences) or "every recorded run is in order")
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
