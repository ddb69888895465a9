"""A method on the BERT of `bert-below` at 64 rows, with another memory of squares, another decay or a longer warm-up.

What two studies share: `bert-corners` asks AdamW, `bert-corners-lamb` asks LAMB. What is to be decided stands in
`studies/designs.md`, which was written before the runs. `bert-below` tuned the rate alone. Here each change is made
alone, and gets three rates, half an octave apart, around the recorded best one, and more while the best is at an edge.
The seed that tunes chooses a corner; where it is not the recorded one, the seeds that judge run there.
"""

import json
from math import sqrt

import numpy as np

from minilib.data import docstrings
from minilib.experiments import records
from studies.held_out import curve_and_test
from studies.pretraining import TOY_MODEL
from studies.rates import three_digits, widened
from studies.study import Study

RECORDED = (0.999, 0.01, 0.1)  # beta2, weight decay and the share of the warm-up in `bert-below`
CORNERS = ((0.98, 0.01, 0.1), (0.95, 0.01, 0.1), (0.999, 0.1, 0.1), (0.999, 0.01, 0.2))
SIZES = {
    "laptop": {
        "bench": {"vocabulary": 4096, "length": 64, "modern": True, "warmup": 0.1, "schedule": "linear"},
        "batch": 64,
        "tokens": 7_000_000,
        "corners": CORNERS,
        "seeds": (100, 0, 1, 2, 3, 4),
    },
    "toy": {
        "bench": {key: TOY_MODEL[key] for key in TOY_MODEL if key != "evaluate_rows"},
        "batch": 4,
        "tokens": 64,
        "corners": CORNERS[:1],
        "seeds": (100, 0),
    },
}
WHY = "it is compared with the record of bert-below, which was made on one"


def corners(study: Study, optimizer: str) -> None:
    """Makes and records the study, for this optimizer."""
    asked, plan = study.asked, study.asked.plan
    tuning, *fresh = plan.seeds
    below = records.load("bert-below")
    kept = below.run["results"]["chosen"][f"64 {optimizer}"]
    tried = [r for r in below.curve if (r["batch"], r["optimizer"], r["seed"]) == (64, optimizer, 100)]

    def job(corner, lr, seed):
        key = json.dumps([*corner, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = dict(zip(("beta2", "weight_decay", "warmup"), corner, strict=True))
        changes |= {"optimizer": optimizer, "lr": lr, "seed": seed}
        changes |= {"batch_size": plan.batch, "tokens": plan.tokens}
        return key, lambda: curve_and_test(asked, folder, plan.bench, seed != tuning, **changes)

    def last(corner, lr):
        return study.saved["jobs"][job(corner, lr, tuning)[0]]["curve"][-1][1]

    grids = {corner: [three_digits(kept * sqrt(2) ** k) for k in (-1, 0, 1)] for corner in plan.corners}
    chosen = {RECORDED: kept}
    while len(chosen) <= len(grids):
        study.run([job(corner, lr, tuning) for corner, grid in grids.items() for lr in grid])
        for corner in grids.keys() - chosen.keys():
            found = [last(corner, lr) for lr in grids[corner]]
            grid = grids[corner] if study.toy else widened(grids[corner], found, sqrt(2))
            if grid == grids[corner]:
                chosen[corner] = grid[int(np.argmin(found))]
            grids[corner] = grid
    found = {corner: last(corner, chosen[corner]) for corner in grids}
    found[RECORDED] = [r["loss"] for r in tried if r["rate"] == kept][-1]
    best = min(found, key=found.get)
    judged = [] if best == RECORDED else [job(best, chosen[best], seed) for seed in fresh]
    done = study.run(judged)
    test = {str(seed): done[key]["test"] for seed, (key, _) in zip(fresh, judged, strict=False)}
    curve = []
    for key, result in study.saved["jobs"].items():
        row = dict(zip(("beta2", "weight_decay", "warmup", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in result["curve"]]
    told = [{"corner": corner, "rate": chosen[corner], "tuning": found[corner]} for corner in (*grids, RECORDED)]
    study.record(curve, {"corners": told, "best": best, "test": test}, docstrings())
