"""Attack and decide every registered step of the chapters' proofs, and print the table: make prove

For each step of `minilib.theory.statements.chapter_NN`: how many instances the adversary tried, the least slack, the
largest share of the bound that it reached, at which sizes the step is decided and by what. The same goes to
`_build/prove.json`. Exit status 1: a step that should hold is broken, or one that is listed as broken is not.
Deliberately absent: the chapters' own evaluations of the steps; those are in the chapters' ledgers.
"""

import argparse
import importlib
import importlib.util
import json
import math
import pkgutil
import sys
from pathlib import Path

from minilib.theory import statements
from minilib.theory.attack import attack
from minilib.theory.decide import decide
from minilib.theory.instances import sizes_of

FILE = Path("_build") / "prove.json"
HEAD = ("theorem", "step", "attacks", "least slack", "largest share", "decided", "outcome")


def modules(names: list[str]) -> list:
    """The statements' modules in order; all when no names are given."""
    known = sorted(module.name for module in pkgutil.iter_modules(statements.__path__))
    unknown = set(names) - set(known)
    if unknown:
        sys.exit(f"error: no statements of {', '.join(sorted(unknown))}: there are {', '.join(known)}")
    return [importlib.import_module(f"{statements.__name__}.{name}") for name in names or known]


def examine(module, step, holds: bool, draws: int, seconds: float) -> dict:
    """One row of the table, as plain numbers and texts."""
    first = []
    if step.name in getattr(module, "LIFTED", {}):
        origin, lift = module.LIFTED[step.name]
        broke = attack(origin, draws).counterexample
        first = [lift(broke)] if broke else []
    found, undecided = attack(step, draws, first=first), 0
    row = {"theorem": module.THEOREM, "step": step.name, "holds": holds, "attacks": found.attacks}
    row |= {"least_slack": number(found.least_slack), "largest_share": number(found.largest_share)}
    row |= {"seconds": round(found.seconds, 2), "decided": [], "by": []}
    broken = found.counterexample
    if seconds and not step.name.startswith("the theorem"):
        for sizes in sizes_of(step):
            decision = decide(step, sizes, seconds)
            row["decided"].append({"sizes": sizes, "answer": decision.answer, "by": decision.by})
            undecided += decision.answer == "not decided"
            if undecided == 2:
                break  # larger sizes take longer
            broken = broken or decision.counterexample
    row["counterexample"] = broken and {name: texts(value) for name, value in broken.items()}
    row["as_expected"] = holds == (broken is None)
    return row


def number(x: float) -> float | None:
    return x if math.isfinite(x) else None


def texts(x):
    return [texts(part) for part in x] if isinstance(x, list) else str(x)


def cells(row: dict) -> tuple[str, ...]:
    true = [d for d in row["decided"] if d["answer"] == "true"]
    sizes = [d["sizes"] for d in true]
    largest = [a for a in sizes if not any(a != b and all(a[name] <= b[name] for name in a) for b in sizes)]
    at = "; ".join(", ".join(f"{name} = {k}" for name, k in a.items()) or "all reals" for a in largest) or "-"
    by = f" ({true[-1]['by']})" if true else ""
    outcome = "broken" if row["counterexample"] else "stands"
    outcome += "" if row["as_expected"] else ", NOT AS EXPECTED"
    slack, share = ("-" if row[key] is None else f"{row[key]:.2g}" for key in ("least_slack", "largest_share"))
    return row["theorem"], row["step"], str(row["attacks"]), slack, share, at + by, outcome


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", help="chapter_07, ...; all when none is named")
    parser.add_argument("--draws", type=int, default=300, help="instances drawn for each step")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each decision of z3; 0 decides nothing")
    chosen = parser.parse_args(arguments)
    if chosen.seconds and importlib.util.find_spec("z3") is None:
        print("z3-solver is not installed: nothing is decided", file=sys.stderr)
        chosen.seconds = 0
    rows = []
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for module in modules(chosen.chapters):
        for holds, steps in ((True, module.STEPS), (False, module.BROKEN)):
            for step in steps:
                rows.append(examine(module, step, holds, chosen.draws, chosen.seconds))
                print("| " + " | ".join(cells(rows[-1])) + " |", flush=True)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["as_expected"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
