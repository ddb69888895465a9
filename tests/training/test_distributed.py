"""How the processes of one start of a run find each other, and not those of the start before."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch.distributed as dist

from minilib.training.distributed import rendezvous


def names(store, world_size):
    with ThreadPoolExecutor(world_size) as pool:
        return list(pool.map(lambda rank: rendezvous(store, rank, world_size), range(world_size)))


@pytest.mark.parametrize("world_size", [1, 2, 5])
def test_all_processes_of_a_start_get_the_same_name(world_size):
    assert len(set(names(dist.HashStore(), world_size))) == 1


def test_each_start_gets_a_name_of_its_own():
    store = dist.HashStore()
    assert len({name for _ in range(4) for name in names(store, 3)}) == 4


def test_those_who_are_gone_are_not_waited_for():
    store = dist.HashStore()
    for rank in range(3):  # a start that died in the middle of it
        store.set(f"here {rank}", f"token {rank}")
    store.set("roll", "token 0 token 1 token 2")
    assert len(set(names(store, 3))) == 1
