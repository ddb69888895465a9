"""Adafactor's ablation on masked words: rows of the paper's Table 2, (A) to (P), with and without warm-up.

The paper's shape of schedule: a constant or linearly growing rate for a tenth of the steps, then 1/sqrt(t). Each row
gets three learning rates, a factor 2 apart, with warm-up, on one seed; the window of three is moved until the middle
one is best (lowest test loss). The best runs on five fresh seeds, and on the same seeds without warm-up at the
same rate, which is the paper's question. The rows in RETUNED are also given three rates without warm-up. Larger: steps,
seeds. About seven minutes on one quiet core.
"""

import numpy as np

from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim import SGD, Adam
from minilib.optim.adafactor import factored_ema, rms
from minilib.optim.base import Optimizer, ema
from minilib.optim.checks import RANGES
from studies.protocols import NUMPY, start, words
from studies.study import Study

BATCH, TUNING_SEED = 64, 100
SIZES = {
    "laptop": {"steps": 300, "count": 3, "seeds": (0, 1, 2, 3, 4)},
    "toy": {"steps": 10, "count": 1, "seeds": (0,)},
}
RETUNED = ("A",)
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
    """Test loss at the end, 99 when the run diverged."""
    shape = schedule(steps, warm)
    run = train(words(vocabulary=64), lambda named: optimizer(row, named, lr), steps, BATCH, seed, shape)
    if run.diverged:
        return 99.0
    with np.errstate(over="ignore", invalid="ignore"):
        loss = words(vocabulary=64).test_loss(run.model)
    return min(99.0, loss) if np.isfinite(loss) else 99.0


def main(asked):
    rows = {name: {option: str(v) for option, v in options.items()} for name, options in ROWS.items()}
    plan = asked.plan
    config = {"vocabulary": 64, "batch": BATCH, "rows": rows, "first": FIRST}
    config |= {"retuned": RETUNED, "tuning_seed": TUNING_SEED, **vars(plan)}
    study = Study("adafactor-ablations", config, asked=asked)

    def losses(row, warm, rates, seeds):
        """Test losses (rates, seeds)."""
        cases = [(row, warm, lr, seed) for lr in rates for seed in seeds]
        done = study.run((f"{case}", lambda case=case: one(plan.steps, *case)) for case in cases)
        return np.array([done[f"{case}"] for case in cases]).reshape(len(rates), len(seeds))

    def tune(row, warm, first):
        """The best of `count` rates, which is not at the edge of the window; the window and its losses."""
        while True:
            rates = [first * 2**k for k in range(plan.count)]
            tuned = losses(row, warm, rates, [TUNING_SEED])[:, 0]
            best = int(tuned.argmin())
            if 0 < best < plan.count - 1 or study.toy:
                return rates[best], {"rates": rates, "losses": tuned.round(4).tolist()}
            first = first / 2 if best == 0 else first * 2

    curve, results = [], {"unigram": words(vocabulary=64).unigram_entropy()}
    for row in ROWS:
        lr, grid = tune(row, True, FIRST[row])
        result = {"lr": lr, "grid": grid}
        result["warm"], result["cold"] = (losses(row, warm, [lr], plan.seeds)[0].tolist() for warm in (True, False))
        results[row] = result
    for row in RETUNED:
        lr, grid = tune(row, False, results[row]["lr"] / 2)
        results[row] |= {"cold_lr": lr, "cold_grid": grid, "retuned": losses(row, False, [lr], plan.seeds)[0].tolist()}
    for row in ROWS:
        result = results[row]
        for case, lr in (("warm", result["lr"]), ("cold", result["lr"]), ("retuned", result.get("cold_lr"))):
            for seed, loss in zip(plan.seeds, result.get(case, []), strict=False):
                curve.append({"row": row, "case": case, "lr": lr, "seed": seed, "test": round(loss, 5)})
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
