"""The run of `python -m minilib.pretrain` with AdamW, LAMB, Adafactor and CAME, each at its own best learning rate.

Equal tuning: every method gets the same number of learning rates, a factor 2 apart, with one seed; the best of them is
run with two more. Where the best is the first or the last, one more is tried on that side, and the record says so.
All else (clipping, weight decay, warm-up, schedule) is as in the default run. Two hours on one core. Larger: SEEDS.
"""

import csv
import json

from minilib.pretrain import engine
from minilib.pretrain.config import Config
from minilib.runs import ROOT, Study

RATES = {
    "adamw": [5e-4, 1e-3, 2e-3, 4e-3],
    "lamb": [5e-3, 1e-2, 2e-2, 4e-2],
    "adafactor": [1e-3, 2e-3, 4e-3, 8e-3],
    "came": [2.5e-4, 5e-4, 1e-3, 2e-3],
}
SEEDS = [0, 1, 2]
KEPT = ("step", "tokens", "loss", "validation_loss", "validation_accuracy", "lr")


def one(optimizer: str, lr: float, seed: int) -> list[dict]:
    """The rows of a run's curve at which it validated. It goes on where it was killed."""
    folder = ROOT / "_build" / "studies" / "bert-optimizers" / f"{optimizer}-{lr:g}-{seed}"
    config = Config(optimizer=optimizer, lr=lr, seed=seed, precision="fp32", device="cpu", out=str(folder))
    engine.train(config, quiet=True)
    with open(folder / "curve.csv", newline="", encoding="utf-8") as file:
        rows = [{k: float(row[k]) for k in KEPT} for row in csv.DictReader(file)]
    return [row for row in rows if row["validation_loss"] == row["validation_loss"]]


def best(done: dict, optimizer: str) -> float:
    """The learning rate whose run with the first seed ends lowest."""
    keys = [json.loads(key) for key in done]
    tried = {lr: done[json.dumps([o, lr, s])][-1]["validation_loss"] for o, lr, s in keys if (o, s) == (optimizer, 0)}
    return min(tried, key=tried.get)


def main():
    study = Study("bert-optimizers", {"rates": RATES, "seeds": SEEDS, "precision": "fp32"})

    def run(wanted):
        return study.run([(json.dumps(w), lambda w=w: one(*w)) for w in wanted])

    done = run([(name, lr, SEEDS[0]) for name, rates in RATES.items() for lr in rates])
    for name, rates in RATES.items():
        beyond = {rates[0]: rates[0] / 2, rates[-1]: 2 * rates[-1]}
        if (lr := best(done, name)) in beyond:
            done = run([(name, beyond[lr], SEEDS[0])])
    chosen = {name: best(done, name) for name in RATES}
    done = run([(name, lr, seed) for name, lr in chosen.items() for seed in SEEDS[1:]])
    curve = []
    for key, rows in done.items():
        name, lr, seed = json.loads(key)
        curve += [{"optimizer": name, "rate": lr, "seed": seed} | row for row in rows]
    study.record(curve, {"chosen": chosen})


if __name__ == "__main__":
    main()
