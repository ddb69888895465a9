"""The default run of `minilib.training`, but 6,000 steps long, and its model after 2,400 of them.

The chapter goes on from that model. About 20 minutes on one core. The record has the model beside it, as `export`
writes it: rounded to bfloat16, without the state of the optimizer.
"""

import shutil

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.training import export
from studies.protocols import pretrain

CONFIG = {"batch_size": 64, "steps": 3_000, "warmup": 0.1, "schedule": "linear", "save_every": 600}
KEPT = 2_400  # steps, after which the exported model stood


def main():
    study = Study("bert-long", CONFIG | {"exported_after": KEPT, "precision": "fp32"})
    folder = study.scratch
    rows, results = study.run([("run", lambda: pretrain(folder, **CONFIG))])["run"]
    out = study.record(rows, results, docstrings())
    for checkpoint in sorted((folder / "checkpoints").iterdir()):
        if int("".join(filter(str.isdigit, checkpoint.name))) > KEPT:
            shutil.rmtree(checkpoint)
    shutil.rmtree(out / "model", ignore_errors=True)
    export.save(folder, out / "model")


if __name__ == "__main__":
    main()
