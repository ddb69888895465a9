"""A small residual network for images, and the loop that trains any image classifier: the pictures of Part IV.

The blocks are those of He et al. 2016 (two 3 x 3 convolutions with batch norm, and a shortcut; arXiv 1512.03385), in
the order of the original: norm after each convolution, relu after the sum. "BERT in 76 minutes" trains it on CIFAR-10,
with batches of 128 images up to 8,192, and on the digits, all at once. Absent on purpose: augmentation, bottleneck
blocks, several devices.
"""

import math
from collections.abc import Callable

import numpy as np

from minilib import needs

with needs("torch"):
    import torch
    import torch.nn.functional as F
    from torch import Tensor, nn


class Block(nn.Module):
    """(B, inward, H, W) to (B, outward, H/stride, W/stride)."""

    def __init__(self, inward: int, outward: int, stride: int):
        super().__init__()
        self.first = nn.Conv2d(inward, outward, 3, stride, padding=1, bias=False)
        self.second = nn.Conv2d(outward, outward, 3, padding=1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(outward), nn.BatchNorm2d(outward)])
        same = stride == 1 and inward == outward
        self.shortcut = nn.Identity() if same else nn.Conv2d(inward, outward, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        inside = F.relu(self.norms[0](self.first(x)))
        return F.relu(self.norms[1](self.second(inside)) + self.shortcut(x))


class ResNet(nn.Module):
    """Images (B, channels, H, W) to logits (B, classes): a convolution, one block a width, the mean of each channel.

    Args:
        channels, classes: of the images: 1 and 10 for the digits.
        widths: channels of each block; every block but the first halves the picture.
    """

    def __init__(self, channels: int = 1, classes: int = 10, widths: tuple[int, ...] = (16, 32, 64)):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(channels, widths[0], 3, padding=1, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU()
        )
        inward = [widths[0], *widths]
        self.blocks = nn.Sequential(*(Block(inward[k], w, 2 if k else 1) for k, w in enumerate(widths)))
        self.output = nn.Linear(widths[-1], classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.blocks(self.stem(x)).mean((2, 3)))


def fit(
    model: nn.Module, opt, images: Tensor, classes: Tensor, batch_size: int, epochs: int, schedule: Callable, seed=0
) -> list[float]:
    """Train on shuffled batches; the batch losses in nats. It ends at the first that is not finite, which is the last.

    Args:
        images, classes: (N, channels, H, W) and (N,). The images of an epoch that fill no batch are left out.
        schedule: (step, steps) -> multiplier of the learning rates that `opt` came with.
        seed: of the order of the images.

    ValueError: a batch that is larger than the data.
    """
    n, rates = len(classes), [group["lr"] for group in opt.param_groups]
    if not 1 <= batch_size <= n:
        raise ValueError(f"batch_size must be in 1 ... {n}, got {batch_size}")
    rng, losses = np.random.default_rng(seed), []
    each = n // batch_size
    model.train()
    for step in range(epochs * each):
        if step % each == 0:
            order = torch.from_numpy(rng.permutation(n))
        index = order[step % each * batch_size :][:batch_size]
        loss = F.cross_entropy(model(images[index]), classes[index])
        losses.append(float(loss.detach()))
        if not math.isfinite(losses[-1]):
            break
        loss.backward()
        for group, lr in zip(opt.param_groups, rates, strict=True):
            group["lr"] = lr * schedule(step, epochs * each)
        opt.step()
        opt.zero_grad()
    return losses


@torch.no_grad()
def settle(model: nn.Module, images: Tensor) -> None:
    """Give the batch norms the means and variances of all these images, in place of a running average of batches.

    A running average of torch's default momentum needs some fifty steps to forget where it began, and a run with large
    batches has fewer. Call it after `fit`, before `evaluate`. Training is not touched.
    """
    for norm in (module for module in model.modules() if isinstance(module, nn.BatchNorm2d)):
        norm.reset_running_stats()
        norm.momentum = None  # the average of what it sees from now on: one batch
    model.train()(images)


@torch.no_grad()
def evaluate(model: nn.Module, images: Tensor, classes: Tensor) -> tuple[float, float]:
    """Mean loss in nats, and the share of images whose likeliest class is the right one. Leaves `model.eval()` on."""
    logits = model.eval()(images)
    return float(F.cross_entropy(logits, classes)), float((logits.argmax(1) == classes).float().mean())
