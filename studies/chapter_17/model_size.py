"""How large a model for a given budget of operations? GPT-2s of several sizes, three budgets: the U and its minimum.

Every run spends its whole budget: a model with so many operations a token sees so many tokens, in batches of 32 rows of
32. Four sizes, GROWING in width and depth, get all three budgets, SMALLEST the first only. At the middle budget there
are also SHAPES, with the same number of parameters, and one size in other BATCHES. The learning rate is tuned for each
of these cases (three rates around 4e-3 at width 32 and batch 32, less in proportion to the width, more with the root of
the batch, and more of them where the best is at an edge; `best_rate`) with one seed; the largest budget takes the
rate of the middle one. Everything is run with three seeds. Speeds are timed first, so that the chapter can ask the
question for seconds too: start it on a quiet machine. 50 minutes on one core. Larger: BUDGETS, SIZES.
"""

import json
import statistics
from time import perf_counter

import torch

from minilib.analysis import flops
from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.training import export
from minilib.training.config import Config
from minilib.training.optimizers import optimizer
from studies.protocols import losses, scaled, tune

BENCH = {"model": "gpt2", "vocabulary": 2048, "length": 32, "evaluate_rows": 1024}
SMALLEST, GROWING = (1, 8, 32), [(1, 16, 32), (1, 32, 32), (2, 64, 32), (4, 128, 32)]  # layers, width, rows
SHAPES, BATCHES = [(1, 64, 32), (3, 48, 32), (9, 32, 32)], [(1, 32, 8), (1, 32, 128)]
BUDGETS = (1e11, 4e11, 1.6e12)
RATES, SEEDS = [2e-3, 4e-3, 8e-3], (0, 1, 2)
VALIDATIONS, TIMED = 4, 21


def measure(layers: int, width: int, rows: int) -> dict:
    """Parameters, operations a token, and the median seconds of a training step on one thread."""
    config = Config(**BENCH, layers=layers, width=width)
    model = export.build(config, config.vocabulary)
    batch = {"tokens": torch.randint(config.vocabulary, (rows, config.length + 1))}
    opt, taken = optimizer("adamw", model, 1e-3, 0.01, torch.device("cpu")), []
    for _ in range(TIMED):
        start = perf_counter()
        model(batch).loss.backward()
        opt.step()
        opt.zero_grad()
        taken.append(perf_counter() - start)
    each = flops.per_row(model, batch) / config.length
    count = sum(p.numel() for p in model.parameters())
    return {"parameters": count, "operations": each, "seconds a step": statistics.median(taken[2:])}


def main():
    torch.set_num_threads(1)
    plan = {SMALLEST: BUDGETS[:1]} | dict.fromkeys(GROWING, BUDGETS) | dict.fromkeys(SHAPES + BATCHES, BUDGETS[1:2])
    settings = {"bench": BENCH, "smallest": SMALLEST, "growing": GROWING, "shapes": SHAPES, "batches": BATCHES}
    study = Study("model-size", settings | {"budgets": BUDGETS, "rates": RATES, "seeds": SEEDS})
    named = {"time {} {} {}".format(*case): case for case in plan}
    timed = study.run([(key, lambda case=case: measure(*case)) for key, case in named.items()])
    facts = {case: timed[key] for key, case in named.items()}

    def job(case, budget, lr, seed):
        key, (layers, width, rows) = json.dumps([*case, budget, lr, seed]), case
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = BENCH | {"layers": layers, "width": width, "batch_size": rows, "lr": lr, "seed": seed}
        changes["tokens"] = round(budget / facts[case]["operations"])
        return key, lambda: losses(folder, VALIDATIONS, **changes)

    def tuned(case, budget):
        first = scaled([lr * 32 / case[1] for lr in RATES], case[2], 32)
        return tune(study, lambda _, lr: job(case, budget, lr, SEEDS[0]), {case: first})[case]

    chosen = {(case, b): tuned(case, b) for case, own in plan.items() for b in own if b <= BUDGETS[1]}
    chosen |= {(case, BUDGETS[2]): chosen[case, BUDGETS[1]] for case in GROWING}
    study.run([job(case, b, lr, seed) for (case, b), lr in chosen.items() for seed in SEEDS])
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
    main()
