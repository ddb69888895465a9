"""The valleys of `gpt2-batches` on a finer grid: half-octave rates on both sides of every best rate that it recorded.

What is to be decided stands in `studies/designs.md`, which was written before the runs. Model, tokens, schedule and
seeds are those of `gpt2-batches`, whose record is read; one of its runs is made again first, and must end where it
ended. The best rate of a batch and a method has neighbours an octave away that the record knows, so the two rates half
an octave away close the grid. Where one of them is better for the seed that tunes, the five seeds that judge run at it;
where none is, the record has their runs. Some 35 runs of two to three minutes of one core.
"""

import json
from math import sqrt

import torch

from minilib.data import docstrings
from minilib.experiments import records
from minilib.experiments.tuning import tuned
from studies.command import start
from studies.pretraining import GPT2, TOY_GPT2, losses
from studies.study import Study

METHODS = ("adamw", "lamb")
SIZES = {
    "laptop": GPT2 | {"batches": (16, 64, 256, 1024), "again": (64, "lamb", 0)},
    "toy": TOY_GPT2 | {"batches": (16,), "again": (16, "lamb", 0)},
}
SAME = 1e-3  # nats by which the run that is made again may differ


def main(asked):
    plan = asked.plan
    torch.set_num_threads(1)
    study = Study("gpt2-half-octaves", vars(plan), asked=asked)
    tuning, *fresh = plan.seeds
    before = {(b, name): runs for (_, b, name), runs in tuned(records.load("gpt2-batches")).items()}

    def job(batch, name, lr, seed):
        key = json.dumps([batch, name, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = {"model": "gpt2", "batch_size": batch, "optimizer": name, "lr": lr, "seed": seed}
        return key, lambda: losses(asked, folder, 16, **plan.bench | changes | {"tokens": plan.tokens})

    def last(*run):
        return study.run([job(*run)])[job(*run)[0]][-1][1]

    batch, name, seed = plan.again
    was, now = before[batch, name].last[seed], last(batch, name, before[batch, name].rate, seed)
    if abs(was - now) > SAME and not study.toy:
        raise ValueError(f"the run that was made again ended at {now}, and not at {was}: the records cannot be joined")
    cases = [(b, name) for b in plan.batches for name in METHODS]
    beside = {case: [float(f"{before[case].rate * f:.3g}") for f in (sqrt(0.5), sqrt(2))] for case in cases}
    study.run([job(*case, lr, tuning) for case in cases for lr in beside[case]])
    chosen = {}
    for case in cases:
        found = before[case].tried | {lr: last(*case, lr, tuning) for lr in beside[case]}
        chosen[case] = min(found, key=found.get)
    moved = [case for case in cases if chosen[case] != before[case].rate]
    study.run([job(*case, chosen[case], seed) for seed in fresh for case in moved])
    curve = []
    for key, points in study.saved["jobs"].items():
        row = dict(zip(("batch", "optimizer", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    rates = {f"{b} {name}": lr for (b, name), lr in chosen.items()}
    study.record(curve, {"chosen": rates, "moved": moved, "again": {"was": was, "now": now}}, docstrings())


if __name__ == "__main__":
    start(main, SIZES, "it is compared with the record of gpt2-batches, which was made on one")
