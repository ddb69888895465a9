"""What the commands say before they begin, when something is missing, and at their end."""

import os
import sys

import check_changes
import preflight
import pytest
import run_tests
from small_books import ROOT


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without compiler and browser, and a home without either."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CHROMIUM", "CXX"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_everything_that_is_missing_is_said_in_one_list(bare, monkeypatch):
    monkeypatch.setattr(preflight, "PLACES", ())
    lines, able = preflight.survey("test", bare)
    assert able
    assert [line.split("  ")[0] for line in lines] == ["Python", "disk", "C++ compiler", "browser", "prover"]
    assert "none: compiled optimizers are not tested" in lines[2]
    assert "none found" in lines[3]
    assert "none found" in lines[4]


def test_too_small_a_disk_and_a_python_without_venv_stop_it(bare, monkeypatch):
    monkeypatch.setitem(preflight.DISK, "test", 1e9)
    lines, able = preflight.survey("test", bare)
    assert not able
    assert lines[1].endswith("not enough")
    monkeypatch.setattr(preflight.importlib.util, "find_spec", lambda name: None)
    lines, able = preflight.survey("book", bare)
    assert not able
    assert "sudo apt-get install python3-venv" in lines[0]


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome", "microsoft-edge"])
def test_a_browser_is_found_under_its_usual_names(bare, name):
    path = program(bare / name)
    assert preflight.browser() == path


@pytest.mark.parametrize(
    "place",
    [
        "Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        ".cache/ms-playwright/chromium-1187/chrome-linux/chrome",
        "Library/Caches/ms-playwright/chromium-1187/chrome-mac/Chromium.app/Contents/MacOS/Chromium",
    ],
)
def test_a_browser_is_found_in_its_usual_places(bare, place):
    path = program(bare / place)
    assert preflight.browser() == path


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
    assert [way[-1][0] for way in ways] == [str(ROOT / "README.md"), "apt-get"]
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert len(preflight.ways_to_a_browser(ROOT / "README.md")) == 1


def test_the_prover_is_found_under_both_of_its_names_and_asked_of_the_system(bare, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert preflight.get_prover() is None
    tried = bare / "tried"
    for name in ("sh", "touch"):
        (bare / name).symlink_to(f"/bin/{name}")
    program(bare / "apt-get")
    (bare / "apt-get").write_text(f'#!/bin/sh\n[ "$5" != coq ] || touch {tried}\n')
    assert preflight.get_prover() is None
    assert tried.exists()
    path = program(bare / "rocq")
    assert preflight.get_prover() == path
    path = program(bare / "coqc")
    assert preflight.get_prover() == path


@pytest.fixture
def steps(monkeypatch):
    """The steps of the tests, made to succeed and to note that they ran."""
    ran = []
    for name in run_tests.STEPS:
        monkeypatch.setitem(run_tests.STEPS, name, lambda name=name: ran.append(name) or True)
    monkeypatch.setattr(sys, "argv", ["run_tests.py"])
    monkeypatch.setattr(preflight, "get_browser", lambda python: "/usr/bin/browser")
    monkeypatch.setattr(preflight, "get_prover", lambda: "/usr/bin/coqc")
    monkeypatch.setenv("CHROMIUM", "")
    return ran


def test_all_steps_run_in_order_and_the_status_is_0(steps, capsys):
    assert run_tests.main() == 0
    assert steps == ["lint", "proofs", "unit", "nbval", "book", "site", "report"]
    assert capsys.readouterr().out.endswith("all is well\n")


def test_without_a_browser_all_else_runs_and_the_status_is_4(steps, monkeypatch, capsys):
    monkeypatch.setattr(preflight, "get_browser", lambda python: None)
    assert run_tests.main() == run_tests.UNCHECKED == 4
    assert steps == ["lint", "proofs", "unit", "nbval", "book", "report"]
    lines = capsys.readouterr().out.splitlines()
    assert "the pages will NOT be checked" in lines[0]
    assert lines[-1].startswith("pages not checked: there is no browser. Install Chromium")


def test_without_a_prover_all_else_runs_and_the_status_is_4(steps, monkeypatch, capsys):
    monkeypatch.setattr(preflight, "get_prover", lambda: None)
    assert run_tests.main() == run_tests.UNCHECKED
    assert steps == ["lint", "unit", "nbval", "book", "site", "report"]
    assert capsys.readouterr().out.splitlines()[-1].startswith("proofs not checked: there is no prover. Install Rocq")


def test_a_step_that_fails_keeps_no_other_from_running_and_is_named_last(steps, monkeypatch, capsys):
    monkeypatch.setitem(run_tests.STEPS, "unit", lambda: False)
    monkeypatch.setattr(preflight, "get_browser", lambda python: None)
    assert run_tests.main() == 1
    assert steps == ["lint", "proofs", "nbval", "book", "report"]
    assert "failed: unit" in capsys.readouterr().out


def test_a_change_reaches_the_tests_that_import_it_nearest_first():
    near = check_changes.nearness(ROOT, {"minilib/optim/trust.py"})
    assert near["tests/optim/test_trust.py"] < near["tests/experiments/test_tasks.py"]
    assert "tests/book/test_proved.py" not in near
    assert check_changes.nearness(ROOT, {"tests/autodiff/test_nn.py"}) == {"tests/autodiff/test_nn.py": 0}
    assert "tests/book/test_proved.py" in check_changes.nearness(ROOT, {"tools/proved.py"})
    assert "tests/theory/test_decide.py" in check_changes.nearness(ROOT, {"proofs/lamb.py"})
    assert check_changes.nearness(ROOT, {"README.md"}) == {}
