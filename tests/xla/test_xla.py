"""What holds on every device holds on XLA: the same curve, steps that are skipped, runs that go on; one program."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch_xla
import torch_xla.debug.metrics as metrics

from minilib.training import device, trainer
from minilib.training.optimizers import optimizer
from minilib.training.run_dir import read_curve
from minilib.training.step import step_if_finite
from tests.xla.conftest import FEW, XLA

METHODS = ["sgd", "adamw", "lars", "lamb", "adafactor", "came", "came-corrected"]


def curve(config):
    """Loss and norm of the gradients in each row, and the losses of the validations."""
    rows = read_curve(config.folder)
    return [row[k] for k in ("loss", "grad_norm", "validation_loss") for row in rows if not math.isnan(row[k])]


def followed(config):
    """Train; returns what XLA had counted at the start of each step: programs compiled, numbers read, and leftovers."""
    counts, one_step = [], trainer.Run.one_step

    def counting(self, *args):
        compiled = metrics.metric_data("CompileTime")
        counted = {name: metrics.counter_value(name) for name in metrics.counter_names() if name.startswith("aten::")}
        counts.append((compiled[0] if compiled else 0, counted.pop("aten::_local_scalar_dense", 0), counted))
        return one_step(self, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer.Run, "one_step", counting)
        trainer.train(config, quiet=True)
    return counts


@pytest.fixture(scope="module", params=["adamw", "lamb"])
def run(request, few):
    """A run on XLA, and its counts."""
    config = few(optimizer=request.param)
    return config, followed(config)


def test_the_curve_is_that_of_the_processor(run, few):
    config = few(optimizer=run[0].optimizer, device="cpu")
    trainer.train(config, quiet=True)
    assert curve(run[0]) == pytest.approx(curve(config), rel=1e-5)


def test_nothing_is_compiled_after_the_first_steps_though_the_learning_rate_varies(run):
    config, counts = run
    assert len({row["lr"] for row in read_curve(config.folder)}) == 4
    assert len({compiled for compiled, _, _ in counts[3:]}) == 1


def test_the_host_reads_nothing_but_the_rows_of_the_curve_and_every_operation_is_xlas(run):
    reads = [read for _, read, _ in run[1]]
    assert reads[0] == reads[1] < reads[2]  # a row after the second step
    assert reads[3] < reads[4] == reads[5]  # a checkpoint after the third, a row after the fourth
    assert all(not leftovers for _, _, leftovers in run[1])


def test_a_run_that_died_goes_on_as_if_it_had_not(run, few, monkeypatch):
    config, one_step = few(optimizer=run[0].optimizer), trainer.Run.one_step

    def dies(self, *args):
        if self.step == 5:
            raise KeyboardInterrupt
        return one_step(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(trainer.Run, "one_step", dies)
        with pytest.raises(KeyboardInterrupt):
            trainer.train(config, quiet=True)
    trainer.train(config, quiet=True)
    assert curve(config) == curve(run[0])


@pytest.mark.parametrize("model", ["gpt2", "t5-small"])
def test_other_models_have_the_curve_of_the_processor_too(few, model):
    runs = [few(model=model, vocabulary=400, steps=2, device=name) for name in ("xla", "cpu")]
    for config in runs:
        trainer.train(config, quiet=True)
    assert curve(runs[0]) == pytest.approx(curve(runs[1]), rel=1e-5)


def test_accumulated_micro_batches_make_the_step_of_the_whole_batch(few):
    parts, whole = few(optimizer="sgd", lr=0.1, micro_batch=4), few(optimizer="sgd", lr=0.1, device="cpu")
    counts = followed(parts)
    trainer.train(whole, quiet=True)
    assert curve(parts) == pytest.approx(curve(whole), rel=1e-5)
    assert counts[5][0] == counts[3][0]


def test_dropout_is_drawn_by_one_program_and_is_the_same_in_another_run(few):
    config, again = (few(optimizer="sgd", lr=0.0, dropout=0.5, steps=4, log_every=1) for _ in range(2))
    counts = followed(config)
    assert counts[3][0] == counts[2][0]
    trainer.train(again, quiet=True)
    assert curve(again) == curve(config)


def test_bfloat16_trains_like_float32(few):
    exact, rough = (few(precision=name, steps=2) for name in ("fp32", "bf16"))
    for config in (exact, rough):
        assert trainer.train(config, quiet=True)["precision"] == config.precision
    assert curve(rough) != curve(exact)
    assert curve(rough) == pytest.approx(curve(exact), rel=0.02)


@pytest.mark.parametrize("name", METHODS)
def test_a_step_without_a_finite_gradient_changes_nothing_also_if_it_is_the_first(name):
    ends = {}
    for place in (XLA, torch.device("cpu")):
        torch.manual_seed(0)
        model = torch.nn.Linear(6, 4).to(place)
        opt = optimizer(name, model, 0.1, 0.01, place)
        for factor in (math.nan, 1.0, math.inf, 0.5):
            for p in model.parameters():
                p.grad = factor * torch.linspace(-1, 2, p.numel()).view(p.shape).to(place)
            torch_xla.sync()
            before = everything(model, opt)
            step_if_finite(opt, model.parameters(), 0.1, clip=None)
            torch_xla.sync()
            if not math.isfinite(factor):
                after = everything(model, opt)
                assert all(torch.equal(t, after[key]) for key, t in before.items())
        ends[place.type] = everything(model, opt)
    assert ends["xla"].keys() == ends["cpu"].keys()
    for key, t in ends["cpu"].items():
        # On XLA AdamW finds 1 - 0.999 in float32, to 6e-5, and takes its root: two steps of 0.1 each differ by 3e-6.
        torch.testing.assert_close(ends["xla"][key], t, rtol=1e-5, atol=6e-6)


def everything(model, opt) -> dict:
    """Copies, on the CPU, of parameters and state."""
    state = {(i, key): t for i, own in opt.state_dict()["state"].items() for key, t in own.items()}
    return {key: t.detach().to("cpu", copy=True) for key, t in (dict(model.named_parameters()) | state).items()}


def test_the_device_is_picked_by_name_and_its_speed_is_that_of_the_processor():
    place = device.pick("xla")
    assert place == XLA
    rate, usual = (device.matmul_rate(d, torch.float32) for d in (place, torch.device("cpu")))
    assert usual / 10 < rate < usual * 10  # more, where the product was not tokenizer or not waited for
    assert device.precision(place) in ("fp32", "bf16")
    assert device.describe(place) == "xla"


@pytest.mark.parametrize(("chips", "rows"), [(4, 8), (2, 7)])
def test_several_chips_share_the_rows_and_have_the_curve_of_one_processor(few, chips, rows):
    config = few(optimizer="lamb", device="cpu", batch_size=rows, layers=1, width=16, heads=2)
    trainer.train(config, quiet=True)
    out = config.folder.parent / "chips"
    wanted = FEW | {"optimizer": "lamb", "batch_size": rows, "layers": 1, "width": 16, "heads": 2}
    wanted["corpus"] = config.corpus
    words = [word for name, value in wanted.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    done = subprocess.run(
        [sys.executable, "-m", "minilib.training", "--no-recipe", *words, "--device", "xla", "--out", out],
        env=os.environ | {"CPU_NUM_DEVICES": str(chips), "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert f"on xla, {chips} chips" in done.stdout + done.stderr
    rows_of = [read_curve(folder) for folder in (out, config.folder)]
    ours, theirs = ([(row["loss"], row["grad_norm"]) for row in rows] for rows in rows_of)
    assert [x for pair in ours for x in pair] == pytest.approx([x for pair in theirs for x in pair], rel=1e-5)
