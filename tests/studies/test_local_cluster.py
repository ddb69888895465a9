"""Functions sent to processes: they meet, they count their bytes, and their errors come back."""
# ruff: noqa: F821  the functions that travel find torch, dist and received where they arrive

import pytest

from studies.many_machines.local_cluster import LocalCluster


@pytest.fixture(scope="module")
def three():
    with LocalCluster(3) as made:
        yield made


def total(value):
    x = torch.tensor([value + dist.get_rank()])
    dist.all_reduce(x)
    return [dist.get_world_size(), float(x)]


def twice(value):
    return [2 * v for v in total(value)]


def fails():
    print("this must not be taken for an answer")
    if dist.get_rank() == 1:
        raise ValueError("not today")


def returns_a_tensor():
    return torch.ones(1)


def bytes_of(what, numbers):
    ranks = dist.get_world_size()
    x, part = torch.ones(numbers), torch.ones(numbers // ranks)
    before = received()
    dist.barrier()  # nobody sends before all have looked
    dist.all_reduce(x) if what == "all-reduce" else dist.all_gather_into_tensor(x, part)
    return received() - before


def test_some_or_all_of_them_meet_and_each_rank_answers_also_with_functions_that_use_others(three):
    assert three.run(total, 1.0) == [[3, 6.0]] * 3
    assert three.run(total, 1.0, count=1) == [[1, 1.0]]
    assert three.run(twice, 1.0, count=2, uses=(total,)) == [[4, 6.0]] * 2


@pytest.mark.parametrize(
    ("function", "count", "message"),
    [
        (fails, 3, "rank 1: ValueError: not today"),
        (returns_a_tensor, 1, "^rank 0: TypeError: .*Tensor is not JSON serializable"),
    ],
)
def test_an_error_is_told_with_its_rank_and_the_processes_live_on(three, function, count, message):
    with pytest.raises(RuntimeError, match=message):
        three.run(function, count=count)
    assert three.run(total, 0.0, count=count) == [[count, sum(range(count))]] * count


@pytest.mark.parametrize(("what", "share"), [("all-reduce", 2 * 2 / 3), ("all-gather", 2 / 3)])
def test_each_process_counts_what_it_receives(three, what, share):
    for got in three.run(bytes_of, what, 300_000):
        assert got == pytest.approx(share * 4 * 300_000, rel=0.01)


def test_a_count_that_there_is_not_is_refused(three):
    with pytest.raises(ValueError, match="count must be from 1 to 3, got 4"):
        three.run(total, 1.0, count=4)
    with pytest.raises(ValueError, match="count must be at least 1, got 0"):
        LocalCluster(0)


def test_closed_processes_are_gone(three):  # the last test: none is left for others
    three.close()
    assert [worker.poll() for worker in three.workers] == [0, 0, 0]
