"""How large a model for a given budget of operations? BERTs of seven sizes, three budgets: the U and its minimum.

Every run spends its whole budget: a model with so many operations a token sees so many tokens, in batches of 32 rows of
32. Four sizes are alike in shape (depth and width grow together); three have the parameters of one of them in another
shape. The learning rate is tuned for each size at the middle budget (three rates, a factor 2 apart, more where the best
is at an edge; `minilib.tuning`) with one seed, and every size and budget is run with three. Speeds are timed first, so
that the chapter can ask the question for seconds too: start it on a quiet machine. 50 minutes on one core. Larger:
BUDGETS, SIZES.
"""

import json
import statistics
from time import perf_counter

import torch
from bert_batches import losses

from minilib.pretrain import flops, objectives, trained
from minilib.pretrain.config import Config
from minilib.pretrain.corpora import corpus
from minilib.pretrain.optimizers import optimizer
from minilib.pretrain.rows import token_rows
from minilib.pretrain.tokens import tokenizer
from minilib.runs import ROOT, Study
from minilib.tuning import best_rate

BENCH = {"vocabulary": 2048, "length": 32, "batch_size": 32, "evaluate_rows": 1024}
ALIKE = [(1, 32), (2, 64), (4, 128), (6, 192)]  # layers, width
OTHERS = [(1, 96), (8, 32), (1, 256)]
SIZES = ALIKE + OTHERS
BUDGETS = (1e11, 4e11, 1.6e12)
RATES, SEEDS = [1e-3, 2e-3, 4e-3], (0, 1, 2)
LOOKS, TIMED = 4, 9


def shape(layers: int, width: int) -> dict:
    return BENCH | {"layers": layers, "width": width}


def measure(layers: int, width: int) -> dict:
    """Parameters, operations a token, and the median seconds of a training step on one thread."""
    config = Config(**shape(layers, width))
    texts = corpus(config.corpus)
    made = tokenizer(texts, "bert", config.vocabulary)
    rows = token_rows(texts, "train", made, config.length)[: config.batch_size]
    hidden = objectives.masked(made, config.mask_rate)(rows, range(len(rows)), 0, 0)
    batch = {name: torch.from_numpy(a) for name, a in hidden.items()}
    model = trained.build(config, len(made))
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
    settings = {"bench": BENCH, "sizes": SIZES, "budgets": BUDGETS, "rates": RATES, "seeds": SEEDS}
    study = Study("model-size", settings)
    timed = study.run([(f"time {layers} {width}", lambda s=(layers, width): measure(*s)) for layers, width in SIZES])
    facts = {size: timed["time {} {}".format(*size)] for size in SIZES}

    def job(size, budget, lr, seed):
        key = json.dumps([*size, budget, lr, seed])
        folder = ROOT / "_build" / "studies" / "model-size" / "-".join(map(str, json.loads(key)))
        tokens = round(budget / facts[size]["operations"])
        return key, lambda: losses(folder, LOOKS, **shape(*size), tokens=tokens, lr=lr, seed=seed)

    def tuning_loss(size, lr):
        key, looks = job(size, BUDGETS[1], lr, SEEDS[0])
        return study.run([(key, looks)])[key][-1][1]

    study.run([job(size, BUDGETS[1], lr, SEEDS[0]) for size in SIZES for lr in RATES])
    chosen = {size: best_rate(lambda lr, size=size: tuning_loss(size, lr), RATES) for size in SIZES}
    study.run([job(size, b, lr, seed) for size, lr in chosen.items() for b in BUDGETS for seed in SEEDS])
    curve = []
    for key, looks in study.saved["jobs"].items():
        if not key.startswith("time"):
            row = dict(zip(("layers", "width", "budget", "rate", "seed"), json.loads(key), strict=True))
            curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in looks]
    named = {"{} {}".format(*size): fact | {"rate": chosen[size]} for size, fact in facts.items()}
    study.record(curve, {"sizes": named})


if __name__ == "__main__":
    main()
