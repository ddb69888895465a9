"""A sweep takes the steps of `tasks.train`, member by member; steps_to counts them."""

import numpy as np
import pytest

from minilib.experiments.sweep import Sweep, steps_to
from minilib.experiments.tasks import DigitsTask, train
from minilib.optim import SGD, Adam
from minilib.schedules import warmup

TASK = DigitsTask(hidden=8)


@pytest.mark.parametrize(("optimizer", "options"), [(SGD, {"momentum": 0.9}), (Adam, {"betas": (0.8, 0.99)})])
def test_every_member_is_the_run_that_train_makes(optimizer, options):
    lrs, seeds = [0.01, 0.03], [4, 7, 9]
    sweep = Sweep(TASK, optimizer, lrs, seeds, 16, lambda t: warmup(t, 5), dtype=np.float64, **options)
    for _ in range(12):
        sweep.step()
    for i, lr in enumerate(lrs):
        for j, seed in enumerate(seeds):
            run = train(TASK, lambda p, lr=lr: optimizer(p, lr=lr, **options), 12, 16, seed, lambda t: warmup(t, 5))
            assert sweep.losses()[i, j] == pytest.approx(float(TASK.loss(run.model).data), rel=1e-9)
            assert sweep.accuracies()[i, j] == pytest.approx(TASK.accuracy(run.model))


def test_a_member_that_diverges_leaves_the_others_alone():
    together = Sweep(TASK, SGD, [0.1, 1e30], [0], 16)
    alone = Sweep(TASK, SGD, [0.1], [0], 16)
    for _ in range(5):
        together.step()
        alone.step()
    assert together.losses()[0, 0] == pytest.approx(alone.losses()[0, 0], rel=1e-5)
    assert not together.losses()[1, 0] < 10


def test_steps_to_finds_the_step_at_which_the_loss_crosses():
    lrs, targets = [0.1, 0.3], [2.0, 1.5, 1.0]
    steps, accuracy = steps_to(Sweep(TASK, SGD, lrs, [0, 1], TASK.n), targets, limit=400, resolution=0)
    watched, losses = Sweep(TASK, SGD, lrs, [0, 1], TASK.n), []
    for _ in range(400):
        losses.append(watched.losses())
        watched.step()
    for k, target in enumerate(targets):
        first = (np.array(losses) <= target).argmax(axis=0)
        inside = np.isfinite(steps[k])
        assert inside.any()
        assert (first[inside] - 1 <= steps[k][inside]).all()
        assert (steps[k][inside] <= first[inside]).all()
        assert np.isfinite(accuracy[k][inside]).all()
        assert np.isnan(accuracy[k][~inside]).all()


def test_what_never_arrives_takes_infinitely_many_steps():
    steps, accuracy = steps_to(Sweep(TASK, SGD, [1e-6], [0], 64), [0.1], limit=5)
    assert np.isinf(steps).all()
    assert np.isnan(accuracy).all()


def test_the_race_ends_when_slower_rates_cannot_win_any_more():
    sweep = Sweep(TASK, SGD, [1e-4, 0.5], [0, 1], 64)
    steps, _ = steps_to(sweep, [1.0], limit=5000, patience=2)
    assert 2 * steps[0, 1].max() <= sweep.steps < 2.2 * steps[0, 1].max() + 2
    assert np.isinf(steps[0, 0]).all()


@pytest.mark.parametrize("batch_size", [0, 1438])
def test_a_batch_that_does_not_fit_the_data_is_refused(batch_size):
    with pytest.raises(ValueError, match=f"must be in 1 ... 1437, got {batch_size}"):
        Sweep(TASK, SGD, [0.1], [0], batch_size)
