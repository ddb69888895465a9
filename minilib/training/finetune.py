"""Fine-tune a pretrained BERT as a classifier: `python -m minilib.training.finetune --run runs/bert-tiny-adamw`.

The encoder goes on learning, with a new linear layer on top (Devlin et al. 2019). A seed decides the new layer, the
order of the texts and the dropout; nothing is chosen by the validation texts, and what counts is the accuracy after the
last epoch. `--from-scratch` does the same with random weights: the difference is what pretraining was worth.

Deliberately absent: several processes, pairs of texts, early stopping, a search for the learning rate.
"""

import contextlib
import dataclasses
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from minilib import schedules
from minilib.data.classification import ClassificationData, task
from minilib.experiments import records
from minilib.models.bert import Bert
from minilib.training import export
from minilib.training.config import OPTIMIZERS, Settings, command, option
from minilib.training.device import describe, pick, precision
from minilib.training.optimizers import optimizer
from minilib.training.run_dir import write_curve, write_run
from minilib.training.step import step_if_finite

AT_ONCE = 256  # rows of validation


@dataclass(frozen=True)
class Finetuning(Settings):
    run: str = option("runs/bert-tiny-adamw", "folder of a run, of a checkpoint, or of a model of transformers: a BERT")
    task: str = option("packages", "packages, sst2, or a folder with train.tsv and validation.tsv")
    texts: int | None = option(None, "train on so many of the texts only", low=1)
    from_scratch: bool = option(False, "also train from random weights")
    seeds: int = option(1, "how often, with seeds 0, 1, ...", low=1)
    optimizer: str = option("adamw", "the method", choices=OPTIMIZERS)
    lr: float = option(1e-3, "learning rate, which warm-up and fall multiply: it is not reached", low=0.0)
    weight_decay: float = option(0.01, "of matrices; biases and norms have none", low=0.0)
    clip: float | None = option(1.0, "largest norm of all gradients together; 'none' for no clipping", low=1e-12)
    batch_size: int = option(32, "texts a step", low=1)
    epochs: int = option(3, "passes over the training texts", low=1)
    warmup: float = option(0.1, "share of the steps in which the learning rate rises; then it falls to 0", 0.0, 1.0)
    dropout: float = option(0.1, "share of activations that is dropped in training", low=0.0, high=0.9)
    device: str | None = option(None, "cpu, cuda, mps, tpu; by default the best that is there")
    precision: str | None = option(None, "bf16 or fp32; None: what is faster", choices=(None, "bf16", "fp32"))
    out: str | None = option(None, "folder for run.json and curve.csv; by default runs/RUN-TASK")


class Classifier(nn.Module):
    """A BERT with a linear layer on the first token's last hidden state; (B, T) tokens and mask to (B, labels)."""

    def __init__(self, bert: Bert, labels: int, dropout: float):
        super().__init__()
        self.bert, self.dropout = bert, nn.Dropout(dropout)
        for name, p in bert.named_parameters():  # what guesses tokens and pairs is not needed any more
            p.requires_grad_(name.split(".")[0] not in ("head", "bias", "pooler", "next"))
        self.output = nn.Linear(bert.size.width, labels)
        nn.init.normal_(self.output.weight, std=0.02)
        nn.init.zeros_(self.output.bias)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        return self.output(self.dropout(self.bert.hidden(tokens, mask=mask)[:, 0]))


