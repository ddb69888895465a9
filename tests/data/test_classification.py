"""Texts with labels: what is read, what is refused, and rows that padding does not change."""

import numpy as np
import pytest

from minilib.data import Docstrings, classification
from minilib.data.classification import UNIT, ClassificationData, Part, task
from minilib.data.tokenizer import SPECIAL, of_tokens

GOOD = "sentence\tlabel\nA fine day.\tgood\nA grey day.\tbad\n"


def written(folder, train, validation=GOOD):
    for part, text in (("train", train), ("validation", validation)):
        if text is not None:
            (folder / f"{part}.tsv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder)


def test_labels_are_any_strings_numbered_in_alphabetical_order_and_the_majority_is_that_of_training(tmp_path):
    train = "sentence\tlabel\r\nOne.\tzebra \r\n Two.\t7\r\nThree.\tzebra"
    labelled = task(written(tmp_path, train, "sentence\tlabel\nFour.\t7\nFive.\t7\nSix.\t7\nSeven.\tzebra\n"))
    assert labelled.labels == ["7", "zebra"]
    assert labelled.train == (["One.", "Two.", "Three."], [1, 0, 1])
    assert labelled.validation == (["Four.", "Five.", "Six.", "Seven."], [0, 0, 0, 1])
    assert labelled.majority == 0.25


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (None, r"train.tsv cannot be read: .*No such file"),
        (b"sentence\tlabel\n\xff\tx\n", "train.tsv cannot be read: .*utf-8"),
        ("A fine day.\tgood\n", r"train.tsv, line 1: must be the header 'sentence<TAB>label', is 'A fine day.\\tgood'"),
        ("", "train.tsv, line 1: must be the header"),
        ("sentence\tlabel\n", "train.tsv has no texts"),
        ("sentence\tlabel\nA.\tx\nno tab\n", "train.tsv, line 3: must be a text, one tab and a label, is 'no tab'"),
        ("sentence\tlabel\nA.\tx\ty\n", "train.tsv, line 2: must be a text, one tab"),
        ("sentence\tlabel\n \tx\n", "train.tsv, line 2: must be a text"),
        ("sentence\tlabel\nA.\tx\n\nB.\ty\n", "train.tsv, line 3: must be a text"),
        ("sentence\tlabel\nA.\tgood\nB.\tgood\n", r"training must have at least two labels, has \['good'\]"),
        ("sentence\tlabel\nA.\tgood\nB.\tfair\n", "the label 'bad' is in validation only; training has"),
    ],
)
def test_a_wrong_file_is_named_with_the_line(tmp_path, train, message):
    with pytest.raises(ValueError, match=message):
        task(written(tmp_path, train))


def test_sst2_is_read_from_the_cache_and_only_if_it_is_the_known_one(cache, nowhere):
    with pytest.raises(ValueError, match="task = 'mnli': must be 'packages', 'sst2' or a folder"):
        task("mnli")
    nowhere("sst2")
    with pytest.raises(ValueError, match="sst2/train.tsv is not there; .* cannot be downloaded"):
        task("sst2")
    for file, text in (("train.tsv", "dull\t0\nlovely\t1\n"), ("dev.tsv", "fine\t1\n")):
        (cache / "sst2" / file).write_text(text)
    with pytest.raises(ValueError, match="^.*train.tsv is another file; put there what is at .*sha256 ec192f83.*$"):
        task("sst2")
    nowhere("sst2", cache)
    assert task("sst2") == ("sst2", ["0", "1"], (["dull", "lovely"], [0, 1]), (["fine"], [1]))


def test_a_paragraph_has_the_package_that_it_is_from_and_names_none(monkeypatch):
    train = ["An array.", "See NumPy.", "Call np.sort first.", "Sparse npoints.", "A mpl_toolkits axis.", "A tensor."]
    packages = {"train": {"numpy": 4, "scipy": 0, "torch": 2}, "validation": {"numpy": 1, "torch": 2}}
    validation = ["An ndarray.", "A PyTorch module.", "A gradient."]
    docs = Docstrings("\n\n".join(train), "\n\n".join(validation), {}, {}, packages)
    monkeypatch.setattr(classification, "docstrings", lambda: docs)
    packages = task("packages")
    assert packages.labels == ["numpy", "torch"]
    assert packages.train == (["An array.", "Sparse npoints.", "A tensor."], [0, 0, 1])
    assert packages.validation == (["An ndarray.", "A gradient."], [0, 1])


def test_rows_are_cut_and_padded_and_the_mask_says_where_text_is():
    tokenizer = of_tokens("bert", [*SPECIAL["bert"], "a", "b"])
    rows = ClassificationData(Part(["a b", "a", "b " * 50], [1, 0, 1]), tokenizer, 40)
    tokens, mask, targets = rows.batch(np.array([1, 0]))
    assert tokens.shape == mask.shape == (2, UNIT)
    assert tokens[:, :5].tolist() == [[2, 5, 3, 0, 0], [2, 5, 6, 3, 0]]
    assert mask.sum(1).tolist() == [3, 4]
    assert (tokens[~mask] == 0).all()
    assert targets.tolist() == [0, 1]
    tokens, mask, _ = rows.batch(np.array([2]))
    assert tokens.shape == (1, 40)  # not 48: the model has no more places
    assert mask.all()
    assert (tokens[0, 0], tokens[0, -1]) == (2, 3)
    assert [index.tolist() for index in rows.by_length(2)] == [[1, 0], [2]]
