"""The rows that a BERT's training never sees, dealt out: some for tuning, the others for the verdict.

Rates are chosen, and curves drawn, on the rows for tuning; those for tests are asked once, with several draws of masks,
after the last step of a run that judges.
"""

import numpy as np
import torch

from minilib.data import corpora, objectives
from minilib.data.loader import evaluation
from minilib.data.packing import packed_rows
from minilib.data.tokenizer import get_tokenizer
from minilib.training import export
from minilib.training.device import pick
from studies.pretraining import autocast, losses

DRAWS = 4  # of masks on the test rows
MOST = 2048  # rows for tuning, and for tests


def rows(bench: dict):
    """The tokenizer, the rows of training and those that are held out."""
    texts = corpora.corpus(bench.get("corpus", "docstrings"))
    tokenizer = get_tokenizer(texts, "bert", bench["vocabulary"])
    return tokenizer, *(packed_rows(texts, part, tokenizer, bench["length"]) for part in ("train", "validation"))


def half(held_out: np.ndarray) -> int:
    return min(MOST, len(held_out) // 2)


def asked_of(tokenizer, held_out: np.ndarray) -> dict:
    """The batches on which runs are compared: those for tuning are what the trainer validates on, those for tests."""
    masked = objectives.masked(tokenizer, 0.15)
    at = np.arange(half(held_out)) * len(held_out) // half(held_out)
    parts = {"tuning": held_out[at], "test": np.tile(held_out[at + 1], (DRAWS, 1))}
    return {part: list(evaluation(some, masked, 64)) for part, some in parts.items()}


def mean_loss(batches, loss) -> float:
    """The mean of `loss`, a function of a batch, over all rows, in nats."""
    total = sum(float(loss(batch)) * len(batch["tokens"]) for batch in batches)
    return total / sum(len(batch["tokens"]) for batch in batches)


@torch.no_grad()
def on_test_rows(asked, folder, bench: dict) -> float:
    """What the trained model loses there."""
    trained, place = export.load(folder), pick(asked.device)
    model = trained.model.to(place).eval()

    def loss(batch):
        with autocast(asked):
            return model({name: t.to(place) for name, t in batch.items()}).loss

    return mean_loss(asked_of(trained.tokenizer, rows(bench)[2])["test"], loss)


def curve_and_test(asked, folder, bench: dict, judges: bool, **changes) -> dict:
    """Train with these changes: tokens and loss on the tuning rows, again and again, and, if it judges, the test loss.

    The trainer takes every second held-out row, or fewer. A run that is killed goes on from the last of its 16
    checkpoints. A loss of 99 is a run that diverged.
    """
    torch.set_num_threads(1)
    steps = changes["tokens"] // (changes["batch_size"] * bench["length"])
    kept = {"save_every": max(1, steps // 16), "keep": 1, "evaluate_rows": half(rows(bench)[2])}
    curve = losses(asked, folder, 16, **bench | changes | kept)
    if not judges or curve[-1][1] == 99.0:
        return {"curve": curve, "test": 99.0 if judges else None}
    return {"curve": curve, "test": on_test_rows(asked, folder, bench)}
