"""Killed at random times, also while a checkpoint is written, a run ends as one that was not."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.training.runs import check_same, run_alone, run_together, saved_steps, wait_until, words

ROOT = Path(__file__).resolve().parents[2]
KILLS = 20
OFTEN = {"evaluate_every": 10, "save_every": 1}


def python(*arguments):
    """A Python of its own."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, *arguments], env=environment, stderr=subprocess.PIPE, text=True)


def torchrun(config, *options, **more):
    """The run as torchrun starts it; `more` are settings by name."""
    launch = ["-m", "torch.distributed.run", *options, "--max-restarts", "3", "-m", "minilib.training"]
    return python(*launch, *words(config, **OFTEN | more))


def newest(config) -> int:
    """The step of the newest checkpoint that bears its final name; -1 when there is none."""
    return max(saved_steps(config), default=-1)


def wait_for(config, step, process):
    """Until there is a checkpoint of that step or a later one."""
    wait_until(lambda: newest(config) >= step, process)


def worker_of(process, rank) -> int:
    """The number of one of the processes that torchrun has started."""
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[rank])


def test_twenty_random_kills_lose_nothing(small, tmp_path):
    whole, config, draw = small(steps=200, out=str(tmp_path / "whole")), small(steps=200), random.Random(1)
    began = time.monotonic()
    process = run_alone(whole, **OFTEN)
    wait_for(whole, 1, process)
    loads = time.monotonic() - began
    assert process.wait() == 0, process.stderr.read()

    for k in range(KILLS):
        process = run_alone(config, **OFTEN)
        if k % 4 == 0:  # some while the run starts, the others while it trains, which is mostly while it saves
            time.sleep(draw.random() * loads)
        else:
            wait_for(config, newest(config) + 1, process)
            time.sleep(draw.random() * 0.1)
        assert process.poll() is None, process.stderr.read()
        process.kill()
    assert newest(config) >= KILLS // 2
    process = run_alone(config, **OFTEN)
    assert process.wait() == 0, process.stderr.read()
    check_same(config, whole)


@pytest.fixture(scope="module")
def whole(together):
    """Two processes, to the end."""
    config = together("whole", steps=60)
    run_together(config, 2, **OFTEN)
    return config


def test_a_killed_worker_is_started_again_and_loses_nothing(small, whole):
    config = small(steps=60)
    process = torchrun(config, "--nproc-per-node", "2", "--standalone")
    for rank in (0, 1):
        wait_for(config, newest(config) + 5, process)
        os.kill(worker_of(process, rank), signal.SIGKILL)
        time.sleep(1)  # what was being saved is saved
    assert process.wait() == 0, process.stderr.read()
    check_same(config, whole)


def test_a_worker_killed_on_one_of_two_machines_costs_one_restart(small, whole, capfd):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        meet = f"localhost:{free.getsockname()[1]}"
    config = small(steps=60)
    options = ["--nnodes", "2", "--nproc-per-node", "1", "--rdzv-backend", "c10d", "--rdzv-id", "run"]
    machines = [torchrun(config, *options, "--rdzv-endpoint", meet) for _ in range(2)]
    wait_for(config, 5, machines[1])
    os.kill(worker_of(machines[1], 0), signal.SIGKILL)
    assert [machine.wait() for machine in machines] == [0, 0]
    assert capfd.readouterr().out.count("going on after step") == 1
    check_same(config, whole)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_asks_a_run_to_stop_gets_a_checkpoint_one_line_and_exit_code_three(small, number):
    config = small(steps=100_000)
    process = run_alone(config, **OFTEN | {"save_every": 90_000})
    wait_until((config.folder / "curve.csv").exists, process)
    os.kill(process.process.pid, number)
    assert process.wait() == 3
    (line,) = [line for line in process.stderr.read().splitlines() if "it/s" not in line and "step" in line]
    assert line.startswith(f"asked to stop: saved after step {newest(config)}; the same command goes on")


def test_ctrl_c_under_torchrun_keeps_a_checkpoint_says_one_line_of_ours_and_ends_with_torchruns_one(small):
    config = small(steps=100_000)
    process = torchrun(config, "--nproc-per-node", "2", "--standalone", save_every=90_000)
    wait_until((config.folder / "curve.csv").exists, process)
    os.kill(process.pid, signal.SIGINT)  # as the terminal does: torchrun's processes have sessions of their own
    errors = process.communicate()[1].splitlines()
    assert process.returncode == 1
    assert errors.count(f"asked to stop: saved after step {newest(config)}; the same command goes on") == 1
    assert newest(config) < 90_000
    assert any("SignalException" in line for line in errors)  # torchrun's own report


def test_wrong_questions_get_one_line_and_exit_code_two(small):
    process = python("-m", "minilib.training", *words(small(out="unused", corpus="no/such/folder")))
    error = process.stderr.read()
    assert process.wait() == 2
    assert error.startswith("error: --corpus = 'no/such/folder'")
    assert error.count("\n") == 1
    assert not Path("unused").exists()
