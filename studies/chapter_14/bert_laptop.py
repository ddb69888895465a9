"""The run of `python -m minilib.training`, and the same with BERT's published first weights: who leaves the plateau?

In float32, so that every machine can repeat it. Two seeds each, about 4 minutes a run on one core. Larger: add to
SEEDS.
"""

import json

from minilib.datasets import docstrings
from minilib.experiments.study import Study
from studies.protocols import pretrain

SEEDS = [0, 1]
CASES = {"as published": {"published_weights": True}, "ours": {}}


def main():
    study = Study("bert-laptop", {"seeds": SEEDS, "cases": CASES, "precision": "fp32"})
    folders = study.scratch
    jobs = []
    for case, changes in CASES.items():
        for seed in SEEDS:
            folder = folders / f"{case.replace(' ', '-')}-{seed}"
            jobs.append((json.dumps([case, seed]), lambda f=folder, c=changes, s=seed: pretrain(f, seed=s, **c)))
    curve, results = [], {}
    for key, (rows, outcome) in study.run(jobs).items():
        case, seed = json.loads(key)
        curve += [{"first weights": case, "seed": seed} | row for row in rows]
        results.setdefault(case, []).append(outcome)
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    main()
