"""Packed rows: every token is in one, in order; a damaged file is made anew."""

import hashlib
import json
import os
import time

import numpy as np
import pytest

from minilib.data import packing
from minilib.data.corpora import Texts
from minilib.data.files import pieces
from minilib.data.packing import packed_rows, rows_of_lengths
from minilib.data.progress import Progress, silent
from minilib.data.tokenizer import SPECIAL, get_tokenizer

DOCUMENTS = [f"Document {i} says {i * i}.\nThen it ends, as it should." for i in range(60)]
TEXTS = Texts("test", DOCUMENTS, DOCUMENTS[:7])
LENGTH = 16


pytestmark = pytest.mark.usefixtures("cache")


def encoded(tokenizer, documents):
    """The stream, document by document."""
    return np.concatenate([np.append(tokenizer.encode(d), tokenizer.separator) for d in documents])


def interrupted(*_):
    yield np.zeros(40, dtype=np.uint16), 1
    raise KeyboardInterrupt


def disk_full(_):
    raise OSError("disk full")


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("part", ["train", "validation"])
def test_the_rows_hold_the_stream_and_only_the_last_piece_is_dropped(kind, part, monkeypatch):
    monkeypatch.setattr(packing, "CHARACTERS", 100)  # several batches
    tokenizer = get_tokenizer(TEXTS, kind, 400)
    rows = packed_rows(TEXTS, part, tokenizer, LENGTH)
    assert rows.shape[1] == LENGTH
    assert isinstance(rows, np.memmap)
    assert rows.dtype == tokenizer.dtype
    body = rows
    if kind == "bert":
        assert (rows[:, 0] == tokenizer.number["[CLS]"]).all()
        assert (rows[:, -1] == tokenizer.number["[SEP]"]).all()
        body = rows[:, 1:-1]
    stream = encoded(tokenizer, getattr(TEXTS, part))
    np.testing.assert_array_equal(body.ravel(), stream[: body.size])
    assert stream.size - body.size < body.shape[1]


@pytest.mark.parametrize("characters", [1, 100, 10**9])
def test_batches_have_all_documents_and_no_more_characters_than_asked_for(characters, monkeypatch):
    monkeypatch.setattr(packing, "CHARACTERS", characters)
    batches = list(packing.batches(DOCUMENTS))
    assert [d for batch in batches for d in batch] == [(d, True) for d in DOCUMENTS]
    sizes = [(sum(len(d) for d, _ in batch), len(batch[-1][0])) for batch in batches]
    assert all(characters <= size < characters + last for size, last in sizes[:-1])


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("text", ["x y.\n", "x  y \n", "x\n y\n\n", "ab-\n", "don't\n", "…\n", "'\n", "\t\n7\n"])
def test_a_long_document_in_pieces_has_the_tokens_of_the_whole(kind, text, monkeypatch):
    tokenizer = get_tokenizer(TEXTS, kind, 400)
    document, progress = text * 7 + "The end.", Progress(silent, "")
    for most in (1, 5, 20):
        monkeypatch.setattr(packing, "PIECE", most)
        tokens = np.concatenate([tokens for tokens, _ in packing.stream([document] * 2, tokenizer, progress)])
        np.testing.assert_array_equal(tokens, encoded(tokenizer, [document] * 2))
    if text == "x y.\n":
        assert len(list(pieces([document], 1))) == 8


