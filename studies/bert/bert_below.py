"""AdamW, LAMB, CAME and corrected CAME on a BERT that ends below the rival that counts, at two batches, 8 times apart.

What is to be decided stands in `studies/designs.md`, written before the runs. Pilots choose the budget of each
batch: the least at which AdamW, with the first seed and its middle rate, ends `below` nats under the best table. Every
method gets three rates, half an octave apart (`apart` says otherwise), and more of them while the best is at an edge,
with that same seed; the others judge. The held-out rows are dealt out in turn: the even ones are for pilots, tuning and
curves; the odd ones, with four draws of masks, are asked once, after the last step of a run that judges. A loss of 99
is a run that diverged. A run that is killed goes on from its last checkpoint, of which it has 16.

On the laptop the modern encoder, which needs half the tokens of the other one; some 75 runs of 6 to 10 minutes of one
core. At size "gpu", a piece of `make gpu`, the large batch alone, with Adafactor and Muon beside the others: a BERT of
4 layers and width 256 on 1,024 rows of 128 tokens of C4, or of what can be had, for 100 million tokens or the first
budget that is enough. 2.4e15 operations a run, 25 s at a tenth of an H100's rate, some 55 runs: estimated, not run.
"""

import json
from functools import partial
from math import sqrt

import numpy as np

from minilib.data import corpora, docstrings
from studies.command import start
from studies.held_out import asked_of, curve_and_test, mean_loss, rows
from studies.pretraining import TOY_MODEL
from studies.rates import three_digits, widened
from studies.study import Study

# method -> the middle one of the first three rates, at the small batch and at the large one; None: not run there
RATES = {
    "adamw": (2e-3, 4e-3),
    "lamb": (7e-3, 2e-2),
    "came": (4e-4, 1e-3),
    "came-corrected": (2e-3, 4e-3),
    "sgd": (None, 0.2),
}
CARD = {"adamw": 2e-3, "lamb": 1.4e-2, "came": 5e-4, "came-corrected": 2.8e-3, "adafactor-momentum": 2.8e-3}
CARD |= {"sgd": 0.2, "muon": 4e-3}
SIZES = {
    "laptop": {
        "bench": {"vocabulary": 4096, "length": 64, "modern": True, "warmup": 0.1, "schedule": "linear"},
        "batches": (8, 64),
        "budgets": ((4_000_000, 5_000_000, 6_000_000), (7_000_000, 8_000_000, 9_000_000)),
        "below": 0.15,
        "rates": RATES,
        "apart": {"sgd": 4.0},
        "seeds": (100, 0, 1, 2, 3, 4),
        "judges": {"sgd": 2},  # seeds that judge, where they are not all
    },
    "toy": {
        "bench": {key: TOY_MODEL[key] for key in TOY_MODEL if key != "evaluate_rows"},
        "batches": (2, 4),
        "budgets": ((64,), (64,)),
        "rates": {"adamw": RATES["adamw"], "sgd": RATES["sgd"], "muon": (None, CARD["muon"])},
        "seeds": (100, 0),
    },
    "gpu": {
        "bench": {"corpus": "c4-sample", "vocabulary": 8192, "layers": 4, "width": 256, "length": 128}
        | {"micro_batch": 512, "warmup": 0.1, "schedule": "linear"},
        "batches": (128, 1024),
        "budgets": ((), (100_000_000, 150_000_000, 200_000_000)),
        "precision": "fastest",
        "rates": {name: (None, middle) for name, middle in CARD.items()},
    },
}


def reachable(name: str) -> str:
    """The corpus of this name where it can be had, else the novels, else the docstrings."""
    for corpus in (name, "novels"):
        try:
            corpora.corpus(corpus)
            return corpus
        except ValueError as error:
            print(error)
    return "docstrings"


