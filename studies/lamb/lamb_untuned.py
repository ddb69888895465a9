"""The untuned recipe on digits, batch 16 to the full 1,437: tune once, then follow a rule, for LAMB, AdamW and LARS.

The recipe is that of You et al. 2020 (untuned LAMB): learning rate proportional to the root of the batch, a constant
*number* of warm-up steps, linear decay. Each method gets nine learning rates, a factor 2 apart, at batch BASE on two
seeds, then two more half an octave beside the best. After that ten fresh seeds at every batch follow three rules:
"root"; "kept", the rate of BASE as it is; and "searched", the best of the root rule's rate times the factors `near`
(half octaves), chosen at each batch on the two tuning seeds, from batch NEAR_FROM on. LARS also gets the linear rule,
the usual one for SGD. Every run sees the data `epochs` times. The paper's 3,125 steps of warm-up are a fifth of its run
at 32K; so the warm-up is a fifth of our run at the full batch.

What is asked, on logarithms of the final training loss, paired by seed: is LAMB by the root lower than AdamW by the
root (8 batches, one family); than AdamW with its rate kept (the 7 batches that are not BASE, one family); is LAMB
searched lower than AdamW searched (6 batches, one family)? A factor of 1.5 matters. An earlier record, with five other
seeds, had the first family; the other two were written down before this one was run.
Larger: epochs, seeds, near. About ten minutes on one core.
"""

import numpy as np

from minilib.experiments.tasks import train
from minilib.optim import LAMB, LARS, AdamW, parameter_groups
from minilib.schedules import linear_scaling, polynomial, sqrt_scaling, warmup
from studies.command import NUMPY, start
from studies.rates import inside
from studies.study import Study
from studies.tasks import digits

BASE = 128
SIZES = {
    "laptop": {
        "epochs": 30,
        "batches": (16, 32, 64, 128, 256, 512, 1024, 1437),
        "count": 9,
        "near": tuple(2 ** (k / 2) for k in range(-6, 5)),  # tried at batches from NEAR_FROM on
        "tuning_seeds": (100, 101),
        "seeds": tuple(range(10, 20)),
    },
    "toy": {"epochs": 1, "batches": (32, 512), "count": 1, "near": (1,), "tuning_seeds": (100,), "seeds": (0,)},
}
FIRST = {"LAMB": 0.00125, "AdamW": 0.0003125, "LARS": 0.0625}
NEAR_FROM, TRUST = 64, 0.02

METHODS = {
    "LAMB": lambda named, lr: LAMB(parameter_groups(named, 0.01, layer_adaptation=False), lr=lr),
    "AdamW": lambda named, lr: AdamW(parameter_groups(named, 0.01), lr=lr),
    "LARS": lambda named, lr: LARS(
        parameter_groups(named, 0.0, layer_adaptation=False), lr=lr, momentum=0.9, trust_coefficient=TRUST
    ),
}
RULES = {"root": sqrt_scaling, "kept": lambda batch, base: 1.0, "linear": linear_scaling}


def one(epochs, method, batch, lr, seed):
    """Training loss (all digits; 99 when the run diverged) and test accuracy at the end."""
    steps = epochs * digits(depth=4).n // batch

    def schedule(t):
        return warmup(t, epochs // 5) * polynomial(t, steps)

    run = train(digits(depth=4), lambda p: METHODS[method](p, lr), steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, 0.1]
    with np.errstate(over="ignore", invalid="ignore"):
        return [min(99.0, float(digits(depth=4).loss(run.model).data)), digits(depth=4).accuracy(run.model)]


def main(asked):
    plan = asked.plan
    rates = {name: [first * 2**k for k in range(plan.count)] for name, first in FIRST.items()}
    config = {"epochs": plan.epochs, "base": BASE, "batches": plan.batches, "warmup": plan.epochs // 5, "rates": rates}
    config |= {"near": plan.near, "near_from": NEAR_FROM, "trust": TRUST}
    config |= {"tuning_seeds": plan.tuning_seeds, "seeds": plan.seeds}
    study = Study("lamb-untuned", config, asked=asked)

    def run_all(method, batch, lrs, seeds):
        """The results, rate by rate and seed by seed: (rates, seeds, 2)."""
        keys = [[f"{method} {batch} {lr:.8g} {seed}" for seed in seeds] for lr in lrs]
        cases = [(keys[i][j], lr, seed) for i, lr in enumerate(lrs) for j, seed in enumerate(seeds)]
        jobs = ((key, lambda lr=lr, seed=seed: one(plan.epochs, method, batch, lr, seed)) for key, lr, seed in cases)
        done = study.run(jobs)
        return np.array([[done[key] for key in row] for row in keys])

    def tuned(method, batch, lrs):
        """Median losses on the tuning seeds."""
        return np.median(run_all(method, batch, lrs, plan.tuning_seeds)[:, :, 0], axis=1)

    curve, results = [], {}

    def follow(method, rule, batch, lr, **more):
        """Ten fresh seeds at this rate."""
        row = {"optimizer": method, "rule": rule, "batch": batch, "lr": round(lr, 6)}
        for seed, (loss, accuracy) in zip(plan.seeds, run_all(method, batch, [lr], plan.seeds)[0], strict=True):
            curve.append(row | {"seed": seed, "loss": round(loss, 5), "accuracy": round(accuracy, 4)})
        results[f"{method} {rule} {batch}"] = {"lr": lr} | more

    for method in METHODS:
        coarse = rates[method]
        best = inside(study, coarse, tuned(method, BASE, coarse), method)
        lrs = sorted([*coarse, best / 2**0.5, best * 2**0.5])
        losses = tuned(method, BASE, lrs)
        base = inside(study, lrs, losses, method)
        results[f"{method} tuning"] = {"lr": base, "rates": lrs, "loss": losses.round(5).tolist()}
        for rule in ("root", "kept", *(["linear"] if method == "LARS" else [])):
            for batch in plan.batches:
                follow(method, rule, batch, base * RULES[rule](batch, BASE))
        for batch in (b for b in plan.batches if b >= NEAR_FROM):
            lrs = [base * sqrt_scaling(batch, BASE) * c for c in plan.near]
            losses = tuned(method, batch, lrs)
            follow(method, "searched", batch, inside(study, lrs, losses, method), near=losses.round(5).tolist())
    study.record(curve, results)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
