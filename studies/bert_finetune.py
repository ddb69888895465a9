"""What was pretraining worth? The model of bert-long told packages apart, beside the same network from random weights.

With 500 and 2,000 labelled texts. Both are trained with the same three learning rates, three seeds each, and all of it
is recorded: the chapter compares each at its best rate. 20 minutes on one core. Larger: SEEDS, or "sst2" for TASK where
it is in the cache.
"""

import json
from tempfile import TemporaryDirectory

from minilib.pretrain.finetune import Finetuning, finetune
from minilib.runs import ROOT, Study

TASK = "packages"
TEXTS = [500, 2_000]
RATES = [1e-3, 2e-3, 4e-3]
SEEDS = 3


def one(texts: int, lr: float, seeds: int) -> dict:
    """The results of a fine-tuning, of which nothing else is kept."""
    model = ROOT / "book" / "runs" / "bert-long" / "model"
    with TemporaryDirectory() as folder:
        settings = Finetuning(
            run=str(model), task=TASK, texts=texts, lr=lr, seeds=seeds, from_scratch=True, epochs=4,
            device="cpu", precision="fp32", out=folder,
        )  # fmt: skip
        return finetune(settings, quiet=True)


def main():
    study = Study("bert-finetune", {"task": TASK, "texts": TEXTS, "rates": RATES, "seeds": SEEDS, "precision": "fp32"})
    keys = [(texts, lr) for texts in TEXTS for lr in RATES]
    done = study.run([(json.dumps(key), lambda k=key: one(*k, SEEDS)) for key in keys])
    curve = [
        {"texts": texts, "rate": lr, "weights": weights, "seed": seed, "accuracy": round(accuracy, 4)}
        for texts, lr in keys
        for weights in ("pretrained", "scratch")
        for seed, accuracy in enumerate(done[json.dumps([texts, lr])][weights]["accuracy"])
    ]
    first = done[json.dumps([TEXTS[0], RATES[0]])]
    study.record(curve, {"labels": first["labels"], "majority": first["majority"], "validation": first["texts"][1]})


if __name__ == "__main__":
    main()
