"""Documents in files: what is read is what a list of the texts would give, and nothing is read twice without need."""

import gzip
import json
import os
import re
import tracemalloc

import pytest

from minilib.data import files
from minilib.data.corpora import corpus
from minilib.data.files import last_twentieths, pieces, read, whole
from minilib.data.progress import Progress

pytestmark = pytest.mark.usefixtures("cache")
TEXTS = [f"Document {k}.\n\nIt has\ntwo paragraphs, {k * k}." for k in range(60)]
JOINED = [f"Document {k}.\nIt has two paragraphs, {k * k}." for k in range(60)]


def all_of(path):
    return list(whole(str(path), "text", "corpus"))


def peak(path, most):
    """The longest piece of the texts of both parts, and the most bytes that were in use."""
    tracemalloc.start()
    try:
        texts = (text for part in last_twentieths(str(path), "text") for text, _ in pieces(part, most))
        return max(map(len, texts)), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def jsonl(path, texts):
    data = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "A.JSONL"])
def test_a_line_is_a_document_whose_paragraphs_are_its_lines_and_the_last_twentieth_is_held_out(tmp_path, name):
    texts = corpus(jsonl(tmp_path / name, [*TEXTS, " \n ", ""]))
    assert (list(texts.train), list(texts.validation)) == (JOINED[:57], JOINED[57:])
    jsonl(tmp_path / name, ["one\u2028two\x85three"])  # which Python takes for ends of lines
    assert all_of(tmp_path) == ["one two three"]


def test_files_are_counted_once_and_the_fingerprint_is_of_the_text_and_not_of_its_place(tmp_path, monkeypatch):
    reads = []
    monkeypatch.setattr(files, "read", lambda path, field: reads.append(path.name) or read(path, field))
    for folder in "ab":
        (tmp_path / folder).mkdir()
        jsonl(tmp_path / folder / f"{folder}.jsonl", TEXTS)
        (tmp_path / folder / "z.txt").write_text("one\n\ntwo")

    def prints(folder):
        return [part.fingerprint for part in last_twentieths(str(tmp_path / folder), "text")]

    first = prints("a")
    assert prints("a") == first == prints("b")
    assert reads == ["a.jsonl", "z.txt", "b.jsonl", "z.txt"]
    assert len({*first}) == 2
    (tmp_path / "a" / "z.txt").write_text("one\n\nsix")
    os.utime(tmp_path / "a" / "z.txt", ns=(0, 1))
    assert prints("a")[0] != first[0]


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one\n\ntwo\n\nthree")
    documents = whole(str(path), "text", "corpus")
    lines = documents.lines()
    assert next(lines)[1] == "one"
    path.write_text("one\n\ntwo\n\nthree\n\nfour")
    for late in (lines, documents):
        with pytest.raises(ValueError, match=r"a.txt was changed while it was read"):
            list(late)


@pytest.mark.parametrize(("piece", "times"), [("A paragraph of one.\n\n", 90_000), ("Words of one line. ", 150_000)])
def test_a_block_is_in_memory_and_not_the_text(tmp_path, piece, times):
    path = tmp_path / "a.txt"
    path.write_text(piece * times + "\n\nThe end.", encoding="utf-8")
    longest, most = peak(path, 10_000)
    assert longest < 200_000
    assert most < 4_000_000  # the words of 100,000 characters as a list, and their pieces


