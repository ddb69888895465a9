"""How large a model for a given budget of operations? GPT-2s of several sizes, three budgets: the U and its minimum.

Every run spends its whole budget: a model with so many operations a token sees so many tokens, in batches of 32 rows of
32. Four sizes, `growing` in width and depth, get all three budgets, `smallest` the first only. At the middle budget
there are also `shapes`, with the same number of parameters, and one size in other `batches`. The learning rate is tuned
for each of these cases (three rates around 4e-3 at width 32 and batch 32, less in proportion to the width, more with
the root of the batch, and more of them where the best is at an edge; `best_rate`) with one seed; the largest budget
takes the rate of the middle one. Everything is run with three seeds. Speeds are timed first, so that the chapter can
ask the question for seconds too: start it on a quiet machine. 50 minutes on one core. Larger: budgets, sizes. At size
"gpu" up to 12 layers of width 768, and 4e16 operations in some 90 runs: 20 minutes at a tenth of the rate of an H200:
estimated, not run.
"""

import json
import statistics
from time import perf_counter

import torch

from minilib.analysis import flops
from minilib.data import docstrings
from minilib.training import export
from minilib.training.config import Config
from minilib.training.device import pick, wait
from minilib.training.optimizers import optimizer
from studies.command import start
from studies.pretraining import SHORT_TEXT, autocast, losses
from studies.rates import scaled, tune
from studies.study import Study

SIZES = {
    "laptop": {
        "bench": {"model": "gpt2", "vocabulary": 2048, "length": 32, "evaluate_rows": 1024},
        # layers, width, rows
        "smallest": (1, 8, 32),
        "growing": [(1, 16, 32), (1, 32, 32), (2, 64, 32), (4, 128, 32)],
        "shapes": [(1, 64, 32), (3, 48, 32), (9, 32, 32)],
        "batches": [(1, 32, 8), (1, 32, 128)],
        "budgets": (1e11, 4e11, 1.6e12),
        "rates": [2e-3, 4e-3, 8e-3],
        "seeds": (0, 1, 2),
        "timed": 21,
    },
    "toy": {
        "bench": {"model": "gpt2", "corpus": SHORT_TEXT, "vocabulary": 400, "length": 16, "evaluate_rows": 16},
        "smallest": (1, 8, 2),
        "growing": [(1, 16, 2)],
        "shapes": [(2, 16, 2)],
        "batches": [(1, 16, 4)],
        "budgets": (1e6, 2e6, 4e6),
        "rates": [4e-3],
        "seeds": (0,),
        "timed": 3,
    },
    "gpu": {
        "bench": {"model": "gpt2", "vocabulary": 8192, "length": 128, "evaluate_rows": 1024, "micro_batch": 128},
        "smallest": (2, 128, 128),
        "growing": [(4, 256, 128), (6, 384, 128), (8, 512, 128), (12, 768, 128)],
        "shapes": [(1, 512, 128), (16, 128, 128)],
        "batches": [(4, 256, 32), (4, 256, 512)],
        "budgets": (1e14, 4e14, 1.6e15),
        "precision": "fastest",
    },
}
VALIDATIONS = 4


def measure(asked, layers: int, width: int, rows: int) -> dict:
    """Parameters, operations a token, and the median seconds of a training step, on one thread of a processor."""
    plan, device = asked.plan, pick(asked.device)
    config = Config(**plan.bench, layers=layers, width=width)
    model = export.build(config, config.vocabulary)
    batch = {"tokens": torch.randint(config.vocabulary, (rows, config.length + 1))}
    each = flops.per_row(model, batch) / config.length
    model, batch = model.to(device), {name: t.to(device) for name, t in batch.items()}
    opt, taken = optimizer("adamw", model, 1e-3, 0.01, device), []
    for _ in range(plan.timed):
        wait(device)
        began = perf_counter()
        with autocast(asked):
            loss = model(batch).loss
        loss.backward()
        opt.step()
        opt.zero_grad()
        wait(device)
        taken.append(perf_counter() - began)
    count = sum(p.numel() for p in model.parameters())
    return {"parameters": count, "operations": each, "seconds a step": statistics.median(taken[2:])}


def main(asked):
    torch.set_num_threads(1)
    plan = asked.plan
    budgets = {plan.smallest: plan.budgets[:1]} | dict.fromkeys(plan.growing, plan.budgets)
    budgets |= dict.fromkeys(plan.shapes + plan.batches, plan.budgets[1:2])
    config = {key: value for key, value in vars(plan).items() if key not in ("timed", "precision")}
    study = Study("model-size", config, asked=asked)
    named = {"time {} {} {}".format(*case): case for case in budgets}
    timed = study.run([(key, lambda case=case: measure(asked, *case)) for key, case in named.items()])
    facts = {case: timed[key] for key, case in named.items()}

    def job(case, budget, lr, seed):
        key, (layers, width, rows) = json.dumps([*case, budget, lr, seed]), case
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = plan.bench | {"layers": layers, "width": width, "batch_size": rows, "lr": lr, "seed": seed}
        changes["tokens"] = round(budget / facts[case]["operations"])
        return key, lambda: losses(asked, folder, VALIDATIONS, **changes)

    def tuned(case, budget):
        first = scaled([lr * 32 / case[1] for lr in plan.rates], case[2], 32)
        return tune(study, lambda _, lr: job(case, budget, lr, plan.seeds[0]), {case: first})[case]

    chosen = {(case, b): tuned(case, b) for case, own in budgets.items() for b in own if b <= plan.budgets[1]}
    chosen |= {(case, plan.budgets[2]): chosen[case, plan.budgets[1]] for case in plan.growing}
    study.run([job(case, b, lr, seed) for (case, b), lr in chosen.items() for seed in plan.seeds])
    names, curve = ("layers", "width", "batch", "budget", "rate", "seed"), []
    for key, points in study.saved["jobs"].items():
        if not key.startswith("time"):
            row = dict(zip(names, json.loads(key), strict=True))
            curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    rates = {"{} {} {} {:g}".format(*case, budget): lr for (case, budget), lr in chosen.items()}
    study.record(
        curve,
        {"sizes": {"{} {} {}".format(*case): fact for case, fact in facts.items()}, "chosen": rates},
        docstrings(),
    )


if __name__ == "__main__":
    start(main, SIZES)
