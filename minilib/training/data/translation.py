"""Pairs of sentences in two languages, as rows for a T5: Multi30k, or your own two lists.

A T5 has no mask for padding here. So a batch has sources of one length exactly, and its targets are filled up with
token 0, which the model learns to write after the end: easy guesses, which lower the mean loss and no translation.
Absent on purpose: other languages' scripts, and sentences cut short (one that is too long is left out).
"""

import gzip
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch

from minilib.datasets.download import downloaded
from minilib.training.data.corpora import Texts
from minilib.training.data.tokenizer import Tokenizer, get_tokenizer

SOURCE = "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw"
SHA256 = {
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
}
PARTS = {"train": "train", "validation": "val", "test": "test_2016_flickr"}


class Pairs(NamedTuple):
    """`source[i]` means what `target[i]` means."""

    source: list[str]
    target: list[str]


def multi30k() -> dict[str, Pairs]:
    """English to German captions of pictures (Elliott et al. 2016): train 29,000, validation 1,014, test 1,000.

    Raises:
        ValueError: a file is not in the cache and cannot be downloaded.
    """
    return {part: Pairs(lines(f"{stem}.en.gz"), lines(f"{stem}.de.gz")) for part, stem in PARTS.items()}


def lines(file: str) -> list[str]:
    """The sentences of one file of Multi30k."""
    path = downloaded(f"multi30k/{file}", SHA256[file], f"{SOURCE}/{file}")
    return [line.strip() for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()]


def shared_tokenizer(pairs: Pairs, vocabulary: int) -> Tokenizer:
    """T5's tokenizer trained on both languages together."""
    return get_tokenizer(Texts("pairs", [*pairs.source, *pairs.target], []), "t5", vocabulary)


class TranslationData:
    """Pairs as token numbers, each sentence ended by the separator; those with more than `longest` are left out."""

    def __init__(self, pairs: Pairs, tokenizer: Tokenizer, longest: int = 64):
        if len(pairs.source) != len(pairs.target):
            raise ValueError(
                f"pairs must have a target for each source, got {len(pairs.target)} for {len(pairs.source)}"
            )
        encode = tokenizer.inner.encode_batch_fast
        both = zip(encode(pairs.source), encode(pairs.target), strict=True)
        rows = [([*s.ids, tokenizer.separator], [*t.ids, tokenizer.separator]) for s, t in both]
        self.kept = [i for i, (s, t) in enumerate(rows) if max(len(s), len(t)) <= longest]
        self.source = [np.array(rows[i][0]) for i in self.kept]
        self.target = [np.array(rows[i][1]) for i in self.kept]
        if not self.kept:
            raise ValueError(f"longest = {longest}: must be more, no pair is so short")

    def __len__(self) -> int:
        return len(self.kept)

    def batch(self, index: np.ndarray) -> dict[str, torch.Tensor]:
        """`tokens` (B, S), all of one length, and `targets` (B, R), filled up with 0."""
        targets = np.zeros((len(index), max(len(self.target[i]) for i in index)), dtype=np.int64)
        for row, i in zip(targets, index, strict=True):
            row[: len(self.target[i])] = self.target[i]
        sources = np.stack([self.source[i] for i in index])
        return {"tokens": torch.from_numpy(sources), "targets": torch.from_numpy(targets)}

    def batches(self, size: int, rng: np.random.Generator | None = None) -> Iterator[np.ndarray]:
        """Every pair once, at most `size` at a time, their sources of one length; in random order if `rng` is given."""
        groups: dict[int, list[int]] = {}
        for i in range(len(self)) if rng is None else rng.permutation(len(self)):
            groups.setdefault(len(self.source[i]), []).append(i)
        cut = [np.array(g[k : k + size]) for g in groups.values() for k in range(0, len(g), size)]
        order = range(len(cut)) if rng is None else rng.permutation(len(cut))
        return (cut[k] for k in order)
