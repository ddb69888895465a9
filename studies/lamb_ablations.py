"""One knob of LAMB at a time, on digits at batch 512: which of them matter?

Every variant gets the same ten learning rates (factor 2; a start of its own, so that the best is inside) and the same
five seeds, warm-up of a tenth of the steps unless it says none, linear decay, decay 0.01, network 64-32-32-32-32-10.
The best rate is chosen on seeds 100 and 101 and reported on five fresh ones. Larger: raise EPOCHS, add to SEEDS.
About two minutes on one core.
"""

import math

import numpy as np

from minilib.experiments.study import Study
from minilib.experiments.tasks import DigitsTask, train
from minilib.optim import LAMB, AdamW, clip_grad_norm, parameter_groups
from minilib.schedules import polynomial, warmup

EPOCHS, BATCH = 40, 512
TUNING_SEEDS, SEEDS = (100, 101), (0, 1, 2, 3, 4)


class Knobs(LAMB):
    """LAMB with the norm of the ratio, and the place of the decay, as class attributes."""

    order, decay_inside, clip = 2, True, math.inf

    def step(self):
        if self.clip < math.inf:
            clip_grad_norm([p for group in self.param_groups for p in group["params"]], self.clip)
        super().step()

    def update(self, x, g, s):
        r = self.direction(g, s)
        u = r + self.weight_decay * x if self.decay_inside else r
        size, norm = (np.linalg.norm(a.ravel(), self.order) for a in (x, u))
        size = min(max(size, self.phi[0]), self.phi[1])
        ratio = size / norm if self.layer_adaptation and size > 0 and norm > 0 else 1.0
        if not self.decay_inside:
            x -= self.lr * self.weight_decay * x
        x -= self.lr * ratio * u


def knobs(**attributes):
    return type("Knobs", (Knobs,), attributes)


# name -> (class, options, warm-up?, first rate)
VARIANTS = {
    "LAMB": (Knobs, {}, True, 0.00125),
    "phi: at most 1": (Knobs, {"phi": (0.0, 1.0)}, True, 0.0025),
    "phi: constant 1": (Knobs, {"phi": (1.0, 1.0 + 1e-9)}, True, 0.005),
    "no warm-up": (Knobs, {}, False, 0.00125),
    "no bias correction": (Knobs, {"bias_correction": False}, True, 0.00125),
    "neither": (Knobs, {"bias_correction": False}, False, 0.00125),
    "no decay": (Knobs, {"weight_decay": 0.0}, True, 0.00125),
    "decay 1 inside": (Knobs, {"weight_decay": 1.0}, True, 0.00125),
    "decay 1 outside": (knobs(decay_inside=False), {"weight_decay": 1.0}, True, 0.00125),
    "nothing excluded": (Knobs, {"all": True}, True, 0.00125),
    "1-norm": (knobs(order=1), {}, True, 0.00125),
    "max-norm": (knobs(order=math.inf), {}, True, 0.00125),
    "global clip 1": (knobs(clip=1.0), {}, True, 0.00125),
    "AdamW": (AdamW, {}, True, 0.0003125),
}
TASK = DigitsTask(depth=4)
STEPS = EPOCHS * TASK.n // BATCH


def optimizer(name, named, lr):
    cls, options, _, _ = VARIANTS[name]
    options = {"weight_decay": 0.01} | options
    decay, every = options.pop("weight_decay"), options.pop("all", False)
    exclude = {} if cls is AdamW or every else {"layer_adaptation": False}
    return cls(parameter_groups(named, decay, **exclude), lr=lr, **options)


def one(name, lr, seed):
    """Training loss (all digits; 99 when the run diverged) and test accuracy at the end."""

    def schedule(t):
        return (warmup(t, STEPS // 10) if VARIANTS[name][2] else 1.0) * polynomial(t, STEPS)

    run = train(TASK, lambda p: optimizer(name, p, lr), STEPS, BATCH, seed, schedule)
    if run.diverged:
        return [99.0, 0.1]
    with np.errstate(over="ignore", invalid="ignore"):
        return [min(99.0, float(TASK.loss(run.model).data)), TASK.accuracy(run.model)]


def main():
    rates = {name: [first * 2**k for k in range(10)] for name, (_, _, _, first) in VARIANTS.items()}
    config = {"epochs": EPOCHS, "batch": BATCH, "rates": rates, "tuning_seeds": TUNING_SEEDS, "seeds": SEEDS}
    study = Study("lamb-ablations", config)
    curve, results = [], {}
    for name in VARIANTS:

        def jobs(lrs, seeds, name=name):
            for lr in lrs:
                for seed in seeds:
                    yield f"{name} {lr} {seed}", lambda lr=lr, seed=seed: one(name, lr, seed)

        done = study.run(jobs(rates[name], TUNING_SEEDS))
        tuned = [np.median([done[f"{name} {lr} {s}"][0] for s in TUNING_SEEDS]) for lr in rates[name]]
        best = rates[name][int(np.argmin(tuned))]
        if best in (rates[name][0], rates[name][-1]):
            raise ValueError(f"the best rate of {name!r} is {best}, at the edge of its grid: change its first rate")
        done = study.run(jobs([best], SEEDS))
        fresh = [done[f"{name} {best} {s}"] for s in SEEDS]
        results[name] = {"lr": best, "loss": [f[0] for f in fresh], "accuracy": [f[1] for f in fresh]}
        for lr, loss in zip(rates[name], tuned, strict=True):
            curve.append({"variant": name, "lr": lr, "loss": round(float(loss), 5)})
    study.record(curve, results)


if __name__ == "__main__":
    main()
