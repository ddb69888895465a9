"""What the commands find on a machine, what they do when something is missing, and which tests a change is given."""

import os
from subprocess import TimeoutExpired
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from small_books import ROOT

from tools import preflight
from tools.check import check_changes, run_tests


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without compiler, browser and prover, and a home without either."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CHROMIUM", "CXX"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def executable(path, does=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return str(path)


def test_what_is_missing_is_named_and_only_too_small_a_disk_and_a_python_without_venv_stop_it(bare, monkeypatch):
    monkeypatch.setattr(preflight, "PLACES", ())
    lines, able = preflight.survey("test", bare)
    assert able
    assert [line.split()[0] for line in lines if " none" in line] == ["C++", "browser", "prover"]
    with monkeypatch.context() as small:
        small.setitem(preflight.DISK, "test", 1e9)
        assert preflight.survey("test", bare)[0][1].endswith("not enough")
        assert not preflight.survey("test", bare)[1]
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
    assert executable(bare / place) == preflight.browser()


def test_the_browser_that_is_named_is_taken_and_no_other(bare, monkeypatch):
    executable(bare / "chromium")
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    assert preflight.get_browser() is None  # and none is installed instead
    assert "CHROMIUM=no-such-browser is no program" in preflight.survey("test", bare)[0][3]
    monkeypatch.setenv("CHROMIUM", executable(bare / "my" / "chrome"))
    assert preflight.browser() == str(bare / "my" / "chrome")


def test_browser_and_prover_are_asked_of_the_system_where_root_asks(bare, monkeypatch):
    monkeypatch.setattr(preflight, "PLACES", ())
    executable(bare / "apt-get", f'[ $1 = update ] && exit; echo "$5" >> {bare}/tried; exit 1')
    for user, wanted in ((1000, []), (0, ["chromium-headless-shell", "chromium", "coq"])):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        (bare / "tried").write_text("")
        assert (preflight.get_browser(), preflight.get_prover()) == (None, None)
        assert (bare / "tried").read_text().split() == wanted
    for name in ("rocq", "coqc"):
        assert executable(bare / name) == preflight.get_prover()


@pytest.mark.parametrize(
    ("missing", "failing", "status", "left_out", "last"),
    [
        ("", "", 0, "", "all is well"),
        ("browser", "", 4, "pages site", "pages not checked: there is no browser. Install Chromium"),
        ("prover", "", 4, "proofs", "proofs not checked: there is no prover. Install Rocq"),
        ("browser", "unit", 1, "pages site", "failed: unit; one alone: make step NAME=unit\npages not checked"),
    ],
)
def test_a_step_keeps_no_other_from_running_and_the_end_says_what_failed_or_was_left_out(
    missing, failing, status, left_out, last, monkeypatch, program
):
    done = []
    for name in run_tests.STEPS:
        monkeypatch.setitem(run_tests.STEPS, name, lambda *_, name=name: done.append(name) or name != failing)
    monkeypatch.setattr(preflight, "get_browser", lambda python: "" if missing == "browser" else "/usr/bin/browser")
    monkeypatch.setattr(preflight, "get_prover", lambda: None if missing == "prover" else "/usr/bin/coqc")
    monkeypatch.setattr(preflight, "get_wall", lambda: None)
    monkeypatch.setenv("CHROMIUM", "")
    code, output, _ = program(run_tests, "--all")
    assert code == status
    assert done == [name for name in run_tests.STEPS if name not in left_out.split()]
    assert f"\n{last}" in output.split("== seconds")[1]
    assert ("not checked" in output.split("== lint")[0]) == bool(missing)


def test_a_change_reaches_the_tests_that_import_it_nearest_first():
    near = check_changes.nearness({"minilib/optim/trust.py"})
    assert near["tests/optim/test_trust.py"] < near["tests/experiments/test_tasks.py"]
    assert "tests/book/test_provenance.py" not in near
    assert check_changes.nearness({"tests/autodiff/test_nn.py"}) == {"tests/autodiff/test_nn.py": 0}
    assert check_changes.nearness({"README.md"}) == {}


def test_what_a_change_reaches_is_handed_to_pytest_and_a_test_that_fails_is_told(monkeypatch, program):
    commands = []

    def run(command, **options):
        commands.append(command)
        return SimpleNamespace(returncode=1)

    monkeypatch.setattr(check_changes, "changed_files", lambda since: {"tests/book/test_commands.py"})
    monkeypatch.setattr(check_changes, "rewritten_chapters", lambda changed, since: [])
    monkeypatch.setattr(check_changes.notebooks, "stale", lambda md: "")
    monkeypatch.setattr(run_tests, "lint", lambda: True)
    monkeypatch.setattr(check_changes.subprocess, "run", run)
    code, output, _ = program(check_changes)
    assert code == 1
    assert "failed: tests" in output
    assert [command[1:4] for command in commands] == [["-m", "pytest", "tests/book/test_commands.py"]]
    monkeypatch.setattr(check_changes.subprocess, "run", Mock(side_effect=TimeoutExpired("pytest", 180)))
    assert program(check_changes)[1].endswith("failed: nothing; not finished: 1 test files, named above\n")


def test_cells_run_again_where_the_text_is_new_and_not_where_only_the_number_is(monkeypatch, tmp_path):
    (tmp_path / "notebooks").mkdir()
    for name in ("01_a", "02_b"):
        (tmp_path / "notebooks" / f"{name}.md").write_text(name)
    person = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], [*person, "commit", "-q", "-m", "Two chapters"]):
        check_changes.lines("git", "-C", str(tmp_path), *words)
    monkeypatch.setattr(check_changes, "ROOT", tmp_path)
    assert check_changes.rewritten_chapters(check_changes.changed_files("HEAD"), "HEAD") == []
    (tmp_path / "notebooks/02_b.md").rename(tmp_path / "notebooks/03_b.md")
    (tmp_path / "notebooks/02_new.md").write_text("new")
    changed = check_changes.changed_files("HEAD")
    assert [md.stem for md in check_changes.rewritten_chapters(changed, "HEAD")] == ["02_new"]


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("minilib/optim/lamb.py", "optim/test_lamb"),
        ("notebooks/jupytext.toml", "book/test_chapters"),
        ("notebooks/jupytext.toml", "book/test_reading"),
        ("proofs/bank.py", "theory/test_decide"),
        ("proofs/lars.v", "proofs/test_rocq"),
        ("studies/lamb/lamb_ablations.py", "book/test_toy_studies"),
        ("studies/rates.py", "studies/test_best_between"),
        ("benchmarks/torch_optim.py", "test_benchmarks"),
        ("book/figures/lars-bowl.js", "site/test_figures_layers"),
        ("book/figures/lab/5-digits.js", "site/test_lab"),
        ("book/quizzes/lamb.md", "book/test_quizzes"),
        ("book/runs/leaderboard/run.json", "book/test_runs_check"),
        ("course/assignments/lars.md", "marking/tests/test_answers"),
        ("course/labs/adam.md", "course/test_labs"),
        ("course/slides/lars-1.md", "course/test_plans"),
        ("tools/chapter/provenance.py", "book/test_provenance"),
        ("tools/pages/last_build.py", "book/test_building"),  # through build_book
        ("course/marking/sheets.py", "marking/tests/test_marking"),
    ],
)
def test_every_kind_of_file_has_a_test_that_is_run_when_it_changes(changed, test):
    assert (ROOT / changed).exists()
    assert any(name.endswith(f"/{test}.py") for name in check_changes.nearness({changed}))
