"""Short rows first, then long ones: LAMB's two phases on a small BERT, with and without a second warm-up.

The shape is that of You et al. 2020 (7,037 steps of 65,536 rows of 128, then 1,562 steps of 32,768 rows of 512): rows
four times as long and half as many, nine tenths of the rows short, in all TOKENS tokens. Against it: long
rows from the first step, for as many tokens. Both get three peak rates, more where the best is at an edge, with one
seed (the second phase's peak is the first's over the root of two); "cold" is the two phases at the rate so chosen, the
second at its peak from its first step. Every loss is on long rows. 10 minutes on one core. Larger: TOKENS, SEEDS.
"""

import json
from math import sqrt

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from studies.protocols import losses, tune

BENCH = {"optimizer": "lamb", "vocabulary": 2048, "layers": 2, "width": 64, "evaluate_rows": 512}
TOKENS = 600_000
SHORT, LONG = {"length": 16, "batch_size": 64}, {"length": 64, "batch_size": 32}
WARMUP = {"first": 0.2843, "second": 0.128}  # shares of a phase, NVIDIA's for the same recipe
RATES, SEEDS = [5e-3, 1e-2, 2e-2], (0, 1, 2)


def steps() -> tuple[int, int]:
    """Of the two phases: nine tenths of the rows are short, and all tokens together are TOKENS."""
    rows = TOKENS / (0.9 * SHORT["length"] + 0.1 * LONG["length"])
    return round(0.9 * rows / SHORT["batch_size"]), round(0.1 * rows / LONG["batch_size"])


def recipe(name: str, lr: float) -> dict:
    """The settings of "long", "two phases" and "cold" at this peak rate."""
    if name == "long":
        length, rows = LONG["length"], SHORT["batch_size"] * SHORT["length"] // LONG["length"]
        return {"length": length, "batch_size": rows, "lr": lr, "tokens": TOKENS, "warmup": WARMUP["first"]}
    first, second = steps()
    warm = 0.0 if name == "cold" else WARMUP["second"]
    return {
        "tokens": None,
        "phases": [
            SHORT | {"steps": first, "lr": lr, "warmup": WARMUP["first"]},
            LONG | {"steps": second, "lr": lr / sqrt(2), "warmup": warm},
        ],
    }


def main():
    settings = {"bench": BENCH, "tokens": TOKENS, "short": SHORT, "long": LONG, "warmup": WARMUP, "rates": RATES}
    study = Study("two-phases", settings | {"seeds": SEEDS})

    def job(name, lr, seed):
        key = json.dumps([name, lr, seed])
        folder = study.scratch / f"{name.replace(' ', '-')}-{lr:g}-{seed}"
        return key, lambda: losses(folder, **BENCH | recipe(name, lr), seed=seed)

    first = dict.fromkeys(("long", "two phases"), RATES)
    chosen = tune(study, lambda name, lr: job(name, lr, SEEDS[0]), first)
    chosen["cold"] = chosen["two phases"]
    study.run([job(name, lr, seed) for name, lr in chosen.items() for seed in SEEDS])
    curve = []
    for key, points in study.saved["jobs"].items():
        row = dict(zip(("recipe", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    study.record(curve, {"chosen": chosen, "steps": steps()}, docstrings())


if __name__ == "__main__":
    main()
