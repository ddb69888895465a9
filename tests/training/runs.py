"""Runs of `python -m minilib.training` in other processes: forked, where how it starts is not what is tested."""

import sys

from minilib.training.config import Config
from tests.forked import Forked, torchrun


def words(config: Config, **more) -> list[str]:
    """The command line of a small run; `more` are settings by name."""
    arguments = {"corpus": config.corpus, "vocabulary": 320, "length": 16, "batch_size": 8, "steps": config.steps}
    arguments |= {"precision": "fp32", "log_every": 2, "evaluate_rows": 8, "out": config.folder} | more
    return [word for name, value in arguments.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def main(*words: str) -> int:
    """`python -m minilib.training` with these words; its exit code."""
    from minilib.training.__main__ import main

    sys.argv = ["pretrain", *words]
    return main()


def run_alone(config: Config, **more) -> Forked:
    """The run in one process, which may still be running."""
    return Forked(config.folder.parent, main, *words(config, **more))


def run_together(config: Config, world_size: int, **more) -> None:
    """The run in so many processes, to its end."""
    started = torchrun(config.folder.parent, world_size, main, *words(config, **more))
    assert [process.wait() for process in started] == [0] * world_size, started[0].stderr.read()
