"""What a record was made from: its digest is recorded, another machine's corpus is noticed, and one line says so."""

import json
import re
import warnings
from pathlib import Path

import pytest

from minilib import data
from minilib.data import package_docs
from minilib.experiments import records
from minilib.experiments.records import Project, load, same_corpus
from studies.study import Study

ROOT = Path(__file__).resolve().parents[2]
CAT = "The cat that sat on the mat is not the one that we saw in the garden."
DOG = "A dog may bark at the moon when it is full, and then the owl will answer."
WITHOUT_DOGS = {"cats_of_the_book": "cats", "dogs_that_are_nowhere": "dogs"}  # the second package is not installed


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """`docstrings()` over two tiny packages, in an empty cache; a dictionary of their versions."""
    versions = {"cats": "1.0", "dogs": "2.0+cpu"}
    for name, text in (("cats_of_the_book", CAT), ("dogs_of_the_book", DOG)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f'"""{text}"""')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(package_docs, "PACKAGES", {"cats_of_the_book": "cats", "dogs_of_the_book": "dogs"})
    monkeypatch.setattr(package_docs, "version", versions.__getitem__)
    return versions


@pytest.fixture
def record(installed, tmp_path, capsys):
    study = Study("small", {}, Project(tmp_path, tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # all packages are there
        study.record([{"step": 1}], {"best": 1}, data.docstrings())
    capsys.readouterr()
    return load("small", Project(tmp_path, tmp_path))


def test_the_digest_is_of_the_text_and_of_where_the_parts_are_cut():
    def of(train, validation):
        return package_docs.Docstrings(train, validation, {}, {}, {}).sha256

    assert of("a", "b") == of("a", "b")
    assert len({of("a", "b"), of("ab", ""), of("", "ab"), of("a", "c")}) == 4


@pytest.mark.parametrize("version", ["1.0", "1.1"])  # another version may have the same text
def test_a_record_of_this_corpus_is_known_again_without_a_word(installed, record, capsys, version):
    assert set(record.run) == {*records.FIELDS, "corpus"}
    installed["cats"] = version
    assert same_corpus(record.run)
    assert capsys.readouterr().out == ""


def test_another_corpus_is_said_in_one_line_with_both_versions(installed, record, tmp_path, monkeypatch, capsys):
    installed["cats"] = "1.1"
    (tmp_path / "cats_of_the_book" / "__init__.py").write_text(f'"""{DOG} {CAT}"""')
    monkeypatch.setattr(package_docs, "PACKAGES", WITHOUT_DOGS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # one line says it, and nothing beside it
        assert not same_corpus(record.run)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("The record small was made from other docstrings than this machine has")
    assert "cats 1.0 (here 1.1), dogs 2.0 (here none)" in line


def test_other_text_from_equal_versions_is_said_too_and_a_record_that_does_not_say_is_refused(record, capsys):
    record.run["corpus"]["sha256"] = "0" * 64
    assert not same_corpus(record.run)
    assert "the same versions, read by other rules (sha256 00000000)" in capsys.readouterr().out
    with pytest.raises(ValueError, match="'small' does not say from which corpus"):
        same_corpus({"name": "small"})


def test_runs_from_the_same_versions_are_from_the_same_text():
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "book" / "runs").glob("*/run.json")]
    corpora = [run["corpus"] for run in runs if "corpus" in run]
    assert len(corpora) >= 10
    texts = {}
    for one in corpora:
        assert re.fullmatch("[0-9a-f]{64}", one["sha256"])
        assert list(one["sources"]) == list(package_docs.PACKAGES.values())
        assert texts.setdefault(tuple(sorted(one["sources"].items())), one["sha256"]) == one["sha256"]
