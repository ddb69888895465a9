"""LAMB on the transformer: one knob at a time, and the untuned recipe from batch 64 to 4,096, on masked words.

Ablations (the variants of lamb-ablations that matter most): batch 256, 500 steps, seven learning rates (factor 2)
on one seed, five fresh seeds for the best. The untuned recipe, as in lamb-untuned: seven rates at batch BASE on one
seed, then the root rule and nothing else, five fresh seeds a batch; every run sees `examples` chunks, the warm-up is a
constant number of steps, a fifth of the run at the largest batch. Larger: seeds, steps, examples. About
half an hour on one core.
"""

import numpy as np

from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim import LAMB, LARS, AdamW, parameter_groups
from minilib.schedules import polynomial, sqrt_scaling, warmup
from studies.protocols import LAMB_VARIANTS, NUMPY, inside, lamb_variant, start, words
from studies.study import Study

TUNING_SEED, TRUST = 100, 0.02
SIZES = {
    "laptop": {
        "batch": 256,
        "steps": 500,
        "count": 7,
        "seeds": (0, 1, 2, 3, 4),
        "base": 64,
        "batches": (64, 256, 1024, 4096),
        "examples": 2**18,
    },
    "toy": {"batch": 8, "steps": 2, "count": 1, "seeds": (0,), "base": 4, "batches": (4, 8), "examples": 16},
}
FIRST = {"LAMB": 0.00125, "phi: constant 1": 0.005, "no warm-up": 0.00125, "no bias correction": 0.00125}
FIRST |= {"neither": 0.00125, "decay 1 inside": 0.00125, "decay 1 outside": 0.00125, "nothing excluded": 0.00125}
FIRST |= {"max-norm": 0.00125, "AdamW": 0.000625}
UNTUNED = {"LAMB": 0.000625, "AdamW": 0.0003125, "LARS": 0.0125}
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


def main(asked):
    plan = asked.plan
    warm_up = plan.examples // plan.batches[-1] // 5
    config = {"first": FIRST, "untuned": UNTUNED, "warmup": warm_up, "trust": TRUST, "tuning_seed": TUNING_SEED}
    study = Study("lamb-words", config | vars(plan), asked=asked)

    def losses(key, make, rates, seeds, *shape):
        """Test losses (rates, seeds); `make(lr)` gives the function of named parameters."""
        keys = [[f"{key} {lr:.8g} {seed}" for seed in seeds] for lr in rates]
        cases = [(keys[i][j], lr, seed) for i, lr in enumerate(rates) for j, seed in enumerate(seeds)]
        done = study.run((k, lambda lr=lr, seed=seed: one(make(lr), *shape, seed)) for k, lr, seed in cases)
        return np.array([[done[k] for k in row] for row in keys])

    def tune(key, make, first, *shape):
        """The rate with the lowest loss on the tuning seed, and all losses."""
        rates = [first * 2**k for k in range(plan.count)]
        tuned = losses(key, make, rates, [TUNING_SEED], *shape)[:, 0]
        return inside(study, rates, tuned, repr(key)), tuned.round(5).tolist()

    curve, results = [], {"unigram": words().unigram_entropy(), "ablations": {}, "untuned": {}}
    for name, first in FIRST.items():
        shape = (plan.steps, plan.batch, plan.steps // 10 if LAMB_VARIANTS[name].warm_up else 0)

        def make(lr, name=name):
            return lambda named: lamb_variant(name, named, lr)

        lr, tuned = tune(f"ablation {name}", make, first, *shape)
        test = losses(f"ablation {name}", make, [lr], plan.seeds, *shape)[0].tolist()
        results["ablations"][name] = {"lr": lr, "tuning": tuned, "test": test}
        curve += [{"study": "ablation", "case": name, "batch": plan.batch, "lr": lr, "test": round(t, 5)} for t in test]
    for name, first in UNTUNED.items():

        def make(lr, name=name):
            return lambda named: RECIPE[name](named, lr)

        base, tuned = tune(f"untuned {name} {plan.base}", make, first, plan.examples // plan.base, plan.base, warm_up)
        results["untuned"][name] = {"lr": base, "tuning": tuned}
        for batch in plan.batches:
            lr = base * sqrt_scaling(batch, plan.base)
            shape = (plan.examples // batch, batch, warm_up)
            test = losses(f"untuned {name} {batch}", make, [lr], plan.seeds, *shape)[0].tolist()
            results["untuned"][name][str(batch)] = test
            curve += [{"study": "untuned", "case": name, "batch": batch, "lr": lr, "test": round(t, 5)} for t in test]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
