"""The tasks that several studies train on, each built once in a process: digits, masked words, small photographs.

Nothing is built or read when this is imported; what needs PyTorch imports it then.
"""

import math
from functools import cache

import numpy as np

from minilib.autodiff import cross_entropy
from minilib.experiments.tasks import DigitsTask, WordsTask
from minilib.schedules import polynomial, warmup


@cache
def digits(**shape) -> DigitsTask:
    """The task of this shape, built once."""
    return DigitsTask(**shape)


@cache
def words(**shape) -> WordsTask:
    """The task of this shape, built once."""
    return WordsTask(**shape)


@cache
def scored(name: str, **shape):
    """`Digits` or `Words`, which have examples that tuning never sees, built once."""
    return {"digits": Digits, "words": Words}[name](**shape)


@cache
def photographs(train: int, test: int, pool: int, device: str) -> dict:
    """CIFAR-10 in the parts "train", "validation" and "test": images (N, 3, 32/pool, 32/pool) and classes (N,).

    Read once in a process: a study that is spread hands no images to its jobs. Of the training images `train` are
    trained on and 5,000 (or `test`, if that is less) set apart for validation. The images are averaged over squares of
    `pool` pixels, then each channel has mean 0 and standard deviation 1 over the training images.
    """
    import torch

    from minilib.training.device import pick
    from studies.photographs import cifar10

    photos = cifar10()
    order = np.random.default_rng(0).permutation(len(photos.y_train))
    index = {"train": order[:train], "validation": order[-min(5000, test) :]}
    cut = {part: (photos.x_train[rows], photos.y_train[rows]) for part, rows in index.items()}
    cut["test"] = (photos.x_test[:test], photos.y_test[:test])

    def tensors(images, classes):
        pictures = torch.nn.functional.avg_pool2d(torch.tensor(images).float(), pool)
        return pictures, torch.tensor(classes).long()

    parts = {part: tensors(*both) for part, both in cut.items()}
    mean, deviation = (f(parts["train"][0], dim=(0, 2, 3), keepdim=True) for f in (torch.mean, torch.std))
    place = pick(device)
    return {part: ((x - mean).div(deviation).to(place), y.to(place)) for part, (x, y) in parts.items()}


# CIFAR-10 at a quarter of its pixels for a small residual network, and its toy size.
PHOTOGRAPHS = {"train": 45_000, "test": 10_000, "pool": 2, "epochs": 10, "widths": (8, 16, 32)}
# Fewer than 8 channels in the order `channels_last` crash on processors without AVX-512: oneDNN writes past their ends.
TOY_PHOTOGRAPHS = {"train": 64, "test": 64, "pool": 4, "epochs": 1, "widths": (8, 16)}
SETTLED = 10_000  # images that give the batch norms their means and variances


def fit_photographs(plan, device: str, part: str, name: str, batch: int, lr: float, decay: float, seed: int) -> list:
    """Train a small residual network with a method; warm-up over a fifth of the steps, then linear decay.

    Returns the last training loss, and loss and accuracy on the images of `part`; (99, 99, 0.1) when the run diverged.
    """
    import torch

    from minilib.models.resnet import ResNet, evaluate, fit, settle
    from minilib.training.optimizers import optimizer

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    parts = photographs(plan.train, plan.test, plan.pool, device)
    images, classes = parts["train"]
    # this order of the numbers in memory halves the time of a step on a processor
    model = ResNet(channels=3, widths=plan.widths).to(images.device, memory_format=torch.channels_last)
    opt = optimizer(name, model, lr, decay, images.device)

    def schedule(step, steps):
        return warmup(step, steps // 5) * polynomial(step, steps)

    last = fit(model, opt, images, classes, batch, plan.epochs, schedule, seed)[-1]
    settle(model, images[:SETTLED])
    loss, accuracy = evaluate(model, *parts[part])
    diverged = not math.isfinite(last + loss)
    return [99.0, 99.0, 0.1] if diverged else [round(v, 5) for v in (last, loss, accuracy)]


class Digits(DigitsTask):
    """Digits; the images that training never sees are dealt out to validation and test in turn."""

    def scores(self, model):
        """Mean cross-entropy (validation, test)."""
        halves = [(self.x_test[k::2], self.y_test[k::2]) for k in (0, 1)]
        return [float(cross_entropy(model(x), y).data) for x, y in halves]


class Words(WordsTask):
    """Masked words; 1,024 chunks of files that training never sees for validation, the next 1,024 for test."""

    def scores(self, model):
        """Mean cross-entropy (validation, test)."""
        halves = [slice(0, 1024), slice(1024, 2048)]
        return [float(self.masked_loss(model, self.ids_test[h], self.hidden_test[h]).data) for h in halves]
