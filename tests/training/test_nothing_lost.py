"""What once went wrong, on machines that see different folders, full disks, damaged files: each is said in a line."""

import json
import os
import resource
import shutil
import signal
import time
from concurrent.futures import Future

import pytest

from minilib.training import checkpoint, trainer
from minilib.training.run_dir import read_curve, run_lock
from tests.forked import Forked, torchrun
from tests.training.runs import main, run_alone, words
from tests.training.test_trainer import equal, stop_after, weights


def in_its_own_folder(out, *arguments) -> int:
    """The command line of a machine whose folder the others do not see."""
    return main(*arguments, "--out", f"{out}/{os.environ['RANK']}")


def with_little_disk(size, *arguments) -> int:
    """The command line where no file can become larger than `size` bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return main(*arguments)


def died_after(config, step, monkeypatch):
    """A run that is killed in the middle of that step."""
    with monkeypatch.context() as patch:
        stop_after(patch, step)
        with pytest.raises(KeyboardInterrupt):
            trainer.train(config, quiet=True)
    return config


def written(folder):
    """When each file was last written. TensorBoard's stay out: the run that died did so in this very process, where the
    thread that writes them lives on, and writes when it likes."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.parent.name != "tensorboard")
    return {path: path.stat().st_mtime_ns for path in files}


def test_machines_that_see_different_folders_do_not_train_together(small, tmp_path, monkeypatch):
    config = died_after(small(out=str(tmp_path / "0")), 6, monkeypatch)
    before = written(config.folder)
    started = torchrun(tmp_path, 2, in_its_own_folder, tmp_path, *words(config))
    assert [process.wait() for process in started] == [2, 2]
    message = started[0].stderr.read()
    assert message.startswith(
        "error: processes 0 and 1 do not have the same newest checkpoint (step 4 and none): all machines must see the"
    )
    assert message.count("\n") == 1
    assert written(config.folder).items() >= before.items()


def test_weights_that_are_others_on_one_machine_are_found_where_the_step_is_the_same(small, tmp_path, monkeypatch):
    config = died_after(small(out=str(tmp_path / "0")), 6, monkeypatch)
    shutil.copytree(config.folder, tmp_path / "1")
    folder = tmp_path / "1" / "checkpoints"
    there = checkpoint.newest(folder)
    there.model["positions.weight"][3, 5] += 1e-6
    shutil.rmtree(folder / "step-00000004")
    checkpoint.begin(folder, 4, *there).result()
    started = torchrun(tmp_path, 2, in_its_own_folder, tmp_path, *words(config))
    assert [process.wait() for process in started] == [2, 2]
    assert started[0].stderr.read().startswith("error: processes 0 and 1 do not have the same weights (")


def with_its_own_text(folder, *arguments) -> int:
    """The command line of a machine whose corpus is another than that of the others."""
    return main(*arguments, "--corpus", f"{folder}/{os.environ['RANK']}.txt")


def test_text_that_is_another_on_one_machine_is_found(small, prose, tmp_path):
    text = (prose / "0.txt").read_text()
    assert text.count("cat") > 1
    (tmp_path / "0.txt").write_text(text)
    (tmp_path / "1.txt").write_text(text.replace("cat", "tac", 1))
    config = small()
    started = torchrun(tmp_path, 2, with_its_own_text, tmp_path, *words(config))
    assert [process.wait() for process in started] == [2, 2]
    error = started[0].stderr.read()
    assert error.startswith("error: processes 0 and 1 do not have the same text (")
    assert error.count("\n") == 1
    assert not config.folder.exists()


def test_processes_that_write_one_checkpoint_must_see_one_folder(small, tmp_path):
    started = torchrun(tmp_path, 2, in_its_own_folder, tmp_path, *words(small(), parallel="fsdp"))
    assert [process.wait() for process in started] == [2, 2]
    assert "processes 0 and 1 do not have the same run in the --out folder (True and False)" in started[0].stderr.read()


