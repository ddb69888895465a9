"""What is pretraining with another optimizer worth afterwards? Four BERTs, fine-tuned alike, five seeds each.

Each BERT is the run of `python -m minilib.pretrain` with the learning rate that the study bert-optimizers found best
for its optimizer. It is fine-tuned with AdamW, always with the same settings: which package is this docstring from, and
SST-2 where the cache has it; on TEXTS texts. The same network with random weights is the fifth. 45 minutes on one core.
Larger: TEXTS, SEEDS.
"""

import sys

from bert_laptop import one

from minilib.pretrain import labelled
from minilib.pretrain.finetune import Finetuning, finetune
from minilib.runs import ROOT, Study, load

OPTIMIZERS = ("adamw", "lamb", "adafactor", "came")
TEXTS, SEEDS = 1000, 5


def tasks() -> list[str]:
    """Those that can be had here."""
    try:
        labelled.task("sst2")
    except ValueError as error:
        print(f"without SST-2: {error}", file=sys.stderr)
        return ["packages"]
    return ["packages", "sst2"]


def main():
    rates = load("bert-optimizers").run["results"]["chosen"]
    settings = {"rates": {name: rates[name] for name in OPTIMIZERS}, "texts": TEXTS, "seeds": SEEDS, "tasks": tasks()}
    study = Study("fine-tuning", settings)
    folders = ROOT / "_build" / "studies" / "fine-tuning"

    def pretrain(name):
        return one(folders / name, optimizer=name, lr=rates[name])[0][-1]["validation_loss"]

    def classify(name, what):
        run, out = str(folders / name), str(folders / f"{name}-{what}")
        more = {"texts": TEXTS, "seeds": SEEDS, "device": "cpu", "precision": "fp32"}
        return finetune(Finetuning(run=run, task=what, out=out, from_scratch=name == "adamw", **more), quiet=True)

    done = study.run([(f"pretrain {name}", lambda name=name: pretrain(name)) for name in OPTIMIZERS])
    losses = {name: done[f"pretrain {name}"] for name in OPTIMIZERS}
    pairs = [(name, what) for what in settings["tasks"] for name in OPTIMIZERS]
    done = study.run([(f"{name} {what}", lambda pair=(name, what): classify(*pair)) for name, what in pairs])
    curve, results = [], {"pretraining loss": losses}
    for name, what in pairs:
        found = done[f"{name} {what}"]
        results[what] = {key: found[key] for key in ("labels", "texts", "majority")}
        for weights in ("pretrained", "scratch"):
            rows = found.get(weights, {"accuracy": []})["accuracy"]
            who = name if weights == "pretrained" else "scratch"
            curve += [{"task": what, "pretrained with": who, "seed": k, "accuracy": a} for k, a in enumerate(rows)]
    study.record(curve, results)


if __name__ == "__main__":
    main()
