"""How large a model should translate, for a budget of operations? T5s of three sizes, English to German, BLEU.

Multi30k's 29,000 captions, from the cache only; one tokenizer of 2,048 for both languages. Every run spends its whole
budget in batches of at most 64 pairs. The learning rate is tuned for each size at the smaller budget (three rates, a
factor 2 apart, more where the best is at an edge; `best_rate`) by BLEU on the validation set, with one seed: the
loss would choose rates at which German is written well and the English ignored. Every size and budget is run with three
seeds. BLEU is of greedy translations of LONGEST tokens at most, of the test set of 2016. 50 minutes on one core.
Larger: BUDGETS, SIZES.
"""

import json

import numpy as np
import torch

from minilib.analysis import flops
from minilib.experiments.study import Study
from minilib.experiments.tuning import best_rate
from minilib.models import registry
from minilib.training.data.translation import TranslationData, multi30k, shared_tokenizer
from minilib.training.translate import bleu, train_pairs, translate

SIZES = [(1, 32), (2, 64), (2, 128)]  # layers of each stack, width
BUDGETS = (1e12, 4e12)
RATES, SEEDS = [2e-3, 4e-3, 8e-3], (0, 1, 2)
VOCABULARY, BATCH, LONGEST, COUNTED = 2048, 64, 40, 50


def main():
    torch.set_num_threads(1)
    data = multi30k()
    tokenizer = shared_tokenizer(data["train"], VOCABULARY)
    rows, held_out, test = (TranslationData(data[part], tokenizer) for part in ("train", "validation", "test"))

    def build(layers, width):
        return registry.model(
            "t5-small", layers=layers, width=width, heads=max(2, width // 64), vocabulary=len(tokenizer)
        )

    def facts(size):
        """Parameters, and operations of a mean step."""
        model, rng = build(*size), np.random.default_rng(0)
        batches = list(rows.batches(BATCH, rng))[:COUNTED]
        each = [len(index) * flops.per_row(model, rows.batch(index)) for index in batches]
        return {"parameters": sum(p.numel() for p in model.parameters()), "operations": float(np.mean(each))}

    settings = {"sizes": SIZES, "budgets": BUDGETS, "rates": RATES, "seeds": SEEDS, "vocabulary": VOCABULARY}
    study = Study("translation", settings | {"batch": BATCH, "longest": LONGEST})
    known = study.run([(f"facts {json.dumps(size)}", lambda size=size: facts(size)) for size in SIZES])
    known = {size: known[f"facts {json.dumps(size)}"] for size in SIZES}

    def train(size, budget, lr, seed):
        torch.manual_seed(seed)
        model, steps = build(*size), round(budget / known[size]["operations"])
        return model, {"steps": steps} | train_pairs(model, rows, steps, lr, BATCH, seed)

    def score(model, part, asked):
        return bleu(translate(model, asked, tokenizer, LONGEST), [data[part].target[i] for i in asked.kept])

    tuning = {}

    def tuning_loss(size, lr):
        """Minus the BLEU; 99 for a run that diverged."""

        def job():
            try:
                model, outcome = train(size, BUDGETS[0], lr, SEEDS[0])
            except ValueError:  # no longer finite
                return {"loss": 99.0, "bleu": -99.0}
            return {"loss": outcome["loss"], "bleu": score(model, "validation", held_out)}

        key = "{} {} {:g}".format(*size, lr)
        tuning[key] = study.run([(f"tune {key}", job)])[f"tune {key}"]
        return -tuning[key]["bleu"]

    def scored(size, budget, seed):
        model, outcome = train(size, budget, chosen[size], seed)
        return outcome | {"bleu": score(model, "test", test)}

    chosen = {size: best_rate(lambda lr, size=size: tuning_loss(size, lr), RATES) for size in SIZES}
    cases = {json.dumps([*size, b, seed]): (size, b, seed) for size in SIZES for b in BUDGETS for seed in SEEDS}
    done = study.run([(key, lambda case=case: scored(*case)) for key, case in cases.items()])
    curve = []
    for key, ((layers, width), budget, seed) in cases.items():
        row = {"layers": layers, "width": width, "budget": budget, "seed": seed}
        curve.append(row | {name: round(value, 4) for name, value in done[key].items()})
    sizes = {"{} {}".format(*size): fact | {"rate": chosen[size]} for size, fact in known.items()}
    study.record(curve, {"sizes": sizes, "tuning": tuning, "pairs": [len(rows), len(test)]})


if __name__ == "__main__":
    main()