def test_where_no_checkpoint_is_whole_the_run_stops_and_touches_nothing(small, monkeypatch):
    config = died_after(small(), 6, monkeypatch)
    curve = (config.folder / "curve.csv").read_bytes()
    for path in checkpoint.complete(config.folder / "checkpoints"):
        next(path.glob("model-*")).write_bytes(b"torn")
    with pytest.raises(ValueError, match="no checkpoint in .* is whole"):
        trainer.train(config, quiet=True)
    assert (config.folder / "curve.csv").read_bytes() == curve


@pytest.mark.parametrize("size", [2_000, 100_000])  # bytes: too little for the tokenizer, for the weights
def test_a_full_disk_is_said_in_one_line_that_names_the_file(small, tmp_path, size):
    config = small()
    process = Forked(tmp_path, with_little_disk, size, *words(config, save_every=4))
    assert process.wait() == 2
    lines = [line for line in process.stderr.read().splitlines() if line.startswith("error")]
    assert len(lines) == 1
    assert str(config.folder) in lines[0]
    assert "large" in lines[0]  # File too large
    assert not list(config.folder.rglob("*.part"))


def test_a_checkpoint_that_fails_in_the_background_ends_the_run_at_the_next_step(small, monkeypatch):
    failed = Future()
    failed.set_exception(OSError("the checkpoint could not be written: No space left on device"))
    monkeypatch.setattr(checkpoint, "begin", lambda *_: failed)
    steps, one_step = [], trainer.Run.one_step
    monkeypatch.setattr(trainer.Run, "one_step", lambda run, *at: steps.append(run.step) or one_step(run, *at))
    with pytest.raises(OSError, match="could not be written: No space left"):
        trainer.train(small(steps=40, save_every=4, evaluate_every=40), quiet=True)
    assert steps == [0, 1, 2, 3, 4]


def test_a_cut_last_row_of_the_curve_is_left_out_and_a_damaged_one_is_named(small, monkeypatch):
    config = died_after(small(), 6, monkeypatch)
    path = config.folder / "curve.csv"
    whole = path.read_text()
    path.write_text(whole + "8,1024,0.1,n")
    trainer.train(config, quiet=True)
    assert [row["step"] for row in read_curve(config.folder)] == [2, 4, 6, 8]
    path.write_text(whole.replace("\n4,", "\nfour,"))
    with pytest.raises(ValueError, match=r"curve.csv, line 3, cannot be read: .*'four'"):
        read_curve(config.folder)


def test_a_damaged_run_json_is_named(small):
    config = small()
    trainer.train(config, quiet=True)
    (config.folder / "run.json").write_text("{")
    with pytest.raises(ValueError, match="run.json cannot be read .*: remove it"):
        trainer.train(config, quiet=True)
    (config.folder / "run.json").unlink()
    assert trainer.train(config, quiet=True)["steps"] == 8
    assert (config.folder / "run.json").exists()


def test_one_run_at_a_time_has_a_folder(small):
    config = small(steps=100_000)
    process = run_alone(config)
    while not (config.folder / "curve.csv").exists():
        time.sleep(0.01)
        assert process.poll() is None, process.stderr.read()
    with pytest.raises(ValueError, match=rf"has a run that is under way \(process {process.process.pid} on .*, since"):
        trainer.train(config, quiet=True)
    process.kill()  # whoever is killed holds nothing
    with run_lock(config.folder):
        pass
    assert not (config.folder / ".lock").exists()


def test_a_folder_that_was_made_for_nothing_is_gone(tmp_path):
    with run_lock(tmp_path / "run"):
        assert (tmp_path / "run").exists()
    assert not (tmp_path / "run").exists()


