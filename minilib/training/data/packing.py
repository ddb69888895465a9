"""Packed rows of token numbers, in memory-mapped files: no padding, and nothing is dropped but the last piece.

The rows of (documents, tokenizer, length) are made once. They lie in `data_folder()/pretrain/` as an .npy file of 16 or
32 bits a token, with a .json file beside it that says what they are and their sha256. Every opening checks the sum: a
file that is missing, cut short or changed is made anew. Several processes may make the same file at the same time; the
last one wins, and all wrote the same bytes.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import tokenizers

from minilib.datasets import data_folder
from minilib.datasets.download import digest
from minilib.training.data.corpora import Texts, fingerprint
from minilib.training.data.tokenizer import Tokenizer

CHARACTERS = 4_000_000  # of text that are encoded at once: bounds the memory


def packed_rows(texts: Texts, part: str, tokenizer: Tokenizer, length: int) -> np.ndarray:
    """(N, length) memory-mapped numbers: the documents of `part` ("train" or "validation") joined and cut.

    Every document ends with a separator, and rows do not care where documents end. BERT's rows begin with [CLS] and
    end with [SEP]. The last, incomplete row is dropped.

    Raises:
        ValueError: `length` below 4, or more than there is text for.
    """
    if length < 4:
        raise ValueError(f"length = {length}: must be at least 4")
    documents = getattr(texts, part)
    made_from = {"texts": fingerprint(documents), "tokenizer": digest(tokenizer.content), "length": length}
    made_from |= {"rules": Path(__file__).read_text(encoding="utf-8"), "tokenizers": tokenizers.__version__}
    path = data_folder() / "pretrain" / f"rows-{tokenizer.kind}-{digest(made_from)[:16]}.npy"
    if not is_whole(path):
        rows = pack(stream(documents, tokenizer), tokenizer, length)
        if len(rows) == 0:
            raise ValueError(f"length = {length}: must be less; the {part} part of {texts.name!r} fills no such row")
        about = {"corpus": texts.name, "part": part, "kind": tokenizer.kind, "vocabulary": len(tokenizer)}
        store(path, rows, about | {"shape": rows.shape, "documents": len(documents)})
    return np.load(path, mmap_mode="r")


def stream(documents: list[str], tokenizer: Tokenizer) -> np.ndarray:
    """(n,) all tokens of all documents, each document ended by the separator."""
    pieces = []
    for batch in batches(documents):
        for encoding in tokenizer.inner.encode_batch_fast(batch):
            pieces.append(np.array([*encoding.ids, tokenizer.separator], dtype=tokenizer.dtype))
    return np.concatenate(pieces)


def batches(documents: list[str]) -> Iterator[list[str]]:
    """The documents in lists of about `CHARACTERS` characters."""
    batch, size = [], 0
    for document in documents:
        batch.append(document)
        size += len(document)
        if size >= CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def pack(tokens: np.ndarray, tokenizer: Tokenizer, length: int) -> np.ndarray:
    """(N, length): the stream cut into rows, with [CLS] and [SEP] put around BERT's."""
    inner = length - 2 if tokenizer.kind == "bert" else length
    n = len(tokens) // inner
    body = tokens[: n * inner].reshape(n, inner)
    if tokenizer.kind != "bert":
        return body
    cls, sep = (np.full((n, 1), tokenizer.number[name], dtype=tokenizer.dtype) for name in ("[CLS]", "[SEP]"))
    return np.hstack([cls, body, sep])


def is_whole(path: Path) -> bool:
    """Whether the file is there and has the sha256 that the .json file beside it says."""
    try:
        about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == about["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def store(path: Path, rows: np.ndarray, about: dict) -> None:
    """Write rows, then what they are; each appears under its name only when it is complete and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            np.save(file, rows)
            file.flush()
            os.fsync(file.fileno())
        with open(temporary, "rb") as file:
            about = about | {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}
        os.replace(temporary, path)
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(about, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path.with_suffix(".json"))
    finally:
        temporary.unlink(missing_ok=True)
