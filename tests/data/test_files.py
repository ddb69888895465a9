"""Documents in files: what is read is what a list of the texts would give, and nothing is read twice without need."""

import gzip
import json
import os
import re
import tracemalloc

import numpy as np
import pytest

from minilib.data import files, tokenizer
from minilib.data.corpora import Texts, corpus
from minilib.data.files import last_twentieths, pieces, read, whole
from minilib.data.packing import packed_rows
from minilib.data.progress import Progress
from minilib.data.tokenizer import get_tokenizer, sample

pytestmark = pytest.mark.usefixtures("cache")


def all_of(path):
    return whole(str(path), "text", "corpus")


def both_parts(path, most):
    """The pieces of the texts of both parts."""
    return (text for part in last_twentieths(str(path), "text") for text, _ in pieces(part, most))


def memory(work):
    """What the work gives, and the most bytes that it had in use."""
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def reads(monkeypatch):
    """The files that were read through or begun, in order."""
    seen = []
    monkeypatch.setattr(files, "read", lambda path, field: seen.append(path.name) or read(path, field))
    return seen


def jsonl(path, texts):
    data = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


TEXTS = [f"Document {k}.\n\nIt has\ntwo paragraphs, {k * k}." for k in range(60)]
JOINED = [f"Document {k}.\nIt has two paragraphs, {k * k}." for k in range(60)]


def test_rows_from_files_are_those_of_a_list_of_the_same_documents(tmp_path):
    texts = corpus(jsonl(tmp_path / "a.jsonl", TEXTS))
    listed = Texts("list", JOINED[:57], JOINED[57:])
    for kind in ("bert", "gpt2"):
        own, theirs = get_tokenizer(texts, kind, 400), get_tokenizer(listed, kind, 400)
        assert own.content == theirs.content
        for part in ("train", "validation"):
            rows = [packed_rows(t, part, own, 12) for t in (texts, listed)]
            np.testing.assert_array_equal(*rows)


def test_packed_files_are_read_and_empty_documents_are_none(tmp_path):
    jsonl(tmp_path / "b.jsonl.gz", ["one", " \n ", "", "two"])
    assert list(all_of(tmp_path)) == ["one", "two"]
    data = (tmp_path / "b.jsonl.gz").read_bytes()
    for damaged in (data[:-9], b"no gzip"):
        (tmp_path / "b.jsonl.gz").write_bytes(damaged)
        with pytest.raises(ValueError, match=r"b.jsonl.gz must be a whole file packed with gzip"):
            all_of(tmp_path)


def test_other_line_ends_inside_a_text_do_not_end_its_line(tmp_path):
    text = "one\u2028two\x85three"
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": text}, ensure_ascii=False) + "\n", encoding="utf-8")
    assert list(all_of(tmp_path)) == ["one two three"]


def test_files_are_counted_once_and_again_when_one_is_changed(tmp_path, reads):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("one\n\ntwo")
    first = last_twentieths(str(tmp_path), "text")
    assert reads == ["a.txt", "b.txt"]
    again = last_twentieths(str(tmp_path), "text")
    assert reads == ["a.txt", "b.txt"]
    assert [d.fingerprint for d in again] == [d.fingerprint for d in first]
    (tmp_path / "b.txt").write_text("one\n\nsix")
    os.utime(tmp_path / "b.txt", ns=(0, 1))
    changed = last_twentieths(str(tmp_path), "text")
    assert len(reads) == 4
    assert [d.fingerprint for d in changed] != [d.fingerprint for d in first]


