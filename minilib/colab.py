"""What a chapter does when it was opened by itself, as on Google Colab, once its first cell has fetched the book.

That cell is the same in all chapters (`tools/first_cell.py` writes it); in a clone it only finds the book's folder.
Absent on purpose: any change to a package that is there. What is missing is added, and nothing has to be restarted.
"""

import importlib
import os
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("torch", "train", "book", "prove")  # of pyproject.toml: together what the chapters import


def packages(root: Path = ROOT) -> dict[str, str]:
    """What the chapters need: the installed version of each package, "" where it is missing."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = {*project["dependencies"], *(name for extra in EXTRAS for name in extras[extra])}
    found = {}
    for name in sorted(names - {"minilib[torch]"}):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return found


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
        kept = [f"{name}=={number}" for name, number in found.items() if number]
        if subprocess.run([sys.executable, "-m", "pip", "install", "-q", *missing, *kept]).returncode:
            raise RuntimeError(f"pip could not install {', '.join(missing)}")
        importlib.invalidate_caches()
        print(f"installed: {', '.join(missing)}")
