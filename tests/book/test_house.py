"""The house keeps its own rules: the layers of the library, the versions, the licences, the commands."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from small_books import ROOT


def lint_imports(root):
    """Run import-linter with the project's contracts on the minilib below `root`."""
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def copied(tmp_path):
    """A copy of minilib with the project's settings."""
    shutil.copytree(ROOT / "minilib", tmp_path / "minilib")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


BREACHES = {
    "optim/adam.py": ("import torch", "minilib.optim.adam -> torch"),  # NumPy packages never import torch
    "optim/base.py": (
        "import minilib.autodiff",
        "minilib.optim.base -> minilib.autodiff",
    ),  # they know no networks
    "plots.py": ("import proofs.lamb", "minilib.plots -> proofs"),  # the book stands on the library
    "schedules.py": ("import minilib.training", "minilib.schedules -> minilib.training"),  # a layer above it
}


def plant(root, name, line):
    path = root / "minilib" / name
    path.write_text(f"{line}\n" + (path.read_text() if path.exists() else ""))


def test_every_import_against_the_layers_is_caught(copied):
    for name, (line, _) in BREACHES.items():
        plant(copied, name, line)
    done = lint_imports(copied)
    assert done.returncode != 0
    said = " ".join(done.stdout.split())
    assert "Contracts: 1 kept, 4 broken" in said
    for _, chain in BREACHES.values():
        assert chain in said


def test_a_package_without_a_place_is_caught(copied):
    plant(copied, "attic.py", "")
    done = lint_imports(copied)
    assert done.returncode != 0
    assert "not listed as layers" in " ".join(done.stdout.split())


def test_the_layers_are_in_order(copied):
    assert lint_imports(copied).returncode == 0


def test_every_chosen_package_has_a_reason_and_an_exact_version_that_fits():
    chosen = [line for line in (ROOT / "requirements.in").read_text().splitlines() if line and line[0] != "#"]
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "requirements.txt").read_text(), re.M))
    for line in chosen:
        wanted, _, reason = line.partition("#")
        package = Requirement(wanted)
        assert reason.strip(), f"{package.name} has no reason"
        assert package.name in locked, f"{package.name} is not locked"
        assert locked[package.name] in package.specifier, f"{package} is chosen, {locked[package.name]} locked"


def test_the_lock_names_no_registry_and_no_build_of_one_machine():
    lock = (ROOT / "requirements.txt").read_text()
    assert re.findall(r"https?://|--index|--find-links|--trusted|^\S+\+\w+", lock, re.M) == []


def test_the_hooks_before_a_commit_are_all_local():
    repos = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert {repo["repo"] for repo in repos} == {"local"}
    hooks = {hook["id"] for repo in repos for hook in repo["hooks"]}
    assert {"sync", "ruff", "ruff-format", "codespell", "lint-imports"} <= hooks


def test_licences_and_versions_agree():
    import minilib

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == minilib.__version__
    assert citation["license"] == ["BSD-3-Clause", "CC-BY-4.0"]
    assert citation["title"].startswith(yaml.safe_load((ROOT / "_config.yml").read_text())["title"])
    assert "BSD 3-Clause" in (ROOT / "LICENSE").read_text()
    assert "creativecommons.org/licenses/by/4.0" in (ROOT / "LICENSE-text").read_text()


def test_every_command_that_the_words_name_is_a_target_of_the_makefile():
    rules = re.findall(r"^([a-z -]+):(?!=)", (ROOT / "Makefile").read_text(), re.M)
    targets = {target for names in rules for target in names.split()}
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("book/*.md")):
        named = set(re.findall(r"(?:`|^    |^)make ([a-z-]+)", page.read_text(), re.M))
        assert named <= targets, page.name


def test_a_wrong_python_is_refused_with_one_clear_line(tmp_path):
    old = tmp_path / "python-of-yesterday"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    for name in ("Makefile", "requirements.txt", "requirements-reading.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    done = subprocess.run(["make", f"PYTHON={old}", "book"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "needs Python 3.11 to 3.13" in done.stdout
    assert not (tmp_path / ".venv").exists()
