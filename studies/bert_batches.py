"""The same 600,000 tokens in batches of 8 to 512 rows: AdamW, LAMB, LARS and SGD, tuned at each batch, and by a rule.

A small BERT (BENCH). Tuned: every method gets three learning rates at every batch, centred on its own rate times the
root of the batch, and more where the best is at an edge (`best_rate`), with one seed; the best is run with two
more seeds. By the rule of You et al. 2020: AdamW and LAMB take the rate that is best at batch BASE, times the root of
the batch, and the same *number* of warm-up steps everywhere: a fifth of the steps at the largest batch, as theirs are.
A loss of 99 is a run that diverged. An hour on one core. Larger: BENCH["tokens"], SEEDS, BATCHES.
"""

import json
from functools import partial
from math import sqrt
from pathlib import Path

from bert_laptop import one

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.experiments.tuning import best_rate
from minilib.training.config import Config
from minilib.training.trainer import Diverged

BENCH = {"vocabulary": 2048, "layers": 2, "width": 64, "length": 32, "tokens": 600_000, "evaluate_rows": 1024}
BATCHES, BASE = (8, 32, 128, 512), 32
RATES = {"adamw": [1e-3, 2e-3, 4e-3], "lamb": [5e-3, 1e-2, 2e-2], "lars": [1.0, 2.0, 4.0], "sgd": [0.1, 0.2, 0.4]}
RULED = ("adamw", "lamb")
SEEDS = (0, 1, 2)
LOOKS = 8  # validations a run


def losses(folder: Path, looks: int = LOOKS, **changes) -> list[list[float]]:
    """Tokens and validation loss at (about) so many looks at a run of BENCH with changes, the last look last.

    A run that diverged has one row: 0 and 99.
    """
    settings = BENCH | changes
    often = max(1, sum(phase.steps for phase in Config(**settings).plan) // looks)
    try:
        rows, _ = one(folder, **settings, evaluate_every=often, log_every=often, save_every=10**6)
    except Diverged:
        return [[0, 99.0]]
    return [[row["tokens"], round(row["validation_loss"], 4)] for row in rows]


def main():
    settings = {"bench": BENCH, "batches": BATCHES, "base": BASE, "rates": RATES, "ruled": RULED, "seeds": SEEDS}
    study = Study("bert-batches", settings)

    def job(recipe, optimizer, batch, lr, seed, **changes):
        key = json.dumps([recipe, optimizer, batch, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes |= {"optimizer": optimizer, "batch_size": batch, "lr": lr, "seed": seed}
        return key, lambda: losses(folder, **changes)

    def tuning_loss(optimizer, batch, lr):
        key, looks = job("tuned", optimizer, batch, lr, SEEDS[0])
        return study.run([(key, looks)])[key][-1][1]

    cases = [(optimizer, batch) for optimizer in RATES for batch in BATCHES]
    first = {(o, b): [float(f"{lr * sqrt(b / BASE):.3g}") for lr in RATES[o]] for o, b in cases}
    study.run([job("tuned", *case, lr, SEEDS[0]) for case in cases for lr in first[case]])
    chosen = {case: best_rate(partial(tuning_loss, *case), first[case]) for case in cases}
    study.run([job("tuned", *case, chosen[case], seed) for case in cases for seed in SEEDS[1:]])

    warmup = round(BENCH["tokens"] / (BENCH["length"] * BATCHES[-1]) / 5)
    carried = {(o, b): float(f"{chosen[o, BASE] * sqrt(b / BASE):.3g}") for o in RULED for b in BATCHES}
    study.run([job("rule", *case, lr, seed, warmup=warmup) for case, lr in carried.items() for seed in SEEDS])
    curve = []
    for key, looks in study.saved["jobs"].items():
        row = dict(zip(("recipe", "optimizer", "batch", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in looks]
    study.record(
        curve,
        {"chosen": {f"{o} {b}": lr for (o, b), lr in chosen.items()}, "rule's warm-up steps": warmup},
        docstrings(),
    )


if __name__ == "__main__":
    main()
