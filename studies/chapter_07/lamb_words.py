"""LAMB on the transformer: one knob at a time, and the untuned recipe from batch 64 to 4,096, on masked words.

Ablations (the variants of lamb-ablations that matter most): batch 256, 500 steps, seven learning rates (factor 2)
on one seed, five fresh seeds for the best. The untuned recipe, as in lamb-untuned: seven rates at batch BASE on one
seed, then the root rule and nothing else, five fresh seeds a batch; every run sees EXAMPLES chunks, the warm-up is a
constant number of steps, a fifth of the run at the largest batch. Larger: add to SEEDS, VARIANTS, BATCHES. About
half an hour on one core.
"""

import numpy as np

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.experiments.tasks import train
from minilib.optim import LAMB, LARS, AdamW, parameter_groups
from minilib.schedules import polynomial, sqrt_scaling, warmup
from studies.protocols import LAMB_VARIANTS, lamb_variant, words

TUNING_SEED, SEEDS, COUNT = 100, (0, 1, 2, 3, 4), 7
BATCH, STEPS = 256, 500
FIRST = {"LAMB": 0.00125, "phi: constant 1": 0.005, "no warm-up": 0.00125, "no bias correction": 0.00125}
FIRST |= {"neither": 0.00125, "decay 1 inside": 0.00125, "decay 1 outside": 0.00125, "nothing excluded": 0.00125}
FIRST |= {"max-norm": 0.00125, "AdamW": 0.000625}
BASE, BATCHES, EXAMPLES, TRUST = 64, (64, 256, 1024, 4096), 2**18, 0.02
UNTUNED = {"LAMB": 0.000625, "AdamW": 0.0003125, "LARS": 0.0125}
WARMUP = EXAMPLES // BATCHES[-1] // 5
RECIPE = {
    "LAMB": lambda named, lr: LAMB(parameter_groups(named, 0.01, layer_adaptation=False), lr=lr),
    "AdamW": lambda named, lr: AdamW(parameter_groups(named, 0.01), lr=lr),
    "LARS": lambda named, lr: LARS(
        parameter_groups(named, 0.0, layer_adaptation=False), lr=lr, momentum=0.9, trust_coefficient=TRUST
    ),
}


def one(make, steps, batch, warm, seed):
    """Test loss at the end, 99 when the run diverged."""

    def schedule(t):
        return warmup(t, warm) * polynomial(t, steps)

    run = train(words(), make, steps, batch, seed, schedule)
    if run.diverged:
        return 99.0
    with np.errstate(over="ignore", invalid="ignore"):
        loss = words().test_loss(run.model)
    return min(99.0, loss) if np.isfinite(loss) else 99.0


def main():
    config = {"batch": BATCH, "steps": STEPS, "first": FIRST, "count": COUNT, "base": BASE, "batches": BATCHES}
    config |= {"examples": EXAMPLES, "untuned": UNTUNED, "warmup": WARMUP, "trust": TRUST}
    study = Study("lamb-words", config | {"tuning_seed": TUNING_SEED, "seeds": SEEDS})

    def losses(key, make, rates, seeds, *shape):
        """Test losses (rates, seeds); `make(lr)` gives the function of named parameters."""
        keys = [[f"{key} {lr:.8g} {seed}" for seed in seeds] for lr in rates]
        cases = [(keys[i][j], lr, seed) for i, lr in enumerate(rates) for j, seed in enumerate(seeds)]
        done = study.run((k, lambda lr=lr, seed=seed: one(make(lr), *shape, seed)) for k, lr, seed in cases)
        return np.array([[done[k] for k in row] for row in keys])

    def tune(key, make, first, *shape):
        """The rate with the lowest loss on the tuning seed, and all losses."""
        rates = [first * 2**k for k in range(COUNT)]
        tuned = losses(key, make, rates, [TUNING_SEED], *shape)[:, 0]
        best = int(tuned.argmin())
        if best in (0, COUNT - 1):
            raise ValueError(f"the best rate of {key!r} is {rates[best]}, at the edge of its grid: {tuned}")
        return rates[best], tuned.round(5).tolist()

    curve, results = [], {"unigram": words().unigram_entropy(), "ablations": {}, "untuned": {}}
    for name, first in FIRST.items():
        shape = (STEPS, BATCH, STEPS // 10 if LAMB_VARIANTS[name].warm_up else 0)

        def make(lr, name=name):
            return lambda named: lamb_variant(name, named, lr)

        lr, tuned = tune(f"ablation {name}", make, first, *shape)
        test = losses(f"ablation {name}", make, [lr], SEEDS, *shape)[0].tolist()
        results["ablations"][name] = {"lr": lr, "tuning": tuned, "test": test}
        curve += [{"study": "ablation", "case": name, "batch": BATCH, "lr": lr, "test": round(t, 5)} for t in test]
    for name, first in UNTUNED.items():

        def make(lr, name=name):
            return lambda named: RECIPE[name](named, lr)

        base, tuned = tune(f"untuned {name} {BASE}", make, first, EXAMPLES // BASE, BASE, WARMUP)
        results["untuned"][name] = {"lr": base, "tuning": tuned}
        for batch in BATCHES:
            lr = base * sqrt_scaling(batch, BASE)
            test = losses(f"untuned {name} {batch}", make, [lr], SEEDS, EXAMPLES // batch, batch, WARMUP)[0].tolist()
            results["untuned"][name][str(batch)] = test
            curve += [{"study": "untuned", "case": name, "batch": batch, "lr": lr, "test": round(t, 5)} for t in test]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    main()
