"""Early stopping: when, what is said and kept, and that an interruption changes nothing."""

import json

import pytest

from minilib.training import checkpoint, trainer
from minilib.training.run_dir import read_curve, read_results
from tests.training.runs import check_same, died_after, saved_steps, trained

# Of the validations after steps 2, 4, ...: the best one is after step 6.
LOSSES = {2: 4.0, 4: 3.5, 6: 3.0, 8: 3.2, 10: 3.0, 12: 3.1, 14: 2.0, 16: 1.0}


@pytest.fixture
def run(small, monkeypatch):
    """A run whose validations find `LOSSES`."""

    def validate(self):
        return {"validation_loss": LOSSES[self.step], "validation_accuracy": 0.0}

    monkeypatch.setattr(trainer.Run, "validate", validate)
    return lambda **changes: small(**{"steps": 16, "evaluate_every": 2, "save_every": 4, "keep": 9} | changes)


def test_it_stops_after_so_many_validations_without_a_better_one_and_says_so(run, capsys):
    config = run(patience=3, keep=1)
    results = trainer.train(config)
    assert (results["steps"], results["stopped_early"], results["validation_loss"]) == (12, True, 3.1)
    line = capsys.readouterr().out.strip().split("\n")[-1]
    assert line.startswith("stopped early, after 3 validations without a better one than 3.000 at step 6: validation")
    assert read_results(config.folder) == results
    assert saved_steps(config) == [6, 12]
    best = checkpoint.newest(config.folder / "checkpoints").state["best"]
    assert best == {"step": 6, "validation_loss": 3.0, "since": 3}
    assert read_curve(config.folder)[-1]["step"] == 12


def test_an_equal_validation_is_no_better_one_and_a_better_one_counts_anew(run, tmp_path):
    assert trainer.train(run(patience=2), quiet=True)["steps"] == 10
    patient = trainer.train(run(patience=4, out=str(tmp_path / "patient")), quiet=True)
    assert (patient["steps"], patient["stopped_early"]) == (16, False)  # after step 14 it was better
    assert trainer.train(run(out=str(tmp_path / "without")), quiet=True)["steps"] == 16


def test_it_is_complete_then_and_goes_on_with_more_patience(run, capsys):
    trained(run(patience=3))
    before = (run().folder / "run.json").read_text()
    assert trainer.train(run(patience=3))["steps"] == 12
    assert "is complete: give another --out for another run, or more --patience to go on" in capsys.readouterr().out
    assert (run().folder / "run.json").read_text() == before
    results = trainer.train(run(patience=4), quiet=True)
    assert (results["steps"], results["stopped_early"]) == (16, False)
    assert [row["step"] for row in read_curve(run().folder)] == list(range(2, 17, 2))
    assert trainer.train(run(patience=1), quiet=True)["steps"] == 16  # all steps were taken


@pytest.mark.parametrize("step", [3, 7, 9, 11])
def test_one_that_was_interrupted_stops_at_the_same_step(run, tmp_path, step):
    whole = trained(run(patience=3, out=str(tmp_path / "whole")))
    broken = died_after(run(patience=3, out=str(tmp_path / "broken")), step)
    assert trainer.train(broken, quiet=True)["steps"] == 12
    check_same(whole, broken)


def test_one_that_died_before_it_wrote_its_results_takes_no_further_step(run, monkeypatch):
    config = trained(run(patience=3))
    (config.folder / "run.json").unlink()
    monkeypatch.setattr(trainer.Run, "one_step", None)
    assert trainer.train(config, quiet=True)["steps"] == 12
    assert json.loads((config.folder / "run.json").read_text())["results"]["stopped_early"]
