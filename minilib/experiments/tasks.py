"""What the experiments of Parts I to III train, and the loop that trains it.

A task has a model, a loss on a batch, and a score on data that training never saw; `train` runs any optimizer on any
task. The first chapter writes this loop in a cell; the comparisons of later chapters import it, so that every method is
trained by the same lines. Absent on purpose: early stopping, checkpoints, data augmentation.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from minilib import data
from minilib.autodiff import MLP, Tensor, TransformerEncoder, cross_entropy
from minilib.schedules import constant


class DigitsTask:
    """Classify 8 x 8 scanned digits with a network of `depth` hidden layers of width `hidden` (tanh or relu).

    Attributes: `x`, `y`: training pixels (n, 64) and classes (n,); `x_test`, `y_test`; `n`.
    """

    def __init__(self, hidden: int = 32, activation=Tensor.relu, depth: int = 1):
        self.widths, self.activation = [64, *[hidden] * depth, 10], activation
        self.x, self.y, self.x_test, self.y_test = data.digits()
        self.n = len(self.y)

    def model(self, rng: np.random.Generator) -> MLP:
        """A fresh network with weights drawn from `rng`."""
        return MLP(self.widths, rng, self.activation)

    def loss(self, model: MLP, batch=slice(None)) -> Tensor:
        """Mean cross-entropy in nats over the training examples `batch` (all by default)."""
        return cross_entropy(model(self.x[batch]), self.y[batch])

    def accuracy(self, model: MLP) -> float:
        """Share of test digits whose largest logit is the right class."""
        return float((model(self.x_test).data.argmax(axis=1) == self.y_test).mean())


class WordsTask:
    """Guess masked words in English prose with a small transformer encoder (masked language modelling).

    Every chunk of `length` words hides the same `masked` positions in each epoch (a static mask, as in the first
    BERT), drawn once from a fixed seed: so the loss is a finite sum over chunks, like every other loss of the book.

    Attributes: `ids`: training chunks (n, length), integers; `n`; `ids_test`; `vocabulary`.
    """

    def __init__(self, length=8, vocabulary=128, width=32, layers=1, heads=2, masked=2, n=32768):
        self.shape = {"max_length": length, "width": width, "layers": layers, "heads": heads}
        docs = data.docstrings()
        self.vocabulary = data.Vocabulary(docs.train, vocabulary)
        rng = np.random.default_rng(0)
        # Chunks in random order: neighbours come from the same page and are alike.
        train = data.chunks(self.vocabulary.encode(docs.train), length)
        self.ids = rng.permutation(train)[:n]
        self.ids_test = data.chunks(self.vocabulary.encode(docs.validation), length)
        self.n = len(self.ids)
        self.hidden = rng.permuted(np.tile(np.arange(length), (self.n, 1)), axis=1)[:, :masked]
        self.hidden_test = rng.permuted(np.tile(np.arange(length), (len(self.ids_test), 1)), axis=1)[:, :masked]

    def model(self, rng: np.random.Generator) -> TransformerEncoder:
        """A fresh encoder (float32) with weights drawn from `rng`."""
        return TransformerEncoder(len(self.vocabulary), rng=rng, **self.shape)

    def loss(self, model: TransformerEncoder, batch=slice(None)) -> Tensor:
        """Mean cross-entropy in nats of the hidden words in the training chunks `batch`."""
        return self.masked_loss(model, self.ids[batch], self.hidden[batch])

    def test_loss(self, model: TransformerEncoder, chunks: int = 1024) -> float:
        """The same on the first `chunks` chunks of files that training never saw."""
        return float(self.masked_loss(model, self.ids_test[:chunks], self.hidden_test[:chunks]).data)

    def unigram_entropy(self) -> float:
        """What guessing by word frequency alone costs, in nats: a model that read nothing reaches this."""
        share = np.bincount(self.ids.ravel()) / self.ids.size
        return float(-(share[share > 0] * np.log(share[share > 0])).sum())

    def masked_loss(self, model: TransformerEncoder, ids: np.ndarray, hidden: np.ndarray) -> Tensor:
        """Mean cross-entropy in nats of the words at the places `hidden` (n, masked) of the chunks `ids` (n, T)."""
        rows = np.arange(len(ids))[:, None]
        targets, seen = ids[rows, hidden], ids.copy()
        seen[rows, hidden] = self.vocabulary.mask
        positions = rows * ids.shape[1] + hidden
        return cross_entropy(model(seen, positions.ravel()), targets.ravel())


@dataclass
class Run:
    """What `train` returns: the batch loss before every step, and the trained model (None when it diverged)."""

    losses: np.ndarray
    model: object

    @property
    def diverged(self) -> bool:
        return self.model is None


def train(task, optimizer: Callable, steps: int, batch_size: int, seed: int = 0, schedule=constant) -> Run:
    """Train a fresh model for `steps` steps on random mini-batches (drawn without replacement within a batch).

    Args:
        task: such as `DigitsTask`.
        optimizer: function (named parameters) -> optimizer, e.g. `lambda params: Adam(params, lr=1e-3)`.
        steps, batch_size: counts; `batch_size` = `task.n` is full-batch training.
        seed: of the weights and of the order of the data, so equal seeds make runs comparable pair by pair.
        schedule: step -> multiplier of the learning rate (see `schedules`), the same for all groups.

    When a loss or the norm of a gradient is no longer finite the run has diverged: its remaining losses are infinite.

    ValueError: the batch is larger than the data.
    """
    if not 1 <= batch_size <= task.n:
        raise ValueError(f"batch_size must be in 1 ... {task.n}, got {batch_size}")
    rng = np.random.default_rng(seed)
    model = task.model(rng)
    opt = optimizer(list(model.named_parameters()))
    lrs = [group["lr"] for group in opt.param_groups]
    losses = np.full(steps, np.inf)
    for step in range(steps):
        batch = rng.permutation(task.n)[:batch_size]
        with np.errstate(over="ignore", invalid="ignore"):
            loss = task.loss(model, batch)
            opt.zero_grad()
            loss.backward()
            # squares: most methods refuse a gradient that is too large for them
            finite = all(np.isfinite(np.vdot(a, a)) for a in [loss.data, *(p.grad for p in model.parameters())])
        if not finite:
            return Run(losses, None)
        losses[step] = loss.data
        for group, lr in zip(opt.param_groups, lrs, strict=True):
            group["lr"] = lr * schedule(step)
        opt.step()
    return Run(losses, model)
