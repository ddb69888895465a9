"""The training loop that every comparison shares."""

import numpy as np
import pytest

from minilib.optim import SGD, Adam
from minilib.tasks import DigitsTask, train


@pytest.fixture(scope="module")
def task():
    return DigitsTask(hidden=8)


def adam(params):
    return Adam(params, lr=1e-2)


def test_training_learns_the_digits(task):
    run = train(task, adam, steps=200, batch_size=64)
    assert run.losses[:5].mean() > 2
    assert run.losses[-5:].mean() < 0.5
    assert task.accuracy(run.model) > 0.85


def test_equal_seeds_give_equal_runs_and_other_seeds_do_not(task):
    a, b, c = (train(task, adam, steps=5, batch_size=32, seed=seed).losses for seed in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)


def test_a_full_batch_is_gradient_descent_on_the_whole_sum(task):
    run = train(task, lambda p: SGD(p, lr=0.1), steps=3, batch_size=task.n)
    model = task.model(np.random.default_rng(0))
    opt = SGD(model.parameters(), lr=0.1)
    for loss_of_run in run.losses:
        opt.zero_grad()
        loss = task.loss(model)
        loss.backward()
        opt.step()
        assert loss_of_run == pytest.approx(float(loss.data))


def test_a_schedule_scales_each_group_by_its_own_rate(task):
    seen = []

    class Spy(SGD):
        def step(self):
            seen.append([group["lr"] for group in self.param_groups])

    def optimizer(params):
        return Spy([{"params": params[:1], "lr": 1.0}, {"params": params[1:], "lr": 0.5}])

    train(task, optimizer, steps=2, batch_size=8, schedule=lambda t: 1 / (t + 1))
    assert seen == [[1.0, 0.5], [0.5, 0.25]]


def test_a_run_that_diverges_says_so_and_ends_in_infinite_losses(task):
    run = train(task, lambda p: SGD(p, lr=1e200), steps=10, batch_size=32)
    assert run.diverged
    assert np.isinf(run.losses[-1])


@pytest.mark.parametrize("batch_size", [0, 1438])
def test_a_batch_that_does_not_fit_the_data_is_refused(task, batch_size):
    with pytest.raises(ValueError, match=f"must be in 1 ... 1437, got {batch_size}"):
        train(task, adam, steps=1, batch_size=batch_size)