def test_the_fingerprint_is_of_the_text_and_not_of_its_place(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        jsonl(tmp_path / name / f"{name}.jsonl", TEXTS)
    a, b = (last_twentieths(str(tmp_path / name), "text") for name in "ab")
    assert [d.fingerprint for d in a] == [d.fingerprint for d in b]
    assert a[0].fingerprint != a[1].fingerprint
    jsonl(tmp_path / "b" / "b.jsonl", TEXTS[1:])
    assert a[0].fingerprint != last_twentieths(str(tmp_path / "b"), "text")[0].fingerprint


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one\n\ntwo\n\nthree")
    documents = all_of(path)
    lines = documents.lines()
    assert next(lines)[1] == "one"
    path.write_text("one\n\ntwo\n\nthree\n\nfour")
    for late in (lines, documents):
        with pytest.raises(ValueError, match=r"a.txt was changed while it was read"):
            list(late)


def test_one_paragraph_or_line_is_in_memory_and_not_the_text(tmp_path):
    path = tmp_path / "a.txt"
    paragraphs = (f"Paragraph {k} of a text that is longer than is to be held of it.\n\n" for k in range(50_000))
    path.write_text("".join(paragraphs))
    assert path.stat().st_size > 3_000_000
    count, peak = memory(lambda: sum(1 for _ in both_parts(path, 10_000)))
    assert count > 200
    assert peak < 500_000


def test_a_line_of_any_length_is_read_in_parts_that_end_at_blanks(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 20)
    monkeypatch.setattr(files, "AT_ONCE", 20)
    words = [f"word-{k}" for k in range(99)]
    (tmp_path / "a.txt").write_text(" ".join(words) + "\n\n" + "x" * 50 + "\n\nshort\nlines\n\n", encoding="utf-8")
    found = [paragraph for _, paragraph in read(tmp_path / "a.txt", "text")]
    assert max(map(len, found)) <= 40
    at = found.index("x" * 20)
    assert " ".join(found[:at]).split() == words
    assert found[at:] == ["x" * 20, "x" * 20, "x" * 10, "short lines"]
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": " ".join(words)}), encoding="utf-8")
    assert [*read(tmp_path / "a.jsonl", "text")] == [(0, paragraph) for paragraph in found[:at]]


def test_a_line_of_two_million_characters_takes_the_memory_of_a_block(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("These are the words of one line. " * 60_000 + "\n\nThe end.", encoding="utf-8")
    longest, peak = memory(lambda: max(map(len, both_parts(path, 50_000))))
    assert longest < 200_000
    assert peak < 4_000_000  # the words of 100,000 characters as a list, and their pieces


GOOD = [json.dumps({"text": f"one two {k}"}) for k in range(1000)]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ('{"text": "x"', "Expecting ',' delimiter, column 13"),
        ('{"txet": "x", "n": 1}', "it has txet, n"),
        ('{"text": 5}', "text is 5"),
        ('"text"', "it is no object"),
        ("[" * 100_000 + "]" * 100_000, "it is nested too deeply"),
    ],
    ids=lambda bad: bad[:20],
)
def test_a_bad_line_is_named_by_its_number_in_the_file(tmp_path, bad, why):
    path = tmp_path / "b.jsonl"
    path.write_text("\n".join([*GOOD[:700], bad, *GOOD[700:]]), encoding="utf-8")
    said = f"{path}, line 701: must be an object with a text under field = 'text' ({why})"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        corpus(str(path))


@pytest.mark.parametrize("name", ["b.txt", "b.jsonl", "b.jsonl.gz"])
def test_the_line_that_is_no_utf_8_is_named(tmp_path, name):
    lines = [line.encode() for line in GOOD]
    lines[700] = '{"text": "Größe"}'.encode("latin-1")
    data = b"\n".join(lines)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    with pytest.raises(ValueError, match=f"{name}, line 701: must be UTF-8 text"):
        corpus(str(tmp_path / name))


def test_half_a_character_is_replaced_and_a_long_number_elsewhere_is_no_matter(tmp_path):
    emoji = r'{"text": "cut \ud83d, \ude00 whole \ud83d\ude00"}'
    (tmp_path / "b.jsonl").write_text(emoji + '\n{"text": "x", "n": ' + "9" * 5000 + "}", encoding="utf-8")
    assert list(all_of(tmp_path)) == ["cut \ufffd, \ufffd whole \U0001f600", "x"]


