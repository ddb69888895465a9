"""Pairs of sentences in two languages, as rows for a T5: Multi30k, or your own two lists.

A T5 has no mask for padding here. So a batch has sources of one length exactly, and its targets are filled up with
token 0, which the model learns to write after the end: easy guesses, which lower the mean loss and no translation.
Absent on purpose: other languages' scripts, and sentences cut short (one that is too long is left out).
"""

import gzip
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from minilib import needs
from minilib.data.catalogue import get
from minilib.data.corpora import Texts
from minilib.data.tokenizer import Tokenizer, get_tokenizer

with needs("train"):
    import torch
    from torch.nn.utils.rnn import pad_sequence

PARTS = {"train": "train", "validation": "val", "test": "test_2016_flickr"}


class Pairs(NamedTuple):
    """`source[i]` means what `target[i]` means."""

    source: list[str]
    target: list[str]


def multi30k() -> dict[str, Pairs]:
    """English to German captions of pictures (Elliott et al. 2016): train 29,000, validation 1,014, test 1,000.

    ValueError: a file is not in the cache and cannot be downloaded.
    """
    return {part: Pairs(lines(f"{stem}.en.gz"), lines(f"{stem}.de.gz")) for part, stem in PARTS.items()}


def lines(file: str) -> list[str]:
    packed = get(f"multi30k/{file}").read_bytes()
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
