"""What make does for a reader, where there is no make: Windows has Python alone.

    python tools/do.py book        all pages from the stored outputs
    python tools/do.py test        everything that must hold
    python tools/do.py reading     the environment .venv with what building takes; `everything`: with the rest too

make calls it as well. It imports nothing that has to be installed.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
# What an environment is made from: where one of these is newer than its stamp, it is made anew.
READING = (VENV / ".reading", [ROOT / "requirements-reading.txt"])
READY = (VENV / ".ready", [VENV / ".reading", ROOT / "requirements.txt", ROOT / "pyproject.toml"])
STALE = 3  # how tools/build_book.py ends where a chapter must be executed and the packages for that are missing
OTHER = "py -3.12 tools\\do.py" if os.name == "nt" else "make PYTHON=python3.12"


def run(*command) -> int:
    """The exit status of a command in the book's folder."""
    return subprocess.run([str(word) for word in command], cwd=ROOT).returncode


def must(*command) -> None:
    """Run a command; where it fails this program ends with its status."""
    if status := run(*command):
        sys.exit(status)


def install(*options) -> None:
    must(PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *options)


def stale(stamp: Path, sources: list[Path]) -> bool:
    """Whether an environment is missing, or older than what it is made from."""
    return not stamp.exists() or any(source.stat().st_mtime > stamp.stat().st_mtime for source in sources)


def environment(everything: bool) -> None:
    """Make or refresh .venv."""
    if stale(*READING):
        must(sys.executable, "tools/preflight.py", "book")
        must(sys.executable, "-m", "venv", VENV)
        install("-r", "requirements-reading.txt")
        READING[0].touch()
    if everything and stale(*READY):
        install("-r", "requirements.txt")
        install("--no-build-isolation", "--no-deps", "-e", ".")
        READY[0].touch()


def book() -> int:
    environment(everything=False)
    status = run(PYTHON, "tools/build_book.py")
    if status == STALE:
        environment(everything=True)
        status = run(PYTHON, "tools/build_book.py")
    return status


def test() -> int:
    must(sys.executable, "tools/preflight.py", "test")
    environment(everything=True)
    return run(PYTHON, "tools/run_tests.py", *sys.argv[2:])


COMMANDS = {"book": book, "test": test}
COMMANDS |= {"reading": lambda: environment(everything=False), "everything": lambda: environment(everything=True)}


def main() -> int:
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    if asked not in COMMANDS:
        print(f"usage: python tools/do.py {'|'.join(COMMANDS)}", file=sys.stderr)
        return 2
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        print(f"The book needs Python 3.11 to 3.13, and this is {sys.version.split()[0]}; try: {OTHER} {asked}")
        return 1
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices run faster so, and chapters run side by side
    return COMMANDS[asked]() or 0


if __name__ == "__main__":
    sys.exit(main())
