"""A race with fixed rules: who needs the fewest steps until the loss on unseen data is below a target?

An entry may choose the optimizer and a schedule, and nothing else: task, model, first weights, batch, and the order of
the data belong to the race, and one gradient is all that a step may see. A run is judged every ten steps, on examples
that training never sees; one that does not arrive within the limit counts as the limit. Absent on purpose: time. A step
of Muon costs more than one of momentum, and this race does not count that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minilib.autodiff import cross_entropy
from minilib.experiments.tasks import DigitsTask, WordsTask
from minilib.schedules import constant

EVERY = 10  # steps between two looks at the loss


@dataclass(frozen=True)
class Race:
    """The rules of one race.

    Attributes:
        kind: the task's class.
        batch: examples a step.
        target: mean cross-entropy in nats that has to be reached on the examples that judge.
        limit: steps after which a run ends; it then counts as this many.
    """

    kind: type
    batch: int
    target: float
    limit: int

    @cached_property
    def task(self):
        """The task, built when it is first asked for."""
        return self.kind()

    def loss(self, model) -> float:
        """What is judged: the mean loss over half of the test digits, or over 512 chunks of unseen words."""
        task = self.task
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(task, WordsTask):
                return task.test_loss(model, 512)
            return float(cross_entropy(model(task.x_test[::2]), task.y_test[::2]).data)


RACES = {"digits": Race(DigitsTask, 128, 0.15, 600), "words": Race(WordsTask, 128, 3.0, 600)}


def steps_to(race: Race, optimizer: Callable, schedule: Callable = constant, seed: int = 0) -> int:
    """How many steps one run of an entry needs.

    Args:
        optimizer: function (named parameters) -> optimizer with `param_groups`, `zero_grad` and `step`.
        schedule: step, from 0, -> multiplier of the learning rates.
        seed: of the weights and of the order of the data; the same for all entries.

    A run whose loss or gradient is not finite does not arrive.
    """
    rng = np.random.default_rng(seed)
    model = race.task.model(rng)
    opt = optimizer(list(model.named_parameters()))
    rates = [group["lr"] for group in opt.param_groups]
    for step in range(race.limit):
        batch = rng.permutation(race.task.n)[: race.batch]
        with np.errstate(over="ignore", invalid="ignore"):
            loss = race.task.loss(model, batch)
            opt.zero_grad()
            loss.backward()
            if not all(np.isfinite(np.vdot(a, a)) for a in [loss.data, *(p.grad for p in model.parameters())]):
                break
        for group, rate in zip(opt.param_groups, rates, strict=True):
            group["lr"] = rate * schedule(step)
        opt.step()
        if (step + 1) % EVERY == 0 and race.loss(model) <= race.target:
            return step + 1
    return race.limit
