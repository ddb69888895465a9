"""Train large, then compress: BERTs of four sizes, pretrained for one budget, fine-tuned, quantised and pruned.

Each size is pretrained once on BUDGET operations, with AdamW at the rate that the study bert-optimizers found best at
width 128, times 128 over its own width, and fine-tuned to tell the package from its docstring: at a rate that is tuned
for the size with one seed (three rates, a factor 2 apart, more where the best is at an edge; `best_rate`, by the
accuracy on the validation texts), then with three seeds. Each classifier is stored in 8, 6, 4 and 3 bits a weight, and
pruned in six steps of 15 % with an epoch of recovery after each (`minilib.compress`), every step in 32, 8, 6 and 4 bits
too. A row of the curve has the bytes that are stored, and the accuracy on all validation texts of what is loaded from
them. 90 minutes on one core. Larger: BUDGET, TEXTS, SEEDS.
"""

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from minilib.analysis import flops
from minilib.compress import SPARSITIES, keep_pruned, load_into, prune, store, total_bytes
from minilib.datasets import docstrings
from minilib.experiments.records import load, project
from minilib.experiments.study import Study
from minilib.experiments.tuning import best_rate
from minilib.training import export
from minilib.training.config import Config
from minilib.training.data.classification import ClassificationData, task
from minilib.training.finetune import Finetuning, accuracy, fit, fresh
from studies.protocols import pretrain

SIZES = [(1, 16), (1, 32), (2, 64), (2, 128)]  # layers, width
BUDGET, TEXTS, SEEDS, BASE = 8e12, 3000, (0, 1, 2), 128
EPOCHS, RATES = 6, [2e-3, 4e-3, 8e-3]
BENCH = {"vocabulary": 2048, "length": 32, "batch_size": 32, "evaluate_rows": 1024}
FORMATS = [(32, "tensor"), (8, "tensor"), (6, "tensor"), (4, "tensor"), (4, "channel"), (3, "channel")]
PRUNED_BITS = (32, 8, 6, 4)
CPU = torch.device("cpu")


def models() -> Path:
    """Where the models that it trains are kept."""
    return project().root / "_build" / "studies" / "compressed"


def spend(size: tuple[int, int], lr: float) -> dict:
    """Spend BUDGET. Operations a token (15 % of them are guessed), tokens, and the last validation loss."""
    shape = BENCH | dict(zip(("layers", "width"), size, strict=True))
    row, few = torch.zeros(1, BENCH["length"], dtype=torch.int64), torch.zeros(1, 5, dtype=torch.int64)
    model = export.build(Config(**shape), BENCH["vocabulary"])
    each = flops.per_row(model, {"tokens": row, "positions": few, "targets": few}) / BENCH["length"]
    steps = {"tokens": round(BUDGET / each), "evaluate_every": 10**6, "save_every": 1000}
    rows, _ = pretrain(models() / "{}-{}".format(*size), **shape, **steps, lr=lr)
    return {"operations": each, "tokens": rows[-1]["tokens"], "loss": rows[-1]["validation_loss"]}


def classifier(size: tuple[int, int], lr: float, seed: int):
    """A fine-tuned classifier, its accuracy, and a function that trains it further for an epoch."""
    trained, what = export.load(models() / "{}-{}".format(*size)), task("packages")
    rows = [
        ClassificationData(part, trained.tokenizer, trained.model.size.length) for part in (what.train, what.validation)
    ]
    chosen = np.random.default_rng(0).permutation(len(rows[0]))[:TEXTS]
    settings = Finetuning(precision="fp32", device="cpu", lr=lr, epochs=EPOCHS)
    model = fresh(settings, trained, len(what.labels), True, CPU, seed)
    epochs = fit(model, settings, rows, chosen, CPU, seed, quiet=True)

    def recover():
        fit(model, replace(settings, epochs=1), rows, chosen, CPU, seed + 1000, quiet=True)

    return model, rows[1], epochs[-1]["accuracy"], recover


def compress(size: tuple[int, int], lr: float, seed: int) -> list[dict]:
    """Fine-tune one classifier; a row for everything that it is stored as."""
    model, held_out, _, recover = classifier(size, lr, seed)
    model.bert.head, model.bert.bias = nn.Identity(), None  # what guesses tokens is not needed any more
    probe = copy.deepcopy(model)

    def point(sparsity, bits, per, masks=None):
        stored = store(model, bits, per, masks)
        load_into(probe, stored)
        row = {"sparsity": sparsity, "bits": bits, "per": per, "bytes": total_bytes(stored)}
        return row | {"accuracy": round(accuracy(probe, held_out, CPU), 5)}

    points = [point(0.0, bits, per) for bits, per in FORMATS]
    masks = None
    for sparsity in SPARSITIES:
        masks = prune(model, sparsity, masks=masks)
        with keep_pruned(model, masks):
            recover()
        points += [point(sparsity, bits, "tensor", masks) for bits in PRUNED_BITS]
    return points


def main():
    torch.set_num_threads(1)
    best = load("bert-optimizers").run["results"]["chosen"]["adamw"]
    rates = {size: best * BASE / size[1] for size in SIZES}
    settings = {"bench": BENCH, "sizes": SIZES, "budget": BUDGET, "texts": TEXTS, "seeds": SEEDS, "formats": FORMATS}
    settings |= {"rates": list(rates.values()), "epochs": EPOCHS, "fine-tuning rates": RATES}
    study = Study("compressed", settings)
    named = {f"pretrain {json.dumps(size)}": size for size in SIZES}
    done = study.run([(key, lambda size=size: spend(size, rates[size])) for key, size in named.items()])
    pretrained = {"{} {}".format(*size): done[key] for key, size in named.items()}

    def wrong(size, lr):
        key = f"tune {json.dumps([*size, lr])}"
        return 1 - study.run([(key, lambda: classifier(size, lr, SEEDS[0])[2])])[key]

    chosen = {size: best_rate(lambda lr, size=size: wrong(size, lr), RATES) for size in SIZES}
    cases = {json.dumps([*size, seed]): (size, chosen[size], seed) for size in SIZES for seed in SEEDS}
    done = study.run([(key, lambda case=case: compress(*case)) for key, case in cases.items()])
    curve = []
    for key, ((layers, width), _, seed) in cases.items():
        curve += [{"layers": layers, "width": width, "seed": seed} | row for row in done[key]]
    what = task("packages")
    texts = [TEXTS, len(what.validation.texts)]
    for size, lr in chosen.items():
        pretrained["{} {}".format(*size)] |= {"fine-tuning rate": lr}
    study.record(
        curve,
        {"pretrained": pretrained, "majority": what.majority, "labels": what.labels, "texts": texts},
        docstrings(),
    )


if __name__ == "__main__":
    main()
