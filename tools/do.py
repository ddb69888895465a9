"""What make does for a reader, where there is no make: Windows has Python alone.

    python tools/do.py book        all pages from the stored outputs
    python tools/do.py test        everything that must hold
    python tools/do.py reading     the environment .venv with what building takes; `everything`: with the rest too

make calls it as well. It imports nothing that has to be installed.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import progress

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
# What an environment is made from: where one of these is newer than its stamp, it is made anew.
READING = (VENV / ".reading", [ROOT / "requirements-reading.txt"])
READY = (VENV / ".ready", [VENV / ".reading", ROOT / "requirements.txt", ROOT / "pyproject.toml"])
STALE = 3  # how tools/pages/build_book.py ends where a chapter must be executed and the packages for that are missing
OLDEST, TRIED = (3, 11), (3, 13)  # the Pythons for which everything has been run
OTHER = "py -3.12 tools\\do.py" if os.name == "nt" else "python3.12 tools/do.py"
NETWORK = "network? pip reached no package index; what it said is above. Once it is there, give the command again."
UNREACHED = re.compile("connection|resolve|timed out|proxy|retrying|unreachable|SSL", re.IGNORECASE)


def run(*command) -> int:
    """The exit status of a command in the book's folder."""
    return subprocess.run([str(word) for word in command], cwd=ROOT).returncode


def must(*command) -> None:
    """Run a command; where it fails this program ends with its status."""
    if status := run(*command):
        sys.exit(status)


def install(what: str, *options) -> None:
    """Install packages, and say how many have been collected; pip's warnings and errors are shown as they are."""
    line, errors = progress.Progress(), []
    named = [(ROOT / name).read_text(encoding="utf-8") for name in options if str(name).endswith(".txt")]
    number, collected = len(re.findall("^[a-z].*==", "".join(named), re.IGNORECASE | re.MULTILINE)), 0

    def tell(output: str) -> None:
        nonlocal collected
        if re.match("WARNING|ERROR", output):
            line.end()
            print(output, file=sys.stderr, flush=True)
            errors.append(output)
        elif output.startswith("Installing collected"):
            line.say(f"{what}: unpacking them")
        elif re.match("Collecting|Requirement already", output):
            collected += 1
            line.say(what, min(collected, number), number)

    line.say("starting pip")
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    try:
        status = progress.follow([*pip, *map(str, options)], tell, stderr=subprocess.STDOUT, cwd=ROOT)
    finally:
        line.end()
    if status:
        sys.exit(NETWORK if UNREACHED.search("\n".join(errors)) else "The packages could not be installed.")


def stale(stamp: Path, sources: list[Path]) -> bool:
    """Whether an environment is missing, or older than what it is made from."""
    return not stamp.exists() or any(source.stat().st_mtime > stamp.stat().st_mtime for source in sources)


def on_the_path() -> None:
    """Put the book's folder on the path of .venv: what it runs finds `tools.pages` and the rest, from wherever."""
    for folder in [*VENV.glob("lib/python*/site-packages"), *VENV.glob("Lib/site-packages")]:
        (folder / "book.pth").write_text(f"{Path(os.path.relpath(ROOT, folder)).as_posix()}\n", encoding="ascii")


def environment(everything: bool) -> None:
    """Make or refresh .venv."""
    if stale(*READING):
        must(sys.executable, "tools/preflight.py", "book")
        must(sys.executable, "-m", "venv", VENV)
        install("installing packages:", "-r", "requirements-reading.txt")
        READING[0].touch()
    if everything and stale(*READY):
        install("installing all packages:", "-r", "requirements.txt")
        install("installing minilib", "--no-build-isolation", "--no-deps", "-e", ".")
        READY[0].touch()
    on_the_path()


def book() -> int:
    environment(everything=False)
    status = run(PYTHON, "tools/pages/build_book.py")
    if status == STALE:
        environment(everything=True)
        status = run(PYTHON, "tools/pages/build_book.py")
    return status


def test() -> int:
    must(sys.executable, "tools/preflight.py", "test")
    environment(everything=True)
    return run(PYTHON, "tools/check/run_tests.py", *sys.argv[2:])


COMMANDS = {"book": book, "test": test}
COMMANDS |= {"reading": lambda: environment(everything=False), "everything": lambda: environment(everything=True)}


def main() -> int:
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command not in COMMANDS:
        print(f"usage: python tools/do.py {'|'.join(COMMANDS)}", file=sys.stderr)
        return 2
    if sys.version_info[:2] < OLDEST:
        print(f"The book needs Python 3.11 or newer, and this is {sys.version.split()[0]}; try: {OTHER} {command}")
        return 1
    if sys.version_info[:2] > TRIED:
        print(f"This is Python {sys.version.split()[0]}; the book was run with 3.11 to 3.13, with this one not yet.")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices run faster so, and chapters run side by side
    return COMMANDS[command]() or 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)
