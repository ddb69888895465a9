"""The data sets: the same on every machine, prose where prose is promised, honest splits.

`TestCorpus` reads the real corpus: the first run on a machine builds it (up to a minute). What the rules of `prose` and
`package_docs` make of 1.2 million words is pinned to the byte there; so no rule is tested on words of its own.
"""

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

from minilib import data
from minilib.data import package_docs, prose

# Measured with the locked versions on Python 3.11, 3.12 and 3.13: measure again when the lock moves.
VERSIONS = {"numpy": "2.4.6", "scipy": "1.17.1", "scikit-learn": "1.9.1", "matplotlib": "3.11.2", "sympy": "1.14.0"}
VERSIONS |= {"networkx": "3.6.1", "torch": "2.13.0"}
SHA256 = "4320ae57083660950cc21fd488216e1f9fb8ce64ebd67673c6a3c8968da73c90"

CAT = "The cat that sat on the mat is not the one that we saw in the garden."
DOG = "A dog may bark at the moon when it is full, and then the owl will answer."


@pytest.fixture(scope="module")
def docs():
    return data.docstrings()


def shingles(text):
    return [run for p in text.split("\n\n") for run in prose.runs(prose.bare_words(p))]


def write_package(root, **files):
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / f"{name}.py").write_text(text, encoding="utf-8")
    return root


class TestDigits:
    def test_the_arrays_have_the_documented_shapes_types_and_range_and_are_no_ones_else(self):
        scans = data.digits()
        assert [array.shape for array in scans] == [(1437, 64), (1437,), (360, 64), (360,)]
        assert [array.dtype for array in scans] == [np.float64, np.int64] * 2
        assert {(x.min(), x.max()) for x in (scans.x_train, scans.x_test)} == {(0.0, 1.0)}
        scans.x_train[:] = -1
        assert data.digits().x_train.min() == 0

    def test_the_two_parts_together_are_all_the_images_in_their_order_a_fifth_of_each_class_for_testing(self):
        x, y = load_digits(return_X_y=True)
        scans = data.digits()
        rows = {tuple(row): i for i, row in enumerate(x / 16)}  # no image occurs twice
        train, test = ([rows[tuple(row)] for row in x] for x in (scans.x_train, scans.x_test))
        assert sorted(train + test) == list(range(1797))
        for part, labels in ((train, scans.y_train), (test, scans.y_test)):
            assert part == sorted(part)
            assert (labels == y[part]).all()
        np.testing.assert_allclose(np.bincount(scans.y_test) / np.bincount(y), 0.2, atol=0.005)


class TestBuild:
    def test_tests_and_generated_files_are_left_out(self, tmp_path):
        write_package(tmp_path, b="", a="", version="")
        write_package(tmp_path / "sub", c="")
        write_package(tmp_path / "sub" / "tests", d="")
        assert package_docs.source_files(tmp_path) == ["a.py", "b.py", "sub/c.py"]

    def test_the_paragraphs_of_a_package_stand_together_and_are_counted(self, tmp_path):
        roots = {
            "cats": write_package(tmp_path / "cats", a=f'"""{CAT}"""', b=f'"""{CAT}"""', c='"""none"""'),
            "none": write_package(tmp_path / "none", a="x = 1"),
            "dogs": write_package(tmp_path / "dogs", a=f'"""{DOG}"""'),
        }
        built = package_docs.build(roots)
        assert built["train"].split("\n\n") == [CAT, DOG]
        assert list(built["packages"]["train"].items()) == [("cats", 1), ("none", 0), ("dogs", 1)]
        assert built["packages"]["validation"] == {"cats": 0, "none": 0, "dogs": 0}

    def test_it_says_how_far_it_is(self, tmp_path, monkeypatch):
        monkeypatch.setattr("minilib.data.progress.FIRST", 0.0)
        said = []
        package_docs.build({"p": write_package(tmp_path, a="x" * 500_000, b="y" * 1_500_000)}, said.append)
        done = [f"reading docstrings: {million} million characters of 2.0" for million in (0.5, 2.0)]
        assert [line.split(",")[0] for line in said] == done


