"""Starts 2 or 4 processes once for all tests; the tests read the table of what they found."""

import json
import time

import pytest
import torch.multiprocessing

from tests.torch_optim import sharded_worker

LIMIT = 240  # seconds until processes that hang are ended


def run(world, folder):
    """Case -> what each process returned. A process that fails fails this, with its traceback."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        started = torch.multiprocessing.spawn(sharded_worker.work, (world, str(folder)), nprocs=world, join=False)
    end = time.monotonic() + LIMIT
    try:
        while not started.join(timeout=1):
            if time.monotonic() > end:
                pytest.fail(f"{world} processes did not finish within {LIMIT} s")
    finally:
        for process in started.processes:
            if process.is_alive():
                process.kill()
    tables = [json.loads((folder / f"{rank} of {world}.json").read_text()) for rank in range(world)]
    return {case: [table[case] for table in tables] for case in tables[0]}
