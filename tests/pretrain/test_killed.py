"""Killed at random times, also while a checkpoint is written, a run ends as one that was not."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.pretrain.test_engine import equal, weights, what_was_computed

ROOT = Path(__file__).resolve().parents[2]
KILLS = 20


def start(config, ranks=1, meet=None):
    """The run as a process of its own; with `meet`, an address, as one of two machines with `ranks` processes each."""
    arguments = {"corpus": config.corpus, "vocabulary": 320, "length": 16, "batch_size": 8, "steps": config.steps}
    arguments |= {"precision": "fp32", "log_every": 2, "evaluate_every": 10, "evaluate_rows": 8, "save_every": 1}
    arguments |= {"out": config.folder}
    words = [w for name, value in arguments.items() for w in (f"--{name.replace('_', '-')}", str(value))]
    launch = [sys.executable, "-m"]
    if ranks > 1:
        launch += ["torch.distributed.run", "--nproc-per-node", str(ranks), "--standalone", "--max-restarts", "3", "-m"]
    if meet:
        together = ["--nnodes", "2", "--rdzv-backend", "c10d", "--rdzv-id", "run", "--rdzv-endpoint", meet]
        launch += ["torch.distributed.run", "--nproc-per-node", str(ranks), *together, "--max-restarts", "3", "-m"]
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


def newest(config) -> int:
    """The step of the newest checkpoint that bears its final name; -1 when there is none."""
    return max((int(path.name[5:]) for path in (config.folder / "checkpoints").glob("step-????????")), default=-1)


def wait_for(config, step, process):
    """Until there is a checkpoint of that step or a later one."""
    while newest(config) < step:
        time.sleep(0.01)
        assert process.poll() is None, process.stderr.read()


def test_twenty_random_kills_lose_nothing(small, tmp_path):
    whole, config, draw = small(steps=200, out=str(tmp_path / "whole")), small(steps=200), random.Random(1)
    began = time.monotonic()
    process = start(whole)
    wait_for(whole, 1, process)
    loads = time.monotonic() - began
    assert process.wait() == 0, process.stderr.read()

    for k in range(KILLS):
        process = start(config)
        if k % 4 == 0:  # some while the run starts, the others while it trains, which is mostly while it saves
            time.sleep(draw.random() * loads)
        else:
            wait_for(config, newest(config) + 1, process)
            time.sleep(draw.random() * 0.1)
        assert process.poll() is None, process.stderr.read()
        kill(process)
    assert newest(config) >= KILLS // 2
    process = start(config)
    assert process.wait() == 0, process.stderr.read()
    assert equal(weights(config), weights(whole))
    assert what_was_computed(config) == what_was_computed(whole)


def test_a_killed_worker_is_started_again_and_loses_nothing(small, tmp_path):
    whole, config = small(steps=100, out=str(tmp_path / "whole")), small(steps=100)
    assert start(whole, ranks=2).wait() == 0
    process = start(config, ranks=2)
    for rank in (0, 1):
        wait_for(config, newest(config) + 5, process)
        workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(workers[rank]), signal.SIGKILL)
        time.sleep(1)  # what was being saved is saved
    assert process.wait() == 0, process.stderr.read()
    assert equal(weights(config), weights(whole))
    assert what_was_computed(config) == what_was_computed(whole)


def test_a_worker_killed_on_one_of_two_machines_costs_one_restart(small, tmp_path, capfd):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        meet = f"localhost:{free.getsockname()[1]}"
    whole, config = small(steps=60, out=str(tmp_path / "whole")), small(steps=60)
    assert start(whole, ranks=2).wait() == 0
    machines = [start(config, meet=meet) for _ in range(2)]
    wait_for(config, 5, machines[1])
    (worker,) = Path(f"/proc/{machines[1].pid}/task/{machines[1].pid}/children").read_text().split()
    os.kill(int(worker), signal.SIGKILL)
    assert [machine.wait() for machine in machines] == [0, 0]
    assert capfd.readouterr().out.count("going on after step") == 1
    assert equal(weights(config), weights(whole))
    assert what_was_computed(config) == what_was_computed(whole)


def test_sigterm_saves_and_exits_with_zero(small):
    config = small(steps=100_000)
    process = start(config)
    wait_for(config, 1, process)
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