@pytest.mark.parametrize("name", ["x.json", "x.ndjson", "x.csv", "x.md", "x.jsonl.zst", "x.txt.gz", "x", "txt"])
def test_a_file_of_another_ending_is_refused_alone_and_left_out_of_a_folder(tmp_path, name):
    path, said = tmp_path / name, []
    path.write_text('{"text": "one"}\n\n{"text": "two"}\n', encoding="utf-8")
    refused = f"corpus = {str(path)!r}: must end in .txt (plain text), .jsonl or .jsonl.gz (a document a line)"
    with pytest.raises(ValueError, match=f"^{re.escape(refused)}"):
        corpus(str(path))
    jsonl(tmp_path / "good.jsonl", TEXTS)
    assert list(whole(str(tmp_path), "text", "corpus", said.append)) == JOINED
    kind = path.suffix or "without ending"
    assert said == [f"left out of {tmp_path}: 1 that are no file of .txt, .jsonl, .jsonl.gz (1 {kind})"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_pipe_is_refused_alone_and_left_out_of_a_folder_and_nobody_waits_for_it(tmp_path):
    os.mkfifo(tmp_path / "p.txt")
    with pytest.raises(ValueError, match=r"corpus = '.*p.txt': must be a file or a folder, is a pipe"):
        corpus(str(tmp_path / "p.txt"))
    (tmp_path / "a.txt").write_text("one\n\ntwo")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    assert list(all_of(tmp_path)) == ["one\ntwo", "one\ntwo"]
    (tmp_path / "lost.txt").symlink_to(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match=r"lost.txt"):
        all_of(tmp_path)


def test_a_folder_that_is_called_like_a_file_is_none(tmp_path):
    (tmp_path / "sub.txt").mkdir()
    (tmp_path / "sub.txt" / "a.txt").write_text("one\n\ntwo")
    assert list(all_of(tmp_path)) == ["one\ntwo"]


class TestSample:
    def test_a_text_that_is_no_longer_than_the_sample_is_taken_whole(self, tmp_path):
        documents = all_of(jsonl(tmp_path / "a.jsonl", TEXTS))
        assert sample(documents) == [line for text in JOINED for line in text.split("\n")] == sample(JOINED)

    @pytest.mark.parametrize("size", [300, 700, 1100])
    def test_a_longer_one_gives_blocks_at_equal_distances(self, monkeypatch, size):
        monkeypatch.setattr(tokenizer, "SAMPLE", size)
        monkeypatch.setattr(tokenizer, "BLOCK", 100)
        lines = [f"{k:09}" for k in range(300)]  # 2,700 characters
        chosen = [int(line) for line in sample(["\n".join(lines)])]
        assert size / 2 < 9 * len(chosen) <= size * 1.1
        every = -(-2999 // size)
        assert chosen == [k for k in range(300) if 9 * k // 100 % every == 0]

    def test_it_is_said_how_much_that_is(self, monkeypatch):
        monkeypatch.setattr(tokenizer, "SAMPLE", 1000)
        monkeypatch.setattr(tokenizer, "BLOCK", 100)
        said = []
        sample(["x" * 9_000] * 1_300, said.append)
        assert said == ["training a tokenizer on 0 of 12 million characters"]


def test_progress_is_silent_at_first_and_then_says_how_long_it_takes(monkeypatch):
    now, said = [0.0], []
    monkeypatch.setattr("minilib.data.progress.perf_counter", lambda: now[0])
    progress = Progress(said.append, "reading", 100_000_000)
    for second in range(1, 601):
        now[0] = float(second)
        progress.add(100_000, 25_000)
    assert said[0] == "reading: 0.2 million characters of 100.0, 25,000 tokens/s, about 16.6 minutes left"
    assert 10 < len(said) < 30
