"""Killed at random times, also while a checkpoint is written, a run ends as one that was not."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.pretrain.test_engine import equal, weights, what_was_computed

ROOT = Path(__file__).resolve().parents[2]
KILLS = 20


def start(config, ranks=1):
    """The run as a process of its own."""
    arguments = {"corpus": config.corpus, "vocabulary": 320, "length": 16, "batch_size": 8, "steps": config.steps}
    arguments |= {"precision": "fp32", "log_every": 2, "evaluate_every": 10, "evaluate_rows": 8, "save_every": 1}
    arguments |= {"out": config.folder}
    words = [w for name, value in arguments.items() for w in (f"--{name.replace('_', '-')}", str(value))]
    launch = [sys.executable, "-m"]
    if ranks > 1:
        launch += ["torch.distributed.run", "--nproc-per-node", str(ranks), "--standalone", "--max-restarts", "0", "-m"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [*launch, "minilib.pretrain", *words],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_twenty_random_kills_lose_nothing(small, tmp_path):
    whole = small(steps=60, out=str(tmp_path / "whole"))
    began = time.monotonic()
    process = start(whole)
    while not whole.folder.exists():
        time.sleep(0.05)
    loaded = time.monotonic() - began
    assert process.wait() == 0, process.stderr.read()
    lasts = time.monotonic() - began - loaded

    config, draw = small(steps=60), random.Random(1)
    killed = seen = 0
    while killed < KILLS:
        process = start(config)
        time.sleep(loaded + draw.random() * lasts / 4)
        if process.poll() is not None:  # it ended before it was killed
            assert process.returncode == 0, process.stderr.read()
            break
        kill(process)
        killed += 1
        seen = max(seen, len(list((config.folder / "checkpoints").glob("step-*"))))
    assert start(config).wait() == 0
    assert killed >= KILLS // 2
    assert seen > 0
    assert equal(weights(config), weights(whole))
    assert what_was_computed(config) == what_was_computed(whole)


def test_sigterm_saves_and_exits_with_zero(small):
    config = small(steps=100_000)
    process = start(config)
    while not list((config.folder / "checkpoints").glob("step-????????")):
        time.sleep(0.05)
        assert process.poll() is None, process.stderr.read()
    process.terminate()
    assert process.wait() == 0
    assert "asked to stop: saved after step" in process.stderr.read()


def test_wrong_questions_get_one_line_and_exit_code_two(small):
    config = small(out="unused", corpus="no/such/folder")
    process = start(config)
    error = process.stderr.read()
    assert process.wait() == 2
    assert error.startswith("error: corpus = 'no/such/folder'")
    assert error.count("\n") == 1
    assert not Path("unused").exists()
