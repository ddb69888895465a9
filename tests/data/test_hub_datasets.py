"""Corpora from elsewhere: copied once, whole or not at all, and read as files from then on."""

import gzip
import json
import sys
import types
import zipfile

import pytest

from minilib.data import hub_datasets
from minilib.data.catalogue import CATALOGUE
from minilib.data.corpora import corpus

pytestmark = pytest.mark.usefixtures("cache")
ARTICLES = " \n = One = \n \n First . \n Second . \n \n = = Part = = \n \n Third . \n \n = Two = \n \n Fourth . \n"


def test_articles_of_wikitext_are_documents_and_an_interrupted_copy_leaves_nothing(cache, nowhere, monkeypatch):
    path = cache / hub_datasets.WIKITEXT
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:  # a small archive in place of the known one
        archive.writestr("wikitext-103-raw/wiki.train.raw", ARTICLES)
        archive.writestr("wikitext-103-raw/wiki.valid.raw", " \n = Three = \n \n Fifth é . \n")
        archive.writestr("wikitext-103-raw/wiki.test.raw", " \n = Four = \n \n Sixth . \n")
    nowhere("wikitext-103", cache)
    with monkeypatch.context() as patch:
        patch.setattr(hub_datasets.json, "dumps", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            corpus("wikitext-103")
    assert list(path.parent.iterdir()) == [path]
    texts = corpus("wikitext-103")
    path.unlink()  # it is read once
    for found in (texts, corpus("wikitext-103")):
        assert list(found.train) == ["= One =\nFirst .\nSecond .\n= = Part = =\nThird .", "= Two =\nFourth ."]
        assert list(found.validation) == ["= Three =\nFifth é ."]
        assert found.how == "its own part for validation"


def test_the_sample_of_c4_is_a_file_like_others(cache, nowhere):
    (name,) = CATALOGUE["c4-sample"].files
    (cache / name).parent.mkdir()
    lines = [json.dumps({"text": f"page {k}", "url": "u"}) for k in range(20)]
    (cache / name).write_bytes(gzip.compress("\n".join(lines).encode()))
    nowhere("c4-sample", cache)
    texts = corpus("c4-sample")
    assert (len(list(texts.train)), list(texts.validation)) == (19, ["page 19"])


@pytest.fixture
def hub(monkeypatch):
    """A stand-in for their library: `hub.asked` is what it was asked for, `hub.splits` what it gives or raises."""
    stand_in = types.SimpleNamespace(asked=[], splits={})

    def load_dataset(*asked, streaming):
        stand_in.asked.append((*asked, streaming))
        if isinstance(stand_in.splits, Exception):
            raise stand_in.splits
        return stand_in.splits

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    return stand_in


def rows(first, last, field="text"):
    return [{"id": k, field: f"text {k}\n\nend"} for k in range(first, last)]


def test_every_20th_document_is_held_out_or_its_own_part_or_other_text_and_it_is_read_once(hub, tmp_path):
    hub.splits = {"train": iter(rows(1, 46))}
    for _ in range(2):  # the stream is empty then
        texts = corpus("owner/name:en")
        assert list(texts.validation) == ["text 20\nend", "text 40\nend"]
        assert list(texts.train) == [f"text {k}\nend" for k in range(1, 46) if k % 20]
    hub.splits = {"train": rows(0, 30, "body"), "validation": rows(50, 52, "body"), "test": []}
    own = corpus("hf:name", field="body")
    assert (len(list(own.train)), list(own.validation)) == (30, ["text 50\nend", "text 51\nend"])
    assert [texts.how, own.how] == ["every 20th document", "its own part for validation"]
    (tmp_path / "own.txt").write_text("mine")
    other = corpus("hf:name", validation=str(tmp_path / "own.txt"), field="body")
    assert hub.asked == [("owner/name", "en", True), ("name", None, True)]
    assert (len(list(other.train)), list(other.validation)) == (32, ["mine"])
    (tmp_path / "own.txt").write_text("\n")
    with pytest.raises(ValueError, match="validation = .*own.txt': it and the corpus must have a paragraph each"):
        corpus("hf:name", validation=str(tmp_path / "own.txt"), field="body")


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (ConnectionError("no\nnetwork"), "no network"),
        ({"test": []}, "must have a part 'train', has test"),
        ({"train": [{"content": "a"}]}, "field = 'text': must be a text; the documents have content"),
        ({"train": (1 / k and {"text": "a"} for k in (1, 1, 0))}, "division by zero"),  # broken on its way
        (None, "is no file or folder here; .* pip install datasets"),
    ],
)
def test_what_the_hub_does_not_give_is_said_in_one_line_and_nothing_is_kept(hub, cache, monkeypatch, splits, message):
    hub.splits = splits
    if splits is None:
        monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ValueError, match=f"^corpus = 'o/n': {message}$"):
        corpus("o/n")
    assert not list(cache.glob("hugging-face/*"))
