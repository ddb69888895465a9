"""Which change of BERT's first weights ends its plateau, and does the modern encoder do without either?

Five arms, the run of `python -m minilib.training` but for one thing: the first weights as published; with a position
table that begins as waves; with a deviation of 0.02 at the width of BERT-base; with both, which is minilib's; and the
modern encoder. Each has a rate of its own, from three, a factor of two apart, and more while the best is at an edge, by
the first seed and the rows for tuning; the others judge on the rows for tests. What is to be decided stands in
`studies/designs.md`, which was written before the runs. A loss of 99 is a run that diverged.

Some 45 runs in bfloat16, a minute and a half of one core each. At size "gpu" a BERT of 4 layers and width 256 on 50
million tokens: 1.2e15 operations a run, ten minutes for all at a tenth of an H100's rate: estimated, not run.
"""

import json
import math

import torch

from minilib.data import docstrings
from minilib.models.bert import Bert
from minilib.models.layers import sinusoids
from minilib.training import export, model_folder
from minilib.training.config import Config
from studies.command import start
from studies.held_out import half, on_test_rows, rows
from studies.pretraining import GPU_RUN, TOY_RUN, losses
from studies.rates import tune
from studies.study import Study

ARMS = {
    "published": (False, False),
    "waves": (True, False),
    "wide": (False, True),
    "both": (True, True),
    "modern": None,
}
SIZES = {
    "laptop": {"bench": {"vocabulary": 4096, "length": 64}, "seeds": (100, 0, 1, 2, 3, 4), "precision": "bf16"},
    "toy": {
        "bench": {k: v for k, v in TOY_RUN.items() if k not in ("evaluate_rows", "evaluate_every", "log_every")},
        "seeds": (100, 0),
        "precision": "fp32",
    },
    "gpu": {"bench": {k: v for k, v in GPU_RUN.items() if k not in ("evaluate_rows", "lr")}, "precision": "fastest"},
}
MIDDLE = 2e-3  # the rate of the default run


def first_weights(config: Config, tokenizer, folder, waves: bool, wide: bool) -> str:
    """A folder with the weights that a run of this seed begins with. The draws are the same in all arms."""
    torch.manual_seed(config.seed)
    model: Bert = export.build(config, len(tokenizer))
    deviation = 0.02 * (math.sqrt(768 / model.size.width) if wide else 1)
    with torch.no_grad():
        for p in model.parameters():
            if p.ndim > 1:
                p.mul_(deviation / 0.02)
        if waves:
            model.positions.weight.copy_(deviation * sinusoids(model.size.length, model.size.width))
    folder.mkdir(parents=True, exist_ok=True)
    model_folder.write(folder, model.size, model.state_dict(), tokenizer, torch.float32)
    return str(folder)


def main(asked):
    plan = asked.plan
    study = Study("bert-plateau", {"bench": plan.bench, "seeds": plan.seeds, "arms": list(ARMS)}, asked=asked)
    tuning, *fresh = plan.seeds

    def job(arm, lr, seed=tuning):
        folder = study.scratch / f"{arm}-{lr:g}-{seed}"

        def run():
            """Tokens and loss on the rows for tuning; and the loss on those for tests, of a seed that judges."""
            torch.set_num_threads(1)
            tokenizer, _, held_out = rows(plan.bench)
            changes = plan.bench | {"lr": lr, "seed": seed, "evaluate_rows": half(held_out)}
            if arm == "modern":
                changes["modern"] = True
            else:
                drawn = Config(**changes | {"published_weights": True})
                del changes["vocabulary"]  # that of the weights
                changes["init_from"] = first_weights(drawn, tokenizer, folder.with_suffix(".first"), *ARMS[arm])
            curve = losses(asked, folder, 16, **changes)
            if seed == tuning:
                return curve
            return [curve, on_test_rows(asked, folder, plan.bench) if curve[-1][1] != 99.0 else 99.0]

        return json.dumps([arm, lr, seed]), run

    chosen = tune(study, job, {arm: [MIDDLE / 2, MIDDLE, 2 * MIDDLE] for arm in ARMS})
    done = study.run([job(arm, chosen[arm], seed) for seed in fresh for arm in ARMS])
    test, curve = {arm: {} for arm in ARMS}, []
    for key, result in done.items():
        arm, rate, seed = json.loads(key)
        if seed != tuning:
            result, test[arm][seed] = result
        curve += [{"arm": arm, "rate": rate, "seed": seed, "tokens": n, "loss": loss} for n, loss in result]
    study.record(curve, {"chosen": chosen, "test": test}, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
