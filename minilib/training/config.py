"""What decides a run: one typed dataclass, from the command line, a TOML file, or Python.

`Config()` is a run that works on any machine. `--config file.toml` sets fields by name, and arguments win over it. A
run in several phases, as LAMB's two, is a TOML file with `[[phases]]`: each may set its own `steps`, `length`,
`batch_size`, `lr`, `warmup` and `cooldown`, and starts a schedule of its own; what it leaves out is the run's.
"""

import argparse
import contextlib
import dataclasses
import difflib
import json
import math
import re
import tomllib
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from minilib import program
from minilib.training.optimizers import METHODS as OPTIMIZERS
from minilib.training.optimizers import NARROW, NUMBERS

PRECISIONS = (None, "fp32", "fp16", "bf16")
STATES = (None, "bfloat16", "uint8")
SCHEDULES = ("constant", "linear", "polynomial", "cosine", "wsd")
BELOW_1 = 1 - 1e-6
SEEDS = 2**63 - 1  # the largest


def option(default, help, low=None, high=None, choices=None):
    """A field with its help text; low <= value <= high, or one of `choices`. A text may be empty where `low` is 0."""
    return field(default=default, metadata={"help": help, "low": low, "high": high, "choices": choices})


@dataclass(frozen=True)
class Phase:
    """A stretch of training with rows of one length, one batch size and one schedule."""

    steps: int
    length: int
    batch_size: int
    lr: float
    warmup: float
    cooldown: float = 0.2

    def of(self, name: str) -> int:
        """The steps of "warmup" or "cooldown", which may be given as a share of all."""
        value = getattr(self, name)
        return round(value * self.steps if value < 1 else value)


@dataclass(frozen=True)
class Settings:
    """What a command line asks for. ValueError for the first field that has another type or is out of range."""

    def __post_init__(self):
        for f in dataclasses.fields(self):
            object.__setattr__(self, f.name, _checked(f, getattr(self, f.name)))


