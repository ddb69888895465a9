"""A GPT-2 of one layer and width 32, after 100, 200 and 400 steps: what the chapter on compression compresses.

Each is trained from the same start for that many steps, so that its learning rate has come down to zero. The record
has the three models beside it, as `export` writes them with `--precision bf16`, without the state of the optimizer.
Training is chaotic in its last digits; what the chapter says of these models must hold on every machine, so it loads
them. At size "gpu" 4 layers of width 256, after 400, 800 and 1,600 steps of 256 rows of 128: 5e15 operations in all,
2 minutes at a tenth of the rate of an H200: estimated, not run.
"""

import shutil

from minilib.data import docstrings
from minilib.training import export, trainer
from minilib.training.config import Config
from studies.command import start
from studies.pretraining import GPU_MODEL, TOY_MODEL
from studies.study import Study

SMALL = {"layers": 1, "width": 32, "vocabulary": 2048, "length": 32, "lr": 8e-3, "evaluate_rows": 256}
SIZES = {
    "laptop": {"bench": SMALL | {"model": "gpt2"}, "steps": (100, 200, 400)},
    "toy": {"bench": TOY_MODEL | {"model": "gpt2", "batch_size": 2}, "steps": (1, 2)},
    "gpu": {
        "bench": GPU_MODEL | {"model": "gpt2", "lr": 1e-3, "batch_size": 256, "micro_batch": 64},
        "steps": (400, 800, 1600),
        "precision": "fastest",
    },
}


def main(asked):
    plan = asked.plan
    config = plan.bench | {"device": asked.device, "precision": asked.precision}
    study = Study("small-gpt2", config | {"steps": plan.steps}, asked=asked)
    folder = study.scratch

    def one(steps):
        out = folder / f"steps-{steps}"
        shutil.rmtree(out, ignore_errors=True)
        return trainer.train(Config(**config, steps=steps, out=str(out)), quiet=True)["validation_loss"]

    losses = study.run((str(steps), lambda steps=steps: one(steps)) for steps in plan.steps)
    rows = [{"steps": steps, "validation_loss": losses[str(steps)]} for steps in plan.steps]
    out = study.record(rows, {"losses": losses}, docstrings())
    for steps in plan.steps:
        shutil.rmtree(out / f"steps-{steps}", ignore_errors=True)
        export.save(folder / f"steps-{steps}", out / f"steps-{steps}", "bf16")


if __name__ == "__main__":
    start(main, SIZES)
