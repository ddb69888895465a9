"""Times a step of fine-tuning a BERT where padding is computed, and where only attention sees it.

    python benchmarks/finetune.py --rounds 9 --device cuda

A step is the forward and backward pass of a classifier on one batch of texts, cut to the model's length. Every round
takes both ways once, on the same batches; the ratio is the median of the rounds' own ratios, with its quartiles. The
floor is the share of the batches that is no padding: no step can be faster than that of the padded one, but for the
products of attention, which are taken as free. Absent on purpose: the optimizer, which costs both ways the same.
"""

import argparse
from time import perf_counter

import numpy as np
import torch
import torch.nn.functional as F

from minilib.data import classification, corpora
from minilib.data.tokenizer import get_tokenizer
from minilib.models import registry
from minilib.models.layers import through
from minilib.training import device

ROWS, BATCHES = 32, 8


def padded(model, tokens, mask):
    """The first token's last hidden state, where padding is computed."""
    return through(model.blocks, model.size, model.embed(tokens, None), mask[:, None, None])[:, 0]


def unpadded(model, tokens, mask):
    return model.hidden(tokens, mask=mask)[:, 0]


def seconds(way, model, batches, where: torch.device) -> float:
    """Of a forward and a backward pass over all batches."""
    device.wait(where)
    start = perf_counter()
    for tokens, mask, targets in batches:
        F.cross_entropy(way(model, tokens, mask), targets).backward()
        model.zero_grad()
    device.wait(where)
    return perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--models", nargs="+", default=["bert-tiny", "bert-mini"])
    parser.add_argument("--tasks", nargs="+", default=["packages"])
    asked = parser.parse_args()
    where = device.pick(asked.device)
    print(f"{device.describe(where)}; {BATCHES} batches of {ROWS} texts, {asked.rounds} rounds; padded over unpadded")
    for name in asked.tasks:
        part = classification.task(name).train
        tokenizer = get_tokenizer(corpora.Texts("texts", part.texts, []), "bert", 2048)
        rows = classification.ClassificationData(part, tokenizer, 64)
        order = np.random.default_rng(0).permutation(len(rows))[: BATCHES * ROWS]
        batches = [[t.to(where) for t in rows.batch(index)] for index in np.split(order, BATCHES)]
        share = sum(int(mask.sum()) for _, mask, _ in batches) / sum(mask.numel() for _, mask, _ in batches)
        for kind in asked.models:
            model = registry.model(kind, vocabulary=len(tokenizer), length=64).to(where)
            ways = padded, unpadded
            times = np.array([[seconds(way, model, batches, where) for way in ways] for _ in range(1 + asked.rounds)])
            low, middle, high = np.quantile(times[1:, 0] / times[1:, 1], (0.25, 0.5, 0.75))
            floor = f"{1 / share:.2f} at most"
            print(f"{name:<10} {kind:<10} {middle:.2f} times as fast [{low:.2f}, {high:.2f}], {floor}")


if __name__ == "__main__":
    main()
