"""Packed rows of token numbers, in memory-mapped files: no padding, and nothing is dropped but the last piece.

The rows of (documents, tokenizer, length) are made once, by one process, and all read the same file. The text is gone
through as a stream: a few million characters of it are in memory, however long it is. Rows of several lengths are made
together, so that each text is tokenised once. They lie in `data_folder()/pretrain/` as .npy files of 16 or 32 bits a
token, each with a .json file beside it that says what it is, its sha256, and its size and time when that was found.

A file that is missing or cut short is made anew; so is one whose size or time is another and its sum too. Not found is
a change that keeps both, such as a failing disk's. Several processes may make the same file at the same time; the last
one wins, and all wrote the same bytes. What a process that was killed left behind goes when the same rows are made
again, an hour later or more.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from minilib import needs
from minilib.data import data_folder
from minilib.data.corpora import Texts
from minilib.data.download import digest
from minilib.data.files import characters, fingerprint, pieces, stamp
from minilib.data.progress import Progress, silent
from minilib.data.tokenizer import Tokenizer

with needs("train"):
    import tokenizers

CHARACTERS = 4_000_000  # of text that are encoded at once: bounds the memory
PIECE = 250_000  # of a longer document that are one string: the processor's cores share a batch by strings
ABANDONED = 3600.0  # seconds for which nobody has written to a file that is not complete


def packed_rows(texts: Texts, part: str, tokenizer: Tokenizer, length: int) -> np.ndarray:
    """(N, length) memory-mapped numbers: the documents of `part` ("train" or "validation") joined and cut.

    Every document ends with a separator, and rows do not care where documents end. BERT's rows begin with [CLS] and
    end with [SEP]. The last, incomplete row is dropped.

    Raises:
        ValueError: `length` below 4, or more than there is text for.
    """
    return rows_of_lengths(texts, part, tokenizer, [length])[0]


def rows_of_lengths(
    texts: Texts, part: str, tokenizer: Tokenizer, lengths: list[int], say: Callable[[str], None] = silent
) -> list[np.ndarray]:
    """`packed_rows` of each length; those that are not there are made together, and `say` is told how far they are."""
    for length in lengths:
        if length < 4:
            raise ValueError(f"length = {length}: must be at least 4")
    made_from = {"texts": fingerprint(getattr(texts, part)), "tokenizer": digest(tokenizer.content)}
    made_from |= {"rules": Path(__file__).read_text(encoding="utf-8"), "tokenizers": tokenizers.__version__}
    names = {length: digest(made_from | {"length": length})[:16] for length in lengths}
    paths = {n: data_folder() / "pretrain" / f"rows-{tokenizer.kind}-{name}.npy" for n, name in names.items()}
    if missing := {length: path for length, path in paths.items() if not is_whole(path)}:
        write(texts, part, tokenizer, missing, say)
    return [np.load(paths[length], mmap_mode="r") for length in lengths]


def write(texts: Texts, part: str, tokenizer: Tokenizer, paths: dict[int, Path], say: Callable[[str], None]) -> None:
    """Tokenise the documents of a part once, and write the rows of each length."""
    documents = getattr(texts, part)
    progress = Progress(say, f"tokenising the {part} part", characters(documents))
    ended = 0
    with ExitStack() as stack:
        files = [stack.enter_context(RowFile(path, tokenizer, length)) for length, path in paths.items()]
        for tokens, ends in stream(documents, tokenizer, progress):
            ended += ends
            for file in files:
                file.add(tokens)
        for file in files:
            if file.count == 0:
                raise ValueError(
                    f"length = {file.length}: must be less; the {part} part of {texts.name!r} fills no such row"
                )
            about = {"corpus": texts.name, "part": part, "kind": tokenizer.kind, "vocabulary": len(tokenizer)}
            file.finish(about | {"documents": ended})


def stream(
    documents: Iterable[str], tokenizer: Tokenizer, progress: Progress | None = None
) -> Iterator[tuple[np.ndarray, int]]:
    """(tokens, how many documents end in them), batch by batch; each document is ended by the separator."""
    for batch in batches(documents):
        encoded = tokenizer.encode_all([text for text, _ in batch])
        ends = [[tokenizer.separator] if ends else [] for _, ends in batch]
        tokens = np.concatenate(
            [np.array([*ids, *end], dtype=tokenizer.dtype) for ids, end in zip(encoded, ends, strict=True)]
        )
        if progress is not None:
            progress.add(sum(len(text) for text, _ in batch), len(tokens))
        yield tokens, sum(map(len, ends))


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


def pack(tokens: np.ndarray, tokenizer: Tokenizer, length: int) -> np.ndarray:
    """(N, length): the stream cut into rows, with [CLS] and [SEP] put around BERT's."""
    inner = inner_length(tokenizer, length)
    n = len(tokens) // inner
    body = tokens[: n * inner].reshape(n, inner)
    if tokenizer.kind != "bert":
        return body
    cls, sep = (np.full((n, 1), tokenizer.number[name], dtype=tokenizer.dtype) for name in ("[CLS]", "[SEP]"))
    return np.hstack([cls, body, sep])


