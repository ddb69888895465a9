"""What the commands say before they begin, when something is missing, and at their end."""

import os
import re
import sys

import pytest
from small_books import ROOT

from tools import preflight
from tools.check import check_changes, run_tests


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without compiler and browser, and a home without either."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CHROMIUM", "CXX"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def program(path, does=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return str(path)


def test_everything_that_is_missing_is_said_in_one_list(bare, monkeypatch):
    monkeypatch.setattr(preflight, "PLACES", ())
    lines, able = preflight.survey("test", bare)
    assert able
    said = [re.split("  +|: ", line)[:2] for line in lines[2:]]
    assert said == [["C++ compiler", "none"], *([what, "none found"] for what in ("browser", "prover"))]


def test_too_small_a_disk_and_a_python_without_venv_stop_it(bare, monkeypatch):
    monkeypatch.setitem(preflight.DISK, "test", 1e9)
    lines, able = preflight.survey("test", bare)
    assert not able
    assert lines[1].endswith("not enough")
    monkeypatch.setattr(preflight.importlib.util, "find_spec", lambda name: None)
    lines, able = preflight.survey("book", bare)
    assert not able
    assert "sudo apt-get install python3-venv" in lines[0]


@pytest.mark.parametrize(
    "place",
    [
        *("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "microsoft-edge"),  # on the PATH
        "Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        ".cache/ms-playwright/chromium-1187/chrome-linux/chrome",
        ".cache/ms-playwright/chromium_headless_shell-1187/chrome-linux/headless_shell",
        "Library/Caches/ms-playwright/chromium-1187/chrome-mac/Chromium.app/Contents/MacOS/Chromium",
    ],
)
def test_a_browser_is_found_under_its_usual_names_and_in_its_usual_places(bare, place):
    assert program(bare / place) == preflight.browser()


def test_the_browser_that_is_named_is_taken_and_no_other(bare, monkeypatch):
    program(bare / "chromium")
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    assert preflight.browser() is None
    assert preflight.get_browser() is None  # and none is installed instead
    assert "CHROMIUM=no-such-browser is no program" in preflight.survey("test", bare)[0][3]
    monkeypatch.setenv("CHROMIUM", program(bare / "my" / "chrome"))
    assert preflight.browser() == str(bare / "my" / "chrome")


def test_a_browser_is_asked_of_playwright_first_and_then_of_the_system(bare, monkeypatch):
    program(bare / "apt-get")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    ways = preflight.ways_to_a_browser(ROOT / "README.md")
    assert [way[-1][0] for way in ways] == [str(ROOT / "README.md"), "apt-get", "apt-get"]
    assert [way[-1][-1] for way in ways[1:]] == ["chromium-headless-shell", "chromium"]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert len(preflight.ways_to_a_browser(ROOT / "README.md")) == 1


def test_the_prover_is_found_under_both_of_its_names_and_asked_of_the_system(bare, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert preflight.get_prover() is None
    program(bare / "apt-get", f'[ "$5" != coq ] || : > {bare}/tried')
    assert preflight.get_prover() is None
    assert (bare / "tried").exists()
    for name in ("rocq", "coqc"):
        assert program(bare / name) == preflight.get_prover()


@pytest.mark.parametrize(
    ("missing", "failing", "status", "left_out", "said"),
    [
        ("", "", 0, "", "all is well\n"),
        ("browser", "", 4, "pages site", "\npages not checked: there is no browser. Install Chromium"),
        ("prover", "", 4, "proofs", "\nproofs not checked: there is no prover. Install Rocq"),
        ("browser", "unit", 1, "pages site", "\nfailed: unit; one alone: make step NAME=unit\n"),
    ],
)
def test_a_step_keeps_no_other_from_running_and_the_end_says_what_failed_or_was_left_out(
    missing, failing, status, left_out, said, monkeypatch, capsys
):
    noted = []
    for name in run_tests.STEPS:
        monkeypatch.setitem(run_tests.STEPS, name, lambda name=name: noted.append(name) or name != failing)
    monkeypatch.setattr(sys, "argv", ["run_tests.py", "--all"])
    monkeypatch.setattr(preflight, "get_browser", lambda python: "" if missing == "browser" else "/usr/bin/browser")
    monkeypatch.setattr(preflight, "get_prover", lambda: None if missing == "prover" else "/usr/bin/coqc")
    monkeypatch.setenv("CHROMIUM", "")
    assert run_tests.main() == status
    every = "lint records unit nbval book pages proofs long site report".split()
    assert noted == [name for name in every if name not in left_out.split()]
    first, *_, last = capsys.readouterr().out.split("== seconds")
    assert ("will NOT be checked" in first) == bool(missing)
    assert said in last


def test_a_change_reaches_the_tests_that_import_it_nearest_first():
    near = check_changes.nearness(ROOT, {"minilib/optim/trust.py"})
    assert near["tests/optim/test_trust.py"] < near["tests/experiments/test_tasks.py"]
    assert "tests/book/test_provenance.py" not in near
    assert check_changes.nearness(ROOT, {"tests/autodiff/test_nn.py"}) == {"tests/autodiff/test_nn.py": 0}
    assert check_changes.nearness(ROOT, {"README.md"}) == {}


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("minilib/optim/lamb.py", "optim/test_lamb"),
        ("proofs/bank.py", "theory/test_decide"),
        ("proofs/lars.v", "proofs/test_rocq"),
        ("studies/lamb/lamb_ablations.py", "book/test_toy_studies"),
        ("studies/rates.py", "studies/test_best_between"),
        ("benchmarks/torch_optim.py", "test_benchmarks"),
        ("benchmarks/gpu.py", "test_gpu_benchmark"),
        ("book/figures/lars-bowl.js", "site/test_figures_layers"),
        ("book/figures/lab/5-digits.js", "site/test_lab"),
        ("book/quizzes/lamb.md", "book/test_quizzes"),
        ("book/runs/leaderboard/run.json", "book/test_runs_check"),
        ("course/assignments/lars.md", "marking/tests/test_answers"),
        ("course/labs/adam.md", "course/test_labs"),
        ("course/slides/lars-1.md", "course/test_plans"),
        ("tools/chapter/provenance.py", "book/test_provenance"),
        ("tools/pages/last_build.py", "book/test_building"),  # through build_book
        ("tools/prover/rocq.py", "book/test_commands"),  # through run_tests
        ("course/marking/sheets.py", "marking/tests/test_marking"),
    ],
)
def test_every_kind_of_file_has_a_test_that_is_run_when_it_changes(changed, test):
    assert (ROOT / changed).exists()
    assert any(name.endswith(f"/{test}.py") for name in check_changes.nearness(ROOT, {changed}))
