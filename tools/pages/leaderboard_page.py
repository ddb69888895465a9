"""The tables of book/leaderboard.md, from the record of the study `leaderboard`.

It needs no package, because building the book does without NumPy; the verdicts stand in the record. Deliberately
absent: the entries of classes, which `course/marking/race.py` judges.
"""

import csv
import json
from pathlib import Path
from statistics import median

from tools.pages.status_page import table

RACES = ("digits", "words")
MISSING = "*No places yet: the study `leaderboard` has not been run.*"


def substitutions(root: Path) -> dict[str, str]:
    """The book's entries in each race, as {{ board_digits }} and {{ board_words }}."""
    folder = root / "book" / "runs" / "leaderboard"
    if not (folder / "run.json").exists():
        return {f"board_{race}": MISSING for race in RACES}
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    with open(folder / "curve.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    boards = {}
    for race in RACES:
        steps = {}
        for row in rows:
            if row["race"] == race:
                steps.setdefault(row["optimizer"], []).append(int(row["steps"]))
        boards[f"board_{race}"] = board(race, steps, run["config"]["limit"], run["results"])
    return boards


def board(race: str, steps: dict[str, list[int]], limit: int, results: dict) -> str:
    """The table of one race, the fewest steps first; `results` has what was chosen, and the verdicts."""
    rows = []
    for name in sorted(steps, key=lambda one: median(steps[one])):
        counts, chosen = sorted(steps[name]), results["chosen"][f"{race} {name}"]
        spread = f"{counts[0]} to {counts[-1]}" + (", not all arrive" if counts[-1] == limit else "")
        end = "kept" if chosen["end"] is None else f"to zero at step {chosen['end']}"
        ahead = results["ahead"].get(f"{race} {name}", "")
        rows.append([name, f"{median(counts):g}", spread, f"{chosen['lr']:.3g}", end, ahead])
    return table(["entry", "steps", "of all seeds", "rate", "after warm-up", "the first is ahead"], rows, 1)