@dataclass(frozen=True)
class Config(Settings):
    """A run of pretraining."""

    # What is trained on what
    model: str = option("bert-tiny", "size by name: bert-tiny, ..., bert-large, gpt2, gpt2-medium, t5-small, t5-base")
    layers: int | None = option(None, "blocks, in place of the named model's (T5: in each stack)", low=1)
    width: int | None = option(None, "of the hidden states; heads have 64 numbers each, but are at least two", low=4)
    heads: int | None = option(None, "of attention; they must divide the width", low=1)
    corpus: str = option(
        "docstrings", "or novels, wikitext-103, c4-sample, a file or folder (.txt, .jsonl), OWNER/NAME on the HF Hub"
    )
    validation: str | None = option(None, "a file or folder that is held out, in place of a twentieth of the corpus")
    field: str = option("text", "that has the text in a line of .jsonl")
    vocabulary: int = option(4096, "entries of the tokenizer, trained on the corpus, or of --init-from's", 300, 65_536)
    length: int = option(64, "tokens a row", low=8)
    mask_rate: float = option(0.3, "share of masked tokens in training (BERT); 0.15 as published", low=0.01, high=0.9)
    whole_words: bool = option(False, "mask all pieces of a word together (BERT)")
    next_sentence: bool = option(False, "rows of two segments: do they belong together? is another task (BERT)")
    published_weights: bool = option(False, "first weights as published, for comparison (BERT)")
    modern: bool = option(False, "rotary positions, gated units, norms before each half: as ModernBERT (BERT)")
    dropout: float = option(0.0, "share of activations that is dropped in training", low=0.0, high=0.9)
    init_from: str | None = option(
        None, "begin with weights and tokenizer of a run, a checkpoint or transformers model"
    )
    # How
    optimizer: str = option("adamw", "the method", choices=OPTIMIZERS)
    lr: float = option(2e-3, "learning rate; warm-up and decay multiply it: only constant and wsd reach it", low=0.0)
    beta1: float | None = option(None, "share of the mean gradient that a step keeps; None: the method's", 0.0, BELOW_1)
    beta2: float | None = option(None, "likewise, of the mean of squared gradients", 0.0, BELOW_1)
    eps: float | None = option(None, "added to the root of that mean; None: the method's", low=0.0)
    state_dtype: str | None = option(None, "of its averages; uint8: a byte a number, None: 4", choices=STATES)
    weight_decay: float = option(0.01, "of matrices; biases and norms have none", low=0.0)
    clip: float | None = option(1.0, "largest norm of all gradients together; 'none' for no clipping", low=1e-12)
    batch_size: int = option(32, "rows a step, over all processes", low=1)
    micro_batch: int | None = option(None, "rows that a process takes at once; the batch is accumulated", low=1)
    steps: int = option(1300, "steps of the optimizer", low=1)
    tokens: int | None = option(None, "train on so many tokens, in place of --steps", low=1)
    schedule: str = option("polynomial", "how the rate falls after the warm-up; wsd: late", choices=SCHEDULES)
    power: float = option(0.5, "of the polynomial schedule", low=0.01)
    cooldown: float = option(0.2, "of wsd: a share of the steps if below 1, else a number of steps", low=0.0)
    warmup: float = option(0.2, "warm-up: a share of the steps if below 1, else a number of steps", low=0.0)
    phases: tuple = option((), "several phases, in a TOML file only")
    seed: int = option(0, "of the weights, of the order of the rows and of the masks", low=0, high=SEEDS)
    # On what
    device: str | None = option(None, "cpu, cuda, mps, tpu; by default the best that is there")
    precision: str | None = option(None, "fp32, or autocast to bf16 or fp16; None: what is faster", choices=PRECISIONS)
    compile: bool = option(False, "torch.compile the model (slower to start; gains on a GPU)")
    recompute: bool = option(False, "recompute activations in the backward pass: less memory, a third more work")
    parallel: str = option("ddp", "how several processes share the work", choices=("ddp", "fsdp", "hsdp"))
    # What is kept
    out: str | None = option(None, "folder, by default runs/MODEL-OPTIMIZER; a run that stopped there goes on")
    log_every: int = option(10, "steps between two rows of curve.csv", low=1)
    evaluate_every: int = option(100, "steps between two validations", low=1)
    evaluate_rows: int = option(512, "rows of validation", low=1)
    save_every: int = option(200, "steps between two checkpoints", low=1)
    keep: int = option(2, "checkpoints that are kept: the last ones", low=1)
    patience: int | None = option(None, "stop after so many validations without a better one, and keep that one", low=1)

    def __post_init__(self):
        super().__post_init__()
        for phase in self.plan:
            if phase.warmup >= max(1, phase.steps):
                raise ValueError(f"warmup must be less than the {phase.steps} steps, got {phase.warmup:g}")
            if phase.of("cooldown") > (left := phase.steps - phase.of("warmup")) and self.schedule == "wsd":
                raise ValueError(f"cooldown must be at most the {left} steps after the warm-up, got {phase.cooldown:g}")
        has = NUMBERS[self.optimizer]
        for name in ("beta1", "beta2", "eps"):
            if (value := getattr(self, name)) is not None and name not in has:
                own = ", ".join(has) or "none of beta1, beta2, eps"
                raise ValueError(f"{name} must be left out, got {value:g}: {self.optimizer} has {own}")
        if not self.model.startswith("bert"):
            for name in ("modern", "next_sentence", "whole_words", "published_weights"):
                if getattr(self, name):
                    raise ValueError(f"{name} must be left out: it is for BERT, and the model is {self.model}")
        if self.state_dtype and self.optimizer not in NARROW:
            raise ValueError(f"state_dtype must be left out: {self.optimizer} keeps its state in float32")

    @property
    def plan(self) -> list[Phase]:
        """The phases: what `phases` says, or the one that the fields describe."""
        if not all(isinstance(changes, dict) for changes in self.phases):
            raise ValueError(f"phases must be tables, each under [[phases]], got {list(self.phases)!r}")
        options = {f.name: f for f in dataclasses.fields(self)}
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(Phase)}
        plan = []
        for k, changes in enumerate(self.phases or ({},)):
            if unknown := set(changes) - set(own):
                raise ValueError(f"phases[{k}] has an unknown field {min(unknown)!r}: may be one of {sorted(own)}")
            plan.append(Phase(**own | {name: _checked(options[name], value) for name, value in changes.items()}))
        if self.tokens is None:
            return plan
        if self.phases:
            raise ValueError("tokens must be left out: it is for runs of one phase; give the phases their steps")
        return [dataclasses.replace(plan[0], steps=max(1, round(self.tokens / (self.length * self.batch_size))))]

    @property
    def longest(self) -> int:
        """Tokens in the longest rows."""
        return max(phase.length for phase in self.plan)

    @property
    def stable(self) -> float:
        """Steps before the last cooldown, which a longer run has too; of any other schedule than wsd all."""
        return sum(phase.steps for phase in self.plan) - self.plan[-1].of("cooldown") * (self.schedule == "wsd")

    @property
    def folder(self) -> Path:
        return Path(self.out or f"runs/{self.model}-{self.optimizer}")


