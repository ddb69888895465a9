"""A fair comparison of Nesterov momentum, AdamW, LARS and LAMB: the record behind the chapter "The reality check".

Two tasks, two batch sizes. In each of these four cells every method gets the same number of quasi-random trials (the
same Halton points, mapped to the space that RATES and SHARED publish for it), all on one tuning seed. The trial with
the lowest validation loss is run again on five fresh seeds, and its loss on test examples that tuning never saw is
what counts. A pilot on a third seed fixes the target for the time to target before any trial. Larger: trials, seeds,
cells. How long it took stands in the record.
"""

from functools import partial

import numpy as np

from minilib.data import docstrings
from studies.command import NUMPY, start
from studies.four_knobs import BETA2, CASES, RATES, SHARED, TRUST, halton, one_trial, trial_at
from studies.study import Study
from studies.tasks import scored

TRIALS = {"digits": 32, "words": 24}
SCRAMBLE, PILOT_SEED, TUNING_SEED, SEEDS = 8, 50, 100, (10, 11, 12, 13, 14)
MATRIX_CELL, MATRIX_TRIALS, MATRIX_SEEDS = "digits, big", 16, tuple(range(100, 106))
SIZES = {
    "laptop": {
        "cells": CASES,
        "trials": TRIALS,
        "pilot_rates": (1e-3, 3e-3, 1e-2, 3e-2),
        "seeds": SEEDS,
        "matrix_trials": MATRIX_TRIALS,
        "matrix_seeds": MATRIX_SEEDS,
    },
    "toy": {
        "cells": {"digits, big": ("digits", 512, 4, 2), "words, small": ("words", 4, 4, 2)},
        "trials": {"digits": 2, "words": 1},
        "pilot_rates": (1e-2,),
        "seeds": SEEDS[:1],
        "matrix_trials": 2,
        "matrix_seeds": MATRIX_SEEDS[:2],
    },
}


def steps_to(target, smooth, window):
    """How many steps it takes until the running mean is at or below the target; None when it never is."""
    below = np.flatnonzero(np.asarray(smooth) <= target)
    return int(below[0]) + window if len(below) else None


def pilot(plan, cell):
    """The target: the last running mean of AdamW as it comes, best of some learning rates, plus 5 %."""
    shared = {"1-beta1": 0.1, "warmup": 0.1, "decay": 0.01}
    case = plan.cells[cell]
    ends = [one_trial(case, "AdamW", {"lr": lr, **shared}, PILOT_SEED)[2][-1] for lr in plan.pilot_rates]
    return round(1.05 * min(ends), 4)


def main(asked):
    plan = asked.plan
    config = {"pilot_seed": PILOT_SEED, "tuning_seed": TUNING_SEED, "matrix_cell": MATRIX_CELL} | vars(plan)
    config |= {"trust": TRUST, "beta2": BETA2, "rates": RATES, "shared": SHARED}
    del config["pilot_rates"]  # the record has none
    study = Study("reality-check", config, asked=asked)
    curve, results = [], {"unigram": scored("words").unigram_entropy(), "cells": {}, "matrix": {}}
    for cell, (name, _, _, window) in plan.cells.items():
        key = f"{cell}, pilot"
        target = study.run([(key, lambda c=cell: pilot(plan, c))])[key]
        cube = halton(plan.trials[name], SCRAMBLE)
        results["cells"][cell] = {"target": target, "methods": {}}
        for method in RATES:
            trials = [trial_at(method, u) for u in cube]

            def jobs(which, seeds, case=(cell, method), trials=trials):
                for i in which:
                    for s in seeds:
                        yield f"{case} {i} {s}", partial(one_trial, plan.cells[case[0]], case[1], trials[i], s)

            done = study.run(jobs(range(len(trials)), [TUNING_SEED]))
            tuned = [done[f"{(cell, method)} {i} {TUNING_SEED}"] for i in range(len(trials))]
            best = int(np.argmin([t[0] for t in tuned]))
            done = study.run(jobs([best], plan.seeds))
            fresh = [done[f"{(cell, method)} {best} {s}"] for s in plan.seeds]
            results["cells"][cell]["methods"][method] = {
                "best": best,
                "settings": trials[best],
                "tuning": tuned[best][0],
                "validation": [f[0] for f in fresh],
                "test": [f[1] for f in fresh],
                "steps": [steps_to(target, f[2], window) for f in fresh],
                "curves": [f[2][::5] for f in fresh],
            }
            for i, (h, t) in enumerate(zip(trials, tuned, strict=True)):
                row = {"cell": cell.replace(",", ""), "optimizer": method, "trial": i}
                row |= {k: round(v, 6) for k, v in h.items()} | {"validation": round(t[0], 5)}
                curve.append(row | {"steps": steps_to(target, t[2], window) or 0})
            if cell == MATRIX_CELL:
                done = study.run(jobs(range(plan.matrix_trials), plan.matrix_seeds))
                key = f"{(cell, method)}"
                rows = [[done[f"{key} {i} {s}"][0] for s in plan.matrix_seeds] for i in range(plan.matrix_trials)]
                results["matrix"][method] = rows
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
