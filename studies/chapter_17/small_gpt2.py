"""A GPT-2 of one layer and width 32, after 100, 200 and 400 steps: what the chapter on compression compresses.

Each is trained from the same start for that many steps, so that its learning rate has come down to zero. The record
has the three models beside it, as `export` writes them: rounded to bfloat16, without the state of the optimizer.
Training is chaotic in its last digits; what the chapter says of these models must hold on every machine, so it loads
them.
"""

import shutil

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.training import export, trainer
from minilib.training.config import Config

STEPS = (100, 200, 400)
CONFIG = {
    "model": "gpt2",
    "layers": 1,
    "width": 32,
    "vocabulary": 2048,
    "length": 32,
    "lr": 8e-3,
    "evaluate_rows": 256,
    "device": "cpu",
    "precision": "fp32",
}


def main():
    study = Study("small-gpt2", CONFIG | {"steps": STEPS})
    folder = study.scratch

    def one(steps):
        out = folder / f"steps-{steps}"
        shutil.rmtree(out, ignore_errors=True)
        return trainer.train(Config(**CONFIG, steps=steps, out=str(out)), quiet=True)["validation_loss"]

    losses = study.run((str(steps), lambda steps=steps: one(steps)) for steps in STEPS)
    rows = [{"steps": steps, "validation_loss": losses[str(steps)]} for steps in STEPS]
    out = study.record(rows, {"losses": losses}, docstrings())
    for steps in STEPS:
        shutil.rmtree(out / f"steps-{steps}", ignore_errors=True)
        export.save(folder / f"steps-{steps}", out / f"steps-{steps}")


if __name__ == "__main__":
    main()
