"""What decides a run: one typed dataclass, from the command line, a TOML file, or Python.

`Config()` is a run that works on any machine. `--config file.toml` sets fields by name, and arguments win over it. A
run in several phases, as LAMB's two, is a TOML file with `[[phases]]`: each may set its own `steps`, `length`,
`batch_size`, `lr` and `warmup`, and starts a schedule of its own; what it leaves out is the run's.
"""

import argparse
import dataclasses
import difflib
import json
import math
import re
import tomllib
import typing
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from minilib.training.optimizers import METHODS as OPTIMIZERS
from minilib.training.optimizers import NUMBERS

PRECISIONS = (None, "fp32", "fp16", "bf16")  # the less a device must be able to do, the earlier
SCHEDULES = ("constant", "linear", "polynomial", "cosine")


BELOW_1 = 1 - 1e-6


def option(default, help, low=None, high=None, choices=None):
    """A field with its help text, and what it may be: low <= value <= high, or one of `choices`."""
    return field(default=default, metadata={"help": help, "low": low, "high": high, "choices": choices})


@dataclass(frozen=True)
class Phase:
    """A stretch of training with rows of one length, one batch size and one schedule."""

    steps: int
    length: int
    batch_size: int
    lr: float
    warmup: float


@dataclass(frozen=True)
class Config:
    """Raises ValueError, on construction, for the first field that is out of range."""

    # What is trained on what
    model: str = option("bert-tiny", "size by name: bert-tiny, ..., bert-large, gpt2, gpt2-medium, t5-small, t5-base")
    layers: int | None = option(None, "blocks, in place of the named model's (T5: in each stack)", low=1)
    width: int | None = option(
        None, "of the hidden states, likewise; heads have 64 numbers, but are at least two", low=4
    )
    heads: int | None = option(None, "of attention; they must divide the width", low=1)
    corpus: str = option(
        "docstrings",
        "docstrings, novels, wikitext-103, c4-sample, a file or folder (.txt, .jsonl), or OWNER/NAME on the HF Hub",
    )
    validation: str | None = option(None, "a file or folder that is held out, in place of a twentieth of the corpus")
    field: str = option("text", "that has the text in a line of .jsonl")
    vocabulary: int = option(
        4096,
        "entries of the tokenizer, which is trained on the corpus, or is that of --init-from",
        low=300,
        high=65_536,
    )
    length: int = option(64, "tokens a row", low=8)
    mask_rate: float = option(0.3, "share of masked tokens in training (BERT); 0.15 as published", low=0.01, high=0.9)
    whole_words: bool = option(False, "mask all pieces of a word together (BERT)")
    next_sentence: bool = option(
        False, "rows of two segments, and the task to tell whether they belong together (BERT)"
    )
    pre_norm: bool = option(False, "normalise before, not after, attention and feed-forward (BERT)")
    published_weights: bool = option(False, "first weights as published, for comparison: slower to learn (BERT)")
    dropout: float = option(0.0, "share of activations that is dropped in training", low=0.0, high=0.9)
    init_from: str | None = option(
        None, "begin with the weights and the tokenizer of a run, a checkpoint of one, or a model of transformers"
    )
    # How
    optimizer: str = option("adamw", "the method", choices=OPTIMIZERS)
    lr: float = option(2e-3, "peak learning rate", low=0.0)
    scale_lr: int | None = option(None, "batch size that `lr` is for: it grows as the root of the batch", low=1)
    beta1: float | None = option(
        None, "share of the old mean of gradients that is kept a step; by default the method's own", 0.0, BELOW_1
    )
    beta2: float | None = option(None, "likewise, of the mean of squared gradients", 0.0, BELOW_1)
    eps: float | None = option(None, "added to the root of that mean; by default the method's own", low=0.0)
    weight_decay: float = option(0.01, "of matrices; biases and norms have none", low=0.0)
    clip: float | None = option(1.0, "largest norm of all gradients together; 'none' for no clipping", low=0.0)
    batch_size: int = option(32, "rows a step, over all processes", low=1)
    micro_batch: int | None = option(None, "rows that a process takes at once; the batch is accumulated", low=1)
    steps: int = option(1300, "steps of the optimizer", low=1)
    tokens: int | None = option(None, "train on so many tokens, in place of `steps`", low=1)
    schedule: str = option("polynomial", "how the learning rate falls after the warm-up", choices=SCHEDULES)
    power: float = option(0.5, "of the polynomial schedule", low=0.01)
    min_lr: float = option(0.0, "where the learning rate ends, when it has fallen", low=0.0)
    warmup: float = option(0.2, "warm-up: a share of the steps if below 1, else a number of steps", low=0.0)
    phases: tuple = option((), "several phases, in a TOML file only")
    seed: int = option(0, "of the weights, of the order of the rows and of the masks", low=0)
    # On what
    device: str | None = option(None, "cpu, cuda, mps, xla; by default the best that is there")
    precision: str | None = option(
        None,
        "bf16 or fp16 (autocast; weights stay float32), or fp32; by default what is faster here",
        choices=PRECISIONS,
    )
    compile: bool = option(False, "torch.compile the model (slower to start; gains on a GPU)")
    recompute: bool = option(False, "recompute activations in the backward pass: less memory, a third more work")
    parallel: str = option("ddp", "how several processes share the work", choices=("ddp", "fsdp"))
    # What is kept
    out: str | None = option(
        None, "the run's folder; by default runs/MODEL-OPTIMIZER. A run that stopped there goes on"
    )
    log_every: int = option(10, "steps between two rows of curve.csv", low=1)
    evaluate_every: int = option(100, "steps between two validations", low=1)
    evaluate_rows: int = option(512, "rows of validation", low=1)
    save_every: int = option(200, "steps between two checkpoints", low=1)
    keep: int = option(2, "checkpoints that are kept: the last ones", low=1)
    keep_best: bool = option(False, "also save and keep the one with the lowest validation loss")
    patience: int | None = option(
        None, "stop after so many validations without a better one; by default all steps are taken", low=1
    )
    max_skipped: int = option(
        20,
        "steps without a finite gradient that are skipped before the run gives up; float16 may skip one more for every"
        " 2,000 good steps, after which its loss scaling tries a larger scale",
        low=0,
    )
    noise_scale: bool = option(False, "log the gradient noise scale (needs two micro-batches a process, not fsdp)")

    def __post_init__(self):
        check_fields(self)
        for phase in _plan(self):
            if phase.warmup >= max(1, phase.steps):
                raise ValueError(f"warmup must be less than the {phase.steps} steps, got {phase.warmup:g}")
            if self.min_lr > phase.lr:
                raise ValueError(f"min_lr must be at most the lr {phase.lr:g}, got {self.min_lr:g}")
        if self.min_lr and self.schedule == "constant":
            raise ValueError(f"min_lr must be 0 where the schedule is constant, got {self.min_lr:g}")
        for name in ("beta1", "beta2", "eps"):
            if getattr(self, name) is not None and name not in NUMBERS[self.optimizer]:
                has = ", ".join(NUMBERS[self.optimizer]) or "none of beta1, beta2, eps"
                raise ValueError(f"{name} must be left out, got {getattr(self, name):g}: {self.optimizer} has {has}")

    @property
    def plan(self) -> list[Phase]:
        """The phases: what `phases` says, or the one that the fields describe."""
        return _plan(self)

    @property
    def folder(self) -> Path:
        return Path(self.out or f"runs/{self.model}-{self.optimizer}")


