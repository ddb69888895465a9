"""Pairs of sentences: what a batch holds, what is refused; and a T5 that learns to write a sentence backwards."""

import numpy as np
import pytest
import torch

from minilib.models import registry
from minilib.training.data import translation
from minilib.training.data.translation import Pairs, TranslationData, shared_tokenizer
from minilib.training.translate import train_pairs, translate

WORDS = "one two three four five six seven eight".split()


def backwards(count):
    rng = np.random.default_rng(0)
    chosen = [rng.choice(WORDS, rng.integers(1, 4)) for _ in range(count)]
    return Pairs([" ".join(c) for c in chosen], [" ".join(c[::-1]) for c in chosen])


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Pairs, their tokenizer and a T5 with which a test can do something."""
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
    found = backwards(600)
    made = shared_tokenizer(found, 400)
    torch.manual_seed(0)
    return found, made, registry.model("t5-small", layers=1, width=32, heads=2, vocabulary=len(made), length=16)


def test_a_batch_has_sources_of_one_length_and_every_pair_comes_once(small):
    found, made, _ = small
    rows = TranslationData(found, made)
    seen = []
    for index in rows.batches(16, np.random.default_rng(1)):
        batch = rows.batch(index)
        assert 0 < len(index) <= 16
        assert (batch["tokens"] != 0).all()
        assert {int((row == made.separator).sum()) for row in batch["targets"]} == {1}
        seen += index.tolist()
    assert sorted(seen) == list(range(len(found.source)))


def test_a_sentence_that_is_too_long_is_left_out_with_its_partner(small):
    found, made, _ = small
    rows = TranslationData(Pairs([*found.source[:2], " ".join(WORDS)], [*found.target[:2], "one"]), made, longest=5)
    assert rows.kept == [0, 1]
    with pytest.raises(ValueError, match="longest = 1: must be more"):
        TranslationData(found, made, longest=1)


def test_unequal_lists_are_refused(small):
    _, made, _ = small
    with pytest.raises(ValueError, match="a target for each source, got 1 for 2"):
        TranslationData(Pairs(["one", "two"], ["one"]), made)


def test_it_learns_to_write_backwards(small):
    found, made, model = small
    rows = TranslationData(found, made)
    before = translate(model, rows, made, most=8)
    train_pairs(model, rows, 800, 1e-2, batch_size=32)
    after = translate(model, rows, made, most=8)
    share = [np.mean([a == b for a, b in zip(texts, found.target, strict=True)]) for texts in (before, after)]
    assert share[0] < 0.1
    assert share[1] > 0.9


def test_a_file_that_is_missing_or_another_is_named(small, tmp_path):
    with pytest.raises(ValueError, match="train.en.gz must be there, and is not"):
        translation.multi30k()
    (tmp_path / "multi30k").mkdir()
    (tmp_path / "multi30k" / "train.en.gz").write_bytes(b"x")
    with pytest.raises(ValueError, match="train.en.gz has sha256"):
        translation.multi30k()