def test_a_run_that_is_complete_can_be_made_longer_but_not_shorter(small, capsys):
    config = small(schedule="constant", warmup=0.0)
    trainer.train(config, quiet=True)
    longer = small(schedule="constant", warmup=0.0, steps=16, log_every=4, save_every=8, keep=1)
    results = trainer.train(longer)
    assert "going on after step 8 of 16" in capsys.readouterr().out
    assert results["steps"] == json.loads((config.folder / "run.json").read_text())["results"]["steps"] == 16
    assert [row["step"] for row in read_curve(config.folder)] == [2, 4, 6, 8, 12, 16]
    assert len(checkpoint.complete(config.folder / "checkpoints")) == 1
    with pytest.raises(ValueError, match="has a run of 16 steps, now they are 8: a run can be made longer"):
        trainer.train(config, quiet=True)


def test_made_longer_under_a_constant_rate_it_is_the_longer_run(small, tmp_path):
    options = {"schedule": "constant", "warmup": 0.0}
    trainer.train(small(**options), quiet=True)
    trainer.train(small(**options, steps=12), quiet=True)
    whole = small(**options, steps=12, out=str(tmp_path / "whole"))
    trainer.train(whole, quiet=True)
    assert equal(weights(small()), weights(whole))


def test_the_best_checkpoint_is_kept(small, monkeypatch):
    losses = iter([5.0, 3.0, 4.0, 6.0])
    found = lambda self: {"validation_loss": next(losses), "validation_accuracy": 0.0}  # noqa: E731
    monkeypatch.setattr(trainer.Run, "validate", found)
    config = small(steps=16, keep=1, patience=9, save_every=16)
    trainer.train(config, quiet=True)
    assert [int(path.name[5:]) for path in checkpoint.complete(config.folder / "checkpoints")] == [8, 16]
    assert checkpoint.newest(config.folder / "checkpoints").state["best"] == {
        "step": 8,
        "validation_loss": 3.0,
        "since": 2,
    }


def test_weights_of_another_model_are_refused_by_name(small, monkeypatch):
    config = died_after(small(), 6, monkeypatch)
    (config.folder / "run-config.json").unlink()
    with pytest.raises(ValueError, match=r"the weights in .* are of another model: .* is \(.*\) there and \(.*\) here"):
        trainer.train(small(width=64), quiet=True)


def test_a_run_that_diverges_before_its_first_checkpoint_says_so(small):
    with pytest.raises(trainer.Diverged, match="there was no checkpoint yet"):
        trainer.train(small(optimizer="sgd", lr=1e6, warmup=0.0, clip=None, save_every=1000, steps=40), quiet=True)


def test_a_run_says_what_it_will_do_before_it_does_it(small, capsys):
    trainer.train(small(vocabulary=4096))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:6]] == ["reading", "corpus", "tokenizer", "model", "steps", "device"]
    assert lines[1].endswith("held out (the last twentieth of each file)")
    assert "(of 4,096 asked for: the text gives no more)" in lines[2]
    assert "8 with 8 rows of 16 tokens: 1,024 tokens" in lines[4]
    assert "minutes, at its full rate" in lines[5]


def test_after_two_rows_a_run_says_once_how_long_it_still_takes(small, capsys, monkeypatch):
    clock = iter(range(10**9))
    monkeypatch.setattr(trainer, "perf_counter", lambda: 30.0 * next(clock))  # half a minute each time it is read
    phases = [{"steps": 10, "batch_size": 8}, {"steps": 6, "batch_size": 16}]
    trainer.train(small(phases=phases, log_every=2))
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("time ")]
    # two steps, 16 rows, take from one reading of the clock to the second after it: a minute; left are 6·8 + 6·16 rows
    assert line == "time       about 9.0 minutes left at this rate, without validation"


def test_a_run_of_one_row_does_not_say_how_long_it_takes(small, capsys):
    trainer.train(small(steps=4, log_every=2))
    assert "minutes left" not in capsys.readouterr().out


def test_a_width_that_its_heads_do_not_divide_is_named(small):
    with pytest.raises(ValueError, match="width must be a multiple of its 2 heads, got 39"):
        trainer.train(small(width=39), quiet=True)
    with pytest.raises(ValueError, match="heads must divide the width 40, got 3"):
        trainer.train(small(width=40, heads=3), quiet=True)
