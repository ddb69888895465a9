"""What is pretraining with another optimizer worth afterwards? Four BERTs, fine-tuned, each at its best rate.

Each BERT is the run of `python -m minilib.training` with the learning rate that the study bert-optimizers found best
for its optimizer; the same network with random weights is the fifth. All are fine-tuned with AdamW: which package is
this docstring from, and SST-2 where the cache has it, from `texts` texts. The rate of fine-tuning is tuned for each of
the five and each task with one seed (three rates, a factor 2 apart, more where the best is at an edge; `best_rate`) by
the accuracy on `held_out` other training texts, so that the validation texts choose nothing. Then come `seeds` seeds.
60 minutes on one core. Larger: texts, seeds. At size "gpu" the BERTs are those of bert-optimizers at that size, which
comes first: 2e15 operations in each of four runs, and 20,000 texts; 15 minutes at a tenth of the rate of an H200:
estimated, not run.
"""

import sys

import numpy as np

from minilib.data import classification, docstrings
from minilib.experiments.records import load
from minilib.training import export
from minilib.training.device import pick
from minilib.training.finetune import Finetuning, fit, fresh
from studies.command import start
from studies.pretraining import GPU_RUN, TOY_RUN, pretrain
from studies.rates import best_rate
from studies.study import Study

OPTIMIZERS = ("adamw", "lamb", "adafactor", "came")
SIZES = {
    "laptop": {
        "pretraining": "bert-optimizers",  # the record that has the rates
        "tasks": ("packages", "sst2"),
        "bench": {},
        "texts": 1000,
        "held_out": 2000,
        "seeds": 5,
        "rates": [5e-4, 1e-3, 2e-3],
    },
    "toy": {"tasks": ("packages",), "bench": TOY_RUN, "texts": 32, "held_out": 32, "seeds": 1, "rates": [1e-3]},
    "gpu": {"pretraining": "bert-optimizers-gpu", "bench": GPU_RUN, "texts": 20_000, "precision": "fastest"},
}


def there(tasks: tuple[str, ...]) -> dict[str, classification.Classification]:
    """Those that can be had here, by name."""
    found = {}
    for name in tasks:
        try:
            found[name] = classification.task(name)
        except ValueError as error:
            print(f"without {name}: {error}", file=sys.stderr)
    return found


def classify(
    study: Study, weights: str, what: classification.Classification, lr: float, seed: int, tune: bool
) -> float:
    """The accuracy after fine-tuning: on the held-out training texts, or on the validation texts."""
    plan, device = study.asked.plan, pick(study.asked.device)
    trained = export.load(study.scratch / ("adamw" if weights == "scratch" else weights))
    order = np.random.default_rng(0).permutation(len(what.train.texts))

    def part(chosen):
        return classification.Part([what.train.texts[i] for i in chosen], [what.train.targets[i] for i in chosen])

    learnt, judged = part(order[: plan.texts]), what.validation
    if tune:
        judged = part(order[plan.texts : plan.texts + plan.held_out])
    rows = [
        classification.ClassificationData(each, trained.tokenizer, trained.model.size.length)
        for each in (learnt, judged)
    ]
    settings = Finetuning(precision=study.asked.precision, device=study.asked.device, lr=lr)
    model = fresh(settings, trained, len(what.labels), weights != "scratch", device, seed)
    return fit(model, settings, rows, np.arange(len(rows[0])), device, seed, quiet=True)[-1]["accuracy"]


def tuned(study: Study, weights: str, named: str, what: classification.Classification) -> tuple[float, list[float]]:
    """The rate of fine-tuning, and the accuracy of each seed at it."""
    plan = study.asked.plan

    def wrong(lr):
        key = f"tune {named} {weights} {lr:g}"
        return 1 - study.run([(key, lambda: classify(study, weights, what, lr, 0, tune=True))])[key]

    lr = best_rate(study, wrong, plan.rates)
    jobs = {f"{named} {weights} {seed}": seed for seed in range(plan.seeds)}
    done = study.run(
        [(key, lambda seed=seed: classify(study, weights, what, lr, seed, tune=False)) for key, seed in jobs.items()]
    )
    return lr, [done[key] for key in jobs]


def main(asked):
    plan, tasks = asked.plan, there(asked.plan.tasks)
    rates = load(plan.pretraining).run["results"]["chosen"]
    settings = {"rates": {name: rates[name] for name in OPTIMIZERS}, "texts": plan.texts, "held_out": plan.held_out}
    settings |= {"seeds": plan.seeds, "fine-tuning rates": plan.rates, "tasks": [*tasks]}
    study = Study("fine-tuning", settings, asked=asked)

    def pretrained(name):
        changes = {"optimizer": name, "lr": rates[name]}
        return pretrain(asked, study.scratch / name, **plan.bench | changes)[0][-1]["validation_loss"]

    done = study.run([(f"pretrain {name}", lambda name=name: pretrained(name)) for name in OPTIMIZERS])
    curve, results = [], {"pretraining loss": {name: done[f"pretrain {name}"] for name in OPTIMIZERS}}
    for named, what in tasks.items():
        chosen = {}
        for weights in (*OPTIMIZERS, "scratch"):
            chosen[weights], scores = tuned(study, weights, named, what)
            row = {"task": named, "pretrained with": weights}
            curve += [row | {"seed": seed, "accuracy": round(a, 5)} for seed, a in enumerate(scores)]
        texts = [plan.texts, len(what.validation.texts)]
        results[named] = {"labels": what.labels, "texts": texts, "majority": what.majority, "chosen": chosen}
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
