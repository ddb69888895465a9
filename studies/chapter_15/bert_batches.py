"""The same 600,000 tokens in batches of 8 to 512 rows: AdamW, LAMB, LARS and SGD, tuned at each batch, and by a rule.

Every run is of `protocols.SMALL_BERT`. Tuned: every method gets three learning rates at every batch, centred on its own
rate times the root of the batch, and more where the best is at an edge (`best_rate`), with one seed; the best is run
with two more seeds. By the rule of You et al. 2020: AdamW and LAMB take the rate that is best at batch BASE, times the
root of the batch, and the same *number* of warm-up steps everywhere: a fifth of the steps at the largest batch, as
theirs are. A loss of 99 is a run that diverged. An hour on one core. Larger: SMALL_BERT["tokens"], SEEDS, BATCHES.
"""

import json

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from studies.protocols import SMALL_BERT, losses, scaled, tune

BATCHES, BASE = (8, 32, 128, 512), 32
RATES = {"adamw": [1e-3, 2e-3, 4e-3], "lamb": [5e-3, 1e-2, 2e-2], "lars": [1.0, 2.0, 4.0], "sgd": [0.1, 0.2, 0.4]}
RULED = ("adamw", "lamb")
SEEDS = (0, 1, 2)


def main():
    settings = {"bench": SMALL_BERT, "batches": BATCHES, "base": BASE, "rates": RATES, "ruled": RULED, "seeds": SEEDS}
    study = Study("bert-batches", settings)

    def job(recipe, optimizer, batch, lr, seed, **changes):
        key = json.dumps([recipe, optimizer, batch, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes |= {"optimizer": optimizer, "batch_size": batch, "lr": lr, "seed": seed}
        return key, lambda: losses(folder, **changes)

    first = {(o, b): scaled(RATES[o], b, BASE) for o in RATES for b in BATCHES}
    chosen = tune(study, lambda case, lr: job("tuned", *case, lr, SEEDS[0]), first)
    study.run([job("tuned", *case, chosen[case], seed) for case in first for seed in SEEDS[1:]])

    warmup = round(SMALL_BERT["tokens"] / (SMALL_BERT["length"] * BATCHES[-1]) / 5)
    carried = {(o, b): scaled([chosen[o, BASE]], b, BASE)[0] for o in RULED for b in BATCHES}
    study.run([job("rule", *case, lr, seed, warmup=warmup) for case, lr in carried.items() for seed in SEEDS])
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
    main()
