"""The sizes are the published ones, counted on the meta device, where tensors hold nothing."""

import pytest
import torch

from minilib.models import registry

BERTS = [name for name in registry.SIZES if name.startswith("bert")]

# With both heads, as Turc et al. 2019 and the model cards count (4.4, 11.3, 29.1, 41.7, 110.1 M); the two others are
# the counts of the released checkpoints, in which a table that is used twice is one.
PUBLISHED = {
    "bert-tiny": 4_433_468,
    "bert-mini": 11_267_900,
    "bert-small": 29_058_876,
    "bert-medium": 41_668_412,
    "bert-base": 110_106_428,
    "bert-large": 336_226_108,
    "gpt2": 124_439_808,
    "gpt2-medium": 354_823_168,
    "t5-small": 60_506_624,
    "t5-base": 222_903_552,
}


def count(model):
    return sum(p.numel() for p in model.parameters())


def build(name, **changes):
    with torch.device("meta"):
        return registry.model(name, **changes)


@pytest.mark.parametrize("name", registry.SIZES)
def test_a_model_has_as_many_parameters_as_the_published_one(name):
    ours, size = build(name, **{"next_sentence": True} if name in BERTS else {}), registry.SIZES[name]
    assert count(ours) == PUBLISHED[name]
    assert size.width == 64 * size.heads
    if name in BERTS:  # without next_sentence just pooler and head are gone
        assert count(ours) - count(build(name)) == size.width**2 + size.width + 2 * size.width + 2


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("bert-huge", {}, "one of bert-tiny, .*gpt2-medium.*, got 'bert-huge'"),
        ("gpt2", {"next_sentence": True}, "gpt2 has no field 'next_sentence': it may be one of layers, .*dropout"),
        ("bert-tiny", {"vocabulary": 0}, "vocabulary must be an integer of at least 1, got 0"),
        ("bert-tiny", {"length": 64.0}, "length must be an integer of at least 1, got 64.0"),
        ("bert-tiny", {"layers": True}, "layers must be an integer of at least 1, got True"),
        ("bert-tiny", {"heads": 3}, "heads must divide the width 128, got 3"),
        ("bert-tiny", {"dropout": 1.0}, "dropout must be at least 0 and less than 1, got 1.0"),
    ],
)
def test_what_cannot_be_is_named_with_what_may_be(name, changes, message):
    with pytest.raises(ValueError, match=message):
        registry.model(name, **changes)
