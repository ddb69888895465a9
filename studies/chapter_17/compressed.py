"""Train large, then compress: BERTs of four sizes, pretrained for one budget, fine-tuned, quantised and pruned.

Each size is pretrained once on `budget` operations, with AdamW at the rate that the study bert-optimizers found best at
width 128, times 128 over its own width, and fine-tuned to tell the package from its docstring: at a rate that is tuned
for the size with one seed (three rates, a factor 2 apart, more where the best is at an edge; `best_rate`, by the
accuracy on the validation texts), then with three seeds. Each classifier is stored in 8, 6, 4 and 3 bits a weight, and
pruned in six steps of 15 % with an epoch of recovery after each (`minilib.compress`), every step in 32, 8, 6 and 4 bits
too. A row of the curve has the bytes that are stored, and the accuracy on all validation texts of what is loaded from
them. 90 minutes on one core. Larger: budget, texts, seeds. At size "gpu" up to 8 layers of width 512, 2e15 operations
each, with the rate of bert-optimizers at that size, which comes first; 20 minutes, most of them to store and load on
the processor: estimated, not run.
"""

import copy
import json
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from minilib.analysis import flops
from minilib.compress import SPARSITIES, keep_pruned, load_into, prune, store, total_bytes
from minilib.datasets import docstrings
from minilib.experiments.records import load
from minilib.experiments.study import Study
from minilib.training import export
from minilib.training.config import Config
from minilib.training.data.classification import ClassificationData, Part, task
from minilib.training.device import pick
from minilib.training.finetune import Finetuning, accuracy, fit, fresh
from studies.protocols import SHORT_TEXT, best_rate, pretrain, start

SIZES = {
    "laptop": {
        "pretraining": "bert-optimizers",  # the record that has the rate, and the width that it is for
        "base": 128,
        "bench": {"vocabulary": 2048, "length": 32, "batch_size": 32, "evaluate_rows": 1024},
        "sizes": [(1, 16), (1, 32), (2, 64), (2, 128)],  # layers, width
        "budget": 8e12,
        "texts": 3000,
        "seeds": (0, 1, 2),
        "epochs": 6,
        "rates": [2e-3, 4e-3, 8e-3],
    },
    "toy": {
        "bench": {"corpus": SHORT_TEXT, "vocabulary": 400, "length": 16, "batch_size": 2, "evaluate_rows": 16},
        "sizes": [(1, 16)],
        "budget": 4e6,
        "texts": 32,
        "seeds": (0,),
        "epochs": 1,
        "rates": [4e-3],
    },
    "gpu": {
        "pretraining": "bert-optimizers-gpu",
        "base": 256,
        "bench": {"vocabulary": 30_522, "length": 128, "batch_size": 256, "evaluate_rows": 1024},
        "sizes": [(2, 128), (4, 256), (8, 512)],
        "budget": 2e15,
        "texts": 20_000,
        "rates": [5e-4, 1e-3, 2e-3],
        "precision": "fastest",
    },
}
FORMATS = [(32, "tensor"), (8, "tensor"), (6, "tensor"), (4, "tensor"), (4, "channel"), (3, "channel")]
PRUNED_BITS = (32, 8, 6, 4)


def spend(study: Study, size: tuple[int, int], lr: float) -> dict:
    """Spend the budget. Operations a token (15 % of them are guessed), tokens, and the last validation loss."""
    plan, length = study.asked.plan, study.asked.plan.bench["length"]
    shape = plan.bench | dict(zip(("layers", "width"), size, strict=True))
    row, few = torch.zeros(1, length, dtype=torch.int64), torch.zeros(1, round(0.15 * length), dtype=torch.int64)
    model = export.build(Config(**shape), plan.bench["vocabulary"])
    each = flops.per_row(model, {"tokens": row, "positions": few, "targets": few}) / length
    steps = {"tokens": round(plan.budget / each), "evaluate_every": 10**6, "save_every": 1000}
    rows, _ = pretrain(study.asked, study.scratch / "{}-{}".format(*size), **shape, **steps, lr=lr)
    return {"operations": each, "tokens": rows[-1]["tokens"], "loss": rows[-1]["validation_loss"]}


