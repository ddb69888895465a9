"""A trained model on the disk: the folder of a run, or a small export of one, and how to get the model back.

Both hold `config.json` and `tokenizer.json` (in the format of the library `tokenizers`). A run has its weights in
checkpoints, beside the state of the optimizer.
An export has them in `weights.safetensors`, rounded to bfloat16, and nothing else: 2 MB for bert-tiny with 4,096
tokens. Absent on purpose: models of other libraries.
"""

import dataclasses
import json
import os
import shutil
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from minilib.models import registry
from minilib.training import checkpoint
from minilib.training.config import Config, read_json
from minilib.training.data.tokenizer import Tokenizer, read

CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "weights.safetensors"


class Trained(NamedTuple):
    """What `load` returns: the model on the CPU in float32, in evaluation mode."""

    model: nn.Module
    tokenizer: Tokenizer
    config: Config


def load(folder: str | Path) -> Trained:
    """The model of a run's newest checkpoint, or of an export.

    Raises:
        ValueError: there is no such folder, a file in it is missing or cannot be read, or the weights are of another
            model than config.json says.
    """
    folder = Path(folder)
    config, tokenizer = read_json(folder / CONFIG), read_tokenizer(folder)
    model = build(config, len(tokenizer))
    load_weights(model, read_weights(folder), folder)
    return Trained(model.eval(), tokenizer, config)


def save(run: str | Path, out: str | Path) -> Path:
    """Write the model of a run into a folder of its own, which `load` reads; returns the folder.

    Raises:
        ValueError: as for `load`, or the folder is there already; nothing is written then.
    """
    model, tokenizer, config = load(run)
    out = Path(out)
    if out.exists():
        raise ValueError(f"out = {str(out)!r}: must be a new folder, and is there already")
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        told = dataclasses.asdict(config) | {"out": None, "init_from": None}  # folders of the machine that trained it
        (part / CONFIG).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        (part / TOKENIZER).write_text(tokenizer.inner.to_str() + "\n", encoding="utf-8")
        save_file({name: t.bfloat16() for name, t in model.state_dict().items()}, part / WEIGHTS)
        os.rename(part, out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return out


def shape(config: Config) -> dict:
    """Fields of `Size` in which the model differs from the one it is named after.

    Raises:
        ValueError: an unknown name, or a width that its heads do not divide.
    """
    changes = {} if config.layers is None else {"layers": config.layers}
    if config.width is not None:
        changes |= {"width": config.width, "heads": max(2, config.width // 64)}
    registry.size(config.model, **changes)
    return changes


def build(config: Config, vocabulary: int) -> nn.Module:
    """The model, on the CPU, with weights drawn by torch's generator. Errors as for `shape`."""
    changes = shape(config) | {"dropout": config.dropout, "checkpoint_activations": config.recompute}
    if config.model.startswith("bert"):
        changes |= {"next_sentence": config.next_sentence, "pre_norm": config.pre_norm}
        changes |= {"published_weights": config.published_weights}
    length = max(phase.length for phase in config.plan)
    return registry.model(config.model, vocabulary=vocabulary, length=length, **changes)


def init_weights(model: nn.Module, config: Config) -> None:
    """Give the model of a new run the weights in `config.init_from`. ValueError: they are of another shape."""
    load_weights(model, read_weights(Path(config.init_from)), Path(config.init_from))


def load_weights(model: nn.Module, weights: dict[str, torch.Tensor], folder: Path) -> None:
    """Weights into the model, in its own precision. ValueError names the first that is missing, or of another shape."""
    ours = {name: tuple(t.shape) for name, t in model.state_dict().items()}
    theirs = {name: tuple(t.shape) for name, t in weights.items()}
    if wrong := sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)):
        there, here = theirs.get(wrong[0], "absent"), ours.get(wrong[0], "absent")
        raise ValueError(
            f"the weights in {folder} are of another model: {wrong[0]} is {there} there and {here} here; model, length,"
            " pre_norm and next_sentence must be equal"
        )
    model.load_state_dict(weights)


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Of an export, or of the newest checkpoint of a run. ValueError: there are none, or they cannot be read."""
    if (path := folder / WEIGHTS).exists():
        try:
            return load_file(path)
        except (OSError, SafetensorError) as error:
            raise ValueError(f"the weights {path} cannot be read: {error}") from None
    newest = checkpoint.newest(folder / "checkpoints")
    if newest is None:
        raise ValueError(f"{folder} has neither {WEIGHTS} nor a checkpoint that is whole")
    return newest.model


def read_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a run or an export. ValueError: it is missing, or cannot be read."""
    path = folder / TOKENIZER
    try:
        return read(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"the tokenizer {path} cannot be read: {error}") from None
