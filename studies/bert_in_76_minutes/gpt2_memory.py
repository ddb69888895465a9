"""How long AdamW and LAMB remember squares, and how long they warm up, at 256 and 1,024 rows of the small GPT-2.

What is to be decided stands in `studies/designs.md`, written before the runs. `gpt2-batches` has beta2 = 0.999
and a warm-up over a fifth of the steps; here are the three other corners of 0.95 or 0.999 and a twentieth or a fifth.
At 1,024 rows each corner gets three learning rates, an octave apart, around the recorded best one, and more while the
best is at an edge; at 256 rows each gets the recorded rate, and the best corner its neighbours. The seed that tunes
chooses a corner for each batch and method; where it is not the recorded one, the seeds that judge run there, and are
compared with their recorded runs. The gradient is accumulated over parts of 64 rows, which is the gradient of the
batch, and a third faster. Some 45 runs of two to three minutes of one core.
"""

import json

import torch

from minilib.data import docstrings
from minilib.experiments import records
from minilib.experiments.tuning import tuned
from studies.command import start
from studies.pretraining import GPT2, TOY_GPT2, losses
from studies.rates import best_rate
from studies.study import Study

METHODS = ("adamw", "lamb")
RECORDED = (0.999, 0.2)  # beta2 and the share of the warm-up in `gpt2-batches`
SIZES = {
    "laptop": GPT2
    | {
        "batches": (1024, 256),
        "micro": 64,
        "corners": ((0.95, 0.05), (0.95, 0.2), (0.999, 0.05)),
        "searched": (1024,),  # batches at which every corner has its own search
    },
    "toy": TOY_GPT2 | {"batches": (256,), "micro": 64, "corners": ((0.95, 0.05),), "searched": ()},
}


def main(asked):
    plan = asked.plan
    torch.set_num_threads(1)
    study = Study("gpt2-memory", {"recorded": RECORDED, **vars(plan)}, asked=asked)
    tuning, *fresh = plan.seeds
    before = {(b, name): runs for (_, b, name), runs in tuned(records.load("gpt2-batches")).items()}

    def job(batch, name, beta2, warmup, lr, seed):
        key = json.dumps([batch, name, beta2, warmup, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = {"model": "gpt2", "batch_size": batch, "optimizer": name, "lr": lr, "seed": seed}
        changes |= {"beta2": beta2, "warmup": warmup, "tokens": plan.tokens, "micro_batch": plan.micro}
        return key, lambda: losses(asked, folder, 16, **plan.bench | changes)

    def last(*run):
        return study.run([job(*run)])[job(*run)[0]][-1][1]

    def search(case, corner):
        rates = [before[case].rate * factor for factor in (0.5, 1, 2)]
        return best_rate(study, lambda lr: last(*case, *corner, lr, tuning), rates)

    chosen, cases = {}, [(b, name) for b in plan.batches for name in METHODS]
    for case in cases:
        kept = before[case].rate
        rates = {corner: search(case, corner) if case[0] in plan.searched else kept for corner in plan.corners}
        found = {corner: last(*case, *corner, lr, tuning) for corner, lr in rates.items()}
        rates[RECORDED], found[RECORDED] = kept, before[case].tried[kept]
        best = min(found, key=found.get)
        if best != RECORDED and case[0] not in plan.searched:
            rates[best] = search(case, best)
        chosen[case] = (*best, rates[best])
    new = [case for case in cases if chosen[case][:2] != RECORDED]
    study.run([job(*case, *chosen[case], seed) for seed in fresh for case in new])
    curve = []
    for key, points in study.saved["jobs"].items():
        row = dict(zip(("batch", "optimizer", "beta2", "warmup", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    study.record(curve, {"chosen": {f"{b} {name}": corner for (b, name), corner in chosen.items()}}, docstrings())


if __name__ == "__main__":
    start(main, SIZES, "it is compared with the record of gpt2-batches, which was made on one")
