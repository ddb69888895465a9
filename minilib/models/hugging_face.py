"""BERT, GPT-2 and T5 as the library transformers calls them: names of tensors and fields of `config.json`, both ways.

The functions are the same (tests compare logits and gradients); only names differ, and in GPT-2 the layout: there
matrices are transposed, and query, key and value are one. `to_theirs` and `to_ours` translate tensors, `config` and
`size` the numbers. transformers is not needed for it. Absent on purpose: what our models do not have (gated T5, other
activations, a feed-forward part that is not 4 times as wide); `size` refuses it by the name of the field.
"""

import re
from collections.abc import Collection, Mapping

import torch
from torch import Tensor

from minilib.models import bert, gpt2
from minilib.models.bert import BertSize
from minilib.models.gpt2 import Gpt2Size
from minilib.models.layers import Size
from minilib.models.registry import MODELS
from minilib.models.t5 import FAR, RANGES, T5Size

# Our module -> theirs; # is the number of a block.
NAMES = {
    "bert": {
        "": "cls.predictions",  # the bias of the output layer, which is no module here
        "tokens": "bert.embeddings.word_embeddings",
        "positions": "bert.embeddings.position_embeddings",
        "segments": "bert.embeddings.token_type_embeddings",
        "norm": "bert.embeddings.LayerNorm",
        "blocks.#.attention.query": "bert.encoder.layer.#.attention.self.query",
        "blocks.#.attention.key": "bert.encoder.layer.#.attention.self.key",
        "blocks.#.attention.value": "bert.encoder.layer.#.attention.self.value",
        "blocks.#.attention.output": "bert.encoder.layer.#.attention.output.dense",
        "blocks.#.norm1": "bert.encoder.layer.#.attention.output.LayerNorm",
        "blocks.#.feed_forward.up": "bert.encoder.layer.#.intermediate.dense",
        "blocks.#.feed_forward.down": "bert.encoder.layer.#.output.dense",
        "blocks.#.norm2": "bert.encoder.layer.#.output.LayerNorm",
        "head.0": "cls.predictions.transform.dense",
        "head.2": "cls.predictions.transform.LayerNorm",
        "pooler": "bert.pooler.dense",
        "next": "cls.seq_relationship",
    },
    "gpt2": {
        "tokens": "transformer.wte",
        "positions": "transformer.wpe",
        "blocks.#.attention.query": "transformer.h.#.attn.c_attn",  # with key and value
        "blocks.#.attention.output": "transformer.h.#.attn.c_proj",
        "blocks.#.norm1": "transformer.h.#.ln_1",
        "blocks.#.feed_forward.up": "transformer.h.#.mlp.c_fc",
        "blocks.#.feed_forward.down": "transformer.h.#.mlp.c_proj",
        "blocks.#.norm2": "transformer.h.#.ln_2",
        "last": "transformer.ln_f",
    },
    "t5": {"tokens": "shared"},
}
for stack, last in (("encoder", 1), ("decoder", 2)):  # the number of a block's last layer
    NAMES["t5"] |= {
        f"{stack}.bias.table": f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias",
        f"{stack}.blocks.#.norm1": f"{stack}.block.#.layer.0.layer_norm",
        f"{stack}.blocks.#.norm_reading": f"{stack}.block.#.layer.1.layer_norm",  # the decoder's
        f"{stack}.blocks.#.norm2": f"{stack}.block.#.layer.{last}.layer_norm",
        f"{stack}.blocks.#.feed_forward.up": f"{stack}.block.#.layer.{last}.DenseReluDense.wi",
        f"{stack}.blocks.#.feed_forward.down": f"{stack}.block.#.layer.{last}.DenseReluDense.wo",
        f"{stack}.last": f"{stack}.final_layer_norm",
    }
    for matrix, letter in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "o")):
        NAMES["t5"][f"{stack}.blocks.#.attention.{matrix}"] = f"{stack}.block.#.layer.0.SelfAttention.{letter}"
        NAMES["t5"][f"{stack}.blocks.#.reading.{matrix}"] = f"{stack}.block.#.layer.1.EncDecAttention.{letter}"
NUMBER = re.compile(r"(?<=blocks\.)\d+")
# Second names of tables that are shared, and numbers that are no parameters; older files have them.
NO_PARAMETER = re.compile(
    r"lm_head\.weight|cls\.predictions\.decoder\.(weight|bias)|(encoder|decoder)\.embed_tokens\.weight"
    r"|.*\.position_ids|.*\.attn\.(bias|masked_bias)"
    r"|decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight"
)
JOINED = re.compile(r"attention\.(key|value)\.")  # GPT-2: with the query
TRANSPOSED = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
NORM = {"gamma": "weight", "beta": "bias"}  # as TensorFlow called them, in BERT's published files

FAMILY = {BertSize: "bert", Gpt2Size: "gpt2", T5Size: "t5"}
# Field of our size -> theirs.
NUMBERS = ("layers", "width", "heads", "vocabulary", "length")
THEIRS = {
    "bert": ("num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size", "max_position_embeddings"),
    "gpt2": ("n_layer", "n_embd", "n_head", "vocab_size", "n_positions"),
    "t5": ("num_layers", "d_model", "num_heads", "vocab_size", "n_positions"),
}
FIELDS = {family: dict(zip(NUMBERS, names, strict=True)) for family, names in THEIRS.items()}
DROPOUT = {
    "bert": ("hidden_dropout_prob", "attention_probs_dropout_prob"),
    "gpt2": ("resid_pdrop", "embd_pdrop", "attn_pdrop"),
    "t5": ("dropout_rate",),
}
HEADS = {"gpt2": "GPT2LMHeadModel", "t5": "T5ForConditionalGeneration"}


