"""The sizes are the published ones, counted on the meta device, where tensors hold nothing."""

import dataclasses

import pytest
import torch
import transformers

from minilib.models import registry
from minilib.models.bert import Bert
from minilib.models.gpt2 import Gpt2
from minilib.models.t5 import T5

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
    with torch.device("meta"):
        if name in BERTS:
            config = transformers.BertConfig(
                hidden_size=size.width,
                num_hidden_layers=size.layers,
                num_attention_heads=size.heads,
                intermediate_size=4 * size.width,
            )
            return transformers.BertForPreTraining(config)
        if name.startswith("gpt2"):
            config = transformers.GPT2Config(n_embd=size.width, n_layer=size.layers, n_head=size.heads)
            return transformers.GPT2LMHeadModel(config)
        config = transformers.T5Config(
            d_model=size.width, d_ff=4 * size.width, num_layers=size.layers, num_heads=size.heads
        )
        return transformers.T5ForConditionalGeneration(config)


@pytest.mark.parametrize("name", registry.SIZES)
def test_a_model_has_as_many_parameters_as_the_published_one_and_as_that_of_transformers(name):
    ours = build(name, next_sentence=True) if name in BERTS else build(name)
    assert count(ours) == PUBLISHED[name] == count(theirs(name))


def test_bert_base_without_heads_has_the_109_482_240_parameters_of_the_plain_encoder_with_pooler():
    model = build("bert-base", next_sentence=True)
    heads = model.bias.numel() + count(model.head) + count(model.next)
    assert count(model) - heads == 109_482_240
    with torch.device("meta"):
        assert count(transformers.BertModel(transformers.BertConfig())) == 109_482_240


@pytest.mark.parametrize("name", BERTS)
def test_bert_without_next_sentence_lacks_just_pooler_and_head(name):
    width = registry.SIZES[name].width
    assert PUBLISHED[name] - count(build(name)) == width**2 + width + 2 * width + 2


def test_the_smaller_berts_have_the_millions_that_their_authors_print():
    millions = [round(PUBLISHED[name] / 1e6, 1) for name in BERTS[:5]]
    assert millions == [4.4, 11.3, 29.1, 41.7, 110.1]


def test_heads_are_64_wide_in_every_size():
    assert {size.width / size.heads for size in registry.SIZES.values()} == {64}


def test_a_name_decides_the_family():
    assert type(build("bert-mini")) is Bert
    assert type(build("gpt2")) is Gpt2
    assert type(build("t5-small")) is T5


def test_fields_are_replaced_and_the_named_size_stays_as_it_is():
    model = build("bert-tiny", vocabulary=1000, length=64, next_sentence=True, dropout=0.1)
    assert model.tokens.weight.shape == (1000, 128)
    assert model.positions.weight.shape == (64, 128)
    assert model.size == dataclasses.replace(
        registry.SIZES["bert-tiny"], vocabulary=1000, length=64, next_sentence=True, dropout=0.1
    )
    assert registry.SIZES["bert-tiny"].vocabulary == 30_522


def test_an_unknown_name_gets_an_error_with_all_names():
    with pytest.raises(ValueError, match="one of bert-tiny, .*gpt2-medium.*, got 'bert-huge'"):
        registry.model("bert-huge")


def test_a_field_of_another_family_gets_an_error_with_the_fields_there_are():
    with pytest.raises(ValueError, match="gpt2 has no field 'next_sentence': it may be one of layers, .*dropout"):
        registry.model("gpt2", next_sentence=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vocabulary": 0}, "vocabulary must be an integer of at least 1, got 0"),
        ({"length": 64.0}, "length must be an integer of at least 1, got 64.0"),
        ({"layers": True}, "layers must be an integer of at least 1, got True"),
        ({"heads": 3}, "heads must divide the width 128, got 3"),
        ({"dropout": 1.0}, "dropout must be at least 0 and less than 1, got 1.0"),
    ],
)
def test_a_value_out_of_range_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        registry.model("bert-tiny", **changes)
