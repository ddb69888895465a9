"""Packed rows of token numbers, in memory-mapped files: no padding, and nothing is dropped but the last piece.

The rows of (documents, tokenizer, length) are made once, by one process, and all read the same file. The text is gone
through as a stream: a few million characters of it are in memory, however long it is. Rows of several lengths are made
together, so that each text is tokenised once. They lie in `data_folder()/pretrain/`, one after the other, 16 or 32 bits
a token.

A file gets its name when it is whole; one that is missing, or ends within a row, is made anew. Several processes may
make the same file at the same time; the last one wins, and all wrote the same bytes. What a killed process left behind
goes when the same rows are made again, an hour later or more. Deliberately absent: a look for changed bytes.
"""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import numpy as np

from minilib import needs
from minilib.data import data_folder
from minilib.data.corpora import Texts
from minilib.data.download import appearing, digest
from minilib.data.files import characters, fingerprint, pieces
from minilib.data.progress import Progress, Say, silent
from minilib.data.tokenizer import Tokenizer

with needs("train"):
    import tokenizers

CHARACTERS = 4_000_000  # of text that are encoded at once: bounds the memory
PIECE = 250_000  # of a longer document that are one string: the processor's cores share a batch by strings
ABANDONED = 3600.0  # seconds for which nobody has written to a file that is not complete


def packed_rows(texts: Texts, part: str, tokenizer: Tokenizer, length: int) -> np.ndarray:
    """(N, length) memory-mapped numbers: the documents of `part` ("train" or "validation") joined and cut.

    Every document ends with a separator, and rows do not care where documents end. BERT's rows begin with [CLS] and
    end with [SEP]. The last, incomplete row is dropped. ValueError: `length` below 4, or more than there is text for.
    """
    return rows_of_lengths(texts, part, tokenizer, [length])[0]


def rows_of_lengths(
    texts: Texts, part: str, tokenizer: Tokenizer, lengths: list[int], say: Say = silent
) -> list[np.ndarray]:
    """`packed_rows` of each length; those that are not there are made together, and `say` is told how far they are."""
    for length in lengths:
        if length < 4:
            raise ValueError(f"length = {length}: must be at least 4")
    made_from = {"texts": fingerprint(getattr(texts, part)), "tokenizer": digest(tokenizer.content)}
    made_from |= {"rules": Path(__file__).read_text(encoding="utf-8"), "tokenizers": tokenizers.__version__}
    names = {length: digest(made_from | {"length": length})[:16] for length in lengths}
    paths = {n: data_folder() / "pretrain" / f"rows-{tokenizer.kind}-{name}.raw" for n, name in names.items()}
    bytes_of_token = np.dtype(tokenizer.dtype).itemsize
    if missing := {n: path for n, path in paths.items() if not is_whole(path, n * bytes_of_token)}:
        write(texts, part, tokenizer, missing, say)
    return [np.memmap(paths[n], tokenizer.dtype, "r").reshape(-1, n) for n in lengths]


def is_whole(path: Path, row: int) -> bool:
    """A file of rows of so many bytes."""
    size = path.stat().st_size if path.exists() else 0
    return size > 0 and size % row == 0


def write(texts: Texts, part: str, tokenizer: Tokenizer, paths: dict[int, Path], say: Say) -> None:
    documents = getattr(texts, part)
    progress = Progress(say, f"tokenising the {part} part", characters(documents))
    with ExitStack() as stack:
        files = []
        for length, path in paths.items():
            new = stack.enter_context(appearing(path))  # after its file is closed: Windows renames none that is open
            files.append(RowFile(path, stack.enter_context(open(new, "wb")), tokenizer, length))
        for tokens in stream(documents, tokenizer, progress):
            for file in files:
                file.add(tokens)
        for file in files:
            if file.file.tell() == 0:
                what = f"the {part} part of {texts.name!r}"
                raise ValueError(f"length = {file.length}: must be less; {what} fills no such row")
            file.file.flush()
            os.fsync(file.file.fileno())


def stream(documents: Iterable[str], tokenizer: Tokenizer, progress: Progress) -> Iterator[np.ndarray]:
    """Tokens, batch by batch; each document is ended by the separator."""
    for batch in batches(documents):
        texts, ends = zip(*batch, strict=True)
        encoded = zip(tokenizer.encode_all(list(texts)), ends, strict=True)
        tokens = [np.array(ids + [tokenizer.separator] * end, dtype=tokenizer.dtype) for ids, end in encoded]
        progress.add(sum(map(len, texts)), sum(map(len, tokens)))
        yield np.concatenate(tokens)


def batches(documents: Iterable[str]) -> Iterator[list[tuple[str, bool]]]:
    """The `pieces` of the documents in lists of about `CHARACTERS` characters."""
    batch, size = [], 0
    for piece in pieces(documents, PIECE):
        batch.append(piece)
        size += len(piece[0])
        if size >= CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class RowFile:
    """A file that grows by rows. `file` is where it is written until it is whole."""

    def __init__(self, path: Path, file: BinaryIO, tokenizer: Tokenizer, length: int) -> None:
        self.file, self.tokenizer, self.length = file, tokenizer, length
        self.rest = np.zeros(0, dtype=tokenizer.dtype)  # tokens that do not fill a row yet
        for left in path.parent.glob(f"{path.name}.*.part"):  # by processes that were killed
            if time.time() - left.stat().st_mtime > ABANDONED:
                left.unlink(missing_ok=True)

    def add(self, tokens: np.ndarray) -> None:
        """Write the rows that these tokens fill, BERT's between [CLS] and [SEP], and keep what is over."""
        tokens, number = np.concatenate([self.rest, tokens]), self.tokenizer.number
        inner = self.length - 2 * (self.tokenizer.kind == "bert")
        rows = tokens[: len(tokens) // inner * inner].reshape(-1, inner)
        self.rest = tokens[rows.size :].copy()
        if inner < self.length:
            rows = np.pad(rows, [(0, 0), (1, 1)], constant_values=[(0, 0), (number["[CLS]"], number["[SEP]"])])
        self.file.write(np.ascontiguousarray(rows).data)
