"""Texts with labels, for fine-tuning: the package that a docstring is from, SST-2, or your own two TSV files.

`packages` needs no download: whose docstring is this? Its texts are the paragraphs of the corpus `docstrings`, so that
validation is from other files than training, near repeats are gone, and a model that was pretrained on that corpus has
not seen the validation texts. Paragraphs that name one of the packages, or the short name under which everybody imports
it, are left out, whichever package they are from (8 % of all), so that the answer stands in no text. Names of things
stay (tensor, estimator, axes): they are what there is to learn. `sst2` is downloaded once.

Deliberately absent: pairs of texts, numbers as labels (regression), and the test part of SST-2.
"""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minilib import needs
from minilib.data import docstrings
from minilib.data.catalogue import get
from minilib.data.tokenizer import Tokenizer

with needs("train"):
    import torch

PACKAGE = r"numpy|scipy|scikit|sklearn|matplotlib|pyplot|pylab|sympy|networkx|torch"
SHORT = r"\b(?:np|mpl|plt|nx|aten)(?![a-z])"  # np.array, mpl_toolkits, but not npoints
NAMED = re.compile(f"{PACKAGE}|{SHORT}", re.IGNORECASE)
HEADER = ("sentence", "label")
UNIT = 16  # rows are padded to a multiple of it: few shapes, each of which XLA compiles once


class Part(NamedTuple):
    """Texts, and for each the number of its label."""

    texts: list[str]
    targets: list[int]


class Classification(NamedTuple):
    """A task: `labels` in the order of their numbers, which is alphabetical."""

    name: str
    labels: list[str]
    train: Part
    validation: Part

    @property
    def majority(self) -> float:
        """The share of validation texts with the label that is most frequent in training: what is to be beaten."""
        ((most, _),) = Counter(self.train.targets).most_common(1)
        return self.validation.targets.count(most) / len(self.validation.targets)


def task(name: str) -> Classification:
    """The task "packages", "sst2", or the one in a folder with train.tsv and validation.tsv.

    The files are UTF-8, with a first line `sentence<TAB>label` and one text a line; a label may be any string.

    ValueError: no task and no folder of that name; SST-2 cannot be had; a line or a label of a file is wrong.
    """
    parts, folder = ("train", "validation"), Path(name)
    if name == "packages":
        docs = docstrings()
        return classification(name, *(paragraphs(docs, part) for part in parts))
    if name == "sst2":
        return classification(name, *(read_tsv(get(f"sst2/{part}.tsv"), header=False) for part in ("train", "dev")))
    if not folder.is_dir():
        raise ValueError(f"task = {name!r}: must be 'packages', 'sst2' or a folder with train.tsv and validation.tsv")
    return classification(folder.resolve().name, *(read_tsv(folder / f"{part}.tsv") for part in parts))


def classification(name: str, train: list[tuple[str, str]], validation: list[tuple[str, str]]) -> Classification:
    """The task of (text, label) pairs. ValueError: one label only, or one in validation that training lacks."""
    labels = sorted({label for _, label in train})
    if len(labels) < 2:
        raise ValueError(f"task = {name!r}: training must have at least two labels, has {labels}")
    number = {label: i for i, label in enumerate(labels)}
    if unknown := sorted({label for _, label in validation} - set(labels)):
        raise ValueError(f"task = {name!r}: the label {unknown[0]!r} is in validation only; training has {labels}")
    parts = [Part([text for text, _ in p], [number[label] for _, label in p]) for p in (train, validation)]
    return Classification(name, labels, *parts)


def paragraphs(docs, part: str) -> list[tuple[str, str]]:
    """(paragraph, package) of those paragraphs of a part of the docstrings that name no package."""
    texts = iter(getattr(docs, part).split("\n\n"))
    owned = [(next(texts), package) for package, count in docs.packages[part].items() for _ in range(count)]
    return [(text, package) for text, package in owned if not NAMED.search(text)]


def read_tsv(path: Path, header: bool = True) -> list[tuple[str, str]]:
    """(text, label) of each line. ValueError names the file, and the line that is wrong."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    rows = [tuple(cell.strip() for cell in line.split("\t")) for line in lines]
    if rows[-1] == ("",):
        rows.pop()
    if header and rows[:1] != [HEADER]:
        raise ValueError(f"{path}, line 1: must be the header 'sentence<TAB>label', is {lines[0]!r}")
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not all(row):
            raise ValueError(f"{path}, line {number}: must be a text, one tab and a label, is {lines[number - 1]!r}")
    if not rows[header:]:
        raise ValueError(f"{path} has no texts")
    return rows[header:]


class ClassificationData:
    """The texts of a part as rows of tokens, [CLS] ... [SEP], each cut to `length` tokens; a BERT's tokenizer."""

    def __init__(self, part: Part, tokenizer: Tokenizer, length: int) -> None:
        first, last = tokenizer.number["[CLS]"], tokenizer.number["[SEP]"]
        encoded = tokenizer.encode_all(part.texts)
        self.rows = [np.array([first, *ids[: length - 2], last]) for ids in encoded]
        self.targets, self.padding, self.length = np.array(part.targets), tokenizer.number["[PAD]"], length

    def __len__(self) -> int:
        return len(self.rows)

    def batch(self, index: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The rows of these numbers: tokens (B, T), mask (B, T), which is False for padding, and targets (B,).

        T is the length of the longest, rounded up to a multiple of `UNIT`.
        """
        rows = [self.rows[i] for i in index]
        width = min(self.length, -(-max(map(len, rows)) // UNIT) * UNIT)
        mask = np.arange(width) < np.array([len(row) for row in rows])[:, None]
        tokens = np.full(mask.shape, self.padding)
        tokens[mask] = np.concatenate(rows)
        return torch.from_numpy(tokens), torch.from_numpy(mask), torch.from_numpy(self.targets[index])

    def by_length(self, count: int) -> list[np.ndarray]:
        """The numbers of all rows, `count` at a time, the shortest first: little padding."""
        order = np.argsort([len(row) for row in self.rows], kind="stable")
        return np.split(order, range(count, len(order), count))
