"""Digits, docstrings and words: the same on every machine, prose where prose is promised, honest splits.

The tests of `docs` read the real corpus: the first run on a machine builds it (up to a minute). What the rules of
`prose` and `package_docs` make of 1.2 million words is pinned to the byte there; so no rule is tested on its own words.
"""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits

from minilib import data
from minilib.data import package_docs

# Measured with the locked versions on Python 3.11, 3.12 and 3.13: measure again when the lock moves.
VERSIONS = {"numpy": "2.4.6", "scipy": "1.17.1", "scikit-learn": "1.9.1", "matplotlib": "3.11.2", "sympy": "1.14.0"}
VERSIONS |= {"networkx": "3.6.1", "torch": "2.13.0"}
SHA256 = "4320ae57083660950cc21fd488216e1f9fb8ce64ebd67673c6a3c8968da73c90"
CAT = "The cat that sat on the mat is not the one that we saw in the garden."
DOG = "A dog may bark at the moon when it is full, and then the owl will answer."


@pytest.fixture(scope="module")
def docs():
    return data.docstrings()


def test_the_two_parts_of_the_digits_are_all_images_in_their_order_a_fifth_of_each_class_for_testing():
    x, y = load_digits(return_X_y=True)
    scans = data.digits()
    rows = {tuple(row): i for i, row in enumerate(x / 16)}  # no image occurs twice
    train, test = ([rows[tuple(row)] for row in part] for part in (scans.x_train, scans.x_test))
    assert (len(test), sorted(train + test)) == (360, list(range(1797)))
    for part, labels in ((train, scans.y_train), (test, scans.y_test)):
        assert part == sorted(part)
        assert (labels == y[part]).all()
    np.testing.assert_allclose(np.bincount(scans.y_test) / np.bincount(y), 0.2, atol=0.005)
    scans.x_train[:] = -1
    assert data.digits().x_train.min() == 0


def test_the_docstrings_are_the_same_to_the_byte_with_the_locked_packages_and_each_gave_of_both_parts(docs):
    assert (docs.sources, docs.sha256) == (VERSIONS, SHA256)
    for part in ("train", "validation"):
        assert list(docs.packages[part]) == list(package_docs.PACKAGES)
        assert min(docs.packages[part].values()) > 100
        assert sum(docs.packages[part].values()) == len(getattr(docs, part).split("\n\n"))


def test_neither_torch_nor_the_packages_that_are_read_are_imported(docs):
    code = "import sys, minilib.data as d; d.docstrings(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert not {"torch", "scipy", "sklearn", "sympy", "matplotlib"} & {*done.stdout.split()}


@pytest.fixture
def tiny(tmp_path, monkeypatch, cache):
    """`docstrings()` over two small packages, in an empty cache; a list that grows per build."""
    cats = {"b": CAT, "a": CAT, "version": DOG, "tests/d": DOG, "c": "none"}
    for package, files in {"cats": cats, "dogs": {"a": DOG}}.items():
        for name, text in files.items():
            path = tmp_path / package / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'"""{text}"""' + " " * 400_000)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(package_docs, "PACKAGES", {"cats": "Cats", "dogs": "Dogs"})
    monkeypatch.setattr(package_docs, "version", lambda distribution: "1.0+cpu")
    monkeypatch.setattr("minilib.data.progress.FIRST", 0.0)
    builds, build = [], package_docs.build
    monkeypatch.setattr(package_docs, "build", lambda *given: builds.append(given) or build(*given))
    return builds


def test_tests_and_generated_files_are_left_out_and_the_paragraphs_of_a_package_stand_together(tiny):
    lines = []
    docs = data.docstrings(lines.append)
    assert (docs.train, docs.sources) == (f"{CAT}\n\n{DOG}", {"Cats": "1.0", "Dogs": "1.0"})
    assert docs.packages == {"train": {"cats": 1, "dogs": 1}, "validation": {"cats": 0, "dogs": 0}}
    assert lines[0].startswith("reading docstrings: 0.4 million characters of 1.6, about ")


@pytest.mark.parametrize("damage", ["none", "cut", "changed", "empty", "foreign"])
def test_the_second_call_reads_what_the_first_one_built_unless_it_is_damaged(tiny, cache, damage):
    first = data.docstrings()
    (file,) = (cache / "docstrings").iterdir()  # and no left-over part
    whole = file.read_text()
    broken = {"cut": whole[:-9], "changed": whole.replace("cat", "dog"), "empty": "", "foreign": "[]"}
    file.write_text(broken.get(damage, whole))
    assert data.docstrings() == first
    assert (len(tiny), file.read_text()) == (1 + (damage != "none"), whole)


def test_another_version_or_other_rules_give_another_file_and_a_missing_package_is_named(tiny, tmp_path, monkeypatch):
    data.docstrings()
    monkeypatch.setattr(package_docs, "version", lambda distribution: "1.1")
    data.docstrings()
    (tmp_path / "rules.py").write_text("# changed")
    monkeypatch.setattr(package_docs.prose, "__file__", str(tmp_path / "rules.py"))
    data.docstrings()
    assert len(tiny) == 3
    monkeypatch.setattr(package_docs, "PACKAGES", {"cats": "Cats", "no_such_package_here": "no-such-package"})
    with pytest.warns(UserWarning, match="no-such-package is not installed"):
        part = data.docstrings()
    assert (part.sources, part.train + part.validation) == ({"Cats": "1.1"}, CAT)
    monkeypatch.setattr(package_docs, "PACKAGES", {"no_such_package_here": "no-such-package"})
    with pytest.raises(ModuleNotFoundError, match="no-such-package is not installed"):
        data.docstrings()


def test_the_folder_is_minilib_data_or_the_cache_folder(monkeypatch, tmp_path):
    for name, folder in (("XDG_CACHE_HOME", tmp_path / "minilib"), ("MINILIB_DATA", tmp_path)):
        monkeypatch.delenv("MINILIB_DATA", raising=False)
        monkeypatch.setenv(name, str(tmp_path))
        assert data.data_folder() == folder


def test_words_are_lower_case_and_the_most_frequent_are_numbered_and_cut_into_chunks():
    expected = ["don't", "use", "n_samples", ",", "e", ".", "g", ".", "well-known", "!"]
    assert data.words("Don't use n_samples, e.g. well-known!") == expected
    vocabulary = data.Vocabulary("b a b d a b c", size=6)
    assert vocabulary.tokens == ["<pad>", "<unk>", "<mask>", "b", "a", "c"]
    ids = vocabulary.encode("A b D c")
    assert (ids.dtype, ids.tolist()) == (np.int64, [4, 3, vocabulary.unk, 5])
    assert vocabulary.decode(ids) == "a b <unk> c"
    assert data.chunks(np.arange(8), 3).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: data.chunks(np.arange(8), 0), "length = 0: must be from 1 to 8"),
        (lambda: data.chunks(np.arange(8), 9), "length = 9: must be from 1 to 8"),
        (lambda: data.chunks(np.zeros((2, 2), int), 2), "ids has shape"),
        (lambda: data.Vocabulary("a b", 3), "size = 3: must be at least 4"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
