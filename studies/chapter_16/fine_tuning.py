"""What is pretraining with another optimizer worth afterwards? Four BERTs, fine-tuned, each at its best rate.

Each BERT is the run of `python -m minilib.training` with the learning rate that the study bert-optimizers found best
for its optimizer; the same network with random weights is the fifth. All are fine-tuned with AdamW: which package is
this docstring from, and SST-2 where the cache has it, from TEXTS texts. The rate of fine-tuning is tuned for each of
the five and each task with one seed (three rates, a factor 2 apart, more where the best is at an edge;
`best_rate`) by the accuracy on HELD_OUT other training texts, so that the validation texts choose nothing. Then
come SEEDS seeds. 60 minutes on one core. Larger: TEXTS, SEEDS.
"""

import sys
from pathlib import Path

import numpy as np
import torch

from minilib.datasets import docstrings
from minilib.experiments.records import load, project
from minilib.experiments.study import Study
from minilib.experiments.tuning import best_rate
from minilib.training import export
from minilib.training.data import classification
from minilib.training.finetune import Finetuning, fit, fresh
from studies.protocols import pretrain

OPTIMIZERS = ("adamw", "lamb", "adafactor", "came")
TEXTS, HELD_OUT, SEEDS, RATES = 1000, 2000, 5, [5e-4, 1e-3, 2e-3]
CPU = torch.device("cpu")


def models() -> Path:
    """Where the models that it trains are kept."""
    return project().root / "_build" / "studies" / "fine-tuning"


def tasks() -> list[str]:
    """Those that can be had here."""
    try:
        classification.task("sst2")
    except ValueError as error:
        print(f"without SST-2: {error}", file=sys.stderr)
        return ["packages"]
    return ["packages", "sst2"]


def classify(weights: str, what: classification.Classification, lr: float, seed: int, tune: bool) -> float:
    """The accuracy after fine-tuning: on the held-out training texts, or on the validation texts."""
    trained = export.load(models() / ("adamw" if weights == "scratch" else weights))
    order, judged = np.random.default_rng(0).permutation(len(what.train.texts)), what.validation
    if tune:
        kept = order[TEXTS : TEXTS + HELD_OUT]
        judged = classification.Part([what.train.texts[i] for i in kept], [what.train.targets[i] for i in kept])
    rows = [
        classification.ClassificationData(part, trained.tokenizer, trained.model.size.length)
        for part in (what.train, judged)
    ]
    settings = Finetuning(precision="fp32", device="cpu", lr=lr)
    model = fresh(settings, trained, len(what.labels), weights != "scratch", CPU, seed)
    return fit(model, settings, rows, order[:TEXTS], CPU, seed, quiet=True)[-1]["accuracy"]


def tuned(study: Study, weights: str, named: str) -> tuple[float, list[float]]:
    """The rate of fine-tuning, and the accuracy of each seed at it."""
    what = classification.task(named)

    def wrong(lr):
        key = f"tune {named} {weights} {lr:g}"
        return 1 - study.run([(key, lambda: classify(weights, what, lr, 0, tune=True))])[key]

    lr = best_rate(wrong, RATES)
    jobs = {f"{named} {weights} {seed}": seed for seed in range(SEEDS)}
    done = study.run(
        [(key, lambda seed=seed: classify(weights, what, lr, seed, tune=False)) for key, seed in jobs.items()]
    )
    return lr, [done[key] for key in jobs]


def main():
    rates = load("bert-optimizers").run["results"]["chosen"]
    settings = {"rates": {name: rates[name] for name in OPTIMIZERS}, "texts": TEXTS, "held_out": HELD_OUT}
    settings |= {"seeds": SEEDS, "fine-tuning rates": RATES, "tasks": tasks()}
    study = Study("fine-tuning", settings)

    def pretrained(name):
        return pretrain(models() / name, optimizer=name, lr=rates[name])[0][-1]["validation_loss"]

    done = study.run([(f"pretrain {name}", lambda name=name: pretrained(name)) for name in OPTIMIZERS])
    curve, results = [], {"pretraining loss": {name: done[f"pretrain {name}"] for name in OPTIMIZERS}}
    for named in settings["tasks"]:
        what, chosen = classification.task(named), {}
        for weights in (*OPTIMIZERS, "scratch"):
            chosen[weights], scores = tuned(study, weights, named)
            row = {"task": named, "pretrained with": weights}
            curve += [row | {"seed": seed, "accuracy": round(a, 5)} for seed, a in enumerate(scores)]
        texts = [TEXTS, len(what.validation.texts)]
        results[named] = {"labels": what.labels, "texts": texts, "majority": what.majority, "chosen": chosen}
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    main()
