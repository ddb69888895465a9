"""LARS, momentum and one ratio for the whole network on digits: which has to search for its learning rate again?

A network with four hidden layers in two editions that compute the same function: in the second every other weight
matrix is ten times larger and the next ten times smaller. Three starts: weights of variance 1/inputs, He's 2/inputs,
and a LayerNorm before each relu. All digits are in every batch. Each method, start and edition gets ten learning
rates, a factor 2 apart, more while the best is at an edge, and the two half-octaves around the best, on three seeds;
the rate with the lowest median *validation* loss runs on twenty fresh seeds, judged by the *test* loss. One arm
must lose: every matrix takes the ratio of the matrix before it. Every run sees the data `epochs` times, with a warm-
up of a tenth of the steps and quadratic decay. studies/designs.md has the claims. Larger: seeds, epochs. About five
minutes on one core.
"""

import math
from functools import cache

import numpy as np

from minilib.autodiff.nn import LayerNorm, Module
from minilib.experiments.tasks import train
from minilib.optim import LARS, SGD
from minilib.schedules import polynomial, warmup
from studies.command import NUMPY, start
from studies.study import Study
from studies.tasks import Digits

LOSER = "Neighbour's ratio"
FIRST = {"Momentum": 0.003125, "One ratio": 0.03125, "LARS": 0.0625, LOSER: 0.015625}
SIZES = {
    "laptop": {
        "epochs": 40,
        "full": 1437,
        "starts": ("usual", "He", "LayerNorm"),
        "editions": (1, 10),
        "count": 10,
        "tuning_seeds": (100, 101, 102),
        "seeds": tuple(range(20)),
    },
    "toy": {
        "epochs": 2,
        "starts": ("usual", "LayerNorm"),
        "editions": (1,),
        "count": 1,
        "tuning_seeds": (100,),
        "seeds": (0,),
    },
}
TRUST = 0.02


class Normed(Module):
    """A network with a LayerNorm before each relu."""

    def __init__(self, net):
        self.layers, self.activation = net.layers, net.activation
        self.norms = [LayerNorm(layer.bias.data.size) for layer in net.layers[:-1]]

    def __call__(self, x):
        for layer, norm in zip(self.layers[:-1], self.norms, strict=True):
            x = self.activation(norm(layer(x)))
        return self.layers[-1](x)


class Editions(Digits):
    """Digits and a network 64-32-32-32-32-10 (relu) whose matrices are multiplied by c, 1/c, c, 1/c, 1."""

    def __init__(self, begin, c):
        super().__init__(depth=4)
        self.begin, self.scales = begin, np.array([c, 1 / c, c, 1 / c, 1])
        if begin == "He":
            self.scales[:-1] *= math.sqrt(2)

    def model(self, rng):
        net = super().model(rng)
        for layer, scale in zip(net.layers, self.scales, strict=True):
            layer.weight.data *= scale
        return Normed(net) if self.begin == "LayerNorm" else net


task = cache(Editions)


class Rescaled(SGD):
    """Momentum; before each step the gradients of the matrices are multiplied by TRUST times `ratios`."""

    def step(self):
        weights = [p for p in self.param_groups[0]["params"] if p.data.ndim > 1]
        sizes, slopes = (
            np.array([np.linalg.norm(a) for a in arrays])
            for arrays in ([p.data for p in weights], [p.grad for p in weights])
        )
        for p, ratio in zip(weights, self.ratios(sizes, slopes), strict=True):
            p.grad = TRUST * ratio * p.grad
        super().step()


def over(sizes, slopes):
    """Where a network has died its gradient is zero, and no ratio moves it."""
    return sizes / np.where(slopes > 0, slopes, 1)


class OneRatio(Rescaled):
    def ratios(self, sizes, slopes):
        return np.full(sizes.size, over(np.linalg.norm(sizes), np.linalg.norm(slopes)))


class Neighbours(Rescaled):
    def ratios(self, sizes, slopes):
        return np.roll(over(sizes, slopes), 1)


def lars(named, lr):
    """LARS on the weight matrices, plain momentum on biases and gains, one learning rate for all."""
    weights = {"params": [(n, p) for n, p in named if p.data.ndim > 1]}
    others = {"params": [(n, p) for n, p in named if p.data.ndim == 1], "layer_adaptation": False}
    return LARS([weights, others], lr=lr, momentum=0.9, trust_coefficient=TRUST)


METHODS = {
    "Momentum": lambda named, lr: SGD(named, lr=lr, momentum=0.9),
    "One ratio": lambda named, lr: OneRatio(named, lr=lr, momentum=0.9),
    "LARS": lars,
    LOSER: lambda named, lr: Neighbours(named, lr=lr, momentum=0.9),
}


def one(epochs, begin, c, batch, method, lr, seed):
    """Losses on the validation, test and training digits (99 where the run diverged), and test accuracy."""
    digits = task(begin, c)
    steps = epochs * digits.n // batch

    def schedule(t):
        return warmup(t, steps // 10) * polynomial(t, steps, 2)

    with np.errstate(all="ignore"):
        run = train(digits, lambda named: METHODS[method](named, lr), steps, batch, seed, schedule)
        if run.diverged:
            return [99.0, 99.0, 99.0, 0.1]
        losses = [*digits.scores(run.model), float(digits.loss(run.model).data)]
    return [round(v, 6) if v < 99 else 99.0 for v in losses] + [round(digits.accuracy(run.model), 4)]


def main(asked):
    plan = asked.plan
    study = Study("lars-race", {"trust": TRUST, "first": FIRST, **vars(plan)}, asked=asked)
    ends = [(s, c, m) for s in plan.starts for c in plan.editions for m in METHODS]
    cases = [(s, c, plan.full, m) for s, c, m in ends if m != LOSER or c == plan.editions[-1]]

    curve, results = [], {}
    for case in cases:
        name = ", ".join(map(str, case))
        grid = [FIRST[case[-1]] * 2**k for k in range(plan.count)]

        def runs(rates, seeds, case=case, name=name):
            jobs = {f"{name} {lr:.6g} {seed}": (lr, seed) for lr in rates for seed in seeds}
            done = study.run((k, lambda at=at: one(plan.epochs, *case, *at)) for k, at in jobs.items())
            return {at: done[key] for key, at in jobs.items()}

        def middle(rates, runs=runs):
            tried = runs(rates, plan.tuning_seeds)
            return {lr: float(np.median([tried[lr, seed][0] for seed in plan.tuning_seeds])) for lr in rates}

        tuned = middle(grid)
        while not study.toy and (best := min(tuned, key=tuned.get)) in (min(tuned), max(tuned)):
            tuned |= middle([2 * best if best == max(tuned) else best / 2])
        best = min(tuned, key=tuned.get)
        row = dict(zip(("start", "c", "batch", "method"), case, strict=True))
        curve += [row | {"lr": lr, "validation": tuned[lr]} for lr in sorted(tuned)]
        results[name] = result = {"octave": best}
        near = {best: tuned[best]} | middle([best * 2**-0.5, best * 2**0.5])
        result["lr"] = min(near, key=near.get)
        fresh = runs([result["lr"]], plan.seeds)
        for i, what in enumerate(("validation", "test", "train", "accuracy")):
            result[what] = [fresh[result["lr"], seed][i] for seed in plan.seeds]
        if case[1] != plan.editions[0] and case[-1] != LOSER:  # the rate of the first edition, kept
            first = results[", ".join(map(str, (case[0], plan.editions[0], *case[2:])))]["lr"]
            result["kept"] = [loss[1] for loss in runs([first], plan.seeds).values()]
    study.record(curve, results)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
