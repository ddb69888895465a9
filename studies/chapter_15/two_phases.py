"""Short rows first, then long ones: LAMB's two phases on a small BERT, with and without a second warm-up.

The shape is that of You et al. 2020 (7,037 steps of 65,536 rows of 128, then 1,562 steps of 32,768 rows of 512): rows
four times as long and half as many, nine tenths of the rows short, in all `tokens` tokens. Against it: long rows from
the first step, for as many tokens. Both get three peak rates, more where the best is at an edge, with one seed (the
second phase's peak is the first's over the root of two); "cold" is the two phases at the rate so chosen, the second at
its peak from its first step. Every loss is on long rows. 10 minutes on one core. Larger: tokens, seeds. At size "gpu" a
BERT of 4 layers and width 256 on 20 million tokens, rows of 128 and 512: 7e14 operations in each of some 14 runs, 5
minutes at a tenth of the rate of an H200: estimated, not run.
"""

import json
from math import sqrt

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from studies.protocols import GPU_MODEL, TOY_MODEL, losses, start, tune

SIZES = {
    "laptop": {
        "bench": {"optimizer": "lamb", "vocabulary": 2048, "layers": 2, "width": 64, "evaluate_rows": 512},
        "tokens": 600_000,
        "short": {"length": 16, "batch_size": 64},
        "long": {"length": 64, "batch_size": 32},
        "rates": [5e-3, 1e-2, 2e-2],
        "seeds": (0, 1, 2),
    },
    "toy": {
        "bench": TOY_MODEL | {"optimizer": "lamb"},
        "tokens": 640,
        "short": {"length": 16, "batch_size": 4},
        "long": {"length": 64, "batch_size": 2},
        "rates": [1e-2],
        "seeds": (0,),
    },
    "gpu": {
        "bench": GPU_MODEL | {"optimizer": "lamb", "evaluate_rows": 512, "micro_batch": 128},
        "tokens": 20_000_000,
        "short": {"length": 128, "batch_size": 256},
        "long": {"length": 512, "batch_size": 128},
        "precision": "fastest",
    },
}
WARMUP = {"first": 0.2843, "second": 0.128}  # shares of a phase, NVIDIA's for the same recipe


def steps(plan) -> tuple[int, int]:
    """Of the two phases: nine tenths of the rows are short, and all tokens together are `tokens`."""
    rows = plan.tokens / (0.9 * plan.short["length"] + 0.1 * plan.long["length"])
    return round(0.9 * rows / plan.short["batch_size"]), round(0.1 * rows / plan.long["batch_size"])


def recipe(plan, name: str, lr: float) -> dict:
    """The settings of "long", "two phases" and "cold" at this peak rate."""
    if name == "long":
        length, rows = plan.long["length"], plan.short["batch_size"] * plan.short["length"] // plan.long["length"]
        return {"length": length, "batch_size": rows, "lr": lr, "tokens": plan.tokens, "warmup": WARMUP["first"]}
    first, second = steps(plan)
    warm = 0.0 if name == "cold" else WARMUP["second"]
    return {
        "tokens": None,
        "phases": [
            plan.short | {"steps": first, "lr": lr, "warmup": WARMUP["first"]},
            plan.long | {"steps": second, "lr": lr / sqrt(2), "warmup": warm},
        ],
    }


def main(asked):
    plan = asked.plan
    study = Study("two-phases", {"warmup": WARMUP, **vars(plan)}, asked=asked)

    def job(name, lr, seed):
        key = json.dumps([name, lr, seed])
        folder = study.scratch / f"{name.replace(' ', '-')}-{lr:g}-{seed}"
        return key, lambda: losses(asked, folder, **plan.bench | recipe(plan, name, lr), seed=seed)

    first = dict.fromkeys(("long", "two phases"), plan.rates)
    chosen = tune(study, lambda name, lr: job(name, lr, plan.seeds[0]), first)
    chosen["cold"] = chosen["two phases"]
    study.run([job(name, lr, seed) for name, lr in chosen.items() for seed in plan.seeds])
    curve = []
    for key, points in study.saved["jobs"].items():
        row = dict(zip(("recipe", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    study.record(curve, {"chosen": chosen, "steps": steps(plan)}, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
