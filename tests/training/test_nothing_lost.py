"""What once went wrong, on machines that see different folders, full disks, damaged files: each is said in a line."""

import json
import os
import re
import resource
import shutil
import signal
from concurrent.futures import Future

import pytest

from minilib.training import __main__ as pretraining
from minilib.training import checkpoint, pace, trainer
from minilib.training.run_dir import read_curve, run_lock
from tests.forked import Forked
from tests.training.runs import died_after, ended, largest_difference, main, run_alone, saved_steps, wait_until, words


def on_its_own(option, folder, *arguments) -> int:
    """The command line of a machine on which --out or --corpus is another folder or file than on the others."""
    return main(*arguments, option, f"{folder}/{os.environ['RANK']}")


def check_disagreement(folder, option, message, *arguments):
    """Both of two machines end with exit code 2, and the first says in one line in what they differ."""
    done = ended(folder, 2, on_its_own, option, folder, *arguments)
    assert [code for code, _, _ in done] == [2, 2]
    (line,) = done[0][2].splitlines()
    assert line.startswith(f"error: processes 0 and 1 do not have the same {message}")
    assert line.endswith(": all machines must see the same --out folder, the same corpus and the same code")


def with_little_disk(size, *arguments) -> int:
    """The command line where no file can become larger than `size` bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return main(*arguments)


def written(folder):
    """When each file was last written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_machines_that_see_different_folders_do_not_train_together(small, tmp_path):
    config = died_after(small(out=str(tmp_path / "0")), 6)
    before = written(config.folder)
    check_disagreement(tmp_path, "--out", "newest checkpoint (step 4 and none)", *words(config))
    assert written(config.folder).items() >= before.items()


def test_weights_that_are_others_on_one_machine_are_found_where_the_step_is_the_same(small, tmp_path):
    config = died_after(small(out=str(tmp_path / "0")), 6)
    shutil.copytree(config.folder, tmp_path / "1")
    folder = tmp_path / "1" / "checkpoints"
    there = checkpoint.newest(folder)
    there.model["positions.weight"][3, 5] += 1e-6
    shutil.rmtree(folder / "step-00000004")
    checkpoint.begin(folder, 4, *there).result()
    check_disagreement(tmp_path, "--out", "weights (", *words(config))


def test_text_that_is_another_on_one_machine_is_found(small, prose, tmp_path):
    text = (prose / "0.txt").read_text()
    assert text.count("cat") > 1
    for rank, own in enumerate((text, text.replace("cat", "tac", 1))):
        (tmp_path / f"{rank}").mkdir()
        (tmp_path / f"{rank}" / "a.txt").write_text(own)
    check_disagreement(tmp_path, "--corpus", "text (", *words(small()))
    assert not small().folder.exists()


def test_processes_that_write_one_checkpoint_must_see_one_folder(small, tmp_path):
    message = "run in the --out folder (True and False)"
    check_disagreement(tmp_path, "--out", message, *words(small(), parallel="fsdp"))


def test_where_no_checkpoint_is_whole_the_run_stops_and_touches_nothing(small):
    config = died_after(small(), 6)
    curve = (config.folder / "curve.csv").read_bytes()
    for path in checkpoint.complete(config.folder / "checkpoints"):
        next(path.glob("model-*")).write_bytes(b"torn")
    with pytest.raises(ValueError, match="no checkpoint in .* is whole: .*step-00000004.*Remove the"):
        trainer.train(config, quiet=True)
    assert (config.folder / "curve.csv").read_bytes() == curve


@pytest.mark.parametrize(
    ("argument", "message"), [("--lr -1", "lr must be at least 0.0"), ("--speed 9", "there is no option --speed")]
)
def test_a_wrong_argument_is_said_by_the_first_process_of_a_machine(monkeypatch, program, argument, message):
    for rank in "01":
        monkeypatch.setenv("LOCAL_RANK", rank)
        code, _, error = program(pretraining, *argument.split())
        assert code == 2
        assert (message in error) == (rank == "0")


@pytest.mark.parametrize("size", [2_000, 100_000])  # bytes: too little for the tokenizer, for the weights
def test_a_full_disk_is_said_in_one_line_that_names_the_file(small, tmp_path, size):
    config = small()
    process = Forked(tmp_path, with_little_disk, size, *words(config, save_every=4))
    assert process.wait() == 2
    (line,) = [line for line in process.stderr.read().splitlines() if line.startswith("error")]
    assert str(config.folder) in line
    assert "large" in line  # File too large
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