def counting(bench: dict) -> dict:
    """Losses of three tables on each part: of single tokens; of pairs; of pairs, with a look at what the hole shows.

    The second looks at both neighbours: P(x | left, right) as P(x | left) P(x | right) / P(x), counts discounted. The
    third is the rival: a token that is shown and fits with probability p was kept with p / (p + 1 / V), where V is the
    number of tokens that chance may put there.
    """
    tokenizer, train, held_out = rows(bench)
    size, mask, train = len(tokenizer), tokenizer.number["[MASK]"], np.asarray(train, dtype=np.int64)
    pairs = np.bincount((train[:, :-1] * size + train[:, 1:]).ravel(), minlength=size**2).reshape(size, size)
    frequency = np.bincount(train.ravel(), minlength=size) + 0.1
    frequency[: tokenizer.special] = 0
    frequency = frequency / frequency.sum()

    def beside(counts, token):
        total = counts.sum(-1, keepdims=True)
        spread = 0.75 * (counts > 0).sum(-1, keepdims=True) * frequency
        known = (total > 0) & (token != mask)[:, None]
        return np.where(known, (np.maximum(counts - 0.75, 0) + spread) / np.maximum(total, 1), frequency)

    def of_pairs(batch, look=False):
        tokens, at, targets = (batch[name].numpy() for name in ("tokens", "positions", "targets"))
        row = np.arange(len(tokens))[:, None]
        before, shown, after = (tokens[row, at + side].ravel() for side in (-1, 0, 1))
        p = beside(pairs[before], before) * beside(pairs.T[after], after) / np.maximum(frequency, 1e-12)
        p[:, : tokenizer.special] = 0
        p, hole = p / p.sum(-1, keepdims=True), np.arange(len(p))
        if look:
            kept = np.where(shown == mask, 0, p[hole, shown] / (p[hole, shown] + 1 / (size - tokenizer.special)))
            p *= (1 - kept)[:, None]
            p[hole, shown] += kept
        return -np.log(p[hole, targets.ravel()] + 1e-30).mean()

    def single(batch):
        return -np.log(frequency[batch["targets"].numpy()]).mean()

    parts = asked_of(tokenizer, held_out)
    tables = {"unigram": single, "pairs": of_pairs, "looking": partial(of_pairs, look=True)}
    return {part: {name: mean_loss(some, f) for name, f in tables.items()} for part, some in parts.items()}


def main(asked):
    plan = asked.plan
    if "corpus" in plan.bench:
        plan.bench["corpus"] = reachable(plan.bench["corpus"])
    study = Study("bert-below", {k: v for k, v in vars(plan).items() if k != "precision"}, asked=asked)
    tuning, *fresh = plan.seeds

    def job(batch, optimizer, lr, seed, tokens):
        key = json.dumps([batch, optimizer, lr, seed, tokens])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = {"batch_size": batch, "optimizer": optimizer, "lr": lr, "seed": seed, "tokens": tokens}

        return key, lambda: curve_and_test(asked, folder, plan.bench, seed != tuning, **changes)

    def apart(optimizer):
        return plan.apart.get(optimizer, sqrt(2))

    def last(*case):
        return study.saved["jobs"][job(*case)[0]]["curve"][-1][1]

    table = study.run([("tables", lambda: counting(plan.bench))])["tables"]
    budget, pilots = {}, {}
    for batch, lengths, first in zip(plan.batches, plan.budgets, plan.rates["adamw"], strict=True):
        for tokens in lengths:
            pilot = batch, "adamw", first, tuning, tokens
            study.run([job(*pilot)])
            pilots[f"{batch} {tokens}"] = last(*pilot)
            if last(*pilot) < table["tuning"]["looking"] - plan.below or study.toy:
                budget[batch] = tokens
                break
        else:
            if lengths:
                raise ValueError(f"no budget is enough: the best table has {table['tuning']}, pilots {pilots}")

    grids, chosen = {}, {}
    for name, middles in plan.rates.items():
        for batch, middle in zip(plan.batches, middles, strict=True):
            if middle is not None:
                grids[batch, name] = [three_digits(middle * apart(name) ** k) for k in (-1, 0, 1)]
    while len(chosen) < len(grids):  # each round extends all grids that need it, so that cores share the runs
        study.run([job(*case, lr, tuning, budget[case[0]]) for case, grid in grids.items() for lr in grid])
        for case in grids.keys() - chosen.keys():
            found = [last(*case, lr, tuning, budget[case[0]]) for lr in grids[case]]
            grid = grids[case] if study.toy else widened(grids[case], found, apart(case[1]))
            if grid == grids[case]:
                chosen[case] = grid[int(np.argmin(found))]
            grids[case] = grid
    chosen = {case: chosen[case] for case in grids}
    judged = [
        (*case, lr, seed, budget[case[0]])
        for k, seed in enumerate(fresh)
        for case, lr in chosen.items()
        if k < plan.judges.get(case[1], len(fresh))
    ]
    done = study.run([job(*case) for case in judged])
    test, curve = {}, []
    for batch, name, lr, seed, tokens in judged:
        of_case = test.setdefault(f"{batch} {name}", {})
        of_case[seed] = done[job(batch, name, lr, seed, tokens)[0]]["test"]
    for key, result in done.items():
        if key != "tables":
            row = dict(zip(("batch", "optimizer", "rate", "seed", "budget"), json.loads(key), strict=True))
            curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in result["curve"]]
    rates = {f"{batch} {name}": lr for (batch, name), lr in chosen.items()}
    results = {"chosen": rates, "budget": budget, "counting": table, "pilots": pilots, "test": test}
    study.record(curve, results, docstrings() if plan.bench.get("corpus", "docstrings") == "docstrings" else None)


if __name__ == "__main__":
    start(main, SIZES)
