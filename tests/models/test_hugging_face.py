"""Names and sizes of the models in transformers: both ways, as they are today and as older files have them."""

import pytest
import torch
import transformers

from minilib.models import hugging_face, registry
from minilib.models.bert import BertSize
from minilib.models.gpt2 import Gpt2Size
from minilib.models.hugging_face import to_ours, to_theirs
from minilib.models.t5 import T5Size
from tests.models.small import SHAPE

CASES = {
    "bert": (BertSize(**SHAPE), "BertForMaskedLM"),
    "bert with two heads": (BertSize(**SHAPE, next_sentence=True), "BertForPreTraining"),
    "gpt2": (Gpt2Size(**SHAPE), "GPT2LMHeadModel"),
    "t5": (T5Size(**SHAPE), "T5ForConditionalGeneration"),
}


def theirs_of(size):
    """transformers' model for our size, made from the config.json that we would write."""
    told = hugging_face.config(size)
    config = transformers.AutoConfig.for_model(**told)
    return getattr(transformers, told["architectures"][0])(config)


def random_weights(size):
    generator = torch.Generator().manual_seed(0)
    model = registry.MODELS[type(size)](size)
    return {name: torch.randn(t.shape, generator=generator) for name, t in model.state_dict().items()}


def same(a, b):
    assert a.keys() == b.keys()
    assert all(torch.equal(t, b[name]) for name, t in a.items())


@pytest.mark.parametrize(("size", "head"), CASES.values(), ids=CASES)
def test_every_tensor_of_theirs_is_set_by_ours_and_comes_back_and_so_does_the_size(size, head):
    theirs, ours = theirs_of(size), random_weights(size)
    assert type(theirs).__name__ == head
    translated, parameters = to_theirs(size, ours), dict(theirs.named_parameters())
    assert translated.keys() == parameters.keys()
    done = theirs.load_state_dict(translated, strict=False)
    assert not done.unexpected_keys
    assert all(hugging_face.NO_PARAMETER.fullmatch(name) for name in done.missing_keys)
    same(to_ours(size, parameters), ours)
    same(to_ours(size, theirs.state_dict()), ours)  # with second names of shared tables
    assert hugging_face.size(theirs.config.to_dict(), parameters) == size
    # a tensor of another model keeps its name
    odd = {"rotary.weight": torch.ones(2), "transformer.h.9.attn.c_attn.weight": torch.ones(2, 3)}
    assert to_ours(size, odd).keys() == odd.keys()


def test_names_in_the_published_files_of_bert_are_read():
    """LayerNorm.gamma and .beta, position_ids, and the output layer's second name."""
    size, old = BertSize(**SHAPE), {}
    ours = random_weights(size)
    for name, t in to_theirs(size, ours).items():
        old[name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")] = t
    assert any(name.endswith("gamma") for name in old)
    old |= {"bert.embeddings.position_ids": torch.arange(24)[None], "bert.pooler.dense.bias": torch.ones(32)}
    old |= {"cls.predictions.decoder.weight": ours["tokens.weight"], "cls.predictions.decoder.bias": ours["bias"]}
    same(to_ours(size, old), ours)


def test_names_in_the_published_files_of_gpt2_and_t5_are_read():
    """GPT-2's have no prefix and carry the mask; T5's have a table that no layer reads."""
    size = Gpt2Size(**SHAPE)
    ours = random_weights(size)
    old = {name.removeprefix("transformer."): t for name, t in to_theirs(size, ours).items()}
    assert {"wte.weight", "h.0.attn.c_attn.weight", "ln_f.bias"} <= old.keys()
    same(to_ours(size, old | {"h.0.attn.bias": torch.ones(1, 1, 24, 24)}), ours)
    size = T5Size(**SHAPE)
    ours = random_weights(size)
    unread = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    same(to_ours(size, to_theirs(size, ours) | {unread: torch.ones(32, 4)}), ours)


@pytest.mark.parametrize(
    ("case", "changes", "message"),
    [
        ("bert", {"model_type": "roberta"}, "model_type = 'roberta': must be one of bert, gpt2, t5"),
        ("bert", {"hidden_act": "relu"}, "hidden_act = 'relu': must be 'gelu' for our bert"),
        ("bert", {"layer_norm_eps": 1e-5}, "layer_norm_eps = 1e-05: must be 1e-12"),
        ("bert", {"intermediate_size": 96}, "intermediate_size = 96: must be 128"),
        ("bert", {"tie_word_embeddings": False}, "tie_word_embeddings = False: must be True"),
        ("bert", {"hidden_size": "wide"}, "width must be an integer of at least 1, got 'wide'"),
        ("gpt2", {"activation_function": "relu"}, "activation_function = 'relu': must be 'gelu_new' or 'gelu_p"),
        ("gpt2", {"n_inner": 7}, "n_inner = 7: must be None or 128"),
        ("t5", {"feed_forward_proj": "gated-gelu"}, "feed_forward_proj = 'gated-gelu': must be 'relu' for our t5"),
        ("t5", {"d_kv": 64}, "d_kv = 64: must be 8"),
        ("t5", {"num_decoder_layers": 3}, "num_decoder_layers = 3: must be 2"),
        ("t5", {"tie_word_embeddings": False}, "tie_word_embeddings = False: must be True"),
    ],
)
def test_what_our_models_do_not_have_is_refused_by_the_name_of_the_field(case, changes, message):
    size = CASES[case][0]
    names = to_theirs(size, random_weights(size))
    assert hugging_face.size(hugging_face.config(size), names)
    with pytest.raises(ValueError, match=message):
        hugging_face.size(hugging_face.config(size) | changes, names)


def test_a_model_without_a_head_a_modern_one_and_one_without_its_size_are_refused():
    told = hugging_face.config(CASES["bert"][0])
    with pytest.raises(ValueError, match=r"architectures = .*: must be BertForMaskedLM or BertForPreTraining"):
        hugging_face.size(told, ["bert.embeddings.word_embeddings.weight"])
    with pytest.raises(ValueError, match="modern = True: such a BERT has no form in transformers"):
        hugging_face.config(BertSize(**SHAPE, modern=True))
    told = hugging_face.config(CASES["gpt2"][0])
    del told["n_embd"]
    with pytest.raises(ValueError, match="n_embd is missing"):
        hugging_face.size(told, [])
