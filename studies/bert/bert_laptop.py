"""The run of `python -m minilib.training`, and the same with BERT's published first weights: who leaves the plateau?

In float32, so that every machine can repeat it. Two seeds each, about 4 minutes a run on one core. Larger: seeds. At
size "gpu" a BERT of 4 layers and width 256 on 50 million tokens: 2e15 operations a run, 2 minutes for all at a tenth of
the rate of an H200: estimated, not run.
"""

import json

from minilib.data import docstrings
from studies.command import start
from studies.pretraining import GPU_RUN, TOY_RUN, pretrain
from studies.study import Study

SIZES = {
    "laptop": {"seeds": [0, 1], "bench": {}},
    "toy": {"seeds": [0], "bench": TOY_RUN},
    "gpu": {"bench": GPU_RUN, "precision": "fastest"},
}
CASES = {"as published": {"published_weights": True}, "ours": {}}


def main(asked):
    plan = asked.plan
    study = Study("bert-laptop", {"seeds": plan.seeds, "cases": CASES, "precision": asked.precision}, asked=asked)
    folders = study.scratch
    jobs = []
    for case, changes in CASES.items():
        settings = plan.bench | changes
        for seed in plan.seeds:
            folder = folders / f"{case.replace(' ', '-')}-{seed}"
            jobs.append(
                (json.dumps([case, seed]), lambda f=folder, c=settings, s=seed: pretrain(asked, f, seed=s, **c))
            )
    curve, results = [], {}
    for key, (rows, outcome) in study.run(jobs).items():
        case, seed = json.loads(key)
        curve += [{"first weights": case, "seed": seed} | row for row in rows]
        results.setdefault(case, []).append(outcome)
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
