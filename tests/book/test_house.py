"""The house keeps its own rules: layers, versions, licences, commands; and what is done where there is no make."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import do
import pytest
import yaml
from packaging.requirements import Requirement
from small_books import ROOT

import minilib

BREACHES = {  # the file, a line that it must not have, what import-linter says of it
    "minilib/optim/adam.py": ("import torch", "minilib.optim.adam -> torch"),  # NumPy packages never import torch
    "minilib/optim/base.py": ("import minilib.autodiff", "minilib.optim.base -> minilib.autodiff"),  # they know no nets
    "minilib/plots.py": ("import proofs.bank", "minilib.plots -> proofs"),  # the book stands on the library
    "minilib/schedules.py": ("import minilib.training", "minilib.schedules -> minilib.training"),  # a layer above it
    "tools/chapter/reading.py": ("import tools.pages.folds", "tools.chapter.reading -> tools.pages.folds"),
    "course/marking/wire.py": ("import tools.preflight", "course.marking.wire -> tools.preflight"),
}
HOMELESS = {"minilib/attic.py": ("", "not listed as layers")}


@pytest.mark.parametrize(
    ("planted", "counted"), [(BREACHES, "Contracts: 1 kept, 6 broken"), (HOMELESS, "")], ids=["imports", "package"]
)
def test_every_import_against_the_layers_and_a_package_without_a_place_are_caught(planted, counted, tmp_path):
    for package in ("minilib", "tools", "course/marking"):
        shutil.copytree(ROOT / package, tmp_path / package)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, (line, _) in planted.items():
        path = tmp_path / name
        path.write_text(f"{line}\n" + (path.read_text() if path.exists() else ""))
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode != 0
    for words in (counted, *(words for _, words in planted.values())):
        assert words in " ".join(done.stdout.split())


def test_every_chosen_package_has_a_reason_and_an_exact_version_that_fits_of_no_registry_or_machine():
    lock, chosen = (ROOT / "requirements.txt").read_text(), (ROOT / "requirements.in").read_text()
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)$", lock, re.M))
    for wanted, reason in re.findall(r"^([^#\n]+)#?(.*)$", chosen, re.M):
        package = Requirement(wanted)
        assert reason.strip(), f"{package.name} has no reason"
        assert locked[package.name] in package.specifier, f"{package} is chosen, {locked[package.name]} locked"
    assert re.findall(r"https?://|--index|--find-links|--trusted|^\S+\+\w+", lock, re.M) == []


def test_the_citation_has_the_version_and_the_title_of_the_book():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == minilib.__version__
    assert citation["title"].startswith(yaml.safe_load((ROOT / "_config.yml").read_text())["title"])


def test_every_command_that_the_words_name_is_a_target_of_the_makefile():
    rules = re.findall(r"^([a-z -]+):(?!=)", (ROOT / "Makefile").read_text(), re.M)
    targets = {target for names in rules for target in names.split()}
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("book/*.md")):
        named = set(re.findall(r"(?:`|^    |^)make ([a-z-]+)", page.read_text(), re.M))
        assert named <= targets, page.name


LOOK, MAKE, INSTALL, BUILD = "tools/preflight.py book", "-m venv", "-m pip", "tools/pages/build_book.py"


@pytest.fixture
def doing(tmp_path, monkeypatch):
    """`make book` with commands that are noted, in `ran`, in place of run; `ends` has what those that fail end with."""
    venv, noted = tmp_path / ".venv", SimpleNamespace(ran=[], ends={}, pip=[])
    (tmp_path / "list").write_text("")
    monkeypatch.setattr(do, "READING", (venv / ".reading", [tmp_path / "list"]))
    monkeypatch.setattr(do, "READY", (venv / ".ready", [tmp_path / "list", venv / ".reading"]))

    def run(*command):
        venv.mkdir(exist_ok=True)
        noted.ran.append(" ".join(map(str, command[1:3])))
        return noted.ends.pop(noted.ran[-1], 0)

    def follow(command, tell, **options):
        for line in noted.pip:
            tell(line)
        return run(*command)

    monkeypatch.setattr(do, "run", run)
    monkeypatch.setattr(do.progress, "follow", follow)
    monkeypatch.setattr(sys, "argv", ["do.py", "book"])
    return noted


def test_the_book_is_built_from_few_packages_and_these_are_installed_once_and_again_when_the_list_is_newer(
    doing, tmp_path
):
    assert do.main() == do.main() == 0
    os.utime(tmp_path / "list", (2e9, 2e9))
    assert do.main() == 0
    assert doing.ran == [LOOK, MAKE, INSTALL, BUILD, BUILD, LOOK, MAKE, INSTALL, BUILD]


def test_what_must_be_executed_brings_the_other_packages(doing):
    doing.ends[BUILD] = do.STALE
    assert do.main() == 0
    assert doing.ran == [LOOK, MAKE, INSTALL, BUILD, INSTALL, INSTALL, BUILD]


def test_where_a_machine_is_not_fit_nothing_follows_and_nothing_counts_as_done(doing):
    doing.ends[LOOK] = 1
    with pytest.raises(SystemExit, match="^1$"):
        do.main()
    assert doing.ran == [LOOK]
    assert do.stale(*do.READING)


@pytest.mark.parametrize(
    ("version", "command", "status", "line"),
    [
        ((3, 11, 4), "bake", 2, "usage: python tools/do.py book|test|reading|everything"),
        ((3, 10, 1), "book", 1, "needs Python 3.11 or newer, and this is 3.10.1; try: python3.12 tools/do.py book"),
        ((3, 14, 0), "book", 0, "This is Python 3.14.0; the book was run with 3.11 to 3.13"),
    ],
)
def test_a_wrong_python_or_command_is_refused_with_one_clear_line(
    version, command, status, line, doing, monkeypatch, capsys
):
    python = {"argv": ["do.py", command], "version_info": version, "version": "{}.{}.{} of".format(*version)}
    monkeypatch.setattr(do, "sys", SimpleNamespace(**vars(sys) | python))
    assert do.main() == status
    assert line in "".join(capsys.readouterr())
    assert bool(doing.ran) == (status == 0)


@pytest.mark.parametrize(
    ("pip_error", "line"),
    [
        ("WARNING: Retrying (Retry(total=0)) after connection broken by 'ProxyError'", "^network[?] pip reached no"),
        ("ERROR: no space left on device", "^The packages could not be installed[.]$"),
    ],
)
def test_a_dead_network_has_one_line_and_packages_are_counted(doing, capsys, pip_error, line):
    doing.pip, doing.ends[INSTALL] = ["Collecting a==1", "Collecting b==2", pip_error], 1
    with pytest.raises(SystemExit, match=line):
        do.main()
    out, err = capsys.readouterr()
    assert re.search(r"installing packages: 1 of \d\d", out)
    assert err == f"{pip_error}\n"


def test_what_is_interrupted_ends_with_one_line_and_its_children_with_it(tmp_path):
    (tmp_path / "tools").mkdir()
    for name in ("do", "progress"):
        shutil.copy(ROOT / "tools" / f"{name}.py", tmp_path / "tools")
    quiet = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n"
    (tmp_path / "tools" / "preflight.py").write_text(f"{quiet}print('on my way', flush=True)\ntime.sleep(60)\n")
    command = [sys.executable, "tools/do.py", "book"]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    process = subprocess.Popen(command, cwd=tmp_path, **options)
    assert process.stdout.readline() == "on my way\n"
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[0] == "Stopped.\n"
    assert process.returncode == 130
