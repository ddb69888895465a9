"""One budget of operations, each size with its own batch: does the largest model win when it is given more steps?

In `gpt2-compressed` every size has batches of 64 rows, so that four layers of width 128 take 602 steps. Here the two
sizes that matter are tuned with the first seed at fewer rows, too: octaves of rates around the rule of the root at each
batch (`best_rate`), then half octaves around the best of all; what the record has at 64 rows counts. The largest gets
one batch more, `fewest`, where the smallest of the `batches` is its best. Fresh seeds judge each size at its own batch
and rate. The largest at `too_many` rows must lose. What is claimed, and the power, stand in `studies/designs.md`. 70
minutes on one core. Larger: budget, sizes. At size "gpu" 4 layers of width 256 and 8 of width 512, without a record at
the largest batch, 5e15 operations in each of some 30 runs: 50 minutes at a tenth of the rate of an H200: estimated, not
run.
"""

import json

import torch

from minilib.data import docstrings
from minilib.experiments import records
from studies.command import start
from studies.compressing import operations, spend
from studies.pretraining import GPT2, GPU_MODEL, TOY_MODEL
from studies.rates import scaled, tune
from studies.study import Study

SIZES = {
    "laptop": {
        "bench": {"model": "gpt2", "vocabulary": 2048, "length": 32, "evaluate_rows": 1024},
        "budget": 8e12,
        "sizes": [((2, 64), 1.6e-2), ((4, 128), 4e-3)],  # layers and width; the best rate at `base` rows
        "base": 64,
        "batches": (32, 16),
        "fewest": 8,
        "too_many": 256,
        "seeds": GPT2["seeds"],
    },
    "toy": {
        "bench": {key: TOY_MODEL[key] for key in ("corpus", "vocabulary", "length", "evaluate_rows")}
        | {"model": "gpt2"},
        "budget": 4e6,
        "sizes": [((1, 16), 4e-3), ((2, 16), 4e-3)],
        "base": 8,
        "batches": (4, 2),
        "fewest": 1,
        "too_many": 16,
        "seeds": (100, 0),
    },
    "gpu": {
        "bench": {key: GPU_MODEL[key] for key in ("vocabulary", "length", "evaluate_rows")}
        | {"model": "gpt2", "micro_batch": 32},
        "budget": 5e15,
        "sizes": [((4, 256), 2e-3), ((8, 512), 1e-3)],
        "base": 256,
        "batches": (128, 64),
        "fewest": 32,
        "too_many": 1024,
        "precision": "fastest",
    },
}


def known(study: Study, size) -> dict[float, float]:
    """Rate -> loss of the tuning seed at `base` rows, of the book's record."""
    if study.asked.size != "laptop":
        return {}
    runs = records.load("gpt2-compressed").run["results"]["pretrained"]
    found = {tuple(json.loads(key)): points[-1] for key, points in runs.items()}
    return {
        lr: loss for (*of, lr, seed), loss in found.items() if tuple(of) == size and seed == study.asked.plan.seeds[0]
    }


def main(asked):
    torch.set_num_threads(1)
    plan = asked.plan
    study = Study("gpt2-tuned-batch", {k: v for k, v in vars(plan).items() if k != "precision"}, asked=asked)
    tokens = {size: plan.budget / operations(plan.bench, size) for size, _ in plan.sizes}

    def job(case, lr, seed=plan.seeds[0]):
        (*size, rows), key = case, json.dumps([*case, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        return key, lambda: spend(study, folder, size, tokens[tuple(size)], lr=lr, seed=seed, batch_size=rows)

    def octaves(case, at_base):
        return scaled([at_base / 2, at_base, 2 * at_base], case[2], plan.base)

    def tuned(case):
        """Rate -> loss of all that were tried for this case with the tuning seed."""
        of = {tuple(json.loads(key)): points[-1][-1] for key, points in study.saved["jobs"].items()}
        new = {lr: loss for (*at, lr, seed), loss in of.items() if tuple(at) == case and seed == plan.seeds[0]}
        return new | (known(study, case[:2]) if case[2] == plan.base else {})

    chosen = {}
    for k, (size, at_base) in enumerate(plan.sizes):
        cases = [(*size, rows) for rows in plan.batches]
        tune(study, job, {case: octaves(case, at_base) for case in cases})
        scores = {case: min(tuned(case).values()) for case in cases + [(*size, plan.base)] if tuned(case)}
        if k == len(plan.sizes) - 1 and min(scores, key=scores.get) == cases[-1]:
            case = (*size, plan.fewest)
            tune(study, job, {case: octaves(case, at_base)})
            scores[case] = min(tuned(case).values())
        case = min(scores, key=scores.get)
        best = min(tuned(case), key=tuned(case).get)
        study.run([job(case, float(f"{best * 2.0**half:.3g}")) for half in (-0.5, 0.5)])
        chosen[case] = min(tuned(case), key=tuned(case).get)
    study.run([job(case, lr, seed) for seed in plan.seeds[1:] for case, lr in chosen.items()])
    largest, at_base = plan.sizes[-1]
    loser = (*largest, plan.too_many)
    study.run([job(loser, scaled([at_base], plan.too_many, plan.base)[0], seed) for seed in plan.seeds[1:3]])
    names, curve = ("layers", "width", "batch", "rate", "seed"), []
    for key, points in study.saved["jobs"].items():
        row = dict(zip(names, json.loads(key), strict=True))
        curve += [row | {"tokens": seen, "loss": loss} for seen, loss in points]
    study.record(curve, {"chosen": {"{} {} {}".format(*case): lr for case, lr in chosen.items()}}, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
