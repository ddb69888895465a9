"""Many copies of the digits network trained side by side, one for each pair of a learning rate and a seed.

A sweep over learning rates, seeds and batch sizes is hundreds of short runs of a network so small that Python's own
cost outweighs the arithmetic. Here all runs of one batch size are one stack of arrays (rates, seeds, ...), and every
member takes the very steps that `tasks.train` would take. For optimizers that treat each number on its own (SGD, Adam
and their kin): a norm over a layer would mix the members. Absent on purpose: other networks than one hidden layer.
"""

from collections.abc import Callable

import numpy as np

from minilib.autodiff import Tensor, cross_entropy, log_softmax
from minilib.experiments.tasks import DigitsTask
from minilib.optim import Optimizer
from minilib.optim.checks import RANGES
from minilib.schedules import constant

# A stack has an array of learning rates, which the check of a single rate would refuse.
ARRAY_OF_RATES = {**RANGES, "lr": ("an array of numbers >= 0", lambda lr: bool(np.all(np.asarray(lr) >= 0)))}


class Sweep:
    """Networks in a stack; member (i, j) has the learning rate `lrs[i]`, and weights and batches of `seeds[j]`.

    Args:
        task: `DigitsTask`; optimizer: a class such as `SGD` or `Adam`, with its `options`.
        lrs, seeds: the sweep; batch_size: samples a step, without replacement within a batch, as in `tasks.train`.
        schedule: step -> multiplier of all learning rates.
        dtype: float32 halves the time; with float64 the losses are those of `tasks.train`, to rounding.

    ValueError: the batch is larger than the data.
    """

    def __init__(
        self,
        task: DigitsTask,
        optimizer: type[Optimizer],
        lrs,
        seeds,
        batch_size: int,
        schedule: Callable = constant,
        dtype=np.float32,
        **options,
    ):
        if not 1 <= batch_size <= task.n:
            raise ValueError(f"batch_size must be in 1 ... {task.n}, got {batch_size}")
        self.task, self.batch_size, self.schedule, self.dtype = task, batch_size, schedule, dtype
        self.lrs, self.steps = np.asarray(lrs, dtype)[:, None, None, None], 0
        self.rngs = [np.random.default_rng(seed) for seed in seeds]
        nets = [task.model(rng).parameters() for rng in self.rngs]
        self.params = [self._stack(arrays) for arrays in zip(*nets, strict=True)]
        self.x, self.x_test = task.x.astype(dtype), task.x_test.astype(dtype)
        # one member that has diverged must not stop the others
        stacked = type(optimizer.__name__, (optimizer,), {"ranges": ARRAY_OF_RATES, "squares": False})
        self.optimizer = stacked(self.params, lr=self.lrs, **options)

    def _stack(self, arrays):
        """One parameter of all seeds, repeated for all rates: (rates, seeds, rows, columns)."""
        one = np.stack([np.atleast_2d(a.data) for a in arrays]).astype(self.dtype)
        return Tensor(np.repeat(one[None], len(self.lrs), axis=0))

    def logits(self, x):
        """(..., samples, 64), the leading axes broadcast over the stack -> (rates, seeds, samples, 10)."""
        W1, b1, W2, b2 = self.params
        return self.task.activation(x @ W1 + b1) @ W2 + b2

    def step(self) -> None:
        """One step for every member; one that has diverged keeps its place and its numbers mean nothing."""
        rows = np.stack([rng.permutation(self.task.n)[: self.batch_size] for rng in self.rngs])
        with np.errstate(over="ignore", invalid="ignore"):
            z = self.logits(self.x[rows])
            y = np.broadcast_to(self.task.y[rows], z.shape[:3])
            members = z.shape[0] * z.shape[1]
            self.optimizer.zero_grad()
            # The mean over all members, times their number: each gets the gradient of its own mean.
            (cross_entropy(z.reshape(-1, 10), y.ravel()) * members).backward()
            for p in self.params:
                p.grad = np.nan_to_num(p.grad, copy=False, nan=0.0, posinf=0.0, neginf=0.0)
            self.optimizer.param_groups[0]["lr"] = self.lrs * self.dtype(self.schedule(self.steps))
            self.optimizer.step()
        self.steps += 1

    def losses(self) -> np.ndarray:
        """Mean loss over all training digits, in nats: (rates, seeds); infinite for a member that has diverged."""
        with np.errstate(over="ignore", invalid="ignore"):
            guesses = log_softmax(self.logits(self.x)).data
            loss = -guesses[..., np.arange(self.task.n), self.task.y].mean(axis=-1)
        return np.nan_to_num(loss.astype(float), nan=np.inf)

    def accuracies(self) -> np.ndarray:
        """Share of test digits whose largest logit is the right class: (rates, seeds)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return (self.logits(self.x_test).data.argmax(axis=-1) == self.task.y_test).mean(axis=-1)


def steps_to(sweep: Sweep, targets, limit: int, patience: float = 2.0, resolution: float = 0.03):
    """Steps until each member's training loss first falls to each target, and its test accuracy there.

    The loss is measured before step 0, 1, 2, ... and, once steps are many, whenever their number has grown by
    `resolution`; between two measurements log loss is taken as straight. A member that never arrives has infinitely
    many steps. Training ends at `limit` steps, or at `patience` times the moment at which one learning rate had brought
    all its seeds to the last target: what is slower than that cannot be the best.

    Returns `(steps, accuracy)`, each (targets, rates, seeds); accuracy is nan where steps are infinite.
    """
    targets = np.asarray(targets, float)[:, None, None]
    before, at = sweep.losses(), 0
    steps = np.where(before <= targets, 0.0, np.inf)
    accuracy = np.where(before <= targets, sweep.accuracies(), np.nan)
    while sweep.steps < limit:
        gap = max(1, int(resolution * sweep.steps))
        for _ in range(min(gap, limit - sweep.steps)):
            sweep.step()
        now, last, at = sweep.losses(), at, sweep.steps
        fresh = (now <= targets) & np.isinf(steps)
        if fresh.any():
            with np.errstate(all="ignore"):  # the members that are not fresh
                share = np.log(before / targets) / np.log(before / now)
                crossing = last + np.nan_to_num(share, nan=1.0) * (at - last)
            steps = np.where(fresh, crossing, steps)
            accuracy = np.where(fresh, sweep.accuracies(), accuracy)
        before = now
        done = np.isfinite(steps[-1]).all(axis=1)
        if done.any() and at >= patience * steps[-1][done].max(axis=1).min():
            break
    return steps, accuracy
