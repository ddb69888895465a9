"""`make gpu` without a card: what it says, what it leaves, and what it does not do twice."""

import json
import os
import sys
from types import MappingProxyType

import pytest
import torch

from benchmarks import gpu


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """`make gpu` at toy size in an empty project; `codes` are what its pieces run, if not its own."""
    monkeypatch.setattr(gpu, "ROOT", tmp_path)

    def run(*words, device="cpu", runs=MappingProxyType({}), **codes):
        if codes:
            made = {name: ([sys.executable, "-c", code], runs.get(name)) for name, code in codes.items()}
            monkeypatch.setattr(gpu, "pieces", lambda toy, device: made)
        monkeypatch.setattr(sys, "argv", ["gpu.py", "--device", device, "--toy", *words])
        return gpu.main()

    return run


def test_without_a_card_one_line_says_what_can_be_done(asked, capsys):
    assert asked(device="cuda:99") == 2
    said = capsys.readouterr().err
    assert said.startswith("error: device 'cuda:99' is not to be had here")
    assert said.count("\n") == 1


def test_a_piece_leaves_a_record_once_and_a_failed_one_none(asked, capsys, tmp_path):
    codes = {"good": "print('fine')", "bad": "import sys; sys.exit(3)"}
    assert asked(**codes) == 1
    assert "not done: bad" in capsys.readouterr().out
    (record,) = tmp_path.glob("_build/cards/*/*.json")
    about = json.loads(record.read_text())
    assert about["name"] == "good"
    assert about["device"].startswith("cpu")
    assert record.with_suffix(".txt").read_text() == "fine\n"
    assert asked(**codes) == 1  # what is done is not done again
    assert "== good" not in capsys.readouterr().out


def test_a_piece_that_takes_too_long_is_asked_to_stop(asked, monkeypatch, capsys):
    monkeypatch.setattr(gpu, "LIMIT", 1)
    waits = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(3)); time.sleep(60)"
    assert asked(long=waits) == 1
    assert "-- long: exit code 3" in capsys.readouterr().out
    monkeypatch.setattr(gpu, "GRACE", 1)
    assert asked(deaf=waits.replace("lambda *_: sys.exit(3)", "signal.SIG_IGN")) == 1
    assert "it did not stop within 1 s, and is killed\n-- deaf: exit code -9" in capsys.readouterr().out


def test_the_output_of_a_piece_is_seen_while_it_runs_and_without_this_machines_folders(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gpu, "ROOT", tmp_path)
    gate = tmp_path / "gate"
    code = f"import pathlib, time; print({str(gate)!r})\nwhile not pathlib.Path('gate').exists(): time.sleep(0.01)"
    seen = []
    monkeypatch.setattr(gpu, "print", lambda *words, **more: seen.append(words[0]) or gate.touch(), raising=False)
    assert gpu.followed([sys.executable, "-c", code], dict(os.environ), tmp_path / "log.txt") == (0, False)
    assert seen == ["gate\n"] * 2  # in the file and on the screen, before the piece could end


def test_the_list_of_pieces_says_what_is_done_and_runs_nothing(asked, capsys):
    asked(good="print('fine')", bad="import sys; sys.exit(3)")
    capsys.readouterr()
    assert asked("--list", good="", bad="") == 0
    assert [line.split()[:3] for line in capsys.readouterr().out.splitlines()[:2]] == [
        ["good", "done", "9"],
        ["bad", "to", "do"],
    ]


def test_a_study_that_takes_longer_goes_on_in_the_next_piece_and_is_recorded(asked, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(gpu, "LIMIT", 3)
    test = {"8 adamw": {"0": 1, "1": 2}, "8 muon": {"0": 0, "1": 2}}
    lasts = (
        "import pathlib, sys, time; kept = pathlib.Path('kept'); again = kept.exists(); kept.touch(); here ="
        " pathlib.Path('study'); again or time.sleep(60); here.mkdir(); (here / 'curve.csv').write_text('a');"
        f"(here / 'run.json').write_text('{json.dumps({'results': {'test': test}})}')"
    )
    asked("--only", "study", runs={"study": tmp_path / "study/run.json"}, study=lasts)
    assert not list(tmp_path.glob("_build/cards/*/*.json"))  # one piece at a time, where it is named
    assert "study has kept what it has and goes on where it stopped: give the command again" in capsys.readouterr().out
    (tmp_path / "kept").unlink()
    assert asked(runs={"study": tmp_path / "study/run.json"}, study=lasts) == 0
    (record,) = tmp_path.glob("_build/cards/*/*.json")
    assert json.loads(record.read_text())["results"] == {"test": test}
    assert "AdamW ends at 1.500 nats" in capsys.readouterr().out


def test_an_unknown_piece_is_refused_by_name(asked, capsys):
    assert asked("--only", "speed") == 2
    assert (
        "there is no piece 'speed': may be tests, optimizers, pretraining, fine-tuning, memory-sgd"
        in capsys.readouterr().err
    )


def test_state_is_counted_in_bytes():
    found = gpu.memory("adamw", "bert-tiny", **gpu.TOY, place=torch.device("cpu"))
    assert 8 * found["parameters"] <= found["state_bytes"] < 8.01 * found["parameters"]
    assert found["peak_bytes"] > 16 * found["parameters"]
