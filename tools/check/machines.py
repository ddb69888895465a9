"""The machines on which `shake.py` runs chapters: none of them is there, and each is imitated on this one.

Noise in the last place comes from `imitation/`, older processors from what NumPy and torch let one switch off, other
packages from an environment of their own. Deliberately absent: processors with other instruction sets than this one's
(their rounding is imitated by the noise).
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools import ROOT
from tools.chapter import first_cell

IMITATION = ROOT / "tools" / "check" / "imitation"
OLDER = ("3.12", "3.11")  # Pythons that take the place of a newer one
COMPILERS = {"cc", "c++", "gcc", "g++", "clang", "clang++"}
NO_AVX = "SSE3 SSSE3 SSE41 POPCNT SSE42 AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX"


@dataclass(frozen=True)
class Machine:
    """What is changed on the way to a kernel; everything else is as on this machine."""

    what: str
    variables: dict[str, str] = field(default_factory=dict)
    cores: int = 0  # 0: all
    memory: int = 0  # GiB of data; 0: all
    compiler: bool = True
    folder: str = ""  # the checkout is copied to a folder of this name
    python: str = ""  # a Python of this version with the packages of tests/colab/requirements.txt
    alone: bool = False  # a chapter is opened by itself in an empty folder, and fetches the book


def threads(number: int) -> dict[str, str]:
    return {"OMP_NUM_THREADS": str(number), "OPENBLAS_NUM_THREADS": str(number)}


OLD = {"ATEN_CPU_CAPABILITY": "default", "OPENBLAS_CORETYPE": "Nehalem", "ONEDNN_MAX_CPU_ISA": "SSE41"}
MIDDLE = {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": "Sandybridge", "ONEDNN_MAX_CPU_ISA": "AVX"}
MACHINES = {
    "here": Machine("this one"),
    **{f"noise-{seed}": Machine("one unit in the last place", {"ULP": str(seed)}) for seed in range(1, 7)},
    "old": Machine(
        "kernels for SSE 4, one core, 8 GB, no C++ compiler",
        OLD | threads(1) | {"NPY_DISABLE_CPU_FEATURES": NO_AVX},
        cores=1,
        memory=8,
        compiler=False,
    ),
    "middle": Machine("kernels for AVX, two threads", MIDDLE | threads(2)),
    "threads-4": Machine("four threads", threads(4)),
    "elsewhere": Machine(
        "another time zone and locale, no network, a blank in the path",
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C", "OFFLINE": "1"},
        folder="a book",
    ),
    "colab": Machine("the chapter alone, Python 3.13, Google Colab's packages", python="3.13", alone=True),
}


def other_python(version: str, places: tuple[str, ...] = ("~/.pyenv/versions", "~/.local/share/uv/python")) -> str:
    """The path of a Python of this version, or "" where none is found."""
    candidates = [shutil.which(f"python{version}") or ""]
    for place in places:
        candidates += sorted(map(str, Path(place).expanduser().glob(f"*{version}*/bin/python{version}")))
    for path in candidates:
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            return path
    return ""


def nearest_python(version: str) -> str:
    """The path of a Python of this version, or of an older one that the book runs on (that is said), or ""."""
    for other in (version, *OLDER):
        if path := other_python(other):
            if other != version:
                print(f"no Python {version} was found here: Python {other} takes its place", flush=True)
            return path
    return ""


def environment(version: str, root: Path = ROOT) -> str:
    """The Python of `.venv-colab`, an environment made once and again when its list of packages changes."""
    packages, folder = root / "tests" / "colab" / "requirements.txt", root / ".venv-colab"
    ready, python = folder / "ready.txt", folder / "bin" / "python"
    if not ready.exists() or ready.read_text() != packages.read_text():
        print(f"making {folder.name}, about 6 GB of packages, some minutes", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([nearest_python(version), "-m", "venv", folder], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", packages], check=True
        )
        shutil.copy(packages, ready)
    return str(python)


def path_without_compilers(folder: Path) -> Path:
    """A new folder for PATH in which every program is found but compilers."""
    folder.mkdir()
    for place in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(place).glob("*"):
            stem = program.name.rstrip("0123456789.-").split("-linux-gnu-")[-1]
            if stem not in COMPILERS and os.access(program, os.X_OK) and not program.is_dir():
                link = folder / program.name
                link.unlink(missing_ok=True)
                link.symlink_to(program)
    return folder


def published(root: Path, bare: Path) -> None:
    """A bare repository with the book as it stands, at its tag: what a public address would give."""
    author = ["-c", "user.name=shake", "-c", "user.email=shake@localhost"]  # a reader's git may have none
    git = ["git", "-C", str(root), *author]
    # without this, a file that was written again with the same words makes `stash create` fail
    subprocess.run([*git, "update-index", "-q", "--refresh"], stdout=subprocess.DEVNULL)
    state = subprocess.run([*git, "stash", "create"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    subprocess.run(["git", "-C", str(bare), "config", "receive.shallowUpdate", "true"], check=True)
    subprocess.run([*git, "push", "-q", bare, f"{state or 'HEAD'}:refs/tags/{first_cell.tag(root)}"], check=True)


@dataclass
class Place:
    """Where and how a chapter is executed to imitate a machine."""

    root: Path  # the checkout
    variables: dict[str, str]  # of the environment
    python: str = sys.executable
    folder: tuple[Path, ...] = ()  # where the chapter is executed, if not where it lies


@contextmanager
def prepared(machine: Machine, root: Path) -> Iterator[Place]:
    """The checkout, the variables and the Python that imitate the machine."""
    with tempfile.TemporaryDirectory() as name:
        temporary = Path(name)
        # threads that wait would take the core from the chapter beside
        place = Place(root, os.environ | {"OMP_WAIT_POLICY": "PASSIVE"} | threads(1) | machine.variables)
        if machine.folder:
            place.root = temporary / machine.folder
            ignored = shutil.ignore_patterns(".git", ".venv*", "_build", "__pycache__", "runs/")
            shutil.copytree(root, place.root, ignore=ignored)
        # PyTorch keeps what it has compiled, and takes it for valid on a processor with other instructions
        place.variables["TORCHINDUCTOR_CACHE_DIR"] = str(temporary / "compiled")
        imported = [IMITATION] if machine.alone else [place.root, IMITATION]
        place.variables["PYTHONPATH"] = os.pathsep.join(map(str, imported))
        if machine.python:
            place.python = environment(machine.python)
        if machine.alone:
            published(root, temporary / "public")
            place.variables["BOOK_ADDRESS"] = (temporary / "public").as_uri()
            place.folder = (temporary / "empty",)
            place.folder[0].mkdir()
        if not machine.compiler:
            place.variables.pop("CXX", None)
            place.variables["PATH"] = str(path_without_compilers(temporary / "programs"))
        yield place


def limits(machine: Machine):
    """What the process of a chapter does to itself before it starts."""

    def apply():
        if machine.cores and hasattr(os, "sched_setaffinity"):
            mine = sorted(os.sched_getaffinity(0))
            first = os.getpid() % len(mine)  # two chapters side by side: probably not on one core
            os.sched_setaffinity(0, (mine[first:] + mine[:first])[: machine.cores])
        if machine.memory:
            import resource  # which Windows has not

            resource.setrlimit(resource.RLIMIT_DATA, (machine.memory << 30, machine.memory << 30))

    return apply
