"""Every method tuned alike: over its memory of squares, its decay, its warm-up, and its rate at each of them.

What is to be decided stands in `studies/designs.md`, "Both sides tuned alike", written before the runs. One change is
made at a time from the recorded setting; then the best change of each knob that lowered the loss are made together.
Each setting gets three rates, half an octave apart, and more while the best is at an edge. The first seed tunes; the
others judge each method at its best setting. Absent on purpose: CAME's beta3, which is never tuned.
"""

import json
from math import sqrt

import numpy as np

from minilib.data import docstrings
from studies.pretraining import counting, losses
from studies.rates import three_digits, widened
from studies.study import Study

KNOBS = ("beta2", "weight_decay", "warmup")
RECORDED = (0.999, 0.01, 0.2)
CHANGES = ((0.98, 0.01, 0.2), (0.95, 0.01, 0.2), (0.9, 0.01, 0.2), (0.999, 0.1, 0.2), (0.999, 0.01, 0.05))
LOSER = "adamw"  # at an eighth of its rate it must lose


def together(found: dict) -> tuple:
    """Of each knob the change whose loss is lowest, where one is lower than that of RECORDED."""
    best = list(RECORDED)
    for k in range(len(KNOBS)):
        changed = {setting: loss for setting, loss in found.items() if setting[k] != RECORDED[k]}
        if changed and min(changed.values()) < found[RECORDED]:
            best[k] = min(changed, key=changed.get)[k]
    return tuple(best)


def tune_alike(study: Study) -> None:
    """Makes and records the study; its plan has what `pretraining.GPT2` has, one model, one batch, and `middles`."""
    asked, plan = study.asked, study.asked.plan
    (model,), (batch,), (tuning, *fresh) = plan.models, plan.batches, plan.seeds

    def job(name, setting, lr, seed):
        key = json.dumps([name, *setting, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = dict(zip(KNOBS, setting, strict=True)) | {"optimizer": name, "lr": lr, "seed": seed}
        changes |= {"model": model, "batch_size": batch, "tokens": plan.tokens}
        return key, lambda: losses(asked, folder, 16, **plan.bench | changes)

    def last(*run):
        return study.run([job(*run)])[job(*run)[0]][-1][1]

    def search(name, setting):
        """The best rate of a setting, and its loss."""
        grid = [three_digits(plan.middles[name] * sqrt(2) ** k) for k in (-1, 0, 1)]
        while True:
            found = [last(name, setting, lr, tuning) for lr in grid]
            wider = grid if study.toy else widened(grid, found, sqrt(2))
            if wider == grid:
                return grid[int(np.argmin(found))], min(found)
            grid = wider

    settings, chosen = {}, {}
    for name in plan.middles:
        tried = {setting: search(name, setting) for setting in (RECORDED, *plan.changes)}
        both = together({setting: loss for setting, (_, loss) in tried.items()})
        tried[both] = search(name, both)  # one of those tried, perhaps: its runs are there
        best = min(tried, key=lambda setting: tried[setting][1])
        settings[name] = [[*setting, *tried[setting]] for setting in tried]
        chosen[name] = [*best, tried[best][0]]
        arms = {best: tried[best][0], RECORDED: tried[RECORDED][0]}
        study.run([job(name, setting, lr, seed) for seed in fresh for setting, lr in arms.items()])
    *setting, lr = chosen[LOSER]
    loser = three_digits(lr / 8)
    study.run([job(LOSER, setting, loser, seed) for seed in fresh])
    results = {"chosen": chosen, "settings": settings, "loser": [*setting, loser]}
    results |= study.run([("counting", lambda: counting(model, **plan.bench))])
    curve = []
    for key, points in study.saved["jobs"].items():
        if key != "counting":
            row = dict(zip(("optimizer", *KNOBS, "rate", "seed"), json.loads(key), strict=True))
            curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    study.record(curve, {name: results[name] for name in ("chosen", "settings", "loser", "counting")}, docstrings())
