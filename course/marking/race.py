"""The race for the fewest steps, run again with fresh seeds: what decides a class's leaderboard.

    python course/marking/race.py entries/                  every entries/NAME.py, on the races that it names
    python course/marking/race.py my_entry.py --seeds 3     one's own, to see where one stands

An entry is a Python file with the name of a race, `RACE = "digits"` or "words", a function `optimizer(named)` that
makes an optimizer from pairs of name and parameter, as minilib's are made, and, if it likes, a function
`schedule(step)` that gives the multiplier of its learning rates. It runs in a process of its own, which is told weights
and gradients, and gives back weights. The rows and columns of every array come to it in an order that each run draws in
secret, and its weights are put back in order: a method that treats its arrays alike takes the same steps as ever, to
rounding, and weights that were trained on the race's data do not fit. scikit-learn's data and minilib's tasks and data
are out of its reach. The seeds are new in every call and the same for all entries. Deliberately absent: time. Whether
an entry keeps the spirit of the rules a person has to read.
"""

import argparse
import secrets
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np

from course.marking import minilib_copy, wall
from course.marking.examiner import Pupil
from minilib.experiments.verdicts import compare
from minilib.pages import print_table
from studies.race import RACES, Race, steps_to

SMALLEST = np.log(1.05)  # a twentieth of the steps
TASKS = ("experiments", "data")  # what an entry's copy of minilib lacks
# In the entry's process: what stands between its optimizer and the race.
DRIVER = """
def _begin(named):
    from minilib.autodiff import Tensor

    pairs = [(name, Tensor(data)) for name, data in named]
    _opt = optimizer(pairs)
    _rates = [group["lr"] for group in _opt.param_groups]
    _schedule = globals().get("schedule", lambda step: 1.0)

    def step(number, grads):
        for (_, p), grad in zip(pairs, grads, strict=True):
            p.grad = grad
        for group, rate in zip(_opt.param_groups, _rates, strict=True):
            group["lr"] = rate * _schedule(number)
        _opt.step()
        return [p.data for _, p in pairs]

    return step
"""


class Apart:
    """An entry's optimizer, as the race sees it: the weights that come back are taken, and nothing else.

    The entry sees the rows and columns of each array in an order that nobody can guess.
    """

    param_groups = ({"lr": 1.0},)

    def __init__(self, begin, named):
        order = np.random.default_rng(secrets.randbits(128))
        self.parameters, self.number = [p for _, p in named], 0
        self.places = [np.ix_(*(order.permutation(n) for n in p.data.shape)) for p in self.parameters]
        data = [p.data[places] for p, places in zip(self.parameters, self.places, strict=True)]
        self.ask = begin([(name, mixed) for (name, _), mixed in zip(named, data, strict=True)])

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    def step(self):
        new = self.ask(self.number, [p.grad[places] for p, places in zip(self.parameters, self.places, strict=True)])
        self.number += 1
        for p, data, places in zip(self.parameters, new, self.places, strict=True):
            if np.shape(data) != p.data.shape:
                raise ValueError(f"a weight of shape {p.data.shape} came back with the shape {np.shape(data)}")
            p.data = np.empty_like(p.data)
            p.data[places] = data


def judged(path: Path, seeds: list[int], minilib: Path, races: dict[str, Race] = RACES) -> tuple[str, dict[int, int]]:
    """The race that an entry names, and its steps by seed.

    ValueError: the entry names no race, has no optimizer, or fails in a run.
    """
    sklearn = find_spec("sklearn")
    hidden = [Path(sklearn.origin).parent / "datasets"] if sklearn else []
    with Pupil(minilib, seconds=20, hidden=hidden) as pupil:
        try:
            pupil.run(path.read_text(encoding="utf-8"))
            pupil.run(DRIVER)
            name, begin = pupil.get("RACE"), pupil.get("_begin")
            if name not in races:
                raise ValueError(f"RACE must be one of {', '.join(races)}, got {name!r}")
            return name, {seed: steps_to(races[name], partial(Apart, begin), seed=seed) for seed in seeds}
        except Exception as error:
            raise ValueError(f"{path.name}: {type(error).__name__}: {error}") from None


def board(results: dict[str, dict[int, int]]) -> list[list[str]]:
    """A row an entry, the fewest steps first: name, median, the steps of all seeds, and whether it beats the next."""
    order = sorted(results, key=lambda name: (median(results[name].values()), name))
    rows = []
    for name, after in zip(order, [*order[1:], None], strict=True):
        ours = results[name]
        verdict = ""
        if after and len(ours) > 1:
            logs = [{seed: float(np.log(n)) for seed, n in results[one].items()} for one in (name, after)]
            verdict = compare(*logs, smallest=SMALLEST).verdict
        rows.append([name, f"{median(ours.values()):g}", " ".join(map(str, ours.values())), verdict])
    return rows


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("entries", type=Path, help="an entry, or a folder of entries")
    parser.add_argument("--seeds", type=int, default=8, help="how many fresh seeds (default: 8)")
    args = parser.parse_args(arguments)
    paths = sorted(args.entries.glob("*.py")) if args.entries.is_dir() else [args.entries]
    print(wall.says())
    seeds = [secrets.randbelow(10**6) for _ in range(args.seeds)]
    results, failed = {}, []
    with tempfile.TemporaryDirectory() as folder:
        minilib_copy.copy(Path(folder), [], TASKS)
        for path in paths:
            try:
                race, steps = judged(path, seeds, Path(folder))
            except (ValueError, OSError) as error:
                failed.append(str(error))
                continue
            results.setdefault(race, {})[path.stem] = steps
    for race, by_entry in results.items():
        print(f"{race}: steps to {RACES[race].target:g} nats, at most {RACES[race].limit}")
        print_table(board(by_entry), ("entry", "median", "all seeds", "ahead of the next by a twentieth"))
    print("".join(f"not judged: {one}\n" for one in failed), end="", file=sys.stderr)
    return 2 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
