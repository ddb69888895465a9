"""How the processes of one start of a run find each other, and not those of the start before; who works first."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import torch.distributed as dist

from minilib.training import trainer
from minilib.training.batches import Data
from minilib.training.distributed import DistEnv, rank0_first, rendezvous
from tests.forked import torchrun


def names(store, world_size):
    with ThreadPoolExecutor(world_size) as pool:
        return list(pool.map(lambda rank: rendezvous(store, rank, world_size), range(world_size)))


@pytest.mark.parametrize("world_size", [1, 2, 5])
def test_all_processes_of_a_start_get_the_same_name_and_each_start_another(world_size):
    store = dist.HashStore()
    starts = [set(names(store, world_size)) for _ in range(4)]
    assert [len(start) for start in starts] == [1] * 4
    assert len(set.union(*starts)) == 4


def test_those_who_are_gone_are_not_waited_for():
    store = dist.HashStore()
    for rank in range(3):  # a start that died in the middle of it
        store.set(f"here {rank}", f"token {rank}")
    store.set("roll", "token 0 token 1 token 2")
    assert len(set(names(store, 3))) == 1


def test_a_batch_that_cannot_be_shared_out_and_a_validation_without_a_row_for_each_process_are_refused(small):
    with pytest.raises(ValueError, match="batch_size must be divisible by the 3 processes, got 8"):
        trainer.micro_batch(small(), small().plan[0], 3)
    with pytest.raises(ValueError, match="evaluate_rows must give at least 4 rows, one a process, gives 3"):
        Data(small(evaluate_rows=3), DistEnv(0, 4, torch.device("cpu")), [2])


def reads_a_folder(folder: str) -> int:
    """A process that prepares the rows of a folder's text; it returns how many files it had to read."""
    from minilib.data import files
    from minilib.data.corpora import corpus
    from minilib.data.packing import packed_rows
    from minilib.data.tokenizer import get_tokenizer

    rank, read, seen = int(os.environ["RANK"]), files.read, []
    files.read = lambda path, field: seen.append(path) or read(path, field)
    dist.init_process_group("gloo")

    def work():
        texts = corpus(folder)
        return packed_rows(texts, "train", get_tokenizer(texts, "gpt2", 320), 16)

    rank0_first(work, DistEnv(rank, 2, torch.device("cpu")))
    return len(seen)


def test_only_rank_0_reads_the_text(tmp_path, monkeypatch):
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path / "cache"))
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.txt").write_text("\n\n".join(f"Paragraph {k} of a text." for k in range(99)))
    started = torchrun(tmp_path, 2, reads_a_folder, str(tmp_path / "text"))
    assert [process.wait() for process in started] == [3, 0]  # to count, to train the tokenizer, to tokenise
