"""From a configuration to batches on the device: corpus, tokenizer, rows and objective of each phase."""

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch

from minilib.data import objectives
from minilib.data.corpora import Texts, corpus
from minilib.data.loader import Loader, evaluation
from minilib.data.packing import rows_of_lengths
from minilib.data.progress import Say, silent
from minilib.data.tokenizer import SAMPLE, Tokenizer, distance, get_tokenizer
from minilib.training import export
from minilib.training.config import Config
from minilib.training.distributed import DistEnv

PUBLISHED_RATE = 0.15  # at which validation masks, whatever training does, so that runs can be compared
AT_ONCE = 10_000  # rows that are counted together: bounds the memory


class Data:
    """Batches of each phase, and of validation, which has rows of the last phase.

    Attributes:
        tokenizer: trained on the corpus, or that of `config.init_from`.
        sampled: characters of the corpus that the tokenizer was trained on, or None: it was all of it, or another.
        sizes: tokens in the rows of training and of validation; how: the latter were chosen.
        fingerprint: of all texts.
        unigram_entropy: of the ordinary tokens in the validation rows, nats: the loss of who knows only frequencies.

    ValueError: no such corpus, too little text for rows of this length, or `config.init_from` has another tokenizer
    than the model and the vocabulary ask for.
    """

    def __init__(self, config: Config, env: DistEnv, micro: list[int], say: Callable[[str], None] = silent):
        self.env, self.limit, self.rows_at_once = env, config.evaluate_rows, micro[-1] * env.world_size
        if config.init_from and not Path(config.init_from).is_dir():
            what = "of a run, of a checkpoint, or of a model of transformers"
            raise ValueError(f"init_from = {config.init_from!r}: must be the folder {what}")
        texts = corpus(config.corpus, config.validation, config.field, say)
        if config.init_from:
            self.tokenizer = export.read_tokenizer(config.init_from)
            check_init_from(config, self.tokenizer)
        else:
            self.tokenizer = get_tokenizer(texts, kind(config.model), config.vocabulary, say)
        self.sampled = SAMPLE if not config.init_from and distance(texts.train) > 1 else None
        self.lengths = [phase.length for phase in config.plan]
        rows = rows_to_learn(texts, "train", self.tokenizer, self.lengths, say)
        (self.held_out,) = rows_to_learn(texts, "validation", self.tokenizer, self.lengths[-1:], say)
        self.sizes, self.how = (rows[-1].size, self.held_out.size), texts.how
        self.fingerprint = texts.fingerprint[:16]
        learns = objective(config, self.tokenizer, config.mask_rate)
        self.loaders = [
            Loader(rows[k], learns, phase.batch_size, config.seed + k, env.rank, env.world_size, micro[k])
            for k, phase in enumerate(config.plan)
        ]
        self.validation_objective = objective(config, self.tokenizer, PUBLISHED_RATE)
        self.mask_rate = config.mask_rate
        if (count := min(self.limit, len(self.held_out))) < env.world_size:
            raise ValueError(f"evaluate_rows must give at least {env.world_size} rows, one a process, gives {count}")
        self.unigram_entropy = unigram_entropy(self.held_out, self.tokenizer)

    def batch(self, k: int, step: int, i: int) -> dict[str, torch.Tensor]:
        """Micro-batch `i` of a step of phase `k`, on the device."""
        with named(f"mask_rate = {self.mask_rate}", self.lengths[k]):
            return self.put(self.loaders[k].batch(step, i))

    def validation(self) -> Iterator[dict[str, torch.Tensor]]:
        """This process's part of the validation rows, with the same masks each time."""
        own = (self.rows_at_once, self.limit, self.env.rank, self.env.world_size)
        with named(f"length = {self.lengths[-1]}, where validation masks {PUBLISHED_RATE}", self.lengths[-1]):
            yield from map(self.put, evaluation(self.held_out, self.validation_objective, *own))

    def put(self, batch):
        return {name: t.to(self.env.device, non_blocking=True) for name, t in batch.items()}


def rows_to_learn(texts: Texts, part: str, tokenizer: Tokenizer, lengths: list[int], say: Say = silent) -> list:
    """`rows_of_lengths`: GPT-2's have one token more than their length, which is only guessed; no error counts it."""
    extra = tokenizer.kind == "gpt2"
    try:
        return rows_of_lengths(texts, part, tokenizer, [length + extra for length in lengths], say)
    except ValueError as error:
        message = re.sub(r"^length = (\d+)", lambda match: f"length = {int(match[1]) - extra}", str(error))
        raise ValueError(message) from None


@contextlib.contextmanager
def named(rate: str, length: int) -> Iterator[None]:
    """What an objective finds wrong with its `rate` is said of this setting, and all else of the length."""
    try:
        yield
    except ValueError as error:
        message, count = re.subn(r"^rate = [\d.]+:", f"{rate}:", str(error))
        raise ValueError(message if count else f"length = {length}: {error}") from None


def unigram_entropy(rows: np.ndarray, tokenizer: Tokenizer) -> float:
    """Of the ordinary tokens in some rows, nats."""
    counts = np.zeros(len(tokenizer), dtype=np.int64)
    for first in range(0, len(rows), AT_ONCE):
        counts += np.bincount(np.asarray(rows[first : first + AT_ONCE]).ravel(), minlength=len(tokenizer))
    counts = counts[~tokenizer.is_special]
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def check_init_from(config: Config, tokenizer: Tokenizer) -> None:
    wanted, its_own = kind(config.model), export.read_config(Path(config.init_from))
    if tokenizer.kind != wanted:
        raise ValueError(
            f"init_from = {config.init_from!r} has a {tokenizer.kind} tokenizer: model = {config.model!r} needs that of"
            f" a {wanted}"
        )
    fits = {Config.vocabulary, len(tokenizer), its_own.vocabulary if its_own else None}
    if config.vocabulary not in fits:
        raise ValueError(
            f"vocabulary = {config.vocabulary}: init_from = {config.init_from!r} has a tokenizer of {len(tokenizer)};"
            " leave `vocabulary` out"
        )


def kind(model: str) -> str:
    """The tokenizer of a model: "bert", "gpt2" or "t5"."""
    return model.split("-")[0]


def objective(config: Config, tokenizer: Tokenizer, rate: float):
    """What the model learns to guess. T5 drops 15 % in spans of 3, as published, whatever the rate is."""
    if tokenizer.kind == "bert":
        return objectives.masked(tokenizer, rate, config.whole_words, config.next_sentence)
    return objectives.causal if tokenizer.kind == "gpt2" else objectives.spans(tokenizer)
