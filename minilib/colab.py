"""What a chapter does when it was opened by itself, as on Google Colab, once its first cell has fetched the book.

`tools/chapter/first_cell.py` writes that cell, the same in all chapters; in a clone it only finds the book's folder.
Absent on purpose: any change to a package that is there. What is missing is added, and nothing has to be restarted.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("torch", "train", "book", "prove")  # of pyproject.toml: together what the chapters import
GOOGLE = "0x1ae0"  # its number as a maker of PCI devices


def has_tpu(root: Path = Path("/")) -> bool:
    """Whether a TPU is attached, by the files that Linux shows of one; no package is asked."""
    if any(root.glob("dev/accel[0-9]*")):  # with older drivers
        return True
    vendors = root.glob("sys/bus/pci/devices/*/vendor") if any(root.glob("dev/vfio/[0-9]*")) else ()
    return any(path.read_text(encoding="utf-8").strip() == GOOGLE for path in vendors)


def packages(root: Path = ROOT) -> dict[str, str]:
    """What the chapters need, as pyproject.toml writes it: the installed version of each, "" where it is missing."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = {*project["dependencies"], *(name for extra in EXTRAS for name in extras[extra])}
    found = {}
    for name in sorted(names - {"minilib[torch]"}):
        try:
            found[name] = version(plain(name))
        except PackageNotFoundError:
            found[name] = ""
    return found


def plain(requirement: str) -> str:
    """The name of the package without the versions that may be: "torch" of "torch>=2.11"."""
    return re.split(r"[<>=!~ ]", requirement, maxsplit=1)[0]


def prepare(root: Path = ROOT) -> None:
    """Goes to the folder of the chapters, lets the processes that they start find minilib, installs what is missing.

    The versions of what is there are asked for too, so that pip cannot take others.

    RuntimeError: pip could not install what is missing; it has said why.
    """
    os.chdir(root / "notebooks")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    found = packages(root)
    missing = [name for name in found if not found[name]]
    if missing:
        kept = [f"{plain(name)}=={number}" for name, number in found.items() if number]
        if subprocess.run([sys.executable, "-m", "pip", "install", "-q", *missing, *kept]).returncode:
            raise RuntimeError(f"pip could not install {', '.join(missing)}")
        importlib.invalidate_caches()
        print(f"installed: {', '.join(missing)}")
    if has_tpu() and importlib.util.find_spec("torch_tpu") is None:
        print("this machine has a TPU; the chapters do not ask for it, and for your own runs: pip install torch_tpu")
