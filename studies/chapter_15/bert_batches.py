"""The same 600,000 tokens in batches of 8 to 512 rows: AdamW, LAMB, LARS and SGD, tuned at each batch, and by a rule.

Every run is of the model `bench`. Tuned: every method gets three learning rates at every batch, centred on its own rate
times the root of the batch, and more where the best is at an edge (`best_rate`), with one seed; the best is run with
two more seeds. By the rule of You et al. 2020: AdamW and LAMB take the rate that is best at batch `base`, times the
root of the batch, and the same *number* of warm-up steps everywhere: a fifth of the steps at the largest batch, as
theirs are. A loss of 99 is a run that diverged. An hour on one core. Larger: tokens, seeds, batches. At size "gpu" a
BERT of 4 layers and width 256 on 20 million tokens, batches of 64 to 4,096 rows of 128: 7e14 operations in each of some
110 runs, half an hour at a tenth of the rate of an H200: estimated, not run.
"""

import json

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from studies.protocols import GPU_MODEL, SMALL_BERT, TOY_MODEL, losses, scaled, start, tune

RATES = {"adamw": [1e-3, 2e-3, 4e-3], "lamb": [5e-3, 1e-2, 2e-2], "lars": [1.0, 2.0, 4.0], "sgd": [0.1, 0.2, 0.4]}
RULED = ("adamw", "lamb")
SIZES = {
    "laptop": {"bench": SMALL_BERT, "batches": (8, 32, 128, 512), "base": 32, "rates": RATES, "seeds": (0, 1, 2)},
    "toy": {
        "bench": TOY_MODEL | {"tokens": 64},
        "batches": (2, 4),
        "base": 2,
        "rates": {name: rates[:1] for name, rates in RATES.items()},
        "seeds": (0,),
    },
    "gpu": {
        "bench": GPU_MODEL | {"tokens": 20_000_000, "micro_batch": 256},
        "batches": (64, 256, 1024, 4096),
        "base": 256,
        "precision": "fastest",
    },
}


def main(asked):
    plan = asked.plan
    study = Study("bert-batches", {"ruled": RULED, **vars(plan)}, asked=asked)

    def job(recipe, optimizer, batch, lr, seed, **changes):
        key = json.dumps([recipe, optimizer, batch, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes |= {"optimizer": optimizer, "batch_size": batch, "lr": lr, "seed": seed}
        return key, lambda: losses(asked, folder, **plan.bench | changes)

    first = {(o, b): scaled(plan.rates[o], b, plan.base) for o in plan.rates for b in plan.batches}
    chosen = tune(study, lambda case, lr: job("tuned", *case, lr, plan.seeds[0]), first)
    study.run([job("tuned", *case, chosen[case], seed) for case in first for seed in plan.seeds[1:]])

    warmup = round(plan.bench["tokens"] / (plan.bench["length"] * plan.batches[-1]) / 5)
    carried = {(o, b): scaled([chosen[o, plan.base]], b, plan.base)[0] for o in RULED for b in plan.batches}
    study.run([job("rule", *case, lr, seed, warmup=warmup) for case, lr in carried.items() for seed in plan.seeds])
    curve = []
    for key, points in study.saved["jobs"].items():
        row = dict(zip(("recipe", "optimizer", "batch", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    study.record(
        curve,
        {"chosen": {f"{o} {b}": lr for (o, b), lr in chosen.items()}, "rule's warm-up steps": warmup},
        docstrings(),
    )


if __name__ == "__main__":
    start(main, SIZES)
