"""What a batch of 1,024 rows costs in tokens: how many it needs to end where 16 rows end after four million.

What is to be decided stands in `studies/designs.md`, which was written before the runs. The small GPT-2 of
`gpt2-batches`, whose record has 16 rows after four million tokens, and 1,024 rows after as many; here AdamW and LAMB
train with 1,024 rows on 8, 16 and 32 million tokens, each run with the schedule of its own length, and none once a
shorter one has reached what its seed reached with 16 rows. Rates are tuned at 16 million, with the seed that tunes, and
kept at the others, so that what comes out is a price that can be had, not the lowest one. The gradient is accumulated
over parts of 64 rows, which is the gradient of the batch, and a third faster. Some 20 runs: three to five hours of one
core.
"""

import json
from itertools import product

import torch

from minilib.data import docstrings
from minilib.data.corpora import corpus
from minilib.data.packing import packed_rows
from minilib.data.tokenizer import get_tokenizer
from minilib.experiments import records
from minilib.experiments.tuning import tuned
from studies.command import start
from studies.pretraining import GPT2, TOY_GPT2, losses
from studies.rates import best_rate
from studies.study import Study

RATES = {"adamw": [4e-3, 8e-3, 1.6e-2], "lamb": [4e-2, 8e-2, 1.6e-1]}
SIZES = {
    "laptop": GPT2
    | {
        "batch": 1024,
        "micro": 64,
        "budgets": (8_000_000, 16_000_000, 32_000_000),
        "tuned": 16_000_000,
        "rates": RATES,
        "seeds": (100, 0, 1, 2),
    },
    "toy": TOY_GPT2 | {"batch": 2, "micro": 1, "budgets": (32, 64), "tuned": 32},
}


def main(asked):
    plan = asked.plan
    torch.set_num_threads(1)
    study = Study("gpt2-price", vars(plan), asked=asked)
    tuning, *fresh = plan.seeds

    def job(name, tokens, lr, seed):
        key = json.dumps([name, tokens, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = {"model": "gpt2", "batch_size": plan.batch, "micro_batch": plan.micro, "optimizer": name, "lr": lr}
        return key, lambda: losses(asked, folder, 16, **plan.bench | changes | {"seed": seed, "tokens": tokens})

    def last(*run):
        return study.run([job(*run)])[job(*run)[0]][-1][1]

    chosen = {
        name: best_rate(study, lambda lr, name=name: last(name, plan.tuned, lr, tuning), rates)
        for name, rates in plan.rates.items()
    }
    few = {name: runs.last for (_, batch, name), runs in tuned(records.load("gpt2-batches")).items() if batch == 16}
    short = list(product(fresh, chosen.items()))  # of the target, so far
    for tokens in plan.budgets:
        study.run([job(name, tokens, lr, seed) for seed, (name, lr) in short])
        short = [(seed, (name, lr)) for seed, (name, lr) in short if last(name, tokens, lr, seed) > few[name][seed]]
    curve = []
    for key, points in study.saved["jobs"].items():
        row = dict(zip(("optimizer", "budget", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    texts = corpus(plan.bench.get("corpus", "docstrings"))
    tokenizer = get_tokenizer(texts, "gpt2", plan.bench["vocabulary"])
    rows = packed_rows(texts, "train", tokenizer, plan.bench["length"] + 1)
    study.record(curve, {"chosen": chosen, "text": len(rows) * plan.bench["length"]}, docstrings())


if __name__ == "__main__":
    start(main, SIZES, "it is compared with the record of gpt2-batches, which was made on one")
