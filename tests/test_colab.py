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
prove = []
other = ["no-such-package-either"]
"""


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """A clone of a small book, its `folder`, and the `calls` of pip, which ends with `returncode`."""
    noted = SimpleNamespace(folder=tmp_path, calls=[], returncode=0)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setattr(subprocess, "run", lambda command: noted.calls.append(command) or noted)
    return noted


def test_what_is_missing_is_asked_for_with_the_versions_of_what_is_there_and_the_chapter_goes_on(pip, capsys):
    colab.prepare(pip.folder)
    kept = [f"numpy=={version('numpy')}", f"tqdm=={version('tqdm')}"]
    assert pip.calls == [[sys.executable, "-m", "pip", "install", "-q", "no-such-package", *kept]]
    assert capsys.readouterr().out == "installed: no-such-package\n"
    assert os.getcwd() == str(pip.folder / "notebooks")
    assert os.environ["PYTHONPATH"] == f"{pip.folder}{os.pathsep}elsewhere"


def test_nothing_is_installed_and_said_where_nothing_is_missing(pip, capsys):
    (pip.folder / "pyproject.toml").write_text(PROJECT.replace("no-such-package", "tqdm"))
    colab.prepare(pip.folder)
    assert (pip.calls, capsys.readouterr().out) == ([], "")


@pytest.mark.parametrize(
    ("files", "there"),
    [
        ({}, False),
        ({"dev/accel0": ""}, True),
        # another maker's, and a network card
        ({"dev/accel/accel0": "", "sys/bus/pci/devices/0/vendor": "0x1ae0"}, False),
        ({"dev/vfio/0": "", "sys/bus/pci/devices/0/vendor": "0x1ae0\n"}, True),
        ({"dev/vfio/0": "", "sys/bus/pci/devices/0/vendor": "0x10de\n"}, False),
    ],
)
def test_a_tpu_is_seen_by_its_files_and_the_first_cell_says_what_it_needs(pip, capsys, monkeypatch, files, there):
    for name, text in files.items():
        (path := pip.folder / "root" / name).parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    has_tpu = colab.has_tpu
    monkeypatch.setattr(colab, "has_tpu", lambda: has_tpu(pip.folder / "root"))
    monkeypatch.setattr(colab.importlib.util, "find_spec", lambda name: None)
    colab.prepare(pip.folder)
    assert ("pip install torch_tpu" in capsys.readouterr().out) == there


def test_a_package_that_cannot_be_had_is_named(pip):
    pip.returncode = 1
    with pytest.raises(RuntimeError, match="^pip could not install no-such-package$"):
        colab.prepare(pip.folder)


def test_this_environment_has_all_that_the_chapters_need():
    packages = colab.packages()
    assert {"numpy", "torch", "matplotlib", "tokenizers", "sacrebleu"} <= set(map(colab.plain, packages))
    assert all(packages.values())
