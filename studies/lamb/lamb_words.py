"""LAMB on the transformer: one knob at a time, and the untuned recipe from batch 64 to 1,024, on masked words.

Ablations (the variants of lamb-ablations that matter most): batch 256, 500 steps, seven learning rates (factor 2)
on one seed, ten fresh seeds for the best. The untuned recipe, as in lamb-untuned: seven rates at batch BASE on one
seed, then nothing is tuned, ten fresh seeds a batch by the root rule, and AdamW also with its rate kept; every run sees
`examples` chunks, the warm-up is a constant number of steps. Three sets of words: rates are chosen by the loss on the
validation chunks, and the losses that count are those on test chunks, which nothing else has seen.

What is asked, of test losses in nats, paired by seed, where 0.05 nats matter: is LAMB by the root lower than AdamW by
the root at each of three batches, and than AdamW with its rate kept at the two larger ones (one family of five); is
LAMB lower than each of the six others in the ablations (one family)? An earlier record chose its rates by the test
loss, had five other seeds, LARS, a batch of 4,096 (where all methods stayed at word frequencies) and three more
variants that it could not tell from LAMB. Larger: seeds, steps, examples. Half an hour on one core.
"""

import numpy as np

from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim import LAMB, AdamW, parameter_groups
from minilib.schedules import polynomial, sqrt_scaling, warmup
from studies.protocols import LAMB_VARIANTS, NUMPY, inside, lamb_variant, scored, start
from studies.study import Study

TUNING_SEED = 100
SIZES = {
    "laptop": {
        "batch": 256,
        "steps": 500,
        "count": 7,
        "seeds": tuple(range(10, 20)),
        "base": 64,
        "batches": (64, 256, 1024),
        "examples": 2**18,
        "warmup": 12,
    },
    "toy": {
        "batch": 8,
        "steps": 2,
        "count": 1,
        "seeds": (0,),
        "base": 4,
        "batches": (4, 8),
        "examples": 16,
        "warmup": 0,
    },
}
FIRST = {"LAMB": 0.00125, "phi: constant 1": 0.005, "neither": 0.00125, "decay 1 inside": 0.00125}
FIRST |= {"decay 1 outside": 0.00125, "nothing excluded": 0.00125, "AdamW": 0.000625}
UNTUNED = {"LAMB": 0.000625, "AdamW": 0.0003125}
RECIPE = {
    "LAMB": lambda named, lr: LAMB(parameter_groups(named, 0.01, layer_adaptation=False), lr=lr),
    "AdamW": lambda named, lr: AdamW(parameter_groups(named, 0.01), lr=lr),
}


def one(make, steps, batch, warm, seed):
    """Losses on validation and test words at the end, 99 when the run diverged."""

    def schedule(t):
        return warmup(t, warm) * polynomial(t, steps)

    run = train(scored("words"), make, steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, 99.0]
    with np.errstate(over="ignore", invalid="ignore"):
        losses = scored("words").scores(run.model)
    return [min(99.0, loss) if np.isfinite(loss) else 99.0 for loss in losses]


def main(asked):
    plan = asked.plan
    config = {"first": FIRST, "untuned": UNTUNED, "tuning_seed": TUNING_SEED}
    study = Study("lamb-words", config | vars(plan), asked=asked)

    def losses(key, make, rates, seeds, *shape):
        """Losses (rates, seeds, validation and test); `make(lr)` gives the function of named parameters."""
        keys = [[f"{key} {lr:.8g} {seed}" for seed in seeds] for lr in rates]
        cases = [(keys[i][j], lr, seed) for i, lr in enumerate(rates) for j, seed in enumerate(seeds)]
        done = study.run((k, lambda lr=lr, seed=seed: one(make(lr), *shape, seed)) for k, lr, seed in cases)
        return np.array([[done[k] for k in row] for row in keys])

    def tune(key, make, first, *shape):
        """The rate with the lowest validation loss on the tuning seed, and all these losses."""
        rates = [first * 2**k for k in range(plan.count)]
        tuned = losses(key, make, rates, [TUNING_SEED], *shape)[:, 0, 0]
        return inside(study, rates, tuned, repr(key)), tuned.round(5).tolist()

    curve, results = [], {"unigram": scored("words").unigram_entropy(), "ablations": {}, "untuned": {}}
    for name, first in FIRST.items():
        shape = (plan.steps, plan.batch, plan.steps // 10 if LAMB_VARIANTS[name].warm_up else 0)

        def make(lr, name=name):
            return lambda named: lamb_variant(name, named, lr)

        lr, tuned = tune(f"ablation {name}", make, first, *shape)
        test = losses(f"ablation {name}", make, [lr], plan.seeds, *shape)[0, :, 1].tolist()
        results["ablations"][name] = {"lr": lr, "tuning": tuned, "test": test}
        curve += [{"study": "ablation", "case": name, "batch": plan.batch, "lr": lr, "test": round(t, 5)} for t in test]
    for name, first in UNTUNED.items():

        def make(lr, name=name):
            return lambda named: RECIPE[name](named, lr)

        base, tuned = tune(
            f"untuned {name} {plan.base}", make, first, plan.examples // plan.base, plan.base, plan.warmup
        )
        results["untuned"][name] = {"lr": base, "tuning": tuned}
        for rule in ("root", "kept")[: 1 + (name == "AdamW")]:
            for batch in plan.batches:
                lr = base * (sqrt_scaling(batch, plan.base) if rule == "root" else 1)
                shape = (plan.examples // batch, batch, plan.warmup)
                test = losses(f"untuned {name} {batch}", make, [lr], plan.seeds, *shape)[0, :, 1].tolist()
                results["untuned"][name].setdefault(rule, {})[str(batch)] = test
                row = {"study": rule, "case": name, "batch": batch, "lr": lr}
                curve += [row | {"test": round(t, 5)} for t in test]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
