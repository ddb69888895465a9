"""Adafactor's ablation on masked words: the rows of the paper's Table 2, (A) to (P), and six of them without warm-up.

The paper's shape of schedule: a constant or linearly growing rate for a tenth of the steps, then 1/sqrt(t). Each row
gets three learning rates, a factor 2 apart, with warm-up, on one seed; the window of three is moved until the middle
one is best, by the loss on validation words. Ten fresh seeds at that rate are judged by the loss on test words; six
rows run on the same seeds without warm-up at the same rate, which is the paper's question. What is claimed, and with
which power, stands in studies/designs.md. About ten minutes of one core.
"""

import numpy as np

from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim import SGD, Adam
from minilib.optim.adafactor import factored_ema, rms
from minilib.optim.base import Optimizer, ema
from minilib.optim.checks import RANGES
from studies.command import NUMPY, start
from studies.study import Study
from studies.tasks import scored

BATCH, TUNING_SEED = 64, 100
SIZES = {
    "laptop": {"steps": 300, "count": 3, "seeds": tuple(range(20))},
    "toy": {"steps": 10, "count": 1, "seeds": (0,)},
}
COLD = ("A", "C", "H", "J", "N", "O")  # run without warm-up, too
# row -> what differs from Adam without momentum at beta2 = 0.999; a negative beta2 is the exponent in 1 - t^beta2
ROWS = {
    "A": {},
    "B": {"beta1": 0.9},
    "C": {"second": "factored"},
    "D": {"second": "row means"},
    "E": {"second": "column means"},
    "F": {"beta2": 0.99},
    "G": {"beta2": 0.9},
    "H": {"d": 1.0},
    "I": {"d": 2.0},
    "J": {"second": "factored", "d": 1.0},
    "K": {"beta2": -0.5},
    "L": {"beta2": -0.8},
    "M": {"beta2": -1.0},
    "N": {"beta2": -0.8, "d": 1.0},
    "O": {"second": "factored", "beta2": -0.8, "d": 1.0, "relative": True},
    "P": {"second": "factored", "beta2": -0.8, "d": 1.0, "relative": True, "beta1": 0.9},
    "SGD": {},
}
FIRST = {name: 0.04 if options.get("relative") else 0.005 for name, options in ROWS.items()}
FIRST |= {"SGD": 0.5}


class Ablation(Optimizer):
    """Adam without momentum, and each part of Adafactor as an option; `relative` steps are times max(1e-3, RMS(x))."""

    ranges = RANGES | {
        "second": ("full, factored, row means or column means", lambda v: isinstance(v, str)),
        "beta2": ("a number in [-1, 1)", lambda v: -1 <= v < 1),
        "d": ("a number > 0", lambda v: v > 0),
        "beta1": ("a number in [0, 1)", lambda v: 0 <= v < 1),
        "relative": ("True or False", lambda v: isinstance(v, bool)),
    }

    def __init__(self, params, lr, second="full", beta2=0.999, d=float("inf"), relative=False, beta1=0.0):
        super().__init__(params, lr=lr, second=second, beta2=beta2, d=d, relative=relative, beta1=beta1)

    def update(self, x, g, s):
        t, beta2 = s["step"], self.beta2
        # 1 − t^−c, or the schedule that is Adam's bias correction (the paper's Algorithm 3)
        beta2 = 1 - t**beta2 if beta2 < 0 else beta2 * (1 - beta2 ** (t - 1)) / (1 - beta2**t)
        u = g / np.sqrt(self.second_moment(g**2 + 1e-30, s, beta2))
        # û = u / max(1, RMS(u)/d)
        u = u / max(1.0, rms(u) / self.d)
        if self.beta1:
            u = ema(s, "m", u, self.beta1)
        x -= self.lr * (max(1e-3, rms(x)) if self.relative else 1.0) * u

    def second_moment(self, g2, s, beta2):
        if g2.ndim < 2 or self.second == "full":
            return ema(s, "v", g2, beta2)
        if self.second == "factored":
            return factored_ema(s, ("r", "c"), g2, beta2)
        axis = 1 if self.second == "row means" else 0
        return ema(s, "v", g2.mean(axis=axis, keepdims=True), beta2)


def optimizer(row, named, lr):
    """Row B is Adam itself: its momentum averages gradients; in row P it averages updates."""
    if row == "SGD":
        return SGD(named, lr=lr)
    return Adam(named, lr=lr) if row == "B" else Ablation(named, lr=lr, **ROWS[row])


def schedule(steps, warm):
    """Step -> multiplier: linear growth (or a constant) for a tenth of the run, then 1/sqrt(t)."""
    peak = steps // 10
    return lambda t: min((t + 1) / peak if warm else 1.0, (peak / (t + 1)) ** 0.5)


def one(steps, row, warm, lr, seed):
    """[validation loss, test loss] at the end, 99 when the run diverged."""
    task, shape = scored("words", vocabulary=64), schedule(steps, warm)
    run = train(task, lambda named: optimizer(row, named, lr), steps, BATCH, seed, shape)
    if run.diverged:
        return [99.0, 99.0]
    with np.errstate(over="ignore", invalid="ignore"):
        return [min(99.0, loss) if np.isfinite(loss) else 99.0 for loss in task.scores(run.model)]


def main(asked):
    rows = {name: {option: str(v) for option, v in options.items()} for name, options in ROWS.items()}
    plan = asked.plan
    config = {"vocabulary": 64, "batch": BATCH, "rows": rows, "first": FIRST}
    config |= {"without_warmup": COLD, "tuning_seed": TUNING_SEED, **vars(plan)}
    study = Study("adafactor-ablations", config, asked=asked)

    def losses(row, warm, rates, seeds):
        """Losses (rates, seeds, validation and test)."""
        cases = [(row, warm, lr, seed) for lr in rates for seed in seeds]
        done = study.run((f"{case}", lambda case=case: one(plan.steps, *case)) for case in cases)
        return np.array([done[f"{case}"] for case in cases]).reshape(len(rates), len(seeds), 2)

    def tune(row, first):
        """The best of `count` rates on validation words, not at the edge of the window; the window and its losses."""
        while True:
            rates = [first * 2**k for k in range(plan.count)]
            tuned = losses(row, True, rates, [TUNING_SEED])[:, 0, 0]
            best = int(tuned.argmin())
            if 0 < best < plan.count - 1 or study.toy:
                return rates[best], {"rates": rates, "losses": tuned.round(4).tolist()}
            first = first / 2 if best == 0 else first * 2

    curve, results = [], {"unigram": scored("words", vocabulary=64).unigram_entropy()}
    for row in ROWS:
        lr, grid = tune(row, FIRST[row])
        results[row] = {"lr": lr, "grid": grid}
        for case in ("warm", "cold")[: 1 + (row in COLD)]:
            found = losses(row, case == "warm", [lr], plan.seeds)[0]
            results[row][case] = found[:, 1].tolist()
            for seed, (validation, test) in zip(plan.seeds, found, strict=True):
                scores = {"validation": round(validation, 5), "test": round(test, 5)}
                curve.append({"row": row, "case": case, "lr": lr, "seed": seed, **scores})
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