def _checked(f, value):
    kinds, low, high, choices = _kinds(f), f.metadata["low"], f.metadata["high"], f.metadata["choices"]
    if isinstance(value, list) and tuple in kinds:
        value = tuple(value)
    if float in kinds and type(value) is int:
        value = float(value)
    if type(value) not in kinds:
        if f.name == "phases":
            raise ValueError(f"phases must be tables, each under [[phases]], got {value!r}")
        names = " or ".join("None" if k is type(None) else k.__name__ for k in kinds)
        raise ValueError(f"{f.name} must be {names}, got {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{f.name} must be finite, got {value}")
    if choices is not None and value not in choices:
        raise ValueError(f"{f.name} must be one of {', '.join(map(str, choices))}, got {value!r}")
    if isinstance(value, str):
        if not value and low != 0:
            raise ValueError(f"{f.name} must not be empty")
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise ValueError(f"{f.name} must be text in UTF-8, got {value!r}")
    elif value is not None and low is not None and not low <= value <= (math.inf if high is None else high):
        bounds = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{f.name} must be {bounds}, got {value}")
    return value


def _kinds(f: dataclasses.Field) -> tuple[type, ...]:  # of `int | None` both
    return typing.get_args(f.type) or (f.type,)


def parse(argv=None, kind=Config, name="python -m minilib.training", about="Pretrain BERT, GPT-2 or T5.", recipe=None):
    """The configuration that a command line asks for: a `kind` of `Settings`, whose fields are `option`s.

    With a `recipe`, (the device's name, if one is given) -> fields, there is an option --recipe to begin from them in
    place of the defaults. So it is, too, where a corpus is named, but no model, weights or file; --no-recipe forbids.

    ValueError: a field is out of range, or the TOML file cannot be read.
    SystemExit: --help (0), or an argument that is not one (2), with the option that may have been meant.
    """
    parser = Parser(name, description=about, allow_abbrev=False)
    hidden, names = {"default": argparse.SUPPRESS}, ["config"]  # what is not given is not there
    parser.add_argument("--config", metavar="FILE", help="a TOML file with any of the fields below", **hidden)
    if recipe:
        text = "begin from what suits the device (default: with a --corpus, without --model, --init-from, --config)"
        parser.add_argument("--recipe", action=argparse.BooleanOptionalAction, default=None, help=text)
        names.append("recipe")
    for f in dataclasses.fields(kind):
        if f.name == "phases":
            continue
        options = hidden | {"help": f"{f.metadata['help']} (default {f.default})".replace("%", "%%")}
        first, *others = _kinds(f)
        if first is bool:
            options["action"] = argparse.BooleanOptionalAction
        else:
            options["type"] = _maybe(first) if others else first
            options["metavar"] = "|".join(filter(None, f.metadata["choices"] or ())) or first.__name__.upper()
        names.append(f.name.replace("_", "-"))
        parser.add_argument(f"--{names[-1]}", **options)
    given, unknown = parser.parse_known_args(argv)
    if unknown:
        parser.error(not_an_option(unknown[0], names))
    given = vars(given)
    file, with_recipe = given.pop("config", None), given.pop("recipe", None)
    fields = read_toml(Path(file), kind) if file else {}
    own = "corpus" in given and not {"model", "init_from"} & given.keys()
    if recipe and (with_recipe or (with_recipe is None and not file and own)):
        fields = recipe(given.get("device", fields.get("device"))) | fields
    return kind(**fields | given)


