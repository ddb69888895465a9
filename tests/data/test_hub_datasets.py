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


class TestWikitext:
    TRAIN = " \n = One = \n \n First . \n Second . \n \n = = Part = = \n \n Third . \n \n = Two = \n \n Fourth . \n"

    @pytest.fixture
    def known(self, cache, nowhere):
        """A small archive in place of the known one."""
        path = cache / hub_datasets.WIKITEXT
        path.parent.mkdir()
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("wikitext-103-raw/wiki.train.raw", self.TRAIN)
            archive.writestr("wikitext-103-raw/wiki.valid.raw", " \n = Three = \n \n Fifth é . \n")
            archive.writestr("wikitext-103-raw/wiki.test.raw", " \n = Four = \n \n Sixth . \n")
        nowhere("wikitext-103", cache)
        return path

    def test_an_article_is_a_document_and_its_lines_are_paragraphs(self, known, cache):
        texts = corpus("wikitext-103")
        assert list(texts.train) == ["= One =\nFirst .\nSecond .\n= = Part = =\nThird .", "= Two =\nFourth ."]
        assert list(texts.validation) == ["= Three =\nFifth é ."]
        assert texts.how == "its own part for validation"
        known.unlink()
        assert list(corpus("wikitext-103").train) == list(texts.train)
        assert sorted(path.name for path in known.parent.iterdir()) == ["articles"]

    def test_an_interrupted_copy_leaves_nothing(self, known, monkeypatch):
        monkeypatch.setattr(hub_datasets.json, "dumps", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            corpus("wikitext-103")
        assert [path.name for path in known.parent.iterdir()] == [known.name]


def test_the_sample_of_c4_is_a_file_like_others(cache, nowhere):
    (name,) = CATALOGUE["c4-sample"].files
    (cache / name).parent.mkdir()
    lines = [json.dumps({"text": f"page {k}", "url": "u"}) for k in range(20)]
    (cache / name).write_bytes(gzip.compress("\n".join(lines).encode()))
    nowhere("c4-sample", cache)
    texts = corpus("c4-sample")
    assert list(texts.train) == [f"page {k}" for k in range(19)]
    assert (list(texts.validation), texts.how) == (["page 19"], "the last twentieth of each file")


class TestHuggingFace:
    @pytest.fixture
    def hub(self, monkeypatch):
        """A stand-in for their library: `hub.asked` is what it was asked for, `hub.splits` what it gives or raises."""
        stand_in = types.SimpleNamespace(asked=[], splits={})

        def load_dataset(path, name, streaming):
            stand_in.asked.append((path, name, streaming))
            if isinstance(stand_in.splits, Exception):
                raise stand_in.splits
            return stand_in.splits

        monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
        return stand_in

    @staticmethod
    def rows(first, last, field="text"):
        return [{"id": k, field: f"text {k}\n\nend"} for k in range(first, last)]

    def test_every_20th_document_is_held_out_and_it_is_read_once(self, hub):
        hub.splits = {"train": iter(self.rows(1, 46))}
        for _ in range(2):  # the stream is empty then
            texts = corpus("owner/name:en")
            assert list(texts.validation) == ["text 20\nend", "text 40\nend"]
            assert list(texts.train) == [f"text {k}\nend" for k in range(1, 46) if k % 20]
        assert texts.how == "every 20th document"
        assert hub.asked == [("owner/name", "en", True)]

    def test_its_own_part_is_held_out_where_it_has_one(self, hub):
        hub.splits = {"train": self.rows(0, 30, "body"), "validation": self.rows(50, 52, "body"), "test": []}
        texts = corpus("hf:name", field="body")
        assert (len(list(texts.train)), list(texts.validation)) == (30, ["text 50\nend", "text 51\nend"])
        assert texts.how == "its own part for validation"
        assert hub.asked == [("name", None, True)]

    @pytest.mark.parametrize(
        ("splits", "message"),
        [
            (ConnectionError("no\nnetwork"), "the Hugging Face Hub does not give it: no network"),
            ({"test": []}, "must have a part 'train', has test"),
            ({"train": [{"content": "a"}]}, "field = 'text': must be a text; the documents have content"),
            ({"train": (1 / k and {"text": "a"} for k in (1, 1, 0))}, "division by zero"),  # broken on its way
        ],
    )
    def test_what_it_does_not_give_is_said_in_one_line_and_nothing_is_kept(self, hub, cache, splits, message):
        hub.splits = splits
        with pytest.raises(ValueError, match=f"^corpus = 'o/n': {message}$"):
            corpus("o/n")
        assert not list(cache.glob("hugging-face/*"))

    def test_without_their_library_one_line_says_so(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "datasets", None)
        with pytest.raises(ValueError, match="corpus = 'o/n': is no file or folder here; .* pip install datasets"):
            corpus("o/n")

    def test_other_text_may_be_held_out(self, hub, tmp_path):
        (tmp_path / "own.txt").write_text("mine")
        hub.splits = {"train": self.rows(1, 21)}
        texts = corpus("o/n", validation=str(tmp_path / "own.txt"))
        assert (len(list(texts.train)), list(texts.validation)) == (20, ["mine"])
