"""The corpora: what is a document, what is held out, and what is said when there is nothing to read."""

import pytest

from minilib.data import Docstrings, corpora
from minilib.data.corpora import corpus
from minilib.data.files import fingerprint

pytestmark = pytest.mark.usefixtures("cache")


def write(folder, texts):
    for name, text in texts.items():
        (folder / f"{name}.txt").parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.txt").write_bytes(text.encode())
    return str(folder)


def paragraphs(*numbers):
    return "\n\n".join(map(str, numbers))


# Files of a folder, and the paragraphs that are held out of them.
FOLDERS = {
    "two": ({"a": paragraphs(0, 1)}, [["1"]]),
    "39": ({"a": paragraphs(*range(39))}, [["38"]]),
    "40": ({"a": paragraphs(*range(40))}, [["38", "39"]]),
    "files give their share, short ones together": (
        {f"n{k}": paragraphs(*(f"{k} {i}" for i in range(n))) for k, n in enumerate([40, 3, 8, 9, 60, 7, 7, 6])},
        [["0 38", "0 39"], ["3 8"], ["4 57", "4 58", "4 59"], ["7 5"]],
    ),
    "a document of one paragraph goes whole": ({f"n{k:02}": f"{k}" for k in range(40)}, [["19"], ["39"]]),
    "below": ({"z": "1\n\n2", "deep/er/b": "  3 \r\n4. \r\n \t\r\n5\n\n\n\n"}, [["1", "2"]]),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_of_every_file_the_last_twentieth_is_held_out(tmp_path, name):
    texts, held = FOLDERS[name]
    found = corpus(write(tmp_path, texts))
    assert [document.split("\n") for document in found.validation] == held
    parts = [" ".join(text.split()).split(" ") for text in texts.values()]
    if name == "below":
        assert list(found.train) == ["3 4.\n5"]
    else:
        both = [line for part in (found.train, found.validation) for document in part for line in document.split("\n")]
        assert sorted(" ".join(both).split()) == sorted(word for part in parts for word in part)
    assert found.how == "the last twentieth of each file"


def test_other_text_may_be_held_out_in_place_of_a_part(tmp_path):
    a, b = write(tmp_path / "a", {"x": "one\n\ntwo", "y": "three"}), write(tmp_path / "b", {"z": "four"})
    texts = corpus(a, validation=b)
    assert (list(texts.train), list(texts.validation), texts.how) == (["one\ntwo", "three"], ["four"], b)


@pytest.mark.parametrize(
    ("text", "asked", "message"),
    [
        (None, {}, r"must hold at least one file of .txt, .jsonl, .jsonl.gz"),
        *((text, {}, "must hold at least two paragraphs") for text in ("", " \n\n ", "one paragraph")),
        ("a\n\nb", {"validation": "/none"}, "validation = '/none': must hold at least one file"),
        (None, {"name": "novel"}, "corpus = 'novel': must be one of 'docstrings', 'novels', .* file or folder"),
    ],
)
def test_too_little_text_an_empty_folder_and_an_unknown_name_are_refused(tmp_path, text, asked, message):
    write(tmp_path, {} if text is None else {"a": text})
    with pytest.raises(ValueError, match=message):
        corpus(**{"name": str(tmp_path)} | asked)


def test_a_docstring_is_a_document_and_of_every_novel_the_last_twentieth_is_held_out(monkeypatch):
    monkeypatch.setattr(corpora, "docstrings", lambda say: Docstrings("A b.\n\nC d.", "E f.", {}, {}, {}))
    assert corpus("docstrings")[:3] == ("docstrings", ["A b.", "C d."], ["E f."])
    a, b = [f"line {k:02}\n" for k in range(60)], [f"This is\nb {k:03}.\n\n" for k in range(40)]  # a: no blank lines
    monkeypatch.setattr(corpora, "novels", lambda: {"b.txt": "".join(b), "a.txt": "".join(a), "none.txt": "\n \n"})
    texts = corpus("novels")
    for part, of_a, of_b in [(texts.train, a[:57], b[:38]), (texts.validation, a[57:], b[38:])]:
        assert part == [" ".join("".join(of_a).split()), "\n".join(" ".join(p.split()) for p in of_b)]


def test_the_fingerprint_knows_where_documents_end():
    assert len({fingerprint(d) for d in (["ab"], ["a", "b"], ["b", "a"], ["ab", ""])}) == 4
