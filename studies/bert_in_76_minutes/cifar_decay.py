"""Four methods on CIFAR-10 with 128 images a step and no weight decay: is momentum's lead its own?

What is to be decided stands in `studies/README.md`, which was written before the runs. In `cifar-batches` every method
has the decay 1e-3, but what it takes from a weight in a step differs by a factor of a hundred: momentum's is multiplied
by a rate of 0.4 and adds up over ten steps, AdamW's is multiplied by 0.03. At 0 it is the same for all. Network,
photographs, passes, schedule and seeds are those of `cifar-batches`; three rates each, around those recorded there, and
more while the best is at an edge, chosen by the validation images with the first seed. Some 35 runs of a minute and a
half of one core.
"""

import json
from functools import partial
from math import isfinite

import torch

from minilib import schedules
from minilib.models.resnet import ResNet, evaluate, fit, settle
from minilib.training.optimizers import optimizer
from studies.protocols import best_rate, photographs, start
from studies.study import Study

DECAY = 0.0
RATES = {
    "sgd": [0.2, 0.4, 0.8],
    "lars": [8.0, 16.0, 32.0],
    "lamb": [0.01, 0.02, 0.04],
    "adamw": [0.016, 0.032, 0.064],
}
SIZES = {
    "laptop": {
        "train": 45_000,
        "test": 10_000,
        "pool": 2,
        "epochs": 10,
        "widths": (8, 16, 32),
        "batch": 128,
        "rates": RATES,
        "seeds": (100, 0, 1, 2, 3, 4),
    },
    "toy": {
        "train": 64,
        "test": 64,
        "pool": 4,
        "epochs": 1,
        "widths": (2, 4),
        "batch": 32,
        "rates": {name: rates[:1] for name, rates in RATES.items()},
        "seeds": (100, 0),
    },
}
SETTLED = 10_000  # images that give the batch norms their means and variances, as in `cifar-batches`


def schedule(step: int, steps: int) -> float:
    return schedules.warmup(step, steps // 5) * schedules.polynomial(step, steps)


def one(asked, part: str, name: str, lr: float, seed: int) -> list[float]:
    """Last training loss, and loss and accuracy on the images of `part`; (99, 99, 0.1) when the run diverged."""
    plan = asked.plan
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    parts = photographs(plan.train, plan.test, plan.pool, asked.device)
    images, classes = parts["train"]
    model = ResNet(channels=3, widths=plan.widths).to(images.device, memory_format=torch.channels_last)
    opt = optimizer(name, model, lr, DECAY, images.device)
    last = fit(model, opt, images, classes, plan.batch, plan.epochs, schedule, seed)[-1]
    settle(model, images[:SETTLED])
    loss, accuracy = evaluate(model, *parts[part])
    return [round(v, 5) for v in (last, loss, accuracy)] if isfinite(last + loss) else [99.0, 99.0, 0.1]


def main(asked):
    plan = asked.plan
    study = Study("cifar-decay", {"decay": DECAY, **vars(plan)}, asked=asked)
    tuning, *fresh = plan.seeds

    def job(part, name, lr, seed):
        return json.dumps([part, name, lr, seed]), partial(one, asked, part, name, lr, seed)

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
