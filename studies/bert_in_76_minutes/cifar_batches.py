"""A small residual network on CIFAR-10, 128 images a step to 8,192: momentum, LARS, LAMB and AdamW, equally tuned.

What is to be decided stands in `studies/designs.md`. The photographs are averaged over squares of `pool` pixels, which
makes a run `pool`² times as cheap. Of the 50,000 training images 5,000 are set apart for tuning. Every method gets
three learning rates at every batch, centred on its own rate times the root of the batch, and more where the best is at
an edge (`best_rate`): the lowest validation error of the first seed counts, which decides nothing else. The best is run
with the other seeds, and only these see the test images. Ten passes, nothing is mirrored or cropped; a warm-up over a
fifth of the steps, then linear decay. Three hours on one core. Larger: epochs, widths, all pixels. At size "gpu" widths
of 64 to 256 on all pixels and 30 passes: 5e15 operations in each of some 110 runs, an hour at a tenth of the rate of an
H200: estimated, not run.
"""

import json
from functools import partial

import numpy as np

from studies.command import start
from studies.photographs import cifar10
from studies.rates import best_rate, scaled
from studies.study import Study
from studies.tasks import PHOTOGRAPHS, TOY_PHOTOGRAPHS, fit_photographs, photographs

DECAY, BASE = 1e-3, 128
RATES = {
    "sgd": [0.05, 0.1, 0.2],
    "lars": [0.5, 1.0, 2.0],
    "lamb": [0.005, 0.01, 0.02],
    "adamw": [0.001, 0.002, 0.004],
}
SIZES = {
    "laptop": PHOTOGRAPHS
    | {
        "batches": (128, 1024, 8192),
        "rates": RATES,
        "seeds": (100, 0, 1, 2, 3, 4),
    },
    "toy": TOY_PHOTOGRAPHS
    | {
        "batches": (32,),
        "rates": {name: rates[:1] for name, rates in RATES.items()},
        "seeds": (100, 0),
    },
    "gpu": {"pool": 1, "epochs": 30, "widths": (64, 128, 256)},
}


def main(asked):
    plan = asked.plan
    study = Study("cifar-batches", {"decay": DECAY, "base": BASE, **vars(plan)}, asked=asked)
    tuning, fresh = plan.seeds[0], plan.seeds[1:]

    def job(part, case, lr, seed):
        run = partial(fit_photographs, plan, asked.device, part, *case, lr, DECAY, seed)
        return json.dumps([part, *case, lr, seed]), run

    def error(case, lr):
        key, run = job("validation", case, lr, tuning)
        return 1 - study.run([(key, run)])[key][2]

    cases = [(name, batch) for batch in plan.batches for name in plan.rates]
    first = {case: scaled(plan.rates[case[0]], case[1], BASE) for case in cases}
    study.run([job("validation", case, lr, tuning) for case in cases for lr in first[case]])
    chosen = {case: best_rate(study, partial(error, case), first[case]) for case in cases}
    study.run([job("test", case, chosen[case], seed) for seed in fresh for case in cases])
    curve = []
    for key, (last, loss, accuracy) in study.saved["jobs"].items():
        row = dict(zip(("part", "optimizer", "batch", "rate", "seed"), json.loads(key), strict=True))
        curve.append(row | {"training loss": last, "loss": loss, "accuracy": accuracy})
    classes = photographs(plan.train, plan.test, plan.pool, asked.device)["test"][1].cpu()
    commonest = np.bincount(classes).max() / len(classes)
    rates = {f"{name} {batch}": lr for (name, batch), lr in chosen.items()}
    study.record(curve, {"chosen": rates, "commonest": float(commonest), "photographs": cifar10().source})


if __name__ == "__main__":
    start(main, SIZES)
