"""The corpora: what is a document, what is held out, and what is said when there is nothing to read."""

import hashlib
import io
import tarfile
import zlib

import pytest

from minilib.datasets import Docstrings
from minilib.training.data import corpora
from minilib.training.data.corpora import corpus, fingerprint, paragraphs


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return str(folder)


def held_out(name):
    return zlib.crc32(f"{name}.txt".encode()) % 20 == 0


HELD = next(f"h{i}" for i in range(999) if held_out(f"h{i}"))
KEPT = next(f"k{i}" for i in range(999) if not held_out(f"k{i}"))


def test_a_paragraph_is_one_line_and_blank_lines_part_paragraphs():
    assert paragraphs("  One\r\n two. \r\n \t\r\nThree.\n\n\n\n") == ["One two.", "Three."]


def test_the_docstrings_are_one_document_a_paragraph(monkeypatch):
    monkeypatch.setattr(corpora, "docstrings", lambda: Docstrings("A b.\n\nC d.", "E f.", {}, {}, {}))
    assert corpus("docstrings") == ("docstrings", ["A b.", "C d."], ["E f."])


def test_files_are_held_out_by_their_names_in_sorted_order(tmp_path):
    names = [f"file{i}" for i in range(200)]
    texts = corpus(write(tmp_path, **{name: f"{name}\n\nend" for name in reversed(names)}))
    assert texts.train == [f"{name}\nend" for name in sorted(names) if not held_out(name)]
    assert texts.validation == [f"{name}\nend" for name in sorted(names) if held_out(name)]
    assert 2 <= len(texts.validation) <= 20


def test_a_file_is_on_the_same_side_whatever_lies_beside_it(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = corpus(write(tmp_path / "a", **{HELD: "held", KEPT: "kept"}))
    many = corpus(write(tmp_path / "b", **{HELD: "held", KEPT: "kept", f"{KEPT}x": "other"}))
    assert one.validation == ["held"]
    assert "held" in many.validation
    assert "kept" in many.train


@pytest.mark.parametrize("name", [HELD, KEPT])
@pytest.mark.parametrize(("count", "held"), [(2, 1), (39, 1), (40, 2)])
def test_a_single_file_gives_the_last_twentieth_of_its_paragraphs(tmp_path, name, count, held):
    texts = corpus(write(tmp_path, **{name: "\n\n".join(map(str, range(count)))}))
    assert texts.train == ["\n".join(map(str, range(count - held)))]
    assert texts.validation == ["\n".join(map(str, range(count - held, count)))]


def test_files_of_which_none_is_held_out_each_give_some_and_short_ones_nothing(tmp_path):
    names = [name for i in range(99) if not held_out(name := f"n{i}")][:3]
    texts = corpus(write(tmp_path, **dict(zip(names, ["a\n\nb", "c", "d\n\ne\n\nf"], strict=True))))
    assert texts.train == ["a", "c", "d\ne"]
    assert texts.validation == ["b", "f"]


@pytest.mark.parametrize("text", ["", " \n\n ", "one paragraph"])
def test_too_little_text_is_an_error(tmp_path, text):
    with pytest.raises(ValueError, match="must hold at least one file of two paragraphs"):
        corpus(write(tmp_path, a=text))


def test_an_empty_folder_and_an_unknown_name_are_errors(tmp_path):
    with pytest.raises(ValueError, match=r"must hold at least one \.txt file"):
        corpus(str(tmp_path))
    with pytest.raises(ValueError, match="corpus = 'novel': must be 'docstrings', 'novels' or a folder"):
        corpus("novel")


class TestNovels:
    @pytest.fixture
    def archive(self, tmp_path, monkeypatch):
        """Two novels in place of a hundred; the known sum is that of this archive."""
        monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
        path = tmp_path / corpora.NOVELS
        path.parent.mkdir()
        with tarfile.open(path, "w:xz") as file:
            for name in (HELD, KEPT):
                data = f"\ufeffThis is {name}.\r\n\r\nThe\r\nend.".encode()
                member = tarfile.TarInfo(f"./{name}.txt")
                member.size = len(data)
                file.addfile(member, io.BytesIO(data))
        monkeypatch.setattr(corpora, "NOVELS_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
        return path

    def test_they_are_read_from_the_archive_in_the_cache(self, archive):
        texts = corpus("novels")
        assert texts.train == [f"This is {KEPT}.\nThe end."]
        assert texts.validation == [f"This is {HELD}.\nThe end."]

    def test_another_archive_is_an_error(self, archive):
        archive.write_bytes(archive.read_bytes() + b"x")
        with pytest.raises(ValueError, match="has sha256 .* must be"):
            corpus("novels")

    def test_no_archive_is_an_error_that_says_where_it_must_be(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
        with pytest.raises(ValueError, match="corpus = 'novels': must be in the cache as .*tar.xz"):
            corpus("novels")


def test_the_fingerprint_knows_where_documents_end():
    assert len({fingerprint(d) for d in (["ab"], ["a", "b"], ["b", "a"], ["ab", ""])}) == 4
    assert fingerprint(["a", "b"]) == fingerprint(["a", "b"])
