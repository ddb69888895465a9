"""How large a model should translate, for a budget of operations? T5s of three sizes, English to German, BLEU.

Multi30k's 29,000 captions, from the cache only; one tokenizer of 2,048 for both languages. Every run spends its whole
budget in batches of at most 64 pairs. The learning rate is tuned for each size at the smaller budget (three rates, a
factor 2 apart, more where the best is at an edge; `best_rate`) by BLEU on the validation set, with one seed: the loss
would choose rates at which German is written well and the English ignored. Every size and budget is run with three
seeds. BLEU is of greedy translations of `longest` tokens at most, of the test set of 2016. 50 minutes on one core.
Larger: budgets, sizes. At size "gpu" up to 6 layers of width 512 in each stack, 4e15 operations in all, in float32 as
before: 20 minutes, most of them to translate: estimated, not run.
"""

import json

import numpy as np
import torch

from minilib.analysis import flops
from minilib.models import registry
from minilib.training.device import pick
from studies.command import start
from studies.rates import best_rate
from studies.study import Study
from studies.translator import Pairs, TranslationData, bleu, multi30k, shared_tokenizer, train_pairs, translate

SIZES = {
    "laptop": {
        "sizes": [(1, 32), (2, 64), (2, 128)],  # layers of each stack, width
        "budgets": (1e12, 4e12),
        "rates": [2e-3, 4e-3, 8e-3],
        "seeds": (0, 1, 2),
        "vocabulary": 2048,
        "batch": 64,
        "longest": 40,
        "counted": 50,
        "pairs": None,  # of each part: all
    },
    "toy": {
        "sizes": [(1, 16)],
        "budgets": (1e7, 2e7),
        "rates": [2e-3],
        "seeds": (0,),
        "vocabulary": 400,
        "batch": 4,
        "longest": 4,
        "counted": 2,
        "pairs": 256,
    },
    "gpu": {
        "sizes": [(2, 128), (4, 256), (6, 512)],
        "budgets": (3e13, 2e14),
        "rates": [5e-4, 1e-3, 2e-3],
        "vocabulary": 8192,
        "batch": 128,
    },
}


def main(asked):
    torch.set_num_threads(1)
    plan, device = asked.plan, pick(asked.device)
    data = {name: Pairs(*(texts[: plan.pairs] for texts in part)) for name, part in multi30k().items()}
    tokenizer = shared_tokenizer(data["train"], plan.vocabulary)
    rows, held_out, test = (TranslationData(data[part], tokenizer) for part in ("train", "validation", "test"))

    def build(layers, width):
        return registry.model(
            "t5-small", layers=layers, width=width, heads=max(2, width // 64), vocabulary=len(tokenizer)
        )

    def facts(size):
        """Parameters, and operations of a mean step."""
        model, rng = build(*size), np.random.default_rng(0)
        batches = list(rows.batches(plan.batch, rng))[: plan.counted]
        each = [len(index) * flops.per_row(model, rows.batch(index)) for index in batches]
        return {"parameters": sum(p.numel() for p in model.parameters()), "operations": float(np.mean(each))}

    names = ("sizes", "budgets", "rates", "seeds", "vocabulary", "batch", "longest")
    study = Study("translation", {name: getattr(plan, name) for name in names}, asked=asked)
    known = study.run([(f"facts {json.dumps(size)}", lambda size=size: facts(size)) for size in plan.sizes])
    known = {size: known[f"facts {json.dumps(size)}"] for size in plan.sizes}

    def train(size, budget, lr, seed):
        torch.manual_seed(seed)
        model, steps = build(*size).to(device), round(budget / known[size]["operations"])
        return model, {"steps": steps} | train_pairs(model, rows, steps, lr, plan.batch, seed)

    def score(model, part, asked):
        return bleu(translate(model, asked, tokenizer, plan.longest), [data[part].target[i] for i in asked.kept])

    tuning = {}

    def tuning_loss(size, lr):
        """Minus the BLEU; 99 for a run that diverged."""

        def job():
            try:
                model, outcome = train(size, plan.budgets[0], lr, plan.seeds[0])
            except ValueError:  # no longer finite
                return {"loss": 99.0, "bleu": -99.0}
            return {"loss": outcome["loss"], "bleu": score(model, "validation", held_out)}

        key = "{} {} {:g}".format(*size, lr)
        tuning[key] = study.run([(f"tune {key}", job)])[f"tune {key}"]
        return -tuning[key]["bleu"]

    def scored(size, budget, seed):
        model, outcome = train(size, budget, chosen[size], seed)
        return outcome | {"bleu": score(model, "test", test)}

    chosen = {size: best_rate(study, lambda lr, size=size: tuning_loss(size, lr), plan.rates) for size in plan.sizes}
    cases = {
        json.dumps([*size, b, seed]): (size, b, seed)
        for size in plan.sizes
        for b in plan.budgets
        for seed in plan.seeds
    }
    done = study.run([(key, lambda case=case: scored(*case)) for key, case in cases.items()])
    curve = []
    for key, ((layers, width), budget, seed) in cases.items():
        row = {"layers": layers, "width": width, "budget": budget, "seed": seed}
        curve.append(row | {name: round(value, 4) for name, value in done[key].items()})
    sizes = {"{} {}".format(*size): fact | {"rate": chosen[size]} for size, fact in known.items()}
    study.record(curve, {"sizes": sizes, "tuning": tuning, "pairs": [len(rows), len(test)]})


if __name__ == "__main__":
    start(main, SIZES)
