"""BERT, GPT-2 and T5, small, in small and large batches: AdamW, Adafactor (no momentum), CAME and LAMB, equally tuned.

Half a million tokens of the docstrings each, rows of 32; two layers of width 64 (T5: two and two), vocabulary 2,048.
Every method gets three learning rates at either batch, centred on its own rate times the root of the batch, and more
where the best is at an edge (`best_rate`), with one seed; the best runs with two more seeds. A loss of 99 is a run
that diverged. An hour on one core. Larger: TOKENS, SEEDS, BATCHES.
"""

import json
from math import sqrt

from bert_batches import losses

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.experiments.tuning import best_rate

TOKENS, LOOKS = 500_000, 16
MODELS, BATCHES, BASE = ("bert-tiny", "gpt2", "t5-small"), (32, 256), 32
RATES = {
    "adamw": [1e-3, 2e-3, 4e-3],
    "adafactor": [1e-3, 2e-3, 4e-3],
    "came": [2.5e-4, 5e-4, 1e-3],
    "lamb": [5e-3, 1e-2, 2e-2],
}
SEEDS = (0, 1, 2)


def search(study: Study, rates: dict[str, list[float]]) -> dict[str, float]:
    """Tune and repeat every method on every model and batch; the chosen rates by "model batch optimizer"."""

    def job(model, batch, optimizer, lr, seed):
        key = json.dumps([model, batch, optimizer, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = {"model": model, "batch_size": batch, "optimizer": optimizer, "lr": lr, "seed": seed}
        return key, lambda: losses(folder, LOOKS, tokens=TOKENS, evaluate_rows=512, **changes)

    def tuning_loss(case, lr):
        key, looks = job(*case, lr, SEEDS[0])
        return study.run([(key, looks)])[key][-1][1]

    cases = [(model, batch, name) for model in MODELS for batch in BATCHES for name in rates]
    first = {case: [float(f"{lr * sqrt(case[1] / BASE):.3g}") for lr in rates[case[2]]] for case in cases}
    study.run([job(*case, lr, SEEDS[0]) for case in cases for lr in first[case]])
    chosen = {case: best_rate(lambda lr, case=case: tuning_loss(case, lr), first[case]) for case in cases}
    study.run([job(*case, chosen[case], seed) for case in cases for seed in SEEDS[1:]])
    return {" ".join(map(str, case)): lr for case, lr in chosen.items()}


def points(study: Study) -> list[dict]:
    """A row for every look at every run."""
    curve = []
    for key, looks in study.saved["jobs"].items():
        row = dict(zip(("model", "batch", "optimizer", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in looks]
    return curve


def settings(rates: dict[str, list[float]]) -> dict:
    return {"tokens": TOKENS, "models": MODELS, "batches": BATCHES, "base": BASE, "rates": rates, "seeds": SEEDS}


def main():
    study = Study("three-models", settings(RATES))
    chosen = search(study, RATES)
    study.record(points(study), {"chosen": chosen}, docstrings())


if __name__ == "__main__":
    main()
