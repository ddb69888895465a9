"""From a configuration to batches on the device: corpus, tokenizer, rows and objective of each phase."""

from collections.abc import Iterator

import numpy as np
import torch
import torch.distributed as dist

from minilib.pretrain import objectives
from minilib.pretrain.config import Config
from minilib.pretrain.corpora import corpus
from minilib.pretrain.loader import Loader, evaluation
from minilib.pretrain.parallel import Team
from minilib.pretrain.rows import token_rows
from minilib.pretrain.tokens import Tokenizer, tokenizer

PUBLISHED_RATE = 0.15  # at which validation masks, whatever training does, so that runs can be compared


class Data:
    """Batches of each phase, and of validation, which has rows of the last phase.

    Attributes:
        tokenizer: trained on the corpus.
        unigram_entropy: of the ordinary tokens in the validation rows, nats: the loss of who knows only frequencies.

    Raises:
        ValueError: no such corpus, or too little text for rows of this length.
    """

    def __init__(self, config: Config, team: Team, micro: list[int]):
        self.team, self.limit, self.rows_at_once = team, config.evaluate_rows, micro[-1] * team.ranks
        if team.rank > 0:
            dist.barrier()  # until the first process has trained the tokenizer and made the rows
        texts = corpus(config.corpus)
        self.tokenizer = tokenizer(texts, kind(config.model), config.vocabulary)
        extra = 1 if self.tokenizer.kind == "gpt2" else 0  # the last token is only guessed
        lengths = [phase.length + extra for phase in config.plan]
        rows = [token_rows(texts, "train", self.tokenizer, length) for length in lengths]
        self.held_out = token_rows(texts, "validation", self.tokenizer, lengths[-1])
        if team.rank == 0 and team.ranks > 1:
            dist.barrier()
        self.loaders = [
            Loader(rows[k], objective(config, self.tokenizer, config.mask_rate), phase.batch_size,
                   config.seed + k, team.rank, team.ranks, micro[k])
            for k, phase in enumerate(config.plan)
        ]  # fmt: skip
        self.looks = objective(config, self.tokenizer, PUBLISHED_RATE)
        counts = np.bincount(np.asarray(self.held_out).ravel())[self.tokenizer.special :]
        shares = counts[counts > 0] / counts.sum()
        self.unigram_entropy = float(-(shares * np.log(shares)).sum())

    def batch(self, k: int, step: int, i: int) -> dict[str, torch.Tensor]:
        """Micro-batch `i` of a step of phase `k`, on the device."""
        return self.put(self.loaders[k].batch(step, i))

    def validation(self) -> Iterator[dict[str, torch.Tensor]]:
        """This process's part of the validation rows, with the same masks each time."""
        for batch in evaluation(
            self.held_out, self.looks, self.rows_at_once, self.limit, self.team.rank, self.team.ranks
        ):
            yield self.put(batch)

    def put(self, batch):
        return {name: t.to(self.team.device, non_blocking=True) for name, t in batch.items()}


def kind(model: str) -> str:
    """The tokenizer of a model: "bert", "gpt2" or "t5"."""
    return model.split("-")[0]


def objective(config: Config, made: Tokenizer, rate: float):
    """What the model learns to guess. T5 drops 15 % in spans of 3, as published, whatever the rate is."""
    if made.kind == "bert":
        return objectives.masked(made, rate, config.whole_words, config.next_sentence)
    return objectives.causal if made.kind == "gpt2" else objectives.spans(made)
