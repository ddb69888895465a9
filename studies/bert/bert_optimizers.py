"""The run of `python -m minilib.training` with AdamW, LAMB, Adafactor and CAME, each at its own best learning rate.

CAME is there twice: as published, and with its confidence corrected for the start. Equal tuning: every method gets
three learning rates, a factor 2 apart, with one seed, and then as many more on the side of the best as it takes for the
best to have a neighbour on either side (`best_rate`). The best is run with five more seeds. All else (clipping, weight
decay, warm-up, schedule) is as in the default run. Two and a half hours on one core. Larger: seeds. At size "gpu" a
BERT of 4 layers and width 256 on 50 million tokens: 2e15 operations in each of some 45 runs, half an hour at a tenth of
the rate of an H200: estimated, not run.
"""

import json
from functools import partial

from minilib.data import docstrings
from studies.command import start
from studies.pretraining import GPU_RUN, TOY_RUN, pretrain
from studies.rates import best_rate
from studies.study import Study

RATES = {
    "adamw": [1e-3, 2e-3, 4e-3],
    "lamb": [5e-3, 1e-2, 2e-2],
    "adafactor": [1e-3, 2e-3, 4e-3],
    "came": [5e-4, 1e-3, 2e-3],
    "came-corrected": [1e-3, 2e-3, 4e-3],
}
SIZES = {
    "laptop": {"rates": RATES, "seeds": [0, 1, 2, 3, 4, 5], "bench": {}},
    "toy": {"rates": {name: rates[:1] for name, rates in RATES.items()}, "seeds": [0, 1], "bench": TOY_RUN},
    "gpu": {"bench": GPU_RUN, "precision": "fastest"},
}


def main(asked):
    plan = asked.plan
    config = {"rates": plan.rates, "seeds": plan.seeds, "precision": asked.precision}
    study = Study("bert-optimizers", config, asked=asked)

    def curve(optimizer, lr, seed):
        """The rows of a run's curve at which it validated."""
        changes = {"optimizer": optimizer, "lr": lr, "seed": seed}
        return pretrain(asked, study.scratch / f"{optimizer}-{lr:g}-{seed}", **plan.bench | changes)[0]

    def run(wanted):
        return study.run([(json.dumps(w), lambda w=w: curve(*w)) for w in wanted])

    def tuning_loss(name, lr):
        wanted = (name, lr, plan.seeds[0])
        return run([wanted])[json.dumps(wanted)][-1]["validation_loss"]

    run([(name, lr, plan.seeds[0]) for name, rates in plan.rates.items() for lr in rates])
    chosen = {name: best_rate(study, partial(tuning_loss, name), rates) for name, rates in plan.rates.items()}
    done = run([(name, lr, seed) for name, lr in chosen.items() for seed in plan.seeds[1:]])
    points = []
    for key, rows in done.items():
        name, lr, seed = json.loads(key)
        points += [{"optimizer": name, "rate": lr, "seed": seed} | row for row in rows]
    study.record(points, {"chosen": chosen}, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
