"""The house keeps its own rules: the layers of the library, the versions, the licences, the commands."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import do
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


@pytest.mark.parametrize("target", ["book", "test"])
def test_make_does_what_is_done_without_make(target):
    said = subprocess.run(
        ["make", "-n", "--no-print-directory", "PYTHON=python9", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == f"python9 tools/do.py {target}\n"


class TestDo:
    @pytest.fixture(autouse=True)
    def ran(self, tmp_path, monkeypatch):
        """The commands, which are noted in place of run; `ends` has what those that fail end with."""
        ran, self.ends = [], {}
        venv = tmp_path / ".venv"
        (tmp_path / "requirements").write_text("")
        for name, more in ((".reading", []), (".ready", [venv / ".reading"])):
            monkeypatch.setattr(do, name[1:].upper(), (venv / name, [tmp_path / "requirements", *more]))

        def run(*command):
            venv.mkdir(exist_ok=True)
            ran.append(" ".join(map(str, command[1:])).replace(str(tmp_path), "")[:40])
            return self.ends.pop(ran[-1], 0)

        monkeypatch.setattr(do, "run", run)
        monkeypatch.setattr(sys, "argv", ["do.py", "book"])
        return ran

    def test_the_book_is_built_from_few_packages_and_these_are_installed_once(self, ran, tmp_path):
        assert do.main() == 0
        assert ran[0] == "tools/preflight.py book"
        assert ran[1].startswith("-m venv ")
        assert ran[2].startswith("-m pip install")
        assert ran[3:] == ["tools/build_book.py"]
        ran.clear()
        assert do.main() == 0
        assert ran == ["tools/build_book.py"]
        os.utime(tmp_path / "requirements", (2e9, 2e9))
        assert do.main() == 0
        assert len(ran) == 5

    def test_what_must_be_executed_brings_the_other_packages(self, ran):
        self.ends = {"tools/build_book.py": do.STALE}
        assert do.main() == 0
        assert [word for word in ran if word.startswith("tools")] == [
            "tools/preflight.py book",
            *["tools/build_book.py"] * 2,
        ]
        assert sum("pip install" in word for word in ran) == 3

    def test_where_an_installation_fails_nothing_follows_and_nothing_counts_as_done(self, ran):
        self.ends = {"tools/preflight.py book": 1}
        with pytest.raises(SystemExit) as stop:
            do.main()
        assert (stop.value.code, len(ran)) == (1, 1)
        assert do.stale(*do.READING)

    def test_a_wrong_python_or_command_is_refused_with_one_clear_line(self, ran, monkeypatch, capsys):
        monkeypatch.setattr(sys, "argv", ["do.py", "bake"])
        assert do.main() == 2
        assert capsys.readouterr().err == "usage: python tools/do.py book|test|reading|everything\n"
        monkeypatch.setattr(
            do, "sys", SimpleNamespace(argv=["do.py", "book"], version="3.10.1 of", version_info=(3, 10, 1))
        )
        assert do.main() == 1
        assert (
            "needs Python 3.11 to 3.13, and this is 3.10.1; try: make PYTHON=python3.12 book" in capsys.readouterr().out
        )
        assert ran == []
