"""The same run on 1, 2 and 4 processes (gloo): DDP and FSDP2, and from one number of processes to another."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minilib.pretrain.logbook import read_curve
from tests.pretrain.test_engine import weights

ROOT = Path(__file__).resolve().parents[2]


def launch(config, ranks, *more):
    """Run to the end on so many processes."""
    words = ["--corpus", config.corpus, "--out", str(config.folder), "--vocabulary", "320", "--length", "16"]
    words += ["--batch-size", "8", "--precision", "fp32", "--log-every", "1", "--evaluate-rows", "8", *more]
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)] if ranks > 1 else []
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *torchrun, "-m", "minilib.pretrain", *words], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]


def curve(config):
    return [(row["loss"], row["grad_norm"]) for row in read_curve(config.folder)]


def close(a, b):
    return max(abs(x - y) for u, v in zip(a, b, strict=True) for x, y in zip(u, v, strict=True)) < 1e-5


@pytest.fixture(scope="module")
def alone(prose, tmp_path_factory):
    """One process, 20 steps of LAMB."""
    from minilib.pretrain.config import Config

    folder = tmp_path_factory.mktemp("alone")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINILIB_DATA", str(folder / "data"))
        config = Config(corpus=str(prose), out=str(folder / "run"), steps=20)
        launch(config, 1, "--steps", "20", "--optimizer", "lamb")
    return config


@pytest.mark.parametrize(("ranks", "parallel"), [(2, "ddp"), (4, "ddp"), (2, "fsdp"), (4, "fsdp")])
def test_the_curve_does_not_depend_on_the_processes(small, alone, ranks, parallel):
    config = small()
    launch(config, ranks, "--steps", "20", "--optimizer", "lamb", "--parallel", parallel)
    assert close(curve(config), curve(alone))
    a, b = weights(config), weights(alone)
    assert a.keys() == b.keys()
    assert max(float((a[k] - b[k]).abs().max()) for k in a) < 1e-5


def test_a_run_goes_on_on_another_number_of_processes(small, alone):
    config = small()
    arguments = ("--steps", "20", "--optimizer", "lamb", "--save-every", "10")
    launch(config, 2, *arguments, "--parallel", "fsdp")
    newest = sorted((config.folder / "checkpoints").glob("step-*"))[-1]
    for path in newest.iterdir():
        path.unlink()
    newest.rmdir()  # as if it had been killed before it was written
    launch(config, 1, *arguments)
    assert close(curve(config), curve(alone))
