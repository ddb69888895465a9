"""The loss of a trained model on text: `python -m minilib.training.evaluate --run runs/bert-tiny-adamw`.

On what its run held out, or on other text (`--text`), all of it. Beside the loss stands the unigram entropy, which a
guess by frequencies alone would reach. Masks are drawn as in every validation: 15 % of the tokens, always the same.
"""

import sys
from dataclasses import dataclass

import numpy as np
import torch

from minilib.data.corpora import Texts, corpus
from minilib.data.files import whole
from minilib.data.loader import evaluation
from minilib.training import export
from minilib.training.batches import PUBLISHED_RATE, objective, rows_to_learn, unigram_entropy
from minilib.training.config import Config, Settings, command, option
from minilib.training.device import pick

AT_ONCE = 32  # rows


@dataclass(frozen=True)
class Evaluation(Settings):
    run: str = option("runs/bert-tiny-adamw", "folder of a run, of a checkpoint, or of a model of transformers")
    text: str | None = option(None, "a file or folder of text; by default what the run held out of its corpus")
    field: str = option("text", "that has the text in a line of .jsonl")
    length: int | None = option(None, "tokens a row; by default those of the run, or all that the model takes", low=8)
    rows: int | None = option(None, "so many rows at equal distances; by default all", low=1)
    device: str | None = option(None, "cpu, cuda, mps, tpu; by default the best that is there")


@torch.no_grad()
def evaluate(settings: Evaluation) -> dict:
    """`loss` in nats a guessed token, `accuracy`, `unigram_entropy`, `tokens` in the rows.

    ValueError: no such run, text or device, or too little text for a row.
    """
    (model, tokenizer, config), device = export.load(settings.run), pick(settings.device)
    if config is None and settings.text is None:
        raise ValueError(f"{settings.run} does not say on what it was trained: give a --text")
    if settings.text is None:
        texts = corpus(config.corpus, config.validation, config.field)
    else:
        texts = Texts(settings.text, [], whole(settings.text, settings.field, "text"), "all of it")
    config = config or Config(length=model.size.length)  # how it was masked is not known: as published
    length = settings.length or config.plan[-1].length
    if length > model.size.length:
        raise ValueError(f"length = {length}: must be at most {model.size.length} for this model")
    (rows,) = rows_to_learn(texts, "validation", tokenizer, [length])
    model, sums = model.to(device), np.zeros(3)
    for batch in evaluation(rows, objective(config, tokenizer, PUBLISHED_RATE), AT_ONCE, settings.rows):
        out = model({name: t.to(device) for name, t in batch.items()})
        count = len(next(iter(batch.values())))
        sums += count * np.array([float(out.loss), float(out.correct), 1.0])
    loss, accuracy = sums[:2] / sums[2]
    entropy = unigram_entropy(rows, tokenizer)
    return {"loss": loss, "accuracy": accuracy, "unigram_entropy": entropy, "tokens": rows.size}


def main() -> int:
    def work(settings: Evaluation) -> str:
        line = "loss {loss:.3f} nats a token (unigram entropy {unigram_entropy:.3f}), {accuracy:.1%} guessed right"
        return (line + ", {tokens:,} tokens").format(**evaluate(settings))

    return command(Evaluation, "evaluate", "The loss of a trained model.", work)


if __name__ == "__main__":
    sys.exit(main())
