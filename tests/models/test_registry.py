"""The sizes are the published ones, counted on the meta device, where tensors hold nothing."""

import dataclasses

import pytest
import torch
import transformers

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


def theirs(name):
    """The model of transformers, made from a configuration with its default vocabulary and length."""
    size = registry.SIZES[name]
    shape = {"hidden_size": size.width, "num_hidden_layers": size.layers, "num_attention_heads": size.heads}
    with torch.device("meta"):
        if name in BERTS:
            return transformers.BertForPreTraining(transformers.BertConfig(**shape, intermediate_size=4 * size.width))
        if name.startswith("gpt2"):
            return transformers.GPT2LMHeadModel(transformers.GPT2Config(**shape))
        stacks = {"num_decoder_layers": size.layers, "d_ff": 4 * size.width}
        return transformers.T5ForConditionalGeneration(transformers.T5Config(**shape, **stacks))


@pytest.mark.parametrize("name", registry.SIZES)
def test_a_model_has_as_many_parameters_as_the_published_one_and_as_that_of_transformers(name):
    ours, size = build(name, **{"next_sentence": True} if name in BERTS else {}), registry.SIZES[name]
    assert count(ours) == PUBLISHED[name] == count(theirs(name))
    assert size.width == 64 * size.heads
    if name in BERTS:  # without next_sentence just pooler and head are gone
        assert count(ours) - count(build(name)) == size.width**2 + size.width + 2 * size.width + 2


def test_bert_base_without_heads_has_the_109_482_240_parameters_of_the_plain_encoder_with_pooler():
    model = build("bert-base", next_sentence=True)
    assert count(model) - model.bias.numel() - count(model.head) - count(model.next) == 109_482_240


def test_fields_are_replaced_and_the_named_size_stays_as_it_is():
    changes = {"vocabulary": 1000, "length": 64, "next_sentence": True, "dropout": 0.1}
    model = build("bert-tiny", **changes)
    assert model.tokens.weight.shape == (1000, 128)
    assert model.positions.weight.shape == (64, 128)
    assert model.size == dataclasses.replace(registry.SIZES["bert-tiny"], **changes)
    assert registry.SIZES["bert-tiny"].vocabulary == 30_522


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
