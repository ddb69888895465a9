"""A trained model on the disk, how to get it back, and how to give it away.

`load` takes the folder of a run, one of its checkpoints, or a folder of transformers: one that was exported here, or
any BERT, GPT-2 or T5 of the published kind, as bert-base-uncased, gpt2 and t5-small. A run has its weights in
checkpoints, beside the state of the optimizer, and what it was in `run-config.json`.
`python -m minilib.training.export --run runs/bert-tiny-adamw --out my-bert` makes a folder of transformers of it:
4 MB for bert-tiny with 4,096 tokens, half of it with `--precision bf16`. Beside its files lies `run-config.json`, so
that `evaluate` knows the corpus; transformers does not read it.
"""

import dataclasses
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from torch import nn

from minilib.data.download import appearing
from minilib.data.tokenizer import Tokenizer
from minilib.models import registry
from minilib.training import checkpoint, model_folder
from minilib.training.config import Config, Settings, command, option, read_json

CONFIG = "run-config.json"
TOKENIZER = model_folder.TOKENIZER
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}


class Trained(NamedTuple):
    """What `load` returns: the model on the CPU in float32, in evaluation mode."""

    model: nn.Module
    tokenizer: Tokenizer
    config: Config | None  # None where the model was trained elsewhere


def load(folder: str | Path) -> Trained:
    """The model of a run's newest checkpoint, of one checkpoint, or of a folder of transformers.

    ValueError: no such folder, a file in it is missing or cannot be read, the model is none that we have, or the
    weights are of another model than its configuration says.
    """
    folder = Path(folder)
    if model_folder.is_one(folder):
        size, weights, tokenizer = model_folder.read(folder)
        model = registry.MODELS[type(size)](size)
    else:
        weights = read_weights(folder)
        tokenizer, model = read_tokenizer(folder), build(read_config(folder), *rows(weights))
    check_weights(model, weights, folder)
    model.load_state_dict(weights)
    return Trained(model.eval(), tokenizer, read_config(folder))


def save(run: str | Path, out: str | Path, precision: str = "fp32") -> Path:
    """Write what `load` gives, its weights in "fp32" or "bf16", into a folder that transformers and `load` read.

    ValueError: as for `load`, or the folder is there already; nothing is written then.
    OSError: the folder cannot be written, and is not there; the message names it.
    """
    model, tokenizer, config = load(run)
    out = Path(out)
    if out.exists():
        raise ValueError(f"out = {str(out)!r}: must be a new folder, and is there already")
    try:
        with appearing(out) as part:
            part.mkdir()
            model_folder.write(part, model.size, model.state_dict(), tokenizer, DTYPES[precision])
            if config is not None:
                fields = dataclasses.asdict(config) | {"out": None, "init_from": None}  # folders of this machine
                model_folder.write_object(part / CONFIG, fields)
    except (OSError, SafetensorError) as error:  # some say "No space left on device", and not where
        raise OSError(f"{out} could not be written: {error}") from None
    return out


