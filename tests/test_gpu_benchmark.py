"""`make gpu` without a card: what it says, what it leaves, and what it does not do twice."""

import json
import sys
from types import MappingProxyType

import pytest
import torch

from benchmarks import gpu


@pytest.fixture
def gpu_run(tmp_path, monkeypatch):
    """`make gpu` at toy size in an empty project; `codes` are what its pieces run, if not its own."""
    monkeypatch.setattr(gpu, "ROOT", tmp_path)

    def run(*words, runs=MappingProxyType({}), **codes):
        if codes:
            pieces = {name: ([sys.executable, "-c", code], runs.get(name)) for name, code in codes.items()}
            monkeypatch.setattr(gpu, "pieces", lambda toy, device: pieces)
        monkeypatch.setattr(sys, "argv", ["gpu.py", "--device", "cpu", "--toy", *words])
        return gpu.main()

    return run


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--device", "cuda:99"), "error: device 'cuda:99' is not to be had here"),
        (("--only", "speed"), "error: there is no piece 'speed': may be tests, optimizers, pretraining, fine-tuning, "),
    ],
)
def test_a_card_or_a_piece_that_is_not_there_is_refused_with_one_line(gpu_run, capsys, words, line):
    assert gpu_run(*words) == 2
    error = capsys.readouterr().err
    assert error.startswith(line)
    assert error.count("\n") == 1


def test_a_piece_leaves_a_record_once_and_a_failed_one_none(gpu_run, capsys, tmp_path):
    codes = {"good": f"print({str(tmp_path / 'fine')!r})", "bad": "import sys; sys.exit(3)"}
    assert gpu_run(**codes) == 1
    assert "not done: bad" in capsys.readouterr().out
    (record,) = tmp_path.glob("_build/cards/*/*.json")
    about = json.loads(record.read_text())
    assert about["name"] == "good"
    assert about["device"].startswith("cpu")
    assert record.with_suffix(".txt").read_text() == "fine\n"  # this machine's folder is not in it
    assert gpu_run(**codes) == 1  # what is done is not done again
    assert "== good" not in capsys.readouterr().out
    assert gpu_run("--list", **codes) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()[:2]] == [["good", "done"], ["bad", "to"]]


def test_a_piece_that_takes_too_long_is_asked_to_stop(gpu_run, monkeypatch, capsys):
    monkeypatch.setattr(gpu, "LIMIT", 1)
    waits = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(3)); time.sleep(60)"
    assert gpu_run(long=waits) == 1
    assert "-- long: exit code 3" in capsys.readouterr().out
    monkeypatch.setattr(gpu, "GRACE", 1)
    assert gpu_run(deaf=waits.replace("lambda *_: sys.exit(3)", "signal.SIG_IGN")) == 1
    assert "it did not stop within 1 s, and is killed\n-- deaf: exit code -9" in capsys.readouterr().out


def test_a_study_that_takes_longer_goes_on_in_the_next_piece_and_is_recorded(gpu_run, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gpu, "LIMIT", 3)
    test = {"8 adamw": {"0": 1, "1": 2}, "8 muon": {"0": 0, "1": 2}}
    lasts = (
        "import pathlib, sys, time; kept = pathlib.Path('kept'); again = kept.exists(); kept.touch(); here ="
        " pathlib.Path('study'); again or time.sleep(60); here.mkdir(); (here / 'curve.csv').write_text('a');"
        f"(here / 'run.json').write_text('{json.dumps({'results': {'test': test}})}')"
    )
    gpu_run("--only", "study", runs={"study": tmp_path / "study/run.json"}, study=lasts)
    assert not list(tmp_path.glob("_build/cards/*/*.json"))  # one piece at a time, where it is named
    assert "study has kept what it has and goes on where it stopped: give the command again" in capsys.readouterr().out
    (tmp_path / "kept").unlink()
    assert gpu_run(runs={"study": tmp_path / "study/run.json"}, study=lasts) == 0
    (record,) = tmp_path.glob("_build/cards/*/*.json")
    assert json.loads(record.read_text())["results"] == {"test": test}
    assert "AdamW ends at 1.500 nats" in capsys.readouterr().out


def test_state_is_counted_in_bytes():
    memory = gpu.memory("adamw", "bert-tiny", **gpu.TOY, place=torch.device("cpu"))
    assert 8 * memory["parameters"] <= memory["state_bytes"] < 8.01 * memory["parameters"]
    assert memory["peak_bytes"] > 16 * memory["parameters"]
