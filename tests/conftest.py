"""Property tests draw the same instances in every run, and are not timed: other tests run beside them."""

import hashlib
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

collect_ignore = [] if find_spec("torch_tpu") else ["tpu/test_torch_tpu.py"]  # it has an environment: make test-tpu
if os.name == "nt":  # there is no fork, no shell and no signal that stops a process
    here, lacks = Path(__file__).parent, re.compile(r"tests\.forked|import resource|/proc/|#!/bin|signal\.SIG|\"make\"")
    collect_ignore.append("course")  # marking needs Linux or macOS
    collect_ignore += [str(p) for p in here.rglob("test_*.py") if lacks.search(p.read_text(encoding="utf-8"))]
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")

# What `make test` leaves to `make test-all`: several processes, killed runs, compiled steps, whole programs and builds,
# the marking of problem sets, and in the browser what is not one page of its kind. The first six start processes or
# compile, and come first: none of them is left for one core at the end.
FIRST = "sharded killed compile exact building several_processes".split()
LONG = FIRST + "toy_studies wheel new_chapter shake nothing_lost own_trainer recipes readme_commands".split()
LONG += "gpu_benchmark benchmarks finetune trainer distributed generate export".split()
LONG += "card stand_in compiler other_systems translator".split()
LONG += "exact lab live_figures print run_button slides release accessibility".split()


def pytest_report_header():
    return f"left out on this system: {', '.join(map(os.path.basename, collect_ignore))}" if os.name == "nt" else None


def is_long(path: Path) -> bool:
    name = path.stem.removeprefix("test_")
    return name in LONG or name.startswith("figures_") or path.parent.name == "course" or path.parts[-3] == "marking"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.stem.removeprefix("test_") not in FIRST)
    for item in items:
        if is_long(item.path):
            item.add_marker("long")


@pytest.fixture
def left(monkeypatch):
    """Where this is asked for, the test is a notebook: the media types and the data that it leaves, in their order."""
    import IPython.display

    outputs = []
    monkeypatch.setattr(IPython, "get_ipython", lambda: "a kernel")
    monkeypatch.setattr(IPython.display, "display", lambda data, raw: outputs.extend(data.items()))
    return outputs


@pytest.fixture
def nowhere(monkeypatch):
    """`nowhere(name, folder)`: the data set lies where nobody answers; its known files are those in the folder."""
    from minilib.data.catalogue import CATALOGUE

    def change(name, folder=None):
        files = {}
        for file, (_, sha256) in CATALOGUE[name].files.items():
            now = hashlib.sha256((folder / file).read_bytes()).hexdigest() if folder else sha256
            files[file] = "http://127.0.0.1:1", now
        monkeypatch.setitem(CATALOGUE, name, CATALOGUE[name]._replace(files=files))

    return change


@pytest.fixture
def program(monkeypatch, capsys):
    """`program(module, *words)`: what its `main` returns or exits with, and what it printed on either stream."""

    def run(module, *words):
        monkeypatch.setattr(sys, "argv", ["it", *map(str, words)])
        try:
            code = module.main()
        except SystemExit as stop:
            code = stop.code
        return (code, *capsys.readouterr())

    return run
