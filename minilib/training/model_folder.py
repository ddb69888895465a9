"""Folders of transformers: a model with its tokenizer, as `AutoModel` and `AutoTokenizer` write and read them.

`config.json` has the sizes, `model.safetensors` the weights, `tokenizer.json` the tokenizer, and three short files say
how the last two are used. The names of tensors and fields are translated by `minilib.models.hugging_face`. Absent on
purpose: older tokenizer files (`vocab.txt`, `merges.txt`), weights that have to be unpickled (`pytorch_model.bin`) or
are in several files, and downloading.
"""

import json
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from minilib.data.tokenizer import SEPARATOR, SPECIAL, Tokenizer
from minilib.data.tokenizer import read as tokenizer_from
from minilib.models import hugging_face
from minilib.models.layers import Size

CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
# What they call the special tokens, and what a tokenizer gives a model beside `input_ids`.
NAMED = {
    "bert": {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")},
    "gpt2": dict.fromkeys(("bos_token", "eos_token", "unk_token", "pad_token"), SEPARATOR["gpt2"]),
    "t5": {"pad_token": "<pad>", "eos_token": "</s>", "additional_special_tokens": SPECIAL["t5"][2:]},
}
GIVEN = {"bert": ["token_type_ids", "attention_mask"], "gpt2": ["attention_mask"], "t5": ["attention_mask"]}
SAVE = "load and save it once with transformers: from_pretrained(FOLDER).save_pretrained(FOLDER)"


class Model(NamedTuple):
    """What `read` returns: the size of the model, its weights in float32 by our names, and its tokenizer."""

    size: Size
    weights: dict[str, Tensor]
    tokenizer: Tokenizer


def is_one(folder: Path) -> bool:
    return (folder / CONFIG).exists()


def read(folder: Path) -> Model:
    """The model in a folder. ValueError: a file cannot be read, or the model is none that we have; it names both."""
    fields, weights = read_object(folder / CONFIG), read_weights(folder)
    try:
        size = hugging_face.size(fields, weights)
    except ValueError as error:
        raise ValueError(f"{folder / CONFIG}: {error}") from None
    tokenizer = read_tokenizer(folder)
    family = hugging_face.FAMILY[type(size)]
    if tokenizer.kind != family or len(tokenizer) > size.vocabulary:
        raise ValueError(
            f"the tokenizer in {folder} has {len(tokenizer):,} tokens of kind {tokenizer.kind}: must have at most the"
            f" {size.vocabulary:,} of the model, a {family}"
        )
    return Model(size, hugging_face.to_ours(size, weights), tokenizer)


def read_object(path: Path) -> dict:
    """The JSON object in a file. ValueError: it cannot be read, or is none."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(fields, dict):
            raise ValueError(f"must be an object, is {fields!r:.40}")
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    return fields


def read_weights(folder: Path) -> dict[str, Tensor]:
    """The tensors in model.safetensors, by their names, in float32. ValueError: there is none that can be read."""
    path = folder / WEIGHTS
    if not path.exists():
        for other in ("pytorch_model.bin", f"{WEIGHTS}.index.json"):
            if (folder / other).exists():
                raise ValueError(f"{folder} has {other}, which is not read here: must be {WEIGHTS}; {SAVE}")
    try:
        return {name: t.float() for name, t in load_file(path).items()}
    except (OSError, SafetensorError) as error:
        raise ValueError(f"the weights {path} cannot be read: {error}") from None


def read_tokenizer(folder: Path) -> Tokenizer:
    """ValueError: it is missing, or cannot be read."""
    path = folder / TOKENIZER
    if is_one(folder) and not path.exists():
        raise ValueError(f"{folder} has no {TOKENIZER}: {SAVE.replace('it', 'its tokenizer', 1)}")
    try:
        return tokenizer_from(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"the tokenizer {path} cannot be read: {error}") from None


def write(folder: Path, size: Size, weights: dict[str, Tensor], tokenizer: Tokenizer, dtype: torch.dtype) -> None:
    """Write a model into a folder that is there, its weights rounded to `dtype`."""
    family, number = hugging_face.FAMILY[type(size)], tokenizer.number
    names = NAMED[family] | ({"unk_token": "<unk>"} if family == "t5" and "<unk>" in number else {})
    ids = {"pad_token_id": number[names["pad_token"]]}
    if family != "bert":
        ids["eos_token_id"] = number[names["eos_token"]]
        ids |= {"bos_token_id": ids["eos_token_id"]} if family == "gpt2" else {"decoder_start_token_id": 0}
        write_object(folder / "generation_config.json", ids)
    write_object(folder / CONFIG, hugging_face.config(size) | ids | {"dtype": str(dtype).removeprefix("torch.")})
    about = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": size.length}
    about |= {"model_input_names": ["input_ids", *GIVEN[family]], "clean_up_tokenization_spaces": False}
    write_object(folder / "tokenizer_config.json", about | names)
    (folder / TOKENIZER).write_text(tokenizer.content + "\n", encoding="utf-8")
    theirs = {name: t.to(dtype).contiguous() for name, t in hugging_face.to_theirs(size, weights).items()}
    save_file(theirs, folder / WEIGHTS, metadata={"format": "pt"})
    (folder / WEIGHTS).chmod((folder / CONFIG).stat().st_mode)  # safetensors lets nobody else read


def write_object(path: Path, fields: dict) -> None:
    path.write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")
