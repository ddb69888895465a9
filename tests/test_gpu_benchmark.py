"""`make gpu` without a card: what it says, what it leaves, and what it does not do twice."""

import json
import runpy
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[1] / "benchmarks" / "gpu.py"


@pytest.fixture
def gpu(tmp_path, monkeypatch):
    """The script's names; what it is asked for is done in an empty project, by pieces that the test chooses."""
    functions = runpy.run_path(str(PATH))["main"].__globals__
    functions |= {"ROOT": tmp_path, "LIMIT": 20}
    return functions


def asked(gpu, monkeypatch, *words) -> int:
    monkeypatch.setattr(sys, "argv", ["gpu.py", "--device", "cpu", "--toy", *words])
    return gpu["main"]()


def test_without_a_card_one_line_says_what_can_be_done(gpu, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gpu.py", "--device", "cuda:99"])
    assert gpu["main"]() == 2
    said = capsys.readouterr().err
    assert said.startswith("error: device 'cuda:99' is not to be had here")
    assert said.count("\n") == 1


def test_a_piece_leaves_a_record_once_and_a_failed_one_none(gpu, monkeypatch, capsys, tmp_path):
    codes = {"good": "print('fine')", "bad": "import sys; sys.exit(3)"}
    gpu["pieces"] = lambda toy, device: {name: ([sys.executable, "-c", codes[name]], None) for name in codes}
    assert asked(gpu, monkeypatch) == 1
    assert "not done: bad" in capsys.readouterr().out
    (record,) = tmp_path.glob("_build/cards/*/*.json")
    about = json.loads(record.read_text())
    assert about["name"] == "good"
    assert about["device"].startswith("cpu")
    assert record.with_suffix(".txt").read_text() == "fine\n"
    assert asked(gpu, monkeypatch) == 1  # what is done is not done again
    assert "== good" not in capsys.readouterr().out


def test_a_piece_that_takes_too_long_is_asked_to_stop(gpu, monkeypatch, capsys):
    waits = "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(3)); time.sleep(60)"
    gpu |= {"pieces": lambda toy, device: {"long": ([sys.executable, "-c", waits], None)}, "LIMIT": 1}
    assert asked(gpu, monkeypatch) == 1
    assert "-- long: exit code 3" in capsys.readouterr().out


def test_an_unknown_piece_is_refused_by_name(gpu, monkeypatch, capsys):
    assert asked(gpu, monkeypatch, "--only", "speed") == 2
    assert "there is no piece 'speed': may be tests, optimizers, pretraining, memory-sgd" in capsys.readouterr().err


def test_state_is_counted_in_bytes(gpu):
    import torch

    found = gpu["memory"]("adamw", "bert-tiny", **gpu["TOY"], place=torch.device("cpu"))
    assert 8 * found["parameters"] <= found["state_bytes"] < 8.01 * found["parameters"]
    assert found["peak_bytes"] > 16 * found["parameters"]
