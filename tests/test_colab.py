"""What a chapter does that was opened by itself: it installs what is missing, and keeps what is there."""

import os
import subprocess
import sys
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from minilib import colab

PROJECT = """\
[project]
dependencies = ["numpy"]

[project.optional-dependencies]
torch = []
train = ["minilib[torch]", "no-such-package", "tqdm"]
book = ["tqdm"]
other = ["no-such-package-either"]
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone of a small book; the folder and the path of this process are as before afterwards."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    return tmp_path


def asked_of_pip(monkeypatch, status):
    """The commands that are run from here on; each ends with `status`."""
    commands = []
    monkeypatch.setattr(
        subprocess, "run", lambda command: commands.append(command) or SimpleNamespace(returncode=status)
    )
    return commands


def test_what_is_missing_is_asked_for_with_the_versions_of_what_is_there(clone, monkeypatch, capsys):
    commands = asked_of_pip(monkeypatch, 0)
    colab.prepare(clone)
    kept = [f"numpy=={version('numpy')}", f"tqdm=={version('tqdm')}"]
    assert commands == [[sys.executable, "-m", "pip", "install", "-q", "no-such-package", *kept]]
    assert capsys.readouterr().out == "installed: no-such-package\n"


def test_nothing_is_installed_and_said_where_nothing_is_missing(clone, monkeypatch, capsys):
    commands = asked_of_pip(monkeypatch, 0)
    (clone / "pyproject.toml").write_text(PROJECT.replace("no-such-package", "tqdm"))
    colab.prepare(clone)
    assert (commands, capsys.readouterr().out) == ([], "")


def test_the_chapter_goes_on_in_the_clone_and_its_processes_find_minilib_there(clone, monkeypatch):
    asked_of_pip(monkeypatch, 0)
    colab.prepare(clone)
    assert os.getcwd() == str(clone / "notebooks")
    assert os.environ["PYTHONPATH"] == f"{clone}{os.pathsep}elsewhere"


def test_a_package_that_cannot_be_had_is_named(clone, monkeypatch):
    asked_of_pip(monkeypatch, 1)
    with pytest.raises(RuntimeError, match="^pip could not install no-such-package$"):
        colab.prepare(clone)


def test_this_environment_has_all_that_the_chapters_need():
    found = colab.packages()
    assert {"numpy", "torch", "matplotlib", "tokenizers", "sacrebleu"} <= set(found)
    assert all(found.values())
