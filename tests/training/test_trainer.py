"""The training loop: what a run leaves behind, what it does not depend on, and when it gives up."""

import dataclasses
import json
import math
from itertools import count, product
from types import SimpleNamespace

import pytest
import torch

from minilib.models import registry
from minilib.training import checkpoint, trainer
from minilib.training.config import OPTIMIZERS, Config
from minilib.training.run_dir import read_curve
from tests.training.runs import check_same, died_after, largest_difference, saved_steps, trained, weights


@pytest.fixture
def nan_loss(monkeypatch):
    """`nan_loss(*calls)`: the loss of the forward passes of training with these numbers, or of all, is NaN."""
    forward, number = registry.Bert.forward, count(1)

    def poison(*calls):
        def poisoned(self, batch):
            out = forward(self, batch)
            good = not self.training or (calls and next(number) not in calls)
            return out if good else out._replace(loss=out.loss * math.nan)

        monkeypatch.setattr(registry.Bert, "forward", poisoned)

    return poison


def test_a_run_leaves_a_folder_that_says_what_it_was_and_how_it_went(complete_run):
    config, results = complete_run
    files = {path.name for path in config.folder.iterdir()}
    names = {"run-config.json", "tokenizer.json", "run.json", "curve.csv", "curve.png"}
    assert files == names | {"tensorboard", "checkpoints"}
    run = json.loads((config.folder / "run.json").read_text())
    assert run["results"] == results
    assert Config(**json.loads((config.folder / "run-config.json").read_text())) == config
    rows = read_curve(config.folder)
    assert [row["step"] for row in rows] == [2, 4, 6, 8]
    assert [math.isnan(row["validation_loss"]) for row in rows] == [True, False, True, False]
    assert rows[-1]["tokens"] == results["tokens"] == 8 * 8 * 16
    assert rows[-1]["validation_loss"] == results["validation_loss"]


# Every optimizer has a state of its own to save. Where a run died (just after a checkpoint, or two steps later) and its
# precision do not touch that state.
DEATHS = [(name, 6, {}) for name in OPTIMIZERS] + [("adamw", 4, {"precision": "bf16"})]
DEATHS += [("adamw", 6, {"state_dtype": "uint8"}), ("came", 4, {"state_dtype": "bfloat16"})]
DEATHS += [("muon", 6, {"modern": True})]


@pytest.mark.parametrize(("optimizer", "step", "fields"), DEATHS)
def test_a_run_that_died_goes_on_as_if_it_had_not(small, tmp_path, optimizer, step, fields):
    options = {"optimizer": optimizer, "dropout": 0.1} | fields
    whole = trained(small(**options, out=str(tmp_path / "whole")))
    config = died_after(small(**options), step)
    trained(config)
    check_same(config, whole)


def test_accumulation_equals_the_big_batch_to_rounding(small, tmp_path):
    # Not with AdamW: it divides the gradient of a key's bias, which is rounding alone, by its own size.
    options = {"optimizer": "sgd", "lr": 0.1}
    whole, parts = small(**options), small(micro_batch=2, out=str(tmp_path / "parts"), **options)
    trained(whole)
    trained(parts)
    assert largest_difference(whole, parts) < 1e-6


def test_a_run_that_has_cooled_down_goes_on_from_before_as_if_it_had_been_longer_from_the_start(small, tmp_path):
    options = {"schedule": "wsd", "warmup": 2.0, "cooldown": 3.0, "log_every": 1, "keep": 1}
    whole, config = (small(**options, steps=14, out=str(tmp_path / name)) for name in ("whole", "run"))
    trained(whole)
    trainer.train(dataclasses.replace(config, steps=8), quiet=True)
    short = read_curve(config.folder)
    assert saved_steps(config) == [5, 8]
    trainer.train(died_after(config, 7), quiet=True)  # killed in between, it does not take the old end for its own
    check_same(config, whole)
    assert saved_steps(config) == [11, 14]
    assert (config.folder / "checkpoints" / "cooled-step-00000008").is_dir()
    assert [row["lr"] for row in short[5:]] == pytest.approx([2e-3 * (1 - (k / 3) ** 0.5) for k in range(3)])
    with pytest.raises(ValueError, match="has a run of 14 steps, now they are 9 and a cooldown: a run can"):
        trainer.train(dataclasses.replace(config, steps=12), quiet=True)


def test_a_gradient_that_is_not_finite_changes_nothing_and_is_counted(small, monkeypatch, tmp_path):
    one_step = trainer.Run.one_step

    def poisoned(self, *arguments):
        if self.step != 2:
            return one_step(self, *arguments)
        handle = next(self.model.parameters()).register_hook(lambda g: g * math.nan)
        before = [p.clone() for p in self.model.parameters()]
        out = one_step(self, *arguments)
        handle.remove()
        assert all(torch.equal(p, q) for p, q in zip(before, self.model.parameters(), strict=True))
        return out

    monkeypatch.setattr(trainer.Run, "one_step", poisoned)
    assert trainer.train(small(), quiet=True)["skipped"] == 1
    monkeypatch.setattr(trainer, "MAX_SKIPPED", 0)
    with pytest.raises(trainer.Diverged, match="1 steps had a gradient that was not finite, where 0 may"):
        trained(small(out=str(tmp_path / "other")))