def classifier(study: Study, size: tuple[int, int], lr: float, seed: int):
    """A fine-tuned classifier, its accuracy, and a function that trains it further for an epoch."""
    plan, device = study.asked.plan, pick(study.asked.device)
    trained, what = export.load(study.scratch / "{}-{}".format(*size)), task("packages")
    some = np.random.default_rng(0).permutation(len(what.train.texts))[: plan.texts]
    learnt = Part([what.train.texts[i] for i in some], [what.train.targets[i] for i in some])
    rows = [
        ClassificationData(part, trained.tokenizer, trained.model.size.length) for part in (learnt, what.validation)
    ]
    chosen = np.arange(len(learnt.texts))
    settings = Finetuning(precision=study.asked.precision, device=study.asked.device, lr=lr, epochs=plan.epochs)
    model = fresh(settings, trained, len(what.labels), True, device, seed)
    epochs = fit(model, settings, rows, chosen, device, seed, quiet=True)

    def recover():
        fit(model, replace(settings, epochs=1), rows, chosen, device, seed + 1000, quiet=True)

    return model, rows[1], epochs[-1]["accuracy"], recover


def compress(study: Study, size: tuple[int, int], lr: float, seed: int) -> list[dict]:
    """Fine-tune one classifier; a row for everything that it is stored as."""
    model, held_out, _, recover = classifier(study, size, lr, seed)
    device = next(model.parameters()).device
    model.bert.head, model.bert.bias = nn.Identity(), None  # what guesses tokens is not needed any more
    probe = copy.deepcopy(model)

    def point(sparsity, bits, per, masks=None):
        stored = store(model, bits, per, masks)
        load_into(probe, stored)
        row = {"sparsity": sparsity, "bits": bits, "per": per, "bytes": total_bytes(stored)}
        return row | {"accuracy": round(accuracy(probe, held_out, device), 5)}

    points = [point(0.0, bits, per) for bits, per in FORMATS]
    masks = None
    for sparsity in SPARSITIES:
        masks = prune(model, sparsity, masks=masks)
        with keep_pruned(model, masks):
            recover()
        points += [point(sparsity, bits, "tensor", masks) for bits in PRUNED_BITS]
    return points


def main(asked):
    torch.set_num_threads(1)
    plan = asked.plan
    best = load(plan.pretraining).run["results"]["chosen"]["adamw"]
    rates = {size: best * plan.base / size[1] for size in plan.sizes}
    settings = {name: getattr(plan, name) for name in ("bench", "sizes", "budget", "texts", "seeds", "epochs")}
    settings |= {"formats": FORMATS, "rates": list(rates.values()), "fine-tuning rates": plan.rates}
    study = Study("compressed", settings, asked=asked)
    named = {f"pretrain {json.dumps(size)}": size for size in plan.sizes}
    done = study.run([(key, lambda size=size: spend(study, size, rates[size])) for key, size in named.items()])
    pretrained = {"{} {}".format(*size): done[key] for key, size in named.items()}

    def wrong(size, lr):
        key = f"tune {json.dumps([*size, lr])}"
        return 1 - study.run([(key, lambda: classifier(study, size, lr, plan.seeds[0])[2])])[key]

    chosen = {size: best_rate(study, lambda lr, size=size: wrong(size, lr), plan.rates) for size in plan.sizes}
    cases = {json.dumps([*size, seed]): (size, chosen[size], seed) for size in plan.sizes for seed in plan.seeds}
    done = study.run([(key, lambda case=case: compress(study, *case)) for key, case in cases.items()])
    curve = []
    for key, ((layers, width), _, seed) in cases.items():
        curve += [{"layers": layers, "width": width, "seed": seed} | row for row in done[key]]
    what = task("packages")
    texts = [plan.texts, len(what.validation.texts)]
    for size, lr in chosen.items():
        pretrained["{} {}".format(*size)] |= {"fine-tuning rate": lr}
    study.record(
        curve,
        {"pretrained": pretrained, "majority": what.majority, "labels": what.labels, "texts": texts},
        docstrings(),
    )


if __name__ == "__main__":
    start(main, SIZES)
