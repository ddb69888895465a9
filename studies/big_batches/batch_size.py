"""Steps to a training loss over the batch size, 1 to the full 1,437 digits, for SGD and Adam.

Every batch size gets nine learning rates, a factor of sqrt(2) apart, around a centre that grows with the batch as
McCandlish et al. (2018) suggest; three seeds for tuning, six fresh ones to report. Test accuracies are taken at a
lower loss, with the tuned rates and twelve seeds. Larger: seeds, targets, or more batches. About five
minutes on one core.
"""

import numpy as np

from minilib.experiments.sweep import Sweep, steps_to
from minilib.optim import SGD, Adam
from studies.command import NUMPY, start
from studies.rates import inside
from studies.study import Study
from studies.tasks import digits

SIZES = {
    "laptop": {
        "batches": (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1437),
        "targets": (0.5, 0.2, 0.1),
        "factors": [2 ** (k / 2) for k in range(-4, 5)],
        "limit": 40_000,
        "tuning_seeds": (100, 101, 102),
        "seeds": (0, 1, 2, 3, 4, 5),
        "gap": {"target": 0.02, "batches": (4, 32, 256, 1437), "seeds": tuple(range(12))},
    },
    "toy": {
        "batches": (32,),
        "targets": (2.0,),
        "factors": [1.0],
        "limit": 20,
        "tuning_seeds": (100,),
        "seeds": (0,),
        "gap": {"target": 2.0, "batches": (32,), "seeds": (0,)},
    },
}
METHODS = {"SGD": SGD, "Adam": Adam}
# centre of the learning rates at batch b: a / (1 + c/b)^p
CENTRES = {"SGD": (1.0, 20, 1.0), "Adam": (0.08, 30, 0.75)}


def rates(plan, name, b):
    a, c, p = CENTRES[name]
    return [round(a / (1 + c / b) ** p * factor, 6) for factor in plan.factors]


def measure(plan, name, b):
    """Steps and test accuracies at each target: lists (targets, rates, tuning seeds and seeds)."""
    sweep = Sweep(digits(), METHODS[name], rates(plan, name, b), plan.tuning_seeds + plan.seeds, b)
    steps, accuracy = steps_to(sweep, plan.targets, plan.limit, patience=1.5)
    return [steps.round(1).tolist(), accuracy.round(4).tolist()]


def gap(plan, name, b, lr):
    """Steps and test accuracy at the low loss, one of each a seed."""
    sweep = Sweep(digits(), METHODS[name], [lr], plan.gap["seeds"], b)
    steps, accuracy = steps_to(sweep, [plan.gap["target"]], plan.limit)
    return [steps[0, 0].round(1).tolist(), accuracy[0, 0].round(4).tolist()]


def tuned(study, name, b, steps):
    """The rate with the fewest steps to each target, median over the tuning seeds; never at an edge of the grid."""
    plan = study.asked.plan
    medians = np.median(np.array(steps)[:, :, : len(plan.tuning_seeds)], axis=2)
    return [inside(study, rates(plan, name, b), median, f"{name} at batch {b}") for median in medians]


def main(asked):
    plan = asked.plan
    study = Study("batch-size", {"centres": CENTRES, **vars(plan)}, asked=asked)
    cases = [(name, b) for name in METHODS for b in reversed(plan.batches)]
    done = study.run((f"{name} {b}", lambda name=name, b=b: measure(plan, name, b)) for name, b in cases)
    best = {f"{name} {b}": tuned(study, name, b, done[f"{name} {b}"][0]) for name, b in cases}
    gaps = [(name, b) for name in METHODS for b in plan.gap["batches"]]
    key = "gap {} {}".format
    study.run((key(*case), lambda case=case: gap(plan, *case, best["{} {}".format(*case)][-1])) for case in gaps)
    curve = []
    for name, b in cases:
        for k, target in enumerate(plan.targets):
            for i, lr in enumerate(rates(plan, name, b)):
                for j, seed in enumerate(plan.tuning_seeds + plan.seeds):
                    row = {"optimizer": name, "batch": b, "target": target, "lr": lr, "seed": seed}
                    curve.append(row | {"steps": done[f"{name} {b}"][0][k][i][j]})
    at_loss = {key(*case)[4:]: dict(zip(("steps", "accuracy"), done[key(*case)], strict=True)) for case in gaps}
    study.record(curve, {"rates": best, "gap": at_loss})


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