class TestCache:
    @pytest.fixture
    def tiny(self, tmp_path, monkeypatch, cache):
        """`docstrings()` over one tiny package, in an empty cache; a list that grows per build."""
        write_package(tmp_path / "tiny_package", __init__=f'"""{CAT}"""')
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(package_docs, "PACKAGES", {"tiny_package": "tiny"})
        monkeypatch.setattr(package_docs, "version", lambda distribution: "1.0+cpu")
        builds, build = [], package_docs.build
        monkeypatch.setattr(package_docs, "build", lambda roots, say: builds.append(roots) or build(roots, say))
        return builds

    def file(self, cache):
        (file,) = (cache / "docstrings").iterdir()  # and no left-over part
        return file

    def test_the_second_call_reads_what_the_first_one_built(self, tiny, cache):
        first = data.docstrings()
        assert data.docstrings() == first
        assert len(tiny) == 1
        assert first.sources == {"tiny": "1.0"}
        assert first.train + first.validation == CAT
        assert self.file(cache).suffix == ".json"

    @pytest.mark.parametrize("damage", ["cut", "changed", "empty", "foreign"])
    def test_a_damaged_file_is_built_anew(self, tiny, cache, damage):
        first, file = data.docstrings(), self.file(cache)
        whole = file.read_text()
        broken = {"cut": whole[:-9], "changed": whole.replace("cat", "dog"), "empty": "", "foreign": "[]"}
        file.write_text(broken[damage])
        assert data.docstrings() == first
        assert len(tiny) == 2
        assert self.file(cache).read_text() == whole

    def test_another_version_or_other_rules_give_another_file(self, tiny, cache, tmp_path, monkeypatch):
        data.docstrings()
        monkeypatch.setattr(package_docs, "version", lambda distribution: "1.1")
        data.docstrings()
        (tmp_path / "rules.py").write_text("# changed")
        monkeypatch.setattr(package_docs.prose, "__file__", str(tmp_path / "rules.py"))
        data.docstrings()
        assert len(tiny) == len(list((cache / "docstrings").iterdir())) == 3

    def test_a_missing_package_is_named(self, monkeypatch):
        monkeypatch.setattr(package_docs, "PACKAGES", {"no_such_package_here": "no-such-package"})
        with pytest.raises(ModuleNotFoundError, match="no-such-package is not installed"):
            data.docstrings()

    def test_the_folder_is_minilib_data_or_the_cache_folder(self, monkeypatch, tmp_path):
        monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
        assert data.data_folder() == tmp_path
        monkeypatch.delenv("MINILIB_DATA")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert data.data_folder() == tmp_path / "minilib"


class TestCorpus:
    def test_it_is_the_same_to_the_byte_with_the_locked_packages(self, docs):
        assert docs.sources == VERSIONS
        assert docs.sha256 == hashlib.sha256(f"{docs.train}\0{docs.validation}".encode()).hexdigest() == SHA256
        assert 0.03 < len(docs.validation) / len(docs.train) < 0.08

    def test_every_package_gave_some_of_each_part(self, docs):
        for part in ("train", "validation"):
            assert list(docs.packages[part]) == list(package_docs.PACKAGES)
            assert min(docs.packages[part].values()) > 100
            assert sum(docs.packages[part].values()) == len(getattr(docs, part).split("\n\n"))

    def test_no_paragraph_occurs_twice_and_each_keeps_the_rules(self, docs):
        paragraphs = [*docs.train.split("\n\n"), *docs.validation.split("\n\n")]
        assert len(set(paragraphs)) == len(paragraphs) == docs.counts["kept"]
        assert {prose.broken_rule(p) for p in paragraphs} == {None}
        assert not any("\n" in p for p in paragraphs)

    def test_little_of_the_held_out_text_occurs_in_the_training_text(self, docs):
        train = set(shingles(docs.train))
        # Measured: 0.147 over all paragraphs that keep the rules, 0.014 without the repeats.
        assert np.mean([run in train for run in shingles(docs.validation)]) < 0.02

    def test_neither_torch_nor_the_other_packages_are_imported(self, docs):
        code = "import sys, minilib.data as d; d.docstrings(); print(*sys.modules)"
        imported = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, text=True
        ).stdout.split()
        assert not {"torch", "scipy", "sklearn", "sympy", "matplotlib"} & set(imported)


class TestText:
    def test_words_are_lower_case_and_punctuation_stands_alone(self):
        expected = ["don't", "use", "n_samples", ",", "e", ".", "g", ".", "well-known", "!"]
        assert data.words("Don't use n_samples, e.g. well-known!") == expected

    def test_the_most_frequent_words_come_first_and_ties_by_the_alphabet(self):
        vocabulary = data.Vocabulary("b a b d a b c", size=6)
        assert vocabulary.tokens == ["<pad>", "<unk>", "<mask>", "b", "a", "c"]
        assert (len(vocabulary), vocabulary.pad, vocabulary.mask) == (6, 0, 2)
        ids = vocabulary.encode("A b D c")
        assert (ids.dtype, ids.tolist()) == (np.int64, [4, 3, vocabulary.unk, 5])
        assert vocabulary.decode(ids) == "a b <unk> c"

    def test_chunks_cut_in_order_and_drop_the_tail(self):
        assert data.chunks(np.arange(8), 3).tolist() == [[0, 1, 2], [3, 4, 5]]

    @pytest.mark.parametrize(
        ("function", "arguments", "message"),
        [
            *((data.chunks, (np.arange(8), n), f"length = {n}: must be from 1 to 8") for n in (0, -1, 9)),
            (data.chunks, (np.zeros((2, 2), int), 2), "ids has shape"),
            (data.Vocabulary, ("a b", 3), "size = 3: must be at least 4"),
        ],
    )
    def test_bad_input_is_refused(self, function, arguments, message):
        with pytest.raises(ValueError, match=message):
            function(*arguments)