class TestFiles:
    @pytest.fixture
    def tokenizer(self):
        return get_tokenizer(TEXTS, "bert", 400)

    @pytest.fixture
    def packed(self, monkeypatch):
        """A list that grows with every file that is made, of several batches."""
        monkeypatch.setattr(packing, "CHARACTERS", 100)
        calls, write = [], packing.write
        monkeypatch.setattr(packing, "write", lambda *args: calls.append(args) or write(*args))
        return calls

    def files(self, cache):
        return sorted(path for path in (cache / "pretrain").iterdir() if path.name.startswith("rows"))

    def test_the_second_call_reads_what_the_first_one_made(self, tokenizer, packed, cache):
        first = np.array(packed_rows(TEXTS, "train", tokenizer, LENGTH))
        np.testing.assert_array_equal(packed_rows(TEXTS, "train", tokenizer, LENGTH), first)
        assert len(packed) == 1
        about, data = self.files(cache)  # and no left-over part
        said = json.loads(about.read_text())
        assert said["sha256"] == hashlib.sha256(data.read_bytes()).hexdigest()
        assert said["shape"] == list(first.shape)
        assert (said["part"], said["documents"], said["vocabulary"]) == ("train", 60, len(tokenizer))

    @pytest.mark.parametrize("damage", ["cut", "changed", "gone", "json cut", "json gone", "json foreign"])
    def test_a_damaged_file_is_made_anew(self, tokenizer, packed, cache, damage):
        first = np.array(packed_rows(TEXTS, "train", tokenizer, LENGTH))
        about, data = self.files(cache)
        whole, said = data.read_bytes(), about.read_text()
        damaged = {"cut": whole[:-9], "changed": whole[:-1] + bytes([whole[-1] ^ 1])}
        damaged |= {"json cut": said.encode()[:-9], "json foreign": b"[]"}
        path = about if "json" in damage else data
        path.unlink() if "gone" in damage else path.write_bytes(damaged[damage])
        np.testing.assert_array_equal(packed_rows(TEXTS, "train", tokenizer, LENGTH), first)
        assert len(packed) == 2
        assert data.read_bytes() == whole
        assert json.loads(about.read_text()) == json.loads(said) | {"stamp": [len(whole), data.stat().st_mtime_ns]}

    def test_a_file_is_summed_when_its_time_is_another_and_then_not_again(self, tokenizer, packed, cache, monkeypatch):
        packed_rows(TEXTS, "train", tokenizer, LENGTH)
        _, data = self.files(cache)
        summed, sha256_of = [], packing.sha256_of
        monkeypatch.setattr(packing, "sha256_of", lambda path: summed.append(path) or sha256_of(path))
        packed_rows(TEXTS, "train", tokenizer, LENGTH)
        assert summed == []
        os.utime(data, ns=(0, 1))  # as a copy has another time
        for _ in range(2):
            packed_rows(TEXTS, "train", tokenizer, LENGTH)
        assert summed == [data]
        assert len(packed) == 1

    def test_rows_of_several_lengths_are_made_in_one_pass(self, tokenizer, packed, cache):
        together = rows_of_lengths(TEXTS, "train", tokenizer, [8, 31, 8])
        assert len(packed) == 1
        assert len(self.files(cache)) == 4
        for rows, length in zip(together, [8, 31, 8], strict=True):
            body = rows[:, 1:-1].ravel()
            np.testing.assert_array_equal(body, encoded(tokenizer, DOCUMENTS)[: body.size])
            assert rows.shape[1] == length

    def test_what_a_killed_process_left_goes_after_an_hour(self, tokenizer, cache):
        packed_rows(TEXTS, "train", tokenizer, LENGTH)
        _, data = self.files(cache)
        data.unlink()
        old, new = (data.with_name(f"{data.name}.{pid}.part") for pid in (1, 2))
        for path in (old, new):
            path.write_bytes(b"half")
        os.utime(old, (time.time() - 3700,) * 2)
        packed_rows(TEXTS, "train", tokenizer, LENGTH)
        assert not old.exists()
        assert new.exists()

    @pytest.mark.parametrize("failure", [(packing, "stream", interrupted), (packing.os, "fsync", disk_full)])
    def test_what_fails_leaves_nothing_and_the_next_call_makes_all(self, tokenizer, cache, monkeypatch, failure):
        with monkeypatch.context() as patch:
            patch.setattr(*failure)
            with pytest.raises((KeyboardInterrupt, OSError)):
                packed_rows(TEXTS, "train", tokenizer, LENGTH)
        assert self.files(cache) == []
        rows = packed_rows(TEXTS, "train", tokenizer, LENGTH)
        np.testing.assert_array_equal(rows[:, 1:-1].ravel(), encoded(tokenizer, DOCUMENTS)[: rows[:, 1:-1].size])

    def test_other_text_length_or_tokenizer_is_another_file(self, tokenizer, packed):
        for texts, part, other, length in [
            (TEXTS, "train", tokenizer, LENGTH),
            (TEXTS, "validation", tokenizer, LENGTH),
            (TEXTS, "train", tokenizer, LENGTH + 1),
            (TEXTS, "train", get_tokenizer(TEXTS._replace(train=DOCUMENTS[:9]), "bert", 300), LENGTH),
            (TEXTS._replace(train=DOCUMENTS[1:]), "train", tokenizer, LENGTH),
        ]:
            packed_rows(texts, part, other, length)
        assert len(packed) == 5

    def test_a_length_that_fills_no_row_is_an_error(self, tokenizer):
        with pytest.raises(ValueError, match="length = 9999: must be less; the validation part of 'test' fills no"):
            packed_rows(TEXTS, "validation", tokenizer, 9999)
        with pytest.raises(ValueError, match="length = 3: must be at least 4"):
            packed_rows(TEXTS, "train", tokenizer, 3)
