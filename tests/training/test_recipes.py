"""The files in configs/ are what they say, and their shape of a run goes through at toy size."""

import math
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from minilib.schedules import sqrt_scaling
from minilib.training import trainer
from minilib.training.config import Phase, parse, read_toml
from minilib.training.run_dir import read_curve
from tests.training.runs import weights, words

ROOT = Path(__file__).resolve().parents[2]
LAMB, CAME = (ROOT / "configs" / f"{name}.toml" for name in ("lamb-two-phase", "came-bert-large"))


def test_the_two_phases_are_those_of_the_paper():
    config = parse(["--config", str(LAMB), "--corpus", "elsewhere"])
    first, second = config.plan
    assert first == Phase(steps=7037, length=128, batch_size=65_536, lr=6e-3, warmup=2000.0)
    assert second == Phase(steps=1562, length=512, batch_size=32_768, lr=4e-3, warmup=200.0)
    assert first.steps + second.steps == 8599
    # as many sequences as the paper's baseline: a million steps of 512
    assert first.steps * 65_536 + second.steps * 32_768 == pytest.approx(1_000_000 * 512, rel=1e-3)
    for world_size in (1, 8, 1024):
        assert [trainer.micro_batch(config, phase, world_size) for phase in config.plan] == [32, 32]
    # the square-root rule says about the same: from 6e-3 at 65,536 to 4.24e-3 at 32,768
    assert second.lr == pytest.approx(first.lr * sqrt_scaling(32_768, 65_536), rel=0.06)


def test_the_recipe_runs_at_toy_size_and_warms_up_twice(small):
    fields = read_toml(LAMB)
    for phase in fields["phases"]:
        phase |= {"steps": phase["steps"] // 195, "length": phase["length"] // 8, "warmup": phase["warmup"] / 100}
        phase["batch_size"] //= 8192
    toy = {"model": "bert-tiny", "corpus": small().corpus, "vocabulary": 320, "micro_batch": 2, "precision": "fp32"}
    config = small(**fields | toy | {"evaluate_every": 44})
    first, second = config.plan
    assert (first.steps, first.length, first.batch_size, first.warmup) == (36, 16, 8, 20.0)
    assert (second.steps, second.length, second.batch_size, second.warmup) == (8, 64, 4, 2.0)
    results = trainer.train(config, quiet=True)
    assert results["tokens"] == 36 * 8 * 16 + 8 * 4 * 64
    assert weights(config)["positions.weight"].shape[0] == 64
    rates = [row["lr"] for row in read_curve(config.folder)]
    expected = [6e-3 * min(1, (t + 1) / 20) * (1 - t / 36) ** 0.5 for t in range(36)]
    expected += [4e-3 * min(1, (t + 1) / 2) * (1 - t / 8) ** 0.5 for t in range(8)]
    assert rates == pytest.approx(expected)
    assert results["validation_loss"] < read_curve(config.folder)[0]["loss"]


def test_came_takes_the_paper_s_longest_steps_with_the_correction_and_its_recipe_learns_at_toy_size(small):
    config = parse(["--config", str(CAME), "--corpus", "elsewhere"])
    (phase,) = config.plan
    assert (config.optimizer, phase.steps, phase.length, phase.batch_size) == ("came-corrected", 20_000, 128, 32_768)
    ours = [trainer.learning_rate(config, phase, t) for t in range(phase.steps)]
    papers = [2e-4 / 3.5e-4 * rate / (1 - 0.9999 ** (t + 1)) ** 0.5 for t, rate in enumerate(ours)]  # without it
    assert max(ours) == pytest.approx(max(papers), rel=0.01)
    assert ours.index(max(ours)) == phase.warmup - 1
    assert all(a < b for a, b in zip(ours[:3900], papers[:3900], strict=True))
    assert ours[-1] / papers[-1] == pytest.approx(1.6, abs=0.05)
    toy = {"model": "bert-tiny", "corpus": small().corpus, "vocabulary": 320, "micro_batch": 4, "precision": "fp32"}
    toy |= {"steps": 24, "warmup": 4, "length": 16, "batch_size": 4, "lr": 3.5e-3}
    toy |= {"log_every": 24, "evaluate_every": 24}
    config = small(**read_toml(CAME) | toy)
    assert trainer.train(config, quiet=True)["validation_loss"] < math.log(320)


def test_two_machines_meet_as_in_the_slurm_script(small, tmp_path):
    config = small(steps=4)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = (ROOT / "configs" / "slurm.sh").read_text()
    for there, here in (("=8 ", "=1 "), ("=$HOME/big-batches ", f"={tmp_path} "), (":29500", f":{port}")):
        assert there in text
        text = text.replace(there, here)
    (tmp_path / "slurm.sh").write_text(text)
    # The cluster: two machines, both this one, and each is asked to run the same command.
    stubs = {
        "scontrol": "echo localhost; echo another",
        "srun": '"$@" & "$@" & wait -n && wait -n',
        ".venv/bin/torchrun": f'exec {sys.executable} -m torch.distributed.run "$@"',
    }
    for name, line in stubs.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{line}\n")
        path.chmod(0o755)
    slurm = {"SLURM_NNODES": "2", "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "localhost,another"}
    environment = os.environ | slurm | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    command = ["bash", tmp_path / "slurm.sh", *words(config)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "going on" not in done.stderr
    assert read_curve(config.folder)[-1]["step"] == 4
