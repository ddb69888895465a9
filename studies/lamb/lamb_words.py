"""The untuned recipe for LAMB and AdamW from batch 64 to 1,024, on masked words.

As in lamb-untuned: seven rates at batch BASE on one seed, then nothing is tuned, ten fresh seeds a batch by the root
rule, and AdamW also with its rate kept; every run sees `examples` chunks, the warm-up is a constant number of steps.
Three sets of words: rates are chosen by the loss on the validation chunks, and the losses that count are those on test
chunks, which nothing else has seen.

What is asked, of test losses in nats, paired by seed, where 0.05 nats matter: is LAMB by the root lower than AdamW by
the root at each of three batches, and than AdamW with its rate kept at the two larger ones (one family of five)? An
earlier record chose its rates by the test loss and had five other seeds, LARS, a batch of 4,096 (where all methods
stayed at word frequencies) and LAMB's variants, of which lamb-ablations has more.
Larger: seeds, examples. Twenty minutes on one core.
"""

import numpy as np

from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim import LAMB, AdamW, parameter_groups
from minilib.schedules import polynomial, sqrt_scaling, warmup
from studies.command import NUMPY, start
from studies.rates import inside
from studies.study import Study
from studies.tasks import scored

TUNING_SEED = 100
SIZES = {
    "laptop": {
        "count": 7,
        "seeds": tuple(range(10, 20)),
        "base": 64,
        "batches": (64, 256, 1024),
        "examples": 2**18,
        "warmup": 12,
    },
    "toy": {"count": 1, "seeds": (0,), "base": 4, "batches": (4, 8), "examples": 16, "warmup": 0},
}
FIRST = {"LAMB": 0.000625, "AdamW": 0.0003125}
RECIPE = {
    "LAMB": lambda named, lr: LAMB(parameter_groups(named, 0.01, layer_adaptation=False), lr=lr),
    "AdamW": lambda named, lr: AdamW(parameter_groups(named, 0.01), lr=lr),
}
RULES = {"LAMB": ("root",), "AdamW": ("root", "kept")}


def one(method, lr, batch, seed, plan):
    """Losses on validation and test words at the end, 99 when the run diverged."""
    steps = plan.examples // batch

    def schedule(t):
        return warmup(t, plan.warmup) * polynomial(t, steps)

    run = train(scored("words"), lambda named: RECIPE[method](named, lr), steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, 99.0]
    with np.errstate(over="ignore", invalid="ignore"):
        losses = scored("words").scores(run.model)
    return [min(99.0, loss) if np.isfinite(loss) else 99.0 for loss in losses]


def main(asked):
    plan = asked.plan
    study = Study("lamb-words", {"first": FIRST, "tuning_seed": TUNING_SEED} | vars(plan), asked=asked)

    def losses(method, batch, rates, seeds):
        """Losses (rates, seeds, validation and test)."""
        keys = [[f"{method} {batch} {lr:.8g} {seed}" for seed in seeds] for lr in rates]
        cases = [(keys[i][j], lr, seed) for i, lr in enumerate(rates) for j, seed in enumerate(seeds)]
        done = study.run((k, lambda lr=lr, seed=seed: one(method, lr, batch, seed, plan)) for k, lr, seed in cases)
        return np.array([[done[k] for k in row] for row in keys])

    results = {"unigram": scored("words").unigram_entropy()}
    for method, first in FIRST.items():
        rates = [first * 2**k for k in range(plan.count)]
        tuned = losses(method, plan.base, rates, [TUNING_SEED])[:, 0, 0]
        results[method] = {"lr": inside(study, rates, tuned, method), "rates": rates, "tuning": tuned.round(5).tolist()}
    cases = [(method, rule, batch) for method in FIRST for rule in RULES[method] for batch in plan.batches]

    def rate(method, rule, batch):
        return results[method]["lr"] * (sqrt_scaling(batch, plan.base) if rule == "root" else 1)

    half = len(plan.seeds) // 2
    for seeds in (plan.seeds[:half], plan.seeds):  # all cases with half of the seeds first
        for method, rule, batch in cases:
            losses(method, batch, [rate(method, rule, batch)], seeds)
    curve = []
    for method, rule, batch in cases:
        lr = rate(method, rule, batch)
        test = losses(method, batch, [lr], plan.seeds)[0, :, 1].tolist()
        results[method].setdefault(rule, {})[str(batch)] = test
        row = {"optimizer": method, "rule": rule, "batch": batch, "lr": lr}
        curve += [row | {"seed": seed, "test": round(t, 5)} for seed, t in zip(plan.seeds, test, strict=True)]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
