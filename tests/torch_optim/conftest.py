"""Fixtures of the torch optimizers' tests: a compiler, and 2 or 4 processes, started once, whose tables tests read."""

import json
import time

import pytest

from tests.forked import Forked
from tests.torch_optim import sharded_worker
from tests.torch_optim.shared import compiling
from tools import preflight

__all__ = ["compiling"]
LIMIT = 300  # seconds until processes that hang are ended


def compiles(item) -> bool:
    """Whether a test has phases compiled, here or in the processes that it starts."""
    return "compiling" in item.fixturenames or item.path.name == "test_compile.py" or "[compiled: " in item.name


def pytest_collection_modifyitems(items):
    if preflight.compiler() is None:
        for item in filter(compiles, items):
            item.add_marker(pytest.mark.skip(reason="there is no C++ compiler"))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where processes meet, leave checkpoints, and write what they found."""
    return tmp_path_factory.mktemp("processes")


@pytest.fixture(scope="session")
def four(folder):
    """Case -> what each of four processes returned."""
    return run(4, folder)


@pytest.fixture(scope="session")
def two(folder, four):
    """The same of two, which load what four have saved."""
    return run(2, folder)


def run(world, folder):
    """Where one of the processes fails or hangs, this fails and says where all were."""
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