def inner_length(tokenizer: Tokenizer, length: int) -> int:
    """Tokens of the text in a row."""
    return length - 2 if tokenizer.kind == "bert" else length


# ---- Files -----------------------------------------------------------------------------------------------------------


class RowFile:
    """An .npy file that grows by rows, with a .json file beside it. Each appears under its name when it is complete."""

    def __init__(self, path: Path, tokenizer: Tokenizer, length: int) -> None:
        self.path, self.tokenizer, self.length = path, tokenizer, length
        self.count, self.rest = 0, np.zeros(0, dtype=tokenizer.dtype)  # rows, and tokens that do not fill one yet

    def __enter__(self) -> "RowFile":
        self.path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(self.path)
        self.temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        self.file = open(self.temporary, "wb")
        self.header()
        return self

    def __exit__(self, *_) -> None:
        self.file.close()
        self.temporary.unlink(missing_ok=True)

    def header(self) -> None:
        """Write it at the start of the file. Its size does not change: NumPy leaves room for the number of rows."""
        kind = np.dtype(self.tokenizer.dtype).str
        about = {"descr": kind, "fortran_order": False, "shape": (self.count, self.length)}
        np.lib.format.write_array_header_1_0(self.file, about)

    def add(self, tokens: np.ndarray) -> None:
        """Write the rows that these tokens fill, and keep what is over."""
        tokens = np.concatenate([self.rest, tokens])
        rows = pack(tokens, self.tokenizer, self.length)
        self.file.write(np.ascontiguousarray(rows).data)
        self.count += len(rows)
        self.rest = tokens[len(rows) * inner_length(self.tokenizer, self.length) :].copy()

    def finish(self, about: dict) -> None:
        """The file is complete, and `about` is what it is."""
        self.file.seek(0)
        self.header()
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()  # Windows renames no file that is open
        os.replace(self.temporary, self.path)
        about = about | {"shape": [self.count, self.length], "sha256": sha256_of(self.path), "stamp": stamp(self.path)}
        write_json(self.path.with_suffix(".json"), about)


def is_whole(path: Path) -> bool:
    """Whether the file is there, as the .json file beside it says: by size and time, or else by the sha256."""
    try:
        about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        if about["stamp"] != list(stamp(path)):
            if about["sha256"] != sha256_of(path):
                return False
            write_json(path.with_suffix(".json"), about | {"stamp": stamp(path)})  # it was copied: not again
        return True
    except (OSError, ValueError, KeyError, TypeError):
        return False


def sha256_of(path: Path) -> str:
    """Read from the disk: after a write it is also a check."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, content: dict) -> None:
    """The file appears under its name only when it is complete and on the disk."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_abandoned(path: Path) -> None:
    """Remove what processes that were killed left of this file."""
    for part in path.parent.glob(f"{path.name}.*.part"):
        if time.time() - part.stat().st_mtime > ABANDONED:
            part.unlink(missing_ok=True)