def test_a_cut_last_row_of_the_curve_is_left_out_and_a_damaged_one_is_named(small):
    config = died_after(small(), 6)
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
    wait_until((config.folder / "curve.csv").exists, process)
    with pytest.raises(ValueError, match=rf"has a run that is under way \(process {process.process.pid} on .*, since"):
        trainer.train(config, quiet=True)
    process.kill()  # whoever is killed holds nothing
    with run_lock(config.folder):
        pass
    assert not (config.folder / ".lock").exists()


def test_a_run_that_is_complete_can_be_made_longer_but_not_shorter(small, tmp_path, capsys):
    options = {"schedule": "constant", "warmup": 0.0}  # with these it is the longer run
    trainer.train(small(**options), quiet=True)
    longer = small(**options, steps=16, log_every=4, save_every=8, keep=1)
    results = trainer.train(longer)
    assert "going on after step 8 of 16" in capsys.readouterr().out
    assert results["steps"] == json.loads((longer.folder / "run.json").read_text())["results"]["steps"] == 16
    assert [row["step"] for row in read_curve(longer.folder)] == [2, 4, 6, 8, 12, 16]
    assert saved_steps(longer) == [16]
    whole = small(**options, steps=16, out=str(tmp_path / "whole"))
    trainer.train(whole, quiet=True)
    assert largest_difference(longer, whole) == 0
    with pytest.raises(ValueError, match="has a run of 16 steps, now they are 8: a run can be made longer"):
        trainer.train(small(**options), quiet=True)


def test_weights_of_another_model_are_refused_by_name(small):
    config = died_after(small(), 6)
    (config.folder / "run-config.json").unlink()
    with pytest.raises(ValueError, match=r"the weights in .* are of another model: .* is \(.*\) there and \(.*\) here"):
        trainer.train(small(width=64), quiet=True)


def test_a_run_says_what_it_will_do_before_it_does_it(small, capsys):
    trainer.train(small(vocabulary=4096))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:6]] == ["reading", "corpus", "tokenizer", "model", "steps", "device"]
    assert lines[1].endswith("held out (the last twentieth of each file)")
    assert "(of 4,096 asked for: the text gives no more)" in lines[2]
    assert "8 with 8 rows of 16 tokens: 1,024 tokens" in lines[4]
    assert "minutes at its full rate of multiplication, which no run reaches" in lines[5]
    counts = re.search(r"bert-tiny: ([\d,]+) parameters, ([\d,]+) without the tables of its embeddings;", lines[3])
    whole, rest = (int(count.replace(",", "")) for count in counts.groups())
    entries = int(re.search(r"bert, (\d+) entries", lines[2])[1])
    assert whole - rest == 128 * (entries + 16 + 2)  # tokens, positions and segments


def test_a_run_speaks_every_ten_seconds_and_says_how_long_it_still_takes(small, capsys, monkeypatch):
    now, one_step = [0.0], trainer.Run.one_step

    def slow(self, k, phase, *more):  # 3 seconds a step, 6 in the second phase, which has twice the rows
        now[0] += 30.0 if self.step == 0 else 3.0 * (k + 1)  # the first compiles
        return one_step(self, k, phase, *more)

    monkeypatch.setattr(trainer.Run, "one_step", slow)
    monkeypatch.setattr(trainer, "perf_counter", lambda: now[0])
    monkeypatch.setattr(pace, "perf_counter", lambda: now[0])
    phases = [{"steps": 10, "batch_size": 8}, {"steps": 6, "batch_size": 16}]
    trainer.train(small(phases=phases, log_every=5, evaluate_every=100))
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("step ")]
    assert [int(line.split()[1]) for line in lines] == [1, 5, 9, 12, 14, 16]
    assert [re.findall(r"about (.*) minutes left", line) for line in lines] == [
        [], ["0.8"], ["0.7"], ["0.4"], ["0.2"], []  # 51, 39, 24 and 12 seconds
    ]  # fmt: skip
    assert re.search(r"step +9 of 16  0.00 M tokens  loss \d\.\d{3}  43 tokens/s", lines[2])  # 128 tokens in 3 s
    assert "validation" in lines[-1]


def test_a_terminal_has_a_bar_and_hears_no_lines_between_validations(small, capsys, monkeypatch):
    monkeypatch.setattr(pace, "EVERY", 0.0)
    trainer.train(small())
    assert len(re.findall(r"^step ", capsys.readouterr().out, re.M)) == 8
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    trainer.train(small(out=str(small().folder) + "-2"))
    assert len(re.findall(r"^step ", capsys.readouterr().out, re.M)) == 2
