"""Steps to a training loss over the batch size, 1 to the full 1,437 digits, for SGD and Adam.

Every batch size gets nine learning rates, a factor of sqrt(2) apart, around a centre that grows with the batch as
McCandlish et al. (2018) suggest; three seeds for tuning, six fresh ones to report. Test accuracies are taken at a
lower loss, with the tuned rates and twelve seeds. Larger: SEEDS, TARGETS, or a finer BATCHES. About five
minutes on one core.
"""

import numpy as np

from minilib.experiments.study import Study
from minilib.experiments.sweep import Sweep, steps_to
from minilib.optim import SGD, Adam
from studies.protocols import digits

BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1437)
TARGETS = (0.5, 0.2, 0.1)
TUNING_SEEDS, SEEDS = (100, 101, 102), (0, 1, 2, 3, 4, 5)
METHODS = {"SGD": SGD, "Adam": Adam}
# centre of the learning rates at batch b: a / (1 + c/b)^p
CENTRES = {"SGD": (1.0, 20, 1.0), "Adam": (0.08, 30, 0.75)}
FACTORS = [2 ** (k / 2) for k in range(-4, 5)]
LIMIT = 40_000
GAP = {"target": 0.02, "batches": (4, 32, 256, 1437), "seeds": tuple(range(12))}


def rates(name, b):
    a, c, p = CENTRES[name]
    return [round(a / (1 + c / b) ** p * factor, 6) for factor in FACTORS]


def measure(name, b):
    """Steps and test accuracies at each target: lists (targets, rates, tuning seeds and seeds)."""
    sweep = Sweep(digits(), METHODS[name], rates(name, b), TUNING_SEEDS + SEEDS, b)
    steps, accuracy = steps_to(sweep, TARGETS, LIMIT, patience=1.5)
    return [steps.round(1).tolist(), accuracy.round(4).tolist()]


def gap(name, b, lr):
    """Steps and test accuracy at the low loss, one of each a seed."""
    steps, accuracy = steps_to(Sweep(digits(), METHODS[name], [lr], GAP["seeds"], b), [GAP["target"]], LIMIT)
    return [steps[0, 0].round(1).tolist(), accuracy[0, 0].round(4).tolist()]


def tuned(name, b, steps):
    """The rate with the fewest steps to each target, median over the tuning seeds; never at an edge of the grid."""
    medians = np.median(np.array(steps)[:, :, : len(TUNING_SEEDS)], axis=2)
    best = medians.argmin(axis=1)
    if not (best > 0).all() or not (best < len(FACTORS) - 1).all():
        raise ValueError(f"{name} at batch {b}: the best rates are number {best} of {len(FACTORS)}: move CENTRES")
    return [rates(name, b)[k] for k in best]


def main():
    config = {"batches": BATCHES, "targets": TARGETS, "centres": CENTRES, "factors": FACTORS, "limit": LIMIT}
    config |= {"tuning_seeds": TUNING_SEEDS, "seeds": SEEDS, "gap": GAP}
    study = Study("batch-size", config)
    cases = [(name, b) for name in METHODS for b in reversed(BATCHES)]
    done = study.run((f"{name} {b}", lambda name=name, b=b: measure(name, b)) for name, b in cases)
    best = {f"{name} {b}": tuned(name, b, done[f"{name} {b}"][0]) for name, b in cases}
    gaps = [(name, b) for name in METHODS for b in GAP["batches"]]
    key = "gap {} {}".format
    study.run((key(*case), lambda case=case: gap(*case, best["{} {}".format(*case)][-1])) for case in gaps)
    curve = []
    for name, b in cases:
        for k, target in enumerate(TARGETS):
            for i, lr in enumerate(rates(name, b)):
                for j, seed in enumerate(TUNING_SEEDS + SEEDS):
                    row = {"optimizer": name, "batch": b, "target": target, "lr": lr, "seed": seed}
                    curve.append(row | {"steps": done[f"{name} {b}"][0][k][i][j]})
    at_loss = {key(*case)[4:]: dict(zip(("steps", "accuracy"), done[key(*case)], strict=True)) for case in gaps}
    study.record(curve, {"rates": best, "gap": at_loss})


if __name__ == "__main__":
    main()
