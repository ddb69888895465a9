"""Train large, then compress, judged by loss: GPT-2s of three sizes on one budget of operations, quantised and pruned.

What is to be decided, and why with this model, stands in `studies/README.md`. Every size spends `budget` operations
with AdamW, batches of 64 rows, at a rate tuned for it with the first seed (three rates around 4e-3 at width 64, less in
proportion to the width, and more of them where the best is at an edge; `best_rate`), which decides nothing else. The
models of the other seeds are stored in 8, 6, 4 and 3 bits a weight, and pruned in six steps of 15 %
(`minilib.compress`) with `recovery` of the budget spent at a tenth of the rate after each, every step in 32, 8, 6 and 4
bits. A row of the curve has the bytes that are stored, and two losses of what is loaded from them: on one half of the
validation rows, by which a format may be chosen, and on the other half, which judges. Two hours on one core. Larger:
budget, sizes. At size "gpu" up to 8 layers of width 512, 5e15 operations in each of some 25 runs, 45 minutes at a tenth
of the rate of an H200: estimated, not run.
"""

import copy
import json

import numpy as np
import torch

from minilib.analysis import flops
from minilib.compress import SPARSITIES, keep_pruned, load_into, prune, store, total_bytes
from minilib.data import corpora, docstrings
from minilib.data.packing import packed_rows
from minilib.training import export
from minilib.training.config import Config
from minilib.training.device import pick
from minilib.training.optimizers import optimizer
from minilib.training.trainer import Diverged
from studies.protocols import GPT2, GPU_MODEL, TOY_MODEL, autocast, counting, pretrain, start, tune
from studies.study import Study

SIZES = {
    "laptop": {
        "bench": {"model": "gpt2", "vocabulary": 2048, "length": 32, "evaluate_rows": 1024, "batch_size": 64},
        "sizes": [(1, 32), (2, 64), (4, 128)],  # layers, width
        "budget": 8e12,
        "recovery": 0.05,
        "rates": [2e-3, 4e-3, 8e-3],
        "seeds": GPT2["seeds"],
    },
    "toy": {
        "bench": {key: TOY_MODEL[key] for key in ("corpus", "vocabulary", "length", "evaluate_rows")}
        | {"model": "gpt2", "batch_size": 2},
        "sizes": [(1, 16)],
        "budget": 4e6,
        "rates": [4e-3],
        "seeds": (100, 0),
    },
    "gpu": {
        "bench": {key: GPU_MODEL[key] for key in ("vocabulary", "length", "evaluate_rows")}
        | {"model": "gpt2", "batch_size": 256, "micro_batch": 256},
        "sizes": [(2, 128), (4, 256), (8, 512)],
        "budget": 5e15,
        "precision": "fastest",
    },
}
FORMATS = [(32, "tensor"), (8, "tensor"), (6, "tensor"), (4, "tensor"), (4, "channel"), (3, "channel")]
PRUNED_BITS = (32, 8, 6, 4)


def operations(plan, size: tuple[int, int]) -> float:
    """Of one token's forward and backward pass."""
    model = export.build(Config(**plan.bench, layers=size[0], width=size[1]), plan.bench["vocabulary"])
    tokens = torch.zeros(1, plan.bench["length"] + 1, dtype=torch.int64)
    return flops.per_row(model, {"tokens": tokens}) / plan.bench["length"]


def spend(study: Study, folder, size: tuple[int, int], lr: float, seed: int) -> list[list[float]]:
    """Spend the budget; tokens and the last validation loss, 99 where the run diverged."""
    plan = study.asked.plan
    shape = plan.bench | {"layers": size[0], "width": size[1], "lr": lr, "seed": seed}
    shape["tokens"] = round(plan.budget / operations(plan, size))
    try:
        rows, _ = pretrain(study.asked, folder, **shape, evaluate_every=10**6, save_every=10**6)
    except Diverged:
        return [[0, 99.0]]
    return [[rows[-1]["tokens"], round(rows[-1]["validation_loss"], 4)]]


