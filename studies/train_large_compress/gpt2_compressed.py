"""Train large, then compress, judged by loss: GPT-2s of three sizes on one budget of operations, quantised and pruned.

What is to be decided, and why with this model, stands in `studies/designs.md`. Every size spends `budget` operations
with AdamW, batches of 64 rows, at a rate tuned for it with the first seed (three rates around 4e-3 at width 64, less in
proportion to the width, and more of them where the best is at an edge; `best_rate`), which decides nothing else. The
models of the other seeds are stored in 8, 6, 4 and 3 bits a weight, and pruned in six steps of 15 %
(`minilib.compress`) with `recovery` of the budget spent at a tenth of the rate after each, every step in 32, 8, 6 and 4
bits. A row of the curve has the bytes that are stored, and two losses of what is loaded from them: on one half of the
validation rows, by which a format may be chosen, and on the other half, which judges. Two hours on one core. Larger:
budget, sizes. At size "gpu" up to 8 layers of width 512, 5e15 operations in each of some 25 runs, 45 minutes at a tenth
of the rate of an H200: estimated, not run.
"""

import json

import torch

from minilib.data import docstrings
from studies.command import start
from studies.compressing import FORMATS, compress, operations, spend
from studies.pretraining import GPT2, GPU_MODEL, TOY_MODEL, counting
from studies.rates import tune
from studies.study import Study

SIZES = {
    "laptop": {
        "bench": {"model": "gpt2", "vocabulary": 2048, "length": 32, "evaluate_rows": 1024, "batch_size": 64},
        "sizes": [(1, 32), (2, 64), (4, 128)],  # layers, width
        "budget": 8e12,
        "recovery": 0.05,
        "rates": [2e-3, 4e-3, 8e-3],
        "seeds": GPT2["seeds"],
    },
    "toy": {
        "bench": {key: TOY_MODEL[key] for key in ("corpus", "vocabulary", "length", "evaluate_rows")}
        | {"model": "gpt2", "batch_size": 2},
        "sizes": [(1, 16)],
        "budget": 4e6,
        "rates": [4e-3],
        "seeds": (100, 0),
    },
    "gpu": {
        "bench": {key: GPU_MODEL[key] for key in ("vocabulary", "length", "evaluate_rows")}
        | {"model": "gpt2", "batch_size": 256, "micro_batch": 256},
        "sizes": [(2, 128), (4, 256), (8, 512)],
        "budget": 5e15,
        "precision": "fastest",
    },
}


def main(asked):
    torch.set_num_threads(1)
    plan = asked.plan
    settings = {key: value for key, value in vars(plan).items() if key != "precision"} | {"formats": FORMATS}
    study = Study("gpt2-compressed", settings, asked=asked)
    each = {size: operations(plan.bench, size) for size in plan.sizes}
    tokens = {size: plan.budget / each[size] for size in plan.sizes}

    def job(size, lr, seed=plan.seeds[0]):
        key = json.dumps([*size, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        return key, lambda: spend(study, folder, size, tokens[size], lr=lr, seed=seed), folder

    def trained(size, lr, seed):
        """Compress a model, which is trained first where this machine does not have it."""
        _, run, folder = job(size, lr, seed)
        if not folder.exists():
            run()
        return compress(study, folder, lr / 10, seed, plan.recovery * tokens[size])

    first = {size: [lr * 64 / size[1] for lr in plan.rates] for size in plan.sizes}
    chosen = tune(study, lambda size, lr: job(size, lr)[:2], first)
    cases = [(size, chosen[size], seed) for seed in plan.seeds[1:] for size in plan.sizes]
    study.run([job(*case)[:2] for case in cases])
    named = {f"compress {json.dumps([*size, seed])}": (size, lr, seed) for size, lr, seed in cases}
    done = study.run([(key, lambda case=case: trained(*case)) for key, case in named.items()])
    tables = study.run([("counting", lambda: counting(**plan.bench))])["counting"]
    curve, losses = [], {}
    for key, ((layers, width), _, seed) in named.items():
        curve += [{"layers": layers, "width": width, "seed": seed} | row for row in done[key]]
    for key, points in study.saved["jobs"].items():
        if key.startswith("["):
            losses[key] = points[-1]
    rates = {"{} {}".format(*size): lr for size, lr in chosen.items()}
    priced = {"{} {}".format(*size): count for size, count in each.items()}
    results = {"chosen": rates, "operations": priced, "pretrained": losses, "counting": tables}
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
