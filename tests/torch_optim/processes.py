"""Starts 2 or 4 processes once for all tests; the tests read the table of what they found."""

import json
import time

import pytest

from tests.forked import Forked
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
    started = [Forked(folder, sharded_worker.work, rank, world, str(folder)) for rank in range(world)]
    end = time.monotonic() + LIMIT
    while None in (codes := [process.poll() for process in started]) and not any(codes) and time.monotonic() < end:
        time.sleep(0.1)
    for process in started:
        process.kill()
    places = "\n".join(f"{path.name}: {path.read_text()}" for path in sorted(folder.glob(f"* of {world} is at")))
    said = "".join(process.stderr.read() for process, code in zip(started, codes, strict=True) if code)
    assert codes == [0] * world, f"after {LIMIT} s at most: exit codes {codes}\n{places}\n{said}"
    tables = [json.loads((folder / f"{rank} of {world}.json").read_text()) for rank in range(world)]
    return {case: [table[case] for table in tables] for case in tables[0]}
