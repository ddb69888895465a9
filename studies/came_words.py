"""CAME on a transformer, beside its own baseline, by the protocol of lars_words.py and comparable with its record.

The baseline is the CAME paper's "Adafactor": Algorithm 1, momentum added and a fixed learning rate. Batch sizes, steps,
schedule, number of rates and seeds are those of lars_words.py, whose record has AdamW and LAMB; no weight decay.
Larger: raise STEPS or add to SEEDS there. About a quarter of an hour on one core.
"""

import numpy as np
from lars_words import METHODS, SEEDS, STEPS, TASK, TUNING_SEED, one

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.optim import CAME
from minilib.optim.base import ema

FIRST = {"CAME": 0.00015625, "Adafactor": 0.00125}
RATES = {name: [first * 2**k for k in range(7)] for name, first in FIRST.items()}


class WithoutConfidence(CAME):
    """Algorithm 1 of the CAME paper: Adafactor's clipped direction, averaged; nothing is divided by the instability."""

    def update(self, x, g, s):
        # m_t = β₁ m_{t−1} + (1 − β₁) û_t,  θ ← θ − η m_t
        x -= self.lr * ema(s, "m", self.clipped_direction(g, s, self.betas[1]), self.betas[0])


METHODS["CAME"] = lambda named, lr: CAME(named, lr=lr)
METHODS["Adafactor"] = lambda named, lr: WithoutConfidence(named, lr=lr)


def main():
    config = {"steps": STEPS, "rates": RATES, "tuning_seed": TUNING_SEED, "seeds": SEEDS}
    study = Study("came-words", config)
    curve, results = [], {"unigram": TASK.unigram_entropy()}
    for batch in STEPS:
        for method in RATES:

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
