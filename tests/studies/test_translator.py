"""Pairs of sentences: what a batch holds, what is refused; and a T5 that learns to write a sentence backwards."""

import numpy as np
import pytest
import torch

from minilib.models import registry
from studies.translator import Pairs, TranslationData, shared_tokenizer, train_pairs, translate

WORDS = "one two three four five six seven eight".split()


def backwards(count):
    rng = np.random.default_rng(0)
    chosen = [rng.choice(WORDS, rng.integers(1, 4)) for _ in range(count)]
    return Pairs([" ".join(c) for c in chosen], [" ".join(c[::-1]) for c in chosen])


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Pairs, their tokenizer and a T5 with which a test can do something."""
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
    pairs = backwards(600)
    tokenizer = shared_tokenizer(pairs, 400)
    torch.manual_seed(0)
    size = {"layers": 1, "width": 32, "heads": 2, "vocabulary": len(tokenizer), "length": 16}
    return pairs, tokenizer, registry.model("t5-small", **size)


def test_a_batch_has_sources_of_one_length_and_every_pair_comes_once(small):
    pairs, tokenizer, _ = small
    rows = TranslationData(pairs, tokenizer)
    seen = []
    for index in rows.batches(16, np.random.default_rng(1)):
        batch = rows.batch(index)
        assert 0 < len(index) <= 16
        assert (batch["tokens"] != 0).all()
        assert {int((row == tokenizer.separator).sum()) for row in batch["targets"]} == {1}
        seen += index.tolist()
    assert sorted(seen) == list(range(len(pairs.source)))


def test_a_sentence_that_is_too_long_is_left_out_with_its_partner_and_unequal_lists_are_refused(small):
    pairs, tokenizer, _ = small
    with_another = Pairs([*pairs.source[:2], " ".join(WORDS)], [*pairs.target[:2], "one"])
    assert TranslationData(with_another, tokenizer, longest=5).kept == [0, 1]
    with pytest.raises(ValueError, match="longest = 1: must be more"):
        TranslationData(pairs, tokenizer, longest=1)
    with pytest.raises(ValueError, match="a target for each source, got 1 for 2"):
        TranslationData(Pairs(["one", "two"], ["one"]), tokenizer)


def test_it_learns_to_write_backwards(small):
    pairs, tokenizer, model = small
    rows = TranslationData(pairs, tokenizer)
    before = translate(model, rows, tokenizer, most=8)
    train_pairs(model, rows, 800, 1e-2, batch_size=32)
    after = translate(model, rows, tokenizer, most=8)
    share = [np.mean([a == b for a, b in zip(texts, pairs.target, strict=True)]) for texts in (before, after)]
    assert share[0] < 0.1
    assert share[1] > 0.9
