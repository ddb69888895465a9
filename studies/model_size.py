"""How large a model for a given budget of operations? GPT-2s of eight sizes, three budgets: the U and its minimum.

Every run spends its whole budget: a model with so many operations a token sees so many tokens, in batches of 32 rows of
32. Five sizes grow in width and depth; three have the same parameters in different shapes. The learning rate is tuned
for each size at each of the two smaller budgets (three rates, a factor 2 apart, more where the best is at an edge;
`minilib.tuning`) with one seed; the largest budget takes the rate of the middle one. Every size and budget is run with
three seeds, and the size BATCHED in other batches too, tuned likewise. Speeds are timed first, so that the chapter can
ask the question for seconds too: start it on a quiet machine. 50 minutes on one core. Larger: BUDGETS, SIZES.
"""

import json
import statistics
from math import sqrt
from time import perf_counter

import torch
from bert_batches import losses

from minilib.pretrain import flops, trained
from minilib.pretrain.config import Config
from minilib.pretrain.optimizers import optimizer
from minilib.runs import ROOT, Study
from minilib.tuning import best_rate

BENCH = {"model": "gpt2", "vocabulary": 2048, "length": 32, "evaluate_rows": 1024}
GROWING = [(1, 8), (1, 16), (1, 32), (2, 64), (4, 128)]  # layers, width
SHAPES = [(1, 64), (3, 48), (9, 32)]
SIZES, BATCH = GROWING + SHAPES, 32
BUDGETS, MIDDLE = (1e11, 4e11, 1.6e12), 1
BATCHED, BATCHES = (1, 32), (8, 128)
RATES, SEEDS = [2e-3, 4e-3, 8e-3], (0, 1, 2)
LOOKS, TIMED = 4, 21


def shape(layers: int, width: int) -> dict:
    return BENCH | {"layers": layers, "width": width}


def measure(layers: int, width: int, rows: int) -> dict:
    """Parameters, operations a token, and the median seconds of a training step on one thread."""
    config = Config(**shape(layers, width))
    model = trained.build(config, config.vocabulary)
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
    settings = {"bench": BENCH, "growing": GROWING, "shapes": SHAPES, "batch": BATCH, "budgets": BUDGETS}
    study = Study("model-size", settings | {"batched": [BATCHED, BATCHES], "rates": RATES, "seeds": SEEDS})
    cases = [(*size, BATCH) for size in SIZES] + [(*BATCHED, rows) for rows in BATCHES]
    named = {"time {} {} {}".format(*case): case for case in cases}
    timed = study.run([(key, lambda case=case: measure(*case)) for key, case in named.items()])
    facts = {case: timed[key] for key, case in named.items()}

    def job(case, budget, lr, seed):
        key, (layers, width, rows) = json.dumps([*case, budget, lr, seed]), case
        folder = ROOT / "_build" / "studies" / "model-size" / "-".join(map(str, json.loads(key)))
        changes = {"batch_size": rows, "tokens": round(budget / facts[case]["operations"]), "lr": lr, "seed": seed}
        return key, lambda: losses(folder, LOOKS, **shape(layers, width), **changes)

    def tuned(case, budget):
        def loss(lr):
            key, looks = job(case, budget, lr, SEEDS[0])
            return study.run([(key, looks)])[key][-1][1]

        first = [float(f"{lr * sqrt(case[2] / BATCH):.3g}") for lr in RATES]
        study.run([job(case, budget, lr, SEEDS[0]) for lr in first])
        return best_rate(loss, first)

    chosen = {}
    for case in cases:
        own = BUDGETS if case[2] == BATCH else BUDGETS[MIDDLE : MIDDLE + 1]
        for budget in own:
            chosen[case, budget] = tuned(case, budget) if budget <= BUDGETS[MIDDLE] else chosen[case, BUDGETS[MIDDLE]]
    study.run([job(case, b, lr, seed) for (case, b), lr in chosen.items() for seed in SEEDS])
    names, curve = ("layers", "width", "batch", "budget", "rate", "seed"), []
    for key, looks in study.saved["jobs"].items():
        if not key.startswith("time"):
            row = dict(zip(names, json.loads(key), strict=True))
            curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in looks]
    rates = {"{} {} {} {:g}".format(*case, budget): lr for (case, budget), lr in chosen.items()}
    study.record(curve, {"sizes": {"{} {} {}".format(*case): fact for case, fact in facts.items()}, "chosen": rates})


if __name__ == "__main__":
    main()
