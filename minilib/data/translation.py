"""Pairs of sentences in two languages: Multi30k. The study `translation` makes batches of them."""

import gzip
from typing import NamedTuple

from minilib.data.catalogue import get

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
