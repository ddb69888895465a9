"""The run of `python -m minilib.training` with AdamW, LAMB, Adafactor and CAME, each at its own best learning rate.

Equal tuning: every method gets three learning rates, a factor 2 apart, with one seed, and then as many more on the
side of the best as it takes for the best to have a neighbour on either side (`best_rate`). The best is run with two
more seeds. All else (clipping, weight decay, warm-up, schedule) is as in the default run. 90 minutes on one core.
Larger: SEEDS.
"""

import json
from functools import partial
from pathlib import Path

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.experiments.tuning import best_rate
from studies.protocols import pretrain

RATES = {
    "adamw": [1e-3, 2e-3, 4e-3],
    "lamb": [5e-3, 1e-2, 2e-2],
    "adafactor": [1e-3, 2e-3, 4e-3],
    "came": [5e-4, 1e-3, 2e-3],
}
SEEDS = [0, 1, 2]


def curve(folder: Path, optimizer: str, lr: float, seed: int) -> list[dict]:
    """The rows of a run's curve at which it validated."""
    rows, _ = pretrain(folder / f"{optimizer}-{lr:g}-{seed}", optimizer=optimizer, lr=lr, seed=seed)
    return rows


def main():
    study = Study("bert-optimizers", {"rates": RATES, "seeds": SEEDS, "precision": "fp32"})

    def run(wanted):
        return study.run([(json.dumps(w), lambda w=w: curve(study.scratch, *w)) for w in wanted])

    def tuning_loss(name, lr):
        wanted = (name, lr, SEEDS[0])
        return run([wanted])[json.dumps(wanted)][-1]["validation_loss"]

    run([(name, lr, SEEDS[0]) for name, rates in RATES.items() for lr in rates])
    chosen = {name: best_rate(partial(tuning_loss, name), rates) for name, rates in RATES.items()}
    done = run([(name, lr, seed) for name, lr in chosen.items() for seed in SEEDS[1:]])
    points = []
    for key, rows in done.items():
        name, lr, seed = json.loads(key)
        points += [{"optimizer": name, "rate": lr, "seed": seed} | row for row in rows]
    study.record(points, {"chosen": chosen}, docstrings())


if __name__ == "__main__":
    main()