def finetune(settings: Finetuning, quiet: bool = False) -> dict:
    """Fine-tune once a seed; returns the results that `run.json` has. A record that was there is replaced.

    Returns `labels`, the numbers of `texts` for training and validation, `majority` (the share to beat), and for
    `pretrained`, and for `scratch` where it was asked for, the `accuracy` of each seed, their `mean`, and their sample
    standard deviation `std`, which is None for a single seed.

    ValueError, and nothing is written: no such run, task or device; a model that is no BERT; several processes;
    training that ends in NaN.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ValueError("fine-tuning is for one process: start it without torchrun")
    say = (lambda text: None) if quiet else tqdm.write
    trained, device, start, began = export.load(settings.run), pick(settings.device), records.now(), perf_counter()
    if not isinstance(trained.model, Bert):
        raise ValueError(f"run = {settings.run!r}: must be of a BERT, is of a {trained.tokenizer.kind}")
    what = task(settings.task)
    length = trained.model.size.length
    rows = [ClassificationData(part, trained.tokenizer, length) for part in (what.train, what.validation)]
    chosen = np.random.default_rng(0).permutation(len(rows[0]))[: settings.texts]  # the same for all seeds
    results = {"labels": what.labels, "texts": [len(chosen), len(rows[1])], "majority": what.majority}
    texts = f"{len(chosen):,} texts for training and {len(rows[1]):,} for validation"
    say(f"{what.name}: {len(what.labels)} labels, {texts}, where the most frequent label has {what.majority:.1%}")
    curve = []
    for weights in ("pretrained", "scratch") if settings.from_scratch else ("pretrained",):
        last = []
        for number in range(settings.seeds):
            model = fresh(settings, trained, len(what.labels), weights == "pretrained", device, number)
            epochs = fit(model, settings, rows, chosen, device, number, quiet)
            curve += [{"weights": weights, "seed": number} | epoch for epoch in epochs]
            last.append(epochs[-1]["accuracy"])
            say(f"{weights:>10}, seed {number}: {last[-1]:.1%}")
        mean, std = float(np.mean(last)), float(np.std(last, ddof=1)) if len(last) > 1 else None
        results[weights] = {"accuracy": last, "mean": mean, "std": std}
        if std is not None:
            say(f"{weights:>10}: {mean:.1%} ± {std:.1%} over {len(last)} seeds")

    folder = Path(settings.out or f"runs/{Path(settings.run).resolve().name}-{what.name}")
    write_curve(folder, curve)
    seconds = perf_counter() - began
    write_run(folder, "minilib.training.finetune", settings, describe(device), start, seconds, results)
    say(f"done: everything is in {folder}")
    return results


def fresh(settings: Finetuning, trained, labels: int, pretrained: bool, device, number: int) -> Classifier:
    """The classifier before training; the new layer of a seed does not depend on where the other weights are from."""
    torch.manual_seed(number)
    bert = Bert(dataclasses.replace(trained.model.size, dropout=settings.dropout))
    model = Classifier(bert, labels, settings.dropout)
    if pretrained:
        bert.load_state_dict(trained.model.state_dict())
    return model.to(device)


def fit(model, settings: Finetuning, rows, chosen, device: torch.device, number: int, quiet: bool) -> list[dict]:
    """Train, and validate after each epoch: `epoch`, the mean training `loss`, and `accuracy`."""
    opt = optimizer(settings.optimizer, model, settings.lr, settings.weight_decay, device)
    bf16 = (settings.precision or precision(device)) == "bf16"
    autocast = torch.autocast(device.type, torch.bfloat16) if bf16 else contextlib.nullcontext()
    each = math.ceil(len(chosen) / settings.batch_size)  # steps an epoch
    total = settings.epochs * each
    epochs, step = [], 0
    bar = tqdm(total=total, disable=True if quiet else None, unit="step", leave=False)
    for epoch in range(settings.epochs):
        model.train()
        losses = torch.zeros((), device=device)
        for index in np.array_split(np.random.default_rng([number, epoch]).permutation(chosen), each):
            tokens, mask, targets = (t.to(device) for t in rows[0].batch(index))
            with autocast:
                logits = model(tokens, mask)
            loss = F.cross_entropy(logits.float(), targets)
            loss.backward()
            rate = schedules.warmup(step, round(settings.warmup * total)) * schedules.polynomial(step, total)
            step_if_finite(opt, model.parameters(), settings.lr * rate, settings.clip)
            losses, step = losses + loss.detach(), step + 1
            bar.update()
        if not math.isfinite(loss := float(losses) / each):
            raise ValueError(f"lr = {settings.lr}: must be less, the loss became {loss} in epoch {epoch + 1}")
        with autocast:
            right = accuracy(model, rows[1], device)
        epochs.append({"epoch": epoch + 1, "loss": loss, "accuracy": right})
    bar.close()
    return epochs


@torch.no_grad()
def accuracy(model: Classifier, rows: ClassificationData, device: torch.device) -> float:
    """The share of rows whose likeliest label is the right one."""
    model.eval()
    right = torch.zeros((), dtype=torch.int64, device=device)
    for index in rows.by_length(AT_ONCE):
        tokens, mask, targets = (t.to(device) for t in rows.batch(index))
        right += (model(tokens, mask).argmax(1) == targets).sum()
    return int(right) / len(rows)


def main() -> int:
    def work(settings: Finetuning) -> None:
        finetune(settings)  # which has said what came out

    return command(Finetuning, "finetune", "Fine-tune a BERT as a classifier.", work)


if __name__ == "__main__":
    sys.exit(main())
