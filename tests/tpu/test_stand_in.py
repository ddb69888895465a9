"""What the code does on a TPU, as far as a device that imitates one can say: `stand_in`; no TPU has run it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.training.conftest import prose  # noqa: F401


@pytest.fixture(scope="module")
def told(prose, tmp_path_factory):  # noqa: F811
    folder = tmp_path_factory.mktemp("tpu")
    env = os.environ | {"MINILIB_DATA": str(folder), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, "-m", "tests.tpu.run", str(prose), str(folder)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_chip_is_picked_its_precision_is_not_measured_and_its_memory_decides_the_recipe(told):
    picked = told["picked"]
    assert [picked[key] for key in ("type", "precision", "name")] == ["tpu", "bf16", "TPU v5e"]
    sizes = [(fields["model"], fields["batch_size"]) for fields in picked["recipes"]]
    small = ("bert-small", 256)
    assert sizes == [small, small, ("bert-base", 512), ("bert-base", 1024)]
    assert picked["heard"] == ["the memory of tpu is not known (unrecognized TPU v5e): the recipe is the smallest"]


@pytest.mark.parametrize("method", ["lamb", "adamw"])  # the run of the first died at its sixth step, and went on
def test_a_run_has_the_curve_of_the_processor_and_reads_numbers_only_where_one_is_due(told, method):
    ours, cpu = told["runs"][f"{method} tpu"], told["runs"][f"{method} cpu"]
    assert ours["curve"] == pytest.approx(cpu["curve"], rel=1e-5)
    reads = ours["reads"]
    assert reads[0] == reads[1] < reads[2]  # a row after the second step
    assert reads[2] < reads[3] < reads[4] == reads[5]  # a checkpoint after the third, a row after the fourth


@pytest.mark.parametrize("method", ["sgd", "adamw", "lamb", "came"])
def test_a_step_without_a_finite_gradient_moves_nothing_and_the_host_does_not_ask(told, method):
    steps = told["skipped"][method]
    assert [length > 0 for length in steps["moved"]] == [False, True, False, True]
    assert steps["reads"] == [0, 0, 0, 0]