def command(kind: type, name: str, about: str, work: Callable) -> int:
    """The exit code of `python -m minilib.training.NAME`: `work` with what is asked, a `kind`; see `program`."""

    def typed():
        with as_typed(kind):
            return work(parse(None, kind, f"python -m minilib.training.{name}", about))

    return program(typed)


@contextlib.contextmanager
def as_typed(kind: type) -> Iterator[None]:
    """A ValueError inside calls the fields of `kind` as they are typed: "mask_rate = 2: ..." says --mask-rate.

    A field is meant where " must" or " = " follows its name, where a value follows at the very beginning of the
    message, and where the name stands in `backticks`.
    """
    names = "|".join(f.name for f in dataclasses.fields(kind) if f.name != "phases")
    meant = re.compile(rf"`({names})`|(?<![\w/.-])({names})(?= must\b| = )|^({names})(?= ')")
    try:
        yield
    except ValueError as error:
        typed = meant.sub(lambda match: "--" + match[0].strip("`").replace("_", "-"), str(error))
        raise ValueError(typed) from error


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong; the options are in --help."""

    def error(self, message: str) -> typing.NoReturn:
        self.exit(2, f"error: {message} (--help lists the options)\n")


def _maybe(kind):
    def read(text):
        return None if text.lower() == "none" else kind(text)

    read.__name__ = kind.__name__
    return read


def read_toml(path: Path, kind: type = Config) -> dict:
    """The fields in a TOML file. ValueError when it cannot be read or names a field that `kind` has not."""
    return _fields(path, tomllib.loads, kind)


def read_json(path: Path) -> Config:
    """The configuration in a run's run-config.json. ValueError as for `read_toml`, or a field is out of range."""
    return Config(**_fields(path, lambda text: dict(json.loads(text)), Config))


def _fields(path: Path, loads: Callable[[str], dict], kind: type) -> dict:
    try:
        fields = loads(path.read_text(encoding="utf-8"))
    except (OSError, TypeError, ValueError) as error:  # the last: not UTF-8, not TOML, not JSON
        raise ValueError(f"the configuration {path} cannot be read: {error}") from None
    known = {f.name for f in dataclasses.fields(kind)}
    if unknown := set(fields) - known:
        raise ValueError(f"{path} has an unknown field {min(unknown)!r}: may be one of {sorted(known)}")
    return fields


# ---- Options of other programs ---------------------------------------------------------------------------------------

# What users of transformers, nanoGPT and torchtitan type most, where it does not resemble what it is called here: the
# first of these that are all there.
ELSEWHERE = {
    "learning-rate": "lr",
    "vocab-size": "vocabulary",
    "hidden-size": "width",
    "block-size": "length",
    "dataset": "corpus",
    "output-dir": "out",
    "per-device-train-batch-size": "micro-batch",
    "gradient-accumulation-steps": "micro-batch",
    "num-train-epochs": "epochs steps|tokens",  # the first is fine-tuning's; pretraining has both of the others
    "epochs": "steps|tokens",
    "eval-steps": "evaluate-every",
    "save-steps": "save-every",
    "logging-steps": "log-every",
    "max-iters": "steps",
    "max-grad-norm": "clip",
    "mlm-probability": "mask-rate",
    "dtype": "precision",
    "bf16": "precision",
    "fp16": "precision",
    "model-name-or-path": "init-from",
}


def not_an_option(word: str, options: list[str]) -> str:
    """What to say of an argument that is none of the `options`: what it is called here, or what it resembles."""
    name = word.split("=")[0].removeprefix("--").replace("_", "-").rsplit(".")[-1].removeprefix("no-")
    for here in ELSEWHERE.get(name, name).split():
        if set(here.split("|")) <= set(options):
            return f"there is no option {word}: here it is --{here.replace('|', ' or --')}"
    if near := difflib.get_close_matches(name, options, n=1):
        return f"there is no option {word}: did you mean --{near[0]}?"
    return f"unrecognized argument {word}"