def shape(config: Config) -> dict:
    """Fields of `Size` that are not the named model's. ValueError: unknown name, or a width its heads do not divide."""
    changes = {} if config.layers is None else {"layers": config.layers}
    if config.width is not None:
        changes |= {"width": config.width, "heads": max(2, config.width // 64)}
    if config.heads is not None:
        changes["heads"] = config.heads
    registry.size(config.model, **changes)
    return changes


def build(config: Config, vocabulary: int, positions: int | None = None) -> nn.Module:
    """The model, on the CPU, with weights drawn by torch's generator; by default for rows as long as the run's."""
    changes = shape(config) | {"dropout": config.dropout, "checkpoint_activations": config.recompute}
    if config.model.startswith("bert"):
        changes |= {name: getattr(config, name) for name in ("next_sentence", "published_weights", "modern")}
    return registry.model(config.model, vocabulary=vocabulary, length=positions or config.longest, **changes)


def rows(weights: dict[str, torch.Tensor]) -> tuple[int, int | None]:
    """Of the token table and of the position table, if there is one: what `build` wants to know."""
    tokens, positions = (weights.get(f"{name}.weight") for name in ("tokens", "positions"))
    return 1 if tokens is None else len(tokens), None if positions is None else len(positions)


def new_model(config: Config, vocabulary: int) -> nn.Module:
    """The model of a new run: with weights drawn by torch's generator, or with those in `config.init_from`.

    From there it has its tokens and positions, which may be more than the run's rows need. Its pooler and next-sentence
    head are left there when the run has none. ValueError: as for `shape`, the weights cannot be read or are of another
    shape, or the rows are too long.
    """
    if config.init_from is None:
        return build(config, vocabulary)
    folder = Path(config.init_from)
    weights = model_folder.read(folder).weights if model_folder.is_one(folder) else read_weights(folder)
    vocabulary, positions = rows(weights)
    if positions and config.longest > positions:
        raise ValueError(f"length = {config.longest}: must be at most {positions}, the positions of {folder}")
    model = build(config, vocabulary, positions)
    if not config.next_sentence:
        weights = {name: t for name, t in weights.items() if not name.startswith(("pooler.", "next."))}
    check_weights(model, weights, folder)
    model.load_state_dict(weights)
    return model


def check_weights(model: nn.Module, weights: dict[str, torch.Tensor], folder: Path) -> None:
    """ValueError when the weights have other names or shapes than the model's; it names the first."""
    ours, theirs = ({name: tuple(t.shape) for name, t in own.items()} for own in (model.state_dict(), weights))
    if wrong := sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)):
        there, here = theirs.get(wrong[0], "absent"), ours.get(wrong[0], "absent")
        raise ValueError(
            f"the weights in {folder} are of another model: {wrong[0]} is {there} there and {here} here; `model`,"
            " `layers`, `width`, `heads` and `next_sentence` must be equal"
        )


def run_of(folder: Path) -> Path:
    """The run that a checkpoint belongs to; any other folder is its own."""
    is_checkpoint = folder.parent.name == "checkpoints" and checkpoint.OURS.fullmatch(folder.name)
    return folder.parents[1] if is_checkpoint else folder


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Of a checkpoint, or of the newest one of a run. ValueError: there is none, or it cannot be read."""
    if run_of(folder) != folder:
        return checkpoint.load(folder).model
    if not (folder / CONFIG).exists():
        raise ValueError(
            f"{folder} is no run and no exported model: must have {CONFIG} and checkpoints, or {model_folder.CONFIG}"
        )
    newest = checkpoint.newest(folder / "checkpoints")
    if newest is None:
        raise ValueError(f"{folder} has no checkpoint that is whole")
    return newest.model


def read_config(folder: Path) -> Config | None:
    """That of the run that trained a model; None where another program did. ValueError: it cannot be read."""
    path = run_of(folder) / CONFIG
    return None if model_folder.is_one(folder) and not path.exists() else read_json(path)


def read_tokenizer(folder: str | Path) -> Tokenizer:
    """The tokenizer of a model that `load` takes. ValueError: it is missing, or cannot be read."""
    return model_folder.read_tokenizer(run_of(Path(folder)))


@dataclass(frozen=True)
class Export(Settings):
    run: str = option("runs/bert-tiny-adamw", "folder of a pretraining run, or one of its checkpoints")
    out: str = option("export", "a new folder, for transformers and for --run and --init-from here")
    precision: str = option("fp32", "of the weights in it: bf16 is half as large, and rounded", choices=tuple(DTYPES))


def main() -> int:
    def work(settings: Export) -> str:
        return f"exported to {save(settings.run, settings.out, settings.precision)}"

    about = "Write a run's newest weights and its tokenizer into a folder of transformers."
    return command(Export, "export", about, work)


if __name__ == "__main__":
    sys.exit(main())
