"""From AdamW to CAME, one change at a time, on masked words: eight arms under equal tuning, with three sets of words.

Words, width 32, batch 256, 400 steps, warm-up over a tenth of them, then linear decay; no weight decay. AdamW and
AdaBelief have beta2 = 0.99, as fits runs this short; Algorithm 1 and CAME are as published, (0.9, 0.999, 0.9999), but
for the arm with shorter memories.

Every arm gets seven learning rates: five by factors of 2, moved until the best is inside, and one half an octave below
and above the best. Two tuning seeds choose by the loss on validation words. Twenty fresh seeds are judged by the loss
on test words. What is claimed, and with which power, stands in studies/designs.md. About 40 minutes of one core.
"""

from functools import partial

import numpy as np

from minilib import optim
from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim.base import ema
from minilib.schedules import polynomial, warmup
from studies.command import NUMPY, start
from studies.methods import AdaBelief, Corrected
from studies.rates import search_octaves
from studies.study import Study
from studies.tasks import scored
from studies.variants import WithoutConfidence

SIZES = {
    "laptop": {
        "width": 32,
        "batch": 256,
        "steps": 400,
        "count": 5,
        "moves": 6,
        "tuning_seeds": (100, 101),
        "seeds": tuple(range(20)),
    },
    "toy": {"batch": 8, "steps": 2, "count": 1, "moves": 0, "tuning_seeds": (100,), "seeds": (0,)},
}
SHORT = (0.9, 0.99)


class NotFactored(optim.CAME):
    """The instability of every entry, kept in full: as much memory as Adam, and no error of rank one."""

    def update(self, x, g, s):
        beta1, beta2, beta3 = self.betas
        u = self.clipped_direction(g, s, beta2)
        m = ema(s, "m", u, beta1)
        S = ema(s, "S", (u - m) ** 2 + self.eps[1], beta3) if g.ndim >= 2 else 1.0
        x -= self.lr * m / np.sqrt(S)


# arm -> the middle of its first five rates, and how it is made of named parameters and a rate
ARMS = {
    "AdamW": (0.02, lambda named, lr: optim.AdamW(named, lr, SHORT, weight_decay=0.0)),
    "AdaBelief": (0.02, lambda named, lr: AdaBelief(named, lr, SHORT, eps=1e-16, weight_decay=0.0)),
    "Algorithm 1": (0.02, lambda named, lr: WithoutConfidence(named, lr)),
    "CAME": (0.002, lambda named, lr: optim.CAME(named, lr)),
    "CAME, corrected": (0.01, lambda named, lr: Corrected(named, lr)),
    "CAME, not factored": (0.002, lambda named, lr: NotFactored(named, lr)),
    "CAME, shorter memories": (0.005, lambda named, lr: optim.CAME(named, lr, (0.9, 0.99, 0.999))),
    "Nesterov": (0.2, lambda named, lr: optim.SGD(named, lr, momentum=0.9, nesterov=True)),
}


def one(width, batch, steps, arm, lr, seed):
    """Losses on validation and test words at the end, 99 where the run diverged."""

    def schedule(t):
        return warmup(t, steps // 10) * polynomial(t, steps)

    judge = scored("words", width=width)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        run = train(judge, lambda named: ARMS[arm][1](named, lr), steps, batch, seed, schedule)
        scores = [99.0, 99.0] if run.diverged else judge.scores(run.model)
    return [min(99.0, float(s)) if np.isfinite(s) else 99.0 for s in scores]


def main(asked):
    plan = asked.plan
    middles = {arm: middle for arm, (middle, _) in ARMS.items()}
    study = Study("came-words", {"short": SHORT, "middles": middles} | vars(plan), asked=asked)

    def scores(asked_for, seeds):
        """(arm, rate) -> the losses of each of the seeds (seeds, validation and test)."""
        keys = {(arm, lr, seed): f"{arm} {lr:.8g} {seed}" for arm, lr in asked_for for seed in seeds}
        settings = plan.width, plan.batch, plan.steps
        done = study.run((key, partial(one, *settings, *case)) for case, key in keys.items())
        return {(arm, lr): [done[keys[arm, lr, seed]] for seed in seeds] for arm, lr in asked_for}

    tuned, chosen, moves = search_octaves(scores, middles, plan)
    fresh = scores([*chosen.items()], plan.seeds)
    curve, results = [], {"unigram": scored("words", width=plan.width).unigram_entropy()}
    for arm, lr in chosen.items():
        rates = sorted(rate for name, rate in tuned if name == arm)
        means = [float(np.mean([s[0] for s in tuned[arm, rate]])) for rate in rates]
        test = [s[1] for s in fresh[arm, lr]]
        results[arm] = {"lr": lr, "rates": rates, "tuning": means, "moves": moves[arm], "test": test}
        runs = [(rate, seed, s) for rate in rates for seed, s in zip(plan.tuning_seeds, tuned[arm, rate], strict=True)]
        runs += [(lr, seed, s) for seed, s in zip(plan.seeds, fresh[arm, lr], strict=True)]
        curve += [
            {"optimizer": arm, "lr": rate, "seed": seed, "validation": round(s[0], 5), "test": round(s[1], 5)}
            for rate, seed, s in runs
        ]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
