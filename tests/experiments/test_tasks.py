"""The training loop that every comparison shares."""

import numpy as np
import pytest

from minilib.autodiff import Tensor
from minilib.experiments.tasks import DigitsTask, WordsTask, train
from minilib.optim import SGD, Adam


@pytest.fixture(scope="module")
def task():
    return DigitsTask(hidden=8)


def adam(params):
    return Adam(params, lr=1e-2)


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


@pytest.fixture(scope="module")
def words():
    return WordsTask(n=2048)


def test_words_hides_the_same_number_of_different_positions_in_every_chunk(words):
    assert words.ids.shape == (words.n, 8)
    assert words.hidden.shape == (words.n, 2)
    assert (words.hidden[:, 0] != words.hidden[:, 1]).all()
    assert set(np.unique(words.hidden)) == set(range(8))


def test_words_is_the_same_task_every_time_and_a_larger_one_starts_with_the_smaller(words):
    again, larger = WordsTask(n=2048), WordsTask(n=4096)
    np.testing.assert_array_equal(words.ids, again.ids)
    np.testing.assert_array_equal(words.hidden, again.hidden)
    np.testing.assert_array_equal(words.ids, larger.ids[:2048])


def test_the_model_never_sees_what_it_must_guess(words):
    class Spy:
        def __call__(self, ids, positions):
            self.ids, self.positions = ids, positions
            return Tensor(np.zeros((len(positions), len(words.vocabulary))))

    spy, batch = Spy(), np.array([3, 5, 8])
    before = words.ids.copy()
    loss = words.loss(spy, batch)
    assert float(loss.data) == pytest.approx(np.log(len(words.vocabulary)))
    assert (spy.ids.ravel()[spy.positions] == words.vocabulary.mask).all()
    assert (spy.ids == words.ids[batch]).sum() == 3 * 8 - len(spy.positions)
    np.testing.assert_array_equal(words.ids, before)


def test_the_loss_asks_for_the_hidden_words_and_no_others(words):
    batch = np.array([3, 5])
    targets = np.take_along_axis(words.ids[batch], words.hidden[batch], axis=1).ravel()
    oracle = Tensor(50 * np.eye(len(words.vocabulary))[targets])
    assert float(words.loss(lambda ids, positions: oracle, batch).data) < 1e-10


def test_the_mean_of_all_batches_is_the_loss_of_the_whole_sum(words):
    model = words.model(np.random.default_rng(0))
    halves = [float(words.loss(model, half).data) for half in np.split(np.arange(words.n), 2)]
    assert float(words.loss(model).data) == pytest.approx(np.mean(halves), rel=1e-5)


def test_guessing_by_frequency_costs_the_entropy_of_the_words(words):
    share = np.bincount(words.ids.ravel(), minlength=len(words.vocabulary)) / words.ids.size
    logits = np.log(np.maximum(share, 1e-20))
    loss = words.loss(lambda ids, positions: Tensor(np.tile(logits, (len(positions), 1))))
    assert float(loss.data) == pytest.approx(words.unigram_entropy(), rel=0.02)


def test_depth_is_the_number_of_hidden_layers():
    model = DigitsTask(hidden=8, depth=3).model(np.random.default_rng(0))
    assert [layer.weight.shape for layer in model.layers] == [(64, 8), (8, 8), (8, 8), (8, 10)]
