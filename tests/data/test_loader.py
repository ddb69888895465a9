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
def test_each_epoch_has_every_row_once_in_an_order_of_its_own(batch_size):
    loader = Loader(ROWS, plain, batch_size, seed=3)
    batch = joined(loader.batch(step) for step in range(160 // batch_size))
    assert batch["number"].tolist() == list(range(160 // batch_size * batch_size))
    epochs = [tuple(batch["row"][first : first + 53].tolist()) for first in (0, 53, 106)]
    epochs.append(tuple(Loader(ROWS, plain, 53, seed=4).batch(0)["row"].tolist()))
    assert {tuple(sorted(epoch)) for epoch in epochs} == {tuple(range(53))}
    assert len({*epochs, tuple(range(53))}) == 5


@pytest.mark.parametrize("objective", [plain, MASKED])
@pytest.mark.parametrize(("world_size", "micro"), [(2, None), (4, None), (1, 4), (2, 3), (4, 1)])
def test_processes_and_micro_batches_together_have_the_same_batch(objective, world_size, micro):
    whole = Loader(ROWS, objective, 24, seed=3)
    loaders = [Loader(ROWS, objective, 24, 3, rank, world_size, micro) for rank in range(world_size)]
    for step in range(5):  # past the end of two epochs
        parts = [loader.batch(step, i) for loader in loaders for i in range(loader.micros)]
        assert {len(part[name]) for part in parts for name in part} == {micro or 24 // world_size}
        assert_equal(joined(parts), whole.batch(step))
    assert len(whole.orders) <= 2  # of the epochs in use


@pytest.mark.parametrize("world_size", [1, 2, 4])
@pytest.mark.parametrize("batch_size", [4, 7, 16, 53, 99])
def test_validation_takes_every_row_once_and_masks_it_alike_each_time(batch_size, world_size):
    batches = [list(evaluation(ROWS, plain, batch_size, None, rank, world_size)) for rank in range(world_size)]
    assert len({len(b) for b in batches}) == 1
    sizes = {len(batch["row"]) for b in batches for batch in b}
    assert max(sizes) <= (2 if batch_size // world_size == 1 < world_size else batch_size // world_size)
    assert max(sizes) - min(sizes) <= 1
    assert joined(batch for b in batches for batch in b)["row"].tolist() == list(range(53))
    masked = [b for rank in range(world_size) for b in evaluation(ROWS, MASKED, batch_size, None, rank, world_size)]
    whole = joined(evaluation(ROWS, MASKED, 53))
    assert_equal(joined(masked), whole)
    assert (whole["positions"].numpy() != MASKED(ROWS, np.arange(53), 0, 0)["positions"]).any()


@pytest.mark.parametrize("limit", [1, 2, 10, 52, 53, 99])
def test_a_limit_takes_rows_at_equal_distances(limit):
    rows = joined(evaluation(ROWS, plain, 8, limit))["row"]
    assert len(rows) == min(limit, 53)
    gaps = np.diff(np.append(rows, 53 + rows[0]))
    assert (gaps.min() >= 1, gaps.max() - gaps.min() <= 1) == (True, True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Loader(ROWS, plain, 25, 0, 0, 2), "batch_size = 25: must be a multiple of 2, for 2 pro.* such as 26"),
        (lambda: Loader(ROWS, plain, 24, 0, 0, 2, 5), "batch_size = 24: must be a multiple of 10, .* such as 30"),
        (lambda: evaluation(ROWS, plain, 8, 3, 0, 4), "3 rows of validation: must be at least 4, one for each process"),
    ],
)
def test_a_batch_that_cannot_be_shared_out_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("cuda", [False, True])
def test_memory_is_asked_to_be_pinned_where_cuda_is_used(monkeypatch, cuda):
    pinned = []
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda t: pinned.append(t) or t)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    batch = Loader(ROWS, MASKED, 24, seed=3).batch(0)
    assert [id(t) for t in pinned] == [id(t) for t in batch.values()] * cuda
