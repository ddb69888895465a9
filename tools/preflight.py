"""Looks for everything that a command needs before anything runs, and says what is there and what is not.

    python3 tools/preflight.py book    what reading takes: Python, venv, disk
    python3 tools/preflight.py test    that, a C++ compiler, a browser and the prover Rocq

One line for each thing. The exit status is 0 when the command can do its work, if only in part (what is left out is
said), and 1 when it cannot begin. Runs on any Python and imports nothing that has to be installed.
`browser()` is where the tests of the pages look for theirs, `prover()` where the check of the proofs does.
"""

import glob
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GIB = 2**30
# Free space for packages and what a command writes, in GiB, where nothing is installed yet.
DISK = {"book": 0.6, "test": 7.0}
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROGRAMS += ("microsoft-edge", "microsoft-edge-stable", "msedge", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files*/Google/Chrome/Application/chrome.exe",
    "C:/Program Files*/Microsoft/Edge/Application/msedge.exe",
    # what `playwright install chromium` downloaded
    "~/.cache/ms-playwright/chromium_headless_shell-*/chrome-*/*headless?shell",
    "~/Library/Caches/ms-playwright/chromium_headless_shell-*/chrome-*/*headless?shell",
    "~/.cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "~/Library/Caches/ms-playwright/chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
    "~/Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
COMPILERS = ("c++", "g++", "clang++", "cl")


def browser() -> str | None:
    """The path of a Chromium, Chrome or Edge; None where there is none. One without windows is taken first: it opens
    pages in half the time.

    What CHROMIUM names, a program or a path, is taken and nothing else is looked for.
    """
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(os.path.expanduser(named))
    candidates = [shutil.which(program) for program in PROGRAMS]
    candidates += [path for place in PLACES for path in sorted(glob.glob(os.path.expanduser(place)))]
    return next((path for path in candidates if path and os.access(path, os.X_OK)), None)


def compiler() -> str | None:
    """The path of a C++ compiler; None where there is none."""
    return next((path for name in (os.environ.get("CXX"), *COMPILERS) if name and (path := shutil.which(name))), None)


def prover() -> str | None:
    """The path of Rocq's compiler: `coqc`, or `rocq` from version 9 on; None where there is none."""
    return shutil.which("coqc") or shutil.which("rocq")


def by_apt(package: str) -> list[list[list[str]]]:
    """How a package of the distribution may be had here: the ways, each a list of commands; none but for root."""
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        return []
    return [[["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]]]


def try_to_get(what: str, ways: list[list[list[str]]]) -> None:
    """Go these ways until one succeeds."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for way in ways:
        print(f"  no {what} yet, trying: {' '.join(way[-1])}", flush=True)
        try:
            if all(subprocess.run(command, timeout=600, **quiet).returncode == 0 for command in way):
                break
        except (OSError, subprocess.TimeoutExpired):
            continue


def get_browser(python: Path | None = None) -> str | None:
    """A browser's path, after trying to install one where there is none; None where it cannot be had."""
    if not browser() and not os.environ.get("CHROMIUM"):
        ways = [[[str(python), "-m", "playwright", "install", "chromium"]]] if python and python.exists() else []
        try_to_get("browser", ways + by_apt("chromium-headless-shell") + by_apt("chromium"))
    return browser()


def get_prover() -> str | None:
    """The prover's path, after trying to install it where there is none; None where it cannot be had."""
    if not prover():
        try_to_get("prover", by_apt("coq"))
    return prover()


def get_wall() -> None:
    """Try to install bubblewrap, behind which submissions are marked, where it is missing (`marking.wall` tries it)."""
    if sys.platform == "linux" and not shutil.which("bwrap"):
        try_to_get("bubblewrap", by_apt("bubblewrap"))


def python_problem() -> str:
    """What is wrong with this Python, an empty string when nothing is (`do.py` has asked for its version)."""
    if all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        return ""
    return "it cannot make environments; Debian and Ubuntu: sudo apt-get install python3-venv"


def survey(command: str, root: Path = ROOT) -> tuple[list[str], bool]:
    """The lines about what `command` needs, and whether it can begin."""
    problem = python_problem()
    lines = [f"Python         {sys.version.split()[0]}" + (f": {problem}" if problem else "")]
    installed = (root / ".venv" / (".ready" if command == "test" else ".reading")).exists()
    free, needed = shutil.disk_usage(root).free / GIB, 1.0 if installed else DISK[command]
    enough = free >= needed
    lines.append(f"disk           {free:.1f} GiB free, {needed:g} needed" + ("" if enough else ": not enough"))
    if command == "test":
        lines.append(f"C++ compiler   {compiler() or 'none: compiled optimizers are not tested (g++ or clang++)'}")
        wanted = os.environ.get("CHROMIUM")
        nowhere = f"CHROMIUM={wanted} is no program" if wanted else "none found: it will be asked for before the tests"
        lines.append(f"browser        {browser() or nowhere}")
        lines.append(f"prover         {prover() or 'none found: it will be asked for before the proofs are checked'}")
    return lines, enough and not problem


def main() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command not in DISK:
        print(f"usage: preflight.py {'|'.join(DISK)}", file=sys.stderr)
        return 1
    lines, able = survey(command)
    if not able or command == "test":
        print(f"make {command} needs:\n  " + "\n  ".join(lines), flush=True)
    return 0 if able else 1


if __name__ == "__main__":
    sys.exit(main())