def _plan(config: Config) -> list[Phase]:
    own = {f.name: getattr(config, f.name) for f in dataclasses.fields(Phase)}
    plan = []
    for k, changes in enumerate(config.phases or ({},)):
        if unknown := set(changes) - set(own):
            raise ValueError(f"phases[{k}] has an unknown field {min(unknown)!r}: may be one of {sorted(own)}")
        options = {f.name: f for f in dataclasses.fields(Config)}
        phase = own | {name: _checked(options[name], value) for name, value in changes.items()}
        if config.tokens is not None:
            if config.phases:
                raise ValueError("tokens is for runs of one phase: give the phases their steps")
            phase["steps"] = max(1, round(config.tokens / (phase["length"] * phase["batch_size"])))
        plan.append(Phase(**phase))
    return plan


def check_fields(settings) -> None:
    """Give every field of a frozen dataclass its type. ValueError for the first that has another or is out of range."""
    for f in dataclasses.fields(settings):
        object.__setattr__(settings, f.name, _checked(f, getattr(settings, f.name)))


def _checked(f, value):
    """The value in the field's type. ValueError when it has another type or is out of range."""
    kinds = typing.get_args(f.type) or (f.type,)
    if isinstance(value, list) and tuple in kinds:
        value = tuple(value)
    if float in kinds and type(value) is int:
        value = float(value)
    if type(value) not in kinds:
        names = " or ".join("None" if k is type(None) else k.__name__ for k in kinds)
        raise ValueError(f"{f.name} must be {names}, got {value!r}")
    low, high, choices = (f.metadata.get(k) for k in ("low", "high", "choices"))
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{f.name} must be finite, got {value}")
    if choices is not None and value not in choices:
        raise ValueError(f"{f.name} must be one of {', '.join(map(str, choices))}, got {value!r}")
    if value is not None and ((low is not None and value < low) or (high is not None and value > high)):
        bounds = f"from {low} to {high}" if high is not None else f"at least {low}"
        raise ValueError(f"{f.name} must be {bounds}, got {value}")
    return value


