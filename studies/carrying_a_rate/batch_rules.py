"""Rules that carry a learning rate from batch 32 to a batch 8 times smaller or larger, against tuning anew: digits.

The rate is tuned at batch 32 (nine rates, three seeds), carried over by each rule, and run on six fresh seeds; "tuned
anew" gets nine rates of its own. Every run sees the data `epochs` times, with a warm-up over a fifth of the steps and a
cosine. Larger: epochs, seeds. About a minute on one core.
"""

import numpy as np

from minilib.experiments.sweep import Sweep
from minilib.optim import SGD, Adam
from minilib.schedules import cosine, warmup
from studies.command import NUMPY, start
from studies.rates import inside
from studies.study import Study
from studies.tasks import digits

BASE = 32
SIZES = {
    "laptop": {
        "batches": (4, 256),
        "epochs": 8,
        "rates": {
            name: [middle * 2 ** (k / 2) for k in range(-4, 5)] for name, middle in (("SGD", 0.7), ("Adam", 0.08))
        },
        "tuning_seeds": (100, 101, 102),
        "seeds": (0, 1, 2, 3, 4, 5),
    },
    "toy": {
        "batches": (256,),
        "epochs": 1,
        "rates": {"SGD": [0.7], "Adam": [0.08]},
        "tuning_seeds": (100,),
        "seeds": (0,),
    },
}
METHODS = {"SGD": SGD, "Adam": Adam}
# kappa = batch / BASE -> learning rate's factor, options of the optimizer
RULES = {
    "same rate": lambda k: (1, {}),
    "root": lambda k: (k**0.5, {}),
    "linear": lambda k: (k, {}),
}
ADAM_RULES = {
    "root, both betas and epsilon": lambda k: (k**0.5, {"betas": (1 - 0.1 * k, 1 - 0.001 * k), "eps": 1e-8 / k**0.5}),
    "same rate, beta2 to the power": lambda k: (1, {"betas": (0.9, 0.999**k)}),
    "root, beta2 to the power": lambda k: (k**0.5, {"betas": (0.9, 0.999**k)}),
}


def final(epochs, name, lrs, b, seeds, options):
    """Training losses after so many epochs: lists (rates, seeds); 99 stands for a run that diverged."""
    steps = epochs * digits().n // b

    def schedule(t):
        return warmup(t, steps // 5) * cosine(t, steps)

    sweep = Sweep(digits(), METHODS[name], lrs, seeds, b, schedule, **options)
    for _ in range(steps):
        sweep.step()
    return np.minimum(sweep.losses(), 99).round(5).tolist()


def main(asked):
    plan = asked.plan
    config = {"base": BASE, **vars(plan), "rules": [*RULES, *ADAM_RULES]}
    study, curve, results = Study("batch-rules", config, asked=asked), [], {}

    def best(lrs, losses, who):
        """The rate with the lowest median loss."""
        return inside(study, lrs, np.median(losses, axis=1), who)

    for name in METHODS:

        def job(key, *args, name=name):
            return study.run([(f"{name} {key}", lambda: final(plan.epochs, name, *args))])[f"{name} {key}"]

        lr = best(plan.rates[name], job("base", plan.rates[name], BASE, plan.tuning_seeds, {}), f"{name} at {BASE}")
        base_losses = job("base best", [lr], BASE, plan.seeds, {})[0]
        results[f"{name}, {BASE}"] = {"lr": lr, "loss": base_losses}
        for b in plan.batches:
            k = b / BASE
            for rule, carry in {**RULES, **(ADAM_RULES if name == "Adam" else {})}.items():
                factor, options = carry(k)
                losses = job(f"{b} {rule}", [lr * factor], b, plan.seeds, options)[0]
                results[f"{name}, {b}, {rule}"] = {"lr": lr * factor, "loss": losses}
            grid = [r * (k**0.5 if k < 1 else k**0.25) for r in plan.rates[name]]
            tuned = best(grid, job(f"{b} grid", grid, b, plan.tuning_seeds, {}), f"{name} at {b}")
            losses = job(f"{b} best", [tuned], b, plan.seeds, {})[0]
            results[f"{name}, {b}, tuned anew"] = {"lr": tuned, "loss": losses}
    for case, result in results.items():
        optimizer, b, *rule = case.split(", ", 2)
        for seed, loss in zip(plan.seeds, result["loss"], strict=True):
            row = {"optimizer": optimizer, "batch": b, "rule": (rule or ["base"])[0].replace(",", " +")}
            curve.append(row | {"lr": result["lr"], "seed": seed, "loss": loss})
    study.record(curve, results)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
