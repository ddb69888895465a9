"""From text to arrays of integers: words, a vocabulary, chunks.

Deliberately absent: subwords. A rare word becomes `<unk>` here; the chapters in PyTorch train a real tokenizer.
"""

import re
from collections import Counter

import numpy as np

TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def words(text: str) -> list[str]:
    """Lower-case words (with inner apostrophes and hyphens) and single punctuation marks."""
    return TOKEN.findall(text.lower())


class Vocabulary:
    """The most frequent words of a text, numbered from 3 on; 0, 1, 2 are <pad>, <unk>, <mask>.

    `size` counts all numbers, the three special ones included; a text with fewer words gives a smaller vocabulary.
    Equally frequent words are numbered in alphabetical order. ValueError: `size` below 4.
    """

    pad, unk, mask = 0, 1, 2

    def __init__(self, text: str, size: int) -> None:
        if size < 4:
            raise ValueError(f"size = {size}: must be at least 4 (three special tokens, one word)")
        by_frequency = sorted(Counter(words(text)).items(), key=lambda item: (-item[1], item[0]))
        self.tokens = ["<pad>", "<unk>", "<mask>", *(w for w, _ in by_frequency[: size - 3])]
        self.number = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, text: str) -> np.ndarray:
        """(n,) int64: one number a word; `unk` where the vocabulary lacks the word."""
        return np.array([self.number.get(w, self.unk) for w in words(text)], dtype=np.int64)

    def decode(self, ids: np.ndarray) -> str:
        """The words of these numbers (any shape, read in order) with a blank between them."""
        return " ".join(self.tokens[i] for i in np.ravel(ids))


def chunks(ids: np.ndarray, length: int) -> np.ndarray:
    """(n, length): the numbers `ids` (shape (m,)) cut into n = m // length rows; the rest goes.

    ValueError: `ids` not one-dimensional or shorter than one chunk, `length` below 1.
    """
    if np.ndim(ids) != 1:
        raise ValueError(f"ids has shape {np.shape(ids)}: must be one-dimensional")
    if not 1 <= length <= len(ids):
        raise ValueError(f"length = {length}: must be from 1 to {len(ids)}, the length of ids")
    n = len(ids) // length
    return np.reshape(ids[: n * length], (n, length))
