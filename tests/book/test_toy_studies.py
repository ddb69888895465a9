"""Every study is run to its end at size "toy", by its command line, in a project of its own; not with CUDA."""

import csv
import json
import re
import runpy
import shutil
import sys

import numpy as np
import pytest
import torch
from small_books import ROOT

from minilib.experiments import records
from minilib.training import device
from studies.study import Study

sys.path.insert(0, str(ROOT))
from studies import command, photographs, translator  # the folder is no installed package

STUDIES = [path for path in sorted((ROOT / "studies").glob("*/*.py")) if "start(main" in path.read_text()]
STUDIES = {path.stem.replace("_", "-"): path for path in STUDIES}
# Two ask the machine first, two read their data first, two did not write down some defaults.
NOT_COMPARED = {*("torch-step", "pretrain-speed"), *("translation", "fine-tuning"), *("bert-long", "three-models")}
READ = {"bert-below", "bert-optimizers", "gpt2-batches"}
PAIRS = {"a man walks": "ein mann geht", "two dogs run": "zwei hunde rennen", "a red house": "ein rotes haus"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A project with the records that studies read. Afterwards torch has as many threads as before."""
    (tmp_path / "pyproject.toml").write_text('[tool.minilib]\nrecords = "book/runs"\n')
    for record in READ:
        shutil.copytree(ROOT / "book/runs" / record, tmp_path / "book/runs" / record)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))  # one study adds it
    compiled = torch.nn.Module.compile
    monkeypatch.setattr(torch.nn.Module, "compile", lambda self: compiled(self, backend="eager"))
    threads = torch.get_num_threads()
    yield tmp_path
    torch.set_num_threads(threads)


SIZES = {"laptop": {"steps": 9, "seeds": (0, 1)}, "toy": {"steps": 2}, "gpu": {"steps": 99, "precision": "fastest"}}


def start(monkeypatch, name, *arguments):
    """What `python -m studies.CHAPTER.name ARGUMENTS` does."""
    monkeypatch.setattr(sys, "argv", ["study", *arguments])
    runpy.run_module(module(name), run_name="__main__")


def module(name):
    return STUDIES[name].relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_of_toy_size_ends_and_records_how_it_was_made(name, home, monkeypatch):
    sentences = translator.Pairs([*PAIRS] * 40, [*PAIRS.values()] * 40)
    monkeypatch.setattr(translator, "multi30k", lambda: dict.fromkeys(("train", "validation", "test"), sentences))
    noise = np.random.default_rng(0)
    part = (noise.integers(0, 256, (80, 3, 32, 32), np.uint8), np.arange(80) % 10)
    monkeypatch.setattr(photographs, "cifar10", lambda: photographs.Photographs(*part, *part, "noise"))
    start(monkeypatch, name, "--size", "toy")
    folder = home / "_build/runs" / f"{name}-toy"
    run = json.loads((folder / "run.json").read_text())
    assert [field for field in records.FIELDS if run.get(field) in (None, "", [], {})] == []
    assert run["name"] == f"{name}-toy"
    assert run["command"] == f"python -m {module(name)} --size toy"
    assert run["device"] == records.machine()
    assert run["config"]["size"]
    with open(folder / "curve.csv", newline="") as file:
        assert len(list(csv.DictReader(file))) > 0
    assert {path.name for path in (home / "book/runs").iterdir()} == READ


def test_a_study_spread_over_processes_records_the_same(home, monkeypatch):
    """Its jobs travel: what they close over is pickled, and the other process imports the studies by itself."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    curves = []
    for arguments in ((), ("--spread", "2")):
        start(monkeypatch, "gpt2-optimizers", "--size", "toy", *arguments)
        curves.append((home / "_build/runs/gpt2-optimizers-toy/curve.csv").read_text())
    assert curves[0] == curves[1]
    with pytest.raises(SystemExit, match="2"):
        start(monkeypatch, "gpt2-optimizers", "--size", "toy", "--spread", "-1")


@pytest.mark.parametrize("name", STUDIES)
def test_a_size_or_a_device_that_a_study_cannot_use_is_one_line(name, home, monkeypatch, capsys):
    """A study in NumPy runs on the CPU alone; one in PyTorch on what is there, and no machine has a hundredth card.

    A CPU that is written down anywhere would keep a model there, whatever the command line says.
    """
    sizes, text = runpy.run_module(module(name))["SIZES"], STUDIES[name].read_text()
    of_torch = "gpu" in sizes
    refused = {
        ("--size", "huge"): f"size must be one of {', '.join(sizes)}, got 'huge'\n",
        ("--size", "toy", "--device", "cuda:99"): f"device {'' if of_torch else 'must be cpu, got '}'cuda:99'",
    }
    for words, line in refused.items():
        with pytest.raises(SystemExit, match="2"):
            start(monkeypatch, name, *words)
        error = capsys.readouterr().err
        assert error.startswith(f"error: {line}")
        assert error.count("\n") == 1
    assert not (home / "_build").exists()
    if of_torch:
        assert not re.search(r'device\("cpu"\)|device"?[=:] ?"cpu"|\bCPU\b', text)
    if text.endswith(", NUMPY)\n"):  # one that is NumPy's in part gives a reason of its own
        assert not re.search("(?m)^(import|from) torch|pretrain", text)


def test_the_configs_of_the_book_are_those_of_size_laptop(home, monkeypatch):
    """So a study that is started again goes on from what it has; not one that is to be recorded anew with more runs."""
    runs = ROOT / "book/runs"
    recorded = {path.parent.name for path in runs.glob("*/run.json")}
    unfinished = {path.stem for path in (runs / "unfinished").glob("*.json")}

    def stop(self, name, config, where=None, asked_for=None, **_):
        raise StopIteration(json.loads(json.dumps(config)))

    monkeypatch.setattr(Study, "__init__", stop)
    for name in STUDIES.keys() & recorded - unfinished - NOT_COMPARED:
        with pytest.raises(StopIteration) as stopped:
            start(monkeypatch, name)
        assert stopped.value.value == json.loads((runs / name / "run.json").read_text())["config"], name


def test_a_size_has_the_settings_of_laptop_but_those_that_it_changes():
    plan = command.ask(SIZES, "toy").plan
    assert (plan.steps, plan.seeds) == (2, (0, 1))
    assert command.ask(SIZES, "laptop").precision == "fp32"
    fastest = command.ask(SIZES, "gpu", "cpu")
    assert fastest.precision == device.precision(torch.device("cpu"))
    assert fastest.suffix == "-gpu-cpu"
