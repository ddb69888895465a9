"""Train large, then compress: BERTs of four sizes, pretrained for one budget, fine-tuned, quantised and pruned.

Each size of the study model-size that is alike in shape is pretrained once on BUDGET operations, at the learning rate
found there, and fine-tuned to tell the package from its docstring, with three seeds. Then each classifier is stored in
8, 6, 4 and 3 bits a weight, and pruned in six steps of 15 % with an epoch of recovery after each (`minilib.compress`),
every step in 32, 8, 6 and 4 bits too. A row of the curve has the bytes that are stored, and the accuracy of what is
loaded from them on EVALUATED validation texts. 45 minutes on one core. Larger: BUDGET, TEXTS, SEEDS.
"""

import copy
import json
from dataclasses import replace

import numpy as np
import torch
from bert_laptop import one
from model_size import ALIKE, shape
from torch import nn

from minilib.compress import SPARSITIES, keep_pruned, load_into, prune, store, total_bytes
from minilib.pretrain import trained
from minilib.pretrain.finetune import Finetuning, accuracy, fit, fresh
from minilib.pretrain.labelled import Part, Rows, task
from minilib.runs import ROOT, Study, load

BUDGET, TEXTS, EVALUATED, SEEDS = 4e12, 1000, 1000, (0, 1, 2)
FORMATS = [(32, "tensor"), (8, "tensor"), (6, "tensor"), (4, "tensor"), (4, "channel"), (3, "channel")]
PRUNED_BITS = (32, 8, 6, 4)
CPU = torch.device("cpu")
FOLDERS = ROOT / "_build" / "studies" / "compressed"


def pretrain(size: tuple[int, int], fact: dict) -> float:
    """The last validation loss; the run is in its folder."""
    tokens = round(BUDGET / fact["operations"])
    steps = {"evaluate_every": 10**6, "save_every": 500}
    rows, _ = one(FOLDERS / "{}-{}".format(*size), **shape(*size), tokens=tokens, lr=fact["rate"], **steps)
    return rows[-1]["validation_loss"]


def compress(size: tuple[int, int], seed: int) -> list[dict]:
    """Fine-tune one classifier; a row for everything that it is stored as."""
    found, what = trained.load(FOLDERS / "{}-{}".format(*size)), task("packages")
    asked = np.random.default_rng(1).permutation(len(what.validation.texts))[:EVALUATED]
    held_out = Part(*([column[i] for i in asked] for column in what.validation))
    rows = [Rows(part, found.tokenizer, found.model.size.length) for part in (what.train, held_out)]
    chosen = np.random.default_rng(0).permutation(len(rows[0]))[:TEXTS]
    settings = Finetuning(precision="fp32", device="cpu")
    model = fresh(settings, found, len(what.labels), True, CPU, seed)
    fit(model, settings, rows, chosen, CPU, seed, quiet=True)
    model.bert.head, model.bert.bias = nn.Identity(), None  # what guesses tokens is not needed any more
    probe = copy.deepcopy(model)

    def point(sparsity, bits, per, masks=None):
        stored = store(model, bits, per, masks)
        load_into(probe, stored)
        row = {"sparsity": sparsity, "bits": bits, "per": per, "bytes": total_bytes(stored)}
        return row | {"accuracy": round(accuracy(probe, rows[1], CPU), 5)}

    points = [point(0.0, bits, per) for bits, per in FORMATS]
    masks = None
    for sparsity in SPARSITIES:
        masks = prune(model, sparsity, masks=masks)
        with keep_pruned(model, masks):
            fit(model, replace(settings, epochs=1), rows, chosen, CPU, seed + 1000, quiet=True)
        points += [point(sparsity, bits, "tensor", masks) for bits in PRUNED_BITS]
    return points


def main():
    torch.set_num_threads(1)
    facts = load("model-size").run["results"]["sizes"]
    facts = {size: facts["{} {}".format(*size)] for size in ALIKE}
    rates = {"{} {}".format(*size): fact["rate"] for size, fact in facts.items()}
    study = Study("compressed", {"budget": BUDGET, "texts": TEXTS, "seeds": SEEDS, "rates": rates, "formats": FORMATS})
    named = {f"pretrain {json.dumps(size)}": size for size in ALIKE}
    done = study.run([(key, lambda size=size: pretrain(size, facts[size])) for key, size in named.items()])
    losses = {"{} {}".format(*size): done[key] for key, size in named.items()}
    cases = {json.dumps([*size, seed]): (size, seed) for size in ALIKE for seed in SEEDS}
    done = study.run([(key, lambda case=case: compress(*case)) for key, case in cases.items()])
    curve = []
    for key, ((layers, width), seed) in cases.items():
        curve += [{"layers": layers, "width": width, "seed": seed} | row for row in done[key]]
    what = task("packages")
    results = {"pretraining loss": losses, "majority": what.majority, "labels": what.labels}
    study.record(curve, results | {"texts": [TEXTS, EVALUATED]})


if __name__ == "__main__":
    main()
