"""Four methods on CIFAR-10 with 128 images a step and no weight decay: is momentum's lead its own?

What is to be decided stands in `studies/designs.md`, which was written before the runs. In `cifar-batches` every method
has the decay 1e-3, but what it takes from a weight in a step differs by a factor of a hundred: momentum's is multiplied
by a rate of 0.4 and adds up over ten steps, AdamW's is multiplied by 0.03. At 0 it is the same for all. Network,
photographs, passes, schedule and seeds are those of `cifar-batches`; three rates each, around those recorded there, and
more while the best is at an edge, chosen by the validation images with the first seed. Some 35 runs of a minute and a
half of one core.
"""

import json
from functools import partial

from studies.command import start
from studies.rates import best_rate
from studies.study import Study
from studies.tasks import PHOTOGRAPHS, TOY_PHOTOGRAPHS, fit_photographs

DECAY = 0.0
RATES = {
    "sgd": [0.2, 0.4, 0.8],
    "lars": [8.0, 16.0, 32.0],
    "lamb": [0.01, 0.02, 0.04],
    "adamw": [0.016, 0.032, 0.064],
}
SIZES = {
    "laptop": PHOTOGRAPHS
    | {
        "batch": 128,
        "rates": RATES,
        "seeds": (100, 0, 1, 2, 3, 4),
    },
    "toy": TOY_PHOTOGRAPHS
    | {
        "batch": 32,
        "rates": {name: rates[:1] for name, rates in RATES.items()},
        "seeds": (100, 0),
    },
}


def main(asked):
    plan = asked.plan
    study = Study("cifar-decay", {"decay": DECAY, **vars(plan)}, asked=asked)
    tuning, *fresh = plan.seeds

    def job(part, name, lr, seed):
        return json.dumps([part, name, lr, seed]), partial(
            fit_photographs, plan, asked.device, part, name, plan.batch, lr, DECAY, seed
        )

    def error(name, lr):
        key, run = job("validation", name, lr, tuning)
        return 1 - study.run([(key, run)])[key][2]

    chosen = {name: best_rate(study, partial(error, name), rates) for name, rates in plan.rates.items()}
    study.run([job("test", name, lr, seed) for seed in fresh for name, lr in chosen.items()])
    curve = []
    for key, (last, loss, accuracy) in study.saved["jobs"].items():
        row = dict(zip(("part", "optimizer", "rate", "seed"), json.loads(key), strict=True))
        curve.append(row | {"training loss": last, "loss": loss, "accuracy": accuracy})
    study.record(curve, {"chosen": chosen})


if __name__ == "__main__":
    start(main, SIZES, "it is compared with the record of cifar-batches, which was made on one")