def parse(
    argv: list[str] | None = None,
    kind: type = Config,
    program: str = "python -m minilib.training",
    about: str = "Pretrain BERT, GPT-2 or T5.",
    recipe: Callable[[str | None], dict] | None = None,
):
    """The configuration that a command line asks for: a `kind`, which is a dataclass whose fields are `option`s.

    With a `recipe`, (the device's name, if one is given) -> fields, there is an option --recipe to begin from them in
    place of the defaults. So it is, too, where neither a model nor a file is named; --no-recipe forbids it.

    Raises:
        ValueError: a field is out of range, or the TOML file cannot be read.
        SystemExit: --help (0), or an argument that is not one (2), with the option that may have been meant.
    """
    parser = Parser(program, description=about, allow_abbrev=False)
    parser.add_argument(
        "--config", metavar="FILE", default=argparse.SUPPRESS, help="a TOML file with any of the fields below"
    )
    for f in dataclasses.fields(kind):
        if f.name == "phases":
            continue
        name, text = f"--{f.name.replace('_', '-')}", f"{f.metadata['help']} (default {f.default})"
        more = {"dest": f.name, "default": argparse.SUPPRESS, "help": text.replace("%", "%%")}
        if f.type is bool:
            parser.add_argument(name, action=argparse.BooleanOptionalAction, **more)
            continue
        kinds = typing.get_args(f.type) or (f.type,)
        read = _maybe(kinds[0]) if type(None) in kinds else kinds[0]
        metavar = "|".join(filter(None, f.metadata["choices"] or ())) or kinds[0].__name__.upper()
        parser.add_argument(name, type=read, metavar=metavar, **more)
    options = {f.name.replace("_", "-") for f in dataclasses.fields(kind)} - {"phases"} | {"config"}
    if recipe:
        text = "begin from what suits the device (default: where neither --model nor --config is given)"
        parser.add_argument("--recipe", action=argparse.BooleanOptionalAction, default=None, help=text)
        options.add("recipe")
    given, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.error(not_an_option(unknown[0], options))
    given = vars(given)
    file, asked = given.pop("config", None), given.pop("recipe", None)
    fields = read_toml(Path(file), kind) if file else {}
    if recipe and (asked or (asked is None and not file and "model" not in given)):
        fields = recipe(given.get("device", fields.get("device"))) | fields
    return kind(**fields | given)


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong; the options are in --help."""

    def error(self, message: str) -> typing.NoReturn:
        self.exit(2, f"error: {message} (--help lists the options)\n")


def _maybe(kind):
    """Reads a value of `kind`, or none."""

    def read(text):
        return None if text.lower() == "none" else kind(text)

    read.__name__ = kind.__name__
    return read


def read_toml(path: Path, kind: type = Config) -> dict:
    """The fields in a TOML file. ValueError when it cannot be read or names a field that `kind` has not."""
    return _fields(path, tomllib.loads, kind)


def read_json(path: Path) -> Config:
    """The configuration in a run's run-config.json. ValueError as for `read_toml`, or a field is out of range."""
    return Config(**_fields(path, json.loads, Config))


