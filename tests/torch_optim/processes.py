"""Starts 2 or 4 processes once for all tests; the tests read the table of what they found."""

import json
import time

import pytest
import torch.multiprocessing

from tests.torch_optim import sharded_worker

LIMIT = 300  # seconds until processes that hang are ended


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where processes meet, leave checkpoints, and write what they found."""
    return tmp_path_factory.mktemp("processes")


@pytest.fixture(scope="session")
def four(folder):
    """The table of four processes."""
    return run(4, folder)


@pytest.fixture(scope="session")
def two(folder, four):
    """The table of two, which load what four have saved."""
    return run(2, folder)


def run(world, folder):
    """Case -> what each process returned. Where one of them fails or hangs, this fails and says where all were."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        started = torch.multiprocessing.spawn(sharded_worker.work, (world, str(folder)), nprocs=world, join=False)
    end = time.monotonic() + LIMIT
    try:
        while not started.join(timeout=1):
            if time.monotonic() > end:
                raise TimeoutError(f"{world} processes did not finish within {LIMIT} s")
    except Exception as e:
        e.add_note("\n".join(f"{path.name}: {path.read_text()}" for path in sorted(folder.glob(f"* of {world} is at"))))
        raise
    finally:
        for process in started.processes:
            if process.is_alive():
                process.kill()
    tables = [json.loads((folder / f"{rank} of {world}.json").read_text()) for rank in range(world)]
    return {case: [table[case] for table in tables] for case in tables[0]}
