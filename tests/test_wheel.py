"""The package without the book: a wheel in an environment of its own, which holds what an extra names and no more."""

import inspect
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path
from shutil import copy, copytree
from typing import get_type_hints

import pytest
import yaml
from packaging.metadata import parse_email
from packaging.requirements import Requirement

from minilib import torch_optim
from minilib.torch_optim.options import COMMON, WORDS, Options

ROOT = Path(__file__).resolve().parents[1]
ONE_STEP = """
import numpy as np
import minilib.schedules
from minilib.optim import LAMB

class Weight:
    data, grad = np.full((2, 2), 3.0), np.full((2, 2), 0.5)

weight = Weight()
LAMB([weight], lr=0.1).step()
print(weight.data[0, 0])
"""
MODULES = """
import pkgutil, sys
from importlib import import_module
for name in sys.argv[1:]:
    for module in pkgutil.walk_packages(getattr(import_module(name), "__path__", ()), name + "."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, made from a copy, since a build leaves its folders beside what it builds."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "LICENSE"):  # the readme lies in minilib
        copy(ROOT / name, source)
    for name in ("minilib", "tests"):  # the tests must be left out
        copytree(ROOT / name, source / name, ignore=lambda *_: ["__pycache__"])
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "--no-index", "."]
    subprocess.run([*build, "-w", source], cwd=source, check=True)
    (path,) = source.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs code where the wheel is installed with some extras; whatever else is on this machine cannot be imported."""

    def run(code, *arguments, extras=()):
        folder = tmp_path_factory.mktemp("clean")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        base = {"base": folder, "platbase": folder}
        packages, programs = (Path(sysconfig.get_path(kind, "venv", base)) for kind in ("purelib", "scripts"))
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(packages)
        (about,) = packages.glob("minilib-*.dist-info")
        for wanted in needed(Distribution.at(about), {"", *extras}):
            for name in {path.parts[0] for path in wanted.files} - {"..", "__pycache__"}:
                if not (packages / name).exists():
                    (packages / name).symlink_to(wanted.locate_file(name))
        command = [programs / "python", "-I", "-c", code, *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True)

    return run


def needed(package, extras=frozenset([""])):
    """The distributions that a package asks for with these extras, and those that they ask for."""
    packages = {}
    for line in package.requires or ():
        wanted = Requirement(line)
        if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        if wanted.name == "minilib":
            packages |= {one.name: one for one in needed(package, {*wanted.extras})}
        elif wanted.name not in packages:
            one = distribution(wanted.name)
            packages |= {wanted.name: one} | {more.name: more for more in needed(one)}
    return [*packages.values()]


def test_the_wheel_holds_every_room_and_no_tests_and_says_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        about, unknown = parse_email(archive.read(metadata))
    files = {name for name in names if ".dist-info/" not in name}
    assert {str(path.relative_to(ROOT)) for path in ROOT.glob("minilib/**/*.py")} | {"minilib/py.typed"} <= files
    assert {name.split("/")[0] for name in files} == {"minilib"}
    assert any(name.endswith("/LICENSE") for name in names)
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (about["version"], about["license_expression"]) == (cited["version"], cited["license"][0])
    assert unknown == {}
    assert "help(LAMB)" in about["description"]


CLASSES = [getattr(torch_optim, name) for name in torch_optim.__all__ if isinstance(getattr(torch_optim, name), type)]


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if cls is not torch_optim.Optimizer])
def test_every_option_of_a_constructor_has_a_type_and_a_word_and_no_docstring_sends_the_reader_away(cls):
    own = [name for name in inspect.signature(cls).parameters if name != "options"]
    typed = get_type_hints(cls.__init__)
    assert {*own, "options"} <= typed.keys()
    assert get_type_hints(Options).keys() == COMMON.keys()
    text = inspect.getdoc(cls)
    assert text.endswith(inspect.cleandoc(WORDS))
    assert [name for name in (*own, *COMMON) if name not in text] == []
    assert "Example::" in text
    assert "as there" not in text
    assert "minilib.optim" not in text


def test_the_wheel_runs_what_a_user_writes(installed):
    done = installed((ROOT / "tests" / "user_script.py").read_text(encoding="utf-8"), extras=["torch"])
    assert (done.stdout, done.stderr) == ("40 0\n", "")


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("plots", "No module named 'matplotlib'; the extra 'book' brings it: pip install '.[book]'"),
        ("models.resnet", "No module named 'torch'; the extra 'torch' brings it: pip install '.[torch]'"),
        ("training.config", "No module named 'safetensors'; the extra 'train' brings it: pip install '.[train]'"),
        ("data as d; d.digits()", "No module named 'sklearn'; the extra 'book' brings it: pip install '.[book]'"),
    ],
)
def test_a_package_that_is_missing_is_named_with_the_extra_that_brings_it(installed, module, line):
    done = installed(f"import minilib.{module}")
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == f"ModuleNotFoundError: {line} in the folder of the book"
    assert "During handling" not in done.stderr


@pytest.mark.parametrize(
    ("extras", "packages"),
    [
        (["torch"], ["minilib.torch_optim"]),
        (["train"], ["minilib.models", "minilib.data", "minilib.training", "minilib.compress"]),
    ],
)
def test_what_a_package_imports_comes_with_its_extra(installed, extras, packages):
    assert installed(MODULES, *packages, extras=extras).stderr == ""


def test_numpy_alone_makes_a_step_of_lamb_and_the_extra_of_the_book_brings_figures_and_digits(installed):
    done = installed(MODULES + ONE_STEP, "minilib.optim", "minilib.data.fetch")
    assert (float(done.stdout) < 3, done.stderr) == (True, "")
    code = "from minilib import data, plots; plots.use_style(); print(data.digits().x_train.shape)"
    done = installed(code, extras=["book"])
    assert (done.stdout.strip(), done.stderr) == ("(1437, 64)", "")
