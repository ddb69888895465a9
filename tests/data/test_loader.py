"""The loader: each row once an epoch, and the same batches for any number of processes and after any stop."""

import numpy as np
import pytest
import torch

from minilib.data import objectives
from minilib.data.loader import Loader, evaluation
from minilib.data.tokenizer import SPECIAL, of_tokens

ROWS = np.random.default_rng(0).integers(5, 105, (53, 20)).astype(np.uint16)
ROWS[:, 1] = np.arange(5, 58)  # tells the rows apart
MASKED = objectives.masked(of_tokens("bert", [*SPECIAL["bert"], *map(str, range(100))]), 0.3)


def plain(rows, index, first, seed):
    """The rows themselves, and the numbers of the samples."""
    return {"row": index, "number": np.arange(first, first + len(index))}


def joined(batches):
    batches = list(batches)
    return {name: torch.cat([batch[name] for batch in batches]) for name in batches[0]}


def assert_equal(a, b):
    assert a.keys() == b.keys()
    assert all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("batch_size", [8, 53, 160])  # less than an epoch, one, and three
def test_samples_are_numbered_in_order_and_each_epoch_has_every_row_once(batch_size):
    loader = Loader(ROWS, plain, batch_size, seed=3)
    batch = joined(loader.batch(step) for step in range(160 // batch_size))
    assert batch["number"].tolist() == list(range(len(batch["number"])))
    for epoch in range(3):
        rows = batch["row"][53 * epoch : 53 * (epoch + 1)].tolist()
        assert sorted(rows) == list(range(53))
        assert rows == loader.order(epoch).tolist()


def test_epochs_and_seeds_have_orders_of_their_own():
    orders = [Loader(ROWS, plain, 53, seed=seed).batch(epoch)["row"] for seed in (0, 1) for epoch in (0, 1)]
    assert len({tuple(order.tolist()) for order in orders}) == 4
    assert tuple(range(53)) not in {tuple(order.tolist()) for order in orders}


@pytest.mark.parametrize("objective", [plain, MASKED])
@pytest.mark.parametrize(("world_size", "micro"), [(1, None), (2, None), (4, None), (1, 4), (2, 3), (4, 1)])
def test_processes_and_micro_batches_together_have_the_same_batch(objective, world_size, micro):
    whole = Loader(ROWS, objective, 24, seed=3)
    loaders = [Loader(ROWS, objective, 24, 3, rank, world_size, micro) for rank in range(world_size)]
    assert {loader.micros for loader in loaders} == {24 // (world_size * micro) if micro else 1}
    for step in range(5):  # past the end of two epochs
        parts = [loader.batch(step, i) for loader in loaders for i in range(loader.micros)]
        assert {len(part[name]) for part in parts for name in part} == {micro or 24 // world_size}
        assert_equal(joined(parts), whole.batch(step))


def test_only_the_orders_of_the_epochs_in_use_are_kept():
    loader = Loader(ROWS, plain, 24, seed=3)
    for step in range(30):
        loader.batch(step)
    assert set(loader.orders) <= {29 * 24 // 53, (30 * 24 - 1) // 53}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"batch_size": 0}, "batch_size = 0: must be at least 1"),
        ({"batch_size": 25, "world_size": 2}, "batch_size = 25: must be a multiple of 2, for 2 pro.* such as 26"),
        ({"world_size": 2, "micro": 5}, "batch_size = 24: must be a multiple of 10, .* of 5 rows, such as 30"),
        ({"micro": 48}, "batch_size = 24: must be a multiple of 48"),
        ({"micro": 0}, "micro = 0: must be at least 1"),
        ({"rank": 2, "world_size": 2}, "rank = 2: must be from 0 to 1, of 2 processes"),
        ({"seed": -1}, "seed = -1: must be from 0"),
        ({"seed": 2**64}, r"seed = 18446744073709551616: must be from 0 to 2\*\*64 - 1"),
        ({"rows": ROWS[:0]}, r"rows has shape \(0, 20\): must be at least one row"),
        ({"rows": ROWS[0]}, r"rows has shape \(20,\): must be at least one row"),
    ],
)
def test_bad_arguments_are_errors_that_say_what_may_be(changes, message):
    with pytest.raises(ValueError, match=message):
        Loader(**{"rows": ROWS, "objective": plain, "batch_size": 24, "seed": 0} | changes)


@pytest.mark.parametrize(("step", "i"), [(-1, 0), (0, 2), (0, -1)])
def test_a_batch_that_there_is_not_is_an_error(step, i):
    with pytest.raises(ValueError, match="must be at least 0, and from 0 to 1"):
        Loader(ROWS, plain, 24, seed=0, micro=12).batch(step, i)


class TestEvaluation:
    @pytest.mark.parametrize("batch_size", [4, 7, 16, 53, 99])
    @pytest.mark.parametrize("world_size", [1, 2, 4])
    def test_every_row_is_taken_once_in_batches_of_nearly_one_size(self, batch_size, world_size):
        batches = [list(evaluation(ROWS, plain, batch_size, None, rank, world_size)) for rank in range(world_size)]
        assert len({len(b) for b in batches}) == 1
        sizes = {len(batch["row"]) for b in batches for batch in b}
        assert max(sizes) <= (2 if batch_size // world_size == 1 < world_size else batch_size // world_size)
        assert max(sizes) - min(sizes) <= 1
        assert joined(batch for b in batches for batch in b)["row"].tolist() == list(range(53))

    def test_masks_are_the_same_each_time_for_all_batches_and_processes(self):
        whole = joined(evaluation(ROWS, MASKED, 53))
        assert_equal(joined(evaluation(ROWS, MASKED, 5)), whole)
        parts = [batch for rank in range(3) for batch in evaluation(ROWS, MASKED, 12, None, rank, 3)]
        assert_equal(joined(parts), whole)

    def test_masks_are_not_those_of_training(self):
        training = objectives.mask_tokens(ROWS, 0, is_special=np.arange(105) < 5, mask=4, rate=0.3, seed=0)[1]
        assert (joined(evaluation(ROWS, MASKED, 53))["positions"].numpy() != training).any()

    @pytest.mark.parametrize("limit", [1, 2, 10, 52, 53, 99])
    def test_a_limit_takes_rows_at_equal_distances(self, limit):
        rows = joined(evaluation(ROWS, plain, 8, limit))["row"]
        assert len(rows) == min(limit, 53)
        gaps = np.diff(np.append(rows, 53 + rows[0]))
        assert gaps.min() >= 1
        assert gaps.max() - gaps.min() <= 1

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"batch_size": 3, "world_size": 4}, "batch_size = 3: must be at least 4, one row for each process"),
            ({"limit": 0}, "limit = 0: must be at least 1"),
            ({"limit": 3, "world_size": 4}, "3 rows of validation: must be at least 4, one for each process"),
            ({"rows": ROWS[:0]}, "must be at least one row"),
        ],
    )
    def test_bad_arguments_are_errors_before_the_first_batch(self, changes, message):
        with pytest.raises(ValueError, match=message):
            evaluation(**{"rows": ROWS, "objective": plain, "batch_size": 8} | changes)


@pytest.mark.parametrize("cuda", [False, True])
def test_memory_is_asked_to_be_pinned_where_cuda_is_used(monkeypatch, cuda):
    pinned = []
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda t: pinned.append(t) or t)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    batch = Loader(ROWS, MASKED, 24, seed=3).batch(0)
    assert [id(t) for t in pinned] == [id(t) for t in batch.values()] * cuda
