"""The same run on 1, 2 and 4 processes (gloo): DDP and FSDP2, and from one number of processes to another."""

import shutil

import pytest

from minilib.training.run_dir import read_curve
from tests.training.runs import run_alone, run_together
from tests.training.test_trainer import weights

SETTINGS = {"optimizer": "lamb", "log_every": 1}


def curve(config):
    return [(row["loss"], row["grad_norm"]) for row in read_curve(config.folder)]


def close(a, b):
    return max(abs(x - y) for u, v in zip(a, b, strict=True) for x, y in zip(u, v, strict=True)) < 1e-5


@pytest.fixture(scope="module")
def alone(together):
    """One process, 10 steps of LAMB."""
    config = together("alone", steps=10)
    assert run_alone(config, **SETTINGS).wait() == 0
    return config


@pytest.mark.parametrize(("world_size", "parallel"), [(2, "ddp"), (4, "fsdp")])  # two of FSDP are in the test below
def test_the_curve_does_not_depend_on_the_processes(small, alone, world_size, parallel):
    config = small(steps=10)
    run_together(config, world_size, **SETTINGS, parallel=parallel)
    assert close(curve(config), curve(alone))
    a, b = weights(config), weights(alone)
    assert a.keys() == b.keys()
    assert max(float((a[k] - b[k]).abs().max()) for k in a) < 1e-5


def test_a_run_goes_on_on_another_number_of_processes(small, alone):
    config = small(steps=10)
    run_together(config, 2, **SETTINGS, save_every=5, parallel="fsdp")
    newest = sorted((config.folder / "checkpoints").glob("step-*"))[-1]
    shutil.rmtree(newest)  # as if it had been killed before it was written
    assert run_alone(config, **SETTINGS, save_every=5).wait() == 0
    assert close(curve(config), curve(alone))
