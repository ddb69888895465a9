"""Does a large model bear more compression because it is large, or because it is young? Five seeds of a third model.

The record `gpt2-compressed` has two layers of width 64 that saw 5.6 million tokens, and four of width 128 that saw 1.2
million. Here the smaller sees as many tokens as the larger (`young`), at a rate tuned for that with the first seed, and
is stored and pruned like the two, with as many tokens of recovery as the larger. One seed stood in a pilot; the two
`others` are trained with the seed that takes its place. Every pruning to `at_once` is also made in one step and not
recovered: that must lose. The design is in `studies/designs.md`. 20 minutes on one core. Larger: sizes, tokens. At size
"gpu" 4 layers of width 256 with the 50 million tokens of 8 of width 512: 15 minutes at a tenth of the rate of an H200:
estimated, not run.
"""

import json

import torch

from minilib.compress import load_into, prune, store
from minilib.data import docstrings
from minilib.training import export
from minilib.training.device import pick
from studies.command import start
from studies.compressing import FORMATS, compress, loss_on, operations, parts, spend
from studies.pretraining import GPU_MODEL, TOY_MODEL
from studies.rates import tune
from studies.study import Study

SIZES = {
    "laptop": {
        "bench": {"model": "gpt2", "vocabulary": 2048, "length": 32, "evaluate_rows": 1024, "batch_size": 64},
        "budget": 8e12,
        "young": (2, 64),  # layers, width; it sees as many tokens as the last of the others
        "rates": [8e-3, 1.6e-2, 3.2e-2],
        "others": [((2, 64), 1.6e-2), ((4, 128), 4e-3)],  # as in gpt2-compressed
        "recovery": 0.05,
        "at_once": (0.6, 4),
        "seeds": (100, 1, 2, 3, 4, 5),
        "others_seeds": (5,),
    },
    "toy": {
        "bench": {key: TOY_MODEL[key] for key in ("corpus", "vocabulary", "length", "evaluate_rows")}
        | {"model": "gpt2", "batch_size": 2},
        "budget": 4e6,
        "young": (1, 16),
        "rates": [4e-3],
        "others": [((1, 16), 4e-3), ((2, 16), 4e-3)],
        "seeds": (100, 1),
        "others_seeds": (1,),
    },
    "gpu": {
        "bench": {key: GPU_MODEL[key] for key in ("vocabulary", "length", "evaluate_rows")}
        | {"model": "gpt2", "batch_size": 256, "micro_batch": 256},
        "budget": 1e16,
        "young": (4, 256),
        "rates": [1e-3, 2e-3, 4e-3],
        "others": [((4, 256), 2e-3), ((8, 512), 1e-3)],
        "precision": "fastest",
    },
}


def main(asked):
    torch.set_num_threads(1)
    plan = asked.plan
    study = Study("gpt2-youth", {k: v for k, v in vars(plan).items() if k != "precision"}, asked=asked)
    tokens = {size: plan.budget / operations(plan.bench, size) for size, _ in plan.others}
    few = tokens[plan.others[-1][0]]

    def job(who, size, lr, seed, seen):
        key = json.dumps([who, *size, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        return key, lambda: spend(study, folder, size, seen, lr=lr, seed=seed), folder

    def unrecovered(folder):
        """The loss of a model that is pruned in one step, with nothing after it."""
        sparsity, bits = plan.at_once
        trained, device = export.load(folder), pick(asked.device)
        model = trained.model.to(device)
        masks = prune(model, sparsity)
        load_into(model, store(model, bits, "tensor", masks))
        return round(loss_on(model, parts(plan.bench, trained.tokenizer)["validation"][1::2], device), 4)

    def stored(who, size, lr, seed, seen):
        _, train, folder = job(who, size, lr, seed, seen)
        if not folder.exists():
            train()
        points = compress(study, folder, lr / 10, seed, plan.recovery * seen)
        return {"points": points, "at once": unrecovered(folder)}

    def young(_, lr):
        return job("young", plan.young, lr, plan.seeds[0], few)[:2]

    rate = tune(study, young, {plan.young: plan.rates})[plan.young]
    cases = [("young", plan.young, rate, seed, few) for seed in plan.seeds[1:]]
    cases += [
        (f"{size[0]} {size[1]}", size, lr, s, tokens[size]) for size, lr in plan.others for s in plan.others_seeds
    ]
    study.run([job(*case)[:2] for case in cases])
    named = {f"compress {case[0]} {case[3]}": case for case in cases}
    done = study.run([(key, lambda case=case: stored(*case)) for key, case in named.items()])
    curve = []
    for key, (who, (layers, width), _, seed, _) in named.items():
        model = {"who": who, "layers": layers, "width": width, "seed": seed}
        curve += [model | row for row in done[key]["points"]]
    trained = {key: points[-1] for key, points in study.saved["jobs"].items() if key.startswith("[")}
    at_once = {key.removeprefix("compress "): done[key]["at once"] for key in named}
    results = {"rate": rate, "pretrained": trained, "at once": at_once, "formats": FORMATS}
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
