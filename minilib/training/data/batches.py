"""From a configuration to batches on the device: corpus, tokenizer, rows and objective of each phase."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from minilib.training import export
from minilib.training.config import Config, read_json
from minilib.training.data import objectives
from minilib.training.data.corpora import corpus
from minilib.training.data.loader import Loader, evaluation
from minilib.training.data.packing import packed_rows
from minilib.training.data.tokenizer import Tokenizer, get_tokenizer
from minilib.training.distributed import DistEnv

PUBLISHED_RATE = 0.15  # at which validation masks, whatever training does, so that runs can be compared


class Data:
    """Batches of each phase, and of validation, which has rows of the last phase.

    Attributes:
        tokenizer: trained on the corpus, or that of `config.init_from`.
        unigram_entropy: of the ordinary tokens in the validation rows, nats: the loss of who knows only frequencies.

    Raises:
        ValueError: no such corpus, too little text for rows of this length, or `config.init_from` has another tokenizer
            than the model and the vocabulary ask for.
    """

    def __init__(self, config: Config, env: DistEnv, micro: list[int]):
        self.env, self.limit, self.rows_at_once = env, config.evaluate_rows, micro[-1] * env.world_size
        texts = corpus(config.corpus)
        if config.init_from:
            self.tokenizer = export.read_tokenizer(Path(config.init_from))
            check_init_from(config, self.tokenizer)
        else:
            self.tokenizer = get_tokenizer(texts, kind(config.model), config.vocabulary)
        extra = 1 if self.tokenizer.kind == "gpt2" else 0  # the last token is only guessed
        lengths = [phase.length + extra for phase in config.plan]
        rows = [packed_rows(texts, "train", self.tokenizer, length) for length in lengths]
        self.held_out = packed_rows(texts, "validation", self.tokenizer, lengths[-1])
        self.loaders = [
            Loader(rows[k], objective(config, self.tokenizer, config.mask_rate), phase.batch_size,
                   config.seed + k, env.rank, env.world_size, micro[k])
            for k, phase in enumerate(config.plan)
        ]  # fmt: skip
        self.validation_objective = objective(config, self.tokenizer, PUBLISHED_RATE)
        counts = np.bincount(np.asarray(self.held_out).ravel())[self.tokenizer.special :]
        shares = counts[counts > 0] / counts.sum()
        self.unigram_entropy = float(-(shares * np.log(shares)).sum())

    def batch(self, k: int, step: int, i: int) -> dict[str, torch.Tensor]:
        """Micro-batch `i` of a step of phase `k`, on the device."""
        return self.put(self.loaders[k].batch(step, i))

    def validation(self) -> Iterator[dict[str, torch.Tensor]]:
        """This process's part of the validation rows, with the same masks each time."""
        for batch in evaluation(
            self.held_out, self.validation_objective, self.rows_at_once, self.limit, self.env.rank, self.env.world_size
        ):
            yield self.put(batch)

    def put(self, batch):
        return {name: t.to(self.env.device, non_blocking=True) for name, t in batch.items()}


def check_init_from(config: Config, tokenizer: Tokenizer) -> None:
    """ValueError when the tokenizer of `config.init_from` is not what the model and the vocabulary ask for."""
    there = read_json(Path(config.init_from) / export.CONFIG).vocabulary
    if (tokenizer.kind, there) != (kind(config.model), config.vocabulary):
        raise ValueError(
            f"init_from = {config.init_from!r} has a {tokenizer.kind} tokenizer of vocabulary {there}; model ="
            f" {config.model!r} and vocabulary = {config.vocabulary} need another"
        )


def kind(model: str) -> str:
    """The tokenizer of a model: "bert", "gpt2" or "t5"."""
    return model.split("-")[0]


def objective(config: Config, tokenizer: Tokenizer, rate: float):
    """What the model learns to guess. T5 drops 15 % in spans of 3, as published, whatever the rate is."""
    if tokenizer.kind == "bert":
        return objectives.masked(tokenizer, rate, config.whole_words, config.next_sentence)
    return objectives.causal if tokenizer.kind == "gpt2" else objectives.spans(tokenizer)
