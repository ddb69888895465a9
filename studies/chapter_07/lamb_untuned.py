"""The untuned recipe on digits, batch 16 to the full 1,437: tune once, then follow the rule, for LAMB, AdamW and LARS.

The recipe is that of You et al. 2020 (untuned LAMB): learning rate proportional to the root of the batch, a constant
*number* of warm-up steps, linear decay. Each method gets nine learning rates on two seeds at batch BASE and nothing
after that; five fresh seeds at every batch follow the rule. Every run sees the data EPOCHS times. The paper's 3,125
steps are a fifth of its run at 32K; so WARMUP is a fifth of our run at the full batch. LARS also gets the linear rule,
the usual one for SGD. To see what the rule costs, `near` tries its rate times 1/4 ... 4 on the tuning seeds, at batch
64 and more. Larger: raise EPOCHS, add to SEEDS or NEAR. About three minutes on one core.
"""

import numpy as np

from minilib.experiments.study import Study
from minilib.experiments.tasks import train
from minilib.optim import LAMB, LARS, AdamW, parameter_groups
from minilib.schedules import linear_scaling, polynomial, sqrt_scaling, warmup
from studies.protocols import digits

EPOCHS, BASE = 30, 128
BATCHES = (16, 32, 64, 128, 256, 512, 1024, 1437)
WARMUP = EPOCHS // 5
TUNING_SEEDS, SEEDS = (100, 101), (0, 1, 2, 3, 4)
FIRST = {"LAMB": 0.00125, "AdamW": 0.0003125, "LARS": 0.0625}
RATES = {name: [first * 2**k for k in range(9)] for name, first in FIRST.items()}
NEAR, NEAR_FROM = (0.25, 0.5, 1, 2, 4), 64  # tried at batches from NEAR_FROM on
TRUST = 0.02

METHODS = {
    "LAMB": lambda named, lr: LAMB(parameter_groups(named, 0.01, layer_adaptation=False), lr=lr),
    "AdamW": lambda named, lr: AdamW(parameter_groups(named, 0.01), lr=lr),
    "LARS": lambda named, lr: LARS(
        parameter_groups(named, 0.0, layer_adaptation=False), lr=lr, momentum=0.9, trust_coefficient=TRUST
    ),
}


def one(method, batch, lr, seed):
    """Training loss (all digits; 99 when the run diverged) and test accuracy at the end."""
    steps = EPOCHS * digits(depth=4).n // batch

    def schedule(t):
        return warmup(t, WARMUP) * polynomial(t, steps)

    run = train(digits(depth=4), lambda p: METHODS[method](p, lr), steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, 0.1]
    with np.errstate(over="ignore", invalid="ignore"):
        return [min(99.0, float(digits(depth=4).loss(run.model).data)), digits(depth=4).accuracy(run.model)]


def main():
    config = {"epochs": EPOCHS, "base": BASE, "batches": BATCHES, "warmup": WARMUP, "rates": RATES, "near": NEAR}
    config |= {"near_from": NEAR_FROM, "trust": TRUST, "tuning_seeds": TUNING_SEEDS, "seeds": SEEDS}
    study = Study("lamb-untuned", config)

    def run_all(method, batch, rates, seeds):
        """The results, rate by rate and seed by seed: (rates, seeds, 2)."""
        keys = [[f"{method} {batch} {lr:.8g} {seed}" for seed in seeds] for lr in rates]
        cases = [(keys[i][j], lr, seed) for i, lr in enumerate(rates) for j, seed in enumerate(seeds)]
        jobs = ((key, lambda lr=lr, seed=seed: one(method, batch, lr, seed)) for key, lr, seed in cases)
        done = study.run(jobs)
        return np.array([[done[key] for key in row] for row in keys])

    curve, results = [], {}
    base_rates = {}
    for method in METHODS:
        tuned = np.median(run_all(method, BASE, RATES[method], TUNING_SEEDS)[:, :, 0], axis=1)
        best = int(np.argmin(tuned))
        if best in (0, len(tuned) - 1):
            raise ValueError(f"the best rate of {method} is {RATES[method][best]}, at the edge: extend FIRST")
        base_rates[method] = RATES[method][best]
        results[f"{method} tuning"] = {"lr": base_rates[method], "loss": tuned.round(5).tolist()}
    rules = [(m, "root", sqrt_scaling) for m in METHODS] + [("LARS", "linear", linear_scaling)]
    for method, rule, scaling in rules:
        for batch in BATCHES:
            lr = base_rates[method] * scaling(batch, BASE)
            fresh = run_all(method, batch, [lr], SEEDS)[0]
            near = np.array([])
            if rule == "root" and batch >= NEAR_FROM:
                near = np.median(run_all(method, batch, [lr * c for c in NEAR], TUNING_SEEDS)[:, :, 0], axis=1)
            row = {"optimizer": method, "rule": rule, "batch": batch, "lr": round(lr, 6)}
            for seed, (loss, accuracy) in zip(SEEDS, fresh, strict=True):
                curve.append(row | {"seed": seed, "loss": round(loss, 5), "accuracy": round(accuracy, 4)})
            results[f"{method} {rule} {batch}"] = {"lr": lr, "near": near.round(5).tolist()}
    study.record(curve, results)


if __name__ == "__main__":
    main()
