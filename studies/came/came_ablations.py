"""CAME with one knob turned at a time, on masked words: beta3, eps2, clipping, correction, factoring, confidence off.

A small edition of the task (6 words, 64 words of vocabulary, width 16). Batch 64, 900 steps, warm-up of a tenth of
them, linear decay. Each variant gets six learning rates, a factor 2 apart, on one seed; the best (lowest test loss)
runs on five fresh seeds. Larger: steps, seeds. About six minutes on one core.
"""

import numpy as np

from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim import CAME
from minilib.optim.base import ema
from minilib.schedules import polynomial, warmup
from studies.methods import Corrected
from studies.protocols import NUMPY, WithoutConfidence, inside, start, words
from studies.study import Study

BATCH, TUNING_SEED = 64, 100
SIZES = {"laptop": {"steps": 900, "count": 6, "seeds": (0, 1, 2, 3, 4)}, "toy": {"steps": 2, "count": 1, "seeds": (0,)}}


class NotFactored(CAME):
    """The instability of every entry, kept in full: as much memory as Adam, and no error of rank one."""

    def update(self, x, g, s):
        beta1, beta2, beta3 = self.betas
        u = self.clipped_direction(g, s, beta2)
        m = ema(s, "m", u, beta1)
        S = ema(s, "S", (u - m) ** 2 + self.eps[1], beta3) if g.ndim >= 2 else 1.0
        x -= self.lr * m / np.sqrt(S)


# name -> (lowest rate, class, options)
VARIANTS = {
    "CAME": (0.0003125, CAME, {}),
    "beta3 = 0.9": (0.00125, CAME, {"betas": (0.9, 0.999, 0.9)}),
    "no confidence": (0.00125, WithoutConfidence, {}),
    "S corrected": (0.00125, Corrected, {}),
    "S not factored": (0.0003125, NotFactored, {}),
    "no clipping": (0.0003125, CAME, {"d": 1e9}),
    "eps2 = 1": (0.0003125, CAME, {"eps": (1e-30, 1.0)}),
    "beta3 = 0.999": (0.00125, CAME, {"betas": (0.9, 0.999, 0.999)}),
    "beta3 = 0.99999": (0.00015625, CAME, {"betas": (0.9, 0.999, 0.99999)}),
    "beta3 = 0.99": (0.00125, CAME, {"betas": (0.9, 0.999, 0.99)}),
    "eps2 = 0.01": (0.0003125, CAME, {"eps": (1e-30, 1e-2)}),
}
TASK = {"length": 6, "vocabulary": 64, "width": 16, "masked": 1}


def one(steps, name, lr, seed):
    """Test loss at the end, 99 when the run diverged."""
    _, kind, options = VARIANTS[name]

    def schedule(t):
        return warmup(t, steps // 10) * polynomial(t, steps)

    run = train(words(**TASK), lambda named: kind(named, lr=lr, **options), steps, BATCH, seed, schedule)
    if run.diverged:
        return 99.0
    with np.errstate(over="ignore", invalid="ignore"):
        loss = words(**TASK).test_loss(run.model)
    return min(99.0, loss) if np.isfinite(loss) else 99.0


def main(asked):
    variants = {name: [first, kind.__name__, options] for name, (first, kind, options) in VARIANTS.items()}
    plan = asked.plan
    config = {"batch": BATCH, "variants": variants, "tuning_seed": TUNING_SEED, **vars(plan)}
    study = Study("came-ablations", config, asked=asked)
    curve, results = [], {"unigram": words(**TASK).unigram_entropy()}
    for name, (first, _, _) in VARIANTS.items():
        rates = [first * 2**k for k in range(plan.count)]

        def losses(rates, seeds, name=name):
            keys = [(f"{name} {lr} {seed}", lr, seed) for lr in rates for seed in seeds]
            done = study.run((k, lambda lr=lr, seed=seed: one(plan.steps, name, lr, seed)) for k, lr, seed in keys)
            return [done[k] for k, _, _ in keys]

        tuned = losses(rates, [TUNING_SEED])
        best = inside(study, rates, tuned, repr(name))
        test = losses([best], plan.seeds)
        results[name] = {"lr": best, "tuning": [round(v, 5) for v in tuned], "test": test}
        row = {"case": name, "lr": best}
        curve += [row | {"seed": s, "test": round(v, 5)} for s, v in zip(plan.seeds, test, strict=True)]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
