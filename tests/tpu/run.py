"""Runs on the device of `stand_in`, and on the processor; prints what came out as JSON.

    python -m tests.tpu.run CORPUS FOLDER

A program, since a process keeps that device for good.
"""

import json
import logging
import math
import sys
from pathlib import Path

import pytest
import torch

from minilib.training import device, trainer
from minilib.training.optimizers import optimizer
from minilib.training.run_dir import read_curve
from minilib.training.step import step_if_finite
from tests.tpu import stand_in

SMALL = {
    "vocabulary": 320, "length": 16, "batch_size": 8, "micro_batch": 4, "steps": 6, "log_every": 2,
    "evaluate_every": 6, "evaluate_rows": 8, "save_every": 3, "dropout": 0.1, "lr": 0.01,
    "layers": 1, "width": 16, "heads": 2,
}  # fmt: skip


def what_is_picked(gibs=(None, 16, 32, 95)):
    """The device, and what is known of it without a measurement."""
    place, heard = device.pick(), []
    device.log.addHandler(handler := logging.Handler())
    handler.emit = lambda record: heard.append(record.getMessage())
    recipes = []
    for gib in gibs:
        stand_in.chip.total_memory = gib and gib * 2**30
        recipes.append(device.recipe(place))
    told = {"type": place.type, "precision": device.precision(place), "name": device.describe(place)}
    return told | {"recipes": recipes, "heard": heard, "wait": device.wait(place)}


def train(corpus, folder, name, where, dies=None):
    """The curve of a run, and what the host had read at the start of each step. It may die, and then goes on."""
    reads, one_step = [], trainer.Run.one_step

    def counting(self, *args):
        reads.append(stand_in.counts["reads"])
        if len(reads) - 1 == dies:
            raise KeyboardInterrupt
        return one_step(self, *args)

    config = trainer.Config(corpus=corpus, device=where, out=str(folder), optimizer=name, precision="fp32", **SMALL)
    trainer.Run.one_step = counting
    if dies is not None:
        with pytest.raises(KeyboardInterrupt):
            trainer.train(config, quiet=True)
    trainer.train(config, quiet=True)
    trainer.Run.one_step = one_step
    keys = ("loss", "grad_norm", "validation_loss")
    return {"curve": [row[k] for row in read_curve(folder) for k in keys if not math.isnan(row[k])], "reads": reads}


def skipped_steps(name):
    """How far the parameters went in four steps, of which the first and the third have no finite gradient."""
    torch.manual_seed(0)
    model = torch.nn.Linear(6, 4).to("tpu")
    opt = optimizer(name, model, 0.1, 0.01, torch.device("tpu"))
    moved, reads = [], []
    for factor in (math.nan, 1.0, math.inf, 0.5):
        before = [p.raw.clone() for p in model.parameters()]
        for p in model.parameters():
            p.grad = (factor * torch.linspace(-1, 2, p.numel()).view(p.shape)).to("tpu")
        at = stand_in.counts["reads"]
        step_if_finite(opt, model.parameters(), 0.1, clip=None)
        reads.append(stand_in.counts["reads"] - at)
        moved.append(sum(float((p.raw - b).abs().sum()) for p, b in zip(model.parameters(), before, strict=True)))
    return {"moved": moved, "reads": reads}


def main(corpus: str, out: Path) -> None:
    torch.set_num_threads(1)
    stand_in.install()
    trainer.matmul_rate = lambda *_: 1e9  # so that nothing is measured
    device.matmul_rate = None
    trainer.per_row = lambda *_: 1.0
    told = {"picked": what_is_picked(), "runs": {}}
    told["skipped"] = {name: skipped_steps(name) for name in ("sgd", "adamw", "lamb", "came")}
    for name, where, dies in (
        ("lamb", "tpu", 5),
        ("lamb", "cpu", None),
        ("adamw", "tpu", None),
        ("adamw", "cpu", None),
    ):
        told["runs"][f"{name} {where}"] = train(corpus, out / f"{name}-{where}", name, where, dies)
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
