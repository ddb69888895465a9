"""Packed rows: every token is in one, in order; what is not whole is made anew."""

import os
import time

import numpy as np
import pytest
from tokenizers.pre_tokenizers import ByteLevel

from minilib.data import packing
from minilib.data.corpora import Texts
from minilib.data.packing import packed_rows, rows_of_lengths
from minilib.data.progress import Progress, silent
from minilib.data.tokenizer import SPECIAL, get_tokenizer, of_tokens

DOCUMENTS = [f"Document {i} says {i * i}.\nThen it ends, as it should." for i in range(60)]
TEXTS = Texts("test", DOCUMENTS, DOCUMENTS[:7])
LENGTH = 16


@pytest.fixture(autouse=True)
def made(cache, monkeypatch):
    """A list that grows with every file that is made, of several batches."""
    monkeypatch.setattr(packing, "CHARACTERS", 100)
    calls, write = [], packing.write
    monkeypatch.setattr(packing, "write", lambda *args: calls.append(args) or write(*args))
    return calls


def encoded(tokenizer, documents):
    """The stream, document by document."""
    return np.concatenate([np.append(tokenizer.encode(d), tokenizer.separator) for d in documents])


def files(cache):
    return sorted(path for path in (cache / "pretrain").iterdir() if path.name.startswith("rows"))


def interrupted(*_):
    yield np.zeros(40, dtype=np.uint16)
    raise KeyboardInterrupt


def disk_full(_):
    raise OSError("disk full")


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("part", ["train", "validation"])
def test_rows_of_several_lengths_hold_the_stream_and_are_made_in_one_pass(kind, part, made):
    tokenizer = get_tokenizer(TEXTS, kind, 400)
    stream, edge = encoded(tokenizer, getattr(TEXTS, part)), kind == "bert"
    for rows, length in zip(rows_of_lengths(TEXTS, part, tokenizer, [8, 31, 8]), (8, 31, 8), strict=True):
        assert (rows.shape[1], rows.dtype, type(rows)) == (length, tokenizer.dtype, np.memmap)
        body = rows[:, 1:-1] if edge else rows
        np.testing.assert_array_equal(body.ravel(), stream[: body.size])
        assert stream.size - body.size < body.shape[1]  # the last piece is dropped
        if edge:
            assert {*rows[:, 0], *rows[:, -1]} == {tokenizer.number["[CLS]"], tokenizer.number["[SEP]"]}
            assert rows[0, 0] == tokenizer.number["[CLS]"]
    assert len(made) == 1


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("text", ["x y.\n", "x  y \n", "x\n y\n\n", "ab-\n", "don't\n", "…\n", "'\n", "\t\n7\n"])
def test_a_long_document_in_pieces_has_the_tokens_of_the_whole(kind, text, monkeypatch):
    tokenizer = get_tokenizer(TEXTS, kind, 400)
    if kind != "bert":  # one that others have trained may join blanks with the end of a line
        joined = ["ĠĊ", "ĊĊ", "ĉĊ"]
        letters = sorted(ByteLevel.alphabet())
        tokenizer = of_tokens(kind, SPECIAL[kind] + letters + joined, [tuple(pair) for pair in joined])
    document, progress = text * 7 + "The end.", Progress(silent, "")
    for most in (1, 5, 20):
        monkeypatch.setattr(packing, "PIECE", most)
        tokens = np.concatenate(list(packing.stream([document] * 2, tokenizer, progress)))
        np.testing.assert_array_equal(tokens, encoded(tokenizer, [document] * 2))


@pytest.mark.parametrize("damage", ["none", "cut", "emptied", "gone"])
def test_a_file_is_made_once_and_anew_where_it_is_not_whole(made, cache, damage):
    tokenizer = get_tokenizer(TEXTS, "bert", 400)
    first = np.array(packed_rows(TEXTS, "train", tokenizer, LENGTH))
    (path,) = files(cache)  # and no left-over part
    data = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage != "none":
        path.write_bytes(data[:-9] if damage == "cut" else b"")
    np.testing.assert_array_equal(packed_rows(TEXTS, "train", tokenizer, LENGTH), first)
    assert len(made) == 1 + (damage != "none")
    assert path.read_bytes() == data


@pytest.mark.parametrize("failure", [(packing, "stream", interrupted), (packing.os, "fsync", disk_full)])
def test_what_fails_leaves_nothing_and_what_a_killed_process_left_goes_after_an_hour(cache, monkeypatch, failure):
    tokenizer = get_tokenizer(TEXTS, "bert", 400)
    with monkeypatch.context() as patch:
        patch.setattr(*failure)
        with pytest.raises((KeyboardInterrupt, OSError)):
            packed_rows(TEXTS, "train", tokenizer, LENGTH)
    assert files(cache) == []
    packed_rows(TEXTS, "train", tokenizer, LENGTH)
    (path,) = files(cache)
    path.unlink()
    old, new = (path.with_name(f"{path.name}.{pid}.part") for pid in (1, 2))
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (time.time() - 3700,) * 2)
    packed_rows(TEXTS, "train", tokenizer, LENGTH)
    assert files(cache) == [path, new]


def test_other_text_length_or_tokenizer_is_another_file(made, cache):
    tokenizer = get_tokenizer(TEXTS, "bert", 400)
    for texts, part, other, length in [
        (TEXTS, "train", tokenizer, LENGTH),
        (TEXTS, "validation", tokenizer, LENGTH),
        (TEXTS, "train", tokenizer, LENGTH + 1),
        (TEXTS, "train", get_tokenizer(TEXTS._replace(train=DOCUMENTS[:9]), "bert", 300), LENGTH),
        (TEXTS._replace(train=DOCUMENTS[1:]), "train", tokenizer, LENGTH),
    ]:
        packed_rows(texts, part, other, length)
    assert len(made) == len(files(cache)) == 5


@pytest.mark.parametrize(
    ("length", "message"),
    [(9999, "length = 9999: must be less; the train part of 'test' fills no"), (3, "length = 3: must be at least 4")],
)
def test_a_length_that_fills_no_row_is_refused(length, message):
    with pytest.raises(ValueError, match=message):
        packed_rows(TEXTS, "train", get_tokenizer(TEXTS, "bert", 400), length)
