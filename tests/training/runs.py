"""Small runs: what they leave behind, how they die, and `python -m minilib.training` in other processes.

Those are forked, where how a run starts is not what is tested.
"""

import math
import sys
import time
from collections.abc import Callable

import pytest
import torch

from minilib.models import registry
from minilib.training import checkpoint, trainer
from minilib.training.config import Config
from minilib.training.run_dir import read_curve
from tests.forked import Forked, torchrun


def make_models_tiny(patch: pytest.MonkeyPatch) -> None:
    """Every named model has two layers of 32 numbers."""
    size, tiny = registry.size, {"layers": 2, "width": 32, "heads": 2}
    patch.setattr(registry, "size", lambda name, **changes: size(name, **tiny | changes))


def weights(config: Config) -> dict:
    """The parameters in the newest checkpoint."""
    return checkpoint.load(checkpoint.complete(config.folder / "checkpoints")[-1]).model


def saved_steps(config: Config) -> list[int]:
    return [int(path.name[5:]) for path in checkpoint.complete(config.folder / "checkpoints")]


def check_same(a: Config, b: Config) -> None:
    """Two runs have the same weights, to the bit, and the same curve but for clocks."""
    ours, theirs = weights(a), weights(b)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    clocks = ("seconds", "tokens_per_second", "utilisation")
    curves = [
        [{k: v for k, v in row.items() if k not in clocks and not math.isnan(v)} for row in read_curve(config.folder)]
        for config in (a, b)
    ]
    assert curves[0] == curves[1]


def largest_difference(a: Config, b: Config) -> float:
    """Of two weights of the same name."""
    ours, theirs = weights(a), weights(b)
    assert ours.keys() == theirs.keys()
    return max(float((ours[name] - theirs[name]).abs().max()) for name in ours)


def trained(config: Config) -> Config:
    """The run is trained to its end, in silence."""
    trainer.train(config, quiet=True)
    return config


def died_after(config: Config, step: int) -> Config:
    """The run is killed in the middle of that step."""
    one_step = trainer.Run.one_step

    def dies(self, *arguments):
        if self.step == step:
            raise KeyboardInterrupt
        return one_step(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer.Run, "one_step", dies)
        with pytest.raises(KeyboardInterrupt):
            trainer.train(config, quiet=True)
    return config


def check_refused(config: Config, message: str) -> None:
    """The run is refused with this message, and leaves nothing."""
    with pytest.raises(ValueError, match=message):
        trainer.train(config, quiet=True)
    assert not config.folder.exists()


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


def wait_until(reached: Callable[[], bool], process) -> None:
    """Looks again and again, as long as the process lives."""
    while not reached():
        time.sleep(0.01)
        assert process.poll() is None, process.stderr.read()


def ended(folder, world_size: int, function, *arguments, machines: int = 1) -> list[tuple[int, str, str]]:
    """The exit code, standard output and standard error of each of so many processes."""
    started = torchrun(folder, world_size, function, *arguments, machines=machines)
    return [(process.wait(), process.stdout.read(), process.stderr.read()) for process in started]


def run_together(config: Config, world_size: int, machines: int = 1, **more) -> None:
    """The run in so many processes, to its end."""
    done = ended(config.folder.parent, world_size, main, *words(config, **more), machines=machines)
    assert [code for code, _, _ in done] == [0] * world_size, done[0][2]