def fixed(family: str, width: int, heads: int, layers: int) -> dict[str, tuple]:
    """The fields of their config.json that our model decides: what they may be, first what `config` writes."""
    shared = {"tie_word_embeddings": (True,)}
    if family == "bert":
        return shared | {
            "intermediate_size": (4 * width,),
            "hidden_act": ("gelu",),
            "layer_norm_eps": (bert.EPS,),
            "type_vocab_size": (2,),
            "position_embedding_type": ("absolute",),
            "is_decoder": (False,),
        }
    if family == "gpt2":
        return shared | {
            "n_inner": (None, 4 * width),
            "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
            "layer_norm_epsilon": (gpt2.EPS,),
            "scale_attn_weights": (True,),
            "scale_attn_by_inverse_layer_idx": (False,),
            "add_cross_attention": (False,),
        }
    return shared | {
        "d_ff": (4 * width,),
        "d_kv": (width // heads,),
        "num_decoder_layers": (layers, None),
        "feed_forward_proj": ("relu",),
        "layer_norm_epsilon": (1e-6,),
        "relative_attention_num_buckets": (RANGES,),
        "relative_attention_max_distance": (FAR,),
        "decoder_start_token_id": (0,),
        "pad_token_id": (0,),
    }


def config(size: Size) -> dict:
    """Their config.json for a model of this size."""
    family = FAMILY[type(size)]
    if getattr(size, "modern", False):
        raise ValueError("modern = True: such a BERT has no form in transformers, whose ModernBERT is another")
    head = HEADS.get(family) or ("BertForPreTraining" if size.next_sentence else "BertForMaskedLM")
    fields = {"architectures": [head], "model_type": family}
    fields |= {theirs: getattr(size, ours) for ours, theirs in FIELDS[family].items()}
    fields |= {name: may[0] for name, may in fixed(family, size.width, size.heads, size.layers).items()}
    return fields | dict.fromkeys(DROPOUT[family], size.dropout)


def size(config: Mapping, names: Collection[str]) -> Size:
    """The size of the model with their config.json and with tensors of these names (theirs). Dropout is 0.

    ValueError: another family, a size that is missing or no number, or a field that our model cannot have; the message
    names it.
    """
    family = config.get("model_type")
    if family not in tuple(FIELDS):
        raise ValueError(f"model_type = {family!r}: must be one of {', '.join(FIELDS)}")
    numbers = {"length": 512} if family == "t5" else {}  # which no parameter of a T5 depends on
    numbers |= {ours: config[theirs] for ours, theirs in FIELDS[family].items() if theirs in config}
    if missing := sorted(set(FIELDS[family]) - set(numbers)):
        raise ValueError(f"{FIELDS[family][missing[0]]} is missing")
    if family == "bert" and "cls.predictions.transform.dense.weight" not in names:
        head = config.get("architectures")
        raise ValueError(f"architectures = {head}: must be BertForMaskedLM or BertForPreTraining, which guess tokens")
    more = {"next_sentence": "cls.seq_relationship.weight" in names} if family == "bert" else {}
    kind = next(kind for kind, name in FAMILY.items() if name == family)
    ours = kind(**numbers, **more)
    for name, may in fixed(family, ours.width, ours.heads, ours.layers).items():
        if name in config and config[name] not in may:
            raise ValueError(f"{name} = {config[name]!r}: must be {' or '.join(map(repr, may))} for our {family}")
    return ours


def to_theirs(size: Size, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors by our names, as of `state_dict`, under theirs; a shared table once."""
    family = FAMILY[type(size)]
    if family != "gpt2":
        return {their_name(family, name): t for name, t in weights.items()}
    theirs = {}
    for name, t in weights.items():
        if "attention.query" in name:
            t = torch.cat([weights[name.replace("query", part)] for part in ("query", "key", "value")])
        elif JOINED.search(name):
            continue
        name = their_name(family, name)
        theirs[name] = t.T if name.endswith(TRANSPOSED) else t
    return theirs


def to_ours(size: Size, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors by their names under ours. One that our model does not have keeps its name, for a check to find it.

    Second names of shared tables are left out, and the pooler of a BERT without `next_sentence`.
    """
    family = FAMILY[type(size)]
    with torch.device("meta"):
        names = MODELS[type(size)](size).state_dict()
    back = {their_name(family, name): name for name in names if family != "gpt2" or not JOINED.search(name)}
    ours = {}
    for name, t in weights.items():
        name = re.sub(r"LayerNorm\.(gamma|beta)$", lambda m: f"LayerNorm.{NORM[m[1]]}", name)
        name = f"transformer.{name}" if family == "gpt2" and re.match(r"(wte|wpe|h|ln_f)\.", name) else name
        if NO_PARAMETER.fullmatch(name) or (family == "bert" and not size.next_sentence and "pooler" in name):
            continue
        if family == "gpt2" and name.endswith(TRANSPOSED):
            t = t.T
        if ".c_attn." in name:
            parts = zip(("query", "key", "value"), t.chunk(3), strict=True)
            ours |= {back[name].replace("query", part): third for part, third in parts} if name in back else {name: t}
        else:
            ours[back.get(name, name)] = t
    return ours


def their_name(family: str, name: str) -> str:
    """Their name of one of our tensors; of GPT-2's queries that of the joined matrix."""
    module, _, last = name.rpartition(".")
    theirs = NAMES[family][NUMBER.sub("#", module)]
    for number in NUMBER.findall(module):  # of its block; a module outside has none
        theirs = theirs.replace("#", number)
    return f"{theirs}.{last}"
