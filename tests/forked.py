"""Functions in processes of their own that begin at once: forks of one process that has imported everything.

A new Python takes seconds to import torch, a fork of one that has done so takes milliseconds. It can be killed, asked
to stop, and exits with a code like any other. That a run also starts as `python -m minilib.training` and under torchrun
is tested in tests/training/test_killed.py.
"""

import multiprocessing
import os
import socket
import sys
import tempfile
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["minilib.training.__main__", "matplotlib.figure", "tests.torch_optim.sharded_worker"])
LIMIT = 300  # seconds until a process that hangs is ended


class Forked:
    """`function(*arguments)` in a process of its own; what it returns is the exit code. Used as a `subprocess.Popen`.

    Its environment is that of the test with `changes`; what it prints is kept below `folder`.
    """

    def __init__(self, folder: Path, function, *arguments, **changes):
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        what = (self.folder, dict(os.environ) | changes, function, arguments)
        self.process = FORKS.Process(target=_work, args=what, daemon=True)
        self.process.start()

    @property
    def stdout(self):
        return open(self.folder / "stdout")

    @property
    def stderr(self):
        return open(self.folder / "stderr")

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self) -> int:
        self.process.join(LIMIT)
        if self.process.is_alive():
            self.kill()
            raise TimeoutError(f"it did not end within {LIMIT} s: {self.stderr.read()}")
        return self.process.exitcode

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def terminate(self) -> None:
        self.process.terminate()


def torchrun(folder: Path, world_size: int, function, *arguments, machines: int = 1) -> list[Forked]:
    """The function in so many processes, each of which is told who it is as torchrun tells it, on so many machines."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        meet = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1]), "WORLD_SIZE": str(world_size)}
    each = -(-world_size // machines)
    here = [str(min(each, world_size - k // each * each)) for k in range(world_size)]
    told = [{"RANK": str(k), "LOCAL_RANK": str(k % each), "LOCAL_WORLD_SIZE": n} for k, n in enumerate(here)]
    return [Forked(folder, function, *arguments, **meet, **who) for who in told]


def _work(folder, environment, function, arguments):
    import torch

    for name, number in (("stdout", 1), ("stderr", 2)):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), number)
    os.environ.clear()
    os.environ.update(environment)
    torch.set_num_threads(1)
    sys.exit(function(*arguments))
