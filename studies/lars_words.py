"""LARS on a transformer: momentum, LARS, AdamW and LAMB on masked words, an equal number of learning rates for each.

Two batch sizes. Each method gets seven learning rates, a factor 2 apart, on one seed; the best (lowest test loss) runs
on five fresh seeds. Same warm-up (a tenth of the steps) and linear decay for all; norms and biases get no trust ratio
in LARS and LAMB. Larger: raise STEPS or add to SEEDS. About a quarter of an hour on one core.
"""

import numpy as np

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.experiments.tasks import WordsTask, train
from minilib.optim import LAMB, LARS, SGD, AdamW
from minilib.schedules import polynomial, warmup

STEPS = {64: 1200, 512: 600}  # batch -> steps
TUNING_SEED, SEEDS = 100, (0, 1, 2, 3, 4)
FIRST = {"Momentum": 0.0125, "LARS": 0.05, "AdamW": 0.00125, "LAMB": 0.00125}
RATES = {name: [first * 2**k for k in range(7)] for name, first in FIRST.items()}
TRUST = 0.02


def split(named):
    """Matrices in one group; norms and biases in another, without layer adaptation."""
    matrices = {"params": [(n, p) for n, p in named if p.data.ndim > 1]}
    return [matrices, {"params": [(n, p) for n, p in named if p.data.ndim == 1], "layer_adaptation": False}]


METHODS = {
    "Momentum": lambda named, lr: SGD(named, lr=lr, momentum=0.9),
    "LARS": lambda named, lr: LARS(split(named), lr=lr, momentum=0.9, trust_coefficient=TRUST),
    "AdamW": lambda named, lr: AdamW(named, lr=lr),
    "LAMB": lambda named, lr: LAMB(split(named), lr=lr),
}
TASK = WordsTask()


def one(batch, method, lr, seed):
    """Test loss at the end (99 when the run diverged) and the training losses, averaged over 40 stretches."""
    steps = STEPS[batch]

    def schedule(t):
        return warmup(t, steps // 10) * polynomial(t, steps)

    run = train(TASK, lambda p: METHODS[method](p, lr), steps, batch, seed, schedule)
    if run.diverged:
        return 99.0, [99.0] * 40
    with np.errstate(over="ignore", invalid="ignore"):
        return TASK.test_loss(run.model), run.losses.reshape(40, -1).mean(axis=1).round(4).tolist()


def main():
    config = {"steps": STEPS, "rates": RATES, "trust": TRUST, "tuning_seed": TUNING_SEED, "seeds": SEEDS}
    study = Study("lars-words", config)
    curve, results = [], {"unigram": TASK.unigram_entropy()}
    for batch in STEPS:
        for method in METHODS:

            def jobs(rates, seeds, case=(batch, method)):
                for lr in rates:
                    for seed in seeds:
                        yield f"{case} {lr} {seed}", lambda lr=lr, seed=seed: one(*case, lr, seed)

            done = study.run(jobs(RATES[method], [TUNING_SEED]))
            tuned = [done[f"{(batch, method)} {lr} {TUNING_SEED}"][0] for lr in RATES[method]]
            best = RATES[method][int(np.argmin(tuned))]
            if best in (RATES[method][0], RATES[method][-1]):
                raise ValueError(f"the best rate of {method} at {batch} is {best}, at the edge: extend RATES")
            done = study.run(jobs([best], SEEDS))
            fresh = [done[f"{(batch, method)} {best} {s}"] for s in SEEDS]
            results[f"{batch}, {method}"] = {"lr": best, "tuning": tuned, "test": [f[0] for f in fresh]}
            for seed, (_, losses) in zip(SEEDS, fresh, strict=True):
                row = {"batch": batch, "optimizer": method, "seed": seed}
                ends = (np.arange(40) + 1) * STEPS[batch] // 40
                curve += [row | {"step": int(s), "loss": v} for s, v in zip(ends, losses, strict=True)]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    main()
