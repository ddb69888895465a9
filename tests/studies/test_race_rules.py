"""The race counts steps as its rules say. Could catch: an entry that arrives by diverging, or is judged too often."""

import numpy as np

from minilib.experiments.tasks import DigitsTask
from minilib.optim import SGD, AdamW
from studies.race import EVERY, RACES, Race, steps_to

SHORT = Race(DigitsTask, 64, 1.0, 60)


def test_an_entry_arrives_at_a_tenth_step_and_the_same_seed_gives_the_same():
    found, again = ([steps_to(SHORT, lambda named: AdamW(named, lr=0.02), seed=s) for s in range(3)] for _ in range(2))
    assert all(0 < steps < 60 and steps % EVERY == 0 for steps in found)
    assert found == again


def test_who_stands_still_or_diverges_counts_with_the_limit():
    assert steps_to(SHORT, lambda named: SGD(named, lr=0.0)) == 60
    assert steps_to(SHORT, lambda named: SGD(named, lr=1e9)) == 60


def test_the_schedule_multiplies_the_rate_of_every_step():
    rates = []

    class Watched(SGD):
        def step(self):
            rates.append(self.lr)
            super().step()

    steps_to(Race(DigitsTask, 8, 0.0, 3), lambda named: Watched(named, lr=2.0), lambda step: 0.5**step)
    assert rates == [2.0, 1.0, 0.5]


def test_what_is_judged_was_not_trained_on():
    digits = RACES["digits"]
    model = digits.task.model(np.random.default_rng(0))
    before = digits.loss(model)
    digits.task.x_test[1::2] += 1.0  # the other half
    assert digits.loss(model) == before
    digits.task.x_test[1::2] -= 1.0
