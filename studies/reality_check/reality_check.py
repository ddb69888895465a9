"""A fair comparison of Nesterov momentum, AdamW, LARS and LAMB: the record behind the chapter "The reality check".

Two tasks, two batch sizes. In each of these four cells every method gets the same number of quasi-random trials (the
same Halton points, mapped to the space that RATES and SHARED publish for it), all on one tuning seed. The trial with
the lowest validation loss is run again on five fresh seeds, and its loss on test examples that tuning never saw is
what counts. A pilot on a third seed fixes the target for the time to target before any trial. Larger: trials, seeds,
cells. How long it took stands in the record.
"""

import numpy as np
from scipy.stats import qmc

from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim import LAMB, LARS, SGD, AdamW
from minilib.schedules import polynomial, warmup
from studies.protocols import NUMPY, scored, start
from studies.study import Study

# cell -> (task, batch size, steps, batch losses in the running mean that is compared with the target)
CELLS = {
    "digits, small": ("digits", 32, 300, 10),
    "digits, big": ("digits", 512, 100, 10),
    "words, small": ("words", 32, 800, 50),
    "words, big": ("words", 256, 500, 20),
}
TRIALS = {"digits": 32, "words": 24}
PILOT_SEED, TUNING_SEED, SEEDS = 50, 100, (10, 11, 12, 13, 14)
MATRIX_CELL, MATRIX_TRIALS, MATRIX_SEEDS = "digits, big", 16, tuple(range(100, 106))
SIZES = {
    "laptop": {
        "cells": CELLS,
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
TRUST, BETA2 = 0.02, 0.99
# method -> the least and the largest learning rate; 2.5 decades each
RATES = {"Nesterov": (0.01, 3.2), "AdamW": (1e-3, 0.32), "LARS": (0.03, 10.0), "LAMB": (1e-3, 0.32)}
# the same for all: 1 - beta1 (momentum), share of the steps for warm-up, weight decay; log-uniform but the second
SHARED = {"1-beta1": (0.01, 0.5), "warmup": (0.0, 0.3), "decay": (1e-5, 1e-1)}


def points(trials):
    """Halton points in the unit cube, one row a trial."""
    return qmc.Halton(d=4, scramble=True, rng=8).random(trials)


def settings(method, u):
    """The hyperparameters at the point u of the unit cube."""
    spaces = {"lr": RATES[method], **SHARED}
    values = {}
    for (name, (low, high)), share in zip(spaces.items(), u, strict=True):
        log = name != "warmup"
        values[name] = float(low * (high / low) ** share if log else low + (high - low) * share)
    return values


def optimizer(method, h):
    """Named parameters -> optimizer; vectors (biases, norms) get no decay and no trust ratio."""

    def make(named):
        vectors = {"params": [(n, p) for n, p in named if p.data.ndim == 1], "weight_decay": 0.0}
        matrices = {"params": [(n, p) for n, p in named if p.data.ndim > 1]}
        lr, beta1, decay = h["lr"], 1 - h["1-beta1"], h["decay"]
        if method == "Nesterov":
            return SGD([matrices, vectors], lr=lr, momentum=beta1, weight_decay=decay, nesterov=True)
        if method == "AdamW":
            return AdamW([matrices, vectors], lr=lr, betas=(beta1, BETA2), weight_decay=decay)
        groups = [matrices, vectors | {"layer_adaptation": False}]
        if method == "LARS":
            return LARS(groups, lr=lr, momentum=beta1, weight_decay=decay, trust_coefficient=TRUST)
        return LAMB(groups, lr=lr, betas=(beta1, BETA2), weight_decay=decay)

    return make


def one(cell, method, h, seed, cells=CELLS):
    """[validation loss, test loss, running mean of the batch losses]; 99 for a run that diverged."""
    name, batch, steps, window = cells[cell]

    def schedule(t):
        return warmup(t, round(h["warmup"] * steps)) * polynomial(t, steps)

    run = train(scored(name), optimizer(method, h), steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, 99.0, [99.0] * (steps - window + 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        scores = [s if np.isfinite(s) else 99.0 for s in np.minimum(99.0, scored(name).scores(run.model))]
    smooth = np.convolve(run.losses, np.ones(window) / window, "valid")
    return [*map(float, scores), np.minimum(smooth, 99.0).round(4).tolist()]


def steps_to(target, smooth, window):
    """How many steps it takes until the running mean is at or below the target; None when it never is."""
    below = np.flatnonzero(np.asarray(smooth) <= target)
    return int(below[0]) + window if len(below) else None


def pilot(plan, cell):
    """The target: the last running mean of AdamW as it comes, best of some learning rates, plus 5 %."""
    shared = {"1-beta1": 0.1, "warmup": 0.1, "decay": 0.01}
    ends = [one(cell, "AdamW", {"lr": lr, **shared}, PILOT_SEED, plan.cells)[2][-1] for lr in plan.pilot_rates]
    return round(1.05 * min(ends), 4)


def main(asked):
    plan = asked.plan
    names = ("PILOT_SEED", "TUNING_SEED", "MATRIX_CELL", "TRUST", "BETA2", "RATES", "SHARED")
    config = {name.lower(): globals()[name] for name in names} | vars(plan)
    del config["pilot_rates"]  # the record has none
    study = Study("reality-check", config, asked=asked)
    curve, results = [], {"unigram": scored("words").unigram_entropy(), "cells": {}, "matrix": {}}
    for cell, (name, _, _, window) in plan.cells.items():
        key = f"{cell}, pilot"
        target = study.run([(key, lambda c=cell: pilot(plan, c))])[key]
        cube = points(plan.trials[name])
        results["cells"][cell] = {"target": target, "methods": {}}
        for method in RATES:
            trials = [settings(method, u) for u in cube]

            def jobs(which, seeds, case=(cell, method), trials=trials):
                for i in which:
                    for s in seeds:
                        yield f"{case} {i} {s}", lambda i=i, s=s: one(*case, trials[i], s, plan.cells)

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
