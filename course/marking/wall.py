"""The outer wall around a submission, where the system can build it: bubblewrap (`bwrap`).

In it a process has no network, sees no other process, and finds a root that cannot be written and has only what Python
needs: its folders, the copy of minilib, and a few files of ours. One folder can be written. What it starts ends with
it. Whether it works is tried, because user namespaces are not to be had everywhere. Deliberately absent: a container to
be built, and a second user.
"""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
DEVICES = ("/dev/null", "/dev/urandom")
KINDS = ("bwrap", "hook")  # the outer wall, and the inner one (`guard`)
SAYS = {
    True: "Submissions run behind bubblewrap: no network, no other process, one folder of their own to write.",
    False: "Submissions run behind Python's audit hook alone ({why}): a fence, not a wall.",
}


def python() -> list[str]:
    """The folders that this Python needs, and those of the links that lead to it."""
    path, folders = sys.executable, [sys.prefix, sys.base_prefix]
    while True:
        folders.append(os.path.dirname(path))
        if not os.path.islink(path):
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    folders += [path for path in sys.path if path.endswith("site-packages")]
    return list(dict.fromkeys(folders))


def around(folder: Path, reads: list, hidden: list) -> list:
    """The words to put before a command that may write `folder`, and read the paths `reads` without those `hidden`."""
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for path in SYSTEM:
        words += ["--ro-bind-try", path, path]
    for path in reads:
        words += ["--ro-bind", path, path]
    for path in DEVICES:
        words += ["--dev-bind", path, path]
    for path in hidden:
        words += ["--tmpfs", path, "--remount-ro", path]
    return [*words, "--bind", folder, folder, "--chdir", folder, "--remount-ro", "/", "--"]


@functools.cache
def lacks() -> str:
    """Why bubblewrap cannot be the wall here; empty where it can."""
    if not shutil.which("bwrap"):
        return "bwrap is not installed"
    try:
        here = Path(__file__).parent
        command = [*around(here, python(), []), sys.executable, "-I", "-c", "import numpy"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap: {error}"
    return "" if done.returncode == 0 else (done.stderr.splitlines() or ["bwrap failed"])[-1]


def walls() -> tuple[str, ...]:
    """The walls that stand around a submission here."""
    return KINDS[1:] if lacks() else KINDS


def says() -> str:
    """One line: which wall protects the person who marks."""
    return SAYS[not lacks()].format(why=lacks())