def test_a_line_of_any_length_is_read_in_parts_that_end_at_blanks(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST", 20)
    monkeypatch.setattr(files, "AT_ONCE", 20)
    words = [f"word-{k}" for k in range(99)]
    (tmp_path / "a.txt").write_text(" ".join(words) + "\n\n" + "x" * 50 + "\n\nshort\nlines\n\n", encoding="utf-8")
    parts = [paragraph for _, paragraph in read(tmp_path / "a.txt", "text")]
    assert max(map(len, parts)) <= 40
    at = parts.index("x" * 20)
    assert " ".join(parts[:at]).split() == words
    assert parts[at:] == ["x" * 20, "x" * 20, "x" * 10, "short lines"]


GOOD = [json.dumps({"text": f"one two {k}"}).encode() for k in range(1000)]
OBJECT = "must be an object with a text under field = 'text', is "


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("b.jsonl", b'{"text": "x"', OBJECT + "'{\"text\": \"x\"' (Expecting ',' delimiter"),
        ("b.jsonl.gz", b'{"txet": "x", "n": 1}', OBJECT + '\'{"txet": "x", "n": 1}\' (it has txet, n)'),
        ("b.jsonl", rb'{"a\nb": 1}', OBJECT + repr(r'{"a\nb": 1}') + " (it has a b)"),
        ("b.jsonl", b'{"text": 5}', OBJECT + "'{\"text\": 5}' (expected string"),
        ("b.jsonl", b'"text"', OBJECT + "'\"text\"'"),
        ("b.jsonl", b"[" * 100_000 + b"]" * 100_000, OBJECT + "'[[["),
        *((name, b'{"text": "Gr\xf6\xdfe"}', "must be UTF-8") for name in ("b.txt", "b.jsonl", "b.jsonl.gz")),
    ],
)
def test_a_bad_line_is_named_by_its_number_in_the_file(tmp_path, name, bad, message):
    data = b"\n".join([*GOOD[:700], bad, *GOOD[700:]])
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{tmp_path / name}, line 701: {message}')}.*$"):
        corpus(str(tmp_path / name))


@pytest.mark.parametrize("damaged", [gzip.compress(b"\n".join(GOOD))[:-9], b"no gzip"], ids=["cut", "never packed"])
def test_a_packed_file_that_is_not_whole_is_refused(tmp_path, damaged):
    (tmp_path / "b.jsonl.gz").write_bytes(damaged)
    with pytest.raises(ValueError, match=r"b.jsonl.gz must be a whole file packed with gzip"):
        all_of(tmp_path)


def test_half_a_character_is_replaced_and_a_long_number_elsewhere_is_no_matter(tmp_path):
    emoji = r'{"text": "cut \ud83d, \ude00 whole \ud83d\ude00"}'
    (tmp_path / "b.jsonl").write_text(emoji + '\n{"text": "x", "n": ' + "9" * 5000 + "}", encoding="utf-8")
    assert all_of(tmp_path) == ["cut \ufffd, \ufffd whole \U0001f600", "x"]


@pytest.mark.parametrize("name", ["x.json", "x.ndjson", "x.csv", "x.md", "x.jsonl.zst", "x.txt.gz", "x", "txt"])
def test_a_file_of_another_ending_is_refused_alone_and_left_out_of_a_folder(tmp_path, name):
    path, lines = tmp_path / name, []
    path.write_text('{"text": "one"}\n\n{"text": "two"}\n', encoding="utf-8")
    refused = f"corpus = {str(path)!r}: must end in .txt (plain text), .jsonl or .jsonl.gz (a document a line)"
    with pytest.raises(ValueError, match=f"^{re.escape(refused)}"):
        corpus(str(path))
    jsonl(tmp_path / "good.jsonl", TEXTS)
    assert list(whole(str(tmp_path), "text", "corpus", lines.append)) == JOINED
    assert lines == [f"left out of {tmp_path}: 1 that are no file of .txt, .jsonl, .jsonl.gz, such as {name}"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_pipe_is_refused_alone_and_left_out_of_a_folder_and_a_link_to_nothing_is_named(tmp_path):
    os.mkfifo(tmp_path / "p.txt")
    with pytest.raises(ValueError, match=r"corpus = '.*p.txt': must be a file or a folder, is a pipe"):
        corpus(str(tmp_path / "p.txt"))
    (tmp_path / "sub.txt").mkdir()
    (tmp_path / "sub.txt" / "a.txt").write_text("one\n\ntwo")
    (tmp_path / "link.txt").symlink_to(tmp_path / "sub.txt" / "a.txt")
    assert all_of(tmp_path) == ["one\ntwo", "one\ntwo"]
    (tmp_path / "lost.txt").symlink_to(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError, match=r"lost.txt"):
        all_of(tmp_path)


def test_progress_is_silent_at_first_and_then_says_how_long_it_takes(monkeypatch):
    now, lines = [0.0], []
    monkeypatch.setattr("minilib.data.progress.perf_counter", lambda: now[0])
    progress = Progress(lines.append, "reading", 100_000_000)
    for second in range(1, 601):
        now[0] = float(second)
        progress.add(100_000, 25_000)
    assert lines[0] == "reading: 0.2 million characters of 100.0, 25,000 tokens/s, about 16.6 minutes left"
    assert 10 < len(lines) < 30
