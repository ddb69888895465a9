"""What the studies of compression share: a budget that is spent on a GPT-2, and what it is stored as afterwards.

`spend` trains a model until its tokens are used up, `compress` stores it in few bits and prunes it step by step, each
step recovered, with two losses a format: on one half of the validation rows, by which a format may be chosen, and on
the other half, which judges.
"""

import copy

import numpy as np
import torch

from minilib.analysis import flops
from minilib.compress import SPARSITIES, keep_pruned, load_into, prune, store, total_bytes
from minilib.data import corpora
from minilib.data.packing import packed_rows
from minilib.training import export
from minilib.training.config import Config
from minilib.training.device import pick
from minilib.training.optimizers import optimizer
from minilib.training.trainer import Diverged
from studies.pretraining import autocast, pretrain
from studies.study import Study

FORMATS = [(32, "tensor"), (8, "tensor"), (6, "tensor"), (4, "tensor"), (4, "channel"), (3, "channel")]
PRUNED_BITS = (32, 8, 6, 4)


def operations(bench: dict, size: tuple[int, int]) -> float:
    """Of one token's forward and backward pass, for so many layers of such a width."""
    model = export.build(Config(**bench, layers=size[0], width=size[1]), bench["vocabulary"])
    tokens = torch.zeros(1, bench["length"] + 1, dtype=torch.int64)
    return flops.per_row(model, {"tokens": tokens}) / bench["length"]


def spend(study: Study, folder, size: tuple[int, int], tokens: float, **changes) -> list[list[float]]:
    """Train on so many tokens; tokens and the last validation loss, 99 where the run diverged."""
    shape = study.asked.plan.bench | {"layers": size[0], "width": size[1], "tokens": round(tokens)} | changes
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


def compress(study: Study, folder, lr: float, seed: int, tokens: float) -> list[dict]:
    """A row for everything that one trained model is stored as.

    Args:
        folder: where it was trained.
        lr: of the recovery.
        tokens: of the recovery after each step of pruning.
    """
    bench, device = study.asked.plan.bench, pick(study.asked.device)
    trained = export.load(folder)
    model, probe = trained.model.to(device), copy.deepcopy(trained.model).to(device)
    rows, draw = parts(bench, trained.tokenizer), np.random.default_rng(seed)
    steps = max(1, round(tokens / (bench["batch_size"] * bench["length"])))

    def point(sparsity, bits, per, masks=None):
        stored = store(model, bits, per, masks)
        load_into(probe, stored)
        row = {"sparsity": sparsity, "bits": bits, "per": per, "bytes": total_bytes(stored)}
        halves = {"choosing": rows["validation"][::2], "loss": rows["validation"][1::2]}
        return row | {name: round(loss_on(probe, half, device), 4) for name, half in halves.items()}

    points, masks = [point(0.0, bits, per) for bits, per in FORMATS], None
    for sparsity in SPARSITIES:
        masks = prune(model, sparsity, masks=masks)
        recover(study, model, rows["train"], lr, steps, draw, masks)
        points += [point(sparsity, bits, "tensor", masks) for bits in PRUNED_BITS]
    return points
