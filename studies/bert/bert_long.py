"""The default run of `minilib.training`, but 3,000 steps of 64 rows long, and its model after 2,400 of them.

The chapter goes on from that model. About 50 minutes on one core. At size "gpu" a BERT of 4 layers and width 256 on 50
million tokens: 2e15 operations, a minute at a tenth of the rate of an H200: estimated, not run. The record has the
model beside it, as `export` writes it with `--precision bf16`: rounded, without the state of the optimizer.
"""

import shutil

from minilib.data import docstrings
from minilib.training import export
from studies.command import start
from studies.pretraining import GPU_MODEL, TOY_RUN, pretrain
from studies.study import Study

SHAPE = {"warmup": 0.1, "schedule": "linear"}
LONG = {"batch_size": 256, "steps": 1_500, "lr": 1e-3, "save_every": 300}
SIZES = {
    # kept: steps, after which the exported model stood
    "laptop": {"run": SHAPE | {"batch_size": 64, "steps": 3_000, "save_every": 600}, "kept": 2_400},
    "toy": {"run": TOY_RUN | SHAPE | {"save_every": 1}, "kept": 1},
    "gpu": {"run": GPU_MODEL | SHAPE | LONG, "kept": 1_200, "precision": "fastest"},
}


def main(asked):
    plan = asked.plan
    study = Study("bert-long", plan.run | {"exported_after": plan.kept, "precision": asked.precision}, asked=asked)
    folder = study.scratch
    rows, results = study.run([("run", lambda: pretrain(asked, folder, **plan.run))])["run"]
    out = study.record(rows, results, docstrings())
    for checkpoint in sorted((folder / "checkpoints").iterdir()):
        if int("".join(filter(str.isdigit, checkpoint.name))) > plan.kept:
            shutil.rmtree(checkpoint)
    shutil.rmtree(out / "model", ignore_errors=True)
    export.save(folder, out / "model", "bf16")


if __name__ == "__main__":
    start(main, SIZES)