def parts(bench: dict, tokenizer) -> dict[str, torch.Tensor]:
    """The rows of training, and those on which a run with these settings is validated."""
    texts = corpora.corpus(bench.get("corpus", "docstrings"))
    train, held_out = (packed_rows(texts, part, tokenizer, bench["length"] + 1) for part in ("train", "validation"))
    count = min(bench["evaluate_rows"], len(held_out))
    rows = {"train": train, "validation": held_out[np.arange(count) * len(held_out) // count]}
    return {part: torch.from_numpy(np.asarray(some, dtype=np.int64)) for part, some in rows.items()}


@torch.no_grad()
def loss_on(model, rows: torch.Tensor, device) -> float:
    """Mean loss of the rows, in nats a token."""
    losses = [float(model({"tokens": some.to(device)}).loss) * len(some) for some in rows.split(256)]
    return sum(losses) / len(rows)


def recover(study: Study, model, rows: torch.Tensor, lr: float, steps: int, draw, masks) -> None:
    """Train a pruned model further on rows that `draw` takes at random."""
    device, size = next(model.parameters()).device, study.asked.plan.bench["batch_size"]
    opt = optimizer("adamw", model, lr, 0.01, device)
    with keep_pruned(model, masks):
        for _ in range(steps):
            with autocast(study.asked):
                loss = model({"tokens": rows[draw.integers(len(rows), size=size)].to(device)}).loss
            loss.backward()
            opt.step()
            opt.zero_grad()


def compress(study: Study, folder, size: tuple[int, int], lr: float, seed: int) -> list[dict]:
    """A row for everything that one trained model is stored as."""
    plan, device = study.asked.plan, pick(study.asked.device)
    trained = export.load(folder)
    model, probe = trained.model.to(device), copy.deepcopy(trained.model).to(device)
    rows, draw = parts(plan.bench, trained.tokenizer), np.random.default_rng(seed)
    tokens = plan.recovery * plan.budget / operations(plan, size)
    steps = max(1, round(tokens / (plan.bench["batch_size"] * plan.bench["length"])))

    def point(sparsity, bits, per, masks=None):
        stored = store(model, bits, per, masks)
        load_into(probe, stored)
        row = {"sparsity": sparsity, "bits": bits, "per": per, "bytes": total_bytes(stored)}
        halves = {"choosing": rows["validation"][::2], "loss": rows["validation"][1::2]}
        return row | {name: round(loss_on(probe, half, device), 4) for name, half in halves.items()}

    points, masks = [point(0.0, bits, per) for bits, per in FORMATS], None
    for sparsity in SPARSITIES:
        masks = prune(model, sparsity, masks=masks)
        recover(study, model, rows["train"], lr / 10, steps, draw, masks)
        points += [point(sparsity, bits, "tensor", masks) for bits in PRUNED_BITS]
    return points


def main(asked):
    torch.set_num_threads(1)
    plan = asked.plan
    settings = {key: value for key, value in vars(plan).items() if key != "precision"} | {"formats": FORMATS}
    study = Study("gpt2-compressed", settings, asked=asked)

    def job(size, lr, seed=plan.seeds[0]):
        key = json.dumps([*size, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        return key, lambda: spend(study, folder, size, lr, seed), folder

    def trained(size, lr, seed):
        """Compress a model, which is trained first where this machine does not have it."""
        _, run, folder = job(size, lr, seed)
        if not folder.exists():
            run()
        return compress(study, folder, size, lr, seed)

    first = {size: [lr * 64 / size[1] for lr in plan.rates] for size in plan.sizes}
    chosen = tune(study, lambda size, lr: job(size, lr)[:2], first)
    cases = [(size, chosen[size], seed) for seed in plan.seeds[1:] for size in plan.sizes]
    study.run([job(*case)[:2] for case in cases])
    named = {f"compress {json.dumps([*size, seed])}": (size, lr, seed) for size, lr, seed in cases}
    done = study.run([(key, lambda case=case: trained(*case)) for key, case in named.items()])
    tables = study.run([("counting", lambda: counting(**plan.bench))])["counting"]
    curve, losses = [], {}
    for key, ((layers, width), _, seed) in named.items():
        curve += [{"layers": layers, "width": width, "seed": seed} | row for row in done[key]]
    for key, points in study.saved["jobs"].items():
        if key.startswith("["):
            losses[key] = points[-1]
    rates = {"{} {}".format(*size): lr for size, lr in chosen.items()}
    each = {"{} {}".format(*size): operations(plan, size) for size in plan.sizes}
    results = {"chosen": rates, "operations": each, "pretrained": losses, "counting": tables}
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