def _fields(path, loads, kind):
    try:
        fields = dict(loads(path.read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError) as error:  # the last: not UTF-8, not TOML, not JSON
        raise ValueError(f"the configuration {path} cannot be read: {error}") from None
    known = {f.name for f in dataclasses.fields(kind)}
    if unknown := set(fields) - known:
        raise ValueError(f"{path} has an unknown field {min(unknown)!r}: may be one of {sorted(known)}")
    return fields


# ---- Options of other programs ---------------------------------------------------------------------------------------


def not_an_option(word: str, options: set[str]) -> str:
    """What to say of an argument that is none: what it is called here, why there is none, or what it resembles.

    Args:
        word: as it was typed, with or without dashes and "=value".
        options: the names that the program has, without dashes.
    """
    name = word.split("=")[0].removeprefix("--").replace("_", "-")
    last = name.rsplit(".")[-1].removeprefix("no-")
    for own in (name, last):
        if (here := own if own in options else ELSEWHERE.get(own)) in options:
            return f"there is no option {word}: here it is --{here}"
        if own in ABSENT and options.issuperset(re.findall(r"--([\w-]+)", ABSENT[own])):
            return f"there is no option {word}: {ABSENT[own]}"
    if near := difflib.get_close_matches(last, options, n=1):
        return f"there is no option {word}: did you mean --{near[0]}?"
    return f"unrecognized argument {word}"


# What users of nanoGPT, transformers' Trainer and torchtitan type -> what it is called here. A name with dots is looked
# up whole first, then without all before its last dot.
ELSEWHERE = {
    # the model
    "model.name": "model",
    "model.flavor": "model",
    "model-type": "model",
    "config-name": "model",
    "n-layer": "layers",
    "n-layers": "layers",
    "num-layers": "layers",
    "num-hidden-layers": "layers",
    "n-embd": "width",
    "hidden-size": "width",
    "d-model": "width",
    "dim": "width",
    "n-head": "heads",
    "n-heads": "heads",
    "num-heads": "heads",
    "num-attention-heads": "heads",
    "block-size": "length",
    "seq-len": "length",
    "max-length": "length",
    "max-seq-length": "length",
    "n-positions": "length",
    "max-position-embeddings": "length",
    "hidden-dropout-prob": "dropout",
    "attention-probs-dropout-prob": "dropout",
    "model-name-or-path": "init-from",
    "tokenizer-name": "init-from",
    "tokenizer-path": "init-from",
    "hf-assets-path": "init-from",
    # the text
    "dataset": "corpus",
    "dataset-name": "corpus",
    "dataset-path": "corpus",
    "dataset-config-name": "corpus",
    "data": "corpus",
    "data-dir": "corpus",
    "train-file": "corpus",
    "validation-file": "validation",
    "text-column": "field",
    "vocab-size": "vocabulary",
    "mlm-probability": "mask-rate",
    # the steps
    "max-steps": "steps",
    "max-iters": "steps",
    "iters": "steps",
    "max-tokens": "tokens",
    "num-epochs": "epochs",  # of fine-tuning
    "num-train-epochs": "epochs",
    "global-batch-size": "batch-size",
    "train-batch-size": "batch-size",
    "local-batch-size": "micro-batch",
    "per-device-train-batch-size": "micro-batch",
    "per-device-eval-batch-size": "micro-batch",
    "gradient-accumulation-steps": "micro-batch",
    "data-seed": "seed",
    # the optimizer and its rate
    "optimizer.name": "optimizer",
    "optim": "optimizer",
    "adam-beta1": "beta1",
    "adam-beta2": "beta2",
    "betas": "beta1",
    "adam-epsilon": "eps",
    "epsilon": "eps",
    "grad-clip": "clip",
    "max-grad-norm": "clip",
    "max-norm": "clip",
    "learning-rate": "lr",
    "lr-scheduler-type": "schedule",
    "decay-lr": "schedule",
    "decay-type": "schedule",
    "warmup-steps": "warmup",
    "warmup-iters": "warmup",
    "warmup-ratio": "warmup",
    "min-learning-rate": "min-lr",
    "min-lr-factor": "min-lr",
    "lr-min": "min-lr",
    # the machine
    "use-cpu": "device",
    "no-cuda": "device",
    "dtype": "precision",
    "bf16": "precision",
    "fp16": "precision",
    "torch-dtype": "precision",
    "mixed-precision": "precision",
    "mixed-precision-param": "precision",
    "torch-compile": "compile",
    "compile.enable": "compile",
    "gradient-checkpointing": "recompute",
    "activation-checkpoint.mode": "recompute",
    "fsdp": "parallel",
    "ddp": "parallel",
    "deepspeed": "parallel",
    "data-parallel-shard-degree": "parallel",
    "data-parallel-replicate-degree": "parallel",
    # what is kept
    "output-dir": "out",
    "out-dir": "out",
    "logging-dir": "out",
    "run-name": "out",
    "overwrite-output-dir": "out",
    "resume": "out",
    "resume-from-checkpoint": "out",
    "job.dump-folder": "out",
    "checkpoint.folder": "out",
    "logging-steps": "log-every",
    "log-interval": "log-every",
    "log-freq": "log-every",
    "eval-steps": "evaluate-every",
    "eval-interval": "evaluate-every",
    "eval-strategy": "evaluate-every",
    "evaluation-strategy": "evaluate-every",
    "validation.freq": "evaluate-every",
    "validation.steps": "evaluate-rows",
    "eval-iters": "evaluate-rows",
    "max-eval-samples": "evaluate-rows",
    "save-steps": "save-every",
    "save-strategy": "save-every",
    "always-save-checkpoint": "save-every",
    "checkpoint.interval": "save-every",
    "save-total-limit": "keep",
    "keep-latest-k": "keep",
    "load-best-model-at-end": "keep-best",
    "metric-for-best-model": "keep-best",
    "early-stopping-patience": "patience",
    "early-stopping": "patience",
}

# What they type and what does not exist here -> why, or what to do. An answer that names options is for programs that
# have them.
_WIDTH = "the feed-forward part is always 4 times as wide as --width"
_EPOCHS = "a run is measured in steps: give --steps or --tokens"
_KEPT = "each run keeps curve.csv and TensorBoard's file in --out, and reports to nobody"
_ONE_WAY = "a layer is worked through on one device: --parallel is ddp or fsdp, and no other way"
ABSENT = {
    "epochs": _EPOCHS,
    "num-epochs": _EPOCHS,
    "num-train-epochs": _EPOCHS,
    "lr-decay-iters": "the rate falls until the last of the --steps, in the way of --schedule, to --min-lr",
    "decay-ratio": "the rate falls from the end of the --warmup until the last of the --steps",
    "intermediate-size": _WIDTH,
    "feed-forward": _WIDTH,
    "ffn-dim": _WIDTH,
    "d-ff": _WIDTH,
    "n-inner": _WIDTH,
    "activation": "each --model has its published one: GELU in BERT and GPT-2, ReLU in T5",
    "hidden-act": "each --model has its published one: GELU in BERT and GPT-2, ReLU in T5",
    "bias": "each --model has its published ones: BERT and GPT-2 have biases, T5 has none",
    "attn-implementation": "attention is PyTorch's scaled_dot_product_attention, which chooses a kernel itself",
    "tf32": "float32 is multiplied as TF32 on every card that can",
    "tensor-parallel": _ONE_WAY,
    "tensor-parallel-degree": _ONE_WAY,
    "pipeline-parallel": _ONE_WAY,
    "pipeline-parallel-degree": _ONE_WAY,
    "context-parallel-degree": _ONE_WAY,
    "expert-parallel-degree": _ONE_WAY,
    "backend": "processes speak over NCCL on cards, and over Gloo elsewhere",
    "nproc-per-node": "torchrun starts the processes, and this option is its own",
    "num-workers": "rows are tokenised once and then read from a file, which needs no further process",
    "dataloader-num-workers": "rows are tokenised once and then read from a file, which needs no further process",
    "report-to": _KEPT,
    "wandb": _KEPT,
    "wandb-log": _KEPT,
    "wandb-project": _KEPT,
    "wandb-run-name": _KEPT,
    "enable-wandb": _KEPT,
    "enable-tensorboard": _KEPT,
    "label-smoothing": "the loss is the cross-entropy of the true tokens alone",
    "label-smoothing-factor": "the loss is the cross-entropy of the true tokens alone",
    "lora": "all weights are trained",
    "use-peft": "all weights are trained",
    "load-in-8bit": "weights are float32; --precision says in what they are multiplied",
    "push-to-hub": "nothing is uploaded: python -m minilib.training.export writes a folder of transformers",
    "do-train": "python -m minilib.training trains and validates, python -m minilib.training.evaluate only evaluates",
    "do-eval": "python -m minilib.training trains and validates, python -m minilib.training.evaluate only evaluates",
    "eval-only": "python -m minilib.training trains and validates, python -m minilib.training.evaluate only evaluates",
}
