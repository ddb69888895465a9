"""The corpora: what is a document, what is held out, and what is said when there is nothing to read."""

import json

import pytest

from minilib.data import Docstrings, corpora
from minilib.data.corpora import corpus
from minilib.data.files import fingerprint, paragraphs

pytestmark = pytest.mark.usefixtures("cache")


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return str(folder)


def test_a_paragraph_is_one_line_and_blank_lines_part_paragraphs():
    assert list(paragraphs("  One\r\n two. \r\n \t\r\nThree.\n\n\n\n".split("\n"))) == ["One two.", "Three."]


def test_the_docstrings_are_one_document_a_paragraph(monkeypatch):
    monkeypatch.setattr(corpora, "docstrings", lambda say: Docstrings("A b.\n\nC d.", "E f.", {}, {}, {}))
    assert corpus("docstrings")[:3] == ("docstrings", ["A b.", "C d."], ["E f."])


@pytest.mark.parametrize(("count", "held"), [(2, 1), (39, 1), (40, 2)])
def test_a_single_file_gives_the_last_twentieth_of_its_paragraphs(tmp_path, count, held):
    write(tmp_path, one="\n\n".join(map(str, range(count))))
    for path in (tmp_path, tmp_path / "one.txt"):
        texts = corpus(str(path))
        assert list(texts.train) == ["\n".join(map(str, range(count - held)))]
        assert list(texts.validation) == ["\n".join(map(str, range(count - held, count)))]


def test_every_file_gives_its_share_and_short_ones_give_it_together(tmp_path):
    sizes = [40, 3, 8, 9, 60, 7, 7, 6]
    files = {f"n{k}": "\n\n".join(f"{k} {i}" for i in range(n)) for k, n in enumerate(sizes)}
    texts = corpus(write(tmp_path, **files))
    lines = [document.split("\n") for document in texts.validation]
    assert lines == [["0 38", "0 39"], ["3 8"], ["4 57", "4 58", "4 59"], ["7 5"]]
    assert sum(map(len, lines)) == sum(sizes) // 20
    kept = [line for document in texts.train for line in document.split("\n")]
    assert len(kept) == sum(sizes) - sum(sizes) // 20
    assert texts.how == "the last twentieth of each file"


def test_a_document_of_one_paragraph_is_held_out_whole(tmp_path):
    texts = corpus(write(tmp_path, **{f"n{k:02}": f"text {k}" for k in range(40)}))
    assert list(texts.validation) == ["text 19", "text 39"]
    assert len(list(texts.train)) == 38


def test_subfolders_capital_endings_and_lines_of_json_are_read(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "A.TXT").write_text("one\n\ntwo")
    lines = [json.dumps({"text": f"line {k}\n\nend", "id": k}) for k in range(20)]
    (tmp_path / "deep" / "er" / "b.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "deep" / "c.md").write_text("not read")
    texts = corpus(str(tmp_path))
    assert list(texts.train) == ["one\ntwo", *(f"line {k}\nend" for k in range(19))]
    assert list(texts.validation) == ["line 19\nend"]


def test_other_text_may_be_held_out_in_place_of_a_part(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    write(tmp_path / "a", x="one\n\ntwo", y="three")
    texts = corpus(str(tmp_path / "a"), validation=write(tmp_path / "b", z="four"))
    assert (list(texts.train), list(texts.validation)) == (["one\ntwo", "three"], ["four"])
    assert texts.how == str(tmp_path / "b")
    with pytest.raises(ValueError, match="validation = .*none': must hold at least one file"):
        corpus(str(tmp_path / "a"), validation=str(tmp_path / "none"))


def test_too_little_text_an_empty_folder_and_an_unknown_name_are_errors(tmp_path):
    with pytest.raises(ValueError, match=r"must hold at least one file of .txt, .jsonl, .jsonl.gz"):
        corpus(str(tmp_path))
    for text in ("", " \n\n ", "one paragraph"):
        with pytest.raises(ValueError, match="must hold at least two paragraphs"):
            corpus(write(tmp_path, a=text))
    with pytest.raises(ValueError, match="corpus = 'novel': must be one of 'docstrings', 'novels', .* file or folder"):
        corpus("novel")


def test_every_novel_gives_its_last_twentieth_also_one_without_blank_lines(monkeypatch):
    a, b = [f"line {k:02}\n" for k in range(60)], [f"This is\nb {k:03}.\n\n" for k in range(40)]
    novels = {"b.txt": "".join(b), "a.txt": "".join(a), "none.txt": "\n \n"}
    monkeypatch.setattr(corpora, "novels", lambda: novels)
    texts = corpus("novels")
    for part, of_a, of_b in [(texts.train, a[:57], b[:38]), (texts.validation, a[57:], b[38:])]:
        assert part == [" ".join("".join(of_a).split()), "\n".join(" ".join(p.split()) for p in of_b)]
    assert texts.how == "the last twentieth of each novel"


def test_the_fingerprint_knows_where_documents_end():
    assert len({fingerprint(d) for d in (["ab"], ["a", "b"], ["b", "a"], ["ab", ""])}) == 4
    assert fingerprint(["a", "b"]) == fingerprint(["a", "b"])
