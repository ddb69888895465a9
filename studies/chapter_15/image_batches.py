"""A small residual network on the digits, batch 32 to all 1,200 at once: momentum, LARS, LAMB and AdamW, equally tuned.

Of the 1,437 training images 237 are set apart for tuning. Every method gets four learning rates at every batch, centred
on its own rate times the root of the batch, and more where the best is at an edge (`best_rate`): the lowest mean
validation loss of three seeds counts. The best runs on five fresh seeds, and only these see the test images. It is
trained for `epochs` passes, with a warm-up over a fifth of the steps, then linear decay. 20 minutes on one core.
Larger: epochs, seeds, widths. At size "gpu" widths of 64 to 512 and 30 passes, in float32 as before: 4e12 operations in
each of some 300 runs, which take longer to start than to compute; 20 minutes for all: estimated, not run.
"""

import json
from functools import partial
from math import isfinite

import numpy as np
import torch

from minilib import schedules
from minilib.datasets import digits
from minilib.experiments.study import Study
from minilib.models.resnet import ResNet, evaluate, fit, settle
from minilib.training.device import pick
from minilib.training.optimizers import optimizer
from studies.protocols import best_rate, scaled, start

DECAY, BASE, TRAIN = 1e-3, 128, 1200
RATES = {
    "sgd": [0.05, 0.1, 0.2, 0.4],
    "lars": [0.25, 0.5, 1.0, 2.0],
    "lamb": [0.005, 0.01, 0.02, 0.04],
    "adamw": [0.001, 0.002, 0.004, 0.008],
}
SIZES = {
    "laptop": {
        "epochs": 10,
        "widths": (16, 32, 64),
        "batches": (32, 128, 512, 1200),
        "rates": RATES,
        "tuning_seeds": (100, 101, 102),
        "seeds": (0, 1, 2, 3, 4),
    },
    "toy": {
        "epochs": 1,
        "widths": (2, 4),
        "batches": (1200,),
        "rates": {name: rates[:1] for name, rates in RATES.items()},
        "tuning_seeds": (100,),
        "seeds": (0,),
    },
    "gpu": {"epochs": 30, "widths": (64, 128, 256, 512)},
}


def data(device: torch.device) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """Images (N, 1, 8, 8) and classes (N,) on the device, by part: train, validation, test."""
    images = digits()
    order = np.random.default_rng(0).permutation(len(images.y_train))
    parts = {"train": order[:TRAIN], "validation": order[TRAIN:]}
    cut = {name: (images.x_train[index], images.y_train[index]) for name, index in parts.items()}
    cut["test"] = (images.x_test, images.y_test)
    tensors = {k: (torch.tensor(x).float().reshape(-1, 1, 8, 8), torch.tensor(y).long()) for k, (x, y) in cut.items()}
    return {k: (images.to(device), classes.to(device)) for k, (images, classes) in tensors.items()}


def schedule(step: int, steps: int) -> float:
    return schedules.warmup(step, steps // 5) * schedules.polynomial(step, steps)


def one(plan, parts, part: str, name: str, batch: int, lr: float, seed: int) -> list[float]:
    """Last training loss, and loss and accuracy on the images of `part`; (99, 99, 0.1) when the run diverged."""
    torch.manual_seed(seed)
    device = parts["train"][0].device
    model = ResNet(widths=plan.widths).to(device)
    opt = optimizer(name, model, lr, DECAY, device)
    last = fit(model, opt, *parts["train"], batch, plan.epochs, schedule, seed)[-1]
    settle(model, parts["train"][0])
    loss, accuracy = evaluate(model, *parts[part])
    return [round(v, 5) for v in (last, loss, accuracy)] if isfinite(last + loss) else [99.0, 99.0, 0.1]


def main(asked):
    torch.set_num_threads(1)
    plan = asked.plan
    config = {"decay": DECAY, "base": BASE, "train": TRAIN, **vars(plan)}
    study, parts = Study("image-batches", config, asked=asked), data(pick(asked.device))

    def jobs(part, name, batch, lr, seeds):
        keys = {json.dumps([part, name, batch, lr, seed]): seed for seed in seeds}
        return [(key, lambda s=seed: one(plan, parts, part, name, batch, lr, s)) for key, seed in keys.items()]

    def tuning_loss(name, batch, lr):
        wanted = jobs("validation", name, batch, lr, plan.tuning_seeds)
        done = study.run(wanted)
        return float(np.mean([done[key][1] for key, _ in wanted]))

    cases = [(name, batch) for name in plan.rates for batch in plan.batches]
    first = {(o, b): scaled(plan.rates[o], b, BASE) for o, b in cases}
    study.run([job for case in cases for lr in first[case] for job in jobs("validation", *case, lr, plan.tuning_seeds)])
    chosen = {case: best_rate(study, partial(tuning_loss, *case), first[case]) for case in cases}
    study.run([job for case in cases for job in jobs("test", *case, chosen[case], plan.seeds)])
    curve = []
    for key, (last, loss, accuracy) in study.saved["jobs"].items():
        row = dict(zip(("part", "optimizer", "batch", "rate", "seed"), json.loads(key), strict=True))
        curve.append(row | {"training loss": last, "loss": loss, "accuracy": accuracy})
    study.record(curve, {"chosen": {f"{name} {batch}": lr for (name, batch), lr in chosen.items()}})


if __name__ == "__main__":
    start(main, SIZES)
