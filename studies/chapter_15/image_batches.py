"""A small residual network on the digits, batch 32 to all 1,200 at once: momentum, LARS, LAMB and AdamW, equally tuned.

Of the 1,437 training images 237 are set apart for tuning. Every method gets four learning rates at every batch, centred
on its own rate times the root of the batch, and more where the best is at an edge (`best_rate`): the lowest mean
validation loss of three seeds counts. The best runs on five fresh seeds, and only these see the test images. EPOCHS
passes, warm-up over a fifth of the steps, then linear decay. 20 minutes on one core. Larger: EPOCHS, SEEDS, WIDTHS.
"""

import json
from functools import partial
from math import isfinite

import numpy as np
import torch

from minilib import schedules
from minilib.datasets import digits
from minilib.experiments.study import Study
from minilib.experiments.tuning import best_rate
from minilib.models.resnet import ResNet, evaluate, fit, settle
from minilib.training.optimizers import optimizer
from studies.protocols import scaled

EPOCHS, WIDTHS, DECAY = 10, (16, 32, 64), 1e-3
BATCHES, BASE, TRAIN = (32, 128, 512, 1200), 128, 1200
TUNING_SEEDS, SEEDS = (100, 101, 102), (0, 1, 2, 3, 4)
RATES = {
    "sgd": [0.05, 0.1, 0.2, 0.4],
    "lars": [0.25, 0.5, 1.0, 2.0],
    "lamb": [0.005, 0.01, 0.02, 0.04],
    "adamw": [0.001, 0.002, 0.004, 0.008],
}


def data() -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """Images (N, 1, 8, 8) and classes (N,), by part: train, validation, test."""
    images = digits()
    order = np.random.default_rng(0).permutation(len(images.y_train))
    parts = {"train": order[:TRAIN], "validation": order[TRAIN:]}
    cut = {name: (images.x_train[index], images.y_train[index]) for name, index in parts.items()}
    cut["test"] = (images.x_test, images.y_test)
    return {k: (torch.tensor(x).float().reshape(-1, 1, 8, 8), torch.tensor(y).long()) for k, (x, y) in cut.items()}


def schedule(step: int, steps: int) -> float:
    return schedules.warmup(step, steps // 5) * schedules.polynomial(step, steps)


def one(parts, part: str, name: str, batch: int, lr: float, seed: int) -> list[float]:
    """Last training loss, and loss and accuracy on the images of `part`; (99, 99, 0.1) when the run diverged."""
    torch.manual_seed(seed)
    model = ResNet(widths=WIDTHS)
    opt = optimizer(name, model, lr, DECAY, torch.device("cpu"))
    last = fit(model, opt, *parts["train"], batch, EPOCHS, schedule, seed)[-1]
    settle(model, parts["train"][0])
    loss, accuracy = evaluate(model, *parts[part])
    return [round(v, 5) for v in (last, loss, accuracy)] if isfinite(last + loss) else [99.0, 99.0, 0.1]


def main():
    torch.set_num_threads(1)
    settings = {"epochs": EPOCHS, "widths": WIDTHS, "decay": DECAY, "batches": BATCHES, "base": BASE, "train": TRAIN}
    settings |= {"rates": RATES, "tuning_seeds": TUNING_SEEDS, "seeds": SEEDS}
    study, parts = Study("image-batches", settings), data()

    def jobs(part, name, batch, lr, seeds):
        keys = {json.dumps([part, name, batch, lr, seed]): seed for seed in seeds}
        return [(key, lambda s=seed: one(parts, part, name, batch, lr, s)) for key, seed in keys.items()]

    def tuning_loss(name, batch, lr):
        wanted = jobs("validation", name, batch, lr, TUNING_SEEDS)
        done = study.run(wanted)
        return float(np.mean([done[key][1] for key, _ in wanted]))

    cases = [(name, batch) for name in RATES for batch in BATCHES]
    first = {(o, b): scaled(RATES[o], b, BASE) for o, b in cases}
    study.run([job for case in cases for lr in first[case] for job in jobs("validation", *case, lr, TUNING_SEEDS)])
    chosen = {case: best_rate(partial(tuning_loss, *case), first[case]) for case in cases}
    study.run([job for case in cases for job in jobs("test", *case, chosen[case], SEEDS)])
    curve = []
    for key, (last, loss, accuracy) in study.saved["jobs"].items():
        row = dict(zip(("part", "optimizer", "batch", "rate", "seed"), json.loads(key), strict=True))
        curve.append(row | {"training loss": last, "loss": loss, "accuracy": accuracy})
    study.record(curve, {"chosen": {f"{name} {batch}": lr for (name, batch), lr in chosen.items()}})


if __name__ == "__main__":
    main()
