"""One knob of LAMB at a time, on digits at batch 512: which of them matter?

Every variant gets the same ten learning rates (factor 2; a start of its own, so that the best is inside) and the same
seeds, warm-up of a tenth of the steps unless it says none, linear decay, decay 0.01, network 64-32-32-32-32-10.
The best rate is chosen on seeds 100 and 101 and reported on twenty fresh ones. Larger: epochs, seeds.
About three minutes on one core.
"""

import numpy as np

from minilib.experiments.tasks import train
from minilib.schedules import polynomial, warmup
from studies.command import NUMPY, start
from studies.rates import inside
from studies.study import Study
from studies.tasks import digits
from studies.variants import LAMB_VARIANTS, lamb_variant

BATCH = 512
SIZES = {
    "laptop": {"epochs": 40, "count": 10, "tuning_seeds": (100, 101), "seeds": tuple(range(20))},
    "toy": {"epochs": 1, "count": 1, "tuning_seeds": (100,), "seeds": (0,)},
}


def one(epochs, name, lr, seed):
    """Training loss (all digits; 99 when the run diverged) and test accuracy at the end."""
    task = digits(depth=4)
    steps = epochs * task.n // BATCH

    def schedule(t):
        return (warmup(t, steps // 10) if LAMB_VARIANTS[name].warm_up else 1.0) * polynomial(t, steps)

    run = train(task, lambda p: lamb_variant(name, p, lr), steps, BATCH, seed, schedule)
    if run.diverged:
        return [99.0, 0.1]
    with np.errstate(over="ignore", invalid="ignore"):
        return [min(99.0, float(task.loss(run.model).data)), task.accuracy(run.model)]


def main(asked):
    plan = asked.plan
    rates = {name: [variant.first * 2**k for k in range(plan.count)] for name, variant in LAMB_VARIANTS.items()}
    config = {"epochs": plan.epochs, "batch": BATCH, "rates": rates}
    config |= {"tuning_seeds": plan.tuning_seeds, "seeds": plan.seeds}
    study = Study("lamb-ablations", config, asked=asked)
    curve, results = [], {}
    for name in LAMB_VARIANTS:

        def jobs(lrs, seeds, name=name):
            for lr in lrs:
                for seed in seeds:
                    yield f"{name} {lr} {seed}", lambda lr=lr, seed=seed: one(plan.epochs, name, lr, seed)

        done = study.run(jobs(rates[name], plan.tuning_seeds))
        tuned = [np.median([done[f"{name} {lr} {s}"][0] for s in plan.tuning_seeds]) for lr in rates[name]]
        best = inside(study, rates[name], tuned, repr(name))
        done = study.run(jobs([best], plan.seeds))
        fresh = [done[f"{name} {best} {s}"] for s in plan.seeds]
        results[name] = {"lr": best, "loss": [f[0] for f in fresh], "accuracy": [f[1] for f in fresh]}
        for lr, loss in zip(rates[name], tuned, strict=True):
            curve.append({"variant": name, "lr": lr, "loss": round(float(loss), 5)})
    study.record(curve, results)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
