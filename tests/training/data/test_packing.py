"""Packed rows: every token is in one, in order; a damaged file is made anew."""

import hashlib
import json

import numpy as np
import pytest

from minilib.training.data import packing
from minilib.training.data.corpora import Texts
from minilib.training.data.packing import packed_rows
from minilib.training.data.tokenizer import SPECIAL, get_tokenizer

DOCUMENTS = [f"Document {i} says {i * i}.\nThen it ends, as it should." for i in range(60)]
TEXTS = Texts("test", DOCUMENTS, DOCUMENTS[:7])
LENGTH = 16


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
    return tmp_path / "pretrain"


def encoded(tokenizer, documents):
    """The stream, document by document."""
    return np.concatenate([np.append(tokenizer.encode(d), tokenizer.separator) for d in documents])


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("part", ["train", "validation"])
def test_the_rows_hold_the_stream_and_only_the_last_piece_is_dropped(kind, part):
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


def test_the_size_of_batches_does_not_matter(monkeypatch):
    tokenizer = get_tokenizer(TEXTS, "gpt2", 400)
    whole = packing.stream(DOCUMENTS, tokenizer)
    for characters in (1, 100, 10**9):
        monkeypatch.setattr(packing, "CHARACTERS", characters)
        batches = list(packing.batches(DOCUMENTS))
        assert [d for batch in batches for d in batch] == DOCUMENTS
        sizes = [(sum(map(len, batch)), len(batch[-1])) for batch in batches]
        assert all(characters <= size < characters + last for size, last in sizes[:-1])  # no more than asked for
        np.testing.assert_array_equal(packing.stream(DOCUMENTS, tokenizer), whole)


class TestFiles:
    @pytest.fixture
    def tokenizer(self):
        return get_tokenizer(TEXTS, "bert", 400)

    @pytest.fixture
    def packed(self, monkeypatch):
        """A list that grows with every file that is made."""
        calls, pack = [], packing.pack
        monkeypatch.setattr(packing, "pack", lambda *args: calls.append(args) or pack(*args))
        return calls

    def files(self, cache):
        return sorted(path for path in cache.iterdir() if path.name.startswith("rows"))

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
        path = about if "json" in damage else data
        path.unlink()
        if damage.endswith("cut"):
            path.write_bytes(said.encode()[:-9] if path is about else whole[:-9])
        elif damage == "changed":
            path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        elif damage == "json foreign":
            path.write_text("[]")
        np.testing.assert_array_equal(packed_rows(TEXTS, "train", tokenizer, LENGTH), first)
        assert len(packed) == 2
        assert data.read_bytes() == whole
        assert about.read_text() == said

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

    def test_a_write_that_fails_leaves_nothing(self, tokenizer, cache, monkeypatch):
        monkeypatch.setattr(packing.os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            packed_rows(TEXTS, "train", tokenizer, LENGTH)
        assert self.files(cache) == []

    def test_a_length_that_fills_no_row_is_an_error(self, tokenizer):
        with pytest.raises(
            ValueError, match="length = 9999: must be less; the validation part of 'test' fills no such"
        ):
            packed_rows(TEXTS, "validation", tokenizer, 9999)
        with pytest.raises(ValueError, match="length = 3: must be at least 4"):
            packed_rows(TEXTS, "train", tokenizer, 3)