@pytest.mark.parametrize("save_every", [1, 1000])
def test_a_loss_that_explodes_ends_the_run_and_the_last_good_checkpoint_is_named(small, save_every):
    config = small(optimizer="sgd", lr=1e4, warmup=0.0, clip=None, save_every=save_every, steps=40, log_every=4)
    with pytest.raises(trainer.Diverged, match="the loss is .*, that of guessing 4.57") as diverged:
        trained(config)
    assert not (config.folder / "run.json").exists()
    if save_every == 1:
        assert all(t.isfinite().all() for t in weights(config).values())
        assert str(diverged.value).endswith(f"is {checkpoint.complete(config.folder / 'checkpoints')[-1]}")
    else:
        assert str(diverged.value).endswith("there was no checkpoint yet")


def test_a_loss_that_is_not_finite_is_skipped_like_its_gradient(small, nan_loss):
    nan_loss(3, 5, 6)
    assert trainer.train(small(), quiet=True)["skipped"] == 3
    assert [math.isnan(row["loss"]) for row in read_curve(small().folder)] == [False, False, True, False]


def test_a_complete_run_is_left_as_it_is(complete_run):
    config, results = complete_run
    before = {path: path.read_bytes() for path in config.folder.rglob("*") if path.is_file()}
    assert trainer.train(config, quiet=True) == results
    assert {path: path.read_bytes() for path in config.folder.rglob("*") if path.is_file()} == before


def test_a_folder_with_another_run_is_left_alone(small):
    trained(small(steps=2))
    with pytest.raises(ValueError, match="has a run with lr = 0.002, now it is 0.1"):
        trained(small(steps=2, lr=0.1))


@pytest.mark.parametrize("optimizer", ["adamw", "lamb"])
def test_float16_skips_until_its_scale_fits_and_goes_on_where_it_stopped(small, tmp_path, monkeypatch, optimizer):
    scaler = torch.amp.GradScaler
    monkeypatch.setattr(torch.amp, "GradScaler", lambda device: scaler(device, init_scale=2.0**24))
    options = {"precision": "fp16", "optimizer": optimizer, "steps": 12, "log_every": 1, "schedule": "constant"}
    whole = trainer.train(small(**options, out=str(tmp_path / "whole")), quiet=True)
    assert 0 < whole["skipped"] < 12  # a loss of 6 times 2^24 / 128 overflows
    state = checkpoint.newest(tmp_path / "whole" / "checkpoints").state
    assert state["scaler"]["scale"] == 2.0 ** (24 - whole["skipped"])
    trained(small(**options | {"steps": 8}))
    trained(small(**options))
    check_same(small(**options), small(**options, out=str(tmp_path / "whole")))


@pytest.fixture
def restless(monkeypatch):
    """A loss scale that is too large at first, and tries a larger one after every two good steps, not 2,000."""
    scaler = torch.amp.GradScaler
    monkeypatch.setattr(torch.amp, "GradScaler", lambda device: scaler(device, init_scale=2.0**18, growth_interval=2))
    monkeypatch.setattr(trainer, "MAX_SKIPPED", 4)


def test_float16_does_not_give_up_for_its_own_trials_of_a_larger_scale(small, restless):
    config = small(precision="fp16", steps=30, log_every=1)
    assert 6 < trainer.train(config, quiet=True)["skipped"] < 14  # about every third step


def test_float16_gives_up_where_no_scale_helps(small, restless, nan_loss):
    trained(small(precision="fp16", steps=12, log_every=1))
    nan_loss()
    with pytest.raises(trainer.Diverged, match=r"gave up at step .*: \d+ steps had .*, where \d+ may"):
        trained(small(precision="fp16", steps=60, log_every=1))


def test_float16_learns_what_float32_learns(small, tmp_path):
    options = {"steps": 40, "lr": 1e-3, "evaluate_every": 40}
    half, full = (
        trainer.train(small(**options, precision=p, out=str(tmp_path / p)), quiet=True) for p in ("fp16", "fp32")
    )
    assert half["precision"] == "fp16"
    assert half["validation_loss"] == pytest.approx(full["validation_loss"], abs=0.02)
    assert half["validation_loss"] != full["validation_loss"]


@pytest.mark.parametrize(("processes", "device"), [(2, "cpu"), (1, "mps")])
def test_float16_is_refused_where_there_is_no_loss_scaling(small, processes, device):
    env = SimpleNamespace(world_size=processes, device=torch.device(device))
    with pytest.raises(
        ValueError, match="precision must be bf16 or fp32, got fp16: it is for cuda and cpu, and not for fsdp"
    ):
        trainer.own_precision(small(precision="fp16", parallel="fsdp"), env)


def test_dropout_has_a_seed_for_every_seed_step_and_process(small):
    largest = {"seed": 2**63 - 1, "dropout": 0.1}
    assert trainer.train(small(**largest, steps=3), quiet=True)["steps"] == 3
    drawn = [trainer.dropout_seed(*which) for which in product((0, 2**63 - 1), (0, 10**12), (0, 7))]
    assert len(set(drawn)) == len(drawn) == 8
    assert all(0 <= number < 2**64 for number in drawn)
    assert drawn[0] == 1_000_003 * 4_096  # as in the runs that are recorded
