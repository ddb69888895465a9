"""Teach a T5 to translate Multi30k, let it translate, and score what it wrote with BLEU: for the study `translation`.

A T5 has no mask for padding here. So a batch has sources of one length exactly, and its targets are filled up with
token 0, which the model learns to write after the end: easy guesses, which lower the mean loss and no translation.
The recipe is plain: AdamW, warm-up, a rate that falls with the root of what is left, one device. Greedy decoding takes
the likeliest token each time, and computes the whole decoder anew for each: slow and short. BLEU is sacrebleu's, so
that numbers can be compared. Absent on purpose: beams, label smoothing, averaged checkpoints, a cache of keys and
values, other languages' scripts, and sentences cut short (one that is too long is left out).
"""

import gzip
import math
from collections.abc import Iterator
from itertools import chain, count
from time import perf_counter
from typing import NamedTuple

import numpy as np
import torch
from sacrebleu import corpus_bleu
from torch.nn.utils.rnn import pad_sequence

from minilib import schedules
from minilib.data.corpora import Texts
from minilib.data.download import downloaded
from minilib.data.tokenizer import Tokenizer, get_tokenizer
from minilib.models.t5 import T5
from minilib.training.optimizers import optimizer
from minilib.training.step import step_if_finite

PARTS = {"train": "train", "validation": "val", "test": "test_2016_flickr"}
MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/"
FILES = {
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
}


class Pairs(NamedTuple):
    """`source[i]` means what `target[i]` means."""

    source: list[str]
    target: list[str]


def multi30k() -> dict[str, Pairs]:
    """English to German captions of pictures (Elliott et al. 2016): train 29,000, validation 1,014, test 1,000.

    Their licence is CC BY-NC-SA 4.0. ValueError: a file is not in the cache and cannot be downloaded.
    """
    return {part: Pairs(lines(f"{stem}.en.gz"), lines(f"{stem}.de.gz")) for part, stem in PARTS.items()}


def lines(file: str) -> list[str]:
    packed = downloaded(f"multi30k/{file}", FILES[file], MULTI30K + file).read_bytes()
    return [line.strip() for line in gzip.decompress(packed).decode("utf-8").splitlines()]


def shared_tokenizer(pairs: Pairs, vocabulary: int) -> Tokenizer:
    return get_tokenizer(Texts("pairs", [*pairs.source, *pairs.target], []), "t5", vocabulary)


class TranslationData:
    """Pairs as token numbers, each sentence ended by the separator; those with more than `longest` are left out."""

    def __init__(self, pairs: Pairs, tokenizer: Tokenizer, longest: int = 64):
        if len(pairs.source) != len(pairs.target):
            count = f"{len(pairs.target)} for {len(pairs.source)}"
            raise ValueError(f"pairs must have a target for each source, got {count}")
        end = [tokenizer.separator]
        source, target = ([np.array(ids + end) for ids in tokenizer.encode_all(texts)] for texts in pairs)
        self.kept = [i for i in range(len(source)) if max(len(source[i]), len(target[i])) <= longest]
        self.source, self.target = ([rows[i] for i in self.kept] for rows in (source, target))
        if not self.kept:
            raise ValueError(f"longest = {longest}: must be more, no pair is so short")

    def __len__(self) -> int:
        return len(self.kept)

    def batch(self, index: np.ndarray) -> dict[str, torch.Tensor]:
        """`tokens` (B, S), all of one length, and `targets` (B, R), filled up with 0."""
        sources = torch.from_numpy(np.stack([self.source[i] for i in index]))
        targets = pad_sequence([torch.from_numpy(self.target[i]) for i in index], batch_first=True)
        return {"tokens": sources, "targets": targets}

    def batches(self, size: int, rng: np.random.Generator | None = None) -> Iterator[np.ndarray]:
        """Every pair once, at most `size` at a time, their sources of one length; in random order if `rng` is given."""
        groups: dict[int, list[int]] = {}
        for i in range(len(self)) if rng is None else rng.permutation(len(self)):
            groups.setdefault(len(self.source[i]), []).append(i)
        cut = [np.array(g[k : k + size]) for g in groups.values() for k in range(0, len(g), size)]
        order = range(len(cut)) if rng is None else rng.permutation(len(cut))
        return (cut[k] for k in order)


def train_pairs(model: T5, rows: TranslationData, steps: int, lr: float, batch_size: int = 64, seed: int = 0) -> dict:
    """Train in place: the mean loss of the last tenth of the steps, and the seconds. ValueError: it is not finite."""
    device = next(model.parameters()).device
    opt, rng, losses = optimizer("adamw", model, lr, 0.01, device), np.random.default_rng(seed), []
    start, batches = perf_counter(), chain.from_iterable(rows.batches(batch_size, rng) for _ in count())
    model.train()
    for step, index in zip(range(steps), batches, strict=False):
        loss = model({name: t.to(device) for name, t in rows.batch(index).items()}).loss
        loss.backward()
        rate = schedules.warmup(step, round(0.1 * steps)) * schedules.polynomial(step, steps, 0.5)
        step_if_finite(opt, model.parameters(), lr * rate, clip=1.0)
        losses.append(loss.detach())
    last = float(torch.stack(losses[-max(1, steps // 10) :]).mean())
    if not math.isfinite(last):
        raise ValueError(f"lr = {lr}: must be less, the loss became {last}")
    return {"loss": last, "seconds": perf_counter() - start}


@torch.no_grad()
def translate(model: T5, rows: TranslationData, tokenizer: Tokenizer, most: int = 64) -> list[str]:
    """The likeliest next token, again and again, until the separator or `most` tokens; texts in the order of `rows`."""
    device, texts = next(model.parameters()).device, [""] * len(rows)
    model.eval()
    for index in rows.batches(128):
        tokens = rows.batch(index)["tokens"].to(device)
        written = torch.zeros(len(tokens), 1, dtype=torch.int64, device=device)  # what the last place holds is not read
        done = torch.zeros(len(tokens), dtype=torch.bool, device=device)
        for _ in range(most):
            following = model.logits({"tokens": tokens, "targets": written})[:, -1].argmax(-1)
            written[:, -1] = following.masked_fill(done, 0)
            done |= following == tokenizer.separator
            if bool(done.all()):
                break
            written = torch.cat([written, torch.zeros_like(written[:, :1])], dim=1)
        for i, row in zip(index, written.tolist(), strict=True):
            end = row.index(tokenizer.separator) if tokenizer.separator in row else len(row)
            texts[i] = tokenizer.decode(token for token in row[:end] if token)
    return texts


def bleu(texts: list[str], references: list[str]) -> float:
    """Corpus BLEU in per cent, one reference each, as sacrebleu counts it with its own tokens (13a, with case)."""
    return corpus_bleu(texts, [references]).score
