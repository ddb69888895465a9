"""Short rows first, then long ones: LAMB's two phases on a small GPT-2, with and without a second warm-up.

What is to be decided, and why with this model, stands in `studies/designs.md`, which was written before the runs. The
shape is that of You et al. 2020 (7,037 steps of 65,536 rows of 128, then 1,562 steps of 32,768 rows of 512): rows four
times as long and half as many, nine tenths of the rows short, in all `tokens` tokens. Against it: long rows from the
first step, for as many tokens. Both get three peak rates, more where the best is at an edge, with the first seed, which
decides nothing else (the second phase's peak is the first's over the root of two); "cold" is the two phases at the rate
so chosen, the second at its peak from its first step. Every loss is on long rows. One hour on one core. Larger: tokens,
seeds. At size "gpu" a GPT-2 of 4 layers and width 256 on 50 million tokens, rows of 128 and 512: 2e15 operations in
each of some 25 runs, 20 minutes at a tenth of the rate of an H200: estimated, not run.
"""

import json
from math import sqrt

from minilib.data import docstrings
from studies.command import start
from studies.pretraining import GPT2, GPU_MODEL, TOY_MODEL, counting, losses
from studies.rates import tune
from studies.study import Study

SIZES = {
    "laptop": {
        "bench": {
            "model": "gpt2",
            "optimizer": "lamb",
            "vocabulary": 2048,
            "layers": 2,
            "width": 64,
            "evaluate_rows": 512,
        },
        "tokens": GPT2["tokens"],
        "short": {"length": 16, "batch_size": 64},
        "long": {"length": 64, "batch_size": 32},
        "rates": [1e-2, 2e-2, 4e-2],
        "seeds": GPT2["seeds"],
    },
    "toy": {
        "bench": TOY_MODEL | {"model": "gpt2", "optimizer": "lamb"},
        "tokens": 640,
        "short": {"length": 16, "batch_size": 4},
        "long": {"length": 64, "batch_size": 2},
        "rates": [1e-2],
        "seeds": (100, 0),
    },
    "gpu": {
        "bench": GPU_MODEL | {"model": "gpt2", "optimizer": "lamb", "evaluate_rows": 512, "micro_batch": 128},
        "tokens": 50_000_000,
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
    study = Study("gpt2-phases", {"warmup": WARMUP, **vars(plan)}, asked=asked)

    def job(name, lr, seed):
        key = json.dumps([name, lr, seed])
        folder = study.scratch / f"{name.replace(' ', '-')}-{lr:g}-{seed}"
        return key, lambda: losses(asked, folder, **plan.bench | recipe(plan, name, lr), seed=seed)

    first = dict.fromkeys(("long", "two phases"), plan.rates)
    chosen = tune(study, lambda name, lr: job(name, lr, plan.seeds[0]), first)
    chosen["cold"] = chosen["two phases"]
    study.run([job(name, lr, seed) for seed in plan.seeds[1:] for name, lr in chosen.items()])
    bench = {key: value for key, value in plan.bench.items() if key not in ("optimizer", "length")}
    tables = study.run([("counting", lambda: counting(**bench, length=plan.long["length"]))])["counting"]
    curve = []
    for key, points in study.saved["jobs"].items():
        if key == "counting":
            continue
        row = dict(zip(("recipe", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    study.record(curve, {"chosen": chosen, "steps": steps(plan), "counting": tables}, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
